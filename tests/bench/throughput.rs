//! Statements and logins in a second, and the processor time that a proxy takes for them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::machine::cpu_seconds;
use crate::peers::{Load, Peers, Target};

/// How much is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// How often each load comes through each way; the medians count.
    pub rounds: usize,
    /// How long each time.
    pub time: Duration,
}

/// What a load came to on one way.
#[derive(Clone, Copy)]
pub struct Figure {
    pub per_second: f64,
    /// Of the proxy.
    pub cpu_per_10k: f64,
}

/// Prints a table of statements, and one of logins.
pub fn report(peers: &Peers, effort: Effort) {
    println!(
        "pgbench -S, {} rounds of {} s each, alternating; medians; statements a second as a ratio to \
         direct / processor seconds of the proxy for 10,000 statements\n",
        effort.rounds,
        effort.time.as_secs_f64()
    );
    let all = peers.targets("simple");
    print_head(&all);
    for mode in ["simple", "extended", "prepared"] {
        for clients in CLIENTS {
            let load = Load {
                mode,
                clients,
                churns: false,
                script: None,
                // The logins of many take a second of it.
                time: match clients {
                    256 => effort.time.max(MANY_CLIENTS_TIME_MIN),
                    _ => effort.time,
                },
            };
            let figures = measure(peers, &load, effort.rounds);
            print_row(&all, &load, &figures);
        }
    }
    println!("\nThe same with a login for each statement (pgbench -C)\n");
    print_head(&all);
    let load = Load {
        mode: "simple",
        clients: CHURNING_CLIENTS,
        churns: true,
        script: None,
        time: effort.time,
    };
    print_row(&all, &load, &measure(peers, &load, effort.rounds));
    println!();
}

/// Prints a table of statements and logins over TLS.
pub fn report_encrypted(peers: &Peers, effort: Effort) {
    println!("The same with TLS between the client, the proxy and the database\n");
    let all = peers.targets("simple");
    print_head(&all);
    for (mode, clients, churns) in [
        ("simple", 8, false),
        ("extended", 8, false),
        ("simple", 32, false),
        ("simple", CHURNING_CLIENTS, true),
    ] {
        let load = Load {
            mode,
            clients,
            churns,
            script: None,
            time: effort.time,
        };
        print_row(&all, &load, &measure(peers, &load, effort.rounds));
    }
    println!();
}

/// Prints a table of wide rows.
pub fn report_wide(peers: &Peers, effort: Effort) {
    println!("The same with rows of 1 MB, which no table has\n");
    let all = peers.targets("simple");
    print_head(&all);
    let load = Load {
        mode: "simple",
        clients: 4,
        churns: false,
        script: Some("SELECT repeat('x', 1000000);\n"),
        time: effort.time,
    };
    print_row(&all, &load, &measure(peers, &load, effort.rounds));
    println!();
}

/// A load through each way that can carry it, in turn.
pub fn measure(peers: &Peers, load: &Load, rounds: usize) -> BTreeMap<Target, Figure> {
    let mut samples: BTreeMap<Target, Vec<Figure>> = BTreeMap::new();
    let targets = peers.targets(load.mode);
    for round in 0..rounds {
        for step in 0..targets.len() {
            let target = targets[(round + step) % targets.len()];
            samples
                .entry(target)
                .or_default()
                .push(one(peers, target, load));
        }
    }
    samples
        .into_iter()
        .map(|(target, figures)| (target, median(&figures)))
        .collect()
}

fn one(peers: &Peers, target: Target, load: &Load) -> Figure {
    let pid = peers.pid(target);
    let before = pid.map_or(0.0, cpu_seconds);
    let run = peers.pgbench(target, load, None);
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

fn print_head(targets: &[Target]) {
    let names: Vec<_> = targets.iter().skip(1).map(|target| target.name()).collect();
    println!("| mode | clients | direct/s | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(names.len()));
}

fn print_row(targets: &[Target], load: &Load, figures: &BTreeMap<Target, Figure>) {
    let direct = figures[&Target::Direct].per_second;
    let cells: Vec<_> = targets
        .iter()
        .skip(1)
        .map(|target| match figures.get(target) {
            Some(figure) => {
                let ratio = figure.per_second / direct;
                format!("{ratio:.2} / {:.3}", figure.cpu_per_10k)
            }
            None => "–".to_owned(),
        })
        .collect();
    println!(
        "| {} | {} | {direct:.0} | {} |",
        load.mode,
        load.clients,
        cells.join(" | ")
    );
}

/// From one to more than any pool has connections.
const CLIENTS: [usize; 4] = [1, 8, 32, 256];

/// As the target names.
const CHURNING_CLIENTS: usize = 4;

/// The least time that is measured with 256 of them.
const MANY_CLIENTS_TIME_MIN: Duration = Duration::from_secs(4);
