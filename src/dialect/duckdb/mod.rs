//! DuckDB: how it differs from Postgres throughout.
//!
//! <https://duckdb.org/docs/stable/sql/introduction>

pub(super) mod function_rules;
pub(super) mod functions;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::dialect::DuckDbDialect;

use super::snowflake::{
    aggregate_rules, casts, conditionals, date_rules, expressions, numbers, strings,
};
use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Mark, Nulls, Rule, Seen,
    SeenKind, Source, untyped,
};
use super::translator::Writer;
use super::translator::convert::cast;
use super::translator::translated::{Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};
use crate::policy::Dialect;

/// DuckDB.
pub struct Duckdb;

impl Source for Duckdb {
    fn dialect(&self) -> Dialect {
        Dialect::Duckdb
    }

    fn title(&self) -> &'static str {
        "DuckDB"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(DuckDbDialect {})
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
            conditionals::BOTH,
            date_rules::BOTH,
            numbers::BOTH,
            strings::BOTH,
            function_rules::RULES,
        ]
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn expression(&self, writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
        let what = match expr {
            Expr::Value(_) => return Ok(None),
            Expr::CompoundFieldAccess { .. } => "a slice or a field",
            Expr::Dictionary(_) | Expr::Map(_) | Expr::Struct { .. } => "a STRUCT or MAP",
            Expr::Lambda(_) => "a lambda",
            _ => return expressions::expression(writer, expr),
        };
        writer.refuse(what)
    }

    fn operation(
        &self,
        writer: &mut Writer<'_>,
        left: &Expr,
        op: &BinaryOperator,
        right: &Expr,
    ) -> Outcome<Option<Written>> {
        if *op != BinaryOperator::DuckIntegerDivide {
            return expressions::operation(writer, left, op, right);
        }
        let (left, right) = (writer.integer(left)?, writer.integer(right)?);
        if left.kind != Kind::Integer || right.kind != Kind::Integer {
            return Err(untyped(&left, "whole numbers"));
        }
        let text = format!("{} / {}", left.atom(), right.atom());
        let not_null = left.not_null && right.not_null;
        Ok(Some(
            Written::operation(text, Kind::Integer).never_null(not_null),
        ))
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
            _ => return Err(untyped(value, "text")),
        };
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    fn number_of(&self, _: &Written) -> Outcome<Written> {
        Err(
            Untranslatable::construct("a string where a number is needed")
                .hint("cast it: x::numeric"),
        )
    }

    /// `/` is a division of doubles.
    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        for side in [left, right] {
            if !side.kind.is_number() {
                return Err(untyped(side, "a number of known type"));
            }
        }
        let dividend = cast(left, "double precision", Kind::Float);
        Ok(
            Written::operation(format!("{} / {}", dividend.text, right.atom()), Kind::Float)
                .never_null(left.not_null && right.not_null),
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
}

const HABITS: Habits = Habits {
    nulls: Nulls::Last,
    booleans: Booleans::Values,
    double_quoted: DoubleQuoted::Name,
    backslash: Backslash::Plain,
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

/// `FROM t SELECT a`
fn begins_with_from(seen: &[Seen]) -> bool {
    let is = |one: &Seen, word: &str| one.kind == SeenKind::Word && one.word == word;
    let first = seen.first().is_some_and(|one| is(one, "from"));
    first && seen.iter().any(|one| is(one, "select"))
}

/// `date_diff('day', a, b)`
fn unit_is_a_text(seen: &[Seen]) -> bool {
    seen.windows(3).any(|window| {
        let [name, open, unit] = window else {
            return false;
        };
        name.kind == SeenKind::Word
            && ["date_diff", "date_sub", "datesub"].contains(&name.word.as_str())
            && open.word == "("
            && unit.kind == SeenKind::Text
    })
}

const MANUAL: &str = "https://duckdb.org/docs/stable/sql/introduction";

macro_rules! evidence {
    ($($name:literal),* $(,)?) => {
        &[
            Evidence {
                mark: Mark::Shape(begins_with_from),
                doc: MANUAL,
            },
            Evidence {
                mark: Mark::Shape(unit_is_a_text),
                doc: MANUAL,
            },
            Evidence {
                mark: Mark::Row(&["union", "by", "name"]),
                doc: MANUAL,
            },
            Evidence {
                mark: Mark::Row(&["union", "all", "by", "name"]),
                doc: MANUAL,
            },
            Evidence {
                mark: Mark::Row(&["//"]),
                doc: MANUAL,
            },
            $(Evidence {
                mark: Mark::Call($name),
                doc: MANUAL,
            },)*
        ]
    };
}

const EVIDENCE: &[Evidence] = evidence![
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
