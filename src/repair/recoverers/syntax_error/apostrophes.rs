//! Apostrophes inside of strings that are not doubled: `'O'Brien'`, `'O\'Brien'`.

use super::edited_text::Stage;
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit, mended};
use crate::limits;
use crate::sql::edit::{self as edits_of, Edit};

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    _: &Known<'_>,
) -> Option<Mend> {
    if let Some(escaped) = escaped(stage) {
        return Some(escaped);
    }
    let places = between_letters(&stage.text);
    if places.is_empty() || places.len() > limits::MEND_APOSTROPHES_MAX {
        return None;
    }
    let double = |at: &usize| edit(*at..*at, "'");
    let all: Vec<Edit> = places.iter().map(double).collect();
    let each = places.iter().map(|at| vec![double(at)]);
    let tries = std::iter::once(all).chain(each);
    let tries: Vec<Mend> = tries.filter_map(|edits| mended(edits, CHANGE)).collect();
    stage.only(tries.clone()).or_else(|| closing(stage, tries))
}

/// Something else is wrong as well: the only mend after which all literals end.
fn closing(stage: &Stage, mut tries: Vec<Mend>) -> Option<Mend> {
    if !stage.is_open() {
        return None;
    }
    tries.retain(|mend| closes(stage, mend));
    tries.dedup_by(|one, other| one.edits == other.edits);
    match tries.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    }
}

fn closes(stage: &Stage, mend: &Mend) -> bool {
    let text = edits_of::apply(&stage.text, mend.edits.clone());
    text.is_ok_and(|text| !Stage::new(&text).is_open())
}

/// `\'` in strings, where other databases read an apostrophe.
fn escaped(stage: &Stage) -> Option<Mend> {
    let places = stage.text.match_indices("\\'");
    let edits: Vec<Edit> = places
        .map(|(at, _)| edit(at..at.saturating_add(1), "'"))
        .collect();
    let mend = mended(edits, CHANGE)?;
    if stage.parse_with(&mend.edits).is_some() {
        return Some(mend);
    }
    // Something else is wrong as well: that all literals end is sign enough.
    (stage.is_open() && closes(stage, &mend)).then_some(mend)
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
