//! `function_path`: functions whose meaning depends on the session's search_path.
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

use crate::effects::graph::{EffectDescription, PATH_HINT};
use crate::{Refusal, Rule};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    let what = told.what.as_deref();
    let what = what.unwrap_or("a function of the statement");
    let message = format!("{what} is not allowed under this search_path: it has none of its own");
    told.refused(Rule::FunctionPath, &message)
}

/// A statement of which it is not known where its names lead.
pub(crate) fn without_path(why: Option<&str>) -> Box<Refusal> {
    let refusal = Refusal::new(
        Rule::FunctionPath,
        "a function of the statement is not allowed under this search_path: it has none of its own",
        PATH_HINT,
    );
    match why {
        Some(why) => refusal.about(format_args!("{why}")),
        None => refusal,
    }
}

/// A cursor or portal that would run on elsewhere than it was opened.
pub(crate) fn of_cursor() -> Box<Refusal> {
    Refusal::new(
        Rule::FunctionPath,
        "the cursor cannot go on: search_path has changed, and one of its functions depends on it",
        "Set search_path back to what it was when the cursor was opened, or open the cursor anew.",
    )
}
