//! SQLite's expressions that have a syntax of their own, and the spellings of its grammar that the
//! library does not read.
//!
//! <https://www.sqlite.org/lang_expr.html>

use sqlparser::ast::Expr;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use super::operators::{between_days, folded, is_nocase};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// An expression that SQLite has another meaning of; none for any other.
pub fn written(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
    match expr {
        Expr::Between {
            expr,
            negated,
            low,
            high,
        } => between_days(translator, expr, *negated, low, high),
        Expr::Trim {
            expr,
            trim_where: None,
            trim_what: None,
            trim_characters,
        } => {
            let mut arguments = vec![&**expr];
            arguments.extend(trim_characters.iter().flatten());
            translator.call_named("trim", arguments).map(Some)
        }
        // What is sorted by; comparisons have looked at their sides before.
        Expr::Collate { expr, collation } if is_nocase(collation) => {
            let value = translator.value(expr)?;
            if value.kind != SqlType::Text {
                return Err(Untranslatable::construct("COLLATE beside no text"));
            }
            Ok(Some(folded(&value)))
        }
        Expr::Collate { .. } => Err(Untranslatable::construct("this collation")),
        _ => Ok(None),
    }
}

/// `IS` between values, `ISNULL`, and `NOT NULL` after a value.
pub fn tokens(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut written: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let after = next_word(&tokens, at);
        if is_word(token, "isnull") {
            extend(&mut written, token, &["IS", "NULL"]);
        } else if is_word(token, "is") && !after.is_some_and(begins_test) {
            let not = after.is_some_and(|word| word.eq_ignore_ascii_case("not"));
            let beyond = next_place(&tokens, at).and_then(|next| next_word(&tokens, next));
            match (not, beyond) {
                (false, _) => extend(&mut written, token, &["IS", "NOT", "DISTINCT", "FROM"]),
                (true, Some(word)) if begins_test(word) => written.push(token.clone()),
                (true, _) => extend(&mut written, token, &["IS", "DISTINCT", "FROM"]),
            }
        } else if is_word(token, "not") && was_replaced(&written) {
            // IS NOT x has become IS DISTINCT FROM x.
        } else {
            written.push(token.clone());
        }
    }
    written
}

/// What may follow IS in the library's grammar.
fn begins_test(word: &str) -> bool {
    ["null", "true", "false", "unknown", "distinct"]
        .iter()
        .any(|test| word.eq_ignore_ascii_case(test))
}

/// Whether the last word is that of IS DISTINCT FROM which stands for IS NOT.
fn was_replaced(written: &[TokenWithSpan]) -> bool {
    let mut words = written.iter().rev().filter(|token| !is_blank(token));
    let mut next = |wanted: &str| words.next().is_some_and(|token| is_word(token, wanted));
    next("from") && next("distinct") && next("is")
}

fn extend(written: &mut Vec<TokenWithSpan>, at: &TokenWithSpan, words: &[&str]) {
    for word in words {
        let token = Token::Word(Word {
            value: (*word).to_owned(),
            quote_style: None,
            keyword: match *word {
                "IS" => Keyword::IS,
                "NOT" => Keyword::NOT,
                "NULL" => Keyword::NULL,
                "DISTINCT" => Keyword::DISTINCT,
                "FROM" => Keyword::FROM,
                _ => Keyword::NoKeyword,
            },
        });
        written.push(TokenWithSpan {
            token,
            span: at.span,
        });
    }
}

fn is_blank(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

fn is_word(token: &TokenWithSpan, wanted: &str) -> bool {
    matches!(&token.token, Token::Word(word)
        if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(wanted))
}

fn next_place(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let mut rest = tokens.iter().enumerate().skip(at + 1);
    rest.find(|(_, token)| !is_blank(token)).map(|(at, _)| at)
}

/// The unquoted word after a place.
fn next_word(tokens: &[TokenWithSpan], at: usize) -> Option<&str> {
    match &tokens.get(next_place(tokens, at)?)?.token {
        Token::Word(word) if word.quote_style.is_none() => Some(&word.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::tokenizer::Tokenizer;

    #[test]
    fn is_compares_values() {
        for (before, after) in [
            ("a IS b", "a IS NOT DISTINCT FROM b"),
            ("a IS NOT b", "a IS DISTINCT FROM  b"),
            ("a IS NOT NULL", "a IS NOT NULL"),
            ("a IS NULL", "a IS NULL"),
            ("a is not distinct from b", "a is not distinct from b"),
            ("a ISNULL", "a IS NULL"),
            ("a IS 'x'", "a IS NOT DISTINCT FROM 'x'"),
            ("a IS NOT 1", "a IS DISTINCT FROM  1"),
        ] {
            let grammar = sqlparser::dialect::SQLiteDialect {};
            let mut tokenizer = Tokenizer::new(&grammar, before);
            let written = tokens(tokenizer.tokenize_with_location().unwrap());
            let mut text = String::new();
            let mut last_word = false;
            for token in &written {
                let is_plain = matches!(token.token, Token::Word(_));
                if is_plain && last_word {
                    text.push(' ');
                }
                last_word = is_plain;
                text.push_str(&token.token.to_string());
            }
            assert_eq!(text.trim(), after);
        }
    }
}
