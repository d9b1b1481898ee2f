//! Malformed messages that the decoder of pgwire 0.42 takes, misreads or falls over, and that are
//! refused here. They are why that decoder never sees bytes of a peer.
//!
//! A test that fails after an update of pgwire because *it* refuses now is good news.

use std::panic::catch_unwind;

use bytes::BytesMut;
use pgsieve::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use pgsieve::wire::frontend::password;
use pgsieve::wire::malformed::MalformedMessage;
use pgsieve::wire::startup::cut_first;
use pgwire::messages::startup::{Password, Startup};
use pgwire::messages::{DecodeContext, Message, PgWireFrontendMessage};

use crate::wire::samples::read;

/// The text judged would not be the text sent.
#[test]
fn a_text_that_is_not_utf8_is_replaced() {
    let bytes = b"Q\0\0\0\x08a\xffb\0";
    let PgWireFrontendMessage::Query(query) = theirs(bytes).0 else {
        panic!("a Query")
    };
    assert_eq!(query.query, "a\u{fffd}b");
    assert_eq!(read(bytes), Err(MalformedMessage::NotUtf8));
}

/// A text without end is read as no text.
#[test]
fn an_unterminated_query_is_empty() {
    let bytes = b"Q\0\0\0\x0cselect 1";
    let PgWireFrontendMessage::Query(query) = theirs(bytes).0 else {
        panic!("a Query")
    };
    assert_eq!(query.query, "");
    assert_eq!(read(bytes), Err(MalformedMessage::Unterminated));
}

/// What one frame holds behind its text becomes a message of its own.
#[test]
fn leftovers_of_a_frame_are_the_next_message() {
    let bytes = b"Q\0\0\0\x0cx\0Q\0\0\0\x05\0";
    let (first, mut left) = theirs(bytes);
    assert!(matches!(first, PgWireFrontendMessage::Query(query) if query.query == "x"));
    let smuggled = PgWireFrontendMessage::decode(&mut left, &context()).unwrap();
    assert!(matches!(smuggled, Some(PgWireFrontendMessage::Query(_))));
    assert_eq!(read(bytes), Err(MalformedMessage::Leftover { bytes: 6 }));
}

#[test]
fn a_length_below_the_message_is_taken() {
    let bytes = b"Q\0\0\0\x04x\0";
    let (first, _) = theirs(bytes);
    assert!(matches!(first, PgWireFrontendMessage::Query(query) if query.query == "x"));
    let refused = MalformedMessage::LengthTooSmall {
        kind: b'Q',
        length: 4,
    };
    assert_eq!(cut_frontend(bytes, ProtocolPhase::Session), Err(refused));
}

#[test]
fn formats_and_lengths_that_do_not_exist_are_taken() {
    let format_seven = b"B\0\0\0\x0e\0\0\0\x01\0\x07\0\0\0\0";
    let two_formats_for_one = b"B\0\0\0\x14\0\0\0\x02\0\0\0\x01\0\x01\xff\xff\xff\xff\0\0";
    let minus_two = b"B\0\0\0\x10\0\0\0\0\0\x01\xff\xff\xff\xfe\0\0";
    for (bytes, refused) in [
        (&format_seven[..], MalformedMessage::FormatCode { code: 7 }),
        (
            &two_formats_for_one[..],
            MalformedMessage::FormatCount {
                formats: 2,
                values: 1,
            },
        ),
        (&minus_two[..], MalformedMessage::ValueLength { length: -2 }),
    ] {
        assert!(matches!(theirs(bytes).0, PgWireFrontendMessage::Bind(_)));
        assert_eq!(read(bytes), Err(refused));
    }
}

#[test]
fn a_target_that_does_not_exist_is_taken() {
    let bytes = b"D\0\0\0\x06x\0";
    assert!(matches!(
        theirs(bytes).0,
        PgWireFrontendMessage::Describe(_)
    ));
    assert_eq!(read(bytes), Err(MalformedMessage::Target { kind: b'x' }));
}

/// A Sync with a body: what it holds is read as the next message.
#[test]
fn a_body_where_none_belongs_is_the_next_message() {
    let bytes = b"S\0\0\0\x0aQ\0\0\0\x05\0";
    let (sync, mut left) = theirs(bytes);
    assert!(matches!(sync, PgWireFrontendMessage::Sync(_)));
    let smuggled = PgWireFrontendMessage::decode(&mut left, &context()).unwrap();
    assert!(matches!(smuggled, Some(PgWireFrontendMessage::Query(_))));
    let refused = MalformedMessage::LengthTooLarge {
        kind: b'S',
        length: 10,
    };
    assert_eq!(cut_frontend(bytes, ProtocolPhase::Session), Err(refused));
}

#[test]
fn a_startup_without_end_is_taken() {
    let bytes = b"\0\0\0\x10\0\x03\0\0user\0me\0";
    let mut buffer = BytesMut::from(&bytes[..]);
    let startup = Startup::decode(&mut buffer, &context())
        .unwrap()
        .expect("whole");
    assert_eq!(
        startup.parameters.get("user").map(String::as_str),
        Some("me")
    );
    assert_eq!(cut_first(bytes), Err(MalformedMessage::StartupLayout));
}

/// Before any login: these would take down the task of a session.
#[test]
fn short_messages_are_a_panic() {
    let parse = b"P\0\0\0\x08\0\0\0\x01";
    catch_unwind(|| theirs(parse)).expect_err("pgwire panics");
    assert_eq!(read(parse), Err(MalformedMessage::Short));
    let bind = b"B\0\0\0\x0c\0\0\0\0\xff\xff\0\0";
    catch_unwind(|| theirs(bind)).expect_err("pgwire panics");
    assert_eq!(read(bind), Err(MalformedMessage::Short));
    let execute = b"E\0\0\0\x08\0\0\0\0";
    catch_unwind(|| theirs(execute)).expect_err("pgwire panics");
    let refused = MalformedMessage::LengthTooSmall {
        kind: b'E',
        length: 8,
    };
    assert_eq!(cut_frontend(execute, ProtocolPhase::Session), Err(refused));
}

/// pgwire reads no password as an empty one.
#[test]
fn a_password_frame_without_a_password_is_refused() {
    let mut buffer = BytesMut::new();
    let read = Password::decode_body(&mut buffer, 4, &context()).unwrap();
    assert_eq!(read.password, "");
    assert_eq!(password::password(b""), Err(MalformedMessage::Unterminated));
    let bytes = b"p\0\0\0\x04";
    let Ok(FrameCut::Whole(frame)) = cut_frontend(bytes, ProtocolPhase::Login) else {
        panic!("a frame")
    };
    assert_eq!(
        password::sasl_initial(frame.body),
        Err(MalformedMessage::Unterminated)
    );
}

/// What pgwire makes of it, and what it leaves in its buffer.
fn theirs(bytes: &[u8]) -> (PgWireFrontendMessage, BytesMut) {
    let mut buffer = BytesMut::from(bytes);
    let message = PgWireFrontendMessage::decode(&mut buffer, &context());
    (message.unwrap().expect("whole"), buffer)
}

fn context() -> DecodeContext {
    let mut context = DecodeContext::default();
    context.awaiting_frontend_ssl = false;
    context.awaiting_frontend_startup = false;
    context
}
