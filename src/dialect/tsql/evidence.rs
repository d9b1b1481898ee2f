//! What T-SQL has, and neither Postgres nor any other dialect that is translated. GETDATE, DATEADD,
//! DATEDIFF, LEN, CHARINDEX and TOP are Snowflake's too; beside brackets they are T-SQL's alone.

use crate::detect::token_search::{end_of_call, is_kind, is_sign, is_word, second_argument};
use crate::source::{DialectEvidence, DialectMarker, EvidenceToken, EvidenceTokenKind};

const FUNCTIONS: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/functions";
const CONVERT: &str =
    "https://learn.microsoft.com/en-us/sql/t-sql/functions/cast-and-convert-transact-sql";
const FROM: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/from-transact-sql";
const SELECT: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/select-transact-sql";
const TOP: &str = "https://learn.microsoft.com/en-us/sql/t-sql/queries/top-transact-sql";
const TYPES: &str =
    "https://learn.microsoft.com/en-us/sql/t-sql/data-types/data-types-transact-sql";
const OPERATORS: &str =
    "https://learn.microsoft.com/en-us/sql/t-sql/language-elements/operators-transact-sql";
const COLLATIONS: &str = "https://learn.microsoft.com/en-us/sql/relational-databases/collations/collation-and-unicode-support";
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
    call("datetimeoffsetfromparts"),
    call("smalldatetimefromparts"),
    call("timefromparts"),
    call("todatetimeoffset"),
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
    call("isjson"),
    call("str"),
    call("atn2"),
    call("suser_sname"),
    call("db_name"),
    call("openjson"),
    DialectEvidence {
        mark: DialectMarker::CallOf("isnull", 2),
        doc: FUNCTIONS,
    },
    shape(converts_to_a_type, CONVERT),
    shape(formats_by_a_pattern, FUNCTIONS),
    shape(joins_within_a_group, FUNCTIONS),
    shape(splits_in_from, FUNCTIONS),
    row(&["varchar", "(", "max", ")"], TYPES),
    row(&["nvarchar", "(", "max", ")"], TYPES),
    row(&["as", "uniqueidentifier", ")"], TYPES),
    row(&["as", "smalldatetime", ")"], TYPES),
    row(&["as", "datetimeoffset", ")"], TYPES),
    row(&["as", "datetime2", "("], TYPES),
    row(&["for", "json", "path"], SELECT),
    row(&["for", "json", "auto"], SELECT),
    row(&["for", "xml", "path"], SELECT),
    row(&["for", "xml", "auto"], SELECT),
    row(&["for", "xml", "raw"], SELECT),
    shape(collates_by_its_names, COLLATIONS),
    shape(counts_days_from_zero, FUNCTIONS),
    row(&["cross", "apply"], FROM),
    row(&["outer", "apply"], FROM),
    shape(hints_a_table, FROM),
    row(&["(", "nolock", ")"], FROM),
    shape(hints_the_query, SELECT),
    row(&["set", "parseonly"], SET),
    row(&["set", "nocount"], SET),
    shape(takes_a_share, TOP),
    shape(has_brackets, NAMES),
    shape(compares_by_a_negation, OPERATORS),
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

const fn shape(shape: fn(&[EvidenceToken]) -> bool, doc: &'static str) -> DialectEvidence {
    DialectEvidence {
        mark: DialectMarker::Shape(shape),
        doc,
    }
}

/// `TOP 10 PERCENT`, `TOP (10)`, `TOP 3 WITH TIES`
fn takes_a_share(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let begins = is_word(seen, at, "select") || is_word(seen, at, "distinct");
        let is_number = |at: usize| is_kind(seen, at, EvidenceTokenKind::Number);
        let share = is_word(seen, at + 3, "percent")
            || is_word(seen, at + 3, "with") && is_word(seen, at + 4, "ties");
        let in_parentheses =
            is_sign(seen, at + 2, "(") && (is_number(at + 3) && is_sign(seen, at + 4, ")"));
        begins && is_word(seen, at + 1, "top") && (is_number(at + 2) && share || in_parentheses)
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
    // `SELECT [customers] = COUNT(*)`
    let is_named_before = |at: usize| {
        let begins = is_word(seen, at, "select") || is_sign(seen, at, ",");
        begins && seen.get(at + 1).is_some_and(is_name) && is_sign(seen, at + 2, "=")
    };
    if (0..seen.len()).any(is_named_before) {
        return true;
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
            "right",
            "year",
            "month",
            "day",
            "stdev",
            "pivot",
            "unpivot",
            "rollup",
            "cube",
            "grouping",
        ];
        let starts = ["select", "distinct"];
        calls.contains(&word.word.as_str()) && next.word == "("
            || starts.contains(&word.word.as_str()) && next.word == "top"
    })
}

/// `CONVERT(date, ordered_at)`: elsewhere the type stands behind the value.
fn converts_to_a_type(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let is_type = TYPE_NAMES.iter().any(|name| is_word(seen, at + 2, name));
        if !is_word(seen, at, "convert") || !is_sign(seen, at + 1, "(") || !is_type {
            return false;
        }
        let behind = match is_sign(seen, at + 3, "(") {
            true => (at + 4..seen.len())
                .find(|at| is_sign(seen, *at, ")"))
                .map_or(seen.len(), |at| at + 1),
            false => at + 3,
        };
        // `CONVERT(date, CHAR)` has a column of the name, and a type behind it.
        let ends_in_a_type = TYPES_BEHIND
            .iter()
            .any(|name| is_word(seen, behind + 1, name))
            && (is_sign(seen, behind + 2, ")") || is_sign(seen, behind + 2, "("));
        is_sign(seen, behind, ",") && !ends_in_a_type
    })
}

/// `FORMAT(ordered_at, 'yyyy-MM')`: elsewhere the pattern stands first, or a number behind.
fn formats_by_a_pattern(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let of_something = at.checked_sub(1).is_some_and(|at| is_sign(seen, at, "."));
        is_word(seen, at, "format")
            && !of_something
            && is_sign(seen, at + 1, "(")
            && !is_kind(seen, at + 2, EvidenceTokenKind::Text)
            && second_argument(seen, at + 1)
                .is_some_and(|at| is_kind(seen, at, EvidenceTokenKind::Text))
    })
}

/// `STRING_AGG(name, ', ') WITHIN GROUP (ORDER BY name)`
fn joins_within_a_group(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        is_word(seen, at, "string_agg")
            && end_of_call(seen, at + 1).is_some_and(|end| {
                is_word(seen, end + 1, "within") && is_word(seen, end + 2, "group")
            })
    })
}

/// `CROSS JOIN STRING_SPLIT(tags, ',')`: DuckDB has it as a value.
fn splits_in_from(seen: &[EvidenceToken]) -> bool {
    (1..seen.len()).any(|at| {
        let before = ["from", "join", "apply"];
        is_word(seen, at, "string_split")
            && is_sign(seen, at + 1, "(")
            && before.iter().any(|word| is_word(seen, at - 1, word))
    })
}

/// `FROM t WITH (NOLOCK)`
fn hints_a_table(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        is_word(seen, at, "with")
            && is_sign(seen, at + 1, "(")
            && TABLE_HINTS.iter().any(|hint| is_word(seen, at + 2, hint))
    })
}

/// `OPTION (MAXDOP 1)`
fn hints_the_query(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        is_word(seen, at, "option")
            && is_sign(seen, at + 1, "(")
            && QUERY_HINTS.iter().any(|hint| is_word(seen, at + 2, hint))
    })
}

/// `COLLATE Latin1_General_CS_AS`: those of MySQL end in `_ci`, `_cs` or `_bin`.
fn collates_by_its_names(seen: &[EvidenceToken]) -> bool {
    seen.windows(2).any(|pair| {
        let [collate, name] = pair else { return false };
        let is_its = ["_ci_a", "_cs_a", "_general_bin"]
            .iter()
            .any(|part| name.word.contains(part));
        collate.word == "collate" && name.kind == EvidenceTokenKind::Word && is_its
    })
}

/// `DATEDIFF(month, 0, ordered_at)`: a number is a date nowhere else.
fn counts_days_from_zero(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        is_word(seen, at, "datediff")
            && is_sign(seen, at + 1, "(")
            && is_kind(seen, at + 2, EvidenceTokenKind::Word)
            && is_sign(seen, at + 3, ",")
            && is_kind(seen, at + 4, EvidenceTokenKind::Number)
            && is_sign(seen, at + 5, ",")
    })
}

/// `price !< 10`
fn compares_by_a_negation(seen: &[EvidenceToken]) -> bool {
    (0..seen.len()).any(|at| {
        let is_negated = is_sign(seen, at, "!");
        is_negated && (is_sign(seen, at + 1, "<") || is_sign(seen, at + 1, ">"))
    })
}

/// What CONVERT makes of a value.
#[rustfmt::skip]
const TYPE_NAMES: &[&str] = &[
    "varchar", "nvarchar", "char", "nchar", "text", "ntext", "int", "integer", "bigint", "smallint",
    "tinyint", "bit", "float", "real", "decimal", "numeric", "money", "smallmoney", "date", "time",
    "datetime", "datetime2", "smalldatetime", "datetimeoffset", "uniqueidentifier", "varbinary",
    "binary", "sysname",
];

/// What MySQL's CONVERT has behind the value.
#[rustfmt::skip]
const TYPES_BEHIND: &[&str] = &[
    "binary", "char", "character", "date", "datetime", "decimal", "double", "float", "integer",
    "json", "nchar", "real", "signed", "time", "unsigned", "year", "varchar",
];

/// <https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-table>
#[rustfmt::skip]
const TABLE_HINTS: &[&str] = &[
    "nolock", "readuncommitted", "readcommitted", "readpast", "repeatableread", "holdlock",
    "serializable", "rowlock", "paglock", "tablock", "tablockx", "updlock", "xlock", "snapshot",
    "nowait", "forceseek", "forcescan", "noexpand", "index",
];

/// <https://learn.microsoft.com/en-us/sql/t-sql/queries/hints-transact-sql-query>
#[rustfmt::skip]
const QUERY_HINTS: &[&str] = &[
    "maxrecursion", "recompile", "maxdop", "optimize", "fast", "force", "hash", "loop", "merge",
    "keep", "keepfixed", "robust", "use", "expand", "order", "concat", "label", "querytraceon",
];
