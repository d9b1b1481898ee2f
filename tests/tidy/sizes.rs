//! The sizes of files, functions and lines.

use super::source::{Source, braced};
use super::{Breach, check};

/// Lines of code in a file, without tests, comments and blank lines.
const FILE_LINES_MAX: usize = 400;

/// Lines of a function, from its name to its closing brace, without comments and blank lines.
const FUNCTION_LINES_MAX: usize = 70;

/// Characters in a line.
const WIDTH_MAX: usize = 100;

/// Files with too much code.
pub fn files(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        let is_test = source.module().is_none();
        let count = if is_test { worded_lines } else { code_lines };
        let lines = count(&source.shipped);
        if lines > FILE_LINES_MAX {
            let what = format!("{lines} lines of code, at most {FILE_LINES_MAX}");
            breaches.push(Breach {
                path: source.path.clone(),
                line: 0,
                what,
            });
        }
    }
    breaches
}

/// Functions that are too long.
pub fn functions(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources.iter().filter(|source| source.module().is_some()) {
        for (at, _) in source.shipped.match_indices("fn ") {
            let before = source.shipped.get(..at).unwrap_or_default();
            let rest = source.shipped.get(at..).unwrap_or_default();
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let brace = rest.find('{').unwrap_or(rest.len());
            if rest.find(';').is_some_and(|semicolon| semicolon < brace) {
                continue;
            }
            let end = brace + braced(rest.get(brace..).unwrap_or_default());
            let body = rest.get(..end).unwrap_or(rest);
            let lines = code_lines(body);
            if lines > FUNCTION_LINES_MAX {
                let line = before.lines().count();
                let what = format!("a function of {lines} lines, at most {FUNCTION_LINES_MAX}");
                breaches.push(Breach {
                    path: source.path.clone(),
                    line,
                    what,
                });
            }
        }
    }
    breaches
}

/// Lines that hold code, not only comments or space.
fn code_lines(blanked: &str) -> usize {
    blanked
        .lines()
        .filter(|line| !line.trim().is_empty())
        .count()
}

/// Lines that hold a word of code. In a table of statements most do not: that is data.
fn worded_lines(blanked: &str) -> usize {
    blanked
        .lines()
        .filter(|line| line.contains(char::is_alphanumeric))
        .count()
}

/// Lines that are too wide. An address cannot be broken; nor can a literal.
pub fn widths(sources: &[Source]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for source in sources {
        for (number, line) in source.text.lines().enumerate() {
            let width = line.chars().count();
            let statement = line.contains('"') && !line.trim_start().starts_with("//");
            if width > WIDTH_MAX && !line.contains("://") && !statement {
                let what = format!("{width} characters, at most {WIDTH_MAX}");
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

#[test]
fn long_files_are_seen_and_their_tests_do_not_count() {
    let line = "const A: u8 = 0;\n";
    let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", line.repeat(500));
    let fine = format!("{}// more\n\n{tests}", line.repeat(400));
    check(files, "src/a.rs", &line.repeat(401), &fine);
    let table = "    (\"SELECT 1\", \"x\"),\n".repeat(401);
    check(files, "tests/a.rs", &line.repeat(401), &table);
}

#[test]
fn long_functions_are_seen() {
    let body = |lines| {
        format!(
            "fn f(g: fn (u8)) {{\n{}}}\n",
            "    x();\n    // y\n".repeat(lines)
        )
    };
    check(functions, "src/a.rs", &body(69), &body(68));
    assert_eq!(
        functions(&[Source::new("src/a.rs", "trait T { fn f(&self); }")]),
        []
    );
}

#[test]
fn wide_lines_are_seen() {
    let wide = "x".repeat(101);
    check(widths, "src/a.rs", &wide, &"ü".repeat(100));
    check(
        widths,
        "src/a.rs",
        &format!("// \"{wide}\""),
        &format!("f(\"{wide}\");"),
    );
}
