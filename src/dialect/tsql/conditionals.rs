//! T-SQL's functions that choose between values.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/logical-functions-choose-transact-sql>

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::timestamps;
use crate::rules::{FunctionRule, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::name;
use crate::translator::shared_functions::conditionals::{
    self, ComparedTypes, NullArgument, choice, coalesce, null_if,
};
use crate::translator::shared_functions::dates;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://learn.microsoft.com/en-us/sql/t-sql/functions/functions";

/// The table.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("iif", (3, 3), choice, DOC, "IIF(n > 1, 'a', 'b')", "CASE WHEN n > 1 THEN 'a' ELSE 'b' END AS iif"),
    by("coalesce", (2, 64), coalesce, DOC, "COALESCE(n, q, 0)", "COALESCE(n, q, 0)"),
    by("nullif", (2, 2), null_if, DOC, "NULLIF(n, 0)", "NULLIF(n, 0)"),
    by("isnull", (2, 2), is_null, DOC, "ISNULL(n, 0)", "COALESCE(n, 0) AS \"isnull\""),
    by("choose", (2, 64), choose, DOC, "CHOOSE(n, 'a', 'b')", "CASE n WHEN 1 THEN 'a' WHEN 2 THEN 'b' END AS choose"),
    by("greatest", (1, 64), extreme, DOC, "GREATEST(n, 2)", "GREATEST(n, 2)"),
    by("least", (1, 64), extreme, DOC, "LEAST(n, 2)", "LEAST(n, 2)"),
];

/// ISNULL has the type of its first argument, and cuts the second to it.
fn is_null(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let value = translator.value(call.argument(0)?)?;
    let value = translator.numeric_unless_column(value)?;
    let other = translator.value(call.argument(1)?)?;
    let other = match (value.kind, other.kind) {
        (_, SqlType::Null) | (SqlType::Null, _) => other,
        (SqlType::Bool, _) => match (other.small_integer(), other.kind) {
            (Some(number @ (0 | 1)), _) => crate::translator::literal::boolean(number == 1),
            (_, SqlType::Bool) => other,
            _ => return Err(untyped(&other, "0 or 1")),
        },
        (SqlType::Integer, SqlType::Integer)
        | (SqlType::Float, SqlType::Integer | SqlType::Float) => other,
        (SqlType::Decimal, SqlType::Integer) => other,
        (SqlType::Integer | SqlType::Decimal, SqlType::Decimal) if is_whole(&other) => other,
        (SqlType::Float, SqlType::Decimal) => cast(&other, "double precision", SqlType::Float),
        (SqlType::Text, _) => {
            let other = translator.as_text(other)?;
            refuse_cut(translator, call, &value, &other)?;
            other
        }
        (SqlType::Date, _) => dates::day(&timestamps::dated(translator, other)?),
        (SqlType::Timestamp | SqlType::TimestampTz, _) => {
            let moment = timestamps::dated(translator, other)?;
            translator.as_timestamp(moment)?
        }
        (one, same) if one == same && one != SqlType::Decimal && one != SqlType::Unclear => other,
        (SqlType::Unclear, SqlType::Integer) => other,
        _ => {
            return Err(call.refused().hint(
                "the second value is cut to the type of the first there; use COALESCE() and casts",
            ));
        }
    };
    let text = format!("COALESCE({}, {})", value.text, other.text);
    let kind = match value.kind {
        SqlType::Null => other.kind,
        kind => kind,
    };
    Ok(Translated {
        name: Some("coalesce".to_owned()),
        extra_digits: value.extra_digits || other.extra_digits,
        form: TranslatedForm::Computed,
        ..Translated::primary(text, kind).never_null(value.not_null || other.not_null)
    })
}

fn is_whole(value: &Translated) -> bool {
    value.number_literal().is_some_and(|digits| {
        let (_, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        fraction.bytes().all(|b| b == b'0')
    })
}

/// Refuses a string that is longer than what it stands for; where that is not known it is likely
/// not.
fn refuse_cut(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    value: &Translated,
    other: &Translated,
) -> TranslateResult<()> {
    let length = other.text_literal().map(|content| content.chars().count());
    let room = match text_room(translator, call.argument(0)?) {
        None if value.text.starts_with("string_agg(") => Some(TextRoom::Endless),
        room => room,
    };
    let other_room = text_room(translator, call.argument(1)?);
    match (length, room) {
        (Some(0), _) | (_, Some(TextRoom::Endless)) => Ok(()),
        (Some(length), Some(TextRoom::Of(room))) if length <= room => Ok(()),
        (Some(_), Some(TextRoom::Of(_))) => Err(Untranslatable::function("isnull")
            .hint("the second string is cut to the length of the first there; use COALESCE()")),
        (None, room) if room.is_some() && room == other_room => Ok(()),
        _ => {
            translator.mark_likely();
            Ok(())
        }
    }
}

/// How many characters a text may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextRoom {
    /// So many.
    Of(usize),
    /// Any number.
    Endless,
}

/// How many characters an expression may have, where its type tells.
fn text_room(translator: &Translator<'_>, expr: &Expr) -> Option<TextRoom> {
    let of_column = |name: &str| match translator.shortest_text(name)? {
        Some(room) => Some(TextRoom::Of(room)),
        None => Some(TextRoom::Endless),
    };
    match expr {
        Expr::Identifier(ident) => of_column(&name::content(ident)),
        Expr::CompoundIdentifier(parts) => of_column(&name::content(parts.last()?)),
        Expr::Nested(inner) => text_room(translator, inner),
        Expr::Trim { expr, .. } => text_room(translator, expr),
        Expr::Function(function) => {
            let name = function.name.to_string().to_ascii_lowercase();
            let FunctionArguments::List(list) = &function.args else {
                return None;
            };
            match list.args.first()? {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(first))
                    if OF_THEIR_ARGUMENT.contains(&name.as_str()) =>
                {
                    text_room(translator, first)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Functions whose text has the length of their first argument's type.
const OF_THEIR_ARGUMENT: &[&str] = &[
    "isnull", "lower", "ltrim", "max", "min", "nullif", "rtrim", "trim", "upper",
];

fn choose(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    call.plain()?;
    let number = translator.integer(call.argument(0)?)?;
    let mut values = Vec::new();
    for argument in call.arguments.iter().skip(1) {
        values.push(translator.value(argument)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    let mut text = format!("CASE {}", number.operand());
    for (place, value) in values.iter().enumerate() {
        text.push_str(&format!(" WHEN {} THEN {}", place + 1, value.text));
    }
    text.push_str(" END");
    Ok(Translated::primary(text, kind))
}

/// GREATEST and LEAST pass over NULL, as in Postgres.
fn extreme(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    conditionals::extreme(
        translator,
        call,
        NullArgument::IsPassedOver,
        ComparedTypes::NumbersAndDates,
    )
}

impl Translator<'_> {
    /// A condition as a number; a boolean column stays what it is.
    pub fn numeric_unless_column(&mut self, value: Translated) -> TranslateResult<Translated> {
        match value.form {
            TranslatedForm::Column => Ok(value),
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
