//! What a large result takes, with its rows digested for a receipt and without.

use pgsieve::demo::cluster::PrivateCluster;

use super::crowd::{Crowd, Mode};
use super::figures::{Spread, shuffled};
use super::variants::Sieve;
use crate::machine::thread_seconds;

/// Prints a line for each variant.
pub fn report(blocks: usize, sieves: &[Sieve], cluster: &PrivateCluster) {
    let arrived = sieves.iter().map(|sieve| {
        let who = (cluster.admin(), sieve.variant().asks());
        Crowd::arrive(sieve.port(), who, 1, Mode::Simple)
    });
    let mut crowds: Vec<Crowd> = arrived.collect();
    let mut seconds = vec![Vec::new(); sieves.len()];
    let mut own = vec![Vec::new(); sieves.len()];
    let mut bytes = 0;
    for number in 0..=blocks {
        for at in shuffled(sieves.len(), number) {
            let before = thread_seconds(sieves[at].pid());
            let (total, took) = crowds[at].fetch(LARGE);
            // The first of each warms up what the others find warm.
            if number > 0 {
                seconds[at].push(took.as_secs_f64());
                own[at].push(thread_seconds(sieves[at].pid()) - before);
            }
            bytes = total;
        }
    }
    println!(
        "a result of {} MB; ratios to the first variant",
        bytes / 1_000_000
    );
    println!();
    println!("| sinks | seconds | | seconds of pgsieve | |\n|---|---|---|---|---|");
    for (at, sieve) in sieves.iter().enumerate() {
        let ratios = |own: &[Vec<f64>]| {
            Spread::of(own[at].iter().zip(&own[0]).map(|(own, first)| own / first))
        };
        println!(
            "| {} | {:.3} | {} | {:.3} | {} |",
            sieve.variant().name(),
            Spread::of(seconds[at].iter().copied()).median,
            ratios(&seconds),
            Spread::of(own[at].iter().copied()).median,
            ratios(&own),
        );
    }
    println!();
}

const LARGE: &str = "SELECT repeat('x', 1000) FROM generate_series(1, 100000)";
