//! What the system says of a process.

use std::fs;

/// User and system time that a process has taken, in seconds.
pub fn cpu_seconds(pid: u32) -> f64 {
    let line = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let after_name = line.rsplit_once(')').expect("stat has a name").1;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = [11, 12]
        .iter()
        .map(|&at: &usize| fields[at].parse::<f64>().unwrap())
        .sum();
    ticks / TICKS_PER_SECOND
}

/// A memory figure of a process in MiB: `VmRSS` (now) or `VmHWM` (the most so far).
pub fn memory_mib(pid: u32, field: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let line = status
        .lines()
        .find(|line| line.starts_with(field))
        .expect("a known field");
    let kib: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024.0
}

/// `USER_HZ`, fixed on Linux.
const TICKS_PER_SECOND: f64 = 100.0;
