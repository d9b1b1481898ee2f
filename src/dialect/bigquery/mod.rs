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
pub(super) mod strings;
pub(super) mod table_names;
pub(super) mod timestamps;

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor, Value};

use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectMarker,
    DialectSemantics, DoubleQuoted, EvidenceToken, EvidenceTokenKind, NullOrder, SourceDialect,
    untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::compare::ComparisonPurpose;
use super::translator::translated::Translated;
use super::translator::untranslatable::TranslateResult;
use crate::sql_type::SqlType;

use policy::Dialect;

/// BigQuery.
pub struct BigquerySource;

impl SourceDialect for BigquerySource {
    fn dialect(&self) -> Dialect {
        Dialect::Bigquery
    }

    fn title(&self) -> &'static str {
        "BigQuery"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(sqlparser::dialect::BigQueryDialect {})
    }

    fn evidence(&self) -> &'static [DialectEvidence] {
        EVIDENCE
    }

    fn semantics(&self) -> &'static DialectSemantics {
        &SEMANTICS
    }

    fn functions(&self) -> &'static [&'static [FunctionRule]] {
        &[
            standard::WINDOWS,
            standard::DISTRIBUTIONS,
            standard::NEIGHBOURS_AT,
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

    fn expression(
        &self,
        translator: &mut Translator<'_>,
        expr: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        expressions::written(translator, expr)
    }

    fn operation(
        &self,
        translator: &mut Translator<'_>,
        left: &Expr,
        operator: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        let back = match (operator, right, left) {
            (BinaryOperator::Plus, Expr::Interval(_), _) => false,
            (BinaryOperator::Minus, Expr::Interval(_), _) => true,
            _ => return Ok(None),
        };
        let name = if back { "date_sub" } else { "date_add" };
        translator.call_named(name, vec![left, right]).map(Some)
    }

    fn string<'v>(&self, value: &'v Value) -> Option<(&'v str, BackslashEscapes)> {
        expressions::string(value)
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn factor(
        &self,
        translator: &mut Translator<'_>,
        factor: &TableFactor,
    ) -> TranslateResult<Option<String>> {
        expressions::factor(translator, factor)
    }

    fn sides(
        &self,
        _: &mut Translator<'_>,
        left: &Translated,
        right: &Translated,
        _: ComparisonPurpose,
    ) -> TranslateResult<Option<(String, String)>> {
        let local = |kind: SqlType| matches!(kind, SqlType::Timestamp | SqlType::Date);
        let utc = |value: &Translated| timestamps::in_utc(value).operand();
        Ok(match (left.kind, right.kind) {
            // A column without time zone holds times of UTC.
            (one, SqlType::TimestampTz) if local(one) => Some((left.operand(), utc(right))),
            (SqlType::TimestampTz, other) if local(other) => Some((utc(left), right.operand())),
            (SqlType::TimestampTz, SqlType::Text) => match right.text_literal() {
                Some(content) => timestamps::read_zoned(content)
                    .map(|read| (left.operand(), timestamps::zoned(&read).text)),
                None => None,
            },
            // Strings are not numbers there: the text would have been refused.
            (SqlType::Text, number) | (number, SqlType::Text) if number.is_number() => {
                return Err(untyped(left, "the type of what it is compared with"));
            }
            _ => None,
        })
    }

    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> TranslateResult<Translated> {
        casts::written(translator, value, to, lenient)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        let text = match value.kind {
            SqlType::Date => format!("to_char({}, 'YYYY-MM-DD')", value.text),
            SqlType::Decimal => format!("trim_scale({})::text", value.text),
            _ => return Err(untyped(value, "text")),
        };
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        let (dividend, kind) = numbers::quotient(left, right)?;
        let not_null = left.not_null && right.not_null;
        Ok(Translated {
            extra_digits: true,
            ..Translated::operation(format!("{dividend} / {}", right.operand()), kind)
                .never_null(not_null)
        })
    }

    fn relation(
        &self,
        translator: &Translator<'_>,
        name: &ObjectName,
    ) -> TranslateResult<Option<Vec<String>>> {
        table_names::relation(translator, name).map(Some)
    }
}

/// ``FROM `project.dataset.table` ``: one pair of backticks around several parts.
fn quotes_several_parts(seen: &[EvidenceToken]) -> bool {
    seen.windows(2).any(|window| {
        let [keyword, name] = window else {
            return false;
        };
        ["from", "join"].contains(&keyword.word.as_str())
            && keyword.kind == EvidenceTokenKind::Word
            && name.kind == EvidenceTokenKind::Backticked
            && name.word.contains('.')
    })
}

/// `DATE_TRUNC(x, MONTH)`, `DATE_DIFF(x, y, DAY)`: the part of time stands last, as a word.
fn part_stands_last(seen: &[EvidenceToken]) -> bool {
    let mut open: Vec<bool> = Vec::new();
    for (at, one) in seen.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).and_then(|at| seen.get(at));
        match one.word.as_str() {
            "(" if one.kind == EvidenceTokenKind::Sign => {
                let called = before(1).is_some_and(|name| {
                    name.kind == EvidenceTokenKind::Word
                        && ["date_trunc", "date_diff"].contains(&name.word.as_str())
                });
                open.push(called);
            }
            ")" if one.kind == EvidenceTokenKind::Sign => {
                let is_part = before(1).is_some_and(|last| {
                    last.kind == EvidenceTokenKind::Word
                        && timestamps::BigqueryDatePart::named(&last.word).is_some()
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

const SEMANTICS: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Smallest,
    booleans: BooleanForm::Values,
    double_quoted: DoubleQuoted::Text,
    backslash: BackslashEscapes::C,
    like: CaseSensitivity::Sensitive,
    like_escape: Some('\\'),
    equality: CaseSensitivity::Sensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: false,
        group: true,
        having: true,
        list: false,
    },
};

macro_rules! calls {
    ($($name:literal),* $(,)?) => {
        &[
            DialectEvidence {
                mark: DialectMarker::Shape(quotes_several_parts),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical",
            },
            DialectEvidence {
                mark: DialectMarker::Shape(part_stands_last),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["*", "except", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["with", "offset"]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["[", "offset", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["[", "safe_offset", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["[", "ordinal", "("]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/operators",
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["extract", "(", "date", "from"]),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions",
            },
            $(DialectEvidence {
                mark: DialectMarker::Call($name),
                doc: "https://cloud.google.com/bigquery/docs/reference/standard-sql/\
                      functions-all",
            },)*
        ]
    };
}

const EVIDENCE: &[DialectEvidence] = calls![
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
