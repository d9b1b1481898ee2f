//! MySQL's casts, which never fail: a text that is no number is the number that it begins with.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/cast-functions.html>

use sqlparser::ast::{CharacterLength, DataType, ExactNumberInfo, Expr};

use crate::dialect::source::untyped;
use crate::dialect::translator::Writer;
use crate::dialect::translator::convert::cast;
use crate::dialect::translator::translated::{Form, Kind, Written};
use crate::dialect::translator::untranslatable::Outcome;

/// `CAST(value AS type)`, `CONVERT(value, type)`.
pub fn cast_to(writer: &mut Writer<'_>, value: &Expr, to: &DataType) -> Outcome<Written> {
    match to {
        DataType::Signed | DataType::SignedInteger | DataType::BigInt(None) => {
            let whole = whole_number(writer, value)?;
            Ok(cast(&whole, "bigint", Kind::Integer))
        }
        DataType::Integer(None) | DataType::Int(None) => {
            let whole = whole_number(writer, value)?;
            Ok(cast(&whole, "bigint", Kind::Integer))
        }
        DataType::Unsigned | DataType::UnsignedInteger => {
            let whole = whole_number(writer, value)?;
            if is_below_zero_never(&whole) {
                return Ok(cast(&whole, "bigint", Kind::Integer));
            }
            // Below zero the bits stay and the number is another.
            let number = cast(&whole, "bigint", Kind::Integer);
            let text = format!("mod({} + {TWO_TO_64}, {TWO_TO_64})", number.text);
            Ok(Written::tight(text, Kind::Integer).never_null(whole.not_null))
        }
        DataType::Char(length) | DataType::Character(length) => {
            let text = writer.text(value)?;
            let not_null = text.not_null;
            match length {
                None => Ok(cast(&text, "text", Kind::Text)),
                Some(CharacterLength::IntegerLength { length, unit: None }) => {
                    let length = length.to_string();
                    Ok(Written::call("left", &[&text.text, &length], Kind::Text)
                        .never_null(not_null))
                }
                Some(_) => writer.refuse("this length of CHAR"),
            }
        }
        DataType::Decimal(info) | DataType::Dec(info) | DataType::Numeric(info) => {
            let number = number(writer, value)?;
            let (precision, scale) = match info {
                ExactNumberInfo::None => (10, 0),
                ExactNumberInfo::Precision(precision) => (*precision, 0),
                ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
            };
            let name = format!("numeric({precision}, {scale})");
            Ok(cast(&number, &name, Kind::Decimal))
        }
        DataType::Double(_) | DataType::Float(_) | DataType::Real | DataType::DoublePrecision => {
            let number = number(writer, value)?;
            Ok(cast(&number, "double precision", Kind::Float))
        }
        DataType::Date => writer.date(value),
        DataType::Datetime(None) => {
            let moment = writer.timestamp(value)?;
            Ok(cast(&moment, "timestamp(0)", Kind::Timestamp))
        }
        DataType::Binary(None) => {
            let text = writer.text(value)?;
            Ok(Written {
                cased: true,
                ..text
            })
        }
        DataType::JSON => {
            let value = writer.value(value)?;
            match value.kind {
                Kind::Json | Kind::Jsonb | Kind::Text => Ok(cast(&value, "jsonb", Kind::Jsonb)),
                _ => Err(untyped(&value, "JSON")),
            }
        }
        _ => writer.refuse("a cast to this type"),
    }
}

const TWO_TO_64: &str = "18446744073709551616";

fn is_below_zero_never(value: &Written) -> bool {
    (value.number_literal()).is_some_and(|digits| !digits.starts_with('-'))
        || value.text.starts_with("char_length(")
        || value.text.starts_with("count(")
}

/// A value as a number: a text is the number that it begins with.
fn number(writer: &mut Writer<'_>, value: &Expr) -> Outcome<Written> {
    let value = writer.value(value)?;
    number_of(writer, &value)
}

fn number_of(writer: &mut Writer<'_>, value: &Written) -> Outcome<Written> {
    if value.kind == Kind::Unclear && value.form != Form::Parameter {
        return Err(untyped(value, "a number"));
    }
    writer.numeral(value)
}

/// A value as a whole number: a text is the digits that it begins with.
fn whole_number(writer: &mut Writer<'_>, value: &Expr) -> Outcome<Written> {
    let written = writer.value(value)?;
    if written.kind != Kind::Text {
        return number_of(writer, &written);
    }
    let digits = format!(
        "COALESCE(substring({} from '^\\s*([-+]?\\d+)'), '0')",
        written.text
    );
    let text = if written.not_null {
        digits
    } else {
        format!("CASE WHEN {} IS NOT NULL THEN {digits} END", written.atom())
    };
    Ok(Written::tight(text, Kind::Text).never_null(written.not_null))
}

/// The number that a text begins with, and 0 where it begins with none.
pub fn leading_number(value: &Written) -> Written {
    let found = format!(
        "CAST(COALESCE(substring({} from '{NUMBER}'), '0') AS double precision)",
        value.text
    );
    let text = if value.not_null {
        found
    } else {
        format!("CASE WHEN {} IS NOT NULL THEN {found} END", value.atom())
    };
    Written::tight(text, Kind::Float).never_null(value.not_null)
}

const NUMBER: &str = "^\\s*([-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?)";

/// The date or timestamp that a text is: NULL where it has no digit, an error where it is written
/// in a way that Postgres and MySQL could read differently.
pub fn moment_in_text(value: &Written) -> Written {
    let subject = value.atom();
    let text = format!(
        "CASE WHEN {subject} ~ '{MOMENT}' THEN CAST({} AS timestamp) \
         WHEN {subject} ~ '\\d' THEN CAST({subject} || ' is not written YYYY-MM-DD' AS timestamp) END",
        value.text
    );
    Written::tight(text, Kind::Timestamp)
}

const MOMENT: &str = "^\\d{4}-\\d{1,2}-\\d{1,2}([ T]\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?)?$";
