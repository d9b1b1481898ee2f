//! What the conditions of a query make equal, and which of its items they put together.

use std::collections::BTreeSet;

use super::{ColumnAt, ConditionClause, JoinForm, QueryId, QueryTree};
use crate::database_facts::uncast;
use sql::node_access::last_name;
use sql::tree::{A_Expr_Kind, ConstValue, Node};

/// A column that a condition makes equal to something.
pub(crate) struct ColumnEquality<'a> {
    /// The column.
    pub(crate) column: ColumnAt<'a>,
    /// To what.
    pub(crate) right: EqualityRight<'a>,
    /// Where the condition is written.
    pub(crate) at: Option<usize>,
}

/// What a column is equal to.
pub(crate) enum EqualityRight<'a> {
    /// A column of the same FROM.
    Column(ColumnAt<'a>),
    /// Something that is the same for every row of it; what tells two of them apart, where that
    /// can be told.
    Fixed(Option<String>),
}

/// What the conditions of a query say.
pub(crate) struct QueryLinks<'a> {
    /// What they make equal.
    pub(crate) equalities: Vec<ColumnEquality<'a>>,
    /// The items that other conditions speak of, condition by condition.
    pub(crate) others: Vec<BTreeSet<usize>>,
    /// Whether some condition may put together what is not known.
    pub(crate) is_unsure: bool,
}

impl<'a> QueryTree<'a> {
    /// What the conditions of a query's FROM and WHERE say.
    pub(crate) fn links(&self, id: QueryId) -> QueryLinks<'a> {
        let mut found = QueryLinks {
            equalities: Vec::new(),
            others: Vec::new(),
            is_unsure: false,
        };
        let Some(query) = self.query(id) else {
            return found;
        };
        for condition in &query.conditions {
            if condition.clause == ConditionClause::Having {
                continue;
            }
            if let Some(mut equal) = self.equality(id, condition.node) {
                found.equalities.append(&mut equal);
                continue;
            }
            let mentioned = self.mentioned(id, condition.node);
            found.is_unsure |= mentioned.is_unsure;
            found.others.push(mentioned.items);
        }
        for join in &query.joins {
            let sides = |name: &'a str| {
                let left = self.item_with(id, join.left, name)?;
                Some((left, self.item_with(id, join.right, name)?))
            };
            found.is_unsure |= join.form == JoinForm::Natural;
            for name in &join.using {
                match sides(name) {
                    Some((column, right)) => found.equalities.push(ColumnEquality {
                        column,
                        right: EqualityRight::Column(right),
                        at: query.items.get(join.right.0).and_then(|item| item.at),
                    }),
                    None => found.is_unsure = true,
                }
            }
        }
        found
    }

    /// The column of a name in the one item of a side of a join that has it.
    fn item_with(&self, id: QueryId, side: (usize, usize), name: &'a str) -> Option<ColumnAt<'a>> {
        let items = &self.query(id)?.items;
        let item = (side.0..side.1).find(|place| {
            let columns = items.get(*place).and_then(|item| item.columns.as_deref());
            let mut columns = columns.unwrap_or_default().iter();
            columns.any(|column| column.name.as_str() == name)
        })?;
        Some(ColumnAt {
            query: id,
            item,
            name,
        })
    }

    /// What a condition makes equal, where it is an equality of a column of this FROM.
    pub(crate) fn equality(
        &self,
        id: QueryId,
        condition: Node<'a>,
    ) -> Option<Vec<ColumnEquality<'a>>> {
        let Node::A_Expr(comparison) = condition else {
            return None;
        };
        let is_equality =
            comparison.kind == A_Expr_Kind::AEXPR_OP && last_name(comparison.name()) == Some("=");
        if !is_equality {
            return None;
        }
        let (left, right) = (comparison.lexpr(), comparison.rexpr());
        let at = sql::node_access::place(comparison.location);
        let own = |node: Node<'a>| match node {
            Node::ColumnRef(reference) => self
                .column(id, reference)
                .filter(|column| column.query == id),
            _ => None,
        };
        let equal =
            |column: ColumnAt<'a>, right: EqualityRight<'a>| ColumnEquality { column, right, at };
        match (own(left), own(right)) {
            (Some(one), Some(other)) => Some(vec![equal(one, EqualityRight::Column(other))]),
            (Some(column), None) => Some(vec![equal(
                column,
                EqualityRight::Fixed(self.fixed(id, right)?),
            )]),
            (None, Some(column)) => Some(vec![equal(
                column,
                EqualityRight::Fixed(self.fixed(id, left)?),
            )]),
            (None, None) => None,
        }
    }

    /// What is the same for every row of a FROM: what tells it apart, if anything does; none where
    /// it is not the same.
    fn fixed(&self, id: QueryId, node: Node<'a>) -> Option<Option<String>> {
        let mentioned = self.mentioned(id, node);
        if mentioned.is_unsure || !mentioned.items.is_empty() {
            return None;
        }
        Some(match uncast(node) {
            Node::A_Const(constant) => match constant.val() {
                Some(ConstValue::Integer(value)) => Some(format!("i{value}")),
                Some(ConstValue::String(text)) => Some(format!("t{text}")),
                _ => None,
            },
            Node::ParamRef(parameter) => Some(format!("p{}", parameter.number)),
            Node::ColumnRef(reference) => {
                let outer = self.column(id, reference);
                outer.map(|at| format!("c{:?}.{}.{}", at.query, at.item, at.name))
            }
            _ => None,
        })
    }
}
