//! Which columns of a query are equal in every row that it joins, by the conditions of its joins
//! and by its WHERE.
//!
//! What an inner join or WHERE equates is the same; what an outer join equates is the same or NULL
//! on the side that may have no partner. A condition counts only where it is one of those that must
//! all hold, and `=` is the server's own for the type.

use std::collections::{HashMap, HashSet};

use crate::scopes::from_item::FromJoin;
use crate::scopes::query_scopes::{ColumnIndex, QueryScope, QueryScopes};
use catalog::Oid;
use catalog::type_oid;
use catalog::{Catalog, OperatorId, TypeId, TypeKind};
use resolve::{InferredType, Resolution, UsedObject};
use sql::node_access;
use sql::tree::{A_Expr_Kind, JoinType, Node, nodes};

/// How a column relates to another one of its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EqualityKind {
    /// They are the same, in NULLs too.
    Inner,
    /// The other one is the same, or NULL where an outer join found no partner.
    Preserved,
    /// Nothing is known.
    No,
}

/// What is equated in a query.
#[derive(Default)]
pub(crate) struct ColumnEqualities {
    /// What is the same as a column, in both ways.
    same: HashMap<ColumnIndex, Vec<ColumnIndex>>,
    /// What is the same as a column or NULL; with how the condition of the join goes on.
    preserved: HashMap<ColumnIndex, Vec<(ColumnIndex, JoinConditionPart)>>,
    /// What WHERE compares with a value of the text.
    fixed: Vec<ColumnIndex>,
}

/// Whether a condition is all of what an outer join asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JoinConditionPart {
    /// It is.
    Whole,
    /// There are other conditions.
    Part,
}

/// Which steps lead from column to column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EqualitySteps {
    Both,
    AlsoPreserved,
}

/// The part of a query that conditions are taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConditionExtent {
    /// All of it: for what is looked at when the rows have been found.
    Whole,
    /// What is joined within a join, and its own condition: for what stands in that condition.
    Within(usize),
}

/// The comparisons that are the server's own, by place.
pub(crate) struct ServerComparisons(HashMap<usize, OperatorId>);

impl ServerComparisons {
    /// Those of a statement.
    pub fn of(resolution: &Resolution<'_>) -> Self {
        let found = resolution.uses.iter().filter_map(|used| match &used.what {
            UsedObject::Operators { candidates, .. } => match candidates.as_slice() {
                [only] => Some((used.at?, *only)),
                _ => None,
            },
            _ => None,
        });
        Self(found.collect())
    }

    fn is_ordinary(&self, catalog: &Catalog, location: i32) -> bool {
        let at = usize::try_from(location).ok();
        let operator = at.and_then(|at| self.0.get(&at));
        operator.is_some_and(|id| catalog.operator(*id).oid.is_built_in())
    }
}

impl ColumnEqualities {
    /// What is equated in a query.
    pub fn of(
        query_scopes: &QueryScopes<'_>,
        comparisons: &ServerComparisons,
        place: usize,
        extent: ConditionExtent,
    ) -> Self {
        let mut found = Self::default();
        let Some(level) = query_scopes.scope(place) else {
            return found;
        };
        let inside = match extent {
            ConditionExtent::Whole => None,
            ConditionExtent::Within(join) => level.joins.get(join),
        };
        for (number, join) in level.joins.iter().enumerate() {
            let own = extent == ConditionExtent::Within(number);
            let within = inside.is_none_or(|around| {
                around.left.start <= join.left.start && join.right.end <= around.right.end
            });
            if own || within && !inside.is_some_and(|around| std::ptr::eq(around, join)) {
                found.join(query_scopes, comparisons, (place, level), join, own);
            }
        }
        if extent == ConditionExtent::Whole {
            let all = conditions(query_scopes, comparisons, level.select.where_clause());
            for (one, other) in all.pairs {
                if one.level == place && other.level == place {
                    found.same(one, other);
                }
            }
            found.fixed = all.fixed;
        }
        found
    }

    /// How a column relates to another one.
    pub fn between(&self, one: ColumnIndex, other: ColumnIndex) -> EqualityKind {
        if self.reaches(one, other, EqualitySteps::Both) {
            return EqualityKind::Inner;
        }
        match self.reaches(one, other, EqualitySteps::AlsoPreserved) {
            true => EqualityKind::Preserved,
            false => EqualityKind::No,
        }
    }

    /// What is one value in all rows.
    pub(crate) fn fixed(&self) -> &[ColumnIndex] {
        &self.fixed
    }

    /// What a condition makes the same as a column.
    pub(crate) fn same_as(&self, column_index: ColumnIndex) -> &[ColumnIndex] {
        let known = self.same.get(&column_index);
        known.map_or(&[], |known| known.as_slice())
    }

    /// What a column alone decides over an outer join: it finds the same partner for all rows in
    /// which the column is the same.
    pub(crate) fn decided_by(
        &self,
        column_index: ColumnIndex,
    ) -> impl Iterator<Item = ColumnIndex> {
        let found = self.preserved.get(&column_index).into_iter().flatten();
        let decided = found.filter(|(_, alone)| *alone == JoinConditionPart::Whole);
        decided.map(|(other, _)| *other)
    }

    fn reaches(&self, from: ColumnIndex, to: ColumnIndex, steps: EqualitySteps) -> bool {
        let mut reached = HashSet::from([from]);
        let mut waiting = vec![from];
        while let Some(at) = waiting.pop() {
            let both = self.same.get(&at).into_iter().flatten().copied();
            let ahead = self.preserved.get(&at).into_iter().flatten();
            let ahead = ahead.map(|(other, _)| *other);
            let ahead = ahead.filter(|_| steps == EqualitySteps::AlsoPreserved);
            waiting.extend(
                both.chain(ahead)
                    .filter(|column_index| reached.insert(*column_index)),
            );
        }
        reached.contains(&to)
    }

    fn same(&mut self, one: ColumnIndex, other: ColumnIndex) {
        self.same.entry(one).or_default().push(other);
        self.same.entry(other).or_default().push(one);
    }

    fn preserve(&mut self, one: ColumnIndex, other: ColumnIndex, alone: JoinConditionPart) {
        self.preserved.entry(one).or_default().push((other, alone));
    }

    fn join(
        &mut self,
        query_scopes: &QueryScopes<'_>,
        comparisons: &ServerComparisons,
        (place, level): (usize, &QueryScope<'_>),
        join: &FromJoin<'_>,
        asked_within: bool,
    ) {
        let all = conditions(query_scopes, comparisons, join.quals);
        let (mut equated, mut others) = (all.pairs, all.others || !all.fixed.is_empty());
        for name in &join.using {
            let side = |range: &std::ops::Range<usize>| {
                let with = level.items_with(name).into_iter();
                with.filter(|(from_item, _)| range.contains(from_item))
                    .map(|(from_item, column)| ColumnIndex {
                        level: place,
                        from_item,
                        column,
                    })
                    .next()
            };
            match (side(&join.left), side(&join.right)) {
                (Some(one), Some(other)) if is_same_type(query_scopes, one, other) => {
                    equated.push((one, other));
                }
                _ => others = true,
            }
        }
        // A partner is found by the column alone if nothing else there depends on the other side.
        let searched = match join.kind {
            JoinType::JOIN_RIGHT => &join.left,
            _ => &join.right,
        };
        let tables = level.from_items.get(searched.clone()).unwrap_or_default();
        let tables = tables.iter().all(|from_item| from_item.relation.is_some());
        let single = equated.len() == 1 && !others && tables;
        for (one, other) in equated {
            if one.level != place || other.level != place {
                continue;
            }
            let on_the_right =
                |column_index: ColumnIndex| join.right.contains(&column_index.from_item);
            let both = on_the_right(one) == on_the_right(other);
            let (left, right) = match on_the_right(one) {
                true => (other, one),
                false => (one, other),
            };
            let alone = if single {
                JoinConditionPart::Whole
            } else {
                JoinConditionPart::Part
            };
            match join.kind {
                _ if asked_within => self.same(one, other),
                JoinType::JOIN_INNER => self.same(one, other),
                JoinType::JOIN_LEFT if both && on_the_right(one) => self.same(one, other),
                JoinType::JOIN_RIGHT if both && !on_the_right(one) => self.same(one, other),
                JoinType::JOIN_LEFT if !both => self.preserve(left, right, alone),
                JoinType::JOIN_RIGHT if !both => self.preserve(right, left, alone),
                _ => {}
            }
        }
    }
}

/// Whether equal values of a type are one value: they look the same, whatever is done with them.
pub(crate) fn is_plain(catalog: &Catalog, inferred: &InferredType) -> bool {
    let InferredType::Known(id) = inferred else {
        return false;
    };
    is_plain_type(catalog, *id)
}

fn is_plain_type(catalog: &Catalog, id: TypeId) -> bool {
    let mut one = catalog.data_type(id);
    for _layer in 0..ground::limits::DOMAINS_NESTED_MAX {
        match &one.kind {
            TypeKind::Domain { base, .. } => one = catalog.data_type(*base),
            TypeKind::Enum => return true,
            _ => return PLAIN.contains(&one.oid),
        }
    }
    false
}

/// Whether two columns are of one type.
pub(crate) fn is_same_type(
    query_scopes: &QueryScopes<'_>,
    one: ColumnIndex,
    other: ColumnIndex,
) -> bool {
    match (query_scopes.column(one), query_scopes.column(other)) {
        (Some(one), Some(other)) => {
            matches!(one.inferred, InferredType::Known(_)) && one.inferred == other.inferred
        }
        _ => false,
    }
}

/// Conditions that must all hold.
#[derive(Default)]
struct QueryConjuncts {
    /// Columns that are equated.
    pairs: Vec<(ColumnIndex, ColumnIndex)>,
    /// Columns that are compared with a value of the text.
    fixed: Vec<ColumnIndex>,
    /// Whether there are others.
    others: bool,
}

fn conditions(
    query_scopes: &QueryScopes<'_>,
    comparisons: &ServerComparisons,
    condition: Node<'_>,
) -> QueryConjuncts {
    let mut found = QueryConjuncts::default();
    for part in node_access::conjuncts(condition) {
        match part {
            Node::None => {}
            Node::A_Expr(comparison) if is_equality(comparison) => {
                let pair = pair(query_scopes, comparisons, comparison);
                let fixed = fixed(query_scopes, comparisons, comparison);
                found.others |= pair.is_none() && fixed.is_none();
                found.pairs.extend(pair);
                found.fixed.extend(fixed);
            }
            _ => found.others = true,
        }
    }
    found
}

/// The column that is compared with a value of the text.
fn fixed(
    query_scopes: &QueryScopes<'_>,
    comparisons: &ServerComparisons,
    comparison: &nodes::A_Expr,
) -> Option<ColumnIndex> {
    let column = match (comparison.lexpr(), comparison.rexpr()) {
        (Node::ColumnRef(column), Node::A_Const(_) | Node::ParamRef(_))
        | (Node::A_Const(_) | Node::ParamRef(_), Node::ColumnRef(column)) => column,
        _ => return None,
    };
    let column_index = query_scopes.column_at(column.location)?;
    let is_plain = is_plain(
        query_scopes.catalog,
        &query_scopes.column(column_index)?.inferred,
    );
    (is_plain && comparisons.is_ordinary(query_scopes.catalog, comparison.location))
        .then_some(column_index)
}

fn pair(
    query_scopes: &QueryScopes<'_>,
    comparisons: &ServerComparisons,
    comparison: &nodes::A_Expr,
) -> Option<(ColumnIndex, ColumnIndex)> {
    let (Node::ColumnRef(one), Node::ColumnRef(other)) = (comparison.lexpr(), comparison.rexpr())
    else {
        return None;
    };
    let pair = (
        query_scopes.column_at(one.location)?,
        query_scopes.column_at(other.location)?,
    );
    (is_same_type(query_scopes, pair.0, pair.1)
        && comparisons.is_ordinary(query_scopes.catalog, comparison.location))
    .then_some(pair)
}

fn is_equality(comparison: &nodes::A_Expr) -> bool {
    let mut names = comparison.name().iter();
    comparison.kind == A_Expr_Kind::AEXPR_OP
        && names.next().and_then(Node::as_str) == Some("=")
        && names.next().is_none()
}

/// Types whose equal values are the same. Numbers with a scale, floating point numbers, intervals,
/// padded strings and documents are not: 1.0 equals 1.00.
#[rustfmt::skip]
const PLAIN: &[Oid] = &[
    type_oid::BOOL, type_oid::BYTEA, type_oid::CHAR, type_oid::NAME, type_oid::INT8,
    type_oid::INT2, type_oid::INT4, type_oid::TEXT, type_oid::OID, type_oid::VARCHAR,
    type_oid::DATE, type_oid::TIME, type_oid::TIMESTAMP, type_oid::TIMESTAMPTZ, type_oid::UUID,
];
