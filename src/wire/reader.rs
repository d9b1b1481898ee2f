//! A position in the body of one message. Reading past the end is an answer, never a panic.

use std::ffi::CStr;

use super::malformed::MalformedMessage;

/// The fields of one body, taken from front to back; [`MessageReader::finish`] proves that none is
/// left.
#[derive(Clone, Copy)]
pub(super) struct MessageReader<'a> {
    rest: &'a [u8],
}

impl<'a> MessageReader<'a> {
    pub(super) const fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    pub(super) fn u8(&mut self) -> Result<u8, MalformedMessage> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, MalformedMessage> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn i16(&mut self) -> Result<i16, MalformedMessage> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, MalformedMessage> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], MalformedMessage> {
        let (head, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(MalformedMessage::Short)?;
        self.rest = rest;
        Ok(*head)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], MalformedMessage> {
        let (head, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(MalformedMessage::Short)?;
        self.rest = rest;
        Ok(head)
    }

    /// A string up to its NUL, which is taken as well.
    pub(super) fn string_bytes(&mut self) -> Result<&'a [u8], MalformedMessage> {
        let string = CStr::from_bytes_until_nul(self.rest)
            .map_err(|_| MalformedMessage::Unterminated)?
            .to_bytes();
        self.rest = self
            .rest
            .get(string.len() + 1..)
            .ok_or(MalformedMessage::Unterminated)?;
        Ok(string)
    }

    /// A string up to its NUL; when it is not UTF-8, the caller learns so only if the rest of the
    /// message is sound, see [`UncheckedText`].
    pub(super) fn text(&mut self) -> Result<UncheckedText<'a>, MalformedMessage> {
        self.string_bytes().map(UncheckedText)
    }

    /// A value: -1 for none, or a length and that many bytes.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, MalformedMessage> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let count = usize::try_from(length)
                    .map_err(|_| MalformedMessage::ValueLength { length })?;
                self.bytes(count).map(Some)
            }
        }
    }

    pub(super) const fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), MalformedMessage> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(MalformedMessage::Leftover { bytes }),
        }
    }
}

/// The bytes of a string whose encoding is checked last: a frame that is malformed *and* not UTF-8
/// must end the connection, so the layout of the whole frame is proven before the encoding.
#[derive(Clone, Copy)]
pub(super) struct UncheckedText<'a>(&'a [u8]);

impl<'a> UncheckedText<'a> {
    pub(super) fn utf8(self) -> Result<&'a str, MalformedMessage> {
        std::str::from_utf8(self.0).map_err(|_| MalformedMessage::NotUtf8)
    }
}
