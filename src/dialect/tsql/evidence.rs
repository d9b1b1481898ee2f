//! What T-SQL has, and neither Postgres nor any other dialect that is translated. GETDATE, DATEADD,
//! DATEDIFF, LEN, CHARINDEX and TOP are Snowflake's too; beside brackets they are T-SQL's alone.

use crate::source::{DialectEvidence, DialectMarker, EvidenceToken, EvidenceTokenKind};

const FUNCTIONS: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/functions";
const CONVERT: &str =
    "https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql";
const FROM: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/from-transact-sql";
const SELECT: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/select-transact-sql";
const TOP: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/top-transact-sql";
const SET: &str =
    "https://learn.microsoft.com/en-us/sql/t-sql/statements/set-parseonly-transact-sql";
const NAMES: &str =
    "https://learn.microsoft.com/en-us/sql/relational-databases/databases/database-identifiers";

/// The table.
pub const EVIDENCE: &[DialectEvidence] = &[
    call("sysdatetime"),
    call("sysutcdatetime"),
    call("sysdatetimeoffset"),
    call("getutcdate"),
    call("datename"),
    call("datediff_big"),
    call("eomonth"),
    call("datetimefromparts"),
    call("datetime2fromparts"),
    call("isdate"),
    call("isnumeric"),
    call("choose"),
    call("patindex"),
    call("stuff"),
    call("replicate"),
    call("quotename"),
    call("datalength"),
    call("nchar"),
    call("count_big"),
    call("stdevp"),
    call("varp"),
    call("try_convert"),
    call("try_parse"),
    call("openjson"),
    DialectEvidence {
        mark: DialectMarker::CallOf("isnull", 2),
        doc: FUNCTIONS,
    },
    row(&["convert", "(", "varchar"], CONVERT),
    row(&["convert", "(", "nvarchar"], CONVERT),
    row(&["convert", "(", "char", "("], CONVERT),
    row(&["convert", "(", "int", ","], CONVERT),
    row(&["convert", "(", "float", ","], CONVERT),
    row(&["convert", "(", "datetime", ","], CONVERT),
    row(&["convert", "(", "decimal", "("], CONVERT),
    row(&["convert", "(", "numeric", "("], CONVERT),
    row(&["cross", "apply"], FROM),
    row(&["outer", "apply"], FROM),
    row(&["with", "(", "nolock"], FROM),
    row(&["option", "(", "maxrecursion"], SELECT),
    row(&["option", "(", "recompile"], SELECT),
    row(&["set", "parseonly"], SET),
    row(&["set", "nocount"], SET),
    DialectEvidence {
        mark: DialectMarker::Shape(takes_a_share),
        doc: TOP,
    },
    DialectEvidence {
        mark: DialectMarker::Shape(has_brackets),
        doc: NAMES,
    },
];

const fn call(name: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::Call(name),
        doc: FUNCTIONS,
    }
}

const fn row(words: &'static [&'static str], doc: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::Sequence(words),
        doc,
    }
}

/// `TOP 10 PERCENT`, `TOP (10)`, `TOP 3 WITH TIES`
fn takes_a_share(seen: &[EvidenceToken]) -> bool {
    let is = |at: usize, word: &str| {
        (seen.get(at)).is_some_and(|one| one.word == word && one.kind == EvidenceTokenKind::Word)
    };
    let number = |at: usize| {
        seen.get(at)
            .is_some_and(|one| one.kind == EvidenceTokenKind::Number)
    };
    let sign = |at: usize, sign: &str| seen.get(at).is_some_and(|one| one.word == sign);
    (0..seen.len()).any(|at| {
        let begins = is(at, "select") || is(at, "distinct");
        let share = is(at + 3, "percent") || is(at + 3, "with") && is(at + 4, "ties");
        let in_parentheses = sign(at + 2, "(") && number(at + 3) && sign(at + 4, ")");
        begins && is(at + 1, "top") && (number(at + 2) && share || in_parentheses)
    })
}

/// `[name]` beside what SQLite, the other dialect with brackets around names, has not.
fn has_brackets(seen: &[EvidenceToken]) -> bool {
    let is_name = |one: &EvidenceToken| {
        one.kind == EvidenceTokenKind::Bracketed
            && one.word.starts_with(|c: char| c.is_alphabetic())
    };
    if !seen.iter().any(is_name) {
        return false;
    }
    seen.windows(2).any(|pair| {
        let [word, next] = pair else { return false };
        if word.kind != EvidenceTokenKind::Word {
            return false;
        }
        let calls = [
            "getdate",
            "dateadd",
            "datediff",
            "datepart",
            "charindex",
            "len",
            "left",
        ];
        let starts = ["select", "distinct"];
        calls.contains(&word.word.as_str()) && next.word == "("
            || starts.contains(&word.word.as_str()) && next.word == "top"
    })
}
