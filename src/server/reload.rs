//! Reads the policies again, when somebody says so (SIGHUP) and when their files have changed, and
//! has them hold all at once, or not at all.
//!
//! What is read is checked by itself, and then against every catalog that is known: what the gate
//! needs to judge under the new policies is there before the first session is under them. If
//! anything is wrong the policies of before go on to hold; the log, a metric and `/readyz` say so.
//! So it is where one of their own tests fails and the settings ask for them (`policy.tests`).
//! They say so as well where policies that hold do not fit a catalog that is loaded later.
//!
//! A change of the files is noticed by their content, read once in a while: that sees what an
//! editor does, what `mv` does and how Kubernetes exchanges a ConfigMap (a symbolic link is pointed
//! elsewhere), on every file system. It counts when the files have stood still for a moment.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::fitness;
use super::policy_tests::PolicyTests;
use super::readiness::Readiness;
use crate::catalog::Version;
use crate::limits;
use crate::policy::sources::{self, Source};
use crate::policy::{Live, PolicySet, Problem};
use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoliciesCompared, PoliciesRead};
use crate::telemetry::labels::PolicyReload;
use crate::upstream::keeper::Catalogs;

/// Reads the policies again and has them hold.
pub struct Reloader {
    /// Where they come from.
    pub sources: Arc<[Source]>,
    /// Where they hold.
    pub live: Arc<Live>,
    /// What they are checked against.
    pub catalogs: Catalogs,
    /// Who answers `/readyz`.
    pub readiness: Arc<Readiness>,
    /// Where it is told.
    pub telemetry: Telemetry,
    /// Somebody wants them to be read now.
    pub asked: Arc<Notify>,
    /// Runs their tests, where these have to pass.
    pub tests: Option<PolicyTests>,
    /// Looks at policies that hold from now on.
    pub look: Arc<Look>,
}

/// A look at policies.
pub type Look = dyn Fn(&PolicySet) + Send + Sync;

/// Why policies are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wake {
    /// Somebody said so.
    Asked,
    /// It is time to look at the files.
    Interval,
}

/// The state of all files of policies: a hash of their names and contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp([u8; 32]);

/// What came of it.
struct Verdict {
    outcome: PolicyReload,
    problems: Vec<Problem>,
    idle: usize,
    fit: Fit,
}

/// Whether policies that were read and are sound fit the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// They do, or they were rejected for another reason.
    Settled,
    /// They do not, and may when the databases change.
    NotYet,
}

impl Reloader {
    /// Runs as long as the process.
    pub async fn run(self) {
        let mut tried = self.begin().await;
        let mut misfits = Vec::new();
        // Which catalogs were known when policies did not fit them: others they may fit.
        let mut unfit_with = None;
        loop {
            self.compare(&mut misfits);
            let looking = timeout(limits::POLICY_LOOK_INTERVAL, self.asked.notified());
            let wake = match looking.await {
                Ok(()) => Wake::Asked,
                Err(_) => Wake::Interval,
            };
            let Some(now) = self.stamp().await else {
                continue;
            };
            let may_fit = unfit_with
                .as_ref()
                .is_some_and(|known| *known != self.known());
            let now = match wake {
                Wake::Asked => Some(now),
                Wake::Interval if Some(now) == tried => may_fit.then_some(now),
                Wake::Interval => self.settled(now).await,
            };
            if now.is_some() {
                // The state was taken first: should the files change now, they are read once more.
                tried = now;
                let known = self.known();
                unfit_with = (self.reload().await == Fit::NotYet).then_some(known);
            }
        }
    }

    /// The versions of the catalogs that are known.
    fn known(&self) -> Vec<Version> {
        let seen = self.catalogs.seen();
        seen.iter()
            .map(|one| one.sights.catalog().version())
            .collect()
    }

    /// Says whether the policies that hold fit the databases that are known, whenever that is
    /// another answer than before: catalogs come after the start, and databases change.
    fn compare(&self, told: &mut Vec<Problem>) {
        let problems = fitness::problems(&self.live.current(), &self.catalogs.seen());
        if problems != *told {
            *told = problems;
            self.readiness.note_misfits(told.len());
            self.telemetry.emit(&PoliciesCompared { problems: told });
        }
    }

    /// The state of the files from which the policies that hold were read, as far as it is known:
    /// they may have changed since.
    async fn begin(&self) -> Option<Stamp> {
        let (sources, live) = (Arc::clone(&self.sources), Arc::clone(&self.live));
        let looking = spawn_blocking(move || {
            let stamp = Stamp::of(&sources);
            if !sources.iter().all(Source::can_be_read_again) {
                return Some(stamp);
            }
            let read = sources::load(&sources).ok()?;
            is_same(&live.current(), &read).then_some(stamp)
        });
        looking.await.ok().flatten()
    }

    /// Waits until the files stand still, for a while.
    async fn settled(&self, mut seen: Stamp) -> Option<Stamp> {
        for _ in 0..limits::POLICY_SETTLE_LOOKS_MAX {
            sleep(limits::POLICY_SETTLE_TIME).await;
            let now = self.stamp().await?;
            if now == seen {
                return Some(now);
            }
            seen = now;
        }
        None
    }

    /// None if the task that looks has failed, which was told by the panic hook.
    async fn stamp(&self) -> Option<Stamp> {
        let sources = Arc::clone(&self.sources);
        spawn_blocking(move || Stamp::of(&sources)).await.ok()
    }

    async fn reload(&self) -> Fit {
        let sources = Arc::clone(&self.sources);
        let (live, catalogs) = (Arc::clone(&self.live), self.catalogs.clone());
        let (tests, handle) = (self.tests.clone(), Handle::current());
        // Reading, and looking through catalogs, is no work for a thread that accepts.
        let trying = spawn_blocking(move || {
            let tests = tests.as_ref().map(|tests| (tests, &handle));
            try_out(&sources, &live, &catalogs, tests)
        });
        let trying = trying.await;
        let verdict = trying.unwrap_or_else(|_panic| {
            self.catalogs.settle(&self.live.current());
            Verdict::rejected(vec![Problem {
                place: "pgsieve".into(),
                what: "met a fault of its own while it tried the policies out".into(),
            }])
        });
        let Verdict {
            outcome,
            problems,
            idle,
            fit,
        } = verdict;
        self.readiness.note_reload(outcome, problems.len());
        if outcome == PolicyReload::Loaded {
            (self.look)(&self.live.current());
        }
        self.telemetry.emit(&PoliciesRead {
            outcome,
            set: &self.live.current(),
            problems: &problems,
            idle,
        });
        fit
    }
}

impl Stamp {
    fn of(sources: &[Source]) -> Self {
        let mut hasher = blake3::Hasher::new();
        let files = sources.iter().flat_map(Source::files);
        for file in files.take(limits::POLICY_FILES_LOOKED_AT_MAX) {
            let name = file.as_os_str().as_encoded_bytes();
            hasher.update(blake3::hash(name).as_bytes());
            match content(&file) {
                Ok(content) => hasher
                    .update(&[1])
                    .update(blake3::hash(&content).as_bytes()),
                Err(error) => hasher
                    .update(&[2])
                    .update(error.kind().to_string().as_bytes()),
            };
        }
        Self(*hasher.finalize().as_bytes())
    }
}

impl Verdict {
    fn rejected(problems: Vec<Problem>) -> Self {
        Self {
            outcome: PolicyReload::Rejected,
            problems,
            idle: 0,
            fit: Fit::Settled,
        }
    }
}

/// Reads the policies, tries them out, and has them hold where nothing is wrong with them.
fn try_out(
    sources: &[Source],
    live: &Live,
    catalogs: &Catalogs,
    tests: Option<(&PolicyTests, &Handle)>,
) -> Verdict {
    if let Some(source) = sources.iter().find(|own| !own.can_be_read_again()) {
        return Verdict::rejected(vec![Problem {
            place: source.to_string(),
            what: "is no file and no folder, and is not read again".into(),
        }]);
    }
    let coming = match sources::load(sources) {
        Ok(coming) => coming,
        Err(problems) => return Verdict::rejected(problems),
    };
    let old = live.current();
    if is_same(&old, &coming) {
        return Verdict {
            outcome: PolicyReload::Unchanged,
            problems: Vec::new(),
            idle: 0,
            fit: Fit::Settled,
        };
    }
    let seen = catalogs.foresee(&coming);
    let mut problems = fitness::problems(&coming, &seen);
    if let (true, Some((tests, handle))) = (problems.is_empty(), tests) {
        problems = tests.run(&coming, &seen, handle).problems;
    }
    if !problems.is_empty() {
        catalogs.settle(&old);
        return Verdict {
            fit: Fit::NotYet,
            ..Verdict::rejected(problems)
        };
    }
    let idle = fitness::idle(&coming, &seen);
    live.replace(coming);
    catalogs.settle(&live.current());
    Verdict {
        outcome: PolicyReload::Loaded,
        problems: Vec::new(),
        idle,
        fit: Fit::Settled,
    }
}

/// What stands in a file. What is none could keep the reader for ever.
fn content(file: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(file)?;
    if !found.is_file() || found.len() > limits::CONFIG_FILE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::read(file)
}

/// Whether both are the same policies, in the same order.
fn is_same(old: &PolicySet, new: &PolicySet) -> bool {
    old.all().len() == new.all().len()
        && old
            .all()
            .iter()
            .zip(new.all())
            .all(|(old, new)| old.name() == new.name() && old.version() == new.version())
}
