//! Reads a foreign text with sqlparser, which is never given what it could not carry: its trees
//! overflow the stack when they are dropped, however they are made.

use sqlparser::ast::{Query, Statement};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

use super::source::SourceDialect;
use ground::limits;

/// The only query of a text; none where it is not one, or not of this dialect.
pub fn query(text: &str, source: &dyn SourceDialect) -> Option<Box<Query>> {
    if text.len() > limits::REPAIR_BYTES_MAX {
        return None;
    }
    let grammar = source.grammar();
    // Escapes are decoded by us: the library's own reading of them is not that of every dialect.
    let mut tokenizer = Tokenizer::new(&*grammar, text).with_unescape(false);
    let tokens = source.tokens(tokenizer.tokenize_with_location().ok()?);
    if !is_shallow(&tokens) {
        return None;
    }
    let mut parser = Parser::new(&*grammar).with_tokens_with_locations(tokens);
    let mut statements = parser.parse_statements().ok()?.into_iter();
    match (statements.next(), statements.next()) {
        (Some(Statement::Query(query)), None) => Some(query),
        _ => None,
    }
}

/// Whether no path into the tree can be long: a path grows by a token at most, and no further than
/// the tokens since the last comma or clause of each parenthesis that is open.
fn is_shallow(tokens: &[TokenWithSpan]) -> bool {
    let mut open: Vec<usize> = vec![0];
    let mut path = 0_usize;
    let mut queries = 0_usize;
    for token in tokens {
        let spent = open.last().copied().unwrap_or_default();
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen | Token::LBracket | Token::LBrace => {
                open.push(0);
                path += 1;
            }
            Token::RParen | Token::RBracket | Token::RBrace => {
                open.pop();
                path = path.saturating_sub(spent + 1);
                if open.is_empty() {
                    open.push(0);
                }
            }
            Token::Comma => path = path.saturating_sub(take(&mut open)),
            Token::Word(word) if word.quote_style.is_none() && begins_clause(&word.value) => {
                queries += usize::from(word.value.eq_ignore_ascii_case("select"));
                path = path.saturating_sub(take(&mut open));
            }
            _ => {
                path += 1;
                if let Some(last) = open.last_mut() {
                    *last += 1;
                }
            }
        }
        if path > limits::DIALECT_PATH_MAX || queries > limits::DIALECT_QUERIES_MAX {
            return false;
        }
    }
    true
}

/// What the innermost parenthesis has spent, which then has spent nothing.
fn take(open: &mut [usize]) -> usize {
    open.last_mut().map(std::mem::take).unwrap_or_default()
}

fn begins_clause(word: &str) -> bool {
    ["select", "from", "where", "having"]
        .iter()
        .any(|clause| word.eq_ignore_ascii_case(clause))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use policy::Dialect;

    #[test]
    fn what_nests_deeply_is_not_read() {
        let source = registry::of(Dialect::Mysql).unwrap();
        let long = |count: usize| format!("SELECT 1{}", " + 1".repeat(count));
        let deep = |count: usize| format!("SELECT {}1{}", "(".repeat(count), ")".repeat(count));
        for text in [long(100), deep(20), "SELECT 1, 2".into()] {
            assert!(query(&text, source).is_some(), "{text}");
        }
        for text in [
            long(10_000),
            deep(1_000),
            format!("SELECT {}1", "NOT ".repeat(5_000)),
            format!("SELECT {}1", "- ".repeat(5_000)),
            format!("SELECT 1{}", " UNION SELECT 1".repeat(2_000)),
            format!("SELECT 1 FROM a{}", " JOIN a".repeat(2_000)),
            format!("SELECT {}", "CASE ".repeat(2_000)),
            "SELECT 1; SELECT 2".into(),
            "DELETE FROM t".into(),
            "SELECT 'unended".into(),
        ] {
            assert!(query(&text, source).is_none(), "{text}");
        }
    }
}
