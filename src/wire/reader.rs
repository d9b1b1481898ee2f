//! A position in the body of one message. Reading past the end is an answer, never a panic.

use std::ffi::CStr;

use super::malformed::Malformed;

/// The fields of one body, taken from front to back; [`Reader::finish`] proves that none is left.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) const fn new(body: &'a [u8]) -> Self {
        Self { rest: body }
    }

    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]: [u8; 1]| byte)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn i16(&mut self) -> Result<i16, Malformed> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(*head)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self.rest.split_at_checked(count).ok_or(Malformed::Short)?;
        self.rest = rest;
        Ok(head)
    }

    /// A string up to its NUL, which is taken as well.
    pub(super) fn string_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let string = CStr::from_bytes_until_nul(self.rest)
            .map_err(|_| Malformed::Unterminated)?
            .to_bytes();
        self.rest = self
            .rest
            .get(string.len() + 1..)
            .ok_or(Malformed::Unterminated)?;
        Ok(string)
    }

    /// A string up to its NUL; when it is not UTF-8, the caller learns so only if the rest of the
    /// message is sound, see [`Text`].
    pub(super) fn text(&mut self) -> Result<Text<'a>, Malformed> {
        self.string_bytes().map(Text)
    }

    /// A value: -1 for none, or a length and that many bytes.
    pub(super) fn value(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let count =
                    usize::try_from(length).map_err(|_| Malformed::ValueLength { length })?;
                self.bytes(count).map(Some)
            }
        }
    }

    pub(super) const fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Nothing may be left.
    pub(super) fn finish(self) -> Result<(), Malformed> {
        match self.rest.len() {
            0 => Ok(()),
            bytes => Err(Malformed::Leftover { bytes }),
        }
    }
}

/// The bytes of a string whose encoding is checked last: a frame that is malformed *and* not UTF-8
/// must end the connection, so the layout of the whole frame is proven before the encoding.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(&'a [u8]);

impl<'a> Text<'a> {
    pub(super) fn utf8(self) -> Result<&'a str, Malformed> {
        std::str::from_utf8(self.0).map_err(|_| Malformed::NotUtf8)
    }
}
