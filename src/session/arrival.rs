//! When a statement came, and how long it waited before it was looked at.
//!
//! A frame has come when the read that completed it has: the relay reads only when nothing whole
//! is left of what it read before. What waits in the socket because pgsieve does not read is not
//! known here.

use std::time::{Duration, Instant};

use crate::gate::cache::CacheLookup;
use crate::telemetry::labels::CacheAnswer;

/// One statement's.
#[derive(Debug, Clone, Copy)]
pub struct StatementArrival {
    /// When it was taken to be judged.
    pub taken: Instant,
    /// How long it waited before.
    pub queue: Duration,
    /// Since when the text that is sent for it is judged: later than `taken` where another one was
    /// tried before.
    pub begun: Instant,
    /// Whether its verdict was known before.
    pub cached: CacheAnswer,
}

/// The last read from the client.
#[derive(Debug, Clone, Copy)]
pub struct ClientInflow {
    read: Instant,
    age: InflowAge,
    /// Whether something was read behind the frame that is taken now.
    pub(super) is_pipelined: bool,
}

/// Whether anything was done since that read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InflowAge {
    /// Nothing that takes time.
    Fresh,
    Old,
}

impl StatementArrival {
    /// Of a statement that was taken then and has not waited.
    pub fn at(taken: Instant) -> Self {
        Self {
            taken,
            queue: Duration::ZERO,
            begun: taken,
            cached: CacheAnswer::Unasked,
        }
    }

    /// It waits for so much longer before it is looked at.
    pub fn waits(&mut self, longer: Duration) {
        self.queue += longer;
        self.taken += longer;
        self.begun += longer;
    }

    /// The same statement, for which another text is judged from now on.
    pub fn judged_anew(self) -> Self {
        Self {
            begun: Instant::now(),
            ..self
        }
    }

    /// The same statement, after the memory of verdicts was asked.
    pub fn with_cache_answer(self, memory: CacheLookup) -> Self {
        let cached = match memory {
            CacheLookup::Hit => CacheAnswer::Hit,
            CacheLookup::Miss => CacheAnswer::Miss,
            CacheLookup::NotConsulted => CacheAnswer::Unasked,
        };
        Self { cached, ..self }
    }
}

impl ClientInflow {
    /// Something was read just now.
    pub fn read_now() -> Self {
        Self {
            read: Instant::now(),
            age: InflowAge::Fresh,
            is_pipelined: false,
        }
    }

    /// What is taken later has waited.
    pub fn mark_aged(&mut self) {
        self.age = InflowAge::Old;
    }

    /// A statement of it is taken. The clock is asked only where time may have gone by.
    pub fn arrival(&mut self) -> StatementArrival {
        let taken = match self.age {
            InflowAge::Fresh => self.read,
            InflowAge::Old => Instant::now(),
        };
        self.age = InflowAge::Old;
        StatementArrival {
            queue: taken.saturating_duration_since(self.read),
            ..StatementArrival::at(taken)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_statement_of_a_read_has_not_waited_and_the_others_have() {
        let mut inflow = ClientInflow::read_now();
        assert_eq!(inflow.arrival().queue, Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        let second = inflow.arrival();
        assert!(second.queue >= Duration::from_millis(2));
        assert_eq!(second.taken, inflow.read + second.queue);
        let mut inflow = ClientInflow::read_now();
        inflow.mark_aged();
        std::thread::sleep(Duration::from_millis(2));
        assert!(inflow.arrival().queue >= Duration::from_millis(2));
    }

    #[test]
    fn waiting_is_no_judging() {
        let mut arrival = ClientInflow::read_now().arrival();
        let (before, second) = (arrival, Duration::from_secs(1));
        arrival.waits(second);
        assert_eq!(arrival.queue, second);
        assert_eq!(arrival.begun, before.begun + second);
        assert_eq!(arrival.taken, before.taken + second);
    }
}
