//! `invalid_text_representation`, 22P02: a literal that is none of its type.
//!
//! # Sees
//! The string that the server names: beside a number, a boolean, an array or JSON, or among the
//! branches of CASE and COALESCE and the arms of UNION.
//!
//! # Why
//! A number in quotes is that number. A wording among numbers asks for text.
//!
//! # Before
//! - `SELECT id FROM orders WHERE id > '12.5'`
//! - `SELECT COALESCE(parent_id, 'none') FROM customers`
//!
//! # After
//! - `SELECT id FROM orders WHERE id > 12.5`
//! - `SELECT COALESCE(parent_id::text, 'none') FROM customers`
//!
//! # When not
//! A wording beside a number, a boolean, a uuid or an enumeration: the hint names the type.

pub mod literals;

use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    literals::recover(context)
}

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::InvalidTextRepresentation,
            "22P02",
            OutputNameLaw::Kept,
            include_str!(
                "../../../../tests/data/corpus/recoverers/invalid_text_representation.txt"
            ),
        );
    }
}
