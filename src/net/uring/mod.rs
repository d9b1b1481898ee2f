//! Sockets that a ring (io_uring) reads and writes, one ring for each worker thread.
//!
//! What all sessions of a thread want to receive and send in one round of its tasks is handed to
//! the system in one call. The runtime goes on waiting for everything, with epoll: for the ring's
//! own descriptor among the rest. `driver` hands over and wakes; `operations` holds what is under
//! way, `receiving` and `sending` go on with it; [`RingSocket`] is one socket.
//!
//! Buffers belong to the operations that the system may still write to, so they are never lent: a
//! receive has one of its own, which it gives back where it waits for long.

mod backend;
mod driver;
mod operations;
mod receiving;
mod ring_socket;
mod sending;

use std::cell::RefCell;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;

pub use self::backend::IoBackend;
use self::driver::RingDriver;
use self::operations::Ring;
pub use self::ring_socket::RingSocket;

thread_local! {
    static RING: RefCell<Option<Ring>> = const { RefCell::new(None) };
}

/// What other threads leave for the ring of one.
#[derive(Debug, Default)]
struct RingMail {
    left: Mutex<RingLeft>,
}

#[derive(Debug, Default)]
struct RingLeft {
    /// Sockets that are gone.
    abandoned: Vec<usize>,
    driver: Option<Waker>,
}

impl RingMail {
    fn abandon(&self, seat: usize) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.abandoned.push(seat);
        if let Some(driver) = &left.driver {
            driver.wake_by_ref();
        }
    }

    fn take(&self) -> Vec<usize> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut left.abandoned)
    }

    fn set_driver(&self, driver: &Waker) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.driver = Some(driver.clone());
    }
}

/// Does the thread that this is called on have a ring?
pub fn is_here() -> bool {
    with(|_| ()).is_some()
}

/// Whether the system lets this process have rings: containers often may not.
///
/// # Errors
/// Why it does not.
fn probe() -> io::Result<()> {
    Ring::new(Arc::default()).map(drop)
}

/// Gives a ring to the thread that this is called on, for as long as it lives: in the runtime of
/// that thread, whose tasks drive it.
///
/// # Errors
/// The system's: it has no rings, or this process may have no more. The thread has none then.
pub fn begin() -> io::Result<()> {
    let ring = Ring::new(Arc::default())?;
    RING.with(|place| *place.borrow_mut() = Some(ring));
    match RingDriver::of_this_thread() {
        Ok(driver) => drop(tokio::spawn(driver)),
        Err(error) => {
            // Nothing goes onto a ring that nobody drives.
            RING.with(|place| *place.borrow_mut() = None);
            return Err(error);
        }
    }
    Ok(())
}

/// With the ring of this thread. None where there is none, or where it is at work.
fn with<T>(act: impl FnOnce(&mut Ring) -> T) -> Option<T> {
    let acted = RING.try_with(|place| {
        let mut place = place.try_borrow_mut().ok()?;
        place.as_mut().map(act)
    });
    acted.ok().flatten()
}

#[cfg(test)]
mod tests;
