//! A Rust file with its comments and literals blanked out, so that rules see code only.

/// The rooms that are crates, lowest first. In one of them `crate` is the room, and the compiler
/// sees to it that it imports what its `Cargo.toml` names.
pub const CRATES: &[&str] = &[
    "ground",
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
];

/// One file.
pub struct Source {
    /// Its path from the top, with `/`.
    pub path: String,
    /// The text as it is.
    pub text: String,
    /// The text with comments, strings and characters turned into spaces; same lines, same columns.
    pub code: String,
    /// The same, with test modules blanked as well.
    pub shipped: String,
}

impl Source {
    /// Reads a text.
    pub fn new(path: &str, text: &str) -> Self {
        let code = blank_literals(text);
        let shipped = blank_tests(&code);
        Self {
            path: path.into(),
            text: text.into(),
            code,
            shipped,
        }
    }

    /// The room that this file belongs to: a folder of `src`, crate or not; none for tests.
    pub fn module(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let first = inside.split('/').next()?;
        Some(first.strip_suffix(".rs").unwrap_or(first))
    }

    /// The modules that `crate` stands for in it: its room where that is a crate.
    pub fn root(&self) -> Vec<&str> {
        let room = self.module().filter(|room| CRATES.contains(room));
        room.into_iter().collect()
    }

    /// The names of the modules that lead to this file, outermost first: the first is the room.
    pub fn modules(&self) -> Vec<&str> {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let inside = inside.strip_suffix(".rs").unwrap_or(inside);
        let mut modules: Vec<&str> = inside.split('/').collect();
        if matches!(modules.last(), Some(&"mod" | &"lib" | &"main")) {
            modules.pop();
        }
        modules
    }
}

/// What stands before code that only tests have, literals blanked: of a room's own, and of those of
/// other rooms as well.
const OF_TESTS: [&str; 2] = ["#[cfg(test)]", "#[cfg(any(test, feature =          ))]"];

/// The next code that only tests have: where its attribute begins, and how long that is.
fn next_of_tests(code: &str) -> Option<(usize, usize)> {
    let found = OF_TESTS
        .iter()
        .filter_map(|attribute| code.find(attribute).map(|at| (at, attribute.len())));
    found.min()
}

/// Blanks the files of modules that only tests have: `#[cfg(test)] mod name;`.
pub fn mark_tests(sources: &mut [Source]) {
    let mut only_tests = Vec::new();
    for source in sources.iter() {
        let mut folder = vec!["src"];
        folder.extend(source.modules());
        let folder = folder.join("/");
        let mut rest = source.code.as_str();
        while let Some((at, length)) = next_of_tests(rest) {
            rest = rest.get(at + length..).unwrap_or_default();
            let words: Vec<&str> = words(rest).into_iter().map(|(_, w)| w).take(8).collect();
            let module = words.iter().position(|word| *word == "mod");
            if let Some([_, name, ";"]) = module.and_then(|at| words.get(at..at + 3)) {
                only_tests.push(format!("{folder}/{name}"));
            }
        }
    }
    for source in sources {
        let stem = source.path.strip_suffix(".rs").unwrap_or(&source.path);
        let is_test = |module: &String| {
            stem == module
                || stem
                    .strip_prefix(module.as_str())
                    .is_some_and(|r| r.starts_with('/'))
        };
        if only_tests.iter().any(is_test) {
            source.shipped = spaces(&source.shipped);
        }
    }
}

/// The words and signs of a code, each with its line.
pub fn words(code: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    for (number, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                ':' if rest.starts_with("::") => 2,
                _ if is_of_word(first) => end_of_word(rest),
                _ => first.len_utf8(),
            };
            let (word, after) = rest.split_at(end);
            words.push((number + 1, word));
            rest = after.trim_start();
        }
    }
    words
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Where the word at the front ends. Code is plain English almost everywhere, and read a lot.
fn end_of_word(text: &str) -> usize {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = text.bytes().take_while(is_plain).count();
    match text.as_bytes().get(end) {
        Some(0x80..) => text.find(|c| !is_of_word(c)).unwrap_or(text.len()),
        Some(_) | None => end,
    }
}

/// The text from an opening brace to the one that closes it, as a count of bytes; the whole text
/// when nothing closes it.
pub fn braced(code: &str) -> usize {
    let mut depth = 0_usize;
    for (place, sign) in code.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' if depth <= 1 => return place + 1,
            '}' => depth -= 1,
            _ => {}
        }
    }
    code.len()
}

/// Turns a stretch into spaces and keeps its line ends.
fn spaces(text: &str) -> String {
    text.chars()
        .map(|c| if c == '\n' { '\n' } else { ' ' })
        .collect()
}

fn blank_literals(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (keep, end) = match first {
            '/' if rest.starts_with("//") => (false, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => (false, block_comment(rest)),
            '"' => (false, string(rest)),
            '\'' => (false, character(rest)),
            'r' | 'b' | 'c' if !ends_in_word(&code) => match prefixed(rest) {
                Some(end) => (false, end),
                None => (true, first.len_utf8()),
            },
            _ => (true, first.len_utf8()),
        };
        let (piece, after) = rest.split_at(end);
        if keep {
            code.push_str(piece);
        } else {
            code.push_str(&spaces(piece));
        }
        rest = after;
    }
    code
}

fn ends_in_word(code: &str) -> bool {
    code.chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// Rust's block comments nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut place = 0;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            place += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            place += 2;
            if depth == 0 {
                return place;
            }
        } else {
            place += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

fn string(text: &str) -> usize {
    let mut escaped = false;
    for (place, sign) in text.char_indices().skip(1) {
        match sign {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character, or the tick alone when it begins a lifetime.
fn character(text: &str) -> usize {
    let mut signs = text.char_indices().skip(1);
    match signs.next() {
        Some((_, '\\')) => {
            signs.next();
            text.get(2..)
                .and_then(|rest| rest.char_indices().skip(1).find(|(_, c)| *c == '\''))
                .map_or(text.len(), |(place, _)| place + 3)
        }
        Some(_) => match signs.next() {
            Some((place, '\'')) => place + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// Raw, byte and C strings and byte characters; none when the letter only begins a word.
fn prefixed(text: &str) -> Option<usize> {
    let letters = text.find(|c| !matches!(c, 'r' | 'b' | 'c'))?;
    let (prefix, rest) = text.split_at_checked(letters.min(2))?;
    if prefix.contains('r') {
        let hashes = rest.find(|c| c != '#')?;
        let body = rest.get(hashes..).filter(|body| body.starts_with('"'))?;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = body
            .get(1..)?
            .find(&close)
            .map_or(body.len(), |at| at + 1 + close.len());
        return Some(prefix.len() + hashes + end);
    }
    match rest.chars().next()? {
        '"' => Some(prefix.len() + string(rest)),
        '\'' if prefix == "b" => Some(1 + character(rest)),
        _ => None,
    }
}

/// Blanks what only tests have: a module, or one item up to its end.
fn blank_tests(code: &str) -> String {
    let mut shipped = String::with_capacity(code.len());
    let mut rest = code;
    while let Some((at, _)) = next_of_tests(rest) {
        let (before, tests) = rest.split_at(at);
        shipped.push_str(before);
        let brace = tests.find('{').unwrap_or(tests.len());
        let semicolon = tests.find(';').unwrap_or(tests.len());
        let end = if semicolon < brace {
            semicolon + 1
        } else {
            brace + braced(tests.get(brace..).unwrap_or_default())
        };
        let (blanked, after) = tests.split_at(end.min(tests.len()));
        shipped.push_str(&spaces(blanked));
        rest = after;
    }
    shipped.push_str(rest);
    shipped
}

#[test]
fn literals_and_comments_are_no_code() {
    for (text, code) in [
        ("a // b", "a     "),
        ("a /* b /* c */ d */ e", "a                   e"),
        (
            "f(\"x\\\"y\", 'z', '\\'', '\\u{7f}')",
            "f(      ,    ,     ,         )",
        ),
        ("fn f<'a>(x: &'a str)", "fn f<    (x: &  str)"),
        (
            "r#\"a\"b\"# + br\"c\" + b'd' + b\"e\"",
            "          +       +      +     ",
        ),
        ("crate::bar(r, b, c)", "crate::bar(r, b, c)"),
    ] {
        let source = Source::new("src/x.rs", text);
        assert_eq!(source.code.len(), text.len());
        // A lifetime's letter may stay or go: no rule is about lifetimes.
        let visible = |s: &str| s.replace(['\'', ' ', 'a', '>'], "");
        assert_eq!(visible(&source.code), visible(code), "{text}");
    }
}

#[test]
fn files_of_test_modules_are_not_shipped() {
    let mut sources = [
        Source::new("src/gate/mod.rs", "mod walk;\n#[cfg(test)]\nmod check;\n"),
        Source::new(
            "src/catalog/mod.rs",
            "#[cfg(any(test, feature = \"fixture\"))]\npub mod fixture;\nfn x() {}",
        ),
        Source::new("src/catalog/fixture/rows.rs", "fn x() {}"),
        Source::new(
            "src/gate/walk.rs",
            "#[cfg(test)] pub(crate) mod deep;\nfn x() {}",
        ),
        Source::new("src/gate/check.rs", "fn x() {}"),
        Source::new("src/gate/walk/deep.rs", "fn x() {}"),
    ];
    mark_tests(&mut sources);
    let shipped = sources.map(|source| !source.shipped.trim().is_empty());
    assert_eq!(shipped, [true, true, false, true, false, false]);
}

#[test]
fn test_modules_are_not_shipped() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { {} }\n}\nfn c() {}\n";
    let source = Source::new("src/x.rs", text);
    let seen: Vec<_> = words(&source.shipped)
        .into_iter()
        .filter(|(_, w)| w.len() == 1)
        .collect();
    assert!(seen.contains(&(1, "a")) && seen.contains(&(6, "c")));
    assert!(!seen.iter().any(|(_, word)| *word == "b"));
}
