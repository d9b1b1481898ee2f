//! `copy`: COPY of anything but a query to the client.
//!
//! # Sees
//! COPY … FROM, COPY to a file or program, COPY of a table, and formats that are no built-ins.
//!
//! # Why
//! COPY reaches files and programs of the server and writes rows. COPY of a table names no columns,
//! so what it sends is not visible in the text; as a query it is judged like any other.
//!
//! # Before
//! - `COPY orders FROM STDIN`
//! - `COPY (SELECT 1) TO '/tmp/out'`
//! - `COPY (SELECT 1) TO PROGRAM 'cat'`
//! - `COPY orders TO STDOUT`
//!
//! # After
//! - `COPY (SELECT * FROM orders) TO STDOUT`
//! - `COPY (SELECT * FROM orders) TO STDOUT WITH (FORMAT csv, HEADER true)`
//!
//! # When not
//! What the query itself does is judged by the rules for it.

use crate::gate::rules::{Found, node_unknown};
use crate::gate::{Refusal, Rule};
use crate::sql::tree::{Node, nodes};
use crate::sqlstate::{self, SqlState};

pub(in crate::gate) fn look(node: Node<'_>) -> Found {
    let Node::CopyStmt(copy) = node else {
        return Err(node_unknown::refusal(node));
    };
    if copy.is_from {
        let message = "this connection only reads: COPY FROM would write";
        return Err(refusal(sqlstate::READ_ONLY_SQL_TRANSACTION, message));
    }
    if copy.is_program || copy.filename().is_some() {
        let message = "COPY to a file or program of the server is not allowed";
        return Err(refusal(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    if copy.relation().is_some() || matches!(copy.query(), Node::None) {
        let message = "COPY of a table is not allowed";
        return Err(refusal(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    if !copy.options().iter().all(is_built_in) {
        let message = "the format of COPY is not known";
        return Err(refusal(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    Ok(())
}

/// Whether an option is any but FORMAT, or a format that is no extension's.
fn is_built_in(option: &nodes::DefElem) -> bool {
    let names_format = option
        .defname()
        .is_some_and(|name| name.eq_ignore_ascii_case("format"));
    let format = option.arg().as_str().unwrap_or_default();
    !names_format || ["text", "csv", "binary"].contains(&format.to_ascii_lowercase().as_str())
}

fn refusal(sqlstate: SqlState, message: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::Copy,
        sqlstate,
        message,
        "COPY (SELECT …) TO STDOUT is accepted; psql's \\copy (SELECT …) TO file sends that.",
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn only_a_query_to_the_client_is_copied() {
        check(
            Rule::Copy,
            &[
                "COPY t FROM STDIN",
                "COPY t FROM '/etc/passwd'",
                "COPY t FROM PROGRAM 'id'",
                "COPY t TO STDOUT",
                "COPY t (a) TO '/tmp/x'",
                "COPY t TO PROGRAM 'sh'",
                "COPY (SELECT 1) TO PROGRAM 'sh'",
                "COPY BINARY t TO STDOUT",
                "COPY (SELECT 1) TO STDOUT (FORMAT other)",
            ],
            &[
                "COPY (SELECT 1) TO STDOUT CSV HEADER",
                "COPY (VALUES (1)) TO STDOUT (FORMAT binary)",
                "COPY (TABLE t) TO STDOUT",
            ],
        );
    }
}
