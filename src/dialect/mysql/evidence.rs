//! What MySQL has, and neither Postgres nor any other dialect that is translated.

use crate::source::{DialectEvidence, DialectMarker, EvidenceToken, EvidenceTokenKind};

const DATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/date-and-time-functions.html";
const TEXTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/string-functions.html";
const OPERATORS: &str = "https://dev.mysql.com/doc/refman/8.0/en/non-typed-operators.html";
const CASTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/cast-functions.html";
const SELECT: &str = "https://dev.mysql.com/doc/refman/8.0/en/select.html";
const HINTS: &str = "https://dev.mysql.com/doc/refman/8.0/en/index-hints.html";
const JSON: &str = "https://dev.mysql.com/doc/refman/8.0/en/json-functions.html";
const AGGREGATES: &str = "https://dev.mysql.com/doc/refman/8.0/en/aggregate-functions.html";

/// The table.
pub const EVIDENCE: &[DialectEvidence] = &[
    call("date_format", DATES),
    call("time_format", DATES),
    call("str_to_date", DATES),
    call("from_unixtime", DATES),
    call("unix_timestamp", DATES),
    call("curdate", DATES),
    call("curtime", DATES),
    call("utc_timestamp", DATES),
    call("makedate", DATES),
    call("adddate", DATES),
    call("subdate", DATES),
    call("period_diff", DATES),
    call("period_add", DATES),
    call("to_days", DATES),
    call("from_days", DATES),
    call("sec_to_time", DATES),
    call("time_to_sec", DATES),
    of("datediff", 2, DATES),
    of("week", 2, DATES),
    call("substring_index", TEXTS),
    call("find_in_set", TEXTS),
    call("elt", TEXTS),
    call("locate", TEXTS),
    call("mid", TEXTS),
    call("strcmp", TEXTS),
    call("inet_aton", TEXTS),
    call("inet_ntoa", TEXTS),
    call("json_unquote", JSON),
    of("isnull", 1, OPERATORS),
    row(&["as", "signed", ")"], CASTS),
    row(&["as", "unsigned", ")"], CASTS),
    row(&["as", "signed", "integer", ")"], CASTS),
    row(&["as", "unsigned", "integer", ")"], CASTS),
    row(&[",", "signed", ")"], CASTS),
    row(&[",", "unsigned", ")"], CASTS),
    row(&["straight_join"], SELECT),
    row(&["sql_no_cache"], SELECT),
    row(&["sql_calc_found_rows"], SELECT),
    row(&["use", "index", "("], HINTS),
    row(&["force", "index", "("], HINTS),
    row(&["ignore", "index", "("], HINTS),
    row(&["sounds", "like"], TEXTS),
    DialectEvidence {
        mark: DialectMarker::Shape(separates),
        doc: AGGREGATES,
    },
    DialectEvidence {
        mark: DialectMarker::Shape(divides),
        doc: OPERATORS,
    },
];

const fn call(name: &'static str, doc: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::Call(name),
        doc,
    }
}

const fn of(name: &'static str, count: usize, doc: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::CallOf(name, count),
        doc,
    }
}

const fn row(words: &'static [&'static str], doc: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::Sequence(words),
        doc,
    }
}

/// `GROUP_CONCAT(x SEPARATOR ', ')`
fn separates(seen: &[EvidenceToken]) -> bool {
    seen.windows(2).any(|pair| {
        matches!(pair, [word, text]
            if word.kind == EvidenceTokenKind::Word
                && word.word == "separator"
                && text.kind == EvidenceTokenKind::Text)
    }) && seen.iter().any(|one| one.word == "group_concat")
}

/// `a DIV b`, `a XOR b`
fn divides(seen: &[EvidenceToken]) -> bool {
    seen.windows(3).any(|three| {
        let [before, word, after] = three else {
            return false;
        };
        let ends_operand = before.word == ")"
            || matches!(
                before.kind,
                EvidenceTokenKind::Number
                    | EvidenceTokenKind::Backticked
                    | EvidenceTokenKind::Quoted
                    | EvidenceTokenKind::Word
            );
        let begins_operand = after.word == "("
            || matches!(
                after.kind,
                EvidenceTokenKind::Number
                    | EvidenceTokenKind::Backticked
                    | EvidenceTokenKind::Quoted
                    | EvidenceTokenKind::Word
            );
        let is_keyword = [
            "select", "as", "by", "where", "and", "or", "on", "not", "from",
        ]
        .contains(&before.word.as_str());
        let ends_item = [
            "from", "as", "asc", "desc", "order", "group", "where", "join", "on",
        ]
        .contains(&after.word.as_str());
        word.kind == EvidenceTokenKind::Word
            && ["div", "xor"].contains(&word.word.as_str())
            && ends_operand
            && begins_operand
            && !is_keyword
            && !ends_item
    })
}
