//! What is exchanged while pgsieve serves: users, their verifiers and passwords, certificates and
//! keys on both sides, the accounts that read catalogs, and who may see the admin address.
//!
//! All of it is read and made ready first, and then exchanged in one go, in which nothing can fail.
//! Sessions that are open stay, unless their user is gone.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use super::{AppError, emit_warnings, people_of, tests_of};
use crate::config::digests::SettingsDigests;
use crate::config::reload_difference::StartupSettings;
use crate::config::sources::SettingsSources;
use crate::config::warnings::{self, ConfigWarning};
use crate::config::{self, ProgramSettings, SettingsProblem};
use crate::net::client_tls::ClientTls;
use crate::policy;
use crate::policy::sources::PolicySource;
use crate::server::admin::AdminCredentials;
use crate::server::grounding::people::{CurrentPeople, SettingsPeople};
use crate::server::reload::policy_tests::PolicyTestRunner;
use crate::server::reload::source::{NewSettings, SettingsFaults, WatchedFiles};
use crate::session::login::LoginContext;
use crate::session::login::login_settings::LoginSettings;
use crate::telemetry::events::CertificatesHeld;
use crate::telemetry::labels::HeldCertificate;
use crate::telemetry::log::key_places::KeyPlaces;
use crate::telemetry::{OtherSinks, Telemetry};
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::servers::directory::UpstreamDirectory;

/// What the settings that hold have left, for those of later to be held against.
pub struct SettingsBaseline {
    began: StartupSettings,
    digests: SettingsDigests,
    policies: Vec<PolicySource>,
    warnings: Vec<ConfigWarning>,
    ends: Vec<(HeldCertificate, i64)>,
    accounts: Vec<UpstreamAccount>,
    known: AccountSetting,
}

/// Reads settings again and has them hold.
pub struct SettingsReload {
    sources: SettingsSources,
    held: Mutex<SettingsBaseline>,
    login_context: Arc<LoginContext>,
    people: Arc<CurrentPeople>,
    keys: Arc<AdminCredentials>,
    telemetry: Telemetry,
}

/// What is ready to hold.
struct ReadySettings {
    settings: ProgramSettings,
    people: SettingsPeople,
    login_settings: Arc<LoginSettings>,
    directory: Arc<UpstreamDirectory>,
    sinks: OtherSinks,
}

impl SettingsBaseline {
    /// These settings, at the start.
    pub fn with(settings: &ProgramSettings) -> Self {
        let now = Timestamp::now().as_second();
        let ends = warnings::ends(settings).into_iter();
        Self {
            began: StartupSettings::with(settings),
            digests: settings.digests.clone(),
            policies: settings.policy_sources.clone(),
            warnings: warnings::of(settings, now),
            ends: ends.map(|one| (one.certificate, one.ends)).collect(),
            accounts: Vec::new(),
            known: settings.catalog.account.clone(),
        }
    }

    /// Tells what should be known of them.
    pub fn warn(&self, telemetry: &Telemetry) {
        emit_warnings(self.warnings.clone(), telemetry);
        telemetry.emit(&CertificatesHeld { ends: &self.ends });
    }

    /// Others hold from now on. What was told of those of before is not told again.
    fn exchange(&mut self, settings: &ProgramSettings, telemetry: &Telemetry) {
        let now = Timestamp::now().as_second();
        let warned = std::mem::replace(&mut self.warnings, warnings::of(settings, now));
        let fresh = self.warnings.iter().filter(|one| !warned.contains(one));
        emit_warnings(fresh.cloned().collect::<Vec<_>>(), telemetry);
        let ends = warnings::ends(settings).into_iter();
        self.ends = ends.map(|one| (one.certificate, one.ends)).collect();
        telemetry.emit(&CertificatesHeld { ends: &self.ends });
        self.digests = settings.digests.clone();
        self.policies = settings.policy_sources.clone();
    }
}

impl SettingsReload {
    /// For what is built of these settings.
    pub fn new(
        (mut held, sources): (SettingsBaseline, SettingsSources),
        (login_context, people): (Arc<LoginContext>, Arc<CurrentPeople>),
        keys: Arc<AdminCredentials>,
        telemetry: Telemetry,
    ) -> Self {
        held.accounts = accounts(&login_context.login_settings.now());
        Self {
            sources,
            held: Mutex::new(held),
            login_context,
            people,
            keys,
            telemetry,
        }
    }

    /// What the settings that hold came from.
    pub fn watched(&self) -> WatchedFiles {
        let held = self.held();
        let files = held.digests.files().map(PathBuf::from).collect();
        self.watching(files, held.policies.clone())
    }

    /// Reads everything again, and makes it ready to hold. Blocks.
    pub fn read(self: &Arc<Self>) -> (Result<NewSettings, SettingsFaults>, WatchedFiles) {
        let sources = match self.sources.reread() {
            Ok(sources) => sources,
            Err(problems) => {
                let faults = SettingsFaults {
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

    fn watching(&self, files: Vec<PathBuf>, policies: Vec<PolicySource>) -> WatchedFiles {
        let own = self.sources.path.clone();
        let mut files: Vec<PathBuf> = own.into_iter().chain(files).collect();
        files.sort();
        files.dedup();
        WatchedFiles { files, policies }
    }

    /// Loads what the settings name, and says everything that is wrong with it.
    fn prepare(self: &Arc<Self>, settings: ProgramSettings) -> Result<NewSettings, SettingsFaults> {
        let mut problems = Vec::new();
        let places = &settings.places;
        let before = self.login_context.login_settings.now();
        let login_settings = match ClientTls::load(&settings.client_tls) {
            Ok(tls) => match before.auth.load_after(settings.auth.clone(), &tls) {
                Ok(auth) => Some(Arc::new(LoginSettings {
                    tls,
                    auth,
                    attributes: settings.attributes.clone(),
                    disabled: settings.disabled.clone(),
                    report_as: settings.report_as,
                    console: settings.console.clone(),
                })),
                Err(error) => {
                    problems.push(of_app(places, &AppError::Auth(error)));
                    None
                }
            },
            Err(error) => {
                problems.push(of_app(places, &AppError::ClientTls(error)));
                None
            }
        };
        let own = (settings.upstream.clone(), settings.servers.clone());
        let directory = UpstreamDirectory::load(own, settings.databases.clone())
            .map(Arc::new)
            .map_err(|error| problems.push(of_app(places, &AppError::UpstreamTls(error))))
            .ok();
        let sinks = self
            .telemetry
            .prepare(&settings.telemetry)
            .map_err(|error| problems.push(of_app(places, &AppError::Telemetry(error))))
            .ok();
        let compared = self.held().began.compare(&settings);
        let waiting = compared.unwrap_or_else(|barring| {
            problems.extend(barring.into_iter().map(settings_problem));
            Vec::new()
        });
        let (Some(login_settings), Some(directory), Some(sinks), true) =
            (login_settings, directory, sinks, problems.is_empty())
        else {
            let policies = Vec::new();
            return Err(SettingsFaults {
                settings: problems,
                policies,
            });
        };
        let mut changed = self.held().digests.changed(&settings.digests);
        changed.retain(|key| !StartupSettings::WAITING.contains(&key.as_str()));
        let policies = settings.policies.clone();
        let people = people_of(&settings);
        let tests = self.tests_of(&settings, (&people, &directory));
        let ready = ReadySettings {
            settings,
            people,
            login_settings,
            directory,
            sinks,
        };
        let renewal = Arc::clone(self);
        Ok(NewSettings {
            policies,
            tests,
            changed,
            waiting,
            take: Box::new(move || renewal.take(ready)),
        })
    }

    /// The tests that policies have to pass, if any have to. Of several servers, those that are
    /// there are known where they serve.
    fn tests_of(
        &self,
        settings: &ProgramSettings,
        (people, fresh): (&SettingsPeople, &Arc<UpstreamDirectory>),
    ) -> Option<PolicyTestRunner> {
        let directory = match fresh.is_one_server() {
            true => fresh,
            false => &self.login_context.directory,
        };
        tests_of((settings.policy_tests.clone(), people.clone()), directory)
    }

    /// Has them hold; says how many sessions end by it.
    fn take(&self, ready: ReadySettings) -> usize {
        let ReadySettings {
            mut settings,
            people,
            login_settings,
            directory,
            sinks,
        } = ready;
        self.people.renew(people);
        self.telemetry.exchange(sinks);
        self.telemetry.know_places(settings.places.clone());
        let mut held = self.held();
        let accounts = accounts(&login_settings);
        for old in &held.accounts {
            let same = accounts.iter().find(|new| new.user == old.user);
            if let Some(new) = same.filter(|new| *new != old) {
                self.login_context.compile_pools.renew(old, new);
            }
        }
        held.accounts = accounts;
        if let (Some(issuer), Some(receipts)) =
            (&self.login_context.receipt_issuer, settings.receipts.take())
        {
            issuer.renew(receipts.keys);
        }
        self.login_context.directory.renew(&directory);
        if held.known != settings.catalog.account {
            self.login_context.catalogs.renew(&settings.catalog.account);
            held.known = settings.catalog.account.clone();
        }
        self.login_context.verifier_lookups.clear();
        self.keys
            .renew(settings.admin_token.clone(), settings.admin_hosts.clone());
        // Whoever logs in meanwhile looks at the login settings once more when it is registered.
        self.login_context
            .login_settings
            .renew(Arc::clone(&login_settings));
        let ended = self
            .login_context
            .session_registry
            .end_where(|one| !login_settings.still_admits(&one.user, &one.admission));
        held.exchange(&settings, &self.telemetry);
        ended
    }

    fn held(&self) -> MutexGuard<'_, SettingsBaseline> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whom clients stand for at the upstream.
fn accounts(login_settings: &LoginSettings) -> Vec<UpstreamAccount> {
    let identities = login_settings.auth.identities().into_iter();
    identities.map(UpstreamAccount::from).collect()
}

/// What is wrong with policies apart from the rest.
fn divided(problems: Vec<SettingsProblem>, sources: &[PolicySource]) -> SettingsFaults {
    let files: Vec<String> = sources.iter().map(ToString::to_string).collect();
    let is_policy = |one: &SettingsProblem| files.iter().any(|file| one.place.starts_with(file));
    let (policies, settings): (Vec<_>, Vec<_>) = problems.into_iter().partition(is_policy);
    SettingsFaults {
        settings: settings.into_iter().map(settings_problem).collect(),
        policies: policies.into_iter().map(settings_problem).collect(),
    }
}

fn settings_problem(problem: SettingsProblem) -> policy::PolicyProblem {
    let SettingsProblem { place, what } = problem;
    policy::PolicyProblem { place, what }
}

/// What could not be made of the settings, with the place of its key.
fn of_app(places: &KeyPlaces, error: &AppError) -> policy::PolicyProblem {
    settings_problem(error.problem(places))
}
