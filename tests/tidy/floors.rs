//! The floors of the design: who may import whom.

use super::source::{Source, words};
use super::{Breach, check};

/// What each module at the crate's root may import, as lists of lists. A module that is missing
/// here may import nothing. Neighbours on a floor know each other only where a row says so.
const ALLOWED: &[(&str, &[&[&str]])] = &[
    // 0 ground
    ("sqlstate", &[]),
    ("limits", &[]),
    ("secret", &[]),
    ("hex", &[]),
    ("edit_distance", &[]),
    ("system_error", &[]),
    ("text_file", &[&["system_error"]]),
    // what ends each wait, by the limits
    ("waits", &[&["limits"]]),
    ("words", &[]),
    ("statement_kind", &[&["words"]]),
    // every rule in a row, with the code of its refusals
    ("rule", &[&["sqlstate", "words"]]),
    // 1 languages
    ("wire", &[GROUND]),
    ("sql", &[GROUND]),
    ("catalog", &[GROUND]),
    // between 1 and 2: what the names of a text mean in a database
    ("resolve", &[GROUND, &["sql", "catalog"]]),
    // 2 judgement: the gate judges under a policy
    ("policy", &[GROUND, &["sql", "catalog"]]),
    ("gate", &[GROUND, &["sql", "catalog", "resolve", "policy"]]),
    // 3 repair: a failed text is changed and judged again; foreign dialects are translated
    (
        "dialect",
        &[GROUND, &["sql", "catalog", "resolve", "policy", "gate"]],
    ),
    (
        "repair",
        &[
            GROUND,
            &["sql", "catalog", "resolve", "policy", "gate", "dialect"],
        ],
    ),
    // 4 telemetry: events carry rules, kinds, fingerprints and attempts
    (
        "telemetry",
        &[GROUND, &["sql", "catalog", "policy", "gate", "repair"]],
    ),
    // 5 reach: logins need sockets; upstreams run permits
    ("net", &[GROUND, &["wire", "telemetry"]]),
    ("auth", &[GROUND, &["wire", "telemetry", "net"]]),
    ("upstream", &[BELOW_UPSTREAM]),
    // 6 session
    ("session", &[BELOW_UPSTREAM, &["upstream"]]),
    // above it: what would become of a statement in one
    ("offline", &[BELOW_UPSTREAM, &["session"]]),
    // 7 program: built from below, wired together by app
    (
        "server",
        &[BELOW_UPSTREAM, &["upstream", "session", "offline"]],
    ),
    // the server as it is set up, for whoever runs it
    ("doctor", &[BELOW_UPSTREAM, &["upstream"]]),
    (
        "config",
        &[BELOW_UPSTREAM, &["upstream", "session", "doctor"]],
    ),
    (
        "app",
        &[
            BELOW_UPSTREAM,
            &[
                "upstream", "session", "offline", "doctor", "server", "config",
            ],
        ],
    ),
    (
        "demo",
        &[
            BELOW_UPSTREAM,
            &["upstream", "session", "server", "config", "app"],
        ],
    ),
    (
        "cli",
        &[
            BELOW_UPSTREAM,
            &[
                "upstream", "session", "offline", "doctor", "server", "config", "app", "demo",
            ],
        ],
    ),
];

/// Floor 0.
const GROUND: &[&str] = &[
    "sqlstate",
    "limits",
    "secret",
    "hex",
    "edit_distance",
    "system_error",
    "text_file",
    "waits",
    "words",
    "statement_kind",
    "rule",
];

/// All that an upstream builds on.
const BELOW_UPSTREAM: &[&str] = &[
    "sqlstate",
    "limits",
    "secret",
    "hex",
    "edit_distance",
    "system_error",
    "text_file",
    "waits",
    "words",
    "statement_kind",
    "rule",
    "wire",
    "sql",
    "catalog",
    "resolve",
    "policy",
    "gate",
    "dialect",
    "repair",
    "telemetry",
    "net",
    "auth",
];

/// Modules of the floors that are pure: they can be fuzzed and measured as plain functions.
const PURE: &[&str] = &[
    "sqlstate",
    "limits",
    "secret",
    "hex",
    "edit_distance",
    "system_error",
    "waits",
    "words",
    "statement_kind",
    "rule",
    "wire",
    "sql",
    "catalog",
    "resolve",
    "policy",
    "gate",
    "dialect",
    "repair",
];

/// What would make them impure.
const IMPURE: &[&[&str]] = &[
    &["tokio"],
    &["std", "::", "env"],
    &["std", "::", "thread"],
    &["std", "::", "net", "::", "Tcp"],
    &["std", "::", "process"],
    &["Instant", "::", "now"],
    &["SystemTime"],
];

/// Only the loader of policies reads files.
const READS_FILES: &str = "policy";

/// Imports that the table does not allow.
pub fn imports(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        let Some(own) = source.module().filter(|own| *own != "lib") else {
            continue;
        };
        let row = ALLOWED.iter().find(|(name, _)| *name == own);
        let allowed = row.map(|(_, lists)| lists.concat());
        for (line, module) in imported(source) {
            let known = module == own || own == "main" && module == "cli";
            if !known && !allowed.iter().flatten().any(|name| *name == module) {
                let what = format!("{own} must not import {module}");
                breaches.push(Breach {
                    path: source.path.clone(),
                    line,
                    what,
                });
            }
        }
        if allowed.is_none() && own != "main" {
            let what = format!("{own} has no row in the table of floors");
            breaches.push(Breach {
                path: source.path.clone(),
                line: 0,
                what,
            });
        }
    }
    breaches
}

/// The root modules that a file's shipped code names, through `crate::`, `pgsieve::` or a chain
/// of `super::` that reaches the root.
fn imported(source: &Source) -> Vec<(usize, String)> {
    let words = words(&source.shipped);
    let mut found = Vec::new();
    for place in 0..words.len() {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
        if place > 0 && word(place - 1) == "::" {
            continue;
        }
        let mut at = place;
        match word(place) {
            "crate" | "pgsieve" if word(place + 1) == "::" => at += 2,
            "super" => {
                let mut depth = source.modules().len();
                while word(at) == "super" && word(at + 1) == "::" {
                    depth = depth.saturating_sub(1);
                    at += 2;
                }
                if depth > 0 {
                    continue;
                }
            }
            _ => continue,
        }
        let names = match word(at) {
            "{" => group(&words, at),
            _ => words.get(at).copied().into_iter().collect(),
        };
        found.extend(
            names
                .into_iter()
                .map(|(line, name)| (line, name.to_string())),
        );
    }
    found
}

/// The first name of each member of a `{…}` group.
fn group<'a>(words: &[(usize, &'a str)], open: usize) -> Vec<(usize, &'a str)> {
    let mut names = Vec::new();
    let mut depth = 0_usize;
    let mut first = false;
    for (line, word) in words.iter().skip(open) {
        match *word {
            "{" => {
                depth += 1;
                first = depth == 1;
            }
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            "," if depth == 1 => first = true,
            name if first && depth == 1 => {
                names.push((*line, name));
                first = false;
            }
            _ => {}
        }
    }
    names
}

/// Sockets, clocks, environment and tasks on the pure floors.
pub fn impure(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources
        .iter()
        .filter(|s| s.module().is_some_and(|m| PURE.contains(&m)))
    {
        let words = words(&source.shipped);
        let files: &[&[&str]] = if source.module() == Some(READS_FILES) {
            &[]
        } else {
            &[&["std", "::", "fs"]]
        };
        for pattern in IMPURE.iter().chain(files) {
            for window in words.windows(pattern.len()) {
                let same = window.iter().zip(*pattern).all(|((_, word), wanted)| {
                    word == wanted || *wanted == "Tcp" && word.starts_with("Tcp")
                });
                if let (true, Some((line, _))) = (same, window.first()) {
                    let what = format!("{} on a pure floor", pattern.concat());
                    breaches.push(Breach {
                        path: source.path.clone(),
                        line: *line,
                        what,
                    });
                }
            }
        }
    }
    breaches
}

#[test]
fn imports_upward_or_around_are_seen() {
    for bad in [
        "use crate::session::Session;",
        "use crate::{limits, wire::frame};",
        "fn f() { crate::telemetry::x(); }",
        "use super::super::wire::frame;",
        "use pgsieve::upstream;",
    ] {
        check(
            imports,
            "src/gate/rule.rs",
            bad,
            "use crate::policy::Policy; use super::Rule;",
        );
    }
    check(
        imports,
        "src/wire/a/b.rs",
        "use crate::sql;",
        "use super::super::frame::Frame;",
    );
    assert_eq!(imports(&[Source::new("src/brand_new.rs", "")]).len(), 1);
}

#[test]
fn tests_may_import_what_they_like() {
    let text = "#[cfg(test)]\nmod tests { use crate::session::X; }";
    assert_eq!(imports(&[Source::new("src/wire/x.rs", text)]), []);
}

#[test]
fn impure_floors_are_seen() {
    for bad in [
        "use tokio::io;",
        "use std::env;",
        "Instant::now()",
        "use std::fs::File;",
    ] {
        check(impure, "src/gate/rule.rs", bad, "use std::time::Duration;");
    }
    check(impure, "src/policy/mod.rs", "use std::env;", "use std::fs;");
}
