//! What a session takes while it does nothing, held here so that it does not grow back unseen. Test
//! code only.

use std::mem::size_of;
use std::sync::Arc;

use crate::session::drain::DrainReceiver;
use crate::session::io::Relay;
use crate::session::protocol::SessionProtocol;
use crate::session::shared::ServerShared;
use crate::session::{go_on, serve};

/// The bytes of the future that a function makes.
fn future_bytes<S, F: Future>(_: impl Fn(S, Arc<ServerShared>, DrainReceiver) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn a_session_that_does_nothing_takes_little() {
    let parts = [
        ("the future", future_bytes(serve), 264),
        ("the future with another worker", future_bytes(go_on), 264),
        ("the relay", size_of::<Relay>(), 1_616),
        (
            "the conversation in it",
            size_of::<SessionProtocol>(),
            1_112,
        ),
    ];
    for (what, bytes, most) in parts {
        println!("{what}: {bytes}");
        assert!(bytes <= most, "{what} takes {bytes} bytes, {most} at most");
    }
}
