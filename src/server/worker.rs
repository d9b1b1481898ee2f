//! One thread per core, each with a runtime of its own: a client and its upstream live on one
//! thread, so that no statement waits for another thread to wake.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::thread::JoinHandle;

use tokio::runtime::Runtime;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval_at, sleep_until};

use super::client_assigner::{ArrivedClient, ClientAssigner};
use super::listener::{AcceptedStream, BindAddress, Listener};
use crate::limits;
use crate::net::uring;
use crate::session::drain::{DrainReceiver, DrainSender};
use crate::session::shared::ServerShared;
use crate::session::{self, DepartingSession, ServedSession};
use crate::telemetry::events::{WorkerTurnEnded, WorkerWithoutRing};

/// A worker that is about to run.
pub struct NewWorker {
    index: usize,
    server_shared: ServerShared,
    runtime: NewRuntime,
    wants_ring: bool,
}

/// A runtime that may be dropped on another runtime's thread until it is used: it waits for nobody.
struct NewRuntime(Option<Runtime>);

/// What comes to a worker while it runs.
pub struct WorkerInlets {
    /// Clients that others have accepted.
    pub arriving: mpsc::Receiver<Box<ArrivedClient>>,
    /// Sessions of other workers.
    pub moved: mpsc::Receiver<Box<ServedSession>>,
    /// Where it is to accept clients itself, once it is to begin.
    pub reception: oneshot::Receiver<Reception>,
}

/// A running worker.
pub struct WorkerThread {
    open: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl NewRuntime {
    /// Runs on this thread until the future is done.
    fn run(mut self, future: impl Future<Output = ()>) {
        if let Some(runtime) = self.0.take() {
            runtime.block_on(future);
        }
    }
}

impl Drop for NewRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl NewWorker {
    /// One that shares this with the others.
    ///
    /// # Errors
    /// The system's, when it has no event queue left.
    pub fn new(index: usize, server_shared: ServerShared) -> io::Result<Self> {
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
        Ok(Self {
            index,
            server_shared,
            runtime: NewRuntime(Some(runtime)),
            wants_ring: false,
        })
    }

    /// With a ring for its sockets, or without one.
    #[must_use]
    pub fn with_ring(self, wants_ring: bool) -> Self {
        Self { wants_ring, ..self }
    }

    /// Binds a place for it to listen at: its thread hears of clients there.
    ///
    /// # Errors
    /// As of [`Listener::bind`].
    pub fn bind(&self, place: &BindAddress) -> io::Result<Listener> {
        let _runtime = self.runtime.0.as_ref().map(Runtime::enter);
        Listener::bind(place)
    }

    /// Starts the thread.
    ///
    /// # Errors
    /// The system's, when it has no thread left.
    pub fn start(
        self,
        (draining, serving): (DrainReceiver, WorkersServing),
        doors: WorkerDoors,
        inlets: WorkerInlets,
    ) -> io::Result<WorkerThread> {
        let Self {
            index,
            server_shared,
            runtime,
            wants_ring,
        } = self;
        let open = doors.open(index);
        let sessions = WorkerSessions {
            index,
            server_shared: Arc::new(server_shared),
            draining,
            serving,
            open: Arc::clone(&open),
            doors,
        };
        let thread = std::thread::Builder::new()
            .name(format!("worker-{index}"))
            .spawn(move || {
                runtime.run(sessions.run(inlets, wants_ring));
            })?;
        Ok(WorkerThread { open, thread })
    }
}

impl WorkerThread {
    /// How many clients it serves now.
    pub fn open(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// The count behind [`Self::open`], for when the worker itself is being joined.
    pub fn counter(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.open)
    }

    /// Waits until the last client of all of them is gone, after [`ClientAssigner`] is: each of
    /// them ends with the others.
    pub fn join_all(workers: Vec<Self>) {
        for worker in workers {
            if worker.thread.join().is_err() {
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

    /// The count of the sessions that a worker has.
    pub fn open(&self, worker: usize) -> Arc<AtomicUsize> {
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

/// Where clients arrive, on the thread of a worker: who stays there wakes no other thread.
pub struct Reception {
    listeners: Vec<Listener>,
    /// Gone when nobody new is to come any more.
    assigner: Weak<ClientAssigner>,
    paused_until: Option<Instant>,
}

impl Reception {
    /// At these places, bound for the worker that it is for.
    pub fn at(listeners: Vec<Listener>, assigner: &Arc<ClientAssigner>) -> Self {
        Self {
            listeners,
            assigner: Arc::downgrade(assigner),
            paused_until: None,
        }
    }

    /// The next client. May be cancelled.
    async fn next(&mut self) -> AcceptedStream {
        loop {
            if let Some(until) = self.paused_until {
                sleep_until(until).await;
                self.paused_until = None;
            }
            match poll_fn(|context| self.poll_next(context)).await {
                Ok(client) => return client,
                Err(_) => self.paused_until = Some(Instant::now() + limits::ACCEPT_PAUSE),
            }
        }
    }

    /// The places take turns at being first: a busy one keeps nobody from another.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<io::Result<AcceptedStream>> {
        let mut places = self.listeners.iter().enumerate();
        let accepted = places.find_map(|(place, listener)| match listener.poll_accept(context) {
            Poll::Ready(accepted) => Some((place, accepted)),
            Poll::Pending => None,
        });
        let Some((place, accepted)) = accepted else {
            return Poll::Pending;
        };
        self.listeners.rotate_left(place + 1);
        Poll::Ready(accepted)
    }

    /// The client, where it is to stay with this worker.
    fn assign(&self, worker: usize, client: AcceptedStream) -> Option<ArrivedClient> {
        self.assigner.upgrade()?.assign_at(worker, client)
    }
}

/// What runs on the thread.
struct WorkerSessions {
    index: usize,
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

/// The reception, when it is to begin; none where it never is. May be cancelled.
async fn begin_of(opening: &mut Option<oneshot::Receiver<Reception>>) -> Option<Reception> {
    let begun = opening.as_mut()?.await.ok();
    *opening = None;
    begun
}

/// The next client there, if there is a reception. May be cancelled.
async fn next_of(reception: &mut Option<Reception>) -> Option<AcceptedStream> {
    Some(reception.as_mut()?.next().await)
}

impl WorkerSessions {
    async fn run(self, inlets: WorkerInlets, wants_ring: bool) {
        if wants_ring && let Err(error) = uring::begin() {
            let telemetry = &self.server_shared.login_context.telemetry;
            let worker = self.index;
            telemetry.emit(&WorkerWithoutRing { worker, error });
        }
        let WorkerInlets {
            mut arriving,
            mut moved,
            reception: opening,
        } = inlets;
        let mut opening = Some(opening);
        let mut reception = None;
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
                    None => {
                        accepting = false;
                        reception = None;
                    }
                },
                Some(client) = next_of(&mut reception), if reception.is_some() => {
                    let here = reception.as_ref().and_then(|it| it.assign(self.index, client));
                    if let Some(client) = here {
                        logins.has_new = true;
                        self.start(&mut running, client, draining.clone());
                    }
                }
                begun = begin_of(&mut opening), if opening.is_some() && accepting => {
                    reception = begun;
                }
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
            Err(_) => running.spawn(async { None }),
        };
    }
}
