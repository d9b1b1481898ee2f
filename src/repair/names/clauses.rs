//! The parts of queries and expressions, and what each is there.

use super::reference_position::{ExpressionContext, ExpressionRole, ReferenceClause, ScopeStep};
use sql::tree::{self, A_Expr_Kind, Node, list, nodes};

/// Everything in a query.
pub(super) fn of_query<'t>(
    select: &'t nodes::SelectStmt,
    scope: usize,
    waiting: &mut Vec<ScopeStep<'t>>,
) {
    if let Some(with) = select.with_clause() {
        for table in with.ctes() {
            if let Node::SelectStmt(query) = table.ctequery() {
                waiting.push(ScopeStep::Query(query, Some(scope)));
            }
        }
    }
    for side in [select.larg(), select.rarg()].into_iter().flatten() {
        waiting.push(ScopeStep::Query(side, Some(scope)));
    }
    let mut add = |node: Node<'t>, clause: ReferenceClause| {
        let around = ExpressionContext {
            scope: Some(scope),
            clause,
            role: ExpressionRole::Whole,
        };
        waiting.push(ScopeStep::Expression(node, around));
    };
    for (place, target) in select.target_list().iter().enumerate() {
        add(target.val(), ReferenceClause::Target(place));
    }
    add(select.where_clause(), ReferenceClause::Where);
    add(select.having_clause(), ReferenceClause::Having);
    for node in select.group_clause() {
        add(node, ReferenceClause::Group);
    }
    for key in select.sort_clause() {
        add(key.node(), ReferenceClause::Order);
    }
    for list in [
        select.distinct_clause(),
        select.window_clause(),
        select.values_lists(),
    ] {
        for node in list {
            add(node, ReferenceClause::Other);
        }
    }
    add(select.limit_offset(), ReferenceClause::Other);
    add(select.limit_count(), ReferenceClause::Other);
    // Last, so that it is looked at first, and from the left.
    let from: Vec<Node<'t>> = select.from_clause().iter().collect();
    for node in from.into_iter().rev() {
        waiting.push(ScopeStep::From(node, scope, Vec::new(), false));
    }
}

/// The parts of an expression; none where it is not known.
pub(super) fn inside<'t>(
    node: Node<'t>,
    around: ExpressionContext<'t>,
    waiting: &mut Vec<ScopeStep<'t>>,
) -> Option<()> {
    let mut add = |node: Node<'t>, role: ExpressionRole<'t>| {
        waiting.push(ScopeStep::Expression(
            node,
            ExpressionContext { role, ..around },
        ));
    };
    match node {
        Node::A_Expr(operation) => operands(operation, add),
        Node::CaseExpr(case) => {
            add(case.arg(), ExpressionRole::Part);
            add(case.defresult(), ExpressionRole::Branch);
            let tested = !matches!(case.arg(), Node::None);
            for when in case.args() {
                if let Node::CaseWhen(when) = when {
                    add(
                        when.expr(),
                        match tested {
                            true => ExpressionRole::Tested,
                            false => ExpressionRole::Part,
                        },
                    );
                    add(when.result(), ExpressionRole::Branch);
                }
            }
        }
        Node::FuncCall(call) => {
            let name = call.funcname().iter().next_back();
            let of = name.and_then(Node::as_str).unwrap_or_default();
            arguments(of, call.args(), &mut add);
            for key in call.agg_order() {
                add(key.node(), ExpressionRole::Part);
            }
            add(call.agg_filter(), ExpressionRole::Part);
            if let Some(over) = call.over() {
                add(Node::WindowDef(over), ExpressionRole::Part);
            }
        }
        Node::CoalesceExpr(coalesce) => arguments("coalesce", coalesce.args(), &mut add),
        Node::MinMaxExpr(extreme) => arguments("greatest", extreme.args(), &mut add),
        Node::A_ArrayExpr(array) => {
            for element in array.elements() {
                add(element, ExpressionRole::Element);
            }
        }
        Node::TypeCast(cast) => add(cast.arg(), ExpressionRole::Cast),
        Node::NullTest(test) => add(test.arg(), ExpressionRole::Test),
        Node::BooleanTest(test) => add(test.arg(), ExpressionRole::Test),
        // A list that is grouped by or given as a row of values: each is whole.
        Node::GroupingSet(set) => {
            for node in set.content() {
                add(node, around.role);
            }
        }
        other => {
            let mut parts = Vec::new();
            tree::children(other, &mut parts).ok()?;
            for part in parts {
                add(part, ExpressionRole::Part);
            }
        }
    }
    Some(())
}

fn arguments<'t>(
    of: &'t str,
    all: &'t list::NodeList,
    add: &mut impl FnMut(Node<'t>, ExpressionRole<'t>),
) {
    for (place, argument) in all.iter().enumerate() {
        add(argument, ExpressionRole::Argument { of, all, place });
    }
}

fn operands<'t>(operation: &'t nodes::A_Expr, mut add: impl FnMut(Node<'t>, ExpressionRole<'t>)) {
    let (left, right) = (operation.lexpr(), operation.rexpr());
    let name = match operation.name().iter().next_back() {
        Some(Node::String(name)) => name.sval().unwrap_or_default(),
        _ => "",
    };
    let compared = |other| ExpressionRole::Compared {
        other,
        equal: name == "=",
    };
    let listed = ExpressionRole::Listed { sought: left };
    match operation.kind {
        A_Expr_Kind::AEXPR_OP if COMPARISONS.contains(&name) => {
            add(left, compared(right));
            add(right, compared(left));
        }
        A_Expr_Kind::AEXPR_OP if name == "||" => {
            add(left, ExpressionRole::Joined { other: right });
            add(right, ExpressionRole::Joined { other: left });
        }
        A_Expr_Kind::AEXPR_OP if PATTERNS.contains(&name) => {
            add(left, ExpressionRole::Part);
            add(right, listed);
        }
        A_Expr_Kind::AEXPR_DISTINCT | A_Expr_Kind::AEXPR_NOT_DISTINCT => {
            add(left, compared(right));
            add(right, compared(left));
        }
        A_Expr_Kind::AEXPR_NULLIF | A_Expr_Kind::AEXPR_LIKE | A_Expr_Kind::AEXPR_ILIKE => {
            add(left, ExpressionRole::Part);
            add(right, listed);
        }
        A_Expr_Kind::AEXPR_IN
        | A_Expr_Kind::AEXPR_BETWEEN
        | A_Expr_Kind::AEXPR_NOT_BETWEEN
        | A_Expr_Kind::AEXPR_BETWEEN_SYM
        | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM => {
            add(left, ExpressionRole::Part);
            match right {
                Node::NodeList(all) => {
                    for one in all {
                        add(one, listed);
                    }
                }
                other => add(other, ExpressionRole::Part),
            }
        }
        _ => {
            add(left, ExpressionRole::Part);
            add(right, ExpressionRole::Part);
        }
    }
}

/// The operators that compare two values.
const COMPARISONS: [&str; 7] = ["=", "<>", "!=", "<", ">", "<=", ">="];

/// The operators whose right side says what is looked for in the left one.
const PATTERNS: [&str; 10] = ["->", "->>", "#>", "#>>", "?", "@>", "~", "~*", "!~", "!~*"];
