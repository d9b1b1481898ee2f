//! `column_denied`: columns that the policy hides.
//!
//! # Sees
//! Any read of a hidden column: by its name in any clause, under another name, by a star, with its
//! whole row, in NATURAL and USING.
//!
//! # Why
//! `columns.allow` and `columns.deny` of the policy say so. A condition on a column tells its
//! values as well as a list of them does.
//!
//! # Before
//! - `SELECT secret FROM shop.people` (hides)
//! - `SELECT id FROM shop.people ORDER BY secret` (hides)
//! - `SELECT * FROM shop.people` (hides)
//! - `SELECT to_jsonb(p) FROM shop.people AS p` (hides)
//! - `SELECT c FROM shop.people AS p(a, b, c)` (hides)
//!
//! # After
//! - `SELECT id, name FROM shop.people` (hides)
//! - `SELECT count(*) FROM shop.people AS p WHERE p.id > 1` (hides)
//!
//! # When not
//! System columns (`ctid`, `tableoid`) are shown.

use std::borrow::Cow;

use crate::{Refusal, Rule};

/// `name` is that of the column, if the client wrote it; `relation` the name of its relation, as
/// far as the client may know it; `shown` are the columns that it may read.
pub(crate) fn refusal(
    name: Option<&str>,
    relation: Option<&str>,
    shown: &[Cow<'_, str>],
    policy: &str,
) -> Box<Refusal> {
    let of = relation.map(|relation| format!(" of {relation}"));
    let of = of.unwrap_or_default();
    let message = match name {
        Some(name) => format!("column \"{name}\"{of} may not be read"),
        None => format!("a column{of} that the statement reads may not be read"),
    };
    let hint = match shown {
        [] => Cow::Borrowed("Read other relations: no column of this one may be read."),
        shown => Cow::Owned(format!(
            "Name the columns that may be read: {}.",
            shown.join(", ")
        )),
    };
    let refusal = Refusal::new(Rule::ColumnDenied, &message, hint);
    match name {
        Some(name) => refusal.about(format_args!("column {name}, columns of policy {policy}")),
        None => refusal.about(format_args!("columns of policy {policy}")),
    }
}
