//! What a client is told of a failure that nobody repairs: one or two sentences that it can act on.
//!
//! * [`messages`]: what a server's words call for, by SQLSTATE; `near_token`: what can be said of
//!   the place that the grammar stopped at; `signatures`: what a function takes
//! * `laws`: what every HINT keeps, for tests
//! * `sentences`: the laws of every HINT: short, cut only between sentences, nothing told twice
//!
//! What is looked for among names stands in `names::suggestions`. Nothing is said here that is not
//! in the client's text, in the error that it gets, or in what it may see of the catalog.

#[cfg(any(test, feature = "fixture"))]
pub mod laws;
pub mod messages;
mod near_token;
mod sentences;
mod signatures;

use crate::{Failure, FailureClass, SessionDatabase};

pub(crate) use self::sentences::fit;
pub(crate) use self::signatures::{is_function, nearest as nearest_functions};

/// What to do about a failure of a text: what was learned of it, or else what is known of such.
pub(crate) fn of_failure(
    learned: &[String],
    failure: &Failure,
    text: &str,
    database: Option<&SessionDatabase<'_>>,
) -> String {
    let told = fit(learned);
    if !told.is_empty() {
        return told;
    }
    let found = match failure.class {
        FailureClass::SyntaxError if failure.message.starts_with("syntax error") => {
            near_token::advice(text, failure.position)
        }
        FailureClass::UndefinedFunction => {
            signatures::advice(&failure.message, database, text, failure.position)
        }
        _ => None,
    };
    let found = found
        .map(|found| fit(&[found]))
        .filter(|told| !told.is_empty());
    found
        .or_else(|| of_error(&failure.sqlstate, &failure.message))
        .unwrap_or_else(|| failure.class.advice().to_owned())
}

/// Whether an error comes of the rows and of the moment, not of the text: it reaches the client as
/// the server tells it.
pub fn is_of_run_time(sqlstate: &str, message: &str) -> bool {
    let class = sqlstate.get(..2).unwrap_or_default();
    RUN_TIME.contains(&class) && FailureClass::of(sqlstate, message).is_none()
}

/// Classes of SQLSTATEs of errors of run time.
const RUN_TIME: &[&str] = &["21", "22", "34", "57"];

/// What to do about an error of a class that is not repaired, if anything is known of it.
pub fn of_error(sqlstate: &str, message: &str) -> Option<String> {
    let found = messages::advice(sqlstate, message)?;
    Some(fit(&[found])).filter(|told| !told.is_empty())
}
