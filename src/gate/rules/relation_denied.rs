//! `relation_denied`: relations that the policy hides.
//!
//! # Sees
//! A read of a table, view, sequence or whatever else stands in FROM, by what the catalog says that
//! its name means. A partition or inheritance child is what its parents are; a parent may not be
//! read where a child of it is denied, but for ONLY.
//!
//! # Why
//! `relations.allow` and `relations.deny` of the policy say so, and `relations.new: refuse` of what
//! was made since the policy was written. Where a model, a mask or a condition of the policy is for
//! a relation that is not there, those that it may be meant for are denied. What the server itself
//! keeps of other people's rows and texts (`pg_stats`, `pg_largeobject` …) is denied as soon as a
//! policy hides anything; no list can show it.
//!
//! # Before
//! - `SELECT * FROM shop.secrets` (hides)
//! - `TABLE shop.secrets` (hides)
//! - `SELECT 1 FROM pg_stats` (hides)
//!
//! # After
//! - `SELECT * FROM shop.orders` (hides)
//! - `WITH secrets AS (SELECT 1) SELECT * FROM secrets` (hides)
//!
//! # When not
//! A view counts as itself, unless the policy says `through_views: check`.

use crate::access::AccessDenial;
use crate::{Refusal, Rule};

/// `name` is the one that the client wrote.
pub(crate) fn refusal(name: &str, why: AccessDenial, policy: &str) -> Box<Refusal> {
    let (reason, hint, key) = match why {
        AccessDenial::NotAllowed => (
            "relations.allow does not name it",
            "Read relations that relations.allow of the policy names, or have it added there.",
            "relations.allow",
        ),
        AccessDenial::New => (
            "it is new, and relations.known does not name it",
            "Read relations that the policy knows, or have it added to relations.known.",
            "relations.new",
        ),
        AccessDenial::Denied => (
            "relations.deny names it",
            "Read other relations, or have it taken from relations.deny of the policy.",
            "relations.deny",
        ),
        AccessDenial::Child => (
            "a partition or child of it may not be read",
            "Read those of its partitions that may be read, each by its own name.",
            "relations.deny",
        ),
        AccessDenial::ThroughView => (
            "what the view reads may not be read",
            "Read other relations, or have relations.through_views of the policy changed.",
            "relations.through_views",
        ),
        AccessDenial::AroundModel => (
            "the view reads what is read through a model",
            "Read the tables themselves, or have relations.through_views of the policy changed.",
            "relations.through_views",
        ),
        AccessDenial::Unguarded(_) => return unguarded(name, "models", None, policy),
        AccessDenial::ServerOwned => (
            "it holds other relations' rows or other people's texts",
            "Read other relations: no list shows this one while the policy hides anything.",
            "whatever it hides",
        ),
    };
    let message = format!("relation {name} may not be read: {reason}");
    Refusal::new(Rule::RelationDenied, &message, hint)
        .about(format_args!("relation {name}, {key} of policy {policy}"))
}

/// `key` is an entry of the policy for a relation that is not there, `near` the one that was
/// probably meant.
pub(crate) fn unguarded(name: &str, key: &str, near: Option<&str>, policy: &str) -> Box<Refusal> {
    let (meant, mend) = match near {
        Some(near) => (
            format!(" (did you mean {near}?)"),
            format!("Have {key} of the policy name {near}, if that is meant"),
        ),
        None => (
            String::new(),
            format!("Have {key} of the policy name a relation that is there, or taken away"),
        ),
    };
    let message =
        format!("relation {name} may not be read: {key} stands for no relation here{meant}");
    let hint = format!("{mend}; `pgsieve policy check` with the database says what does not fit.");
    Refusal::new(Rule::RelationDenied, &message, hint)
        .about(format_args!("relation {name}, {key} of policy {policy}"))
}
