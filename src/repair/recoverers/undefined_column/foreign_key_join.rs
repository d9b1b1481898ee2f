//! A column that is missing where it is named and that one step over a foreign key would bring:
//! from a child to its parent, so that the number of rows cannot change.
//!
//! Nothing else in the text may change its meaning: what the new table would capture is qualified.

use std::collections::BTreeMap;

use super::added_table::{Added, alias_of};
use crate::catalog::quote::quoted;
use crate::catalog::{KeyKind, RelationId};
use crate::repair::dependencies::keys;
use crate::repair::scopes::clause_extent::item_around;
use crate::repair::scopes::column_reference::{Clause, Meaning, Reference, own_name};
use crate::repair::scopes::query_scopes::{Outline, Spot};
use crate::repair::scopes::span_of;
use crate::repair::{Database, Scene};
use crate::sql::edit::Edit;
use crate::sql::tree::Node;

/// A column that is missing where it is named.
#[derive(Clone, Copy)]
pub(in crate::repair) struct Missing<'s> {
    /// Where the reference begins.
    pub at: usize,
    /// The name of the relation, if one is written.
    pub qualifier: Option<&'s str>,
    /// The name of the column.
    pub name: &'s str,
}

/// What joining a table would do for columns that are missing.
pub(in crate::repair) enum Step {
    /// These edits bring all of them, and change nothing else.
    Joined {
        /// The joins, and the references.
        edits: Vec<Edit>,
        /// What they do, for the client.
        change: String,
    },
    /// There is a join, or there are several, for somebody else to choose.
    Hinted(String),
    /// No key leads to them.
    Nothing,
}

/// Looks for joins that bring these columns: all of them, or none.
pub(in crate::repair) fn step(scene: &Scene<'_>, missing: &[Missing<'_>]) -> Step {
    let parts = (scene.statement(), scene.resolution, scene.database);
    let (Some(statement), Some(resolution), Some(database)) = parts else {
        return Step::Nothing;
    };
    let Some(outline) = Outline::of(statement, resolution, database.catalog, database.mask) else {
        return Step::Nothing;
    };
    let stepping = Stepping {
        scene,
        database,
        outline: &outline,
    };
    match stepping.all(missing) {
        Ok(step) | Err(step) => step,
    }
}

/// The looking.
pub(in crate::repair) struct Stepping<'s, 'a> {
    pub scene: &'s Scene<'a>,
    pub database: &'s Database<'a>,
    pub outline: &'s Outline<'a>,
}

/// A step over a foreign key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::repair) struct Path {
    pub level: usize,
    pub leaf: usize,
    /// The columns of the child, and those of the parent.
    pub columns: Vec<(i16, i16)>,
    pub parent: RelationId,
}

impl Stepping<'_, '_> {
    fn all(&self, missing: &[Missing<'_>]) -> Result<Step, Step> {
        let mut added: BTreeMap<Path, Added> = BTreeMap::new();
        let mut edits = BTreeMap::new();
        let mut changes: Vec<String> = Vec::new();
        for one in missing {
            let reference = self.outline.reference_at(one.at).ok_or(Step::Nothing)?;
            let path = self.path(one, reference)?;
            if !added.contains_key(&path) {
                let asked = one.qualifier.filter(|name| self.is_free(name));
                let taken: Vec<&str> = added.values().map(|own| own.alias.as_str()).collect();
                let alias = alias_of(self, &path, asked, &taken).ok_or(Step::Nothing)?;
                let join = self.join(&path, alias)?;
                changes.push(join.words.clone());
                added.insert(path.clone(), join);
            }
            let join = added.get(&path).ok_or(Step::Nothing)?;
            let span = span_of(self.scene, one.at).ok_or(Step::Nothing)?;
            let qualified = format!("{}.{}", quoted(&join.alias), quoted(one.name));
            edits.insert((span.start, span.end), qualified);
        }
        for (path, join) in &added {
            let inserted: &mut String = edits.entry((join.at, join.at)).or_default();
            inserted.push_str(&join.text);
            for (at, qualified) in self.captured(path, missing)? {
                let span = span_of(self.scene, at).ok_or(Step::Nothing)?;
                edits.insert((span.start, span.end), qualified);
            }
        }
        let edits = edits.into_iter().map(|((start, end), replacement)| Edit {
            span: start..end,
            replacement,
        });
        Ok(Step::Joined {
            edits: edits.collect(),
            change: changes.join("; "),
        })
    }

    /// The only step that brings a column.
    fn path(&self, one: &Missing<'_>, reference: &Reference<'_>) -> Result<Path, Step> {
        let place = reference.level;
        let level = self.outline.level(place).ok_or(Step::Nothing)?;
        let held = level.leaves.iter().any(|leaf| {
            leaf.columns
                .iter()
                .any(|column| column.name.as_str() == one.name)
        });
        if held || reference.has_schema {
            return Err(Step::Nothing);
        }
        let own = one.qualifier.and_then(|name| level.leaf_named(name));
        if own.is_none() && one.qualifier.is_some_and(|name| !self.is_free(name)) {
            return Err(Step::Nothing);
        }
        let named = one.qualifier.filter(|_| own.is_none());
        let mut paths = self.parents_with(place, one.name);
        if let Some(name) = named {
            paths.retain(|path| self.may_be_called(path.parent, name));
        }
        let [path] = paths.as_slice() else {
            return Err(self.no_single(place, one.name, &paths));
        };
        let unsure = own.is_some_and(|own| own != path.leaf)
            || named.is_none() && self.is_elsewhere(place, one.name, path.parent);
        if unsure || level.has_star() || reference.clause == Clause::From {
            return Err(Step::Hinted(self.advice(one.name, &paths)));
        }
        Ok(path.clone())
    }

    /// Whether nothing in any query goes by this name.
    fn is_free(&self, name: &str) -> bool {
        let items = self
            .outline
            .levels
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

    /// The steps from a child in this query to a parent that has a column of the name.
    fn parents_with(&self, place: usize, name: &str) -> Vec<Path> {
        let catalog = self.database.catalog;
        let leaves = self
            .outline
            .level(place)
            .map_or(&[][..], |level| &level.leaves);
        let mut paths = Vec::new();
        for (leaf, own) in leaves.iter().enumerate() {
            let (_, own_keys) = keys::of_leaf(catalog, own);
            for key in own_keys {
                let KeyKind::Foreign { to, to_columns } = &key.kind else {
                    continue;
                };
                let readable = self.may_read(key.relation, &key.columns)
                    && self.may_read(*to, to_columns)
                    && self.brings(*to, name);
                let covered = self.database.mask.is_some_and(|mask| mask.covers(*to));
                if !readable || covered || !keys::hold(catalog, *to, false) {
                    continue;
                }
                let columns = key.columns.iter().copied().zip(to_columns.iter().copied());
                paths.push(Path {
                    level: place,
                    leaf,
                    columns: columns.collect(),
                    parent: *to,
                });
            }
        }
        paths.sort();
        paths.dedup();
        paths
    }

    /// Whether the client's role may read a column of this name there.
    fn brings(&self, relation: RelationId, name: &str) -> bool {
        let (catalog, rights) = (self.database.catalog, self.database.rights());
        rights.sees_relation(relation)
            && keys::column_named(catalog, relation, name)
                .is_some_and(|column| rights.may_read_column(relation, column))
    }

    /// Whether the client's role may read columns, by their numbers.
    fn may_read(&self, relation: RelationId, columns: &[i16]) -> bool {
        let (catalog, rights) = (self.database.catalog, self.database.rights());
        columns.iter().all(|number| {
            keys::column(catalog, relation, *number)
                .is_some_and(|column| rights.may_read_column(relation, column))
        })
    }

    /// Whether another relation within two steps over foreign keys, in either direction, has the
    /// column, too.
    fn is_elsewhere(&self, place: usize, name: &str, parent: RelationId) -> bool {
        let leaves = self
            .outline
            .level(place)
            .map_or(&[][..], |level| &level.leaves);
        let mut near: Vec<RelationId> = leaves.iter().filter_map(|leaf| leaf.relation).collect();
        for _step in 0..2 {
            let more = self.neighbours(&near);
            near.extend(more);
            near.sort();
            near.dedup();
        }
        near.iter()
            .any(|id| *id != parent && self.brings(*id, name))
    }

    /// The relations that a foreign key joins to some of these.
    fn neighbours(&self, of: &[RelationId]) -> Vec<RelationId> {
        let keys = self.database.catalog.keys().iter();
        let found = keys.filter_map(|key| match &key.kind {
            KeyKind::Foreign { to, .. } if of.contains(&key.relation) => Some(*to),
            KeyKind::Foreign { to, .. } if of.contains(to) => Some(key.relation),
            _ => None,
        });
        found.collect()
    }

    /// What to say where there is not just one step.
    fn no_single(&self, place: usize, name: &str, paths: &[Path]) -> Step {
        if !paths.is_empty() {
            return Step::Hinted(self.advice(name, paths));
        }
        let leaves = self
            .outline
            .level(place)
            .map_or(&[][..], |level| &level.leaves);
        let here: Vec<RelationId> = leaves.iter().filter_map(|leaf| leaf.relation).collect();
        let catalog = self.database.catalog;
        let mut children = catalog.keys().iter().filter(|key| {
            matches!(&key.kind, KeyKind::Foreign { to, .. } if here.contains(to))
                && self.brings(key.relation, name)
        });
        let (Some(child), None) = (children.next(), children.next()) else {
            return Step::Nothing;
        };
        let KeyKind::Foreign { to, to_columns } = &child.kind else {
            return Step::Nothing;
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
        Step::Hinted(format!(
            "Column {} is in {child_name}, which can be joined ON {condition}; there may be \
             several of its rows for each row of {parent}.",
            quoted(name)
        ))
    }

    fn advice(&self, name: &str, paths: &[Path]) -> String {
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
    pub(in crate::repair) fn child(&self, path: &Path) -> Option<(String, RelationId)> {
        let leaf = self.outline.level(path.level)?.leaves.get(path.leaf)?;
        Some((quoted(leaf.name?).into_owned(), leaf.relation?))
    }

    /// The columns of two relations, equated.
    pub(in crate::repair) fn condition(
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
    fn join(&self, path: &Path, alias: String) -> Result<Added, Step> {
        let catalog = self.database.catalog;
        let level = self.outline.level(path.level).ok_or(Step::Nothing)?;
        let leaf = level.leaves.get(path.leaf).ok_or(Step::Nothing)?;
        let (child, relation) = self.child(path).ok_or(Step::Nothing)?;
        let at = leaf.at.and_then(|at| item_around(self.scene, at));
        let at = at.ok_or(Step::Nothing)?.end;
        let from: Vec<i16> = path.columns.iter().map(|(from, _)| *from).collect();
        let finds_one = !leaf.nullable
            && keys::is_not_null(catalog, relation, &from)
            && catalog.relation(path.parent).policies.is_empty();
        let name = catalog.names().text(catalog.relation(path.parent).name);
        let common = self
            .outline
            .levels
            .iter()
            .flat_map(|level| &level.view.tables);
        let hidden = common.into_iter().any(|table| table.as_str() == name);
        let mut table = match !hidden && self.is_in_path(path.parent, name) {
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
        Ok(Added {
            at,
            text: format!(" {kind} {table} ON {condition}"),
            words: format!(
                "{} is joined ON {condition}",
                catalog.relation_name(path.parent)
            ),
            alias,
        })
    }

    /// What the parent's columns would capture, or make ambiguous: with what it has to become.
    fn captured(&self, path: &Path, missing: &[Missing<'_>]) -> Result<Vec<(usize, String)>, Step> {
        let catalog = self.database.catalog;
        let mut found = Vec::new();
        for reference in &self.outline.references {
            let Some(name) = reference.name.filter(|_| reference.is_bare()) else {
                continue;
            };
            let unseen = reference.level == path.level && reference.join.is_some();
            if unseen
                || !self.outline.is_within(reference.level, path.level)
                || keys::column_named(catalog, path.parent, name).is_none()
                || missing.iter().any(|one| one.at == reference.at)
            {
                continue;
            }
            match reference.meaning {
                Meaning::Column(spot)
                    if spot.level != path.level
                        && self.outline.is_within(spot.level, path.level) => {}
                Meaning::Column(spot) => {
                    let qualifier = self.qualifier(reference, spot).ok_or(Step::Nothing)?;
                    found.push((
                        reference.at,
                        format!("{}.{}", quoted(qualifier), quoted(name)),
                    ));
                }
                Meaning::Result if reference.clause == Clause::ResultKey => {}
                Meaning::Result if self.is_itself_missing(reference, name, missing) => {}
                Meaning::Result | Meaning::Other | Meaning::Several | Meaning::Nothing => {
                    return Err(Step::Hinted(self.advice(name, std::slice::from_ref(path))));
                }
            }
        }
        Ok(found)
    }

    /// Whether a key of GROUP BY means the only column of the result of its name, and that is the
    /// missing column: it means the same when the column is there.
    fn is_itself_missing(&self, key: &Reference<'_>, name: &str, missing: &[Missing<'_>]) -> bool {
        let targets = self
            .outline
            .level(key.level)
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
    fn qualifier(&self, reference: &Reference<'_>, spot: Spot) -> Option<&str> {
        crate::repair::scopes::qualifier(self.outline, reference.level, spot)
    }
}
