//! What stands around a query and changes nothing of it: `SET PARSEONLY ON`, `USE x`, `GO`,
//! OPTION; and operators that the grammar does not know.

use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Whitespace};

/// The tokens of the query alone, as the grammar reads them.
pub fn bare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens = totals_in_front(without_settings(tokens));
    sets_as_call(hints_in_full(tokens))
}

fn without_settings(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut made = Vec::with_capacity(tokens.len());
    let mut begins_line = true;
    let mut begins_statement = true;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let end = if depth > 0 {
            None
        } else if begins_statement && let Some(end) = setting(&tokens, at) {
            Some(end)
        } else if begins_line && word(&tokens, at) == "go" {
            ends_line(&tokens, at + 1)
        } else if word(&tokens, at) == "option" {
            option(&tokens, at)
        } else {
            None
        };
        if let Some(end) = end {
            at = end;
            begins_statement = true;
            begins_line = true;
            continue;
        }
        match &token.token {
            Token::Whitespace(Whitespace::Newline) => begins_line = true,
            Token::Whitespace(Whitespace::SingleLineComment { .. }) => begins_line = true,
            Token::Whitespace(_) => {}
            other => {
                begins_line = false;
                begins_statement = *other == Token::SemiColon;
                match other {
                    Token::LParen => depth += 1,
                    Token::RParen => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
        match (&token.token, tokens.get(at + 1).map(|next| &next.token)) {
            // Not less, not greater.
            (Token::ExclamationMark, Some(Token::Lt)) => {
                made.push(TokenWithSpan::new(Token::GtEq, token.span));
                at += 1;
            }
            (Token::ExclamationMark, Some(Token::Gt)) => {
                made.push(TokenWithSpan::new(Token::LtEq, token.span));
                at += 1;
            }
            _ => made.push(token.clone()),
        }
        at += 1;
    }
    made
}

/// `GROUP BY ROLLUP (a, b)` for `GROUP BY a, b WITH ROLLUP`, which the grammar does not read.
fn totals_in_front(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let behind = next(&tokens, at + 1);
        let totals = behind.map(|place| word(&tokens, place)).unwrap_or_default();
        let is_total = word(&tokens, at) == "with" && ["rollup", "cube"].contains(&totals.as_str());
        match (is_total.then(|| group_keys(&made)).flatten(), behind) {
            (Some(keys), Some(place)) => {
                let spanned = |token: Token| TokenWithSpan::new(token, made_span(&tokens, place));
                let front = [
                    spanned(Token::Whitespace(Whitespace::Space)),
                    spanned(Token::make_word(&totals, None)),
                    spanned(Token::LParen),
                ];
                made.splice(keys..keys, front);
                made.push(spanned(Token::RParen));
                at = place + 1;
            }
            _ => {
                made.push(token.clone());
                at += 1;
            }
        }
    }
    made
}

/// `FROM t WITH (NOLOCK)` for `FROM t (NOLOCK)`, which would give names to columns elsewhere.
fn hints_in_full(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        let is_hint = token.token == Token::LParen
            && next(&tokens, at + 1)
                .is_some_and(|place| HINTS_WITHOUT_WITH.contains(&word(&tokens, place).as_str()));
        if is_hint && ends_table(&tokens, at) {
            for token in [
                Token::Whitespace(Whitespace::Space),
                Token::make_word("WITH", None),
                Token::Whitespace(Whitespace::Space),
            ] {
                made.push(TokenWithSpan::new(token, made_span(&tokens, at)));
            }
        }
        made.push(token.clone());
    }
    made
}

/// Whether a table of FROM, with or without an alias, stands right before a place.
fn ends_table(tokens: &[TokenWithSpan], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    let mut names = 0_usize;
    for (place, token) in before.iter().enumerate().rev() {
        match &token.token {
            Token::Whitespace(_) | Token::Period => {}
            Token::Comma => return names > 0,
            Token::Word(_) => match word(tokens, place).as_str() {
                "from" | "join" | "apply" => return names > 0,
                "with" => return false,
                _ => names += 1,
            },
            _ => return false,
        }
    }
    false
}

/// Hints that may stand without WITH.
const HINTS_WITHOUT_WITH: &[&str] = &[
    "nolock",
    "readuncommitted",
    "readcommitted",
    "readpast",
    "repeatableread",
    "holdlock",
    "serializable",
    "rowlock",
    "paglock",
    "tablock",
    "tablockx",
    "updlock",
    "xlock",
];

/// `grouping_sets((a), (NULL))` for `GROUPING SETS ((a), ())`, which the grammar does not read.
fn sets_as_call(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let behind = next(&tokens, at + 1);
        let sets = behind
            .filter(|place| word(&tokens, at) == "grouping" && word(&tokens, *place) == "sets");
        if let Some(place) = sets {
            let call = Token::make_word("grouping_sets", None);
            made.push(TokenWithSpan::new(call, token.span));
            (at, depth) = (place + 1, 1);
            continue;
        }
        made.push(token.clone());
        match token.token {
            Token::LParen if depth > 0 => depth += 1,
            Token::RParen if depth > 0 => depth -= 1,
            _ => {}
        }
        let is_empty = depth > 2
            && token.token == Token::LParen
            && behind.and_then(|at| tokens.get(at)).map(|next| &next.token) == Some(&Token::RParen);
        if is_empty {
            made.push(TokenWithSpan::new(
                Token::make_word("NULL", None),
                token.span,
            ));
        }
        // Behind the last of its parentheses it is over.
        depth = if depth == 1 && token.token == Token::RParen {
            0
        } else {
            depth
        };
        at += 1;
    }
    made
}

fn made_span(tokens: &[TokenWithSpan], place: usize) -> Span {
    tokens
        .get(place)
        .map_or_else(Span::empty, |token| token.span)
}

/// Where the keys of the GROUP BY begin that these tokens end with.
fn group_keys(tokens: &[TokenWithSpan]) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().rev() {
        match token.token {
            Token::RParen => depth += 1,
            Token::LParen => depth = depth.checked_sub(1)?,
            _ if depth == 0 && word(tokens, place) == "by" => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// Where a setting or USE ends that begins here.
fn setting(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let first = word(tokens, at);
    let second = next(tokens, at + 1)?;
    let last = match first.as_str() {
        "use" => second,
        "set" => {
            let settings = ["parseonly", "nocount", "noexec", "fmtonly", "ansi_nulls"];
            let third = next(tokens, second + 1)?;
            let is_switch = ["on", "off"].contains(&word(tokens, third).as_str());
            if !settings.contains(&word(tokens, second).as_str()) || !is_switch {
                return None;
            }
            third
        }
        _ => return None,
    };
    let after = last + 1;
    match next(tokens, after).and_then(|at| tokens.get(at).map(|token| (at, &token.token))) {
        Some((at, Token::SemiColon)) => Some(at + 1),
        _ => Some(after),
    }
}

/// Where the line ends, if nothing more stands on it.
fn ends_line(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match &token.token {
            Token::Whitespace(Whitespace::Newline) | Token::EOF => return Some(place),
            Token::Whitespace(_) | Token::SemiColon => {}
            _ => return None,
        }
    }
    Some(tokens.len())
}

/// Where `OPTION (…)` ends, which says how and not what.
fn option(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let open = next(tokens, at + 1)?;
    if tokens.get(open)?.token != Token::LParen {
        return None;
    }
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => {
                let last = next(tokens, place + 1).and_then(|at| tokens.get(at));
                let ends =
                    last.is_none_or(|token| matches!(token.token, Token::SemiColon | Token::EOF));
                return ends.then_some(place + 1);
            }
            Token::RParen => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The next place that is no blank.
fn next(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    let rest = tokens.iter().enumerate().skip(at);
    let mut solid = rest.filter(|(_, token)| !matches!(token.token, Token::Whitespace(_)));
    solid.next().map(|(place, _)| place)
}

/// The word here, in small letters.
fn word(tokens: &[TokenWithSpan], at: usize) -> String {
    match tokens.get(at).map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_lowercase(),
        _ => String::new(),
    }
}
