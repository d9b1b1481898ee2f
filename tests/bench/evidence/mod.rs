//! What the evidence costs: the same program with its sinks on and off, side by side in one run.
//!
//! One process for each variant before the same Postgres, all with their clients logged in, and
//! one of them busy at a time. Machines drift by more than the sinks cost, so the slices are short,
//! each block visits every variant twice in a shuffled order and back, and only ratios within a
//! block are looked at. One variant is the first one again: its ratio shows the noise.
//!
//! Three figures, from the most direct to the steadiest: statements per second; processor time of
//! everything (clients, Postgres, pgsieve) for a statement, whose inverse is what full cores can
//! carry; processor time of pgsieve alone. And a fourth that no neighbour can disturb, where
//! `valgrind` is installed: instructions of pgsieve for a statement.

mod collector;
mod crowd;
mod figures;
mod instructions;
mod large;
mod variants;

use std::time::Duration;

use pgsieve::demo::cluster::PrivateCluster;

use crate::machine::{children_seconds, thread_seconds};
use crate::peers::pgbench_cluster;
use collector::Collector;
use crowd::{Crowd, Mode, Slice};
use figures::{Spread, shuffled};
use variants::{Sieve, Variant};

/// How much is measured.
pub struct Effort {
    /// Blocks for each protocol; each visits every variant twice.
    pub blocks: usize,
    /// Clients of each variant.
    pub clients: usize,
    /// Whether each sink is measured by itself as well.
    pub apart: bool,
    /// Whether receipts are what is measured.
    pub receipts: bool,
    /// Whether instructions alone are counted.
    pub instructions_only: bool,
}

/// Prints a table for each protocol, and the instructions.
pub fn report(effort: &Effort) {
    let cluster = pgbench_cluster();
    let collector = Collector::start();
    let variants = match effort.receipts {
        true => Variant::receipts(),
        false => Variant::all(effort.apart),
    };
    if !effort.instructions_only {
        side_by_side(effort, &variants, &cluster, &collector);
    }
    instructions::report(&variants, &cluster, &collector);
}

fn side_by_side(
    effort: &Effort,
    variants: &[Variant],
    cluster: &PrivateCluster,
    collector: &Collector,
) {
    let sieves: Vec<Sieve> = variants
        .iter()
        .map(|variant| Sieve::start(*variant, cluster, collector))
        .collect();
    println!(
        "the evidence: {} clients, {} blocks of {} slices of {} ms for each protocol; ratios to the \
         first variant, median (95 % interval of the median) least..most",
        effort.clients,
        effort.blocks,
        2 * sieves.len(),
        COUNTED.as_millis(),
    );
    println!();
    println!(
        "| mode | sinks | statements/s | throughput | µs of everything | | µs of pgsieve | |\n\
         |---|---|---|---|---|---|---|---|"
    );
    for mode in [Mode::Simple, Mode::Extended, Mode::Prepared] {
        let measured = measure(mode, effort, cluster, &sieves);
        print(mode, &sieves, &measured);
    }
    println!();
    if effort.receipts {
        large::report(effort.blocks, &sieves, cluster);
    }
    for sieve in &sieves {
        sieve.must_have_worked(collector);
    }
}

/// What a block found of each variant.
struct Block(Vec<Visit>);

/// What the two slices of a variant in a block came to.
#[derive(Clone, Copy, Default)]
struct Visit {
    per_second: f64,
    own_micros: f64,
    all_micros: f64,
}

fn measure(mode: Mode, effort: &Effort, cluster: &PrivateCluster, sieves: &[Sieve]) -> Vec<Block> {
    let mut seen: Vec<f64> = sieves.iter().map(|one| thread_seconds(one.pid())).collect();
    let postmaster = postmaster(cluster);
    let mut blocks = Vec::new();
    for number in 0..effort.blocks {
        // How clients fall to the workers is chance, and would favour one process for good.
        let arrived = sieves.iter().map(|sieve| {
            let who = (cluster.admin(), sieve.variant().asks());
            Crowd::arrive(sieve.port(), who, effort.clients, mode)
        });
        let mut crowds: Vec<Crowd> = arrived.collect();
        let mut order = shuffled(sieves.len(), number);
        order.extend(order.clone().iter().rev());
        let mut sums = vec![(Slice::default(), 0.0, 0.0); sieves.len()];
        for at in order {
            let others = || children_seconds(postmaster) + thread_seconds(std::process::id());
            let before = others();
            let slice = crowds[at].work(LEFT_OUT, COUNTED);
            let around = others() - before;
            // What a process did since it was last looked at: what it had put off is its own.
            let now = thread_seconds(sieves[at].pid());
            let own = now - std::mem::replace(&mut seen[at], now);
            let sum = &mut sums[at];
            sum.0.add(slice);
            sum.1 += own;
            sum.2 += own + around;
        }
        let visits = sums.into_iter().map(|(slice, own, all)| Visit {
            per_second: slice.per_second(),
            own_micros: own * 1e6 / slice.statements(),
            all_micros: all * 1e6 / slice.statements(),
        });
        blocks.push(Block(visits.collect()));
    }
    blocks
}

/// The parent of all that Postgres does.
fn postmaster(cluster: &PrivateCluster) -> u32 {
    let text = std::fs::read_to_string(cluster.data().join("postmaster.pid")).unwrap();
    text.lines().next().unwrap().trim().parse().unwrap()
}

fn print(mode: Mode, sieves: &[Sieve], blocks: &[Block]) {
    let column = |at: usize, pick: fn(&Visit) -> f64| -> Vec<f64> {
        blocks.iter().map(|block| pick(&block.0[at])).collect()
    };
    let ratios = |at: usize, pick: fn(&Visit) -> f64| -> Spread {
        let (own, first) = (column(at, pick), column(0, pick));
        Spread::of(own.iter().zip(first).map(|(own, first)| own / first))
    };
    let figures: [fn(&Visit) -> f64; 3] = [
        |visit| visit.per_second,
        |visit| visit.all_micros,
        |visit| visit.own_micros,
    ];
    for (at, sieve) in sieves.iter().enumerate() {
        let [per_second, all, own] =
            figures.map(|pick| (Spread::of(column(at, pick)).median, ratios(at, pick)));
        println!(
            "| {} | {} | {:.0} | {} | {:.2} | {} | {:.2} | {} |",
            mode.name(),
            sieve.variant().name(),
            per_second.0,
            per_second.1,
            all.0,
            all.1,
            own.0,
            own.1,
        );
    }
}

/// The part of a slice that counts.
const COUNTED: Duration = Duration::from_millis(400);

/// The part before it: what others had put off is done meanwhile.
const LEFT_OUT: Duration = Duration::from_millis(120);
