//! Names in backticks or brackets around information_schema and `sys`, whose own names need no
//! quotes, and `TOP n`.

use crate::context::{tokens_of, tree_of};
use crate::{Confidence, RepairContext};
use sql::lexer::Token;
use sql::node_access;
use sql::tree::Node;

/// A text that names one of them, without backticks and brackets, where it parses then.
pub(super) fn without_quotes(context: &RepairContext<'_>) -> Option<(String, Confidence)> {
    let text = context.text;
    let lower = text.to_ascii_lowercase();
    let has_it =
        lower.contains(INFORMATION_SCHEMA) || lower.contains("sys.") || lower.contains("[sys]");
    if !has_it || context.tree.is_some() {
        return None;
    }
    let mut made = String::with_capacity(text.len());
    let mut confidence = Confidence::Exact;
    let mut passed = 0_usize;
    for token in context.tokens {
        let start = token.span.start;
        if start < passed {
            continue;
        }
        let word = context.word(token);
        let closing = match word.chars().next()? {
            '`' => '`',
            '[' => ']',
            _ => {
                made.push_str(word);
                passed = token.span.end;
                continue;
            }
        };
        let inside = start.saturating_add(1);
        let (name, _) = text.get(inside..)?.split_once(closing)?;
        let (bare, sure) = bare_name(name)?;
        made.push_str(&bare);
        confidence = confidence.max(sure);
        passed = inside.saturating_add(name.len()).saturating_add(1);
    }
    [Some(made.clone()), with_limit(&made)]
        .into_iter()
        .flatten()
        .find(|made| tree_of(made).is_some_and(|tree| tree.statements().take(2).count() == 1))
        .map(|made| (made, confidence))
}

/// Whether a text reads information_schema.
pub(super) fn reads_information_schema(text: &str) -> bool {
    let Some(tree) = tree_of(text) else {
        return false;
    };
    let mut statements = tree
        .statements()
        .filter_map(|one| node_access::all(one.node));
    statements.any(|nodes| {
        let mut tables = nodes.iter().filter_map(|node| match node {
            Node::RangeVar(table) => table.schemaname(),
            _ => None,
        });
        tables.any(|schema| schema.eq_ignore_ascii_case(INFORMATION_SCHEMA))
    })
}

/// `SELECT TOP 5 …` as Postgres writes it.
fn with_limit(text: &str) -> Option<String> {
    let tokens = tokens_of(text);
    let solid: Vec<&Token> = tokens
        .iter()
        .filter(|token| !token.kind.is_blank())
        .collect();
    let word = |place: usize| {
        let span = solid.get(place).map(|token| token.span.clone());
        span.and_then(|span| text.get(span)).unwrap_or_default()
    };
    let top = 1 + usize::from(word(1).eq_ignore_ascii_case("distinct"));
    let is_top = word(0).eq_ignore_ascii_case("select") && word(top).eq_ignore_ascii_case("top");
    let (number, last) = match word(top.saturating_add(1)) {
        "(" => (word(top.saturating_add(2)), top.saturating_add(3)),
        number => (number, top.saturating_add(1)),
    };
    let is_closed = last == top.saturating_add(1) || word(last) == ")";
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    let next = word(last.saturating_add(1)).to_ascii_lowercase();
    if !(is_top && is_closed && is_number) || ["percent", "with"].contains(&next.as_str()) {
        return None;
    }
    let start = text.get(..solid.get(top)?.span.start)?;
    let rest = text.get(solid.get(last)?.span.end..)?.trim_end();
    let rest = rest.trim_end_matches(';').trim_end();
    Some(format!("{start}{} LIMIT {number}", rest.trim_start()))
}

/// What stands between quotes, without them: of what stands before information_schema the last
/// part, where it can be a schema.
fn bare_name(name: &str) -> Option<(String, Confidence)> {
    let is_word = |part: &&str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && (part.bytes()).all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
    };
    let parts: Vec<&str> = name.split('.').collect();
    let standard = |part: &&str| part.eq_ignore_ascii_case(INFORMATION_SCHEMA);
    let Some(at) = parts.iter().position(standard) else {
        let is_plain = parts.iter().all(is_word);
        return is_plain.then(|| (name.to_owned(), Confidence::Exact));
    };
    let dataset = at.checked_sub(1).and_then(|before| parts.get(before));
    let (from, confidence) = match dataset {
        None => (at, Confidence::Exact),
        Some(dataset) if is_word(dataset) => (at.saturating_sub(1), Confidence::Exact),
        Some(_) => (at, Confidence::Likely),
    };
    let kept = parts.get(from..)?;
    kept.iter()
        .all(is_word)
        .then(|| (kept.join("."), confidence))
}

const INFORMATION_SCHEMA: &str = "information_schema";
