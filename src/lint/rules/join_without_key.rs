//! `join_without_key`: joins by columns that do not belong to each other.
//!
//! # Sees
//! Two tables that an equality joins although the declared keys say otherwise: a foreign key that
//! is compared with the key of another table than its own, or the primary keys of two tables one of
//! which refers to the other (errors); or columns that are no keys, where a declared key joins the
//! two (a warning).
//!
//! # Why
//! Numbers of customers and numbers of orders are both 1, 2, 3: rows come back, and have nothing to
//! do with each other.
//!
//! # Before
//! - `SELECT c.name, o.total FROM customers c JOIN orders o ON o.id = c.id`
//! - `SELECT o.id, p.name FROM orders o JOIN products p ON o.customer_id = p.id`
//!
//! # After
//! - `SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id`
//!
//! # When not
//! Tables between which no key is declared: nobody knows what joins them. Two foreign keys to one
//! table belong to each other.

use std::collections::BTreeSet;

use crate::query::{ColumnAt, EqualityRight, QueryId, QueryLinks};
use crate::statement::{LintedStatement, TableColumn};
use crate::{LintFinding, LintLevel, LintRule};
use catalog::{Catalog, KeyKind, RelationId};
use ground::limits::lints::LINT_KEYS_DEEP_MAX;

pub(super) fn check(statement: &LintedStatement<'_>, findings: &mut Vec<LintFinding>) {
    let Some(catalog) = statement.catalog else {
        return;
    };
    for (id, _) in statement.queries() {
        let links = statement.tree.links(id);
        let reader = JoinedColumns { statement, catalog };
        for equality in &links.equalities {
            let EqualityRight::Column(other) = &equality.right else {
                continue;
            };
            if let Some((level, message)) = reader.wrong(id, &links, &equality.column, other) {
                findings.push(LintFinding {
                    rule: LintRule::JoinWithoutKey,
                    level,
                    at: equality.at,
                    message,
                });
            }
        }
    }
}

struct JoinedColumns<'s, 'a> {
    statement: &'s LintedStatement<'a>,
    catalog: &'a Catalog,
}

/// A column of a table as the declared keys see it.
struct KeyColumn {
    /// The columns that its values are of: itself, and all that foreign keys lead to.
    origins: BTreeSet<(RelationId, i16)>,
    /// Whether it refers to another column.
    is_foreign: bool,
    /// Whether it is the primary key of its table.
    is_primary: bool,
}

impl<'a> JoinedColumns<'_, 'a> {
    fn wrong(
        &self,
        id: QueryId,
        links: &QueryLinks<'a>,
        one: &ColumnAt<'a>,
        other: &ColumnAt<'a>,
    ) -> Option<(LintLevel, String)> {
        if one.item == other.item {
            return None;
        }
        let (own, its) = (
            self.statement.table_column(one)?,
            self.statement.table_column(other)?,
        );
        let (left, right) = (self.key_column(&own), self.key_column(&its));
        if self.are_one(&left, &right) || self.is_joined_well(id, links, one.item, other.item) {
            return None;
        }
        let names = [one, other].map(|at| self.statement.column_name(at));
        let refer_to_each_other =
            self.refers(own.relation, its.relation) || self.refers(its.relation, own.relation);
        let is_identifier = |key: &KeyColumn| key.is_foreign || key.is_primary;
        let [one, other] = &names;
        if is_identifier(&left) && is_identifier(&right) {
            let is_error = left.is_foreign || right.is_foreign || refer_to_each_other;
            let message = format!(
                "{one} and {other} are keys of different things: a declared key says what each is \
                 of, and they are not of the same"
            );
            return is_error.then_some((LintLevel::Error, message));
        }
        let message = format!(
            "{one} = {other} is no declared key, and these two tables have one that joins them"
        );
        refer_to_each_other.then_some((LintLevel::Warning, message))
    }

    /// Whether a declared key joins two items beside this.
    fn is_joined_well(
        &self,
        id: QueryId,
        links: &QueryLinks<'a>,
        one: usize,
        other: usize,
    ) -> bool {
        links.equalities.iter().any(|equality| {
            let EqualityRight::Column(right) = &equality.right else {
                return false;
            };
            let items = [equality.column.item, right.item];
            let is_between = items == [one, other] || items == [other, one];
            let keys = [equality.column, *right].map(|at| {
                let column = self.statement.table_column(&at).filter(|_| at.query == id);
                column.map(|column| self.key_column(&column))
            });
            match keys {
                [Some(left), Some(right)] => {
                    is_between
                        && (left.is_foreign || right.is_foreign)
                        && self.are_one(&left, &right)
                }
                _ => false,
            }
        })
    }

    /// Whether the values of two columns are of one column, or of a table and its partition.
    fn are_one(&self, left: &KeyColumn, right: &KeyColumn) -> bool {
        let is_child = |child: RelationId, parent: RelationId| {
            self.catalog.relation(parent).children.contains(&child)
        };
        left.origins.iter().any(|one| {
            let mut others = right.origins.iter();
            others.any(|other| one == other || is_child(one.0, other.0) || is_child(other.0, one.0))
        })
    }

    /// Follows foreign keys to the columns that a column's values are of.
    fn key_column(&self, column: &TableColumn<'a>) -> KeyColumn {
        let own = (column.relation, column.column.number);
        let mut origins = BTreeSet::from([own]);
        for _ in 0..LINT_KEYS_DEEP_MAX {
            let next = origins.iter().flat_map(|origin| self.referred(*origin));
            let next: Vec<_> = next.filter(|origin| !origins.contains(origin)).collect();
            if next.is_empty() {
                break;
            }
            origins.extend(next);
        }
        let mut keys = self.catalog.keys_of(column.relation).iter();
        let is_primary =
            keys.any(|key| key.kind == KeyKind::Primary && *key.columns == [column.column.number]);
        KeyColumn {
            is_foreign: !self.referred(own).is_empty(),
            is_primary,
            origins,
        }
    }

    /// The columns that foreign keys of a column point to.
    fn referred(&self, (relation, number): (RelationId, i16)) -> Vec<(RelationId, i16)> {
        let keys = self.catalog.keys_of(relation).iter();
        let pointed = keys.filter_map(|key| match &key.kind {
            KeyKind::Foreign { to, to_columns } | KeyKind::Unvalidated { to, to_columns } => {
                let place = key.columns.iter().position(|own| *own == number)?;
                Some((*to, *to_columns.get(place)?))
            }
            KeyKind::Primary | KeyKind::Unique => None,
        });
        pointed.collect()
    }

    /// Whether a foreign key of one relation points to another.
    fn refers(&self, from: RelationId, wanted: RelationId) -> bool {
        let mut keys = self.catalog.keys_of(from).iter();
        keys.any(|key| matches!(&key.kind, KeyKind::Foreign { to, .. } if *to == wanted))
    }
}
