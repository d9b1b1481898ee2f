//! `prepared_transaction`: two-phase commit.
//!
//! # Sees
//! PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED.
//!
//! # Why
//! A prepared transaction outlives its session and holds locks and old rows until someone ends it;
//! ending one that another session prepared writes what that session wrote.
//!
//! # Before
//! - `PREPARE TRANSACTION 'x'`
//! - `COMMIT PREPARED 'x'`
//!
//! # After
//! - `COMMIT`
//! - `ROLLBACK`
//!
//! # When not
//! PREPARE of a statement is another thing and passes when the statement does.

use crate::{Refusal, Rule};
use sql::tree::{Node, TransactionStmtKind};

pub(crate) fn refusal(node: Node<'_>) -> Box<Refusal> {
    let kind = match node {
        Node::TransactionStmt(transaction) => Some(transaction.kind),
        _ => None,
    };
    let what = match kind {
        Some(TransactionStmtKind::TRANS_STMT_COMMIT_PREPARED) => "COMMIT PREPARED",
        Some(TransactionStmtKind::TRANS_STMT_ROLLBACK_PREPARED) => "ROLLBACK PREPARED",
        _ => "PREPARE TRANSACTION",
    };
    Refusal::new(
        Rule::PreparedTransaction,
        &format!("{what} is not allowed: two-phase commit writes, and this connection only reads"),
        "End the transaction with COMMIT or ROLLBACK.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn two_phase_commit_is_seen_and_ordinary_transactions_pass() {
        check(
            Rule::PreparedTransaction,
            &[
                "PREPARE TRANSACTION 'x'",
                "COMMIT PREPARED 'x'",
                "ROLLBACK PREPARED 'x'",
            ],
            &[
                "BEGIN",
                "START TRANSACTION",
                "COMMIT",
                "END",
                "COMMIT AND CHAIN",
                "ROLLBACK",
                "ABORT",
                "ROLLBACK AND CHAIN",
                "SAVEPOINT a",
                "RELEASE a",
                "RELEASE SAVEPOINT a",
                "ROLLBACK TO a",
            ],
        );
    }
}
