//! Instructions that pgsieve itself takes for a statement, counted by valgrind's `callgrind`: no
//! neighbour disturbs them. The kernel's are not among them.

use std::process::{Command, Stdio};
use std::time::Duration;

use pgsieve::demo::cluster::PrivateCluster;

use super::collector::Collector;
use super::crowd::{Crowd, Mode};
use super::variants::{Sieve, Variant};
use crate::peers::program;

/// Prints a line for each variant.
pub fn report(variants: &[Variant], cluster: &PrivateCluster, collector: &Collector) {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions: valgrind is not installed");
        return;
    }
    println!("instructions of pgsieve for a statement, one client, mean of {STATEMENTS}");
    println!();
    println!("| sinks | simple | | extended | | prepared | |\n|---|---|---|---|---|---|---|");
    let mut first = None;
    // Counted twice it is the same number.
    let others = variants.iter().filter(|one| **one != Variant::OffAgain);
    for &variant in others {
        let counted = [Mode::Simple, Mode::Extended, Mode::Prepared]
            .map(|mode| count(variant, mode, cluster, collector));
        let base = *first.get_or_insert(counted);
        print!("| {} |", variant.name());
        for (own, base) in counted.iter().zip(base) {
            print!(" {own:.0} | {:.2}x |", own / base);
        }
        println!();
    }
    println!();
}

fn count(variant: Variant, mode: Mode, cluster: &PrivateCluster, collector: &Collector) -> f64 {
    let folder = std::env::temp_dir().join(format!("pgsieve-callgrind-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Command::new("valgrind");
    command
        // It takes the place of a process that only sets how memory is given out.
        .args(["--tool=callgrind", "-q", "--trace-children=yes"])
        .arg(format!("--callgrind-out-file={}/out", folder.display()))
        .arg(program());
    let sieve = Sieve::start_as(command, variant, cluster, collector);
    let mut crowd = Crowd::arrive(sieve.port(), (cluster.admin(), variant.asks()), 1, mode);
    crowd.run(STATEMENTS / 2);
    control(&sieve, "--zero");
    crowd.run(STATEMENTS);
    // What was put off for a moment is part of it.
    std::thread::sleep(Duration::from_millis(300));
    control(&sieve, "--dump");
    let mut total = 0.0;
    for file in std::fs::read_dir(&folder).unwrap().flatten() {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("totals: "));
        total += line.map_or(0.0, |count| count.trim().parse::<f64>().unwrap());
    }
    drop(sieve);
    std::fs::remove_dir_all(&folder).ok();
    total / f64::from(u32::try_from(STATEMENTS).unwrap())
}

fn control(sieve: &Sieve, order: &str) {
    let status = Command::new("callgrind_control")
        .args([order, &sieve.pid().to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("it comes with valgrind").success(), "{order}");
}

/// Enough for the lines of an audit to come in batches.
const STATEMENTS: usize = 2_000;
