//! Databases with numbers of connections of their own.

use pgsieve::upstream::pool::PoolSizes;

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
    let all = read.pool.unwrap();
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
        ("pool_mode: session", "databases.pool_mode: unknown key"),
        ("pool_sise: 3", "did you mean pool_size?"),
        ("pool: { size: 3 }", "databases.pool: unknown key"),
    ] {
        let entry = format!("{{ name: a, url: 'postgres://h/a', {own} }}");
        let problems = bad(&file(&text(&entry)));
        assert!(problems.contains(wanted), "{own}: {problems}");
        assert_eq!(problems.trim_end().lines().count(), 1, "{problems}");
    }
}
