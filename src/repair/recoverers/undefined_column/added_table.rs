//! A join that is added, and what its table is called.

use super::foreign_key_path::{ForeignKeyPath, JoinFinder};
use crate::SessionDatabase;
use catalog::RelationId;
use ground::limits::JOIN_ALIASES_MAX;
use sql::lexer::TokenKind;

/// A join that is added.
pub(crate) struct AddedJoin {
    /// Where.
    pub at: usize,
    /// Its text.
    pub text: String,
    /// What it does, for the client.
    pub words: String,
    /// What its table is called.
    pub alias: String,
}

/// A name for the table that a path leads to: the one that the text uses already, its own, or one
/// that stands nowhere in the text.
pub(crate) fn alias_of(
    stepping: &JoinFinder<'_, '_>,
    path: &ForeignKeyPath,
    asked: Option<&str>,
    taken: &[&str],
) -> Option<String> {
    let free = |name: &str| !taken.contains(&name) && !is_written(stepping, name);
    if let Some(asked) = asked.filter(|name| !taken.contains(name)) {
        return Some(asked.to_owned());
    }
    let catalog = stepping.database.catalog;
    let own = catalog.names().text(catalog.relation(path.parent).name);
    if free(own) {
        return Some(own.to_owned());
    }
    let mut numbered = (1..=JOIN_ALIASES_MAX).map(|number| format!("{own}_{number}"));
    numbered.find(|name| free(name))
}

/// Whether a name stands anywhere in the text, in whatever case.
fn is_written(stepping: &JoinFinder<'_, '_>, name: &str) -> bool {
    let context = stepping.context;
    context.tokens.iter().any(|token| match token.kind {
        TokenKind::Word => context.word(token).eq_ignore_ascii_case(name),
        TokenKind::QuotedName => {
            let inside = context.word(token).trim_matches('"');
            inside.replace("\"\"", "\"").eq_ignore_ascii_case(name)
        }
        TokenKind::UnicodeName => true,
        _ => false,
    })
}

/// Whether a name alone leads to a relation.
pub(crate) fn is_in_path(database: &SessionDatabase<'_>, relation: RelationId, name: &str) -> bool {
    let catalog = database.catalog;
    let Some(name) = catalog.names().find(name) else {
        return false;
    };
    let named = catalog.index().relations(name);
    let first = database.path.schemas().iter().find_map(|schema| {
        let mut named = named.iter().copied();
        named.find(|id| catalog.relation(*id).schema == *schema)
    });
    first == Some(relation)
}
