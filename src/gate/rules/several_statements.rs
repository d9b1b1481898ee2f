//! `several_statements`: more than one statement in a message.
//!
//! # Sees
//! A message of several statements. Under `several: housekeeping` each of them has to keep house in
//! the session: SET, RESET, SHOW, DISCARD, CLOSE, UNLISTEN, DEALLOCATE, transaction control, or a
//! SELECT of nothing but set_config(…) and pg_advisory_unlock_all(). Under `several: each` they
//! only have to pass, and to be fewer than a bound.
//!
//! # Why
//! A second statement behind the first is the oldest way in. Nothing but drivers opening and
//! resetting their sessions needs it.
//!
//! # Before
//! - `SELECT 1; SELECT 2`
//! - `SHOW timezone; DROP TABLE orders`
//!
//! # After
//! - `SELECT 1;`
//! - `SET DateStyle = 'ISO';SET extra_float_digits = 2;show transaction_isolation`
//! - `SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;`
//! - `SELECT 1; SELECT 2` (bi)
//!
//! # When not
//! Empty statements between semicolons are none.

use crate::gate::case::Case;
use crate::gate::functions::{self, FunctionVerdict};
use crate::gate::rules::{Called, Found};
use crate::gate::{Refusal, Rule, StatementKind};
use crate::limits;
use crate::policy::Several;
use crate::sql::tree::{Node, SetOperation, Tree, nodes};
use crate::sqlstate;

pub(in crate::gate) fn look(tree: &Tree, count: usize, case: &Case<'_>) -> Found {
    if count > limits::STATEMENTS_PER_MESSAGE_MAX {
        return Err(Refusal::new(
            Rule::SeveralStatements,
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
            "the message holds too many statements",
            "Send them in several messages.",
        ));
    }
    let passes = match case.policy.statements().several {
        Several::Each => true,
        Several::Housekeeping => tree.statements().all(|part| keeps_house(part.node)),
    };
    if passes {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::SeveralStatements,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "several statements in one message are not allowed",
        "Send one statement per message.",
    ))
}

fn keeps_house(node: Node<'_>) -> bool {
    match StatementKind::of(node) {
        StatementKind::Set
        | StatementKind::Reset
        | StatementKind::Show
        | StatementKind::Discard
        | StatementKind::Close
        | StatementKind::Unlisten
        | StatementKind::Deallocate
        | StatementKind::Begin
        | StatementKind::Commit
        | StatementKind::Rollback
        | StatementKind::Savepoint
        | StatementKind::Release => true,
        StatementKind::Select => match node {
            Node::SelectStmt(select) => selects_housekeeping(select),
            _ => false,
        },
        StatementKind::Values
        | StatementKind::Table
        | StatementKind::Explain
        | StatementKind::Copy
        | StatementKind::PreparedTransaction
        | StatementKind::Prepare
        | StatementKind::Execute
        | StatementKind::Declare
        | StatementKind::Fetch
        | StatementKind::Move
        | StatementKind::Listen
        | StatementKind::Notify
        | StatementKind::Lock
        | StatementKind::Load
        | StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge
        | StatementKind::Do
        | StatementKind::Call
        | StatementKind::Ddl
        | StatementKind::Maintenance
        | StatementKind::Several
        | StatementKind::Empty
        | StatementKind::Unparsed
        | StatementKind::Unknown => false,
    }
}

/// A SELECT of calls that keep house and of nothing else. pgAdmin has a FROM and WHERE in it.
pub(in crate::gate) fn selects_housekeeping(select: &nodes::SelectStmt) -> bool {
    let plain = select.op == SetOperation::SETOP_NONE
        && select.with_clause().is_none()
        && !select.target_list().is_empty();
    plain
        && select
            .target_list()
            .iter()
            .all(|target| is_housekeeping_call(target.val()))
}

fn is_housekeeping_call(node: Node<'_>) -> bool {
    let Node::FuncCall(call) = node else {
        return false;
    };
    let called = Called::of(call.funcname());
    matches!(
        functions::verdict(called.schema, called.name, call.args().len()),
        FunctionVerdict::Housekeeping | FunctionVerdict::SetConfig
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::{check, check_bi};

    #[test]
    fn only_housekeeping_comes_in_several_statements() {
        check(
            Rule::SeveralStatements,
            &[
                "SELECT 1; SELECT 2",
                "SELECT 1; DROP TABLE t",
                "SELECT 'x;y'; SELECT 2",
                "SELECT 1 --\n; DELETE FROM t",
                "SELECT $$;$$; SELECT 1",
                "BEGIN; SELECT 1",
                "COMMIT; INSERT INTO t VALUES (1)",
                "SHOW timezone; DROP TABLE t",
                "SELECT set_config('jit', 'off', false), * FROM t; RESET ALL",
                "SELECT set_config('jit', 'off', false) UNION SELECT a FROM t; RESET ALL",
            ],
            &[
                ";;SELECT 1;;",
                "SET client_min_messages TO warning;\
                 SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE;",
                "SET DateStyle=ISO; SET client_min_messages=notice; \
                 SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() \
                 WHERE name = 'bytea_output'; \
                 SET client_encoding='utf-8';",
                "SET SESSION AUTHORIZATION DEFAULT;RESET ALL;CLOSE ALL;UNLISTEN *;\
                 SELECT pg_advisory_unlock_all();DISCARD SEQUENCES;DISCARD TEMP",
                "BEGIN; SAVEPOINT a; ROLLBACK TO a; COMMIT",
            ],
        );
    }

    #[test]
    fn each_statement_has_to_pass_where_several_do() {
        check_bi(
            Rule::SeveralStatements,
            &[&"SELECT 1;".repeat(2_000)],
            &[
                "SELECT 1; SELECT 2",
                "BEGIN;select 1",
                "BEGIN;declare \"CUR1\" cursor with hold for select 1;fetch 100 in \"CUR1\"",
                "PREPARE p AS SELECT 1; EXECUTE p; DEALLOCATE p",
            ],
        );
        check_bi(
            Rule::Ddl,
            &["SELECT 1; DROP TABLE t", "SHOW timezone; DROP TABLE t"],
            &[],
        );
        check_bi(
            Rule::PreparedName,
            &[
                "PREPARE p AS SELECT 1; DEALLOCATE p; EXECUTE p",
                "DISCARD ALL; EXECUTE p",
            ],
            &[],
        );
    }
}
