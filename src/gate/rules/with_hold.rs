//! `with_hold`: cursors that outlive their transaction.
//!
//! # Sees
//! DECLARE … CURSOR WITH HOLD, unless the policy says `with_hold: allow`.
//!
//! # Why
//! At COMMIT the server runs the statement to its end and keeps the rows, outside of any
//! transaction's bounds.
//!
//! # Before
//! - `DECLARE c CURSOR WITH HOLD FOR SELECT 1`
//!
//! # After
//! - `DECLARE c CURSOR FOR SELECT 1`
//! - `DECLARE c CURSOR WITH HOLD FOR SELECT 1` (bi)
//!
//! # When not
//! The statement of the cursor is judged by itself, held or not.

use crate::gate::case::Case;
use crate::gate::rules::{Found, node_unknown};
use crate::gate::{Refusal, Rule, statement};
use crate::policy::Choice;
use crate::sql::tree::Node;
use crate::sqlstate;

pub(in crate::gate) fn look(node: Node<'_>, case: &Case<'_>) -> Found {
    let Node::DeclareCursorStmt(declare) = node else {
        return Err(node_unknown::refusal(node));
    };
    match case.policy.statements().with_hold {
        Choice::Refuse if statement::holds(declare) => Err(Refusal::new(
            Rule::WithHold,
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "cursors that outlive their transaction are not allowed",
            "DECLARE the cursor without WITH HOLD, inside a transaction.",
        )),
        Choice::Refuse | Choice::Allow => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::{check, check_bi};

    #[test]
    fn held_cursors_are_a_choice_of_the_policy() {
        check(
            Rule::WithHold,
            &["DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1"],
            &["DECLARE c BINARY SCROLL CURSOR WITHOUT HOLD FOR SELECT 1"],
        );
        check_bi(
            Rule::WithHold,
            &[],
            &["DECLARE c CURSOR WITH HOLD FOR SELECT 1"],
        );
        check_bi(
            Rule::FunctionEffects,
            &["DECLARE c CURSOR WITH HOLD FOR SELECT nextval('s')"],
            &[],
        );
        check_bi(Rule::WriteStatement, &["PREPARE p AS DELETE FROM t"], &[]);
    }
}
