//! `invalid_text_representation`, 22P02, 22007 and 22008: a literal that is none of its type.
//!
//! # Sees
//! The string that the server names: beside a number, a boolean, an array or JSON, or among the
//! branches of CASE and COALESCE and the arms of UNION; a call in quotes beside a date or a number.
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
//! A wording beside a number, a boolean, a uuid or an enumeration: the hint names the type. Beside
//! a foreign key it is what the key refers to, where that has one column of text (likely).

mod known_calls;
pub mod literals;
mod quoted_call;
mod referred_text;

use crate::{RecovererAnswer, RepairContext};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    match quoted_call::recover(context) {
        RecovererAnswer::Silent => {}
        answer => return answer,
    }
    match referred_text::recover(context) {
        RecovererAnswer::Silent => literals::recover(context),
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::laws::{OutputNameLaw, ask, check_file, world};
    use crate::{Confidence, RecovererAnswer};
    use dialect::session_database::fixture::session;
    use gate::Gate;
    use policy::{Policy, Recoverer};
    use sql::fingerprint::Fingerprinter;

    /// What is foreign is translated once it stands without quotes.
    #[test]
    fn foreign_calls_in_quotes_are_taken_out() {
        let policy = Policy::agent();
        let session = session(world(), &policy);
        let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
        for (column, sqlstate, call, after) in [
            (
                "placed_on",
                "22007",
                "DATE_SUB(CURRENT_DATE, INTERVAL 1 DAY)",
                "DATE_SUB(CURRENT_DATE, INTERVAL '1 day')",
            ),
            (
                "placed_on",
                "22007",
                "dateadd(day, -7, getdate())",
                "dateadd(day, -7, getdate())",
            ),
            (
                "id",
                "22P02",
                "YEAR(CURRENT_DATE) - 1",
                "(YEAR(CURRENT_DATE) - 1)",
            ),
            (
                "total_amount",
                "22P02",
                "datepart(month, getdate())",
                "datepart(month, getdate())",
            ),
        ] {
            let start = format!("SELECT id FROM orders WHERE {column} > ");
            let text = format!("{start}'{call}'");
            let recoverer = Recoverer::InvalidTextRepresentation;
            let answer = ask(
                recoverer,
                &text,
                sqlstate,
                Some(start.len()),
                &session,
                &gate,
            );
            let RecovererAnswer::Repaired(repair) = answer else {
                panic!("{call}: {answer:?}");
            };
            assert_eq!(repair.confidence, Confidence::Likely);
            assert_eq!(
                repair.rewritten.text(&text).unwrap(),
                format!("{start}{after}")
            );
        }
    }

    #[test]
    fn calls_in_quotes_come_to_what_they_should() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/quoted_calls.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_quoted_calls.txt"),
        ] {
            let recoverer = Recoverer::InvalidTextRepresentation;
            check_file(world(), recoverer, "22007", OutputNameLaw::Kept, file);
        }
    }

    #[test]
    fn calls_of_numbers_in_quotes_come_to_what_they_should() {
        for file in [
            include_str!("../../../../tests/data/corpus/recoverers/number_calls.txt"),
            include_str!("../../../../tests/data/corpus/recoverers/held_out_number_calls.txt"),
        ] {
            let recoverer = Recoverer::InvalidTextRepresentation;
            check_file(world(), recoverer, "22P02", OutputNameLaw::Kept, file);
        }
    }

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
