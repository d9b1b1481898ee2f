//! Where repairs run: on threads that may wait, a bounded number at a time, for a bounded time.
//!
//! Each user has a part of the places, so that one whose statements all fail leaves some for the
//! others. A repair that nobody waits for any more asks the server nothing more.

use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Instant;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::compute_slots::{ComputeSlot, ComputeSlots};
use super::{RepairJob, RepairResult};
use crate::gate::{Gate, ParameterTypes, ReadPermit, SearchPaths, SessionNames};
use crate::limits;
use crate::policy::Dialect;
use crate::repair::{CompileError, RepairRequest, StatementCompiler, repair_statement};
use crate::session::scheduling::large_text::text_of;
use crate::session::scheduling::throttle::SharedThrottle;
use crate::session::scheduling::user_shares::UserShares;
use crate::session::server::error_rewrite;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::compile_pool::{CompilePool, CompileRun};
use crate::upstream::fair_slots::FairSlots;

/// The slots of repairs, shared by all sessions.
pub struct RepairExecutor {
    repair_slots: Arc<Semaphore>,
    /// What each user may take of them.
    shares: UserShares,
    /// How many of them compute at the same time.
    compute_slots: ComputeSlots,
    /// The threads of this worker that judge large texts.
    judge_slots: FairSlots,
    /// What each user may take of those.
    judge_shares: UserShares,
    /// What those of this worker that never pause leave to others.
    throttle: SharedThrottle,
}

/// A repair under way. May be dropped: it ends by itself.
pub type RunningRepair = Pin<Box<dyn Future<Output = RepairResult> + Send>>;

/// When each step of a repair was done, where the statement is sampled: first the beginning, then
/// the end of each.
#[derive(Debug, Default)]
pub struct StepTimes(Option<Vec<Instant>>);

/// By what a statement is repaired.
pub(super) struct RepairBasis {
    pub(super) gate: Arc<Gate>,
    pub(super) names: SessionNames,
    pub(super) compile_pool: Option<CompilePool>,
    /// The dialect that earlier statements of the session were of.
    pub(super) earlier_dialect: Option<Dialect>,
    /// The user whose statement it is.
    pub(super) user: Arc<str>,
    /// Whether it is kept when each step was done.
    pub(super) is_traced: bool,
}

/// What compiles the texts of one repair, while somebody waits for it.
struct Compiler {
    marks: StepTimes,
    gate: Arc<Gate>,
    tools: CompileTarget,
    awaited: Weak<()>,
    slot: Option<ComputeSlot>,
}

enum CompileTarget {
    Side(CompileRun),
    /// There is no server to ask, or it is not known where it looks names up.
    Nobody,
}

impl RepairExecutor {
    /// All places are free.
    pub fn new() -> Self {
        Self {
            repair_slots: Arc::new(Semaphore::new(limits::REPAIRS_MAX)),
            shares: UserShares::new(limits::REPAIRS_OF_USER_MAX),
            compute_slots: ComputeSlots::new(),
            judge_slots: FairSlots::new(limits::JUDGE_THREADS_MAX),
            judge_shares: UserShares::new(limits::JUDGE_THREADS_MAX),
            throttle: SharedThrottle::default(),
        }
    }

    /// The same one, with judges of its own, for one more worker that has this throttle.
    pub fn for_worker(&self, throttle: SharedThrottle) -> Self {
        Self {
            judge_slots: FairSlots::new(limits::JUDGE_THREADS_MAX),
            judge_shares: UserShares::new(limits::JUDGE_THREADS_MAX),
            throttle,
            repair_slots: Arc::clone(&self.repair_slots),
            shares: self.shares.clone(),
            compute_slots: self.compute_slots.clone(),
        }
    }

    /// Who judges large texts.
    pub(in crate::session) fn judge_slots(&self) -> &FairSlots {
        &self.judge_slots
    }

    /// What a user may take of those threads.
    pub(in crate::session) fn judge_share(&self, user: &str) -> Arc<Semaphore> {
        self.judge_shares.of(user)
    }

    /// What those of this worker that never pause leave to others.
    pub(in crate::session) fn throttle(&self) -> &SharedThrottle {
        &self.throttle
    }
}

impl Default for RepairExecutor {
    fn default() -> Self {
        Self::new()
    }
}

impl RepairExecutor {
    /// Has a statement repaired on another thread, by what is known now.
    pub(super) fn run(&self, repair_job: &RepairJob, by: RepairBasis) -> RunningRepair {
        let RepairBasis {
            gate,
            names,
            compile_pool,
            earlier_dialect,
            user,
            is_traced,
        } = by;
        let awaited = Arc::new(());
        let mut bench = Compiler {
            marks: StepTimes::default(),
            gate: Arc::clone(&gate),
            tools: CompileTarget::of(compile_pool.as_ref(), &names),
            awaited: Arc::downgrade(&awaited),
            slot: None,
        };
        let part = self.shares.of(names.role());
        let places = Arc::clone(&self.repair_slots);
        let throttle = self.throttle.clone();
        let slots = self.compute_slots.clone();
        let (frame, failure) = (repair_job.frame.clone(), repair_job.failure.clone());
        let work = move || {
            bench.slot = Some(slots.take());
            let began = Instant::now();
            let (text, parameters) = text_of(&frame).unwrap_or_default();
            let request = RepairRequest {
                user: &user,
                gate: &gate,
                names: &names,
                parameters: &parameters,
                text,
                failure,
                earlier_dialect,
            };
            if is_traced {
                bench.marks = StepTimes(Some(vec![Instant::now()]));
            }
            let outcome = repair_statement(&request, &mut bench);
            bench.attempt_finished();
            (outcome, bench.marks, began.elapsed())
        };
        let in_turn = async move {
            // The own part first: who waits for it keeps no other from a place.
            let own = Arc::clone(&part).acquire_owned().await.ok()?;
            let place = places.acquire_owned().await.ok()?;
            let repair = spawn_blocking(move || {
                let (outcome, marks, took) = work();
                drop(place);
                (outcome, marks, took, (own, part))
            });
            let (outcome, marks, took, own) = repair.await.ok()?;
            throttle.keep_after(took, own);
            Some((outcome, marks))
        };
        let bounded = timeout(limits::REPAIR_TIME_MAX, in_turn);
        Box::pin(async move {
            let outcome = bounded.await.ok().flatten();
            drop(awaited);
            match outcome {
                Some((outcome, marks)) => RepairResult::Ended(outcome, marks),
                None => RepairResult::Unended,
            }
        })
    }
}

/// The same, unless the client cancels it.
pub(super) fn unless_cancelled(
    signals: Option<Arc<SessionSignals>>,
    work: RunningRepair,
) -> RunningRepair {
    let cancelled = async move {
        match signals {
            Some(signals) => signals.until_cancelled().await,
            None => pending().await,
        }
    };
    Box::pin(async move {
        tokio::select! {
            biased;
            () = cancelled => RepairResult::Cancelled,
            result = work => result,
        }
    })
}

/// A while, longer each time, and never the same for two clients.
pub(super) fn pause(tries: u32) -> RunningRepair {
    let step = limits::RETRY_PAUSE.saturating_mul(2_u32.saturating_pow(tries));
    let mut chance = [0_u8; 1];
    // Without randomness the pause is merely the same for all.
    let jitter = match getrandom::fill(&mut chance) {
        Ok(()) => step.saturating_mul(chance.map(u32::from).iter().sum()) / u32::from(u8::MAX),
        Err(_) => step,
    };
    Box::pin(async move {
        sleep(step / 2 + jitter / 2).await;
        RepairResult::Paused
    })
}

impl StepTimes {
    /// When a step was done. Steps without a change have no time of their own.
    pub(in crate::session) fn of_step(&self, place: usize) -> Option<(Instant, Instant)> {
        let marks = self.0.as_deref()?;
        let last = *marks.last()?;
        let at = |place: usize| marks.get(place).copied().unwrap_or(last);
        Some((at(place), at(place.saturating_add(1))))
    }
}

impl CompileTarget {
    fn of(compile_pool: Option<&CompilePool>, names: &SessionNames) -> Self {
        let SearchPaths::Known(paths) = names.paths() else {
            return Self::Nobody;
        };
        match (compile_pool, &**paths) {
            (Some(compile_pool), [path]) => Self::Side(compile_pool.run(path)),
            _ => Self::Nobody,
        }
    }
}

impl StatementCompiler for Compiler {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &ParameterTypes,
    ) -> Result<(), CompileError> {
        match &mut self.tools {
            CompileTarget::Side(compile_pool) if self.awaited.strong_count() > 0 => {
                let compiled = match &self.slot {
                    Some(slot) => slot.lend_during(|| compile_pool.compile(permit, parameters)),
                    None => compile_pool.compile(permit, parameters),
                };
                compiled
                    .map_err(|failed| error_rewrite::uncompiled(failed, permit, self.gate.policy()))
            }
            CompileTarget::Side(_) | CompileTarget::Nobody => Err(CompileError::Unavailable),
        }
    }

    fn attempt_finished(&mut self) {
        // As many as the repair loop has rounds, which have a bound.
        if let Some(marks) = &mut self.marks.0 {
            marks.push(Instant::now());
        }
    }
}

impl fmt::Debug for RepairExecutor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RepairExecutor")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_user_leaves_places_for_others() {
        let repair_executor = RepairExecutor::new();
        let ann = repair_executor.shares.of("ann");
        let taken: Vec<_> =
            std::iter::from_fn(|| Arc::clone(&ann).try_acquire_owned().ok()).collect();
        assert_eq!(taken.len(), limits::REPAIRS_OF_USER_MAX);
        assert!(taken.len() * 2 <= limits::REPAIRS_MAX);
        assert!(repair_executor.shares.of("bob").try_acquire().is_ok());
    }
}
