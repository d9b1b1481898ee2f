//! What a text that does not parse names: relations by their names anywhere in it, and their
//! columns.

use std::collections::HashSet;

use crate::RepairContext;
use crate::names::letter_case::{folded, in_quotes, is_same, unquoted};
use ground::limits;
use sql::lexer::TokenKind;

/// The relations that a text names, as far as the role may see them.
pub(crate) struct MentionedNames<'a> {
    names: Vec<&'a str>,
    lower: HashSet<String>,
    /// The server's major version.
    pub server_major: u16,
}

impl<'a> MentionedNames<'a> {
    pub fn of(context: &RepairContext<'a>) -> Self {
        let mut known = Self {
            names: Vec::new(),
            lower: HashSet::new(),
            server_major: context.server_major,
        };
        let Some(database) = context.database else {
            return known;
        };
        let words: HashSet<String> = context
            .tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Word || token.kind == TokenKind::QuotedName)
            .map(|token| {
                let word = context.word(token);
                unquoted(word)
                    .unwrap_or_else(|| word.to_owned())
                    .to_lowercase()
            })
            .collect();
        let text = context.text.to_lowercase();
        let rights = database.rights();
        let catalog = database.catalog;
        let mut odd = 0_usize;
        let mut relations = 0_usize;
        for (id, relation) in catalog.relations() {
            let own = catalog.names().text(relation.name);
            let name = own.to_lowercase();
            let is_odd = !is_plain(&name);
            odd = odd.saturating_add(usize::from(is_odd));
            let named = words.contains(&name)
                || is_odd && odd <= limits::SYNTAX_SPACED_NAMES_MAX && text.contains(&name);
            if !(named && rights.sees_relation(id)) {
                continue;
            }
            relations = relations.saturating_add(1);
            if relations > limits::SYNTAX_RELATIONS_MAX {
                break;
            }
            known.names.push(own);
            let columns = catalog.columns_of(id).iter();
            let readable = columns.filter(|column| rights.may_read_column(id, column));
            known
                .names
                .extend(readable.map(|column| catalog.names().text(column.name)));
        }
        known.lower = known.names.iter().map(|name| name.to_lowercase()).collect();
        known
    }

    /// The names of the relations, and of their columns.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().copied()
    }

    /// Whether a relation or a column is called so, whatever the case.
    pub fn has(&self, name: &str) -> bool {
        self.lower.contains(&name.to_lowercase())
    }

    /// How a name is written that another dialect has in its own quotes, and takes in any case:
    /// without quotes where it can be, so that its case is looked for in its scope.
    pub fn spelled(&self, name: &str) -> String {
        let folded = folded(name);
        if is_plain(&folded) && catalog::quote::quoted(&folded) == folded {
            return name.to_owned();
        }
        if self.names().any(|own| own == name) {
            return in_quotes(name);
        }
        if let Some(same) = self.names().find(|own| is_same(own, name)) {
            return in_quotes(same);
        }
        match is_plain(&folded) {
            true => in_quotes(&folded),
            false => in_quotes(name),
        }
    }
}

/// Whether a folded name is a word.
pub(crate) fn is_plain(name: &str) -> bool {
    let starts = |c: char| c.is_alphabetic() || c == '_';
    name.starts_with(starts) && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}
