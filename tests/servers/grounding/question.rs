//! What a question needs is told, and no more than may be.

use super::grounding;

/// What is told; of what is known besides there is a test of its own.
const FACETS: &str = "info,tables,columns,keys,foreign_keys,models,samples,functions";

#[test]
fn a_question_is_told_what_it_needs_and_nothing_that_is_hidden() {
    let asked = "Which customers have a balance above 100?";
    let whole = grounding(&["--facets", FACETS]);
    let tokens = |text: &str| (text.len() * 2).div_ceil(7);
    let room = tokens(&whole) * 9 / 10;
    let budget = room.to_string();
    let arguments = ["--facets", FACETS, "--budget", &budget];
    let told = |question: &str| grounding(&[&arguments[..], &["--question", question]].concat());
    let text = told(asked);
    assert!(tokens(&text) <= room, "{text}");
    for part in [
        "## shop.customers (table",
        "- balance numeric(10,2)",
        "- name ",
        "Primary key: id",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.contains("## shop.secured (table"),
        "all are named: {text}"
    );
    assert!(text.contains(" more columns"), "{text}");
    assert_eq!(text, told(asked));
    for question in [
        "canary",
        "the canary_column and canary_label in canary_denied",
        "which canary view writes to canary_schema.far?",
        "",
        "'; --",
    ] {
        let text = told(question);
        assert!(
            !text.to_lowercase().contains("canary"),
            "{question}: {text}"
        );
        assert!(tokens(&text) <= room, "{question}: {text}");
    }
    let unlimited = grounding(&["--question", asked]);
    assert!(unlimited.contains("- balance numeric(10,2)"), "{unlimited}");
}
