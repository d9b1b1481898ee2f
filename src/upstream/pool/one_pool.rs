//! The connections of one account in one database: who takes one, and what becomes of those that
//! are given back.

use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::connection::{BEST_FIT, ConnectionBase, ConnectionState, PooledConnection, SettleError};
use super::database_bound::{DatabasePlace, PoolBound, PoolTurn};
use super::idle_connection::IdleConnection;
use super::password_proof::PasswordProof;
use super::places::{OpenConnections, PoolPlace, Waiting, WaitingKind, WaitingSessions};
use super::refill::Refill;
use super::source::{ConnectionClass, SharedSources};
use super::{BusyConnections, ConnectionWish, PoolError, PoolSettings};
use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoolCheckout, PoolMoved};
use crate::telemetry::labels::{CheckoutOutcome, PooledConnectionState};
use crate::upstream::fair_slots::{FairSlot, FairSlots};
use crate::upstream::login::UpstreamSession;
use crate::upstream::login_retry::jittered;

/// The connections of one account in one database.
pub struct ConnectionPool {
    pub(super) settings: PoolSettings,
    pub(super) telemetry: Telemetry,
    /// One for each session that has a connection, or is given one.
    pub(super) slots: FairSlots,
    /// How many connections its database may have, over all accounts, where that is bounded.
    pub(super) bound: Option<PoolBound>,
    idle: Mutex<Vec<IdleConnection>>,
    /// Connections that are there or being opened.
    pub(super) open: Arc<OpenConnections>,
    pub(super) numbers: Arc<AtomicU64>,
    pub(super) waiting: WaitingSessions,
    /// Sessions that take connections of it.
    pub(super) sessions: AtomicUsize,
    /// How long sessions of its database have waited, in microseconds.
    waited: Arc<AtomicU64>,
    /// Whether it gives no connections.
    pub(super) paused: watch::Sender<bool>,
    /// Whether its account has other keys by now: it ends with its sessions.
    pub(super) is_superseded: AtomicBool,
    /// How connections are opened that nobody has asked for.
    pub(super) refill: Mutex<Refill>,
    /// What the server has said of its password, where that is for the server to say.
    pub(super) password: PasswordProof,
    /// How connections of its account are opened.
    pub sources: SharedSources,
}

/// The right to have a connection of a pool, with all but the connection itself.
pub struct PoolLease {
    pub(super) pool: Arc<ConnectionPool>,
    pub(super) class: ConnectionClass,
    pub(super) place: PoolPlace,
    pub(super) turn: PoolTurn,
}

impl ConnectionPool {
    /// Without connections yet, with so many at most. Its waits are summed up in `waited`.
    pub(super) fn new(
        (settings, telemetry): (PoolSettings, Telemetry),
        bound: Option<PoolBound>,
        open: OpenConnections,
        numbers: Arc<AtomicU64>,
        (waited, is_paused): (Arc<AtomicU64>, bool),
    ) -> Self {
        Self {
            settings,
            telemetry,
            slots: FairSlots::new(settings.size),
            bound,
            idle: Mutex::default(),
            open: Arc::new(open),
            numbers,
            waiting: WaitingSessions::default(),
            sessions: AtomicUsize::new(0),
            waited,
            paused: watch::Sender::new(is_paused),
            is_superseded: AtomicBool::new(false),
            refill: Mutex::default(),
            password: PasswordProof::default(),
            sources: SharedSources::default(),
        }
    }

    /// A connection, where one is idle that is as the session wants it and nobody waits for one.
    pub fn take_ready(
        self: &Arc<Self>,
        wish: &ConnectionWish,
    ) -> Option<(PooledConnection, PoolLease)> {
        let turn = self.free_turn()?;
        let is_ready = |idle: &IdleConnection| idle.connection.state.values == wish.values;
        let mut idle = self.take_idle(wish, is_ready)?;
        // They are equal: from now on that is seen at once.
        idle.connection.state.values = wish.values.clone();
        self.checked_out(CheckoutOutcome::Reused, Duration::ZERO);
        Some(self.lease(idle, turn, wish.session))
    }

    /// A connection that is brought to what the session wants, when it is its user's turn.
    ///
    /// May be cancelled: a connection that is being opened or settled is closed.
    ///
    /// # Errors
    /// All are busy for too long, none can be opened, or what is opened now is not alike.
    pub async fn take(
        self: Arc<Self>,
        wish: ConnectionWish,
    ) -> Result<(PooledConnection, PoolLease), PoolError> {
        let since = Instant::now();
        let until = self.waits_until(&wish, since);
        let turn = self.turn(&wish, until).await?;
        // Each round waits for the end of a pause.
        loop {
            if let Some((idle, outcome)) = self.settle_idle(&wish).await? {
                self.checked_out(outcome, since.elapsed());
                return Ok(self.lease(idle, turn, wish.session));
            }
            let of_database = self.database_place(since, until).await?;
            let Some(place) = self.place(of_database) else {
                let resumed = timeout_at(until, self.until_resumed()).await;
                resumed.map_err(|_elapsed| self.in_vain(since))?;
                continue;
            };
            let opened = self.open(&wish, place).await;
            let outcome = match &opened {
                Ok(_) => CheckoutOutcome::Opened,
                Err(_) => CheckoutOutcome::Failed,
            };
            self.checked_out(outcome, since.elapsed());
            return opened.map(|idle| self.lease(idle, turn, wish.session));
        }
    }

    /// Until when somebody waits who has come then.
    pub(super) fn waits_until(&self, wish: &ConnectionWish, since: Instant) -> Instant {
        let longest = since + self.settings.query_wait;
        wish.until.map_or(longest, |until| longest.min(until))
    }

    /// The right to have a connection, where it is there and nobody waits for it.
    pub(super) fn free_turn(&self) -> Option<PoolTurn> {
        let slot = self.slots.take_free()?;
        let database = match &self.bound {
            None => None,
            Some(bound) => Some(bound.free_turn()?),
        };
        Some(PoolTurn { slot, database })
    }

    /// The right to have a connection, when it is the user's turn and then the account's, and the
    /// database is not paused.
    pub(super) async fn turn(
        &self,
        wish: &ConnectionWish,
        until: Instant,
    ) -> Result<PoolTurn, PoolError> {
        let since = Instant::now();
        let _waits = self.waits(wish);
        let slot = self.user_slot(wish, until).await?;
        let database = match &self.bound {
            None => None,
            Some(bound) => match timeout_at(until, bound.turn()).await {
                Ok(turn) => Some(turn.ok_or(PoolError::Closed)?),
                Err(_elapsed) => return Err(self.in_vain_within(bound, since)),
            },
        };
        Ok(PoolTurn { slot, database })
    }

    /// Counts somebody who waits.
    pub(super) fn waits(&self, wish: &ConnectionWish) -> Waiting<'_> {
        let kind = match &wish.base {
            Some(_) => WaitingKind::Session,
            None => WaitingKind::Arriving,
        };
        Waiting::begin((&self.waiting, &self.telemetry), (wish.session, kind))
    }

    /// The right to have a connection of this pool, when it is the user's turn and the database is
    /// not paused.
    pub(super) async fn user_slot(
        &self,
        wish: &ConnectionWish,
        until: Instant,
    ) -> Result<FairSlot, PoolError> {
        let since = Instant::now();
        let queue = self.slots.take(&wish.user);
        let slot = async {
            let slot = self.slot(queue).await;
            self.until_resumed().await;
            slot
        };
        match timeout_at(until, slot).await {
            Ok(slot) => slot.ok_or(PoolError::Closed),
            Err(_elapsed) => Err(self.in_vain(since)),
        }
    }

    /// Room for one more connection of the database, where that is bounded.
    pub(super) async fn database_place(
        &self,
        since: Instant,
        until: Instant,
    ) -> Result<Option<DatabasePlace>, PoolError> {
        let Some(bound) = &self.bound else {
            return Ok(None);
        };
        match timeout_at(until, bound.place()).await {
            Ok(place) => place.map(Some).ok_or(PoolError::Closed),
            Err(_elapsed) => Err(self.in_vain_within(bound, since)),
        }
    }

    /// The user's slot. Whoever has waited for it for long has the reserve opened: for whoever is
    /// next, until that is this one or no more is left.
    async fn slot(&self, queue: impl Future<Output = Option<FairSlot>>) -> Option<FairSlot> {
        let mut queue = pin!(queue);
        let reserve = self.settings.reserve;
        if reserve > 0 {
            tokio::select! {
                biased;
                slot = &mut queue => return slot,
                () = self.until_reserve_is_due() => {}
            }
        }
        for _ in 0..reserve {
            let is_opened = self.slots.open_reserve(reserve);
            tokio::select! {
                biased;
                slot = &mut queue => return slot,
                () = std::future::ready(()) => {}
            }
            if !is_opened {
                break;
            }
        }
        queue.await
    }

    /// Waits for as long as the reserve is not touched. Nobody waits for a connection, but for the
    /// end of a pause, while none is given.
    async fn until_reserve_is_due(&self) {
        // Each round is as long as the setting says.
        loop {
            self.until_resumed().await;
            sleep(self.settings.reserve_wait).await;
            if !*self.paused.borrow() {
                return;
            }
        }
    }

    /// The idle connection that suits best, brought to what the session wants.
    async fn settle_idle(
        &self,
        wish: &ConnectionWish,
    ) -> Result<Option<(IdleConnection, CheckoutOutcome)>, PoolError> {
        // Each round takes one out of a finite number.
        while let Some(mut idle) = self.take_idle(wish, |_| true) {
            let outcome = match idle.connection.state.values == wish.values {
                true => CheckoutOutcome::Reused,
                false => CheckoutOutcome::Replayed,
            };
            match idle.connection.bring_to(&wish.values).await {
                Ok(()) => return Ok(Some((idle, outcome))),
                Err(tripped @ SettleError::Tripped(_)) => return Err(PoolError::Settle(tripped)),
                Err(_lost) => {}
            }
        }
        Ok(None)
    }

    /// Somebody has waited in vain since then.
    pub(super) fn in_vain(&self, since: Instant) -> PoolError {
        let busy = BusyConnections::of_account(self.settings.size + self.settings.reserve);
        self.in_vain_for(busy, since)
    }

    /// The same, for a turn or a place of the database.
    fn in_vain_within(&self, bound: &PoolBound, since: Instant) -> PoolError {
        self.in_vain_for(BusyConnections::of_database(bound.most()), since)
    }

    fn in_vain_for(&self, busy: BusyConnections, since: Instant) -> PoolError {
        let waited = since.elapsed();
        self.checked_out(CheckoutOutcome::TimedOut, waited);
        match *self.paused.borrow() {
            true => PoolError::Paused { waited },
            false => PoolError::AllBusy { busy, waited },
        }
    }

    /// Waits until it gives connections. May be cancelled.
    pub(super) async fn until_resumed(&self) {
        let mut paused = self.paused.subscribe();
        // The sender lives as long as this.
        let _ = paused.wait_for(|is_paused| !is_paused).await;
    }

    /// Whether somebody waits for a connection.
    pub fn has_waiting(&self) -> bool {
        self.slots.has_waiting() || self.bound.as_ref().is_some_and(PoolBound::has_waiting)
    }

    /// The idle connection that suits best, of those that may be taken.
    fn take_idle(
        &self,
        wish: &ConnectionWish,
        may_be: impl Fn(&IdleConnection) -> bool,
    ) -> Option<IdleConnection> {
        let now = Instant::now();
        let class = wish.source.class();
        // Each round takes one out of a finite number.
        loop {
            let mut idle = self.idle();
            if *self.paused.borrow() {
                return None;
            }
            let suits = |one: &IdleConnection| {
                let state = &one.connection.state;
                one.class == class
                    && state.values.may_become(&wish.values)
                    && (wish.base.as_ref()).is_none_or(|base| base.is_alike(&state.base))
                    && may_be(one)
            };
            let mut found: Option<(usize, u32)> = None;
            // Who comes often finds its own among those that were given back last.
            for (at, one) in idle.iter().enumerate().rev().filter(|(_, one)| suits(one)) {
                let fit = one.connection.state.fit(wish.session, &wish.values);
                if found.is_none_or(|(_, best)| fit > best) {
                    found = Some((at, fit));
                }
                if fit == BEST_FIT {
                    break;
                }
            }
            let (at, _) = found?;
            let taken = idle.swap_remove(at);
            drop(idle);
            self.telemetry.emit(&PoolMoved {
                from: Some(PooledConnectionState::Idle),
                to: Some(PooledConnectionState::Used),
            });
            let state = &taken.connection.state;
            if !state.is_expired(now) && taken.connection.is_quiet() {
                return Some(taken);
            }
            taken.close_used();
        }
    }

    async fn open(
        &self,
        wish: &ConnectionWish,
        place: PoolPlace,
    ) -> Result<IdleConnection, PoolError> {
        let opened = wish.source.open().await;
        let (session, base) = opened.map_err(|error| self.not_opened(error))?;
        let base = match &wish.base {
            Some(wanted) if wanted.is_alike(&base) => Arc::clone(wanted),
            Some(_) => return Err(PoolError::OtherBase),
            None => Arc::new(base),
        };
        let mut opened = self.opened((session, base), wish.source.class(), place);
        let settled = opened.connection.bring_to(&wish.values).await;
        settled.map_err(PoolError::Settle)?;
        self.refill().note_opened(&wish.source);
        Ok(opened)
    }

    /// A connection that has just been opened.
    pub(super) fn opened(
        &self,
        (session, base): (UpstreamSession, Arc<ConnectionBase>),
        class: ConnectionClass,
        place: PoolPlace,
    ) -> IdleConnection {
        place.opened(session.key.as_ref().map(|key| key.pid));
        let lifetime = jittered(self.settings.server_lifetime);
        let bounds = (lifetime, self.settings.max_prepared_statements);
        let connection = PooledConnection {
            state: ConnectionState::opened(base, session.key, bounds),
            frames: session.framed,
        };
        IdleConnection {
            connection,
            class,
            place,
        }
    }

    fn lease(
        self: &Arc<Self>,
        idle: IdleConnection,
        turn: PoolTurn,
        session: u64,
    ) -> (PooledConnection, PoolLease) {
        let IdleConnection {
            connection,
            class,
            place,
        } = idle;
        place.used_by(session);
        let lease = PoolLease {
            pool: Arc::clone(self),
            class,
            place,
            turn,
        };
        (connection, lease)
    }

    fn checked_out(&self, outcome: CheckoutOutcome, waited: Duration) {
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        if micros > 0 {
            self.waited.fetch_add(micros, Ordering::Relaxed);
        }
        self.telemetry.emit(&PoolCheckout { outcome, waited });
    }

    pub(super) fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PoolLease {
    /// Hands a connection back that is at rest: it is for the next session.
    pub fn give_back(self, mut connection: PooledConnection) {
        let Self {
            pool,
            class,
            place,
            turn,
        } = self;
        connection.rest();
        place.rests();
        let given = IdleConnection {
            connection,
            class,
            place,
        };
        let mut idle = pool.idle();
        // Whoever retires connections looks at the idle ones behind that.
        if given.connection.state.is_expired(Instant::now()) || given.place.is_retired() {
            drop(idle);
            given.close_used();
        } else {
            pool.telemetry.emit(&PoolMoved {
                from: Some(PooledConnectionState::Used),
                to: Some(PooledConnectionState::Idle),
            });
            idle.push(given);
            drop(idle);
        }
        // Whoever is next finds it, or can have it closed.
        let PoolTurn { slot, database } = turn;
        drop((slot, database));
    }

    /// Whether it is to be given back at the next rest: somebody else waits for a connection, or
    /// this one is to be closed.
    pub fn is_wanted(&self) -> bool {
        self.pool.has_waiting() || self.place.is_retired()
    }
}

impl fmt::Debug for ConnectionPool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ConnectionPool({} idle)", self.idle().len())
    }
}

impl fmt::Debug for PoolLease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PoolLease")
    }
}
