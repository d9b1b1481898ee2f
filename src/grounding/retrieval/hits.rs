//! How well relations and columns match a question.

use super::question::{AskedQuestion, AskedWord};
use super::vocabulary::{Vocabulary, WordPlace};
use super::weight_of;

/// What matches a question, by the places of the vocabulary.
pub(super) struct SchemaHits {
    /// Relations and functions; 0 where nothing matches.
    pub(super) relations: Vec<f64>,
    /// Columns, between 0 and about 1 for each word that matches.
    pub(super) columns: Vec<f64>,
    /// Of each word of the question the relations that have it, and how well.
    pub(super) by_word: Vec<Vec<(usize, f64)>>,
    /// Whether a word stands nowhere: it may be a value.
    pub(super) has_unknown_word: bool,
}

impl SchemaHits {
    pub(super) fn of(asked: &AskedQuestion, vocabulary: &Vocabulary) -> Self {
        let (named, columns) = (vocabulary.name_lengths.len(), vocabulary.relation_of.len());
        let mut hits = Self {
            relations: vec![0.0; named],
            columns: vec![0.0; columns],
            by_word: Vec::new(),
            has_unknown_word: false,
        };
        // How many words of its name the question has.
        let mut covered = vec![0.0; named];
        let mut found = WordHits::new(named, columns);
        for word in &asked.words {
            found.look_up(word, vocabulary, &mut covered);
            hits.add(word, &found, vocabulary);
            found.clear();
        }
        let lengths = covered.into_iter().zip(&vocabulary.name_lengths);
        for (score, (covered, length)) in hits.relations.iter_mut().zip(lengths) {
            let part = (covered / weight_of(*length).max(1.0)).min(1.0);
            *score *= UNCOVERED + (1.0 - UNCOVERED) * part;
        }
        hits
    }

    /// Adds what one word has found. The rarer it is, the more it says.
    fn add(&mut self, word: &AskedWord, found: &WordHits, vocabulary: &Vocabulary) {
        let named = self.relations.len();
        let names = word.weight * rarity(named, found.names.sum());
        let comments = word.weight * rarity(named, found.comments.sum().max(found.names.sum()));
        let rarity_of_columns = rarity(named, found.by_column.sum());
        let mut relations = Vec::new();
        for relation in found.relations() {
            let own = [
                names * found.names.get(relation),
                comments * found.comments.get(relation),
                COLUMN * word.weight * rarity_of_columns * found.by_column.get(relation),
            ];
            let most = own.into_iter().fold(0.0, f64::max);
            let score = most + REST * (own.into_iter().sum::<f64>() - most);
            relations.push((relation, score));
            if let Some(sum) = self.relations.get_mut(relation) {
                *sum += score;
            }
        }
        let said = (word.weight * rarity_of_columns / rarity(named, 1.0)).sqrt();
        for column in &found.columns.touched {
            let relation = vocabulary.relation_of.get(*column).copied();
            let is_own_name = relation.is_some_and(|own| found.names.get(own) >= OWN_NAME);
            let part = if is_own_name { REPEATED } else { 1.0 };
            if let Some(sum) = self.columns.get_mut(*column) {
                *sum += part * said * found.columns.get(*column);
            }
        }
        let is_telling = !word.is_initials && word.weight >= 1.0;
        self.has_unknown_word |= is_telling && relations.is_empty();
        self.by_word.push(relations);
    }
}

/// Where one word of a question stands.
struct WordHits {
    /// Relations by their names.
    names: BestScores,
    /// Relations by what is said of them.
    comments: BestScores,
    /// Relations by their columns.
    by_column: BestScores,
    /// Columns.
    columns: BestScores,
}

impl WordHits {
    fn new(named: usize, columns: usize) -> Self {
        Self {
            names: BestScores::new(named),
            comments: BestScores::new(named),
            by_column: BestScores::new(named),
            columns: BestScores::new(columns),
        }
    }

    fn look_up(&mut self, word: &AskedWord, vocabulary: &Vocabulary, covered: &mut [f64]) {
        for (occurrence, likeness) in vocabulary.meant(word) {
            let score = occurrence.weight * likeness;
            match occurrence.place {
                WordPlace::Name(relation) => {
                    self.names.raise(relation, score);
                    if let Some(covered) = covered.get_mut(relation) {
                        *covered += likeness;
                    }
                }
                WordPlace::Comment(relation) => self.comments.raise(relation, score),
                WordPlace::Column(column) => {
                    self.columns.raise(column, score);
                    if let Some(relation) = vocabulary.relation_of.get(column) {
                        self.by_column.raise(*relation, score);
                    }
                }
            }
        }
    }

    /// The relations that have the word, each once.
    fn relations(&self) -> Vec<usize> {
        let all = [&self.names, &self.comments, &self.by_column];
        let places = all.into_iter().flat_map(|one| one.touched.iter().copied());
        let mut places: Vec<usize> = places.collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn clear(&mut self) {
        self.names.clear();
        self.comments.clear();
        self.by_column.clear();
        self.columns.clear();
    }
}

/// How much a word says that so many of all have, as BM25 weighs it.
fn rarity(all: usize, having: f64) -> f64 {
    let all = weight_of(all);
    (1.0 + (all - having + 0.5).max(0.0) / (having + 0.5)).ln()
}

/// The best score of each place.
struct BestScores {
    scores: Vec<f64>,
    /// The places that have one.
    touched: Vec<usize>,
}

impl BestScores {
    fn new(places: usize) -> Self {
        Self {
            scores: vec![0.0; places],
            touched: Vec::new(),
        }
    }

    fn raise(&mut self, place: usize, score: f64) {
        if let Some(best) = self.scores.get_mut(place) {
            if *best == 0.0 {
                self.touched.push(place);
            }
            *best = best.max(score);
        }
    }

    fn get(&self, place: usize) -> f64 {
        self.scores.get(place).copied().unwrap_or(0.0)
    }

    fn sum(&self) -> f64 {
        self.touched.iter().map(|place| self.get(*place)).sum()
    }

    fn clear(&mut self) {
        for place in self.touched.drain(..) {
            if let Some(score) = self.scores.get_mut(place) {
                *score = 0.0;
            }
        }
    }
}

/// What the name of a column says of its relation, next to the relation's own.
const COLUMN: f64 = 0.6;

/// What a second place with a word adds.
const REST: f64 = 0.3;

/// What a match is worth in a name of which the question has nothing else.
const UNCOVERED: f64 = 0.78;

/// From here on a word is the name of a relation, and says less of a column that repeats it.
const OWN_NAME: f64 = 0.6;
const REPEATED: f64 = 0.4;
