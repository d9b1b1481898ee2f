//! Functions of numbers that several dialects have: rounding and means.

use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::TranslateResult;

/// `round` or `trunc` of a number to so many places, halves away from zero; the result is of the
/// number's own type.
pub fn rounded_in_type(
    name: &str,
    number: &Translated,
    places: &Translated,
) -> TranslateResult<Translated> {
    let to = match number.kind {
        SqlType::Decimal => None,
        SqlType::Integer => Some("bigint"),
        SqlType::Float => Some("double precision"),
        _ => return Err(untyped(number, "a number of known type")),
    };
    let places_text = &places.text;
    let text = match to {
        None => format!("{name}({}, {places_text})", number.text),
        Some(to) => format!(
            "CAST({name}(CAST({} AS numeric), {places_text}) AS {to})",
            number.text
        ),
    };
    Ok(Translated {
        name: to.is_none().then(|| name.to_owned()),
        ..Translated::primary(text, number.kind).never_null(number.not_null && places.not_null)
    })
}

/// The same as a decimal, of whatever type the number is.
pub fn rounded_to_decimal(
    name: &str,
    number: &Translated,
    places: Option<&Translated>,
) -> TranslateResult<Translated> {
    let exact = match number.kind {
        SqlType::Decimal => number.text.clone(),
        SqlType::Integer | SqlType::Float => format!("{}::numeric", number.operand()),
        _ => return Err(untyped(number, "a number")),
    };
    let text = match places {
        None => format!("{name}({exact})"),
        Some(places) => format!("{name}({exact}, {})", places.text),
    };
    let not_null = number.not_null && places.is_none_or(|places| places.not_null);
    Ok(Translated {
        extra_digits: true,
        ..Translated::primary(text, SqlType::Decimal).never_null(not_null)
    })
}

/// AVG of a number: a double of doubles, otherwise `exact`. Its digits are Postgres's.
pub fn mean(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
    number: Translated,
    exact: SqlType,
) -> TranslateResult<Translated> {
    let kind = match number.kind {
        SqlType::Float => SqlType::Float,
        _ => exact,
    };
    let mean = translator.aggregate("avg", call, &[number], kind)?;
    Ok(Translated {
        extra_digits: true,
        ..mean
    })
}

/// Whether a number cannot be negative: places and lengths, and what is added to them.
pub fn never_negative(value: &Translated) -> bool {
    let parts = value.text.split(" + ");
    let mut all = parts.map(|part| {
        let is_digits = !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit());
        let is_call = ["strpos(", "length("]
            .iter()
            .any(|call| part.starts_with(call) && closes_at_end(part));
        is_digits || is_call
    });
    all.all(|sure| sure)
}

/// Whether the first parenthesis of a text is closed by its last character, and nothing in it
/// could be mistaken for one.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0_usize;
    let last = text.len().saturating_sub(1);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at == last;
                }
            }
            _ => {}
        }
    }
    false
}
