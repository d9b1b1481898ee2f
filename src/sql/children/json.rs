//! The SQL/JSON clauses: constructors, query functions, JSON_TABLE.
//!
//! Servers before 16 and 17 do not have them and call a function of that name instead: which kinds
//! a server has is the gate's question, not one of the tree.

use pg_raw_parse::{Node, nodes};

use super::{FoundChildren, KindKnown};

pub(super) fn visit<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    part(node, found)
        .or_else(|| constructor(node, found))
        .or_else(|| query(node, found))
}

/// The parts that the clauses are made of.
fn part<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::JsonFormat(_) => found.nothing(),
        Node::JsonReturning(returning) => found.one(returning.format()),
        Node::JsonOutput(output) => {
            found.one(output.type_name());
            found.one(output.returning())
        }
        Node::JsonValueExpr(value) => {
            found.one(value.raw_expr());
            found.one(value.formatted_expr());
            found.one(value.format())
        }
        Node::JsonArgument(argument) => found.one(argument.val()),
        Node::JsonKeyValue(pair) => {
            found.one(pair.key());
            found.one(pair.value())
        }
        Node::JsonBehavior(behavior) => found.one(behavior.expr()),
        Node::JsonTablePathSpec(path) => found.one(path.string()),
        Node::JsonIsPredicate(predicate) => {
            found.one(predicate.expr());
            found.one(predicate.format())
        }
        _ => KindKnown::Unknown,
    }
}

/// What makes JSON.
fn constructor<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::JsonParseExpr(parse) => {
            found.one(parse.expr());
            found.one(parse.output())
        }
        Node::JsonScalarExpr(scalar) => {
            found.one(scalar.expr());
            found.one(scalar.output())
        }
        Node::JsonSerializeExpr(serialize) => {
            found.one(serialize.expr());
            found.one(serialize.output())
        }
        Node::JsonObjectConstructor(object) => {
            found.many(object.exprs());
            found.one(object.output())
        }
        Node::JsonArrayConstructor(array) => {
            found.many(array.exprs());
            found.one(array.output())
        }
        Node::JsonArrayQueryConstructor(array) => {
            found.one(array.query());
            found.one(array.output());
            found.one(array.format())
        }
        Node::JsonObjectAgg(aggregate) => {
            found.one(aggregate.constructor());
            found.one(aggregate.arg())
        }
        Node::JsonArrayAgg(aggregate) => {
            found.one(aggregate.constructor());
            found.one(aggregate.arg())
        }
        Node::JsonAggConstructor(aggregate) => {
            found.one(aggregate.output());
            found.one(aggregate.agg_filter());
            found.many(aggregate.agg_order());
            found.one(aggregate.over())
        }
        _ => KindKnown::Unknown,
    }
}

/// What looks into JSON.
fn query<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::JsonFuncExpr(function) => query_function(function, found),
        Node::JsonTable(table) => {
            found.one(table.context_item());
            found.one(table.pathspec());
            found.many(table.passing());
            found.many(table.columns());
            found.one(table.on_error());
            found.one(table.alias())
        }
        Node::JsonTableColumn(column) => {
            found.one(column.type_name());
            found.one(column.pathspec());
            found.one(column.format());
            found.many(column.columns());
            found.one(column.on_empty());
            found.one(column.on_error())
        }
        _ => KindKnown::Unknown,
    }
}

fn query_function<'t>(
    function: &'t nodes::JsonFuncExpr,
    found: &mut FoundChildren<'_, 't>,
) -> KindKnown {
    found.one(function.context_item());
    found.one(function.pathspec());
    found.many(function.passing());
    found.one(function.output());
    found.one(function.on_empty());
    found.one(function.on_error())
}
