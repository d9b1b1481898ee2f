//! `cursor_name`: FETCH or MOVE of a cursor that does not exist.
//!
//! # Sees
//! FETCH and MOVE, which run the cursor's statement, of a name that this session has not declared.
//!
//! # Why
//! What it would run was never judged.
//!
//! # Before
//! - `FETCH ALL FROM nobody`
//! - `MOVE 5 IN nobody`
//!
//! # After
//! - `BEGIN; DECLARE c CURSOR FOR SELECT 1; FETCH c` (bi)
//!
//! # When not
//! Portals made by a Bind message have names too and count. CLOSE runs nothing and passes.

use crate::context::JudgeContext;
use crate::prepared::execution;
use crate::recognized::backend_signal;
use crate::rules::{RuleResult, model, node_unknown};
use crate::{Refusal, Rule};
use sql::tree::Node;

pub(crate) fn check(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Node::FetchStmt(fetch) = node else {
        return Err(node_unknown::refusal(node));
    };
    let name = fetch.portalname().unwrap_or_default();
    if context.names().is_cursor_ambiguous(name) {
        return Err(Refusal::of_name_in_doubt(name));
    }
    match context.cursor(name) {
        Some(cursor) => {
            backend_signal::runs_alone(&cursor.facts)?;
            if cursor.facts.is_plan_of_models() {
                return Err(model::fetched());
            }
            execution::cursor(&cursor, context)?;
            context.take_over(&cursor.facts);
            context.source_text = Some(cursor.text);
            Ok(())
        }
        None => Err(Refusal::new(
            Rule::CursorName,
            &format!("cursor \"{name}\" does not exist"),
            "DECLARE the cursor first, in this transaction.",
        )
        .about(format_args!("{name}"))),
    }
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi};

    #[test]
    fn only_what_was_declared_is_fetched() {
        check(
            Rule::CursorName,
            &["FETCH c", "FETCH FORWARD 10 FROM c", "MOVE ALL IN c"],
            &["CLOSE c", "CLOSE ALL", "DECLARE c CURSOR FOR SELECT 1"],
        );
        check_bi(
            Rule::CursorName,
            &["BEGIN; DECLARE c CURSOR FOR SELECT 1; CLOSE c; FETCH c"],
            &["BEGIN; DECLARE c SCROLL CURSOR FOR SELECT 1; FETCH LAST c; MOVE 1 c"],
        );
    }
}
