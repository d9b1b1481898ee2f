//! What broke a rule when the rule was made. A row may only shrink: one that allows more than there
//! is fails, and so does one of a rule that nobody has.

use std::collections::BTreeMap;

use super::Breach;

/// The rule, where it is broken, and how many times.
#[rustfmt::skip]
const ALLOWED: &[(&str, &str, usize)] = &[
    ("a table has one row a line", "src/cli/policy/init/column_guess.rs", 1),
    ("a table has one row a line", "src/demo/cluster/digests.rs", 1),
    ("a table has one row a line", "src/dialect/bigquery/date_formats.rs", 1),
    ("a table has one row a line", "src/dialect/detect/postgres_markers.rs", 1),
    ("a table has one row a line", "src/dialect/sqlite/strftime_fields.rs", 1),
    ("a table has one row a line", "src/doctor/ownership.rs", 1),
    ("a table has one row a line", "src/repair/recoverers/syntax_error/advice.rs", 1),
    ("a table has one row a line", "src/telemetry/audit/event_forms.rs", 1),
    ("a table has one row a line", "src/telemetry/audit/fields.rs", 1),
    ("a table has one row a line", "src/upstream/login_refusal.rs", 1),
    ("a table has one row a line", "src/upstream/snapshot/change_marker.rs", 1),
    ("a table has one row a line", "src/upstream/snapshot/support_functions.rs", 1),
    ("a type has methods of its own in at most 3 files", "catalog::Catalog", 3),
    ("a type has methods of its own in at most 3 files", "catalog::CatalogBuilder", 2),
    ("a type has methods of its own in at most 3 files", "dialect::Translator", 16),
    ("a type has methods of its own in at most 3 files", "gate::JudgeContext", 4),
    ("a type has methods of its own in at most 3 files", "resolve::Analysis", 28),
    ("a type has methods of its own in at most 3 files", "resolve::TypeRules", 6),
    ("a type has methods of its own in at most 3 files", "session::Relay", 2),
    ("errors and notices for clients are composed in one place", "src/session/login/attempt.rs", 1),
    ("errors and notices for clients are composed in one place", "src/session/shared.rs", 1),
    ("no two files of a room import each other", "src/auth", 1),
    ("no two files of a room import each other", "src/demo", 1),
    ("no two files of a room import each other", "src/dialect", 4),
    ("no two files of a room import each other", "src/gate", 18),
    ("no two files of a room import each other", "src/policy", 1),
    ("no two files of a room import each other", "src/repair", 1),
    ("no two files of a room import each other", "src/resolve", 1),
    ("no two files of a room import each other", "src/server", 2),
    ("no two files of a room import each other", "src/session", 3),
    ("no two files of a room import each other", "src/telemetry", 2),
    ("no two files of a room import each other", "src/upstream", 6),
];

/// The breaches that no row allows, and the rows that allow too much.
pub fn beyond(rule: &str, breaches: Vec<Breach>) -> Vec<Breach> {
    beyond_rows(ALLOWED, rule, breaches)
}

fn beyond_rows(rows: &[(&str, &str, usize)], rule: &str, breaches: Vec<Breach>) -> Vec<Breach> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for breach in &breaches {
        *counts.entry(breach.path.clone()).or_default() += 1;
    }
    let row = |path: &str| rows.iter().find(|(own, at, _)| *own == rule && *at == path);
    let most = |path: &str| row(path).map_or(0, |(_, _, most)| *most);
    let count = |path: &str| counts.get(path).copied().unwrap_or_default();
    let mut beyond: Vec<Breach> = breaches
        .into_iter()
        .filter(|breach| count(&breach.path) > most(&breach.path))
        .collect();
    for (_, path, most) in rows.iter().filter(|(own, ..)| *own == rule) {
        let count = count(path);
        if count < *most {
            beyond.push(Breach {
                path: (*path).into(),
                line: 0,
                what: format!("tests/tidy/allowed.rs allows {most}, and there are {count}"),
            });
        }
    }
    beyond
}

/// Rules of rows that are no rules.
pub fn unknown<'r>(known: &[&'r str]) -> Vec<&'r str> {
    let rules = ALLOWED.iter().map(|(rule, ..)| *rule);
    rules.filter(|rule| !known.contains(rule)).collect()
}

#[test]
fn a_row_allows_what_it_says_and_no_more() {
    let rows = &[("law", "src/a.rs", 2), ("another", "src/b.rs", 1)];
    let breach = || Breach {
        path: "src/a.rs".into(),
        line: 1,
        what: "wrong".into(),
    };
    let left = |count: usize| {
        let breaches = (0..count).map(|_| breach()).collect();
        beyond_rows(rows, "law", breaches).len()
    };
    assert_eq!([left(0), left(1), left(2), left(3)], [1, 1, 0, 3]);
}
