//! Texts that hold what is Postgres's own beside what is foreign: they are nobody's dialect, and no
//! dialect's meaning is put on them.

use sqlparser::tokenizer::{Token, Tokenizer};

use super::postgres_markers;
use crate::session_database::SessionDatabase;
use crate::source::{DoubleQuoted, SourceDialect};
use policy::Dialect;

/// Whether a text that was taken for a dialect's holds what only Postgres has: a `::` cast, ILIKE,
/// a match with `~`, a dollar-quoted string, or a word in double quotes that is a name here and
/// would be a string there.
pub fn is_mixed(
    text: &str,
    source: &dyn SourceDialect,
    database: Option<&SessionDatabase<'_>>,
) -> bool {
    if postgres_markers::has_postgres_marker(text, source) {
        return true;
    }
    let grammar = source.grammar();
    let mut tokenizer = Tokenizer::new(&*grammar, text).with_unescape(false);
    let Ok(tokens) = tokenizer.tokenize() else {
        return false;
    };
    let quotes_texts = source.semantics().double_quoted == DoubleQuoted::Text;
    let mut after_value = false;
    let mut after_arrow = false;
    for token in &tokens {
        let is_own = match token {
            Token::Whitespace(_) => continue,
            Token::DoubleQuotedString(word) => {
                quotes_texts && database.is_some_and(|database| is_name(word, database))
            }
            Token::Word(word) if word.quote_style == Some('"') => {
                quotes_texts && database.is_some_and(|database| is_name(&word.value, database))
            }
            // `->` is followed by a path in MySQL, and by a key here.
            Token::SingleQuotedString(key) if after_arrow => {
                source.dialect() == Dialect::Mysql && !key.starts_with('$')
            }
            Token::Number(..) if after_arrow => source.dialect() == Dialect::Mysql,
            _ if source.has_double_colon_cast() => false,
            Token::DoubleColon
            | Token::DollarQuotedString(_)
            | Token::TildeAsterisk
            | Token::ExclamationMarkTilde
            | Token::ExclamationMarkTildeAsterisk => true,
            Token::Tilde => after_value,
            Token::Word(word) => {
                let is_bare = word.quote_style.is_none();
                is_bare
                    && (word.value.eq_ignore_ascii_case("ilike") || word.value.starts_with("$$"))
            }
            Token::Placeholder(place) => place.starts_with("$$"),
            _ => false,
        };
        if is_own {
            return true;
        }
        after_value = ends_value(token);
        after_arrow = matches!(token, Token::Arrow | Token::LongArrow);
    }
    false
}

/// Whether a token can be the last of a value.
fn ends_value(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            let is_keyword = |one: &&str| word.value.eq_ignore_ascii_case(one);
            word.quote_style.is_some() || !BEFORE_VALUES.iter().any(is_keyword)
        }
        Token::RParen
        | Token::RBracket
        | Token::Number(..)
        | Token::SingleQuotedString(_)
        | Token::DoubleQuotedString(_) => true,
        _ => false,
    }
}

/// Whether a relation or a column in sight has exactly this name.
fn is_name(word: &str, database: &SessionDatabase<'_>) -> bool {
    let catalog = database.catalog;
    let (names, rights) = (catalog.names(), database.rights());
    catalog.relations().any(|(id, relation)| {
        if !rights.sees_relation(id) {
            return false;
        }
        let mut columns = catalog.columns_of(id).iter();
        names.text(relation.name) == word
            || columns
                .any(|column| names.text(column.name) == word && rights.may_read_column(id, column))
    })
}

/// Words that a value follows, so that `~` after them has one side only.
const BEFORE_VALUES: &[&str] = &[
    "select", "distinct", "all", "where", "and", "or", "not", "on", "having", "by", "case", "when",
    "then", "else", "in", "like", "between", "limit", "offset", "div", "mod", "is",
];
