//! What can be said of the place that the grammar stopped at, for a text in which no known mistake
//! was found.

use crate::context::tokens_of;
use catalog::quote::quoted;
use ground::edit_distance::with_swaps;
use sql::extent::word;
use sql::lexer::{Token, TokenKind};

/// What stands around the place.
struct ErrorPlace<'t> {
    /// The token that the grammar did not expect; none at the end.
    near: Option<&'t str>,
    /// The ones before it, the nearest first.
    before: Vec<&'t str>,
    /// The first of all.
    first: &'t str,
}

/// What to do about a syntax error at a byte of a text.
pub(super) fn advice(text: &str, position: Option<usize>) -> Option<String> {
    let tokens = tokens_of(text);
    let solid: Vec<&Token> = tokens.iter().filter(|one| !one.kind.is_blank()).collect();
    let place = position.unwrap_or(text.len());
    let at = solid.partition_point(|token| token.span.end <= place);
    let of = |number: Option<usize>| {
        let token = number.and_then(|number| solid.get(number))?;
        (token.span.len() <= SHOWN_BYTES_MAX).then(|| word(text, token))
    };
    let place = ErrorPlace {
        near: of(Some(at)),
        before: (1..=BEFORE_MAX)
            .map_while(|back| of(at.checked_sub(back)))
            .collect(),
        first: of(Some(0)).unwrap_or_default(),
    };
    let is_literal = solid.get(at).is_some_and(|token| is_value(token.kind));
    Some(place.advice(is_literal))
}

impl ErrorPlace<'_> {
    fn advice(&self, is_literal: bool) -> String {
        let last = self.before.first().copied().unwrap_or_default();
        if let Some((_, advice)) = STATEMENTS.iter().find(|(first, _)| is(self.first, first)) {
            return (*advice).to_owned();
        }
        let Some(near) = self.near else {
            return self.unfinished(last);
        };
        if self.before.is_empty() {
            return format!(
                "A statement begins with SELECT, WITH, VALUES or EXPLAIN, and not with {}: send the \
                 SQL alone, without any text around it.",
                shown(near, is_literal)
            );
        }
        let mut rows = PLACES.iter();
        let found = rows.find(|(before, own, _)| {
            (before.is_empty() || is(last, before)) && (own.is_empty() || is(near, own))
        });
        if let Some((_, _, advice)) = found {
            return (*advice).to_owned();
        }
        if let Some(keyword) = self.misspelt(near, last) {
            return keyword;
        }
        if let Some(advice) = self.of_name(near, last) {
            return advice;
        }
        format!(
            "The grammar stops at {}, behind {}: look for a comma, operator, keyword or quote that is \
             missing between them, or one too many.",
            shown(near, is_literal),
            shown(last, last.starts_with('\''))
        )
    }

    /// The end of the text, where something has to follow.
    fn unfinished(&self, last: &str) -> String {
        let mut rows = ENDS.iter();
        let found = rows.find(|(word, _)| is(last, word));
        let is_joined = self.before.iter().any(|word| is(word, "join"));
        match found {
            _ if ["?", "#", "%"].contains(&last) => PLACEHOLDER.to_owned(),
            Some((_, what)) => format!("The statement ends behind {last}, where {what} follows."),
            None if self.before.iter().any(|word| is(word, "between")) => {
                "BETWEEN takes two values: x BETWEEN a AND b.".to_owned()
            }
            None if is_joined => {
                "Every JOIN but CROSS JOIN has a condition: ON a.x = b.y, or USING (x).".to_owned()
            }
            None => format!(
                "The statement ends in the middle, behind {}: write the rest of it.",
                shown(last, last.starts_with('\''))
            ),
        }
    }

    /// A word that is nearly a keyword, and stands where one is missing.
    fn misspelt(&self, near: &str, last: &str) -> Option<String> {
        let own = [Some(near), Some(last), self.before.get(1).copied()];
        own.into_iter().enumerate().find_map(|(place, word)| {
            let word = word?;
            let before = self.before.get(place).copied().unwrap_or_default();
            let is_name = NAMES_BEHIND.iter().any(|own| is(before, own));
            if is_name || is_reserved(&word.to_ascii_lowercase()) {
                return None;
            }
            let keyword = KEYWORDS.iter().find(|keyword| is_nearly(word, keyword))?;
            Some(format!(
                "{word} looks like the keyword {}: write that, or, if it is a name, put a comma or an \
                 operator beside it.",
                keyword.to_ascii_uppercase()
            ))
        })
    }

    /// A keyword where a name stands, or a name where none does.
    fn of_name(&self, near: &str, last: &str) -> Option<String> {
        let expects_name = NAME_EXPECTED.iter().any(|word| is(last, word));
        if is_reserved(&near.to_ascii_lowercase()) && expects_name {
            let name = quoted(&near.to_ascii_lowercase()).into_owned();
            return Some(match CLAUSES.iter().any(|clause| is(near, clause)) {
                true => format!(
                    "Something is missing between {last} and {near}, or {last} is one too many; as a \
                     name it is written {name}."
                ),
                false => format!(
                    "{near} is a reserved word: as a name it is written in double quotes, {name}."
                ),
            });
        }
        if is_reserved(&last.to_ascii_lowercase()) && !CLAUSES.iter().any(|clause| is(last, clause))
        {
            let name = quoted(&last.to_ascii_lowercase()).into_owned();
            return Some(format!(
                "{last} is a reserved word, and {} does not follow it: as a name it is written in \
                 double quotes, {name}.",
                shown(near, false)
            ));
        }
        let is_word = |word: &str| word.starts_with(|letter: char| letter.is_alphabetic());
        (is_word(near) && is_word(last) && !is_reserved(&near.to_ascii_lowercase())).then(|| {
            format!(
                "{near} cannot follow {last}: write a comma or an operator between them, AS before a \
                 new name, or double quotes around a name with a blank, \"{last} {near}\"."
            )
        })
    }
}

/// Whether a word is a name only in double quotes.
fn is_reserved(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_alphabetic()) && quoted(word).starts_with('"')
}

/// A token for a sentence: what is in literals is not shown.
fn shown(token: &str, is_literal: bool) -> String {
    match is_literal {
        true => "a literal".to_owned(),
        false => token.to_owned(),
    }
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn is_value(kind: TokenKind) -> bool {
    !matches!(
        kind,
        TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::Operator
            | TokenKind::Punctuation
            | TokenKind::Number
            | TokenKind::Parameter
    )
}

/// Whether a word differs from a keyword in one letter, or in two that changed places.
fn is_nearly(word: &str, keyword: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if word.len().abs_diff(keyword.len()) > 1 || word.len() < LETTERS_MIN {
        return false;
    }
    let letters = |text: &str| -> Vec<char> { text.chars().collect() };
    with_swaps(&letters(&word), &letters(keyword)) == 1
}

/// Statements of other databases, by their first word.
const STATEMENTS: &[(&str, &str)] = &[
    (
        "describe",
        "Postgres has no DESCRIBE: SELECT column_name, data_type FROM information_schema.columns \
         WHERE table_name = 'x'.",
    ),
    (
        "desc",
        "Postgres has no DESC: SELECT column_name, data_type FROM information_schema.columns WHERE \
         table_name = 'x'.",
    ),
    (
        "pragma",
        "Postgres has no PRAGMA: information_schema.tables and information_schema.columns list what \
         there is.",
    ),
    (
        "use",
        "Postgres has no USE: a connection stays in its database; write schema.table.",
    ),
    (
        "show",
        "SHOW shows settings alone: SELECT table_name FROM information_schema.tables, or column_name \
         FROM information_schema.columns.",
    ),
    (
        "declare",
        "SQL has no variables: write the value where it is used, or WITH p AS (SELECT 1 AS x).",
    ),
    (
        "if",
        "SQL has no IF: write CASE WHEN … THEN … ELSE … END within a SELECT.",
    ),
    (
        "from",
        "Postgres begins with SELECT: write SELECT … FROM …, with the clauses in that order.",
    ),
];

/// What stands before the place, at it (none for all), and what to do.
const PLACES: &[(&str, &str, &str)] = &[
    ("", "?", PLACEHOLDER),
    ("", ":", PLACEHOLDER),
    ("", "%", PLACEHOLDER),
    ("", "{", TEMPLATE),
    ("", "}", TEMPLATE),
    ("", "$", PLACEHOLDER),
    ("", "#", PLACEHOLDER),
    (
        "",
        ":=",
        "Postgres has no variables in SQL: use a window function, or a sub-select for the value.",
    ),
    (
        "",
        "!",
        "Postgres has NOT before a condition instead of !.",
    ),
    (
        "",
        "contains",
        "Postgres has x LIKE '%word%' (ILIKE regardless of case) instead of CONTAINS.",
    ),
    (
        "",
        "starts",
        "Postgres has x LIKE 'word%' instead of STARTS WITH.",
    ),
    (
        "",
        "ends",
        "Postgres has x LIKE '%word' instead of ENDS WITH.",
    ),
    ("", "equal", "Postgres has = and <> between values, without words such as IS NOT EQUAL TO."),
    ("", "then", "A CASE is written CASE WHEN condition THEN value ELSE value END."),
    ("", "to", "Postgres has AND between two bounds: x BETWEEN 1 AND 5."),
    ("and", "<", SIDES),
    ("and", ">", SIDES),
    ("and", "=", SIDES),
    ("or", "=", SIDES),
    ("or", "<", SIDES),
    ("or", ">", SIDES),
    ("and", "and", "There is an AND too many, or a condition is missing between the two."),
    ("or", "or", "There is an OR too many, or a condition is missing between the two."),
    (
        "",
        ".",
        "A dot stands between two names: a comma or an operator is missing before them, or a name on one side of it.",
    ),
    ("", "equals", "Postgres has = instead of EQUALS."),
    ("", "elseif", "A CASE goes on with WHEN … THEN …, and ends with ELSE … END."),
    ("", "elsif", "A CASE goes on with WHEN … THEN …, and ends with ELSE … END."),
    ("else", "if", "A CASE goes on with WHEN … THEN …, and ends with ELSE … END."),
    (
        "is",
        "",
        "IS takes NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM: values are compared with = and <>.",
    ),
    (
        "in",
        "",
        "IN takes a list or a sub-select in parentheses: x IN (1, 2).",
    ),
    (
        "exists",
        "",
        "EXISTS takes a sub-select in parentheses: EXISTS (SELECT 1 FROM …).",
    ),
    (
        "over",
        "",
        "OVER takes its window in parentheses: OVER (PARTITION BY … ORDER BY …).",
    ),
    (
        "group",
        "",
        "GROUP takes BY: GROUP BY column. As a name it is written in double quotes, \"group\".",
    ),
    (
        "order",
        "",
        "ORDER takes BY: ORDER BY column. As a name it is written in double quotes, \"order\".",
    ),
    (
        "partition",
        "",
        "PARTITION takes BY, within OVER (PARTITION BY column).",
    ),
    (
        "=",
        "select",
        "A sub-select stands in parentheses: x = (SELECT …).",
    ),
    (
        "from",
        "select",
        "A sub-select stands in parentheses and has an alias: FROM (SELECT …) AS s.",
    ),
    (
        "using",
        "",
        "USING takes names of columns in parentheses: USING (id).",
    ),
    ("fetch", "", "FETCH is written FETCH FIRST 5 ROWS ONLY; LIMIT 5 is the same."),
    (
        "interval",
        "",
        "An interval is a string in Postgres: INTERVAL '1 day', or n * INTERVAL '1 day'.",
    ),
    ("", "join", JOIN_ORDER),
    ("", "left", JOIN_ORDER),
    ("", "inner", JOIN_ORDER),
    ("", "right", JOIN_ORDER),
    ("", "full", JOIN_ORDER),
    ("", "cross", JOIN_ORDER),
    (
        "",
        "on",
        "ON belongs to a JOIN: FROM a JOIN b ON a.x = b.y; conditions on one table stand in WHERE.",
    ),
    (
        ",",
        ")",
        "There is a comma too many before the closing parenthesis, or a value is missing behind it.",
    ),
    (
        ",",
        "from",
        "There is a comma too many before FROM, or a column is missing behind it.",
    ),
    (
        ",",
        "where",
        "There is a comma too many before WHERE: conditions are joined with AND.",
    ),
    (
        ",",
        "distinct",
        "DISTINCT stands once, behind SELECT: it holds for the whole row. For one column write DISTINCT ON (x).",
    ),
    (
        "(",
        ")",
        "Something is missing within (): IN and arrays take at least one value.",
    ),
    (
        "(",
        ",",
        "There is a comma too many behind the opening parenthesis, or a value is missing before it.",
    ),
    (
        ",",
        ",",
        "There is a comma too many, or a value is missing between the two.",
    ),
    (
        "select",
        ",",
        "There is a comma too many behind SELECT, or a column is missing before it.",
    ),
    (
        "",
        "limit",
        "LIMIT stands at the end, once, behind ORDER BY: LIMIT 10 OFFSET 20.",
    ),
    (
        "",
        "where",
        "WHERE stands once, behind FROM and its joins: more conditions are joined with AND.",
    ),
    (
        "",
        "group",
        "GROUP BY stands once, behind WHERE and before HAVING and ORDER BY.",
    ),
    (
        "",
        "having",
        "HAVING stands behind GROUP BY, and takes conditions on aggregates.",
    ),
    (
        "",
        "order",
        "ORDER BY stands once, behind GROUP BY and HAVING, and before LIMIT; something before it is not finished, or order is a name: \"order\".",
    ),
    (
        "",
        ";",
        "The statement ends at the semicolon before it is finished: remove the semicolon, or finish it.",
    ),
    (
        ";",
        "",
        "Something follows the semicolon that is no statement: remove the semicolon or what is behind.",
    ),
];

const PLACEHOLDER: &str = "Postgres has $1, $2 for parameters: send the values with the statement, or \
     write them into it as literals.";

const TEMPLATE: &str = "A placeholder in braces was not filled in: write the value or the name itself; \
     an array is ARRAY[1, 2].";

const SIDES: &str = "Each side of AND and OR is a condition of its own: write the column again, as in x > 1 \
     AND x < 5.";

const JOIN_ORDER: &str = "Joins stand in FROM, before WHERE, each with its condition: FROM a JOIN b ON \
     a.x = b.y WHERE ….";

/// What follows a word that a text ends with.
const ENDS: &[(&str, &str)] = &[
    ("select", "a list of columns"),
    ("from", "a table"),
    ("join", "a table and its condition"),
    ("on", "a condition"),
    ("where", "a condition"),
    ("and", "a condition"),
    ("or", "a condition"),
    ("not", "a condition"),
    ("having", "a condition"),
    ("by", "a column"),
    ("limit", "a number"),
    ("offset", "a number"),
    ("like", "a pattern"),
    ("union", "a SELECT"),
    ("all", "a SELECT"),
    ("intersect", "a SELECT"),
    ("except", "a SELECT"),
    ("with", "a query, name AS (SELECT …),"),
    ("as", "a name or a query in parentheses"),
    ("in", "a list in parentheses"),
    ("(", "the rest and a closing parenthesis"),
    (",", "one more item"),
    ("=", "a value"),
    ("<", "a value"),
    (">", "a value"),
    ("escape", "a character such as '!'"),
];

/// Words that a name or an expression follows.
const NAME_EXPECTED: &[&str] = &[
    "select", "from", "join", "where", "and", "or", "on", "by", "as", ",", "(", ".", "=", "<", ">",
    "+", "-", "*", "/", "having", "distinct", "not", "||",
];

/// Words that a name follows, and nothing else.
const NAMES_BEHIND: &[&str] = &["from", "join", "as", ",", "."];

/// Words that begin a clause.
const CLAUSES: &[&str] = &[
    "select", "from", "where", "group", "having", "order", "limit", "offset", "union", "join", "on",
    "and", "or", "as", "by", "with", "when", "then", "else", "case",
];

/// What is misspelt most.
const KEYWORDS: &[&str] = &[
    "select", "from", "where", "group", "having", "order", "limit", "offset", "union", "distinct",
    "between", "join", "inner", "outer", "left", "right", "cross", "like", "ilike", "case", "when",
    "then", "else", "over", "partition", "with", "exists", "null", "desc", "fetch", "intersect",
    "except", "values", "interval", "and", "not", "in", "is", "as", "by", "on",
];

/// How many tokens before the place are looked at.
const BEFORE_MAX: usize = 12;

/// Longer tokens are not shown.
const SHOWN_BYTES_MAX: usize = 63;

/// Shorter words are near to too many.
const LETTERS_MIN: usize = 4;
