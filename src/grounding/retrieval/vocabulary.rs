//! Which words stand where in a grounding.

use std::collections::HashMap;

use super::likeness::{StemmedWord, compound, likeness};
use super::question::AskedWord;
use super::weight_of;
use super::words::{stem, words};
use crate::document::{GroundedColumn, GroundedRelation, Grounding};

/// All words of a document. Relations and functions have one numbering, in which functions stand
/// behind; columns have one over all relations.
pub(super) struct Vocabulary {
    entries: Vec<VocabularyEntry>,
    /// Entries by stem.
    by_stem: HashMap<String, Vec<usize>>,
    /// Entries of names and values by their first letter.
    by_letter: HashMap<char, Vec<usize>>,
    /// Entries of names that may be several words in one.
    long_names: Vec<usize>,
    /// The relation of each column.
    pub(super) relation_of: Vec<usize>,
    /// The first column of each relation.
    pub(super) first_column: Vec<usize>,
    /// How many words the name of each relation and function has.
    pub(super) name_lengths: Vec<usize>,
}

/// A word, and where it stands.
struct VocabularyEntry {
    word: StemmedWord,
    is_name: bool,
    occurrences: Vec<WordOccurrence>,
}

/// Where a word stands, and how much that says.
#[derive(Clone, Copy)]
pub(super) struct WordOccurrence {
    pub(super) place: WordPlace,
    pub(super) weight: f64,
}

/// A kind of text in which words stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextField {
    Name,
    Comment,
    Value,
}

impl TextField {
    /// How much one of so many words in a text says.
    fn weight(self, words: usize) -> f64 {
        let words = weight_of(words);
        match self {
            Self::Name => 1.0 / (0.85 + 0.15 * words),
            Self::Comment => COMMENT / (0.9 + 0.1 * words),
            Self::Value => VALUE / (0.9 + 0.1 * words),
        }
    }
}

/// What has a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WordPlace {
    /// The name of a relation or function, which has so many words.
    Name(usize),
    /// What is said of a relation or function.
    Comment(usize),
    /// The name of a column, or what is said of it, or its labels and values.
    Column(usize),
}

impl Vocabulary {
    pub(super) fn of(grounding: &Grounding) -> Self {
        let mut vocabulary = Self {
            entries: Vec::new(),
            by_stem: HashMap::new(),
            by_letter: HashMap::new(),
            long_names: Vec::new(),
            relation_of: Vec::new(),
            first_column: Vec::new(),
            name_lengths: Vec::new(),
        };
        let mut known = HashMap::new();
        for relation in &grounding.relations {
            vocabulary.add_relation(relation, &mut known);
        }
        for function in &grounding.functions {
            let name = function.signature.split('(').next().unwrap_or_default();
            let name = name.rsplit('.').next().unwrap_or_default();
            vocabulary.add_named(name, function.comment.as_deref(), &mut known);
        }
        vocabulary.index();
        vocabulary
    }

    /// What a word of a question may mean, and how sure that is.
    pub(super) fn meant(&self, asked: &AskedWord) -> Vec<(WordOccurrence, f64)> {
        let mut sure: HashMap<usize, f64> = HashMap::new();
        let mut raise = |place: usize, likeness: f64| {
            let known = sure.entry(place).or_default();
            *known = known.max(likeness);
        };
        let same = |stem: &str| self.by_stem.get(stem).into_iter().flatten().copied();
        for place in same(&asked.word.stem) {
            raise(place, if asked.is_initials { INITIALS } else { 1.0 });
        }
        if !asked.is_initials {
            for synonym in asked.synonyms {
                same(&synonym.stem).for_each(|place| raise(place, SYNONYM));
                for (place, likeness) in self.alike(synonym) {
                    raise(place, SYNONYM * likeness);
                }
            }
            for (place, likeness) in self.alike(&asked.word) {
                raise(place, likeness);
            }
            for place in &self.long_names {
                if let Some(entry) = self.entries.get(*place) {
                    raise(*place, compound(&asked.word, &entry.word));
                }
            }
        }
        let mut sure: Vec<(usize, f64)> =
            sure.into_iter().filter(|(_, sure)| *sure > 0.0).collect();
        sure.sort_by_key(|(place, _)| *place);
        let found = sure.into_iter().filter_map(|(place, likeness)| {
            let entry = self.entries.get(place)?;
            let is_meant = entry.is_name || !asked.is_initials;
            is_meant.then_some((&entry.occurrences, likeness))
        });
        let found = found.flat_map(|(occurrences, likeness)| {
            let all = occurrences.iter();
            all.map(move |occurrence| (*occurrence, likeness))
        });
        found.collect()
    }

    /// The words of names with the same first letter, and how sure it is that they mean a word.
    fn alike(&self, asked: &StemmedWord) -> impl Iterator<Item = (usize, f64)> {
        let first = asked.word.chars().next();
        let places = first.and_then(|first| self.by_letter.get(&first));
        let entries = places.into_iter().flatten();
        entries.filter_map(|place| {
            let entry = self.entries.get(*place)?;
            Some((*place, likeness(asked, &entry.word)))
        })
    }

    fn add_relation(
        &mut self,
        relation: &GroundedRelation,
        known: &mut HashMap<(String, bool), usize>,
    ) {
        self.first_column.push(self.relation_of.len());
        let place = self.add_named(&relation.name, relation.comment.as_deref(), known);
        for column in &relation.columns {
            self.add_column(column, place, known);
        }
    }

    fn add_named(
        &mut self,
        name: &str,
        comment: Option<&str>,
        known: &mut HashMap<(String, bool), usize>,
    ) -> usize {
        let place = self.name_lengths.len();
        let length = words(name).len();
        self.name_lengths.push(length);
        self.add(name, TextField::Name, WordPlace::Name(place), known);
        let comment = comment.unwrap_or_default();
        self.add(
            comment,
            TextField::Comment,
            WordPlace::Comment(place),
            known,
        );
        place
    }

    fn add_column(
        &mut self,
        column: &GroundedColumn,
        relation: usize,
        known: &mut HashMap<(String, bool), usize>,
    ) {
        let place = WordPlace::Column(self.relation_of.len());
        self.relation_of.push(relation);
        self.add(&column.name, TextField::Name, place, known);
        let comment = column.comment.as_deref().unwrap_or_default();
        self.add(comment, TextField::Comment, place, known);
        let common = column
            .statistics
            .iter()
            .flat_map(|known| &known.common_values);
        for value in column.labels.iter().chain(&column.samples).chain(common) {
            self.add(value, TextField::Value, place, known);
        }
    }

    /// Adds the words of a text.
    fn add(
        &mut self,
        text: &str,
        field: TextField,
        place: WordPlace,
        known: &mut HashMap<(String, bool), usize>,
    ) {
        let words = words(text);
        let weight = field.weight(words.len());
        let is_name = field != TextField::Comment;
        for word in words {
            let entries = &mut self.entries;
            let entry = *known
                .entry((word, is_name))
                .or_insert_with_key(|(word, _)| {
                    entries.push(VocabularyEntry {
                        word: StemmedWord {
                            word: word.clone(),
                            stem: stem(word),
                        },
                        is_name,
                        occurrences: Vec::new(),
                    });
                    entries.len() - 1
                });
            if let Some(entry) = self.entries.get_mut(entry) {
                entry.occurrences.push(WordOccurrence { place, weight });
            }
        }
    }

    fn index(&mut self) {
        for (place, entry) in self.entries.iter().enumerate() {
            let stem = entry.word.stem.clone();
            self.by_stem.entry(stem).or_default().push(place);
            if let Some(first) = entry.word.word.chars().next().filter(|_| entry.is_name) {
                self.by_letter.entry(first).or_default().push(place);
                if entry.word.word.len() >= LONG_NAME {
                    self.long_names.push(place);
                }
            }
        }
    }
}

const COMMENT: f64 = 0.7;
const VALUE: f64 = 1.0;
const SYNONYM: f64 = 0.6;
const INITIALS: f64 = 0.8;
const LONG_NAME: usize = 8;
