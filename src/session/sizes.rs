//! What a session takes while it does nothing, held here so that it does not grow back unseen. Test
//! code only.

use std::mem::size_of;
use std::sync::Arc;

use super::conversation::Conversation;
use super::drain::Draining;
use super::house::House;
use super::login::Accepted;
use super::relay::Relay;
use super::serve;

/// The bytes of the future that a function makes.
fn future_bytes<F: Future>(_: impl Fn(Box<Accepted>, Arc<House>, Draining) -> F) -> usize {
    size_of::<F>()
}

#[test]
fn a_session_that_does_nothing_takes_little() {
    let parts = [
        ("the future", future_bytes(serve), 264),
        ("the relay", size_of::<Relay>(), 1_544),
        ("the conversation in it", size_of::<Conversation>(), 1_048),
    ];
    for (what, bytes, most) in parts {
        println!("{what}: {bytes}");
        assert!(bytes <= most, "{what} takes {bytes} bytes, {most} at most");
    }
}
