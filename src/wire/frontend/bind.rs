//! Bind: a portal from a prepared statement and values for its parameters.
//!
//! Every count, format and length is walked, so that what is passed on cannot be read in two ways.
//! The values themselves are never looked at.
//!
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

use std::fmt;

use crate::malformed::MalformedMessage;
use crate::reader::MessageReader;

/// A portal to make.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bind<'a> {
    /// The name of the portal; empty for the unnamed one.
    pub portal: &'a str,
    /// The name of the prepared statement; empty for the unnamed one.
    pub statement: &'a str,
    /// How many values it carries.
    pub parameters: u16,
    /// The values and their formats, as they stand in the message.
    pub given: &'a [u8],
    /// The formats that columns are asked for in, as they stand in the message.
    pub asked: &'a [u8],
}

/// One value of a Bind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BindValue<'a> {
    /// NULL.
    Null,
    /// As a text.
    Text(&'a [u8]),
    /// As the server stores it.
    Binary(&'a [u8]),
}

impl<'a> Bind<'a> {
    /// Whether columns are asked for in binary: nothing, one answer for all, or one for each.
    pub fn result_formats(&self) -> impl Iterator<Item = bool> + use<'a> {
        let mut reader = MessageReader::new(self.asked);
        let count = reader.u16().unwrap_or_default();
        (0..count).map_while(move |_| reader.i16().ok().map(|format| format != 0))
    }

    /// The value of a parameter, by its place from 1; none where there is no such value.
    pub fn value(&self, number: u16) -> Option<BindValue<'a>> {
        let place = usize::from(number).checked_sub(1)?;
        let mut reader = MessageReader::new(self.given);
        let count = reader.u16().ok()?;
        let mut format = 0;
        for index in 0..usize::from(count) {
            let given = reader.i16().ok()?;
            if count == 1 || index == place {
                format = given;
            }
        }
        let values = reader.u16().ok()?;
        let mut values = (0..values).map_while(|_| reader.value().ok());
        Some(match (values.nth(place)?, format) {
            (None, _) => BindValue::Null,
            (Some(text), 0) => BindValue::Text(text),
            (Some(bytes), _) => BindValue::Binary(bytes),
        })
    }
}

pub(super) fn decode(body: &[u8]) -> Result<Bind<'_>, MalformedMessage> {
    let mut reader = MessageReader::new(body);
    let portal = reader.text()?;
    let statement = reader.text()?;
    let from = reader.rest();
    let parameters = values(&mut reader)?;
    let taken = from.len().saturating_sub(reader.rest().len());
    let given = from.get(..taken).unwrap_or_default();
    let asked = reader.rest();
    formats(&mut reader)?;
    reader.finish()?;
    Ok(Bind {
        portal: portal.utf8()?,
        statement: statement.utf8()?,
        parameters,
        given,
        asked,
    })
}

/// Walks format codes and values, as Bind and FunctionCall have them; answers with the number of
/// values. Formats are none, one for all, or one for each.
pub(super) fn values(reader: &mut MessageReader<'_>) -> Result<u16, MalformedMessage> {
    let formats = formats(reader)?;
    let values = reader.u16()?;
    if formats > 1 && formats != values {
        return Err(MalformedMessage::FormatCount { formats, values });
    }
    for _ in 0..values {
        reader.value()?;
    }
    Ok(values)
}

fn formats(reader: &mut MessageReader<'_>) -> Result<u16, MalformedMessage> {
    let count = reader.u16()?;
    for _ in 0..count {
        format(reader)?;
    }
    Ok(count)
}

pub(super) fn format(reader: &mut MessageReader<'_>) -> Result<(), MalformedMessage> {
    match reader.i16()? {
        0 | 1 => Ok(()),
        code => Err(MalformedMessage::FormatCode { code }),
    }
}

/// Names are the client's and values are data: only sizes may be shown.
impl fmt::Debug for Bind<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Bind")
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::FrontendMessage;
    use crate::message_laws::check;

    #[test]
    fn golden() {
        check(
            b"B\0\0\0\x0c\0\0\0\0\0\0\0\0",
            bind("", "", 0, b"\0\0\0\0", b"\0\0"),
        );
        check(
            b"B\0\0\0\x1bp\0s\0\0\x01\0\x01\0\x02\0\0\0\x01x\xff\xff\xff\xff\0\x01\0\x01",
            bind(
                "p",
                "s",
                2,
                b"\0\x01\0\x01\0\x02\0\0\0\x01x\xff\xff\xff\xff",
                b"\0\x01\0\x01",
            ),
        );
        check(
            b"B\0\0\0\x19\0s\0\0\x02\0\x01\0\0\0\x02\xff\xff\xff\xff\0\0\0\0\0\0",
            bind(
                "",
                "s",
                2,
                b"\0\x02\0\x01\0\0\0\x02\xff\xff\xff\xff\0\0\0\0",
                b"\0\0",
            ),
        );
    }

    #[test]
    fn values_are_found_by_their_places() {
        let of = |given| bind_of("", "", 0, given);
        let two = b"\0\x02\0\0\0\x01\0\x02\0\0\0\x017\0\0\0\x02\0\x07";
        let bind = of(two);
        assert!(bind.value(1) == Some(BindValue::Text(b"7")));
        assert!(bind.value(2) == Some(BindValue::Binary(b"\0\x07")));
        assert!(bind.value(3).is_none());
        let bind = of(b"\0\x01\0\x01\0\x02\xff\xff\xff\xff\0\0\0\x01\x07");
        assert!(bind.value(1) == Some(BindValue::Null));
        assert!(bind.value(2) == Some(BindValue::Binary(b"\x07")));
        let bind = of(b"\0\0\0\x01\0\0\0\0");
        assert!(bind.value(1) == Some(BindValue::Text(b"")));
        assert!(bind.value(0).is_none() && bind.value(2).is_none());
        assert!(of(b"\0\0\0\0").value(1).is_none());
    }

    #[test]
    fn columns_are_asked_for_in_formats() {
        let of = |asked| Bind {
            asked,
            ..bind_of("", "", 0, b"\0\0\0\0")
        };
        let asked = |asked| -> Vec<bool> { of(asked).result_formats().collect() };
        assert!(asked(b"\0\0").is_empty());
        assert_eq!(asked(b"\0\x01\0\x01"), [true]);
        assert_eq!(asked(b"\0\x02\0\0\0\x01"), [false, true]);
    }

    #[test]
    fn formats_are_none_one_or_all() {
        assert_eq!(
            decode(b"\0\0\0\x02\0\0\0\0\0\x01\xff\xff\xff\xff\0\0"),
            Err(MalformedMessage::FormatCount {
                formats: 2,
                values: 1
            })
        );
        // One format for no value at all is what Postgres accepts too.
        assert!(decode(b"\0\0\0\x01\0\x01\0\0\0\0").is_ok());
        assert_eq!(
            decode(b"\0\0\0\x01\0\x02\0\0\0\0"),
            Err(MalformedMessage::FormatCode { code: 2 })
        );
        assert_eq!(
            decode(b"\0\0\0\x01\xff\xff\0\0\0\0"),
            Err(MalformedMessage::FormatCode { code: -1 })
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\0\0\x01\0\x02"),
            Err(MalformedMessage::FormatCode { code: 2 })
        );
    }

    #[test]
    fn lengths_of_values_are_the_truth() {
        assert_eq!(
            decode(b"\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0"),
            Err(MalformedMessage::ValueLength { length: -2 })
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\x01\x80\0\0\0\0\0"),
            Err(MalformedMessage::ValueLength { length: i32::MIN })
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\x01\x7f\xff\xff\xff\0\0"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\x01\0\0\0\x03\0\0"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            decode(b"\0\0\0\0\xff\xff\0\0"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\0\xff\xff"),
            Err(MalformedMessage::Short)
        );
        assert_eq!(
            decode(b"\0\0\0\0\0\0\0\0x"),
            Err(MalformedMessage::Leftover { bytes: 1 })
        );
    }

    #[test]
    fn layout_is_judged_before_encoding() {
        assert_eq!(
            decode(b"\xff\0\0\0\0\0\0\0\0"),
            Err(MalformedMessage::NotUtf8)
        );
        assert_eq!(
            decode(b"\0\xff\0\0\0\0\0\0\0"),
            Err(MalformedMessage::NotUtf8)
        );
        assert_eq!(
            decode(b"\xff\0\0\0\0\0\0\0\x01"),
            Err(MalformedMessage::Short)
        );
    }

    fn bind<'a>(
        portal: &'a str,
        statement: &'a str,
        parameters: u16,
        given: &'a [u8],
        asked: &'a [u8],
    ) -> FrontendMessage<'a> {
        let bind = bind_of(portal, statement, parameters, given);
        FrontendMessage::Bind(Bind { asked, ..bind })
    }

    fn bind_of<'a>(
        portal: &'a str,
        statement: &'a str,
        parameters: u16,
        given: &'a [u8],
    ) -> Bind<'a> {
        Bind {
            portal,
            statement,
            parameters,
            given,
            asked: b"\0\0",
        }
    }
}
