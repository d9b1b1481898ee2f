//! SQLite's PRINTF and FORMAT, for the conversions that people write.
//!
//! <https://www.sqlite.org/printf.html>

use crate::dialect::source::{Rule, Write, untyped};
use crate::dialect::translator::Writer;
use crate::dialect::translator::call::Call;
use crate::dialect::translator::literal;
use crate::dialect::translator::translated::{Kind, Written};
use crate::dialect::translator::untranslatable::{Outcome, Untranslatable};

const DOC: &str = "https://www.sqlite.org/printf.html";

/// Both names of the function.
pub const RULES: &[Rule] = &[
    Rule {
        name: "printf",
        arguments: (1, 99),
        write: Write::By(printf),
        doc: DOC,
        case: (
            "printf('%.1f%%', q)",
            "COALESCE(round(q, 1)::text, '0.0') || '%' AS printf",
        ),
    },
    Rule {
        name: "format",
        arguments: (1, 99),
        write: Write::By(printf),
        doc: DOC,
        case: (
            "format('%s-%d', s, n)",
            "COALESCE(s, '') || '-' || COALESCE(n::text, '0') AS format",
        ),
    },
];

/// A piece of a format.
enum Piece {
    /// As it stands.
    Letters(String),
    /// `%s`
    Text,
    /// `%d`, `%i`
    Integer,
    /// `%.2f`
    Fixed(usize),
}

fn printf(writer: &mut Writer<'_>, call: &Call<'_>) -> Outcome<Written> {
    let Some((format, arguments)) = call.arguments.split_first() else {
        return Err(Untranslatable::function("printf"));
    };
    let format = writer.value(format)?;
    let Some(format) = format.text_literal() else {
        return Err(Untranslatable::construct("a computed format"));
    };
    let pieces = pieces_of(format)?;
    let mut arguments = arguments.iter();
    let mut texts = Vec::new();
    for piece in &pieces {
        if let Piece::Letters(letters) = piece {
            texts.push(literal::quoted(letters));
            continue;
        }
        let Some(argument) = arguments.next() else {
            return Err(Untranslatable::construct("a format without its value"));
        };
        let value = writer.value(argument)?;
        texts.push(converted(writer, piece, value)?);
    }
    if arguments.next().is_some() {
        return Err(Untranslatable::construct("a value without its format"));
    }
    Ok(match texts.as_slice() {
        [] => literal::text(""),
        [only] => Written::tight(only.clone(), Kind::Text).never_null(true),
        texts => Written::operation(texts.join(" || "), Kind::Text).never_null(true),
    })
}

fn converted(writer: &mut Writer<'_>, piece: &Piece, value: Written) -> Outcome<String> {
    let (text, otherwise) = match piece {
        Piece::Letters(letters) => return Ok(literal::quoted(letters)),
        Piece::Text => (writer.textual(value)?, String::new()),
        Piece::Integer => {
            let number = writer.numeral(&value)?;
            let whole = match number.kind {
                Kind::Integer => number.atom(),
                Kind::Decimal | Kind::Float => format!("trunc({})", number.text),
                _ => return Err(untyped(&number, "a number")),
            };
            let text = Written::tight(format!("{whole}::text"), Kind::Text);
            (text.never_null(number.not_null), "0".to_owned())
        }
        Piece::Fixed(digits) => {
            let number = writer.numeral(&value)?;
            let number_text = match number.kind {
                Kind::Decimal => number.text.clone(),
                Kind::Integer | Kind::Float => format!("{}::numeric", number.atom()),
                _ => return Err(untyped(&number, "a number")),
            };
            let point = if *digits == 0 { "" } else { "." };
            let zeros = "0".repeat(*digits);
            let text = format!("round({number_text}, {digits})::text");
            let text = Written::tight(text, Kind::Text).never_null(number.not_null);
            (text, format!("0{point}{zeros}"))
        }
    };
    if text.not_null {
        return Ok(text.atom());
    }
    Ok(format!(
        "COALESCE({}, {})",
        text.text,
        literal::quoted(&otherwise)
    ))
}

fn pieces_of(format: &str) -> Outcome<Vec<Piece>> {
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
            pieces.push(Piece::Letters(std::mem::take(&mut letters)));
        }
        pieces.push(piece);
        rest = after;
    }
    letters.push_str(rest);
    if !letters.is_empty() {
        pieces.push(Piece::Letters(letters));
    }
    Ok(pieces)
}

/// What follows a percent sign, and what follows that.
fn conversion(after: &str) -> Outcome<(Piece, &str)> {
    for (sign, piece) in [
        ("s", Piece::Text),
        ("d", Piece::Integer),
        ("i", Piece::Integer),
        ("f", Piece::Fixed(6)),
    ] {
        if let Some(rest) = after.strip_prefix(sign) {
            return Ok((piece, rest));
        }
    }
    let fixed = after.strip_prefix('.').and_then(|rest| {
        let (digits, rest) = rest.split_once('f')?;
        let digits: usize = digits.parse().ok().filter(|digits| *digits <= 15)?;
        Some((Piece::Fixed(digits), rest))
    });
    fixed.ok_or_else(|| {
        let sign: String = after.chars().take(1).collect();
        Untranslatable::construct(&format!("the format %{sign}"))
            .hint("%s, %d and %.2f have an equivalent")
    })
}
