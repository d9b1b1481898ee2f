//! Who may do what a promise hangs on: issue a permit, write to a stream, compose an error.

use super::source::{Source, words};
use super::{Breach, check};

/// The functions that issue a permit: of a text that was judged, of one whose verdict was cached,
/// and of the question for a plan. Each with its file, and the times that it does.
const ISSUERS: &[(&str, &str, usize)] = &[
    ("src/gate/mod.rs", "judge_with_record", 1),
    ("src/gate/cache/mod.rs", "permitted", 1),
    ("src/gate/plan_question.rs", "explain", 1),
];

/// Where bytes are written to the stream of a client or an upstream: `net` under everything, what
/// is exchanged before a session, and the one writer of each side.
const WRITERS: &[&str] = &[
    "src/net/",
    "src/session/login/",
    "src/session/io/",
    "src/upstream/connect.rs",
    "src/upstream/outbox.rs",
    "src/upstream/writer.rs",
    "src/upstream/snapshot/replayed_login.rs",
];

/// Rooms that have the streams of clients and upstreams.
const STREAMS: &[&str] = &[
    "src/session/",
    "src/upstream/",
    "src/auth/",
    "src/doctor/",
    "src/net/",
];

/// What writes to a stream.
const WRITES: &[&str] = &[
    "write_all",
    "write_buf",
    "poll_write",
    "poll_write_vectored",
    "try_write",
];

/// Where errors and notices for clients are composed.
const SPEAKERS: &[&str] = &[
    "src/wire/",
    "src/session/reply.rs",
    "src/session/login/error.rs",
];

/// What composes one.
const WORDS: &[&str] = &["ErrorFields"];

/// Permits issued by anything but the functions that are named here.
pub fn issuers(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        let mut issued: Vec<(usize, &str)> = Vec::new();
        let words = words(&source.shipped);
        let mut function = "";
        for at in 0..words.len() {
            let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
            if word(at) == "fn" {
                function = word(at + 1);
            }
            let call = [word(at), word(at + 1), word(at + 2)];
            if call == ["ReadPermit", "::", "issue"] {
                issued.push((words.get(at).map_or(0, |(line, _)| *line), function));
            }
        }
        let known = |name: &str| {
            ISSUERS
                .iter()
                .find(|(path, own, _)| *path == source.path && *own == name)
        };
        for (line, name) in &issued {
            let times = issued.iter().filter(|(_, other)| other == name).count();
            if known(name).is_none_or(|(_, _, most)| times > *most) {
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: *line,
                    what: format!("{name} is no issuer of permits, or issues more than one"),
                });
            }
        }
        for (_, name, _) in ISSUERS.iter().filter(|(path, ..)| *path == source.path) {
            if !issued.iter().any(|(_, own)| own == name) && !source.shipped.is_empty() {
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: 0,
                    what: format!("{name} issues no permit any more: take its row out"),
                });
            }
        }
    }
    breaches
}

/// Bytes written to a stream outside of the writers.
pub fn raw_writes(sources: &[Source]) -> Vec<Breach> {
    let streams = |source: &&Source| STREAMS.iter().any(|room| source.path.starts_with(room));
    let sources = sources.iter().filter(streams);
    named_outside(sources, WRITES, WRITERS, "writes to a stream")
}

/// Errors and notices for clients that are composed elsewhere.
pub fn speakers(sources: &[Source]) -> Vec<Breach> {
    let sources = sources.iter().filter(|source| source.module().is_some());
    named_outside(sources, WORDS, SPEAKERS, "composes what clients read")
}

/// Uses of names outside of their places; an import is none.
fn named_outside<'s>(
    sources: impl Iterator<Item = &'s Source>,
    names: &[&str],
    places: &[&str],
    what: &str,
) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.filter(|source| !places.iter().any(|own| source.path.starts_with(own))) {
        let words = words(&source.shipped);
        for (at, (line, word)) in words.iter().enumerate() {
            let next = words.get(at + 1).map_or("", |(_, word)| word);
            if names.contains(word) && matches!(next, "(" | "::" | "{") {
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: *line,
                    what: format!("{word} here {what}"),
                });
            }
        }
    }
    breaches
}

#[test]
fn other_issuers_are_seen() {
    let path = "src/gate/models/mod.rs";
    check(
        issuers,
        path,
        "fn f() { ReadPermit::issue(a, b) }",
        "fn f(p: ReadPermit) {}",
    );
    let own = "src/gate/plan_question.rs";
    let once = "fn explain() { ReadPermit::issue(a, b) }";
    check(issuers, own, "fn explain() {}", once);
    check(
        issuers,
        own,
        &format!("{once} fn g() {{ ReadPermit::issue(a, b) }}"),
        once,
    );
    check(
        issuers,
        own,
        "fn explain() { ReadPermit::issue(a, b); ReadPermit::issue(c, d) }",
        once,
    );
}

#[test]
fn bytes_that_go_around_the_writers_are_seen() {
    let bad = "async fn f(s: &mut S) { s.write_all(text).await }";
    check(
        raw_writes,
        "src/session/refuse.rs",
        bad,
        "use x::write_all;",
    );
    check(
        raw_writes,
        "src/upstream/verify.rs",
        "fn f() { Pin::new(s).poll_write(c, b) }",
        "",
    );
    assert_eq!(
        raw_writes(&[Source::new("src/upstream/connect.rs", bad)]),
        []
    );
}

#[test]
fn other_speakers_are_seen() {
    let bad = "fn f() { ErrorFields::new(severity, code, text) }";
    check(
        speakers,
        "src/session/refuse.rs",
        bad,
        "fn f(e: &ErrorFields) {}",
    );
    check(
        speakers,
        "src/upstream/x.rs",
        "fn f() { g(ErrorFields { a, ..b }) }",
        "",
    );
    assert_eq!(speakers(&[Source::new("src/session/reply.rs", bad)]), []);
}
