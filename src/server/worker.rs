//! One thread per core, each with a runtime of its own: a client and its upstream live on one
//! thread, so that no statement waits for another thread to wake.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at};

use super::listener::AcceptedStream;
use crate::limits;
use crate::session::drain::{DrainReceiver, DrainSender};
use crate::session::login::pending_logins::PendingLogin;
use crate::session::shared::ServerShared;
use crate::session::{self, DepartingSession, ServedSession};
use crate::telemetry::events::WorkerTurnEnded;

/// A client that came, and its standing until it has logged in.
pub type ArrivedClient = Box<(AcceptedStream, PendingLogin)>;

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
        (doors, moved): (WorkerDoors, mpsc::Receiver<Box<ServedSession>>),
    ) -> io::Result<Self> {
        let (clients, arriving) = mpsc::channel(limits::ACCEPTED_WAITING_MAX);
        let open = doors.open(index);
        let load = server_shared.turns.load().clone();
        let telemetry = server_shared.login_context.telemetry.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(limits::JUDGE_THREADS_MAX + limits::REPAIRS_MAX)
            .on_thread_park(move || {
                if let Some(sessions) = load.note_wait() {
                    telemetry.emit(&WorkerTurnEnded { sessions });
                }
            })
            .build()?;
        let sessions = WorkerSessions {
            server_shared: Arc::new(server_shared),
            draining,
            serving,
            open: Arc::clone(&open),
            doors,
        };
        let thread = std::thread::Builder::new()
            .name(format!("worker-{index}"))
            .spawn(move || runtime.block_on(sessions.run(arriving, moved)))?;
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

/// How sessions get from one worker to another, and how many each has. Cheap to clone.
#[derive(Clone)]
pub struct WorkerDoors {
    doors: Arc<[WorkerDoor]>,
}

struct WorkerDoor {
    sessions: mpsc::Sender<Box<ServedSession>>,
    open: Arc<AtomicUsize>,
}

impl WorkerDoors {
    /// For so many workers; with what each of them hears of those that come to it.
    pub fn new(workers: usize) -> (Self, Vec<mpsc::Receiver<Box<ServedSession>>>) {
        let mut heard = Vec::new();
        let doors = (0..workers).map(|_| {
            let (sessions, moved) = mpsc::channel(limits::workers::MOVED_WAITING_MAX);
            heard.push(moved);
            WorkerDoor {
                sessions,
                open: Arc::default(),
            }
        });
        let doors = doors.collect();
        (Self { doors }, heard)
    }

    fn open(&self, worker: usize) -> Arc<AtomicUsize> {
        let door = self.doors.get(worker);
        door.map(|door| Arc::clone(&door.open)).unwrap_or_default()
    }

    fn send(&self, worker: usize, session: Box<ServedSession>) -> Result<(), Box<ServedSession>> {
        let Some(door) = self.doors.get(worker) else {
            return Err(session);
        };
        door.open.fetch_add(1, Ordering::Relaxed);
        door.sessions.try_send(session).map_err(|refused| {
            door.open.fetch_sub(1, Ordering::Relaxed);
            refused.into_inner()
        })
    }
}

/// What runs on the thread.
struct WorkerSessions {
    server_shared: Arc<ServerShared>,
    draining: DrainReceiver,
    serving: WorkersServing,
    open: Arc<AtomicUsize>,
    doors: WorkerDoors,
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

/// Whether clients keep coming. While they do, the worker wakes now and then: a runtime that is to
/// wake sooner than all its clocks had said pays a call to the system for each new clock, and a
/// login has several, which ring much later.
#[derive(Default)]
struct LoginBurst {
    /// One has come since the last tick.
    has_new: bool,
    ticks: Option<Interval>,
}

impl LoginBurst {
    fn goes_on(&self) -> bool {
        self.has_new || self.ticks.is_some()
    }

    /// May be cancelled.
    async fn tick(&mut self) {
        let ticks = self.ticks.get_or_insert_with(|| {
            let begin = Instant::now() + limits::workers::LOGIN_TICK;
            interval_at(begin, limits::workers::LOGIN_TICK)
        });
        ticks.tick().await;
        if !std::mem::take(&mut self.has_new) {
            self.ticks = None;
        }
    }
}

impl WorkerSessions {
    async fn run(
        self,
        mut arriving: mpsc::Receiver<ArrivedClient>,
        mut moved: mpsc::Receiver<Box<ServedSession>>,
    ) {
        let (drain, draining) = DrainSender::new();
        tokio::spawn(drain.follow(self.draining.clone()));
        tokio::spawn(self.server_shared.turns.clone().run());
        let mut running = JoinSet::new();
        let mut accepting = true;
        let mut logins = LoginBurst::default();
        while accepting || !running.is_empty() || !moved.is_closed() {
            tokio::select! {
                client = arriving.recv(), if accepting => match client {
                    Some(client) => {
                        logins.has_new = true;
                        self.start(&mut running, *client, draining.clone());
                    }
                    None => accepting = false,
                },
                Some(session) = moved.recv() => {
                    self.go_on(&mut running, session, draining.clone());
                }
                () = logins.tick(), if logins.goes_on() => {}
                Some(ended) = running.join_next(), if !running.is_empty() => match ended {
                    Ok(None) => self.leaves(),
                    Ok(Some(departing)) => {
                        if let Some(session) = self.hand_over(departing) {
                            self.go_on(&mut running, session, draining.clone());
                        }
                    }
                    Err(error) => {
                        self.leaves();
                        if error.is_panic() {
                            self.server_shared.session_panicked();
                        }
                    }
                },
            }
            if !accepting && running.is_empty() {
                // Who was on the way here is taken up still; nobody else sets out.
                moved.close();
            }
        }
        self.serving.end().await;
    }

    fn leaves(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// Gives a session to the worker that it goes on with, or back where that has no room.
    fn hand_over(&self, departing: DepartingSession) -> Option<Box<ServedSession>> {
        let DepartingSession { session, worker } = departing;
        let refused = self.doors.send(worker, session).err();
        if refused.is_none() {
            self.leaves();
        }
        refused
    }

    fn go_on(
        &self,
        running: &mut JoinSet<Option<DepartingSession>>,
        session: Box<ServedSession>,
        draining: DrainReceiver,
    ) {
        running.spawn(session::go_on(
            session,
            Arc::clone(&self.server_shared),
            draining,
        ));
    }

    fn start(
        &self,
        running: &mut JoinSet<Option<DepartingSession>>,
        (client, pending): (AcceptedStream, PendingLogin),
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
            Err(_) => running.spawn(async { None }),
        };
    }
}
