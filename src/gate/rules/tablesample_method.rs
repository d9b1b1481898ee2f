//! `tablesample_method`: sampling methods that are not built-ins.
//!
//! # Sees
//! TABLESAMPLE with a method other than BERNOULLI and SYSTEM, and where a snapshot shows them,
//! those of tsm_system_rows and tsm_system_time.
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

use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::rules::{CalledName, RuleResult};
use crate::{Refusal, Rule, extensions};
use sql::tree::nodes;

pub(crate) fn check(sample: &nodes::RangeTableSample, context: &JudgeContext<'_>) -> RuleResult {
    let called = CalledName::of(sample.method());
    let schema_known = matches!(called.schema, None | Some("pg_catalog"));
    if schema_known && matches!(called.name, "bernoulli" | "system") {
        return Ok(());
    }
    if context.policy.knows_extensions()
        && context
            .effect_graph()
            .is_some_and(|effect_graph| is_known(called, effect_graph))
    {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::TablesampleMethod,
        &format!("sampling method {called} is not allowed: it is no built-in"),
        "Use BERNOULLI or SYSTEM, or SYSTEM_ROWS or SYSTEM_TIME where their extensions are \
         installed.",
    )
    .about(format_args!("{called}")))
}

/// Whether all that could be meant are the methods of extensions that are known.
fn is_known(called: CalledName<'_>, effect_graph: &EffectGraph) -> bool {
    let catalog = effect_graph.catalog();
    let Some(name) = catalog.names().find(called.name) else {
        return false;
    };
    let functions = catalog.index().functions(name);
    let functions = functions.iter().map(|id| catalog.function(*id));
    let mut methods = functions.filter(|function| {
        let schema = catalog.names().text(catalog.schema(function.schema).name);
        called.schema.is_none_or(|written| written == schema) && function.arguments.len() == 1
    });
    let first = methods.next();
    first.is_some_and(extensions::is_sampling_method) && methods.all(extensions::is_sampling_method)
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

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
