//! The table of foreign functions, row by row.

use crate::Confidence;
use crate::laws::{ExpectedRepair, OutputNameLaw, RepairCase, check, check_file, world};
use dialect::calls::row::FunctionEquivalent;
use dialect::calls::table;
use policy::Recoverer;

#[test]
fn every_row_repairs_its_case() {
    let mut cases = Vec::new();
    for row in table::rows().filter(|row| !row.before.is_empty()) {
        assert!(!row.source.is_empty(), "{:?}", row.names);
        let wanted = match (&row.makes, row.confidence) {
            (FunctionEquivalent::Hint(_), _) => ExpectedRepair::Hint(row.after),
            (_, Confidence::Exact) => ExpectedRepair::Exact(row.after),
            _ => ExpectedRepair::Likely(row.after),
        };
        cases.push(RepairCase {
            before: row.before,
            wanted,
        });
    }
    assert!(cases.len() > 80, "{}", cases.len());
    check(
        Recoverer::UndefinedFunction,
        "42883",
        OutputNameLaw::Kept,
        &cases,
    );
}

#[test]
fn texts_with_more_places_than_are_looked_at_stay_as_they_are() {
    let numbers: Vec<String> = (0..3000).map(|number: u32| number.to_string()).collect();
    let wide = format!(
        "SELECT id FROM orders WHERE status IN ({})",
        numbers.join(", ")
    );
    let silent = RepairCase {
        before: &wide,
        wanted: ExpectedRepair::Silence,
    };
    check(
        Recoverer::UndefinedOperator,
        "42883",
        OutputNameLaw::Kept,
        &[silent],
    );
    let chain = vec!["year(placed_on)"; 600].join(" + ");
    let chain = format!("SELECT {chain} FROM orders");
    let hinted = RepairCase {
        before: &chain,
        wanted: ExpectedRepair::Hint("no year()"),
    };
    check(
        Recoverer::UndefinedFunction,
        "42883",
        OutputNameLaw::Kept,
        &[hinted],
    );
}

#[test]
fn arithmetic_that_is_spelled_as_calls() {
    for file in [
        include_str!("../../../../tests/data/corpus/recoverers/arithmetic_calls.txt"),
        include_str!("../../../../tests/data/corpus/recoverers/held_out_arithmetic_calls.txt"),
    ] {
        check_file(
            world(),
            Recoverer::UndefinedFunction,
            "42883",
            OutputNameLaw::Kept,
            file,
        );
    }
}
