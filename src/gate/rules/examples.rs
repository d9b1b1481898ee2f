//! The examples in the rules' own docs, run.

use crate::Rule;
use crate::rules::check::{
    check, check_bi, check_blind, check_denies, check_hides, check_models, check_shop, check_strict,
};
use crate::rules::docs;

#[test]
fn every_rule_explains_itself_and_its_examples_hold() {
    for rule in Rule::ALL.iter().copied().filter(has_file) {
        let (name, source) = (rule.name(), docs::source(rule));
        assert!(source.starts_with(&format!("//! `{name}`: ")), "{name}");
        let mut section = "";
        let mut found = Vec::new();
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            let line = line.trim();
            if let Some(heading) = line.strip_prefix("# ") {
                section = heading;
                found.push(heading);
            } else if let Some(example) = line.strip_prefix("- `") {
                run(rule, section, example);
            }
        }
        assert_eq!(
            found,
            ["Sees", "Why", "Before", "After", "When not"],
            "{name}"
        );
    }
}

#[test]
fn every_rule_is_explained_once() {
    for rule in Rule::ALL {
        let lines = docs::lines(*rule);
        let name = format!("`{}`: ", rule.name());
        assert!(
            lines.first().is_some_and(|line| line.starts_with(&name)),
            "{name}"
        );
        assert_eq!(has_file(rule), rule.step().is_some(), "{}", rule.name());
        assert_eq!(has_file(rule), lines.contains(&"Before"), "{}", rule.name());
        assert!(
            lines.iter().all(|line| !line.starts_with('#')),
            "{}",
            rule.name()
        );
    }
    let lines = docs::lines(Rule::WriteStatement);
    assert_eq!(
        lines[0],
        "`write_statement`: INSERT, UPDATE, DELETE and MERGE."
    );
}

/// Whether it has a file: those do that are about statements.
fn has_file(rule: &Rule) -> bool {
    docs::source(*rule).contains("\nuse ")
}

/// One example: `sql` in backticks, with the policy behind it where it is not `agent`.
fn run(rule: Rule, section: &str, example: &str) {
    let (sql, policy) = example.rsplit_once('`').expect("closing backtick");
    let check = match policy.trim() {
        "" => check,
        "(bi)" => check_bi,
        "(strict)" => check_strict,
        "(shop)" => check_shop,
        "(blind)" => check_blind,
        "(hides)" => check_hides,
        "(denies)" => check_denies,
        "(models)" => check_models,
        other => panic!("unknown policy {other}"),
    };
    match section {
        "Before" => check(rule, &[sql], &[]),
        "After" => check(rule, &[], &[sql]),
        _ => panic!("{}: an example under {section}", rule.name()),
    }
}
