//! The built-in function that a misspelt name is nearest to.

use crate::RepairContext;
use ground::edit_distance::with_swaps;

/// A function that differs in one letter, or in two that changed places; none where there are
/// several.
pub(crate) fn function(context: &RepairContext<'_>, name: &str) -> Option<String> {
    let catalog = context.database?.catalog;
    if name.len() < LETTERS_MIN {
        return None;
    }
    let mut found: Option<&str> = None;
    for (_, function) in catalog.functions() {
        let other = catalog.names().text(function.name);
        if !function.oid.is_built_in() || !is_near(name, other) {
            continue;
        }
        match found {
            Some(known) if known != other => return None,
            _ => found = Some(other),
        }
    }
    found.map(str::to_owned)
}

/// Whether two names differ in one letter, or in two that changed places. A letter of another
/// script that looks the same is none.
fn is_near(one: &str, other: &str) -> bool {
    if !one.is_ascii() || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let letters = |name: &str| -> Vec<char> { name.chars().collect() };
    with_swaps(&letters(one), &letters(other)) == 1
}

/// Shorter names are near to too many.
const LETTERS_MIN: usize = 4;
