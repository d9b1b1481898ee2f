//! `temp_schema`: functions and types in the session's temporary schema.
//!
//! # Sees
//! A function or type qualified with pg_temp or pg_temp_N.
//!
//! # Why
//! What stands there was made by a session for itself; the server never finds a function there
//! unless it is asked for by this name.
//!
//! # Before
//! - `SELECT pg_temp.f()`
//! - `SELECT '1'::pg_temp.checked`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Reading a table there is a read.

use crate::gate::rules::{Called, Found};
use crate::gate::{Refusal, Rule};
use crate::sql::tree::nodes;
use crate::sqlstate;

pub(in crate::gate) fn look_at_call(called: Called<'_>) -> Found {
    look(called)
}

pub(in crate::gate) fn look_at_type(name: &nodes::TypeName) -> Found {
    let mut names = name
        .names()
        .iter()
        .rev()
        .map(|part| part.sval().unwrap_or_default());
    let (name, schema) = (names.next().unwrap_or_default(), names.next());
    look(Called { schema, name })
}

fn look(called: Called<'_>) -> Found {
    match called.schema {
        Some(schema) if schema.starts_with("pg_temp") => Err(Refusal::new(
            Rule::TempSchema,
            sqlstate::INSUFFICIENT_PRIVILEGE,
            "functions and types of a temporary schema are not allowed",
            "Use functions and types of pg_catalog.",
        )
        .about(format_args!("{called}"))),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn temporary_schemas_are_seen() {
        check(
            Rule::TempSchema,
            &[
                "SELECT pg_temp.lower('A')",
                "SELECT PG_TEMP.f()",
                "SELECT pg_temp_3.f()",
                "SELECT CAST(1 AS pg_temp.t)",
                "SELECT * FROM json_to_recordset('[]') AS r (a pg_temp.t)",
            ],
            &["SELECT 1::pg_catalog.int4", "SELECT * FROM pg_temp.t"],
        );
    }
}
