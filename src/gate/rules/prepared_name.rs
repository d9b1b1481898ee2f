//! `prepared_name`: EXECUTE of a prepared statement that does not exist.
//!
//! # Sees
//! EXECUTE, alone or under EXPLAIN, of a name that this session has not prepared. What an EXECUTE
//! runs is judged in `gate::prepared::execution`, which refuses one that runs another one.
//!
//! # Why
//! What it would run was never judged. A name that the session did prepare was judged when it was.
//!
//! # Before
//! - `EXECUTE nobody`
//! - `EXPLAIN EXECUTE nobody`
//!
//! # After
//! - `PREPARE p AS SELECT 1; EXECUTE p` (bi)
//!
//! # When not
//! Statements prepared by a Parse message have names too and count.

use crate::Refusal;
use crate::context::JudgeContext;
use crate::prepared::execution;
use crate::recognized::backend_signal;
use crate::rules::{RuleResult, model, node_unknown};
use sql::tree::{Node, nodes};

pub(crate) fn check(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Node::ExecuteStmt(execute) = node else {
        return Err(node_unknown::refusal(node));
    };
    let name = execute.name().unwrap_or_default();
    if context.names().is_prepared_ambiguous(name) {
        return Err(Refusal::of_name_in_doubt(name));
    }
    match context.prepared(name) {
        Some(prepared) => {
            backend_signal::runs_alone(&prepared.facts)?;
            execution::prepared(&prepared, context)?;
            context.take_over(&prepared.facts);
            context.source_text = Some(prepared.text);
            Ok(())
        }
        None => Err(Refusal::of_unknown_statement(name).about(format_args!("{name}"))),
    }
}

/// EXPLAIN of an EXECUTE: with models in the statement its plan would tell of rows that they leave
/// away.
pub(crate) fn check_explained(
    execute: &nodes::ExecuteStmt,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let prepared = context.prepared(execute.name().unwrap_or_default());
    match prepared {
        Some(prepared) if prepared.facts.rewritten.is_some() => Err(model::explained()),
        Some(_) | None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi};

    #[test]
    fn only_what_was_prepared_is_executed() {
        check(
            Rule::PreparedName,
            &["EXECUTE p", "EXECUTE p(1)", "EXPLAIN EXECUTE p"],
            &[
                "DEALLOCATE p",
                "DEALLOCATE ALL",
                "PREPARE p (int) AS SELECT $1",
            ],
        );
        check_bi(
            Rule::PreparedName,
            &[
                "PREPARE p AS SELECT 1; EXECUTE q",
                "PREPARE p AS SELECT 1; DEALLOCATE ALL; EXECUTE p",
            ],
            &["PREPARE p AS SELECT $1::int; EXECUTE p(1)"],
        );
        check_bi(
            Rule::FunctionEffects,
            &["PREPARE p AS SELECT $1::int; EXECUTE p(nextval('s'))"],
            &[],
        );
    }
}
