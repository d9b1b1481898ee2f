//! Words about what is not repaired: how Postgres writes what another database writes otherwise.

use std::cmp::Ordering;

use super::uneven_rows;
use crate::RepairContext;
use sql::lexer::TokenKind;

/// What can be said about a text.
pub(in crate::recoverers::syntax_error) fn of(context: &RepairContext<'_>) -> Option<String> {
    if context.tree.is_some() {
        let of_message = || of_server(&context.failure.message).map(str::to_owned);
        return uneven_rows::advice(context).or_else(of_message);
    }
    let open = |token: &sql::lexer::Token| token.kind == TokenKind::UnterminatedLiteral;
    if context.tokens.iter().any(open) {
        return Some(OPEN.to_owned());
    }
    let words: Vec<String> = context
        .tokens
        .iter()
        .filter(|token| !token.kind.is_blank())
        .map(|token| match token.kind {
            TokenKind::Word | TokenKind::Operator | TokenKind::Punctuation => {
                context.word(token).to_ascii_lowercase()
            }
            // What is in literals is no sign of anything.
            TokenKind::Number => "0".to_owned(),
            _ => "?".to_owned(),
        })
        .collect();
    let has = |pattern: &[&str]| {
        words.windows(pattern.len()).any(|window| {
            let mut pairs = window.iter().zip(pattern);
            pairs.all(|(word, wanted)| word == wanted)
        })
    };
    if is_out_of_order(&words) {
        return Some(ORDER.to_owned());
    }
    let mut found = FOREIGN.iter().filter(|(pattern, _)| has(pattern));
    let first = found.next().map(|(_, advice)| *advice);
    let second = found.next().map(|(_, advice)| *advice);
    match (first, second) {
        (Some(first), Some(second)) if first != second => Some(format!("{first} {second}")),
        (Some(first), _) => Some(first.to_owned()),
        (None, _) if lacks_condition(&words) => Some(JOINS.to_owned()),
        (None, _) => of_balance(&words).map(str::to_owned),
    }
}

/// Whether there are more joins than conditions of joins.
fn lacks_condition(words: &[String]) -> bool {
    let count = |word: &str| words.iter().filter(|own| *own == word).count();
    let free = count("cross").saturating_add(count("natural"));
    let conditions = count("on").saturating_add(count("using"));
    count("join") > free.saturating_add(conditions)
}

/// What does not end, or ends what never began.
fn of_balance(words: &[String]) -> Option<&'static str> {
    let begins = words.iter().any(|word| word == "select" || word == "with");
    let count = |sign: &str| words.iter().filter(|word| *word == sign).count();
    match count("(").cmp(&count(")")) {
        _ if !begins => None,
        Ordering::Greater => Some("A parenthesis is opened and never closed."),
        Ordering::Less => Some("A parenthesis is closed that was never opened."),
        Ordering::Equal if count("case") > count("end") => Some("A CASE has no END."),
        Ordering::Equal => None,
    }
}

/// Whether a clause stands after one that it has to stand before.
fn is_out_of_order(words: &[String]) -> bool {
    let mut ranks: Vec<usize> = vec![0];
    for (place, word) in words.iter().enumerate() {
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        let within =
            before.is_some_and(|before| ["within", "distinct", "@"].contains(&before.as_str()));
        match word.as_str() {
            "(" => ranks.push(usize::MAX),
            ")" => {
                ranks.pop();
            }
            "select" | "union" | "intersect" | "except" => {
                if let Some(rank) = ranks.last_mut() {
                    *rank = 0;
                }
            }
            word => {
                let next = words.get(place + 1).map_or("", String::as_str);
                let is_name = ["group", "order"].contains(&word) && next != "by";
                let rank = CLAUSES
                    .iter()
                    .position(|clause| *clause == word && !is_name);
                let Some(rank) = rank.filter(|_| !within) else {
                    continue;
                };
                match ranks.last_mut() {
                    // Arguments: what is in them is no clause.
                    Some(&mut usize::MAX) | None => {}
                    Some(last) if *last > rank => return true,
                    Some(last) => *last = rank,
                }
            }
        }
    }
    false
}

/// What the server says of texts that parse.
fn of_server(message: &str) -> Option<&'static str> {
    let mut known = SERVER.iter();
    let found = known.find(|(words, _)| message.contains(words));
    found.map(|(_, advice)| *advice)
}

const OPEN: &str = "A quote is never closed. In Postgres an apostrophe inside of a string is \
     written twice: 'O''Brien'.";

const CLAUSES: &[&str] = &["from", "where", "group", "having", "order", "limit"];

const ORDER: &str = "The clauses of a SELECT stand in this order: FROM, WHERE, GROUP BY, HAVING, \
     ORDER BY, LIMIT.";

const JOINS: &str =
    "Every JOIN but CROSS JOIN needs a condition behind ON: JOIN b ON b.a_id = a.id.";

const SERVER: &[(&str, &str)] = &[
    (
        "non-integer constant in",
        "A string in ORDER BY or GROUP BY is a constant in Postgres. Name the column without \
         quotes, or in double quotes.",
    ),
    (
        "same number of columns",
        "Every SELECT of a UNION has to return the same number of columns.",
    ),
    ("with no tables specified", "SELECT * needs a FROM clause."),
    (
        "column definition list",
        "A function that returns records needs the names and types of its columns: \
         f(x) AS t(a integer, b text).",
    ),
];

/// Sequences of words of other databases, and what Postgres has for them.
const FOREIGN: &[(&[&str], &str)] = &[
    (
        &["select", "top"],
        "Postgres has LIMIT n at the end instead of TOP n.",
    ),
    (
        &["distinct", "top"],
        "Postgres has LIMIT n at the end instead of TOP n.",
    ),
    (
        &["cross", "apply"],
        "Postgres has CROSS JOIN LATERAL instead of CROSS APPLY.",
    ),
    (
        &["outer", "apply"],
        "Postgres has LEFT JOIN LATERAL … ON true instead of OUTER APPLY.",
    ),
    (
        &["qualify"],
        "Postgres has no QUALIFY: filter on the window function in an outer query.",
    ),
    (
        &["pivot"],
        "Postgres has no PIVOT: use an aggregate with FILTER (WHERE …) for each column.",
    ),
    (
        &["unpivot"],
        "Postgres has no UNPIVOT: use CROSS JOIN LATERAL (VALUES …).",
    ),
    (
        &["regexp"],
        "Postgres has ~ (or ~* regardless of case) instead of REGEXP.",
    ),
    (
        &["rlike"],
        "Postgres has ~ (or ~* regardless of case) instead of RLIKE.",
    ),
    (&["glob"], "Postgres has LIKE or ~ instead of GLOB."),
    (
        &["<=>"],
        "Postgres has IS NOT DISTINCT FROM instead of <=>.",
    ),
    (
        &["&&"],
        "Postgres has AND between conditions; && compares arrays and ranges.",
    ),
    (
        &["div"],
        "Postgres has div(a, b) or a / b of integers instead of a DIV b.",
    ),
    (
        &["xor"],
        "Postgres has <> between conditions instead of XOR.",
    ),
    (&["minus"], "Postgres has EXCEPT instead of MINUS."),
    (
        &["connect", "by"],
        "Postgres has WITH RECURSIVE instead of CONNECT BY.",
    ),
    (
        &["with", "rollup"],
        "Postgres has GROUP BY ROLLUP (…) instead of WITH ROLLUP.",
    ),
    (
        &["group", "by", "all"],
        "Postgres has no GROUP BY ALL: name the columns.",
    ),
    (
        &["*", "except", "("],
        "Postgres has no SELECT * EXCEPT: name the columns.",
    ),
    (
        &["*", "exclude"],
        "Postgres has no SELECT * EXCLUDE: name the columns.",
    ),
    (
        &["*", "replace", "("],
        "Postgres has no SELECT * REPLACE: name the columns.",
    ),
    (
        &["separator"],
        "Postgres has string_agg(value, separator ORDER BY …) instead of GROUP_CONCAT.",
    ),
    (
        &["as", "unsigned"],
        "Postgres has CAST(x AS bigint) instead of CAST(x AS UNSIGNED).",
    ),
    (
        &["as", "signed"],
        "Postgres has CAST(x AS bigint) instead of CAST(x AS SIGNED).",
    ),
    (
        &["straight_join"],
        "Postgres has JOIN instead of STRAIGHT_JOIN.",
    ),
    (
        &["sql_calc_found_rows"],
        "Postgres has count(*) OVER () instead of SQL_CALC_FOUND_ROWS.",
    ),
    (&["force", "index"], "Postgres takes no index hints."),
    (&["use", "index"], "Postgres takes no index hints."),
    (
        &["with", "(", "nolock", ")"],
        "Postgres takes no table hints: readers never wait for writers.",
    ),
    (
        &["date", "0", "-", "0"],
        "In Postgres a date is a string: DATE '2020-01-31'.",
    ),
    (
        &["day", ")"],
        "In Postgres an interval is a string: INTERVAL '1 day', or n * INTERVAL '1 day'.",
    ),
    (
        &["month", ")"],
        "In Postgres an interval is a string: INTERVAL '1 month', or n * INTERVAL '1 month'.",
    ),
    (
        &["year", ")"],
        "In Postgres an interval is a string: INTERVAL '1 year', or n * INTERVAL '1 year'.",
    ),
    (&["not", "is", "null"], "Postgres writes x IS NOT NULL."),
    (&["is", "not", "in"], "Postgres writes x NOT IN (…)."),
    (&["is", "in"], "Postgres writes x IN (…)."),
    (&["is", "like"], "Postgres writes x LIKE …."),
    (&["=", "not", "null"], "Postgres writes x IS NOT NULL."),
    (
        &["lateral", "view"],
        "Postgres has CROSS JOIN LATERAL unnest(…) instead of LATERAL VIEW.",
    ),
];
