//! Which columns of an item of FROM tell one of its rows, and which items follow from others.

use std::collections::BTreeSet;

use super::equalities::QueryLinks;
use super::{ColumnAt, EqualityRight, ItemSource, QueryId};
use crate::statement::LintedStatement;
use catalog::{KeyKind, RelationId, RelationKind};
use sql::node_access::constant_integer;
use sql::tree::{Node, nodes};

/// What is known of the rows of an item.
pub(crate) enum ItemKeys {
    /// Nothing: it is no table, or no key of it is known.
    Unknown,
    /// There is one at most.
    SingleRow,
    /// Each of these lists of columns tells one row.
    Columns(Vec<Vec<String>>),
}

impl<'a> LintedStatement<'a> {
    /// What is known of the rows of an item of FROM.
    pub(crate) fn keys_of_item(&self, id: QueryId, place: usize) -> ItemKeys {
        let Some(item) = self.tree.query(id).and_then(|query| query.items.get(place)) else {
            return ItemKeys::Unknown;
        };
        match item.source {
            ItemSource::Query(select) => self.keys_of_query(select),
            ItemSource::Other => ItemKeys::Unknown,
            ItemSource::Relation => {
                let keys = item
                    .relation
                    .map(|relation| self.keys_of_relation(relation));
                let named = |numbers: &Vec<i16>| -> Option<Vec<String>> {
                    let names = numbers.iter().map(|number| {
                        let mut columns = item.columns.as_ref()?.iter();
                        let wanted = item.relation.map(|relation| (relation, *number));
                        let column = columns.find(|column| column.origin == wanted)?;
                        Some(column.name.as_str().to_owned())
                    });
                    names.collect()
                };
                let keys: Vec<_> = keys.unwrap_or_default().iter().filter_map(named).collect();
                match keys.is_empty() {
                    true => ItemKeys::Unknown,
                    false => ItemKeys::Columns(keys),
                }
            }
        }
    }

    /// The columns of the keys and unique indexes of a table.
    fn keys_of_relation(&self, id: RelationId) -> Vec<Vec<i16>> {
        let Some(catalog) = self.catalog else {
            return Vec::new();
        };
        let relation = catalog.relation(id);
        let is_table = matches!(
            relation.kind,
            RelationKind::Table | RelationKind::PartitionedTable
        );
        if !is_table {
            return Vec::new();
        }
        let declared = catalog.keys_of(id).iter().filter_map(|key| match key.kind {
            KeyKind::Primary | KeyKind::Unique => Some(key.columns.to_vec()),
            KeyKind::Foreign { .. } | KeyKind::Unvalidated { .. } => None,
        });
        let indexes = self
            .facts
            .and_then(|facts| facts.unique_indexes.get(&relation.oid));
        declared
            .chain(indexes.into_iter().flatten().cloned())
            .collect()
    }

    /// What the clauses of a sub-select say of its rows.
    fn keys_of_query(&self, select: &'a nodes::SelectStmt) -> ItemKeys {
        let Some(id) = self.tree.query_of(select) else {
            return ItemKeys::Unknown;
        };
        if self.is_single_row(id) {
            return ItemKeys::SingleRow;
        }
        let is_plain = self
            .tree
            .query(id)
            .is_some_and(|query| !query.is_set_operation());
        if !is_plain || select.group_clause().is_empty() {
            return ItemKeys::Unknown;
        }
        let outputs: Vec<(Option<String>, Node<'a>)> = select
            .target_list()
            .iter()
            .map(|target| (output_name(target), target.val()))
            .collect();
        let mut key = Vec::new();
        for group in select.group_clause() {
            let output = match constant_integer(group).and_then(|at| usize::try_from(at).ok()) {
                Some(at) => at.checked_sub(1).and_then(|at| outputs.get(at)),
                None => outputs
                    .iter()
                    .find(|(name, value)| self.is_same(id, group, name, *value)),
            };
            match output {
                Some((Some(name), _)) => key.push(name.clone()),
                Some((None, _)) | None => return ItemKeys::Unknown,
            }
        }
        ItemKeys::Columns(vec![key])
    }

    /// Whether a key of GROUP BY is what a column of the result is.
    fn is_same(
        &self,
        id: QueryId,
        group: Node<'a>,
        name: &Option<String>,
        value: Node<'a>,
    ) -> bool {
        let Node::ColumnRef(_) = group else {
            return false;
        };
        match (self.plain_column(id, group), self.plain_column(id, value)) {
            (Some(one), Some(other)) => one == other,
            // A name that no column has is that of an output.
            (None, _) => last_part(group) == name.as_deref(),
            (Some(_), None) => false,
        }
    }

    /// Whether the conditions of a query leave one row of an item at most: they give it a key.
    pub(crate) fn is_pinned(&self, id: QueryId, place: usize) -> bool {
        let links = self.tree.links(id);
        let given = |name: &String| {
            links.equalities.iter().any(|equality| {
                let is_fixed = matches!(equality.right, EqualityRight::Fixed(_));
                is_fixed && equality.column.item == place && equality.column.name == name
            })
        };
        match self.keys_of_item(id, place) {
            ItemKeys::Unknown => false,
            ItemKeys::SingleRow => true,
            ItemKeys::Columns(lists) => lists.iter().any(|list| list.iter().all(given)),
        }
    }

    /// The items whose rows are told by the rows of some: those, what follows from them by keys,
    /// and what nothing is known of.
    pub(crate) fn told_by(
        &self,
        id: QueryId,
        first: &BTreeSet<usize>,
        links: &QueryLinks<'a>,
    ) -> BTreeSet<usize> {
        let count = self.tree.query(id).map_or(0, |query| query.items.len());
        let keys: Vec<ItemKeys> = (0..count)
            .map(|place| self.keys_of_item(id, place))
            .collect();
        let linked_otherwise = |place: usize| {
            let mut others = links.others.iter();
            others.any(|items| items.len() > 1 && items.contains(&place))
        };
        let mut told = first.clone();
        for (place, keys) in keys.iter().enumerate() {
            match keys {
                ItemKeys::Columns(_) if !linked_otherwise(place) => {}
                ItemKeys::Columns(_) | ItemKeys::Unknown | ItemKeys::SingleRow => {
                    told.insert(place);
                }
            }
        }
        // As many rounds as there are items: each adds one, or is the last.
        for _ in 0..count {
            let fixed = fixed_columns(links, &told);
            let next = keys.iter().enumerate().find(|(place, keys)| {
                let ItemKeys::Columns(lists) = keys else {
                    return false;
                };
                let has =
                    |name: &String| fixed.iter().any(|at| at.item == *place && at.name == name);
                !told.contains(place) && lists.iter().any(|list| list.iter().all(has))
            });
            match next {
                Some((place, _)) => told.insert(place),
                None => break,
            };
        }
        told
    }
}

/// The columns that have one value where the rows of some items are given.
fn fixed_columns<'a>(links: &QueryLinks<'a>, told: &BTreeSet<usize>) -> BTreeSet<ColumnAt<'a>> {
    let mut fixed: BTreeSet<ColumnAt<'a>> = BTreeSet::new();
    // As many rounds as there are equalities: each adds one, or is the last.
    for _ in 0..=links.equalities.len() {
        let before = fixed.len();
        for equality in &links.equalities {
            let column = equality.column;
            match &equality.right {
                EqualityRight::Fixed(_) => {
                    fixed.insert(column);
                }
                EqualityRight::Column(other) => {
                    let is_fixed =
                        |at: &ColumnAt<'a>| told.contains(&at.item) || fixed.contains(at);
                    if is_fixed(&column) || is_fixed(other) {
                        fixed.insert(column);
                        fixed.insert(*other);
                    }
                }
            }
        }
        if fixed.len() == before {
            break;
        }
    }
    fixed
}

/// What a column of a result is called, where its text says so.
fn output_name(target: &nodes::ResTarget) -> Option<String> {
    target
        .name()
        .or_else(|| last_part(target.val()))
        .map(str::to_owned)
}

fn last_part(node: Node<'_>) -> Option<&str> {
    match node {
        Node::ColumnRef(reference) => reference.fields().iter().next_back()?.as_str(),
        _ => None,
    }
}
