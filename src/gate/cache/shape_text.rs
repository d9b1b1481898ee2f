//! The text of a shape: that of a statement, with marks in the place of constants.
//!
//! A mark is a token of the same kind as the constant, and stands for those of one class: two texts
//! of one shape have the same tokens but for constants of the same class.
//!
//! * Numbers, by the type that follows from their form; behind words where they say what is meant
//!   (the place of a column, the precision of a float) only where something is compared with them.
//! * Strings where something is compared with them, and those that are times ([`ConstantPlace`]).

use std::ops::Range;

use super::constant_place::{ConstantPlace, PlaceWord};
use sql::lexer::{Token, TokenKind, tokens};

/// Writes the shape of a text, where it is told by its tokens alone. `by_place` is told the bytes
/// of each constant that is left out because of the place where it stands.
pub(super) fn write(
    text: &str,
    shape: &mut String,
    mut by_place: impl FnMut(Range<usize>),
) -> Option<()> {
    let mut place = ConstantPlace::default();
    let mut places_count = false;
    // What is the same in all texts of the shape is copied in pieces as long as there are.
    let mut copied = 0;
    let mut rest = tokens(text);
    while let Some(Token { kind, span }) = rest.next() {
        let piece = text.get(span.clone())?;
        let mut word = PlaceWord::Other;
        let mark = match kind {
            TokenKind::Space | TokenKind::LineComment | TokenKind::BlockComment => continue,
            TokenKind::JunkNumber
            | TokenKind::UnterminatedLiteral
            | TokenKind::UnterminatedComment
            | TokenKind::Other => return None,
            TokenKind::Number if places_count => {
                let mark = number_mark(piece).filter(|_| place.hides_number(text, &rest));
                mark.inspect(|_| by_place(span.clone()))
            }
            TokenKind::Number => number_mark(piece),
            TokenKind::String if place.may_hide_string() => {
                let mark = string_mark(piece).filter(|_| place.hides_string(text, &rest));
                mark.inspect(|_| by_place(span.clone()))
            }
            TokenKind::Word => {
                word = PlaceWord::of(piece);
                places_count |= word.weighs();
                None
            }
            TokenKind::QuotedName
            | TokenKind::UnicodeName
            | TokenKind::String
            | TokenKind::EscapeString
            | TokenKind::UnicodeString
            | TokenKind::BitString
            | TokenKind::DollarString
            | TokenKind::Parameter
            | TokenKind::Operator
            | TokenKind::Punctuation => None,
        };
        if let Some(mark) = mark {
            shape.push_str(text.get(copied..span.start)?);
            shape.push_str(mark);
            copied = span.end;
        }
        place = place.behind(kind, piece, word);
    }
    shape.push_str(text.get(copied..)?);
    Some(())
}

/// The mark for numbers of the same type as this one, with a sign before it or without.
fn number_mark(number: &str) -> Option<&'static str> {
    if number.bytes().all(|byte| byte.is_ascii_digit()) {
        if number.len() <= SMALL_DIGITS_MAX {
            return Some("0");
        }
        // What has zeros before it is left as it is.
        return match number.parse::<i64>() {
            Ok(_) if number.starts_with('0') => None,
            Ok(..INTEGER_END) => Some("0"),
            // Behind a minus it is an `integer`, and else none.
            Ok(INTEGER_END) | Err(_) => None,
            Ok(_) => Some("3000000000"),
        };
    }
    let is_decimal = number
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    // An engine with a lexer of its own reads a point at the end as part of what follows.
    let is_closed = number.ends_with(|letter: char| letter.is_ascii_digit());
    match (is_decimal && is_closed, number.starts_with('.')) {
        (true, true) => Some(".0"),
        (true, false) => Some("0.0"),
        (false, _) => None,
    }
}

/// The mark for strings like this one, where it is one string in one piece.
///
/// One with a parenthesis may be the name of a type with modifiers, which are read wherever it
/// stands (`effects/type_names.rs`). Whether a text goes beyond ASCII counts as a whole
/// (`effects/lookup.rs`). The grammar takes no text with a zero byte.
fn string_mark(string: &str) -> Option<&'static str> {
    let (mut is_halfway, mut is_ascii) = (false, true);
    for byte in inner(string)?.bytes() {
        match byte {
            b'(' | b'\0' => return None,
            b'\'' => is_halfway = !is_halfway,
            // A quote that is not doubled is between two pieces.
            _ if is_halfway => return None,
            _ => is_ascii &= byte.is_ascii(),
        }
    }
    match (is_halfway, is_ascii) {
        (false, true) => Some("''"),
        (false, false) => Some("'é'"),
        (true, _) => None,
    }
}

/// What is within the quotes of a string.
pub(super) fn inner(string: &str) -> Option<&str> {
    string.strip_prefix('\'')?.strip_suffix('\'')
}

/// Every number of so many digits is an `integer`.
const SMALL_DIGITS_MAX: usize = 9;

/// The first number that is no `integer`.
const INTEGER_END: i64 = 1 << 31;
