//! `newer_syntax`: newer SQL syntax that the upstream's version would read as a function call.
//!
//! # Sees
//! The SQL/JSON forms of PostgreSQL 16 and 17, when the upstream is known to be older.
//!
//! # Why
//! The grammar here is that of PostgreSQL 18. `json_value(…)` is a form of its own to it, and a
//! call of a user's function of that name to a server that does not have it.
//!
//! # Before
//! An example with a server of version 15 is in the tests of this rule.
//!
//! # After
//! - `SELECT json_value('{"a": 1}', '$.a')`
//!
//! # When not
//! When the version is not known, as in a check without a database; and when the snapshot of the
//! database has functions of that name, all of which only read.

use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::effects::suspect_names;
use crate::rules::RuleResult;
use crate::{Refusal, Rule};
use sql::tree::{self, JsonExprOp, Node};

pub(crate) fn check(node: Node<'_>, context: &JudgeContext<'_>) -> RuleResult {
    let since = match node {
        Node::JsonFuncExpr(_)
        | Node::JsonTable(_)
        | Node::JsonParseExpr(_)
        | Node::JsonScalarExpr(_)
        | Node::JsonSerializeExpr(_) => 17,
        Node::JsonObjectConstructor(_)
        | Node::JsonArrayConstructor(_)
        | Node::JsonArrayQueryConstructor(_)
        | Node::JsonObjectAgg(_)
        | Node::JsonArrayAgg(_)
        | Node::JsonIsPredicate(_) => 16,
        _ => return Ok(()),
    };
    match context.server_major() {
        Some(major) if major < since && !is_clean_call(node, context) => Err(Refusal::new(
            Rule::NewerSyntax,
            &format!(
                "{} is not allowed: the server is older than PostgreSQL {since}",
                tree::kind_name(node)
            ),
            "Write it with functions that the server has, for example jsonb_path_query.",
        )
        .about(format_args!(
            "{} since PostgreSQL {since}",
            tree::kind_name(node)
        ))),
        Some(_) | None => Ok(()),
    }
}

/// Whether what the older server would call is known, and only reads.
fn is_clean_call(node: Node<'_>, context: &JudgeContext<'_>) -> bool {
    let name = match node {
        Node::JsonFuncExpr(function) => match function.op {
            JsonExprOp::JSON_EXISTS_OP => "json_exists",
            JsonExprOp::JSON_QUERY_OP => "json_query",
            JsonExprOp::JSON_VALUE_OP => "json_value",
            _ => return false,
        },
        Node::JsonTable(_) => "json_table",
        Node::JsonParseExpr(_) => "json",
        Node::JsonScalarExpr(_) => "json_scalar",
        Node::JsonSerializeExpr(_) => "json_serialize",
        Node::JsonObjectConstructor(_) => "json_object",
        Node::JsonArrayConstructor(_) => "json_array",
        Node::JsonObjectAgg(_) => "json_objectagg",
        Node::JsonArrayAgg(_) => "json_arrayagg",
        _ => return false,
    };
    // What its arguments are made into is not looked up.
    let clean = |effect_graph: &EffectGraph| {
        effect_graph.implicit_casts().is_empty() && suspect_names::all_clean(name, effect_graph)
    };
    context.effect_graph().is_some_and(clean)
}

#[cfg(test)]
mod tests {
    use crate::rules::check::{judged_with, rule_of};
    use crate::{Rule, SessionNames};

    #[test]
    fn a_form_that_the_server_would_call_is_refused() {
        let forms = [
            ("SELECT json_value('1', '$')", 17),
            ("SELECT json_exists(jsonb '1', '$')", 17),
            (
                "SELECT * FROM json_table('1', '$' COLUMNS (a int PATH '$')) AS j",
                17,
            ),
            ("SELECT json_scalar(1)", 17),
            ("SELECT json_array(1, 2)", 16),
            ("SELECT json_object('a': 1)", 16),
            ("SELECT json_arrayagg(a) FROM t", 16),
        ];
        for (sql, since) in forms {
            for major in 13..=18 {
                let mut names = SessionNames::of_no_database();
                names.set_server_major(major);
                let wanted = (major < since).then_some(Rule::NewerSyntax);
                assert_eq!(
                    rule_of(&judged_with(sql, &names)),
                    wanted,
                    "{sql} on {major}"
                );
            }
        }
    }
}
