//! The table of waits: every file that waits for somebody stands in it, and nothing else does.

use super::source::Source;
use super::{Breach, check};

/// Where the table is.
const TABLE: &str = "src/ground/waits.rs";

/// Folders whose code talks to peers; what the rest awaits is theirs.
const FOLDERS: &[&str] = &[
    "src/auth/",
    "src/doctor/",
    "src/net/",
    "src/server/",
    "src/session/",
    "src/telemetry/",
    "src/upstream/",
];

/// Files that wait and are no place of a row, and places that do not wait.
pub fn places(sources: &[Source]) -> Vec<Breach> {
    let table = sources.iter().find(|source| source.path == TABLE);
    let places: Vec<(usize, &str)> = table.map(named).unwrap_or_default();
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| is_of_a_peer(source)) {
        let is_named = places.iter().any(|(_, place)| is_at(place, source));
        if waits(source) && !is_named {
            breaches.push(Breach {
                path: source.path.clone(),
                line: 0,
                what: format!("it waits, and no row of {TABLE} says what ends that"),
            });
        }
    }
    for (line, place) in places {
        if !sources
            .iter()
            .any(|source| is_at(place, source) && waits(source))
        {
            breaches.push(Breach {
                path: TABLE.into(),
                line,
                what: format!("{place} does not wait"),
            });
        }
    }
    breaches
}

/// The places in the table, a folder with its slash.
fn named(table: &Source) -> Vec<(usize, &str)> {
    let lines = table.text.lines().enumerate();
    let named = lines.flat_map(|(number, line)| {
        let parts = line.split('"').skip(1).step_by(2);
        parts.map(move |part| (number + 1, part))
    });
    named.filter(|(_, part)| part.starts_with("src/")).collect()
}

fn is_at(place: &str, source: &Source) -> bool {
    source.path == place || place.ends_with('/') && source.path.starts_with(place)
}

fn is_of_a_peer(source: &Source) -> bool {
    FOLDERS.iter().any(|folder| source.path.starts_with(folder))
}

/// Whether it waits: an await, or something that is polled.
fn waits(source: &Source) -> bool {
    [".await", "Context<"]
        .iter()
        .any(|sign| source.shipped.contains(sign))
}

#[test]
fn a_wait_without_a_row_is_seen() {
    check(
        places,
        "src/net/a.rs",
        "async fn f(s: S) { s.read().await }",
        "fn f() {}",
    );
    let row = |text: &str| {
        let sources = [
            Source::new(TABLE, text),
            Source::new("src/net/a.rs", "async fn f(s: S) { s.read().await }"),
        ];
        places(&sources).len()
    };
    assert_eq!(row("at [\"src/net/a.rs\"]"), 0);
    assert_eq!(row("at [\"src/net/\"]"), 0);
    assert_eq!(row("at [\"src/net/a.rs\", \"src/net/gone.rs\"]"), 1);
}
