//! SQLite, as its own documentation has it: types belong to values, comparisons convert by the
//! affinity of columns, and dates are texts.
//!
//! <https://www.sqlite.org/lang_expr.html>, <https://www.sqlite.org/datatype3.html>

pub(super) mod aggregates;
pub(super) mod casts;
pub(super) mod date_functions;
pub(super) mod expressions;
pub(super) mod glob;
pub(super) mod json;
pub(super) mod operators;
pub(super) mod printf;
pub(super) mod scalar_functions;
pub(super) mod strftime_fields;
pub(super) mod time_string;
pub(super) mod time_value;

use sqlparser::ast::{BinaryOperator, DataType, Expr, TableFactor};
use sqlparser::tokenizer::TokenWithSpan;

use super::source::{
    Aliases, Backslash, Booleans, DoubleQuoted, Evidence, Habits, Letters, Mark, Nulls, Rule, Seen,
    SeenKind, Source, untyped,
};
use super::translator::Writer;
use super::translator::compare::Side;
use super::translator::translated::{Form, Kind, Written};
use super::translator::untranslatable::{Outcome, Untranslatable};

use crate::policy::Dialect;

/// SQLite.
pub struct Sqlite;

impl Source for Sqlite {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn title(&self) -> &'static str {
        "SQLite"
    }

    fn grammar(&self) -> Box<dyn sqlparser::dialect::Dialect> {
        Box::new(sqlparser::dialect::SQLiteDialect {})
    }

    fn evidence(&self) -> &'static [Evidence] {
        EVIDENCE
    }

    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn functions(&self) -> &'static [&'static [Rule]] {
        &[
            scalar_functions::TEXTS,
            scalar_functions::NUMBERS,
            scalar_functions::CHOICES,
            aggregates::RULES,
            date_functions::RULES,
            json::RULES,
            printf::RULES,
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
        operators::operation(writer, left, operator, right)
    }

    fn collation(&self) -> Option<&'static str> {
        Some("C")
    }

    fn moments_are_texts(&self) -> bool {
        true
    }

    fn tokens(&self, tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        expressions::tokens(tokens)
    }

    fn factor(&self, writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
        json::factor(writer, factor)
    }

    fn sides(
        &self,
        writer: &mut Writer<'_>,
        left: &Written,
        right: &Written,
        side: Side,
    ) -> Outcome<Option<(String, String)>> {
        operators::sides(writer, left, right, side)
    }

    fn cast(
        &self,
        writer: &mut Writer<'_>,
        value: &Expr,
        to: &DataType,
        _lenient: bool,
    ) -> Outcome<Written> {
        casts::written(writer, value, to)
    }

    fn text_of(&self, value: &Written) -> Outcome<Written> {
        let text = match value.kind {
            Kind::Null => return Ok(value.clone()),
            Kind::Integer => format!("{}::text", value.atom()),
            Kind::Bool => format!("{}::integer::text", value.atom()),
            Kind::Date => format!("to_char({}, 'YYYY-MM-DD')", value.text),
            Kind::Timestamp => format!("to_char({}, 'YYYY-MM-DD HH24:MI:SS')", value.text),
            Kind::Time => format!("to_char({}, 'HH24:MI:SS')", value.text),
            _ => {
                return Err(untyped(value, "text"));
            }
        };
        Ok(Written::tight(text, Kind::Text).never_null(value.not_null))
    }

    fn number_of(&self, value: &Written) -> Outcome<Written> {
        if value.form == Form::Digits {
            let text = format!("{}::bigint", value.atom());
            return Ok(Written::tight(text, Kind::Integer).never_null(value.not_null));
        }
        Err(
            Untranslatable::construct("a text that is counted with").hint(
                "CAST it AS INTEGER or AS REAL: which of the two SQLite takes depends on the row",
            ),
        )
    }

    fn division(&self, left: &Written, right: &Written) -> Outcome<Written> {
        let (dividend, divisor) = (left.atom(), right.atom());
        let is_safe = right
            .number_literal()
            .is_some_and(|digits| digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)));
        let text = if is_safe {
            format!("{dividend} / {divisor}")
        } else {
            format!("{dividend} / NULLIF({}, 0)", right.text)
        };
        let mut written = Written::operation(text, left.kind.common(right.kind));
        written.longer = written.kind != Kind::Integer;
        Ok(written.never_null(is_safe && left.not_null))
    }
}

/// `STRFTIME('…', …)`: where others have a function of that name, the moment stands first.
fn strftime_begins_with_pattern(seen: &[Seen]) -> bool {
    seen.windows(3).any(|window| {
        let [name, open, first] = window else {
            return false;
        };
        name.word == "strftime" && open.word == "(" && first.kind == SeenKind::Text
    })
}

/// `DATE(x, '…', '…')`: modifiers.
fn date_has_modifiers(seen: &[Seen]) -> bool {
    seen.windows(7).any(|window| {
        let [name, open, _, comma, modifier, next, last] = window else {
            return false;
        };
        ["date", "time", "datetime"].contains(&name.word.as_str())
            && name.kind == SeenKind::Word
            && open.word == "("
            && comma.word == ","
            && modifier.kind == SeenKind::Text
            && next.word == ","
            && last.kind == SeenKind::Text
    })
}

const HABITS: Habits = Habits {
    nulls: Nulls::Smallest,
    booleans: Booleans::Numbers,
    double_quoted: DoubleQuoted::NameOrText,
    backslash: Backslash::Plain,
    like: Letters::Alike,
    like_escape: None,
    equality: Letters::ToldApart,
    names: Letters::Alike,
    aliases: Aliases {
        filter: true,
        group: true,
        having: true,
        list: false,
    },
};

const EVIDENCE: &[Evidence] = &[
    Evidence {
        mark: Mark::Shape(strftime_begins_with_pattern),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    Evidence {
        mark: Mark::Shape(date_has_modifiers),
        doc: "https://www.sqlite.org/lang_datefunc.html#modifiers",
    },
    Evidence {
        mark: Mark::Call("julianday"),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    Evidence {
        mark: Mark::Call("unixepoch"),
        doc: "https://www.sqlite.org/lang_datefunc.html",
    },
    Evidence {
        mark: Mark::Call("total"),
        doc: "https://www.sqlite.org/lang_aggfunc.html#sumunc",
    },
    Evidence {
        mark: Mark::Call("last_insert_rowid"),
        doc: "https://www.sqlite.org/lang_corefunc.html#last_insert_rowid",
    },
    Evidence {
        mark: Mark::Call("randomblob"),
        doc: "https://www.sqlite.org/lang_corefunc.html#randomblob",
    },
    Evidence {
        mark: Mark::Call("zeroblob"),
        doc: "https://www.sqlite.org/lang_corefunc.html#zeroblob",
    },
    Evidence {
        mark: Mark::Call("sqlite_version"),
        doc: "https://www.sqlite.org/lang_corefunc.html#sqlite_version",
    },
    Evidence {
        mark: Mark::Row(&["from", "sqlite_master"]),
        doc: "https://www.sqlite.org/schematab.html",
    },
    Evidence {
        mark: Mark::Row(&["from", "sqlite_schema"]),
        doc: "https://www.sqlite.org/schematab.html",
    },
];
