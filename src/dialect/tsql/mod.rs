//! T-SQL, as SQL Server has it: how it differs from Postgres throughout.
//!
//! What the default collation does is decided as for MySQL: `=`, `<`, IN, LIKE, CHARINDEX and
//! REPLACE do not tell `a` from `A`; accents are told apart. GROUP BY and DISTINCT follow the
//! collations of the columns, which are Postgres's. Names in double quotes are names
//! (QUOTED_IDENTIFIER ON), weeks begin on Sundays (DATEFIRST 7).
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/language-reference>

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod conditionals;
pub(super) mod date_functions;
pub(super) mod date_rules;
pub(super) mod evidence;
pub(super) mod expressions;
pub(super) mod format;
pub(super) mod from;
pub(super) mod numbers;
pub(super) mod operators;
pub(super) mod patterns;
pub(super) mod string_functions;
pub(super) mod string_rules;
pub(super) mod substring_search;
pub(super) mod timestamps;
pub(super) mod tokens;

use sqlparser::ast::{BinaryOperator, DataType, Expr, ObjectName, TableFactor};
use sqlparser::dialect::MsSqlDialect;
use sqlparser::tokenizer::TokenWithSpan;

use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Nulls, Rule, Source,
    untyped,
};
use super::translator::Writer;
use super::translator::compare::Side;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};

use crate::policy::Dialect;

/// SQL Server.
pub struct Tsql;

impl Source for Tsql {
    fn dialect(&self) -> Dialect {
        Dialect::Tsql
    }

    fn title(&self) -> &'static str {
        "T-SQL"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(MsSqlDialect {})
    }

    fn evidence(&self) -> &'static [Evidence] {
        evidence::EVIDENCE
    }

    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn functions(&self) -> &'static [&'static [Rule]] {
        &[
            aggregates::RULES,
            conditionals::RULES,
            date_rules::RULES,
            numbers::RULES,
            string_rules::RULES,
        ]
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens::bare(tokens)
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
        operators::operation(writer, left, op, right)
    }

    fn cast(
        &self,
        writer: &mut Writer<'_>,
        value: &Expr,
        to: &DataType,
        lenient: bool,
    ) -> Outcome<Written> {
        casts::cast_to(writer, value, to, None, lenient)
    }

    fn factor(&self, writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
        from::factor(writer, factor)
    }

    fn relation(&self, writer: &Writer<'_>, name: &ObjectName) -> Outcome<Option<Vec<String>>> {
        from::relation(writer, name).map(Some)
    }

    fn sides(
        &self,
        writer: &mut Writer<'_>,
        left: &Written,
        right: &Written,
        side: Side,
    ) -> Outcome<Option<(String, String)>> {
        // Spaces at the end of a string do not count there, and literals show that it matters.
        let is_padded = |value: &Written| {
            let content = value.text_literal().unwrap_or_default();
            content.ends_with(' ')
        };
        if is_padded(left) || is_padded(right) {
            return Err(Untranslatable::construct(
                "a comparison with a string that ends in a space",
            ));
        }
        // A string beside a date may be written without hyphens.
        if left.kind.is_moment()
            && let Some(read) = timestamps::compact(right)
        {
            return writer.sides(left, &read, side).map(Some);
        }
        if right.kind.is_moment()
            && let Some(read) = timestamps::compact(left)
        {
            return writer.sides(&read, right, side).map(Some);
        }
        Ok(None)
    }

    fn text_of(&self, value: &Written) -> Outcome<Written> {
        let text = match value.kind {
            Kind::Date => format!("to_char(CAST({} AS timestamp), 'YYYY-MM-DD')", value.text),
            Kind::Decimal => format!("CAST({} AS text)", value.text),
            Kind::Timestamp | Kind::TimestampTz => {
                return Err(untyped(value, "text").hint("CONVERT it with a style such as 120"));
            }
            _ => return Err(untyped(value, "text")),
        };
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        operators::division(left, right)
    }

    fn aligns_as_texts(&self) -> bool {
        false
    }

    fn recurs_unsaid(&self) -> bool {
        true
    }
}

const HABITS: Habits = Habits {
    nulls: Nulls::Smallest,
    booleans: Booleans::Numbers,
    double_quoted: DoubleQuoted::Name,
    backslash: Backslash::Plain,
    like: Letters::Alike,
    like_escape: None,
    equality: Letters::Alike,
    names: Letters::Alike,
    aliases: Aliases {
        filter: false,
        group: false,
        having: false,
        list: false,
    },
};
