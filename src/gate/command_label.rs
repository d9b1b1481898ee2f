//! What a statement that is refused as a whole does, and to what: its key words and the name behind
//! them, out of the client's own text. No literal is ever part of it.

use std::borrow::Cow;
use std::fmt;

use super::context::JudgeContext;
use super::effects::lookup;
use catalog::quoted;
use ground::limits::HEAD_WORDS_MAX;
use sql::lexer::{Token, TokenKind, tokens};
use sql::tree::nodes;

/// The key words that a statement begins with, and the first name behind them.
pub(super) struct CommandLabel {
    words: String,
    name: Option<String>,
}

impl CommandLabel {
    /// That of the statement at hand: from the first of `verbs` on.
    pub(super) fn of(context: &JudgeContext<'_>, verbs: &[&str]) -> Self {
        let text = context
            .text
            .get(context.statement.clone())
            .unwrap_or_default();
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
        let name = start.map(|first| named(text, &first, rest));
        Self { words, name }
    }

    /// Whether the key words name this.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.split(' ').any(|own| own == word)
    }
}

impl fmt::Display for CommandLabel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.words.as_str(), &self.name) {
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
pub(super) fn recorded(table: &nodes::RangeVar, context: &JudgeContext<'_>) -> Option<String> {
    let effect_graph = context.effect_graph()?;
    let catalog = effect_graph.catalog();
    let name = catalog.names().find(table.relname()?)?;
    let of_name = catalog.index().relations(name);
    let found = match table.schemaname() {
        Some(schema) => {
            let schema = catalog.index().schema(catalog.names().find(schema)?)?;
            let mut of_name = of_name.iter();
            of_name.find(|id| catalog.relation(**id).schema == schema)
        }
        None => {
            let paths = lookup::paths(effect_graph, context)?;
            let mut along = paths.first()?.schemas().iter();
            along.find_map(|schema| {
                let mut of_name = of_name.iter();
                of_name.find(|id| catalog.relation(**id).schema == *schema)
            })
        }
    };
    found.map(|id| format!("relation {}", catalog.relation_name(*id)))
}

/// A name with what stands before and behind its dots. What is between them is not part of it.
fn named(text: &str, first: &Token, rest: impl Iterator<Item = Token>) -> String {
    let mut name = part(text, first).into_owned();
    let mut dotted = false;
    for token in rest.take(NAME_TOKENS_MAX) {
        let own = part(text, &token);
        match token.kind {
            TokenKind::Punctuation if own == "." && !dotted => dotted = true,
            TokenKind::Word | TokenKind::QuotedName if dotted => {
                name.push('.');
                name.push_str(&own);
                dotted = false;
            }
            _ => break,
        }
    }
    name
}

/// A part of a name, in quotes where it needs them.
fn part<'t>(text: &'t str, token: &Token) -> Cow<'t, str> {
    let own = text.get(token.span.clone()).unwrap_or_default();
    let inside = own.strip_prefix('"').and_then(|own| own.strip_suffix('"'));
    match inside {
        Some(inside) if !inside.contains('"') => quoted(inside),
        Some(_) | None => Cow::Borrowed(own),
    }
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
    use crate::rules::check::gate;
    use crate::{SessionNames, Verdict};
    use policy::Policy;

    #[track_caller]
    fn check(text: &str, head: &str) {
        let judgement = gate(Policy::agent()).judge(text.into(), &SessionNames::of_no_database());
        let Verdict::Refused(refusal) = &judgement.verdict else {
            panic!("{text} passes");
        };
        let (named, _) = refusal.message.split_once(" is not allowed").unwrap();
        assert_eq!(named, head, "{text}");
    }

    #[test]
    fn names_are_whole_however_they_are_written() {
        for text in [
            "CREATE TABLE public.x (a int)",
            "CREATE TABLE \"public\".\"x\" (a int)",
            "CREATE TABLE \"public\" . \"x\" (a int)",
            "CREATE TABLE public\n.x(a int)",
            "CREATE TABLE public. /* 'secret' */ x (a int)",
            "CREATE TABLE IF NOT EXISTS public -- 'secret'\n . \"x\" AS SELECT 1",
        ] {
            check(text, "CREATE TABLE public.x");
        }
        check("DROP TABLE \"public\" . \"x\", y", "DROP TABLE public.x");
        check(
            "DROP TABLE \"Shop\" . \"a.b\"",
            "DROP TABLE \"Shop\".\"a.b\"",
        );
        check("DROP TABLE d . s . x", "DROP TABLE d.s.x");
        check("ALTER TABLE \"x\" ADD b int", "ALTER TABLE x");
        check("CREATE TABLE x (\"y\" int)", "CREATE TABLE x");
        check("DROP TABLE \"a\"\"b\" . c", "DROP TABLE \"a\"\"b\".c");
        check("TRUNCATE \"s\" . t", "TRUNCATE s.t");
        check("VACUUM \"s\" . \"t\"", "VACUUM s.t");
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(OBJECTS.is_sorted() && PASSED_OVER.is_sorted());
    }
}
