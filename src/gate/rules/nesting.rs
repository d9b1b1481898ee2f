//! `nesting`: subqueries nested deeper than limits.nesting.
//!
//! # Sees
//! A query that stands deeper than `limits.nesting` says: 1 is a query without a subquery. Queries
//! in FROM, in WITH and in expressions are one deeper than what they stand in; the sides of a set
//! operation are not.
//!
//! # Why
//! Depth is how a machine's text gets out of hand.
//!
//! # Before
//! - `SELECT (SELECT (SELECT (SELECT 1)))` (denies)
//! - `WITH a AS (WITH b AS (SELECT 1 IN (SELECT 2)) TABLE b) TABLE a` (denies)
//!
//! # After
//! - `SELECT (SELECT (SELECT 1))` (denies)
//! - `SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT (SELECT (SELECT 4))` (denies)
//!
//! # When not
//! A view counts as one relation, whatever its query is.

use crate::context::JudgeContext;
use crate::rules::{RuleResult, node_unknown};
use crate::{Refusal, Rule};
use policy::PolicyRule;
use sql::tree::{self, Node};

/// Looks at a query.
pub(crate) fn check(query: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Some(most) = context.policy.limits().nesting else {
        return Ok(());
    };
    let mut waiting = vec![(query, 0_u32)];
    let mut children = Vec::new();
    while let Some((node, depth)) = waiting.pop() {
        let is_query = matches!(node, Node::SelectStmt(_));
        if is_query && depth >= most {
            return context.enforce_or_observe(PolicyRule::Nesting, refusal(most, context));
        }
        tree::children(node, &mut children).map_err(|_| node_unknown::refusal(node))?;
        waiting.extend(children.drain(..).map(|child| {
            let side = is_query && matches!(child, Node::SelectStmt(_));
            let inside = is_query && !side;
            (child, depth.saturating_add(u32::from(inside)))
        }));
    }
    Ok(())
}

fn refusal(most: u32, context: &JudgeContext<'_>) -> Box<Refusal> {
    let policy = context.policy.name();
    Refusal::new(
        Rule::Nesting,
        &format!(
            "queries nested deeper than {most} are not allowed: limits.nesting allows no more"
        ),
        "Write it with fewer subqueries in each other.",
    )
    .about(format_args!("limits.nesting of policy {policy}"))
}
