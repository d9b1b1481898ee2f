//! Names in backticks, as MySQL, SQLite and BigQuery write them.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::edit::TextEdit;
use sql::lexer::{self, TokenKind};

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut at = 0_usize;
    // Each name is passed over as a whole: what is in it is no token of anything.
    while let Some(opening) = next_mark(&edited.text, at) {
        let start = opening.saturating_add(1);
        let (name, end) = name_from(&edited.text, start)?;
        if name.is_empty() || name.contains('\n') {
            return None;
        }
        edits.push(edit(opening..end, written(&name, known)));
        at = end;
    }
    token_repair(edits, "names in backticks are written as names of Postgres")
}

/// The next backtick outside of literals and comments.
fn next_mark(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    lexer::tokens(rest).find_map(|token| {
        if token.kind != TokenKind::Operator {
            return None;
        }
        let mark = rest.get(token.span.clone())?.find('`')?;
        Some(from.saturating_add(token.span.start).saturating_add(mark))
    })
}

/// A name up to its closing backtick, and the byte after that.
fn name_from(text: &str, mut at: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    loop {
        let (part, rest) = text.get(at..)?.split_once('`')?;
        name.push_str(part);
        at = at.saturating_add(part.len()).saturating_add(1);
        if !rest.starts_with('`') {
            return Some((name, at));
        }
        name.push('`');
        at = at.saturating_add(1);
    }
}

fn written(name: &str, known: &MentionedNames<'_>) -> String {
    match name.split_once('.') {
        // A schema and a relation in one pair of marks.
        Some((schema, relation)) if !known.has(name) && known.has(relation) => {
            format!("{}.{}", known.spelled(schema), known.spelled(relation))
        }
        _ => known.spelled(name),
    }
}
