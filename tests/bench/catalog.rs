//! What a snapshot costs, of a database with 2,000 tables and 40,000 columns: to load, to build, to
//! keep, and to ask whether it is still true. And what judging with it costs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pgsieve::catalog::Catalog;
use pgsieve::demo::cluster::PrivateCluster;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::policy::Policy;
use pgsieve::secret::Secret;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::snapshot::{self, UpstreamAccount};
use tokio_postgres::{Client, NoTls};

use crate::judging;
use crate::machine::{cpu_seconds, memory_mib};

/// Prints all of it.
pub fn report() {
    let (plain, with_an_effect) = on_private_server(async |cluster| {
        let admin = administrator(cluster).await;
        for statement in include_str!("../data/schemas/snapshot/large.sql").split("\n\n") {
            admin.batch_execute(statement).await.unwrap();
        }
        admin.batch_execute(ACCOUNTS).await.unwrap();
        let client = reader(cluster).await;
        markers(&admin, &client).await;
        let plain = snapshots(&client).await;
        admin.batch_execute(EFFECT).await.unwrap();
        let rows = snapshot::load(&client).await.unwrap();
        (plain, Arc::new(Catalog::build(rows).unwrap()))
    });
    judging::report(plain, with_an_effect);
}

/// The cost of asking whether anything has changed.
async fn markers(admin: &Client, client: &Client) {
    let (mut looks, mut quiet) = (Vec::new(), Vec::new());
    let mut last = snapshot::marker(client).await.unwrap();
    let server = Cpu::of_session(client).await;
    for _ in 0..MARKERS {
        // Some transaction of which the catalogs know nothing.
        let text = "UPDATE pgbench_accounts SET abalance = 1";
        admin.batch_execute(text).await.unwrap();
        let since = Instant::now();
        let next = last.again(client).await.unwrap();
        looks.push(since.elapsed());
        assert_eq!(next, last);
        last = next;
    }
    println!(
        "catalog: marker after a write {}, server's CPU {:.1} ms",
        shown(&mut looks),
        server.spent_ms() / f64::from(MARKERS)
    );
    for _ in 0..MARKERS {
        let since = Instant::now();
        last = last.again(client).await.unwrap();
        quiet.push(since.elapsed());
    }
    println!("catalog: marker after none {}", shown(&mut quiet));
}

/// The cost of a snapshot: each time is the median and, behind it, the best of the rounds.
async fn snapshots(client: &Client) -> Arc<Catalog> {
    let policy = Policy::agent();
    let (mut loads, mut builds, mut policy_effects) = (Vec::new(), Vec::new(), Vec::new());
    let before = memory_mib(std::process::id(), "VmRSS");
    let (ours, server) = (Cpu::of(std::process::id()), Cpu::of_session(client).await);
    for _ in 0..ROUNDS {
        drop(snapshot::load(client).await.unwrap());
    }
    println!(
        "catalog: load takes {:.0} ms of the server's CPU and {:.0} ms of ours",
        server.spent_ms() / f64::from(ROUNDS),
        ours.spent_ms() / f64::from(ROUNDS)
    );
    let mut kept = None;
    for _ in 0..ROUNDS {
        let since = Instant::now();
        let rows = snapshot::load(client).await.unwrap();
        loads.push(since.elapsed());
        let since = Instant::now();
        let catalog = Arc::new(Catalog::build(rows).unwrap());
        builds.push(since.elapsed());
        let since = Instant::now();
        let effect_graph = EffectGraph::new(Arc::clone(&catalog), &policy);
        policy_effects.push(since.elapsed());
        kept = Some((catalog, effect_graph));
    }
    let (catalog, _sight) = kept.unwrap();
    let columns: usize = catalog
        .relations()
        .map(|(relation, _)| catalog.columns_of(relation).len())
        .sum();
    println!(
        "catalog: {} relations with {columns} columns: load {}, build {}, sight {}",
        catalog.relations().len(),
        shown(&mut loads),
        shown(&mut builds),
        shown(&mut policy_effects)
    );
    println!(
        "catalog: {:.1} MB by its own count; the process grew by {:.1} MiB, {:.1} MiB at most",
        f64::from(u32::try_from(catalog.bytes()).unwrap()) / 1e6,
        memory_mib(std::process::id(), "VmRSS") - before,
        memory_mib(std::process::id(), "VmHWM")
    );
    catalog
}

/// Does this with a Postgres that nobody else has.
pub fn on_private_server<T>(work: impl AsyncFnOnce(&PrivateCluster) -> T) -> T {
    let cluster = PrivateCluster::builder()
        .start()
        .expect("a private Postgres");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work(&cluster))
}

/// A superuser of a private server.
pub async fn administrator(cluster: &PrivateCluster) -> Client {
    let address = cluster.admin_url("postgres");
    let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Whoever reads its catalog.
pub async fn reader(cluster: &PrivateCluster) -> Client {
    let address = format!("postgres://127.0.0.1:{}/?sslmode=disable", cluster.port());
    let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
    let account = UpstreamAccount {
        user: cluster.admin().to_owned(),
        secret: Some(Secret::new(cluster.admin_password()).into()),
    };
    let connected = snapshot::connect(&upstream, &account, "postgres").await;
    connected.unwrap().0
}

/// The processor time that a process had taken at one moment: on a machine with others on it, times
/// say little.
struct Cpu {
    pid: u32,
    seconds: f64,
}

impl Cpu {
    fn of(pid: u32) -> Self {
        let seconds = cpu_seconds(pid);
        Self { pid, seconds }
    }

    async fn of_session(client: &Client) -> Self {
        let row = client.query_one("SELECT pg_backend_pid()", &[]).await;
        let pid: i32 = row.unwrap().get(0);
        Self::of(u32::try_from(pid).unwrap())
    }

    fn spent_ms(&self) -> f64 {
        (cpu_seconds(self.pid) - self.seconds) * 1e3
    }
}

/// Median and best, in ms.
fn shown(times: &mut [Duration]) -> String {
    times.sort();
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    format!(
        "{:.2} ms (best {:.2})",
        milliseconds(times[times.len() / 2]),
        milliseconds(times[0])
    )
}

/// What pgbench asks for.
const ACCOUNTS: &str = "CREATE TABLE pgbench_accounts \
    (aid int PRIMARY KEY, bid int, abalance int, filler char(84)); \
    INSERT INTO pgbench_accounts VALUES (1, 1, 0, '')";

/// An operator and a function that write, under names that every text uses.
const EFFECT: &str = "CREATE TYPE large.pair AS (one int, two int); \
    CREATE FUNCTION large.same(large.pair, large.pair) RETURNS bool \
      LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN true; END'; \
    CREATE OPERATOR large.= \
      (LEFTARG = large.pair, RIGHTARG = large.pair, FUNCTION = large.same); \
    CREATE FUNCTION large.pg_get_userbyid(large.pair) RETURNS text \
      LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END'";

const ROUNDS: u32 = 15;

const MARKERS: u32 = 50;
