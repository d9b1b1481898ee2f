//! BigQuery's expressions that have a syntax of their own, and UNNEST in FROM.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/operators>

use sqlparser::ast::{
    AccessExpr, DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Subscript,
    TableFactor, Value,
};

use super::timestamps::{
    Part, day, day_or_time, days_into_week, part_of, time_of_utc, typed, weekday,
};
use crate::dialect::source::Backslash;
use crate::dialect::translator::Writer;
use crate::dialect::translator::literal;
use crate::dialect::translator::name;
use crate::dialect::translator::scope::{Columns, Item, OutputColumn};
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// An expression that BigQuery has a syntax of its own for; none for any other.
pub fn written(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Option<Written>> {
    let written = match expr {
        Expr::Identifier(ident) if ident.value.starts_with('@') => {
            return Err(parameter(&ident.value));
        }
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) if !name.starts_with('$') => return Err(parameter(name)),
            _ => return Ok(None),
        },
        Expr::TypedString(string) => {
            let word = string.data_type.to_string().to_ascii_uppercase();
            let Some(value) = literal::written(&string.value.value, writer.source)? else {
                return writer.refuse("this literal");
            };
            match value.text_literal() {
                Some(content) => typed(&word, content)?,
                None => return writer.refuse("this literal"),
            }
        }
        Expr::Extract { field, expr, .. } => extract(writer, field, expr)?,
        Expr::Array(array) => elements(writer, &array.elem)?,
        Expr::CompoundFieldAccess { root, access_chain } => element(writer, root, access_chain)?,
        Expr::InUnnest {
            expr,
            array_expr,
            negated,
        } => {
            let value = writer.value(expr)?;
            let array = writer.value(array_expr)?;
            if array.kind != Kind::Array {
                return writer.refuse("UNNEST of no array");
            }
            let (not, any) = match negated {
                true => ("<>", "ALL"),
                false => ("=", "ANY"),
            };
            let text = format!("{} {not} {any} ({})", value.atom(), array.text);
            Written::operation(text, Kind::Bool)
        }
        Expr::Cast {
            format: Some(_), ..
        } => return writer.refuse("CAST with FORMAT"),
        Expr::Trim {
            expr,
            trim_where: None,
            trim_what: None,
            trim_characters,
        } => {
            let mut arguments = vec![&**expr];
            arguments.extend(trim_characters.iter().flatten());
            writer.call_named("trim", arguments)?
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

fn parameter(name: &str) -> Untranslatable {
    Untranslatable::construct(&format!("the parameter {name}"))
        .hint("write $1, or put the value in its place")
}

fn extract(writer: &mut Writer<'_>, field: &DateTimeField, expr: &Expr) -> Outcome<Written> {
    if let DateTimeField::Custom(ident) = field
        && let Some(begins) = custom_week(&ident.value)
    {
        return week_number(writer, begins, expr);
    }
    let plain = |word: &'static str| (word, "");
    let (word, more) = match field {
        DateTimeField::Date => return day(writer, expr),
        DateTimeField::DayOfWeek => ("DOW", " + 1"),
        DateTimeField::DayOfYear => plain("DOY"),
        DateTimeField::Hour => plain("HOUR"),
        DateTimeField::Minute => plain("MINUTE"),
        DateTimeField::Second => {
            let moment = time_of_utc(writer, expr)?;
            let text = format!("floor(EXTRACT(SECOND FROM {}))::integer", moment.text);
            return Ok(Written::tight(text, Kind::Integer).never_null(moment.not_null));
        }
        other => match part_of(other) {
            Some(Part::Week(1)) if matches!(other, DateTimeField::IsoWeek) => plain("WEEK"),
            Some(Part::Week(begins)) => return week_number(writer, begins, expr),
            Some(Part::Day) => plain("DAY"),
            Some(Part::Month) => plain("MONTH"),
            Some(Part::Quarter) => plain("QUARTER"),
            Some(Part::Year) => plain("YEAR"),
            Some(Part::IsoYear) => plain("ISOYEAR"),
            _ => return Err(Untranslatable::construct("this part of EXTRACT")),
        },
    };
    let moment = match word {
        "HOUR" | "MINUTE" => time_of_utc(writer, expr)?,
        _ => day_or_time(writer, expr)?,
    };
    let text = format!("EXTRACT({word} FROM {})::integer{more}", moment.text);
    let written = match more {
        "" => Written::tight(text, Kind::Integer),
        _ => Written::loose(text, Kind::Integer),
    };
    Ok(written.never_null(moment.not_null))
}

/// `WEEK(MONDAY)` where the library takes it for a name.
fn custom_week(name: &str) -> Option<u8> {
    let upper = name.to_ascii_uppercase();
    let day = upper.strip_prefix("WEEK(")?.strip_suffix(')')?;
    weekday(day)
}

/// Of the year; the days before its first week are of week 0.
fn week_number(writer: &mut Writer<'_>, begins: u8, expr: &Expr) -> Outcome<Written> {
    let moment = day_or_time(writer, expr)?;
    let text = format!(
        "((EXTRACT(DOY FROM {0})::integer + 6 - ({1})) / 7)",
        moment.text,
        days_into_week(&moment.text, begins)
    );
    Ok(Written::tight(text, Kind::Integer).never_null(moment.not_null))
}

/// `[1, 2]`
fn elements(writer: &mut Writer<'_>, elements: &[Expr]) -> Outcome<Written> {
    let mut values = Vec::new();
    for element in elements {
        values.push(writer.value(element)?);
    }
    let (values, kind) = writer.aligned(values)?;
    if values.is_empty() {
        return writer.refuse("an array without elements");
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Written {
        element: kind,
        name: Some("array".to_owned()),
        ..Written::tight(format!("ARRAY[{}]", texts.join(", ")), Kind::Array).never_null(true)
    })
}

/// `array[OFFSET(0)]`
fn element(writer: &mut Writer<'_>, root: &Expr, chain: &[AccessExpr]) -> Outcome<Written> {
    let [
        AccessExpr::Subscript(Subscript::Index {
            index: Expr::Function(function),
        }),
    ] = chain
    else {
        return writer.refuse("a field of a STRUCT");
    };
    let given = match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(place))] => writer.integer(place)?,
            _ => return writer.refuse("this subscript"),
        },
        _ => return writer.refuse("this subscript"),
    };
    let name = function.name.to_string().to_ascii_lowercase();
    let place = match (name.as_str(), given.small_integer()) {
        ("offset" | "safe_offset", Some(place)) => (place + 1).to_string(),
        ("offset" | "safe_offset", None) => format!("{} + 1", given.atom()),
        ("ordinal" | "safe_ordinal", _) => given.text,
        _ => return writer.refuse("this subscript"),
    };
    let array = writer.value(root)?;
    if array.kind != Kind::Array {
        return writer.refuse("a subscript of no array");
    }
    Ok(Written::tight(
        format!("({})[{place}]", array.text),
        array.element,
    ))
}

/// `UNNEST(array) AS x WITH OFFSET AS y` in FROM; none for any other.
pub fn factor(writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
    let (alias, arrays, with_offset, offset_alias) = match factor {
        TableFactor::UNNEST {
            alias,
            array_exprs,
            with_offset,
            with_offset_alias,
            with_ordinality: false,
        } => (alias, array_exprs, *with_offset, with_offset_alias),
        TableFactor::Pivot { .. } => return writer.refuse("PIVOT"),
        TableFactor::Unpivot { .. } => return writer.refuse("UNPIVOT"),
        _ => return Ok(None),
    };
    let [array] = arrays.as_slice() else {
        return writer.refuse("UNNEST of several arrays");
    };
    let array = writer.value(array)?;
    if array.kind != Kind::Array {
        return writer.refuse("UNNEST of no array");
    }
    let name = match alias {
        Some(alias) if alias.columns.is_empty() => name::spelled(&alias.name)?,
        Some(_) => return writer.refuse("names of columns after UNNEST"),
        None => writer.make_name("element"),
    };
    let quoted = name::quoted(&name).into_owned();
    let column = |name: &str, kind: Kind| OutputColumn {
        name: name.to_owned(),
        kind,
        not_null: false,
        longer: false,
        cased: false,
        form: Form::Computed,
    };
    let mut columns = vec![column(&name, array.element)];
    let text = if with_offset {
        let place = match offset_alias {
            Some(ident) => name::spelled(ident)?,
            None => "offset".to_owned(),
        };
        columns.push(column(&place, Kind::Integer));
        let place = name::quoted(&place).into_owned();
        let inner = writer.make_name("unnested");
        format!(
            "LATERAL (SELECT element AS {quoted}, place - 1 AS {place} \
             FROM unnest({}) WITH ORDINALITY AS {inner} (element, place)) AS {quoted}",
            array.text
        )
    } else {
        format!("unnest({}) AS {quoted} ({quoted})", array.text)
    };
    writer.bring(Item {
        name,
        columns: Columns::Known(columns),
    });
    Ok(Some(text))
}

/// `r'…'`, `'''…'''` and their kin, as the core is to read them: the content, and whether escapes
/// stand in it.
pub fn string(value: &Value) -> Option<(&str, Backslash)> {
    Some(match value {
        Value::SingleQuotedRawStringLiteral(raw)
        | Value::DoubleQuotedRawStringLiteral(raw)
        | Value::TripleSingleQuotedRawStringLiteral(raw)
        | Value::TripleDoubleQuotedRawStringLiteral(raw) => (raw, Backslash::Plain),
        Value::TripleSingleQuotedString(raw) | Value::TripleDoubleQuotedString(raw) => {
            (raw, Backslash::C)
        }
        _ => return None,
    })
}
