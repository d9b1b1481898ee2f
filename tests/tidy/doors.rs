//! The doors: where a foreign library, client text or a permit may appear.

use super::source::{Source, words};
use super::{Breach, check};

/// Libraries, and the only folders that know them.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("pg_raw_parse", &["src/sql/"]),
    ("sqlparser", &["src/dialect/"]),
    ("prometheus", &["src/telemetry/"]),
    ("rustls", &["src/net/"]),
    ("tokio_rustls", &["src/net/"]),
    ("rcgen", &["src/net/"]),
    // A command that takes too long is ended with all that it started.
    (
        "rustix",
        &["src/net/", "src/evaluation/external_command.rs"],
    ),
    ("compio_driver", &["src/net/uring/"]),
    ("compio_buf", &["src/net/uring/"]),
    ("serde_yaml", &["src/policy/", "src/config/"]),
    ("clap", &["src/cli/"]),
    ("opentelemetry", &["src/telemetry/"]),
    ("opentelemetry_sdk", &["src/telemetry/"]),
    ("opentelemetry_otlp", &["src/telemetry/"]),
    ("opentelemetry_http", &["src/telemetry/"]),
    ("opentelemetry_proto", &["src/telemetry/"]),
    ("prost", &["src/telemetry/"]),
    ("tonic", &["src/telemetry/"]),
    ("tonic_types", &["src/telemetry/"]),
    ("hyper_rustls", &["src/telemetry/"]),
    ("age", &["src/telemetry/audit/"]),
    ("redis", &["src/server/limits_store/"]),
    ("axum", &["src/server/"]),
    ("rmcp", &["src/mcp/"]),
    ("hyper", &["src/server/", "src/net/", "src/mcp/"]),
    ("ring", &["src/auth/", "src/net/", "src/receipts/"]),
    // What it sends is pgsieve's own questions, and the demo's.
    (
        "tokio_postgres",
        &[
            "src/upstream/snapshot/",
            "src/upstream/catalog_cache/",
            "src/upstream/verifier_lookup/",
            "src/doctor/",
            "src/demo/",
        ],
    ),
];

/// Calls that put client text on its way to an upstream, and the modules they live in.
const SENDERS: &[(&[&str], &[&str])] = &[(&["encode", "request"], &["query", "parse"])];

/// Foreign libraries outside their door.
pub fn libraries(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        let words = words(&source.shipped);
        for (place, (line, word)) in words.iter().enumerate() {
            let Some((library, doors)) = LIBRARIES.iter().find(|(name, _)| name == word) else {
                continue;
            };
            let before = place.checked_sub(1).and_then(|before| words.get(before));
            let after = words.get(place + 1).map_or("", |(_, word)| word);
            let path_begins = before.is_none_or(|(_, word)| *word != "::" && *word != ".")
                && (after == "::" || before.is_some_and(|(_, word)| *word == "use"));
            if path_begins && !doors.iter().any(|door| source.path.starts_with(door)) {
                let what = format!("{library} is known only to {}", doors.join(" and "));
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: *line,
                    what,
                });
            }
        }
    }
    breaches
}

/// Query and Parse messages composed outside `upstream`, which sends nothing but permits.
pub fn text_to_upstream(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let outside = |source: &&Source| {
        source.module().is_some()
            && !source.path.starts_with("src/upstream/")
            && !source.path.starts_with("src/wire/")
            // It is a client of pgsieve: what it sends is judged there.
            && !source.path.starts_with("src/wire_client/")
    };
    for source in sources.iter().filter(outside) {
        let words = words(&source.shipped);
        for (modules, calls) in SENDERS {
            for (place, (line, word)) in words.iter().enumerate() {
                let follows = words.get(place + 1).is_some_and(|(_, word)| *word == "::");
                if !follows || !modules.contains(word) {
                    continue;
                }
                let named = named_after(&words, place + 2);
                if named
                    .iter()
                    .any(|name| calls.contains(name) || *name == "*")
                {
                    let what = "only src/upstream composes Query and Parse messages".into();
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

/// The names behind a `::`: one, or all words of a `{…}` group.
fn named_after<'a>(words: &[(usize, &'a str)], place: usize) -> Vec<&'a str> {
    let rest = words.iter().skip(place).map(|(_, word)| *word);
    if words.get(place).is_some_and(|(_, word)| *word == "{") {
        rest.take_while(|word| *word != "}").collect()
    } else {
        rest.take(1).collect()
    }
}

/// Permits put together outside the gate.
pub fn permits(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources
        .iter()
        .filter(|source| !source.path.starts_with("src/gate/"))
    {
        let words = words(&source.code);
        for (place, (line, word)) in words.iter().enumerate() {
            let after = words.get(place + 1).map_or("", |(_, word)| word);
            let before = place
                .checked_sub(1)
                .and_then(|at| words.get(at))
                .map_or("", |w| w.1);
            let built = after == "{" && before != "for" && before != ">" && before != "&";
            if *word == "ReadPermit" && built && source.module().is_some() {
                let what = "a ReadPermit is made by the gate alone".into();
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: *line,
                    what,
                });
            }
        }
    }
    breaches
}

/// What a ring is asked for belongs to the thread that has asked, and its sockets go from thread to
/// thread: they find the ring of the thread that they are on.
const RINGS: &str = "src/net/uring/mod.rs";

/// `static mut`, and statics with an inside that changes.
pub fn mutable_statics(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let is_held = |source: &&Source| source.module().is_some() && source.path != RINGS;
    for source in sources.iter().filter(is_held) {
        for (number, line) in source.shipped.lines().enumerate() {
            let code = line.trim_start();
            let code = code.strip_prefix("pub ").unwrap_or(code);
            let changes = code.starts_with("static ") && CHANGING.iter().any(|c| code.contains(c));
            if changes || code.contains("thread_local!") || code.starts_with("unsafe ") {
                let what = "no mutable statics, thread locals or unsafe code".into();
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: number + 1,
                    what,
                });
            }
        }
    }
    breaches
}

/// Types that change behind a shared reference.
const CHANGING: &[&str] = &[
    "mut ", "Mutex", "RwLock", "Atomic", "OnceLock", "OnceCell", "RefCell",
];

#[test]
fn libraries_outside_their_door_are_seen() {
    let fine = "fn f(prometheus: u8) { self.rustls.x(); }";
    check(
        libraries,
        "src/session/mod.rs",
        "use prometheus::IntCounter;",
        fine,
    );
    check(
        libraries,
        "src/upstream/x.rs",
        "rustls::ClientConfig::builder()",
        fine,
    );
    check(
        libraries,
        "src/gate/x.rs",
        "use pg_raw_parse as p;",
        "use crate::sql::tree::Node;",
    );
    check(
        libraries,
        "src/gate/x.rs",
        "use pg_raw_parse::{Node};",
        "// pg_raw_parse::Node",
    );
    assert_eq!(
        libraries(&[Source::new("src/sql/tree.rs", "use pg_raw_parse::Node;")]),
        []
    );
}

#[test]
fn client_text_sent_from_elsewhere_is_seen() {
    for bad in [
        "encode::query(&mut out, text)",
        "use crate::wire::encode::request::parse;",
        "use crate::wire::encode::{error, query};",
        "use crate::wire::encode::*;",
    ] {
        check(
            text_to_upstream,
            "src/session/io/mod.rs",
            bad,
            "encode::error(&mut out, &fields)",
        );
    }
    let text = "encode::query(&mut out, permit.text())";
    assert_eq!(
        text_to_upstream(&[Source::new("src/upstream/outbox.rs", text)]),
        []
    );
}

#[test]
fn forged_permits_are_seen() {
    let fine = "fn send(permit: &ReadPermit<'_>) { f::<ReadPermit>() }";
    check(
        permits,
        "src/session/x.rs",
        "let p = ReadPermit { text, facts };",
        fine,
    );
    let made = "ReadPermit { text, facts }";
    assert_eq!(permits(&[Source::new("src/gate/mod.rs", made)]), []);
}

#[test]
fn hidden_state_is_seen() {
    for bad in [
        "static mut COUNT: u8 = 0;",
        "static NEXT: AtomicU64 = AtomicU64::new(0);",
        "pub static X: OnceLock<u8> = OnceLock::new();",
        "thread_local! { static A: u8 = 0; }",
    ] {
        check(
            mutable_statics,
            "src/a.rs",
            bad,
            "static NAMES: &[&str] = &[];",
        );
    }
}
