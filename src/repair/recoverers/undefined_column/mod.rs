//! `undefined_column`, 42703: a column that does not exist.
//!
//! # Sees
//! Every reference of the text to a column that does not exist, each with what can be seen from its
//! place: relations, common tables and sub-selects, and what is one foreign key away. Names before
//! columns that were never given to anything, and queries without FROM.
//!
//! # Why
//! Other databases take a text in double quotes for a value, and the name of a result anywhere;
//! and whoever writes many joins writes one alias for another, or the name of a foreign key for
//! that of the key. Two columns are joined where a validated foreign key ties just them; over a
//! unique column of the same name and type another relation is looked up by an outer join. Two
//! relations that no key ties are joined over the only one whose keys lead to both
//! ([`bridging_table`]). A `relationship` of the policy's knowledge is used as a declared key is,
//! and is never more than likely: the database keeps no row from breaking it, so that rows may
//! vanish or multiply, whether or not what it leads to is unique.
//!
//! # Before
//! ```sql
//! SELECT name FROM customers WHERE country = "Austria"
//! ```
//!
//! # After
//! ```sql
//! SELECT name FROM customers WHERE country = 'Austria'
//! ```
//!
//! # When not
//! Where a second column could be meant, where the name differs by a word that tells things apart
//! (`created_at`, `updated_at`), or where another relation would have to be joined in a way that
//! multiplies rows, or two keys would be equated that nothing ties to each other: then the nearest
//! names are told, the way over declared keys, and the relations that have the column.

pub(crate) mod added_table;
mod bridging_table;
mod declared_key;
mod equal_paths;
pub(crate) mod foreign_key_join;
#[cfg(test)]
mod foreign_key_join_tests;
mod foreign_key_parents;
pub(crate) mod foreign_key_path;
mod forgotten_alias;
pub(crate) mod join_key;
#[cfg(test)]
mod key_cases;
mod missing_from;
pub(crate) mod missing_join;
pub(crate) mod misspelling;
pub(crate) mod output_name;
pub(crate) mod output_renames;
mod owners;
pub(crate) mod qualifier;
pub(crate) mod quoted_literal;
mod required_value;
pub(crate) mod strategies;
mod surrogate_join;
mod unique_owner;
pub(crate) mod wrong_relation;

use crate::names::context::NameRepairContext;
use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match NameRepairContext::of(context) {
        Some(name_context) => strategies::recover(&name_context),
        None => RecovererAnswer::Silent,
    }
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::UndefinedColumn,
            "42703",
            OutputNameLaw::Repaired,
            include_str!("../../../../tests/data/corpus/recoverers/undefined_column.txt"),
        );
    }
}
