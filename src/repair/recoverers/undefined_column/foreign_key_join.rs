//! A column that is missing where it is named and that one step over a foreign key would bring:
//! from a child to its parent, so that the number of rows cannot change.
//!
//! Nothing else in the text may change its meaning: what the new table would capture is qualified.

use std::collections::BTreeMap;

use super::added_table::{AddedJoin, alias_of, is_in_path};
use super::equal_paths::one_of_equal;
use super::foreign_key_path::{ForeignKeyPath, JoinFinder, KeyEvidence};
use super::required_value::is_asked_for;
use super::unique_owner::steps_to_owner;
use crate::RepairContext;
use crate::dependencies::keys;
use crate::scopes::column_reference::{ColumnReference, QueryClause, ReferenceMeaning, own_name};
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use crate::scopes::span_of;
use catalog::quote::quoted;
use catalog::{KeyKind, RelationId};
use sql::edit::TextEdit;
use sql::extent::clause::item_around;
use sql::tree::Node;

/// A column that is missing where it is named.
#[derive(Clone, Copy)]
pub(crate) struct MissingReference<'s> {
    /// Where the reference begins.
    pub at: usize,
    /// The name of the relation, if one is written.
    pub qualifier: Option<&'s str>,
    /// The name of the column.
    pub name: &'s str,
}

/// What joining a table would do for columns that are missing.
pub(crate) enum JoinProposal {
    /// These edits bring all of them, and change nothing else.
    Joined {
        /// The joins, and the references.
        edits: Vec<TextEdit>,
        /// What they do, for the client.
        change: String,
    },
    /// There is a join, or there are several, for somebody else to choose.
    Hinted(String),
    /// No key leads to them.
    Nothing,
}

/// Looks for joins that bring these columns: all of them, or none.
pub(crate) fn propose_joins(
    context: &RepairContext<'_>,
    missing: &[MissingReference<'_>],
) -> JoinProposal {
    let parts = (context.statement(), context.resolution, context.database);
    let (Some(statement), Some(resolution), Some(database)) = parts else {
        return JoinProposal::Nothing;
    };
    let Some(query_scopes) =
        QueryScopes::of(statement, resolution, database.catalog, database.mask)
    else {
        return JoinProposal::Nothing;
    };
    let stepping = JoinFinder {
        context,
        database,
        query_scopes: &query_scopes,
    };
    match stepping.all(missing) {
        Ok(step) | Err(step) => step,
    }
}

impl JoinFinder<'_, '_> {
    fn all(&self, missing: &[MissingReference<'_>]) -> Result<JoinProposal, JoinProposal> {
        let mut added: BTreeMap<ForeignKeyPath, AddedJoin> = BTreeMap::new();
        let mut edits = BTreeMap::new();
        let mut changes: Vec<String> = Vec::new();
        for one in missing {
            let reference = self
                .query_scopes
                .reference_at(one.at)
                .ok_or(JoinProposal::Nothing)?;
            let path = self.path(one, reference, missing)?;
            if !added.contains_key(&path) {
                let asked = one.qualifier.filter(|name| self.is_free(name));
                let taken: Vec<&str> = added.values().map(|own| own.alias.as_str()).collect();
                let alias = alias_of(self, &path, asked, &taken).ok_or(JoinProposal::Nothing)?;
                let join = self.join(&path, alias)?;
                changes.push(join.words.clone());
                added.insert(path.clone(), join);
            }
            let join = added.get(&path).ok_or(JoinProposal::Nothing)?;
            let span = span_of(self.context, one.at).ok_or(JoinProposal::Nothing)?;
            let qualified = format!("{}.{}", quoted(&join.alias), quoted(one.name));
            edits.insert((span.start, span.end), qualified);
        }
        for (path, join) in &added {
            let inserted: &mut String = edits.entry((join.at, join.at)).or_default();
            inserted.push_str(&join.text);
            for (at, qualified) in self.captured(path, missing)? {
                let span = span_of(self.context, at).ok_or(JoinProposal::Nothing)?;
                edits.insert((span.start, span.end), qualified);
            }
        }
        let edits = edits
            .into_iter()
            .map(|((start, end), replacement)| TextEdit {
                span: start..end,
                replacement,
            });
        Ok(JoinProposal::Joined {
            edits: edits.collect(),
            change: changes.join("; "),
        })
    }

    /// The only step that brings a column.
    fn path(
        &self,
        one: &MissingReference<'_>,
        reference: &ColumnReference<'_>,
        missing: &[MissingReference<'_>],
    ) -> Result<ForeignKeyPath, JoinProposal> {
        let place = reference.level;
        let level = self
            .query_scopes
            .scope(place)
            .ok_or(JoinProposal::Nothing)?;
        let held = level.from_items.iter().any(|from_item| {
            from_item
                .columns
                .iter()
                .any(|column| column.name.as_str() == one.name)
        });
        if held || reference.has_schema {
            return Err(JoinProposal::Nothing);
        }
        let own = one.qualifier.and_then(|name| level.item_named(name));
        if own.is_none() && one.qualifier.is_some_and(|name| !self.is_free(name)) {
            return Err(JoinProposal::Nothing);
        }
        let named = one.qualifier.filter(|_| own.is_none());
        let mut paths = self.parents_with(place, one.name);
        let places: Vec<usize> = missing.iter().map(|one| one.at).collect();
        if paths.is_empty() && is_asked_for(level.select, &places) {
            paths = self.only_children_with(place, one.name);
        }
        if paths.is_empty() {
            paths = steps_to_owner(self, place, one.name);
        }
        if let Some(name) = named {
            paths.retain(|path| self.may_be_called(path.parent, name));
        }
        // What stands before the name says from where the step leads.
        if let Some(own) = own.filter(|own| paths.iter().any(|path| path.from_item == *own)) {
            paths.retain(|path| path.from_item == own);
        }
        let Some(path) = one_of_equal(self, place, &paths) else {
            return Err(self.no_single(place, one.name, &paths));
        };
        let unsure = own.is_some_and(|own| own != path.from_item)
            || named.is_none() && self.is_elsewhere(place, one.name, path.parent);
        if unsure || level.has_star() || reference.clause == QueryClause::From {
            return Err(JoinProposal::Hinted(self.advice(one.name, &paths)));
        }
        Ok(path.clone())
    }

    /// Whether nothing in any query goes by this name.
    fn is_free(&self, name: &str) -> bool {
        let items = self
            .query_scopes
            .scopes
            .iter()
            .flat_map(|level| &level.view.items);
        items
            .filter_map(|item| item.name.as_ref())
            .all(|own| own.as_str() != name)
    }

    /// Whether a relation that is not there is meant by a qualifier: its name, or the letters that
    /// its words begin with.
    fn may_be_called(&self, relation: RelationId, name: &str) -> bool {
        let catalog = self.database.catalog;
        let own = catalog.names().text(catalog.relation(relation).name);
        let initials: String = own
            .split('_')
            .filter_map(|word| word.chars().next())
            .collect();
        own == name || own.starts_with(name) && name.len() == 1 || initials == name
    }

    /// What to say where there is not just one step.
    fn no_single(&self, place: usize, name: &str, paths: &[ForeignKeyPath]) -> JoinProposal {
        if !paths.is_empty() {
            return JoinProposal::Hinted(self.advice(name, paths));
        }
        let unvalidated = self.unvalidated(place, name);
        if !unvalidated.is_empty() {
            let advice = self.advice(name, &unvalidated);
            return JoinProposal::Hinted(format!("{advice} That key was not validated."));
        }
        let from_items = self
            .query_scopes
            .scope(place)
            .map_or(&[][..], |level| &level.from_items);
        let here: Vec<RelationId> = from_items
            .iter()
            .filter_map(|from_item| from_item.relation)
            .collect();
        let catalog = self.database.catalog;
        let mut children = self.database.joining_keys().filter(|key| {
            matches!(&key.kind, KeyKind::Foreign { to, to_columns } if here.contains(to)
                && self.may_read(*to, to_columns))
                && self.may_read(key.relation, &key.columns)
                && self.brings(key.relation, name)
        });
        let (Some(child), None) = (children.next(), children.next()) else {
            return JoinProposal::Nothing;
        };
        let KeyKind::Foreign { to, to_columns } = &child.kind else {
            return JoinProposal::Nothing;
        };
        let (child_name, parent) = (
            catalog.relation_name(child.relation),
            catalog.relation_name(*to),
        );
        let columns = child
            .columns
            .iter()
            .copied()
            .zip(to_columns.iter().copied());
        let condition = self.condition(&child_name, child.relation, &parent, *to, columns);
        let is_unique = catalog.keys_of(child.relation).iter().any(|own| {
            matches!(own.kind, KeyKind::Primary | KeyKind::Unique) && own.columns == child.columns
        });
        let rows = match is_unique {
            true => "it has one row at most",
            false => "there may be several of its rows",
        };
        JoinProposal::Hinted(format!(
            "Column {} is in {child_name}, which can be joined ON {condition}; {rows} for each \
             row of {parent}.",
            quoted(name)
        ))
    }

    fn advice(&self, name: &str, paths: &[ForeignKeyPath]) -> String {
        let catalog = self.database.catalog;
        let mut ways = Vec::new();
        for path in paths {
            let Some((child, relation)) = self.child(path) else {
                continue;
            };
            let parent = catalog.relation_name(path.parent);
            let pairs = path.columns.iter().copied();
            let condition = self.condition(&child, relation, &parent, path.parent, pairs);
            ways.push(format!("JOIN {parent} ON {condition}"));
        }
        format!(
            "Column {} is in a table that is not joined here: {}.",
            quoted(name),
            ways.join(", or ")
        )
    }

    /// What a path's child is called, and its relation.
    pub(crate) fn child(&self, path: &ForeignKeyPath) -> Option<(String, RelationId)> {
        let from_item = self
            .query_scopes
            .scope(path.level)?
            .from_items
            .get(path.from_item)?;
        Some((quoted(from_item.name?).into_owned(), from_item.relation?))
    }

    /// The columns of two relations, equated.
    pub(crate) fn condition(
        &self,
        child: &str,
        child_relation: RelationId,
        parent: &str,
        parent_relation: RelationId,
        columns: impl Iterator<Item = (i16, i16)>,
    ) -> String {
        let catalog = self.database.catalog;
        let name = |relation, number| {
            let column = keys::column(catalog, relation, number);
            column.map_or_else(String::new, |column| {
                quoted(catalog.names().text(column.name)).into_owned()
            })
        };
        let pairs = columns.map(|(from, to)| {
            let (from, to) = (name(child_relation, from), name(parent_relation, to));
            format!("{child}.{from} = {parent}.{to}")
        });
        pairs.collect::<Vec<_>>().join(" AND ")
    }

    /// The join of a path, under an alias.
    fn join(&self, path: &ForeignKeyPath, alias: String) -> Result<AddedJoin, JoinProposal> {
        let catalog = self.database.catalog;
        let level = self
            .query_scopes
            .scope(path.level)
            .ok_or(JoinProposal::Nothing)?;
        let from_item = level
            .from_items
            .get(path.from_item)
            .ok_or(JoinProposal::Nothing)?;
        let (child, relation) = self.child(path).ok_or(JoinProposal::Nothing)?;
        let at = from_item
            .at
            .and_then(|at| item_around(self.context.text, self.context.tokens, at));
        let at = at.ok_or(JoinProposal::Nothing)?.end;
        let from: Vec<i16> = path.columns.iter().map(|(from, _)| *from).collect();
        let finds_one = path.evidence == KeyEvidence::Declared
            && !from_item.nullable
            && keys::is_not_null(catalog, relation, &from)
            && catalog.relation(path.parent).policies.is_empty();
        let name = catalog.names().text(catalog.relation(path.parent).name);
        let common = self
            .query_scopes
            .scopes
            .iter()
            .flat_map(|level| &level.view.tables);
        let hidden = common.into_iter().any(|table| table.as_str() == name);
        let mut table = match !hidden && is_in_path(self.database, path.parent, name) {
            true => quoted(name).into_owned(),
            false => catalog.relation_name(path.parent),
        };
        if alias != name {
            table.push_str(" AS ");
            table.push_str(&quoted(&alias));
        }
        let short = quoted(&alias);
        let pairs = path.columns.iter().copied();
        let condition = self.condition(&child, relation, &short, path.parent, pairs);
        let kind = if finds_one { "JOIN" } else { "LEFT JOIN" };
        let source = match path.evidence {
            KeyEvidence::Known => ", by a known relationship",
            KeyEvidence::Declared | KeyEvidence::Unique => "",
        };
        Ok(AddedJoin {
            at,
            text: format!(" {kind} {table} ON {condition}"),
            words: format!(
                "{} is joined ON {condition}{source}",
                catalog.relation_name(path.parent)
            ),
            alias,
        })
    }

    /// What the parent's columns would capture, or make ambiguous: with what it has to become.
    fn captured(
        &self,
        path: &ForeignKeyPath,
        missing: &[MissingReference<'_>],
    ) -> Result<Vec<(usize, String)>, JoinProposal> {
        let catalog = self.database.catalog;
        let mut found = Vec::new();
        for reference in &self.query_scopes.references {
            let Some(name) = reference.name.filter(|_| reference.is_bare()) else {
                continue;
            };
            let unseen = reference.level == path.level && reference.join.is_some();
            if unseen
                || !self.query_scopes.is_within(reference.level, path.level)
                || keys::column_named(catalog, path.parent, name).is_none()
                || missing.iter().any(|one| one.at == reference.at)
            {
                continue;
            }
            match reference.meaning {
                ReferenceMeaning::Column(column_index)
                    if column_index.level != path.level
                        && self.query_scopes.is_within(column_index.level, path.level) => {}
                ReferenceMeaning::Column(column_index) => {
                    let qualifier = self
                        .qualifier(reference, column_index)
                        .ok_or(JoinProposal::Nothing)?;
                    found.push((
                        reference.at,
                        format!("{}.{}", quoted(qualifier), quoted(name)),
                    ));
                }
                ReferenceMeaning::Result if reference.clause == QueryClause::ResultKey => {}
                ReferenceMeaning::Result if self.is_itself_missing(reference, name, missing) => {}
                ReferenceMeaning::Result
                | ReferenceMeaning::Other
                | ReferenceMeaning::Several
                | ReferenceMeaning::Nothing => {
                    return Err(JoinProposal::Hinted(
                        self.advice(name, std::slice::from_ref(path)),
                    ));
                }
            }
        }
        Ok(found)
    }

    /// Whether a key of GROUP BY means the only column of the result of its name, and that is the
    /// missing column: it means the same when the column is there.
    fn is_itself_missing(
        &self,
        key: &ColumnReference<'_>,
        name: &str,
        missing: &[MissingReference<'_>],
    ) -> bool {
        let targets = self
            .query_scopes
            .scope(key.level)
            .map(|level| level.select.target_list());
        let mut named = targets
            .into_iter()
            .flatten()
            .filter(|target| target.name().or_else(|| own_name(target.val())) == Some(name));
        let (Some(target), None) = (named.next(), named.next()) else {
            return false;
        };
        let Node::ColumnRef(column) = target.val() else {
            return false;
        };
        let at = usize::try_from(column.location).ok();
        missing
            .iter()
            .any(|one| Some(one.at) == at && one.name == name)
    }

    /// A name that qualifies a column where a reference stands.
    fn qualifier(
        &self,
        reference: &ColumnReference<'_>,
        column_index: ColumnIndex,
    ) -> Option<&str> {
        crate::scopes::qualifier(self.query_scopes, reference.level, column_index)
    }
}
