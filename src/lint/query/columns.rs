//! What the name of a column means, and which items of FROM an expression speaks of.

use std::collections::BTreeSet;

use super::{QueryId, QueryTree};
use catalog::RelationId;
use resolve::ScopeColumn;
use sql::node_access::place;
use sql::tree::{self, Node, nodes};

/// A column of an item of FROM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ColumnAt<'a> {
    /// The query in whose FROM it stands.
    pub(crate) query: QueryId,
    /// The place of the item there.
    pub(crate) item: usize,
    /// The name of the column.
    pub(crate) name: &'a str,
}

/// The items of one FROM that an expression speaks of.
#[derive(Debug, Default)]
pub(crate) struct MentionedItems {
    /// Their places.
    pub(crate) items: BTreeSet<usize>,
    /// Whether it may speak of others: some name could not be told.
    pub(crate) is_unsure: bool,
}

/// Whether an item has a column.
enum ColumnPresence {
    Has,
    HasNot,
    Unknown,
}

impl<'a> QueryTree<'a> {
    /// The column that a reference in a query means, if that can be told.
    pub(crate) fn column(
        &self,
        id: QueryId,
        reference: &'a nodes::ColumnRef,
    ) -> Option<ColumnAt<'a>> {
        let (qualifier, name) = names(reference)?;
        match qualifier {
            Some(qualifier) => self.qualified(id, qualifier, name),
            None => self.unqualified(id, name),
        }
    }

    fn qualified(&self, id: QueryId, qualifier: &str, name: &'a str) -> Option<ColumnAt<'a>> {
        self.chain(id).find_map(|(query, found)| {
            let mut items = found.items.iter();
            let item = items.position(|item| item.name == Some(qualifier))?;
            Some(ColumnAt { query, item, name })
        })
    }

    fn unqualified(&self, id: QueryId, name: &'a str) -> Option<ColumnAt<'a>> {
        for (query, found) in self.chain(id) {
            let (mut having, mut unknown) = (Vec::new(), Vec::new());
            for (place, item) in found.items.iter().enumerate() {
                match presence(item.columns.as_deref(), name) {
                    ColumnPresence::Has => having.push(place),
                    ColumnPresence::HasNot => {}
                    ColumnPresence::Unknown => unknown.push(place),
                }
            }
            let is_merged = found
                .joins
                .iter()
                .any(|join| join.form == super::JoinForm::Natural || join.using.contains(&name));
            let item = match (having.as_slice(), unknown.as_slice()) {
                ([], []) => continue,
                ([one], []) => *one,
                ([], [one]) if found.items.len() == 1 => *one,
                ([first, ..], []) if is_merged => *first,
                _ => return None,
            };
            return Some(ColumnAt { query, item, name });
        }
        None
    }

    /// What is known of a column.
    pub(crate) fn scope_column(&self, at: &ColumnAt<'a>) -> Option<&ScopeColumn<'a>> {
        let columns = self.item(at)?.columns.as_ref()?;
        columns
            .iter()
            .find(|column| column.name.as_str() == at.name)
    }

    /// The relation and the number of the column that a column passes on unchanged, if any.
    pub(crate) fn origin(&self, at: &ColumnAt<'a>) -> Option<(RelationId, i16)> {
        self.scope_column(at)?.origin
    }

    /// The items of a query's FROM that an expression in it speaks of, its sub-selects included.
    pub(crate) fn mentioned(&self, id: QueryId, expression: Node<'a>) -> MentionedItems {
        let mut found = MentionedItems::default();
        let mut waiting = vec![(expression, id)];
        let mut children = Vec::new();
        while let Some((node, mut query)) = waiting.pop() {
            if let Node::SelectStmt(select) = node {
                query = self.query_of(select).unwrap_or(query);
            }
            if let Node::ColumnRef(reference) = node {
                match self.column(query, reference) {
                    Some(at) if at.query == id => {
                        found.items.insert(at.item);
                    }
                    Some(_) => {}
                    None => self.mention_row(id, reference, &mut found),
                }
                continue;
            }
            children.clear();
            if tree::children(node, &mut children).is_err() {
                found.is_unsure = true;
            }
            waiting.extend(children.iter().map(|child| (*child, query)));
        }
        found
    }

    /// A reference that is no column: a row as a whole, a star, or something that is not known.
    fn mention_row(
        &self,
        id: QueryId,
        reference: &'a nodes::ColumnRef,
        found: &mut MentionedItems,
    ) {
        let first = reference.fields().iter().next().and_then(Node::as_str);
        let items = self
            .query(id)
            .map(|query| query.items.as_slice())
            .unwrap_or_default();
        let item = first.and_then(|name| items.iter().position(|item| item.name == Some(name)));
        match item {
            Some(item) => {
                found.items.insert(item);
            }
            None => found.is_unsure = true,
        }
    }
}

/// Where an expression is written: the first place that the tree knows of it.
pub(crate) fn first_place(expression: Node<'_>) -> Option<usize> {
    let mut waiting = vec![expression];
    let mut first: Option<usize> = None;
    while let Some(node) = waiting.pop() {
        let own = match node {
            Node::ColumnRef(node) => place(node.location),
            Node::A_Const(node) => place(node.location),
            Node::ParamRef(node) => place(node.location),
            Node::FuncCall(node) => place(node.location),
            Node::TypeCast(node) => place(node.location),
            Node::SubLink(node) => place(node.location),
            Node::CaseExpr(node) => place(node.location),
            _ => None,
        };
        first = match (first, own) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let _unknown = tree::children(node, &mut waiting);
    }
    first
}

/// The name of the relation, if one is written, and that of the column.
fn names(reference: &nodes::ColumnRef) -> Option<(Option<&str>, &str)> {
    let parts: Option<Vec<&str>> = reference.fields().iter().map(Node::as_str).collect();
    match parts?.as_slice() {
        [name] => Some((None, name)),
        [.., qualifier, name] => Some((Some(qualifier), name)),
        [] => None,
    }
}

fn presence(columns: Option<&[ScopeColumn<'_>]>, name: &str) -> ColumnPresence {
    match columns {
        None => ColumnPresence::Unknown,
        Some(columns) if columns.iter().any(|column| column.name.as_str() == name) => {
            ColumnPresence::Has
        }
        Some(_) => ColumnPresence::HasNot,
    }
}
