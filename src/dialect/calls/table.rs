//! The table of foreign functions.

use super::row::ForeignFunction;
use super::{dates, numbers, strings, values};

/// All rows, in the order in which they are tried: of a name, the first that fits.
pub fn rows() -> impl Iterator<Item = &'static ForeignFunction> {
    let parts = [values::ROWS, dates::ROWS, strings::ROWS, numbers::ROWS];
    parts.into_iter().flatten()
}

/// The rows of a name.
pub fn named(name: &str) -> impl Iterator<Item = &'static ForeignFunction> {
    rows().filter(move |row| row.names.contains(&name))
}
