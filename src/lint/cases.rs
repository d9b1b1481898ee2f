//! The cases of `tests/data/corpus/lints`: what each lint finds, and at which level, and near
//! misses that it does not. `held_out_…` were not looked at before the lint was written.
//! `cargo test -p lint -- cases --nocapture` prints the figures.

use std::fs;
use std::path::{Path, PathBuf};

use crate::case_database::CaseDatabase;
use crate::{LintLevel, LintRule};

/// The level of what a lint finds in a text; none where it finds nothing.
pub(crate) fn found(rule: LintRule, text: &str) -> Option<LintLevel> {
    let findings = CaseDatabase::shop().lint(text);
    level_of(rule, &findings)
}

fn level_of(rule: LintRule, findings: &[crate::LintFinding]) -> Option<LintLevel> {
    let own = findings.iter().filter(|finding| finding.rule == rule);
    own.map(|finding| finding.level).min()
}

/// The cases of a file, each with what is to be found.
fn cases(path: &Path) -> Vec<(Option<LintLevel>, String)> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = lines.map(|line| {
        let (mark, sql) = line.split_once(' ').unwrap();
        let level = match mark {
            "E" => Some(LintLevel::Error),
            "W" => Some(LintLevel::Warning),
            "-" => None,
            other => panic!("{}: {other}", path.display()),
        };
        (level, sql.to_owned())
    });
    read.collect()
}

fn check_file(rule: LintRule, prefix: &str) -> Vec<String> {
    let name = format!("{prefix}{}.txt", rule.name());
    let database = CaseDatabase::shop();
    let all = cases(&folder().join(&name));
    let wrong = all.iter().filter_map(|(wanted, sql)| {
        assert!(database.understands(sql), "{name}: {sql}");
        let found = level_of(rule, &database.lint(sql));
        (found != *wanted).then(|| format!("{name}: {found:?} for {wanted:?} {sql}"))
    });
    let wrong: Vec<String> = wrong.collect();
    println!("{name}: {} of {} right", all.len() - wrong.len(), all.len());
    wrong
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/corpus/lints")
}

#[test]
fn every_lint_finds_its_cases_and_no_near_miss() {
    let wrong: Vec<String> = LintRule::ALL
        .iter()
        .flat_map(|rule| check_file(*rule, ""))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_lint_finds_the_cases_that_were_held_out() {
    let wrong: Vec<String> = LintRule::ALL
        .iter()
        .flat_map(|rule| check_file(*rule, "held_out_"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_message_has_a_literal_of_its_text() {
    let database = CaseDatabase::shop();
    for rule in LintRule::ALL {
        for prefix in ["", "held_out_"] {
            let name = format!("{prefix}{}.txt", rule.name());
            for (_, sql) in cases(&folder().join(&name)) {
                let literals: Vec<&str> = sql.split('\'').skip(1).step_by(2).collect();
                for finding in database.lint(&sql) {
                    let words: Vec<&str> = finding
                        .message
                        .split(|c: char| !c.is_alphanumeric())
                        .collect();
                    assert!(
                        !literals.iter().any(|literal| words.contains(literal)),
                        "{}: {sql}",
                        finding.message
                    );
                }
            }
        }
    }
}

#[test]
fn without_a_catalog_only_what_the_text_shows_is_told() {
    let check = |text: &str, wanted: &[LintRule]| {
        let found: Vec<LintRule> = crate::lint(text, None)
            .iter()
            .map(|finding| finding.rule)
            .collect();
        assert_eq!(found, wanted, "{text}");
    };
    check(
        "SELECT * FROM orders LIMIT 5",
        &[LintRule::SelectAllColumns, LintRule::LimitWithoutOrder],
    );
    check(
        "SELECT id FROM orders WHERE note = NULL",
        &[LintRule::EqualsNull],
    );
    check(
        "SELECT c.id FROM customers c, orders o WHERE o.total > 5",
        &[LintRule::CartesianJoin],
    );
    check("SELECT id FROM customers c, orders o WHERE total > 5", &[]);
    check("SELECT a / b FROM t WHERE x NOT IN (SELECT y FROM u)", &[]);
    check(
        "SELECT sum(o.total) FROM orders o JOIN items i ON i.order_id = o.id",
        &[],
    );
    for other in [
        "",
        "SELECT",
        "DELETE FROM orders",
        "SELECT 1; SELECT 2",
        "nonsense",
        "SHOW x",
    ] {
        check(other, &[]);
    }
}

#[test]
fn what_is_large_or_deep_is_not_linted() {
    let database = CaseDatabase::shop();
    let deep = format!(
        "SELECT {}1{} = NULL",
        "(SELECT ".repeat(300),
        ")".repeat(300)
    );
    let many: Vec<String> = (0..30_000).map(|n| n.to_string()).collect();
    let many = format!("SELECT * FROM orders WHERE id IN ({})", many.join(", "));
    let joins: Vec<String> = (0..60).map(|n| format!("orders o{n}")).collect();
    let joins = format!("SELECT 1 FROM {}", joins.join(", "));
    for text in [&deep, &many, &joins] {
        assert_eq!(database.lint(text), []);
        assert_eq!(crate::lint(text, None), []);
    }
}
