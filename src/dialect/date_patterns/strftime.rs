//! Patterns of strftime, written for Postgres: what to_char can say is said by it, and the rest by
//! expressions. A field that a dialect's table does not hold is refused by name.

use super::to_char::ToCharBuilder;
use crate::translator::literal::quoted;
use crate::translator::untranslatable::{TranslateResult, Untranslatable};

/// A field of a dialect's patterns: what follows the percent sign, and what it stands for.
pub type StrftimeField = (&'static str, StrftimeOutput);

/// What a field stands for.
#[derive(Clone, Copy, Debug)]
pub enum StrftimeOutput {
    /// A pattern of to_char, of digits only.
    Digits(&'static str),
    /// A pattern of to_char.
    Pattern(&'static str),
    /// A pattern of to_char that looks at the time of day.
    Clock(&'static str),
    /// As before, of digits only.
    ClockDigits(&'static str),
    /// A text of digits only, where `{0}` is the timestamp.
    Template(&'static str),
}

/// A pattern, read.
pub struct StrftimePattern {
    pieces: Vec<StrftimePiece>,
    /// Whether the result is one number.
    pub is_number: bool,
    /// Whether it looks at the time of day.
    pub has_clock: bool,
}

enum StrftimePiece {
    /// This letter.
    Letter(char),
    /// A field that to_char knows.
    Field(&'static str),
    /// An expression.
    Value(&'static str),
}

impl StrftimePattern {
    /// Reads a pattern with a dialect's fields; the longer names of fields stand first.
    ///
    /// # Errors
    ///
    /// A field that the dialect's table does not hold, or no field at all: `'yyyy-MM'` is another
    /// language's.
    pub fn read(pattern: &str, fields: &[StrftimeField]) -> TranslateResult<Self> {
        if !pattern.contains('%') {
            return Err(Untranslatable::construct("a format of dates without %"));
        }
        let mut read = Self {
            pieces: Vec::new(),
            is_number: false,
            has_clock: false,
        };
        let mut numbers = 0_usize;
        let mut rest = pattern;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            if letter != '%' {
                read.pieces.push(StrftimePiece::Letter(letter));
                continue;
            }
            if let Some(after) = rest.strip_prefix('%') {
                read.pieces.push(StrftimePiece::Letter('%'));
                rest = after;
                continue;
            }
            let found = fields.iter().find(|(name, _)| rest.starts_with(name));
            let Some((name, gives)) = found else {
                let sign: String = rest.chars().take(1).collect();
                let what = format!("the format %{sign} of dates");
                return Err(Untranslatable::construct(&what));
            };
            numbers += usize::from(read.push_field(*gives));
            rest = rest.get(name.len()..).unwrap_or_default();
        }
        read.is_number = read.pieces.len() == 1 && numbers == 1;
        Ok(read)
    }

    /// The text that the pattern makes of a timestamp, ready to stand beside operators.
    pub fn of(&self, moment: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        let mut chars = ToCharBuilder::default();
        for piece in &self.pieces {
            match piece {
                StrftimePiece::Letter(letter) => chars.letter(*letter),
                StrftimePiece::Field(field) => chars.field(field),
                StrftimePiece::Value(template) => {
                    parts.extend(shown(std::mem::take(&mut chars), moment));
                    parts.push(template.replace("{0}", moment));
                }
            }
        }
        parts.extend(shown(chars, moment));
        match parts.as_slice() {
            [] => format!("to_char({moment}, '')"),
            [only] => only.clone(),
            parts => format!("({})", parts.join(" || ")),
        }
    }

    /// The pattern of to_char alone; none where that does not say it all.
    pub fn chars(&self) -> Option<String> {
        let mut chars = ToCharBuilder::default();
        for piece in &self.pieces {
            match piece {
                StrftimePiece::Letter(letter) => chars.letter(*letter),
                StrftimePiece::Field(field) => chars.field(field),
                StrftimePiece::Value(_) => return None,
            }
        }
        Some(chars.end())
    }

    /// Whether it is a number.
    fn push_field(&mut self, gives: StrftimeOutput) -> bool {
        self.has_clock |= matches!(
            gives,
            StrftimeOutput::Clock(_) | StrftimeOutput::ClockDigits(_)
        );
        let (piece, is_number) = match gives {
            StrftimeOutput::Digits(pattern) | StrftimeOutput::ClockDigits(pattern) => {
                (StrftimePiece::Field(pattern), true)
            }
            StrftimeOutput::Pattern(pattern) | StrftimeOutput::Clock(pattern) => {
                (StrftimePiece::Field(pattern), false)
            }
            StrftimeOutput::Template(template) => (StrftimePiece::Value(template), true),
        };
        self.pieces.push(piece);
        is_number
    }
}

/// What a pattern makes of a timestamp; none where nothing is asked for.
fn shown(chars: ToCharBuilder, moment: &str) -> Option<String> {
    let pattern = chars.end();
    (!pattern.is_empty()).then(|| format!("to_char({moment}, {})", quoted(&pattern)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[StrftimeField] = &[
        ("Y", StrftimeOutput::Digits("YYYY")),
        ("m", StrftimeOutput::Digits("MM")),
        ("d", StrftimeOutput::Digits("DD")),
        ("H", StrftimeOutput::ClockDigits("HH24")),
        (
            "s",
            StrftimeOutput::Template("extract(epoch from {0})::bigint::text"),
        ),
    ];

    #[test]
    fn patterns_say_the_same_in_postgres() {
        for (pattern, wanted, is_number) in [
            ("%Y", "to_char(x, 'YYYY')", true),
            ("%Y-%m", "to_char(x, 'YYYY-MM')", false),
            ("%Y%m%d", "to_char(x, 'YYYY\"\"MM\"\"DD')", false),
            ("%%%d th", "to_char(x, '%DD \"th\"')", false),
            ("a\"\\b'%d", "to_char(x, '\"a\\\"\\\\b\"''DD')", false),
            ("%s", "extract(epoch from x)::bigint::text", true),
            ("%dT%H", "to_char(x, 'DD\"T\"HH24')", false),
            (
                "%Y%s",
                "(to_char(x, 'YYYY') || extract(epoch from x)::bigint::text)",
                false,
            ),
        ] {
            let read = StrftimePattern::read(pattern, FIELDS).unwrap();
            assert_eq!(read.of("x"), wanted);
            assert_eq!(read.is_number, is_number, "{pattern}");
        }
        assert!(StrftimePattern::read("%Q", FIELDS).is_err());
        assert!(StrftimePattern::read("%", FIELDS).is_err());
        assert!(StrftimePattern::read("yyyy-MM", FIELDS).is_err());
    }
}
