//! `serve --check`: whether a start would succeed and its policies are right, found out without
//! listening anywhere and without writing a line of the audit.
//!
//! Looked at, in this order, as far as what comes before lets it: the certificates of both legs,
//! the places of the audit and the log, the traces, the file of budgets, a login at the upstream
//! for each account that the settings name, the catalog, whether the policies fit it, and the
//! policies' own tests.
//!
//! * `sinks`: the audit, the log, the traces and the file of budgets
//! * `server_place`: where logins are tried

mod server_place;
mod sinks;

use std::fmt::Display;
use std::io;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::runtime::{self, Runtime};
use tokio::time::Instant;

use self::server_place::ServerPlace;
use super::AppError;
use crate::auth::ClientAuth;
use crate::auth::oidc::OidcUsers;
use crate::auth::settings::{AuthSettings, OidcPeople, QueriedIdentity, UpstreamIdentity};
use crate::config::ProgramSettings;
use crate::config::warnings::{self, ConfigWarning, UpstreamIdentities};
use crate::doctor::login_roles;
use crate::limits;
use crate::net::client_tls::ClientTls;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession, LoginRoles};
use crate::offline::catalog_fit;
use crate::offline::judge::OfflineJudge;
use crate::offline::policy_choice;
use crate::offline::policy_choice::{UnknownTraits, WhyNone};
use crate::offline::policy_tests;
use crate::offline::policy_tests::TestOutcome;
use crate::policy::PolicySet;
use crate::server::reload::policy_fit;
use crate::server::reload::policy_tests::{PolicyTestRunner, TestReport};
use crate::telemetry::log::key_places::KeyPlaces;
use crate::upstream::account::{self, OwnSessionError, SessionPurpose, UpstreamAccount};
use crate::upstream::catalog_cache::catalog_account::AccountSetting;
use crate::upstream::catalog_cache::policy_effects::{KnownDatabase, PolicyEffects};
use crate::upstream::catalog_cache::settings::CatalogMode;
use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::EngineProfile;
use crate::upstream::servers::directory::UpstreamDirectory;

/// What came of it.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Every mistake, with its place in front.
    pub problems: Vec<String>,
    /// What should be mended about settings that work.
    pub warnings: Vec<ConfigWarning>,
    /// What may not be meant in policies that fit the database, each with its policy in front.
    pub policy_warnings: Vec<String>,
    /// What was looked at and is right, or could not be looked at and why: for a person.
    pub told: Vec<String>,
    /// Where the settings give their keys.
    places: KeyPlaces,
}

/// Looks at everything that a start needs, and which policy and role a session of somebody gets.
///
/// # Errors
/// The operating system gives no thread.
pub fn check(settings: ProgramSettings, who: Option<&AssumedSession>) -> io::Result<CheckReport> {
    let mut checked = CheckReport {
        warnings: warnings::of(&settings, Timestamp::now().as_second()),
        places: settings.places.clone(),
        ..CheckReport::default()
    };
    checked.logins_of_clients(&settings)?;
    checked.audit(&settings);
    checked.sinks(&settings);
    checked.limits_store(&settings)?;
    let policies = settings.policies.all().len();
    checked.told.push(format!("{policies} policies are sound"));
    let mut world = AssumedDatabase {
        database: settings.upstream.database.clone().unwrap_or_default(),
        roles: LoginRoles::of(&settings.auth),
        attributes: settings.attributes.clone(),
        ..AssumedDatabase::default()
    };
    let own = (settings.upstream.clone(), settings.servers.clone());
    match UpstreamDirectory::load(own, settings.databases.clone()) {
        Ok(directory) => {
            // A thread of its own drives connections while this one judges.
            let mut builder = runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(1).enable_all().build()?;
            checked.elsewhere(&settings, &directory, &runtime);
            checked.upstream(&settings, &Arc::new(directory), &mut world, &runtime);
        }
        Err(error) => checked.wrong_start(&AppError::UpstreamTls(error)),
    }
    if let Some(who) = who {
        let is_disabled = settings.disabled.has(&who.user);
        checked.session(&settings.policies, (who, is_disabled), &world);
    }
    Ok(checked)
}

impl CheckReport {
    fn wrong(&mut self, what: &impl ToString) {
        self.problems.push(what.to_string());
    }

    /// Something that a start would fail by.
    fn wrong_start(&mut self, error: &AppError) {
        let told = error.describe(&self.places);
        self.wrong(&told);
    }

    /// Something about a key of the settings.
    fn wrong_at(&mut self, key: &str, what: &impl Display) {
        let place = self.places.name(key);
        self.wrong(&format!("{place}: {what}"));
    }

    fn logins_of_clients(&mut self, settings: &ProgramSettings) -> io::Result<()> {
        match ClientTls::load(&settings.client_tls) {
            Ok(tls) => match ClientAuth::load(settings.auth.clone(), &tls) {
                Ok(ClientAuth::Oidc(users)) => self.issuer(&users)?,
                Ok(_) => {}
                Err(error) => self.wrong_start(&AppError::Auth(error)),
            },
            Err(error) => self.wrong_start(&AppError::ClientTls(error)),
        }
        Ok(())
    }

    /// Has the keys of an issuer fetched.
    fn issuer(&mut self, users: &OidcUsers) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        match runtime.block_on(users.look()) {
            Ok(keys) => self.told.push(format!(
                "the issuer of tokens has {keys} keys that can be used"
            )),
            Err(fault) => self.wrong_at("client.auth.oidc.keys", &fault),
        }
        Ok(())
    }

    /// What becomes of somebody who logs in.
    fn session(
        &mut self,
        policies: &PolicySet,
        (who, is_disabled): (&AssumedSession, bool),
        world: &AssumedDatabase,
    ) {
        let all = policies.all();
        let policies = all.iter().map(|policy| &**policy);
        let now = Timestamp::now().as_second();
        let unsaid = |_| UnknownTraits::FitsNothing;
        let traits = world.traits_of(who);
        let chosen = policy_choice::choose(policies, &traits, unsaid, |own| own.is_over(now));
        let user = &who.user;
        match chosen.map(|(place, _)| all.get(place)) {
            Ok(Some(_)) if is_disabled => self.wrong_at(
                "client.auth.disabled",
                &format!("{user} is disabled: its login is refused"),
            ),
            Ok(Some(policy)) => {
                let role = match world.role_of(who) {
                    "" => user,
                    role => role,
                };
                let (name, version) = (policy.name(), policy.version());
                let told = format!("{user} gets policy {name} {version}, and has the role {role}");
                self.told.push(told);
            }
            Err(WhyNone::RolesUntold) => self.wrong(&format!(
                "--user: which policy is for {user} depends on match.role_member, and the database \
                 does not say what the role is a member of: the login is refused"
            )),
            Ok(None) | Err(WhyNone::NoPolicy) => self.wrong(&format!(
                "--user: no policy matches such a session of {user}: its login is refused"
            )),
        }
    }

    fn upstream(
        &mut self,
        settings: &ProgramSettings,
        directory: &Arc<UpstreamDirectory>,
        world: &mut AssumedDatabase,
        runtime: &Runtime,
    ) {
        let (servers, mut reached) = (directory.own(), true);
        for server in servers.all() {
            let place = ServerPlace::of(server, servers, settings.pool.mode);
            let logins = self.logins(settings, (server.upstream(), place));
            reached &= runtime.block_on(logins);
        }
        let upstream = servers.first();
        let reader = match (&settings.catalog.account, settings.catalog.mode) {
            (
                AccountSetting::Configured(account) | AccountSetting::OfUrl(account),
                CatalogMode::On,
            ) => account,
            (AccountSetting::Nobody, CatalogMode::On) => {
                let what = "the catalog was not loaded: neither catalog.user nor upstream.url \
                            names who reads it before a client comes";
                self.told.push(what.into());
                return self.tests_without(&settings.policies);
            }
            (_, CatalogMode::Off) => return self.tests_without(&settings.policies),
        };
        if let Some(why) = upstream.profile().and_then(EngineProfile::unread_catalog) {
            self.told.push(format!("the catalog was not loaded: {why}"));
            return self.tests_without(&settings.policies);
        }
        if !reached {
            return;
        }
        let tests = PolicyTestRunner {
            directory: Arc::clone(directory),
            account: reader.clone(),
            roles: LoginRoles::of(&settings.auth),
            attributes: settings.attributes.clone(),
        };
        let database = database_of(settings, reader);
        match runtime.block_on(tests.read_catalog(servers, &database)) {
            Ok(catalog) => {
                self.told
                    .push(format!("the catalog of {database:?} is readable"));
                let catalog = Arc::new(catalog);
                world.catalog = Some(Arc::clone(&catalog));
                world.account.clone_from(&reader.user);
                world.database.clone_from(&database);
                let policy_effects = PolicyEffects::of(catalog, settings.policies.all());
                let seen = [KnownDatabase {
                    names: directory.names_of(upstream, &database),
                    database: database.clone(),
                    is_named: true,
                    policy_effects: Arc::new(policy_effects),
                }];
                self.policies(&settings.policies, &tests, &seen, runtime);
                let named = login_roles::load_server_names(upstream, reader, &database);
                if let Ok(named) = runtime.block_on(named) {
                    let known = UpstreamIdentities::of(settings);
                    let found = warnings::of_server(&known, &settings.policies, &named);
                    self.warnings.extend(found);
                }
            }
            Err(why) => {
                let what = format!("the catalog of {database:?} cannot be read: {why}");
                self.wrong_at("upstream.url", &what);
            }
        }
    }

    /// The same logins at the servers of databases that are elsewhere.
    fn elsewhere(
        &mut self,
        settings: &ProgramSettings,
        directory: &UpstreamDirectory,
        runtime: &Runtime,
    ) {
        for ((servers, database), route) in directory.others().zip(&settings.databases) {
            for server in servers.all() {
                let place = ServerPlace {
                    key: "databases",
                    name: format!(" {server}"),
                    database: Some(database),
                    mode: settings.pool.with(route.pool).mode,
                };
                runtime.block_on(self.logins(settings, (server.upstream(), place)));
            }
        }
    }

    /// A login for each account at one server. Whether it answers at all.
    async fn logins(
        &mut self,
        settings: &ProgramSettings,
        (upstream, place): (&Upstream, ServerPlace<'_>),
    ) -> bool {
        let accounts = accounts(settings);
        let (name, url) = (&place.name, format!("{}{}", place.key, place.name));
        if accounts.is_empty() {
            let deadline = Instant::now() + limits::UPSTREAM_CONNECT_TIME_MAX;
            let attempt = upstream.connect(deadline).await;
            match &attempt {
                Ok(_) => self.told.push(format!(
                    "the upstream{name} answers; nobody was logged in: the settings name no user \
                     there"
                )),
                Err(error) => self.wrong_at(&url, &error),
            }
            return attempt.is_ok();
        }
        let mut logged_in = 0_usize;
        for (at, account) in &accounts {
            let database = place
                .database
                .map_or_else(|| database_of(settings, account), str::to_owned);
            let deadline = Instant::now() + limits::EXAMINATION_CONNECT_TIME_MAX;
            let opened = account::open(upstream, account, &database, CHECKING, deadline).await;
            match opened {
                Ok(_session) => logged_in += 1,
                Err(OwnSessionError::Unreachable(error)) => {
                    self.wrong_at(&url, &error);
                    return false;
                }
                Err(error) => {
                    let user = &account.user;
                    self.wrong(&format!(
                        "{at}: no login as {user:?} at {database:?}{name}: {error}"
                    ));
                }
            }
        }
        if let Some(why) = place.unshared(upstream) {
            self.wrong_at(&url, &why);
        }
        self.told.push(match logged_in {
            1 => format!("a login at the upstream{name} works"),
            count => format!("{count} logins at the upstream{name} work"),
        });
        true
    }

    /// Whether the policies fit what the database has, and pass their tests.
    fn policies(
        &mut self,
        policies: &PolicySet,
        tests: &PolicyTestRunner,
        seen: &[KnownDatabase],
        runtime: &Runtime,
    ) {
        for misfit in policy_fit::problems(policies, seen) {
            self.wrong(&misfit);
        }
        self.fit(policies, seen);
        let TestReport { passed, problems } = tests.run(policies, seen, runtime.handle());
        self.told
            .push(format!("{passed} tests of the policies passed"));
        for problem in problems {
            self.wrong(&problem);
        }
    }

    /// What policies say of what the database has, models that cannot be used aside.
    fn fit(&mut self, policies: &PolicySet, seen: &[KnownDatabase]) {
        for policy in policies.all() {
            let of_it = seen.iter().filter(|one| one.name_under(policy).is_some());
            let graphs =
                of_it.filter_map(|one| one.policy_effects.effects(policy.version_number()));
            for effect_graph in graphs {
                let told = catalog_fit::findings_beside_models(policy, effect_graph);
                let name = policy.name();
                for wrong in &told.wrong {
                    self.wrong(&format!("policy {name}, {wrong}"));
                }
                let warned = told.warnings.iter();
                self.policy_warnings
                    .extend(warned.map(|what| format!("policy {name}: {what}")));
            }
        }
    }

    /// The tests that can be decided without a catalog.
    fn tests_without(&mut self, policies: &PolicySet) {
        let judges = policies.all().iter();
        let judges: Vec<OfflineJudge> = judges
            .map(|one| OfflineJudge::with_effect_graph(one, None))
            .collect();
        let (mut passed, mut undecided) = (0_usize, 0_usize);
        for (own, policy) in policies.all().iter().enumerate() {
            for case in policy.tests() {
                let ran = policy_tests::run(
                    case,
                    own,
                    &judges,
                    (&AssumedDatabase::default(), &AssumedSession::unspecified()),
                );
                match ran.ended {
                    TestOutcome::Passed => passed += 1,
                    TestOutcome::Undecided => undecided += 1,
                    TestOutcome::Failed => {
                        let (name, place) = (policy.name(), &case.place);
                        self.wrong(&format!("policy {name}, {place}: {}", ran.describe()));
                    }
                }
            }
        }
        self.told.push(format!(
            "{passed} tests of the policies passed, {undecided} need a catalog"
        ));
    }
}

/// Whom the settings log in as, each once, and where they say so.
fn accounts(settings: &ProgramSettings) -> Vec<(String, UpstreamAccount)> {
    let mut all: Vec<(String, UpstreamAccount)> = Vec::new();
    let at = |key: &str| settings.places.name(key);
    let mut add = |place: String, account: UpstreamAccount| {
        if !all.iter().any(|(_, known)| *known == account) {
            all.push((place, account));
        }
    };
    match &settings.catalog.account {
        AccountSetting::Configured(account) => add(at("catalog.user"), account.clone()),
        AccountSetting::OfUrl(account) => add(at("upstream.url"), account.clone()),
        AccountSetting::Nobody => {}
    }
    if let Some(account) = UpstreamAccount::of(&settings.upstream) {
        add(at("upstream.url"), account);
    }
    let of = |upstream: &UpstreamIdentity| UpstreamAccount::from(upstream);
    let place = |name: &str| format!("{}, {name}", settings.places.user(name));
    match &settings.auth {
        AuthSettings::Scram { users } => users
            .iter()
            .for_each(|user| add(place(&user.name), of(&user.upstream))),
        AuthSettings::AuthQuery(query) => {
            add(at("client.auth.query.user"), of(&query.account));
            if let QueriedIdentity::One(identity) = &query.upstream {
                add(at("upstream.url"), of(identity));
            }
        }
        AuthSettings::Certificate { entries } => entries
            .iter()
            .for_each(|entry| add(place(&entry.name), of(&entry.upstream))),
        AuthSettings::Oidc(settings) => match &settings.people {
            OidcPeople::Everybody(identity) => add(at("upstream.url"), of(identity)),
            OidcPeople::Listed(users) => users
                .iter()
                .for_each(|user| add(place(&user.name), of(&user.upstream))),
        },
        AuthSettings::Trust {
            upstream: Some(upstream),
        } => add(at("upstream.url"), of(upstream)),
        AuthSettings::Trust { upstream: None } | AuthSettings::Passthrough { .. } => {}
    }
    all
}

fn database_of(settings: &ProgramSettings, account: &UpstreamAccount) -> String {
    let database = settings.upstream.database.clone();
    database.unwrap_or_else(|| account.user.clone())
}

/// Sessions that are opened to see whether they can be, and closed.
const CHECKING: SessionPurpose = SessionPurpose {
    name: "pgsieve check",
    statement_time_max: limits::EXAMINATION_TIME_MAX,
    lock_time_max: limits::EXAMINATION_TIME_MAX,
};
