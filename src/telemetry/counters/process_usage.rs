//! What the process uses, read from /proc when a scrape asks. Zero where there is no /proc.

use std::fs;
use std::time::Duration;

/// Memory, processor time and descriptors of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessUsage {
    /// Resident memory.
    pub resident_bytes: i64,
    /// User and system time of all threads.
    pub cpu_seconds: f64,
    /// Open file descriptors.
    pub descriptors: i64,
    /// How many there may be.
    pub descriptors_max: i64,
    /// Virtual memory.
    pub virtual_bytes: i64,
    /// Threads.
    pub threads: i64,
    /// When it was started, in seconds since 1970.
    pub started_seconds: f64,
}

/// Reads the figures.
pub fn figures() -> ProcessUsage {
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    let (status, stat) = (read("/proc/self/status"), read("/proc/self/stat"));
    let descriptors = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    ProcessUsage {
        resident_bytes: kilobytes(&status, "VmRSS:").unwrap_or(0),
        cpu_seconds: cpu_seconds(&stat).unwrap_or(0.0),
        descriptors: i64::try_from(descriptors).unwrap_or(i64::MAX),
        descriptors_max: descriptors_max(&read("/proc/self/limits")).unwrap_or(0),
        virtual_bytes: kilobytes(&status, "VmSize:").unwrap_or(0),
        threads: word_behind(&status, "Threads:")
            .and_then(|word| word.parse().ok())
            .unwrap_or(0),
        started_seconds: started_seconds(&stat, &read("/proc/stat")).unwrap_or(0.0),
    }
}

/// A line such as `VmRSS:  1234 kB`, in bytes.
fn kilobytes(status: &str, key: &str) -> Option<i64> {
    let kilobytes: i64 = word_behind(status, key)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The line `Max open files  1024  4096  files`: the limit that holds. One without end is as many
/// as can be said.
fn descriptors_max(limits: &str) -> Option<i64> {
    match word_behind(limits, "Max open files")? {
        "unlimited" => Some(i64::MAX),
        number => number.parse().ok(),
    }
}

/// The first word of what follows at the beginning of a line.
fn word_behind<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let rest = text.lines().find_map(|line| line.strip_prefix(key))?;
    rest.split_ascii_whitespace().next()
}

/// Fields 14 and 15 of the line. The program's name in field 2 may hold anything, so the count
/// starts behind its closing parenthesis.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_ascii_whitespace().skip(11);
    let user: u32 = times.next()?.parse().ok()?;
    let system: u32 = times.next()?.parse().ok()?;
    Some((f64::from(user) + f64::from(system)) / TICKS_PER_SECOND)
}

/// Field 22, in ticks since the machine was started, which the line `btime` tells.
fn started_seconds(stat: &str, machine: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks: u64 = fields.split_ascii_whitespace().nth(19)?.parse().ok()?;
    let (seconds, rest) = (ticks / TICKS_IN_SECOND, ticks % TICKS_IN_SECOND);
    let rest = f64::from(u32::try_from(rest).ok()?) / TICKS_PER_SECOND;
    let machine: u64 = word_behind(machine, "btime ")?.parse().ok()?;
    let whole = Duration::from_secs(machine.checked_add(seconds)?);
    Some(whole.as_secs_f64() + rest)
}

/// USER_HZ, which Linux fixes at 100 for what /proc shows on every architecture in use.
const TICKS_PER_SECOND: f64 = 100.0;

/// The same as a whole number.
const TICKS_IN_SECOND: u64 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strange_program_name_does_not_shift_the_fields() {
        let stat = "1 (a) b) S 1 1 1 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 8 0 1 1 1";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        let machine = "cpu 1 2\nbtime 1700000000\nprocesses 5\n";
        let long = format!("{stat} 0 0 0 0 1");
        assert_eq!(started_seconds(stat, machine), Some(1_700_000_000.01));
        assert_eq!(started_seconds(&long, ""), None);
        let status = "VmPeak: 9 kB\nVmRSS:\t   12 kB\nThreads:\t7\n";
        assert_eq!(kilobytes(status, "VmRSS:"), Some(12 * 1024));
        assert_eq!(word_behind(status, "Threads:"), Some("7"));
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax open files  1024  4096  files\n";
        assert_eq!(descriptors_max(limits), Some(1024));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory_and_descriptors() {
        let now = figures();
        assert!(now.resident_bytes > 0 && now.descriptors > 0);
        assert!(now.virtual_bytes >= now.resident_bytes && now.threads > 0);
        assert!(now.descriptors_max >= now.descriptors);
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let age = clock.unwrap().as_secs_f64() - now.started_seconds;
        assert!((-60.0..86_400.0).contains(&age), "{age}");
    }
}
