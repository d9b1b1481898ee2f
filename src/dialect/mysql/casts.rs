//! MySQL's casts, which never fail: a text that is no number is the number that it begins with.
//!
//! <https://dev.mysql.com/doc/refman/8.0/en/cast-functions.html>

use sqlparser::ast::{CharacterLength, DataType, ExactNumberInfo, Expr};

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::convert::cast;
use crate::translator::translated::{Translated, TranslatedForm};
use crate::translator::untranslatable::TranslateResult;

/// `CAST(value AS type)`, `CONVERT(value, type)`.
pub fn cast_to(
    translator: &mut Translator<'_>,
    value: &Expr,
    to: &DataType,
) -> TranslateResult<Translated> {
    match to {
        DataType::Signed | DataType::SignedInteger | DataType::BigInt(None) => {
            let whole = whole_number(translator, value)?;
            Ok(cast(&whole, "bigint", SqlType::Integer))
        }
        DataType::Integer(None) | DataType::Int(None) => {
            let whole = whole_number(translator, value)?;
            Ok(cast(&whole, "bigint", SqlType::Integer))
        }
        DataType::Unsigned | DataType::UnsignedInteger => {
            let whole = whole_number(translator, value)?;
            if is_below_zero_never(&whole) {
                return Ok(cast(&whole, "bigint", SqlType::Integer));
            }
            // Below zero the bits stay and the number is another.
            let number = cast(&whole, "bigint", SqlType::Integer);
            let text = format!("mod({} + {TWO_TO_64}, {TWO_TO_64})", number.text);
            Ok(Translated::primary(text, SqlType::Integer).never_null(whole.not_null))
        }
        DataType::Char(length) | DataType::Character(length) => {
            cast_to_char(translator, value, length.as_ref())
        }
        DataType::Decimal(info) | DataType::Dec(info) | DataType::Numeric(info) => {
            let number = number(translator, value)?;
            let (precision, scale) = match info {
                ExactNumberInfo::None => (10, 0),
                ExactNumberInfo::Precision(precision) => (*precision, 0),
                ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
            };
            let name = format!("numeric({precision}, {scale})");
            Ok(cast(&number, &name, SqlType::Decimal))
        }
        DataType::Double(_) | DataType::Float(_) | DataType::Real | DataType::DoublePrecision => {
            let number = number(translator, value)?;
            Ok(cast(&number, "double precision", SqlType::Float))
        }
        DataType::Date => translator.date(value),
        DataType::Datetime(None) => {
            let moment = translator.timestamp(value)?;
            Ok(cast(&moment, "timestamp(0)", SqlType::Timestamp))
        }
        DataType::Binary(None) => {
            let text = translator.text(value)?;
            Ok(Translated {
                case_sensitive: true,
                ..text
            })
        }
        DataType::JSON => {
            let value = translator.value(value)?;
            match value.kind {
                SqlType::Json | SqlType::Jsonb | SqlType::Text => {
                    Ok(cast(&value, "jsonb", SqlType::Jsonb))
                }
                _ => Err(untyped(&value, "JSON")),
            }
        }
        _ => translator.refuse("a cast to this type"),
    }
}

/// `CAST(value AS CHAR)`, which is cut where a length is written.
fn cast_to_char(
    translator: &mut Translator<'_>,
    value: &Expr,
    length: Option<&CharacterLength>,
) -> TranslateResult<Translated> {
    let text = translator.text(value)?;
    match length {
        None => Ok(cast(&text, "text", SqlType::Text)),
        Some(CharacterLength::IntegerLength { length, unit: None }) => {
            let length = length.to_string();
            let cut = Translated::call("left", &[&text.text, &length], SqlType::Text);
            Ok(cut.never_null(text.not_null))
        }
        Some(_) => translator.refuse("this length of CHAR"),
    }
}

const TWO_TO_64: &str = "18446744073709551616";

fn is_below_zero_never(value: &Translated) -> bool {
    (value.number_literal()).is_some_and(|digits| !digits.starts_with('-'))
        || value.text.starts_with("char_length(")
        || value.text.starts_with("count(")
}

/// A value as a number: a text is the number that it begins with.
fn number(translator: &mut Translator<'_>, value: &Expr) -> TranslateResult<Translated> {
    let value = translator.value(value)?;
    number_of(translator, &value)
}

fn number_of(translator: &mut Translator<'_>, value: &Translated) -> TranslateResult<Translated> {
    if value.kind == SqlType::Unclear && value.form != TranslatedForm::Parameter {
        return Err(untyped(value, "a number"));
    }
    translator.as_number(value)
}

/// A value as a whole number: a text is the digits that it begins with.
fn whole_number(translator: &mut Translator<'_>, value: &Expr) -> TranslateResult<Translated> {
    let written = translator.value(value)?;
    if written.kind != SqlType::Text {
        return number_of(translator, &written);
    }
    let digits = format!(
        "COALESCE(substring({} from '^\\s*([-+]?\\d+)'), '0')",
        written.text
    );
    let text = if written.not_null {
        digits
    } else {
        format!(
            "CASE WHEN {} IS NOT NULL THEN {digits} END",
            written.operand()
        )
    };
    Ok(Translated::primary(text, SqlType::Text).never_null(written.not_null))
}

/// The number that a text begins with, and 0 where it begins with none.
pub fn leading_number(value: &Translated) -> Translated {
    let found = format!(
        "CAST(COALESCE(substring({} from '{NUMBER}'), '0') AS double precision)",
        value.text
    );
    let text = if value.not_null {
        found
    } else {
        format!("CASE WHEN {} IS NOT NULL THEN {found} END", value.operand())
    };
    Translated::primary(text, SqlType::Float).never_null(value.not_null)
}

const NUMBER: &str = "^\\s*([-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?)";

/// The date or timestamp that a text is: NULL where it has no digit, an error where it is written
/// in a way that Postgres and MySQL could read differently.
pub fn timestamp_in_text(value: &Translated) -> Translated {
    let subject = value.operand();
    let text = format!(
        "CASE WHEN {subject} ~ '{MOMENT}' THEN CAST({} AS timestamp) \
         WHEN {subject} ~ '\\d' THEN CAST({subject} || ' is not written YYYY-MM-DD' AS timestamp) END",
        value.text
    );
    Translated::primary(text, SqlType::Timestamp)
}

const MOMENT: &str = "^\\d{4}-\\d{1,2}-\\d{1,2}([ T]\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d{1,6})?)?)?$";
