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

/// The same to the nanosecond: the sum over the threads it has now.
pub fn thread_seconds(pid: u32) -> f64 {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).expect("the process runs");
    let spent = threads.flatten().filter_map(|thread| {
        let text = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    spent.sum::<f64>() / 1e9
}

/// What all children that a process has now have taken.
pub fn children_seconds(parent: u32) -> f64 {
    let tasks = format!("/proc/{parent}/task/{parent}/children");
    let children = fs::read_to_string(tasks).expect("the process runs");
    children
        .split_whitespace()
        .filter_map(|child| {
            // One that has ended meanwhile has nothing to say.
            let text = fs::read_to_string(format!("/proc/{child}/schedstat")).ok()?;
            text.split(' ').next()?.parse::<f64>().ok()
        })
        .sum::<f64>()
        / 1e9
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
