//! ErrorResponse and NoticeResponse as pgsieve composes them.
//!
//! <https://www.postgresql.org/docs/current/protocol-error-fields.html>

use bytes::{BufMut, BytesMut};
use pgwire::messages::Message;
use pgwire::messages::response::{ErrorResponse, NoticeResponse};

use crate::backend::ResponseFields;
use ground::limits;
use ground::sqlstate::SqlState;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorSeverity {
    /// The statement failed.
    Error,
    /// The connection ends.
    Fatal,
    /// Something to know.
    Notice,
    /// Something to mind.
    Warning,
}

impl ErrorSeverity {
    /// As Postgres writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Fatal => "FATAL",
            Self::Notice => "NOTICE",
            Self::Warning => "WARNING",
        }
    }
}

/// What an error or notice says. It goes to the client and nowhere else, so it cannot be printed.
#[derive(Clone, Copy)]
pub struct ErrorFields<'a> {
    /// How bad it is.
    pub severity: ErrorSeverity,
    /// The condition.
    pub sqlstate: SqlState,
    /// What happened, in one sentence.
    pub message: &'a str,
    /// More about it.
    pub detail: Option<&'a str>,
    /// What would help.
    pub hint: Option<&'a str>,
    /// Where in the statement, in characters from 1.
    pub position: Option<u32>,
}

impl<'a> ErrorFields<'a> {
    /// A severity, a condition and a sentence.
    pub const fn new(severity: ErrorSeverity, sqlstate: SqlState, message: &'a str) -> Self {
        Self {
            severity,
            sqlstate,
            message,
            detail: None,
            hint: None,
            position: None,
        }
    }

    /// In the order of Postgres.
    fn list(&self) -> Vec<(u8, String)> {
        let mut list = vec![
            (b'S', self.severity.as_str().to_owned()),
            (b'V', self.severity.as_str().to_owned()),
            (b'C', self.sqlstate.as_str().to_owned()),
            (b'M', sayable(self.message)),
        ];
        list.extend(self.detail.map(|detail| (b'D', sayable(detail))));
        list.extend(self.hint.map(|hint| (b'H', sayable(hint))));
        list.extend(self.position.map(|position| (b'P', position.to_string())));
        list
    }
}

/// Appends an ErrorResponse.
pub fn error(out: &mut BytesMut, fields: &ErrorFields<'_>) {
    put_surely(out, &ErrorResponse::new(fields.list()));
}

/// Appends a NoticeResponse.
pub fn notice(out: &mut BytesMut, fields: &ErrorFields<'_>) {
    put_surely(out, &NoticeResponse::new(fields.list()));
}

/// Appends the ErrorResponse of a server once more, with words added to its DETAIL, and a HINT that
/// takes the place of its own. All other fields stay as they were sent, byte for byte.
pub fn error_with(
    out: &mut BytesMut,
    fields: ResponseFields<'_>,
    detail: Option<&str>,
    hint: Option<&str>,
) {
    let start = out.len();
    out.extend_from_slice(b"E\0\0\0\0");
    let mut added = [(b'D', detail, Some("\n")), (b'H', hint, None)];
    for (kind, value) in fields.iter() {
        for (other, words, separator) in &mut added {
            // Postgres's order: what has no place yet stands before what comes after it.
            if kind == *other {
                match (words.take(), *separator) {
                    (Some(words), None) => put_words(out, kind, Some(words)),
                    (words, separator) => put_field(out, kind, value, separator.zip(words)),
                }
            } else if !(BEFORE_DETAIL.contains(&kind) || *other == b'H' && kind == b'D') {
                put_words(out, *other, words.take());
            }
        }
        if !added.iter().any(|(other, _, _)| *other == kind) {
            put_field(out, kind, value, None);
        }
    }
    for (kind, words, _) in added {
        put_words(out, kind, words);
    }
    end_fields(out, start);
}

/// Appends the ErrorResponse of a server once more, with its position so many characters further
/// to the front. Without a number, or before the beginning, it has none. All other fields stay as
/// they were sent, byte for byte.
pub fn error_moved(out: &mut BytesMut, fields: ResponseFields<'_>, shift: Option<i64>) {
    let start = out.len();
    out.extend_from_slice(b"E\0\0\0\0");
    for (kind, value) in fields.iter() {
        if kind != b'P' {
            put_field(out, kind, value, None);
            continue;
        }
        let position = std::str::from_utf8(value).ok();
        let position = position.and_then(|digits| digits.parse::<i64>().ok());
        let moved = position
            .zip(shift)
            .map(|(from, by)| from.saturating_sub(by));
        if let Some(moved) = moved.filter(|moved| *moved > 0) {
            put_field(out, kind, moved.to_string().as_bytes(), None);
        }
    }
    end_fields(out, start);
}

/// The terminator, and the length of the message that began at `start`.
fn end_fields(out: &mut BytesMut, start: usize) {
    out.put_u8(0);
    let length = u32::try_from(out.len() - start - 1).unwrap_or(u32::MAX);
    if let Some(word) = out.get_mut(start + 1..start + 5) {
        word.copy_from_slice(&length.to_be_bytes());
    }
}

/// Appends an ErrorResponse (`E`) or NoticeResponse (`N`) with this body.
pub fn error_body(out: &mut BytesMut, kind: u8, body: &[u8]) {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    out.put_u8(kind);
    out.put_u32(length);
    out.extend_from_slice(body);
}

fn put_words(out: &mut BytesMut, kind: u8, words: Option<&str>) {
    if let Some(words) = words {
        put_field(out, kind, sayable(words).as_bytes(), None);
    }
}

fn put_field(out: &mut BytesMut, kind: u8, value: &[u8], added: Option<(&str, &str)>) {
    out.put_u8(kind);
    out.extend_from_slice(value);
    if let Some((separator, words)) = added {
        out.extend_from_slice(separator.as_bytes());
        out.extend_from_slice(sayable(words).as_bytes());
    }
    out.put_u8(0);
}

/// Seven fields, each bounded by [`sayable`], stay far below the 2 GiB where `pgwire` gives up.
fn put_surely(out: &mut BytesMut, message: &impl Message) {
    let done = super::put(out, message);
    debug_assert!(done.is_ok(), "a bounded message is always written");
}

/// A text that is one string on the wire and not endless. An answer must always be given, so it is
/// changed rather than refused.
fn sayable(text: &str) -> String {
    let longest = text.len().min(limits::ANSWER_FIELD_BYTES_MAX);
    let cut = (0..=longest).rev().find_map(|end| text.get(..end));
    cut.unwrap_or_default().replace('\0', "\u{fffd}")
}

/// The fields that stand before DETAIL.
const BEFORE_DETAIL: &[u8] = b"SVCM";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::error_fields;
    use crate::encode::written;
    use ground::sqlstate;

    #[test]
    fn golden() {
        let fields = ErrorFields {
            detail: Some("d"),
            hint: Some("h"),
            position: Some(8),
            ..ErrorFields::new(
                ErrorSeverity::Error,
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                "m",
            )
        };
        let body = b"SERROR\0VERROR\0C25006\0Mm\0Dd\0Hh\0P8\0\0";
        assert_eq!(&written(|out| error(out, &fields))[..], frame(b'E', body));
        let fields = ErrorFields::new(ErrorSeverity::Notice, sqlstate::SYNTAX_ERROR, "m");
        let body = b"SNOTICE\0VNOTICE\0C42601\0Mm\0\0";
        assert_eq!(&written(|out| notice(out, &fields))[..], frame(b'N', body));
    }

    #[test]
    fn words_are_added_and_all_else_stays() {
        let (detail, hint) = (Some("d"), Some("h"));
        for (before, after) in [
            (
                &b"SERROR\0VERROR\0C42703\0Mm\0P8\0Fx.c\0L1\0Rr\0\0"[..],
                &b"SERROR\0VERROR\0C42703\0Mm\0Dd\0Hh\0P8\0Fx.c\0L1\0Rr\0\0"[..],
            ),
            (b"SE\0Mm\0HH\0P8\0\0", b"SE\0Mm\0Dd\0Hh\0P8\0\0"),
            (b"SE\0Mm\0DD\0P8\0\0", b"SE\0Mm\0DD\nd\0Hh\0P8\0\0"),
            (b"SE\0Mm\0DD\0HH\0\0", b"SE\0Mm\0DD\nd\0Hh\0\0"),
            (b"SE\0M\xe4\0\0", b"SE\0M\xe4\0Dd\0Hh\0\0"),
        ] {
            let fields = error_fields(before).expect("sound");
            assert_eq!(
                &written(|out| error_with(out, fields, detail, hint))[..],
                frame(b'E', after)
            );
            assert_eq!(
                &written(|out| error_with(out, fields, None, None))[..],
                frame(b'E', before)
            );
        }
    }

    #[test]
    fn a_position_moves_and_all_else_stays() {
        let before = b"SERROR\0C42703\0Mm\0P30\0Fx.c\0\0";
        for (shift, after) in [
            (Some(22), &b"SERROR\0C42703\0Mm\0P8\0Fx.c\0\0"[..]),
            (Some(-3), b"SERROR\0C42703\0Mm\0P33\0Fx.c\0\0"),
            (Some(30), b"SERROR\0C42703\0Mm\0Fx.c\0\0"),
            (None, b"SERROR\0C42703\0Mm\0Fx.c\0\0"),
        ] {
            let fields = error_fields(before).expect("sound");
            assert_eq!(
                &written(|out| error_moved(out, fields, shift))[..],
                frame(b'E', after)
            );
        }
    }

    #[test]
    fn a_nul_in_a_text_ends_nothing() {
        let fields = ErrorFields::new(
            ErrorSeverity::Fatal,
            sqlstate::INTERNAL_ERROR,
            "a\0C00000\0b",
        );
        let out = written(|out| error(out, &fields));
        let read = error_fields(&out[5..]).expect("sound");
        assert_eq!(
            (read.sqlstate(), read.severity()),
            (Some("XX000"), Some("FATAL"))
        );
        assert_eq!(read.get(b'M'), Some("a\u{fffd}C00000\u{fffd}b"));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "é".repeat(limits::ANSWER_FIELD_BYTES_MAX);
        let fields = ErrorFields {
            hint: Some(&long),
            ..ErrorFields::new(ErrorSeverity::Warning, sqlstate::SYNTAX_ERROR, &long)
        };
        let out = written(|out| notice(out, &fields));
        let read = error_fields(&out[5..]).expect("sound");
        assert_eq!(
            read.get(b'M').map(str::len),
            Some(limits::ANSWER_FIELD_BYTES_MAX)
        );
    }

    fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).expect("small");
        [&[kind][..], &length.to_be_bytes(), body].concat()
    }
}
