//! What is exchanged while pgsieve serves: users, their verifiers and passwords, certificates and
//! keys on both sides, the accounts that read catalogs, and who may see the admin address.
//!
//! All of it is read and made ready first, and then exchanged in one go, in which nothing can fail.
//! Sessions that are open stay, unless their user is gone.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{AppError, tell, tests_of};
use crate::config::digests::Marks;
use crate::config::reload_difference::Began;
use crate::config::sources::Sources;
use crate::config::warnings::{self, Warning};
use crate::config::{self, Problem, Settings};
use crate::net::client_tls::ClientTls;
use crate::offline::assumptions::Roles;
use crate::policy;
use crate::policy::sources::Source;
use crate::server::admin::AdminKeys;
use crate::server::reload::source::{Coming, Faults, Watched};
use crate::session::login::LoginDesk;
use crate::session::login::login_settings::Entrance;
use crate::telemetry::events::CertificatesHeld;
use crate::telemetry::labels::HeldCertificate;
use crate::telemetry::{OtherSinks, Telemetry};
use crate::upstream::account::Account;
use crate::upstream::catalog_cache::catalog_account::Known;
use crate::upstream::connect::Upstream;

/// What the settings that hold have left, for those of later to be held against.
pub struct Held {
    began: Began,
    marks: Marks,
    policies: Vec<Source>,
    warnings: Vec<Warning>,
    ends: Vec<(HeldCertificate, i64)>,
    accounts: Vec<Account>,
    known: Known,
}

/// Reads settings again and has them hold.
pub struct Renewal {
    sources: Sources,
    held: Mutex<Held>,
    desk: Arc<LoginDesk>,
    keys: Arc<AdminKeys>,
    telemetry: Telemetry,
}

/// What is ready to hold.
struct Ready {
    settings: Settings,
    entrance: Arc<Entrance>,
    upstream: Arc<Upstream>,
    sinks: OtherSinks,
}

impl Held {
    /// These settings, at the start.
    pub fn with(settings: &Settings) -> Self {
        let now = Timestamp::now().as_second();
        let ends = warnings::ends(settings).into_iter();
        Self {
            began: Began::with(settings),
            marks: settings.marks.clone(),
            policies: settings.policy_sources.clone(),
            warnings: warnings::of(settings, now),
            ends: ends.map(|one| (one.certificate, one.ends)).collect(),
            accounts: Vec::new(),
            known: settings.catalog.account.clone(),
        }
    }

    /// Tells what should be known of them.
    pub fn warn(&self, telemetry: &Telemetry) {
        tell(self.warnings.clone(), telemetry);
        telemetry.emit(&CertificatesHeld { ends: &self.ends });
    }

    /// Others hold from now on. What was told of those of before is not told again.
    fn exchange(&mut self, settings: &Settings, telemetry: &Telemetry) {
        let now = Timestamp::now().as_second();
        let warned = std::mem::replace(&mut self.warnings, warnings::of(settings, now));
        let fresh = self.warnings.iter().filter(|one| !warned.contains(one));
        tell(fresh.cloned().collect::<Vec<_>>(), telemetry);
        let ends = warnings::ends(settings).into_iter();
        self.ends = ends.map(|one| (one.certificate, one.ends)).collect();
        telemetry.emit(&CertificatesHeld { ends: &self.ends });
        self.marks = settings.marks.clone();
        self.policies = settings.policy_sources.clone();
    }
}

impl Renewal {
    /// For what is built of these settings.
    pub fn new(
        (mut held, sources): (Held, Sources),
        desk: Arc<LoginDesk>,
        keys: Arc<AdminKeys>,
        telemetry: Telemetry,
    ) -> Self {
        held.accounts = accounts(&desk.entrance.now());
        Self {
            sources,
            held: Mutex::new(held),
            desk,
            keys,
            telemetry,
        }
    }

    /// What the settings that hold came from.
    pub fn watched(&self) -> Watched {
        let held = self.held();
        let files = held.marks.files().map(PathBuf::from).collect();
        self.watching(files, held.policies.clone())
    }

    /// Reads everything again, and makes it ready to hold. Blocks.
    pub fn read(self: &Arc<Self>) -> (Result<Coming, Faults>, Watched) {
        let sources = match self.sources.again() {
            Ok(sources) => sources,
            Err(problems) => {
                let faults = Faults {
                    settings: problems.into_iter().map(settings_problem).collect(),
                    policies: Vec::new(),
                };
                return (Err(faults), self.watched());
            }
        };
        let again = config::load_again(&sources);
        let watched = self.watching(again.files, again.policy_sources);
        let coming = match again.settings {
            Ok(settings) => self.prepare(settings),
            Err(problems) => Err(divided(problems, &watched.policies)),
        };
        (coming, watched)
    }

    fn watching(&self, files: Vec<PathBuf>, policies: Vec<Source>) -> Watched {
        let own = self.sources.path.clone();
        let mut files: Vec<PathBuf> = own.into_iter().chain(files).collect();
        files.sort();
        files.dedup();
        Watched { files, policies }
    }

    /// Loads what the settings name, and says everything that is wrong with it.
    fn prepare(self: &Arc<Self>, settings: Settings) -> Result<Coming, Faults> {
        let mut problems = Vec::new();
        let before = self.desk.entrance.now();
        let entrance = match ClientTls::load(&settings.client_tls) {
            Ok(tls) => match before.auth.load_after(settings.auth.clone(), &tls) {
                Ok(auth) => Some(Arc::new(Entrance {
                    tls,
                    auth,
                    attributes: settings.attributes.clone(),
                    report_as: settings.report_as,
                })),
                Err(error) => {
                    problems.push(of_app(&AppError::Auth(error)));
                    None
                }
            },
            Err(error) => {
                problems.push(of_app(&AppError::ClientTls(error)));
                None
            }
        };
        let upstream = Upstream::load(settings.upstream.clone())
            .map_err(|error| problems.push(of_app(&AppError::UpstreamTls(error))))
            .ok();
        let sinks = self
            .telemetry
            .prepare(&settings.telemetry)
            .map_err(|error| problems.push(of_app(&AppError::Telemetry(error))))
            .ok();
        let compared = self.held().began.compare(&settings);
        let waiting = compared.unwrap_or_else(|barring| {
            problems.extend(barring.into_iter().map(settings_problem));
            Vec::new()
        });
        let (Some(entrance), Some(upstream), Some(sinks), true) =
            (entrance, upstream, sinks, problems.is_empty())
        else {
            let policies = Vec::new();
            return Err(Faults {
                settings: problems,
                policies,
            });
        };
        let mut changed = self.held().marks.changed(&settings.marks);
        changed.retain(|key| !Began::WAITING.contains(&key.as_str()));
        let policies = settings.policies.clone();
        let upstream = Arc::new(upstream);
        let roles = Roles::of(&settings.auth);
        let tests = tests_of((settings.policy_tests.clone(), roles), &upstream);
        let ready = Ready {
            settings,
            entrance,
            upstream,
            sinks,
        };
        let renewal = Arc::clone(self);
        Ok(Coming {
            policies,
            tests,
            changed,
            waiting,
            take: Box::new(move || renewal.take(ready)),
        })
    }

    /// Has them hold; says how many sessions end by it.
    fn take(&self, ready: Ready) -> usize {
        let Ready {
            settings,
            entrance,
            upstream,
            sinks,
        } = ready;
        self.telemetry.exchange(sinks);
        let mut held = self.held();
        let accounts = accounts(&entrance);
        for old in &held.accounts {
            let same = accounts.iter().find(|new| new.user == old.user);
            if let Some(new) = same.filter(|new| *new != old) {
                self.desk.sides.renew(old, new);
            }
        }
        held.accounts = accounts;
        self.desk.upstream.renew(&upstream);
        if held.known != settings.catalog.account {
            self.desk.catalogs.renew(&settings.catalog.account);
            held.known = settings.catalog.account.clone();
        }
        self.keys
            .renew(settings.admin_token.clone(), settings.admin_hosts.clone());
        // Whoever logs in meanwhile looks at the way in once more when it is on the roster.
        self.desk.entrance.renew(Arc::clone(&entrance));
        let is_gone = |user: &str, name: Option<&str>| !entrance.auth.still_lists(user, name);
        let ended = self
            .desk
            .roster
            .end_where(|one| is_gone(&one.user, one.certificate_name.as_deref()));
        held.exchange(&settings, &self.telemetry);
        ended
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whom clients stand for at the upstream.
fn accounts(entrance: &Entrance) -> Vec<Account> {
    let identities = entrance.auth.identities().into_iter();
    let accounts = identities.map(|identity| Account {
        user: identity.user.clone(),
        password: identity.password.clone(),
    });
    accounts.collect()
}

/// What is wrong with policies apart from the rest.
fn divided(problems: Vec<Problem>, sources: &[Source]) -> Faults {
    let files: Vec<String> = sources.iter().map(ToString::to_string).collect();
    let is_policy = |one: &Problem| files.iter().any(|file| one.place.starts_with(file));
    let (policies, settings): (Vec<_>, Vec<_>) = problems.into_iter().partition(is_policy);
    Faults {
        settings: settings.into_iter().map(settings_problem).collect(),
        policies: policies.into_iter().map(settings_problem).collect(),
    }
}

fn settings_problem(problem: Problem) -> policy::Problem {
    let Problem { place, what } = problem;
    policy::Problem { place, what }
}

/// The key in front of the error's words is the place.
fn of_app(error: &AppError) -> policy::Problem {
    let told = error.to_string();
    let split = told.split_once(": ").filter(|(key, _)| !key.contains(' '));
    let (place, what) = split.unwrap_or(("settings", &told));
    policy::Problem {
        place: place.into(),
        what: what.into(),
    }
}
