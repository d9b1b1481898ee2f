//! `locking_clause`: SELECT … FOR UPDATE, FOR SHARE and the like.
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

use crate::rules::RuleResult;
use crate::{Refusal, Rule};
use sql::tree::{LockClauseStrength, nodes};

pub(crate) fn check(select: &nodes::SelectStmt) -> RuleResult {
    match select.locking_clause().first() {
        None => Ok(()),
        Some(clause) => Err(refusal(clause)),
    }
}

pub(crate) fn refusal(clause: &nodes::LockingClause) -> Box<Refusal> {
    let strength = match clause.strength {
        LockClauseStrength::LCS_FORUPDATE => "FOR UPDATE",
        LockClauseStrength::LCS_FORNOKEYUPDATE => "FOR NO KEY UPDATE",
        LockClauseStrength::LCS_FORSHARE => "FOR SHARE",
        LockClauseStrength::LCS_FORKEYSHARE => "FOR KEY SHARE",
        _ => "a locking clause",
    };
    Refusal::new(
        Rule::LockingClause,
        &format!("{strength} is not allowed: it would lock rows, and this connection only reads"),
        "Leave the clause out; a REPEATABLE READ transaction sees one state of all tables.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

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
