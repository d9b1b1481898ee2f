//! `function_effects`: built-in functions that do more than compute.
//!
//! # Sees
//! A call of one, wherever an expression may stand, by any spelling of its name; `x.f` and `(x).f`
//! too, which call a function of one argument where `x` has no such column.
//!
//! # Why
//! A read-only transaction stops two of the 135 built-ins that change something (`nextval` and
//! `setval`). What each does was tried, and stands in the table of `functions`.
//!
//! # Before
//! - `SELECT nextval('orders_id_seq')`
//! - `SELECT 1 FROM orders ORDER BY pg_catalog."pg_sleep"(10)`
//! - `SELECT pg_terminate_backend(pid) FROM pg_stat_activity`
//! - `SELECT U&"pg\005fread_file"('/etc/passwd')`
//!
//! # After
//! - `SELECT last_value FROM orders_id_seq`
//! - `SELECT random(), clock_timestamp(), pg_relation_size('orders')`
//!
//! # When not
//! Functions that run SQL given as a string are `sql_in_string`, those that are no built-ins
//! `unknown_function`. Where the policy says `snapshots: allow`, `SELECT pg_export_snapshot()`
//! passes, of one row and once. Where it says `cancel_own: allow`,
//! `SELECT pg_cancel_backend(7)` and `SELECT pg_terminate_backend($1)` do, as statements of their
//! own: pgsieve carries them out, on sessions of the same user. Where it says
//! `server_directories: allow`, those functions pass that list one directory of the server by name,
//! size and time (`pg_ls_waldir()`): none reads a file or takes a path from its caller.

use crate::context::JudgeContext;
use crate::functions::BuiltinEffect;
use crate::recognized::backend_signal;
use crate::rules::CalledName;
use crate::{Refusal, Rule};
use ground::sqlstate::{self, SqlState};

/// `shown` is its name with the types of its arguments, as far as they are known.
pub(crate) fn refusal(called: CalledName<'_>, shown: &str, why: BuiltinEffect) -> Box<Refusal> {
    refusal_with(
        called,
        shown,
        why,
        "Leave the call out. Functions that only compute or read are accepted.",
    )
}

/// The same, with the use of it that passes, where there is one.
pub(crate) fn refusal_of_call(
    called: CalledName<'_>,
    shown: &str,
    why: BuiltinEffect,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    match (why, backend_signal::hint(called, context)) {
        (BuiltinEffect::ServerDirectory, _) => refusal_with(
            called,
            shown,
            why,
            "Leave the call out, or have functions.server_directories: allow in the policy.",
        ),
        (_, Some(hint)) => refusal_with(called, shown, why, hint),
        (_, None) => refusal(called, shown, why),
    }
}

fn refusal_with(
    called: CalledName<'_>,
    shown: &str,
    why: BuiltinEffect,
    hint: &'static str,
) -> Box<Refusal> {
    Refusal::new(
        Rule::FunctionEffects,
        &format!("function {shown} is not allowed: it {why}"),
        hint,
    )
    .with_sqlstate(sqlstate_of(why))
    .about(format_args!("{called} {why}"))
    .of(Some(format!("function {shown}")))
}

fn sqlstate_of(why: BuiltinEffect) -> SqlState {
    match why {
        BuiltinEffect::CatalogWrite
        | BuiltinEffect::IndexMaintenance
        | BuiltinEffect::LargeObject
        | BuiltinEffect::Replication
        | BuiltinEffect::Sequence
        | BuiltinEffect::TransactionId
        | BuiltinEffect::WalOrBackup => sqlstate::READ_ONLY_SQL_TRANSACTION,
        BuiltinEffect::AdvisoryLock
        | BuiltinEffect::BufferCache
        | BuiltinEffect::ForeignServer
        | BuiltinEffect::IndexFunctions
        | BuiltinEffect::Lock
        | BuiltinEffect::BinaryUpgrade
        | BuiltinEffect::Internal
        | BuiltinEffect::Notify
        | BuiltinEffect::ServerControl
        | BuiltinEffect::ServerDirectory
        | BuiltinEffect::ServerFile
        | BuiltinEffect::SessionState
        | BuiltinEffect::Snapshot
        | BuiltinEffect::Statistics
        | BuiltinEffect::Wait => sqlstate::INSUFFICIENT_PRIVILEGE,
    }
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{agent_with, check, check_bi, check_policy, check_strict};

    /// Where an expression may stand.
    const PLACES: &[&str] = &[
        "SELECT {}",
        "SELECT * FROM {} AS f",
        "SELECT * FROM ROWS FROM ({}, generate_series(1, 2)) AS f",
        "SELECT * FROM t, LATERAL {} AS f",
        "SELECT * FROM t JOIN s ON {} IS NULL",
        "SELECT * FROM t WHERE {} = 1",
        "SELECT a FROM t GROUP BY a, {}",
        "SELECT a FROM t GROUP BY GROUPING SETS ((a), ({}))",
        "SELECT a FROM t GROUP BY a HAVING {} = 1",
        "SELECT a FROM t ORDER BY {}",
        "SELECT a FROM t LIMIT {}",
        "SELECT a FROM t OFFSET {}",
        "SELECT DISTINCT ON ({}) a FROM t",
        "SELECT sum(a) OVER (PARTITION BY {}) FROM t",
        "SELECT sum(a) OVER (ROWS BETWEEN {} PRECEDING AND CURRENT ROW) FROM t",
        "SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY {})",
        "SELECT count(*) FILTER (WHERE {} = 1) FROM t",
        "SELECT array_agg(a ORDER BY {}) FROM t",
        "SELECT percentile_cont({}) WITHIN GROUP (ORDER BY a) FROM t",
        "SELECT CASE WHEN true THEN 1 ELSE {} END",
        "SELECT coalesce(1, {})",
        "SELECT greatest(1, {})",
        "SELECT nullif(1, {})",
        "SELECT ARRAY[{}]",
        "SELECT (ARRAY[1, 2])[{}]",
        "SELECT (ARRAY[1, 2])[1:{}]",
        "SELECT ROW({}, 1)",
        "SELECT abs({})",
        "SELECT make_interval(days => {})",
        "SELECT {}::text",
        "SELECT CAST({} AS text) COLLATE \"C\"",
        "SELECT 1 WHERE 1 IN (2, {})",
        "SELECT 1 WHERE 1 = ANY (ARRAY[{}])",
        "SELECT EXISTS (SELECT {})",
        "SELECT (SELECT {})",
        "SELECT 1 BETWEEN 0 AND {}",
        "SELECT {} IS NOT NULL",
        "SELECT {} IS TRUE",
        "SELECT NOT {} = 1",
        "VALUES (1), ({})",
        "SELECT 1 UNION SELECT {}",
        "WITH unread AS (SELECT {}) SELECT 1",
        "SELECT * FROM t TABLESAMPLE bernoulli ({})",
        "SELECT * FROM t TABLESAMPLE system (1) REPEATABLE ({})",
        "SELECT xmlelement(name x, {})",
        "SELECT xmlforest({} AS x)",
        "SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS b int DEFAULT {})",
        "SELECT json_object('a': {})",
        "SELECT json_array({})",
        "SELECT json_value('1', '$' DEFAULT {} ON ERROR)",
        "SELECT * FROM json_table('1', '$' COLUMNS (a int DEFAULT {} ON EMPTY)) AS j",
        "COPY (SELECT {}) TO STDOUT",
        "EXPLAIN SELECT {}",
        "PREPARE p AS SELECT {}",
        "DECLARE c CURSOR FOR SELECT {}",
    ];

    #[test]
    fn calls_are_seen_wherever_an_expression_may_stand() {
        for place in PLACES {
            let call = "pg_advisory_lock(1)";
            let sql = place.replace("{}", call);
            check(Rule::FunctionEffects, &[&sql], &[]);
        }
    }

    /// Directories that the server itself chooses, and what steers nothing.
    const LISTINGS: &[&str] = &[
        "SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'",
        "SELECT * FROM pg_catalog.\"pg_ls_logdir\"()",
        "SELECT (pg_ls_archive_statusdir()).name",
        "SELECT name FROM ROWS FROM (pg_ls_logicalsnapdir(), generate_series(1, 2)) AS f",
        "SELECT sum(size) FROM pg_ls_logicalmapdir()",
        "SELECT count(*), sum(size) FROM pg_tablespace ts, LATERAL pg_catalog.pg_ls_tmpdir(ts.oid)",
        "SELECT * FROM pg_ls_tmpdir()",
        "SELECT s.slot_name, f.name FROM pg_replication_slots s, pg_ls_replslotdir(s.slot_name) f",
        "PREPARE p AS SELECT * FROM pg_ls_replslotdir($1)",
        "COPY (SELECT * FROM pg_ls_waldir()) TO STDOUT",
        "SELECT (oid).pg_ls_tmpdir FROM pg_tablespace",
    ];

    #[test]
    fn directories_of_the_server_are_listed_where_the_policy_says_so() {
        check(Rule::FunctionEffects, LISTINGS, &[]);
        check_strict(Rule::FunctionEffects, LISTINGS, &[]);
        check_bi(Rule::FunctionEffects, &[], LISTINGS);
        let change = (
            "  #server_directories: refuse",
            "  server_directories: allow",
        );
        let policy = || agent_with(&[change], "");
        check_policy(policy(), Rule::FunctionEffects, &[], LISTINGS);
        // A server without it would look for a function of a user's.
        let newer = "SELECT 1 WHERE EXISTS (SELECT FROM pg_ls_summariesdir())";
        check(Rule::FunctionEffects, &[newer], &[]);
        check_policy(policy(), Rule::UnknownFunction, &[newer], &[]);
    }

    #[test]
    fn what_reads_files_or_takes_a_path_never_runs() {
        check_bi(
            Rule::FunctionEffects,
            &[
                "SELECT pg_ls_dir('pg_wal')",
                "SELECT pg_ls_dir('pg_wal', true, false)",
                "SELECT * FROM pg_ls_waldir() w, pg_stat_file('pg_wal/' || w.name)",
                "SELECT (pg_stat_file('base', true)).size",
                "SELECT pg_read_file('pg_hba.conf', 0, 10, true)",
                "SELECT pg_read_binary_file('global/pg_control')",
                "SELECT pg_current_logfile()",
                "SELECT pg_current_logfile('csvlog')",
                "SELECT ('.'::text).pg_ls_dir",
            ],
            &[],
        );
    }

    #[test]
    fn names_are_seen_in_every_spelling() {
        check(
            Rule::FunctionEffects,
            &[
                "SELECT PG_SLEEP(1)",
                "SELECT \"pg_sleep\"(1)",
                "SELECT pg_catalog.pg_sleep(1)",
                "SELECT pg_catalog.\"pg_sleep\"(1)",
                "SELECT d.pg_catalog.pg_sleep(1)",
                "SELECT U&\"pg\\005fsleep\"(1)",
                "SELECT U&\"pg!005fsleep\" UESCAPE '!' (1)",
                "SELECT pg_sleep /* */ (1)",
            ],
            &["SELECT 'pg_sleep(1)'", "SELECT pg_sleep FROM t"],
        );
    }
}
