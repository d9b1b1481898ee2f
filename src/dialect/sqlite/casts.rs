//! SQLite's CAST: by the affinity of the type's name, and of a text as much as begins like a
//! number.
//!
//! <https://www.sqlite.org/lang_expr.html#castexpr>

use sqlparser::ast::{DataType, Expr};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// What a type's name makes of values.
enum TypeAffinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

/// A cast.
pub fn written(
    translator: &mut Translator<'_>,
    value: &Expr,
    to: &DataType,
) -> TranslateResult<Translated> {
    let value = translator.value(value)?;
    let name = to.to_string().to_ascii_uppercase();
    let written = match affinity(&name) {
        TypeAffinity::Text => translator.as_text(value.clone())?,
        TypeAffinity::Integer => integer(translator, &value)?,
        TypeAffinity::Real => real(translator, &value)?,
        TypeAffinity::Numeric => numeric(translator, &value, &name)?,
        TypeAffinity::Blob => return Err(Untranslatable::construct("CAST to a blob")),
    };
    Ok(Translated {
        name: value.name.filter(|_| value.form == TranslatedForm::Column),
        form: match written.form {
            TranslatedForm::Column => TranslatedForm::Computed,
            form => form,
        },
        ..written
    })
}

/// Rules 1 to 5 of <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
fn affinity(name: &str) -> TypeAffinity {
    let has = |part: &str| name.contains(part);
    if has("INT") {
        TypeAffinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        TypeAffinity::Text
    } else if has("BLOB") {
        TypeAffinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        TypeAffinity::Real
    } else {
        TypeAffinity::Numeric
    }
}

fn integer(translator: &mut Translator<'_>, value: &Translated) -> TranslateResult<Translated> {
    let text = match value.kind {
        SqlType::Integer | SqlType::Null => return Ok(value.clone()),
        SqlType::Bool => return translator.numeric(value.clone()),
        SqlType::Decimal | SqlType::Float => format!("trunc({})::bigint", value.text),
        SqlType::Text if value.form == TranslatedForm::Digits => {
            format!("{}::bigint", value.operand())
        }
        SqlType::Text => leading(value, r"^\s*([+-]?\d+)", "bigint"),
        // The text of a date begins with its year.
        SqlType::Date | SqlType::Timestamp => format!("EXTRACT(YEAR FROM {})::integer", value.text),
        _ => return Err(untyped(value, "a number")),
    };
    Ok(Translated::primary(text, SqlType::Integer).never_null(value.not_null))
}

fn real(translator: &mut Translator<'_>, value: &Translated) -> TranslateResult<Translated> {
    let text = match value.kind {
        SqlType::Float | SqlType::Null => return Ok(value.clone()),
        SqlType::Bool => {
            let number = translator.numeric(value.clone())?;
            format!("{}::double precision", number.operand())
        }
        SqlType::Integer | SqlType::Decimal => format!("{}::double precision", value.operand()),
        SqlType::Text if value.form == TranslatedForm::Digits => {
            format!("{}::double precision", value.operand())
        }
        SqlType::Text => leading(
            value,
            r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)",
            "double precision",
        ),
        _ => return Err(untyped(value, "a number")),
    };
    Ok(Translated {
        extra_digits: true,
        ..Translated::primary(text, SqlType::Float).never_null(value.not_null)
    })
}

/// Numbers stay what they are, whatever digits the type has.
fn numeric(
    translator: &mut Translator<'_>,
    value: &Translated,
    name: &str,
) -> TranslateResult<Translated> {
    match value.kind {
        kind if kind.is_number() || kind == SqlType::Null => Ok(value.clone()),
        SqlType::Bool => translator.numeric(value.clone()),
        SqlType::Text if value.form == TranslatedForm::Digits => integer(translator, value),
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
fn leading(value: &Translated, pattern: &str, to: &str) -> String {
    let found = format!(
        "COALESCE(substring({} from '{pattern}')::{to}, 0)",
        value.text
    );
    if value.not_null {
        return found;
    }
    format!(
        "(CASE WHEN {} IS NOT NULL THEN {found} END)",
        value.operand()
    )
}
