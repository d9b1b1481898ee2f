//! T-SQL's OPENJSON: the members of an object or the elements of an array, as they are or with
//! columns.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/openjson-transact-sql>

use sqlparser::ast::{Expr, OpenJsonTableColumn, TableFactor, Value};

use super::casts;
use super::json::{as_written, fragment, keys, scalar, steps, unknown_path};
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::name;
use crate::translator::scope::{KnownColumns, OutputColumn, TranslatedItem};
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// `OPENJSON(document, '$.path') WITH (…)`
pub fn table(translator: &mut Translator<'_>, factor: &TableFactor) -> TranslateResult<String> {
    let TableFactor::OpenJsonTable {
        json_expr,
        json_path,
        columns,
        alias,
    } = factor
    else {
        return translator.refuse("this form of OPENJSON");
    };
    let document = document(
        translator,
        json_expr,
        json_path.as_ref().map(|path| &path.value),
    )?;
    let (text, columns) = match columns.as_slice() {
        [] => members(&document),
        columns => elements(translator, &document, columns)?,
    };
    let name = match alias {
        Some(alias) => {
            let (name, given) = translator.alias(alias)?;
            if !given.is_empty() {
                return translator.refuse("names of columns behind OPENJSON()");
            }
            name
        }
        None => translator.make_name("opened"),
    };
    let written = format!("LATERAL ({text}) AS {}", name::quoted(&name));
    translator.add_item(TranslatedItem {
        name,
        columns: KnownColumns::Known(columns),
    });
    Ok(written)
}

/// What is opened, whose parts stay as they are written.
fn document(
    translator: &mut Translator<'_>,
    expr: &Expr,
    path: Option<&Value>,
) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    let document = as_written(translator, &value)?;
    let keys = match path {
        None => Vec::new(),
        Some(Value::SingleQuotedString(path) | Value::NationalStringLiteral(path)) => {
            path_keys(path)?
        }
        Some(_) => return Err(unknown_path()),
    };
    Ok(match keys.as_slice() {
        [] => document,
        keys => Translated::compound(
            format!("{} #> {}", document.operand(), steps(keys)),
            SqlType::Json,
        ),
    })
}

fn path_keys(path: &str) -> TranslateResult<Vec<String>> {
    match path {
        "$" | "lax $" => Ok(Vec::new()),
        path => keys(path).ok_or_else(unknown_path),
    }
}

/// Each member with its key, or each element with its place, and of which type it is.
fn members(document: &Translated) -> (String, Vec<OutputColumn>) {
    let opened = &document.text;
    let text = format!(
        "SELECT part.key, part.value #>> '{{}}' AS value, \
         array_position(ARRAY['null', 'string', 'number', 'boolean', 'array', 'object'], \
         json_typeof(part.value)) - 1 AS type \
         FROM (SELECT {opened} AS opened) AS document CROSS JOIN LATERAL (\
         SELECT key, value FROM json_each(CASE json_typeof(opened) WHEN 'object' THEN opened END) \
         UNION ALL SELECT CAST(place - 1 AS text), value FROM json_array_elements(\
         CASE json_typeof(opened) WHEN 'array' THEN opened END) \
         WITH ORDINALITY AS element (value, place)) AS part"
    );
    let key = Translated {
        // Its collation is a binary one.
        case_sensitive: true,
        ..Translated::primary("", SqlType::Text)
    };
    let columns = vec![
        OutputColumn::of("key", &key),
        OutputColumn::of("value", &Translated::primary("", SqlType::Text)),
        OutputColumn::of("type", &Translated::primary("", SqlType::Integer)),
    ];
    (text, columns)
}

/// A row for the object, or for each element of the array, with these columns.
fn elements(
    translator: &mut Translator<'_>,
    document: &Translated,
    columns: &[OpenJsonTableColumn],
) -> TranslateResult<(String, Vec<OutputColumn>)> {
    let element = Translated::primary("element.value", SqlType::Json);
    let mut list = Vec::new();
    let mut known = Vec::new();
    for OpenJsonTableColumn {
        name,
        r#type,
        path,
        as_json,
    } in columns
    {
        let column = name::spelled(name)?;
        let keys = match path {
            Some(path) => path_keys(path)?,
            None => vec![name::content(name)],
        };
        let value = match as_json {
            true => fragment(&element, &keys),
            false => {
                let text = scalar(&element, &keys);
                let is_bit = r#type.to_string().eq_ignore_ascii_case("bit");
                match is_bit {
                    true => cast(&text, "boolean", SqlType::Bool),
                    false => casts::cast_value(translator, text, r#type, None, false)?,
                }
            }
        };
        list.push(format!("{} AS {}", value.text, name::quoted(&column)));
        known.push(OutputColumn::of(&column, &value));
    }
    // What is longer than its type is not told.
    translator.mark_likely();
    let opened = document.operand();
    let text = format!(
        "SELECT {} FROM json_array_elements(CASE json_typeof({opened}) WHEN 'array' THEN {opened} \
         WHEN 'object' THEN json_build_array({opened}) END) AS element (value)",
        list.join(", ")
    );
    Ok((text, known))
}
