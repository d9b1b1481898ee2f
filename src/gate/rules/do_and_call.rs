//! `do_and_call`: DO and CALL.
//!
//! # Sees
//! DO blocks and calls of procedures.
//!
//! # Why
//! They run code that is not SQL. A DO block can commit, switch to READ WRITE and write, in a
//! session that is read-only by default.
//!
//! # Before
//! - `DO $$ BEGIN PERFORM 1; END $$`
//! - `CALL settle()`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Functions called inside an expression are judged by what they do.

use crate::rules::CalledName;
use crate::{Refusal, Rule, StatementKind};
use sql::tree::Node;

pub(crate) fn refusal(node: Node<'_>, kind: StatementKind) -> Box<Refusal> {
    let called = match node {
        Node::CallStmt(call) => call.funccall().map(|call| CalledName::of(call.funcname())),
        _ => None,
    };
    let (what, hint) = match called {
        Some(called) => (
            format!("CALL {called} is not allowed: what a procedure does cannot be told"),
            "Ask for what it would return with a SELECT.",
        ),
        None => (
            "DO is not allowed: what a block of code does cannot be told".to_owned(),
            "Write what it would return as a SELECT.",
        ),
    };
    Refusal::new(Rule::DoAndCall, &what, hint).about(format_args!("{}", kind.name()))
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn code_blocks_and_procedures_are_seen() {
        check(
            Rule::DoAndCall,
            &[
                "DO 'BEGIN END'",
                "DO LANGUAGE plpgsql $x$ begin commit; set transaction read write; end $x$",
                "CALL p(1, 2)",
                "CALL s.p()",
            ],
            &[],
        );
    }
}
