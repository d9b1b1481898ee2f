//! Snowflake: how it differs from Postgres throughout, and its functions. Those that DuckDB has as
//! well are in [`analytic`].
//!
//! <https://docs.snowflake.com/en/sql-reference>

mod aggregates;
mod conditionals;
mod dates;
mod numbers;
mod strings;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::dialect::SnowflakeDialect;

use super::analytic::{self, casts, expressions};
use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectMarker,
    DialectSemantics, DoubleQuoted, NullOrder, SourceDialect, untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::translated::Translated;
use super::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;

use policy::Dialect;

/// Snowflake.
pub struct SnowflakeSource;

impl SourceDialect for SnowflakeSource {
    fn dialect(&self) -> Dialect {
        Dialect::Snowflake
    }

    fn title(&self) -> &'static str {
        "Snowflake"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(SnowflakeDialect {})
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
            standard::NEIGHBOURS,
            analytic::aggregates::RULES,
            aggregates::RULES,
            analytic::conditionals::RULES,
            conditionals::RULES,
            analytic::dates::RULES,
            dates::RULES,
            analytic::numbers::RULES,
            numbers::RULES,
            analytic::strings::RULES,
            strings::RULES,
        ]
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn expression(
        &self,
        translator: &mut Translator<'_>,
        expr: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        expressions::expression(translator, expr)
    }

    fn operation(
        &self,
        translator: &mut Translator<'_>,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        expressions::operation(translator, left, op, right)
    }

    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> TranslateResult<Translated> {
        casts::cast_to(translator, value, to, lenient)
    }

    fn factor(
        &self,
        translator: &mut Translator<'_>,
        factor: &TableFactor,
    ) -> TranslateResult<Option<String>> {
        expressions::factor(translator, factor)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        let text = match value.kind {
            SqlType::Date => format!("to_char(CAST({} AS timestamp), 'YYYY-MM-DD')", value.text),
            SqlType::Decimal => format!("CAST({} AS text)", value.text),
            SqlType::Timestamp | SqlType::TimestampTz => {
                return Err(untyped(value, "text").hint("write to_char(value, 'YYYY-MM-DD')"));
            }
            _ => return Err(untyped(value, "text")),
        };
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    /// Whole numbers divide to decimals.
    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        let kind = left.kind.common(right.kind);
        let dividend = match (left.kind, kind) {
            (_, SqlType::Unclear) => return Err(untyped(left, "a number of known type")),
            (SqlType::Integer, SqlType::Integer) => format!("CAST({} AS numeric)", left.text),
            _ => left.operand(),
        };
        let kind = match kind {
            SqlType::Float => SqlType::Float,
            _ => SqlType::Decimal,
        };
        Ok(Translated {
            extra_digits: true,
            ..Translated::operation(format!("{dividend} / {}", right.operand()), kind)
                .never_null(left.not_null && right.not_null)
        })
    }

    fn number_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Err(
            Untranslatable::construct("a string where a number is needed").hint(&format!(
                "cast it: {}",
                if value.is_primary {
                    "x::numeric"
                } else {
                    "(x)::numeric"
                }
            )),
        )
    }

    fn has_double_colon_cast(&self) -> bool {
        true
    }

    fn has_group_by_all(&self) -> bool {
        true
    }

    fn aligns_as_texts(&self) -> bool {
        false
    }

    fn has_implicit_recursion(&self) -> bool {
        true
    }
}

const SEMANTICS: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Largest,
    booleans: BooleanForm::Values,
    double_quoted: DoubleQuoted::Name,
    backslash: BackslashEscapes::C,
    like: CaseSensitivity::Sensitive,
    like_escape: None,
    equality: CaseSensitivity::Sensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: true,
        group: true,
        having: true,
        list: true,
    },
};

macro_rules! calls {
    ($($name:literal),* $(,)?) => {
        &[
            DialectEvidence {
                mark: DialectMarker::Sequence(&["lateral", "flatten", "("]),
                doc: "https://docs.snowflake.com/en/sql-reference/functions/flatten",
            },
            $(DialectEvidence {
                mark: DialectMarker::Call($name),
                doc: "https://docs.snowflake.com/en/sql-reference/functions-all",
            },)*
        ]
    };
}

const EVIDENCE: &[DialectEvidence] = calls![
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
