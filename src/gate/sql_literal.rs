//! SQL that a function is given as a literal: it is judged like a statement of the client's, where
//! the function runs it and nothing else (`crosstab` of tablefunc).
//!
//! It has to be one query that passes as it stands: without settings, models or bounds on plans,
//! which would have to change or to ask about a text that nobody can change any more.

use super::context::{JudgeContext, TextOrigin};
use super::effects::graph::{EffectGraph, EffectReason};
use super::models::substitution;
use super::rules::CalledName;
use super::{judge, parse};
use catalog::FunctionId;
use sql::tree::{ConstValue, Node, nodes};

/// Judges the literals of a call that may be of such a function, and notes where it stands if all
/// of them pass.
pub(super) fn check_literals(
    called: CalledName<'_>,
    call: &nodes::FuncCall,
    context: &mut JudgeContext<'_>,
) {
    let Some(effect_graph) = context.effect_graph() else {
        return;
    };
    let Some(name) = effect_graph.catalog().names().find(called.name) else {
        return;
    };
    let mut functions = effect_graph.catalog().index().functions(name).iter();
    if !functions.any(|id| runs_literal(*id, effect_graph)) {
        return;
    }
    let passes = match context.text_origin {
        TextOrigin::Own | TextOrigin::Run => all_pass(call, context),
        // A body is judged once for all who run it; a literal in a literal has no end.
        TextOrigin::Body | TextOrigin::Literal => false,
    };
    if let (true, Ok(at)) = (passes, usize::try_from(call.location)) {
        context.literals_judged.push(at);
        context.runs_by_path = true;
    }
}

/// Whether a call at a place of the text runs literals that were judged, where their names are
/// looked up when they run.
pub(super) fn is_judged(at: Option<usize>, context: &JudgeContext<'_>) -> bool {
    context.within.is_empty() && at.is_some_and(|at| context.literals_judged.contains(&at))
}

/// Whether a function runs its string as SQL and nothing else, and is nothing worse.
pub(super) fn runs_literal(id: FunctionId, effect_graph: &EffectGraph) -> bool {
    let hidden = effect_graph.called_by_name(id);
    hidden.is_some_and(|hidden| hidden.is_own() && hidden.reason() == EffectReason::RunsLiteral)
}

/// The first argument is SQL; another one is where it is a text, and the number of something else.
fn all_pass(call: &nodes::FuncCall, context: &mut JudgeContext<'_>) -> bool {
    let limits = context.policy.limits();
    if limits.wants_plans() || limits.nesting.is_some() || call.func_variadic {
        return false;
    }
    let mut arguments = call.args().iter().map(LiteralArgument::of);
    matches!(arguments.next(), Some(LiteralArgument::Sql(text)) if passes(text, context))
        && arguments.all(|argument| match argument {
            LiteralArgument::Sql(text) => passes(text, context),
            LiteralArgument::Number => true,
            LiteralArgument::Other => false,
        })
}

/// What an argument is.
enum LiteralArgument<'n> {
    Sql(&'n str),
    Number,
    Other,
}

impl<'n> LiteralArgument<'n> {
    fn of(node: Node<'n>) -> Self {
        let constant = match node {
            Node::A_Const(constant) => constant,
            // 'SELECT …'::text
            Node::TypeCast(cast) => match (cast.arg(), cast.type_name()) {
                (Node::A_Const(constant), Some(to)) if is_text(to) => constant,
                _ => return Self::Other,
            },
            _ => return Self::Other,
        };
        match constant.val() {
            Some(ConstValue::String(text)) => Self::Sql(text),
            Some(ConstValue::Integer(_)) => Self::Number,
            _ => Self::Other,
        }
    }
}

fn is_text(to: &nodes::TypeName) -> bool {
    let mut names = to.names().iter().map(|part| part.sval());
    let last = names.next_back().flatten();
    let schema = names.next_back().flatten();
    last == Some("text")
        && matches!(schema, None | Some("pg_catalog"))
        && to.array_bounds().is_empty()
        && !to.setof
}

fn passes(text: &str, context: &mut JudgeContext<'_>) -> bool {
    let Ok(tree) = parse(text, context.policy) else {
        return false;
    };
    let mut statements = tree.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return false;
    };
    if !matches!(only.node, Node::SelectStmt(_)) {
        return false;
    }
    let mut inner = context.literal(text);
    let is_plain = matches!(substitution::of(&tree, &mut inner), Ok(None))
        && judge::judge(only.node, &mut inner).is_ok()
        && inner.effects.is_empty()
        && inner.edits.is_empty()
        && inner.within.is_empty();
    if is_plain {
        context.take_over_literal(&inner);
    }
    is_plain
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{agent_with, check_in, gate, people, session_of};

    const CROSSTAB: &str =
        "stable language=c of=tablefunc code=$libdir/tablefunc:crosstab owner=postgres";

    fn check(more: &str, fires: &[&str], silent: &[&str]) {
        let catalog = people()
            .function("public.crosstab(text) setof record", CROSSTAB)
            .function("shop.crosstab(text) setof record", CROSSTAB)
            .function("shop.crosstab(text, int4) setof record", CROSSTAB)
            .function("shop.crosstab(text, text) setof record", CROSSTAB)
            .build();
        let policy = agent_with(&[], more);
        let names = session_of(catalog, &policy);
        check_in(&gate(policy), &names, Rule::HiddenFunction, fires, silent);
    }

    #[test]
    fn literals_that_pass_by_themselves_pass() {
        check(
            "",
            &[
                "SELECT shop.crosstab('DELETE FROM shop.people RETURNING 1, 2, 3')",
                "SELECT shop.crosstab('WITH d AS (DELETE FROM shop.people RETURNING 1) SELECT 1')",
                "SELECT shop.crosstab('SELECT 1; SELECT 2')",
                "SELECT shop.crosstab('SELECT pg_advisory_lock(1)')",
                "SELECT shop.crosstab('SELECT set_config(''jit'', ''off'', false)')",
                "SELECT shop.crosstab('SELECT 1 FOR UPDATE')",
                "SELECT shop.crosstab('SELECT shop.crosstab(''SELECT 1'')')",
                "SELECT shop.crosstab('SHOW geqo')",
                "SELECT shop.crosstab('EXPLAIN SELECT 1')",
                "SELECT shop.crosstab('no SQL')",
                "SELECT shop.crosstab('')",
                "SELECT shop.crosstab($1)",
                "SELECT shop.crosstab('SELECT 1' || '')",
                "SELECT shop.crosstab('SELECT 1'::varchar)",
                "SELECT shop.crosstab('SELECT 1', $1)",
                "SELECT shop.crosstab('SELECT 1', 'DELETE FROM shop.people')",
                "SELECT shop.crosstab(VARIADIC 'SELECT 1')",
                "SELECT shop.crosstab('SELECT 1'), shop.crosstab(name) FROM shop.people",
                "SELECT shop.crosstab('SELECT 1'), set_config('search_path', 'shop', false)",
                "WITH q AS (SELECT 'SELECT 1'::text AS t) SELECT (t).crosstab FROM q",
            ],
            &[
                "SELECT shop.crosstab('SELECT id, name, 1 FROM shop.people ORDER BY 1')",
                "SELECT shop.crosstab($$SELECT 1, 2, 3$$::text, 2)",
                "SELECT shop.crosstab('SELECT 1, 2, 3', 'VALUES (1), (2)')",
                "SELECT crosstab('SELECT 1, 2, 3')",
                "PREPARE p AS SELECT shop.crosstab('SELECT 1, 2, 3')",
            ],
        );
    }

    #[test]
    fn what_a_policy_hides_is_hidden_in_a_literal_as_well() {
        check(
            "\nrelations: {deny: [shop.orders]}\ncolumns: {deny: [shop.people.secret]}\n",
            &[
                "SELECT shop.crosstab('SELECT id FROM shop.orders')",
                "SELECT shop.crosstab('SELECT secret FROM shop.people')",
                "SELECT shop.crosstab('SELECT * FROM shop.people')",
                "SELECT shop.crosstab('SELECT 1', 'TABLE shop.orders')",
            ],
            &["SELECT shop.crosstab('SELECT id, name FROM shop.people')"],
        );
        check(
            "\nmodels:\n  shop.people: {sql: SELECT id FROM shop.people WHERE id > 2}\n",
            &["SELECT shop.crosstab('SELECT id FROM shop.people')"],
            &["SELECT shop.crosstab('SELECT 1')"],
        );
    }
}
