//! Names of the database as they can be printed and run: whatever is in them, a terminal shows it
//! and SQL reads it back.
//!
//! <https://www.postgresql.org/docs/current/sql-syntax-lexical.html#SQL-SYNTAX-IDENTIFIERS-UESCAPE>

use std::fmt::Write;

use crate::catalog::quote::quoted;
use crate::telemetry::session_info::cleaned;

/// A name as SQL reads it. One with characters that a terminal would obey or not show is written
/// with their numbers.
pub fn sql_name(name: &str) -> String {
    if !name.chars().any(is_unprintable) {
        return quoted(name).into_owned();
    }
    let mut text = String::from("U&\"");
    for c in name.chars() {
        match c {
            '"' => text.push_str("\"\""),
            '\\' => text.push_str("\\\\"),
            c if is_unprintable(c) => {
                // Writing into a String does not fail.
                let _ = write!(text, "\\+{:06x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

/// A qualified name.
pub fn qualified(schema: &str, name: &str) -> String {
    format!("{}.{}", sql_name(schema), sql_name(name))
}

/// A list of types as the server writes it, with the names in quotes written anew.
pub fn types(list: &str) -> String {
    let mut text = String::new();
    let mut rest = list;
    while let Some((before, after)) = rest.split_once('"') {
        text.push_str(&unquoted(before));
        let mut name = String::new();
        let mut letters = after.char_indices().peekable();
        let mut end = after.len();
        while let Some((place, c)) = letters.next() {
            match (c, letters.peek()) {
                ('"', Some((_, '"'))) => {
                    name.push('"');
                    letters.next();
                }
                ('"', _) => {
                    end = place.saturating_add(1);
                    break;
                }
                (c, _) => name.push(c),
            }
        }
        // In quotes it was, and in quotes it stays: `"char"` is not `char`.
        match sql_name(&name) {
            plain if plain.contains('"') => text.push_str(&plain),
            plain => {
                let _ = write!(text, "\"{plain}\"");
            }
        }
        rest = after.get(end..).unwrap_or_default();
    }
    text.push_str(&unquoted(rest));
    text
}

/// What stands outside of quotes in such a list, which becomes part of a statement: letters, and
/// what is between types.
fn unquoted(words: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "_ ,.[]".contains(*c);
    words.chars().filter(plain).collect()
}

/// Words of the server that are only shown, without what a terminal would obey.
pub fn shown(words: &str) -> String {
    words.chars().filter(|c| !is_unprintable(*c)).collect()
}

fn is_unprintable(c: char) -> bool {
    cleaned(c.encode_utf8(&mut [0; 4])).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_with_its_number() {
        for (name, wanted) in [
            ("orders", "orders"),
            ("Orders", "\"Orders\""),
            ("a\"; DROP TABLE b; --", "\"a\"\"; DROP TABLE b; --\""),
            ("a\nb", "U&\"a\\+00000ab\""),
            ("\u{1b}[2J\"\\", "U&\"\\+00001b[2J\"\"\\\\\""),
            ("a\u{202e}b", "U&\"a\\+00202eb\""),
            ("größe\n", "U&\"größe\\+00000a\""),
        ] {
            assert_eq!(sql_name(name), wanted);
            assert!(!sql_name(name).contains(['\n', '\u{1b}']));
        }
    }

    #[test]
    fn types_keep_their_quotes() {
        for (list, wanted) in [
            ("", ""),
            (
                "integer, character varying[]",
                "integer, character varying[]",
            ),
            ("\"char\", public.\"A b\"", "\"char\", public.\"A b\""),
            ("public.\"a\"\"b\"[]", "public.\"a\"\"b\"[]"),
            ("public.\"a\nb\"", "public.U&\"a\\+00000ab\""),
            ("a) \\! x; '--", "a  x "),
        ] {
            assert_eq!(types(list), wanted);
        }
    }
}
