//! Random messages, and the two steps that every test takes: cut a frame, decode it.

use bytes::BytesMut;
use pgsieve::wire::frame::{FrameCut, ProtocolPhase, cut_frontend};
use pgsieve::wire::frontend::{FrontendMessage, decode};
use pgsieve::wire::malformed::MalformedMessage;
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use proptest::prelude::*;

/// A text of a client: any characters but NUL.
pub fn text() -> impl Strategy<Value = String> {
    "[^\0]{0,40}"
}

/// Values of a Bind.
pub fn values() -> impl Strategy<Value = Vec<Option<Vec<u8>>>> {
    prop::collection::vec(
        prop::option::of(prop::collection::vec(any::<u8>(), 0..20)),
        0..6,
    )
}

/// The bytes of one valid message of a session, written by postgres-protocol.
pub fn message() -> impl Strategy<Value = Vec<u8>> {
    let target = || prop_oneof![Just(b'S'), Just(b'P')];
    prop_oneof![
        text().prop_map(|text| wrote(|out| frontend::query(&text, out).unwrap())),
        (text(), text(), prop::collection::vec(any::<u32>(), 0..5)).prop_map(
            |(name, text, types)| {
                wrote(|out| frontend::parse(&name, &text, types, out).unwrap())
            }
        ),
        (text(), text(), any::<bool>(), values()).prop_map(|(portal, statement, all, values)| {
            bind(&portal, &statement, all, &values)
        }),
        (target(), text())
            .prop_map(|(kind, name)| wrote(|out| frontend::describe(kind, &name, out).unwrap())),
        (target(), text())
            .prop_map(|(kind, name)| wrote(|out| frontend::close(kind, &name, out).unwrap())),
        (text(), any::<i32>())
            .prop_map(|(name, rows)| wrote(|out| frontend::execute(&name, rows, out).unwrap())),
        prop::collection::vec(any::<u8>(), 0..40).prop_map(|data| {
            wrote(|out| frontend::CopyData::new(&data[..]).unwrap().write(out))
        }),
        text().prop_map(|reason| wrote(|out| frontend::copy_fail(&reason, out).unwrap())),
        Just(wrote(frontend::copy_done)),
        Just(wrote(frontend::sync)),
        Just(wrote(frontend::flush)),
        Just(wrote(frontend::terminate)),
        Just(b"F\0\0\0\x15\0\0\x03\xbb\0\x01\0\x01\0\x01\0\0\0\x01x\0\x01".to_vec()),
    ]
}

/// A Bind with one format for each value, or none.
pub fn bind(portal: &str, statement: &str, all: bool, values: &[Option<Vec<u8>>]) -> Vec<u8> {
    let formats = values
        .iter()
        .filter(|_| all)
        .map(|value| i16::from(value.is_some()));
    wrote(|out| {
        let serialize = |value: &Option<Vec<u8>>, out: &mut BytesMut| {
            Ok(value.as_ref().map_or(IsNull::Yes, |value| {
                out.extend_from_slice(value);
                IsNull::No
            }))
        };
        let done = frontend::bind(portal, statement, formats, values, serialize, [1_i16], out);
        assert!(done.is_ok(), "postgres-protocol writes it");
    })
}

/// What `write` appends to an empty buffer.
pub fn wrote(write: impl FnOnce(&mut BytesMut)) -> Vec<u8> {
    let mut out = BytesMut::new();
    write(&mut out);
    out.to_vec()
}

/// Cuts and decodes exactly one message.
pub fn read(bytes: &[u8]) -> Result<FrontendMessage<'_>, MalformedMessage> {
    match cut_frontend(bytes, ProtocolPhase::Session)? {
        FrameCut::Whole(frame) => {
            assert_eq!(frame.bytes, bytes, "the whole input is one frame");
            decode(&frame)
        }
        FrameCut::Partial { needed } => panic!("{needed} bytes needed, {} given", bytes.len()),
    }
}

/// The body of a message that has a type byte.
pub fn body(message: &[u8]) -> &[u8] {
    &message[5..]
}
