//! Whether two expressions are the same one, as a key of GROUP BY and an expression of the result
//! are: the same operators and functions over the same columns, wherever they stand.

use crate::scopes::column_reference::ReferenceMeaning;
use crate::scopes::query_scopes::QueryScopes;
use sql::tree::list::NodeList;
use sql::tree::{self, ConstValue, Node};

/// What two expressions are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionMatch {
    /// One expression.
    Same,
    /// Two.
    Different,
    /// It cannot be told: the server may read different spellings as one.
    Unsure,
}

/// Compares two expressions of one statement.
pub(crate) fn compare_expressions(
    query_scopes: &QueryScopes<'_>,
    one: Node<'_>,
    other: Node<'_>,
) -> ExpressionMatch {
    let mut waiting = vec![(one, other)];
    let mut result = ExpressionMatch::Same;
    while let Some((one, other)) = waiting.pop() {
        match itself(query_scopes, one, other) {
            ExpressionMatch::Different => return ExpressionMatch::Different,
            ExpressionMatch::Unsure => {
                result = ExpressionMatch::Unsure;
                continue;
            }
            ExpressionMatch::Same => {}
        }
        let (mut below, mut other_below) = (Vec::new(), Vec::new());
        let known = tree::children(one, &mut below).and(tree::children(other, &mut other_below));
        if known.is_err() {
            result = ExpressionMatch::Unsure;
        } else if below.len() != other_below.len() {
            return ExpressionMatch::Different;
        } else {
            waiting.extend(below.into_iter().zip(other_below));
        }
    }
    result
}

/// Compares two nodes without what is below them.
fn itself(query_scopes: &QueryScopes<'_>, one: Node<'_>, other: Node<'_>) -> ExpressionMatch {
    let same = match (one, other) {
        (Node::ColumnRef(one), Node::ColumnRef(other)) => {
            return same_column(query_scopes, one.location, other.location);
        }
        (Node::A_Const(one), Node::A_Const(other)) => {
            one.isnull == other.isnull && is_same_constant(one.val(), other.val())
        }
        (Node::FuncCall(one), Node::FuncCall(other)) => {
            is_same_name(one.funcname(), other.funcname())
                && one.agg_distinct == other.agg_distinct
                && one.agg_star == other.agg_star
                && one.agg_within_group == other.agg_within_group
                && one.func_variadic == other.func_variadic
        }
        (Node::A_Expr(one), Node::A_Expr(other)) => {
            one.kind == other.kind && is_same_name(one.name(), other.name())
        }
        (Node::BoolExpr(one), Node::BoolExpr(other)) => one.boolop == other.boolop,
        (Node::TypeName(one), Node::TypeName(other)) => {
            let own = one.names().iter().map(|name| name.sval());
            if !own.eq(other.names().iter().map(|name| name.sval())) {
                // One type can have several names.
                return ExpressionMatch::Unsure;
            }
            one.setof == other.setof
        }
        (Node::NullTest(one), Node::NullTest(other)) => one.nulltesttype == other.nulltesttype,
        (Node::BooleanTest(one), Node::BooleanTest(other)) => {
            one.booltesttype == other.booltesttype
        }
        (Node::MinMaxExpr(one), Node::MinMaxExpr(other)) => one.op == other.op,
        (Node::SQLValueFunction(one), Node::SQLValueFunction(other)) => {
            one.op == other.op && one.typmod == other.typmod
        }
        (Node::ParamRef(one), Node::ParamRef(other)) => one.number == other.number,
        (Node::None, Node::None)
        | (Node::TypeCast(_), Node::TypeCast(_))
        | (Node::CaseExpr(_), Node::CaseExpr(_))
        | (Node::CaseWhen(_), Node::CaseWhen(_))
        | (Node::CoalesceExpr(_), Node::CoalesceExpr(_))
        | (Node::A_ArrayExpr(_), Node::A_ArrayExpr(_))
        | (Node::NodeList(_), Node::NodeList(_)) => true,
        (Node::ColumnRef(_) | Node::A_Const(_), Node::FuncCall(_) | Node::A_Expr(_))
        | (Node::FuncCall(_) | Node::A_Expr(_), Node::ColumnRef(_) | Node::A_Const(_))
        | (Node::FuncCall(_), Node::A_Expr(_))
        | (Node::A_Expr(_), Node::FuncCall(_))
        | (Node::ColumnRef(_), Node::A_Const(_))
        | (Node::A_Const(_), Node::ColumnRef(_)) => false,
        _ => return ExpressionMatch::Unsure,
    };
    match same {
        true => ExpressionMatch::Same,
        false => ExpressionMatch::Different,
    }
}

fn same_column(query_scopes: &QueryScopes<'_>, one: i32, other: i32) -> ExpressionMatch {
    let meaning = |location: i32| {
        let at = usize::try_from(location).ok()?;
        Some(query_scopes.reference_at(at)?.meaning)
    };
    match (meaning(one), meaning(other)) {
        (Some(ReferenceMeaning::Column(one)), Some(ReferenceMeaning::Column(other))) => {
            match one == other {
                true => ExpressionMatch::Same,
                false => ExpressionMatch::Different,
            }
        }
        _ => ExpressionMatch::Unsure,
    }
}

fn is_same_constant(one: Option<ConstValue<'_>>, other: Option<ConstValue<'_>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(ConstValue::Integer(one)), Some(ConstValue::Integer(other))) => one == other,
        (Some(ConstValue::Float(one)), Some(ConstValue::Float(other))) => one == other,
        (Some(ConstValue::Boolean(one)), Some(ConstValue::Boolean(other))) => one == other,
        (Some(ConstValue::String(one)), Some(ConstValue::String(other))) => one == other,
        (Some(ConstValue::BitString(one)), Some(ConstValue::BitString(other))) => one == other,
        _ => false,
    }
}

/// Whether two names are one; the schema of what comes with the server may be left out.
fn is_same_name(one: &NodeList, other: &NodeList) -> bool {
    let parts = |list: &NodeList| -> Vec<String> {
        let parts = list.iter().filter_map(Node::as_str);
        let parts = parts.filter(|part| *part != "pg_catalog");
        parts.map(str::to_owned).collect()
    };
    parts(one) == parts(other)
}
