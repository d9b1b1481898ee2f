//! How the cost of a statement grows: with the clients that are there, with the length of its text,
//! with the tables of the database, with the patterns of the policy and with its models.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use bytes::BytesMut;
use pgsieve::catalog::Catalog;
use pgsieve::gate::Gate;
use pgsieve::policy::Policy;
use pgsieve::upstream::snapshot;
use pgsieve::wire::encode;

use crate::catalog::{administrator, on_private_server, reader};
use crate::machine::cpu_seconds;
use crate::memory;
use crate::peers::{Peers, Target};
use crate::policies::Judge;
use crate::throughput::Effort;

/// Prints a table of what grows without a proxy: judgements.
pub fn judgements() {
    println!("a judgement: medians of {ROUNDS} rounds\n");
    println!("| what grows | to | judged anew, µs | judged before, µs |");
    println!("|---|---|---|---|");
    let catalogs = catalogs();
    let (_, smallest) = &catalogs[0];
    let agent = || judge(String::new(), smallest);
    for bytes in [50, 500, 5_000, 50_000, 500_000, 1_000_000] {
        line(
            "bytes of a text: one string",
            bytes,
            agent(),
            &string(bytes),
        );
    }
    for bytes in [50, 500, 5_000, 50_000, 500_000, 1_000_000] {
        line("bytes of a text: terms", bytes, agent(), &terms(bytes));
    }
    for (tables, catalog) in &catalogs {
        let judge = judge(String::new(), catalog);
        line("tables of the database", *tables, judge, READ);
    }
    let (_, largest) = &catalogs[catalogs.len() - 1];
    for count in [0, 10, 100, 1_000] {
        let judge = judge(patterns(count), largest);
        line("patterns of the policy", count, judge, READ);
    }
    for count in [0, 1, 10, 100] {
        let judge = judge(models(count), largest);
        line("models, the table has one", count, judge, READ);
    }
    for count in [0, 1, 10, 100] {
        let judge = judge(models(count), largest);
        line("models, the table has none", count, judge, BESIDE);
    }
    println!();
}

/// Prints a table of clients through proxies: each in its turn sends a statement, a few at a time.
pub fn clients(peers: &Peers, effort: Effort) {
    println!(
        "clients that take turns, {AT_ONCE} at a time: statements a second, and processor seconds \
         of the proxy for 10,000 (medians of {} rounds of {} s)\n",
        effort.rounds,
        effort.time.as_secs_f64()
    );
    println!("| clients | PgBouncer, transaction | pgsieve, transaction |");
    println!("|---|---|---|");
    for count in CLIENTS {
        let shown = [Target::PgBouncerShared, Target::PgsieveShared].map(|way| {
            let streams = (0..count).map(|_| memory::client(peers, way));
            let mut shares: Vec<Vec<TcpStream>> = Vec::new();
            shares.resize_with(AT_ONCE.min(count), Vec::new);
            for (number, stream) in streams.enumerate() {
                let share = number % shares.len();
                shares[share].push(stream);
            }
            let pid = peers.pid(way).expect("it runs");
            let rounds = (0..effort.rounds).map(|_| round(&mut shares, pid, effort));
            let mut rounds: Vec<(f64, f64)> = rounds.collect();
            rounds.sort_by(|one, other| one.0.total_cmp(&other.0));
            let (a_second, processor) = rounds[rounds.len() / 2];
            format!("{a_second:.0} / {processor:.3}")
        });
        println!("| {count} | {} | {} |", shown[0], shown[1]);
    }
    println!();
}

/// Statements a second, and processor seconds of the proxy for 10,000.
fn round(shares: &mut [Vec<TcpStream>], proxy: u32, effort: Effort) -> (f64, f64) {
    let answered = AtomicU64::new(0);
    let (before, since) = (cpu_seconds(proxy), Instant::now());
    thread::scope(|scope| {
        for share in shares {
            let answered = &answered;
            scope.spawn(move || {
                let mut message = BytesMut::new();
                while since.elapsed() < effort.time {
                    for (number, stream) in share.iter_mut().enumerate() {
                        message.clear();
                        let text =
                            format!("SELECT abalance FROM pgbench_accounts WHERE aid = {number}");
                        encode::query(&mut message, &text).unwrap();
                        stream.write_all(&message).unwrap();
                        memory::until_ready(stream);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let statements = f64::from(u32::try_from(answered.into_inner()).unwrap());
    let spent = cpu_seconds(proxy) - before;
    let a_second = statements / since.elapsed().as_secs_f64();
    (a_second, spent * 1e4 / statements)
}

fn line(what: &str, size: usize, mut judge: Judge, text: &str) {
    let times = (LETTERS_A_ROUND / text.len()).clamp(1, 200);
    let times = u32::try_from(times).unwrap();
    let mut median = |one: fn(&mut Judge, u32, &str) -> f64| {
        let mut rounds: Vec<f64> = (0..ROUNDS).map(|_| one(&mut judge, times, text)).collect();
        rounds.sort_by(f64::total_cmp);
        rounds[rounds.len() / 2]
    };
    let anew = median(Judge::cold_of);
    let before = median(Judge::cached_of) / 1e3;
    println!("| {what} | {size} | {anew:.2} | {before:.2} |");
}

fn judge(more: String, catalog: &Arc<Catalog>) -> Judge {
    let agent = include_str!("../../policies/agent.yaml");
    let policy = Policy::from_yaml(&format!("{agent}\n{more}")).unwrap();
    Judge::of(Gate::without_fingerprints(Arc::new(policy)), catalog)
}

/// The same database with ever more tables.
fn catalogs() -> Vec<(usize, Arc<Catalog>)> {
    on_private_server(async |cluster| {
        let admin = administrator(cluster).await;
        let client = reader(cluster).await;
        admin.batch_execute("CREATE SCHEMA shop").await.unwrap();
        let (mut made, mut catalogs) = (0, Vec::new());
        for tables in [10, 100, 1_000, 5_000] {
            for from in (made..tables).step_by(TABLES_AT_ONCE) {
                let mut script = String::new();
                for number in from..tables.min(from + TABLES_AT_ONCE) {
                    let columns = "(id int PRIMARY KEY, a int, b text, c date)";
                    let _ = write!(script, "CREATE TABLE shop.t{number} {columns};");
                }
                admin.batch_execute(&script).await.unwrap();
            }
            made = tables;
            let rows = snapshot::load(&client).await.unwrap();
            catalogs.push((tables, Arc::new(Catalog::build(rows).unwrap())));
        }
        catalogs
    })
}

fn patterns(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    let mut text = "relations:\n  allow: [\"shop.*\"]\n  deny:\n".to_owned();
    for number in 0..count {
        let _ = writeln!(text, "    - \"area_{}.t{number}_*\"", number % 20);
    }
    text
}

fn models(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    let mut text = "models:\n".to_owned();
    // The first is of the table that is read.
    for number in 0..count {
        let sql = format!("SELECT id, a, b FROM t{number} WHERE c > '2024-01-01'");
        let _ = writeln!(text, "  shop.t{number}:\n    sql: {sql}");
    }
    text
}

/// A text of so many bytes that is mostly one constant.
fn string(bytes: usize) -> String {
    let rest = "SELECT a FROM t0 WHERE b = ''".len();
    format!(
        "SELECT a FROM t0 WHERE b = '{}'",
        "x".repeat(bytes.saturating_sub(rest))
    )
}

/// A text of so many bytes that is mostly names and operators.
fn terms(bytes: usize) -> String {
    let mut text = "SELECT a FROM t0 WHERE a IN (1".to_owned();
    while text.len() + 6 < bytes {
        text.push_str(", a + 7");
    }
    text.push(')');
    text
}

const READ: &str = "SELECT a, b FROM t0 WHERE id = 42";
const BESIDE: &str = "SELECT a, b FROM shop.t4000 WHERE id = 42";

const CLIENTS: [usize; 5] = [1, 8, 64, 512, 5_000];
/// Statements under way at a time.
const AT_ONCE: usize = 8;
const TABLES_AT_ONCE: usize = 500;
const ROUNDS: usize = 41;
/// So many letters are judged in a round, to be timed.
const LETTERS_A_ROUND: usize = 200_000;
