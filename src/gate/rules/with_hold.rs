//! `with_hold`: cursors that outlive their transaction.
//!
//! # Sees
//! DECLARE … CURSOR WITH HOLD, unless the policy says `with_hold: allow`; and then those of a
//! statement that changes settings.
//!
//! # Why
//! At COMMIT the server runs the statement to its end and keeps the rows, outside of any
//! transaction's bounds: `statement_timeout` does not hold there (tried on 15 and 18), only the
//! clock of the session does, which ends it. A LIMIT put into the statement would bound the rows
//! and leave the others out without a word that programs hear. What it sets it sets then, behind
//! everything that was sent before.
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
use crate::gate::{Facts, Refusal, Rule, statement};
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
            "CURSOR WITH HOLD is not allowed: it outlives its transaction",
            "DECLARE the cursor without WITH HOLD, inside a transaction.",
        )),
        Choice::Refuse | Choice::Allow => Ok(()),
    }
}

/// What a cursor runs that is held.
pub(in crate::gate) fn look_at_held(inner: &Facts) -> Found {
    if inner.effects.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::WithHold,
        sqlstate::FEATURE_NOT_SUPPORTED,
        "CURSOR WITH HOLD is not allowed for a statement that changes settings",
        "SET what is to be set in a statement of its own.",
    ))
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
            &["DECLARE c CURSOR WITH HOLD FOR SELECT set_config('search_path', 'a', false)"],
            &[
                "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
                "DECLARE c CURSOR FOR SELECT set_config('search_path', 'a', false)",
            ],
        );
        check_bi(
            Rule::FunctionEffects,
            &["DECLARE c CURSOR WITH HOLD FOR SELECT nextval('s')"],
            &[],
        );
        check_bi(Rule::WriteStatement, &["PREPARE p AS DELETE FROM t"], &[]);
    }
}
