//! `function_denied`: functions that the policy denies.
//!
//! # Sees
//! A call of a function that `functions.deny` names, built-ins included: by its name in any
//! notation, or behind an operator or a cast of the statement.
//!
//! # Why
//! The policy says so.
//!
//! # Before
//! - `SELECT random()` (denies)
//! - `SELECT "pg_catalog"."random"() FROM shop.orders` (denies)
//!
//! # After
//! - `SELECT now()` (denies)
//! - `SELECT random FROM (SELECT 1 AS random) AS x` (denies)
//!
//! # When not
//! What a view or another function calls is not looked at.

use crate::{Refusal, Rule};

/// `name` is that of the function, if the client's role may know it.
pub(crate) fn refusal(name: Option<&str>, policy: &str) -> Box<Refusal> {
    let what = name.map(|name| format!("function {name}"));
    let what = what.as_deref().unwrap_or("a function of the statement");
    let refusal = Refusal::new(
        Rule::FunctionDenied,
        &format!("{what} may not be called: functions.deny names it"),
        "Write the statement without it, or have it taken from functions.deny of the policy.",
    );
    match name {
        Some(name) => refusal.about(format_args!("{name}, functions.deny of policy {policy}")),
        None => refusal.about(format_args!("functions.deny of policy {policy}")),
    }
}
