//! The conditions of a statement that every row of a name in FROM has to meet to be of any use.
//!
//! Such a condition can be evaluated on the rows of that name alone, before anything is joined to
//! them, and the statement still means the same, if the condition is not true of a row of NULLs:
//! rows that it drops would have been dropped later, and where an outer join puts NULLs in their
//! place, the condition, which stays where it is, drops those. What stands in the ON of an outer
//! join says nothing about the side that is kept.
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-JOIN>

use std::collections::HashMap;

use foldhash::fast::RandomState;

use ground::limits::MODEL_CONDITIONS_MAX;
use sql::tree::{self, BoolExprType, JoinType, Node, SetOperation, nodes};

/// The conditions of one statement.
#[derive(Default)]
pub(crate) struct RowConditions<'t> {
    /// Each with the place of the one that stands around it.
    all: Vec<(Option<usize>, Node<'t>)>,
    of: HashMap<*const nodes::RangeVar, FromNameConditions, RandomState>,
}

/// What stands over a name in FROM.
#[derive(Clone, Copy)]
struct FromNameConditions {
    last: Option<usize>,
    merged: MergedColumns,
}

/// Whether USING or NATURAL merges columns of the query: their names alone mean neither side.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum MergedColumns {
    /// It does.
    #[default]
    Some,
    /// It does not.
    None,
}

impl<'t> RowConditions<'t> {
    /// Those of everything under a node; of a tree that is not known in full there are none.
    pub(crate) fn of(node: Node<'t>) -> Self {
        let mut conditions = Self::default();
        let mut waiting = vec![node];
        while let Some(next) = waiting.pop() {
            if let Node::SelectStmt(select) = next
                && select.op == SetOperation::SETOP_NONE
            {
                conditions.query(select);
            }
            if tree::children(next, &mut waiting).is_err() {
                return Self::default();
            }
        }
        conditions
    }

    /// Those over a name in FROM, and whether its columns can be named without it.
    pub(crate) fn over_name(
        &self,
        table: &nodes::RangeVar,
    ) -> (MergedColumns, impl Iterator<Item = Node<'t>>) {
        let over = self.of.get(&std::ptr::from_ref(table));
        let merged = over.map_or(MergedColumns::Some, |over| over.merged);
        let last = over.and_then(|over| over.last);
        let at = |place: Option<usize>| self.all.get(place?).copied();
        let chain = std::iter::successors(at(last), move |(before, _)| at(*before));
        let all = chain.map(|(_, condition)| condition);
        (merged, all.take(MODEL_CONDITIONS_MAX))
    }

    /// Those of one query: of its WHERE, and of the joins in its FROM.
    fn query(&mut self, select: &'t nodes::SelectStmt) {
        let whole = self.add_parts(None, select.where_clause());
        let mut tables = Vec::new();
        let mut merged = MergedColumns::None;
        let mut waiting: Vec<_> = select.from_clause().iter().map(|it| (it, whole)).collect();
        while let Some((item, last)) = waiting.pop() {
            match item {
                Node::RangeVar(table) => tables.push((std::ptr::from_ref(table), last)),
                // Behind an alias the names within mean nothing, or something around the query.
                Node::JoinExpr(join) if join.alias().is_none() => {
                    if join.is_natural || !join.using_clause().is_empty() {
                        merged = MergedColumns::Some;
                    }
                    let on = self.add_parts(last, join.quals());
                    let (left, right) = match join.jointype {
                        JoinType::JOIN_INNER => (on, on),
                        JoinType::JOIN_LEFT => (last, on),
                        JoinType::JOIN_RIGHT => (on, last),
                        _ => (last, last),
                    };
                    waiting.push((join.larg(), left));
                    waiting.push((join.rarg(), right));
                }
                _ => {}
            }
        }
        let over = |(table, last)| (table, FromNameConditions { last, merged });
        self.of.extend(tables.into_iter().map(over));
    }

    /// The parts of a condition that have to be true with it, under those around it.
    fn add_parts(&mut self, around: Option<usize>, condition: Node<'t>) -> Option<usize> {
        let mut last = around;
        let mut waiting = vec![condition];
        while let Some(next) = waiting.pop() {
            match next {
                Node::None => {}
                Node::BoolExpr(all) if all.boolop == BoolExprType::AND_EXPR => {
                    waiting.extend(all.args().iter());
                }
                one => {
                    self.all.push((last, one));
                    last = self.all.len().checked_sub(1);
                }
            }
        }
        last
    }
}
