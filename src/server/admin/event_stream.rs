//! What follows on the live page: once a second the numbers, and what happened lately when that has
//! changed. It is put into words once for all who look, and not at all while nobody does.
//!
//! The numbers are sampled whether somebody looks or not, so that a page begins with some
//! minutes of history: that is below half a millisecond of one core in a second, measured without
//! optimisation, and nothing on the path of a statement.
//!
//! Whoever reads slowly misses seconds: there is one waiting event for each, never a queue.
//!
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html>

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use futures_core::Stream;
use serde::Serialize;
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::page_state::{CurrentNumbers, RecentActivity};
use crate::limits::{PULSE_INTERVAL, PULSE_SECONDS};
use crate::server::readiness::Readiness;
use crate::telemetry::Telemetry;
use crate::telemetry::live::{LiveHistory, MetricsReading, StatementRates};
use crate::upstream::pool::ConnectionPools;

/// What is sent to whoever looks.
pub struct EventStream {
    pools: Option<ConnectionPools>,
    live_history: Mutex<LiveHistory>,
    ticks: watch::Sender<Arc<SecondUpdate>>,
}

/// What there is to say in one second.
#[derive(Default)]
struct SecondUpdate {
    now: Bytes,
    lately: Bytes,
    /// How often anything had happened; whoever was told as much needs no telling.
    changes: u64,
}

/// Everything, for who just came.
#[derive(Serialize)]
struct FirstUpdate {
    history: StatementRates,
    now: CurrentNumbers,
    lately: RecentActivity,
}

/// The events of one follower.
pub struct EventReceiver(pub mpsc::Receiver<Bytes>);

impl EventStream {
    /// Nothing was sampled yet.
    pub fn new(pools: Option<ConnectionPools>) -> Self {
        Self {
            pools,
            live_history: Mutex::default(),
            ticks: watch::Sender::default(),
        }
    }

    /// Samples the numbers once a second, without an end.
    pub async fn run(&self, telemetry: &Telemetry, readiness: &Readiness) {
        let mut seconds = interval(PULSE_INTERVAL);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            seconds.tick().await;
            let (reading, changes) = self.sample(telemetry);
            if self.ticks.receiver_count() == 0 {
                continue;
            }
            let before = self.ticks.borrow().changes;
            let lately = if before == changes {
                self.ticks.borrow().lately.clone()
            } else {
                event("lately", &RecentActivity::of(telemetry))
            };
            let now = event("now", &self.now(&reading, readiness));
            self.ticks.send_replace(Arc::new(SecondUpdate {
                now,
                lately,
                changes,
            }));
        }
    }

    /// What a follower is told at first, and how much has happened by then.
    pub fn first(&self, telemetry: &Telemetry, readiness: &Readiness) -> (Bytes, u64) {
        let changes = changes(telemetry);
        (event("whole", &self.whole(telemetry, readiness)), changes)
    }

    /// The same without a follower.
    pub fn state(&self, telemetry: &Telemetry, readiness: &Readiness) -> Bytes {
        let whole = serde_json::to_vec(&self.whole(telemetry, readiness));
        whole.unwrap_or_default().into()
    }

    /// Tells a follower what follows, until it is gone.
    pub fn follow(
        &self,
        (first, mut told): (Bytes, u64),
        out: mpsc::Sender<Bytes>,
    ) -> impl Future<Output = ()> + use<> {
        let mut ticks = self.ticks.subscribe();
        async move {
            let mut words = first;
            while out.send(words).await.is_ok() {
                let changed = tokio::select! {
                    changed = ticks.changed() => changed,
                    () = out.closed() => return,
                };
                if changed.is_err() {
                    return;
                }
                let tick = Arc::clone(&ticks.borrow_and_update());
                words = tick.now.clone();
                if tick.changes != told {
                    told = tick.changes;
                    words = [words, tick.lately.clone()].concat().into();
                }
            }
        }
    }

    fn sample(&self, telemetry: &Telemetry) -> (MetricsReading, u64) {
        let reading = telemetry.reading();
        let mut live_history = self
            .live_history
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        live_history.add(now_ms(), &reading);
        (reading, changes(telemetry))
    }

    fn now(&self, reading: &MetricsReading, readiness: &Readiness) -> CurrentNumbers {
        let live_history = self
            .live_history
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let seen = (readiness, self.pools.as_ref());
        CurrentNumbers::of(now_ms(), &live_history, reading, seen)
    }

    fn whole(&self, telemetry: &Telemetry, readiness: &Readiness) -> FirstUpdate {
        let reading = telemetry.reading();
        let now = self.now(&reading, readiness);
        let live_history = self
            .live_history
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        FirstUpdate {
            history: live_history.rates(PULSE_SECONDS),
            now,
            lately: RecentActivity::of(telemetry),
        }
    }
}

impl Stream for EventReceiver {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|words| words.map(Ok))
    }
}

/// How often anything has happened so far.
fn changes(telemetry: &Telemetry) -> u64 {
    telemetry.recent().map_or(0, |recent| recent.changes())
}

/// One event: JSON has no line ends.
fn event(name: &str, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {name}\ndata: {data}\n\n").into()
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
}
