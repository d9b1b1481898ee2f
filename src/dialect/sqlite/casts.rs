//! SQLite's CAST: by the affinity of the type's name, and of a text as much as begins like a
//! number.
//!
//! <https://www.sqlite.org/lang_expr.html#castexpr>

use sqlparser::ast::{DataType, Expr};

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

/// What a type's name makes of values.
enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

/// A cast.
pub fn written(writer: &mut Writer<'_>, value: &Expr, to: &DataType) -> Outcome<Written> {
    let value = writer.value(value)?;
    let name = to.to_string().to_ascii_uppercase();
    let written = match affinity(&name) {
        Affinity::Text => writer.textual(value.clone())?,
        Affinity::Integer => integer(writer, &value)?,
        Affinity::Real => real(writer, &value)?,
        Affinity::Numeric => numeric(writer, &value, &name)?,
        Affinity::Blob => return Err(Untranslatable::construct("CAST to a blob")),
    };
    Ok(Written {
        name: value.name.filter(|_| value.form == Form::Column),
        form: match written.form {
            Form::Column => Form::Computed,
            form => form,
        },
        ..written
    })
}

/// Rules 1 to 5 of <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
fn affinity(name: &str) -> Affinity {
    let has = |part: &str| name.contains(part);
    if has("INT") {
        Affinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") {
        Affinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

fn integer(writer: &mut Writer<'_>, value: &Written) -> Outcome<Written> {
    let text = match value.kind {
        Kind::Integer | Kind::Null => return Ok(value.clone()),
        Kind::Bool => return writer.numeric(value.clone()),
        Kind::Decimal | Kind::Float => format!("trunc({})::bigint", value.text),
        Kind::Text if value.form == Form::Digits => format!("{}::bigint", value.atom()),
        Kind::Text => leading(value, r"^\s*([+-]?\d+)", "bigint"),
        // The text of a date begins with its year.
        Kind::Date | Kind::Timestamp => format!("EXTRACT(YEAR FROM {})::integer", value.text),
        _ => return Err(untyped(value, "a number")),
    };
    Ok(Written::tight(text, Kind::Integer).never_null(value.not_null))
}

fn real(writer: &mut Writer<'_>, value: &Written) -> Outcome<Written> {
    let text = match value.kind {
        Kind::Float | Kind::Null => return Ok(value.clone()),
        Kind::Bool => {
            let number = writer.numeric(value.clone())?;
            format!("{}::double precision", number.atom())
        }
        Kind::Integer | Kind::Decimal => format!("{}::double precision", value.atom()),
        Kind::Text if value.form == Form::Digits => format!("{}::double precision", value.atom()),
        Kind::Text => leading(
            value,
            r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)",
            "double precision",
        ),
        _ => return Err(untyped(value, "a number")),
    };
    Ok(Written {
        longer: true,
        ..Written::tight(text, Kind::Float).never_null(value.not_null)
    })
}

/// Numbers stay what they are, whatever digits the type has.
fn numeric(writer: &mut Writer<'_>, value: &Written, name: &str) -> Outcome<Written> {
    match value.kind {
        kind if kind.is_number() || kind == Kind::Null => Ok(value.clone()),
        Kind::Bool => writer.numeric(value.clone()),
        Kind::Text if value.form == Form::Digits => integer(writer, value),
        _ => {
            let advice = match name {
                "DATE" => "SQLite takes the year of it: write DATE(x)",
                "DATETIME" | "TIMESTAMP" => "SQLite takes the year of it: write DATETIME(x)",
                _ => "CAST it AS INTEGER or AS REAL",
            };
            Err(Untranslatable::construct(&format!("CAST AS {name}")).hint(advice))
        }
    }
}

/// The number that a text begins with; 0 where it does not, NULL for NULL.
fn leading(value: &Written, pattern: &str, to: &str) -> String {
    let found = format!(
        "COALESCE(substring({} from '{pattern}')::{to}, 0)",
        value.text
    );
    if value.not_null {
        return found;
    }
    format!("(CASE WHEN {} IS NOT NULL THEN {found} END)", value.atom())
}
