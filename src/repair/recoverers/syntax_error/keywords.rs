//! Typos in keywords: `SELCT`, `FORM`, `GROBY`, `GROB BY`, `GROUP BT`.
//!
//! The typo is where the grammar stops, or shortly before it: a misspelt keyword can pass for an
//! alias. It is mended where exactly one word of the text, taken for exactly one keyword, lets the
//! whole parse.

use std::collections::HashMap;

use super::edited_text::Stage;
use super::keyword_list::{before_by, near};
use super::mentioned_names::Known;
use super::token_repairs::{Mend, edit};
use crate::sql::lexer::TokenKind;

pub(in crate::repair::recoverers::syntax_error) fn mend(
    stage: &Stage,
    known: &Known<'_>,
) -> Option<Mend> {
    let offender = stage.offender().unwrap_or(stage.tokens.len());
    let from = offender.saturating_sub(WORDS_BEFORE);
    let counts = Counts::of(stage);
    let mut sure: Vec<Mend> = Vec::new();
    let mut tries: Vec<(usize, Mend)> = Vec::new();
    for place in from..=offender {
        let word = stage.word(place);
        if stage.kind(place) != Some(TokenKind::Word) || word.len() < 2 {
            continue;
        }
        if stage.is(place.saturating_add(1), "by")
            && let Some(keyword) = before_by(word)
        {
            sure.push(taken_for(stage, place, keyword));
        }
        let is_name = known.has(word) || counts.count(word) > 1;
        for found in near(word).into_iter().filter(|_| !is_name) {
            tries.push((found.distance, taken_for(stage, place, found.keyword)));
        }
    }
    if let Some(mend) = stage.only(sure) {
        return Some(mend);
    }
    // Two typos: the other one passes for an alias, and what it was meant for would be lost.
    let is_mended = |place: usize| (from..=offender).contains(&place);
    let others = (0..stage.tokens.len()).filter(|place| {
        stage.kind(*place) == Some(TokenKind::Word)
            && !stage.follows(*place, &["as"])
            && !known.has(stage.word(*place))
            && counts.count(stage.word(*place)) == 1
            && !near(stage.word(*place)).is_empty()
    });
    let others: Vec<usize> = others.take(2).collect();
    if others.len() > 1 || others.iter().any(|place| !is_mended(*place)) {
        return None;
    }
    // What is nearer is asked first: a farther keyword is no rival of it.
    for distance in 0..=2 {
        let nearest = tries.iter().filter(|(own, _)| *own == distance);
        let mends: Vec<Mend> = nearest.map(|(_, mend)| mend.clone()).collect();
        if mends
            .iter()
            .any(|mend| stage.parse_with(&mend.edits).is_some())
        {
            return stage.only(mends);
        }
    }
    None
}

fn taken_for(stage: &Stage, place: usize, keyword: &str) -> Mend {
    Mend {
        edits: vec![edit(stage.span(place), keyword)],
        change: format!("{} is read as {keyword}", stage.word(place)),
    }
}

/// How often each word stands in a text.
struct Counts(HashMap<String, usize>);

impl Counts {
    fn of(stage: &Stage) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for place in 0..stage.tokens.len() {
            if stage.kind(place) == Some(TokenKind::Word) {
                let count = counts.entry(stage.word(place).to_ascii_lowercase());
                *count.or_default() += 1;
            }
        }
        Self(counts)
    }

    fn count(&self, word: &str) -> usize {
        let count = self.0.get(&word.to_ascii_lowercase());
        count.copied().unwrap_or_default()
    }
}

/// How far before the place where the grammar stops a typo can stand.
const WORDS_BEFORE: usize = 4;
