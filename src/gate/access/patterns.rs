//! The lists of a policy, looked up by the names of relations. A name that is not readable is
//! whatever is denied, and nothing that is allowed.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;

use catalog::unreadable_names::is_kept;
use catalog::{Catalog, RelationId};
use policy::AccessLists;
use policy::access::{Glob, RelationPattern};

/// All lists of the sections `relations` and `columns`.
pub(super) struct AccessPatterns<'p> {
    allowed: Option<PatternsByName<'p, ()>>,
    /// Those that a wildcard may let in, where new ones are kept out.
    known: Option<HashSet<(&'p str, &'p str), RandomState>>,
    denied: PatternsByName<'p, ()>,
    columns_allowed: PatternsByName<'p, &'p Glob>,
    columns_denied: PatternsByName<'p, &'p Glob>,
}

/// What the list of what is allowed says of a relation. In order: of what is a part of several, the
/// highest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AllowListMatch {
    /// It does not name it.
    NotNamed,
    /// It does, by a wildcard or by the lack of a list, and new ones are kept out.
    New,
    /// It may be read.
    Allowed,
}

/// What the lists say of the columns of one relation.
#[derive(Default)]
pub(super) struct ColumnRules<'p> {
    allowed: Vec<&'p Glob>,
    denied: Vec<&'p Glob>,
}

/// Patterns, those without wildcards by the names that they are.
struct PatternsByName<'p, T> {
    exact: HashMap<(&'p str, &'p str), Vec<T>, RandomState>,
    wild: Vec<(&'p RelationPattern, T)>,
}

/// The schema and the name of a relation.
pub(super) fn names_of(catalog: &Catalog, id: RelationId) -> (&str, &str) {
    let relation = catalog.relation(id);
    let schema = catalog.schema(relation.schema).name;
    (
        catalog.names().text(schema),
        catalog.names().text(relation.name),
    )
}

impl<'p> AccessPatterns<'p> {
    pub(super) fn of(access: &'p AccessLists) -> Self {
        let plain =
            |list: &'p [RelationPattern]| PatternsByName::of(list.iter().map(|one| (one, ())));
        let columns = |list: &'p [policy::access::ColumnPattern]| {
            PatternsByName::of(list.iter().map(|one| (&one.relation, &one.column)))
        };
        Self {
            allowed: access.relations_allowed.as_deref().map(plain),
            known: access.relations_known.as_deref().map(|known| {
                let known = known.iter();
                known
                    .map(|(schema, name)| (schema.as_str(), name.as_str()))
                    .collect()
            }),
            denied: plain(&access.relations_denied),
            columns_allowed: columns(&access.columns_allowed),
            columns_denied: columns(&access.columns_denied),
        }
    }

    /// What the list of what is allowed says of a relation; without one, everything is named.
    pub(super) fn allow_list_match(&self, schema: &str, name: &str) -> AllowListMatch {
        let is_named = !is_kept(schema) && !is_kept(name);
        let by_name =
            |all: &PatternsByName<'_, ()>| is_named && all.exact.contains_key(&(schema, name));
        let by_any =
            |all: &PatternsByName<'_, ()>| is_named && !all.of_name(schema, name).is_empty();
        let is_old = |known: &HashSet<_, _>| is_named && known.contains(&(schema, name));
        match &self.allowed {
            Some(all) if by_name(all) => AllowListMatch::Allowed,
            Some(all) if !by_any(all) => AllowListMatch::NotNamed,
            Some(_) | None if self.known.as_ref().is_none_or(is_old) => AllowListMatch::Allowed,
            Some(_) | None => AllowListMatch::New,
        }
    }

    /// Whether a relation is named by what is denied.
    pub(super) fn denies(&self, schema: &str, name: &str) -> bool {
        !self.denied.of_name(schema, name).is_empty()
    }

    /// What is said of the columns of a relation.
    pub(super) fn columns(&self, schema: &str, name: &str) -> ColumnRules<'p> {
        ColumnRules {
            allowed: self.columns_allowed.of_name(schema, name),
            denied: self.columns_denied.of_name(schema, name),
        }
    }
}

impl ColumnRules<'_> {
    /// Whether they hide nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.allowed.is_empty() && self.denied.is_empty()
    }

    /// Whether they hide a column of this name.
    pub(super) fn hide(&self, column: &str) -> bool {
        if is_kept(column) {
            return !self.is_empty();
        }
        let named = |list: &[&Glob]| list.iter().any(|glob| glob.matches(column));
        (!self.allowed.is_empty() && !named(&self.allowed)) || named(&self.denied)
    }
}

impl<'p, T: Copy> PatternsByName<'p, T> {
    fn of(patterns: impl Iterator<Item = (&'p RelationPattern, T)>) -> Self {
        let mut found = Self {
            exact: HashMap::default(),
            wild: Vec::new(),
        };
        for (pattern, with) in patterns {
            match (pattern.schema.exact(), pattern.name.exact()) {
                (Some(schema), Some(name)) => {
                    found.exact.entry((schema, name)).or_default().push(with);
                }
                _ => found.wild.push((pattern, with)),
            }
        }
        found
    }

    fn of_name(&self, schema: &str, name: &str) -> Vec<T> {
        if is_kept(schema) || is_kept(name) {
            return self.of_unreadable(schema, name);
        }
        let mut found = self.exact.get(&(schema, name)).cloned().unwrap_or_default();
        let wild = self.wild.iter();
        let wild = wild.filter(|(pattern, _)| pattern.names(schema, name));
        found.extend(wild.map(|(_, with)| *with));
        found
    }

    /// All that may be about a relation of which not both names are known.
    fn of_unreadable(&self, schema: &str, name: &str) -> Vec<T> {
        let may_be = |known: &str, named: bool| named || is_kept(known);
        let exact = self
            .exact
            .iter()
            .filter(|((of, one), _)| may_be(schema, *of == schema) && may_be(name, *one == name));
        let wild = self.wild.iter().filter(|(pattern, _)| {
            may_be(schema, pattern.schema.matches(schema))
                && may_be(name, pattern.name.matches(name))
        });
        let exact = exact.flat_map(|(_, with)| with.iter().copied());
        exact.chain(wild.map(|(_, with)| *with)).collect()
    }
}
