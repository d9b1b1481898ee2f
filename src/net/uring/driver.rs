//! What hands the operations of a thread's ring to the system, and wakes whoever waits for them.

use std::future::Future;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::operations::Ring;
use super::with;
use crate::limits::rings::RECEIVE_HELD_TIME;

/// Runs on the thread of its ring, as a task beside its sessions, for as long as they do.
///
/// It is woken by what the sessions ask for and by what the system has done, and comes to its turn
/// behind the tasks that are ready: what they ask for goes together.
pub struct RingDriver {
    ring: AsyncFd<RingDescriptor>,
    looks: Interval,
}

/// The ring is the thread's and outlives its runtime.
struct RingDescriptor(RawFd);

impl AsRawFd for RingDescriptor {
    fn as_raw_fd(&self) -> RawFd {
        self.0
    }
}

impl RingDriver {
    /// For the ring of this thread, on the runtime that this is called in.
    ///
    /// # Errors
    /// There is no ring, or the system has no room for another descriptor to wait for.
    pub fn of_this_thread() -> io::Result<Self> {
        let descriptor = with(|ring| RingDescriptor(ring.proactor().as_raw_fd()));
        let descriptor = descriptor.ok_or(io::ErrorKind::NotFound)?;
        let mut looks = interval(RECEIVE_HELD_TIME);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        #[expect(
            deprecated,
            reason = "the library lends no descriptor of a ring; the thread's is closed as it ends"
        )]
        let ring = AsyncFd::with_interest(descriptor, Interest::READABLE)?;
        Ok(Self { ring, looks })
    }
}

impl Future for RingDriver {
    type Output = io::Error;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Error> {
        while let Poll::Ready(told) = self.ring.poll_read_ready(context) {
            match told {
                Ok(mut told) => told.clear_ready(),
                Err(error) => return Poll::Ready(error),
            }
        }
        let is_holding = with(|ring| {
            ring.begin_turn(context.waker());
            ring.turn();
            ring.has_holding()
        });
        while is_holding == Some(true) && self.looks.poll_tick(context).is_ready() {
            with(Ring::look_for_quiet);
        }
        Poll::Pending
    }
}
