//! `maintenance`: work on the server and its storage.
//!
//! # Sees
//! VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT, REFRESH MATERIALIZED VIEW, ALTER SYSTEM, SET
//! CONSTRAINTS.
//!
//! # Why
//! Most of it runs, and writes, in a read-only session too (REINDEX, CLUSTER and ANALYZE do on
//! PostgreSQL 15).
//!
//! # Before
//! - `VACUUM orders`
//! - `REINDEX TABLE orders`
//! - `REFRESH MATERIALIZED VIEW totals`
//!
//! # After
//! - `SELECT relname, n_dead_tup, last_vacuum FROM pg_stat_user_tables`
//!
//! # When not
//! EXPLAIN ANALYZE is `explain_analyze`.

use crate::gate::{Refusal, Rule};
use crate::sql::tree::{self, Node};
use crate::sqlstate;

pub(in crate::gate) fn refusal(node: Node<'_>) -> Box<Refusal> {
    Refusal::new(
        Rule::Maintenance,
        sqlstate::READ_ONLY_SQL_TRANSACTION,
        "this connection only reads: the statement would work on the server's storage",
        "The state of tables can be read from pg_stat_user_tables.",
    )
    .about(format_args!("{}", tree::kind_name(node)))
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn work_on_the_server_is_seen() {
        check(
            Rule::Maintenance,
            &[
                "VACUUM",
                "VACUUM (FULL, ANALYZE) t",
                "ANALYZE t",
                "CLUSTER t",
                "REINDEX DATABASE d",
                "CHECKPOINT",
                "REFRESH MATERIALIZED VIEW CONCURRENTLY v",
                "EXPLAIN REFRESH MATERIALIZED VIEW v",
                "ALTER SYSTEM SET work_mem = '1GB'",
                "SET CONSTRAINTS ALL DEFERRED",
            ],
            &[],
        );
    }
}
