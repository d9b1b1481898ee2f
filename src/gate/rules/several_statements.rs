//! `several_statements`: more statements in one message than the policy permits.
//!
//! # Sees
//! A message of several statements. Under `several: housekeeping` each of them has to keep house in
//! the session (SET, SET CONSTRAINTS, RESET, SHOW, DISCARD, CLOSE, UNLISTEN, DEALLOCATE,
//! transaction control, or a SELECT of nothing but set_config(…) and pg_advisory_unlock_all()), or
//! to be a read, and there are at most `reads_per_message` of those. Under `several: each` they
//! only have to pass, and to be fewer than a bound.
//!
//! # Why
//! A second statement behind the first is the oldest way in: who gets a piece of text into a query
//! ends that and reads another table. Drivers put settings and transaction control around a read;
//! nothing that they send needs a second read of what users have made.
//!
//! # Before
//! - `SELECT 1; SELECT 2`
//! - `SHOW timezone; DROP TABLE orders`
//! - `SELECT typname FROM pg_type; SELECT name FROM customers`
//!
//! # After
//! - `SELECT 1;`
//! - `SET DateStyle = 'ISO';SET extra_float_digits = 2;show transaction_isolation`
//! - `SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;`
//! - `BEGIN; SAVEPOINT a; SELECT name FROM customers; RELEASE a`
//! - `SELECT version(); SELECT typname FROM pg_type; SELECT enumlabel FROM pg_catalog.pg_enum`
//! - `SELECT 1; SELECT 2` (bi)
//!
//! # When not
//! Empty statements between semicolons are none. FETCH from a cursor that the same message declares
//! is no read of its own. Where all reads are of the system catalogs they are not counted: drivers
//! load their types by several in one message when they connect.

use crate::builtin_names;
use crate::builtin_names::BuiltinNameKind;
use crate::context::JudgeContext;
use crate::functions::{self, FunctionVerdict};
use crate::models::from_names;
use crate::rules::{CalledName, RuleResult};
use crate::statement_kind;
use crate::{Refusal, Rule, StatementKind};
use ground::limits;
use ground::sqlstate;
use policy::MultiStatementMode;
use sql::tree::{Node, SetOperation, SyntaxTree, nodes};

pub(crate) fn check(tree: &SyntaxTree, count: usize, context: &JudgeContext<'_>) -> RuleResult {
    if count > limits::STATEMENTS_PER_MESSAGE_MAX {
        return Err(Refusal::new(
            Rule::SeveralStatements,
            "the message holds too many statements",
            "Send them in several messages.",
        )
        .with_sqlstate(sqlstate::PROGRAM_LIMIT_EXCEEDED));
    }
    let statements = context.policy.statements();
    let others_pass = match statements.several {
        MultiStatementMode::Each => true,
        MultiStatementMode::Housekeeping => false,
    };
    let parts = || {
        tree.statements()
            .map(|part| (part.node, MessagePart::of(part.node)))
    };
    if !others_pass && parts().any(|(_, part)| part == MessagePart::Other) {
        return Err(refusal("several statements in one message are not allowed"));
    }
    match statements.reads_per_message {
        Some(most) if reads(tree) > most && !loads_types(parts(), context) => {
            let given = match most {
                0 => "no read in a message of several statements".to_owned(),
                1 => "one read in a message".to_owned(),
                most => format!("{most} reads in a message"),
            };
            let message = format!("several statements in one message: the policy takes {given}");
            Err(refusal(&message))
        }
        Some(_) | None => Ok(()),
    }
}

fn refusal(message: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::SeveralStatements,
        message,
        "Send one statement per message.",
    )
}

/// What a statement is among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessagePart {
    /// It keeps house in the session.
    Housekeeping,
    /// It reads, or prepares a read.
    Read,
    /// Anything else.
    Other,
}

impl MessagePart {
    fn of(node: Node<'_>) -> Self {
        match statement_kind::of(node) {
            StatementKind::Set
            | StatementKind::Reset
            | StatementKind::Show
            | StatementKind::Discard
            | StatementKind::Close
            | StatementKind::Unlisten
            | StatementKind::Listen
            | StatementKind::Deallocate
            | StatementKind::Begin
            | StatementKind::Commit
            | StatementKind::Rollback
            | StatementKind::SetConstraints
            | StatementKind::Savepoint
            | StatementKind::Release => Self::Housekeeping,
            StatementKind::Select => match node {
                Node::SelectStmt(select)
                    if selects_housekeeping(select)
                        && from_names::of(node).is_ok_and(|named| named.tables.is_empty()) =>
                {
                    Self::Housekeeping
                }
                _ => Self::Read,
            },
            StatementKind::Values
            | StatementKind::Table
            | StatementKind::Explain
            | StatementKind::Copy
            | StatementKind::Prepare
            | StatementKind::Execute
            | StatementKind::Declare
            | StatementKind::Fetch
            | StatementKind::Move => Self::Read,
            StatementKind::PreparedTransaction
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
            | StatementKind::Unknown => Self::Other,
        }
    }
}

/// How many reads a message holds: what a cursor of its own runs is counted where it is declared.
fn reads(tree: &SyntaxTree) -> usize {
    let mut declared = Vec::new();
    let mut count = 0;
    for statement in tree.statements() {
        match statement.node {
            Node::DeclareCursorStmt(declare) => declared.extend(declare.portalname()),
            Node::FetchStmt(fetch)
                if fetch
                    .portalname()
                    .is_some_and(|name| declared.contains(&name)) =>
            {
                continue;
            }
            _ => {}
        }
        count += usize::from(MessagePart::of(statement.node) == MessagePart::Read);
    }
    count
}

/// Whether all reads are of the system catalogs, as those are by which drivers learn the types of a
/// database.
fn loads_types<'t>(
    mut parts: impl Iterator<Item = (Node<'t>, MessagePart)>,
    context: &JudgeContext<'_>,
) -> bool {
    parts.all(|(node, part)| match part {
        MessagePart::Housekeeping => true,
        MessagePart::Read => reads_catalogs(node, context),
        MessagePart::Other => false,
    })
}

fn reads_catalogs(node: Node<'_>, context: &JudgeContext<'_>) -> bool {
    let (Node::SelectStmt(select), Ok(named)) = (node, from_names::of(node)) else {
        return false;
    };
    let is_catalog = |schema: Option<&str>| schema.is_none_or(|own| CATALOGS.contains(&own));
    let mut relations = named.tables.iter().map(|table| {
        let (schema, name) = (table.node.schemaname(), table.node.relname());
        // Without a schema it is looked up in pg_catalog first.
        is_catalog(schema)
            && name.is_some_and(|name| {
                builtin_names::has(
                    BuiltinNameKind::Relation,
                    schema,
                    name,
                    context.server_major(),
                )
            })
    });
    let mut calls = named.calls.iter().map(|call| {
        let called = CalledName::of(call.funcname());
        let verdict = functions::verdict(called.schema, called.name, call.args().len());
        (called, verdict)
    });
    if named.tables.is_empty() {
        let is_call = |target: Node<'_>| matches!(target, Node::FuncCall(_));
        return select
            .target_list()
            .iter()
            .all(|target| is_call(target.val()))
            && calls.all(|(called, _)| {
                is_catalog(called.schema) && ASKED_BEFORE.contains(&called.name)
            });
    }
    relations.all(|is_built_in| is_built_in)
        && calls.all(|(_, verdict)| matches!(verdict, FunctionVerdict::Allowed))
}

/// A SELECT of calls that keep house and of nothing else. pgAdmin has a FROM and WHERE in it.
pub(crate) fn selects_housekeeping(select: &nodes::SelectStmt) -> bool {
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
    let called = CalledName::of(call.funcname());
    matches!(
        functions::verdict(called.schema, called.name, call.args().len()),
        FunctionVerdict::Housekeeping | FunctionVerdict::SetConfig
    )
}

/// Where the relations stand that drivers load types from.
const CATALOGS: &[&str] = &["pg_catalog", "information_schema"];

/// What drivers ask in the same message, without a relation: Npgsql for the version.
const ASKED_BEFORE: &[&str] = &["version"];

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{agent_with, check, check_bi, check_policy};

    #[test]
    fn housekeeping_may_stand_around_one_read() {
        check(
            Rule::SeveralStatements,
            &[
                "SELECT 1; SELECT 2",
                "SELECT 1; DROP TABLE t",
                "SELECT 'x;y'; SELECT 2",
                "SELECT 1 --\n; DELETE FROM t",
                "SELECT $$;$$; SELECT 1",
                "BEGIN; SELECT 1; COMMIT; SELECT 2",
                "COMMIT; INSERT INTO t VALUES (1)",
                "SHOW timezone; DROP TABLE t",
                "VALUES (1); TABLE t",
                "SELECT 1; EXPLAIN SELECT 2",
                "COPY (SELECT 1) TO STDOUT; COPY (SELECT 2) TO STDOUT",
                "PREPARE p AS SELECT 1; EXECUTE p",
                "DECLARE c CURSOR FOR SELECT 1; SELECT 2",
                "DECLARE c CURSOR FOR SELECT 1; FETCH FROM d",
                "DECLARE c CURSOR FOR SELECT 1; DECLARE d CURSOR FOR SELECT 2",
                "FETCH FROM c; DECLARE c CURSOR FOR SELECT 1",
                "SELECT 1; LOCK t IN ACCESS SHARE MODE",
                "SELECT set_config('jit', 'off', false) FROM t; SELECT * FROM s",
                "SELECT set_config('application_name', (SELECT a FROM t), false); SELECT 1",
                "SELECT set_config('jit', 'off', false), * FROM t; SELECT 1",
            ],
            &[
                ";;SELECT 1;;",
                "BEGIN; SELECT 1",
                "BEGIN;select 1;COMMIT",
                "SAVEPOINT _EXEC_SVP_1;select name from customers;RELEASE _EXEC_SVP_1",
                "SET search_path = shop; SELECT * FROM orders;",
                "SET timezone = 'UTC'; SHOW timezone; TABLE t; RESET ALL",
                "BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH 10 FROM c; MOVE c; CLOSE c; COMMIT",
                "SELECT pg_advisory_unlock_all(); SELECT name FROM customers",
                "SELECT set_config('jit', 'off', false), * FROM t; RESET ALL",
                "SELECT set_config('jit', 'off', false) UNION SELECT a FROM t; RESET ALL",
                "SET client_min_messages TO warning;\
                 SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE;",
                "SET DateStyle=ISO; SET client_min_messages=notice; \
                 SELECT set_config('bytea_output','hex',false) FROM pg_show_all_settings() \
                 WHERE name = 'bytea_output'; \
                 SET client_encoding='utf-8';",
                "SET SESSION AUTHORIZATION DEFAULT;RESET ALL;CLOSE ALL;UNLISTEN *;\
                 SELECT pg_advisory_unlock_all();DISCARD SEQUENCES;DISCARD TEMP",
                "BEGIN; SAVEPOINT a; ROLLBACK TO a; COMMIT",
                "BEGIN; SET CONSTRAINTS ALL DEFERRED; SELECT name FROM customers; COMMIT",
            ],
        );
    }

    #[test]
    fn types_are_loaded_by_several_reads() {
        check(
            Rule::SeveralStatements,
            &[
                "SELECT version(); SELECT typname FROM pg_type; SELECT name FROM customers",
                "SELECT typname FROM pg_type; SELECT oid FROM public.pg_type",
                "SELECT typname FROM pg_type; SELECT 1",
                "SELECT typname FROM pg_type; SELECT current_user",
                "SELECT typname FROM pg_type; SELECT oid, (SELECT s FROM t) FROM pg_class",
                "SELECT typname FROM pg_type; SELECT own(oid) FROM pg_class",
                "SELECT typname FROM pg_type; SELECT shop.version()",
                "SELECT typname FROM pg_type; COPY (SELECT oid FROM pg_type) TO STDOUT",
                "WITH t AS (SELECT 1) TABLE t; SELECT typname FROM pg_type",
                "SELECT tables FROM tables; SELECT typname FROM pg_type",
            ],
            &[
                "SELECT version();\n\n\
                 SELECT ns.nspname, t.oid, t.typname, t.kind FROM (\
                 SELECT typ.oid, typ.typnamespace, typ.typname, \
                 CASE WHEN proc.proname = 'array_recv' THEN 'a' ELSE typ.typtype END AS kind \
                 FROM pg_type AS typ LEFT JOIN pg_class AS cls ON cls.oid = typ.typrelid \
                 LEFT JOIN pg_proc AS proc ON proc.oid = typ.typreceive) AS t \
                 JOIN pg_namespace AS ns ON ns.oid = t.typnamespace \
                 WHERE t.kind IN ('b', 'r', 'm', 'e', 'd') ORDER BY t.oid;\n\
                 SELECT typ.oid, att.attname, att.atttypid FROM pg_type AS typ \
                 JOIN pg_catalog.pg_attribute AS att ON att.attrelid = typ.typrelid \
                 WHERE att.attnum > 0 AND NOT attisdropped ORDER BY typ.oid, att.attnum;\n\
                 SELECT pg_type.oid, enumlabel FROM pg_enum \
                 JOIN pg_type ON pg_type.oid = enumtypid ORDER BY oid, enumsortorder;",
                "BEGIN; SELECT table_name FROM information_schema.tables; \
                 SELECT format_type(oid, NULL) FROM pg_type; COMMIT",
            ],
        );
    }

    #[test]
    fn a_policy_says_how_many_reads() {
        let with = |reads: &str| {
            let keys = format!("  reads_per_message: {reads}\n");
            agent_with(&[("  reads_per_message: 1\n", &keys)], "")
        };
        let rule = Rule::SeveralStatements;
        check_policy(
            with("0"),
            rule,
            &["BEGIN; SELECT 1"],
            &["SELECT 1", "BEGIN; COMMIT"],
        );
        check_policy(
            with("2"),
            rule,
            &[&"SELECT 1;".repeat(3)],
            &["SELECT 1; SELECT 2"],
        );
        check_policy(
            with("any"),
            rule,
            &["SELECT 1; DROP TABLE t"],
            &[&"SELECT 1;".repeat(30)],
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
                "BEGIN;declare \"CUR1\" cursor with hold for select 1 limit 5;fetch 100 in \"CUR1\"",
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
