//! Regular expressions of RE2, written for Postgres, where both find the same: alternatives and
//! lazy repetitions are looked for in another order there, so what is taken out by them is refused.
//!
//! <https://github.com/google/re2/wiki/Syntax>

use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// What is done with what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegexpUse {
    /// Whether there is anything.
    Presence,
    /// What it is.
    Text,
}

/// A pattern as Postgres has it.
pub fn pattern(pattern: &str, wanted: RegexpUse) -> TranslateResult<String> {
    let mut written = String::new();
    let mut rest = pattern;
    if let Some(after) = pattern.strip_prefix("(?i)") {
        written.push_str("(?i)");
        rest = after;
    }
    if rest.starts_with("***") {
        return Err(refused("a repetition of nothing"));
    }
    let mut letters = rest.chars().peekable();
    let mut repeated = false;
    while let Some(letter) = letters.next() {
        let repeats = matches!(letter, '*' | '+' | '?' | '}');
        match letter {
            '\\' => escape(letters.next(), false, &mut written)?,
            '[' => set(&mut letters, &mut written)?,
            '(' => {
                written.push('(');
                if letters.peek() == Some(&'?') {
                    letters.next();
                    if letters.next() != Some(':') {
                        return Err(refused("a group of this kind"));
                    }
                    written.push_str("?:");
                }
            }
            '|' if wanted == RegexpUse::Text => return Err(refused("alternatives")),
            '?' if repeated && wanted == RegexpUse::Text => {
                return Err(refused("a lazy repetition"));
            }
            other => written.push(other),
        }
        repeated = repeats;
    }
    Ok(written)
}

/// What a replacement is.
pub fn replacement(text: &str) -> TranslateResult<String> {
    let mut written = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            written.push(letter);
            continue;
        }
        match letters.next() {
            Some('0') => written.push_str("\\&"),
            Some(digit) if digit.is_ascii_digit() => {
                written.push('\\');
                written.push(digit);
            }
            Some('\\') => written.push_str("\\\\"),
            _ => return Err(refused("this escape in a replacement")),
        }
    }
    Ok(written)
}

/// How many groups of a pattern catch something.
pub fn groups(pattern: &str) -> usize {
    let mut count = 0;
    let mut letters = pattern.chars().peekable();
    let mut in_set = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '[' => in_set = true,
            ']' => in_set = false,
            '(' if !in_set && letters.peek() != Some(&'?') => count += 1,
            _ => {}
        }
    }
    count
}

/// A set of letters, of which the opening bracket is behind us.
fn set(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    written: &mut String,
) -> TranslateResult<()> {
    written.push('[');
    if letters.peek() == Some(&'^') {
        letters.next();
        written.push('^');
    }
    let mut is_first = true;
    while let Some(letter) = letters.next() {
        match letter {
            ']' if !is_first => {
                written.push(']');
                return Ok(());
            }
            '\\' => escape(letters.next(), true, written)?,
            '[' => return Err(refused("a set within a set")),
            other => written.push(other),
        }
        is_first = false;
    }
    Err(refused("a set without an end"))
}

/// What follows a backslash. The classes are those of ASCII.
fn escape(letter: Option<char>, in_set: bool, written: &mut String) -> TranslateResult<()> {
    let class = match letter {
        Some('d') => "0-9",
        Some('w') => "0-9A-Za-z_",
        Some('s') => "\\t\\n\\f\\r ",
        _ => "",
    };
    match letter {
        Some('d' | 'w' | 's') if in_set => written.push_str(class),
        Some('d' | 'w' | 's') => written.push_str(&format!("[{class}]")),
        Some('D') if !in_set => written.push_str("[^0-9]"),
        Some('W') if !in_set => written.push_str("[^0-9A-Za-z_]"),
        Some('S') if !in_set => written.push_str("[^\\t\\n\\f\\r ]"),
        Some('b') if !in_set => written.push_str("\\y"),
        Some('A') if !in_set => written.push_str("\\A"),
        Some('z') if !in_set => written.push_str("\\Z"),
        Some(control @ ('n' | 't' | 'r' | 'f' | 'v')) => {
            written.push('\\');
            written.push(control);
        }
        Some(sign) if sign.is_ascii_punctuation() => {
            written.push('\\');
            written.push(sign);
        }
        _ => return Err(refused("this escape")),
    }
    Ok(())
}

fn refused(what: &str) -> Untranslatable {
    Untranslatable::construct(&format!("{what} in a regular expression"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_the_same() {
        for (pattern_text, wanted) in [
            (r"^\d+\.\w$", r"^[0-9]+\.[0-9A-Za-z_]$"),
            (r"(?i)\bx", r"(?i)\yx"),
            (r"[^\d-]", "[^0-9-]"),
            ("[]a]", "[]a]"),
            ("(?:ab)(c)", "(?:ab)(c)"),
        ] {
            assert_eq!(pattern(pattern_text, RegexpUse::Text).unwrap(), wanted);
        }
        for refused in [r"\pL", "(?P<n>a)", "a|b", "a+?", r"\y", "[[:alpha:]]", "[a"] {
            assert!(pattern(refused, RegexpUse::Text).is_err(), "{refused}");
        }
        assert!(pattern("a|b+?", RegexpUse::Presence).is_ok());
        assert_eq!(replacement(r"<\1>\\\0").unwrap(), r"<\1>\\\&");
        assert!(replacement(r"\x").is_err());
        assert_eq!(groups(r"\((a)(?:b)[(]"), 1);
    }
}
