//! What names hide: which functions, operators, casts, types and relations of a database do more
//! than read when a statement uses them.
//!
//! A view, an operator, a cast, a domain or a row policy runs functions that no statement shows. So
//! everything in a snapshot that may run something stands in one graph, with an edge to each thing
//! that it runs; what has an effect by itself is marked, and the marks are carried backwards. What
//! carries none is *clean*.
//!
//! * `own_effects`: what each function does by itself, by the table of built-ins and the policy
//! * `edges`: what runs what; `support_functions`: what is run unasked;
//!   `nodes`: the places of all things in one list
//! * `propagation`: the marks, carried
//! * [`cause`]: why something is not clean; `description`: what a client is told of it
//! * `unknown_reads`: what may read anything, where a policy hides something
//! * `path_dependent`: what runs a function that means what the session's search_path makes of it
//! * [`name_flags`]: for each name, whether anything of that name is not clean
//!
//! <https://www.postgresql.org/docs/current/rules-views.html>,
//! <https://www.postgresql.org/docs/current/xfunc-volatility.html>

pub mod cause;
mod description;
mod edges;
pub mod name_flags;
mod nodes;
mod own_effects;
mod path_dependent;
mod propagation;
pub(crate) mod support_functions;
mod unknown_reads;

use std::borrow::Cow;
use std::sync::Arc;

pub(crate) use self::cause::EffectSite;
pub use self::cause::{CatalogObject, EffectCause, EffectReason};
pub(crate) use self::description::{EffectDescription, PATH_HINT, is_written};
pub use self::name_flags::NameFlags;
pub(crate) use self::nodes::GraphNode;
use self::nodes::GraphNodes;
pub use self::own_effects::argument_types;
use self::own_effects::{OwnEffect, OwnEffects};
use self::path_dependent::ServerFunctions;
pub(crate) use self::path_dependent::{FunctionBody, PathDependents};
use self::propagation::CallGraph;
pub(crate) use self::unknown_reads::UnknownReads;
use crate::access::AccessTable;
use crate::catalog_view::ShownCatalog;
use crate::function_bodies::BodyMemo;
use crate::models::{SnapshotModels, rule_check};
use catalog::unreadable_names;
use catalog::{
    Cast, CastContext, CastId, Catalog, CatalogVersion, FunctionId, Mask, NameId, Oid, OperatorId,
    Relation, RelationId, SchemaKind, TypeId,
};
use ground::limits::NAME_BYTES_MAX;
use policy::Policy;

/// What a snapshot hides, under one policy.
pub struct EffectGraph {
    catalog: Arc<Catalog>,
    number: u64,
    nodes: GraphNodes,
    /// Why each node is not clean.
    effects: Vec<Option<EffectCause>>,
    /// The same for functions that are clean, but not when they are called by their name.
    by_name: Vec<Option<EffectCause>>,
    flags: Vec<NameFlags>,
    implicit_casts: Vec<CastId>,
    making_any_type_has_effects: bool,
    using_any_builtin_type_has_effects: bool,
    long_names: Vec<NameId>,
    models: SnapshotModels,
    /// Where the catalogs show what the policy shows: what that is.
    shown_catalog: Option<ShownCatalog>,
    /// Where the policy hides something: what it shows, and what may read anything.
    visibility: Option<PolicyVisibility>,
    /// The functions that the policy does not let be called, by their places; none where it denies
    /// no function.
    denied: Vec<bool>,
    /// What runs functions that mean what the search_path makes of them, and what was thought of
    /// those so far.
    path_dependents: Option<PathDependents>,
    /// The same where schemas of users are searched before the server's own, if that differs.
    path_dependents_shadowed: Option<PathDependents>,
    bodies: BodyMemo,
}

/// What a policy that hides something shows.
struct PolicyVisibility {
    table: AccessTable,
    reads: UnknownReads,
    /// What nobody is told of: what the table hides, and what models leave away.
    mask: Mask,
}

/// Whether a read of a relation includes its partitions and inheritance children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InheritanceReach {
    /// As `FROM t` does.
    WithChildren,
    /// As `FROM ONLY t` does.
    Only,
}

impl EffectGraph {
    /// Looks through a snapshot.
    pub fn new(catalog: Arc<Catalog>, policy: &Policy) -> Self {
        let own_effects = OwnEffects::of(&catalog, policy);
        let mut graph = CallGraph::new(GraphNodes::of(&catalog));
        let is_named = |relation: &Relation| is_named(&catalog, policy, relation);
        edges::of(&catalog, &own_effects, is_named, &mut graph);
        let mut shown = (policy.hides()).then(|| shown(&catalog, policy, &own_effects));
        let models = SnapshotModels::of(&catalog, policy, shown.as_ref().map(|shown| &shown.table));
        if let Some(shown) = &mut shown {
            models.add_to_mask(&catalog, &mut shown.mask);
        }
        let (nodes, hidden) = graph.propagate();
        let mut effect_graph = Self {
            by_name: by_name(&catalog, &own_effects),
            flags: Vec::new(),
            implicit_casts: Vec::new(),
            making_any_type_has_effects: false,
            using_any_builtin_type_has_effects: false,
            long_names: Vec::new(),
            models,
            shown_catalog: None,
            denied: denied(&catalog, policy),
            path_dependents: PathDependents::of(
                &catalog,
                policy,
                &own_effects,
                ServerFunctions::PathIndependent,
            ),
            path_dependents_shadowed: (catalog.server_major()
                < path_dependent::BUILT_INS_BOUND_SINCE)
                .then(|| {
                    PathDependents::of(
                        &catalog,
                        policy,
                        &own_effects,
                        ServerFunctions::PathDependent,
                    )
                })
                .flatten(),
            bodies: BodyMemo::default(),
            visibility: shown,
            number: number_of(&catalog),
            catalog,
            nodes,
            effects: hidden,
        };
        effect_graph.flags = name_flags::of(&effect_graph);
        effect_graph.long_names = effect_graph.flagged_long_names();
        effect_graph.implicit_casts = effect_graph.implicit_casts_with_effects();
        effect_graph.making_any_type_has_effects = {
            let mut types = effect_graph.catalog.data_types();
            types.any(|(id, own)| {
                effect_graph.making(id).is_some()
                    && effect_graph.catalog.schema(own.schema).kind != SchemaKind::Temporary
            })
        };
        effect_graph.using_any_builtin_type_has_effects = {
            let mut types = effect_graph.catalog.data_types();
            types.any(|(id, own)| own.oid.is_built_in() && effect_graph.using(id).is_some())
        };
        effect_graph.add_catalogs(policy);
        for (place, why) in rule_check::refused(&effect_graph, policy) {
            effect_graph.models.refuse(place, why);
        }
        effect_graph
    }

    /// Has the catalogs show what the policy shows, where it says so.
    fn add_catalogs(&mut self, policy: &Policy) {
        let is_callable = |id: FunctionId| {
            self.called_by_name(id).is_none()
                && !self.denies_function(id)
                && !self.may_read_anything(id)
        };
        let shown = self.visibility.as_ref().and_then(|own| {
            ShownCatalog::of((&self.catalog, &own.mask), &own.table, policy, is_callable)
        });
        if let Some(mut shown) = shown {
            let forms = std::mem::take(&mut shown.relations);
            self.models.add_catalogs(&self.catalog, forms);
            self.shown_catalog = Some(shown);
        }
    }

    /// Whether a function may read anything: then a policy that hides something has to name it.
    pub fn may_read_anything(&self, id: FunctionId) -> bool {
        self.reads().is_some_and(|reads| reads.function(id))
    }

    /// The snapshot.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The policy's models, against the snapshot.
    pub(crate) fn models(&self) -> &SnapshotModels {
        &self.models
    }

    /// What the catalogs show, where that is what the policy shows.
    pub(crate) fn shown_catalog(&self) -> Option<&ShownCatalog> {
        self.shown_catalog.as_ref()
    }

    /// The models that cannot be used with this database, and the masks and conditions that name
    /// nothing in it, by their keys in the policy, with the reason. What would read one of them is
    /// refused, and so are relations that one of them may be meant for.
    pub fn model_problems(&self) -> impl Iterator<Item = (String, Cow<'_, str>)> {
        let models = self.models.problems();
        let models = models.map(|(key, why)| (key, Cow::Borrowed(why)));
        let unmatched = self.access().map(AccessTable::unmatched);
        let others = unmatched.into_iter().flatten();
        let others = others.filter(|entry| !entry.is_model());
        models.chain(others.map(|entry| (entry.key().to_owned(), Cow::Owned(entry.problem()))))
    }

    /// Relations that cannot be read because they are not made for what a pattern lays over them,
    /// others being so, with the reason.
    pub fn overlay_warnings(&self) -> impl Iterator<Item = (String, &str)> {
        self.models.overlay_warnings()
    }

    /// Whether a model has a column of this name; none where there is no such model, or it cannot
    /// be used.
    pub fn model_has_column(&self, schema: &str, name: &str, column: &str) -> Option<bool> {
        self.models.has_column(schema, name, column)
    }

    /// A number of what the snapshot shows and by which oids, for cache keys; the policy has one of
    /// its own.
    pub fn version_number(&self) -> u64 {
        self.number
    }

    /// What the policy shows, where it hides something.
    pub(crate) fn access(&self) -> Option<&AccessTable> {
        self.visibility.as_ref().map(|shown| &shown.table)
    }

    /// What may read anything, where the policy hides something.
    pub(crate) fn reads(&self) -> Option<&UnknownReads> {
        self.visibility.as_ref().map(|shown| &shown.reads)
    }

    /// What the policy hides from whoever is told what there is.
    pub fn mask(&self) -> Option<&Mask> {
        self.visibility.as_ref().map(|shown| &shown.mask)
    }

    /// Whether the policy does not let a function be called.
    pub(crate) fn denies_function(&self, id: FunctionId) -> bool {
        self.denied.get(id.place()).copied().unwrap_or(false)
    }

    /// What runs a function that means what the session's search_path makes of it. It is asked
    /// whether schemas of users may be searched before the server's own.
    pub(crate) fn path_dependents(
        &self,
        is_shadowed: impl FnOnce() -> bool,
    ) -> Option<&PathDependents> {
        match &self.path_dependents_shadowed {
            Some(all) if is_shadowed() => Some(all),
            _ => self.path_dependents.as_ref(),
        }
    }

    /// Whether that differs where schemas of users are searched first.
    pub(crate) fn may_shadow(&self) -> bool {
        self.path_dependents_shadowed.is_some()
    }

    /// Whether this is what holds where schemas of users are searched first.
    pub(crate) fn is_shadowed(&self, path_dependents: &PathDependents) -> bool {
        let shadowed = self.path_dependents_shadowed.as_ref();
        shadowed.is_some_and(|own| std::ptr::eq(own, path_dependents))
    }

    /// What was thought of the bodies of functions so far.
    pub(crate) fn body_memo(&self) -> &BodyMemo {
        &self.bodies
    }

    /// What a name may hide, whatever it names in whatever schema.
    pub fn flags(&self, name: NameId) -> NameFlags {
        self.flags
            .get(name.place())
            .copied()
            .unwrap_or(NameFlags::ALL)
    }

    /// Why a function is not clean where something else runs it: behind an operator or a cast, in
    /// an aggregate or a view.
    pub fn function(&self, id: FunctionId) -> Option<&EffectCause> {
        self.at(GraphNode::Function(id))
    }

    /// Why a function is not clean where a statement calls it by its name.
    pub fn called_by_name(&self, id: FunctionId) -> Option<&EffectCause> {
        let own = self.by_name.get(id.place()).and_then(Option::as_ref);
        own.or_else(|| self.function(id))
    }

    /// Why an operator is not clean.
    pub fn operator(&self, id: OperatorId) -> Option<&EffectCause> {
        self.at(GraphNode::Operator(id))
    }

    /// Why a cast is not clean.
    pub fn cast(&self, id: CastId) -> Option<&EffectCause> {
        self.at(GraphNode::Cast(id))
    }

    /// Why reading a relation is not clean.
    pub fn relation(&self, id: RelationId, reach: InheritanceReach) -> Option<&EffectCause> {
        self.at(match reach {
            InheritanceReach::WithChildren => GraphNode::Relation(id),
            InheritanceReach::Only => GraphNode::Only(id),
        })
    }

    /// Why making a value of a type, from text or from another value, is not clean.
    pub fn making(&self, id: TypeId) -> Option<&EffectCause> {
        self.at(GraphNode::Making(id))
    }

    /// Why printing, comparing or otherwise using a value of a type is not clean.
    pub fn using(&self, id: TypeId) -> Option<&EffectCause> {
        self.at(GraphNode::Using(id))
    }

    /// Why some cast to a type, or to what it consists of, is not clean.
    pub fn casting_to(&self, id: TypeId) -> Option<&EffectCause> {
        self.at(GraphNode::Target(id))
    }

    /// The casts that happen unasked and are not clean: implicit ones, in any expression, and those
    /// for assignment to the server's own types, where it wants a boolean (WHERE, NOT, CASE), a
    /// number (LIMIT, frames of windows, subscripts) or a text.
    pub fn implicit_casts(&self) -> &[CastId] {
        &self.implicit_casts
    }

    /// Whether there is any type whose making is not clean, temporary ones aside: no statement may
    /// name those.
    pub fn making_any_type_has_effects(&self) -> bool {
        self.making_any_type_has_effects
    }

    /// Whether a user has given one of the server's own types a way to be compared that is not
    /// clean. Values of such a type need no name: `SELECT DISTINCT xmlelement(name a)`.
    pub fn using_any_builtin_type_has_effects(&self) -> bool {
        self.using_any_builtin_type_has_effects
    }

    /// Names with a flag that are longer than the parser reads: databases that keep text in another
    /// encoding than UTF-8 have such, and those that are not readable are kept as such.
    pub fn long_names(&self) -> &[NameId] {
        &self.long_names
    }

    fn at(&self, node: GraphNode) -> Option<&EffectCause> {
        self.effects
            .get(self.nodes.place(node))
            .and_then(Option::as_ref)
    }

    fn flagged_long_names(&self) -> Vec<NameId> {
        let names = self.catalog.names().ids();
        names
            .filter(|id| self.catalog.names().text(*id).len() > NAME_BYTES_MAX)
            .filter(|id| self.flags(*id).any_of(NameFlags::ALL))
            .collect()
    }

    fn implicit_casts_with_effects(&self) -> Vec<CastId> {
        let unasked = |cast: &Cast| match cast.context {
            CastContext::Implicit => true,
            CastContext::Assignment => self.catalog.data_type(cast.target).oid.is_built_in(),
            CastContext::Explicit => false,
        };
        let casts = self.catalog.casts();
        let unclean = casts.filter(|(id, cast)| unasked(cast) && self.cast(*id).is_some());
        unclean.map(|(id, _)| id).collect()
    }
}

/// What a policy that hides something shows.
/// A snapshot's version says what there is, by names. A text or a parameter may say an oid, and two
/// types that change names and definitions with each other give the same version again.
fn number_of(catalog: &Catalog) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&catalog.version().0);
    let mut add = |oid: Oid, schema: usize, name: NameId| {
        hasher.update(&oid.0.to_be_bytes());
        hasher.update(&schema.to_be_bytes());
        hasher.update(catalog.names().text(name).as_bytes());
    };
    let schemas = catalog.schemas();
    schemas.for_each(|(id, own)| add(own.oid, id.place(), own.name));
    let types = catalog.data_types();
    types.for_each(|(_, own)| add(own.oid, own.schema.place(), own.name));
    let relations = catalog.relations();
    relations.for_each(|(_, own)| add(own.oid, own.schema.place(), own.name));
    let functions = catalog.functions();
    functions.for_each(|(_, own)| add(own.oid, own.schema.place(), own.name));
    CatalogVersion(*hasher.finalize().as_bytes()).number()
}

fn shown(catalog: &Catalog, policy: &Policy, own_effects: &OwnEffects) -> PolicyVisibility {
    let mut graph = CallGraph::new(GraphNodes::of(catalog));
    edges::of(catalog, own_effects, |_| true, &mut graph);
    let reads = UnknownReads::of(catalog, policy, graph);
    let table = AccessTable::of(catalog, policy, |view| reads.relation(view));
    let veil = table.mask().clone();
    PolicyVisibility {
        table,
        reads,
        mask: veil,
    }
}

/// The functions that a policy does not let be called, by their places.
fn denied(catalog: &Catalog, policy: &Policy) -> Vec<bool> {
    if !policy.denies_functions() {
        return Vec::new();
    }
    let functions = catalog.functions().map(|(_, function)| {
        let schema = catalog.names().text(catalog.schema(function.schema).name);
        let arguments = own_effects::argument_types(catalog, function);
        let name = catalog.names().text(function.name);
        let unreadable = unreadable_names::is_kept(schema) || unreadable_names::is_kept(name);
        unreadable || policy.denies_function(schema, name, &arguments)
    });
    functions.collect()
}

/// Whether the policy names a foreign table, or its server.
fn is_named(catalog: &Catalog, policy: &Policy, relation: &Relation) -> bool {
    let names = catalog.names();
    let schema = names.text(catalog.schema(relation.schema).name);
    let server = relation.server.map_or("", |server| names.text(server));
    policy.allows_foreign(schema, names.text(relation.name), server)
}

/// The functions that have the name of a built-in and that no policy names; those of an extension
/// (`max` of a citext) are no others.
fn by_name(catalog: &Catalog, own_effects: &OwnEffects) -> Vec<Option<EffectCause>> {
    let stands_in = |name: NameId| {
        let mut same_name = catalog.index().functions(name).iter();
        same_name.any(|id| own_effects::is_built_in(catalog, catalog.function(*id)))
    };
    let functions = catalog.functions().map(|(id, function)| {
        let trusted = own_effects.of_function(id) == OwnEffect::Trusted;
        let hides = trusted && stands_in(function.name);
        hides.then(|| EffectCause::own(CatalogObject::Function(id), EffectReason::NameOfBuiltIn))
    });
    functions.collect()
}

impl std::fmt::Debug for EffectGraph {
    /// Without any name of the database.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EffectGraph")
            .field("catalog", &self.catalog)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
