//! `select_into`: SELECT … INTO.
//!
//! # Sees
//! An INTO clause in any SELECT, an arm of a set operation included.
//!
//! # Why
//! It creates a table. EXPLAIN ANALYZE of one creates it too, in a read-only transaction even.
//!
//! # Before
//! - `SELECT * INTO copy_of_orders FROM orders`
//! - `SELECT 1 AS a INTO TEMP scratch UNION SELECT 2`
//!
//! # After
//! - `SELECT * FROM orders`
//!
//! # When not
//! CREATE TABLE … AS is `ddl`.

use crate::rules::RuleResult;
use crate::{Refusal, Rule, command_label};
use sql::tree::nodes;

pub(crate) fn check(select: &nodes::SelectStmt) -> RuleResult {
    match select.into_clause() {
        None => Ok(()),
        Some(into) => Err(refusal(into)),
    }
}

pub(crate) fn refusal(into: &nodes::IntoClause) -> Box<Refusal> {
    let name = into.rel().map(command_label::relation).unwrap_or_default();
    Refusal::new(
        Rule::SelectInto,
        &format!("SELECT INTO {name} is not allowed: it would create a table"),
        "Leave the INTO clause out to get the rows.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn into_is_seen_in_every_select() {
        check(
            Rule::SelectInto,
            &[
                "SELECT 1 INTO x",
                "SELECT a INTO UNLOGGED x FROM t",
                "SELECT 1 INTO x UNION ALL SELECT 2",
                "PREPARE p AS SELECT 1 INTO x",
                "EXPLAIN SELECT 1 INTO x",
                "WITH a AS (SELECT 1) SELECT * INTO x FROM a",
            ],
            &["SELECT 1 AS \"into\""],
        );
    }
}
