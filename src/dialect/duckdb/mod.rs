//! DuckDB: how it differs from Postgres throughout. Functions that Snowflake has as well are in
//! [`analytic`](super::analytic).
//!
//! <https://duckdb.org/docs/stable/sql/introduction>

pub(super) mod functions;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::dialect::DuckDbDialect;

use super::analytic::{aggregates, casts, conditionals, dates, expressions, numbers, strings};
use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectMarker,
    DialectSemantics, DoubleQuoted, EvidenceToken, EvidenceTokenKind, NullOrder, SourceDialect,
    untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::convert::cast;
use super::translator::translated::Translated;
use super::translator::untranslatable::{TranslateResult, Untranslatable};
use crate::sql_type::SqlType;
use policy::Dialect;

/// DuckDB.
pub struct DuckdbSource;

impl SourceDialect for DuckdbSource {
    fn dialect(&self) -> Dialect {
        Dialect::Duckdb
    }

    fn title(&self) -> &'static str {
        "DuckDB"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(DuckDbDialect {})
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
            aggregates::RULES,
            conditionals::RULES,
            dates::RULES,
            numbers::RULES,
            strings::RULES,
            functions::RULES,
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
        let what = match expr {
            Expr::Value(_) => return Ok(None),
            Expr::CompoundFieldAccess { .. } => "a slice or a field",
            Expr::Dictionary(_) | Expr::Map(_) | Expr::Struct { .. } => "a STRUCT or MAP",
            Expr::Lambda(_) => "a lambda",
            _ => return expressions::expression(translator, expr),
        };
        translator.refuse(what)
    }

    fn operation(
        &self,
        translator: &mut Translator<'_>,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> TranslateResult<Option<Translated>> {
        if *op != BinaryOperator::DuckIntegerDivide {
            return expressions::operation(translator, left, op, right);
        }
        let (left, right) = (translator.integer(left)?, translator.integer(right)?);
        if left.kind != SqlType::Integer || right.kind != SqlType::Integer {
            return Err(untyped(&left, "whole numbers"));
        }
        let text = format!("{} / {}", left.operand(), right.operand());
        let not_null = left.not_null && right.not_null;
        Ok(Some(
            Translated::operation(text, SqlType::Integer).never_null(not_null),
        ))
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
            _ => return Err(untyped(value, "text")),
        };
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    fn number_of(&self, _: &Translated) -> TranslateResult<Translated> {
        Err(
            Untranslatable::construct("a string where a number is needed")
                .hint("cast it: x::numeric"),
        )
    }

    /// `/` is a division of doubles.
    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        for side in [left, right] {
            if !side.kind.is_number() {
                return Err(untyped(side, "a number of known type"));
            }
        }
        let dividend = cast(left, "double precision", SqlType::Float);
        Ok(Translated::operation(
            format!("{} / {}", dividend.text, right.operand()),
            SqlType::Float,
        )
        .never_null(left.not_null && right.not_null))
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
}

const SEMANTICS: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Last,
    booleans: BooleanForm::Values,
    double_quoted: DoubleQuoted::Name,
    backslash: BackslashEscapes::Plain,
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

/// `FROM t SELECT a`
fn begins_with_from(seen: &[EvidenceToken]) -> bool {
    let is =
        |one: &EvidenceToken, word: &str| one.kind == EvidenceTokenKind::Word && one.word == word;
    let first = seen.first().is_some_and(|one| is(one, "from"));
    first && seen.iter().any(|one| is(one, "select"))
}

/// `date_diff('day', a, b)`
fn unit_is_a_text(seen: &[EvidenceToken]) -> bool {
    seen.windows(3).any(|window| {
        let [name, open, unit] = window else {
            return false;
        };
        name.kind == EvidenceTokenKind::Word
            && ["date_diff", "date_sub", "datesub"].contains(&name.word.as_str())
            && open.word == "("
            && unit.kind == EvidenceTokenKind::Text
    })
}

const MANUAL: &str = "https://duckdb.org/docs/stable/sql/introduction";

macro_rules! evidence {
    ($($name:literal),* $(,)?) => {
        &[
            DialectEvidence {
                mark: DialectMarker::Shape(begins_with_from),
                doc: MANUAL,
            },
            DialectEvidence {
                mark: DialectMarker::Shape(unit_is_a_text),
                doc: MANUAL,
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["union", "by", "name"]),
                doc: MANUAL,
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["union", "all", "by", "name"]),
                doc: MANUAL,
            },
            DialectEvidence {
                mark: DialectMarker::Sequence(&["//"]),
                doc: MANUAL,
            },
            $(DialectEvidence {
                mark: DialectMarker::Call($name),
                doc: MANUAL,
            },)*
        ]
    };
}

const EVIDENCE: &[DialectEvidence] = evidence![
    "list_contains",
    "list_value",
    "list_aggregate",
    "list_sort",
    "list_distinct",
    "list_transform",
    "list_filter",
    "read_csv_auto",
    "read_parquet",
    "strptime",
    "epoch_ms",
    "arg_max",
    "arg_min",
    "quantile_cont",
    "regexp_full_match",
    "str_split",
    "isodow",
];
