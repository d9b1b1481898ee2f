//! How sure it is that relations and columns are needed for a question, between 0 and 1.

use super::FEW_RELATIONS;
use super::hits::SchemaHits;
use super::links::KeyLinks;
use super::question::AskedQuestion;
use super::roles::{ColumnRole, SchemaRoles};
use super::vocabulary::Vocabulary;

/// A question, and what of a document it is asked about.
pub(super) struct WorthEstimate<'q> {
    pub(super) asked: &'q AskedQuestion,
    pub(super) hits: &'q SchemaHits,
    pub(super) vocabulary: &'q Vocabulary,
    pub(super) roles: &'q SchemaRoles,
    pub(super) links: &'q KeyLinks,
}

impl WorthEstimate<'_> {
    /// How sure each relation and function is needed: what matches, what lies between those that
    /// match, and, less, what is next to them.
    pub(super) fn relations(&self) -> Vec<f64> {
        let mut worth = self.hits.relations.clone();
        for (place, worth) in worth.iter_mut().enumerate() {
            if self.roles.is_aside(place, self.asked) {
                *worth *= ASIDE_PART;
            }
        }
        let most = worth.iter().copied().fold(0.0, f64::max);
        if most > 0.0 {
            let is_few = self.vocabulary.first_column.len() <= FEW_RELATIONS;
            let sharpness = if is_few { FEW_SHARPNESS } else { SHARPNESS };
            let all = worth.iter_mut();
            all.for_each(|worth| *worth = (*worth / most).powf(sharpness));
        }
        self.add_between(&mut worth);
        for _ in 0..NEIGHBOUR_STEPS {
            self.spread(&mut worth);
        }
        worth
    }

    /// How sure each column of a relation is needed where the relation is, which is as sure as
    /// `sure` says of all.
    pub(super) fn columns(&self, relation: usize, number: usize, sure: &[f64]) -> Vec<f64> {
        let first = self
            .vocabulary
            .first_column
            .get(relation)
            .copied()
            .unwrap_or(0);
        let usual = (first..first + number).map(|column| {
            let matched = self.hits.columns.get(column).copied().unwrap_or(0.0);
            let role = self
                .roles
                .columns
                .get(column)
                .copied()
                .unwrap_or(ColumnRole::Text);
            let usual = usual_worth(role, self.asked, self.hits.has_unknown_word);
            1.0 - (1.0 - usual) * (1.0 - MATCHED * matched).max(0.0)
        });
        let mut worth: Vec<f64> = usual.collect();
        let of = |place: usize| sure.get(place).copied().unwrap_or(0.0);
        let own = of(relation).max(f64::MIN_POSITIVE);
        for link in self.links.of_relation(relation) {
            for number in &link.columns {
                raise(
                    &mut worth,
                    *number,
                    LINKED * (of(link.other) / own).min(1.0),
                );
            }
        }
        worth
    }

    /// What lies between two that match is as needed as the one that matches less.
    fn add_between(&self, worth: &mut [f64]) {
        let direct = worth.to_vec();
        let of = |place: usize| direct.get(place).copied().unwrap_or(0.0);
        let seeds = seeds(&direct, self.hits);
        let cost = |place: usize| {
            let aside = if self.roles.is_aside(place, self.asked) {
                200
            } else {
                0
            };
            aside
                + match of(place) {
                    sure if sure > 0.5 => 40,
                    sure if sure > 0.2 => 60,
                    sure if sure > 0.05 => 80,
                    _ => 100,
                }
        };
        for (number, from) in seeds.iter().enumerate() {
            let others = seeds.get(number + 1..).unwrap_or_default();
            for (to, between) in self.links.paths(*from, others, cost) {
                let mut sure = BETWEEN * of(*from).min(of(to));
                for _ in &between {
                    sure *= STEP;
                }
                for place in between {
                    raise(worth, place, sure);
                }
            }
        }
    }

    /// What is next to something that is needed may be needed.
    fn spread(&self, worth: &mut [f64]) {
        let before = worth.to_vec();
        for (place, sure) in before.iter().enumerate().filter(|(_, sure)| **sure > 0.0) {
            for link in self.links.of_relation(place) {
                let part = if link.is_referring {
                    REFERRED
                } else {
                    REFERRING
                };
                if !self.roles.is_aside(link.other, self.asked) {
                    raise(worth, link.other, sure * part);
                }
            }
        }
    }
}

/// How sure a column is needed of which the question says nothing.
fn usual_worth(role: ColumnRole, asked: &AskedQuestion, names_value: bool) -> f64 {
    match role {
        ColumnRole::Key => KEY,
        ColumnRole::PartOfKey => PART_OF_KEY,
        ColumnRole::Reference => REFERENCE,
        ColumnRole::Place if asked.asks_place => ASKED_PLACE,
        ColumnRole::Name if asked.asks_person => NAME_OF_PERSON,
        ColumnRole::Name => NAME,
        ColumnRole::Time if asked.asks_time => ASKED_TIME,
        ColumnRole::Time => TIME,
        ColumnRole::Number if asked.asks_amount => ASKED_NUMBER,
        ColumnRole::Number => NUMBER,
        ColumnRole::Label => LABEL,
        ColumnRole::Truth => TRUTH,
        ColumnRole::Place | ColumnRole::Text if names_value => ASKED_VALUE,
        ColumnRole::Place | ColumnRole::Text => ANYTHING,
    }
}

/// Relations of which the best match is next: the best of all, and the best for each word.
fn seeds(direct: &[f64], hits: &SchemaHits) -> Vec<usize> {
    let of = |place: usize| direct.get(place).copied().unwrap_or(0.0);
    let better = |one: &usize, other: &usize| of(*other).total_cmp(&of(*one)).then(one.cmp(other));
    let mut best: Vec<usize> = (0..direct.len()).filter(|place| of(*place) > 0.0).collect();
    if best.len() > BEST_OF_ALL {
        best.select_nth_unstable_by(BEST_OF_ALL, better);
        best.truncate(BEST_OF_ALL);
    }
    for found in &hits.by_word {
        let worth = |(place, score): &(usize, f64)| score * of(*place);
        let best_of_word = found.iter().max_by(|one, other| {
            worth(one)
                .total_cmp(&worth(other))
                .then(other.0.cmp(&one.0))
        });
        best.extend(best_of_word.map(|(place, _)| *place));
    }
    best.sort_by(better);
    best.dedup();
    best.truncate(SEEDS_MAX);
    best
}

fn raise(all: &mut [f64], place: usize, to: f64) {
    if let Some(own) = all.get_mut(place) {
        *own = own.max(to);
    }
}

const SHARPNESS: f64 = 1.04;
const FEW_SHARPNESS: f64 = 0.8;
const STEP: f64 = 0.9;
const BETWEEN: f64 = 1.15;
const REFERRED: f64 = 0.35;
const REFERRING: f64 = 0.26;
const NEIGHBOUR_STEPS: usize = 2;
const MATCHED: f64 = 0.8;
const LINKED: f64 = 0.85;
const ASIDE_PART: f64 = 0.3;
const BEST_OF_ALL: usize = 4;
const SEEDS_MAX: usize = 8;

const KEY: f64 = 0.3;
const PART_OF_KEY: f64 = 0.3;
const REFERENCE: f64 = 0.25;
const NAME: f64 = 0.4;
const NAME_OF_PERSON: f64 = 0.5;
const ASKED_TIME: f64 = 0.52;
const TIME: f64 = 0.15;
const ASKED_NUMBER: f64 = 0.3;
const NUMBER: f64 = 0.26;
const LABEL: f64 = 0.25;
const TRUTH: f64 = 0.15;
const ANYTHING: f64 = 0.2;

const ASKED_PLACE: f64 = 0.45;
const ASKED_VALUE: f64 = 0.33;
