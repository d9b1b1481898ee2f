//! What all questions about names of one context need: what is missing, where it stands, and what
//! can be seen from there.

use std::ops::Range;

use super::reference_scopes::{PlacedReference, ReferenceScopes};
use super::similarity::NameWords;
use crate::{RepairContext, SessionDatabase};
use catalog::quote::quoted;
use catalog::{Catalog, KeyKind, RelationId, RolePrivileges};
use resolve::{Resolution, ScopeColumn, ScopeItem, ScopeView, UsedObject, VisibleItems};
use sql::extent::name::name_parts;
use sql::lexer::TokenKind;

/// A context of which everything is known that names need.
pub(crate) struct NameRepairContext<'s> {
    /// What is known of the text that failed.
    pub context: &'s RepairContext<'s>,
    /// What the text's names mean.
    pub resolution: &'s Resolution<'s>,
    /// The database.
    pub database: &'s SessionDatabase<'s>,
    /// Where references stand.
    pub places: ReferenceScopes<'s>,
    rights: RolePrivileges<'s>,
}

/// A reference to a column that does not exist.
pub(crate) struct MissingColumn<'g> {
    /// What is written before the name.
    pub qualifier: Option<&'g str>,
    /// The name: a star where everything of something is meant.
    pub name: &'g str,
    /// Where it stands.
    pub place: &'g PlacedReference<'g>,
    /// The tokens of its parts.
    pub parts: Vec<Range<usize>>,
}

/// A query as it is seen from a place.
pub(crate) struct VisibleScope<'g> {
    /// What its FROM brings.
    pub view: &'g ScopeView<'g>,
    visible: &'g VisibleItems<'g>,
}

/// Something that can be referred to from a place.
#[derive(Clone, Copy)]
pub(crate) struct VisibleItem<'g> {
    /// How many queries further out it stands.
    pub level: usize,
    /// It.
    pub item: &'g ScopeItem<'g>,
    /// What qualifies its columns without doubt, if anything does.
    pub qualifier: Option<&'g str>,
}

impl<'s> NameRepairContext<'s> {
    /// What is known of a context; none where not everything is.
    pub(crate) fn of(context: &'s RepairContext<'s>) -> Option<Self> {
        let database = context.database?;
        Some(Self {
            context,
            resolution: context.resolution?,
            database,
            places: ReferenceScopes::of(context.statement()?)?,
            rights: database.rights(),
        })
    }

    /// The snapshot.
    pub(crate) fn catalog(&self) -> &'s Catalog {
        self.database.catalog
    }

    /// The name of a USING that one of the sides does not have: the tree does not say where it is.
    pub(crate) fn missing_in_using(&self) -> Option<&str> {
        let mut uses = self.resolution.uses.iter();
        uses.find_map(|used| match &used.what {
            UsedObject::MissingColumn { name, .. } if used.at.is_none() => Some(name.as_str()),
            _ => None,
        })
    }

    /// The references to columns that do not exist, in the order of the text; none where one of
    /// them is not understood.
    pub(crate) fn missing_columns(&self) -> Option<Vec<MissingColumn<'_>>> {
        let mut found: Vec<MissingColumn<'_>> = Vec::new();
        for used in &self.resolution.uses {
            let UsedObject::MissingColumn { qualifier, name } = &used.what else {
                continue;
            };
            let Some(at) = used.at else {
                continue;
            };
            let place = self.places.at(at)?;
            if found.iter().any(|one| one.place.at == place.at) {
                continue;
            }
            found.push(MissingColumn {
                qualifier: qualifier.as_ref().map(|name| name.as_str()),
                name: name.as_str(),
                place,
                parts: self.parts(place.at, place.reference.fields().len())?,
            });
        }
        found.sort_by_key(|one| one.place.at);
        Some(found)
    }

    /// Whether the reference that begins at a byte means no column.
    pub(crate) fn is_missing(&self, at: usize) -> bool {
        let mut uses = self.resolution.uses.iter();
        uses.any(|used| {
            used.at == Some(at) && matches!(used.what, UsedObject::MissingColumn { .. })
        })
    }

    /// What can be seen from the place of a missing column, nearest query first.
    pub(crate) fn visible_scopes(&self, place: &PlacedReference<'_>) -> Vec<VisibleScope<'_>> {
        let innermost = self.resolution.scope_at(place.at);
        let (Some(id), Some(mut visible)) = (innermost, self.resolution.visible_at(place.at))
        else {
            return Vec::new();
        };
        let mut levels = Vec::new();
        for view in self.resolution.scopes_from(id) {
            levels.push(VisibleScope { view, visible });
            visible = &view.outer_items;
        }
        levels
    }

    /// The tokens of the parts of a name that begins at a byte.
    pub(crate) fn parts(&self, at: usize, count: usize) -> Option<Vec<Range<usize>>> {
        name_parts(self.context.text, self.context.tokens, at, count)
    }

    /// The text of a place.
    pub(crate) fn text(&self, span: &Range<usize>) -> &'s str {
        self.context.text.get(span.clone()).unwrap_or_default()
    }

    /// Whether a reference is a single name in double quotes; what stands between them.
    pub(crate) fn in_quotes(&self, missing: &MissingColumn<'_>) -> Option<String> {
        let [only] = missing.parts.as_slice() else {
            return None;
        };
        let token = self
            .context
            .tokens
            .get(self.context.token_at(only.start)?)?;
        if token.kind != TokenKind::QuotedName {
            return None;
        }
        let inside = self
            .text(only)
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))?;
        Some(inside.replace("\"\"", "\""))
    }

    /// Whether the last part of a reference is in quotes.
    pub(crate) fn ends_in_quotes(&self, missing: &MissingColumn<'_>) -> bool {
        missing
            .parts
            .last()
            .is_some_and(|part| self.text(part).ends_with('"'))
    }

    /// Whether the client may be told of a column.
    pub(crate) fn may_show_column(&self, column: &ScopeColumn<'_>) -> bool {
        let Some((relation, number)) = column.origin else {
            return true;
        };
        let columns = self.catalog().columns_of(relation);
        let own = columns.iter().find(|own| own.number == number);
        self.rights.sees_relation(relation)
            && own.is_none_or(|own| self.rights.may_read_column(relation, own))
    }

    /// Whether the client may be told of a relation.
    pub(crate) fn may_show_relation(&self, relation: RelationId) -> bool {
        self.rights.sees_relation(relation)
    }

    /// Whether the client may be told of a column of a relation.
    pub(crate) fn may_show_column_of(
        &self,
        relation: RelationId,
        column: &catalog::Column,
    ) -> bool {
        self.rights.sees_relation(relation) && self.rights.may_read_column(relation, column)
    }

    /// The relations that foreign keys lead to from a relation, or that have one to it, those that
    /// the client may see.
    pub(crate) fn neighbours(&self, relation: RelationId) -> Vec<RelationId> {
        let mut found = Vec::new();
        for key in self.database.joining_keys() {
            let KeyKind::Foreign { to, .. } = key.kind else {
                continue;
            };
            let other = match (key.relation == relation, to == relation) {
                (true, false) => to,
                (false, true) => key.relation,
                _ => continue,
            };
            if !found.contains(&other) && self.may_show_relation(other) {
                found.push(other);
            }
        }
        found
    }

    /// Whether any relation that the client may see has a column of such a name.
    pub(crate) fn is_any_column(&self, is: impl Fn(&str) -> bool) -> bool {
        let catalog = self.catalog();
        let schema_of = |id: RelationId| catalog.relation(id).schema;
        let mut schemas = self.database.path.schemas().to_vec();
        schemas.extend(self.relations().into_iter().map(schema_of));
        let mut all = self.readable_relations().into_iter();
        all.any(|id| {
            if !schemas.contains(&schema_of(id)) {
                return false;
            }
            let mut columns = catalog.columns_of(id).iter();
            columns.any(|column| {
                is(catalog.names().text(column.name)) && self.rights.may_read_column(id, column)
            })
        })
    }

    /// Whether a column is a foreign key to a relation, all by itself.
    pub(crate) fn is_foreign_key_to(
        &self,
        of: RelationId,
        number: i16,
        target: RelationId,
    ) -> bool {
        let mut keys = self.catalog().keys_of(of).iter();
        keys.any(|key| {
            let leads = matches!(key.kind, KeyKind::Foreign { to, .. } if to == target);
            leads && *key.columns == [number]
        })
    }

    /// Whether a query of WITH has a name, anywhere in the text.
    pub(crate) fn is_cte_name(&self, name: &str) -> bool {
        let mut with = self
            .places
            .reference_scopes
            .iter()
            .filter_map(|scope| scope.select.with_clause());
        with.any(|with| {
            let mut tables = with.ctes().iter();
            tables.any(|table| table.ctename() == Some(name))
        })
    }

    /// The relations that the statement reads.
    pub(crate) fn relations(&self) -> Vec<RelationId> {
        let mut found = Vec::new();
        for used in &self.resolution.uses {
            if let UsedObject::Relation { id, .. } = used.what
                && !found.contains(&id)
            {
                found.push(id);
            }
        }
        found
    }

    /// The name of a relation, without its schema.
    pub(crate) fn name_of(&self, relation: RelationId) -> &'s str {
        let name = self.catalog().relation(relation).name;
        self.catalog().names().text(name)
    }

    /// What something in FROM is called: its relation, or else its own name.
    pub(crate) fn own_words(&self, item: &ScopeItem<'_>) -> Vec<NameWords> {
        let relation = item.relation.map(|relation| self.name_of(relation));
        let alias = item.name.as_ref().map(|name| name.as_str());
        relation.or(alias).map(NameWords::of).into_iter().collect()
    }
}

impl<'g> VisibleScope<'g> {
    /// What can be referred to.
    pub(crate) fn items(&self) -> impl Iterator<Item = &'g ScopeItem<'g>> {
        let items = self.view.items.iter();
        items.filter(|item| self.visible.include(item))
    }
}

/// Everything that can be referred to, nearest first.
pub(crate) fn visible_items<'g>(levels: &[VisibleScope<'g>]) -> Vec<VisibleItem<'g>> {
    let mut all = Vec::new();
    for (level, own) in levels.iter().enumerate() {
        for item in own.items() {
            let name = item.name.as_ref().map(|name| name.as_str());
            let qualifier = name.filter(|name| {
                let called = |level: &VisibleScope<'_>| {
                    let items = level.view.items.iter();
                    items.filter(|item| item.is_called(name)).count()
                };
                called(own) == 1 && levels.iter().take(level).all(|nearer| called(nearer) == 0)
            });
            all.push(VisibleItem {
                level,
                item,
                qualifier,
            });
        }
    }
    all
}

impl<'g> VisibleItem<'g> {
    /// The only column of a name, spelled so.
    pub(crate) fn column(&self, name: &str) -> Option<&'g ScopeColumn<'g>> {
        let mut named = self
            .item
            .columns
            .iter()
            .filter(|column| column.name.as_str() == name);
        named.next().filter(|_| named.next().is_none())
    }

    /// The only column of a name, in any case.
    pub(crate) fn column_in_any_case(&self, name: &str) -> Option<&'g ScopeColumn<'g>> {
        let name = name.to_lowercase();
        let mut named = self
            .item
            .columns
            .iter()
            .filter(|column| column.name.as_str().to_lowercase() == name);
        named.next().filter(|_| named.next().is_none())
    }
}

/// How a column can be spelled: after a qualifier, if there is one.
pub(crate) fn spelled(qualifier: Option<&str>, column: &str) -> String {
    match qualifier {
        Some(qualifier) => format!("{}.{}", quoted(qualifier), quoted(column)),
        None => quoted(column).into_owned(),
    }
}

/// Whether a column can be referred to by its name alone, and means just this column then.
pub(crate) fn is_only_candidate(
    all: &[VisibleItem<'_>],
    of: &VisibleItem<'_>,
    column: &str,
) -> bool {
    let has = |seen: &VisibleItem<'_>| {
        let mut columns = seen.item.columns.iter();
        seen.item.is_seen_unqualified() && columns.any(|own| own.name.as_str() == column)
    };
    let near = all.iter().filter(|seen| seen.level <= of.level);
    let mut holders = near.filter(|seen| has(seen));
    // A column that USING has merged is seen in the join and not in its sides.
    holders.next().is_some_and(|first| first.level == of.level) && holders.next().is_none()
}
