//! Whether a session stands on a grounding that is stale, and the words that say so where one of
//! its statements fails on a name.
//!
//! It names only what the version showed to sessions of the same role under the same policy, and
//! what such a session may read now, by the snapshot and the policy at hand.

use std::num::NonZeroU64;

use crate::grounding::GroundingChange;
use crate::grounding::failing_names::{is_of_name, names_in, parts_of};
use crate::session::protocol::SessionProtocol;
use crate::upstream::catalog_cache::CatalogState;
use crate::upstream::catalog_cache::groundings::{GroundingBasis, GroundingStanding};

/// What is said of a schema where a statement of a session that stands on a version fails, with
/// this code and message.
pub(super) fn words(
    protocol: &SessionProtocol,
    version: NonZeroU64,
    (code, message): (&str, &str),
) -> Option<String> {
    let failure = FailureOnName::of(code, message)?;
    let policy = protocol.judge.gate.policy();
    let Some(given) = protocol.context.given_grounding(version.get(), policy) else {
        return (!matches!(failure, FailureOnName::Types(_))).then(|| UNKNOWN.to_owned());
    };
    if !given.is_checked_by(basis(protocol)?) {
        return None;
    }
    match given.standing() {
        GroundingStanding::Fresh => None,
        GroundingStanding::Stale { changes, .. } => failure.words(&changes),
    }
}

/// What the session's names stand for and its policy says, now.
fn basis(protocol: &SessionProtocol) -> Option<GroundingBasis> {
    let catalog_cache = protocol.context.name_context.catalog_cache()?;
    match catalog_cache.status().state {
        CatalogState::Loaded { version } => Some(GroundingBasis {
            catalog: version,
            policy: protocol.judge.gate.policy().version_number(),
        }),
        CatalogState::ExpectAccount | CatalogState::Loading | CatalogState::Failed { .. } => None,
    }
}

/// How a statement fails on a name.
#[derive(Debug, PartialEq, Eq)]
enum FailureOnName {
    /// By these names, each in its parts.
    Names(Vec<Vec<String>>),
    /// By the types of this message, which columns are of.
    Types(String),
}

impl FailureOnName {
    fn of(code: &str, message: &str) -> Option<Self> {
        match code {
            "42P01" | "42703" | "42702" | "3F000" => Some(Self::Names(names_in(message))),
            "42883" if message.contains('(') => Some(Self::Names(names_in(message))),
            "42883" | "42804" => Some(Self::Types(message.to_owned())),
            _ => None,
        }
    }

    /// What is said of it where that is known to have changed.
    fn words(&self, changes: &[GroundingChange]) -> Option<String> {
        let is_about = |change: &&GroundingChange| match self {
            Self::Names(names) => names.iter().any(|name| is_of(change, name)),
            Self::Types(message) => match change {
                GroundingChange::ColumnRetyped(_, _, _, now) => has_word(message, now),
                _ => false,
            },
        };
        let about = changes.iter().filter(is_about).take(CHANGES_MAX);
        let about: Vec<String> = about.map(ToString::to_string).collect();
        match (about.is_empty(), self) {
            (false, _) => Some(format!("Your schema is stale: {}. {ASK}", about.join("; "))),
            (true, Self::Names(_)) => Some(format!("{STALE} {ASK}")),
            (true, Self::Types(_)) => None,
        }
    }
}

/// Whether something happened to a name: that of a relation, alone or behind its schema, or that of
/// a column, alone or behind whatever its relation is called in the statement.
fn is_of(change: &GroundingChange, name: &[String]) -> bool {
    let is_relation = |own: &str| {
        let own = parts_of(own);
        own.ends_with(name)
    };
    let is_column = |own: &str| parts_of(own).last() == name.last();
    match change {
        GroundingChange::Added(own)
        | GroundingChange::Dropped(own)
        | GroundingChange::Renamed(own, _) => is_relation(own),
        GroundingChange::ColumnAdded(_, own)
        | GroundingChange::ColumnDropped(_, own)
        | GroundingChange::ColumnRenamed(_, own, _)
        | GroundingChange::ColumnRetyped(_, own, _, _) => is_column(own),
    }
}

/// Whether a message has a type's name as a word of its own.
fn has_word(message: &str, word: &str) -> bool {
    let word = word.split('(').next().unwrap_or(word);
    let mut places = message.match_indices(word);
    places.any(|(at, found)| {
        let before = message.get(..at).and_then(|text| text.chars().next_back());
        let behind = message.get(at + found.len()..);
        let behind = behind.and_then(|text| text.chars().next());
        [before, behind]
            .into_iter()
            .flatten()
            .all(|one| !is_of_name(one))
    })
}

/// What is said where the version is stale, and nothing of it is about the name.
const STALE: &str = "Your schema is stale: it has changed since that grounding, though \
    nothing is known of this name.";

/// What is said of a version that was never given out.
const UNKNOWN: &str = "Whether your schema is stale is unknown: pgsieve.grounding names a version \
    that was not given out for sessions like this one. Ask for a new grounding.";

/// What can be done.
const ASK: &str = "Ask for a new grounding.";

/// Changes that one HINT tells: what else changed says the grounding.
const CHANGES_MAX: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    fn changes() -> Vec<GroundingChange> {
        let text = |text: &str| text.to_owned();
        let orders = || text("shop.orders");
        vec![
            GroundingChange::Renamed(text("shop.customers"), text("shop.buyers")),
            GroundingChange::Dropped(text("shop.\"Old.Ones\"")),
            GroundingChange::Added(text("shop.fresh")),
            GroundingChange::ColumnRenamed(orders(), text("placed_at"), text("ordered_at")),
            GroundingChange::ColumnDropped(orders(), text("\"Note\"")),
            GroundingChange::ColumnRetyped(orders(), text("code"), text("integer"), text("bigint")),
            GroundingChange::ColumnAdded(orders(), text("region")),
        ]
    }

    #[test]
    fn what_happened_to_the_name_is_told_and_nothing_else() {
        for (code, message, said) in [
            (
                "42P01",
                "relation \"customers\" does not exist",
                "shop.customers to shop.buyers",
            ),
            (
                "42P01",
                "relation \"shop.customers\" does not exist",
                "shop.customers to shop.buyers",
            ),
            (
                "42P01",
                "relation \"other.customers\" does not exist",
                STALE,
            ),
            ("42P01", "relation \"never\" does not exist", STALE),
            (
                "42703",
                "column \"placed_at\" does not exist",
                "orders.placed_at to ordered_at",
            ),
            (
                "42703",
                "column o.placed_at does not exist",
                "orders.placed_at to ordered_at",
            ),
            (
                "42703",
                "Spalte »placed_at« existiert nicht",
                "orders.placed_at to ordered_at",
            ),
            (
                "42703",
                "column \"Note\" does not exist",
                "dropped shop.orders.\"Note\"",
            ),
            ("42703", "column \"note\" does not exist", STALE),
            (
                "42703",
                "column orders.code does not exist",
                "retyped shop.orders.code",
            ),
            (
                "42702",
                "column reference \"region\" is ambiguous",
                "added shop.orders.region",
            ),
            (
                "42883",
                "operator does not exist: bigint = text",
                "retyped shop.orders.code",
            ),
            ("42883", "function shop.f(integer) does not exist", STALE),
            (
                "42804",
                "argument of WHERE must be type boolean, not type bigint",
                "code",
            ),
        ] {
            let failure = FailureOnName::of(code, message).unwrap();
            let words = failure.words(&changes()).unwrap();
            assert!(words.contains(said), "{message}: {words}");
            let told = words.matches("; ").count();
            assert_eq!(told, 0, "{message}: {words}");
        }
        for (code, message) in [
            ("42883", "operator does not exist: date = text"),
            ("42804", "CASE types text and date cannot be matched"),
            ("42883", "operator does not exist: bigints = text"),
        ] {
            let failure = FailureOnName::of(code, message).unwrap();
            assert_eq!(failure.words(&changes()), None, "{message}");
        }
        for code in ["42601", "22012", "57014", "42501"] {
            assert_eq!(FailureOnName::of(code, "column \"placed_at\""), None);
        }
    }
}
