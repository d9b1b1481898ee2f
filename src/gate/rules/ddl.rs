//! `ddl`: statements that create, change or drop objects, or grant rights on them.
//!
//! # Sees
//! Every CREATE, ALTER, DROP, GRANT, REVOKE, COMMENT, SECURITY LABEL, TRUNCATE, REASSIGN and
//! IMPORT, by a closed list of kinds; temporary objects too.
//!
//! # Why
//! They write the catalogs, and a temporary table is a place to write to.
//!
//! # Before
//! - `CREATE TABLE t (a int)`
//! - `CREATE TEMP TABLE t AS SELECT 1`
//! - `DROP TABLE orders`
//! - `GRANT SELECT ON orders TO public`
//!
//! # After
//! - `WITH scratch AS (SELECT 1 AS a) SELECT a FROM scratch`
//!
//! # When not
//! SELECT INTO is `select_into`; VACUUM, REINDEX and REFRESH are `maintenance`.

use crate::command_label::CommandLabel;
use crate::context::JudgeContext;
use crate::{Refusal, Rule};
use sql::tree::{self, Node};

pub(crate) fn refusal(node: Node<'_>, context: &JudgeContext<'_>) -> Box<Refusal> {
    let head = CommandLabel::of(context, &VERBS);
    let makes_relation = head.has("CREATE") && (head.has("TABLE") || head.has("VIEW"));
    let hint = if makes_relation {
        "Use WITH or a subquery in place of a table or view that is needed for one query."
    } else if head.has("CREATE") && head.has("FUNCTION") {
        "Write what it would compute as an expression of the query."
    } else {
        "Leave it out; objects have to be changed through another connection."
    };
    Refusal::new(
        Rule::Ddl,
        &format!("{head} is not allowed: this connection only reads"),
        hint,
    )
    .about(format_args!("{}", tree::kind_name(node)))
}

const VERBS: [&str; 11] = [
    "ALTER", "COMMENT", "CREATE", "DROP", "GRANT", "IMPORT", "REASSIGN", "REVOKE", "SECURITY",
    "TRUNCATE", "REPLACE",
];

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn changes_of_objects_are_seen() {
        check(
            Rule::Ddl,
            &[
                "CREATE TABLE t (a int)",
                "CREATE TABLE t AS SELECT 1",
                "EXPLAIN CREATE TABLE t AS SELECT 1",
                "CREATE MATERIALIZED VIEW v AS SELECT 1",
                "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "CREATE VIEW v AS SELECT 1",
                "CREATE INDEX ON t (a)",
                "CREATE SCHEMA s",
                "CREATE EXTENSION dblink",
                "CREATE ROLE r SUPERUSER",
                "CREATE TRIGGER tr AFTER INSERT ON t EXECUTE FUNCTION f()",
                "ALTER TABLE t ADD b int",
                "ALTER TABLE t RENAME TO u",
                "ALTER ROLE app SET default_transaction_read_only = off",
                "ALTER DATABASE d SET default_transaction_read_only = off",
                "ALTER OPERATOR = (int, int) OWNER TO r",
                "DROP TABLE t",
                "DROP OWNED BY r",
                "TRUNCATE t",
                "GRANT r TO s",
                "REVOKE ALL ON t FROM r",
                "COMMENT ON TABLE t IS 'x'",
                "SECURITY LABEL ON TABLE t IS 'x'",
                "REASSIGN OWNED BY r TO s",
                "IMPORT FOREIGN SCHEMA s FROM SERVER f INTO p",
                "CREATE OPERATOR = (FUNCTION = f, LEFTARG = int, RIGHTARG = int)",
            ],
            &["SELECT 'CREATE TABLE t (a int)'"],
        );
    }
}
