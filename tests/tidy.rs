//! The rules of the tree, proved: floors, doors, sizes, layout. All breaches are reported at once.
//!
//! Each rule is a function from sources to breaches, and each is shown here to fail on a sample
//! that breaks it. The rules read text, not types: they catch mistakes and drift, not malice.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

#[path = "tidy/allowed.rs"]
mod allowed;
#[path = "tidy/definitions.rs"]
mod definitions;
#[path = "tidy/doors.rs"]
mod doors;
#[path = "tidy/floors.rs"]
mod floors;
#[path = "tidy/folders.rs"]
mod folders;
#[path = "tidy/layout.rs"]
mod layout;
#[path = "tidy/pages.rs"]
mod pages;
#[path = "tidy/safety.rs"]
mod safety;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/waits.rs"]
mod waits;

use source::Source;

/// A rule: what in these sources breaks it.
type Rule = fn(&[Source]) -> Vec<Breach>;

/// One place where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
struct Breach {
    path: String,
    /// Counted from one; zero for the file as a whole.
    line: usize,
    what: String,
}

/// Every rule, in the order of the report. What breaks one today and may go on stands in
/// [`allowed`].
const RULES: &[(&str, Rule)] = &[
    (
        "a module imports only what its row of the floors allows",
        floors::imports,
    ),
    (
        "the lower floors touch no socket, clock, environment or task",
        floors::impure,
    ),
    ("each foreign library has one door", doors::libraries),
    (
        "client text goes upstream in one place",
        doors::text_to_upstream,
    ),
    ("only the gate makes a permit", doors::permits),
    (
        "nothing is shared behind the back of app.rs",
        doors::mutable_statics,
    ),
    ("a file has at most 400 lines of code", sizes::files),
    ("a function has at most 70 lines", sizes::functions),
    ("a line has at most 100 characters", sizes::widths),
    ("every file says what it is", layout::heads),
    (
        "folders are shallow and modules have names that say something",
        layout::modules,
    ),
    ("no file speaks of the tools that made it", layout::words),
    ("every wait stands in the table of waits", waits::places),
    ("the issuers of permits are named", safety::issuers),
    ("bytes go to a stream by its writers", safety::raw_writes),
    (
        "errors and notices for clients are composed in one place",
        safety::speakers,
    ),
    (
        "a type has methods of its own in at most 3 files",
        definitions::spread,
    ),
    ("a name has at most 2 definitions", definitions::names),
    (
        "a public function says when it is an error",
        definitions::errors,
    ),
    ("a folder has at most 25 files", folders::crowded),
    (
        "no two files of a room import each other",
        folders::mutual_imports,
    ),
    ("a table has one row a line", folders::tables),
];

#[test]
fn the_house_is_tidy() {
    let sources = read_all(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(sources.len() > 20, "the sources were not found");
    let mut report = String::new();
    let found: Vec<_> = thread::scope(|scope| {
        let checks: Vec<_> = (RULES.iter())
            .map(|(_, check)| scope.spawn(|| check(&sources)))
            .collect();
        checks.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for ((rule, _), found) in RULES.iter().zip(found) {
        let breaches = allowed::beyond(rule, found);
        if !breaches.is_empty() {
            report.push_str(&format!("\n{rule}:\n"));
        }
        for Breach { path, line, what } in breaches {
            report.push_str(&format!("  {path}:{line}: {what}\n"));
        }
    }
    assert!(report.is_empty(), "{report}");
    let rules: Vec<&str> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(allowed::unknown(&rules), Vec::<&str>::new());
}

#[test]
fn the_top_level_holds_what_it_should() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    assert_eq!(layout::strange_names(&names), Vec::<&str>::new());
}

/// Every Rust file under src and tests.
fn read_all(root: &Path) -> Vec<Source> {
    let mut files = Vec::new();
    for folder in ["src", "tests"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let read = |file: &PathBuf| {
        let path = file
            .strip_prefix(root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        Source::new(&path, &fs::read_to_string(file).unwrap())
    };
    let mut sources: Vec<Source> = files.iter().map(read).collect();
    source::mark_tests(&mut sources);
    sources
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Shows that a rule fires on one sample and stays silent on another.
#[track_caller]
fn check(rule: Rule, path: &str, bad: &str, good: &str) {
    let found = rule(&[Source::new(path, bad)]);
    assert!(
        !found.is_empty(),
        "the rule did not see what is wrong with:\n{bad}"
    );
    assert_eq!(
        rule(&[Source::new(path, good)]),
        [],
        "the rule fired on:\n{good}"
    );
}
