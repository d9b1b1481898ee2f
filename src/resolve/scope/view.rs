//! What was visible at a place of a statement, for whoever looks for another spelling of it.

use std::collections::HashMap;

use crate::{InferredType, Resolution, ScopeId, ScopeItem, SqlName};
use catalog::RelationId;
use sql::tree::nodes;

/// A scope as it is kept when its query has been analysed.
#[derive(Clone, Debug)]
pub struct ScopeView<'a> {
    /// The scope around it.
    pub outer: Option<ScopeId>,
    /// What of that can be referred to in it.
    pub outer_items: VisibleItems<'a>,
    /// What its FROM brings, in the order of the text.
    pub items: Vec<ScopeItem<'a>>,
    /// The common tables of its WITH.
    pub tables: Vec<SqlName<'a>>,
    /// Where its query is kept in the tree: no more than a mark to know it again by.
    pub(crate) query: usize,
}

/// What of the FROM of a query can be referred to from a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisibleItems<'a> {
    /// All of it.
    All,
    /// What has one of these names: left neighbours in FROM, or the sides of a join under its ON.
    Named(Vec<SqlName<'a>>),
    /// Nothing: the place stands in that FROM itself, in its WITH, or is a side of its UNION.
    Nothing,
}

/// The scopes of the queries of a statement, by query.
pub struct ScopesOfQueries(HashMap<usize, ScopeId>);

/// A column that a name could mean at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnCandidate<'r, 'a> {
    /// How many queries further out its relation stands.
    pub level: usize,
    /// The name that qualifies it without doubt; none where no name does.
    pub qualifier: Option<&'r SqlName<'a>>,
    /// Its own name.
    pub name: &'r SqlName<'a>,
    /// Its type.
    pub inferred: &'r InferredType,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
}

impl<'a> Resolution<'a> {
    /// The innermost scope that is known to hold at a place: where the server says that a name is
    /// wrong, it is the scope of that name.
    pub fn scope_at(&self, position: usize) -> Option<ScopeId> {
        let after = self.marks.partition_point(|(at, _)| *at <= position);
        let (_, id) = self.marks.get(after.checked_sub(1)?)?;
        Some(*id)
    }

    /// A scope.
    pub fn scope(&self, id: ScopeId) -> Option<&ScopeView<'a>> {
        self.scopes.get(id.place())
    }

    /// The scope of a query. Operands of a set operation that are set operations themselves,
    /// without clauses of their own, have none.
    pub fn scope_of(&self, query: &nodes::SelectStmt) -> Option<ScopeId> {
        let query = std::ptr::from_ref(query).addr();
        let place = self.scopes.iter().position(|view| view.query == query);
        place.map(ScopeId)
    }

    /// The scopes of all queries, for many questions.
    pub fn scopes_of_queries(&self) -> ScopesOfQueries {
        let scopes = self.scopes.iter().enumerate();
        ScopesOfQueries(
            scopes
                .map(|(place, view)| (view.query, ScopeId(place)))
                .collect(),
        )
    }

    /// A scope and those around it, nearest first.
    pub fn scopes_from(&self, id: ScopeId) -> impl Iterator<Item = &ScopeView<'a>> {
        std::iter::successors(self.scope(id), |view| self.scope(view.outer?))
    }

    /// What of the innermost scope can be referred to at the place of a column that is missing.
    pub fn visible_at(&self, position: usize) -> Option<&VisibleItems<'a>> {
        let mut missing = self.missing_columns.iter();
        missing.find_map(|(at, visible)| (*at == position).then_some(visible))
    }

    /// Everything that a column's name could mean at a place, nearest first. `qualifier` is one
    /// that Postgres takes for just this column there, so that one candidate can be spelled in one
    /// way.
    pub fn candidates(&self, position: usize, name: &str) -> Vec<ColumnCandidate<'_, 'a>> {
        let mut found = Vec::new();
        let Some(id) = self.scope_at(position) else {
            return found;
        };
        for (level, view) in self.scopes_from(id).enumerate() {
            let nearer = |item: &ScopeItem<'a>| {
                let own = item.name.as_ref();
                own.is_some_and(|own| self.scopes_from(id).take(level).any(|view| view.has(own)))
            };
            for item in &view.items {
                let qualifier = item
                    .name
                    .as_ref()
                    .filter(|own| view.called(own).count() == 1 && !nearer(item));
                let columns = item.columns.iter().filter(|own| own.name.as_str() == name);
                let single = columns.clone().count() == 1;
                found.extend(columns.map(|column| ColumnCandidate {
                    level,
                    qualifier: qualifier.filter(|_| single),
                    name: &column.name,
                    inferred: &column.inferred,
                    origin: column.origin,
                }));
            }
        }
        found
    }
}

impl ScopesOfQueries {
    /// The scope of a query of the tree that was analysed.
    pub fn of(&self, query: &nodes::SelectStmt) -> Option<ScopeId> {
        self.0.get(&std::ptr::from_ref(query).addr()).copied()
    }
}

impl<'a> VisibleItems<'a> {
    /// Whether something in the FROM is among them.
    pub fn include(&self, item: &ScopeItem<'a>) -> bool {
        match self {
            Self::All => true,
            Self::Named(names) => item.name.as_ref().is_some_and(|own| names.contains(own)),
            Self::Nothing => false,
        }
    }
}

impl<'a> ScopeView<'a> {
    /// The items that a name qualifies the columns of: one, or the name says nothing.
    fn called(&self, name: &SqlName<'a>) -> impl Iterator<Item = &ScopeItem<'a>> {
        self.items
            .iter()
            .filter(|item| item.is_called(name.as_str()))
    }

    fn has(&self, name: &SqlName<'a>) -> bool {
        self.called(name).next().is_some()
    }
}
