//! Apostrophes inside of strings that are not doubled: `'O'Brien'`, `'O\'Brien'`.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use ground::limits;
use sql::edit::{self as edits_of, TextEdit};

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    _: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    if let Some(escaped) = escaped(edited) {
        return Some(escaped);
    }
    let places = between_letters(&edited.text);
    if places.is_empty() || places.len() > limits::SYNTAX_APOSTROPHES_MAX {
        return None;
    }
    let double = |at: &usize| edit(*at..*at, "'");
    let all: Vec<TextEdit> = places.iter().map(double).collect();
    let each = places.iter().map(|at| vec![double(at)]);
    let tries = std::iter::once(all).chain(each);
    let tries: Vec<TokenRepair> = tries
        .filter_map(|edits| token_repair(edits, CHANGE))
        .collect();
    edited
        .only_parsing(tries.clone())
        .or_else(|| closing(edited, tries))
}

/// Something else is wrong as well: the only repair after which all literals end.
fn closing(edited: &EditedText, mut tries: Vec<TokenRepair>) -> Option<TokenRepair> {
    if !edited.is_open() {
        return None;
    }
    tries.retain(|repair| closes(edited, repair));
    tries.dedup_by(|one, other| one.edits == other.edits);
    match tries.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn closes(edited: &EditedText, repair: &TokenRepair) -> bool {
    let text = edits_of::apply(&edited.text, repair.edits.clone());
    text.is_ok_and(|text| !EditedText::new(&text).is_open())
}

/// `\'` in strings, where other databases read an apostrophe.
fn escaped(edited: &EditedText) -> Option<TokenRepair> {
    let places = edited.text.match_indices("\\'");
    let edits: Vec<TextEdit> = places
        .map(|(at, _)| edit(at..at.saturating_add(1), "'"))
        .collect();
    let repair = token_repair(edits, CHANGE)?;
    if edited.parse_with(&repair.edits).is_some() {
        return Some(repair);
    }
    // Something else is wrong as well: that all literals end is sign enough.
    (edited.is_open() && closes(edited, &repair)).then_some(repair)
}

/// Where an apostrophe stands between two letters, in the whole text.
fn between_letters(text: &str) -> Vec<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    let places = text.match_indices('\'').filter(|(at, _)| {
        let before = text
            .get(..*at)
            .and_then(|before| before.chars().next_back());
        let after = text
            .get(at.saturating_add(1)..)
            .and_then(|after| after.chars().next());
        is_letter(before) && is_letter(after)
    });
    places.map(|(at, _)| at).collect()
}

const CHANGE: &str = "apostrophes in strings are doubled";
