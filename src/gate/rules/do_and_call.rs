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

use crate::gate::{Refusal, Rule, StatementKind};
use crate::sqlstate;

pub(in crate::gate) fn refusal(kind: StatementKind) -> Box<Refusal> {
    Refusal::new(
        Rule::DoAndCall,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "code blocks and procedures are not allowed: what they do is not visible",
        "Write it as a SELECT.",
    )
    .about(format_args!("{}", kind.name()))
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

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
