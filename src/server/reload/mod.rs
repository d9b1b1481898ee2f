//! Reads settings and policies again, when somebody says so (SIGHUP, `pgsieve reload`) and when
//! their files have changed, and has them hold all at once, or not at all.
//!
//! What is read is checked by itself, with every file that the settings name, and then the
//! policies against every catalog that is known: what the gate needs to judge under the new
//! policies is there before the first session is under them. If anything is wrong what held before
//! goes on to hold; the log, metrics and `/readyz` say so. So it is where one of the policies' own
//! tests fails and the settings ask for them (`policy.tests`). They say so as well where policies
//! that hold do not fit a catalog that is loaded later.
//!
//! A change of the files is noticed by their content, read once in a while: that sees what an
//! editor does, what `mv` does and how Kubernetes exchanges a ConfigMap or a Secret (a symbolic
//! link is pointed elsewhere), on every file system. It counts when the files have stood still for
//! a moment.

pub(super) mod file_digest;
pub mod policy_fit;
pub mod policy_tests;
pub mod source;

use std::sync::Arc;

use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::readiness::Readiness;
use super::reload::file_digest::FileDigest;
use super::reload::source::{
    NewSettings, ReloadReport, SettingsFaults, SettingsSource, WatchedFiles,
};
use crate::catalog::CatalogVersion;
use crate::limits;
use crate::policy::{LivePolicies, Policy, PolicyProblem, PolicySet};
use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoliciesCompared, PoliciesRead, PolicyEnded, SettingsRead};
use crate::telemetry::labels::PolicyReload;
use crate::upstream::catalog_cache::CatalogCaches;

/// Reads settings and policies again and has them hold.
pub struct Reloader {
    /// What reads them.
    pub read: Arc<SettingsSource>,
    /// What they came from.
    pub watched: WatchedFiles,
    /// Where policies hold.
    pub live: Arc<LivePolicies>,
    /// What they are checked against.
    pub catalogs: CatalogCaches,
    /// Who answers `/readyz`.
    pub readiness: Arc<Readiness>,
    /// Where it is told.
    pub telemetry: Telemetry,
    /// Who wants it now.
    pub wishes: mpsc::Receiver<ReloadRequest>,
}

/// Somebody wants everything to be read now, and may want to hear what came of it.
pub struct ReloadRequest {
    answer: Option<oneshot::Sender<ReloadReport>>,
}

/// Has everything read again. Cheap to clone.
#[derive(Clone)]
pub struct ReloadHandle {
    wishes: mpsc::Sender<ReloadRequest>,
}

/// What came of it.
struct ReloadOutcome {
    report: ReloadReport,
    /// What is wrong, if anything.
    faults: SettingsFaults,
    /// What became of the policies alone.
    policies: PolicyReload,
    idle: usize,
    fit: CatalogFit,
    watched: WatchedFiles,
    /// The files as they were read.
    stamp: FileDigest,
}

/// Whether policies that were read and are sound fit the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CatalogFit {
    /// They do, or they were rejected for another reason.
    Settled,
    /// They do not, and may when the databases change.
    NotYet,
}

impl ReloadHandle {
    /// A way to ask, and where that arrives.
    pub fn new() -> (Self, mpsc::Receiver<ReloadRequest>) {
        let (wishes, arriving) = mpsc::channel(limits::RELOADS_WAITING_MAX);
        (Self { wishes }, arriving)
    }

    /// Asks, and hears nothing of it. Where many wait already, theirs will do.
    pub fn ask(&self) {
        let _ = self.wishes.try_send(ReloadRequest { answer: None });
    }

    /// Asks, and waits for what comes of it; nothing, where too many wait already. May be
    /// cancelled: it is read all the same.
    pub async fn hear(&self) -> Option<ReloadReport> {
        let (answer, hears) = oneshot::channel();
        let wish = ReloadRequest {
            answer: Some(answer),
        };
        self.wishes.try_send(wish).ok()?;
        hears.await.ok()
    }
}

impl Reloader {
    /// Runs until nobody can ask any more.
    pub async fn run(mut self) {
        let mut tried = self.begin().await;
        let mut misfits = Vec::new();
        let mut ended = Vec::new();
        // Which catalogs were known when policies did not fit them: others they may fit.
        let mut unfit_with = None;
        loop {
            self.compare(&mut misfits);
            self.note_ended(&mut ended);
            let looking = timeout(limits::POLICY_LOOK_INTERVAL, self.wishes.recv());
            let wish = match looking.await {
                Ok(Some(wish)) => Some(wish),
                Ok(None) => return,
                Err(_) => None,
            };
            let Some(now) = self.stamp().await else {
                continue;
            };
            let may_fit = unfit_with
                .as_ref()
                .is_some_and(|known| *known != self.known());
            let is_due = match wish {
                Some(_) => true,
                None if Some(now) == tried => may_fit,
                None => self.files_settle(now).await,
            };
            if is_due {
                let known = self.known();
                let (fit, stamp) = self.reload(wish.and_then(|wish| wish.answer)).await;
                tried = stamp.or(Some(now));
                unfit_with = (fit == CatalogFit::NotYet).then_some(known);
            }
        }
    }

    /// Says once of each policy that it has ended.
    fn note_ended(&self, told: &mut Vec<Arc<Policy>>) {
        let set = self.live.current();
        let now = Timestamp::now().as_second();
        told.retain(|known| set.all().iter().any(|own| Arc::ptr_eq(own, known)));
        for policy in set.all().iter().filter(|policy| policy.is_over(now)) {
            if !told.iter().any(|known| Arc::ptr_eq(known, policy)) {
                self.telemetry.emit(&PolicyEnded { policy });
                told.push(Arc::clone(policy));
            }
        }
    }

    /// The versions of the catalogs that are known.
    fn known(&self) -> Vec<CatalogVersion> {
        let seen = self.catalogs.seen();
        seen.iter()
            .map(|one| one.policy_effects.catalog().version())
            .collect()
    }

    /// Says whether the policies that hold fit the databases that are known, whenever that is
    /// another answer than before: catalogs come after the start, and databases change.
    fn compare(&self, told: &mut Vec<PolicyProblem>) {
        let (policies, seen) = (self.live.current(), self.catalogs.seen());
        let mut problems = policy_fit::problems(&policies, &seen);
        problems.extend(policy_fit::stale_records(&policies, &seen));
        if problems != *told {
            *told = problems;
            self.readiness.note_misfits(told.len());
            self.telemetry.emit(&PoliciesCompared { problems: told });
        }
    }

    /// The state of the files from which what holds was read, as far as it is known: they may have
    /// changed since.
    async fn begin(&self) -> Option<FileDigest> {
        let (read, live) = (Arc::clone(&self.read), Arc::clone(&self.live));
        let watched = self.watched.clone();
        let looking = spawn_blocking(move || {
            let stamp = FileDigest::of(&watched);
            if watched.has_streams() {
                return Some(stamp);
            }
            let (read, named) = read();
            let read = read.ok()?;
            let is_held = read.changed.is_empty() && is_same(&live.current(), &read.policies);
            (is_held && named == watched).then_some(stamp)
        });
        looking.await.ok().flatten()
    }

    /// Waits until the files stand still, for a while; says whether they do.
    async fn files_settle(&self, mut seen: FileDigest) -> bool {
        for _ in 0..limits::POLICY_SETTLE_LOOKS_MAX {
            sleep(limits::POLICY_SETTLE_TIME).await;
            match self.stamp().await {
                Some(now) if now == seen => return true,
                Some(now) => seen = now,
                None => return false,
            }
        }
        false
    }

    /// None if the task that looks has failed, which was told by the panic hook.
    async fn stamp(&self) -> Option<FileDigest> {
        let watched = self.watched.clone();
        spawn_blocking(move || FileDigest::of(&watched)).await.ok()
    }

    /// The state of the files as they were read, where they were.
    async fn reload(
        &mut self,
        answer: Option<oneshot::Sender<ReloadReport>>,
    ) -> (CatalogFit, Option<FileDigest>) {
        let (read, watched) = (Arc::clone(&self.read), self.watched.clone());
        let (live, catalogs) = (Arc::clone(&self.live), self.catalogs.clone());
        // Reading, and looking through catalogs, is no work for a thread that accepts.
        let handle = Handle::current();
        let trying =
            spawn_blocking(move || reload_all(&*read, watched, (&live, &catalogs), &handle));
        let Ok(verdict) = trying.await else {
            self.catalogs.commit_policies(&self.live.current());
            let faults = SettingsFaults::of_policies(vec![PolicyProblem {
                place: "pgsieve".into(),
                what: "met a fault of its own while it tried the policies out".into(),
            }]);
            self.emit_outcome(
                &ReloadReport::rejected(&faults),
                &faults,
                PolicyReload::Rejected,
                0,
            );
            return (CatalogFit::Settled, None);
        };
        self.watched = verdict.watched;
        self.emit_outcome(
            &verdict.report,
            &verdict.faults,
            verdict.policies,
            verdict.idle,
        );
        if let Some(answer) = answer {
            // Whoever asked may be gone.
            let _ = answer.send(verdict.report);
        }
        (verdict.fit, Some(verdict.stamp))
    }

    fn emit_outcome(
        &self,
        report: &ReloadReport,
        faults: &SettingsFaults,
        outcome: PolicyReload,
        idle: usize,
    ) {
        self.readiness.note_reload(outcome, faults.count());
        if outcome != PolicyReload::Rejected {
            let keys = report.waiting.iter().map(|(key, _)| key.clone());
            self.readiness.note_waiting(keys.collect());
        }
        self.telemetry.emit(&SettingsRead {
            outcome: report.settings_outcome(faults),
            changed: &report.changed,
            waiting: &report.waiting,
            sessions_ended: report.sessions_ended,
            problems: &faults.settings,
        });
        self.telemetry.emit(&PoliciesRead {
            outcome,
            set: &self.live.current(),
            problems: &faults.policies,
            idle,
        });
    }
}

/// Reads everything, tries it out, and has it hold where nothing is wrong with it.
fn reload_all(
    read: &SettingsSource,
    watched: WatchedFiles,
    (live, catalogs): (&LivePolicies, &CatalogCaches),
    handle: &Handle,
) -> ReloadOutcome {
    let (read, watched, stamp) = read_still(read, watched);
    let rejected = |faults: SettingsFaults, fit| ReloadOutcome {
        report: ReloadReport::rejected(&faults),
        faults,
        policies: PolicyReload::Rejected,
        idle: 0,
        fit,
        watched: watched.clone(),
        stamp,
    };
    let coming = match read {
        Ok(coming) => coming,
        Err(faults) => return rejected(faults, CatalogFit::Settled),
    };
    let old = live.current();
    let policies = match is_same(&old, &coming.policies) {
        true => PolicyReload::Unchanged,
        false => PolicyReload::Loaded,
    };
    let (mut idle, mut sessions_ended, mut outcome) = (0, 0, PolicyReload::Unchanged);
    // Policies that hold may fit no more what came later: that keeps no password from changing.
    let is_asked = coming.changed.iter().any(|key| key == "policy.tests");
    if policies == PolicyReload::Loaded || is_asked {
        let seen = catalogs.prepare_policies(&coming.policies);
        let mut problems = policy_fit::problems(&coming.policies, &seen);
        if let (true, Some(tests)) = (problems.is_empty(), &coming.tests) {
            problems = tests.run(&coming.policies, &seen, handle).problems;
        }
        if !problems.is_empty() {
            catalogs.commit_policies(&old);
            return rejected(SettingsFaults::of_policies(problems), CatalogFit::NotYet);
        }
        idle = policy_fit::unmatched_patterns(&coming.policies, &seen);
    }
    if policies == PolicyReload::Loaded {
        live.replace(coming.policies);
        catalogs.commit_policies(&live.current());
    }
    if policies == PolicyReload::Loaded || !coming.changed.is_empty() {
        sessions_ended = (coming.take)();
        outcome = PolicyReload::Loaded;
    }
    let waiting = coming.waiting.into_iter();
    ReloadOutcome {
        report: ReloadReport {
            outcome: outcome.name().into(),
            changed: coming.changed,
            policies_changed: policies == PolicyReload::Loaded,
            waiting: waiting.map(|one| (one.key.into(), one.change)).collect(),
            sessions_ended,
            problems: Vec::new(),
        },
        faults: SettingsFaults::default(),
        policies,
        idle,
        fit: CatalogFit::Settled,
        watched,
        stamp,
    }
}

/// Reads everything, and what the files were then: where others are named than were looked at, it
/// is read once more.
fn read_still(
    read: &SettingsSource,
    mut watched: WatchedFiles,
) -> (
    Result<NewSettings, SettingsFaults>,
    WatchedFiles,
    FileDigest,
) {
    let mut looks = 0;
    loop {
        let stamp = FileDigest::of(&watched);
        let (read, named) = read();
        looks += 1;
        if named == watched || looks > limits::POLICY_SETTLE_LOOKS_MAX {
            return (read, named, stamp);
        }
        watched = named;
    }
}

impl ReloadReport {
    fn rejected(faults: &SettingsFaults) -> Self {
        Self {
            outcome: PolicyReload::Rejected.name().into(),
            changed: Vec::new(),
            policies_changed: false,
            waiting: Vec::new(),
            sessions_ended: 0,
            problems: faults.all_lines(),
        }
    }

    /// What became of the settings alone.
    fn settings_outcome(&self, faults: &SettingsFaults) -> PolicyReload {
        if !faults.settings.is_empty() {
            PolicyReload::Rejected
        } else if self.changed.is_empty() {
            PolicyReload::Unchanged
        } else {
            PolicyReload::Loaded
        }
    }
}

/// Whether both are the same policies, in the same order.
fn is_same(old: &PolicySet, new: &PolicySet) -> bool {
    old.all().len() == new.all().len()
        && old.all().iter().zip(new.all()).all(|(old, new)| {
            old.name() == new.name() && old.version_number() == new.version_number()
        })
}
