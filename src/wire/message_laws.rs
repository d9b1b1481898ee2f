//! The laws that every message of the client obeys, proven on one sample at a time.

use super::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use super::frontend::{FrontendMessage, decode};
use super::malformed::MalformedMessage;

/// Golden bytes, cut at each byte, false lengths, a shortened body, and leftovers.
pub(super) fn check(bytes: &[u8], expected: FrontendMessage<'_>) {
    check_opaque(bytes, expected);
    check_body(bytes);
}

/// As [`check`], for a message whose body may be any bytes.
pub(super) fn check_opaque(bytes: &[u8], expected: FrontendMessage<'_>) {
    assert_eq!(read(bytes), Ok(expected));
    check_cuts(bytes);
    check_lengths(bytes);
}

/// The same message with another length word.
pub(super) fn with_length(bytes: &[u8], length: i32) -> Vec<u8> {
    let mut lie = bytes.to_vec();
    lie[1..5].copy_from_slice(&length.to_be_bytes());
    lie
}

fn check_cuts(bytes: &[u8]) {
    for end in 0..bytes.len() {
        let needed = if end < 5 { 5 } else { bytes.len() };
        let cut = cut_frontend(&bytes[..end], ProtocolPhase::Session);
        assert_eq!(cut, Ok(FrameCut::Partial { needed }), "cut at {end}");
    }
    let followed = [bytes, b"Q\0\0\0"].concat();
    assert_eq!(
        cut_frontend(&followed, ProtocolPhase::Session),
        Ok(FrameCut::Whole(ClientFrame {
            kind: bytes[0],
            body: &bytes[5..],
            bytes
        }))
    );
}

fn check_lengths(bytes: &[u8]) {
    let kind = bytes[0];
    for length in [0, 1, 3, -1, -4, i32::MIN] {
        let cut = read(&with_length(bytes, length)).map(|_| ());
        assert_eq!(cut, Err(MalformedMessage::LengthTooSmall { kind, length }));
    }
    for length in [i32::MAX, i32::MAX - 4, 1 << 30] {
        let cut = read(&with_length(bytes, length)).map(|_| ());
        assert_eq!(cut, Err(MalformedMessage::LengthTooLarge { kind, length }));
    }
}

fn check_body(bytes: &[u8]) {
    let body = bytes.len() - 5;
    for kept in 0..body {
        let length = i32::try_from(kept + 4).expect("small");
        let lie = with_length(bytes, length);
        read(&lie).expect_err("a body that ends early is refused");
        read(&lie[..5 + kept]).expect_err("also when nothing follows");
    }
    for extra in 1..=9 {
        let longer = [bytes, &vec![0; extra]].concat();
        let length = i32::try_from(body + 4 + extra).expect("small");
        assert!(
            read(&with_length(&longer, length)).is_err(),
            "{extra} bytes left over"
        );
    }
}

fn read(bytes: &[u8]) -> Result<FrontendMessage<'_>, MalformedMessage> {
    match cut_frontend(bytes, ProtocolPhase::Session)? {
        FrameCut::Whole(frame) => decode(&frame),
        FrameCut::Partial { needed } => panic!("{needed} bytes needed"),
    }
}
