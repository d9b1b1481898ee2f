//! What thousands of idle clients on a few connections take, and what clients feel beside them.

use std::fs;
use std::net::TcpStream;
use std::path::Path;

use crate::machine::memory_mib;
use crate::memory;
use crate::peers::{Load, POOL_SIZE, Peers, Target};
use crate::throughput::Effort;

/// Prints a table.
pub fn report(peers: &Peers, effort: Effort) {
    println!(
        "{IDLE_CLIENTS} idle clients, each after one statement, on {POOL_SIZE} connections; and \
         the time of a statement of {ACTIVE_CLIENTS} others in µs, without and beside them \
         (pgbench -S, simple; medians of {} rounds of {} s)\n",
        effort.rounds,
        effort.time.as_secs_f64()
    );
    println!("| way | memory before, MiB | with them | p50 without | p99 | p50 beside | p99 |");
    println!("|---|---|---|---|---|---|---|");
    for way in [Target::PgBouncerShared, Target::PgsieveShared] {
        let pid = peers.pid(way).expect("it runs");
        let load = load("simple", ACTIVE_CLIENTS, effort);
        let without = latencies(peers, way, &load, effort.rounds);
        let before = memory_mib(pid, "VmRSS");
        let clients: Vec<TcpStream> = (0..IDLE_CLIENTS)
            .map(|_| memory::client(peers, way))
            .collect();
        let with = memory_mib(pid, "VmRSS");
        let beside = latencies(peers, way, &load, effort.rounds);
        println!(
            "| {} | {before:.1} | {with:.1} | {:.0} | {:.0} | {:.0} | {:.0} |",
            way.name(),
            without.p50,
            without.p99,
            beside.p50,
            beside.p99
        );
        drop(clients);
    }
    println!();
}

/// In µs.
#[derive(Clone, Copy)]
struct Latency {
    p50: f64,
    p99: f64,
}

/// Prints what one client feels.
pub fn report_latencies(peers: &Peers, effort: Effort) {
    println!(
        "the time of a statement of one client in µs (pgbench -S; medians of {} rounds of {} s)\n",
        effort.rounds,
        effort.time.as_secs_f64()
    );
    println!("| mode | way | p50 | p99 |");
    println!("|---|---|---|---|");
    for mode in ["simple", "extended", "prepared"] {
        for way in peers.targets(mode) {
            let times = latencies(peers, way, &load(mode, 1, effort), effort.rounds);
            println!(
                "| {mode} | {} | {:.0} | {:.0} |",
                way.name(),
                times.p50,
                times.p99
            );
        }
    }
    println!();
}

fn load(mode: &'static str, clients: usize, effort: Effort) -> Load {
    Load {
        mode,
        clients,
        churns: false,
        script: None,
        time: effort.time,
    }
}

fn latencies(peers: &Peers, way: Target, load: &Load, rounds: usize) -> Latency {
    let rounds: Vec<_> = (0..rounds).map(|_| one_round(peers, way, load)).collect();
    let middle = |of: fn(&Latency) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Latency {
        p50: middle(|latency| latency.p50),
        p99: middle(|latency| latency.p99),
    }
}

fn one_round(peers: &Peers, way: Target, load: &Load) -> Latency {
    let folder = std::env::temp_dir().join(format!("pgsieve-bench-times-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    peers.pgbench(way, load, Some(&folder));
    let mut times = times(&folder);
    fs::remove_dir_all(&folder).unwrap();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[times.len() * share / 100];
    Latency {
        p50: at(50),
        p99: at(99),
    }
}

/// The third word of each line.
fn times(folder: &Path) -> Vec<f64> {
    let files = fs::read_dir(folder).unwrap();
    let texts = files.map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    let of = |text: String| {
        let lines = text.lines();
        let words = lines.map(|line| line.split(' ').nth(2).unwrap().parse().unwrap());
        words.collect::<Vec<f64>>()
    };
    texts.flat_map(of).collect()
}

/// As the target names.
const IDLE_CLIENTS: usize = 5_000;

/// Those whose times are measured.
const ACTIVE_CLIENTS: usize = 8;
