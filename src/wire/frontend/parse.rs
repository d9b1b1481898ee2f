//! Parse: a text to prepare under a name.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A text to prepare; neither string holds a NUL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Parse<'a> {
    /// The name of the prepared statement; empty for the unnamed one.
    pub name: &'a str,
    /// The text exactly as sent.
    pub text: &'a str,
    /// The types that the client fixes for the first parameters.
    pub parameter_types: ParameterOids<'a>,
}

/// Type oids as they stand in a message: whole words, at most 65,535 of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ParameterOids<'a> {
    words: &'a [[u8; 4]],
}

impl<'a> ParameterOids<'a> {
    /// These, each as it stands in a message; none where they are more than a message counts.
    pub fn of(words: &'a [[u8; 4]]) -> Option<Self> {
        u16::try_from(words.len()).ok().map(|_count| Self { words })
    }

    /// How many.
    pub fn count(self) -> u16 {
        // `of` and `take` admit no more than a u16 counts; saturating keeps this total.
        u16::try_from(self.words.len()).unwrap_or(u16::MAX)
    }

    /// Each oid, in order.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'a {
        self.words.iter().map(|word| u32::from_be_bytes(*word))
    }

    /// The words as they stand in a message.
    pub fn as_bytes(self) -> &'a [u8] {
        self.words.as_flattened()
    }

    fn take(reader: &mut MessageReader<'a>) -> Result<Self, MalformedMessage> {
        let count = usize::from(reader.u16()?);
        let (words, _) = reader.bytes(count * OID_BYTES)?.as_chunks();
        Ok(Self { words })
    }
}

pub(super) fn decode(body: &[u8]) -> Result<Parse<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let name = reader.text()?;
    let text = reader.text()?;
    let parameter_types = ParameterOids::take(&mut reader)?;
    reader.finish()?;
    Ok(Parse {
        name: name.utf8()?,
        text: text.utf8()?,
        parameter_types,
    })
}

/// Name and text are the client's: only sizes may be shown.
impl fmt::Debug for Parse<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Parse")
            .field("name_bytes", &self.name.len())
            .field("text_bytes", &self.text.len())
            .field("parameter_types", &self.parameter_types.count())
            .finish()
    }
}

const OID_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    const TWO: ParameterOids<'static> = ParameterOids {
        words: &[[0, 0, 0, 23], [0, 0, 0, 25]],
    };

    #[test]
    fn golden() {
        check(
            b"P\0\0\0\x12s1\0select 1\0\0\0",
            parse("s1", "select 1", ParameterOids::default()),
        );
        check(
            b"P\0\0\0\x0f\0$1 \0\0\x01\0\0\x04\x01",
            parse(
                "",
                "$1 ",
                ParameterOids {
                    words: &[[0, 0, 4, 1]],
                },
            ),
        );
        check(
            b"P\0\0\0\x12\0$1\0\0\x02\0\0\0\x17\0\0\0\x19",
            parse("", "$1", TWO),
        );
        assert_eq!(TWO.iter().collect::<Vec<_>>(), [23, 25]);
        assert_eq!(
            (TWO.count(), TWO.as_bytes()),
            (2, &b"\0\0\0\x17\0\0\0\x19"[..])
        );
    }

    #[test]
    fn counts_are_the_truth() {
        assert_eq!(decode(b"\0\0\0\x01"), Err(MalformedMessage::Short));
        assert_eq!(decode(b"\0\0\xff\xff"), Err(MalformedMessage::Short));
        assert_eq!(
            decode(b"\0\0\0\0\0\0\0\x17"),
            Err(MalformedMessage::Leftover { bytes: 4 })
        );
        assert_eq!(decode(b"a"), Err(MalformedMessage::Unterminated));
        assert_eq!(decode(b"a\0b"), Err(MalformedMessage::Unterminated));
        assert_eq!(decode(b"a\0b\0\0"), Err(MalformedMessage::Short));
    }

    #[test]
    fn layout_is_judged_before_encoding() {
        assert_eq!(decode(b"\xff\0\0\0\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(decode(b"\0\xff\0\0\0"), Err(MalformedMessage::NotUtf8));
        assert_eq!(decode(b"\0\xff\0\0\x01"), Err(MalformedMessage::Short));
    }

    #[test]
    fn debug_shows_no_text() {
        let shown = format!(
            "{:?}",
            parse("canary1", "canary2", ParameterOids::default())
        );
        assert!(!shown.contains("canary"), "{shown}");
    }

    fn parse<'a>(
        name: &'a str,
        text: &'a str,
        parameter_types: ParameterOids<'a>,
    ) -> FrontendMessage<'a> {
        FrontendMessage::Parse(Parse {
            name,
            text,
            parameter_types,
        })
    }
}
