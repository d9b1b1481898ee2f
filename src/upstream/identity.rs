//! Which server a session is at: what its database contains is known of one server, and the next
//! connection to the same address may reach another one, after a failover, a change of DNS or
//! behind a balancer.
//!
//! A server is told by when its postmaster started, to the microsecond: two that were made of the
//! same copy, a primary and its standby among them, differ in that, and one that is started again
//! may have other data. Its system identifier keeps apart what started at the same moment, where
//! the role may ask for it. Its timeline is no part: a standby that is promoted goes on with the
//! same contents, under the eyes of the same cache. The database is told by its oid: one that is
//! dropped and made anew is another one.
//!
//! Never taken for proof of who the server is: that is TLS's.
//!
//! <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SESSION>

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// One database of one run of one server.
#[derive(Clone, Copy)]
pub struct ServerIdentity {
    /// When its postmaster started: microseconds since 2000, as the server counts them.
    started: u64,
    /// The database's oid.
    database: u32,
    /// What its cluster was given when it was made; none where the role may not know.
    system: Option<i64>,
}

/// Whether a server keeps its system identifier from those who ask: then nobody asks again, since
/// each refusal is a line in its log.
#[derive(Debug, Default)]
pub struct SystemIdWithheld(AtomicBool);

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityQuery {
    /// Everything.
    Whole,
    /// All but the system identifier.
    WithoutSystem,
}

impl ServerIdentity {
    /// What the values of an answer say; nothing where they say nothing that is understood.
    pub fn read(values: &[Option<&str>]) -> Option<Self> {
        let mut values = values.iter();
        let started = u64::from_str_radix(values.next().copied().flatten()?, 16).ok()?;
        let database = values.next().copied().flatten()?.parse().ok()?;
        let system = values.next().copied().flatten();
        Some(Self {
            started,
            database,
            system: system.and_then(|number| number.parse().ok()),
        })
    }

    /// Whether both are the same database of the same run of the same server. A system identifier
    /// counts where both are known.
    pub fn is_same(&self, other: &Self) -> bool {
        let both = self.system.zip(other.system);
        self.started == other.started
            && self.database == other.database
            && both.is_none_or(|(own, other)| own == other)
    }

    /// Whether the contents of both may have one origin: a server, its standbys, and what is
    /// started again of them. The database keeps its oid in all of them.
    pub fn may_be_copy_of(&self, other: &Self) -> bool {
        let both = self.system.zip(other.system);
        self.database == other.database && both.is_none_or(|(own, other)| own == other)
    }

    /// Whether both are of the same run of the same server, whatever their databases.
    pub fn is_same_server(&self, other: &Self) -> bool {
        let database = self.database;
        self.is_same(&Self { database, ..*other })
    }

    /// A number of it, for keys of what is remembered.
    pub fn number(&self) -> u64 {
        self.started ^ u64::from(self.database).rotate_right(16)
    }
}

impl IdentityQuery {
    /// How many values its answer has.
    pub fn columns(self) -> usize {
        match self {
            Self::Whole => 3,
            Self::WithoutSystem => 2,
        }
    }

    /// Its text. Binary output in hexadecimal digits is the same whatever the session's settings.
    pub fn text(self) -> &'static str {
        match self {
            Self::Whole => WHOLE,
            Self::WithoutSystem => WITHOUT_SYSTEM,
        }
    }
}

impl SystemIdWithheld {
    /// What is to be asked.
    pub fn question(&self) -> IdentityQuery {
        match self.0.load(Ordering::Relaxed) {
            true => IdentityQuery::WithoutSystem,
            false => IdentityQuery::Whole,
        }
    }

    /// The server has refused to answer the whole question.
    pub fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// For people: eight digits that tell servers apart, and nothing of their secrets.
impl fmt::Display for ServerIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.number();
        write!(formatter, "{:08x}", (number ^ (number >> 32)) & 0xffff_ffff)
    }
}

impl fmt::Debug for ServerIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ServerIdentity({self})")
    }
}

const WITHOUT_SYSTEM: &str = "SELECT \
    pg_catalog.encode(pg_catalog.timestamptz_send(pg_catalog.pg_postmaster_start_time()), 'hex'), \
    (SELECT d.oid FROM pg_catalog.pg_database d \
      WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database())";

const WHOLE: &str = "SELECT \
    pg_catalog.encode(pg_catalog.timestamptz_send(pg_catalog.pg_postmaster_start_time()), 'hex'), \
    (SELECT d.oid FROM pg_catalog.pg_database d \
      WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()), \
    (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c)";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Option<ServerIdentity> {
        let values: Vec<Option<&str>> = values.iter().map(|value| Some(*value)).collect();
        ServerIdentity::read(&values)
    }

    #[test]
    fn another_start_database_or_system_is_another_server() {
        let known = read(&["0002c0ffee000001", "16384", "-7"]).unwrap();
        let untold = read(&["0002c0ffee000001", "16384"]).unwrap();
        assert!(known.is_same(&known) && known.is_same(&untold) && untold.is_same(&known));
        for other in [
            ["0002c0ffee000002", "16384", "-7"],
            ["0002c0ffee000001", "16385", "-7"],
            ["0002c0ffee000001", "16384", "7"],
        ] {
            assert!(!known.is_same(&read(&other).unwrap()), "{other:?}");
        }
    }

    #[test]
    fn what_is_not_understood_is_nobody() {
        for values in [
            &[][..],
            &["", "1"],
            &["x", "1"],
            &["1", "x"],
            &["1"],
            &["1", "-1"],
        ] {
            assert!(read(values).is_none(), "{values:?}");
        }
        assert!(ServerIdentity::read(&[None, Some("1")]).is_none());
    }

    #[test]
    fn nobody_asks_twice_what_is_not_told() {
        let reticence = SystemIdWithheld::default();
        assert_eq!(reticence.question(), IdentityQuery::Whole);
        reticence.note();
        assert_eq!(reticence.question(), IdentityQuery::WithoutSystem);
        assert_eq!(WHOLE.matches("pg_catalog.pg_control_system").count(), 1);
        assert!(WHOLE.starts_with(WITHOUT_SYSTEM));
    }
}
