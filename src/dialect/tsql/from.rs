//! T-SQL's FROM: names of several parts, hints, STRING_SPLIT and GENERATE_SERIES.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/queries/from-transact-sql>

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, ObjectName, TableAlias, TableFactor};

use super::open_json;
use super::pivot;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::condition::has_letters;
use crate::translator::name;
use crate::translator::scope::{KnownColumns, OutputColumn, TranslatedItem};
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// The first look at what stands in FROM; none where the core writes it.
pub fn factor(
    translator: &mut Translator<'_>,
    factor: &TableFactor,
) -> TranslateResult<Option<String>> {
    match factor {
        TableFactor::Table {
            name,
            alias,
            args: Some(args),
            with_hints,
            ..
        } if with_hints.is_empty() && args.settings.is_none() => {
            let mut arguments = Vec::new();
            for argument in &args.args {
                match argument {
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => arguments.push(expr),
                    _ => return translator.refuse("this argument of a table"),
                }
            }
            let called = name.to_string().to_lowercase();
            called_table(translator, &called, &arguments, alias.as_ref()).map(Some)
        }
        TableFactor::Table { with_hints, .. } if !with_hints.is_empty() => {
            // Hints say how, not what.
            let mut bare = factor.clone();
            if let TableFactor::Table { with_hints, .. } = &mut bare {
                with_hints.clear();
            }
            translator.factor(&bare).map(Some)
        }
        TableFactor::Pivot { .. } => pivot::pivot(translator, factor).map(Some),
        TableFactor::Unpivot { .. } => pivot::unpivot(translator, factor).map(Some),
        TableFactor::OpenJsonTable { .. } => open_json::table(translator, factor).map(Some),
        _ => Ok(None),
    }
}

fn called_table(
    translator: &mut Translator<'_>,
    called: &str,
    arguments: &[&Expr],
    alias: Option<&TableAlias>,
) -> TranslateResult<String> {
    let (table, columns) = match (called, arguments) {
        ("string_split", [text, separator]) => (parts_of(translator, text, separator)?, PARTS),
        ("string_split", [text, separator, ordinal]) => {
            let parts = parts_of(translator, text, separator)?;
            match translator.value(ordinal)?.small_integer() {
                Some(0) => (parts, PARTS),
                Some(1) => (format!("{parts} WITH ORDINALITY"), NUMBERED_PARTS),
                _ => {
                    return Err(Untranslatable::function("string_split")
                        .hint("its third argument has to be 0 or 1"));
                }
            }
        }
        ("generate_series", [_, _] | [_, _, _]) => {
            let mut texts = Vec::new();
            for argument in arguments {
                texts.push(translator.integer(argument)?.text);
            }
            (format!("generate_series({})", texts.join(", ")), SERIES)
        }
        _ => return Err(Untranslatable::function(called)),
    };
    let (name, given) = match alias {
        Some(alias) => translator.alias(alias)?,
        None => (translator.make_name("parts"), Vec::new()),
    };
    let named = |place: usize, usual: &str| {
        let given = given.get(place).cloned();
        given.unwrap_or_else(|| usual.to_owned())
    };
    let columns: Vec<OutputColumn> = (columns.iter().enumerate())
        .map(|(place, (usual, kind))| {
            OutputColumn::of(&named(place, usual), &Translated::primary("", *kind))
        })
        .collect();
    let names: Vec<_> = columns.iter().map(|one| name::quoted(&one.name)).collect();
    let text = format!("{table} AS {} ({})", name::quoted(&name), names.join(", "));
    translator.add_item(TranslatedItem {
        name,
        columns: KnownColumns::Known(columns),
    });
    Ok(text)
}

/// What STRING_SPLIT and GENERATE_SERIES give.
const PARTS: &[(&str, SqlType)] = &[("value", SqlType::Text)];
const NUMBERED_PARTS: &[(&str, SqlType)] =
    &[("value", SqlType::Text), ("ordinal", SqlType::Integer)];
const SERIES: &[(&str, SqlType)] = &[("value", SqlType::Integer)];

/// The parts of a text; an empty string has one there.
fn parts_of(
    translator: &mut Translator<'_>,
    text: &Expr,
    separator: &Expr,
) -> TranslateResult<String> {
    let text = translator.text(text)?;
    let separator = translator.text(separator)?;
    let is_one = separator
        .text_literal()
        .is_some_and(|one| one.chars().count() == 1);
    if !is_one || has_letters(&separator) {
        return Err(Untranslatable::function("string_split")
            .hint("its separator has to be one character that is no letter"));
    }
    Ok(format!(
        "unnest(CASE WHEN {0} = '' THEN ARRAY[''] ELSE string_to_array({1}, {2}) END)",
        text.operand(),
        text.text,
        separator.text
    ))
}

/// `db.schema.table` without the database, and without dbo where there is no such schema.
pub fn relation(translator: &Translator<'_>, named: &ObjectName) -> TranslateResult<Vec<String>> {
    let mut parts: Vec<String> = name::parts(named)?.iter().map(name::content).collect();
    let last = parts.last().map(String::as_str).unwrap_or_default();
    if last.starts_with('#') {
        return translator.refuse("a temporary table");
    }
    if last.starts_with('@') {
        return translator.refuse("a table variable");
    }
    match parts.len() {
        1 | 2 => {}
        3 => {
            parts.remove(0);
        }
        _ => return translator.refuse("a linked server"),
    }
    let is_usual = match parts.as_slice() {
        [schema, _] => {
            let is_missing = || {
                let database = translator.database;
                !database.is_some_and(|database| database.has_schema(schema))
            };
            schema.is_empty() || schema.eq_ignore_ascii_case(USUAL_SCHEMA) && is_missing()
        }
        _ => false,
    };
    if is_usual {
        parts.remove(0);
    }
    Ok(parts)
}

/// A column of the catalog that holds a schema, beside the name of the usual one where there is no
/// such schema: the one that names are looked up in first stands for it.
pub fn beside_usual_schema(
    translator: &mut Translator<'_>,
    left: &Translated,
    right: &Translated,
) -> Option<(String, String)> {
    let is_column = |side: &Translated| {
        let name = side.name.as_deref().unwrap_or_default();
        side.form == TranslatedForm::Column && SCHEMA_COLUMNS.contains(&name)
    };
    let is_usual = |side: &Translated| {
        side.text_literal()
            .is_some_and(|content| content.eq_ignore_ascii_case(USUAL_SCHEMA))
    };
    let is_there = (translator.database).is_none_or(|database| database.has_schema(USUAL_SCHEMA));
    let current = || "CAST(current_schema() AS text)".to_owned();
    let sides = if is_column(left) && is_usual(right) {
        (left.operand(), current())
    } else if is_usual(left) && is_column(right) {
        (current(), right.operand())
    } else {
        return None;
    };
    if is_there {
        return None;
    }
    translator.mark_likely();
    Some(sides)
}

/// Columns of INFORMATION_SCHEMA that hold a schema.
const SCHEMA_COLUMNS: &[&str] = &[
    "table_schema",
    "schema_name",
    "constraint_schema",
    "view_schema",
    "routine_schema",
];

/// The schema in which tables are where nothing else is said.
pub const USUAL_SCHEMA: &str = "dbo";
