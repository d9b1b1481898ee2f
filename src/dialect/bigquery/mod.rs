//! BigQuery's GoogleSQL: how it differs from Postgres throughout.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax>

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod date_formats;
pub(super) mod date_functions;
pub(super) mod expressions;
pub(super) mod json;
pub(super) mod numbers;
pub(super) mod regexp;
pub(super) mod strings;
pub(super) mod table_names;
pub(super) mod timestamps;

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor, Value};

use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Mark, Nulls, Rule, Seen,
    SeenKind, Source, untyped,
};
use super::translator::Writer;
use super::translator::compare::Side;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::Outcome;

use crate::policy::Dialect;

/// BigQuery.
pub struct Bigquery;

impl Source for Bigquery {
    fn dialect(&self) -> Dialect {
        Dialect::Bigquery
    }

    fn title(&self) -> &'static str {
        "BigQuery"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(sqlparser::dialect::BigQueryDialect {})
    }

    fn evidence(&self) -> &'static [Evidence] {
        EVIDENCE
    }

    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn functions(&self) -> &'static [&'static [Rule]] {
        &[
            date_functions::DISTANCES,
            date_functions::MAKERS,
            date_formats::RULES,
            strings::RULES,
            strings::PATTERNS,
            numbers::RULES,
            aggregates::RULES,
            aggregates::ARRAYS,
            json::RULES,
        ]
    }

    fn expression(&self, writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
        expressions::written(writer, expr)
    }

    fn operation(
        &self,
        writer: &mut Writer<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> Outcome<Option<Written>> {
        let back = match (operator, right, left) {
            (BinaryOperator::Plus, Expr::Interval(_), _) => false,
            (BinaryOperator::Minus, Expr::Interval(_), _) => true,
            _ => return Ok(None),
        };
        let name = if back { "date_sub" } else { "date_add" };
        writer.call_named(name, vec![left, right]).map(Some)
    }

    fn string<'v>(&self, value: &'v Value) -> Option<(&'v str, Backslash)> {
        expressions::string(value)
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn factor(&self, writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
        expressions::factor(writer, factor)
    }

    fn sides(
        &self,
        _: &mut Writer<'_>,
        left: &Written,
        right: &Written,
        _: Side,
    ) -> Outcome<Option<(String, String)>> {
        let local = |kind: Kind| matches!(kind, Kind::Timestamp | Kind::Date);
        let utc = |value: &Written| timestamps::in_utc(value).atom();
        Ok(match (left.kind, right.kind) {
            // A column without time zone holds times of UTC.
            (one, Kind::TimestampTz) if local(one) => Some((left.atom(), utc(right))),
            (Kind::TimestampTz, other) if local(other) => Some((utc(left), right.atom())),
            (Kind::TimestampTz, Kind::Text) => match right.text_literal() {
                Some(content) => timestamps::read_zoned(content)
                    .map(|read| (left.atom(), timestamps::zoned(&read).text)),
                None => None,
            },
            // Strings are not numbers there: the text would have been refused.
            (Kind::Text, number) | (number, Kind::Text) if number.is_number() => {
                return Err(untyped(left, "the type of what it is compared with"));
            }
            _ => None,
        })
    }

    fn cast(
        &self,
        writer: &mut Writer<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> Outcome<Written> {
        casts::written(writer, value, to, lenient)
    }

    fn text_of(&self, value: &Written) -> Outcome<Written> {
        let text = match value.kind {
            Kind::Date => format!("to_char({}, 'YYYY-MM-DD')", value.text),
            Kind::Decimal => format!("trim_scale({})::text", value.text),
            _ => return Err(untyped(value, "text")),
        };
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        let (dividend, kind) = numbers::quotient(left, right)?;
        let not_null = left.not_null && right.not_null;
        Ok(Written {
            longer: true,
            ..Written::operation(format!("{dividend} / {}", right.atom()), kind)
                .never_null(not_null)
        })
    }

    fn relation(&self, writer: &Writer<'_>, name: &ObjectName) -> Outcome<Option<Vec<String>>> {
        table_names::relation(writer, name).map(Some)
    }
}

/// ``FROM `project.dataset.table` ``: one pair of backticks around several parts.
fn quotes_several_parts(seen: &[Seen]) -> bool {
    seen.windows(2).any(|window| {
        let [keyword, name] = window else {
            return false;
        };
        ["from", "join"].contains(&keyword.word.as_str())
            && keyword.kind == SeenKind::Word
            && name.kind == SeenKind::Quoted
            && name.word.contains('.')
    })
}

/// `DATE_TRUNC(x, MONTH)`, `DATE_DIFF(x, y, DAY)`: the part of time stands last, as a word.
fn part_stands_last(seen: &[Seen]) -> bool {
    let mut open: Vec<bool> = Vec::new();
    for (at, one) in seen.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).and_then(|at| seen.get(at));
        match one.word.as_str() {
            "(" if one.kind == SeenKind::Sign => {
                let called = before(1).is_some_and(|name| {
                    name.kind == SeenKind::Word
                        && ["date_trunc", "date_diff"].contains(&name.word.as_str())
                });
                open.push(called);
            }
            ")" if one.kind == SeenKind::Sign => {
                let is_part = before(1).is_some_and(|last| {
                    last.kind == SeenKind::Word && timestamps::Part::named(&last.word).is_some()
                });
                let after_comma = before(2).is_some_and(|comma| comma.word == ",");
                if open.pop() == Some(true) && is_part && after_comma {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

const HABITS: Habits = Habits {
    nulls: Nulls::Smallest,
    booleans: Booleans::Values,
    double_quoted: DoubleQuoted::Text,
    backslash: Backslash::C,
    like: Letters::ToldApart,
    like_escape: Some('\\'),
    equality: Letters::ToldApart,
    names: Letters::Alike,
    aliases: Aliases {
        filter: false,
        group: true,
        having: true,
        list: false,
    },
};

macro_rules! calls {
    ($($name:literal),* $(,)?) => {
        &[
            Evidence {
                mark: Mark::Shape(quotes_several_parts),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical",
            },
            Evidence {
                mark: Mark::Shape(part_stands_last),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions",
            },
            Evidence {
                mark: Mark::Row(&["*", "except", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax",
            },
            Evidence {
                mark: Mark::Row(&["with", "offset"]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax",
            },
            Evidence {
                mark: Mark::Row(&["[", "offset", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            Evidence {
                mark: Mark::Row(&["[", "safe_offset", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            Evidence {
                mark: Mark::Row(&["[", "ordinal", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            Evidence {
                mark: Mark::Row(&["extract", "(", "date", "from"]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions",
            },
            $(Evidence {
                mark: Mark::Call($name),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/\
                      functions-all",
            },)*
        ]
    };
}

const EVIDENCE: &[Evidence] = calls![
    "safe_divide",
    "safe_cast",
    "timestamp_diff",
    "timestamp_sub",
    "timestamp_add",
    "timestamp_trunc",
    "datetime_diff",
    "datetime_sub",
    "datetime_add",
    "datetime_trunc",
    "format_date",
    "format_datetime",
    "format_timestamp",
    "parse_date",
    "parse_datetime",
    "parse_timestamp",
    "unix_seconds",
    "unix_millis",
    "timestamp_seconds",
    "timestamp_millis",
    "generate_date_array",
    "generate_array",
    "regexp_contains",
    "contains_substr",
    "logical_or",
    "logical_and",
    "approx_quantiles",
    "ieee_divide",
    "farm_fingerprint",
    "to_json_string",
];
