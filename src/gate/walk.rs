//! The walk over everything under a statement.
//!
//! The stack is a list on the heap, so that no nesting of a text can exhaust the thread's own:
//! texts of a hundred thousand terms parse. A child of a kind that is not known in every field ends
//! the walk with a refusal.

use super::context::JudgeContext;
use super::rules::{self, RuleResult};
use sql::tree::{self, Node};

/// Looks at `node` and everything under it.
pub(super) fn expressions<'t>(node: Node<'t>, context: &mut JudgeContext<'_>) -> RuleResult {
    let mut waiting: Vec<Node<'t>> = Vec::with_capacity(STACK_TO_BEGIN_WITH);
    waiting.push(node);
    while let Some(next) = waiting.pop() {
        rules::check_node(next, context)?;
        tree::children(next, &mut waiting).map_err(|_| rules::node_unknown::refusal(next))?;
    }
    Ok(())
}

/// Enough for the statements of most applications without growing.
const STACK_TO_BEGIN_WITH: usize = 32;
