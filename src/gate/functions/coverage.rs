//! That every function of every version has a verdict, and that the verdicts are those that were
//! measured.

use super::{FunctionVerdict, verdict, versions};

#[test]
fn no_function_of_a_known_version_is_without_a_verdict() {
    let mut missing = Vec::new();
    for line in NAMES.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let fewest = columns[2].parse().expect("a number");
        if verdict(Some(columns[0]), columns[1], fewest) == FunctionVerdict::Unknown {
            missing.push(columns[1]);
        }
    }
    assert!(missing.is_empty(), "without a verdict: {missing:?}");
    assert!(NAMES.lines().count() > 3_000);
}

#[test]
fn a_volatile_function_is_allowed_only_by_a_line_that_says_so() {
    for line in NAMES
        .lines()
        .filter(|line| line.split('\t').nth(4) == Some("v"))
    {
        let name = line.split('\t').nth(1).expect("a name");
        let count = line
            .split('\t')
            .nth(2)
            .expect("a count")
            .parse()
            .expect("a number");
        if verdict(None, name, count) == FunctionVerdict::Allowed {
            let reviewed = BUILTINS.lines().any(|row| {
                row.starts_with(&format!("{name}\t")) && row.ends_with("\tallowed\tvolatile")
            });
            assert!(
                reviewed,
                "{name} is volatile and nobody says that it is harmless"
            );
        }
    }
}

#[test]
fn nothing_that_takes_internal_values_is_allowed() {
    for line in NAMES
        .lines()
        .filter(|line| line.split('\t').nth(6) == Some("internal"))
    {
        let name = line.split('\t').nth(1).expect("a name");
        let overloads = NAMES
            .lines()
            .filter(|row| row.split('\t').nth(1) == Some(name));
        if overloads
            .clone()
            .all(|row| row.split('\t').nth(6) == Some("internal"))
        {
            assert_ne!(verdict(None, name, 1), FunctionVerdict::Allowed, "{name}");
        }
    }
}

#[test]
fn every_measured_signature_has_the_verdict_that_was_measured() {
    let mut seen = 0;
    for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
        let (signature, measured) = line.split_once('\t').expect("two columns");
        let (name, arguments) = signature.split_once('(').expect("a signature");
        let arguments = arguments.trim_end_matches(')');
        let count = if arguments.is_empty() {
            0
        } else {
            arguments.split(',').count()
        };
        let given = verdict(None, name.trim_matches('"'), count);
        match measured {
            "ALLOW" => assert_eq!(given, FunctionVerdict::Allowed, "{signature}"),
            "REFUSE" => assert!(
                !matches!(given, FunctionVerdict::Allowed | FunctionVerdict::Unknown),
                "{signature}: {given:?}"
            ),
            other => panic!("{signature}: {other}"),
        }
        seen += 1;
    }
    assert!(seen >= 251, "{seen}");
}

#[test]
fn the_versions_of_a_name_are_those_that_were_seen() {
    for line in NAMES.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        for version in [columns[7], columns[8]] {
            let version: u16 = version.parse().expect("a version");
            let known = versions(columns[1]).is_none_or(|versions| versions.contains(&version));
            assert!(known, "{} on {version}", columns[1]);
        }
    }
}

#[test]
fn what_the_grammar_turns_into_calls_is_known() {
    for call in GRAMMAR_CALLS {
        let given = verdict(Some("pg_catalog"), call, 2);
        assert_eq!(given, FunctionVerdict::Allowed, "{call}");
    }
}

/// Functions that the grammar itself names, for `OVERLAY(… PLACING …)`, `EXTRACT(… FROM …)`,
/// `SIMILAR TO` and so on.
const GRAMMAR_CALLS: &[&str] = &[
    "btrim",
    "date_part",
    "extract",
    "is_normalized",
    "like_escape",
    "ltrim",
    "normalize",
    "overlaps",
    "overlay",
    "pg_collation_for",
    "position",
    "rtrim",
    "similar_escape",
    "similar_to_escape",
    "substring",
    "system_user",
    "timezone",
    "xmlexists",
];

const BUILTINS: &str = include_str!("builtins.tsv");
const NAMES: &str = include_str!("../../../tests/data/catalogs/names.tsv");
const MEASURED: &str = include_str!("../../../tests/data/catalogs/measured.tsv");
