//! One thread per core, each with a runtime of its own: a client and its upstream live on one
//! thread, so that no statement waits for another thread to wake.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;

use super::listener::AcceptedStream;
use crate::limits;
use crate::session;
use crate::session::drain::{DrainReceiver, DrainSender};
use crate::session::login::pending_logins::PendingLogin;
use crate::session::shared::ServerShared;

/// A client that came, and its standing until it has logged in.
pub type ArrivedClient = (AcceptedStream, PendingLogin);

/// A running worker.
pub struct WorkerThread {
    clients: mpsc::Sender<ArrivedClient>,
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl WorkerThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// The system's, when it has no thread or no event queue left.
    pub fn start(
        index: usize,
        server_shared: ServerShared,
        (draining, serving): (DrainReceiver, WorkersServing),
    ) -> io::Result<Self> {
        let (clients, arriving) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        let open = Arc::new(AtomicUsize::new(0));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(limits::JUDGE_THREADS_MAX + limits::REPAIRS_MAX)
            .build()?;
        let sessions = WorkerSessions {
            server_shared: Arc::new(server_shared),
            draining,
            serving,
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
    ///
    /// # Errors
    /// The client, where too many wait already.
    pub fn take(&self, client: ArrivedClient) -> Result<(), ArrivedClient> {
        self.open.fetch_add(1, Ordering::Relaxed);
        self.clients.try_send(client).map_err(|refused| {
            self.open.fetch_sub(1, Ordering::Relaxed);
            refused.into_inner()
        })
    }

    /// Waits until the last client of all of them is gone. None gets any more: each of them ends
    /// with the others.
    pub fn join_all(workers: Vec<Self>) {
        let ending = workers.into_iter().map(|worker| worker.thread);
        // No worker is left that could be handed a client.
        let ending: Vec<JoinHandle<()>> = ending.collect();
        for thread in ending {
            if thread.join().is_err() {
                // The panic hook has counted and logged it.
            }
        }
    }
}

/// What runs on the thread.
struct WorkerSessions {
    server_shared: Arc<ServerShared>,
    draining: DrainReceiver,
    serving: WorkersServing,
    open: Arc<AtomicUsize>,
}

/// Held by each worker that has sessions or may get some. A worker that has none left waits for the
/// others: a session of theirs may have a connection that its runtime wakes.
#[derive(Clone)]
pub struct WorkersServing {
    held: mpsc::Sender<Infallible>,
    ended: Arc<Mutex<mpsc::Receiver<Infallible>>>,
}

impl WorkersServing {
    /// For workers that are about to start.
    pub fn begin() -> Self {
        let (held, ended) = mpsc::channel(1);
        Self {
            held,
            ended: Arc::new(Mutex::new(ended)),
        }
    }

    /// This one has no sessions any more. Ready when none has.
    async fn end(self) {
        let Self { held, ended } = self;
        drop(held);
        // Nothing is ever sent: it is over when everybody has let go.
        let _ = ended.lock().await.recv().await;
    }
}

impl WorkerSessions {
    async fn run(self, mut arriving: mpsc::Receiver<ArrivedClient>) {
        let (drain, draining) = DrainSender::new();
        tokio::spawn(drain.follow(self.draining.clone()));
        tokio::spawn(self.server_shared.turns.clone().run());
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
                        self.server_shared.session_panicked();
                    }
                }
            }
        }
        self.serving.end().await;
    }

    fn start(
        &self,
        running: &mut JoinSet<()>,
        (client, pending): ArrivedClient,
        draining: DrainReceiver,
    ) {
        // Nothing is spawned around a session: what surrounds it would take as much as it does.
        let caller = client.caller();
        match client.adopt() {
            Ok(client) => {
                let server_shared = Arc::clone(&self.server_shared);
                let accepted = Box::new(server_shared.number(client, pending, caller));
                running.spawn(session::serve(accepted, server_shared, draining))
            }
            // It is gone already; what counts it hears of that as of any other.
            Err(_) => running.spawn(async {}),
        };
    }
}
