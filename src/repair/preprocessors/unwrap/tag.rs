//! Tags: `SQL: SELECT …`, `<sql>SELECT …</sql>`, `<think>…</think>`.

use super::json::dialect;
use super::prose::{begins_statement, continues_statement};
use super::{EMPTY, PeeledLayer};

/// What a model thought before it answered.
pub(in crate::preprocessors) fn thoughts(text: &str) -> Option<PeeledLayer> {
    for name in THOUGHTS {
        let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
        let begins = text.trim_start().starts_with(opening.as_str());
        if let Some((_, rest)) = text.split_once(closing.as_str()).filter(|_| begins) {
            return PeeledLayer::inside(rest, "notes");
        }
    }
    None
}

/// What stands in the only pair of tags, with prose around it.
pub(in crate::preprocessors) fn markup(text: &str) -> Option<PeeledLayer> {
    let lower = text.to_ascii_lowercase();
    for name in MARKUP {
        let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
        let Some(start) = lower.find(opening.as_str()) else {
            continue;
        };
        let end = lower.find(closing.as_str()).unwrap_or(text.len());
        let inside = text.get(start.saturating_add(opening.len())..end)?;
        let after = text
            .get(end.saturating_add(closing.len())..)
            .unwrap_or_default();
        if lower.matches(opening.as_str()).count() > 1
            || begins_statement(text.get(..start)?)
            || begins_statement(after)
            || continues_statement(after)
        {
            return None;
        }
        if inside.trim().is_empty() {
            return Some(PeeledLayer::Hollow(EMPTY));
        }
        return PeeledLayer::inside(inside, "a tag");
    }
    None
}

/// A label before the statement.
pub(in crate::preprocessors) fn label(text: &str) -> Option<PeeledLayer> {
    let text = text.trim_start();
    let plain = text.trim_start_matches(['*', '#', '>', ' ']);
    for name in LABELS {
        let Some(rest) = strip_word(plain, name) else {
            continue;
        };
        let rest = rest.trim_start_matches(['*', ' ', '\t']);
        let rest = rest.strip_prefix([':', '>', '=', '-']).unwrap_or(rest);
        let rest = rest.trim_start_matches(['*', ' ', '\t', '\r', '\n']);
        if begins_statement(rest) || rest.starts_with(['{', '`', '~', '<', '"', '\'']) {
            return Some(PeeledLayer::Inside {
                text: rest.trim().to_owned(),
                dialect: dialect(name.split(' ').next().unwrap_or(name)),
                what: "a tag",
            });
        }
    }
    None
}

/// The text after a word that it begins with.
fn strip_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (first, rest) = text.split_at_checked(word.len())?;
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (ends && first.eq_ignore_ascii_case(word)).then_some(rest)
}

const THOUGHTS: &[&str] = &["think", "thinking", "reasoning", "scratchpad"];

const MARKUP: &[&str] = &[
    "sql",
    "sql_query",
    "query",
    "sqlquery",
    "final_answer",
    "answer",
    "code",
];

/// Longer ones first, where one begins with another.
const LABELS: &[&str] = &[
    "sql query",
    "sql_query",
    "sqlquery",
    "sql statement",
    "sql code",
    "sql",
    "postgresql query",
    "postgresql",
    "postgres",
    "psql",
    "mysql query",
    "mysql",
    "tsql",
    "t-sql",
    "sqlite query",
    "sqlite",
    "bigquery",
    "snowflake",
    "duckdb",
    "final query",
    "final answer",
    "final sql",
    "query",
    "answer",
    "statement",
    "output",
    "response",
    "a",
];
