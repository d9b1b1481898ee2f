//! T-SQL's FORMAT, for the patterns of dates and numbers that mean the same everywhere.
//!
//! <https://learn.microsoft.com/en-us/sql/t-sql/functions/format-transact-sql>

use super::timestamps;
use crate::date_patterns::date_format;
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::convert::cast;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// FORMAT(value, pattern [, 'en-US'])
pub fn format(
    translator: &mut Translator<'_>,
    call: &SourceCall<'_>,
) -> TranslateResult<Translated> {
    call.plain()?;
    let has_culture = has_culture(translator, call)?;
    let value = translator.value(call.argument(0)?)?;
    let pattern = translator.value(call.argument(1)?)?;
    let Some(pattern) = pattern.text_literal() else {
        return Err(call.refused().hint("the pattern has to be a string"));
    };
    let unknown = || {
        Untranslatable::construct("this pattern of FORMAT()")
            .hint("write to_char(value, 'YYYY-MM-DD') with a pattern of Postgres's")
    };
    let (value, pattern) = match value.kind {
        kind if kind.is_temporal() => {
            let pattern = date_format::from_dotnet(pattern).ok_or_else(unknown)?.text;
            (translator.as_timestamp(value)?, pattern)
        }
        SqlType::Text => return Err(untyped(&value, "a date or a number")),
        // `D` is for whole numbers.
        SqlType::Decimal | SqlType::Float if pattern.starts_with(['d', 'D']) => {
            return Err(unknown());
        }
        kind if kind.is_number() => {
            let number = match kind {
                SqlType::Float => {
                    // It has fifteen digits in both.
                    translator.mark_likely();
                    cast(&value, "numeric", SqlType::Decimal)
                }
                _ => value,
            };
            if is_of_culture(pattern) && !has_culture {
                translator.mark_likely();
            }
            return number_as_text(&number, pattern).ok_or_else(unknown);
        }
        _ => {
            return Err(timestamps::dated(translator, value)
                .err()
                .unwrap_or_else(unknown));
        }
    };
    let text = format!("to_char({}, {})", value.text, literal::quoted(&pattern));
    Ok(Translated::primary(text, SqlType::Text).never_null(value.not_null))
}

/// Whether the culture is said, which is that of the session otherwise.
fn has_culture(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<bool> {
    let Some(culture) = call.arguments.get(2) else {
        return Ok(false);
    };
    let culture = translator.value(culture)?;
    let is_known = |name: &str| name.eq_ignore_ascii_case("en-us");
    match culture.text_literal().is_some_and(is_known) {
        true => Ok(true),
        false => Err(call.refused().hint("only the culture en-US is translated")),
    }
}

/// Amounts of money and shares, which each culture writes in its own way.
fn is_of_culture(pattern: &str) -> bool {
    pattern.starts_with(['c', 'C', 'p', 'P'])
}

/// A number by a pattern: `C2` is `$1,234.50` and `($1,234.50)`, `P1` is `12.5 %`, `0.0%` is
/// `12.5%`. What rounds to nothing has no sign.
fn number_as_text(number: &Translated, pattern: &str) -> Option<Translated> {
    let standard = |letter: char| {
        let rest = pattern.strip_prefix([letter, letter.to_ascii_lowercase()])?;
        of_numbers(&format!("N{rest}"))
    };
    let operand = number.operand();
    let hundredfold = format!("{operand} * 100");
    let written = |value: &str, pattern: &NumberPattern| {
        let shown = pattern.rounded(value, number.kind);
        format!("to_char({shown}, {})", literal::quoted(&pattern.text))
    };
    let text = if let Some(money) = standard('C') {
        let rounded = money.rounded(&operand, number.kind);
        format!(
            "CASE WHEN {rounded} < 0 THEN '($' || {} || ')' ELSE '$' || {} END",
            written(&format!("- {operand}"), &money),
            written(&operand, &money)
        )
    } else if let Some(share) = standard('P') {
        format!("({} || ' %')", written(&hundredfold, &share))
    } else if let Some(plain) = pattern.strip_suffix('%') {
        let plain = of_numbers(plain).filter(|_| is_written_out(plain))?;
        format!("({} || '%')", written(&hundredfold, &plain))
    } else {
        written(&number.text, &of_numbers(pattern)?)
    };
    Some(Translated::primary(text, SqlType::Text).never_null(number.not_null))
}

/// A pattern of `to_char` for numbers.
#[derive(Debug, PartialEq, Eq)]
struct NumberPattern {
    text: String,
    /// How many digits there are behind the point.
    places: usize,
}

impl NumberPattern {
    /// The value as the pattern shows it: `to_char` keeps the sign of what it rounds to nothing.
    fn rounded(&self, value: &str, kind: SqlType) -> String {
        match kind {
            SqlType::Decimal => format!("round({value}, {})", self.places),
            _ => value.to_owned(),
        }
    }
}

/// Whether a pattern shows each place, as `#,##0.00` does.
fn is_written_out(pattern: &str) -> bool {
    pattern.starts_with(['0', '#'])
}

/// A pattern of `to_char` for one of numbers: `N2`, `F1`, `0.00`, `#,##0.0`.
fn of_numbers(pattern: &str) -> Option<NumberPattern> {
    let grouped = "FM999,999,999,999,999,999,999,999,999,990";
    let plain = "FM999999999999999999999999999999999999990";
    let upper = pattern.to_ascii_uppercase();
    let digits = |places: &str| match places {
        "" => Some(2),
        one => one.parse::<usize>().ok().filter(|places| *places <= 9),
    };
    let (whole, places) = if let Some(places) = upper.strip_prefix('N') {
        (grouped.to_owned(), digits(places)?)
    } else if let Some(places) = upper.strip_prefix('F') {
        (plain.to_owned(), digits(places)?)
    } else if let Some(Some(least)) = upper.strip_prefix('D').map(zeros_least) {
        (padded(least), 0)
    } else {
        let (whole, fraction) = pattern.split_once('.').unwrap_or((pattern, ""));
        let whole = match whole {
            "#,##0" | "#,0" => grouped.to_owned(),
            zeros if (1..=18).contains(&zeros.len()) && zeros.bytes().all(|b| b == b'0') => {
                padded(zeros.len())
            }
            _ => return None,
        };
        if !fraction.bytes().all(|b| b == b'0') {
            return None;
        }
        (whole, fraction.len())
    };
    let point = if places == 0 { "" } else { "." };
    let text = format!("{whole}{point}{}", "0".repeat(places));
    Some(NumberPattern { text, places })
}

/// Digits of which so many are written at least.
fn padded(least: usize) -> String {
    format!(
        "FM{}{}",
        "9".repeat(39_usize.saturating_sub(least)),
        "0".repeat(least)
    )
}

/// How many digits `D5` has at least.
fn zeros_least(places: &str) -> Option<usize> {
    match places {
        "" => Some(1),
        one => one.parse().ok().filter(|least| (1..=18).contains(least)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_numbers_are_those_of_postgres() {
        assert!(of_numbers("N0").unwrap().text.ends_with(",990"));
        for padded in ["D5", "00000"] {
            let pattern = of_numbers(padded).unwrap();
            assert!(pattern.text.ends_with("900000"), "{padded}");
        }
        for bad in ["C", "P1", "D99", "0.0#", "#", "", "0%"] {
            assert_eq!(of_numbers(bad), None, "{bad}");
        }
    }
}
