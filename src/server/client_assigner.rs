//! Which worker a client that arrives comes to, and who is turned away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{Semaphore, mpsc};

use super::listener::AcceptedStream;
use crate::limits;
use crate::session::login::pending_logins::{LoginCapacity, PendingLogin, PendingLogins};
use crate::session::scheduling::worker_load::WorkerLoads;
use crate::session::shared::ServerShared;

/// A client that came, and its standing until it has logged in.
pub type ArrivedClient = (AcceptedStream, PendingLogin);

/// Where clients come to one worker, and how many are there. Cheap to clone.
#[derive(Clone)]
pub struct WorkerEntrance {
    clients: mpsc::Sender<Box<ArrivedClient>>,
    open: Arc<AtomicUsize>,
}

/// Gives clients that arrive to the workers. Workers have no more clients to wait for once it is
/// dropped.
pub struct ClientAssigner {
    entrances: Vec<WorkerEntrance>,
    loads: WorkerLoads,
    pending: PendingLogins,
    connections_max: usize,
    server_shared: ServerShared,
    turned_away: Arc<Semaphore>,
}

impl WorkerEntrance {
    /// That of a worker which counts its clients so, and what the worker hears of them.
    pub fn of(open: Arc<AtomicUsize>) -> (Self, mpsc::Receiver<Box<ArrivedClient>>) {
        let (clients, arriving) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        (Self { clients, open }, arriving)
    }

    fn enter(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    /// Hands a client over.
    ///
    /// # Errors
    /// The client, where too many wait already.
    fn send(&self, client: ArrivedClient) -> Result<(), AcceptedStream> {
        self.enter();
        self.clients.try_send(Box::new(client)).map_err(|refused| {
            self.open.fetch_sub(1, Ordering::Relaxed);
            refused.into_inner().0
        })
    }
}

impl ClientAssigner {
    /// For these workers, which have places for so many clients together.
    pub fn new(
        entrances: Vec<WorkerEntrance>,
        loads: WorkerLoads,
        connections_max: usize,
        server_shared: ServerShared,
    ) -> Self {
        Self {
            entrances,
            loads,
            pending: PendingLogins::new(connections_max),
            connections_max,
            server_shared,
            turned_away: Arc::new(Semaphore::new(limits::TURNED_AWAY_MAX)),
        }
    }

    /// Hands a client to the worker that its load makes the next, over to that one's thread. Where
    /// all places are taken, one that says nothing gives way, or it is turned away.
    pub fn assign(&self, client: AcceptedStream) {
        self.assign_from(None, client);
    }

    /// The same on the thread of a worker: gives the client back where it is to stay there.
    pub fn assign_at(&self, worker: usize, client: AcceptedStream) -> Option<ArrivedClient> {
        self.assign_from(Some(worker), client)
    }

    fn assign_from(&self, here: Option<usize>, client: AcceptedStream) -> Option<ArrivedClient> {
        let counts = self.entrances.iter();
        let counts = counts.map(|entrance| entrance.open.load(Ordering::Relaxed));
        let counts: Vec<usize> = counts.collect();
        let open: usize = counts.iter().sum();
        let place = self.loads.place(&counts);
        let places = if open < self.connections_max {
            LoginCapacity::Left
        } else {
            LoginCapacity::Full
        };
        let pending = self.pending.accept(client.peer(), places);
        let (Some(entrance), Some(pending)) = (self.entrances.get(place), pending) else {
            self.turn_away(client);
            return None;
        };
        let pending = pending.with_worker(self.loads.login(place));
        if here == Some(place) {
            entrance.enter();
            return Some((client, pending));
        }
        // Where that fails it is gone already.
        let client = client.detach().ok()?;
        if let Err(refused) = entrance.send((client, pending)) {
            self.turn_away(refused);
        }
        None
    }

    fn turn_away(&self, client: AcceptedStream) {
        if let Ok(place) = Arc::clone(&self.turned_away).try_acquire_owned()
            && let Ok(client) = client.adopt()
        {
            let server_shared = self.server_shared.clone();
            tokio::spawn(async move {
                server_shared.turn_away(client).await;
                drop(place);
            });
        }
    }
}
