//! What one policy shows of one snapshot, settled for every relation once.

use std::collections::HashSet;

use super::overlay;
use super::overlay::RelationOverlay;
use super::patterns::{AccessPatterns, AllowListMatch, ColumnRules, names_of};
use super::server_objects;
use super::server_objects::HiddenExtent;
use super::unmatched::UnmatchedEntry;
use catalog::{Catalog, Mask, RelationId, RelationKind};
use policy::{Policy, ThroughViews};

/// What may be read.
pub(crate) struct AccessTable {
    /// With partitions and children, as `FROM t` reads.
    mask: Mask,
    /// Why a relation may not be read, with its children.
    whole: Vec<Option<AccessDenial>>,
    /// The same for `FROM ONLY t`.
    only: Vec<Option<AccessDenial>>,
    /// Whether rules about columns may be those of a parent or child.
    column_rules_in_family: Vec<bool>,
    /// What is laid over a relation.
    overlays: Vec<Option<RelationOverlay>>,
    /// Views that read what something is laid over.
    views_over_overlays: Vec<RelationId>,
    /// Entries of the policy for relations that are not there.
    unmatched: Vec<UnmatchedEntry>,
}

/// Why a relation may not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessDenial {
    /// There is a list of what may be read, and it is not on it.
    NotAllowed,
    /// What may be read by a wildcard are those that were known, and it is not.
    New,
    /// A list of what may not be read names it, or what it is a part of.
    Denied,
    /// Such a list names a partition or child of it.
    Child,
    /// It is a view, and reads what is hidden.
    ThroughView,
    /// It is a view, and reads around a model.
    AroundModel,
    /// The entry of this place is for a relation that is not there, and may be meant for it.
    Unguarded(usize),
    /// It holds samples of other relations' rows, or other people's texts.
    ServerOwned,
}

impl AccessTable {
    /// Looks through a snapshot. `unknown` says of a view whether it calls what cannot be looked
    /// into.
    pub(crate) fn of(
        catalog: &Catalog,
        policy: &Policy,
        unknown: impl Fn(RelationId) -> bool,
    ) -> Self {
        let maker = AccessTableBuilder::of(catalog, policy);
        let mut table = Self {
            mask: Mask::of(catalog),
            whole: Vec::with_capacity(catalog.relations().len()),
            only: Vec::with_capacity(catalog.relations().len()),
            column_rules_in_family: Vec::with_capacity(catalog.relations().len()),
            overlays: Vec::new(),
            views_over_overlays: Vec::new(),
            unmatched: Vec::new(),
        };
        for (id, _) in catalog.relations() {
            let family = maker.family(id);
            let only = maker.own_denial(id, &family);
            let whole = maker.whole_denial(only, &family);
            if whole.is_some() {
                table.mask.hide_relation(id);
            }
            table
                .mask
                .hide_columns(id, maker.hidden_columns(id, &family));
            table.whole.push(whole);
            table.only.push(only);
            table.column_rules_in_family.push(maker.rules_kin(&family));
            if policy.access().has_overlays() {
                table.overlays.push(maker.overlay(id, &family));
            }
        }
        if policy.access().through_views == ThroughViews::Check {
            table.add_views_over_hidden(&maker, unknown);
        }
        if policy.access().has_overlays() {
            table.add_views_over_overlays(&maker);
        }
        table.unmatched = maker.unmatched;
        table
    }

    /// Entries of the policy for relations that are not there.
    pub(crate) fn unmatched(&self) -> &[UnmatchedEntry] {
        &self.unmatched
    }

    /// Whether one of those may be meant for a relation of this schema that is not known yet.
    pub(crate) fn is_unguarded_schema(&self, schema: &str) -> bool {
        let mut all = self.unmatched.iter();
        all.any(|entry| entry.may_mean(schema, false))
    }

    /// What is hidden, for whoever tells a client what there is.
    pub(crate) fn mask(&self) -> &Mask {
        &self.mask
    }

    /// Why a relation may not be read; none where it may.
    pub(crate) fn denies(&self, id: RelationId, only: bool) -> Option<AccessDenial> {
        let list = if only { &self.only } else { &self.whole };
        list.get(id.place())
            .copied()
            .unwrap_or(Some(AccessDenial::NotAllowed))
    }

    /// Whether a column is hidden. System columns have negative numbers and are not.
    pub(crate) fn hides(&self, id: RelationId, column: i16) -> bool {
        self.mask.columns(id).binary_search(&column).is_ok()
    }

    /// Whether any column of a relation is hidden.
    pub(crate) fn hides_any(&self, id: RelationId) -> bool {
        !self.mask.columns(id).is_empty()
    }

    /// Whether some rule about columns is about what a relation is a part of, or what is a part of
    /// it.
    pub(crate) fn has_column_rules_in_family(&self, id: RelationId) -> bool {
        self.column_rules_in_family
            .get(id.place())
            .copied()
            .unwrap_or(true)
    }

    /// What is laid over a relation.
    pub(crate) fn overlay(&self, id: RelationId) -> Option<&RelationOverlay> {
        self.overlays.get(id.place())?.as_ref()
    }

    /// Views that read what something is laid over, at any depth, but for those that somebody has
    /// looked at and named. What a view reads is not known by the name that it gives it.
    pub(crate) fn views_over_overlays(&self) -> &[RelationId] {
        &self.views_over_overlays
    }

    fn add_views_over_overlays(&mut self, maker: &AccessTableBuilder<'_>) {
        let catalog = maker.catalog;
        let mut readers: Vec<Vec<RelationId>> = vec![Vec::new(); catalog.relations().len()];
        for (id, relation) in catalog.relations() {
            let is_view = matches!(
                relation.kind,
                RelationKind::View | RelationKind::MaterializedView
            );
            let is_looked_at = || maker.is_covered(id) || maker.is_named(id);
            if is_view
                && !maker.is_of_server(id)
                && !is_looked_at()
                && !maker.read_by(id, &mut readers)
            {
                self.views_over_overlays.push(id);
            }
        }
        let has_overlay = |id: &RelationId| {
            let is_unguarded = matches!(self.denies(*id, true), Some(AccessDenial::Unguarded(_)));
            is_unguarded || self.overlay(*id).is_some()
        };
        let all = catalog.relations().map(|(id, _)| id);
        let mut open: Vec<RelationId> = all.filter(has_overlay).collect();
        let mut seen: HashSet<RelationId> = self.views_over_overlays.iter().copied().collect();
        open.extend(&seen);
        while let Some(id) = open.pop() {
            for reader in readers.get(id.place()).into_iter().flatten() {
                if seen.insert(*reader) {
                    self.views_over_overlays.push(*reader);
                    open.push(*reader);
                }
            }
        }
    }

    /// Views that read what is hidden, at any depth. Each relation is looked at once.
    fn add_views_over_hidden(
        &mut self,
        maker: &AccessTableBuilder<'_>,
        unknown: impl Fn(RelationId) -> bool,
    ) {
        let catalog = maker.catalog;
        let mut readers: Vec<Vec<RelationId>> = vec![Vec::new(); catalog.relations().len()];
        let (mut modelled, mut hidden) = (Vec::new(), Vec::new());
        for (id, relation) in catalog.relations() {
            let is_view = matches!(
                relation.kind,
                RelationKind::View | RelationKind::MaterializedView
            );
            if is_view && !maker.is_of_server(id) {
                let known = maker.read_by(id, &mut readers);
                if (!known || unknown(id)) && maker.policy.has_models() {
                    self.hide_view(id, AccessDenial::AroundModel);
                    modelled.push(id);
                } else if !known || unknown(id) {
                    self.hide_view(id, AccessDenial::ThroughView);
                }
            }
        }
        for (id, _) in catalog.relations() {
            if maker.is_covered(id) || self.overlay(id).is_some() || self.is_around_model(id) {
                modelled.push(id);
            } else if self.denies(id, false).is_some() || self.hides_any(id) {
                hidden.push(id);
            }
        }
        // A view of both counts as one around a model, which holds where the rest is observed.
        for (mut open, why) in [
            (modelled, AccessDenial::AroundModel),
            (hidden, AccessDenial::ThroughView),
        ] {
            while let Some(id) = open.pop() {
                for reader in readers.get(id.place()).into_iter().flatten() {
                    let is_news = match why {
                        AccessDenial::AroundModel => !self.is_around_model(*reader),
                        _ => self.denies(*reader, false).is_none(),
                    };
                    if is_news {
                        self.hide_view(*reader, why);
                        open.push(*reader);
                    }
                }
            }
        }
    }

    /// Whether a relation is refused because models would not hold.
    fn is_around_model(&self, id: RelationId) -> bool {
        matches!(
            self.denies(id, false),
            Some(AccessDenial::AroundModel | AccessDenial::Unguarded(_))
        )
    }

    /// What leads around a model says so, whatever else is said of the view.
    fn hide_view(&mut self, id: RelationId, reason: AccessDenial) {
        self.mask.hide_relation(id);
        for list in [&mut self.whole, &mut self.only] {
            if let Some(why) = list.get_mut(id.place())
                && (why.is_none()
                    || reason == AccessDenial::AroundModel
                        && *why != Some(AccessDenial::ServerOwned))
            {
                *why = Some(reason);
            }
        }
    }
}

/// What is needed while the table is made.
struct AccessTableBuilder<'m> {
    catalog: &'m Catalog,
    policy: &'m Policy,
    patterns: AccessPatterns<'m>,
    parents: Vec<Vec<RelationId>>,
    columns: Vec<ColumnRules<'m>>,
    denied: Vec<bool>,
    unmatched: Vec<UnmatchedEntry>,
}

/// What a relation is a part of, and what is a part of it.
#[derive(Default)]
struct RelationFamily {
    above: Vec<RelationId>,
    below: Vec<RelationId>,
    /// What else the relations below are a part of: with several parents, rows of each are rows of
    /// the others.
    beside: Vec<RelationId>,
}

impl RelationFamily {
    fn all(&self) -> impl Iterator<Item = &RelationId> {
        self.above.iter().chain(&self.below).chain(&self.beside)
    }
}

impl<'m> AccessTableBuilder<'m> {
    fn of(catalog: &'m Catalog, policy: &'m Policy) -> Self {
        let patterns = AccessPatterns::of(policy.access());
        let mut parents = vec![Vec::new(); catalog.relations().len()];
        let (mut columns, mut denied) = (Vec::new(), Vec::new());
        for (id, relation) in catalog.relations() {
            let (schema, name) = names_of(catalog, id);
            columns.push(patterns.columns(schema, name));
            denied.push(patterns.denies(schema, name));
            for child in &relation.children {
                if let Some(parents) = parents.get_mut(child.place()) {
                    parents.push(id);
                }
            }
        }
        Self {
            catalog,
            policy,
            patterns,
            parents,
            columns,
            denied,
            unmatched: UnmatchedEntry::all(catalog, policy),
        }
    }

    fn family(&self, id: RelationId) -> RelationFamily {
        let above = |id: RelationId| self.parents.get(id.place()).map_or(&[][..], Vec::as_slice);
        let below = |id: RelationId| &*self.catalog.relation(id).children;
        let over = all_from(&[id], above);
        let below = all_from(&[id], below);
        let mut beside = all_from(&below, above);
        beside.retain(|other| *other != id && !over.contains(other));
        RelationFamily {
            above: over,
            below,
            beside,
        }
    }

    /// Why a relation may not be read, whatever its children are.
    fn own_denial(&self, id: RelationId, family: &RelationFamily) -> Option<AccessDenial> {
        if server_objects::relation(self.catalog, id) == HiddenExtent::Whole {
            return Some(AccessDenial::ServerOwned);
        }
        let own = std::iter::once(&id).chain(&family.above);
        if let Some(place) = own.clone().find_map(|id| self.unguarded_by(*id)) {
            return Some(AccessDenial::Unguarded(place));
        }
        if own.clone().any(|id| self.is_denied(*id)) {
            return Some(AccessDenial::Denied);
        }
        let standing = |id: &RelationId| {
            let (schema, name) = names_of(self.catalog, *id);
            self.patterns.allow_list_match(schema, name)
        };
        let standing = own.map(standing).max()?;
        let why = match standing {
            AllowListMatch::Allowed => return None,
            AllowListMatch::New => AccessDenial::New,
            AllowListMatch::NotNamed => AccessDenial::NotAllowed,
        };
        (!self.is_of_server(id)).then_some(why)
    }

    /// Why a relation may not be read with its children.
    fn whole_denial(
        &self,
        own: Option<AccessDenial>,
        family: &RelationFamily,
    ) -> Option<AccessDenial> {
        if let Some(AccessDenial::ServerOwned | AccessDenial::Unguarded(_)) = own {
            return own;
        }
        let mut read = family.below.iter().chain(&family.beside);
        let unguarded = read.find_map(|id| self.unguarded_by(*id));
        let unguarded = unguarded.map(AccessDenial::Unguarded);
        unguarded.or(own).or_else(|| self.children(family))
    }

    /// The entry of the policy for a relation that is not there, which may be meant for this one.
    fn unguarded_by(&self, id: RelationId) -> Option<usize> {
        if self.unmatched.is_empty() || self.is_of_server(id) || self.is_covered(id) {
            return None;
        }
        UnmatchedEntry::first_for(&self.unmatched, self.policy, names_of(self.catalog, id))
    }

    fn children(&self, family: &RelationFamily) -> Option<AccessDenial> {
        let mut read = family.below.iter().chain(&family.beside);
        read.any(|id| self.is_denied(*id))
            .then_some(AccessDenial::Child)
    }

    /// The numbers of the columns that are hidden in a relation, in what it is a part of, in what
    /// is a part of it, or in whatever else that is a part of.
    fn hidden_columns(&self, id: RelationId, family: &RelationFamily) -> Vec<i16> {
        let all = std::iter::once(&id).chain(family.all());
        let rules = all.filter_map(|id| self.columns.get(id.place()));
        let rules: Vec<&ColumnRules<'_>> = rules.filter(|rules| !rules.is_empty()).collect();
        let of_server = server_objects::relation(self.catalog, id);
        if rules.is_empty() && of_server == HiddenExtent::Nothing {
            return Vec::new();
        }
        let columns = self.catalog.columns_of(id).iter();
        let hidden = columns.filter(|column| {
            let name = self.catalog.names().text(column.name);
            matches!(of_server, HiddenExtent::Column(hidden) if hidden == name)
                || rules.iter().any(|rules| rules.hide(name))
        });
        hidden.map(|column| column.number).collect()
    }

    /// What is laid over a relation: by its name, and by those of all whose rows it may share. A
    /// model that was written for it, or for one of those, stands alone.
    fn overlay(&self, id: RelationId, family: &RelationFamily) -> Option<RelationOverlay> {
        let all = || std::iter::once(&id).chain(family.all());
        if !overlay::holds_rows(self.catalog, id) || all().any(|id| self.is_covered(*id)) {
            return None;
        }
        let names = all().map(|id| names_of(self.catalog, *id));
        overlay::of(self.catalog, id, &names.collect::<Vec<_>>(), self.policy)
    }

    /// Whether a mask or a condition names a relation without wildcards.
    fn is_named(&self, id: RelationId) -> bool {
        let (schema, name) = names_of(self.catalog, id);
        self.policy.access().names_exactly(schema, name)
    }

    fn rules_kin(&self, family: &RelationFamily) -> bool {
        let mut rules = family.all().map(|id| self.columns.get(id.place()));
        rules.any(|rules| rules.is_none_or(|rules| !rules.is_empty()))
    }

    /// Notes what a view reads; false where that is not known.
    fn read_by(&self, view: RelationId, readers: &mut [Vec<RelationId>]) -> bool {
        let Some(stored) = self.catalog.relation(view).view.as_deref() else {
            return false;
        };
        stored.relations.iter().all(|oid| {
            let read = self.catalog.index().relation_of_oid(*oid);
            match read.and_then(|read| readers.get_mut(read.place())) {
                Some(list) => {
                    list.push(view);
                    true
                }
                None => false,
            }
        })
    }

    fn is_of_server(&self, id: RelationId) -> bool {
        let schema = self.catalog.schema(self.catalog.relation(id).schema);
        server_objects::is_of_server(schema.kind)
    }

    fn is_denied(&self, id: RelationId) -> bool {
        self.denied.get(id.place()).copied().unwrap_or(true)
    }

    /// Whether a model stands for a relation.
    fn is_covered(&self, id: RelationId) -> bool {
        let (schema, name) = names_of(self.catalog, id);
        let mut models = self.policy.models().iter();
        models.any(|model| model.schema == schema && model.name == name)
    }
}

/// What is reached from relations in any number of steps, each once and without themselves.
fn all_from<'c>(
    from: &[RelationId],
    next: impl Fn(RelationId) -> &'c [RelationId],
) -> Vec<RelationId> {
    if from.iter().all(|id| next(*id).is_empty()) {
        return Vec::new();
    }
    let mut seen: HashSet<RelationId> = from.iter().copied().collect();
    let mut found = Vec::new();
    let mut waiting = from.to_vec();
    while let Some(one) = waiting.pop() {
        for other in next(one) {
            if seen.insert(*other) {
                found.push(*other);
                waiting.push(*other);
            }
        }
    }
    found
}
