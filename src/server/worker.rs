//! One thread per core, each with a runtime of its own: a client and its upstream live on one
//! thread, so that no statement waits for another thread to wake.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::listener::Accepted;
use crate::limits;
use crate::session;
use crate::session::drain::{Drain, Draining};
use crate::session::login::pending_logins::PendingLogin;
use crate::session::shared::House;

/// A client that came, and its standing until it has logged in.
pub type Arrived = (Accepted, PendingLogin);

/// A running worker.
pub struct Worker {
    clients: mpsc::Sender<Arrived>,
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system's, when it has no thread or no event queue left.
    pub fn start(index: usize, house: House, draining: Draining) -> io::Result<Self> {
        let (clients, arriving) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        let open = Arc::new(AtomicUsize::new(0));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(limits::JUDGE_THREADS_MAX + limits::RESCUES_MAX)
            .build()?;
        let sessions = Sessions {
            house: Arc::new(house),
            draining,
            open: Arc::clone(&open),
        };
        let thread = std::thread::Builder::new()
            .name(format!("worker-{index}"))
            .spawn(move || runtime.block_on(sessions.run(arriving)))?;
        Ok(Self {
            clients,
            open,
            thread,
        })
    }

    /// How many clients it serves now.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// The count behind [`Self::open`], for when the worker itself is being joined.
    pub fn counter(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.open)
    }

    /// Hands a client over; gives it back when too many wait already.
    pub fn take(&self, client: Arrived) -> Result<(), Arrived> {
        self.open.fetch_add(1, Ordering::Relaxed);
        self.clients.try_send(client).map_err(|refused| {
            self.open.fetch_sub(1, Ordering::Relaxed);
            refused.into_inner()
        })
    }

    /// Waits until its last client is gone.
    pub fn join(self) {
        let Self {
            clients, thread, ..
        } = self;
        drop(clients);
        if thread.join().is_err() {
            // The panic hook has counted and logged it.
        }
    }
}

/// What runs on the thread.
struct Sessions {
    house: Arc<House>,
    draining: Draining,
    open: Arc<AtomicUsize>,
}

impl Sessions {
    async fn run(self, mut arriving: mpsc::Receiver<Arrived>) {
        let (drain, draining) = Drain::new();
        tokio::spawn(drain.follow(self.draining.clone()));
        tokio::spawn(self.house.turns.clone().call());
        let mut running = JoinSet::new();
        let mut accepting = true;
        while accepting || !running.is_empty() {
            tokio::select! {
                client = arriving.recv(), if accepting => match client {
                    Some(client) => self.start(&mut running, client, draining.clone()),
                    None => accepting = false,
                },
                Some(ended) = running.join_next(), if !running.is_empty() => {
                    self.open.fetch_sub(1, Ordering::Relaxed);
                    if ended.is_err_and(|error| error.is_panic()) {
                        self.house.session_panicked();
                    }
                }
            }
        }
    }

    fn start(&self, running: &mut JoinSet<()>, (client, pending): Arrived, draining: Draining) {
        // Nothing is spawned around a session: what surrounds it would take as much as it does.
        match client.adopt() {
            Ok(client) => {
                let house = Arc::clone(&self.house);
                let accepted = Box::new(house.number(client, pending));
                running.spawn(session::serve(accepted, house, draining))
            }
            // It is gone already; what counts it hears of that as of any other.
            Err(_) => running.spawn(async {}),
        };
    }
}
