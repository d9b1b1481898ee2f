//! What the server's queryid of a statement follows from, as far as pgsieve can tell: texts of one
//! shape, on the same grounds and with the same types of parameters, have the same.
//!
//! For the record only: nothing is decided by it. The server leaves the values of constants out of
//! a queryid, and keeps their types and how many there are; so does a shape. Where pgsieve cannot
//! tell whether a value counts, it is kept, and texts are asked about more often than they need be.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::basis::{BasisDigest, VerdictBasis};
use super::parameter_types::ParameterTypes;
use sql::lexer::{TokenKind, tokens};

/// The hash of all of it. Equal for texts that have the same queryid; it tells nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StatementShape([u8; 16]);

impl StatementShape {
    /// The shape of a text under this version of a policy, on these grounds; none where it is not
    /// told by its tokens alone, or somebody else has given the types of its parameters.
    pub(super) fn of(
        text: &str,
        (policy, basis, parameters): (u64, VerdictBasis, &ParameterTypes),
    ) -> Option<Self> {
        let mut hasher = blake3::Hasher::new();
        push_tokens(text, &mut hasher)?;
        let types = match parameters {
            ParameterTypes::Given(types) => BasisDigest::of_types(types),
            ParameterTypes::Unknown => return None,
        };
        // The values of a session are constants where models read them.
        let basis = VerdictBasis {
            values: BasisDigest::default(),
            ..basis
        };
        (policy, basis, types).hash(&mut Feed(&mut hasher));
        let mut own = [0; 16];
        hasher.finalize_xof().fill(&mut own);
        Some(Self(own))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for StatementShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StatementShape(…)")
    }
}

/// Every token, each constant by its class.
fn push_tokens(text: &str, hasher: &mut blake3::Hasher) -> Option<()> {
    // A string may say how a name is to be read there.
    let keeps_strings = tokens(text).any(|token| token.kind == TokenKind::UnicodeName);
    let (mut keeps_places, mut is_spaced) = (false, false);
    for token in tokens(text) {
        let piece = text.get(token.span)?;
        let is_space = matches!(
            token.kind,
            TokenKind::Space | TokenKind::LineComment | TokenKind::BlockComment
        );
        let class = match token.kind {
            _ if is_space && is_spaced => "",
            TokenKind::Space | TokenKind::LineComment | TokenKind::BlockComment => " ",
            TokenKind::Number if keeps_places && piece.len() <= PLACE_DIGITS_MAX => piece,
            TokenKind::Number => class_of_number(piece),
            TokenKind::String
            | TokenKind::EscapeString
            | TokenKind::UnicodeString
            | TokenKind::DollarString
                if !keeps_strings =>
            {
                "\u{1}s"
            }
            TokenKind::BitString if !keeps_strings => "\u{1}b",
            TokenKind::Word => {
                keeps_places |= WEIGHTY.iter().any(|word| word.eq_ignore_ascii_case(piece));
                piece
            }
            TokenKind::JunkNumber
            | TokenKind::UnterminatedLiteral
            | TokenKind::UnterminatedComment
            | TokenKind::Other => return None,
            TokenKind::QuotedName
            | TokenKind::UnicodeName
            | TokenKind::String
            | TokenKind::EscapeString
            | TokenKind::UnicodeString
            | TokenKind::BitString
            | TokenKind::DollarString
            | TokenKind::Parameter
            | TokenKind::Operator
            | TokenKind::Punctuation => piece,
        };
        is_spaced = is_space;
        hasher.update(class.as_bytes());
    }
    // No token holds it, and what follows has one length.
    hasher.update(b"\0");
    Some(())
}

/// The type that a number has, by its size. Behind a minus the smallest of a type has one more
/// than the largest; so that one is a class of its own.
fn class_of_number(piece: &str) -> &str {
    const INTEGER: u128 = 1 << 31;
    const BIGINT: u128 = 1 << 63;
    if !piece.bytes().all(|byte| byte.is_ascii_digit()) {
        // 0x1F and 1_000 stand for themselves; what has a point or an exponent is numeric.
        let is_decimal = piece
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
        return if is_decimal { "\u{1}d" } else { piece };
    }
    match piece.parse::<u128>() {
        Ok(..INTEGER) => "\u{1}i",
        Ok(INTEGER) => "\u{1}j",
        Ok(..BIGINT) => "\u{1}l",
        Ok(BIGINT) => "\u{1}m",
        Ok(_) | Err(_) => "\u{1}d",
    }
}

/// Hands what is hashed on.
struct Feed<'h>(&'h mut blake3::Hasher);

impl Hasher for Feed<'_> {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// Some shape.
#[cfg(any(test, feature = "fixture"))]
pub fn shape_of_a_test() -> StatementShape {
    StatementShape([7; 16])
}

/// A place in a list of columns, of which there are 1664 at most, or the precision of a float.
const PLACE_DIGITS_MAX: usize = 4;

/// Key words behind which the value of a small number says what is meant.
const WEIGHTY: &[&str] = &["order", "group", "distinct", "float"];

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Option<StatementShape> {
        StatementShape::of(
            text,
            (1, VerdictBasis::default(), &ParameterTypes::none_given()),
        )
    }

    #[track_caller]
    fn check(one: &str, other: &str, same: bool) {
        let alike = shape(one).is_some() && shape(one) == shape(other);
        assert_eq!(alike, same, "{one} | {other}");
    }

    #[test]
    fn values_of_constants_do_not_count() {
        for (one, other) in [
            (
                "SELECT a FROM t WHERE b = 1",
                "SELECT a FROM t WHERE b = 2147483647",
            ),
            ("SELECT 2147483649", "SELECT 9223372036854775807"),
            ("SELECT 1.5", "SELECT 2e9"),
            ("SELECT 1.5", "SELECT 99999999999999999999"),
            ("SELECT 'a'", "SELECT 'it''s'"),
            ("SELECT E'a\\n'", "SELECT E'b'"),
            ("SELECT $$a$$", "SELECT $x$b$x$"),
            ("SELECT B'1'", "SELECT B'0'"),
            ("SELECT  a -- x\n FROM t", "SELECT a /* y */ FROM t"),
            (
                "SELECT a FROM t ORDER BY a LIMIT 10000",
                "SELECT a FROM t ORDER BY a LIMIT 20000",
            ),
        ] {
            check(one, other, true);
        }
    }

    #[test]
    fn types_places_and_lengths_of_lists_count() {
        for (one, other) in [
            ("SELECT 1", "SELECT 1.5"),
            ("SELECT 1", "SELECT 2147483648"),
            ("SELECT 2147483648", "SELECT 2147483649"),
            ("SELECT 9223372036854775807", "SELECT 9223372036854775808"),
            ("SELECT 1", "SELECT 0x1"),
            ("SELECT 1", "SELECT '1'"),
            ("SELECT B'1'", "SELECT '1'"),
            (
                "SELECT a, b FROM t ORDER BY 1",
                "SELECT a, b FROM t ORDER BY 2",
            ),
            (
                "SELECT a, b FROM t GROUP BY 1, b",
                "SELECT a, b FROM t GROUP BY 2, b",
            ),
            (
                "SELECT DISTINCT ON (1) a, b FROM t",
                "SELECT DISTINCT ON (2) a, b FROM t",
            ),
            ("SELECT 1::float(24)", "SELECT 1::float(25)"),
            (
                "SELECT a FROM t WHERE b IN (1, 2)",
                "SELECT a FROM t WHERE b IN (1, 2, 3)",
            ),
            ("SELECT a FROM t", "SELECT b FROM t"),
            ("SELECT \"a\"", "SELECT \"A\""),
            ("SELECT $1", "SELECT $2"),
            ("SELECT NULL", "SELECT TRUE"),
            (
                "SELECT U&\"!0061\" UESCAPE '!'",
                "SELECT U&\"!0061\" UESCAPE '?'",
            ),
        ] {
            check(one, other, false);
        }
        for text in ["SELECT 'open", "SELECT 12abc", "SELECT /* open"] {
            check(text, text, false);
        }
    }

    #[test]
    fn grounds_and_types_count_and_values_of_the_session_do_not() {
        let text = "SELECT $1, a FROM t";
        let of = |policy, basis, types: &[u32]| {
            let parameters = ParameterTypes::given(types.iter().copied());
            StatementShape::of(text, (policy, basis, &parameters))
        };
        let basis = VerdictBasis::default();
        let first = of(1, basis, &[23]);
        assert_eq!(first, of(1, basis, &[23]));
        assert_ne!(first, of(2, basis, &[23]));
        assert_ne!(first, of(1, basis, &[25]));
        assert_ne!(first, of(1, basis, &[]));
        let elsewhere = VerdictBasis {
            role: BasisDigest::of_role("x"),
            ..basis
        };
        assert_ne!(first, of(1, elsewhere, &[23]));
        let of_tenant = VerdictBasis {
            values: BasisDigest::of_role("x"),
            ..basis
        };
        assert_eq!(first, of(1, of_tenant, &[23]));
        let unknown = (1, basis, &ParameterTypes::Unknown);
        assert_eq!(StatementShape::of(text, unknown), None);
    }
}
