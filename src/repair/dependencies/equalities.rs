//! Which columns of a query are equal in every row that it joins, by the conditions of its joins
//! and by its WHERE.
//!
//! What an inner join or WHERE equates is the same; what an outer join equates is the same or NULL
//! on the side that may have no partner. A condition counts only where it is one of those that must
//! all hold, and `=` is the server's own for the type.

use std::collections::{HashMap, HashSet};

use crate::catalog::{Catalog, Oid, OperatorId, TypeId, TypeKind};
use crate::repair::scopes::query_scopes::{Join, Level, Outline, Spot};
use crate::resolve::{Inferred, Resolution, What};
use crate::sql::tree::{A_Expr_Kind, BoolExprType, JoinType, Node, nodes};

/// How a column relates to another one of its query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Equated {
    /// They are the same, in NULLs too.
    Inner,
    /// The other one is the same, or NULL where an outer join found no partner.
    Preserved,
    /// Nothing is known.
    No,
}

/// What is equated in a query.
#[derive(Default)]
pub(in crate::repair) struct Equalities {
    /// What is the same as a column, in both ways.
    same: HashMap<Spot, Vec<Spot>>,
    /// What is the same as a column or NULL; with how the condition of the join goes on.
    preserved: HashMap<Spot, Vec<(Spot, Alone)>>,
    /// What WHERE compares with a value of the text.
    fixed: Vec<Spot>,
}

/// Whether a condition is all of what an outer join asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) enum Alone {
    /// It is.
    Whole,
    /// There are other conditions.
    Part,
}

/// Which steps lead from column to column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    Both,
    AlsoPreserved,
}

/// The part of a query that conditions are taken from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) enum Extent {
    /// All of it: for what is looked at when the rows have been found.
    Whole,
    /// What is joined within a join, and its own condition: for what stands in that condition.
    Within(usize),
}

/// The comparisons that are the server's own, by place.
pub(in crate::repair) struct Comparisons(HashMap<usize, OperatorId>);

impl Comparisons {
    /// Those of a statement.
    pub fn of(resolution: &Resolution<'_>) -> Self {
        let found = resolution.uses.iter().filter_map(|used| match &used.what {
            What::Operators { candidates, .. } => match candidates.as_slice() {
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

impl Equalities {
    /// What is equated in a query.
    pub fn of(
        outline: &Outline<'_>,
        comparisons: &Comparisons,
        place: usize,
        extent: Extent,
    ) -> Self {
        let mut found = Self::default();
        let Some(level) = outline.level(place) else {
            return found;
        };
        let inside = match extent {
            Extent::Whole => None,
            Extent::Within(join) => level.joins.get(join),
        };
        for (number, join) in level.joins.iter().enumerate() {
            let own = extent == Extent::Within(number);
            let within = inside.is_none_or(|around| {
                around.left.start <= join.left.start && join.right.end <= around.right.end
            });
            if own || within && !inside.is_some_and(|around| std::ptr::eq(around, join)) {
                found.join(outline, comparisons, (place, level), join, own);
            }
        }
        if extent == Extent::Whole {
            let all = conditions(outline, comparisons, level.select.where_clause());
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
    pub fn between(&self, one: Spot, other: Spot) -> Equated {
        if self.reaches(one, other, Steps::Both) {
            return Equated::Inner;
        }
        match self.reaches(one, other, Steps::AlsoPreserved) {
            true => Equated::Preserved,
            false => Equated::No,
        }
    }

    /// What is one value in all rows.
    pub(in crate::repair) fn fixed(&self) -> &[Spot] {
        &self.fixed
    }

    /// What a condition makes the same as a column.
    pub(in crate::repair) fn same_as(&self, spot: Spot) -> &[Spot] {
        let known = self.same.get(&spot);
        known.map_or(&[], |known| known.as_slice())
    }

    /// What a column alone decides over an outer join: it finds the same partner for all rows in
    /// which the column is the same.
    pub(in crate::repair) fn decided_by(&self, spot: Spot) -> impl Iterator<Item = Spot> {
        let found = self.preserved.get(&spot).into_iter().flatten();
        let decided = found.filter(|(_, alone)| *alone == Alone::Whole);
        decided.map(|(other, _)| *other)
    }

    fn reaches(&self, from: Spot, to: Spot, steps: Steps) -> bool {
        let mut reached = HashSet::from([from]);
        let mut waiting = vec![from];
        while let Some(at) = waiting.pop() {
            let both = self.same.get(&at).into_iter().flatten().copied();
            let ahead = self.preserved.get(&at).into_iter().flatten();
            let ahead = ahead.map(|(other, _)| *other);
            let ahead = ahead.filter(|_| steps == Steps::AlsoPreserved);
            waiting.extend(both.chain(ahead).filter(|spot| reached.insert(*spot)));
        }
        reached.contains(&to)
    }

    fn same(&mut self, one: Spot, other: Spot) {
        self.same.entry(one).or_default().push(other);
        self.same.entry(other).or_default().push(one);
    }

    fn preserve(&mut self, one: Spot, other: Spot, alone: Alone) {
        self.preserved.entry(one).or_default().push((other, alone));
    }

    fn join(
        &mut self,
        outline: &Outline<'_>,
        comparisons: &Comparisons,
        (place, level): (usize, &Level<'_>),
        join: &Join<'_>,
        asked_within: bool,
    ) {
        let all = conditions(outline, comparisons, join.quals);
        let (mut equated, mut others) = (all.pairs, all.others || !all.fixed.is_empty());
        for name in &join.using {
            let side = |range: &std::ops::Range<usize>| {
                let with = level.leaves_with(name).into_iter();
                with.filter(|(leaf, _)| range.contains(leaf))
                    .map(|(leaf, column)| Spot {
                        level: place,
                        leaf,
                        column,
                    })
                    .next()
            };
            match (side(&join.left), side(&join.right)) {
                (Some(one), Some(other)) if is_same_type(outline, one, other) => {
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
        let tables = level.leaves.get(searched.clone()).unwrap_or_default();
        let tables = tables.iter().all(|leaf| leaf.relation.is_some());
        let single = equated.len() == 1 && !others && tables;
        for (one, other) in equated {
            if one.level != place || other.level != place {
                continue;
            }
            let on_the_right = |spot: Spot| join.right.contains(&spot.leaf);
            let both = on_the_right(one) == on_the_right(other);
            let (left, right) = match on_the_right(one) {
                true => (other, one),
                false => (one, other),
            };
            let alone = if single { Alone::Whole } else { Alone::Part };
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
pub(in crate::repair) fn is_plain(catalog: &Catalog, inferred: &Inferred) -> bool {
    let Inferred::Known(id) = inferred else {
        return false;
    };
    is_plain_type(catalog, *id)
}

fn is_plain_type(catalog: &Catalog, id: TypeId) -> bool {
    let mut one = catalog.data_type(id);
    for _layer in 0..crate::limits::DOMAINS_NESTED_MAX {
        match &one.kind {
            TypeKind::Domain { base, .. } => one = catalog.data_type(*base),
            TypeKind::Enum => return true,
            _ => return PLAIN.contains(&one.oid),
        }
    }
    false
}

/// Whether two columns are of one type.
pub(in crate::repair) fn is_same_type(outline: &Outline<'_>, one: Spot, other: Spot) -> bool {
    match (outline.column(one), outline.column(other)) {
        (Some(one), Some(other)) => {
            matches!(one.inferred, Inferred::Known(_)) && one.inferred == other.inferred
        }
        _ => false,
    }
}

/// Conditions that must all hold.
#[derive(Default)]
struct Conditions {
    /// Columns that are equated.
    pairs: Vec<(Spot, Spot)>,
    /// Columns that are compared with a value of the text.
    fixed: Vec<Spot>,
    /// Whether there are others.
    others: bool,
}

fn conditions(outline: &Outline<'_>, comparisons: &Comparisons, condition: Node<'_>) -> Conditions {
    let mut found = Conditions::default();
    let mut waiting = vec![condition];
    while let Some(node) = waiting.pop() {
        match node {
            Node::None => {}
            Node::BoolExpr(and) if and.boolop == BoolExprType::AND_EXPR => {
                waiting.extend(and.args());
            }
            Node::A_Expr(comparison) if is_equality(comparison) => {
                let pair = pair(outline, comparisons, comparison);
                let fixed = fixed(outline, comparisons, comparison);
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
    outline: &Outline<'_>,
    comparisons: &Comparisons,
    comparison: &nodes::A_Expr,
) -> Option<Spot> {
    let column = match (comparison.lexpr(), comparison.rexpr()) {
        (Node::ColumnRef(column), Node::A_Const(_) | Node::ParamRef(_))
        | (Node::A_Const(_) | Node::ParamRef(_), Node::ColumnRef(column)) => column,
        _ => return None,
    };
    let spot = outline.spot_at(column.location)?;
    let is_plain = is_plain(outline.catalog, &outline.column(spot)?.inferred);
    (is_plain && comparisons.is_ordinary(outline.catalog, comparison.location)).then_some(spot)
}

fn pair(
    outline: &Outline<'_>,
    comparisons: &Comparisons,
    comparison: &nodes::A_Expr,
) -> Option<(Spot, Spot)> {
    let (Node::ColumnRef(one), Node::ColumnRef(other)) = (comparison.lexpr(), comparison.rexpr())
    else {
        return None;
    };
    let pair = (
        outline.spot_at(one.location)?,
        outline.spot_at(other.location)?,
    );
    (is_same_type(outline, pair.0, pair.1)
        && comparisons.is_ordinary(outline.catalog, comparison.location))
    .then_some(pair)
}

fn is_equality(comparison: &nodes::A_Expr) -> bool {
    let mut names = comparison.name().iter();
    comparison.kind == A_Expr_Kind::AEXPR_OP
        && names.next().and_then(Node::as_str) == Some("=")
        && names.next().is_none()
}

/// bool, bytea, "char", name, int8, int2, int4, text, oid, varchar, date, time, timestamp,
/// timestamptz, uuid. Numbers with a scale, floating point numbers, intervals, padded strings and
/// documents are not: 1.0 equals 1.00.
const PLAIN: [Oid; 15] = [
    Oid(16),
    Oid(17),
    Oid(18),
    Oid(19),
    Oid(20),
    Oid(21),
    Oid(23),
    Oid(25),
    Oid(26),
    Oid(1043),
    Oid(1082),
    Oid(1083),
    Oid(1114),
    Oid(1184),
    Oid(2950),
];
