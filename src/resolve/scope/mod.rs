//! What is visible in a query: the relations of its FROM, its queries of WITH, and what is visible
//! in the queries around it.
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html>

pub mod view;

use std::sync::Arc;

use self::view::VisibleItems;
use super::query::with::CommonTable;
use super::{ColumnSource, InferredType, RowField, SqlName, UsedObject};
use catalog::{RelationId, SchemaId, TypeId};

/// What an expression can refer to. Scopes form a chain: the query, the one around it, and so on.
#[derive(Default)]
pub struct Scope<'s, 'a> {
    pub(crate) outer: Option<&'s Scope<'s, 'a>>,
    pub(crate) id: Option<ScopeId>,
    pub(crate) items: Vec<ScopeItem<'a>>,
    /// The place of the first of them that can be referred to now: an ON does not see what stands
    /// before its join.
    pub(crate) first: usize,
    pub(crate) reach: ScopeReach,
    pub(crate) tables: Vec<CommonTable<'a>>,
}

/// Which items of a scope can be referred to now. While a FROM is read, what stands in it sees its
/// neighbours only if it is LATERAL or a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ScopeReach {
    /// Those that have been read: the left neighbours, or the sides of a join under its ON.
    #[default]
    ItemsSoFar,
    /// All: the FROM has been read.
    AllItems,
    /// None.
    OuterOnly,
}

/// The place of a scope in [`super::Resolution::scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(pub(crate) usize);

/// Something in FROM that has columns.
#[derive(Clone, Debug)]
pub struct ScopeItem<'a> {
    /// The name that qualifies its columns: its alias, or its own name.
    pub name: Option<SqlName<'a>>,
    /// The schema of a relation that has no alias, by which it can be qualified further.
    pub schema: Option<SchemaId>,
    /// The relation, if it is one.
    pub relation: Option<RelationId>,
    /// Its columns.
    pub columns: Arc<[ScopeColumn<'a>]>,
    /// Whether these are all.
    pub completeness: ColumnCompleteness,
    /// How its columns can be referred to.
    pub visibility: ColumnVisibility,
    pub(crate) row: RowType,
    pub(crate) system_columns: SystemColumns,
}

/// Whether all columns of something are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnCompleteness {
    /// They are.
    #[default]
    Complete,
    /// There may be more: the snapshot does not know the relation, or not what a function returns.
    Open,
}

/// How columns can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnVisibility {
    /// By themselves, or after the name of the item.
    Both,
    /// By themselves only: a join, or a sub-select without a name.
    Unqualified,
    /// After the name of the item only: what a join with USING has taken the columns of.
    Qualified,
}

/// The type of a row of something in FROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RowType {
    /// A composite type.
    Composite(TypeId),
    /// The value itself: a function that returns no row.
    Value(InferredType),
    /// A record of the columns.
    Columns,
    /// It cannot be told.
    Unclear,
}

/// Which of the columns that every table has can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemColumns {
    /// It has them.
    Both,
    /// It has them, and stands in a join: they need the name of the item.
    Qualified,
    /// It has none.
    Absent,
}

/// A column of something in FROM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeColumn<'a> {
    /// Its name here.
    pub name: SqlName<'a>,
    /// Its type.
    pub inferred: InferredType,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
    /// Where it is read, if it is.
    pub(crate) via: ColumnSource,
    pub(crate) star: StarCoverage,
}

/// Whether a star stands for a column, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StarCoverage {
    #[default]
    Included,
    /// What SEARCH and CYCLE add, seen from inside a query below the one that has the WITH.
    Excluded,
}

impl<'s, 'a> Scope<'s, 'a> {
    /// A scope without anything.
    pub fn empty() -> Self {
        Self::default()
    }

    /// This scope and those around it, nearest first.
    pub(crate) fn chain(&self) -> impl Iterator<Item = &Scope<'s, 'a>> {
        std::iter::successors(Some(self), |scope| scope.outer)
    }

    /// The items that can be referred to now.
    pub(crate) fn visible(&self) -> &[ScopeItem<'a>] {
        match self.reach {
            ScopeReach::ItemsSoFar | ScopeReach::AllItems => {
                self.items.get(self.first..).unwrap_or_default()
            }
            ScopeReach::OuterOnly => &[],
        }
    }

    /// The same, to be kept when the query has been analysed.
    pub(crate) fn visible_items(&self) -> VisibleItems<'a> {
        match (self.reach, self.visible()) {
            (ScopeReach::AllItems, _) => VisibleItems::All,
            (ScopeReach::ItemsSoFar | ScopeReach::OuterOnly, []) => VisibleItems::Nothing,
            (ScopeReach::ItemsSoFar | ScopeReach::OuterOnly, items) => {
                VisibleItems::Named(items.iter().filter_map(|item| item.name.clone()).collect())
            }
        }
    }
}

impl<'a> ScopeItem<'a> {
    /// Something with these columns, whose rows are records of them.
    pub(crate) fn of_columns(name: Option<SqlName<'a>>, columns: Arc<[ScopeColumn<'a>]>) -> Self {
        Self {
            visibility: match name {
                Some(_) => ColumnVisibility::Both,
                None => ColumnVisibility::Unqualified,
            },
            name,
            schema: None,
            relation: None,
            columns,
            completeness: ColumnCompleteness::Complete,
            row: RowType::Columns,
            system_columns: SystemColumns::Absent,
        }
    }

    /// Something of which nothing is known but its name.
    pub(crate) fn unknown(name: Option<SqlName<'a>>) -> Self {
        Self {
            completeness: ColumnCompleteness::Open,
            row: RowType::Unclear,
            ..Self::of_columns(name, Arc::from([]))
        }
    }

    /// Whether a column can be referred to by its name alone.
    pub fn is_seen_unqualified(&self) -> bool {
        matches!(
            self.visibility,
            ColumnVisibility::Both | ColumnVisibility::Unqualified
        )
    }

    /// Whether a column can be referred to after this name.
    pub fn is_called(&self, name: &str) -> bool {
        matches!(
            self.visibility,
            ColumnVisibility::Both | ColumnVisibility::Qualified
        ) && self.name.as_ref().is_some_and(|own| own.as_str() == name)
    }

    /// The type of its rows.
    pub(crate) fn row_type(&self) -> InferredType {
        match &self.row {
            RowType::Composite(id) => InferredType::Known(*id),
            RowType::Value(inferred) => inferred.clone(),
            RowType::Unclear => InferredType::Unclear,
            RowType::Columns if self.completeness == ColumnCompleteness::Open => {
                InferredType::Unclear
            }
            RowType::Columns => {
                let fields = self.columns.iter().map(|column| RowField {
                    name: column.name.as_str().into(),
                    inferred: column.inferred.clone(),
                });
                InferredType::Row(fields.collect())
            }
        }
    }
}

impl<'a> ScopeColumn<'a> {
    /// A use of it.
    pub(crate) fn read(&self) -> UsedObject<'a> {
        UsedObject::Column {
            inferred: self.inferred.clone(),
            origin: self.origin,
            via: self.via,
        }
    }

    /// A column that passes nothing on unchanged.
    pub(crate) fn computed(name: SqlName<'a>, inferred: InferredType) -> Self {
        Self {
            name,
            inferred,
            origin: None,
            via: ColumnSource::Query,
            star: StarCoverage::Included,
        }
    }
}

impl ScopeId {
    /// Its place in the list.
    pub fn place(self) -> usize {
        self.0
    }
}
