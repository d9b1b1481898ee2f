//! What the process uses, read from /proc when a scrape asks. Zero where there is no /proc.

use std::fs;

/// Memory, processor time and descriptors of this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Resident memory.
    pub resident_bytes: i64,
    /// User and system time of all threads.
    pub cpu_seconds: f64,
    /// Open file descriptors.
    pub descriptors: i64,
}

/// Reads the figures.
pub fn figures() -> Figures {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let descriptors = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    Figures {
        resident_bytes: resident_bytes(&status).unwrap_or(0),
        cpu_seconds: cpu_seconds(&stat).unwrap_or(0.0),
        descriptors: i64::try_from(descriptors).unwrap_or(i64::MAX),
    }
}

/// The line `VmRSS:  1234 kB`.
fn resident_bytes(status: &str) -> Option<i64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
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

/// USER_HZ, which Linux fixes at 100 for what /proc shows on every architecture in use.
const TICKS_PER_SECOND: f64 = 100.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strange_program_name_does_not_shift_the_fields() {
        let stat = "1 (a) b) S 1 1 1 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 8 0 1 1 1";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(
            resident_bytes("VmPeak: 9 kB\nVmRSS:\t   12 kB\n"),
            Some(12 * 1024)
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_memory_and_descriptors() {
        let now = figures();
        assert!(now.resident_bytes > 0 && now.descriptors > 0);
    }
}
