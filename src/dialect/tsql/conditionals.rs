//! T-SQL's functions that choose between values.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/logical-functions-choose-transact-sql>

use sqlparser::ast::Expr;

use super::timestamps;
use crate::dialect::mysql::conditionals::{choice, first_value, null_if};
use crate::dialect::source::{Rule, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/functions";

/// The table.
pub const RULES: &[Rule] = &[
    by(
        "iif",
        3,
        3,
        choice,
        (
            "IIF(n > 1, 'a', 'b')",
            "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iif",
        ),
    ),
    by(
        "coalesce",
        2,
        64,
        first_value,
        ("COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    ),
    by("nullif", 2, 2, null_if, ("NULLIF(n, 0)", "NULLIF(n, 0)")),
    by(
        "isnull",
        2,
        2,
        is_null,
        ("ISNULL(n, 0)", "COALESCE(n, 0) AS \"isnull\""),
    ),
    by(
        "choose",
        2,
        64,
        choose,
        (
            "CHOOSE(n, 'a', 'b')",
            "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS choose",
        ),
    ),
    by(
        "greatest",
        1,
        64,
        extreme,
        ("GREATEST(n, 2)", "GREATEST(n, 2)"),
    ),
    by("least", 1, 64, extreme, ("LEAST(n, 2)", "LEAST(n, 2)")),
];

const fn by(
    name: &'static str,
    least: usize,
    most: usize,
    write: fn(&mut Writer<'_>, &Call<'_>) -> Outcome<Written>,
    case: (&'static str, &'static str),
) -> Rule {
    Rule {
        name,
        arguments: (least, most),
        write: Write::By(write),
        doc: DOC,
        case,
    }
}

/// ISNULL has the type of its first argument, and cuts the second to it.
fn is_null(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let value = writer.value(call.argument(0)?)?;
    let value = writer.numeric_unless_column(value)?;
    let other = writer.value(call.argument(1)?)?;
    let other = match (value.kind, other.kind) {
        (_, Kind::Null) | (Kind::Null, _) => other,
        (Kind::Bool, _) => match (other.small_integer(), other.kind) {
            (Some(number @ (0 | 1)), _) => {
                crate::dialect::translator::literal::boolean(number == 1)
            }
            (_, Kind::Bool) => other,
            _ => return Err(untyped(&other, "0 or 1")),
        },
        (Kind::Integer, Kind::Integer) | (Kind::Float, Kind::Integer | Kind::Float) => other,
        (Kind::Decimal, Kind::Integer) => other,
        (Kind::Integer | Kind::Decimal, Kind::Decimal) if is_whole(&other) => other,
        (Kind::Float, Kind::Decimal) => cast(&other, "double precision", Kind::Float),
        (Kind::Text, _) => {
            let other = writer.textual(other)?;
            refuse_cut(writer, call, &value, &other)?;
            other
        }
        (Kind::Date, _) => timestamps::day(&timestamps::dated(writer, other)?),
        (Kind::Timestamp | Kind::TimestampTz, _) => {
            let moment = timestamps::dated(writer, other)?;
            writer.stamped(moment)?
        }
        (one, same) if one == same && one != Kind::Decimal && one != Kind::Unclear => other,
        (Kind::Unclear, Kind::Integer) => other,
        _ => {
            return Err(call.refused().hint(
                "the second value is cut to the type of the first there; use COALESCE() and casts",
            ));
        }
    };
    let text = format!("COALESCE({}, {})", value.text, other.text);
    let kind = match value.kind {
        Kind::Null => other.kind,
        kind => kind,
    };
    Ok(Written {
        name: Some("coalesce".to_owned()),
        longer: value.longer || other.longer,
        form: Form::Computed,
        ..Written::tight(text, kind).never_null(value.not_null || other.not_null)
    })
}

fn is_whole(value: &Written) -> bool {
    value.number_literal().is_some_and(|digits| {
        let (_, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        fraction.bytes().all(|b| b == b'0')
    })
}

/// Refuses a string that may be longer than what it stands for.
fn refuse_cut(
    writer: &Writer<'_>,
    call: &Call<'_>,
    value: &Written,
    other: &Written,
) -> Outcome<()> {
    let length = other.text_literal().map(|content| content.chars().count());
    let fits = match (length, column_of(call.argument(0)?)) {
        (Some(0), _) => true,
        (Some(length), Some(name)) => {
            let room = writer.shortest_text(&name);
            room.is_some_and(|room| room.is_none_or(|room| room >= length))
        }
        (None, Some(name)) => writer.shortest_text(&name) == Some(None),
        (_, None) => value.text.starts_with("string_agg("),
    };
    if fits {
        return Ok(());
    }
    Err(Untranslatable::function("isnull")
        .hint("the second string may be cut to the length of the first there; use COALESCE()"))
}

/// The column that an expression is, or the greatest or least value of.
fn column_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(crate::dialect::translator::name::content(ident)),
        Expr::CompoundIdentifier(parts) => {
            parts.last().map(crate::dialect::translator::name::content)
        }
        _ => None,
    }
}

fn choose(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let number = writer.integer(call.argument(0)?)?;
    let mut values = Vec::new();
    for argument in call.arguments.iter().skip(1) {
        values.push(writer.value(argument)?);
    }
    let (values, kind) = writer.aligned(values)?;
    let mut text = format!("CASE {}", number.atom());
    for (place, value) in values.iter().enumerate() {
        text.push_str(&format!(" WHEN {} THEN {}", place + 1, value.text));
    }
    text.push_str(" END");
    Ok(Written::tight(text, kind))
}

/// GREATEST and LEAST pass over NULL, as in Postgres.
fn extreme(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let mut values = Vec::new();
    for argument in &call.arguments {
        values.push(writer.value(argument)?);
    }
    let (values, kind) = writer.aligned(values)?;
    if !kind.is_number() && !kind.is_moment() {
        return Err(call
            .refused()
            .hint("only numbers and dates are compared alike in both"));
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Written {
        name: Some(call.name.clone()),
        longer: values.iter().any(|value| value.longer),
        ..Written::tight(
            format!("{}({})", call.name.to_uppercase(), texts.join(", ")),
            kind,
        )
        .never_null(values.iter().any(|value| value.not_null))
    })
}

impl Writer<'_> {
    /// A condition as a number; a boolean column stays what it is.
    pub fn numeric_unless_column(&mut self, value: Written) -> Outcome<Written> {
        match value.form {
            Form::Column => Ok(value),
            _ => self.numeric(value),
        }
    }

    /// The shortest length that columns of this name have; none inside where they have none, none
    /// at all where there is no such column.
    pub fn shortest_text(&self, name: &str) -> Option<Option<usize>> {
        let database = self.database?;
        let catalog = database.catalog;
        let mut shortest = None;
        let rights = database.rights();
        for (id, _) in catalog.relations() {
            for column in catalog.columns_of(id) {
                let named = catalog.names().text(column.name).eq_ignore_ascii_case(name);
                if !(named && rights.may_read_column(id, column)) {
                    continue;
                }
                let room = usize::try_from(column.type_modifier.saturating_sub(4)).ok();
                shortest = Some(match (shortest, room) {
                    (None | Some(None), room) => room,
                    (Some(Some(one)), Some(room)) => Some(room.min(one)),
                    (Some(one), None) => one,
                });
            }
        }
        shortest
    }
}
