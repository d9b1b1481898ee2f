//! Throughput, processor time and memory of pgsieve beside a direct connection and PgBouncer in
//! session mode, in one run with alternating rounds.
//!
//! And what a snapshot of the catalogs costs, of a database with 2,000 tables, and what a
//! question about it; what repairs add to statements that succeed, and what they cost those that
//! fail; what a policy with 1,000 patterns adds to a judgement, and a model to a read; what a
//! reload of policies costs ten thousand open sessions; and what metrics, audit, traces and the
//! live page cost. `--fairness` measures what ordinary sessions feel beside hostile ones.
//!
//! `make bench` runs it. Machines are noisy: read the ratios, not the absolute numbers.
//! Arguments: `--rounds N` (default 3), `--seconds N` per measurement (default 3), `--quick` (one
//! short round), `--memory-only`, `--catalog-only`, `--grounding-only`, `--cached-only`,
//! `--repairs-only`, `--policies-only`, `--models-only`, `--reload-only`, `--mcp-only`,
//! `--fairness` (with `--flood WORD` for the floods of that name), `--telemetry-only` (with
//! `--blocks N`, default 15; `--apart` for each sink by itself; `--instructions-only`), `--audit`
//! (pgsieve writes its audit to a file while it is measured).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark stops at the first thing that is not as it expects"
)]

mod cached;
mod catalog;
mod evidence;
mod fairness;
mod grounding;
mod judging;
mod machine;
mod mcp;
mod memory;
mod models;
mod peers;
mod policies;
mod reload;
mod repairs;

#[path = "../servers/repair/corpus/statements.rs"]
#[expect(dead_code, reason = "what was meant is for the tests")]
mod corpus;
#[path = "../servers/repair/corpus/world.rs"]
#[expect(dead_code, reason = "rows are for the tests")]
mod world;

use std::collections::BTreeMap;
use std::time::Duration;

use machine::cpu_seconds;
use peers::{Peers, Target};

/// What is measured, from the command line.
struct Plan {
    rounds: usize,
    seconds: u64,
    clients: Vec<usize>,
    audit: bool,
    memory_only: bool,
    cached_only: bool,
    catalog_only: bool,
    grounding_only: bool,
    repairs_only: bool,
    reload_only: bool,
    mcp_only: bool,
    policies_only: bool,
    models_only: bool,
    telemetry_only: bool,
    receipts_only: bool,
    fairness: bool,
    floods: Option<String>,
    evidence: evidence::Effort,
}

/// One measurement.
#[derive(Clone, Copy)]
struct Figure {
    per_second: f64,
    cpu_per_10k: f64,
}

fn main() {
    let plan = plan();
    if plan.telemetry_only || plan.receipts_only {
        return evidence::report(&plan.evidence);
    }
    if plan.cached_only {
        return cached::report();
    }
    if plan.catalog_only {
        return catalog::report();
    }
    if plan.grounding_only {
        return grounding::report();
    }
    if plan.reload_only {
        return reload::report();
    }
    if plan.mcp_only {
        return mcp::report();
    }
    if plan.models_only {
        return models::report();
    }
    if plan.policies_only {
        return policies::report();
    }
    if plan.repairs_only {
        cached::report();
        return repairs::report();
    }
    let peers = Peers::start(plan.audit);
    if plan.fairness {
        let effort = fairness::Effort {
            rounds: plan.rounds,
            time: Duration::from_secs(plan.seconds),
            only: plan.floods,
        };
        return fairness::report(&peers, &effort);
    }
    if !plan.memory_only {
        throughput(&plan, &peers);
    }
    memory::report(&peers);
    drop(peers);
    evidence::report(&plan.evidence);
    cached::report();
    catalog::report();
    grounding::report();
    repairs::report();
    policies::report();
    reload::report();
    mcp::report();
}

fn plan() -> Plan {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| arguments.iter().any(|argument| argument == name);
    let quick = given("--quick");
    let number = |name: &str, otherwise: u64| {
        let place = arguments.iter().position(|argument| argument == name);
        place
            .and_then(|at| arguments.get(at + 1)?.parse().ok())
            .unwrap_or(otherwise)
    };
    Plan {
        rounds: usize::try_from(number("--rounds", if quick { 1 } else { 3 })).unwrap(),
        seconds: number("--seconds", if quick { 1 } else { 3 }),
        clients: vec![1, 8, 32],
        audit: given("--audit"),
        memory_only: given("--memory-only"),
        cached_only: given("--cached-only"),
        catalog_only: given("--catalog-only"),
        grounding_only: given("--grounding-only"),
        repairs_only: given("--repairs-only"),
        reload_only: given("--reload-only"),
        mcp_only: given("--mcp-only"),
        policies_only: given("--policies-only"),
        models_only: given("--models-only"),
        telemetry_only: given("--telemetry-only"),
        receipts_only: given("--receipts-only"),
        fairness: given("--fairness"),
        floods: arguments
            .iter()
            .position(|argument| argument == "--flood")
            .and_then(|at| arguments.get(at + 1).cloned()),
        evidence: evidence::Effort {
            blocks: usize::try_from(number("--blocks", if quick { 2 } else { 15 })).unwrap(),
            clients: 8,
            apart: given("--apart"),
            receipts: given("--receipts-only"),
            instructions_only: given("--instructions-only"),
        },
    }
}

fn throughput(plan: &Plan, peers: &Peers) {
    println!(
        "pgbench -S, {} rounds of {} s each, alternating; medians; CPU = proxy CPU seconds per 10,000 \
         statements",
        plan.rounds, plan.seconds
    );
    println!(
        "{:<9} {:>7} | {:>9} | {:>9} {:>7} | {:>9} {:>7} | {:>10} {:>9}",
        "mode", "clients", "direct/s", "bouncer/s", "CPU", "pgsieve/s", "CPU", "throughput", "CPU"
    );
    for mode in ["simple", "extended", "prepared"] {
        for &clients in &plan.clients {
            let row = measure(plan, peers, mode, clients);
            print_row(mode, clients, &row);
        }
    }
}

fn measure(plan: &Plan, peers: &Peers, mode: &str, clients: usize) -> BTreeMap<Target, Figure> {
    let mut samples: BTreeMap<Target, Vec<Figure>> = BTreeMap::new();
    let targets = [Target::Direct, Target::PgBouncer, Target::Pgsieve];
    for round in 0..plan.rounds {
        for step in 0..targets.len() {
            let target = targets[(round + step) % targets.len()];
            let figure = one(
                peers,
                target,
                mode,
                clients,
                Duration::from_secs(plan.seconds),
            );
            samples.entry(target).or_default().push(figure);
        }
    }
    samples
        .into_iter()
        .map(|(target, figures)| (target, median(&figures)))
        .collect()
}

fn one(peers: &Peers, target: Target, mode: &str, clients: usize, time: Duration) -> Figure {
    let pid = peers.pid(target);
    let before = pid.map_or(0.0, cpu_seconds);
    let run = peers.pgbench(target, mode, clients, time);
    let spent = pid.map_or(0.0, cpu_seconds) - before;
    Figure {
        per_second: run.per_second,
        cpu_per_10k: spent * 10_000.0 / run.statements,
    }
}

fn median(figures: &[Figure]) -> Figure {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Figure {
        per_second: middle(figures.iter().map(|figure| figure.per_second).collect()),
        cpu_per_10k: middle(figures.iter().map(|figure| figure.cpu_per_10k).collect()),
    }
}

fn print_row(mode: &str, clients: usize, row: &BTreeMap<Target, Figure>) {
    let (direct, bouncer, ours) = (
        row[&Target::Direct],
        row[&Target::PgBouncer],
        row[&Target::Pgsieve],
    );
    println!(
        "{mode:<9} {clients:>7} | {:>9.0} | {:>9.0} {:>7.3} | {:>9.0} {:>7.3} | {:>9.2}x {:>8.2}x",
        direct.per_second,
        bouncer.per_second,
        bouncer.cpu_per_10k,
        ours.per_second,
        ours.cpu_per_10k,
        ours.per_second / bouncer.per_second,
        ours.cpu_per_10k / bouncer.cpu_per_10k,
    );
}
