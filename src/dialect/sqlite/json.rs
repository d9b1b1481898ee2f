//! SQLite's JSON: paths, and `json_each` in FROM. A column of Postgres holds documents as json or
//! jsonb; texts are read as such. What is taken out of one is likely what SQLite would show: it
//! would show true as 1, and objects without blanks.
//!
//! <https://www.sqlite.org/json1.html>

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, ObjectName, TableAlias, TableFactor};

use crate::rules::{FunctionRule, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::name;
use crate::translator::scope::{KnownColumns, OutputColumn, TranslatedItem};
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://www.sqlite.org/json1.html";

/// The functions of documents.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("json_extract", (2, 2), extract, DOC, "json_extract(s, '$.a[0]')", "s::jsonb -> 'a' ->> 0 AS json_extract"),
    by("json_array_length", (1, 2), array_length, DOC, "json_array_length(s, '$.a')", "jsonb_array_length(s::jsonb -> 'a') AS json_array_length"),
];

/// A step into a document.
enum JsonPathStep {
    Key(String),
    Place(i64),
}

/// `document ->> path`
pub fn long_arrow(
    translator: &mut Translator<'_>,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Translated> {
    let steps = label(translator, right)?;
    let document = document(translator, left)?;
    translator.mark_likely();
    text_at(&document, &steps)
}

/// `document -> path`
pub fn arrow(
    translator: &mut Translator<'_>,
    left: &Expr,
    right: &Expr,
) -> TranslateResult<Translated> {
    let steps = label(translator, right)?;
    let document = document(translator, left)?;
    translator.mark_likely();
    Ok(Translated::operation(
        format!("{}{}", document.operand(), arrows(&steps)),
        document.kind,
    ))
}

/// `json_extract(document, path)`
pub fn extract(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let document = document(translator, call.argument(0)?)?;
    let path = translator.value(call.argument(1)?)?;
    let steps = steps_of(path.text_literal())?;
    translator.mark_likely();
    text_at(&document, &steps)
}

fn array_length(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let document = document(translator, call.argument(0)?)?;
    let steps = match call.arguments.get(1) {
        Some(path) => {
            let path = translator.value(path)?;
            steps_of(path.text_literal())?
        }
        None => Vec::new(),
    };
    // Of what is no array Postgres says so, where SQLite has 0.
    translator.mark_likely();
    let name = match document.kind {
        SqlType::Json => "json_array_length",
        _ => "jsonb_array_length",
    };
    let inner = match steps.as_slice() {
        [] => document.text.clone(),
        steps => format!("{}{}", document.operand(), arrows(steps)),
    };
    Ok(Translated::call(name, &[&inner], SqlType::Integer))
}

/// `json_each(document, path)` in FROM; none for any other.
pub fn factor(
    translator: &mut Translator<'_>,
    factor: &TableFactor,
) -> TranslateResult<Option<String>> {
    let TableFactor::Table {
        name: called,
        alias,
        args: Some(arguments),
        ..
    } = factor
    else {
        return Ok(None);
    };
    if !is_called(called, "json_each") {
        return Ok(None);
    }
    let mut given = Vec::new();
    for argument in &arguments.args {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => given.push(expr),
            _ => return translator.refuse("this form of json_each()"),
        }
    }
    let (whole, steps) = match given.as_slice() {
        [whole] => (*whole, Vec::new()),
        [whole, path] => {
            let path = translator.value(path)?;
            (*whole, steps_of(path.text_literal())?)
        }
        _ => return translator.refuse("this form of json_each()"),
    };
    let document = document(translator, whole)?;
    let name = match alias {
        Some(TableAlias { name, columns, .. }) if columns.is_empty() => name::spelled(name)?,
        Some(_) => return translator.refuse("this form of json_each()"),
        None => "json_each".to_owned(),
    };
    translator.mark_likely();
    let array = match steps.as_slice() {
        [] => document.text.clone(),
        steps => format!("{}{}", document.operand(), arrows(steps)),
    };
    let elements = match document.kind {
        SqlType::Json => "json_array_elements_text",
        _ => "jsonb_array_elements_text",
    };
    let column = |name: &str, kind: SqlType, form: TranslatedForm| OutputColumn {
        name: name.to_owned(),
        kind,
        not_null: false,
        extra_digits: false,
        case_sensitive: false,
        form,
    };
    translator.add_item(TranslatedItem {
        name: name.clone(),
        columns: KnownColumns::Known(vec![
            column("value", SqlType::Text, TranslatedForm::Document),
            column("place", SqlType::Integer, TranslatedForm::Computed),
        ]),
    });
    Ok(Some(format!(
        "{elements}({array}) WITH ORDINALITY AS {} (value, place)",
        name::quoted(&name)
    )))
}

fn is_called(called: &ObjectName, wanted: &str) -> bool {
    let parts: Vec<_> = called.0.iter().filter_map(|part| part.as_ident()).collect();
    matches!(parts.as_slice(), [only] if only.value.eq_ignore_ascii_case(wanted))
}

/// An expression as a document.
fn document(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Translated> {
    let value = translator.value(expr)?;
    match value.kind {
        SqlType::Json | SqlType::Jsonb => Ok(value),
        SqlType::Text => {
            let text = format!("{}::jsonb", value.operand());
            Ok(Translated::primary(text, SqlType::Jsonb).never_null(value.not_null))
        }
        _ => Err(untyped(&value, "a JSON document")),
    }
}

fn text_at(document: &Translated, steps: &[JsonPathStep]) -> TranslateResult<Translated> {
    let Some((last, before)) = steps.split_last() else {
        return Err(Untranslatable::construct(
            "a whole document taken out of itself",
        ));
    };
    let text = format!(
        "{}{} ->> {}",
        document.operand(),
        arrows(before),
        last.text()
    );
    Ok(Translated {
        form: TranslatedForm::Document,
        ..Translated::operation(text, SqlType::Text)
    })
}

fn arrows(steps: &[JsonPathStep]) -> String {
    let arrows: Vec<String> = steps
        .iter()
        .map(|step| format!(" -> {}", step.text()))
        .collect();
    arrows.concat()
}

impl JsonPathStep {
    fn text(&self) -> String {
        match self {
            Self::Key(key) => literal::quoted(key),
            Self::Place(place) => place.to_string(),
        }
    }
}

/// What may stand right of an arrow: a path, a key, or a place.
fn label(translator: &mut Translator<'_>, expr: &Expr) -> TranslateResult<Vec<JsonPathStep>> {
    let value = translator.value(expr)?;
    if let Some(place) = value.small_integer() {
        return Ok(vec![JsonPathStep::Place(place)]);
    }
    match value.text_literal() {
        Some(path) if path.starts_with('$') => steps_of(Some(path)),
        Some(key) => Ok(vec![JsonPathStep::Key(key.to_owned())]),
        None => Err(computed()),
    }
}

/// `$.a.b[0]."c d"`
fn steps_of(path: Option<&str>) -> TranslateResult<Vec<JsonPathStep>> {
    let mut rest = path
        .and_then(|path| path.strip_prefix('$'))
        .ok_or_else(computed)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(quoted) = rest.strip_prefix(".\"") {
            let (key, after) = quoted.split_once('"').ok_or_else(computed)?;
            (JsonPathStep::Key(key.to_owned()), after)
        } else if let Some(key) = rest.strip_prefix('.') {
            let end = key.find(['.', '[']).unwrap_or(key.len());
            let (key, after) = key.split_at(end);
            (JsonPathStep::Key(key.to_owned()), after)
        } else if let Some(place) = rest.strip_prefix('[') {
            let (place, after) = place.split_once(']').ok_or_else(computed)?;
            let place = match place.strip_prefix("#-") {
                Some(back) => back.parse::<i64>().map(|back| -back),
                None => place.parse(),
            };
            (JsonPathStep::Place(place.map_err(|_| computed())?), after)
        } else {
            return Err(computed());
        };
        if matches!(&step, JsonPathStep::Key(key) if key.is_empty() || key.contains('\\')) {
            return Err(computed());
        }
        steps.push(step);
        rest = after;
    }
    Ok(steps)
}

fn computed() -> Untranslatable {
    Untranslatable::construct("this path into JSON").hint("write it as '$.key.other[0]'")
}
