//! What of a grounding a question in plain English needs. No model and nothing learnt: words of
//! the question are looked for in names, comments, labels and values, as BM25 weighs them.
//!
//! * `words`: names and texts as words; `likeness`: a word and its abbreviations; `synonyms`:
//!   words that mean much the same; `question`: what is looked for
//! * `vocabulary`: which words stand where; `roles`: what columns are for; `links`: which relations
//!   can be joined
//! * `known`: records of knowledge beside the question
//! * `hits`: how well relations and columns match a question; `worth`: how sure it is that they are
//!   needed; `selection`: what there is room for
//!
//! All of it reads a [`Grounding`], so that what is hidden cannot be found. The same document and
//! question have the same answer.

mod hits;
mod known;
mod likeness;
mod links;
mod question;
mod roles;
mod selection;
mod synonyms;
#[cfg(test)]
mod tests;
mod vocabulary;
pub(super) mod words;
mod worth;

use self::hits::SchemaHits;
use self::links::KeyLinks;
use self::question::AskedQuestion;
use self::roles::SchemaRoles;
use self::selection::RankedParts;
use self::vocabulary::Vocabulary;
use self::worth::WorthEstimate;
use crate::budget::{self, tokens};
use crate::document::Grounding;

/// What is looked up in when a question is asked about a grounding. It belongs to this one
/// document, and is true as long as that is.
pub struct SchemaIndex {
    vocabulary: Vocabulary,
    links: KeyLinks,
    roles: SchemaRoles,
}

impl SchemaIndex {
    /// The index of a document.
    pub fn of(grounding: &Grounding) -> Self {
        Self {
            vocabulary: Vocabulary::of(grounding),
            links: KeyLinks::of(grounding),
            roles: SchemaRoles::of(grounding),
        }
    }

    /// What of the document a question needs, as far as there is room for so many tokens: the parts
    /// that are most surely needed for the room they take. Where there are few relations, each is
    /// named if that leaves room for columns. What was left out stands in [`Grounding::left_out`].
    pub fn answer(
        &self,
        grounding: &Grounding,
        question: &str,
        budget: usize,
        render: impl Fn(&Grounding) -> String + Copy,
    ) -> Grounding {
        let asked = AskedQuestion::read(&known::spelled_out(question, grounding));
        let hits = SchemaHits::of(&asked, &self.vocabulary);
        let estimate = WorthEstimate {
            asked: &asked,
            hits: &hits,
            vocabulary: &self.vocabulary,
            roles: &self.roles,
            links: &self.links,
        };
        let frame = selection::frame_of(grounding);
        let of_frame = tokens(&render(&frame));
        let with_records = Grounding {
            knowledge: grounding.knowledge.clone(),
            ..frame
        };
        let of_records = tokens(&render(&with_records)).saturating_sub(of_frame);
        let of_relations = known::budget_of_relations(budget, of_records);
        let room = of_relations.saturating_sub(of_frame);
        let parts = RankedParts::of(grounding, &estimate, room);
        if parts.is_empty() {
            return budget::fit(grounding, budget, render);
        }
        let within = |most| move |shown: &Grounding| tokens(&render(shown)) <= most;
        let shown = parts.fit(grounding, within(of_relations), room);
        known::with_records(shown, grounding, within(budget))
    }
}

/// How many tokens are enough for a question, where nothing else is said, about a document of so
/// many relations that has so many tokens: half of a small one, 15 in a hundred of a large one.
pub fn usual_budget(relations: usize, tokens: usize) -> usize {
    let percent = match relations {
        ..=FEW_RELATIONS => 50,
        _ => 15,
    };
    (tokens.saturating_mul(percent) / 100).max(LEAST_BUDGET)
}

/// Up to so many relations each is named.
const FEW_RELATIONS: usize = 15;

/// Tokens that are worth no saving.
const LEAST_BUDGET: usize = 1000;

/// A number of things as a weight.
fn weight_of(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
