//! Accepts connections, spreads them over workers, drains, and serves the admin address.
//!
//! Clients are accepted on the thread of the first worker, where those of a quiet pgsieve are all
//! served; each comes to the worker that its load makes the next, and moves where loads change.

pub mod admin;
pub mod budget_file;
pub mod client_assigner;
pub mod grounding;
pub mod limits_store;
pub mod listener;
pub mod local_clients;
pub mod readiness;
pub mod reload;
pub mod worker;

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use self::client_assigner::{ClientAssigner, WorkerEntrance};
use self::listener::{AcceptedStream, BindAddress, Listener};
use self::local_clients::LocalClients;
use self::worker::{NewWorker, Reception, WorkerDoors, WorkerInlets, WorkerThread, WorkersServing};
use crate::limits;
use crate::net::uring::IoBackend;
use crate::session::drain::{DrainReceiver, DrainSender};
use crate::session::scheduling::worker_load::WorkerLoads;
use crate::session::shared::ServerShared;
use crate::system_error;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{DrainStarted, IoBackendChosen, ServerStopped};

/// What the server needs to know besides what its sessions share.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where clients arrive.
    pub listen: Vec<BindAddress>,
    /// Worker threads; at least one.
    pub workers: usize,
    /// What reads and writes the sockets of sessions.
    pub io: IoBackend,
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
    /// Until clients are accepted there.
    listeners: Vec<Listener>,
    reception: Option<oneshot::Sender<Reception>>,
    workers: Vec<WorkerThread>,
    assigner: Arc<ClientAssigner>,
    drain: DrainSender,
    draining: DrainReceiver,
    sender: mpsc::Sender<AcceptedStream>,
    accepted: mpsc::Receiver<AcceptedStream>,
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
    /// The system lets this process have no rings (io_uring), and the settings want them.
    Rings(io::Error),
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
        let rings = settings.io.wants_rings().map_err(StartError::Rings)?;
        if settings.io != IoBackend::Epoll {
            let telemetry = &server_shared.login_context.telemetry;
            telemetry.emit(&IoBackendChosen { has_rings: rings });
        }
        let count = settings.workers.max(1);
        let loads = WorkerLoads::new(count);
        let new = (0..count).map(|index| {
            let shared = server_shared.for_worker(loads.worker(index));
            let worker = NewWorker::new(index, shared).map_err(StartError::Worker)?;
            Ok(worker.with_ring(rings))
        });
        let new: Vec<NewWorker> = new.collect::<Result<_, _>>()?;
        let listeners = bind_all(&settings.listen, new.first())?;
        let (drain, draining) = DrainSender::new();
        let serving = WorkersServing::begin();
        let (doors, heard) = WorkerDoors::new(count);
        let (mut workers, mut entrances, mut receptions) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (worker, moved)) in new.into_iter().zip(heard).enumerate() {
            let (entrance, arriving) = WorkerEntrance::of(doors.open(index));
            let (opening, reception) = oneshot::channel();
            let inlets = WorkerInlets {
                arriving,
                moved,
                reception,
            };
            let ends = (draining.clone(), serving.clone());
            let worker = worker.start(ends, doors.clone(), inlets);
            workers.push(worker.map_err(StartError::Worker)?);
            entrances.push(entrance);
            receptions.push(opening);
        }
        let places = settings.connections_max;
        let assigner = ClientAssigner::new(entrances, loads, places, server_shared);
        let (sender, accepted) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        Ok(Self {
            sender,
            accepted,
            settings,
            listeners,
            reception: receptions.into_iter().next(),
            workers,
            assigner: Arc::new(assigner),
            drain,
            draining,
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
        let listeners = std::mem::take(&mut self.listeners);
        let reception = Reception::at(listeners, &self.assigner);
        if let Some(begin) = self.reception.take() {
            // A worker that is gone has panicked, and that was told.
            let _ = begin.send(reception);
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

    /// Hands clients of this process to workers as they arrive.
    async fn assign_until(&mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                client = self.accepted.recv() => match client {
                    Some(client) => self.assigner.assign(client),
                    None => break,
                },
            }
        }
    }

    fn open(&self) -> usize {
        self.workers.iter().map(WorkerThread::open).sum()
    }

    /// Drains: lets running statements finish within the bound, then closes what is left. Returns
    /// when every client is gone.
    pub async fn finish(self, telemetry: &Telemetry) {
        let Self {
            settings,
            workers,
            assigner,
            drain,
            ..
        } = self;
        drop(assigner);
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

/// Binds every place, for the worker that is to accept there.
fn bind_all(
    places: &[BindAddress],
    worker: Option<&NewWorker>,
) -> Result<Vec<Listener>, StartError> {
    let bound = places.iter().zip(worker.into_iter().cycle());
    let bound = bound.map(|(place, worker)| {
        worker.bind(place).map_err(|source| StartError::Bind {
            place: place.clone(),
            source,
        })
    });
    bound.collect()
}

impl StartError {
    /// The key of the settings that it is about.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Bind { .. } => "listen",
            Self::Rings(_) => "io.backend",
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
            Self::Rings(source) => write!(
                formatter,
                "the system lets this process have no io_uring ({source}): use auto or epoll, or \
                 allow it (the sysctl kernel.io_uring_disabled, a container's seccomp profile)"
            ),
            Self::Worker(source) => {
                write!(formatter, "a thread cannot be started: {}", source.kind())
            }
        }
    }
}

fn as_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
