//! SQLite's JSON: paths, and `json_each` in FROM. A column of Postgres holds documents as json or
//! jsonb; texts are read as such. What is taken out of one is likely what SQLite would show: it
//! would show true as 1, and objects without blanks.
//!
//! <https://www.sqlite.org/json1.html>

use sqlparser::ast::{Expr, FunctionArg, FunctionArgExpr, ObjectName, TableAlias, TableFactor};

use crate::dialect::source::{Rule, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal;
use crate::dialect::translator::name;
use crate::dialect::translator::scope::{Columns, Item, OutputColumn};
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const DOC: &str = "https://www.sqlite.org/json1.html";

/// The functions of documents.
pub const RULES: &[Rule] = &[
    Rule {
        name: "json_extract",
        arguments: (2, 2),
        write: Write::By(extract),
        doc: DOC,
        case: (
            "json_extract(s, '$.a[0]')",
            "s::jsonb -> 'a' ->> 0 AS json_extract",
        ),
    },
    Rule {
        name: "json_array_length",
        arguments: (1, 2),
        write: Write::By(array_length),
        doc: DOC,
        case: (
            "json_array_length(s, '$.a')",
            "jsonb_array_length(s::jsonb -> 'a') AS json_array_length",
        ),
    },
];

/// A step into a document.
enum Step {
    Key(String),
    Place(i64),
}

/// `document ->> path`
pub fn long_arrow(writer: &mut Writer<'_>, left: &Expr, right: &Expr) -> Outcome<Written> {
    let steps = label(writer, right)?;
    let document = document(writer, left)?;
    writer.likely();
    text_at(&document, &steps)
}

/// `document -> path`
pub fn arrow(writer: &mut Writer<'_>, left: &Expr, right: &Expr) -> Outcome<Written> {
    let steps = label(writer, right)?;
    let document = document(writer, left)?;
    writer.likely();
    Ok(Written::operation(
        format!("{}{}", document.atom(), arrows(&steps)),
        document.kind,
    ))
}

/// `json_extract(document, path)`
pub fn extract(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let document = document(writer, call.argument(0)?)?;
    let path = writer.value(call.argument(1)?)?;
    let steps = steps_of(path.text_literal())?;
    writer.likely();
    text_at(&document, &steps)
}

fn array_length(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    call.plain()?;
    let document = document(writer, call.argument(0)?)?;
    let steps = match call.arguments.get(1) {
        Some(path) => {
            let path = writer.value(path)?;
            steps_of(path.text_literal())?
        }
        None => Vec::new(),
    };
    // Of what is no array Postgres says so, where SQLite has 0.
    writer.likely();
    let name = match document.kind {
        Kind::Json => "json_array_length",
        _ => "jsonb_array_length",
    };
    let inner = match steps.as_slice() {
        [] => document.text.clone(),
        steps => format!("{}{}", document.atom(), arrows(steps)),
    };
    Ok(Written::call(name, &[&inner], Kind::Integer))
}

/// `json_each(document, path)` in FROM; none for any other.
pub fn factor(writer: &mut Writer<'_>, factor: &TableFactor) -> Outcome<Option<String>> {
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
            _ => return writer.refuse("this form of json_each()"),
        }
    }
    let (whole, steps) = match given.as_slice() {
        [whole] => (*whole, Vec::new()),
        [whole, path] => {
            let path = writer.value(path)?;
            (*whole, steps_of(path.text_literal())?)
        }
        _ => return writer.refuse("this form of json_each()"),
    };
    let document = document(writer, whole)?;
    let name = match alias {
        Some(TableAlias { name, columns, .. }) if columns.is_empty() => name::spelled(name)?,
        Some(_) => return writer.refuse("this form of json_each()"),
        None => "json_each".to_owned(),
    };
    writer.likely();
    let array = match steps.as_slice() {
        [] => document.text.clone(),
        steps => format!("{}{}", document.atom(), arrows(steps)),
    };
    let elements = match document.kind {
        Kind::Json => "json_array_elements_text",
        _ => "jsonb_array_elements_text",
    };
    let column = |name: &str, kind: Kind, form: Form| OutputColumn {
        name: name.to_owned(),
        kind,
        not_null: false,
        longer: false,
        cased: false,
        form,
    };
    writer.bring(Item {
        name: name.clone(),
        columns: Columns::Known(vec![
            column("value", Kind::Text, Form::Document),
            column("place", Kind::Integer, Form::Computed),
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
fn document(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Written> {
    let value = writer.value(expr)?;
    match value.kind {
        Kind::Json | Kind::Jsonb => Ok(value),
        Kind::Text => {
            let text = format!("{}::jsonb", value.atom());
            Ok(Written::tight(text, Kind::Jsonb).never_null(value.not_null))
        }
        _ => Err(untyped(&value, "a JSON document")),
    }
}

fn text_at(document: &Written, steps: &[Step]) -> Outcome<Written> {
    let Some((last, before)) = steps.split_last() else {
        return Err(Untranslatable::construct(
            "a whole document taken out of itself",
        ));
    };
    let text = format!("{}{} ->> {}", document.atom(), arrows(before), last.text());
    Ok(Written {
        form: Form::Document,
        ..Written::operation(text, Kind::Text)
    })
}

fn arrows(steps: &[Step]) -> String {
    let arrows: Vec<String> = steps
        .iter()
        .map(|step| format!(" -> {}", step.text()))
        .collect();
    arrows.concat()
}

impl Step {
    fn text(&self) -> String {
        match self {
            Self::Key(key) => literal::quoted(key),
            Self::Place(place) => place.to_string(),
        }
    }
}

/// What may stand right of an arrow: a path, a key, or a place.
fn label(writer: &mut Writer<'_>, expr: &Expr) -> Outcome<Vec<Step>> {
    let value = writer.value(expr)?;
    if let Some(place) = value.small_integer() {
        return Ok(vec![Step::Place(place)]);
    }
    match value.text_literal() {
        Some(path) if path.starts_with('$') => steps_of(Some(path)),
        Some(key) => Ok(vec![Step::Key(key.to_owned())]),
        None => Err(computed()),
    }
}

/// `$.a.b[0]."c d"`
fn steps_of(path: Option<&str>) -> Outcome<Vec<Step>> {
    let mut rest = path
        .and_then(|path| path.strip_prefix('$'))
        .ok_or_else(computed)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(quoted) = rest.strip_prefix(".\"") {
            let (key, after) = quoted.split_once('"').ok_or_else(computed)?;
            (Step::Key(key.to_owned()), after)
        } else if let Some(key) = rest.strip_prefix('.') {
            let end = key.find(['.', '[']).unwrap_or(key.len());
            let (key, after) = key.split_at(end);
            (Step::Key(key.to_owned()), after)
        } else if let Some(place) = rest.strip_prefix('[') {
            let (place, after) = place.split_once(']').ok_or_else(computed)?;
            let place = match place.strip_prefix("#-") {
                Some(back) => back.parse::<i64>().map(|back| -back),
                None => place.parse(),
            };
            (Step::Place(place.map_err(|_| computed())?), after)
        } else {
            return Err(computed());
        };
        if matches!(&step, Step::Key(key) if key.is_empty() || key.contains('\\')) {
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
