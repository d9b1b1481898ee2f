//! BigQuery's expressions that have a syntax of their own, and UNNEST in FROM.
//!
//! <https://cloud.google.com/bigquery/docs/reference/standard-sql/operators>

use sqlparser::ast::{
    AccessExpr, DateTimeField, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Subscript,
    TableFactor, Value,
};

use super::timestamps::{
    BigqueryDatePart, day, day_or_time, days_into_week, part_of, time_of_utc, typed, weekday,
};
use crate::source::BackslashEscapes;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::literal;
use crate::translator::name;
use crate::translator::scope::{KnownColumns, OutputColumn, TranslatedItem};
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// An expression that BigQuery has a syntax of its own for; none for any other.
pub fn written(
    translator: &mut Translator<'_>,
    expr: &Expr,
) -> TranslateResult<Option<Translated>> {
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
            let Some(value) = literal::written(&string.value.value, translator.source)? else {
                return translator.refuse("this literal");
            };
            match value.text_literal() {
                Some(content) => typed(&word, content)?,
                None => return translator.refuse("this literal"),
            }
        }
        Expr::Extract { field, expr, .. } => extract(translator, field, expr)?,
        Expr::Array(array) => elements(translator, &array.elem)?,
        Expr::CompoundFieldAccess { root, access_chain } => {
            element(translator, root, access_chain)?
        }
        Expr::InUnnest {
            expr,
            array_expr,
            negated,
        } => {
            let value = translator.value(expr)?;
            let array = translator.value(array_expr)?;
            if array.kind != SqlType::Array {
                return translator.refuse("UNNEST of no array");
            }
            let (not, any) = match negated {
                true => ("<>", "ALL"),
                false => ("=", "ANY"),
            };
            let text = format!("{} {not} {any} ({})", value.operand(), array.text);
            Translated::operation(text, SqlType::Bool)
        }
        Expr::Cast {
            format: Some(_), ..
        } => return translator.refuse("CAST with FORMAT"),
        Expr::Trim {
            expr,
            trim_where: None,
            trim_what: None,
            trim_characters,
        } => {
            let mut arguments = vec![&**expr];
            arguments.extend(trim_characters.iter().flatten());
            translator.call_named("trim", arguments)?
        }
        _ => return Ok(None),
    };
    Ok(Some(written))
}

fn parameter(name: &str) -> Untranslatable {
    Untranslatable::construct(&format!("the parameter {name}"))
        .hint("write $1, or put the value in its place")
}

fn extract(
    translator: &mut Translator<'_>,
    field: &DateTimeField,
    expr: &Expr,
) -> TranslateResult<Translated> {
    if let DateTimeField::Custom(ident) = field
        && let Some(begins) = custom_week(&ident.value)
    {
        return week_number(translator, begins, expr);
    }
    let plain = |word: &'static str| (word, "");
    let (word, more) = match field {
        DateTimeField::Date => return day(translator, expr),
        DateTimeField::DayOfWeek => ("DOW", " + 1"),
        DateTimeField::DayOfYear => plain("DOY"),
        DateTimeField::Hour => plain("HOUR"),
        DateTimeField::Minute => plain("MINUTE"),
        DateTimeField::Second => {
            let moment = time_of_utc(translator, expr)?;
            let text = format!(
                "CAST(floor(EXTRACT(SECOND FROM {})) AS integer)",
                moment.text
            );
            return Ok(Translated::primary(text, SqlType::Integer).never_null(moment.not_null));
        }
        other => match part_of(other) {
            Some(BigqueryDatePart::Week(1)) if matches!(other, DateTimeField::IsoWeek) => {
                plain("WEEK")
            }
            Some(BigqueryDatePart::Week(begins)) => return week_number(translator, begins, expr),
            Some(BigqueryDatePart::Day) => plain("DAY"),
            Some(BigqueryDatePart::Month) => plain("MONTH"),
            Some(BigqueryDatePart::Quarter) => plain("QUARTER"),
            Some(BigqueryDatePart::Year) => plain("YEAR"),
            Some(BigqueryDatePart::IsoYear) => plain("ISOYEAR"),
            _ => return Err(Untranslatable::construct("this part of EXTRACT")),
        },
    };
    let moment = match word {
        "HOUR" | "MINUTE" => time_of_utc(translator, expr)?,
        _ => day_or_time(translator, expr)?,
    };
    let text = format!(
        "CAST(EXTRACT({word} FROM {}) AS integer){more}",
        moment.text
    );
    let written = match more {
        "" => Translated::primary(text, SqlType::Integer),
        _ => Translated::compound(text, SqlType::Integer),
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
fn week_number(
    translator: &mut Translator<'_>,
    begins: u8,
    expr: &Expr,
) -> TranslateResult<Translated> {
    let moment = day_or_time(translator, expr)?;
    let text = format!(
        "((EXTRACT(DOY FROM {0})::integer + 6 - ({1})) / 7)",
        moment.text,
        days_into_week(&moment.text, begins)
    );
    Ok(Translated::primary(text, SqlType::Integer).never_null(moment.not_null))
}

/// `[1, 2]`
fn elements(translator: &mut Translator<'_>, elements: &[Expr]) -> TranslateResult<Translated> {
    let mut values = Vec::new();
    for element in elements {
        values.push(translator.value(element)?);
    }
    let (values, kind) = translator.with_common_type(values)?;
    if values.is_empty() {
        return translator.refuse("an array without elements");
    }
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Ok(Translated {
        element: kind,
        name: Some("array".to_owned()),
        ..Translated::primary(format!("ARRAY[{}]", texts.join(", ")), SqlType::Array)
            .never_null(true)
    })
}

/// `array[OFFSET(0)]`
fn element(
    translator: &mut Translator<'_>,
    root: &Expr,
    chain: &[AccessExpr],
) -> TranslateResult<Translated> {
    let [
        AccessExpr::Subscript(Subscript::Index {
            index: Expr::Function(function),
        }),
    ] = chain
    else {
        return translator.refuse("a field of a STRUCT");
    };
    let given = match &function.args {
        FunctionArguments::List(list) => match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(place))] => translator.integer(place)?,
            _ => return translator.refuse("this subscript"),
        },
        _ => return translator.refuse("this subscript"),
    };
    let name = function.name.to_string().to_ascii_lowercase();
    let place = match (name.as_str(), given.small_integer()) {
        ("offset" | "safe_offset", Some(place)) => (place + 1).to_string(),
        ("offset" | "safe_offset", None) => format!("{} + 1", given.operand()),
        ("ordinal" | "safe_ordinal", _) => given.text,
        _ => return translator.refuse("this subscript"),
    };
    let array = translator.value(root)?;
    if array.kind != SqlType::Array {
        return translator.refuse("a subscript of no array");
    }
    Ok(Translated::primary(
        format!("({})[{place}]", array.text),
        array.element,
    ))
}

/// `UNNEST(array) AS x WITH OFFSET AS y` in FROM; none for any other.
pub fn factor(
    translator: &mut Translator<'_>,
    factor: &TableFactor,
) -> TranslateResult<Option<String>> {
    let (alias, arrays, with_offset, offset_alias) = match factor {
        TableFactor::UNNEST {
            alias,
            array_exprs,
            with_offset,
            with_offset_alias,
            with_ordinality: false,
        } => (alias, array_exprs, *with_offset, with_offset_alias),
        TableFactor::Pivot { .. } => return translator.refuse("PIVOT"),
        TableFactor::Unpivot { .. } => return translator.refuse("UNPIVOT"),
        _ => return Ok(None),
    };
    let [array] = arrays.as_slice() else {
        return translator.refuse("UNNEST of several arrays");
    };
    let array = translator.value(array)?;
    if array.kind != SqlType::Array {
        return translator.refuse("UNNEST of no array");
    }
    let name = match alias {
        Some(alias) if alias.columns.is_empty() => name::spelled(&alias.name)?,
        Some(_) => return translator.refuse("names of columns after UNNEST"),
        None => translator.make_name("element"),
    };
    let quoted = name::quoted(&name).into_owned();
    let column = |name: &str, kind: SqlType| OutputColumn {
        name: name.to_owned(),
        kind,
        not_null: false,
        extra_digits: false,
        case_sensitive: false,
        form: TranslatedForm::Computed,
    };
    let mut columns = vec![column(&name, array.element)];
    let text = if with_offset {
        let place = match offset_alias {
            Some(ident) => name::spelled(ident)?,
            None => "offset".to_owned(),
        };
        columns.push(column(&place, SqlType::Integer));
        let place = name::quoted(&place).into_owned();
        let inner = translator.make_name("unnested");
        format!(
            "LATERAL (SELECT element AS {quoted}, place - 1 AS {place} \
             FROM unnest({}) WITH ORDINALITY AS {inner} (element, place)) AS {quoted}",
            array.text
        )
    } else {
        format!("unnest({}) AS {quoted} ({quoted})", array.text)
    };
    translator.add_item(TranslatedItem {
        name,
        columns: KnownColumns::Known(columns),
    });
    Ok(Some(text))
}

/// `r'…'`, `'''…'''` and their kin, as the core is to read them: the content, and whether escapes
/// stand in it.
pub fn string(value: &Value) -> Option<(&str, BackslashEscapes)> {
    Some(match value {
        Value::SingleQuotedRawStringLiteral(raw)
        | Value::DoubleQuotedRawStringLiteral(raw)
        | Value::TripleSingleQuotedRawStringLiteral(raw)
        | Value::TripleDoubleQuotedRawStringLiteral(raw) => (raw, BackslashEscapes::Plain),
        Value::TripleSingleQuotedString(raw) | Value::TripleDoubleQuotedString(raw) => {
            (raw, BackslashEscapes::C)
        }
        _ => return None,
    })
}
