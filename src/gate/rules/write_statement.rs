//! `write_statement`: INSERT, UPDATE, DELETE and MERGE.
//!
//! # Sees
//! A statement that writes rows: alone, behind PREPARE, DECLARE, EXPLAIN or COPY, or with a WITH in
//! front.
//!
//! # Why
//! It is what this proxy exists to stop. EXPLAIN of one would only plan it, but planning evaluates
//! functions and a plan of a write is of no use to a reader, so EXPLAIN makes no difference.
//!
//! # Before
//! - `DELETE FROM orders WHERE id = 1`
//! - `WITH old AS (SELECT id FROM orders) DELETE FROM orders USING old WHERE orders.id = old.id`
//! - `PREPARE p AS INSERT INTO orders VALUES ($1)`
//! - `COPY (DELETE FROM orders RETURNING *) TO STDOUT`
//! - `EXPLAIN UPDATE orders SET total = 0`
//!
//! # After
//! - `SELECT * FROM orders WHERE id = 1`
//!
//! # When not
//! A write inside the WITH of a SELECT is `modifying_cte`.

use crate::context::JudgeContext;
use crate::{Refusal, Rule, StatementKind, command_label};
use sql::tree::Node;

pub(crate) fn refusal(
    node: Node<'_>,
    kind: StatementKind,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let written = match node {
        Node::InsertStmt(insert) => insert.relation(),
        Node::UpdateStmt(update) => update.relation(),
        Node::DeleteStmt(delete) => delete.relation(),
        Node::MergeStmt(merge) => merge.relation(),
        _ => None,
    };
    let verb = verb(kind);
    let what = written.map(|table| format!("{verb} {}", command_label::relation(table)));
    let what = what.unwrap_or_else(|| verb.to_owned());
    Refusal::new(
        Rule::WriteStatement,
        &format!("{what} is not allowed: this connection only reads"),
        "Ask for the rows with SELECT; changes have to be made through another connection.",
    )
    .about(format_args!("{}", kind.name()))
    .of(written.and_then(|table| command_label::recorded(table, context)))
}

/// What a statement that writes does.
pub(crate) fn verb(kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::Insert => "INSERT INTO",
        StatementKind::Update => "UPDATE",
        StatementKind::Delete => "DELETE FROM",
        StatementKind::Merge => "MERGE INTO",
        _ => "a write",
    }
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn writes_are_seen_wherever_they_stand_as_statements() {
        check(
            Rule::WriteStatement,
            &[
                "INSERT INTO t VALUES (1)",
                "insert into t select * from t",
                "/* SELECT */ DELETE FROM t",
                "UPDATE t SET a = 1",
                "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN DELETE",
                "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
                "WITH x AS (DELETE FROM t RETURNING *) INSERT INTO s SELECT * FROM x",
                "PREPARE p AS DELETE FROM t",
                "EXPLAIN DELETE FROM t",
                "COPY (INSERT INTO t VALUES (1) RETURNING a) TO STDOUT",
            ],
            &[
                "SELECT 'DELETE FROM t'",
                "SELECT 1 /* DELETE FROM t */",
                "SELECT \"delete\" FROM t",
            ],
        );
    }
}
