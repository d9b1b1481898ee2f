//! Systems whose SQL is not translated, by what neither Postgres nor any dialect that is translated
//! has. Their texts are refused by name: repaired word by word they would mean something else.

use super::token_search::is_kind;
use super::{evidence_tokens, has_marker};
use crate::registry;
use crate::session_database::SessionDatabase;
use crate::source::{DialectMarker, EvidenceToken, EvidenceTokenKind};
use policy::Dialect;

/// A system whose dialect is not translated.
pub struct UnclaimedSystem {
    /// What people call it.
    pub title: &'static str,
    /// What of it a text has.
    pub mark: String,
    /// What Postgres has instead; empty where nothing alone stands for it.
    pub instead: &'static str,
}

/// The system that a text was written for, if it is one of these. What the database itself has
/// names for is no mark.
pub fn system(text: &str, database: Option<&SessionDatabase<'_>>) -> Option<UnclaimedSystem> {
    let source = registry::of(Dialect::Mysql)?;
    let seen = evidence_tokens(text, source);
    let is_own =
        |name: &str| database.is_some_and(|database| database.catalog.names().find(name).is_some());
    let marker = |(title, markers): &(&'static str, &'static [DialectMarker])| {
        let mut markers = markers.iter();
        let found = markers.find(|one| match one {
            DialectMarker::Call(name) if is_own(name) => false,
            one => has_marker(one, &seen),
        })?;
        Some(UnclaimedSystem {
            title,
            mark: mark_of(found),
            instead: "",
        })
    };
    let pseudo_column = || {
        let mut known = PSEUDO_COLUMNS.iter();
        let (name, instead) =
            known.find(|(name, _)| !is_own(name) && is_pseudo_column(&seen, name))?;
        let has_dual = has_marker(&DialectMarker::Sequence(&["from", "dual"]), &seen);
        let from = if has_dual { " FROM DUAL" } else { "" };
        Some(UnclaimedSystem {
            title: "Oracle",
            mark: format!("{}{from}", name.to_uppercase()),
            instead,
        })
    };
    SYSTEMS.iter().find_map(marker).or_else(pseudo_column)
}

/// A marker, as it is told.
fn mark_of(marker: &DialectMarker) -> String {
    match marker {
        DialectMarker::Call(name) | DialectMarker::CallOf(name, _) => format!("{name}()"),
        DialectMarker::Sequence(words) => words.join(" ").to_uppercase(),
        DialectMarker::Shape(_) => "it".to_owned(),
    }
}

const fn call(name: &'static str) -> DialectMarker {
    DialectMarker::Call(name)
}

const fn row(words: &'static [&'static str]) -> DialectMarker {
    DialectMarker::Sequence(words)
}

const SYSTEMS: &[(&str, &[DialectMarker])] = &[
    ("Spark or Hive", SPARK),
    ("Oracle", ORACLE),
    ("Trino or Presto", TRINO),
    ("Redshift", REDSHIFT),
    ("ClickHouse", CLICKHOUSE),
];

/// <https://spark.apache.org/docs/latest/sql-ref.html>,
/// <https://cwiki.apache.org/confluence/display/Hive/LanguageManual>
const SPARK: &[DialectMarker] = &[
    row(&["lateral", "view"]),
    row(&["distribute", "by"]),
    row(&["cluster", "by"]),
    row(&["sort", "by"]),
    row(&["left", "semi", "join"]),
    row(&["left", "anti", "join"]),
    row(&["insert", "overwrite"]),
    call("explode"),
    call("posexplode"),
    call("collect_list"),
    call("collect_set"),
    call("from_utc_timestamp"),
    call("to_utc_timestamp"),
    call("percentile_approx"),
    call("named_struct"),
    DialectMarker::Shape(adds_bare_days),
];

/// <https://docs.oracle.com/en/database/oracle/oracle-database/23/sqlrf/>
const ORACLE: &[DialectMarker] = &[
    row(&["connect", "by"]),
    row(&["(", "+", ")"]),
    row(&["keep", "(", "dense_rank"]),
    call("sys_context"),
    call("to_dsinterval"),
    call("to_yminterval"),
    call("numtodsinterval"),
    call("numtoyminterval"),
    call("ora_hash"),
];

/// Oracle's, without parentheses, and what Postgres has instead.
const PSEUDO_COLUMNS: &[(&str, &str)] = &[
    ("rownum", "LIMIT"),
    ("sysdate", "LOCALTIMESTAMP"),
    ("systimestamp", "CURRENT_TIMESTAMP"),
];

/// <https://trino.io/docs/current/functions.html>
const TRINO: &[DialectMarker] = &[
    call("date_parse"),
    call("from_iso8601_timestamp"),
    call("from_iso8601_date"),
    call("to_iso8601"),
    call("approx_percentile"),
    call("at_timezone"),
    call("with_timezone"),
    call("map_agg"),
    call("multimap_agg"),
    call("array_join"),
    call("split_to_map"),
    call("json_array_get"),
    call("url_extract_host"),
    DialectMarker::Shape(adds_by_text),
];

/// <https://docs.aws.amazon.com/redshift/latest/dg/cm_chap_SQLCommandRef.html>
const REDSHIFT: &[DialectMarker] = &[
    row(&["approximate", "count", "("]),
    row(&["approximate", "percentile_disc", "("]),
    call("strtol"),
    call("json_extract_array_element_text"),
];

/// <https://clickhouse.com/docs/sql-reference>
const CLICKHOUSE: &[DialectMarker] = &[
    call("todate"),
    call("todatetime"),
    call("tostartofmonth"),
    call("tostartofweek"),
    call("tostartofday"),
    call("tostartofyear"),
    call("tostartofhour"),
    call("tostartofquarter"),
    call("toyyyymm"),
    call("toyyyymmdd"),
    call("toyear"),
    call("tomonth"),
    call("tomonday"),
    call("toint32"),
    call("toint64"),
    call("touint32"),
    call("touint64"),
    call("tofloat64"),
    call("tostring"),
    call("uniq"),
    call("uniqexact"),
    call("sumif"),
    call("avgif"),
    call("anylast"),
    call("arrayjoin"),
    call("grouparray"),
    call("formatdatetime"),
    row(&["prewhere"]),
    row(&["array", "join"]),
    row(&["global", "in"]),
    DialectMarker::Shape(limits_by_columns),
];

fn word(seen: &[EvidenceToken], at: usize) -> &str {
    seen.get(at).map_or("", |one| match one.kind {
        EvidenceTokenKind::Word | EvidenceTokenKind::Sign => one.word.as_str(),
        EvidenceTokenKind::Quoted
        | EvidenceTokenKind::Backticked
        | EvidenceTokenKind::Bracketed
        | EvidenceTokenKind::Text
        | EvidenceTokenKind::Number => "",
    })
}

/// The place behind the last comma of a call whose parenthesis opens at a place, and that of its
/// end.
fn last_argument(seen: &[EvidenceToken], open: usize) -> Option<(usize, usize)> {
    let mut depth = 0_usize;
    let mut last = None;
    for at in open..seen.len() {
        match word(seen, at) {
            "(" => depth += 1,
            ")" if depth == 1 => return last.map(|last| (last, at)),
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 1 => last = Some(at + 1),
            _ => {}
        }
    }
    None
}

/// `date_sub(day, 7)`, `date_add(day, -7)`: everywhere else an interval or a unit is needed.
fn adds_bare_days(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let is_call =
            ["date_sub", "date_add"].contains(&word(seen, at)) && word(seen, at + 1) == "(";
        let Some((begin, end)) = is_call.then(|| last_argument(seen, at + 1)).flatten() else {
            return false;
        };
        let begin = begin + usize::from(word(seen, begin) == "-");
        begin + 1 == end
            && is_kind(seen, begin, EvidenceTokenKind::Number)
            && !is_kind(seen, at + 2, EvidenceTokenKind::Text)
    })
}

/// `date_add('day', 7, day)`
fn adds_by_text(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        word(seen, at) == "date_add"
            && word(seen, at + 1) == "("
            && is_kind(seen, at + 2, EvidenceTokenKind::Text)
            && word(seen, at + 3) == ","
    })
}

/// Whether a name stands for a value, and for no alias that the text makes.
fn is_pseudo_column(seen: &[EvidenceToken], name: &str) -> bool {
    let places = || (0..seen.len()).filter(|at| word(seen, *at) == name);
    let before = |at: usize| at.checked_sub(1).map_or("", |at| word(seen, at));
    let is_alias = places().any(|at| ["as", ")"].contains(&before(at)));
    !is_alias && places().any(|at| !["(", "."].contains(&word(seen, at + 1)) && before(at) != ".")
}

/// `LIMIT 2 BY customer`
fn limits_by_columns(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        word(seen, at) == "limit"
            && is_kind(seen, at + 1, EvidenceTokenKind::Number)
            && word(seen, at + 2) == "by"
    })
}
