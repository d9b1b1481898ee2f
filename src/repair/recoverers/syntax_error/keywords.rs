//! Typos in keywords: `SELCT`, `FORM`, `GROBY`, `GROB BY`, `GROUP BT`.
//!
//! The typo is where the grammar stops, or shortly before it: a misspelt keyword can pass for an
//! alias. It is repaired where exactly one word of the text, taken for exactly one keyword, lets
//! the whole parse.

use std::collections::HashMap;

use super::edited_text::EditedText;
use super::keyword_list::{before_by, near};
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit};
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let offender = edited.error_token().unwrap_or(edited.tokens.len());
    let from = offender.saturating_sub(WORDS_BEFORE);
    let counts = WordCounts::of(edited);
    let mut sure: Vec<TokenRepair> = Vec::new();
    let mut tries: Vec<(usize, TokenRepair)> = Vec::new();
    for place in from..=offender {
        let word = edited.word(place);
        if edited.kind(place) != Some(TokenKind::Word) || word.len() < 2 {
            continue;
        }
        if edited.is(place.saturating_add(1), "by")
            && let Some(keyword) = before_by(word)
        {
            sure.push(taken_for(edited, place, keyword));
        }
        let is_name = known.has(word) || counts.count(word) > 1;
        for found in near(word).into_iter().filter(|_| !is_name) {
            tries.push((found.distance, taken_for(edited, place, found.keyword)));
        }
    }
    if let Some(repair) = edited.only_parsing(sure) {
        return Some(repair);
    }
    // Two typos: the other one passes for an alias, and what it was meant for would be lost.
    let is_repaired = |place: usize| (from..=offender).contains(&place);
    let others = (0..edited.tokens.len()).filter(|place| {
        edited.kind(*place) == Some(TokenKind::Word)
            && !edited.follows(*place, &["as"])
            && !known.has(edited.word(*place))
            && counts.count(edited.word(*place)) == 1
            && !near(edited.word(*place)).is_empty()
    });
    let others: Vec<usize> = others.take(2).collect();
    if others.len() > 1 || others.iter().any(|place| !is_repaired(*place)) {
        return None;
    }
    // What is nearer is asked first: a farther keyword is no rival of it.
    for distance in 0..=2 {
        let nearest = tries.iter().filter(|(own, _)| *own == distance);
        let repairs: Vec<TokenRepair> = nearest.map(|(_, repair)| repair.clone()).collect();
        if repairs
            .iter()
            .any(|repair| edited.parse_with(&repair.edits).is_some())
        {
            return edited.only_parsing(repairs);
        }
    }
    None
}

fn taken_for(edited: &EditedText, place: usize, keyword: &str) -> TokenRepair {
    TokenRepair {
        edits: vec![edit(edited.span(place), keyword)],
        change: format!("{} is read as {keyword}", edited.word(place)),
    }
}

/// How often each word stands in a text.
struct WordCounts(HashMap<String, usize>);

impl WordCounts {
    fn of(edited: &EditedText) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for place in 0..edited.tokens.len() {
            if edited.kind(place) == Some(TokenKind::Word) {
                let count = counts.entry(edited.word(place).to_ascii_lowercase());
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
