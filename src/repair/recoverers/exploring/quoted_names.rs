//! Names in backticks or brackets around information_schema, whose own names need no quotes.

use crate::{Confidence, RepairContext};
use sql::tree;

/// A text that names information_schema, without backticks and brackets, where it parses then.
pub(super) fn without_quotes(context: &RepairContext<'_>) -> Option<(String, Confidence)> {
    let text = context.text;
    let has_it = text.to_ascii_lowercase().contains(INFORMATION_SCHEMA);
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
    let one = tree::parse(&made).is_ok_and(|tree| tree.statements().take(2).count() == 1);
    one.then_some((made, confidence))
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
