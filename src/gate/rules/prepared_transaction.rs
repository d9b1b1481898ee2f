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

use crate::gate::{Refusal, Rule};
use crate::sqlstate;

pub(in crate::gate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::PreparedTransaction,
        sqlstate::READ_ONLY_SQL_TRANSACTION,
        "this connection only reads: two-phase commit is not allowed",
        "End the transaction with COMMIT or ROLLBACK.",
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

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
