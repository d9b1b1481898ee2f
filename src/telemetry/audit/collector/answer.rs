//! What comes of a request, by what a collector answers.
//!
//! <https://opentelemetry.io/docs/specs/otlp/#failures>, with one difference: what a change of the
//! settings or of the collector can cure (a token that is wrong, an address of something else) is
//! never a reason to give lines up. They wait, as for any other place.

use std::error::Error;
use std::io::ErrorKind;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceResponse;
use prost::Message;
use serde_json::Value as Json;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::telemetry::collector::fault::words_in;

/// What comes of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum CollectorAnswer {
    /// It has taken it, but for so many records.
    Taken {
        /// These are lost there.
        refused: usize,
    },
    /// It takes none of these records, now or later.
    Refused(CollectorFault),
    /// There were too many records in it, or one that is too large.
    TooLarge {
        /// What that means for a record that was alone.
        alone: Box<Self>,
    },
    /// It takes none for now.
    Later {
        /// Why.
        fault: CollectorFault,
        /// How long it wants to be left alone.
        after: Option<Duration>,
    },
}

/// Why it has not taken a request: in words of our own.
#[derive(Debug, PartialEq, Eq)]
pub struct CollectorFault {
    /// What it comes to.
    pub kind: ErrorKind,
    /// What is told of it.
    pub words: String,
    /// The key of the settings that may help.
    pub key: &'static str,
}

/// What an answer over HTTP is about.
pub struct HttpAnswer<'a> {
    /// Its status.
    pub status: u16,
    /// Its `Content-Type`.
    pub content_type: &'a str,
    /// Its `Retry-After`.
    pub retry_after: Option<&'a str>,
    /// Its body.
    pub body: &'a [u8],
}

impl CollectorAnswer {
    /// It takes none for now.
    pub fn later(fault: CollectorFault) -> Self {
        Self::Later { fault, after: None }
    }

    /// What an answer over HTTP means.
    pub fn of_http(answer: &HttpAnswer<'_>) -> Self {
        let fault = |kind, key| CollectorFault {
            kind,
            words: format!("HTTP {}", answer.status),
            key,
        };
        match answer.status {
            200..=299 => match taken(answer) {
                Some(refused) => Self::Taken { refused },
                None => Self::later(CollectorFault::garbage()),
            },
            400 | 422 => Self::Refused(fault(ErrorKind::InvalidInput, TO)),
            413 => Self::TooLarge {
                alone: Box::new(Self::Refused(fault(ErrorKind::InvalidInput, TO))),
            },
            401 | 403 => Self::later(fault(ErrorKind::PermissionDenied, HEADERS)),
            429 | 502..=504 => Self::Later {
                fault: fault(ErrorKind::ResourceBusy, TO),
                after: answer.retry_after.and_then(seconds),
            },
            _ => Self::later(fault(ErrorKind::InvalidData, TO)),
        }
    }

    /// What an error over gRPC means.
    pub fn of_grpc(status: &Status) -> Self {
        let fault = |kind, key| {
            let mut words = format!("gRPC {:?}", status.code());
            if let Some(more) = words_in(&whole(status)) {
                words.push_str(", ");
                words.push_str(more);
            }
            CollectorFault { kind, words, key }
        };
        let after = status.get_details_retry_info();
        let after = after.and_then(|info| info.retry_delay);
        match status.code() {
            Code::InvalidArgument => Self::Refused(fault(ErrorKind::InvalidInput, TO)),
            // Some say so of messages that are too large.
            Code::ResourceExhausted | Code::OutOfRange if after.is_none() => Self::TooLarge {
                alone: Box::new(Self::later(fault(ErrorKind::ResourceBusy, TO))),
            },
            Code::Unauthenticated | Code::PermissionDenied => {
                Self::later(fault(ErrorKind::PermissionDenied, HEADERS))
            }
            Code::Unavailable | Code::ResourceExhausted | Code::OutOfRange => Self::Later {
                fault: fault(ErrorKind::ResourceBusy, TO),
                after,
            },
            _ => Self::Later {
                fault: fault(ErrorKind::InvalidData, TO),
                after,
            },
        }
    }

    /// What its answer over gRPC means.
    pub fn of_response(response: &ExportLogsServiceResponse) -> Self {
        Self::Taken {
            refused: refused_in(response),
        }
    }

    /// No answer has come.
    pub fn of_failure(error: &(dyn Error + 'static)) -> Self {
        let words = words_in(&whole(error)).unwrap_or("it cannot be reached");
        Self::later(CollectorFault {
            kind: ErrorKind::NotConnected,
            words: words.into(),
            key: TO,
        })
    }
}

impl CollectorFault {
    /// It has not answered.
    pub fn late() -> Self {
        Self {
            kind: ErrorKind::TimedOut,
            words: "it does not answer in time".into(),
            key: TO,
        }
    }

    /// Nothing is known.
    pub fn unknown() -> Self {
        Self {
            kind: ErrorKind::NotConnected,
            words: "it cannot be reached".into(),
            key: TO,
        }
    }

    fn garbage() -> Self {
        Self {
            kind: ErrorKind::InvalidData,
            words: "its answer is none of a collector".into(),
            key: TO,
        }
    }
}

/// How many records it has refused of a request that it has taken; none where what answers is no
/// collector: lines that such a thing has taken would be gone.
fn taken(answer: &HttpAnswer<'_>) -> Option<usize> {
    if answer.body.is_empty() {
        return Some(0);
    }
    let media_type = answer.content_type.split(';').next().unwrap_or_default();
    match media_type.trim().to_ascii_lowercase().as_str() {
        "application/x-protobuf" => {
            let response = ExportLogsServiceResponse::decode(answer.body).ok()?;
            Some(refused_in(&response))
        }
        // Some answer so whatever they were asked in.
        "application/json" => {
            let response: Json = serde_json::from_slice(answer.body).ok()?;
            let partial = response.as_object()?.get("partialSuccess");
            let refused = partial.and_then(|partial| partial.get("rejectedLogRecords"));
            // Numbers of 64 bits are texts in the protocol's JSON.
            let refused = refused.map_or(Some(0), |refused| match refused {
                Json::String(digits) => digits.parse().ok(),
                number => number.as_u64(),
            });
            Some(usize::try_from(refused?).unwrap_or(usize::MAX))
        }
        _ => None,
    }
}

fn refused_in(response: &ExportLogsServiceResponse) -> usize {
    let partial = response.partial_success.as_ref();
    let refused = partial.map_or(0, |partial| partial.rejected_log_records.max(0));
    usize::try_from(refused).unwrap_or(usize::MAX)
}

/// An error with all that has led to it.
fn whole(error: &(dyn Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    for _ in 0..CAUSES_MAX {
        let Some(error) = cause else { break };
        told.push_str(": ");
        told.push_str(&error.to_string());
        cause = error.source();
    }
    told
}

/// `Retry-After` in seconds; as a date it is not followed, and the own rest counts.
fn seconds(text: &str) -> Option<Duration> {
    text.trim().parse().ok().map(Duration::from_secs)
}

/// Causes of an error that are looked at.
const CAUSES_MAX: usize = 16;

const TO: &str = "audit.to";
const HEADERS: &str = "audit.headers_file";

#[cfg(test)]
mod tests {
    use super::*;
    use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsPartialSuccess;
    use tonic_types::ErrorDetails;

    fn http(status: u16, content_type: &str, body: &[u8]) -> CollectorAnswer {
        CollectorAnswer::of_http(&HttpAnswer {
            status,
            content_type,
            retry_after: Some("7"),
            body,
        })
    }

    fn response(refused: i64) -> ExportLogsServiceResponse {
        ExportLogsServiceResponse {
            partial_success: Some(ExportLogsPartialSuccess {
                rejected_log_records: refused,
                error_message: "canary".into(),
            }),
        }
    }

    const PROTOBUF: &str = "application/x-protobuf";
    const JSON: &str = "application/json; charset=utf-8";

    #[test]
    fn what_a_collector_has_taken_is_what_it_says() {
        let partial = response(3).encode_to_vec();
        for (content_type, body, refused) in [
            ("", &b""[..], 0),
            ("text/html", b"", 0),
            (PROTOBUF, b"", 0),
            (PROTOBUF, &partial, 3),
            (PROTOBUF, &response(-5).encode_to_vec(), 0),
            (JSON, b"{}", 0),
            (JSON, b"{\"partialSuccess\":{}}", 0),
            (
                JSON,
                b"{\"partialSuccess\":{\"rejectedLogRecords\":\"2\"}}",
                2,
            ),
            (JSON, b"{\"partialSuccess\":{\"rejectedLogRecords\":2}}", 2),
        ] {
            let answer = http(200, content_type, body);
            assert_eq!(answer, CollectorAnswer::Taken { refused }, "{content_type}");
        }
    }

    #[test]
    fn what_is_no_collector_has_taken_nothing() {
        for (content_type, body) in [
            ("text/html", &b"<html>"[..]),
            ("", b"OK"),
            (PROTOBUF, b"\xff\xff\xff"),
            (PROTOBUF, b"<html>"),
            (JSON, b"[]"),
            (JSON, b"{"),
            (JSON, b"{\"partialSuccess\":{\"rejectedLogRecords\":\"x\"}}"),
        ] {
            let answer = http(200, content_type, body);
            let garbage = CollectorAnswer::later(CollectorFault::garbage());
            assert_eq!(answer, garbage, "{content_type} {body:?}");
        }
    }

    /// What is told of an answer: a letter for what becomes of the lines.
    fn told(answer: CollectorAnswer) -> (char, Option<u64>, ErrorKind, &'static str) {
        match answer {
            CollectorAnswer::Refused(fault) => ('r', None, fault.kind, fault.key),
            CollectorAnswer::Later { fault, after } => {
                let after = after.map(|after| after.as_secs());
                ('l', after, fault.kind, fault.key)
            }
            CollectorAnswer::TooLarge { alone } => match told(*alone) {
                ('r', after, kind, key) => ('R', after, kind, key),
                (_, after, kind, key) => ('L', after, kind, key),
            },
            CollectorAnswer::Taken { .. } => panic!("taken"),
        }
    }

    #[test]
    fn lines_are_given_up_only_where_nothing_can_be_done() {
        use ErrorKind::{InvalidData, InvalidInput, PermissionDenied, ResourceBusy};
        for (status, expected) in [
            (400, ('r', None, InvalidInput, TO)),
            (422, ('r', None, InvalidInput, TO)),
            (413, ('R', None, InvalidInput, TO)),
            (401, ('l', None, PermissionDenied, HEADERS)),
            (403, ('l', None, PermissionDenied, HEADERS)),
            (429, ('l', Some(7), ResourceBusy, TO)),
            (503, ('l', Some(7), ResourceBusy, TO)),
            (100, ('l', None, InvalidData, TO)),
            (301, ('l', None, InvalidData, TO)),
            (404, ('l', None, InvalidData, TO)),
            (500, ('l', None, InvalidData, TO)),
        ] {
            assert_eq!(told(http(status, "", b"canary")), expected, "{status}");
        }
        let mut refusing = 0;
        for number in 1..=16 {
            let status = Status::new(Code::from_i32(number), "canary");
            let answer = CollectorAnswer::of_grpc(&status);
            assert!(!format!("{answer:?}").contains("canary"));
            let (letter, _, kind, key) = told(answer);
            let is_refused = letter == 'r';
            assert_eq!(is_refused, status.code() == Code::InvalidArgument);
            let is_large = matches!(status.code(), Code::ResourceExhausted | Code::OutOfRange);
            assert_eq!(letter == 'L', is_large);
            assert_eq!(key == HEADERS, kind == PermissionDenied);
            refusing += usize::from(is_refused);
        }
        assert_eq!(refusing, 1);
    }

    #[test]
    fn a_rest_that_is_asked_for_is_read() {
        let details = ErrorDetails::with_retry_info(Some(Duration::from_secs(9)));
        for code in [Code::Unavailable, Code::ResourceExhausted] {
            let status = Status::with_error_details(code, "canary", details.clone());
            let (letter, after, ..) = told(CollectorAnswer::of_grpc(&status));
            assert_eq!((letter, after), ('l', Some(9)), "{code:?}");
        }
        for (text, read) in [
            ("0", Some(0)),
            (" 12 ", Some(12)),
            ("-1", None),
            ("Wed, 21 Oct 2026 07:28:00 GMT", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text).map(|time| time.as_secs()), read, "{text}");
        }
    }
}
