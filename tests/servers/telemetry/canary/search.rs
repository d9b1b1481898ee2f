//! How a canary is found: in its own letters, whatever their case, and in the spellings that a sink
//! might give it.

use std::path::Path;

/// In all values that must not be written, and in nothing else but [`NAMES`].
pub const CANARY: &str = "canary";

/// What the audit names: relations as the catalog has them, and a setting; in JSON, and behind
/// their lengths as a collector gets them.
const NAMES: [&str; 5] = [
    "\"public.canary_rows\"",
    "\"canary.setting\"",
    "relation public.canary_rows",
    "\u{12}public.canary_rows",
    "\u{e}canary.setting",
];

/// One place that something was written to, and what.
pub struct Sink {
    /// For the report.
    pub name: String,
    /// All of it.
    pub content: Vec<u8>,
}

impl Sink {
    /// What was written to a sink.
    pub fn new(name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            content: content.into(),
        }
    }

    /// Every file below a folder.
    pub fn files(folder: &Path) -> Vec<Self> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                found.extend(Self::files(&entry.path()));
            } else {
                // What is gone meanwhile was put aside by rotation: it is read under its new name.
                let content = std::fs::read(entry.path()).unwrap_or_default();
                found.push(Self::new(entry.path().display().to_string(), content));
            }
        }
        found
    }

    /// The content as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.content).into_owned()
    }
}

/// Fails with the first place in which a canary is.
#[track_caller]
pub fn nothing_in(sinks: &[Sink]) {
    for sink in sinks {
        assert_eq!(found_in(sink), None, "in {}", sink.name);
    }
}

/// The line that a canary is in.
fn found_in(sink: &Sink) -> Option<String> {
    let mut text = sink.text().to_lowercase();
    for name in NAMES {
        text = text.replace(name, "");
    }
    let spellings = spellings();
    let line = text
        .split('\n')
        .find(|line| spellings.iter().any(|word| line.contains(word)))?;
    Some(line.chars().take(400).collect())
}

/// In letters, in hexadecimal digits, in each of the three ways that base64 can meet it, in UTF-16,
/// and backwards. All in lower case, as what is searched.
fn spellings() -> Vec<String> {
    let hex: String = CANARY.bytes().map(|byte| format!("{byte:02x}")).collect();
    let wide: String = CANARY.chars().map(|c| format!("{c}\u{0}")).collect();
    let backwards: String = CANARY.chars().rev().collect();
    let mut all = vec![CANARY.to_owned(), hex, wide, backwards];
    all.extend(["y2fuyxj5", "nhbmfye", "jyw5hcn"].map(str::to_owned));
    all
}

#[test]
fn a_canary_is_found_in_every_spelling() {
    for text in [
        "a canary",
        "CaNaRy",
        "63616e617279",
        "x Y2FuYXJ5",
        "INhbmFyeQ==",
        "aGNjYW5hcnk=",
        "x yranac",
    ] {
        assert!(found_in(&Sink::new("x", text)).is_some(), "{text}");
    }
    let names = "{\"relations\":[\"public.canary_rows\"]}";
    assert_eq!(found_in(&Sink::new("x", names)), None);
    assert!(found_in(&Sink::new("x", "public.canary_rows")).is_some());
}
