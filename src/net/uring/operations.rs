//! What is under way on one ring, and how a socket leaves it.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;

use compio_driver::op::{PollOnce, Recv, Send};
use compio_driver::{Cancel, DriverType, Key, Proactor};

use super::RingMail;
use crate::limits::rings::{
    CALL_BACK_TURNS_MAX, CALLED_BACK_MAX, RING_ENTRIES, RING_TURN_OPERATIONS,
};

pub(super) type Receiving = Recv<Vec<u8>, Arc<TcpStream>>;
pub(super) type Readable = PollOnce<Arc<TcpStream>>;
pub(super) type Sending = Send<Vec<u8>, Arc<TcpStream>>;

/// The ring of one thread.
pub(super) struct Ring {
    pub(super) proactor: Proactor,
    /// Keeps it from waiting when it is asked what is done.
    pub(super) awake: Waker,
    pub(super) mail: Arc<RingMail>,
    pub(super) seats: Vec<Seat>,
    pub(super) free: Vec<usize>,
    pub(super) spare_receives: Vec<Vec<u8>>,
    pub(super) spare_sends: Vec<Vec<u8>>,
    /// The seats of sends that are done.
    pub(super) sent: Arc<Mutex<Vec<usize>>>,
    pub(super) driver: Option<Waker>,
    /// The driver has been called and has not come yet.
    pub(super) is_driver_due: bool,
    /// Operations since it came.
    pub(super) pushed: u32,
    /// Receives that hold a buffer.
    pub(super) holding: usize,
    /// Counts the looks for those that have held one for long.
    pub(super) look: u32,
}

/// What is under way for one socket.
#[derive(Default)]
pub(super) struct Seat {
    /// None where nobody sits.
    pub(super) socket: Option<Arc<TcpStream>>,
    pub(super) receive: Receive,
    /// What is read next probably fills every buffer.
    pub(super) is_bulk: bool,
    /// It has held a buffer for long and is to wait without one.
    pub(super) is_quiet: bool,
    pub(super) sending: Option<Key<Sending>>,
    /// What waits for that.
    pub(super) behind: Vec<u8>,
    pub(super) failure: Option<io::Error>,
    pub(super) writer: Option<Waker>,
    pub(super) sent: Option<Waker>,
    pub(super) is_abandoned: bool,
}

#[derive(Default)]
pub(super) enum Receive {
    #[default]
    None,
    Bytes {
        key: Key<Receiving>,
        cancel: Cancel,
        look: u32,
    },
    Readable {
        key: Key<Readable>,
        cancel: Cancel,
    },
    /// Received, and not read yet.
    Here {
        buffer: Vec<u8>,
        from: usize,
        to: usize,
    },
    /// It has ended so, and that was not told yet.
    Failed(io::Error),
}

/// Woken when a send of a seat is done.
pub(super) struct SendDone {
    seat: usize,
    done: Arc<Mutex<Vec<usize>>>,
}

impl Wake for SendDone {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.push(self.seat);
    }
}

impl Ring {
    pub(super) fn new(mail: Arc<RingMail>) -> io::Result<Self> {
        let mut builder = Proactor::builder();
        builder.capacity(RING_ENTRIES);
        builder
            .single_issuer(true)
            .coop_taskrun(true)
            .taskrun_flag(true);
        let proactor = builder.build()?;
        if proactor.driver_type() != DriverType::IoUring {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Self {
            awake: proactor.waker(),
            proactor,
            mail,
            seats: Vec::new(),
            free: Vec::new(),
            spare_receives: Vec::new(),
            spare_sends: Vec::new(),
            sent: Arc::default(),
            driver: None,
            is_driver_due: false,
            pushed: 0,
            holding: 0,
            look: 0,
        })
    }

    pub(super) fn mail(&self) -> &Arc<RingMail> {
        &self.mail
    }

    pub(super) fn proactor(&self) -> &Proactor {
        &self.proactor
    }

    /// Whether some receives hold buffers.
    pub(super) fn has_holding(&self) -> bool {
        self.holding > 0
    }

    /// The driver has come: who calls it next wakes this.
    pub(super) fn begin_turn(&mut self, driver: &Waker) {
        self.is_driver_due = false;
        let is_known = self
            .driver
            .as_ref()
            .is_some_and(|known| known.will_wake(driver));
        if !is_known {
            self.mail.set_driver(driver);
            self.driver = Some(driver.clone());
        }
    }

    /// Hands over what was asked for, and wakes whoever waits for what is done.
    pub(super) fn turn(&mut self) {
        for seat in self.mail.take() {
            self.abandon(seat);
        }
        self.hand_over();
        loop {
            let sent = self.take_sent();
            if sent.is_empty() {
                break;
            }
            for seat in sent {
                self.go_on_sending(seat);
            }
        }
    }

    fn take_sent(&self) -> Vec<usize> {
        std::mem::take(&mut self.sent.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Who is to be woken when a send of this seat is done.
    pub(super) fn send_done(&self, seat: usize) -> SendDone {
        let done = Arc::clone(&self.sent);
        SendDone { seat, done }
    }

    fn hand_over(&mut self) {
        self.pushed = 0;
        self.awake.wake_by_ref();
        if let Err(error) = self.proactor.poll(Some(Duration::ZERO))
            && error.kind() != io::ErrorKind::TimedOut
        {
            // The system was interrupted or had no room: what it has not taken goes next.
            self.call_driver();
        }
    }

    /// Receives that have held a buffer since the look before give it back.
    pub(super) fn look_for_quiet(&mut self) {
        let now = self.look;
        let quiet = self.seats.iter().filter_map(|seat| match &seat.receive {
            Receive::Bytes { cancel, look, .. } if *look != now => Some(cancel),
            _ => None,
        });
        for cancel in quiet.take(CALLED_BACK_MAX) {
            self.proactor.cancel_token(cancel.clone());
            self.pushed += 1;
        }
        self.look = self.look.wrapping_add(1);
        self.call_driver();
    }

    /// A place for what is under way for this socket.
    pub(super) fn sit(&mut self, socket: Arc<TcpStream>) -> usize {
        let seat = Seat {
            socket: Some(socket),
            ..Seat::default()
        };
        match self.free.pop() {
            Some(index) => {
                if let Some(place) = self.seats.get_mut(index) {
                    *place = seat;
                }
                index
            }
            None => {
                self.seats.push(seat);
                self.seats.len() - 1
            }
        }
    }

    pub(super) fn vacate(&mut self, index: usize) {
        if let Some(place) = self.seats.get_mut(index)
            && place.socket.is_some()
        {
            *place = Seat::default();
            self.free.push(index);
        }
    }

    /// Something was asked for: it is handed over when the tasks that are ready have had their
    /// turn.
    pub(super) fn call_driver(&mut self) {
        if self.pushed >= RING_TURN_OPERATIONS {
            self.hand_over();
        }
        if !self.is_driver_due {
            self.is_driver_due = true;
            if let Some(driver) = &self.driver {
                driver.wake_by_ref();
            }
        }
    }
}

impl Ring {
    /// Whether nothing is under way for it.
    fn is_still(&self, index: usize) -> bool {
        self.seats.get(index).is_none_or(|seat| {
            seat.sending.is_none()
                && !matches!(
                    seat.receive,
                    Receive::Bytes { .. } | Receive::Readable { .. }
                )
        })
    }

    /// Calls its receive back and gives up its seat. What was received and not read is handed over.
    ///
    /// # Errors
    /// It goes on here: what it has sent is not taken yet. Or the connection is broken.
    pub(super) fn leave(&mut self, index: usize) -> io::Result<Vec<u8>> {
        let is_sending = |ring: &Self| {
            let seat = ring.seats.get(index);
            seat.is_some_and(|seat| seat.sending.is_some())
        };
        if is_sending(self) {
            self.turn();
        }
        if is_sending(self) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        for _ in 0..CALL_BACK_TURNS_MAX {
            self.settle_receive(index);
            if self.is_still(index) {
                break;
            }
            self.call_back(index);
            self.turn();
        }
        if !self.is_still(index) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let Some(seat) = self.seats.get_mut(index) else {
            return Ok(Vec::new());
        };
        if let Some(failure) = seat.failure.take() {
            return Err(failure);
        }
        let arrived = match std::mem::take(&mut seat.receive) {
            // The end is seen by the next read, too.
            Receive::Here { buffer, from, to } => buffer.get(from..to).unwrap_or_default().to_vec(),
            Receive::Failed(error) => return Err(error),
            _ => Vec::new(),
        };
        self.vacate(index);
        Ok(arrived)
    }

    fn call_back(&mut self, index: usize) {
        let receive = self.seats.get(index).map(|seat| &seat.receive);
        if let Some(Receive::Bytes { cancel, .. } | Receive::Readable { cancel, .. }) = receive {
            self.proactor.cancel_token(cancel.clone());
            self.pushed += 1;
        }
    }

    /// Nobody has the socket any more: it is closed when what was sent has been tried.
    pub(super) fn abandon(&mut self, index: usize) {
        let Some(seat) = self.seats.get_mut(index) else {
            return;
        };
        seat.is_abandoned = true;
        seat.writer = None;
        match &seat.sending {
            None => self.close(index),
            Some(key) => {
                let cancel = self.proactor.register_cancel(key);
                self.proactor.cancel_token(cancel);
                self.pushed += 1;
                self.call_back(index);
                self.call_driver();
            }
        }
    }

    pub(super) fn close(&mut self, index: usize) {
        let Some(seat) = self.seats.get_mut(index) else {
            return;
        };
        let receive = std::mem::take(&mut seat.receive);
        let is_waiting = match receive {
            Receive::Bytes { key, .. } => {
                self.holding = self.holding.saturating_sub(1);
                self.proactor.cancel(key).is_none()
            }
            Receive::Readable { key, .. } => self.proactor.cancel(key).is_none(),
            Receive::None | Receive::Here { .. } | Receive::Failed(_) => false,
        };
        if is_waiting && let Some(socket) = &seat.socket {
            // Its operation holds the socket for a moment longer; the peer is told at once.
            let _ = socket.shutdown(Shutdown::Both);
            self.pushed += 1;
            self.call_driver();
        }
        self.vacate(index);
    }
}
