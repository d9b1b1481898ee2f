//! `temp_schema`: objects in temporary schemas.
//!
//! # Sees
//! A relation, function, type, operator or collation qualified with pg_temp, pg_temp_N or
//! pg_toast_temp_N, and whatever reads while the search_path names the temporary schema of another
//! session.
//!
//! # Why
//! What stands there was made by a session for itself, and can be anything: a view, a type with
//! checks. Sessions here make nothing, so that nothing of their own is there, and what others have
//! comes and goes without the catalog being read again.
//!
//! # Before
//! - `SELECT pg_temp.f()`
//! - `SELECT '1'::pg_temp.checked`
//! - `SELECT * FROM pg_temp_6.totals`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Names in strings (`to_regclass('pg_temp.t')`) are looked up and run nothing, but for those of
//! types whose values are made. `search_path` may name `pg_temp` behind pg_catalog.

use crate::context::JudgeContext;
use crate::rules::{CalledName, RuleResult};
use crate::{Refusal, Rule, SearchPaths};
use catalog::schema::{is_of_another_session, is_temporary};
use ground::sqlstate;
use sql::tree::{list::NodeList, nodes};

/// The name of a function.
pub(crate) fn check_call(called: CalledName<'_>) -> RuleResult {
    check(called, "function")
}

/// The name of an operator or a collation, as it is written.
pub(crate) fn check_name(name: &NodeList, sort: &str) -> RuleResult {
    check(CalledName::of(name), sort)
}

pub(crate) fn check_type(name: &nodes::TypeName) -> RuleResult {
    let mut names = name
        .names()
        .iter()
        .rev()
        .map(|part| part.sval().unwrap_or_default());
    let (name, schema) = (names.next().unwrap_or_default(), names.next());
    check(CalledName { schema, name }, "type")
}

pub(crate) fn check_relation(table: &nodes::RangeVar) -> RuleResult {
    let called = CalledName {
        schema: table.schemaname(),
        name: table.relname().unwrap_or_default(),
    };
    check(called, RELATION)
}

/// A statement that reads, where its names may be looked up in another session's schema. No name
/// shows that: operators are looked up there, too.
pub(crate) fn check_paths(context: &JudgeContext<'_>) -> RuleResult {
    let SearchPaths::Known(paths) = context.paths() else {
        return Ok(());
    };
    match paths
        .iter()
        .flatten()
        .find(|name| is_of_another_session(name))
    {
        None => Ok(()),
        Some(schema) => Err(Refusal::new(
            Rule::TempSchema,
            &format!("search_path may not name {schema}: it is another session's temporary schema"),
            "SET search_path to other schemas first.",
        )
        .about(format_args!("{schema}"))),
    }
}

/// Whether a text that names something may name what stands in a temporary schema.
pub(crate) fn may_be_named_in(text: &str) -> bool {
    let folded = text.to_ascii_lowercase();
    folded.contains("pg_temp") || folded.contains("pg_toast_temp")
}

fn check(called: CalledName<'_>, sort: &str) -> RuleResult {
    let Some(schema) = called.schema.filter(|schema| is_temporary(schema)) else {
        return Ok(());
    };
    let refusal = if sort == RELATION {
        // What the server says of a relation that is not there.
        Refusal::new(
            Rule::TempSchema,
            &format!("relation \"{called}\" does not exist"),
            "Use a query in WITH in place of a temporary table.",
        )
        .with_sqlstate(sqlstate::UNDEFINED_TABLE)
    } else {
        Refusal::new(
            Rule::TempSchema,
            &format!("{sort} {called} is not allowed: nothing in {schema} is there for clients"),
            "Leave it out; things of other schemas can be used.",
        )
    };
    Err(refusal.about(format_args!("{called}")))
}

const RELATION: &str = "relation";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionNames;
    use crate::Verdict;
    use crate::rules::check::{check, check_bi, gate};
    use policy::Policy;

    #[test]
    fn temporary_schemas_are_seen() {
        check(
            Rule::TempSchema,
            &[
                "SELECT pg_temp.lower('A')",
                "SELECT PG_TEMP.f()",
                "SELECT pg_temp_3.f()",
                "SELECT d.pg_temp_3.f()",
                "SELECT CAST(1 AS pg_temp.t)",
                "SELECT NULL::pg_temp_6.tv[]",
                "SELECT pg_temp_6.t '1'",
                "SELECT * FROM json_to_recordset('[]') AS r (a pg_temp.t)",
                "SELECT * FROM ROWS FROM (json_to_record('{}') AS (a pg_temp_6.t))",
                "SELECT json_populate_record(NULL::pg_temp_6.tv, '{}')",
                "SELECT * FROM jsonb_populate_recordset(CAST(NULL AS pg_temp_6.tv), '[]')",
                "SELECT * FROM XMLTABLE('/a' PASSING '<a/>' COLUMNS b pg_temp_6.d)",
                "PREPARE p (int, pg_temp_6.d) AS SELECT $1",
                "PREPARE p AS SELECT $1::pg_temp_6.d",
                "SELECT * FROM pg_temp.t",
                "SELECT * FROM pg_temp_6.tv",
                "SELECT * FROM d.pg_temp_6.tv",
                "SELECT * FROM PG_Temp_6.tv AS t, ONLY pg_catalog.pg_class",
                "SELECT * FROM \"pg_temp_6\".tv",
                "SELECT * FROM U&\"pg\\005ftemp_6\".tv",
                "SELECT * FROM U&\"pg!005ftemp_6\" UESCAPE '!' . tv",
                "TABLE pg_temp_6.tv",
                "VALUES ((SELECT count(*) FROM pg_temp_6.tv))",
                "WITH w AS (SELECT * FROM pg_temp_6.tv) SELECT 1",
                "SELECT 1 WHERE EXISTS (SELECT FROM pg_temp_6.tv TABLESAMPLE system (1))",
                "SELECT 1 UNION SELECT x FROM a JOIN pg_temp_6.tv USING (x)",
                "SELECT * FROM pg_toast_temp_6.pg_toast_16384",
                "EXPLAIN SELECT * FROM pg_temp_6.tv",
                "COPY (SELECT * FROM pg_temp_6.tv) TO STDOUT",
                "DECLARE c CURSOR FOR SELECT * FROM pg_temp_6.tv",
                "SELECT 1 OPERATOR(pg_temp_6.+) 1",
                "SELECT 1 WHERE 1 OPERATOR(pg_temp_6.=) ANY (SELECT 1)",
                "SELECT 1 AS a ORDER BY a USING OPERATOR(pg_temp_6.<)",
                "SELECT 'a' < 'b' COLLATE pg_temp_6.c",
            ],
            &[
                "SELECT 1::pg_catalog.int4",
                "SELECT pg_temp.t FROM pg_class AS pg_temp (t)",
                "SELECT to_regclass('pg_temp.t') IS NULL, 'pg_temp_%'",
                "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'",
                "SELECT pg_is_other_temp_schema(oid), pg_my_temp_schema() FROM pg_namespace",
                "DISCARD TEMP",
                "SHOW search_path",
                "SET search_path = pg_catalog, public, pg_temp",
            ],
        );
        check_bi(
            Rule::TempSchema,
            &["LOCK TABLE a, pg_temp_6.tv IN ACCESS SHARE MODE"],
            &["LOCK TABLE a IN ACCESS SHARE MODE"],
        );
    }

    #[test]
    fn no_path_is_set_that_leads_into_another_session() {
        let fires = [
            "SET search_path = pg_temp_6",
            "SET LOCAL search_path TO public, \"pg_temp_6\"",
            "SET SCHEMA 'pg_temp_6'",
            "SET search_path = U&\"pg\\005ftemp_6\"",
            "SET search_path = pg_catalog, pg_toast_temp_6",
            "SELECT set_config('search_path', 'public, PG_TEMP_6', false)",
            "SELECT set_config('search_path', '\"pg_temp_6\"', true)",
            "PREPARE p AS SELECT set_config('search_path', 'pg_temp_6', true)",
        ];
        let silent = [
            "SET search_path = pg_catalog, pg_temp",
            "SET SCHEMA 'public'",
        ];
        check(Rule::Settings, &fires, &silent);
        check_bi(Rule::Settings, &fires, &silent);
    }

    #[test]
    fn a_session_that_begins_in_another_one_s_schema_reads_nothing() {
        let mut names = SessionNames::of_no_database();
        let path: Box<[Box<str>]> = Box::new(["public".into(), "pg_temp_6".into()]);
        names.set_paths(SearchPaths::Known(Box::new([path])));
        let judged =
            |text: &'static str| match gate(Policy::bi()).judge(text.into(), &names).verdict {
                Verdict::Refused(refusal) => Some(refusal.rule),
                Verdict::Permitted(_) | Verdict::Clamped(_) => None,
            };
        for text in [
            "SELECT * FROM tv",
            "TABLE tv",
            "SELECT 1 + 1",
            "VALUES (f(1))",
        ] {
            assert_eq!(judged(text), Some(Rule::TempSchema), "{text}");
        }
        for text in ["SET search_path = public", "SHOW search_path", "RESET ALL"] {
            assert_eq!(judged(text), None, "{text}");
        }
    }
}
