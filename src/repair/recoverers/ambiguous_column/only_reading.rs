//! A name of several columns that makes sense as one of them alone: `a JOIN b ON x = x`, and a
//! column beside the only one of its name that is grouped. Likely.

use super::{AmbiguityResolver, ChoiceCertainty, QualifierChoice};
use crate::scopes::column_reference::{ColumnReference, QueryClause};
use crate::scopes::query_scopes::ColumnIndex;
use catalog::quote::quoted;
use sql::node_access;
use sql::tree::{A_Expr_Kind, Node};

impl AmbiguityResolver<'_, '_> {
    /// The only column of several that a name can mean where it stands.
    pub(super) fn only_reading(
        &self,
        reference: &ColumnReference<'_>,
        column_indexes: &[ColumnIndex],
        name: &str,
    ) -> Option<QualifierChoice> {
        let (column_index, reason) = match self.side_of_itself(reference, column_indexes, name) {
            Some(own) => (own, "is compared with that of the other side of the join"),
            None => {
                let own = self.only_grouped(reference, column_indexes)?;
                (own, "is the only one of its name that is grouped")
            }
        };
        let choice = self
            .qualified(reference, column_index, name, ChoiceCertainty::Likely)
            .ok()?;
        Some(QualifierChoice {
            words: format!("{} {reason}: {}", quoted(name), choice.edit.replacement),
            ..choice
        })
    }

    /// The column of one side of a join, where a condition of it compares a name with itself, and
    /// each side has one such column.
    fn side_of_itself(
        &self,
        reference: &ColumnReference<'_>,
        column_indexes: &[ColumnIndex],
        name: &str,
    ) -> Option<ColumnIndex> {
        let level = self.query_scopes.scope(reference.level)?;
        let (condition, sides) = match (reference.clause, reference.join) {
            (QueryClause::From, Some(join)) => {
                let join = level.joins.get(join)?;
                let of = |side: &std::ops::Range<usize>| {
                    let all = column_indexes.iter().copied();
                    let own = all.filter(|one| side.contains(&one.from_item));
                    own.collect::<Vec<_>>()
                };
                (join.quals, [of(&join.left), of(&join.right)])
            }
            (QueryClause::Where, _) => match column_indexes {
                [left, right] => (level.select.where_clause(), [vec![*left], vec![*right]]),
                _ => return None,
            },
            _ => return None,
        };
        let is_left = place_in_itself(condition, reference.at, name)?;
        match (&sides, is_left) {
            ([left, right], _) if left.len() != 1 || right.len() != 1 => None,
            ([left, _], true) => left.first().copied(),
            ([_, right], false) => right.first().copied(),
        }
    }

    /// The only column of a name that is a key of GROUP BY, for what is shown of each group.
    fn only_grouped(
        &self,
        reference: &ColumnReference<'_>,
        column_indexes: &[ColumnIndex],
    ) -> Option<ColumnIndex> {
        let is_shown = reference.clause == QueryClause::ResultKey
            || reference.clause == QueryClause::Targets && self.target_of(reference).is_some();
        let level = self.query_scopes.scope(reference.level)?;
        let keys = level.select.group_clause().iter();
        let columns = keys.filter_map(|key| match key {
            Node::ColumnRef(column) => self.query_scopes.column_at(column.location),
            _ => None,
        });
        let mut grouped: Vec<ColumnIndex> =
            columns.filter(|one| column_indexes.contains(one)).collect();
        grouped.dedup();
        match grouped.as_slice() {
            [only] if is_shown => Some(*only),
            _ => None,
        }
    }
}

/// Whether the name at a place is the left side of a comparison with itself that has to hold; none
/// where it is on no side of one.
fn place_in_itself(condition: Node<'_>, at: usize, name: &str) -> Option<bool> {
    let mut parts = node_access::conjuncts(condition).into_iter();
    parts.find_map(|part| {
        let Node::A_Expr(comparison) = part else {
            return None;
        };
        let left = place_of_name(comparison.lexpr(), name)?;
        let right = place_of_name(comparison.rexpr(), name)?;
        let is_equality = comparison.kind == A_Expr_Kind::AEXPR_OP
            && node_access::last_name(comparison.name()) == Some("=");
        (is_equality && (left == at || right == at)).then_some(left == at)
    })
}

/// Where a name alone stands.
fn place_of_name(node: Node<'_>, name: &str) -> Option<usize> {
    let Node::ColumnRef(column) = node else {
        return None;
    };
    let fields = column.fields();
    (fields.len() == 1 && node_access::last_name(fields) == Some(name))
        .then(|| node_access::place(column.location))
        .flatten()
}
