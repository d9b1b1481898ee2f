//! `modifying_cte`: a write inside WITH.
//!
//! # Sees
//! INSERT, UPDATE, DELETE or MERGE as a common table expression of a SELECT, at any depth.
//!
//! # Why
//! The statement begins and ends as a SELECT and writes all the same, even where nothing reads the
//! expression.
//!
//! # Before
//! - `WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone`
//! - `SELECT * FROM (WITH a AS (UPDATE orders SET total = 0 RETURNING *) SELECT 1) AS b`
//!
//! # After
//! - `WITH old AS (SELECT * FROM orders WHERE id < 10) SELECT * FROM old`
//!
//! # When not
//! Where the outer statement is a write itself, it is `write_statement`.

use crate::context::JudgeContext;
use crate::rules::write_statement;
use crate::statement_kind;
use crate::{Refusal, Rule};
use sql::tree::Node;

pub(crate) fn refusal(node: Node<'_>, context: &JudgeContext<'_>) -> Box<Refusal> {
    let kind = statement_kind::of(node);
    let mut refusal = write_statement::refusal(node, kind, context);
    refusal.rule = Rule::ModifyingCte;
    refusal.message = refusal
        .message
        .replacen(" is not", " inside WITH is not", 1);
    refusal.hint = HINT.to_owned();
    refusal.fixed_hint = HINT;
    refusal.about(format_args!("{}", kind.name()))
}

const HINT: &str = "Use SELECT inside WITH.";

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn writes_are_seen_in_with_at_any_depth() {
        check(
            Rule::ModifyingCte,
            &[
                "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x",
                "WITH x AS (DELETE FROM t) SELECT 1",
                "WITH x AS (MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE) SELECT 1",
                "WITH a AS (WITH b AS (UPDATE t SET a = 1) SELECT * FROM b) SELECT * FROM a",
                "SELECT (WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x)",
                "SELECT 1 UNION (WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x)",
                "PREPARE p AS WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
                "COPY (WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x) TO STDOUT",
                "VALUES ((WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x))",
            ],
            &["WITH RECURSIVE r(n) AS (VALUES (1) UNION SELECT n + 1 FROM r) SELECT n FROM r"],
        );
    }
}
