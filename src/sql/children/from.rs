//! What can stand in FROM: tables, sub-selects, functions, joins, samples, XMLTABLE.

use pg_raw_parse::{Node, nodes};

use super::{FoundChildren, KindKnown};

pub(super) fn visit<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::RangeVar(table) => found.one(table.alias()),
        Node::Alias(alias) => found.names(alias.colnames()),
        Node::RangeSubselect(range) => {
            found.one(range.subquery());
            found.one(range.alias())
        }
        Node::RangeFunction(range) => {
            // Each function is a list of itself and its own column definitions.
            found.many(range.functions());
            found.one(range.alias());
            found.many(range.coldeflist())
        }
        Node::JoinExpr(join) => {
            found.one(join.larg());
            found.one(join.rarg());
            found.many(join.using_clause());
            found.one(join.join_using_alias());
            found.one(join.quals());
            found.one(join.alias())
        }
        Node::RangeTableSample(sample) => {
            found.one(sample.relation());
            // The method is the name of a function: the gate reads it from this node.
            found.names(sample.method());
            found.many(sample.args());
            found.one(sample.repeatable())
        }
        Node::RangeTableFunc(range) => {
            found.one(range.docexpr());
            found.one(range.rowexpr());
            found.many(range.namespaces());
            found.many(range.columns());
            found.one(range.alias())
        }
        Node::RangeTableFuncCol(column) => {
            found.one(column.type_name());
            found.one(column.colexpr());
            found.one(column.coldefexpr())
        }
        Node::ColumnDef(column) => column_definition(column, found),
        _ => KindKnown::Unknown,
    }
}

fn column_definition<'t>(
    column: &'t nodes::ColumnDef,
    found: &mut FoundChildren<'_, 't>,
) -> KindKnown {
    found.one(column.type_name());
    found.one(column.raw_default());
    found.one(column.cooked_default());
    found.one(column.identity_sequence());
    found.one(column.coll_clause());
    found.many(column.constraints());
    found.many(column.fdwoptions())
}
