//! The keys of GROUP BY: the columns and expressions that they stand for.

use super::aggregate_query::{AggregateQuery, GroupingAnalysis, GroupingCertainty, GroupingKeys};
use crate::scopes::column_reference::{ReferenceMeaning, own_name};
use crate::scopes::query_scopes::QueryScope;
use ground::limits::GROUP_EXPRESSIONS_MAX;
use sql::tree::{ConstValue, Node};

impl<'a> GroupingAnalysis<'_, 'a> {
    /// A query with the keys that it is grouped by, and nothing else known of it yet.
    pub(super) fn keys(&self, place: usize, level: &QueryScope<'a>) -> AggregateQuery<'a> {
        let mut grouped = AggregateQuery {
            level: place,
            columns: Vec::new(),
            expressions: Vec::new(),
            keys: GroupingKeys::Absent,
            open: Vec::new(),
            has_aggregate: false,
            misplaced: None,
            certainty: GroupingCertainty::Sure,
        };
        let mut waiting: Vec<Node<'a>> = level.select.group_clause().iter().collect();
        while let Some(key) = waiting.pop() {
            if grouped.keys == GroupingKeys::Absent {
                grouped.keys = GroupingKeys::List;
            }
            match key {
                Node::GroupingSet(set) => {
                    grouped.keys = GroupingKeys::Sets;
                    waiting.extend(set.content());
                }
                Node::NodeList(list) => waiting.extend(list),
                Node::RowExpr(row) => waiting.extend(row.args()),
                key => match self.meant(key, level) {
                    Some(Node::ColumnRef(column)) => {
                        match self.query_scopes.column_at(column.location) {
                            Some(column_index) => grouped.columns.push(column_index),
                            None => grouped.certainty = GroupingCertainty::Unsure,
                        }
                    }
                    Some(other) => grouped.expressions.push(other),
                    None => grouped.certainty = GroupingCertainty::Unsure,
                },
            }
        }
        if grouped.expressions.len() > GROUP_EXPRESSIONS_MAX {
            grouped.expressions.clear();
            grouped.certainty = GroupingCertainty::Unsure;
        }
        grouped
    }

    /// The expression that a key of GROUP BY stands for.
    fn meant(&self, key: Node<'a>, level: &QueryScope<'a>) -> Option<Node<'a>> {
        let targets = level.select.target_list();
        match key {
            Node::A_Const(constant) => {
                let Some(ConstValue::Integer(number)) = constant.val() else {
                    return None;
                };
                if level.has_any_star() {
                    return None;
                }
                let place = usize::try_from(number).ok()?.checked_sub(1)?;
                targets.iter().nth(place).map(|target| target.val())
            }
            Node::ColumnRef(column) => {
                let at = usize::try_from(column.location).ok()?;
                let reference = self.query_scopes.reference_at(at)?;
                if reference.meaning != ReferenceMeaning::Result {
                    return Some(key);
                }
                let mut named = targets.iter().filter(|target| {
                    target.name().or_else(|| own_name(target.val())) == reference.name
                });
                let target = named.next()?;
                named.next().is_none().then(|| target.val())
            }
            other => Some(other),
        }
    }
}

impl QueryScope<'_> {
    /// Whether any star stands in its list.
    fn has_any_star(&self) -> bool {
        self.select
            .target_list()
            .iter()
            .any(|target| match target.val() {
                Node::ColumnRef(column) => {
                    matches!(column.fields().iter().next_back(), Some(Node::A_Star(_)))
                }
                Node::A_Indirection(_) => true,
                _ => false,
            })
    }
}
