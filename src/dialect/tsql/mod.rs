//! T-SQL, as SQL Server has it: how it differs from Postgres throughout.
//!
//! What the default collation does is decided as for MySQL: `=`, `<`, IN, LIKE, CHARINDEX and
//! REPLACE do not tell `a` from `A`, and no more do GROUP BY, DISTINCT and set operations; accents
//! are told apart. Spaces at the end of a text do not count. Names in double quotes are names
//! (QUOTED_IDENTIFIER ON), weeks begin on Sundays (DATEFIRST 7).
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/language-reference>

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod conditionals;
pub(super) mod dates;
pub(super) mod evidence;
pub(super) mod expressions;
pub(super) mod format;
pub(super) mod from;
pub(super) mod json;
pub(super) mod numbers;
pub(super) mod open_json;
pub(super) mod operators;
pub(super) mod patterns;
pub(super) mod pivot;
pub(super) mod strings;
pub(super) mod substring_search;
pub(super) mod system;
pub(super) mod temporal_casts;
pub(super) mod timestamps;
pub(super) mod tokens;
pub(super) mod xml_path;

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor};
use sqlparser::dialect::MsSqlDialect;
use sqlparser::tokenizer::TokenWithSpan;

use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectSemantics,
    DoubleQuoted, NullOrder, SourceDialect, untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::compare::ComparisonPurpose;
use super::translator::translated::Translated;
use super::translator::untranslatable::TranslateResult;
use crate::sql_type::SqlType;

use policy::Dialect;

/// SQL Server.
pub struct TsqlSource;

impl SourceDialect for TsqlSource {
    fn dialect(&self) -> Dialect {
        Dialect::Tsql
    }

    fn title(&self) -> &'static str {
        "T-SQL"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(MsSqlDialect {})
    }

    fn evidence(&self) -> &'static [DialectEvidence] {
        evidence::EVIDENCE
    }

    fn semantics(&self) -> &'static DialectSemantics {
        &SEMANTICS
    }

    fn functions(&self) -> &'static [&'static [FunctionRule]] {
        &[
            standard::WINDOWS,
            standard::DISTRIBUTIONS,
            standard::NEIGHBOURS,
            aggregates::RULES,
            conditionals::RULES,
            dates::RULES,
            json::RULES,
            numbers::RULES,
            strings::RULES,
            system::RULES,
        ]
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens::bare(tokens)
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
        operators::operation(translator, left, op, right)
    }

    fn cast(
        &self,
        translator: &mut Translator<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> TranslateResult<Translated> {
        casts::cast_to(translator, value, to, None, lenient)
    }

    fn factor(
        &self,
        translator: &mut Translator<'_>,
        factor: &TableFactor,
    ) -> TranslateResult<Option<String>> {
        from::factor(translator, factor)
    }

    fn relation(
        &self,
        translator: &Translator<'_>,
        name: &ObjectName,
    ) -> TranslateResult<Option<Vec<String>>> {
        from::relation(translator, name).map(Some)
    }

    fn sides(
        &self,
        translator: &mut Translator<'_>,
        left: &Translated,
        right: &Translated,
        side: ComparisonPurpose,
    ) -> TranslateResult<Option<(String, String)>> {
        if let Some(sides) = from::beside_usual_schema(translator, left, right) {
            return Ok(Some(sides));
        }
        // A string beside a date may be written without hyphens.
        if left.kind.is_temporal()
            && let Some(read) = timestamps::compact(right)
        {
            return translator.sides(left, &read, side).map(Some);
        }
        if right.kind.is_temporal()
            && let Some(read) = timestamps::compact(left)
        {
            return translator.sides(&read, right, side).map(Some);
        }
        Ok(None)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        let text = match value.kind {
            SqlType::Date => format!("to_char(CAST({} AS timestamp), 'YYYY-MM-DD')", value.text),
            SqlType::Decimal => format!("CAST({} AS text)", value.text),
            SqlType::Timestamp | SqlType::TimestampTz => {
                return Err(untyped(value, "text").hint("CONVERT it with a style such as 120"));
            }
            _ => return Err(untyped(value, "text")),
        };
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        operators::division(left, right)
    }

    fn pads_texts(&self) -> bool {
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
    nulls: NullOrder::Smallest,
    booleans: BooleanForm::Numbers,
    double_quoted: DoubleQuoted::Name,
    backslash: BackslashEscapes::Plain,
    like: CaseSensitivity::Insensitive,
    like_escape: None,
    equality: CaseSensitivity::Insensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: false,
        group: false,
        having: false,
        list: false,
    },
};
