//! `function_path`: functions that mean what the session's search_path makes of them.
//!
//! # Sees
//! A function without a SET search_path of its own, called by its name or run behind a view, an
//! operator, a cast, an aggregate, a type or a row policy, while search_path is not where sessions
//! of the role begin: its body cannot be read, or is one of SQL that is refused under this path.
//!
//! # Why
//! The names of a body that is a string are looked up when it runs, where the caller looks names
//! up. A client that puts another schema first has it read another table, or call another function.
//!
//! # Before
//! - `SELECT set_config('search_path', 'shop', false), shop.rate(1)` (shop)
//!
//! # After
//! - `SELECT shop.rate(1)` (shop)
//! - `SELECT set_config('search_path', 'shop', false), shop.vat(1)` (shop)
//!
//! # When not
//! A function with its own search_path is judged under that; the body of BEGIN ATOMIC has its
//! names bound. A path that leads where sessions begin is as good as that one, however it is
//! written. A policy names functions for which any path will do under `functions.any_search_path`.

use crate::gate::{Refusal, Rule};
use crate::sqlstate;

/// `told` says which, if the client's role may know.
pub(in crate::gate) fn refusal(told: Option<&str>) -> Box<Refusal> {
    let refusal = Refusal::new(
        Rule::FunctionPath,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "a function of the statement means what this search_path makes of it",
        "RESET search_path, or have the function given its own (ALTER FUNCTION … SET search_path = …) \
         or named under functions.any_search_path of the policy.",
    );
    match told {
        Some(told) => refusal.about(format_args!("{told}")),
        None => refusal,
    }
}

/// A cursor or portal that would run on elsewhere than it was opened.
pub(in crate::gate) fn of_cursor() -> Box<Refusal> {
    Refusal::new(
        Rule::FunctionPath,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "the cursor runs a function that means what search_path makes of it, and that has changed",
        "Set search_path back to what it was when the cursor was opened, or open the cursor anew.",
    )
}
