//! What columns and relations are for, whatever is asked.

use super::question::AskedQuestion;
use super::words::{is_among, words};
use crate::document::{GroundedColumn, GroundedRelation, Grounding};

/// What the columns and relations of a document are for.
pub(super) struct SchemaRoles {
    /// Of all columns, in the numbering of the vocabulary.
    pub(super) columns: Vec<ColumnRole>,
    /// Of each relation the words that say that it only keeps what others have had, or will have.
    aside: Vec<Vec<String>>,
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnRole {
    /// It tells rows apart.
    Key,
    /// It is one of several that do.
    PartOfKey,
    /// It refers to a row.
    Reference,
    /// It says what a row is called.
    Name,
    /// It says where something is.
    Place,
    /// A time.
    Time,
    /// A number.
    Number,
    /// One of some labels.
    Label,
    /// Yes or no.
    Truth,
    /// A text, or a value of another type.
    Text,
}

impl SchemaRoles {
    pub(super) fn of(grounding: &Grounding) -> Self {
        let all = grounding.relations.iter();
        let columns = all.flat_map(|relation| {
            let columns = relation.columns.iter();
            columns.map(|column| ColumnRole::of(relation, column))
        });
        Self {
            columns: columns.collect(),
            aside: grounding.relations.iter().map(aside_words).collect(),
        }
    }

    /// Whether a relation only keeps what others have had, and none that the question asks for.
    pub(super) fn is_aside(&self, relation: usize, asked: &AskedQuestion) -> bool {
        let aside = self.aside.get(relation).map_or(&[][..], Vec::as_slice);
        let is_asked = |aside: &String| asked.words.iter().any(|word| word.word.word == *aside);
        !aside.is_empty() && !aside.iter().any(is_asked)
    }
}

impl ColumnRole {
    fn of(relation: &GroundedRelation, column: &GroundedColumn) -> Self {
        let name = words(&column.name);
        let is_called = |list| name.iter().any(|word| is_among(list, word));
        let is_typed = |list: &str| {
            let mut kinds = list.split(' ');
            kinds.any(|kind| column.type_name.starts_with(kind))
        };
        if relation.primary_key.contains(&column.name) {
            return match relation.primary_key.len() {
                1 => Self::Key,
                _ => Self::PartOfKey,
            };
        }
        let mut keys = relation.foreign_keys.iter();
        match name.last() {
            _ if keys.any(|key| key.columns.contains(&column.name)) => Self::Reference,
            _ if is_called(PLACES) => Self::Place,
            Some(last) if is_among(NAMING, last) => Self::Name,
            _ if is_typed("date timestamp") => Self::Time,
            _ if is_typed(NUMBERS) => Self::Number,
            _ if !column.labels.is_empty() => Self::Label,
            _ if column.type_name == "boolean" => Self::Truth,
            _ => Self::Text,
        }
    }
}

fn aside_words(relation: &GroundedRelation) -> Vec<String> {
    let name = words(&relation.name);
    let is_long = name.len() > 1;
    let aside = name.into_iter().filter(|word| is_among(ASIDE, word));
    aside.filter(|_| is_long).collect()
}

/// Words of places.
const PLACES: &str = "\
    city country ctry cty district location nationality place province region state town";

/// Last words of columns that say what a row is called.
const NAMING: &str = "\
    code desc description label lastname name nm surname title ttl";

/// Types of numbers.
const NUMBERS: &str = "bigint double integer money numeric real smallint";

/// Words of the names of relations that keep what other relations have had, or will have.
const ASIDE: &str = "\
    arch archive aud audit backup bak bkp copy deprecated hist history hst import interface log \
    old queue staging stg temp test tmp";
