//! Logins that fail for a reason that passes by itself: the server has no room, is starting up, or
//! is not there yet. They are tried again a few times, each later than the one before.
//!
//! Nothing of a session exists at that point, so there is nothing that could be done twice.

use std::io::ErrorKind;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::connect::UpstreamConnectError;
use super::login::{UpstreamLoginError, sqlstate_of};
use crate::limits;
use crate::sqlstate;

/// The tries that are left for one login.
#[derive(Debug)]
pub struct LoginTries {
    left: u32,
    pause: Duration,
    deadline: Instant,
}

/// What is to be done after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryDecision {
    /// It is tried again: the pause is over.
    Try,
    /// It is told.
    GiveUp,
}

impl LoginTries {
    /// Those of a login that has to be done by then.
    pub fn new(deadline: Instant) -> Self {
        Self {
            left: limits::UPSTREAM_LOGIN_RETRIES_MAX,
            pause: limits::UPSTREAM_LOGIN_PAUSE,
            deadline,
        }
    }

    /// Waits, if the failure may pass and there is time. May be cancelled.
    pub async fn wait_after(&mut self, error: &UpstreamLoginError) -> RetryDecision {
        let Some(left) = self.left.checked_sub(1) else {
            return RetryDecision::GiveUp;
        };
        let pause = jittered(self.pause);
        if !passes(error) || Instant::now() + pause >= self.deadline {
            return RetryDecision::GiveUp;
        }
        self.left = left;
        self.pause *= 2;
        sleep(pause).await;
        RetryDecision::Try
    }
}

/// Whether a moment later it may be otherwise.
fn passes(error: &UpstreamLoginError) -> bool {
    match error {
        UpstreamLoginError::Refused(message) => {
            let told = [sqlstate::TOO_MANY_CONNECTIONS, sqlstate::CANNOT_CONNECT_NOW];
            let code = sqlstate_of(message);
            told.iter().any(|known| code == Some(known.as_str()))
        }
        // Refused, or a socket that is not there: nothing was ever sent.
        UpstreamLoginError::Connect(UpstreamConnectError::Unreachable(kind)) => {
            matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::NotFound)
        }
        UpstreamLoginError::Connect(_)
        | UpstreamLoginError::Link(_)
        | UpstreamLoginError::CleartextInClear
        | UpstreamLoginError::UnsupportedMethod
        | UpstreamLoginError::NoPassword
        | UpstreamLoginError::OnlyKeys
        | UpstreamLoginError::Scram(_)
        | UpstreamLoginError::Unsaid(_)
        | UpstreamLoginError::OutOfPlace(_)
        | UpstreamLoginError::TooMuch => false,
    }
}

/// Somewhere between half of a pause and all of it: many clients that were turned away together
/// must not come back together.
pub(super) fn jittered(pause: Duration) -> Duration {
    let mut random = [0_u8; 1];
    // Without randomness they do come together, which is no more than slow.
    let _ = getrandom::fill(&mut random);
    let [random] = random;
    pause / 2 + pause * u32::from(random) / (2 * u32::from(u8::MAX))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::net::framed_stream::{OwnedMessage, PeerError};

    fn refused(code: &str) -> UpstreamLoginError {
        let body = format!("SFATAL\0C{code}\0Mno\0\0");
        let mut bytes = vec![b'E', 0, 0, 0, 0];
        bytes.extend_from_slice(body.as_bytes());
        UpstreamLoginError::Refused(OwnedMessage {
            kind: b'E',
            bytes: Bytes::from(bytes),
        })
    }

    fn unreachable(kind: ErrorKind) -> UpstreamLoginError {
        UpstreamLoginError::Connect(UpstreamConnectError::Unreachable(kind))
    }

    #[test]
    fn only_what_passes_by_itself_is_tried_again() {
        for error in [
            refused("53300"),
            refused("57P03"),
            unreachable(ErrorKind::ConnectionRefused),
        ] {
            assert!(passes(&error), "{error}");
        }
        for error in [
            refused("28P01"),
            refused("3D000"),
            refused("53200"),
            refused("57P01"),
            unreachable(ErrorKind::ConnectionReset),
            UpstreamLoginError::Link(PeerError::Closed),
            UpstreamLoginError::NoPassword,
        ] {
            assert!(!passes(&error), "{error}");
        }
    }

    #[tokio::test]
    async fn tries_have_an_end_and_pauses_grow_within_the_deadline() {
        let error = refused("53300");
        let mut tries = LoginTries::new(Instant::now() + limits::LOGIN_TIME_MAX);
        let began = Instant::now();
        for _ in 0..limits::UPSTREAM_LOGIN_RETRIES_MAX {
            assert_eq!(tries.wait_after(&error).await, RetryDecision::Try);
        }
        assert_eq!(tries.wait_after(&error).await, RetryDecision::GiveUp);
        let all = limits::UPSTREAM_LOGIN_PAUSE * ((1 << limits::UPSTREAM_LOGIN_RETRIES_MAX) - 1);
        assert!(began.elapsed() >= all / 2, "{:?}", began.elapsed());
        let mut late = LoginTries::new(Instant::now());
        assert_eq!(late.wait_after(&error).await, RetryDecision::GiveUp);
    }

    #[test]
    fn a_jittered_pause_is_between_half_and_whole() {
        for _ in 0..100 {
            let pause = jittered(Duration::from_millis(100));
            assert!(pause >= Duration::from_millis(50) && pause <= Duration::from_millis(100));
        }
    }
}
