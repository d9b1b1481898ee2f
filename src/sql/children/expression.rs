//! Expressions, names and values.

use pg_raw_parse::{ConstValue, Node, nodes};

use super::{FoundChildren, KindKnown};

pub(super) fn visit<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    leaf(node, found)
        .or_else(|| operation(node, found))
        .or_else(|| standard_form(node, found))
}

/// Names and values: mostly without children.
fn leaf<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::ColumnRef(column) => found.names(column.fields()),
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::Unrecognized(_)) => KindKnown::Unknown,
            // Every other value is a number, a text or a truth value; none is NULL.
            _ => found.nothing(),
        },
        Node::TypeName(name) => {
            found.many(name.names());
            found.many(name.typmods());
            found.many(name.array_bounds())
        }
        Node::ParamRef(_)
        | Node::A_Star(_)
        | Node::Integer(_)
        | Node::Float(_)
        | Node::Boolean(_)
        | Node::String(_)
        | Node::BitString(_)
        | Node::SQLValueFunction(_)
        | Node::SetToDefault(_)
        | Node::MergeSupportFunc(_) => found.nothing(),
        _ => KindKnown::Unknown,
    }
}

/// Calls, operators, casts, subscripts and sub-selects.
fn operation<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::FuncCall(call) => function_call(call, found),
        Node::A_Expr(operator) => {
            found.names(operator.name());
            found.one(operator.lexpr());
            found.one(operator.rexpr())
        }
        Node::BoolExpr(operator) => found.many(operator.args()),
        Node::TypeCast(cast) => {
            found.one(cast.arg());
            found.one(cast.type_name())
        }
        Node::SubLink(link) => {
            found.one(link.testexpr());
            found.names(link.oper_name());
            found.one(link.subselect())
        }
        Node::A_Indirection(indirection) => {
            found.one(indirection.arg());
            found.names(indirection.indirection())
        }
        Node::A_Indices(indices) => {
            found.one(indices.lidx());
            found.one(indices.uidx())
        }
        Node::CollateClause(collate) => {
            found.one(collate.arg());
            found.names(collate.collname())
        }
        Node::NamedArgExpr(argument) => found.one(argument.arg()),
        _ => KindKnown::Unknown,
    }
}

/// The forms that the SQL standard gives a syntax of their own.
fn standard_form<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::CaseExpr(case) => {
            found.one(case.arg());
            found.many(case.args());
            found.one(case.defresult())
        }
        Node::CaseWhen(when) => {
            found.one(when.expr());
            found.one(when.result())
        }
        Node::NullTest(test) => found.one(test.arg()),
        Node::BooleanTest(test) => found.one(test.arg()),
        Node::CoalesceExpr(coalesce) => found.many(coalesce.args()),
        Node::MinMaxExpr(extreme) => found.many(extreme.args()),
        Node::A_ArrayExpr(array) => found.many(array.elements()),
        Node::RowExpr(row) => {
            found.many(row.args());
            found.many(row.colnames())
        }
        Node::GroupingFunc(grouping) => {
            found.many(grouping.args());
            found.many(grouping.refs());
            found.many(grouping.cols())
        }
        Node::XmlExpr(xml) => {
            found.many(xml.named_args());
            found.many(xml.arg_names());
            found.many(xml.args())
        }
        Node::XmlSerialize(xml) => {
            found.one(xml.expr());
            found.one(xml.type_name())
        }
        _ => KindKnown::Unknown,
    }
}

fn function_call<'t>(call: &'t nodes::FuncCall, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    found.names(call.funcname());
    found.many(call.args());
    found.many(call.agg_order());
    found.one(call.agg_filter());
    found.one(call.over())
}
