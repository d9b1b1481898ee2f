//! Snowflake: how it differs from Postgres throughout.
//!
//! <https://docs.snowflake.com/en/sql-reference>

pub(super) mod aggregate_functions;
pub(super) mod aggregate_rules;
pub(super) mod casts;
pub(super) mod conditionals;
pub(super) mod date_functions;
pub(super) mod date_rules;
pub(super) mod expressions;
pub(super) mod numbers;
pub(super) mod strings;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::dialect::SnowflakeDialect;

use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Mark, Nulls, Rule,
    Source, untyped,
};
use super::translator::Writer;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};

use crate::policy::Dialect;

/// Snowflake.
pub struct Snowflake;

impl Source for Snowflake {
    fn dialect(&self) -> Dialect {
        Dialect::Snowflake
    }

    fn title(&self) -> &'static str {
        "Snowflake"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(SnowflakeDialect {})
    }

    fn evidence(&self) -> &'static [Evidence] {
        EVIDENCE
    }

    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn functions(&self) -> &'static [&'static [Rule]] {
        &[
            aggregate_rules::BOTH,
            aggregate_rules::RULES,
            conditionals::BOTH,
            conditionals::RULES,
            date_rules::BOTH,
            date_rules::RULES,
            numbers::BOTH,
            numbers::RULES,
            strings::BOTH,
            strings::RULES,
        ]
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn expression(&self, writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
        expressions::expression(writer, expr)
    }

    fn operation(
        &self,
        writer: &mut Writer<'_>,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> Outcome<Option<Written>> {
        expressions::operation(writer, left, op, right)
    }

    fn cast(
        &self,
        writer: &mut Writer<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> Outcome<Written> {
        casts::cast_to(writer, value, to, lenient)
    }

    fn factor(&self, writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
        expressions::factor(writer, factor)
    }

    fn text_of(&self, value: &Written) -> Outcome<Written> {
        let text = match value.kind {
            Kind::Date => format!("to_char(CAST({} AS timestamp), 'YYYY-MM-DD')", value.text),
            Kind::Decimal => format!("CAST({} AS text)", value.text),
            Kind::Timestamp | Kind::TimestampTz => {
                return Err(untyped(value, "text").hint("write to_char(value, 'YYYY-MM-DD')"));
            }
            _ => return Err(untyped(value, "text")),
        };
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    /// Whole numbers divide to decimals.
    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        let kind = left.kind.common(right.kind);
        let dividend = match (left.kind, kind) {
            (_, Kind::Unclear) => return Err(untyped(left, "a number of known type")),
            (Kind::Integer, Kind::Integer) => format!("CAST({} AS numeric)", left.text),
            _ => left.atom(),
        };
        let kind = match kind {
            Kind::Float => Kind::Float,
            _ => Kind::Decimal,
        };
        Ok(Written {
            longer: true,
            ..Written::operation(format!("{dividend} / {}", right.atom()), kind)
                .never_null(left.not_null && right.not_null)
        })
    }

    fn number_of(&self, value: &Written) -> Outcome<Written> {
        Err(
            Untranslatable::construct("a string where a number is needed").hint(&format!(
                "cast it: {}",
                if value.tight {
                    "x::numeric"
                } else {
                    "(x)::numeric"
                }
            )),
        )
    }

    fn has_colons(&self) -> bool {
        true
    }

    fn has_all(&self) -> bool {
        true
    }

    fn aligns_as_texts(&self) -> bool {
        false
    }

    fn recurs_unsaid(&self) -> bool {
        true
    }
}

const HABITS: Habits = Habits {
    nulls: Nulls::Largest,
    booleans: Booleans::Values,
    double_quoted: DoubleQuoted::Name,
    backslash: Backslash::C,
    like: Letters::ToldApart,
    like_escape: None,
    equality: Letters::ToldApart,
    names: Letters::Alike,
    aliases: Aliases {
        filter: true,
        group: true,
        having: true,
        list: true,
    },
};

macro_rules! calls {
    ($($name:literal),* $(,)?) => {
        &[
            Evidence {
                mark: Mark::Row(&["lateral", "flatten", "("]),
                doc: "https://docs.snowflake.com/en/sql-reference/functions/flatten",
            },
            $(Evidence {
                mark: Mark::Call($name),
                doc: "https://docs.snowflake.com/en/sql-reference/functions-all",
            },)*
        ]
    };
}

const EVIDENCE: &[Evidence] = calls![
    "iff",
    "zeroifnull",
    "nullifzero",
    "div0",
    "div0null",
    "to_varchar",
    "try_to_number",
    "try_to_decimal",
    "try_to_double",
    "try_to_date",
    "try_to_timestamp",
    "to_timestamp_ntz",
    "to_timestamp_ltz",
    "date_from_parts",
    "object_construct",
    "array_construct",
    "startswith",
    "endswith",
    "booland_agg",
    "boolor_agg",
    "ratio_to_report",
    "regexp_substr_all",
];
