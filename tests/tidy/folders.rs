//! What a folder holds, how the files of a room hang together, and how tables are written.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, words};
use super::{Breach, check};

/// Files in a folder.
const FILES_MAX: usize = 25;

/// Folders with a file for each thing of one kind, all alike.
const CATALOGUES: &[&str] = &["src/gate/rules"];

/// Rows from which a list is a table.
const TABLE_ROWS_MIN: usize = 8;

/// Folders with more files than a reader looks through.
pub fn crowded(sources: &[Source]) -> Vec<Breach> {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources {
        let folder = source
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        *folders.entry(folder).or_default() += 1;
    }
    let crowded =
        |(folder, files): &(&str, usize)| *files > FILES_MAX && !CATALOGUES.contains(folder);
    let breach = |(folder, files): (&str, usize)| Breach {
        path: folder.into(),
        line: 0,
        what: format!("{files} files, at most {FILES_MAX}"),
    };
    folders.into_iter().filter(crowded).map(breach).collect()
}

/// Files of a room that import each other, parent and child aside; one breach for each pair.
pub fn mutual_imports(sources: &[Source]) -> Vec<Breach> {
    let modules: BTreeMap<String, &Source> = sources
        .iter()
        .filter(|source| source.module().is_some())
        .map(|source| (source.modules().join("::"), source))
        .collect();
    let imports: BTreeSet<(&str, &str)> = modules
        .iter()
        .flat_map(|(own, source)| {
            let named = imported(source).into_iter();
            let files = named.filter_map(|path| file_of(&path, &modules));
            files.map(move |other| (own.as_str(), other))
        })
        .collect();
    let mut breaches = Vec::new();
    for (first, second) in &imports {
        let kin = |a: &str, b: &str| a.strip_prefix(b).is_some_and(|rest| rest.starts_with("::"));
        let (room, other) = (room_of(first), room_of(second));
        if first < second
            && room == other
            && !kin(first, second)
            && !kin(second, first)
            && imports.contains(&(*second, *first))
        {
            breaches.push(Breach {
                path: format!("src/{room}"),
                line: 0,
                what: format!("{first} and {second} import each other"),
            });
        }
    }
    breaches
}

fn room_of(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

/// The file that a path leads into: the longest of its beginnings that is one.
fn file_of<'m>(path: &[String], modules: &'m BTreeMap<String, &Source>) -> Option<&'m str> {
    let beginnings = (1..=path.len()).rev();
    let mut joined = beginnings.filter_map(|length| path.get(..length).map(|own| own.join("::")));
    joined.find_map(|own| modules.get_key_value(&own).map(|(known, _)| known.as_str()))
}

/// The paths that a file names by `crate`, `super` or `self`, each with its room before it.
fn imported(source: &Source) -> Vec<Vec<String>> {
    let words = words(&source.shipped);
    let mut found = Vec::new();
    for at in 0..words.len() {
        let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
        if at > 0 && word(at - 1) == "::" || word(at + 1) != "::" {
            continue;
        }
        let own = source.modules();
        let mut base: Vec<String> = own.iter().map(|name| (*name).into()).collect();
        let mut next = at + 2;
        match word(at) {
            "crate" => base = source.root().into_iter().map(String::from).collect(),
            "self" => {}
            "super" => {
                base.pop();
                while word(next) == "super" && word(next + 1) == "::" {
                    base.pop();
                    next += 2;
                }
            }
            _ => continue,
        }
        paths(&words, next, &base, &mut found);
    }
    found
}

/// The paths behind a `::`, groups taken apart; gives the place behind them.
fn paths(
    words: &[(usize, &str)],
    at: usize,
    base: &[String],
    found: &mut Vec<Vec<String>>,
) -> usize {
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
    if word(at) == "{" {
        let mut next = at + 1;
        while !matches!(word(next), "}" | "") {
            next = paths(words, next, base, found);
            if word(next) == "," {
                next += 1;
            }
        }
        return next + 1;
    }
    let mut path = base.to_vec();
    if !matches!(word(at), "self" | "*") {
        path.push(word(at).into());
    }
    if word(at + 1) == "::" && word(at + 2) != "<" {
        return paths(words, at + 2, &path, found);
    }
    found.push(path);
    // `as name`.
    if word(at + 1) == "as" { at + 3 } else { at + 1 }
}

/// Tables whose rows go over lines; one breach for each table. A record with named fields may: it
/// is read field by field.
pub fn tables(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        let lines: Vec<&str> = source.shipped.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let begins = line.trim_start();
            let begins = begins.strip_prefix("pub ").unwrap_or(begins);
            let begins = begins.split_once(") ").map_or(begins, |(scope, rest)| {
                if scope.starts_with("pub(") {
                    rest
                } else {
                    begins
                }
            });
            let is_list = (begins.starts_with("const ") || begins.starts_with("static "))
                && line.ends_with('[');
            if !is_list {
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            let rows = lines.iter().skip(number + 1);
            let rows: Vec<&str> = rows
                .take_while(|row| {
                    row.trim().is_empty() || row.len() - row.trim_start().len() > indent
                })
                .copied()
                .collect();
            let depth = |row: &&&str| row.len() - row.trim_start().len() == indent + 4;
            let starts = rows
                .iter()
                .filter(|row| !row.trim().is_empty())
                .filter(depth);
            let starts: Vec<&str> = starts.map(|row| row.trim()).collect();
            let broken = starts.iter().filter(|row| row.starts_with(')'));
            let broken = broken.count();
            if starts.len() - broken >= TABLE_ROWS_MIN && broken > 0 {
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: number + 1,
                    what: format!("{broken} rows of this table go over lines"),
                });
            }
        }
    }
    breaches
}

#[test]
fn crowded_folders_are_seen() {
    let files = |folder: &str, files: usize| {
        let file = |number| Source::new(&format!("{folder}/f{number}.rs"), "");
        let files: Vec<Source> = (0..files).map(file).collect();
        crowded(&files).len()
    };
    assert_eq!(
        [
            files("src/a", 25),
            files("src/a", 26),
            files("src/gate/rules", 60)
        ],
        [0, 1, 0]
    );
}

#[test]
fn files_that_import_each_other_are_seen() {
    let pair = |first: &str, second: &str| {
        let sources = [
            Source::new("src/a/mod.rs", "use self::b::B;"),
            Source::new("src/a/b.rs", first),
            Source::new("src/a/c/mod.rs", second),
            Source::new("src/a/c/d.rs", "use super::C;"),
            Source::new("src/e.rs", "use crate::a::b::B;"),
        ];
        mutual_imports(&sources).len()
    };
    assert_eq!(
        pair("use super::c::C;", "use crate::a::{b::{self, B}, A};"),
        1
    );
    assert_eq!(pair("fn f() { super::c::d::g() }", "use super::b::B;"), 0);
    assert_eq!(
        pair("use super::c::C; use crate::e::E;", "use self::d::D;"),
        0
    );
    assert_eq!(
        pair(
            "use super::c::{self as x, C};",
            "fn f() { super::b::g::<u8>() }"
        ),
        1
    );
    let in_a_crate = [
        Source::new("src/gate/a.rs", "use crate::b::B;"),
        Source::new("src/gate/b.rs", "use crate::{a::A, Gate};"),
    ];
    assert_eq!(mutual_imports(&in_a_crate).len(), 1);
}

#[test]
fn rows_over_lines_are_seen() {
    let table = |row: &str| format!("const T: &[(u8, u8)] = &[\n{}];\n", row.repeat(8));
    let broken = table("    (\n        1,\n        2,\n    ),\n");
    check(tables, "src/a.rs", &broken, &table("    (1, 2),\n"));
    let records = table("    Row {\n        a: 1,\n    },\n");
    assert_eq!(tables(&[Source::new("src/a.rs", &records)]), []);
    check(
        tables,
        "src/a.rs",
        &format!("pub(super) {broken}"),
        "const A: &[u8] = &[\n    1, 2,\n];\n",
    );
}
