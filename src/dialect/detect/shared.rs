//! What several dialects have, and Postgres has not: it leaves those that have all of it.

use super::{evidence_tokens, has_marker};
use crate::registry;
use crate::session_database::SessionDatabase;
use crate::source::{DialectMarker, EvidenceToken, EvidenceTokenKind, SourceDialect};
use policy::Dialect::{self, Bigquery, Duckdb, Mysql, Snowflake, Sqlite, Tsql};

/// A dialect that a text may be of.
#[derive(Clone, Copy)]
pub struct CandidateDialect {
    /// Which.
    pub source: &'static dyn SourceDialect,
    /// What of it the text has.
    pub marks: SharedMarks,
    /// Whether it has functions that are not translated from it, and mean the same as elsewhere,
    /// and none that means another thing.
    pub is_alike: bool,
    /// Whether it has names in brackets.
    pub has_brackets: bool,
}

/// What a text has of several dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedMarks {
    /// Nothing but an operator with operands that the dialect takes.
    Operands,
    /// Functions alone: they may be slips in a text that is meant for Postgres.
    Functions,
    /// Some syntax.
    Syntax,
}

/// The dialects that have everything that a text has of several dialects; none where it has
/// nothing of the kind, or something that one of them alone has beside what that one has not.
pub fn candidates(text: &str, database: &SessionDatabase<'_>) -> Vec<CandidateDialect> {
    let all = registry::ALL.iter().copied();
    let of = |source| {
        let seen = evidence_tokens(text, source);
        let marks = shared_marks(&seen, source, database)?;
        let is_unlike = |name: &str| {
            UNLIKE_WITH_RULE.contains(&name) || is_listed(UNLIKE_WITHOUT_RULE, source, name)
        };
        let is_alike = called(&seen)
            .any(|name| !has_rule(source, name) && is_listed(ALIKE_WITHOUT_RULE, source, name))
            && !called(&seen).any(is_unlike);
        Some(CandidateDialect {
            source,
            marks,
            is_alike,
            has_brackets: has_brackets(&seen),
        })
    };
    all.filter_map(of).collect()
}

/// The dialects that take a text which fails here for the types of an operator's operands:
/// `boolean = integer`, `text = integer`.
pub fn takers_of_operands(text: &str, operands: [&str; 2]) -> Vec<CandidateDialect> {
    let is = |names: &[&str]| operands.iter().any(|one| names.contains(one));
    let of: &[Dialect] = match (is(&["boolean"]), is(TEXTS)) {
        (true, _) => &[Mysql, Sqlite, Tsql, Snowflake, Duckdb],
        (false, true) => &[Mysql, Sqlite, Tsql, Snowflake],
        (false, false) if is(MOMENTS) => &[Mysql, Sqlite, Tsql, Snowflake, Duckdb],
        (false, false) => &[],
    };
    let all = registry::ALL.iter().copied();
    let taking = all.filter(|source| {
        of.contains(&source.dialect()) && !evidence_tokens(text, *source).is_empty()
    });
    let marks = SharedMarks::Operands;
    taking
        .map(|source| CandidateDialect {
            source,
            marks,
            is_alike: false,
            has_brackets: false,
        })
        .collect()
}

/// Postgres's names of dates and times.
const MOMENTS: &[&str] = &[
    "date",
    "timestamp without time zone",
    "timestamp with time zone",
];

/// Postgres's names of texts.
const TEXTS: &[&str] = &["text", "character varying", "character"];

/// What a text has of a dialect and others; none where it has nothing, or more than the dialect.
fn shared_marks(
    seen: &[EvidenceToken],
    source: &'static dyn SourceDialect,
    database: &SessionDatabase<'_>,
) -> Option<SharedMarks> {
    let dialect = source.dialect();
    let mut found = None;
    for name in called(seen).filter(|name| is_foreign(name, database)) {
        if has_function(source, name) {
            found = Some(SharedMarks::Functions);
        } else if registry::ALL.iter().any(|other| has_function(*other, name)) {
            return None;
        }
    }
    for marker in MARKERS {
        if !has_marker(&marker.mark, seen) {
            continue;
        }
        if !marker.of.contains(&dialect) {
            return None;
        }
        found = Some(SharedMarks::Syntax);
    }
    let mut others = registry::ALL.iter().filter(|one| one.dialect() != dialect);
    let is_of_another = others.any(|other| {
        let mut evidence = other.evidence().iter();
        evidence.any(|one| has_marker(&one.mark, seen))
    });
    found.filter(|_| !is_of_another)
}

/// The names of functions that are called.
fn called(seen: &[EvidenceToken]) -> impl Iterator<Item = &str> {
    let places = seen.windows(2).enumerate().filter(|(at, pair)| {
        let before = at.checked_sub(1).and_then(|at| seen.get(at));
        matches!(pair, [word, open]
            if word.kind == EvidenceTokenKind::Word && open.word == "(")
            && before.is_none_or(|before| before.word != ".")
    });
    places.filter_map(|(_, pair)| pair.first().map(|one| one.word.as_str()))
}

/// Whether a dialect has a function of this name, with a rule or without one.
pub fn has_function(source: &dyn SourceDialect, name: &str) -> bool {
    has_rule(source, name)
        || is_listed(ALIKE_WITHOUT_RULE, source, name)
        || is_listed(UNLIKE_WITHOUT_RULE, source, name)
}

fn has_rule(source: &dyn SourceDialect, name: &str) -> bool {
    let mut rules = source.functions().iter().flat_map(|rules| rules.iter());
    rules.any(|rule| rule.name == name)
}

fn is_listed(list: &[(&str, &[Dialect])], source: &dyn SourceDialect, name: &str) -> bool {
    let mut list = list.iter();
    list.any(|(one, of)| *one == name && of.contains(&source.dialect()))
}

/// Functions that dialects have beside those that have a rule there, and that mean the same in all
/// that have them. Who is in doubt stands among them.
#[rustfmt::skip]
const ALIKE_WITHOUT_RULE: &[(&str, &[Dialect])] = &[
    ("acos", &[Duckdb, Sqlite]),
    ("add_months", &[Mysql]),
    ("asin", &[Duckdb, Sqlite]),
    ("atan", &[Duckdb, Sqlite]),
    ("atan2", &[Duckdb, Sqlite]),
    ("ceiling", &[Duckdb, Bigquery]),
    ("char_length", &[Duckdb]),
    ("character_length", &[Duckdb]),
    ("concat_ws", &[Sqlite]),
    ("cos", &[Duckdb, Sqlite]),
    ("countif", &[Duckdb]),
    ("degrees", &[Duckdb, Sqlite]),
    ("ends_with", &[Duckdb]),
    ("hex", &[Duckdb]),
    ("json_array", &[Sqlite, Duckdb]),
    ("lcase", &[Duckdb]),
    ("log2", &[Sqlite, Duckdb]),
    ("md5", &[Duckdb, Bigquery, Snowflake]),
    ("mod", &[Duckdb, Sqlite]),
    ("nth_value", &[Duckdb, Sqlite, Mysql, Bigquery, Snowflake]),
    ("nvl", &[Bigquery]),
    ("pi", &[Duckdb, Sqlite]),
    ("position", &[Duckdb]),
    ("pow", &[Duckdb, Sqlite]),
    ("radians", &[Duckdb, Sqlite]),
    ("sign", &[Duckdb, Sqlite]),
    ("sin", &[Duckdb, Sqlite]),
    ("space", &[Snowflake]),
    ("square", &[Snowflake]),
    ("tan", &[Duckdb, Sqlite]),
    ("translate", &[Duckdb]),
    ("trunc", &[Duckdb, Sqlite]),
    ("truncate", &[Snowflake]),
    ("ucase", &[Duckdb]),
    ("unicode", &[Bigquery, Snowflake, Duckdb]),
    ("weekofyear", &[Snowflake, Duckdb]),
];

/// The same of functions that mean different things.
#[rustfmt::skip]
const UNLIKE_WITHOUT_RULE: &[(&str, &[Dialect])] = &[
    ("instr", &[Duckdb]),
    ("concat", &[Sqlite]),
    ("array_concat", &[Duckdb]),
    ("date_sub", &[Duckdb]),
    ("datetrunc", &[Duckdb]),
    ("json_extract", &[Bigquery, Duckdb]),
    ("json_value", &[Mysql, Duckdb]),
    ("log", &[Duckdb, Sqlite]),
    ("log10", &[Duckdb, Sqlite]),
    ("printf", &[Duckdb]),
    ("random", &[Duckdb, Sqlite]),
    ("regexp_extract", &[Duckdb]),
    ("regexp_extract_all", &[Snowflake, Duckdb]),
    ("regexp_replace", &[Duckdb, Bigquery, Snowflake]),
    ("split", &[Snowflake, Duckdb]),
    ("sysdate", &[Snowflake]),
    ("to_days", &[Duckdb]),
    ("weekday", &[Duckdb]),
    ("yearweek", &[Duckdb]),
];

/// Functions that have rules, and mean different things by them: beside one of them a text cannot
/// be taken to mean the same in a dialect that has no translation of it.
const UNLIKE_WITH_RULE: &[&str] = &[
    "concat",
    "date_diff",
    "datediff",
    "dayofweek",
    "log",
    "week",
];

/// Whether Postgres has no function of this name, and nothing of its grammar looks like one.
fn is_foreign(name: &str, database: &SessionDatabase<'_>) -> bool {
    let index = database.catalog.index();
    let own = database.catalog.names().find(name);
    let is_own = own.is_some_and(|own| !index.functions(own).is_empty());
    !is_own && gate::functions::versions(name).is_none() && !OF_THE_GRAMMAR.contains(&name)
}

/// What Postgres's grammar reads as a call.
const OF_THE_GRAMMAR: &[&str] = &[
    "cast",
    "coalesce",
    "current_time",
    "current_timestamp",
    "extract",
    "greatest",
    "grouping",
    "json_array",
    "json_arrayagg",
    "json_exists",
    "json_object",
    "json_objectagg",
    "json_query",
    "json_serialize",
    "json_table",
    "json_value",
    "least",
    "localtime",
    "localtimestamp",
    "normalize",
    "nullif",
    "overlay",
    "position",
    "substring",
    "trim",
    "xmlagg",
    "xmlelement",
];

/// Something of several dialects'.
struct SharedMarker {
    mark: DialectMarker,
    of: &'static [Dialect],
}

const fn row(words: &'static [&'static str], of: &'static [Dialect]) -> SharedMarker {
    let mark = DialectMarker::Sequence(words);
    SharedMarker { mark, of }
}

const fn shape(shape: fn(&[EvidenceToken]) -> bool, of: &'static [Dialect]) -> SharedMarker {
    let mark = DialectMarker::Shape(shape);
    SharedMarker { mark, of }
}

/// Who is in doubt stands among those that have it: one more only makes it less certain.
#[rustfmt::skip]
const MARKERS: &[SharedMarker] = &[
    shape(has_backticks, &[Mysql, Sqlite, Bigquery]),
    shape(has_brackets, &[Tsql, Sqlite]),
    shape(limits_by_two, &[Mysql, Sqlite]),
    shape(takes_top, &[Tsql, Snowflake]),
    shape(qualifies, &[Bigquery, Snowflake, Duckdb]),
    shape(has_bare_interval, &[Mysql, Bigquery, Duckdb]),
    shape(matches_by_word, &[Mysql, Sqlite, Snowflake, Duckdb]),
    shape(matches_by_glob, &[Sqlite, Duckdb]),
    row(&["=="], &[Sqlite, Duckdb]),
    row(&["<=>"], &[Mysql]),
    row(&["current_date", "(", ")"], &[Mysql, Bigquery, Snowflake, Duckdb]),
    row(&["current_timestamp", "(", ")"], &[Mysql, Bigquery, Snowflake, Duckdb]),
    row(&["group", "by", "all"], &[Snowflake, Duckdb, Bigquery]),
    row(&["order", "by", "all"], &[Snowflake, Duckdb]),
    row(&["with", "rollup"], &[Mysql, Tsql]),
    row(&["from", "dual"], &[Mysql, Snowflake]),
    row(&["*", "except", "("], &[Bigquery]),
    row(&["*", "exclude"], &[Snowflake, Duckdb]),
    row(&["*", "replace", "("], &[Bigquery, Snowflake, Duckdb]),
    row(&["*", "rename"], &[Snowflake, Duckdb]),
    row(&["try_cast", "("], &[Tsql, Snowflake, Duckdb]),
    row(&["extract", "(", "dayofweek", "from"], &[Bigquery, Snowflake, Duckdb]),
    row(&["extract", "(", "dayofyear", "from"], &[Bigquery, Snowflake, Duckdb]),
    row(&["as", "double", ")"], &[Mysql, Sqlite, Snowflake, Duckdb]),
    row(&["as", "float64", ")"], &[Bigquery]),
    row(&["as", "int64", ")"], &[Bigquery]),
    row(&["as", "bignumeric", ")"], &[Bigquery]),
    row(&["as", "string", ")"], &[Bigquery, Snowflake, Duckdb]),
    row(&["as", "datetime", ")"], &[Mysql, Tsql, Bigquery, Snowflake, Sqlite, Duckdb]),
    row(&["as", "tinyint", ")"], &[Tsql, Snowflake, Duckdb]),
    row(&["as", "number", ")"], &[Snowflake]),
    row(&["as", "number", "("], &[Snowflake]),
    row(&["as", "nvarchar", ")"], &[Tsql, Snowflake]),
    row(&["as", "nvarchar", "("], &[Tsql, Snowflake]),
    row(&["as", "datetime2", ")"], &[Tsql]),
];

fn is_word(one: Option<&EvidenceToken>, word: &str) -> bool {
    one.is_some_and(|one| one.kind == EvidenceTokenKind::Word && one.word == word)
}

fn is_kind(one: Option<&EvidenceToken>, kind: EvidenceTokenKind) -> bool {
    one.is_some_and(|one| one.kind == kind)
}

fn has_backticks(seen: &[EvidenceToken]) -> bool {
    seen.iter()
        .any(|one| one.kind == EvidenceTokenKind::Backticked)
}

fn has_brackets(seen: &[EvidenceToken]) -> bool {
    seen.iter().any(|one| {
        one.kind == EvidenceTokenKind::Bracketed
            && one
                .word
                .starts_with(|first: char| first.is_alphabetic() || first == '_')
    })
}

/// `LIMIT 5, 10`
fn limits_by_two(seen: &[EvidenceToken]) -> bool {
    seen.windows(4).any(|window| {
        matches!(window, [limit, first, comma, second]
            if limit.kind == EvidenceTokenKind::Word
                && limit.word == "limit"
                && first.kind == EvidenceTokenKind::Number
                && comma.word == ","
                && second.kind == EvidenceTokenKind::Number)
    })
}

/// `SELECT TOP 5 a`, `SELECT DISTINCT TOP (5) a`
fn takes_top(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let begins = is_word(seen.get(at), "select") || is_word(seen.get(at), "distinct");
        let in_parentheses = seen.get(at + 2).is_some_and(|one| one.word == "(")
            && is_kind(seen.get(at + 3), EvidenceTokenKind::Number);
        let bare = is_kind(seen.get(at + 2), EvidenceTokenKind::Number)
            && seen.get(at + 3).is_some_and(|one| one.word != ",");
        begins && is_word(seen.get(at + 1), "top") && (bare || in_parentheses)
    })
}

/// `QUALIFY ROW_NUMBER() OVER (…) = 1`
fn qualifies(seen: &[EvidenceToken]) -> bool {
    let after = [
        "row_number",
        "rank",
        "dense_rank",
        "count",
        "sum",
        "max",
        "min",
        "lag",
        "lead",
    ];
    (0..seen.len()).any(|at| {
        is_word(seen.get(at), "qualify")
            && after.iter().any(|name| is_word(seen.get(at + 1), name))
            && seen.get(at + 2).is_some_and(|one| one.word == "(")
    })
}

/// `INTERVAL 1 DAY`: Postgres has it in quotes.
fn has_bare_interval(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        is_word(seen.get(at), "interval")
            && is_kind(seen.get(at + 1), EvidenceTokenKind::Number)
            && is_kind(seen.get(at + 2), EvidenceTokenKind::Word)
    })
}

/// `a REGEXP 'b'`, `a NOT RLIKE 'b'`
fn matches_by_word(seen: &[EvidenceToken]) -> bool {
    stands_between(seen, &["regexp", "rlike"])
}

/// `a GLOB 'b*'`
fn matches_by_glob(seen: &[EvidenceToken]) -> bool {
    stands_between(seen, &["glob"])
}

/// Whether one of the words stands between a value and a text.
fn stands_between(seen: &[EvidenceToken], words: &[&str]) -> bool {
    (1..seen.len()).any(|at| {
        let before = at.checked_sub(1).and_then(|at| seen.get(at));
        let ends_value =
            before.is_some_and(|one| one.kind != EvidenceTokenKind::Sign || one.word == ")");
        words.iter().any(|word| is_word(seen.get(at), word))
            && ends_value
            && !is_word(before, "as")
            && is_kind(seen.get(at + 1), EvidenceTokenKind::Text)
    })
}
