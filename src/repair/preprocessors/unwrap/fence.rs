//! Code fences: three backticks or tildes before and after.

use super::json::dialect;
use super::prose::{begins_statement, continues_statement};
use super::{EMPTY, PeeledLayer, SEVERAL};

/// The text in the only fence.
pub(in crate::preprocessors) fn peel(text: &str) -> Option<PeeledLayer> {
    let mark = match (text.find(BACKTICKS), text.find(TILDES)) {
        (Some(_), None) => BACKTICKS,
        (None, Some(_)) => TILDES,
        (None, None) => return None,
        (Some(ticks), Some(tildes)) if ticks < tildes => BACKTICKS,
        (Some(_), Some(_)) => TILDES,
    };
    let sign = if mark == BACKTICKS { '`' } else { '~' };
    let pieces: Vec<&str> = text.split(mark).collect();
    let trimmed = |piece: &&str| piece.trim_start_matches(sign).trim().to_owned();
    let (before, inside, after) = match pieces.as_slice() {
        // One mark alone: the other one was lost, or cut off with the end of the answer.
        [before, inside] if before.trim().is_empty() => (String::new(), *inside, String::new()),
        [inside, after] if begins_statement(inside) && trimmed(after).is_empty() => {
            return PeeledLayer::inside(inside, WHAT);
        }
        [before, inside] if !begins_statement(before) || ends_sentence(before) => {
            (trimmed(before), *inside, String::new())
        }
        [before, inside, after] => (trimmed(before), *inside, trimmed(after)),
        [_, _] => return None,
        _ => return Some(PeeledLayer::Hollow(SEVERAL)),
    };
    // What stands outside could be a part of it.
    if begins_statement(&before) && !ends_sentence(&before)
        || begins_statement(&after)
        || continues_statement(&after)
    {
        return None;
    }
    let (tag, inside) = tagged(inside.trim_start_matches(sign));
    let inside = inside.trim();
    if inside.is_empty() {
        return Some(PeeledLayer::Hollow(EMPTY));
    }
    Some(PeeledLayer::Inside {
        text: inside.to_owned(),
        dialect: dialect(tag),
        what: WHAT,
    })
}

/// Whether a text ends as a sentence does: what it begins with is no statement then.
fn ends_sentence(text: &str) -> bool {
    text.trim_end().ends_with([':', '.', '!'])
}

/// The tag after the mark, and the rest: the first word, where it stands alone in its line or is a
/// name of SQL.
fn tagged(inside: &str) -> (&str, &str) {
    let line = inside.lines().next().unwrap_or_default();
    let word = line.trim_start();
    let end = word.find(|c: char| c.is_whitespace()).unwrap_or(word.len());
    let (Some(word), Some(more)) = (word.get(..end), word.get(end..)) else {
        return ("", inside);
    };
    let skipped = line.len().saturating_sub(more.len());
    let rest = inside.get(skipped..).unwrap_or_default();
    let alone = more.trim().is_empty() && rest.contains('\n') && !begins_statement(word);
    let known = TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(word));
    match alone || known {
        true => (word, rest),
        false => ("", inside),
    }
}

const BACKTICKS: &str = "```";
const TILDES: &str = "~~~";
const WHAT: &str = "a code fence";

/// Tags that stand for SQL, or for nothing.
const TAGS: &[&str] = &[
    "sql",
    "postgresql",
    "postgres",
    "pgsql",
    "psql",
    "plpgsql",
    "mysql",
    "mariadb",
    "tsql",
    "mssql",
    "sqlserver",
    "sqlite",
    "sqlite3",
    "bigquery",
    "googlesql",
    "snowflake",
    "duckdb",
    "json",
    "text",
    "plaintext",
    "txt",
];
