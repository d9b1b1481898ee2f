//! Joins. Long chains to the left are a loop.
//!
//! What an alias is given to hides what is inside. USING and NATURAL merge columns: the merged ones
//! come first, and are the only ones that a name alone can mean.
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-JOIN>

use super::alias;
use crate::missing_name::{JoinArm, MissingObject};
use crate::query::{COPY_COST, NO_PLACE};
use crate::scope::SystemColumns;
use crate::{
    Analysis, ColumnCompleteness, ColumnVisibility, InferredType, Scope, ScopeColumn, ScopeItem,
    SqlName, TooDeep, UsedObject,
};
use sql::tree::{JoinType, Node, nodes};

impl<'a> Analysis<'a> {
    /// What a join brings into scope.
    pub(crate) fn join_in_from(
        &mut self,
        join: &'a nodes::JoinExpr,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<Vec<ScopeItem<'a>>, TooDeep> {
        let mut joins = vec![join];
        let mut left = join.larg();
        while let Node::JoinExpr(inner) = left {
            joins.push(inner);
            left = inner.larg();
        }
        let outside = scope.items.len();
        let mut first = self.item_of_from(left, scope)?;
        scope.items.append(&mut first);
        let mut sides = JoinRanges {
            left: outside,
            right: outside,
            new: outside,
        };
        while let Some(join) = joins.pop() {
            // The right side sees what is left of the whole chain, if it is LATERAL.
            let mut right = self.item_of_from(join.rarg(), scope)?;
            sides.right = scope.items.len();
            scope.items.append(&mut right);
            self.joined(join, &mut sides, scope)?;
        }
        Ok(scope.items.split_off(outside))
    }

    /// One join of a chain, whose sides stand in the scope. Where nothing is merged and no alias is
    /// given, nothing is moved: a chain takes time in proportion to its length.
    fn joined(
        &mut self,
        join: &'a nodes::JoinExpr,
        sides: &mut JoinRanges,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let (left, right) = sides.of(scope);
        let names = if join.is_natural {
            self.shared_names(left, right)?
        } else {
            let names = join.using_clause().iter();
            names
                .filter_map(|name| name.sval().map(SqlName::from))
                .collect()
        };
        let merged = self.merged(join, &names, left, right)?;
        if !matches!(join.quals(), Node::None) {
            self.join_condition(join.quals(), sides.left, scope)?;
        }
        if names.is_empty() && join.alias().is_none() {
            for item in scope.items.iter_mut().skip(sides.new) {
                if item.system_columns == SystemColumns::Both {
                    item.system_columns = SystemColumns::Qualified;
                }
            }
            sides.new = scope.items.len();
            return Ok(());
        }
        let items = scope.items.split_off(sides.left);
        self.charge_work(items.len())?;
        scope.items.append(&mut self.as_one(join, merged, items)?);
        sides.new = sides.left;
        Ok(())
    }

    /// ON sees the two sides, not what stands beside the join.
    fn join_condition(
        &mut self,
        condition: Node<'a>,
        left: usize,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let before = std::mem::replace(&mut scope.first, left);
        self.condition(condition, scope.with_items())?;
        scope.first = before;
        Ok(())
    }

    /// A join whose columns are not just those of its sides: they become an item of their own.
    fn as_one(
        &mut self,
        join: &'a nodes::JoinExpr,
        merged: Vec<ScopeColumn<'a>>,
        mut items: Vec<ScopeItem<'a>>,
    ) -> Result<Vec<ScopeItem<'a>>, TooDeep> {
        let is_merged = |column: &&ScopeColumn<'a>| {
            merged
                .iter()
                .all(|one| one.name.as_str() != column.name.as_str())
        };
        let mut columns = merged.clone();
        let mut completeness = ColumnCompleteness::Complete;
        for item in items.iter().filter(|item| item.is_seen_unqualified()) {
            let comparisons = merged.len().saturating_add(COPY_COST);
            self.charge_work(item.columns.len().saturating_mul(comparisons))?;
            completeness = completeness.and(item.completeness);
            columns.extend(item.columns.iter().filter(is_merged).cloned());
        }
        let (name, aliases) = alias(join.alias());
        let hides = name.is_some();
        let whole = ScopeItem {
            completeness,
            ..ScopeItem::of_columns(name, columns.into())
        };
        if hides {
            return Ok(vec![whole.renamed(&aliases)]);
        }
        let (using, _) = alias(join.join_using_alias());
        if let Some(using) = using {
            items.push(ScopeItem::of_columns(Some(using), merged.into()));
        }
        items.retain(|item| item.visibility != ColumnVisibility::Unqualified);
        for item in &mut items {
            item.visibility = ColumnVisibility::Qualified;
        }
        items.push(whole);
        Ok(items)
    }

    /// The columns that USING or NATURAL makes of two.
    fn merged(
        &mut self,
        join: &'a nodes::JoinExpr,
        names: &[SqlName<'a>],
        left: &[ScopeItem<'a>],
        right: &[ScopeItem<'a>],
    ) -> Result<Vec<ScopeColumn<'a>>, TooDeep> {
        let mut merged = Vec::with_capacity(names.len());
        let at = place(join.rarg());
        for name in names {
            let one = self.side(name, (left, JoinArm::Left), at)?;
            let other = self.side(name, (right, JoinArm::Right), at)?;
            self.implied_operator("=", &one.inferred, &other.inferred, NO_PLACE);
            let same = one.inferred == other.inferred;
            let inferred = if same && matches!(one.inferred, InferredType::Known(_)) {
                one.inferred.clone()
            } else {
                self.common_type(&[one.inferred.clone(), other.inferred.clone()], NO_PLACE)
            };
            let kept = match join.jointype {
                JoinType::JOIN_INNER | JoinType::JOIN_LEFT => Some(&one),
                JoinType::JOIN_RIGHT => Some(&other),
                _ => None,
            };
            let kept = kept.filter(|kept| kept.inferred == inferred);
            merged.push(ScopeColumn {
                origin: kept.and_then(|kept| kept.origin),
                ..ScopeColumn::computed(name.clone(), inferred)
            });
        }
        Ok(merged)
    }

    /// The column of a name on one side of a join.
    fn side(
        &mut self,
        name: &SqlName<'a>,
        (items, side): (&[ScopeItem<'a>], JoinArm),
        at: i32,
    ) -> Result<ScopeColumn<'a>, TooDeep> {
        let mut found = Vec::new();
        self.charge_work(items.len())?;
        for item in items.iter().filter(|item| item.is_seen_unqualified()) {
            self.charge_work(item.columns.len())?;
            found.extend(item.columns.iter().filter(|column| column.name == *name));
        }
        let open = items.iter().any(|item| {
            item.is_seen_unqualified() && item.completeness == ColumnCompleteness::Open
        });
        let what = match found.as_slice() {
            [column] if !open => {
                let column = ScopeColumn::clone(column);
                self.note_at(at, column.read());
                return Ok(column);
            }
            _ if open => UsedObject::Unclear,
            [] => UsedObject::MissingColumn {
                qualifier: None,
                name: name.clone(),
            },
            _ => UsedObject::AmbiguousColumn {
                qualifier: None,
                name: name.clone(),
            },
        };
        if let UsedObject::MissingColumn { .. } = what {
            let name = name.clone();
            self.note_missing(NO_PLACE, || MissingObject::JoinColumn { name, side });
        }
        self.note_at(NO_PLACE, what);
        Ok(ScopeColumn::computed(name.clone(), InferredType::Unclear))
    }

    /// The names that both sides of a NATURAL join have, in the order of the left one.
    fn shared_names(
        &mut self,
        left: &[ScopeItem<'a>],
        right: &[ScopeItem<'a>],
    ) -> Result<Vec<SqlName<'a>>, TooDeep> {
        let sides = || {
            left.iter()
                .chain(right)
                .filter(|item| item.is_seen_unqualified())
        };
        self.charge_work(left.len().saturating_add(right.len()))?;
        for item in sides() {
            self.charge_work(item.columns.len())?;
            if item.completeness == ColumnCompleteness::Open {
                self.note_at(NO_PLACE, UsedObject::Unclear);
            }
        }
        let of = |items: &[ScopeItem<'a>]| -> Vec<SqlName<'a>> {
            let seen = items.iter().filter(|item| item.is_seen_unqualified());
            seen.flat_map(|item| item.columns.iter().map(|column| column.name.clone()))
                .collect()
        };
        let on_the_right: std::collections::HashSet<_> = of(right).into_iter().collect();
        let mut shared = of(left);
        shared.retain(|name| on_the_right.contains(name));
        Ok(shared)
    }
}

/// Where the items of a join's sides begin among those of its scope.
struct JoinRanges {
    left: usize,
    right: usize,
    /// Where those begin that have not been in a join before.
    new: usize,
}

impl JoinRanges {
    fn of<'s, 'a>(&self, scope: &'s Scope<'_, 'a>) -> (&'s [ScopeItem<'a>], &'s [ScopeItem<'a>]) {
        let items = scope.items.get(self.left..).unwrap_or_default();
        let count = self.right.saturating_sub(self.left);
        items.split_at_checked(count).unwrap_or((items, &[]))
    }
}

/// Where the right side of a join stands, as far as the tree says: a join has no place of its own.
fn place(right: Node<'_>) -> i32 {
    match right {
        Node::RangeVar(table) => table.location,
        _ => NO_PLACE,
    }
}
