//! A text that was judged before, judged again because it runs on another basis: the snapshot of
//! the database is another one, or search_path leads elsewhere.

use std::sync::Arc;

use crate::context::JudgeContext;
use crate::models::substitution;
use crate::rules::RuleResult;
use crate::{Refusal, RewrittenText, Rule, judge, rules};
use ground::sqlstate;
use sql::tree::{Node, SyntaxTree};

/// A text of a client's own, as [`crate::Gate::still_permits`] judges it. `instead` is what
/// runs.
pub(crate) fn check_client_text(
    tree: &SyntaxTree,
    rewritten: Option<&RewrittenText>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let found = substitution::of(tree, context)?;
    if found.as_ref().map(|found| &found.text) != rewritten.map(|rewritten| &rewritten.text) {
        return Err(rules::model::text_changed());
    }
    match found.map(Arc::new) {
        None => only(tree, context),
        Some(found) => {
            let mut changed = context.with_models(&found);
            let tree = crate::parse_with_models(&found.text, context.policy)?;
            substitution::check_none_left(&tree, &changed)?;
            only(&tree, &mut changed)?;
            context.observed = changed.observed;
            Ok(())
        }
    }
}

fn only(tree: &SyntaxTree, context: &mut JudgeContext<'_>) -> RuleResult {
    let mut statements = tree.statements();
    let node = match (statements.next(), statements.next()) {
        (None, _) => return Ok(()),
        (Some(only), None) => only.node,
        (Some(_), Some(_)) => return Err(too_deep()),
    };
    judge::judge(
        match node {
            Node::PrepareStmt(prepare) => {
                context.parameters = judge::parameters_of(prepare);
                prepare.query()
            }
            Node::DeclareCursorStmt(declare) => declare.query(),
            other => other,
        },
        context,
    )?;
    if context.edits.is_empty() {
        Ok(())
    } else {
        Err(rules::settings::not_lowerable())
    }
}

/// The refusal of a text that runs another one, itself run by one.
pub(crate) fn too_deep() -> Box<Refusal> {
    Refusal::new(
        Rule::PreparedName,
        "an EXECUTE that runs another EXECUTE or FETCH is not supported",
        "EXECUTE the statement itself.",
    )
    .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
}
