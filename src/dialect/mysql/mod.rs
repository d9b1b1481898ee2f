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

use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Nulls, Rule, Source,
    untyped,
};
use super::translator::Writer;
use super::translator::convert::cast;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::Outcome;

use crate::policy::Dialect;

/// MySQL and MariaDB.
pub struct Mysql;

impl Source for Mysql {
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

    fn evidence(&self) -> &'static [Evidence] {
        evidence::EVIDENCE
    }

    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn functions(&self) -> &'static [&'static [Rule]] {
        FUNCTIONS
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
        _: bool,
    ) -> Outcome<Written> {
        casts::cast_to(writer, value, to)
    }

    fn text_of(&self, value: &Written) -> Outcome<Written> {
        let pattern = match value.kind {
            Kind::Date => "'YYYY-MM-DD'",
            Kind::Timestamp | Kind::TimestampTz => "'YYYY-MM-DD HH24:MI:SS'",
            Kind::Decimal | Kind::Jsonb => return Ok(cast(value, "text", Kind::Text)),
            _ => return Err(untyped(value, "a text")),
        };
        let text = format!("to_char({}, {pattern})", value.text);
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    fn number_of(&self, value: &Written) -> Outcome<Written> {
        Ok(casts::leading_number(value))
    }

    fn moment_of(&self, value: &Written) -> Outcome<Written> {
        Ok(casts::moment_in_text(value))
    }

    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        operators::division(left, right)
    }
}

const FUNCTIONS: &[&[Rule]] = &[
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

const HABITS: Habits = Habits {
    nulls: Nulls::Smallest,
    booleans: Booleans::Numbers,
    double_quoted: DoubleQuoted::Text,
    backslash: Backslash::Mysql,
    like: Letters::Alike,
    like_escape: Some('\\'),
    equality: Letters::Alike,
    names: Letters::Alike,
    aliases: Aliases {
        filter: false,
        group: true,
        having: true,
        list: false,
    },
};
