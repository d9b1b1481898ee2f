//! `tablesample_method`: sampling methods that are no built-ins.
//!
//! # Sees
//! TABLESAMPLE with a method other than BERNOULLI and SYSTEM.
//!
//! # Why
//! A method is a function of an extension that the server calls.
//!
//! # Before
//! - `SELECT * FROM orders TABLESAMPLE system_rows (10)`
//!
//! # After
//! - `SELECT * FROM orders TABLESAMPLE bernoulli (10)`
//!
//! # When not
//! The arguments of the method are expressions and judged as such.

use crate::gate::rules::{Called, Found};
use crate::gate::{Refusal, Rule};
use crate::sql::tree::nodes;
use crate::sqlstate;

pub(in crate::gate) fn look(sample: &nodes::RangeTableSample) -> Found {
    let called = Called::of(sample.method());
    let schema_known = matches!(called.schema, None | Some("pg_catalog"));
    if schema_known && matches!(called.name, "bernoulli" | "system") {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::TablesampleMethod,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "the sampling method is no built-in, and what it does is not known",
        "TABLESAMPLE BERNOULLI and TABLESAMPLE SYSTEM are accepted.",
    )
    .about(format_args!("{called}")))
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn other_methods_are_seen() {
        check(
            Rule::TablesampleMethod,
            &[
                "SELECT * FROM t TABLESAMPLE f (1)",
                "SELECT * FROM t TABLESAMPLE s.system (1)",
                "SELECT * FROM t TABLESAMPLE \"SYSTEM\" (1)",
            ],
            &[
                "SELECT * FROM t TABLESAMPLE SYSTEM (1) REPEATABLE (2)",
                "SELECT * FROM t TABLESAMPLE pg_catalog.bernoulli (1)",
            ],
        );
    }
}
