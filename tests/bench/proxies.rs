//! Throughput, processor time and memory of pgsieve beside a direct connection, PgBouncer and
//! HAProxy, in one run with alternating rounds; pgsieve and PgBouncer in both pool modes.
//!
//! And what a snapshot of the catalogs costs, of a database with 2,000 tables, and what a
//! question about it; what repairs add to statements that succeed, and what they cost those that
//! fail; what a policy with 1,000 patterns adds to a judgement, and a model to a read; what a
//! reload of policies costs ten thousand open sessions; and what metrics, audit, traces and the
//! live page cost. `--fairness` measures what ordinary sessions feel beside hostile ones.
//!
//! `make bench` runs it. Machines are noisy: read the ratios, not the absolute numbers.
//! Arguments: `--rounds N` (default 3), `--seconds N` per measurement (default 3), `--quick` (one
//! short round), `--throughput-only`, `--latency-only`, `--wide-only`, `--tls-only`,
//! `--pools-only`, `--memory-only`, `--growth-only`, `--catalog-only`, `--grounding-only`,
//! `--cached-only`, `--repairs-only`, `--policies-only`, `--models-only`, `--reload-only`,
//! `--mcp-only`, `--fairness` (with `--flood WORD` for the floods of that name), `--telemetry-only`
//! (with `--blocks N`, default 15; `--apart` for each sink by itself; `--instructions-only`),
//! `--audit` (pgsieve writes its audit to a file while it is measured).

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a benchmark stops at the first thing that is not as it expects"
)]

mod cached;
mod catalog;
mod checkout;
mod evidence;
mod fairness;
mod grounding;
mod growth;
mod judging;
mod machine;
mod mcp;
mod memory;
mod models;
mod peers;
mod policies;
mod pools;
mod reload;
mod repairs;
mod throughput;

#[path = "../support/conversation.rs"]
mod conversation;
#[path = "../servers/repair/corpus/statements.rs"]
#[expect(dead_code, reason = "what was meant is for the tests")]
mod corpus;
#[path = "../servers/repair/corpus/world.rs"]
#[expect(dead_code, reason = "rows are for the tests")]
mod world;

use std::time::Duration;

use peers::Peers;

/// What is measured, from the command line.
struct Plan {
    rounds: usize,
    seconds: u64,
    audit: bool,
    throughput_only: bool,
    pools_only: bool,
    memory_only: bool,
    cached_only: bool,
    catalog_only: bool,
    grounding_only: bool,
    growth_only: bool,
    wide_only: bool,
    tls_only: bool,
    latency_only: bool,
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

fn main() {
    let plan = plan();
    if reports_alone(&plan) {
        return;
    }
    let effort = throughput::Effort {
        rounds: plan.rounds,
        time: Duration::from_secs(plan.seconds),
    };
    if plan.tls_only {
        return throughput::report_encrypted(&Peers::start_encrypted(), effort);
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
    if plan.latency_only {
        return pools::report_latencies(&peers, effort);
    }
    if plan.wide_only {
        memory::report_gigabyte(&peers);
        return throughput::report_wide(&peers, effort);
    }
    if plan.growth_only {
        growth::clients(&peers, effort);
        drop(peers);
        return growth::judgements();
    }
    if !plan.memory_only && !plan.pools_only {
        throughput::report(&peers, effort);
    }
    if plan.throughput_only {
        return;
    }
    if !plan.memory_only {
        pools::report(&peers, effort);
        checkout::report(&peers);
    }
    if plan.pools_only {
        return;
    }
    memory::report(&peers);
    growth::clients(&peers, effort);
    pools::report_latencies(&peers, effort);
    throughput::report_wide(&peers, effort);
    memory::report_gigabyte(&peers);
    drop(peers);
    throughput::report_encrypted(&Peers::start_encrypted(), effort);
    growth::judgements();
    evidence::report(&plan.evidence);
    cached::report();
    catalog::report();
    grounding::report();
    repairs::report();
    policies::report();
    reload::report();
    mcp::report();
}

type Report = fn(&Plan);

/// Prints what is wanted alone, where that needs no proxy.
fn reports_alone(plan: &Plan) -> bool {
    let wanted: [(bool, Report); 9] = [
        (plan.telemetry_only || plan.receipts_only, |plan| {
            evidence::report(&plan.evidence);
        }),
        (plan.cached_only, |_| cached::report()),
        (plan.catalog_only, |_| catalog::report()),
        (plan.grounding_only, |_| grounding::report()),
        (plan.reload_only, |_| reload::report()),
        (plan.mcp_only, |_| mcp::report()),
        (plan.models_only, |_| models::report()),
        (plan.policies_only, |_| policies::report()),
        (plan.repairs_only, |_| {
            cached::report();
            repairs::report();
        }),
    ];
    let report = wanted.iter().find(|(is_wanted, _)| *is_wanted);
    if let Some((_, report)) = report {
        report(plan);
    }
    report.is_some()
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
        audit: given("--audit"),
        throughput_only: given("--throughput-only"),
        pools_only: given("--pools-only"),
        memory_only: given("--memory-only"),
        cached_only: given("--cached-only"),
        catalog_only: given("--catalog-only"),
        grounding_only: given("--grounding-only"),
        growth_only: given("--growth-only"),
        wide_only: given("--wide-only"),
        tls_only: given("--tls-only"),
        latency_only: given("--latency-only"),
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
