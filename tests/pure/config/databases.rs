//! Databases with numbers of connections of their own.

use pgsieve::upstream::pool::{ConnectionsMax, PoolMode, PoolSizes};

use super::{bad, file, good};

fn text(entries: &str) -> String {
    format!(
        "upstream: {{ url: 'postgres://app@h/d' }}\nclient: {{ auth: {{ method: trust }} }}\n\
         pool: {{ size: 20, min: 6, reserve: 2 }}\ndatabases: [{entries}]\n"
    )
}

#[test]
fn what_a_database_does_not_say_is_what_holds_for_all() {
    let read = good(&file(&text(
        "{ name: a, url: 'postgres://h/a', pool_size: 4, pool_reserve: 0 }, \
         { name: 'b_*', url: 'postgres://h', pool_min: 20 }, { name: c, url: 'postgres://h' }",
    )));
    let all = read.pool;
    let sizes = |at: usize| {
        let with = all.with(read.databases[at].pool);
        (with.size, with.min, with.reserve)
    };
    // No more are kept ready than there may be.
    assert_eq!(sizes(0), (4, 4, 0));
    assert_eq!(sizes(1), (20, 20, 2));
    assert_eq!(sizes(2), (20, 6, 2));
    assert_eq!(read.databases[2].pool, PoolSizes::default());
    assert_eq!(all.with(PoolSizes::default()), all);
}

#[test]
fn what_is_no_number_of_connections_is_told_with_its_place() {
    for (own, wanted) in [
        (
            "pool_size: 0",
            "databases.pool_size: a number from 1 to 10000 is wanted",
        ),
        (
            "pool_size: many",
            "databases.pool_size: a number from 1 to 10000 is wanted",
        ),
        (
            "pool_size: 10001",
            "databases.pool_size: a number from 1 to 10000 is wanted",
        ),
        (
            "pool_size: 3, pool_min: 4",
            "databases.pool_min: a number from 0 to 3 is wanted",
        ),
        (
            "pool_reserve: -1",
            "databases.pool_reserve: a number from 0 to 10000 is wanted",
        ),
        (
            "pool_mode: statement",
            "databases.pool_mode: session or transaction is wanted",
        ),
        (
            "pool_mode: transaction, engine: cockroachdb",
            "pgsieve.yaml:4:47 databases.pool_mode: sessions cannot share connections to CockroachDB",
        ),
        (
            "engine: cockroachdb",
            "databases.engine: sessions cannot share connections to CockroachDB, which do not tell \
             what was set in them: pool_mode of the database has to be session",
        ),
        (
            "max_db_connections: many",
            "databases.max_db_connections: a number from 0 to 10000 is wanted",
        ),
        (
            "pool_mode: session, max_db_connections: 3",
            "pgsieve.yaml:4:67 databases.max_db_connections: bounds connections that sessions share",
        ),
        ("pool_sise: 3", "did you mean pool_size?"),
        ("pool: { size: 3 }", "databases.pool: unknown key"),
    ] {
        let entry = format!("{{ name: a, url: 'postgres://h/a', {own} }}");
        let problems = bad(&file(&text(&entry)));
        assert!(problems.contains(wanted), "{own}: {problems}");
        assert_eq!(problems.trim_end().lines().count(), 1, "{problems}");
    }
}

fn modes(auth: &str, all: &str, entry: &str) -> String {
    format!(
        "upstream: {{ url: 'postgres://app@h/d' }}\nclient: {{ auth: {{ {auth} }} }}\n{all}\n\
         databases: [{{ name: a, url: 'postgres://h/a', {entry} }}]\n"
    )
}

#[test]
fn a_database_has_a_mode_of_its_own_or_that_of_all() {
    let aged = "passthrough: { cache_age: 10s }";
    let (session, transaction) = (PoolMode::Session, PoolMode::Transaction);
    for (auth, all, entry, wanted) in [
        ("method: trust", "", "pool_mode: session", (session, true)),
        ("method: trust", "", "lag_max: 1s", (transaction, true)),
        (
            "method: trust",
            "pool: { mode: session }",
            "lag_max: 1s",
            (session, false),
        ),
        (
            "method: trust",
            "pool: { mode: session }",
            "pool_mode: transaction",
            (transaction, true),
        ),
        (
            aged,
            "pool: { mode: session }",
            "pool_mode: transaction",
            (transaction, true),
        ),
        (aged, "", "pool_mode: session", (session, true)),
        (
            "method: passthrough",
            "",
            "pool_mode: session",
            (session, false),
        ),
        // Its engine tells nothing of what was set, and nothing is shared there.
        (
            "method: trust",
            "",
            "pool_mode: session, engine: cockroachdb",
            (session, true),
        ),
        (
            "method: trust",
            "pool: { mode: session }",
            "engine: cockroachdb",
            (session, false),
        ),
    ] {
        let policy = "policy: { file: bi }\n";
        let read = good(&file(&format!("{policy}{}", modes(auth, all, entry))));
        let mode = read.pool.with(read.databases[0].pool).mode;
        let found = (mode, read.shared_pool().is_some());
        assert_eq!(found, wanted, "{auth} {all} {entry}");
    }
}

/// What the mode of all takes, one of a database takes as well.
#[test]
fn sessions_share_nothing_in_one_database_that_they_could_not_share_in_all() {
    for all in ["", "pool: { mode: session }"] {
        let problems = bad(&file(&modes(
            "method: passthrough",
            all,
            "pool_mode: transaction",
        )));
        let wanted = "databases.pool_mode: under client.auth.method passthrough, transaction needs \
                      client.auth.passthrough.cache_age";
        assert!(problems.contains(wanted), "{problems}");
        assert_eq!(problems.trim_end().lines().count(), 1, "{problems}");
    }
}

#[test]
fn a_database_has_a_bound_of_its_own_or_that_of_all() {
    let (none, three) = (ConnectionsMax::Unbounded, ConnectionsMax::AtMost(3));
    for (all, entry, wanted) in [
        ("", "lag_max: 1s", none),
        ("", "max_db_connections: 3", three),
        ("pool: { max_db_connections: 3 }", "lag_max: 1s", three),
        (
            "pool: { max_db_connections: 3 }",
            "max_db_connections: 0",
            none,
        ),
        (
            "pool: { max_db_connections: 3 }",
            "pool_mode: session",
            three,
        ),
        (
            "pool: { mode: session, max_db_connections: 3 }",
            "pool_mode: transaction",
            three,
        ),
        (
            "pool: { mode: session, max_db_connections: 0 }",
            "lag_max: 1s",
            none,
        ),
    ] {
        let read = good(&file(&modes("method: trust", all, entry)));
        let found = read.pool.with(read.databases[0].pool).database_max;
        assert_eq!(found, wanted, "{all} {entry}");
    }
}

/// Nobody is to count on a bound that holds nobody back.
#[test]
fn a_bound_of_what_nobody_shares_is_told() {
    for (auth, all) in [
        (
            "method: trust",
            "pool: { mode: session, max_db_connections: 3 }",
        ),
        ("method: passthrough", "pool: { max_db_connections: 3 }"),
    ] {
        let problems = bad(&file(&modes(auth, all, "lag_max: 1s")));
        let wanted = "pool.max_db_connections: bounds connections that sessions share, and none";
        assert!(problems.contains(wanted), "{problems}");
        assert_eq!(problems.trim_end().lines().count(), 1, "{problems}");
    }
}
