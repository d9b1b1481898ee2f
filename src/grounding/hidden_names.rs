//! Comments that speak of what is hidden. They are written by people for people, and say what they
//! like.

use std::collections::HashSet;

use catalog::{Catalog, FunctionId, NameId, SchemaKind};

use super::source::GroundingSource;
use super::visible::VisibleRelations;

/// The names that a comment must not have.
pub(crate) struct HiddenNames {
    /// Names that are one word, in small letters.
    words: HashSet<String>,
    /// Others, in small letters.
    phrases: HashSet<String>,
}

impl HiddenNames {
    /// The names of relations, columns, schemas, types, indexes and functions of users that are
    /// hidden and that nothing visible has as well.
    pub(crate) fn of(source: &GroundingSource<'_>, visible: &VisibleRelations<'_>) -> Self {
        Self::among(source, visible, &|_| true)
    }

    /// Those of them that are wanted: what they name has to be looked at in full, and nothing else.
    pub(crate) fn among(
        source: &GroundingSource<'_>,
        visible: &VisibleRelations<'_>,
        is_wanted: &dyn Fn(NameId) -> bool,
    ) -> Self {
        let catalog = source.catalog;
        let names = catalog.names();
        let text = |id| names.text(id).to_lowercase();
        let (mut shown, mut hidden) = (HashSet::new(), HashSet::new());
        let mut keep = |is_shown: bool, name: NameId| {
            if is_wanted(name) {
                match is_shown {
                    true => shown.insert(text(name)),
                    false => hidden.insert(text(name)),
                };
            }
        };
        for (id, relation) in catalog.relations() {
            let schema = catalog.schema(relation.schema);
            if schema.kind != SchemaKind::Ordinary {
                continue;
            }
            let columns = visible.columns(id);
            keep(columns.is_some(), relation.name);
            keep(columns.is_some(), schema.name);
            for column in catalog.columns_of(id) {
                let is_shown = columns.is_some_and(|shown| shown.contains(&column.number));
                keep(is_shown, column.name);
            }
        }
        let callable: HashSet<FunctionId> = source.functions.iter().copied().collect();
        for (id, function) in catalog.functions() {
            let schema = catalog.schema(function.schema);
            if schema.kind == SchemaKind::Ordinary && !function.of_extension() {
                keep(callable.contains(&id), function.name);
            }
        }
        for (id, schema) in catalog.schemas() {
            if schema.kind == SchemaKind::Ordinary && !visible.shows_schema(id) {
                keep(false, schema.name);
            }
        }
        for (id, data_type) in catalog.data_types() {
            if !data_type.is_array && !visible.shows_type(id) {
                keep(false, data_type.name);
            }
        }
        // No index is told by its name.
        let indexes = source.details.indexes.values().flatten();
        hidden.extend(indexes.map(|index| index.name.to_lowercase()));
        let is_word = |name: &String| is_word(name);
        let hidden = hidden.into_iter().filter(|name| !shown.contains(name));
        let (words, phrases) = hidden.partition(is_word);
        Self { words, phrases }
    }

    /// A comment, unless it has the name of something hidden.
    pub(crate) fn clean<'t>(&self, comment: Option<&'t String>) -> Option<&'t str> {
        let comment = comment?.trim();
        let small = comment.to_lowercase();
        let mut words = small.split(|letter| !is_of_word(letter));
        let names_hidden = words.any(|word| self.words.contains(word))
            || self
                .phrases
                .iter()
                .any(|phrase| small.contains(phrase.as_str()));
        (!comment.is_empty() && !names_hidden).then_some(comment)
    }
}

/// The names of a catalog that some texts have, in any case.
pub(crate) fn mentioned_names(catalog: &Catalog, texts: &[&str]) -> HashSet<NameId> {
    let small = texts.join("\n").to_lowercase();
    let words: HashSet<&str> = small.split(|letter| !is_of_word(letter)).collect();
    let names = catalog.names();
    let is_mentioned = |id: &NameId| {
        let name = names.text(*id);
        let is_small = name
            .bytes()
            .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        match (is_word(name), is_small) {
            (true, true) => words.contains(name),
            (true, false) => words.contains(name.to_lowercase().as_str()),
            (false, _) => small.contains(&name.to_lowercase()),
        }
    };
    names.ids().filter(is_mentioned).collect()
}

fn is_word(name: &str) -> bool {
    !name.contains(|letter| !is_of_word(letter))
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}
