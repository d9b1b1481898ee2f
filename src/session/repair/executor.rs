//! Where rescues run: on threads that may wait, a bounded number at a time, for a bounded time.
//!
//! Each user has a part of the places, so that one whose statements all fail leaves some for the
//! others. A rescue that nobody waits for any more asks the server nothing more.

use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::compute_slots::{ComputeSlot, ComputeSlots};
use super::{Cause, Patient, Rescued};
use crate::gate::{Gate, Parameters, ReadPermit, SearchPaths, SessionNames};
use crate::limits;
use crate::repair::{Request, Run, Uncompiled, rescue};
use crate::session::protocol::Conversation;
use crate::session::scheduling::fair_slots::Places;
use crate::session::scheduling::large_text::text_of;
use crate::session::scheduling::throttle::SharedThrottle;
use crate::session::scheduling::user_shares::UserParts;
use crate::session::server::error_rewrite;
use crate::upstream::compile_pool::{Side, SideRun};

/// The places of rescues, shared by all sessions.
pub struct Workshop {
    places: Arc<Semaphore>,
    /// What each user may take of them.
    parts: UserParts,
    /// How many of them compute at the same time.
    slots: ComputeSlots,
    /// The threads of this worker that judge large texts.
    judges: Places,
    /// What each user may take of those.
    judged: UserParts,
    /// What those of this worker that never pause leave to others.
    throttle: SharedThrottle,
}

/// A rescue under way. May be dropped: it ends by itself.
pub type Rescuing = Pin<Box<dyn Future<Output = Rescued> + Send>>;

/// When each step of a rescue was done, where the statement is sampled: first the beginning, then
/// the end of each.
#[derive(Debug, Default)]
pub struct Marks(Option<Vec<Instant>>);

/// What compiles the texts of one rescue, while somebody waits for it.
struct Bench {
    marks: Marks,
    gate: Arc<Gate>,
    tools: Tools,
    awaited: Weak<()>,
    slot: Option<ComputeSlot>,
}

enum Tools {
    Side(SideRun),
    /// There is no server to ask, or it is not known where it looks names up.
    Nobody,
}

impl Workshop {
    /// All places are free.
    pub fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(limits::RESCUES_MAX)),
            parts: UserParts::new(limits::RESCUES_OF_USER_MAX),
            slots: ComputeSlots::new(),
            judges: Places::new(limits::JUDGE_THREADS_MAX),
            judged: UserParts::new(limits::JUDGE_THREADS_MAX),
            throttle: SharedThrottle::default(),
        }
    }

    /// The same one, with judges of its own, for one more worker that has this throttle.
    pub fn for_worker(&self, throttle: SharedThrottle) -> Self {
        Self {
            judges: Places::new(limits::JUDGE_THREADS_MAX),
            judged: UserParts::new(limits::JUDGE_THREADS_MAX),
            throttle,
            places: Arc::clone(&self.places),
            parts: self.parts.clone(),
            slots: self.slots.clone(),
        }
    }

    /// Who judges large texts.
    pub(in crate::session) fn judges(&self) -> &Places {
        &self.judges
    }

    /// What a user may take of those threads.
    pub(in crate::session) fn judges_of(&self, user: &str) -> Arc<Semaphore> {
        self.judged.of(user)
    }

    /// What those of this worker that never pause leave to others.
    pub(in crate::session) fn throttle(&self) -> &SharedThrottle {
        &self.throttle
    }
}

impl Default for Workshop {
    fn default() -> Self {
        Self::new()
    }
}

impl Conversation {
    /// Has a statement rescued on another thread.
    pub fn rescue_elsewhere(&mut self, patient: &Patient) -> Rescuing {
        let wishes = self.wishes.clone();
        let cancelled = async move {
            match wishes {
                Some(wishes) => wishes.cancelled().await,
                None => pending().await,
            }
        };
        let work = match &patient.cause {
            Cause::Shaken { tries, .. } => self.pause(*tries),
            Cause::Refused(_) | Cause::Doubted | Cause::Failed { .. } => self.in_turn(patient),
        };
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancelled => Rescued::Cancelled,
                rescued = work => rescued,
            }
        })
    }

    /// A while, longer each time, and never the same for two clients.
    fn pause(&self, tries: u32) -> Rescuing {
        let step = limits::RETRY_PAUSE.saturating_mul(2_u32.saturating_pow(tries));
        let mut chance = [0_u8; 1];
        // Without randomness the pause is merely the same for all.
        let jitter = match getrandom::fill(&mut chance) {
            Ok(()) => step.saturating_mul(chance.map(u32::from).iter().sum()) / u32::from(u8::MAX),
            Err(_) => step,
        };
        Box::pin(async move {
            sleep(step / 2 + jitter / 2).await;
            Rescued::Paused
        })
    }

    fn in_turn(&mut self, patient: &Patient) -> Rescuing {
        self.look_around();
        let gate = Arc::clone(&self.gate);
        let names = self.names.clone();
        self.look_away();
        let awaited = Arc::new(());
        let is_traced = self.is_traced();
        let mut bench = Bench {
            marks: Marks::default(),
            gate: Arc::clone(&gate),
            tools: Tools::of(self.side.as_ref(), &names),
            awaited: Arc::downgrade(&awaited),
            slot: None,
        };
        let slots = self.workshop.slots.clone();
        let (frame, failure) = (patient.frame.clone(), patient.failure.clone());
        let work = move || {
            bench.slot = Some(slots.take());
            let began = Instant::now();
            let (text, parameters) = text_of(&frame).unwrap_or_default();
            let request = Request {
                gate: &gate,
                names: &names,
                parameters: &parameters,
                text,
                failure,
            };
            if is_traced {
                bench.marks = Marks(Some(vec![Instant::now()]));
            }
            let outcome = rescue(&request, &mut bench);
            bench.stepped();
            (outcome, bench.marks, began.elapsed())
        };
        let part = self.workshop.parts.of(self.names.role());
        let places = Arc::clone(&self.workshop.places);
        let throttle = self.workshop.throttle.clone();
        let in_turn = async move {
            // The own part first: who waits for it keeps no other from a place.
            let own = Arc::clone(&part).acquire_owned().await.ok()?;
            let place = places.acquire_owned().await.ok()?;
            let rescuing = spawn_blocking(move || {
                let (outcome, marks, took) = work();
                drop(place);
                (outcome, marks, took, (own, part))
            });
            let (outcome, marks, took, own) = rescuing.await.ok()?;
            throttle.keep_after(took, own);
            Some((outcome, marks))
        };
        let bounded = timeout(limits::RESCUE_TIME_MAX, in_turn);
        Box::pin(async move {
            let outcome = bounded.await.ok().flatten();
            drop(awaited);
            match outcome {
                Some((outcome, marks)) => Rescued::Ended(outcome, marks),
                None => Rescued::Unended,
            }
        })
    }
}

impl Marks {
    /// When a step was done. Steps without a change have no time of their own.
    pub(in crate::session) fn of_step(&self, place: usize) -> Option<(Instant, Instant)> {
        let marks = self.0.as_deref()?;
        let last = *marks.last()?;
        let at = |place: usize| marks.get(place).copied().unwrap_or(last);
        Some((at(place), at(place.saturating_add(1))))
    }
}

impl Tools {
    fn of(side: Option<&Side>, names: &SessionNames) -> Self {
        let SearchPaths::Known(paths) = names.paths() else {
            return Self::Nobody;
        };
        match (side, &**paths) {
            (Some(side), [path]) => Self::Side(side.run(path)),
            _ => Self::Nobody,
        }
    }
}

impl Run for Bench {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &Parameters,
    ) -> Result<(), Uncompiled> {
        match &mut self.tools {
            Tools::Side(side) if self.awaited.strong_count() > 0 => {
                let compiled = match &self.slot {
                    Some(slot) => slot.lend_during(|| side.compile(permit, parameters)),
                    None => side.compile(permit, parameters),
                };
                compiled
                    .map_err(|failed| error_rewrite::uncompiled(failed, permit, self.gate.policy()))
            }
            Tools::Side(_) | Tools::Nobody => Err(Uncompiled::Unavailable),
        }
    }

    fn stepped(&mut self) {
        // As many as the funnel has rounds, which have a bound.
        if let Some(marks) = &mut self.marks.0 {
            marks.push(Instant::now());
        }
    }
}

impl fmt::Debug for Workshop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Workshop")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_leaves_places_for_others() {
        let workshop = Workshop::new();
        let ann = workshop.parts.of("ann");
        let taken: Vec<_> =
            std::iter::from_fn(|| Arc::clone(&ann).try_acquire_owned().ok()).collect();
        assert_eq!(taken.len(), limits::RESCUES_OF_USER_MAX);
        assert!(taken.len() * 2 <= limits::RESCUES_MAX);
        assert!(workshop.parts.of("bob").try_acquire().is_ok());
    }
}
