//! Types: how often a name is given, over how many files a type's own methods are spread, and
//! whether a public function says how it fails.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Source, words};
use super::{Breach, check};

/// Files that may have methods of one type. With more of them it has parts that are no types yet.
const IMPL_FILES_MAX: usize = 3;

/// Definitions in `src` that may share a name.
const SAME_NAMES_MAX: usize = 2;

/// Types whose own methods stand in more files than they may; one breach for each file beyond.
pub fn spread(sources: &[Source]) -> Vec<Breach> {
    let mut files: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        let Some(room) = source.module() else {
            continue;
        };
        let words = words(&source.shipped);
        for place in 0..words.len() {
            if let Some(name) = inherent(&words, place) {
                let own = files.entry(format!("{room}::{name}")).or_default();
                own.insert(&source.path);
            }
        }
    }
    let too_many = files.iter().flat_map(|(name, files)| {
        let beyond = files.iter().skip(IMPL_FILES_MAX);
        beyond.map(|file| Breach {
            path: name.clone(),
            line: 0,
            what: format!("methods in {file}, beyond {IMPL_FILES_MAX} files"),
        })
    });
    too_many.collect()
}

/// The type of an inherent impl that begins at a word.
fn inherent<'a>(words: &[(usize, &'a str)], place: usize) -> Option<&'a str> {
    let word = |at: usize| words.get(at).map_or("", |(_, word)| word);
    let begins = place == 0 || matches!(word(place - 1), "}" | ";" | "]" | "{" | "unsafe");
    if word(place) != "impl" || !begins {
        return None;
    }
    let mut at = place + 1;
    if word(at) == "<" {
        at = behind_angles(words, at);
    }
    let mut name = None;
    loop {
        match word(at) {
            "for" | "" => return None,
            "{" | "where" => return name,
            "<" => at = behind_angles(words, at),
            "::" | "&" | "dyn" | "(" | ")" => at += 1,
            _ => {
                name = words.get(at).map(|(_, word)| *word);
                at += 1;
            }
        }
    }
}

/// The place behind the angle that closes the one here.
fn behind_angles(words: &[(usize, &str)], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, (_, word)) in words.iter().enumerate().skip(open) {
        match *word {
            "<" => depth += 1,
            // The arrow of a function's type is no angle.
            ">" if words.get(at - 1).is_some_and(|(_, word)| *word == "-") => {}
            ">" if depth == 1 => return at + 1,
            ">" => depth -= 1,
            _ => {}
        }
    }
    words.len()
}

/// Names that more definitions have than may; one breach for each definition beyond.
pub fn names(sources: &[Source]) -> Vec<Breach> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        for (line, name) in defined(&source.shipped) {
            let place = format!("{}:{line}", source.path);
            places.entry(name).or_default().push(place);
        }
    }
    let too_many = places.iter().flat_map(|(name, places)| {
        let beyond = places.iter().skip(SAME_NAMES_MAX);
        beyond.map(|place| Breach {
            path: (*name).into(),
            line: 0,
            what: format!("defined in {place} as well, beyond {SAME_NAMES_MAX} places"),
        })
    });
    too_many.collect()
}

/// The types that a file defines at its top level, those of `words!` among them.
fn defined(code: &str) -> Vec<(usize, &str)> {
    let words = words(code);
    let mut found = Vec::new();
    let mut depth = 0_usize;
    for (at, (_, word)) in words.iter().enumerate() {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "struct" | "enum" | "trait" | "type" | "union" if depth == 0 => {
                found.extend(words.get(at + 1).copied());
            }
            "words" if depth == 0 => {
                let next = words.get(at + 1..at + 4).unwrap_or_default();
                if let [(_, "!"), (_, "{"), (line, name)] = next {
                    found.push((*line, name));
                }
            }
            _ => {}
        }
    }
    found
}

/// Public functions that return a Result and do not say when it is an error.
pub fn errors(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        let text: Vec<&str> = source.text.lines().collect();
        let mut code = source.shipped.as_str();
        let mut line = 0;
        while let Some(at) = code.find("pub ") {
            let (before, rest) = code.split_at(at);
            line += before.matches('\n').count();
            let is_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if !is_word && returns_result(rest) && !documented(&text, line) {
                breaches.push(Breach {
                    path: source.path.clone(),
                    line: line + 1,
                    what: "no # Errors on a public function that returns a Result".into(),
                });
            }
            code = rest.strip_prefix("pub ").unwrap_or_default();
        }
    }
    breaches
}

/// Whether a public item is a function whose type ends in a Result.
fn returns_result(item: &str) -> bool {
    let brace = item.find('{').unwrap_or(item.len());
    let end = item.find(';').unwrap_or(item.len()).min(brace);
    let head = item.get(..end).unwrap_or_default();
    let words: Vec<&str> = words(head).into_iter().map(|(_, word)| word).collect();
    let mut before = words.iter().take_while(|word| **word != "fn");
    let is_function =
        words.contains(&"fn") && before.all(|word| matches!(*word, "pub" | "async" | "const"));
    let arrow = words.windows(2).rposition(|pair| pair == ["-", ">"]);
    let returned = arrow.and_then(|at| words.get(at + 2..)).unwrap_or_default();
    let name = returned.iter().position(|word| *word == "<");
    let path = returned.get(..name.unwrap_or(returned.len()));
    let path = path.unwrap_or_default();
    is_function && path.last() == Some(&"Result") && path.first() != Some(&"(")
}

/// Whether the comment above a line has the heading.
fn documented(text: &[&str], line: usize) -> bool {
    let above = text.iter().take(line).rev();
    let mut above = above.map(|line| line.trim_start());
    above
        .by_ref()
        .take_while(|line| line.starts_with("///") || line.starts_with("#["))
        .any(|line| line == "/// # Errors")
}

#[test]
fn types_that_are_sawn_up_are_seen() {
    let file = |number: usize, text: &str| Source::new(&format!("src/a/f{number}.rs"), text);
    let sample = |text: &str, files: usize| {
        let files: Vec<Source> = (0..files).map(|number| file(number, text)).collect();
        spread(&files).len()
    };
    assert_eq!(sample("impl Whole { }", 3), 0);
    assert_eq!(sample("impl Whole { }", 5), 2);
    assert_eq!(
        sample("impl<'a, T: Fn() -> u8> Whole<'a, T> where T: X { }", 4),
        1
    );
    assert_eq!(sample("impl crate::a::Whole { }", 4), 1);
    assert_eq!(sample("impl fmt::Display for Whole { }", 5), 0);
    assert_eq!(sample("fn f() -> impl Iterator<Item = u8> { }", 5), 0);
}

#[test]
fn names_that_say_many_things_are_seen() {
    let bad = "struct Place; mod a { struct Place; } enum Place { A } words! { Place { B, } }";
    check(names, "src/a.rs", bad, "struct Place; pub enum Place { A }");
    let bad = "pub struct A; trait A {} type A = u8;";
    check(
        names,
        "src/a.rs",
        bad,
        "impl X for Y { type A = u8; type A = u8; type A = u8; }",
    );
}

#[test]
fn errors_that_are_not_told_are_seen() {
    let fine =
        "/// A.\n///\n/// # Errors\n/// When.\n#[must_use]\npub fn f() -> Result<u8, E> {}\n";
    for bad in [
        "/// A.\npub fn f() -> Result<u8, E> {}",
        "/// A.\npub async fn f(a: fn() -> u8) -> io::Result<()> {}",
        "impl X {\n    /// A.\n    pub const fn f(&self) -> fmt::Result {}\n}",
    ] {
        check(errors, "src/a.rs", bad, fine);
    }
    for good in [
        "fn f() -> Result<u8, E> {}",
        "pub(super) fn f() -> Result<u8, E> {}",
        "pub fn f() -> Option<Result<u8, E>> {}",
        "pub fn f() -> (Result<u8, E>, u8) {}",
        "pub struct X { f: fn() -> Result<u8, E> }",
    ] {
        assert_eq!(errors(&[Source::new("src/a.rs", good)]), [], "{good}");
    }
}
