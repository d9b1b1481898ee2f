//! Where files are, what they are called, and what they say first.

use super::source::{Source, words as words_of};
use super::{Breach, check};

/// What may stand at the top, beside dotfiles.
const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "Makefile",
    "README.md",
    "CHANGELOG.md",
    "src",
    "policies",
    "certs",
    "grafana",
    "tests",
    "docker",
    "target",
];

/// Folders between `src` and a file, and the file itself: `src/a/b/c/d.rs`.
const DEPTH_MAX: usize = 4;

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &[
    "util", "utils", "common", "helper", "helpers", "types", "misc",
];

/// Words that have no business in this repository, in halves so that this file passes.
const STRANGE_WORDS: &[(&str, &str)] = &[
    ("TO", "DO"),
    ("FIX", "ME"),
    ("HA", "CK:"),
    ("clau", "de"),
    ("anthro", "pic"),
    ("chat", "gpt"),
    ("open", "ai"),
    ("copi", "lot"),
    ("/wo", "rk/"),
    ("/tmp/te", "am"),
];

/// Entries at the top that are not on the list.
pub fn strange_names(names: &[String]) -> Vec<&str> {
    let known = |name: &&String| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str());
    names.iter().filter(known).map(String::as_str).collect()
}

/// Files that do not begin by saying what they are.
pub fn heads(sources: &[Source]) -> Vec<Breach> {
    let silent = sources
        .iter()
        .filter(|source| !source.text.starts_with("//! "));
    let breach = |source: &Source| Breach {
        path: source.path.clone(),
        line: 1,
        what: "the file does not begin with //!".into(),
    };
    silent.map(breach).collect()
}

/// Files that lie too deep, and modules whose names say nothing.
pub fn modules(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        let mut breach = |line, what: String| {
            breaches.push(Breach {
                path: source.path.clone(),
                line,
                what,
            });
        };
        if source.module().is_some() && source.path.split('/').count() > DEPTH_MAX + 1 {
            breach(0, format!("deeper than {DEPTH_MAX} levels"));
        }
        if let Some(name) = source
            .modules()
            .iter()
            .find(|name| EMPTY_NAMES.contains(name))
        {
            breach(0, format!("{name} says nothing"));
        }
        for pair in words_of(&source.code).windows(2) {
            if let [(line, "mod"), (_, name)] = pair
                && EMPTY_NAMES.contains(name)
            {
                breach(*line, format!("{name} says nothing"));
            }
        }
    }
    breaches
}

/// Files that speak of what does not concern their reader.
pub fn words(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for (number, line) in source.text.lines().enumerate() {
            for (first, second) in STRANGE_WORDS {
                let word = format!("{first}{second}");
                let upper = word.chars().all(|c| !c.is_lowercase());
                let found = line.contains(&word) || !upper && line.to_lowercase().contains(&word);
                if found {
                    let what = format!("{word} does not belong here");
                    breaches.push(Breach {
                        path: source.path.clone(),
                        line: number + 1,
                        what,
                    });
                }
            }
        }
    }
    breaches
}

#[test]
fn layout_breaches_are_seen() {
    check(heads, "src/a.rs", "use std::fmt;\n", "//! What it is.\n");
    check(
        modules,
        "src/a.rs",
        "mod helpers;",
        "mod tests { fn common() {} }",
    );
    let sample = |path| modules(&[Source::new(path, "")]).len();
    assert_eq!(
        [
            sample("src/a/b/c/d/e.rs"),
            sample("src/a/util.rs"),
            sample("src/types/a.rs")
        ],
        [1; 3]
    );
    assert_eq!(
        [sample("src/a/b/c/d.rs"), sample("tests/gate/corpus.rs")],
        [0; 2]
    );
    let names = ["src".to_string(), ".ci".into(), "notes.txt".into()];
    assert_eq!(strange_names(&names), ["notes.txt"]);
    let word = |(a, b): (&str, &str)| format!("// {a}{b} x");
    check(words, "src/a.rs", &word(("TO", "DO")), "// to do");
    check(words, "src/a.rs", &word(("Open", "AI")), "// open air");
}
