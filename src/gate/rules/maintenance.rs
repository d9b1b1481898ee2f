//! `maintenance`: VACUUM, CHECKPOINT and other work on the server and its storage.
//!
//! # Sees
//! VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT, REFRESH MATERIALIZED VIEW, ALTER SYSTEM.
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
//! - `SET CONSTRAINTS ALL DEFERRED`
//!
//! # When not
//! EXPLAIN ANALYZE is `explain_analyze`. SET CONSTRAINTS says when in its transaction triggers run
//! that a write has queued. IMMEDIATE runs at once what COMMIT would run; in a session that only
//! reads nothing is ever queued, so it runs nothing and is housekeeping.

use crate::command_label::CommandLabel;
use crate::context::JudgeContext;
use crate::{Refusal, Rule};
use sql::tree::{self, Node};

pub(crate) fn refusal(node: Node<'_>, context: &JudgeContext<'_>) -> Box<Refusal> {
    let head = CommandLabel::of(context, &VERBS);
    let (why, hint) = match node {
        Node::AlterSystemStmt(_) => (
            "it changes the server's configuration",
            "SHOW and pg_settings read the configuration.",
        ),
        Node::RefreshMatViewStmt(_) => (
            "it writes the view's rows",
            "Read the view as it is, or run the query that it is made of.",
        ),
        Node::CheckPointStmt(_) => (
            "it works on the server's storage",
            "Leave it out; the server does this by itself.",
        ),
        _ => (
            "it works on the server's storage",
            "Leave it out; pg_stat_user_tables tells when it was last done.",
        ),
    };
    Refusal::new(
        Rule::Maintenance,
        &format!("{head} is not allowed: {why}"),
        hint,
    )
    .about(format_args!("{}", tree::kind_name(node)))
}

const VERBS: [&str; 8] = [
    "ALTER",
    "ANALYSE",
    "ANALYZE",
    "CHECKPOINT",
    "CLUSTER",
    "REFRESH",
    "REINDEX",
    "VACUUM",
];

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

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
            ],
            &[
                "SET CONSTRAINTS ALL DEFERRED",
                "set constraints all immediate",
                "SET CONSTRAINTS c IMMEDIATE",
                "SET CONSTRAINTS a, shop.b, \"C\".\"D\" DEFERRED",
            ],
        );
    }
}
