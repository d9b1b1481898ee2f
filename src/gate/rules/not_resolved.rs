//! `not_resolved`: statements whose reads cannot be told, under a policy that hides something.
//!
//! # Sees
//! A name that may mean something hidden; an expression whose meaning cannot be told; a function of
//! a user in SQL or a procedural language that the policy does not name, whatever calls it: a call,
//! an operator, a cast, an aggregate or a type. Without a snapshot of the database, or where
//! search_path is not known for certain: any relation.
//!
//! # Why
//! What cannot be told may be what is hidden.
//!
//! # Before
//! - `SELECT shop.peek(1)` (hides)
//! - `SELECT shop.peek(id) FROM shop.orders` (hides)
//! - `SELECT nothing.secret FROM shop.people` (hides)
//!
//! # After
//! - `SELECT upper(name) FROM shop.people` (hides)
//!
//! # When not
//! Functions that the policy names under `functions.allow` may be called, but for those of the
//! server that read other people's data. Functions of extensions are those of their authors.

use crate::{Refusal, Rule};

/// A name that may be one of something hidden. Whether it is is not told.
pub(crate) fn of_name(name: &str, policy: &str) -> Box<Refusal> {
    refusal(
        &format!("\"{name}\" may not be read: it may mean what the policy hides"),
        "Check the name, and write it with its schema or its table.",
        policy,
    )
}

/// Something that may read anything: this function, where the client may know of it.
pub(crate) fn of_call(function: Option<&str>, policy: &str) -> Box<Refusal> {
    let what = function.map(|name| format!("function {name}"));
    let what = what.as_deref().unwrap_or("what the statement calls");
    refusal(
        &format!("{what} is not allowed: it may read what the policy hides"),
        "Use built-in functions, or have the function named under functions.allow of the policy.",
        policy,
    )
}

/// A statement that cannot be followed.
pub(crate) fn of_statement(policy: &str) -> Box<Refusal> {
    refusal(
        "the statement is not allowed: what it reads cannot be told, and the policy hides something",
        "Write it in a simpler way: name columns, give types to values, nest less.",
        policy,
    )
}

fn refusal(message: &str, hint: &'static str, policy: &str) -> Box<Refusal> {
    Refusal::new(Rule::NotResolved, message, hint).about(format_args!("policy {policy}"))
}
