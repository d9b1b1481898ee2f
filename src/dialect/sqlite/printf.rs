//! SQLite's PRINTF and FORMAT, for the conversions that people write.
//!
//! <https://www.sqlite.org/printf.html>

use crate::rules::{FunctionRule, by};
use crate::source::untyped;
use crate::sql_type::SqlType;
use crate::translator::Translator;
use crate::translator::call::SourceCall;
use crate::translator::literal;
use crate::translator::translated::Translated;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

const DOC: &str = "https://www.sqlite.org/printf.html";

/// Both names of the function.
#[rustfmt::skip]
pub const RULES: &[FunctionRule] = &[
    by("printf", (1, 99), printf, DOC, "printf('%.1f%%', q)", "COALESCE(round(q, 1)::text, '0.0') || '%' AS printf"),
    by("format", (1, 99), printf, DOC, "format('%s-%d', s, n)", "COALESCE(s, '') || '-' || COALESCE(n::text, '0') AS format"),
];

/// A piece of a format.
enum PrintfPiece {
    /// As it stands.
    Letters(String),
    /// `%s`
    Text,
    /// `%d`, `%i`
    Integer,
    /// `%.2f`
    Fixed(usize),
}

fn printf(translator: &mut Translator<'_>, call: &SourceCall<'_>) -> TranslateResult<Translated> {
    let Some((format, arguments)) = call.arguments.split_first() else {
        return Err(Untranslatable::function("printf"));
    };
    let format = translator.value(format)?;
    let Some(format) = format.text_literal() else {
        return Err(Untranslatable::construct("a computed format"));
    };
    let pieces = pieces_of(format)?;
    let mut arguments = arguments.iter();
    let mut texts = Vec::new();
    for piece in &pieces {
        if let PrintfPiece::Letters(letters) = piece {
            texts.push(literal::quoted(letters));
            continue;
        }
        let Some(argument) = arguments.next() else {
            return Err(Untranslatable::construct("a format without its value"));
        };
        let value = translator.value(argument)?;
        texts.push(converted(translator, piece, value)?);
    }
    if arguments.next().is_some() {
        return Err(Untranslatable::construct("a value without its format"));
    }
    Ok(match texts.as_slice() {
        [] => literal::text(""),
        [only] => Translated::primary(only.clone(), SqlType::Text).never_null(true),
        texts => Translated::operation(texts.join(" || "), SqlType::Text).never_null(true),
    })
}

fn converted(
    translator: &mut Translator<'_>,
    piece: &PrintfPiece,
    value: Translated,
) -> TranslateResult<String> {
    let (text, otherwise) = match piece {
        PrintfPiece::Letters(letters) => return Ok(literal::quoted(letters)),
        PrintfPiece::Text => (translator.as_text(value)?, String::new()),
        PrintfPiece::Integer => {
            let number = translator.as_number(&value)?;
            let whole = match number.kind {
                SqlType::Integer => number.operand(),
                SqlType::Decimal | SqlType::Float => format!("trunc({})", number.text),
                _ => return Err(untyped(&number, "a number")),
            };
            let text = Translated::primary(format!("{whole}::text"), SqlType::Text);
            (text.never_null(number.not_null), "0".to_owned())
        }
        PrintfPiece::Fixed(digits) => {
            let number = translator.as_number(&value)?;
            let number_text = match number.kind {
                SqlType::Decimal => number.text.clone(),
                SqlType::Integer | SqlType::Float => format!("{}::numeric", number.operand()),
                _ => return Err(untyped(&number, "a number")),
            };
            let point = if *digits == 0 { "" } else { "." };
            let zeros = "0".repeat(*digits);
            let text = format!("round({number_text}, {digits})::text");
            let text = Translated::primary(text, SqlType::Text).never_null(number.not_null);
            (text, format!("0{point}{zeros}"))
        }
    };
    if text.not_null {
        return Ok(text.operand());
    }
    Ok(format!(
        "COALESCE({}, {})",
        text.text,
        literal::quoted(&otherwise)
    ))
}

fn pieces_of(format: &str) -> TranslateResult<Vec<PrintfPiece>> {
    let mut pieces = Vec::new();
    let mut letters = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        letters.push_str(before);
        let (piece, after) = match after.strip_prefix('%') {
            Some(after) => {
                letters.push('%');
                rest = after;
                continue;
            }
            None => conversion(after)?,
        };
        if !letters.is_empty() {
            pieces.push(PrintfPiece::Letters(std::mem::take(&mut letters)));
        }
        pieces.push(piece);
        rest = after;
    }
    letters.push_str(rest);
    if !letters.is_empty() {
        pieces.push(PrintfPiece::Letters(letters));
    }
    Ok(pieces)
}

/// What follows a percent sign, and what follows that.
fn conversion(after: &str) -> TranslateResult<(PrintfPiece, &str)> {
    for (sign, piece) in [
        ("s", PrintfPiece::Text),
        ("d", PrintfPiece::Integer),
        ("i", PrintfPiece::Integer),
        ("f", PrintfPiece::Fixed(6)),
    ] {
        if let Some(rest) = after.strip_prefix(sign) {
            return Ok((piece, rest));
        }
    }
    let fixed = after.strip_prefix('.').and_then(|rest| {
        let (digits, rest) = rest.split_once('f')?;
        let digits: usize = digits.parse().ok().filter(|digits| *digits <= 15)?;
        Some((PrintfPiece::Fixed(digits), rest))
    });
    fixed.ok_or_else(|| {
        let sign: String = after.chars().take(1).collect();
        Untranslatable::construct(&format!("the format %{sign}"))
            .hint("%s, %d and %.2f have an equivalent")
    })
}
