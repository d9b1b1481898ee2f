//! What a reload of the policies costs the sessions that are open: none may wait for it.
//!
//! The sessions are protocols without sockets, on as many threads as workers would be: what a
//! thread does for a reload is all in there, the sockets would only add the noise of the machine.
//! Policies are read, looked through and exchanged by the same calls that the server makes. Time in
//! which the machine had no processor for a thread does not count; time in which it waited for
//! another one (a lock) does.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::PrivateCluster;
use pgsieve::engine::Engine;
use pgsieve::gate::cache::JudgementCache;
use pgsieve::policy::{LivePolicies, Policy, PolicySet};
use pgsieve::secret::Secret;
use pgsieve::session::context::client_settings::ClientSettings;
use pgsieve::session::context::model_values::LoginFacts;
use pgsieve::session::context::reported_role::ReportAs;
use pgsieve::session::policy_limits::SessionLimits;
use pgsieve::session::policy_store::PolicyStore;
use pgsieve::session::protocol::{SessionProtocol, UpstreamFacts, WorkerShared};
use pgsieve::session::repair::executor::RepairExecutor;
use pgsieve::session::upstream_side::SelfReport;
use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::session_info::SessionInfo;
use pgsieve::upstream::account::UpstreamAccount;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::catalog_cache::catalog_account::AccountSetting;
use pgsieve::upstream::catalog_cache::settings::CatalogCacheSettings;
use pgsieve::upstream::catalog_cache::{CatalogCache, CatalogCaches};
use pgsieve::upstream::servers::ServersSettings;
use pgsieve::upstream::servers::directory::UpstreamDirectory;
use tokio::runtime::Runtime;

use crate::cached::{exchange, message};

/// Prints what sessions notice of some reloads.
pub fn report() {
    let cluster = PrivateCluster::builder()
        .start()
        .expect("a private Postgres");
    let runtime = Runtime::new().unwrap();
    make_tables(&cluster, &runtime);
    let live = Arc::new(LivePolicies::new(read(0)));
    let policy_store = Arc::new(PolicyStore::new(Arc::clone(&live), None));
    let catalogs = catalogs(&cluster, &runtime, &live);
    let catalog_cache = catalogs.named().unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    runtime.block_on(catalog_cache.first_load(deadline));
    let phase = Phase::default();
    let begin = Barrier::new(WORKERS + 1);
    let mut found = Vec::new();
    let mut steps = Vec::new();
    thread::scope(|scope| {
        let work = || {
            let mut sessions = sessions(&policy_store, &catalog_cache);
            begin.wait();
            let mut seen = act(&mut sessions, &phase);
            seen.first = wake(&mut sessions);
            seen
        };
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        begin.wait();
        thread::sleep(WINDOW * RELOADS);
        for number in 1..=RELOADS {
            phase.now.store(1, Ordering::Relaxed);
            steps.push(reload(&live, &catalogs, number));
            thread::sleep(WINDOW);
            phase.now.store(0, Ordering::Relaxed);
        }
        phase.over.store(true, Ordering::Relaxed);
        found.extend(workers.into_iter().map(|worker| worker.join().unwrap()));
    });
    print(&found, &steps);
}

/// Whether a reload is under way, and whether it is enough.
#[derive(Default)]
struct Phase {
    now: AtomicUsize,
    over: AtomicBool,
}

/// What the sessions of one thread have noticed.
#[derive(Default)]
struct Seen {
    /// Without a reload, and with one.
    phases: [Times; 2],
    /// The first statement of each session after the last reload.
    first: Times,
}

#[derive(Default, Clone, Copy)]
struct Times {
    count: u32,
    all: Duration,
    longest: Duration,
    /// Longer than a tenth of the bound.
    slow: u32,
}

impl Times {
    fn note(&mut self, took: Duration) {
        self.count += 1;
        self.all += took;
        self.longest = self.longest.max(took);
        self.slow += u32::from(took > BOUND / 10);
    }

    fn beside(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            all: self.all + other.all,
            longest: self.longest.max(other.longest),
            slow: self.slow + other.slow,
        }
    }
}

/// A clock that stands still while this thread could run and gets no processor.
struct Clock {
    statistics: File,
}

impl Clock {
    fn new() -> Self {
        let statistics = File::open("/proc/thread-self/schedstat").unwrap();
        Self { statistics }
    }

    fn start(&self) -> (Instant, Duration) {
        let waited = self.waited();
        (Instant::now(), waited)
    }

    fn since(&self, (began, waited): (Instant, Duration)) -> Duration {
        let took = began.elapsed();
        took.saturating_sub(self.waited() - waited)
    }

    /// How long this thread has waited for a processor.
    fn waited(&self) -> Duration {
        let mut text = [0; 96];
        let length = self.statistics.read_at(&mut text, 0).unwrap();
        let text = std::str::from_utf8(&text[..length]).unwrap();
        let waited = text.split(' ').nth(1).unwrap();
        Duration::from_nanos(waited.parse().unwrap())
    }
}

/// How long each step of a reload took.
struct Steps {
    reading: Duration,
    looking: Duration,
    exchanging: Duration,
}

fn reload(live: &LivePolicies, catalogs: &CatalogCaches, number: u32) -> Steps {
    let began = Instant::now();
    let coming = read(number);
    let reading = began.elapsed();
    catalogs.prepare_policies(&coming);
    let looking = began.elapsed() - reading;
    live.replace(coming);
    catalogs.commit_policies(&live.current());
    Steps {
        reading,
        looking,
        exchanging: began.elapsed() - reading - looking,
    }
}

/// Some sessions send statement after statement; the others are idle.
fn act(sessions: &mut [SessionProtocol], phase: &Phase) -> Seen {
    let questions: Vec<Vec<u8>> = (0..TEXTS).map(question).collect();
    let answer = answer();
    let (mut seen, clock) = (Seen::default(), Clock::new());
    let mut turn = 0;
    while !phase.over.load(Ordering::Relaxed) {
        let during = phase.now.load(Ordering::Relaxed);
        let session = &mut sessions[turn % ACTIVE];
        let watch = clock.start();
        exchange(session, &questions[turn / ACTIVE % TEXTS], &answer);
        let took = clock.since(watch);
        let during = during.max(phase.now.load(Ordering::Relaxed));
        seen.phases[during].note(took);
        turn += 1;
    }
    seen
}

/// Every session sends a statement: most were idle through all reloads.
fn wake(sessions: &mut [SessionProtocol]) -> Times {
    let (question, answer) = (question(0), answer());
    let (mut times, clock) = (Times::default(), Clock::new());
    for session in sessions {
        let watch = clock.start();
        exchange(session, &question, &answer);
        times.note(clock.since(watch));
    }
    times
}

fn question(number: usize) -> Vec<u8> {
    let text = format!("SELECT id, a FROM shop.t{number} WHERE id = 7\0");
    message(b'Q', text.as_bytes())
}

/// One row, and ready.
fn answer() -> Vec<u8> {
    [
        message(b'D', b"\0\x01\0\0\0\x011"),
        message(b'C', b"SELECT 1\0"),
        message(b'Z', b"I"),
    ]
    .concat()
}

fn print(found: &[Seen], steps: &[Steps]) {
    let longest = |of: fn(&Steps) -> Duration| steps.iter().map(of).max().unwrap_or_default();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "reload: {} sessions ({} of them busy) on {WORKERS} threads, {PATTERNS} patterns, {TABLES} \
         tables; {RELOADS} times: read in {:.1} ms, looked through in {:.1} ms, exchanged in \
         {:.3} ms at most",
        SESSIONS * WORKERS,
        ACTIVE * WORKERS,
        ms(longest(|steps| steps.reading)),
        ms(longest(|steps| steps.looking)),
        ms(longest(|steps| steps.exchanging)),
    );
    let of = |which: fn(&Seen) -> Times| {
        let all = found.iter().map(which);
        all.fold(Times::default(), Times::beside)
    };
    for (name, times) in [
        ("without a reload", of(|seen| seen.phases[0])),
        ("while reloading", of(|seen| seen.phases[1])),
        ("first after it", of(|seen| seen.first)),
    ] {
        println!(
            "  statements {name:<17}: {:>8} of them, {:.1} µs each, the longest {:.2} ms, {} over {:.0} ms",
            times.count,
            ms(times.all) * 1e3 / f64::from(times.count.max(1)),
            ms(times.longest),
            times.slow,
            ms(BOUND / 10),
        );
    }
}

fn sessions(
    policy_store: &Arc<PolicyStore>,
    catalog_cache: &Arc<CatalogCache>,
) -> Vec<SessionProtocol> {
    let shared = WorkerShared {
        policy_store: Arc::clone(policy_store),
        cache: Arc::new(Mutex::new(JudgementCache::default())),
        plans: Arc::default(),
        telemetry: Telemetry::quiet().unwrap(),
        repair_executor: Arc::new(RepairExecutor::new()),
        receipt_issuer: None,
    };
    let session = |number| {
        let info = Arc::new(SessionInfo::accepted(number, "127.0.0.1:1"));
        let upstream = UpstreamFacts {
            statement_timeout: None,
            // A role that the server has: of another one nothing is known to be readable.
            user: "postgres".to_owned(),
            server_major: 15,
            engine: Engine::Postgres,
            server: None,
            self_report: SelfReport::Reported,
            report_as: ReportAs::Upstream,
            search_path: "public".to_owned(),
            known: LoginFacts::default(),
            catalog_cache: Some(Arc::clone(catalog_cache)),
            compile_pool: None,
            signals: None,
            client_settings: ClientSettings::default(),
            session_limits: SessionLimits::default(),
        };
        let assigned_policy = policy_store.assign(&Arc::default()).unwrap();
        SessionProtocol::new(&shared, assigned_policy, info, upstream)
    };
    (0..u64::try_from(SESSIONS).unwrap()).map(session).collect()
}

/// A policy that hides many relations, others each time.
fn read(number: u32) -> PolicySet {
    let text = include_str!("../../policies/agent.yaml");
    let patterns: Vec<String> = (0..PATTERNS)
        .map(|at| format!("shop.hidden_{number}_{at}_*"))
        .collect();
    let text = format!("{text}\nrelations: {{deny: [{}]}}\n", patterns.join(", "));
    PolicySet::only(Arc::new(Policy::from_yaml(&text).unwrap()))
}

fn catalogs(cluster: &PrivateCluster, runtime: &Runtime, live: &LivePolicies) -> CatalogCaches {
    let port = cluster.port();
    let url = format!("postgres://127.0.0.1:{port}/postgres?sslmode=disable");
    let account = UpstreamAccount {
        user: cluster.admin().to_owned(),
        secret: Some(Secret::new(cluster.admin_password()).into()),
    };
    CatalogCaches::start(
        CatalogCacheSettings::usual(AccountSetting::Configured(account)),
        &Arc::new(
            UpstreamDirectory::load(
                (
                    UpstreamSettings::parse(&url).unwrap(),
                    ServersSettings::alone(),
                ),
                Vec::new(),
            )
            .unwrap(),
        ),
        &live.current(),
        Telemetry::quiet().unwrap(),
        runtime.handle().clone(),
    )
}

fn make_tables(cluster: &PrivateCluster, runtime: &Runtime) {
    let tables: Vec<String> = (0..TABLES)
        .map(|number| {
            format!(
                "CREATE TABLE shop.t{number} (id int PRIMARY KEY, a text, b numeric, c date, d int)"
            )
        })
        .collect();
    runtime.block_on(async {
        let url = cluster.admin_url("postgres");
        let connecting = tokio_postgres::connect(&url, tokio_postgres::NoTls);
        let (client, connection) = connecting.await.unwrap();
        tokio::spawn(connection);
        let script = format!("CREATE SCHEMA shop; {}", tables.join(";"));
        client.batch_execute(&script).await.unwrap();
    });
}

const WORKERS: usize = 2;
/// Sessions of each thread, and how many of them are busy.
const SESSIONS: usize = 5_000;
const ACTIVE: usize = 200;
const TEXTS: usize = 50;
const PATTERNS: usize = 1_000;
const TABLES: usize = 400;
const RELOADS: u32 = 10;
/// How long sessions are watched after each reload.
const WINDOW: Duration = Duration::from_millis(300);
/// No statement may wait longer for a reload.
const BOUND: Duration = Duration::from_millis(10);
