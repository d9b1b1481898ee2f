//! `locking_clause`: SELECT … FOR UPDATE and its kin.
//!
//! # Sees
//! FOR UPDATE, FOR NO KEY UPDATE, FOR SHARE and FOR KEY SHARE, in any SELECT at any depth.
//!
//! # Why
//! Row locks are written into the rows, and make writers wait.
//!
//! # Before
//! - `SELECT * FROM orders FOR UPDATE`
//! - `SELECT * FROM (SELECT * FROM orders FOR KEY SHARE) AS held`
//!
//! # After
//! - `SELECT * FROM orders`
//!
//! # When not
//! LOCK TABLE is `lock`.

use crate::gate::rules::Found;
use crate::gate::{Refusal, Rule};
use crate::sql::tree::nodes;
use crate::sqlstate;

pub(in crate::gate) fn look(select: &nodes::SelectStmt) -> Found {
    if select.locking_clause().is_empty() {
        Ok(())
    } else {
        Err(refusal())
    }
}

pub(in crate::gate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::LockingClause,
        sqlstate::READ_ONLY_SQL_TRANSACTION,
        "this connection only reads: the statement would lock rows",
        "Leave the FOR UPDATE or FOR SHARE clause out.",
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn row_locks_are_seen_at_any_depth() {
        check(
            Rule::LockingClause,
            &[
                "SELECT * FROM t FOR UPDATE",
                "SELECT * FROM t FOR NO KEY UPDATE SKIP LOCKED",
                "SELECT * FROM t FOR SHARE OF t NOWAIT",
                "SELECT * FROM t WHERE a IN (SELECT a FROM t FOR KEY SHARE)",
                "WITH x AS (SELECT * FROM t FOR UPDATE) SELECT 1",
                "DECLARE c CURSOR FOR SELECT * FROM t FOR UPDATE",
                "SELECT EXISTS (SELECT 1 FROM t FOR SHARE)",
            ],
            &["SELECT substring('abc' FROM 1 FOR 2)"],
        );
    }
}
