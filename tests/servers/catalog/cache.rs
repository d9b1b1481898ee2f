//! The catalog is kept: loaded, checked, loaded anew when something changes, withdrawn when nobody
//! knows whether it still holds. Seen through `/readyz` and `/metrics`.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pgsieve::demo::cluster::random_name;

use crate::support::raw::kinds;
use crate::support::shared::shared_cluster_of;
use crate::support::{APP, Options, READER, RawClient, Stack, frames, until};

#[test]
fn a_known_account_loads_at_start_and_nobody_learns_a_name() {
    let stack = start(&with_account(APP, APP, ""));
    let first = loaded(&stack);
    assert!(first.age < 30.0, "{first:?}");
    assert_eq!(stack.get("/readyz").0, 200);
    assert!(stack.get("/readyz").1.starts_with("ready\ncatalog: on\n"));
    assert_eq!(loads(&stack, "loaded"), 1.0);
    assert!(stack.metric("pgsieve_catalog_age_seconds") < 30.0);
    assert_eq!(stack.metric("pgsieve_catalog_load_seconds_count"), 1.0);
    assert!(stack.metric("pgsieve_catalog_bytes") > 100_000.0);
    let event = stack.audited(|event| event["event"] == "catalog_loaded");
    assert_eq!(event["database"], stack.database());
    assert_eq!(event["version"], first.version);
    assert!(event["functions"].as_u64() > Some(1000));

    stack.prepare(&["CREATE TABLE cAnArY (cAnArY int)"]);
    changed(&stack, &first);
    let said = stack.everything_said() + &stack.get("/readyz").1;
    assert!(!said.to_lowercase().contains("canary"), "{said}");
}

#[test]
fn without_an_account_the_first_client_brings_one_and_waits_for_the_load() {
    let stack = Stack::start(Options::default());
    assert!(line(&stack).ends_with("waits for a client to log in"));
    let _client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    // Its login is over: so is the load.
    assert!(line(&stack).contains(": loaded, age "), "{}", line(&stack));
}

#[test]
fn a_client_is_not_kept_waiting_where_the_catalog_cannot_be_loaded() {
    let stack = Stack::start_unready(options(&with_account(APP, "wrong", "")));
    until(|| line(&stack).ends_with("failed: refused").then_some(())).expect("a refusal");
    let began = Instant::now();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert!(began.elapsed() < Duration::from_secs(3));
    assert_eq!(client.query("SELECT 1").last().unwrap().kind, b'Z');
    // The policy requires a catalog, and the settings promise one.
    let (status, text) = stack.get("/readyz");
    assert!(
        status == 503 && text.starts_with("catalog missing\n"),
        "{text}"
    );
    assert!(loads(&stack, "failed") >= 1.0);
    assert!(stack.metric("pgsieve_catalog_failures_total{why=\"refused\"}") >= 1.0);
    let said = stack.everything_said();
    assert!(!said.contains("wrong"), "{said}");
    let told = stack.stderr();
    assert_eq!(
        told.matches("cannot be loaded or checked: no session: refused with 28P01")
            .count(),
        1,
        "{told}"
    );
}

#[test]
fn a_change_is_seen_within_the_bound_and_counted() {
    let stack = start(&with_account(READER, READER, ""));
    let create = "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql";
    let before = loaded(&stack);
    stack.prepare(&[&format!("{create} IMMUTABLE AS 'SELECT 1'")]);
    let before = changed(&stack, &before);
    stack.prepare(&[&format!("{create} VOLATILE AS 'SELECT 1'")]);
    let began = Instant::now();
    changed(&stack, &before);
    let took = began.elapsed();
    // Poll interval and load; the machine may be busy with other tests.
    assert!(took < Duration::from_secs(5), "{took:?}");
    let drift = |kind| stack.metric(&format!("pgsieve_catalog_drift_total{{kind=\"{kind}\"}}"));
    until(|| (drift("function") == 2.0).then_some(())).expect("two changes");
    assert_eq!(drift("relation"), 0.0);
    // Roles are of all databases: those of other tests may come and go meanwhile.
    let is_wanted =
        |event: &serde_json::Value| event["event"] == "catalog_drifted" && event["function"] == 1;
    assert!(stack.audited(is_wanted).get("relation").is_none());
}

#[test]
fn what_a_function_becomes_is_refused_within_the_bound_prepared_or_not() {
    let stack = start(&with_account(READER, READER, ""));
    let before = loaded(&stack);
    let create = "CREATE OR REPLACE FUNCTION public.f() RETURNS int LANGUAGE sql";
    stack.prepare(&[&format!("{create} IMMUTABLE AS 'SELECT 1'")]);
    changed(&stack, &before);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert_eq!(kinds(&client.query("SELECT f()")), "TDCZ");
    client.send(&[frames::parse("kept", "SELECT f()"), frames::sync()].concat());
    assert_eq!(kinds(&client.until_ready()), "1Z");
    let run = [
        frames::bind("", "kept", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ]
    .concat();
    client.send(&run);
    assert_eq!(kinds(&client.until_ready()), "2DCZ");

    stack.prepare(&[&format!("{create} VOLATILE AS 'SELECT 1'")]);
    let began = Instant::now();
    let refused = until(|| (client.query("SELECT f()")[0].kind == b'E').then_some(()));
    assert!(refused.is_some(), "{}", line(&stack));
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    client.send(&run);
    assert_eq!(kinds(&client.until_ready()), "EZ");
}

#[test]
fn without_a_catalog_a_session_goes_on_with_built_ins_alone() {
    let watcher = format!("watcher_{}", random_name().unwrap());
    let config = with_account(
        &watcher,
        &watcher,
        "  poll_interval: 100ms\n  age_max: 1s\n",
    );
    let stack = Stack::start_unready(options(&config));
    stack.prepare(&[
        &format!("CREATE ROLE {watcher} LOGIN PASSWORD '{watcher}'"),
        "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'",
    ]);
    loaded(&stack);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let answers = |client: &mut RawClient, text| client.query(text)[0].kind == b'T';
    assert!(until(|| answers(&mut client, "SELECT f()").then_some(())).is_some());
    stack.prepare(&[&format!("ALTER ROLE {watcher} NOLOGIN")]);
    kill(&stack);
    let refused = until(|| (!answers(&mut client, "SELECT f()")).then_some(()));
    assert!(refused.is_some(), "{}", line(&stack));
    assert!(answers(&mut client, "SELECT pg_catalog.upper('x')"));
    stack.prepare(&[&format!("ALTER ROLE {watcher} LOGIN")]);
    assert!(until(|| answers(&mut client, "SELECT f()").then_some(())).is_some());
}

#[test]
fn another_version_of_the_server_is_watched_alike() {
    let Some(cluster) = shared_cluster_of(18) else {
        return;
    };
    let config = Some(with_account(READER, READER, ""));
    let stack = Stack::start(Options {
        config,
        cluster: Some(cluster),
        ..Options::default()
    });
    let before = loaded(&stack);
    stack.prepare(&["CREATE TABLE t (a int PRIMARY KEY)"]);
    changed(&stack, &before);
}

#[test]
fn sessions_that_do_nothing_keep_no_snapshot() {
    let stack = start(&with_account(
        APP,
        APP,
        "  poll_interval: 100ms\n  age_max: 10s\n",
    ));
    let tables = "DO $$BEGIN FOR i IN 1..400 LOOP
        EXECUTE format('CREATE TABLE t%s AS SELECT * FROM pg_class LIMIT 0', i);
        END LOOP; END$$";
    let before = loaded(&stack);
    stack.prepare(&[tables]);
    let mut before = changed(&stack, &before);
    let mut sessions = Vec::new();
    let mut first = 0.0;
    for number in 0..16 {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        assert_eq!(kinds(&client.query("SELECT relname FROM t1")), "TCZ");
        sessions.push(client);
        stack.prepare(&[&format!("CREATE TABLE u{number} (a int)")]);
        before = changed(&stack, &before);
        if number == 3 {
            first = memory(&stack);
        }
    }
    let (grown, one) = (
        memory(&stack) - first,
        stack.metric("pgsieve_catalog_bytes"),
    );
    assert!(grown < 6.0 * one, "{grown} bytes more, a catalog has {one}");
    for client in &mut sessions {
        assert_eq!(kinds(&client.query("SELECT a FROM u15")), "TCZ");
    }
}

/// What a pgsieve keeps in memory.
fn memory(stack: &Stack) -> f64 {
    let told = fs::read_to_string(format!("/proc/{}/status", stack.pid())).unwrap();
    let line = told.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes.unwrap().trim().parse::<f64>().unwrap() * 1024.0
}

#[test]
fn what_changes_and_changes_back_is_the_same_version() {
    let stack = start(&with_account(APP, APP, ""));
    // Roles of other tests change it as well.
    for _ in 0..5 {
        let before = loaded(&stack);
        stack.prepare(&["CREATE TABLE t (a int)"]);
        let between = changed(&stack, &before);
        stack.prepare(&["DROP TABLE t"]);
        if changed(&stack, &between).version == before.version {
            return;
        }
    }
    panic!("never the same:\n{}", stack.stderr());
}

#[test]
fn the_owner_can_announce_a_change() {
    let stack = start(&with_account(
        APP,
        APP,
        "  poll_interval: 10s\n  age_max: 30s\n",
    ));
    stack.prepare(DOCUMENTED_TRIGGER);
    // Whatever came before the trigger is over.
    thread::sleep(Duration::from_millis(500));
    let before = loaded(&stack);
    let began = Instant::now();
    stack.prepare(&["CREATE TABLE announced (a int)"]);
    changed(&stack, &before);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[test]
fn a_client_that_stumbles_over_a_change_makes_it_known() {
    let stack = start(&with_account(
        APP,
        APP,
        "  poll_interval: 10s\n  age_max: 30s\n",
    ));
    stack.prepare(&["CREATE TABLE public.gone (a int)"]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    client.query("SELECT nobody FROM public.nobody");
    thread::sleep(Duration::from_millis(500));
    let before = loaded(&stack);
    stack.prepare(&["DROP TABLE public.gone"]);
    let began = Instant::now();
    assert_eq!(
        client.query("SELECT a FROM public.gone")[0].sqlstate(),
        "42P01"
    );
    changed(&stack, &before);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );

    // However often it stumbles, a load is only for what has changed, other tests' roles included.
    let before = loads(&stack, "same") + loads(&stack, "loaded");
    for _ in 0..50 {
        client.query("SELECT a FROM public.gone");
    }
    thread::sleep(Duration::from_millis(300));
    assert!(loads(&stack, "same") + loads(&stack, "loaded") < before + 5.0);
}

#[test]
fn a_killed_connection_is_made_anew_before_anybody_notices() {
    let stack = start(&with_account(APP, APP, ""));
    loaded(&stack);
    let same = loads(&stack, "same");
    kill(&stack);
    until(|| (loads(&stack, "same") > same).then_some(())).expect("a load");
    assert!(stack.metric("pgsieve_catalog_failures_total{why=\"lost\"}") >= 1.0);
    loaded(&stack);
    assert!(
        !stack.stderr().contains("is not used"),
        "{}",
        stack.stderr()
    );
}

#[test]
fn what_nobody_can_check_is_withdrawn_and_comes_back() {
    for ill in [FROZEN, CUT] {
        let wire = Wire::before(crate::support::shared_cluster().port());
        let more = "  poll_interval: 100ms\n  age_max: 1s\n";
        let config = with_account(APP, APP, more);
        let through = format!("postgres://{}/{{database}}", wire.address);
        let config = config.replace("{upstream}", &through);
        let stack = start(&config);
        loaded(&stack);
        wire.set(ill);
        let began = Instant::now();
        let withdrawn = until(|| line(&stack).contains(": failed: ").then_some(()));
        assert!(withdrawn.is_some(), "{}", line(&stack));
        assert!(
            began.elapsed() < Duration::from_secs(4),
            "{:?}",
            began.elapsed()
        );
        assert_eq!(stack.get("/readyz").0, 503);
        stack.audited(|event| event["event"] == "catalog_withdrawn");
        assert!(stack.metric("pgsieve_catalog_age_seconds") > 1.0);
        wire.set(WELL);
        loaded(&stack);
        until(|| (stack.get("/readyz").0 == 200).then_some(())).expect("ready again");
    }
}

#[test]
fn where_the_url_s_account_is_turned_away_a_client_s_is_used() {
    let port = crate::support::shared_cluster().port();
    let url = format!("postgres://{APP}@127.0.0.1:{port}/{{database}}");
    let stack = start(&CONFIG.replace("{upstream}", &url));
    until(|| {
        line(&stack)
            .ends_with("waits for a client to log in")
            .then_some(())
    })
    .expect("nobody to wait for");
    assert_eq!(stack.get("/readyz").0, 200);
    drop(RawClient::login(
        stack.proxied_address(),
        &stack.login(READER),
    ));
    assert!(line(&stack).contains(": loaded, age "), "{}", line(&stack));
}

#[test]
fn a_borrowed_account_that_is_refused_is_replaced_by_the_next_client_s() {
    let stack = Stack::start(Options::default());
    let role = format!("borrowed_{}", stack.database());
    let set = format!("ALTER ROLE {role} PASSWORD 'other'");
    stack.prepare(&[&format!("CREATE ROLE {role} LOGIN PASSWORD '{role}'")]);
    drop(RawClient::login(
        stack.proxied_address(),
        &stack.login(&role),
    ));
    loaded(&stack);
    stack.prepare(&[&set]);
    kill(&stack);
    until(|| {
        (stack.metric("pgsieve_catalog_failures_total{why=\"refused\"}") >= 1.0).then_some(())
    })
    .expect("a refusal");
    drop(RawClient::login(
        stack.proxied_address(),
        &stack.login(READER),
    ));
    let event = |event: &serde_json::Value| event["event"] == "catalog_loaded";
    until(|| (stack.audit().iter().filter(|line| event(line)).count() >= 2).then_some(()))
        .expect("a load");
    loaded(&stack);
}

#[test]
fn without_catalogs_pgsieve_says_so() {
    let stack = start(&format!("{CONFIG}catalog: {{ mode: off }}\n"));
    let (status, body) = stack.get("/readyz");
    assert_eq!(status, 200);
    assert!(body.starts_with("ready\ncatalog: off\npolicy "), "{body}");
    drop(RawClient::login(stack.proxied_address(), &stack.login(APP)));
    assert_eq!(loads(&stack, "loaded"), 0.0);
}

/// What `/readyz` says of a catalog that is loaded.
#[derive(Debug, PartialEq)]
struct Loaded {
    version: String,
    age: f64,
}

const CONFIG: &str = "listen: '{listen}'\nadmin:\n  listen: '{admin}'\n\
                      upstream:\n  url: '{upstream}'\naudit:\n  to: '{audit}'\n";

/// As `docker/README.md` has it.
const DOCUMENTED_TRIGGER: &[&str] = &[
    "CREATE FUNCTION pgsieve_catalog() RETURNS event_trigger LANGUAGE plpgsql AS
     $$BEGIN NOTIFY pgsieve_catalog; END$$",
    "CREATE EVENT TRIGGER pgsieve_catalog ON ddl_command_end EXECUTE FUNCTION pgsieve_catalog()",
];

/// Settings that name an account for the catalogs, with more lines of `catalog:`.
fn with_account(user: &str, password: &str, more: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file: PathBuf = folder.join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::write(&file, password).unwrap();
    let file = file.display();
    format!("{CONFIG}catalog:\n  user: {user}\n  password_file: '{file}'\n{more}")
}

fn options(config: &str) -> Options {
    Options {
        config: Some(config.to_owned()),
        ..Options::default()
    }
}

fn start(config: &str) -> Stack {
    Stack::start(options(config))
}

/// The line of the stack's database.
fn line(stack: &Stack) -> String {
    let (_, text) = stack.get("/readyz");
    let name = format!("catalog {:?}: ", stack.database());
    let line = text.lines().find(|line| line.starts_with(&name));
    line.unwrap_or_default().to_owned()
}

fn loaded_now(stack: &Stack) -> Option<Loaded> {
    let line = line(stack);
    let (age, version) = line
        .split_once(": loaded, age ")?
        .1
        .split_once(" s, version ")?;
    Some(Loaded {
        version: version.to_owned(),
        age: age.parse().unwrap(),
    })
}

#[track_caller]
fn loaded(stack: &Stack) -> Loaded {
    until(|| loaded_now(stack)).unwrap_or_else(|| panic!("{}\n{}", line(stack), stack.stderr()))
}

/// Waits for another version than that one.
#[track_caller]
fn changed(stack: &Stack, before: &Loaded) -> Loaded {
    let other = || loaded_now(stack).filter(|now| now.version != before.version);
    until(other).unwrap_or_else(|| panic!("{}\n{}", line(stack), stack.stderr()))
}

fn loads(stack: &Stack, outcome: &str) -> f64 {
    stack.metric(&format!(
        "pgsieve_catalog_loads_total{{outcome=\"{outcome}\"}}"
    ))
}

/// Ends the catalog cache's session.
fn kill(stack: &Stack) {
    stack.prepare(&["SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                     WHERE application_name = 'pgsieve catalog' AND datname = current_database()"]);
}

/// A wire to Postgres that can fall ill.
struct Wire {
    address: SocketAddr,
    health: Arc<AtomicU8>,
}

const WELL: u8 = 0;
/// Nothing arrives any more.
const FROZEN: u8 = 1;
/// Everything that is tried fails.
const CUT: u8 = 2;

impl Wire {
    /// Its threads end with the program.
    fn before(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let health = Arc::new(AtomicU8::new(WELL));
        let shared = Arc::clone(&health);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if shared.load(Ordering::Relaxed) == CUT {
                    continue;
                }
                let far = TcpStream::connect(("127.0.0.1", port)).unwrap();
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let health = Arc::clone(&shared);
                    thread::spawn(move || carry(from, to, &health));
                }
            }
        });
        Self { address, health }
    }

    fn set(&self, health: u8) {
        self.health.store(health, Ordering::Relaxed);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, health: &AtomicU8) {
    let mut bytes = [0; 65_536];
    from.set_read_timeout(Some(Duration::from_millis(20)))
        .unwrap();
    loop {
        let read = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
            Err(_) => break,
        };
        while health.load(Ordering::Relaxed) == FROZEN {
            thread::sleep(Duration::from_millis(10));
        }
        if health.load(Ordering::Relaxed) == CUT || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
