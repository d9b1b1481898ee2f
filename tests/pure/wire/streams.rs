//! Bytes approved are bytes given, however a stream of messages is chopped or damaged.

use pgsieve::wire::frame::{FrameCut, ProtocolPhase, cut_frontend, header_backend};
use pgsieve::wire::malformed::MalformedMessage;
use pgsieve::wire::{backend, encode, frontend, startup};
use proptest::prelude::*;

use crate::wire::samples;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn chopped_anywhere_the_same_frames_come_out(
        messages in prop::collection::vec(samples::message(), 0..8),
        cuts in prop::collection::vec(1_usize..40, 1..30),
    ) {
        let stream = messages.concat();
        let (approved, end) = approve(&stream, &cuts);
        prop_assert_eq!(end, Ok(()));
        prop_assert_eq!(approved, messages);
    }

    #[test]
    fn damage_never_changes_what_is_approved(
        messages in prop::collection::vec(samples::message(), 1..6),
        cuts in prop::collection::vec(1_usize..40, 1..30),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut stream = messages.concat();
        for (place, byte) in damage {
            let place = place.index(stream.len());
            stream[place] = byte;
        }
        let (approved, _) = approve(&stream, &cuts);
        prop_assert!(stream.starts_with(&approved.concat()));
    }

    #[test]
    fn how_a_stream_is_chopped_decides_nothing(
        stream in prop::collection::vec(samples::message(), 0..4),
        junk in prop::collection::vec(any::<u8>(), 0..40),
        cuts in prop::collection::vec(1_usize..40, 1..30),
    ) {
        let stream = [stream.concat(), junk].concat();
        prop_assert_eq!(approve(&stream, &cuts), approve(&stream, &[usize::MAX]));
    }

    #[test]
    fn a_text_decoded_is_encoded_to_the_same_bytes(message in samples::message()) {
        let again = match samples::read(&message) {
            Ok(frontend::FrontendMessage::Query(query)) => {
                samples::wrote(|out| encode::query(out, query.text).unwrap())
            }
            Ok(frontend::FrontendMessage::Parse(parse)) => samples::wrote(|out| {
                encode::parse(out, parse.name, parse.text, parse.parameter_types).unwrap();
            }),
            Ok(_) => message.clone(),
            Err(cause) => panic!("{cause}"),
        };
        prop_assert_eq!(again, message);
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        for phase in [ProtocolPhase::Login, ProtocolPhase::Session] {
            if let Ok(FrameCut::Whole(frame)) = cut_frontend(&bytes, phase) {
                prop_assert!(bytes.starts_with(frame.bytes));
            }
        }
        for kind in 0..=u8::MAX {
            let frame = pgsieve::wire::frame::ClientFrame { kind, body: &bytes, bytes: &bytes };
            let _ = format!("{:?}", frontend::decode(&frame));
        }
        let _ = (header_backend(&bytes), startup::cut_first(&bytes));
        let _ = (frontend::password::password(&bytes), frontend::password::sasl_initial(&bytes));
        let _ = (backend::authentication(&bytes), backend::negotiate_protocol_version(&bytes));
        let _ = (backend::backend_key_data(&bytes), backend::parameter_status(&bytes));
        let _ = (backend::command_tag(&bytes), backend::ready_for_query(&bytes));
        if let Ok(fields) = backend::error_fields(&bytes) {
            prop_assert!(fields.iter().count() <= bytes.len());
        }
    }
}

/// Reads a stream as a session does: a buffer grows by what one read brings, whole frames leave it.
/// Answers with the frames approved and how it ended.
fn approve(stream: &[u8], cuts: &[usize]) -> (Vec<Vec<u8>>, Result<(), MalformedMessage>) {
    let (mut approved, mut buffer, mut rest) = (Vec::new(), Vec::new(), stream);
    for size in cuts.iter().cycle() {
        let (chunk, later) = rest.split_at((*size).min(rest.len()));
        buffer.extend_from_slice(chunk);
        rest = later;
        loop {
            let frame = match cut_frontend(&buffer, ProtocolPhase::Session) {
                Ok(FrameCut::Whole(frame)) => frame,
                Ok(FrameCut::Partial { needed }) => {
                    assert!(needed > buffer.len(), "what is whole is not awaited");
                    break;
                }
                Err(cause) => return (approved, Err(cause)),
            };
            if let Err(cause) = frontend::decode(&frame) {
                return (approved, Err(cause));
            }
            approved.push(frame.bytes.to_vec());
            buffer.drain(..frame.bytes.len());
        }
        if rest.is_empty() {
            break;
        }
    }
    (approved, Ok(()))
}
