//! Operators of MySQL that the grammar would read with another precedence, put in their places.
//!
//! `||` is OR and `&&` is AND, with their precedence; `a MOD b` is `a % b`; `c -> '$.p'` takes a
//! column and a path and nothing else, and is the call that it stands for; `BINARY c` is a cast of
//! what stands behind it and no more.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/operator-precedence.html>

use std::iter::Peekable;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Whitespace};

/// The tokens as they are to be parsed.
pub fn rearranged(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        let span = token.span;
        match &token.token {
            Token::StringConcat => made.push(token_with_span(Token::make_keyword("OR"), span)),
            Token::Overlap => made.push(token_with_span(Token::make_keyword("AND"), span)),
            Token::Arrow | Token::LongArrow => path_of_column(&mut made, token, &mut rest),
            Token::Word(word) if word.quote_style.is_some() => made.push(token),
            Token::Word(word)
                if word.value.eq_ignore_ascii_case("binary") && !ends_with(&made, "as") =>
            {
                binary(&mut made, token, &mut rest);
            }
            Token::Word(word)
                if word.value.eq_ignore_ascii_case("mod")
                    && ends_operand(&made)
                    && !matches!(rest.peek(), Some(next) if next.token == Token::LParen) =>
            {
                made.push(token_with_span(Token::Mod, span));
            }
            _ => made.push(token),
        }
    }
    made
}

type RemainingTokens = Peekable<std::vec::IntoIter<TokenWithSpan>>;

fn token_with_span(token: Token, span: Span) -> TokenWithSpan {
    TokenWithSpan::new(token, span)
}

/// `c -> '$.p'` is JSON_EXTRACT(c, '$.p'), and `->>` JSON_UNQUOTE of that.
fn path_of_column(made: &mut Vec<TokenWithSpan>, arrow: TokenWithSpan, rest: &mut RemainingTokens) {
    let span = arrow.span;
    while rest.next_if(|next| is_blank(&next.token)).is_some() {}
    let begin = column_before(made);
    let path = rest.next_if(|next| {
        matches!(
            next.token,
            Token::SingleQuotedString(_) | Token::DoubleQuotedString(_)
        )
    });
    let (Some(begin), Some(path)) = (begin, path) else {
        // The grammar says what is wrong with it.
        made.push(arrow);
        return;
    };
    let call = |name: &str| {
        [
            token_with_span(Token::make_word(name, None), span),
            token_with_span(Token::LParen, span),
        ]
    };
    let unquoted = arrow.token == Token::LongArrow;
    made.splice(begin..begin, call("JSON_EXTRACT"));
    made.extend([
        token_with_span(Token::Comma, span),
        path,
        token_with_span(Token::RParen, span),
    ]);
    if unquoted {
        made.splice(begin..begin, call("JSON_UNQUOTE"));
        made.push(token_with_span(Token::RParen, span));
    }
}

/// `BINARY c` is CAST(c AS BINARY).
fn binary(made: &mut Vec<TokenWithSpan>, word: TokenWithSpan, rest: &mut RemainingTokens) {
    let span = word.span;
    let mut operand = Vec::new();
    while let Some(next) = rest.next_if(|next| is_operand(&next.token)) {
        operand.push(next);
    }
    if operand.iter().all(|token| is_blank(&token.token)) {
        made.push(word);
        made.extend(operand);
        return;
    }
    made.extend([
        token_with_span(Token::make_keyword("CAST"), span),
        token_with_span(Token::LParen, span),
    ]);
    made.extend(operand);
    made.extend([
        token_with_span(Token::make_keyword("AS"), span),
        token_with_span(Token::make_keyword("BINARY"), span),
        token_with_span(Token::RParen, span),
        token_with_span(Token::Whitespace(Whitespace::Space), span),
    ]);
}

fn is_blank(token: &Token) -> bool {
    matches!(token, Token::Whitespace(_))
}

/// A column or a string, blanks included.
fn is_operand(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            word.quote_style.is_some() || word.keyword == Keyword::NoKeyword || is_soft(&word.value)
        }
        Token::Period | Token::Whitespace(_) => true,
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) => true,
        _ => false,
    }
}

/// Key words of the grammar that are common names of columns.
fn is_soft(word: &str) -> bool {
    [
        "name", "status", "type", "code", "title", "value", "key", "text", "user",
    ]
    .iter()
    .any(|soft| word.eq_ignore_ascii_case(soft))
}

fn ends_with(made: &[TokenWithSpan], word: &str) -> bool {
    let last = made.iter().rev().find(|token| !is_blank(&token.token));
    matches!(last.map(|last| &last.token), Some(Token::Word(found))
        if found.value.eq_ignore_ascii_case(word))
}

/// Whether what was read last ends an operand.
fn ends_operand(made: &[TokenWithSpan]) -> bool {
    let last = made.iter().rev().find(|token| !is_blank(&token.token));
    match last.map(|last| &last.token) {
        Some(Token::Number(..) | Token::RParen) => true,
        Some(Token::Word(word)) => {
            word.quote_style.is_some() || word.keyword == Keyword::NoKeyword || is_soft(&word.value)
        }
        _ => false,
    }
}

/// Where the column begins that was read last: `c`, `t.c`.
fn column_before(made: &[TokenWithSpan]) -> Option<usize> {
    let mut begin = None;
    let mut wants_word = true;
    for (at, token) in made.iter().enumerate().rev() {
        match &token.token {
            Token::Whitespace(_) if begin.is_none() => {}
            Token::Word(_) if wants_word => {
                begin = Some(at);
                wants_word = false;
            }
            Token::Period if !wants_word => wants_word = true,
            _ => break,
        }
    }
    begin.filter(|_| !wants_word)
}
