//! MySQL and MariaDB: how they differ from Postgres throughout.
//!
//! What collations do is decided so: `=`, `<`, IN, LIKE, REGEXP and LOCATE do not tell `a` from
//! `A`, as under every default collation of MySQL, and neither does ORDER BY where it can be
//! written; accents are told apart. GROUP BY, DISTINCT, MIN and MAX follow the collations of the
//! columns, which are Postgres's. A quotient keeps all of Postgres's digits, where MySQL shows four
//! more than its dividend has.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/>

pub mod aggregates;
pub mod calendar;
pub mod casts;
pub mod conditionals;
pub mod date_arithmetic;
pub mod dates;
pub mod evidence;
pub mod expressions;
pub mod json;
pub mod numbers;
pub mod operators;
pub mod regexp;
pub mod strings;
pub mod substrings;
pub mod tokens;

use sqlparser::ast::{BinaryOperator, DataType, Expr};
use sqlparser::dialect::MySqlDialect;
use sqlparser::tokenizer::TokenWithSpan;

use super::rules::FunctionRule;
use super::source::{
    AliasScope, BackslashEscapes, BooleanForm, CaseSensitivity, DialectEvidence, DialectSemantics,
    DoubleQuoted, NullOrder, SourceDialect, untyped,
};
use super::standard;
use super::translator::Translator;
use super::translator::convert::cast;
use super::translator::translated::Translated;
use super::translator::untranslatable::TranslateResult;
use crate::sql_type::SqlType;

use policy::Dialect;

/// MySQL and MariaDB.
pub struct MysqlSource;

impl SourceDialect for MysqlSource {
    fn dialect(&self) -> Dialect {
        Dialect::Mysql
    }

    fn title(&self) -> &'static str {
        "MySQL"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(MySqlDialect {})
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens::rearranged(tokens)
    }

    fn evidence(&self) -> &'static [DialectEvidence] {
        evidence::EVIDENCE
    }

    fn semantics(&self) -> &'static DialectSemantics {
        &SEMANTICS
    }

    fn functions(&self) -> &'static [&'static [FunctionRule]] {
        FUNCTIONS
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
        _: bool,
    ) -> TranslateResult<Translated> {
        casts::cast_to(translator, value, to)
    }

    fn text_of(&self, value: &Translated) -> TranslateResult<Translated> {
        let pattern = match value.kind {
            SqlType::Date => "'YYYY-MM-DD'",
            SqlType::Timestamp | SqlType::TimestampTz => "'YYYY-MM-DD HH24:MI:SS'",
            SqlType::Decimal | SqlType::Jsonb => return Ok(cast(value, "text", SqlType::Text)),
            _ => return Err(untyped(value, "a text")),
        };
        let text = format!("to_char({}, {pattern})", value.text);
        Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
    }

    fn number_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Ok(casts::leading_number(value))
    }

    fn timestamp_of(&self, value: &Translated) -> TranslateResult<Translated> {
        Ok(casts::timestamp_in_text(value))
    }

    fn division(&self, left: &Translated, right: &Translated) -> TranslateResult<Translated> {
        operators::division(left, right)
    }
}

const FUNCTIONS: &[&[FunctionRule]] = &[
    standard::WINDOWS,
    standard::DISTRIBUTIONS,
    standard::NEIGHBOURS,
    aggregates::RULES,
    calendar::RULES,
    conditionals::RULES,
    dates::RULES,
    json::RULES,
    numbers::RULES,
    regexp::RULES,
    substrings::RULES,
    strings::RULES,
];

const SEMANTICS: DialectSemantics = DialectSemantics {
    nulls: NullOrder::Smallest,
    booleans: BooleanForm::Numbers,
    double_quoted: DoubleQuoted::Text,
    backslash: BackslashEscapes::Mysql,
    like: CaseSensitivity::Insensitive,
    like_escape: Some('\\'),
    equality: CaseSensitivity::Insensitive,
    names: CaseSensitivity::Insensitive,
    aliases: AliasScope {
        filter: false,
        group: true,
        having: true,
        list: false,
    },
};
