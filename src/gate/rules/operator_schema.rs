//! `operator_schema`: operators of a schema other than pg_catalog.
//!
//! # Sees
//! OPERATOR(schema.op) in expressions, in ORDER BY … USING and in front of ANY, ALL and SOME.
//!
//! # Why
//! An operator is a call of a function, and one outside pg_catalog is a call of a function that is
//! no built-in.
//!
//! # Before
//! - `SELECT 1 OPERATOR(public.+) 1`
//! - `SELECT a FROM t ORDER BY a USING OPERATOR(s.<)`
//!
//! # After
//! - `SELECT relname OPERATOR(pg_catalog.~) '^a' FROM pg_class`
//! - `SELECT 1 + 1`
//!
//! # When not
//! An operator without a schema may be a user's too, which only the catalog can show. With a
//! snapshot of the database, operators of all schemas are judged by what they do:
//! `operator_effects`.

use crate::context::JudgeContext;
use crate::rules::{CalledName, RuleResult};
use crate::{Refusal, Rule};
use sql::tree::list::NodeList;

pub(crate) fn check(operator: &NodeList, context: &JudgeContext<'_>) -> RuleResult {
    if operator.len() < 2 || context.effect_graph().is_some() {
        return Ok(());
    }
    let called = CalledName::of(operator);
    if called.schema == Some("pg_catalog") && operator.len() == 2 {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::OperatorSchema,
        &format!(
            "operator {called} is not allowed: it is no built-in, and what it does is not known"
        ),
        "Leave it out; with the database's catalog loaded, operators are judged by what they do.",
    )
    .about(format_args!("{called}")))
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn operators_of_other_schemas_are_seen() {
        check(
            Rule::OperatorSchema,
            &[
                "SELECT a OPERATOR(s.=) 1 FROM t",
                "SELECT OPERATOR(s.-) a FROM t",
                "SELECT a FROM t WHERE a OPERATOR(s.=) ANY (ARRAY[1])",
                "SELECT a FROM t WHERE a OPERATOR(s.=) ANY (SELECT 1)",
                "SELECT a FROM t WHERE a OPERATOR(d.pg_catalog.=) 1",
                "SELECT a FROM t ORDER BY a USING OPERATOR(s.>)",
            ],
            &[
                "SELECT 1 OPERATOR(pg_catalog.+) 1",
                "SELECT a FROM t ORDER BY a USING >",
            ],
        );
    }
}
