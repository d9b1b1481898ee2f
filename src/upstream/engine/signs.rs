//! How an engine is told from the others.
//!
//! * CockroachDB reports `crdb_version`, YugabyteDB a `server_version` with `-YB-` in it, Amazon
//!   Redshift `padb_version` or the `server_version` 8.0.2.
//! * Aurora has `aurora_stat_utils` among `rds.extensions`, as the drivers of its makers tell it;
//!   Citus has settings of its own where its library is loaded, and an extension in the database.
//! * What is between may keep reports to itself: `version()` is asked as well.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-ASYNC>

use crate::engine::Engine;

/// The engine that what a server reports is the sign of; none where it has to be asked.
pub fn reported(parameters: &[(String, String)]) -> Option<Engine> {
    let value = |wanted: &str| {
        let mut named = parameters.iter().rev();
        let found = named.find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    };
    if value("crdb_version").is_some() {
        return Some(Engine::CockroachDb);
    }
    if value("padb_version").is_some() {
        return Some(Engine::Redshift);
    }
    let version = value("server_version").unwrap_or_default();
    match version {
        "8.0.2" => Some(Engine::Redshift),
        version if version.contains("-YB-") => Some(Engine::YugabyteDb),
        _ => None,
    }
}

/// The engine that the answer to [`QUESTION`] is the sign of.
pub fn told(row: &[Option<String>]) -> Engine {
    let value = |place: usize| row.get(place).and_then(Option::as_deref);
    let version = value(0).unwrap_or_default();
    let mut named = NAMED_IN_VERSION.iter();
    if let Some((_, engine)) = named.find(|(name, _)| version.contains(name)) {
        return *engine;
    }
    let is_aurora = value(1).is_some_and(|extensions| extensions.contains("aurora_stat_utils"));
    let is_citus = value(2).is_some() || value(3).is_some();
    match (is_aurora, is_citus) {
        (true, _) => Engine::Aurora,
        (false, true) => Engine::Citus,
        (false, false) => Engine::Postgres,
    }
}

/// What a server is asked that reports nothing of its engine. Everybody may ask, and no Postgres
/// answers with an error.
pub const QUESTION: &str = "SELECT pg_catalog.version(), \
    pg_catalog.current_setting('rds.extensions', true), \
    pg_catalog.current_setting('citus.shard_count', true), \
    (SELECT e.extversion FROM pg_catalog.pg_extension e \
      WHERE e.extname OPERATOR(pg_catalog.=) 'citus')";

/// How many values its answer has.
pub const COLUMNS: usize = 4;

/// What `version()` says of those that are no Postgres.
const NAMED_IN_VERSION: [(&str, Engine); 3] = [
    ("CockroachDB", Engine::CockroachDb),
    ("-YB-", Engine::YugabyteDb),
    ("Redshift", Engine::Redshift),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_reported(reported: &[(&str, &str)], wanted: Option<Engine>) {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let parameters: Vec<(String, String)> = reported.iter().map(own).collect();
        assert_eq!(super::reported(&parameters), wanted, "{reported:?}");
    }

    #[test]
    fn what_is_reported_tells_the_engines_that_are_no_postgres() {
        let cockroach = ("crdb_version", "CockroachDB CCL v24.1.0");
        check_reported(&[("server_version", "13.0.0")], None);
        check_reported(
            &[("server_version", "13.0.0"), cockroach],
            Some(Engine::CockroachDb),
        );
        for version in ["11.2-YB-2.20.1.0-b0", "15.2-YB-2025.1.0.0-b0"] {
            check_reported(&[("server_version", version)], Some(Engine::YugabyteDb));
        }
        check_reported(&[("server_version", "8.0.2")], Some(Engine::Redshift));
        check_reported(&[("padb_version", "1.0.1")], Some(Engine::Redshift));
        for version in [
            "",
            "8.0.20",
            "18.1",
            "17.5 (Debian 17.5-1)",
            "16.2-YBX",
            "15yb",
        ] {
            check_reported(&[("server_version", version)], None);
        }
        check_reported(&[], None);
    }

    #[test]
    fn the_last_report_counts() {
        let first = ("server_version", "11.2-YB-2.20.1.0-b0");
        check_reported(&[first, ("server_version", "15.4")], None);
    }

    #[test]
    fn what_is_told_keeps_those_apart_that_report_alike() {
        let row = |version: &str, values: [Option<&str>; 3]| {
            let values = values.map(|value| value.map(str::to_owned));
            [vec![Some(version.to_owned())], values.into()].concat()
        };
        let postgres = "PostgreSQL 16.2 on x86_64-pc-linux-gnu, compiled by gcc, 64-bit";
        for (values, wanted) in [
            ([None, None, None], Engine::Postgres),
            ([Some("plpgsql,rds_tools"), None, None], Engine::Postgres),
            ([Some("a,aurora_stat_utils,b"), None, None], Engine::Aurora),
            ([None, Some("32"), None], Engine::Citus),
            ([None, None, Some("12.1-1")], Engine::Citus),
            (
                [Some("aurora_stat_utils"), Some("32"), None],
                Engine::Aurora,
            ),
        ] {
            assert_eq!(told(&row(postgres, values)), wanted, "{values:?}");
        }
        // Something between has kept the reports to itself.
        for (version, wanted) in [
            (
                "CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)",
                Engine::CockroachDb,
            ),
            (
                "PostgreSQL 15.12-YB-2025.1.0.0-b0 on x86_64",
                Engine::YugabyteDb,
            ),
            (
                "PostgreSQL 8.0.2 on i686-pc-linux-gnu, Redshift 1.0.77467",
                Engine::Redshift,
            ),
        ] {
            assert_eq!(told(&row(version, [None, Some("1"), None])), wanted);
        }
        assert_eq!(told(&[]), Engine::Postgres);
    }
}
