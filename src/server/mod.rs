//! Accepts connections, spreads them over workers, drains, and serves the admin address.
//!
//! Accepting happens on the main thread; a client then comes to the worker that its load makes the
//! next, and moves where loads change.

pub mod admin;
pub mod budget_file;
pub mod grounding;
pub mod limits_store;
pub mod listener;
pub mod local_clients;
pub mod readiness;
pub mod reload;
pub mod worker;

use std::fmt;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::listener::{AcceptedStream, BindAddress, Listener};
use self::local_clients::LocalClients;
use self::worker::{WorkerDoors, WorkerThread, WorkersServing};
use crate::limits;
use crate::session::drain::{DrainReceiver, DrainSender};
use crate::session::login::pending_logins::{LoginCapacity, PendingLogins};
use crate::session::scheduling::worker_load::WorkerLoads;
use crate::session::shared::ServerShared;
use crate::system_error;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{DrainStarted, ServerStopped};

/// What the server needs to know besides what its sessions share.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where clients arrive.
    pub listen: Vec<BindAddress>,
    /// Worker threads; at least one.
    pub workers: usize,
    /// Clients at once; more are told 53300.
    pub connections_max: usize,
    /// How long running statements may take to finish when the server drains.
    pub drain_timeout: Duration,
    /// How long sessions may go on before that.
    pub wait_for_clients: Duration,
}

/// A server whose places are bound and whose workers run.
pub struct ProxyServer {
    settings: ServerSettings,
    listeners: Vec<Listener>,
    workers: Vec<WorkerThread>,
    loads: WorkerLoads,
    server_shared: ServerShared,
    pending: PendingLogins,
    drain: DrainSender,
    draining: DrainReceiver,
    sender: mpsc::Sender<AcceptedStream>,
    accepted: mpsc::Receiver<AcceptedStream>,
    accepting: JoinSet<()>,
    turned_away: JoinSet<()>,
}

/// Why a server could not start.
#[derive(Debug)]
pub enum StartError {
    /// A place could not be bound.
    Bind {
        /// Which.
        place: BindAddress,
        /// What the system said.
        source: io::Error,
    },
    /// A worker thread could not be started.
    Worker(io::Error),
}

impl ProxyServer {
    /// Binds every place and starts the workers.
    ///
    /// # Errors
    /// The first place that cannot be bound, or the system's refusal of a thread.
    pub fn start(
        settings: ServerSettings,
        server_shared: ServerShared,
    ) -> Result<Self, StartError> {
        let mut listeners = Vec::new();
        for place in &settings.listen {
            let listener = Listener::bind(place).map_err(|source| StartError::Bind {
                place: place.clone(),
                source,
            })?;
            listeners.push(listener);
        }
        let (drain, draining) = DrainSender::new();
        let mut workers = Vec::new();
        let serving = WorkersServing::begin();
        let count = settings.workers.max(1);
        let loads = WorkerLoads::new(count);
        let (doors, heard) = WorkerDoors::new(count);
        for (index, moved) in heard.into_iter().enumerate() {
            let ends = (draining.clone(), serving.clone());
            let shared = server_shared.for_worker(loads.worker(index));
            let worker = WorkerThread::start(index, shared, ends, (doors.clone(), moved))
                .map_err(StartError::Worker)?;
            workers.push(worker);
        }
        let (sender, accepted) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        Ok(Self {
            sender,
            accepted,
            pending: PendingLogins::new(settings.connections_max),
            settings,
            listeners,
            workers,
            loads,
            server_shared,
            drain,
            draining,
            accepting: JoinSet::new(),
            turned_away: JoinSet::new(),
        })
    }

    /// The places as bound, for the log.
    pub fn places(&self) -> Vec<String> {
        self.listeners.iter().map(Listener::describe).collect()
    }

    /// The way for clients within this process.
    pub fn local_clients(&self) -> LocalClients {
        LocalClients::to(self.sender.clone())
    }

    /// Hears when this server begins to drain.
    pub fn draining(&self) -> DrainReceiver {
        self.draining.clone()
    }

    /// Serves until `stop` completes. It has to be ended then.
    pub async fn run(mut self, stop: impl Future<Output = ()>) -> Self {
        for listener in std::mem::take(&mut self.listeners) {
            let sender = self.sender.clone();
            self.accepting.spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok(client) => {
                            if sender.send(client).await.is_err() {
                                return;
                            }
                        }
                        Err(_) => tokio::time::sleep(limits::ACCEPT_PAUSE).await,
                    }
                }
            });
        }
        self.assign_until(stop).await;
        self
    }

    /// Lets nobody new in, and lets who is there go on until all have left, the settings' time is
    /// over or `again` completes. Cancels still arrive.
    pub async fn wait_for_clients(
        &mut self,
        again: impl Future<Output = ()>,
        telemetry: &Telemetry,
    ) {
        let wait = self.settings.wait_for_clients;
        telemetry.emit(&DrainStarted {
            sessions: as_u64(self.open()),
            wait,
        });
        if wait.is_zero() {
            return;
        }
        self.drain.refuse_logins();
        let counts: Vec<_> = self.workers.iter().map(WorkerThread::counter).collect();
        let over = async move {
            let mut looks = tokio::time::interval(limits::ending::LEAVING_LOOK_PERIOD);
            while counts.iter().any(|open| open.load(Ordering::Relaxed) > 0) {
                looks.tick().await;
            }
        };
        self.assign_until(async move {
            tokio::select! {
                _ = tokio::time::timeout(wait, over) => {}
                () = again => {}
            }
        })
        .await;
    }

    /// Hands clients to workers as they arrive.
    async fn assign_until(&mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                client = self.accepted.recv() => match client {
                    Some(client) => self.assign(client),
                    None => break,
                },
                Some(_) = self.turned_away.join_next(), if !self.turned_away.is_empty() => {}
            }
        }
    }

    fn open(&self) -> usize {
        self.workers.iter().map(WorkerThread::open).sum()
    }

    /// Hands a client to the worker that its load makes the next. Where all places are taken, one
    /// that says nothing gives way, or it is turned away.
    fn assign(&mut self, client: AcceptedStream) {
        let clients: Vec<usize> = self.workers.iter().map(WorkerThread::open).collect();
        let open: usize = clients.iter().sum();
        let place = self.loads.place(&clients);
        let worker = self.workers.get(place);
        let places = if open < self.settings.connections_max {
            LoginCapacity::Left
        } else {
            LoginCapacity::Full
        };
        let pending = self.pending.accept(client.peer(), places);
        let refused = match (worker, pending) {
            (Some(worker), Some(pending)) => {
                let pending = pending.with_worker(self.loads.login(place));
                worker.take(Box::new((client, pending))).err()
            }
            (Some(_) | None, None) | (None, Some(_)) => {
                self.turn_away(client);
                None
            }
        };
        if let Some(refused) = refused {
            self.turn_away(refused.0);
        }
    }

    fn turn_away(&mut self, client: AcceptedStream) {
        if let Ok(client) = client.adopt()
            && self.turned_away.len() < limits::TURNED_AWAY_MAX
        {
            let server_shared = self.server_shared.clone();
            self.turned_away
                .spawn(async move { server_shared.turn_away(client).await });
        }
    }

    /// Drains: lets running statements finish within the bound, then closes what is left. Returns
    /// when every client is gone.
    pub async fn finish(mut self, telemetry: &Telemetry) {
        self.accepting.shutdown().await;
        let Self {
            settings,
            workers,
            drain,
            ..
        } = self;
        let counts: Vec<_> = workers.iter().map(WorkerThread::counter).collect();
        drain.begin();
        let mut gone = tokio::task::spawn_blocking(move || WorkerThread::join_all(workers));
        let mut cut_off = 0;
        if tokio::time::timeout(settings.drain_timeout, &mut gone)
            .await
            .is_err()
        {
            let left = counts.iter().map(|open| open.load(Ordering::Relaxed)).sum();
            cut_off = as_u64(left);
            drain.close();
            if tokio::time::timeout(limits::ending::CLOSE_TIMEOUT, gone)
                .await
                .is_err()
            {
                // A session that does not end now is ended with the process.
            }
        }
        telemetry.emit(&ServerStopped { cut_off });
    }
}

impl StartError {
    /// The key of the settings that it is about.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "listen",
            Self::Worker(_) => "workers",
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bind {
                place: BindAddress::Tcp(address),
                source,
            } => {
                let told = system_error::of_address(&address.to_string(), source.kind());
                formatter.write_str(&told)
            }
            Self::Bind {
                place: BindAddress::Unix(path),
                source,
            } => {
                let folder = path.parent();
                let has_folder = folder.is_none_or(|folder| folder.is_dir());
                let told = match source.kind() {
                    io::ErrorKind::AddrInUse => format!(
                        "another program listens at {}: end that one or choose another path",
                        path.display()
                    ),
                    kind => system_error::of_new_file(path, kind, has_folder),
                };
                formatter.write_str(&told)
            }
            Self::Worker(source) => {
                write!(formatter, "a thread cannot be started: {}", source.kind())
            }
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
