//! Bytes forwarded are bytes approved: whatever a client sends, in whatever pieces, the upstream
//! gets frames that the gate approved, byte for byte and in order, and a few constants of pgsieve's
//! own. Test code only.

use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};
use proptest::sample::select;

use super::exchange::{TestExchange, bind, close, execute, message, parse, query, sync};
use crate::session::reply::CloseReason;
use crate::session::session_end::SessionEnd;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_upstream_gets_only_what_was_approved(
        messages in vec(any_message(), 1..40),
        cuts in vec(1_usize..50, 1..40),
    ) {
        let sent = messages.concat();
        let mut exchange = TestExchange::new();
        let mut forwarded = Vec::new();
        let (mut held, mut rest, mut cuts) = (Vec::new(), &sent[..], cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, later) = rest.split_at(rest.len().min(*cuts.next().unwrap()));
            held.extend_from_slice(piece);
            rest = later;
            let taken = match exchange.protocol.client_bytes(&held) {
                Ok(taken) => taken,
                Err(SessionEnd::Ended(CloseReason::Violation(_))) => break,
                Err(other) => panic!("ended by {other:?}"),
            };
            held.drain(..taken.consumed);
            forwarded.extend_from_slice(exchange.protocol.upstream.outbox.as_bytes());
            exchange.protocol.upstream.outbox = Default::default();
        }
        let mut candidates = messages.iter().filter(|message| !is_write(message));
        for frame in frames(&forwarded) {
            assert!(!is_write(frame), "a refused text was forwarded");
            let ours =
                frame.ends_with(FAILING) || frame.ends_with(FAILING_PARSE) || frame == FLUSH;
            assert!(ours || candidates.any(|message| message == frame), "not as it was sent");
        }
    }
}

fn any_message() -> impl Strategy<Value = Vec<u8>> {
    let name = || select(vec!["", "a", "b"]);
    let text = || {
        select(vec![
            "SELECT 1",
            "SELECT 'it''s; '",
            "BEGIN",
            "COMMIT",
            "",
            "SHOW TimeZone",
            WRITE,
        ])
    };
    prop_oneof![
        text().prop_map(query),
        (name(), text()).prop_map(|(name, text)| parse(name, text)),
        (name(), name()).prop_map(|(portal, name)| bind(portal, name)),
        name().prop_map(execute),
        name().prop_map(close),
        name().prop_map(|name| message(b'D', &[b"S", name.as_bytes(), b"\0"].concat())),
        Just(sync()),
        Just(message(b'H', b"")),
        Just(message(b'd', b"1\tDELETE FROM t\n")),
    ]
}

fn is_write(frame: &[u8]) -> bool {
    frame
        .windows(WRITE.len())
        .any(|window| window == WRITE.as_bytes())
}

fn frames(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut frames = Vec::new();
    while let Some((header, _)) = bytes.split_first_chunk::<5>() {
        let length = u32::from_be_bytes([header[1], header[2], header[3], header[4]]);
        let (frame, rest) = bytes.split_at(1 + usize::try_from(length).unwrap());
        frames.push(frame);
        bytes = rest;
    }
    frames
}

/// The text that must never arrive.
const WRITE: &str = "DELETE FROM t";

/// The end of the statement that stands in for a refused one, as a Query and as a Parse.
const FAILING: &[u8] = b"pgsieve refused this statement\0";
const FAILING_PARSE: &[u8] = b"pgsieve refused this statement\0\0\0";

/// What pgsieve may add so that a pipeline without a Sync comes to its end.
const FLUSH: &[u8] = b"H\0\0\0\x04";
