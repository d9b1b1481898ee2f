//! `duplicate_alias`, 42712: a name stands for two things of one FROM.
//!
//! # Sees
//! Two entries of FROM in the same query that go by the same name.
//!
//! # Why
//! A table is joined twice, and each use of its name could mean either.
//!
//! # Before
//! ```sql
//! SELECT 1 FROM customers JOIN customers ON true
//! ```
//!
//! # After
//! The same text, with a hint that names what needs an alias.
//!
//! # When not
//! There is never a changed text: which of the two a column belongs to is not written anywhere.

use crate::names::context::NameRepairContext;
use crate::names::reference_scopes::ScopeEntry;
use crate::{RecovererAnswer, RepairContext};
use catalog::quote::quoted;

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(name_context) = NameRepairContext::of(context) else {
        return RecovererAnswer::Silent;
    };
    let reference_scopes = name_context.places.reference_scopes.iter();
    let twice = reference_scopes.flat_map(|scope| {
        let entries = scope.entries.iter().enumerate();
        entries.filter_map(|(place, entry)| {
            let before = scope.entries.iter().take(place);
            let mut same = before.filter(|other| other.name == entry.name);
            Some((entry.name?, same.next()?, entry))
        })
    });
    match twice.into_iter().next() {
        None => RecovererAnswer::Silent,
        Some((name, first, second)) => RecovererAnswer::hint(advice(name, first, second)),
    }
}

fn advice(name: &str, first: &ScopeEntry<'_>, second: &ScopeEntry<'_>) -> String {
    let alias = quoted(name);
    match (relation_of(first), relation_of(second)) {
        (Some(one), Some(other)) if one == other => format!(
            "{0} stands in FROM twice as {alias}: give each an alias of its own, as in FROM {0} AS \
             a JOIN {0} AS b, and write a. or b. before every column of it.",
            quoted(one),
        ),
        _ => format!(
            "{alias} is the name of two things in FROM: give one of them another alias, and write \
             it before its columns.",
        ),
    }
}

fn relation_of<'t>(entry: &ScopeEntry<'t>) -> Option<&'t str> {
    entry.table?.relname()
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::DuplicateAlias,
            "42712",
            OutputNameLaw::Kept,
            include_str!("../../../tests/data/corpus/recoverers/duplicate_alias.txt"),
        );
    }
}
