//! The floors of the design: who may import whom.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::source::{CRATES, Source, words};
use super::{Breach, check};

/// What each room may import, as lists of lists. A room that is missing here may import nothing.
/// Neighbours on a floor know each other only where a row says so. What a room that is a crate
/// imports the compiler holds: its `Cargo.toml` is compared with its row. `pgsieve` has the modules
/// of `ground` at its root.
const ALLOWED: &[(&str, &[&[&str]])] = &[
    // 0 ground
    ("ground", &[]),
    // 1 languages
    ("wire", &[GROUND]),
    ("sql", &[GROUND]),
    ("catalog", &[GROUND]),
    // between 1 and 2: what the names of a text mean in a database
    ("resolve", &[GROUND, &["sql", "catalog"]]),
    // 2 judgement: the gate judges under a policy
    ("policy", &[GROUND, &["sql"]]),
    ("gate", &[GROUND, &["sql", "catalog", "resolve", "policy"]]),
    // what a session may read, told for a prompt
    ("grounding", &[GROUND, &["sql", "catalog", "policy"]]),
    // what a text says that is seldom meant
    ("lint", &[GROUND, &["sql", "catalog", "resolve"]]),
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
    // 4 receipts: signed, and verified again
    ("receipts", &[GROUND]),
    // telemetry: events carry rules, kinds, fingerprints and attempts
    (
        "telemetry",
        &[
            GROUND,
            &["sql", "catalog", "policy", "gate", "repair", "receipts"],
        ],
    ),
    // 5 reach: logins need sockets; upstreams run permits
    ("net", &[GROUND, &["wire", "telemetry"]]),
    ("auth", &[GROUND, &["wire", "telemetry", "net"]]),
    ("upstream", &[BELOW_UPSTREAM]),
    // 6 session
    ("session", &[BELOW_UPSTREAM, &["upstream"]]),
    // above it: what would become of a statement in one
    ("offline", &[BELOW_UPSTREAM, &["session"]]),
    // beside it: which of several statements answers a question
    (
        "choose",
        &[BELOW_UPSTREAM, &["upstream", "session", "offline"]],
    ),
    // 7 program: built from below, wired together by app
    (
        "server",
        &[BELOW_UPSTREAM, &["upstream", "session", "offline"]],
    ),
    // the server as it is set up, for whoever runs it
    ("doctor", &[BELOW_UPSTREAM, &["upstream"]]),
    (
        "config",
        &[
            BELOW_UPSTREAM,
            &["upstream", "session", "choose", "doctor", "mcp"],
        ],
    ),
    // a client of pgsieve's own
    ("wire_client", &[GROUND, &["wire"]]),
    // tools for agents: each call goes through a session
    (
        "mcp",
        &[
            BELOW_UPSTREAM,
            &[
                "upstream",
                "session",
                "offline",
                "choose",
                "server",
                "wire_client",
            ],
        ],
    ),
    (
        "app",
        &[
            BELOW_UPSTREAM,
            &[
                "upstream", "session", "offline", "choose", "doctor", "server", "config", "mcp",
            ],
        ],
    ),
    (
        "demo",
        &[
            BELOW_UPSTREAM,
            &["upstream", "session", "server", "config", "app", "mcp"],
        ],
    ),
    // beside it: questions are asked of a pgsieve that it runs
    (
        "evaluation",
        &[BELOW_UPSTREAM, &["choose", "config", "demo", "wire_client"]],
    ),
    (
        "cli",
        &[
            BELOW_UPSTREAM,
            &[
                "upstream",
                "session",
                "offline",
                "choose",
                "doctor",
                "server",
                "config",
                "app",
                "demo",
                "evaluation",
                "wire_client",
                "mcp",
            ],
        ],
    ),
];

/// Floor 0, and the names of its modules at the root of `pgsieve`.
const GROUND: &[&str] = &[
    "ground",
    "sqlstate",
    "limits",
    "engine",
    "lsn",
    "secret",
    "hex",
    "edit_distance",
    "system_error",
    "target_servers",
    "text_file",
    "waits",
    "words",
    "statement_kind",
    "rule",
];

/// All that an upstream builds on.
const BELOW_UPSTREAM: &[&str] = &[
    "ground",
    "sqlstate",
    "limits",
    "engine",
    "lsn",
    "secret",
    "hex",
    "edit_distance",
    "system_error",
    "target_servers",
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
    "grounding",
    "lint",
    "dialect",
    "repair",
    "receipts",
    "telemetry",
    "net",
    "auth",
];

/// The rooms that are pure, which are those that are crates: they can be fuzzed and measured as
/// plain functions.
const PURE: &[&str] = CRATES;

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

/// What reads files: the loader of policies, and the reader of one text.
const READS_FILES: &[&str] = &["src/policy/", "src/ground/text_file.rs"];

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

/// The rooms that a file's shipped code names: through `crate::`, `pgsieve::`, a chain of `super::`
/// that reaches the root, or the name of a crate. In a room that is a crate these are its own.
fn imported(source: &Source) -> Vec<(usize, String)> {
    if !source.root().is_empty() {
        return Vec::new();
    }
    let words = words(&source.shipped);
    let mut found = Vec::new();
    for place in 0..words.len() {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
        let before = |back: usize| place.checked_sub(back).map_or("", word);
        // `::name` begins a path only behind what ends no name.
        let is_name = |word: &str| word.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if before(1) == "::" && (is_name(before(2)) && before(2) != "use" || before(2) == ">") {
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
            name if CRATES.contains(&name)
                && (word(place + 1) == "::" || matches!(before(1), "use" | "::")) => {}
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
        let files: &[&[&str]] = if READS_FILES.iter().any(|own| source.path.starts_with(own)) {
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

/// What is wrong with the `Cargo.toml` of a room: it names other rooms than its row, or has rules
/// of its own for code.
fn wrong_manifest(room: &str, manifest: &str) -> Option<String> {
    let row = ALLOWED.iter().find(|(name, _)| *name == room);
    let lists = row.map(|(_, lists)| lists.concat()).unwrap_or_default();
    let allowed: BTreeSet<&str> = lists.into_iter().filter(|n| CRATES.contains(n)).collect();
    let mut section = "";
    let mut named = BTreeSet::new();
    for line in manifest.lines() {
        let name = line.split(['.', ' ']).next().unwrap_or(line);
        match line {
            _ if line.starts_with('[') => section = line,
            _ if section == "[dependencies]" && CRATES.contains(&name) => {
                named.insert(name);
            }
            _ => {}
        }
    }
    let beyond: Vec<&str> = named.difference(&allowed).copied().collect();
    let lints = manifest.contains("\n[lints]\nworkspace = true\n");
    match (beyond.is_empty(), lints) {
        (false, _) => Some(format!("{room} must not import {}", beyond.join(" or "))),
        (true, false) => Some(format!("{room} has not the lints of all")),
        (true, true) => None,
    }
}

#[test]
fn the_crates_are_the_rooms_of_their_rows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    for folder in fs::read_dir(root.join("src")).unwrap() {
        let folder = folder.unwrap();
        let room = folder.file_name().into_string().unwrap();
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml"));
        assert_eq!(manifest.is_ok(), CRATES.contains(&room.as_str()), "{room}");
        if let Ok(manifest) = manifest {
            assert_eq!(wrong_manifest(&room, &manifest), None);
            // As a member, and as one that plain commands of cargo are about.
            let line = format!("\n    \"src/{room}\",\n");
            assert_eq!(workspace.matches(&line).count(), 2, "{room}");
        }
    }
}

#[test]
fn manifests_that_name_too_much_are_seen() {
    let manifest = |dependency: &str, lints: &str| {
        let text = format!("[dependencies]\nground.workspace = true\n{dependency}\n{lints}");
        wrong_manifest("policy", &text).is_some()
    };
    let lints = "\n[lints]\nworkspace = true\n";
    assert!(!manifest("sql.workspace = true", lints));
    assert!(!manifest(
        "jiff = \"1\"\n[dev-dependencies]\ngate.workspace = true",
        lints
    ));
    assert!(manifest("gate.workspace = true", lints));
    assert!(manifest("gate = { workspace = true }", lints));
    assert!(manifest("", "\n[lints.rust]\n"));
}

#[test]
fn imports_upward_or_around_are_seen() {
    for bad in [
        "use crate::session::Session;",
        "use crate::{limits, sql::tree};",
        "fn f() { crate::upstream::x(); }",
        "use super::super::gate::Gate;",
        "use pgsieve::upstream;",
        "use gate::Gate;",
        "use ::gate as judge;",
        "fn f() { gate::x(); }",
        "fn f() { (::gate::x)(); }",
    ] {
        check(
            imports,
            "src/net/stream.rs",
            bad,
            "use crate::limits; use wire::frame; use super::gate; use a::gate::b; use super::Rule;",
        );
    }
    check(
        imports,
        "src/net/a/b.rs",
        "use super::super::super::session;",
        "use super::super::session;",
    );
    // In a crate these are its own, and the compiler knows the rest.
    let own = "use crate::session::X; use gate::Gate; use super::super::wire;";
    assert_eq!(imports(&[Source::new("src/policy/a.rs", own)]), []);
    assert_eq!(imports(&[Source::new("src/brand_new.rs", "")]).len(), 1);
}

#[test]
fn tests_may_import_what_they_like() {
    let text = "#[cfg(test)]\nmod tests { use crate::session::X; }";
    assert_eq!(imports(&[Source::new("src/net/x.rs", text)]), []);
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
    for path in ["src/policy/mod.rs", "src/ground/text_file.rs"] {
        check(impure, path, "use std::env;", "use std::fs;");
    }
}
