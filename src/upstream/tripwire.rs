//! The last line: signs from the upstream itself that it is not, or was not, read-only.
//!
//! The gate should make these impossible. When one fires, either the gate or the database has a
//! hole, and no further byte of client text may reach that session.

use crate::engine::Engine;
use crate::telemetry::labels::Tripwire;

/// Whether a command tag belongs to a statement that the gate lets through, at an engine where it
/// is known. Everything else, tags of versions to come included, is a tripwire.
pub fn is_tag_of_read(tag: &str, engine: Option<Engine>) -> bool {
    let word = tag.split(' ').next().unwrap_or("");
    let is_counted = || is_count(tag.get(word.len()..));
    match (word, engine) {
        ("SELECT" | "FETCH" | "MOVE" | "COPY" | "VALUES", _) => is_counted(),
        // Before 24.1 it counts their rows.
        ("SHOW" | "EXPLAIN", Some(Engine::CockroachDb)) if tag.contains(' ') => is_counted(),
        ("SET", Some(Engine::CockroachDb)) => TAGS_OF_SETS.contains(&tag),
        _ => TAGS_OF_READS.contains(&tag),
    }
}

/// What a reported setting gives away, if anything, in a session that logged in as `user`.
pub fn reported(user: &str, name: &str, value: &str) -> Option<Tripwire> {
    let (safe, tripwire) = match name {
        "default_transaction_read_only" => (value == "on", Tripwire::ReadOnlyReportedOff),
        "standard_conforming_strings" => (value == "on", Tripwire::LexerSettingChanged),
        "client_encoding" => (value == "UTF8", Tripwire::EncodingChanged),
        "session_authorization" => (value == user, Tripwire::RoleChanged),
        _ => return None,
    };
    (!safe).then_some(tripwire)
}

fn is_count(rest: Option<&str>) -> bool {
    rest.and_then(|rest| rest.strip_prefix(' '))
        .is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Tags without a count, as `cmdtaglist.h` spells them.
const TAGS_OF_READS: [&str; 24] = [
    "BEGIN",
    "START TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "SET",
    "SET CONSTRAINTS",
    "RESET",
    "SHOW",
    "EXPLAIN",
    "PREPARE",
    "DEALLOCATE",
    "DEALLOCATE ALL",
    "DECLARE CURSOR",
    "CLOSE CURSOR",
    "CLOSE CURSOR ALL",
    "DISCARD",
    "DISCARD ALL",
    "DISCARD PLANS",
    "DISCARD SEQUENCES",
    "DISCARD TEMP",
    "UNLISTEN",
    "LOCK TABLE",
];

/// What CockroachDB calls each kind of SET that is let through, as its `stmt.go` spells it.
const TAGS_OF_SETS: [&str; 4] = ["SET", "SET CONSTRAINTS", "SET TIME ZONE", "SET TRANSACTION"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_reads_pass() {
        for tag in [
            "SELECT 0",
            "SELECT 18446744073709551615",
            "FETCH 3",
            "COPY 12",
            "SHOW",
            "SET",
            "SET CONSTRAINTS",
        ] {
            assert!(is_tag_of_read(tag, None), "{tag}");
        }
    }

    #[test]
    fn tags_of_writes_and_unknown_tags_do_not() {
        for tag in [
            "INSERT 0 1",
            "UPDATE 1",
            "DELETE 0",
            "MERGE 2",
            "CREATE TABLE",
            "SELECT INTO",
            "DO",
            "CALL",
            "NOTIFY",
            "LISTEN",
            "TRUNCATE TABLE",
            "SELECT",
            "SELECT x",
            "COPY",
            "",
            "selec 1",
            "REFRESH MATERIALIZED VIEW",
            "ALTER ROLE",
            "VACUUM",
            "SET x",
        ] {
            for engine in [None, Some(Engine::Postgres), Some(Engine::CockroachDb)] {
                assert!(!is_tag_of_read(tag, engine), "{tag}");
            }
        }
    }

    #[test]
    fn an_engine_has_tags_of_its_own_and_no_other_has_them() {
        let own = ["SHOW 3", "EXPLAIN 12", "SET TRANSACTION", "SET TIME ZONE"];
        for tag in own {
            assert!(is_tag_of_read(tag, Some(Engine::CockroachDb)), "{tag}");
            assert!(!is_tag_of_read(tag, Some(Engine::Postgres)), "{tag}");
            assert!(!is_tag_of_read(tag, None), "{tag}");
        }
        for tag in [
            "SET CLUSTER SETTING",
            "SET TRACING",
            "SHOW x",
            "CONFIGURE ZONE 1",
        ] {
            assert!(!is_tag_of_read(tag, Some(Engine::CockroachDb)), "{tag}");
        }
    }

    #[test]
    fn settings_that_would_open_the_session_are_seen() {
        for (name, good, bad, tripwire) in [
            (
                "default_transaction_read_only",
                "on",
                "off",
                Tripwire::ReadOnlyReportedOff,
            ),
            ("client_encoding", "UTF8", "SJIS", Tripwire::EncodingChanged),
            (
                "standard_conforming_strings",
                "on",
                "off",
                Tripwire::LexerSettingChanged,
            ),
            (
                "session_authorization",
                "reader",
                "postgres",
                Tripwire::RoleChanged,
            ),
        ] {
            assert_eq!(reported("reader", name, good), None, "{name}");
            assert_eq!(reported("reader", name, bad), Some(tripwire), "{name}");
        }
        assert_eq!(reported("reader", "TimeZone", "off"), None);
    }
}
