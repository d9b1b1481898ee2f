//! What a statement that is refused as a whole does, and to what: its key words and the name behind
//! them, out of the client's own text. No literal is ever part of it.

use std::fmt;

use super::case::Case;
use super::hidden::means;
use crate::catalog::quoted;
use crate::limits::HEAD_WORDS_MAX;
use crate::sql::lexer::{Token, TokenKind, tokens};
use crate::sql::tree::nodes;

/// The key words that a statement begins with, and the first name behind them.
pub(super) struct Head<'t> {
    words: String,
    name: Option<&'t str>,
}

impl<'t> Head<'t> {
    /// That of the statement at hand: from the first of `verbs` on.
    pub(super) fn of(case: &Case<'t>, verbs: &[&str]) -> Self {
        let text = case.text.get(case.statement.clone()).unwrap_or_default();
        let mut rest = tokens(text).filter(|token| !token.kind.is_blank());
        let word = |token: &Token| {
            let own = text.get(token.span.clone()).unwrap_or_default();
            (token.kind == TokenKind::Word).then(|| own.to_ascii_uppercase())
        };
        let verb = rest.by_ref().find_map(|token| {
            let own = word(&token)?;
            verbs.contains(&own.as_str()).then_some(own)
        });
        let mut words = verb.unwrap_or_default();
        let mut start = None;
        for token in rest.by_ref().take(HEAD_WORDS_MAX) {
            match word(&token) {
                Some(own) if OBJECTS.binary_search(&own.as_str()).is_ok() => {
                    words.push(' ');
                    words.push_str(&own);
                }
                Some(own) if PASSED_OVER.binary_search(&own.as_str()).is_ok() => {}
                Some(_) => {
                    start = Some(token);
                    break;
                }
                None => {
                    start = (token.kind == TokenKind::QuotedName).then_some(token);
                    break;
                }
            }
        }
        let name = start.and_then(|first| named(text, &first, rest));
        Self { words, name }
    }

    /// Whether the key words name this.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.split(' ').any(|own| own == word)
    }
}

impl fmt::Display for Head<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.words.as_str(), self.name) {
            ("", _) => formatter.write_str("this statement"),
            (words, None) => formatter.write_str(words),
            (words, Some(name)) => write!(formatter, "{words} {name}"),
        }
    }
}

/// A relation as the client named it.
pub(super) fn relation(table: &nodes::RangeVar) -> String {
    let name = quoted(table.relname().unwrap_or_default());
    match table.schemaname() {
        Some(schema) => format!("{}.{name}", quoted(schema)),
        None => name.into_owned(),
    }
}

/// The same as it is recorded: as the catalog calls the first that it may be; none without one.
pub(super) fn recorded(table: &nodes::RangeVar, case: &Case<'_>) -> Option<String> {
    let sight = case.sight()?;
    let catalog = sight.catalog();
    let name = catalog.names().find(table.relname()?)?;
    let of_name = catalog.index().relations(name);
    let found = match table.schemaname() {
        Some(schema) => {
            let schema = catalog.index().schema(catalog.names().find(schema)?)?;
            let mut of_name = of_name.iter();
            of_name.find(|id| catalog.relation(**id).schema == schema)
        }
        None => {
            let paths = means::paths(sight, case)?;
            let mut along = paths.first()?.schemas().iter();
            along.find_map(|schema| {
                let mut of_name = of_name.iter();
                of_name.find(|id| catalog.relation(**id).schema == *schema)
            })
        }
    };
    found.map(|id| format!("relation {}", catalog.relation_name(*id)))
}

/// A name with what stands before and behind its dots.
fn named<'t>(text: &'t str, first: &Token, rest: impl Iterator<Item = Token>) -> Option<&'t str> {
    let mut end = first.span.end;
    let mut wants_name = false;
    for token in rest.take(NAME_TOKENS_MAX) {
        let own = text.get(token.span.clone())?;
        let continues = match token.kind {
            TokenKind::Punctuation => own == "." && !wants_name,
            TokenKind::Word | TokenKind::QuotedName => wants_name,
            _ => false,
        };
        if !continues || token.span.start != end {
            break;
        }
        end = token.span.end;
        wants_name = !wants_name;
    }
    text.get(first.span.start..end)
}

/// The parts of a name and the dots between them.
const NAME_TOKENS_MAX: usize = 4;

/// Words that say what kind of object it is about, sorted.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "ACCESS", "AGGREGATE", "CAST", "CLASS", "COLLATION", "COLUMN", "CONVERSION",
    "DATABASE", "DEFAULT", "DOMAIN", "EVENT", "EXTENSION", "FAMILY", "FOREIGN", "FUNCTION",
    "GROUP", "INDEX", "LANGUAGE", "LARGE", "MAPPING", "MATERIALIZED", "METHOD", "OBJECT",
    "OPERATOR", "OWNED", "POLICY", "PREPARED", "PRIVILEGES", "PROCEDURE", "PUBLICATION", "ROLE",
    "ROUTINE", "RULE", "SCHEMA", "SEQUENCE", "SERVER", "STATISTICS", "SUBSCRIPTION", "SYSTEM",
    "TABLE", "TABLESPACE", "TEMP", "TEMPORARY", "TRANSACTION", "TRANSFORM", "TRIGGER", "TYPE",
    "USER", "VIEW",
];

/// Words between those and the name, sorted.
#[rustfmt::skip]
const PASSED_OVER: &[&str] = &[
    "ANALYZE", "BY", "CONCURRENTLY", "CONSTRAINT", "DATA", "EXISTS", "FOR", "FREEZE", "FULL",
    "GLOBAL", "IF", "LOCAL", "NOT", "ON", "ONLY", "OR", "PROCEDURAL", "RECURSIVE", "REPLACE",
    "SEARCH", "TEXT", "TRUSTED", "UNIQUE", "UNLOGGED", "VERBOSE", "WRAPPER",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(OBJECTS.is_sorted() && PASSED_OVER.is_sorted());
    }
}
