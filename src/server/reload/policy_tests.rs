//! The policies' own tests, where `policy.tests: required` asks for them: no policies hold that
//! fail one.
//!
//! They are run against the database that the settings name. A policy that is for other databases
//! alone is run against those of them that are known, or that its `match` names without a pattern,
//! each at the server where clients find it, and has to pass in one. A test that nobody can run,
//! because nothing is known of its database, has not passed.
//!
//! No client is let in before they have passed at the start: without the upstream pgsieve waits for
//! it. Statements are judged and sent nowhere.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::policy_fit;
use crate::auth::settings::UserAttributes;
use crate::catalog::Catalog;
use crate::limits;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession, LoginRoles};
use crate::offline::judge::OfflineJudge;
use crate::offline::policy_tests;
use crate::offline::policy_tests::{PolicyTestRun, TestOutcome};
use crate::policy::access::Glob;
use crate::policy::{Policy, PolicyProblem, PolicySet};
use crate::upstream::account::UpstreamAccount;
use crate::upstream::catalog_cache::CatalogCaches;
use crate::upstream::catalog_cache::policy_effects::{KnownDatabase, PolicyEffects};
use crate::upstream::servers::UpstreamServers;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::snapshot;

/// Runs the tests.
#[derive(Clone)]
pub struct PolicyTestRunner {
    /// The way to databases that no client has come to yet.
    pub directory: Arc<UpstreamDirectory>,
    /// Who looks into them.
    pub account: UpstreamAccount,
    /// As whom users log in there.
    pub roles: LoginRoles,
    /// What the settings say of users.
    pub attributes: UserAttributes,
}

/// How the tests of all policies ended.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TestReport {
    /// How many passed.
    pub passed: usize,
    /// Those that did not, each with its policy and place, and without its statement.
    pub problems: Vec<PolicyProblem>,
}

impl PolicyTestRunner {
    /// Waits until the catalog of the named database is there, runs all tests, and compares the
    /// policies with it: what does not fit counts as what fails. May be cancelled.
    pub async fn begin(&self, policies: &Arc<PolicySet>, catalogs: &CatalogCaches) -> TestReport {
        loop {
            let seen = catalogs.seen();
            if seen.iter().any(|one| one.is_named) {
                let (own, policies) = (self.clone(), Arc::clone(policies));
                let handle = Handle::current();
                // Judging is no work for the thread that answers probes.
                let running = spawn_blocking(move || {
                    let mut tested = own.run(&policies, &seen, &handle);
                    tested
                        .problems
                        .extend(policy_fit::problems(&policies, &seen));
                    tested
                });
                return running.await.unwrap_or_else(|_panic| TestReport {
                    passed: 0,
                    problems: vec![problem("pgsieve", "met a fault of its own in the tests")],
                });
            }
            sleep(limits::POLICY_TESTS_LOOK_INTERVAL).await;
        }
    }

    /// Runs all tests; on a thread that may wait.
    pub fn run(&self, policies: &PolicySet, seen: &[KnownDatabase], handle: &Handle) -> TestReport {
        let (elsewhere, unread) = handle.block_on(self.elsewhere(policies, seen));
        let known: Vec<&KnownDatabase> = seen.iter().chain(&elsewhere).collect();
        let mut tested = TestReport {
            passed: 0,
            problems: unread,
        };
        for (own, policy) in policies.all().iter().enumerate() {
            if policy.tests().is_empty() {
                continue;
            }
            let of_one = self.of_policy(own, policy, policies, &known);
            tested.passed += of_one.passed;
            tested.problems.extend(of_one.problems);
        }
        tested
    }

    /// The tests of one policy: in the named database where it is for that one, at every server
    /// where it is known; else in the one of the others where most pass.
    fn of_policy(
        &self,
        own: usize,
        policy: &Policy,
        policies: &PolicySet,
        known: &[&KnownDatabase],
    ) -> TestReport {
        let known = known.iter();
        let known = known.filter(|one| one.name_under(policy).is_some());
        let (named, others): (Vec<&KnownDatabase>, Vec<&KnownDatabase>) =
            known.partition(|one| one.is_named);
        let run = |one: &KnownDatabase| self.in_database(own, policy, policies, one);
        let all = |databases: &[&KnownDatabase]| -> Vec<TestReport> {
            databases.iter().map(|one| run(one)).collect()
        };
        let ended = match named.is_empty() {
            false => all(&named).into_iter().max_by_key(TestReport::failed),
            true => all(&others).into_iter().min_by_key(TestReport::failed),
        };
        ended.unwrap_or_else(|| {
            let place = format!("policy {}, tests", policy.name());
            let what = "cannot be run: of no database that it is for the catalog is known; name \
                        one in upstream.url, or without a pattern in match.database";
            TestReport {
                passed: 0,
                problems: vec![problem(&place, what)],
            }
        })
    }

    fn in_database(
        &self,
        own: usize,
        policy: &Policy,
        policies: &PolicySet,
        seen: &KnownDatabase,
    ) -> TestReport {
        let database = seen.name_under(policy);
        let database = database.unwrap_or_else(|| seen.database.clone());
        let world = AssumedDatabase {
            catalog: Some(Arc::clone(seen.policy_effects.catalog())),
            account: self.account.user.clone(),
            database: database.clone(),
            roles: self.roles.clone(),
            attributes: self.attributes.clone(),
        };
        let judges = policies.all().iter().map(|policy| {
            let effect_graph = seen.policy_effects.effects(policy.version_number());
            OfflineJudge::with_effect_graph(policy, effect_graph.cloned())
        });
        let judges: Vec<OfflineJudge> = judges.collect();
        let mut tested = TestReport::default();
        for case in policy.tests() {
            let ran =
                policy_tests::run(case, own, &judges, (&world, &AssumedSession::unspecified()));
            match ran.ended {
                TestOutcome::Passed => tested.passed += 1,
                TestOutcome::Failed | TestOutcome::Undecided => {
                    tested.problems.push(failed_test(policy, &ran, &database));
                }
            }
        }
        tested
    }

    /// The databases that policies are for and nobody has looked into yet, as far as they are named
    /// without a pattern, and why some of them cannot be read.
    async fn elsewhere(
        &self,
        policies: &PolicySet,
        seen: &[KnownDatabase],
    ) -> (Vec<KnownDatabase>, Vec<PolicyProblem>) {
        let (mut found, mut unread): (Vec<KnownDatabase>, Vec<_>) = (Vec::new(), Vec::new());
        for policy in policies.all().iter().filter(|one| !one.tests().is_empty()) {
            let mut all = seen.iter().chain(&found);
            if all.any(|one| one.name_under(policy).is_some()) {
                continue;
            }
            let wanted = policy.matches().and_then(|own| own.database.as_deref());
            let wanted = wanted.unwrap_or_default().iter().filter_map(Glob::exact);
            for database in wanted.take(limits::POLICY_TESTS_DATABASES_MAX) {
                let home = self.directory.home_of(database);
                match self.read_catalog(&home.servers, &home.database).await {
                    Ok(catalog) => {
                        found.push(KnownDatabase {
                            database: home.database.to_string(),
                            names: vec![Glob::new(database)],
                            is_named: false,
                            policy_effects: Arc::new(PolicyEffects::of(
                                Arc::new(catalog),
                                policies.all(),
                            )),
                        });
                        break;
                    }
                    Err(why) => {
                        let place = format!("policy {}, match.database", policy.name());
                        let what = format!("the catalog of {database:?} cannot be read: {why}");
                        unread.push((policy.name(), problem(&place, &what)));
                    }
                }
            }
        }
        // Of several that a policy names one is enough.
        let is_lost = |(name, problem): (&str, PolicyProblem)| {
            let policy = policies.all().iter().find(|own| own.name() == name)?;
            let is_found = found
                .iter()
                .any(|one: &KnownDatabase| one.name_under(policy).is_some());
            (!is_found).then_some(problem)
        };
        let unread = unread.into_iter().filter_map(is_lost).collect();
        (found, unread)
    }

    /// The catalog of a database of these servers, read now; or why it cannot be. May be cancelled.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    pub async fn read_catalog(
        &self,
        servers: &UpstreamServers,
        database: &str,
    ) -> Result<Catalog, String> {
        let upstream = servers.any();
        let connected = snapshot::connect(&upstream, &self.account, database).await;
        let (client, _task) = connected.map_err(|error| error.to_string())?;
        let loaded = snapshot::load(&client).await;
        Catalog::build(loaded.map_err(|error| error.to_string())?)
            .map_err(|error| error.to_string())
    }
}

impl TestReport {
    fn failed(&self) -> usize {
        self.problems.len()
    }
}

fn failed_test(policy: &Policy, ran: &PolicyTestRun<'_>, database: &str) -> PolicyProblem {
    let place = format!("policy {}, {}", policy.name(), ran.case.place);
    problem(&place, &format!("{} in {database:?}", ran.describe()))
}

fn problem(place: &str, what: &str) -> PolicyProblem {
    PolicyProblem {
        place: place.into(),
        what: what.into(),
    }
}
