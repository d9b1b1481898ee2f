//! Nothing that is hidden is told, in no format.

use std::fs;

use super::{grounding, told_database};
use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER};

#[test]
fn no_facet_in_no_format_tells_what_is_hidden() {
    for format in ["markdown", "m-schema", "ddl", "json"] {
        let text = grounding(&["--facets", "all", "--format", format]);
        let small = text.to_lowercase();
        let place = small
            .find("canary")
            .map(|at| &small[at.saturating_sub(80)..at + 40]);
        assert_eq!(place, None, "{format}");
        for told in ["customers", "shop.tax", "revenue", "secured", "open note"] {
            assert!(small.contains(told), "{format}: no {told} in {text}");
        }
        // Rows that are hidden are not counted either.
        for count in ["77", "99", "300"] {
            let told = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            assert!(
                !told.into_iter().any(|word| word == count),
                "{format}: {count} in {text}"
            );
        }
    }
}

#[test]
fn what_is_hidden_and_what_is_not_there_are_told_apart_by_nobody() {
    let (stack, policy) = told_database();
    let (url, policy) = (stack.direct_url(READER), policy.display().to_string());
    let asked = |name: &str| {
        let arguments = [
            "ground",
            "--upstream",
            &url,
            "--policy",
            &policy,
            "--relation",
            name,
        ];
        let output = pgsieve(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{name}");
        String::from_utf8(output.stderr)
            .unwrap()
            .replace(name, "NAME")
    };
    let nothing = asked("shop.nothing");
    assert!(nothing.contains("may read no relation NAME"), "{nothing}");
    for hidden in [
        "shop.canary_denied",
        "shop.canary_ungranted",
        "canary_schema.far",
    ] {
        assert_eq!(asked(hidden), nothing);
    }
}

#[test]
fn views_over_what_is_hidden_are_told_where_they_may_be_read() {
    let (stack, policy) = told_database();
    let checked = fs::read_to_string(&policy).unwrap();
    let checked = checked.replace("relations:\n", "relations:\n  through_views: check\n");
    let file = stack.folder().join("checked.yaml");
    fs::write(&file, checked).unwrap();
    let (url, file) = (stack.direct_url(READER), file.display().to_string());
    let output = pgsieve(&["ground", "--upstream", &url, "--policy", &file], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("## shop.orders") && !text.contains("seen_through"),
        "{text}"
    );
    assert!(grounding(&[]).contains("## shop.seen_through (view)"));
}

#[test]
fn samples_of_another_role_are_what_that_role_reads() {
    let (stack, policy) = told_database();
    let (url, policy) = (stack.direct_url(ADMIN), policy.display().to_string());
    let arguments = [
        "ground",
        "--upstream",
        &url,
        "--policy",
        &policy,
        "--role",
        READER,
    ];
    let facets = ["--facets", "all", "--format", "json"];
    let output = pgsieve(&[&arguments[..], &facets].concat(), "");
    assert_eq!(output.status.code(), Some(0));
    let theirs = String::from_utf8(output.stdout).unwrap();
    assert_eq!(theirs, grounding(&facets));
    assert!(theirs.contains("open note"));
}
