//! SELECT, VALUES, TABLE and the clauses that hang on them.

use pg_raw_parse::{Node, nodes};

use super::{FoundChildren, KindKnown};

pub(super) fn visit<'t>(node: Node<'t>, found: &mut FoundChildren<'_, 't>) -> KindKnown {
    match node {
        Node::SelectStmt(select) => select_statement(select, found),
        Node::ResTarget(target) => {
            found.names(target.indirection());
            found.one(target.val())
        }
        Node::WithClause(with) => found.many(with.ctes()),
        Node::CommonTableExpr(table) => common_table(table, found),
        Node::CTESearchClause(search) => found.names(search.search_col_list()),
        Node::CTECycleClause(cycle) => {
            found.names(cycle.cycle_col_list());
            found.one(cycle.cycle_mark_value());
            found.one(cycle.cycle_mark_default())
        }
        Node::SortBy(sort) => {
            found.one(sort.node());
            found.names(sort.use_op())
        }
        Node::WindowDef(window) => {
            found.many(window.partition_clause());
            found.many(window.order_clause());
            found.one(window.start_offset());
            found.one(window.end_offset())
        }
        Node::GroupingSet(set) => found.many(set.content()),
        Node::LockingClause(locking) => found.many(locking.locked_rels()),
        Node::IntoClause(into) => {
            found.one(into.rel());
            found.names(into.col_names());
            found.many(into.options());
            found.one(into.view_query())
        }
        _ => KindKnown::Unknown,
    }
}

fn select_statement<'t>(
    select: &'t nodes::SelectStmt,
    found: &mut FoundChildren<'_, 't>,
) -> KindKnown {
    found.many(select.distinct_clause());
    found.one(select.into_clause());
    found.many(select.target_list());
    found.many(select.from_clause());
    found.one(select.where_clause());
    found.many(select.group_clause());
    found.one(select.having_clause());
    found.many(select.window_clause());
    found.many(select.values_lists());
    found.many(select.sort_clause());
    found.one(select.limit_offset());
    found.one(select.limit_count());
    found.many(select.locking_clause());
    found.one(select.with_clause());
    found.one(select.larg());
    found.one(select.rarg())
}

fn common_table<'t>(
    table: &'t nodes::CommonTableExpr,
    found: &mut FoundChildren<'_, 't>,
) -> KindKnown {
    found.names(table.aliascolnames());
    found.one(table.ctequery());
    found.one(table.search_clause());
    found.one(table.cycle_clause());
    // Filled by parse analysis only: empty in what the grammar makes. The three lists of types
    // beside it have no accessor, hold numbers and are empty for the same reason.
    found.names(table.ctecolnames())
}
