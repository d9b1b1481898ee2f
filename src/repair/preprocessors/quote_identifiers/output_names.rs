//! Where a name alone means a column of the result first: the keys of ORDER BY, DISTINCT ON and
//! GROUP BY.

use std::collections::HashMap;
use std::rc::Rc;

use sql::tree::{self, Node, SetOperation, nodes};

/// By the place of a key: what the columns of its result are called.
pub(in crate::preprocessors) type OutputNamesByKey<'t> = HashMap<usize, Rc<[&'t str]>>;

/// Looks through a statement.
pub(in crate::preprocessors) fn of(statement: Node<'_>) -> OutputNamesByKey<'_> {
    let mut found = HashMap::new();
    let mut waiting = vec![statement];
    while let Some(node) = waiting.pop() {
        if let Node::SelectStmt(select) = node {
            keys(select, &mut found);
        }
        // What the tree does not know has no keys that could be told.
        let _unknown = tree::children(node, &mut waiting);
    }
    found
}

fn keys<'t>(select: &'t nodes::SelectStmt, found: &mut OutputNamesByKey<'t>) {
    let sorted = select.sort_clause().iter().map(|key| key.node());
    let grouped = select.group_clause().iter();
    let distinct = select.distinct_clause().iter();
    let mut names: Option<Rc<[&str]>> = None;
    for key in sorted.chain(grouped).chain(distinct) {
        let Node::ColumnRef(reference) = key else {
            continue;
        };
        let Ok(at) = usize::try_from(reference.location) else {
            continue;
        };
        if reference.fields().len() == 1 {
            let names = names.get_or_insert_with(|| called(select));
            found.insert(at, Rc::clone(names));
        }
    }
}

/// What the columns of a result are called, as far as the text says.
fn called(select: &nodes::SelectStmt) -> Rc<[&str]> {
    let mut first = select;
    while first.op != SetOperation::SETOP_NONE {
        match first.larg() {
            Some(left) => first = left,
            None => break,
        }
    }
    let names = first.target_list().iter().filter_map(|target| {
        let Node::ResTarget(target) = target.into() else {
            return None;
        };
        match (target.name(), target.val()) {
            (Some(name), _) => Some(name),
            (None, Node::ColumnRef(column)) => match column.fields().iter().next_back() {
                Some(Node::String(name)) => name.sval(),
                _ => None,
            },
            _ => None,
        }
    });
    names.collect()
}
