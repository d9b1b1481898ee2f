//! T-SQL's FROM: names of several parts, hints, STRING_SPLIT and GENERATE_SERIES.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/queries/from-transact-sql>

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, ObjectName, TableAlias, TableFactor};

use crate::dialect::translator::Writer;
use crate::dialect::translator::condition::has_letters;
use crate::dialect::translator::name;
use crate::dialect::translator::scope::{Columns, Item, OutputColumn};
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// The first look at what stands in FROM; none where the core writes it.
pub fn factor(writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
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
                    _ => return writer.refuse("this argument of a table"),
                }
            }
            let called = name.to_string().to_lowercase();
            called_table(writer, &called, &arguments, alias.as_ref()).map(Some)
        }
        TableFactor::Table { with_hints, .. } if !with_hints.is_empty() => {
            // Hints say how, not what.
            let mut bare = factor.clone();
            if let TableFactor::Table { with_hints, .. } = &mut bare {
                with_hints.clear();
            }
            writer.factor(&bare).map(Some)
        }
        TableFactor::Pivot { .. } => Err(Untranslatable::construct("PIVOT")
            .hint("write sum(…) FILTER (WHERE …) for each column")),
        TableFactor::Unpivot { .. } => {
            Err(Untranslatable::construct("UNPIVOT").hint("write CROSS JOIN LATERAL (VALUES …)"))
        }
        TableFactor::OpenJsonTable { .. } => Err(open_json()),
        _ => Ok(None),
    }
}

fn open_json() -> Untranslatable {
    Untranslatable::construct("OPENJSON()")
        .hint("write jsonb_array_elements(…) or jsonb_each_text(…)")
}

fn called_table(
    writer: &mut Writer<'_>,
    called: &str,
    arguments: &[&Expr],
    alias: Option<&TableAlias>,
) -> Outcome<String> {
    let (table, kind) = match (called, arguments) {
        ("string_split", [text, separator]) => {
            let text = writer.text(text)?;
            let separator = writer.text(separator)?;
            let is_one = separator
                .text_literal()
                .is_some_and(|one| one.chars().count() == 1);
            if !is_one || has_letters(&separator) {
                return Err(Untranslatable::function("string_split")
                    .hint("its separator has to be one character that is no letter"));
            }
            // An empty string has one part there.
            let table = format!(
                "unnest(CASE WHEN {0} = '' THEN ARRAY[''] ELSE string_to_array({1}, {2}) END)",
                text.atom(),
                text.text,
                separator.text
            );
            (table, Kind::Text)
        }
        ("generate_series", [_, _] | [_, _, _]) => {
            let mut texts = Vec::new();
            for argument in arguments {
                texts.push(writer.integer(argument)?.text);
            }
            (
                format!("generate_series({})", texts.join(", ")),
                Kind::Integer,
            )
        }
        ("openjson", _) => return Err(open_json()),
        _ => return Err(Untranslatable::function(called)),
    };
    let (name, given) = match alias {
        Some(alias) => writer.alias(alias)?,
        None => (writer.make_name("parts"), Vec::new()),
    };
    let column = given.first().cloned().unwrap_or_else(|| "value".to_owned());
    let text = format!(
        "{table} AS {} ({})",
        name::quoted(&name),
        name::quoted(&column)
    );
    let columns = vec![OutputColumn::of(&column, &Written::tight("", kind))];
    writer.bring(Item {
        name,
        columns: Columns::Known(columns),
    });
    Ok(text)
}

/// `db.schema.table` without the database, and without dbo where there is no such schema.
pub fn relation(writer: &Writer<'_>, named: &ObjectName) -> Outcome<Vec<String>> {
    let mut parts: Vec<String> = name::parts(named)?.iter().map(name::content).collect();
    let last = parts.last().map(String::as_str).unwrap_or_default();
    if last.starts_with('#') {
        return writer.refuse("a temporary table");
    }
    if last.starts_with('@') {
        return writer.refuse("a table variable");
    }
    match parts.len() {
        1 | 2 => {}
        3 => {
            parts.remove(0);
        }
        _ => return writer.refuse("a linked server"),
    }
    let is_usual = match parts.as_slice() {
        [schema, _] => schema.is_empty() || schema.eq_ignore_ascii_case("dbo") && !has_dbo(writer),
        _ => false,
    };
    if is_usual {
        parts.remove(0);
    }
    Ok(parts)
}

fn has_dbo(writer: &Writer<'_>) -> bool {
    let Some(database) = writer.database else {
        return false;
    };
    let catalog = database.catalog;
    let mut schemas = catalog.schemas();
    schemas.any(|(_, schema)| {
        catalog
            .names()
            .text(schema.name)
            .eq_ignore_ascii_case("dbo")
    })
}
