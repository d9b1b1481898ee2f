//! What runs a function that means what the session's search_path makes of it.
//!
//! The body of a function that is a string has its names looked up when it runs, where whoever
//! calls it has names looked up; unless the function sets a search_path of its own. The body of
//! BEGIN ATOMIC has its names bound, as views have theirs: but a view calls functions, which are
//! run where the session stands.
//!
//! <https://www.postgresql.org/docs/current/sql-createfunction.html>

use super::cause::EffectReason;
use super::edges;
use super::name_flags;
use super::name_flags::NameFlags;
use super::nodes::{GraphNode, GraphNodes};
use super::own_effects;
use super::own_effects::{OwnEffect, OwnEffects};
use super::propagation::CallGraph;
use catalog::{
    Cast, CastContext, CastId, Catalog, Function, FunctionId, FunctionKind, FunctionLanguage,
    NameId, TypeId,
};
use policy::Policy;

/// What runs such functions.
pub(crate) struct PathDependents {
    nodes: GraphNodes,
    marked: Vec<bool>,
    edges: Vec<(usize, usize)>,
    flags: Vec<NameFlags>,
    /// All functions, by their places.
    functions: Vec<PathDependentFunction>,
    casts: Vec<CastId>,
    types: Vec<TypeId>,
}

/// What is known of one function.
#[derive(Clone, Copy)]
struct PathDependentFunction {
    id: FunctionId,
    /// Whether the policy names it, or it came with the server.
    is_known: bool,
    is_free: bool,
}

/// Whether the server's own functions mean the same wherever names are looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ServerFunctions {
    /// They do.
    PathIndependent,
    /// Those in SQL do not, where its own schema is not the first.
    PathDependent,
}

/// What the body of a function is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionBody<'c> {
    /// Nothing in it is looked up by name when it runs.
    Bound,
    /// SQL.
    Text(&'c str),
    /// Something that is not read here.
    Opaque,
}

impl<'c> FunctionBody<'c> {
    /// That of a function.
    fn of(function: &'c Function) -> Self {
        if matches!(function.kind, FunctionKind::Aggregate { .. }) {
            return Self::Bound;
        }
        match (function.language, &function.text) {
            (_, Some(text)) => Self::Text(text),
            // The server's own, and that of extensions, looks nothing up by the path.
            (FunctionLanguage::Internal | FunctionLanguage::Sql, None) => Self::Bound,
            (FunctionLanguage::C, None)
                if function.of_extension() || function.oid.is_built_in() =>
            {
                Self::Bound
            }
            (FunctionLanguage::C | FunctionLanguage::Other(_), None) => Self::Opaque,
        }
    }
}

impl PathDependents {
    /// What runs such functions in a snapshot; none where it has none. The server's own count only
    /// where schemas of users are searched before its own.
    pub(super) fn of(
        catalog: &Catalog,
        policy: &Policy,
        own_effects: &OwnEffects,
        of_server: ServerFunctions,
    ) -> Option<Self> {
        let functions: Vec<PathDependentFunction> = catalog
            .functions()
            .map(|(id, function)| PathDependentFunction {
                id,
                is_known: own_effects.of_function(id) == OwnEffect::Known,
                is_free: is_free(catalog, policy, function, of_server),
            })
            .collect();
        let mut path_dependents = functions
            .iter()
            .filter(|own| !own.is_free && moves(catalog.function(own.id)))
            .peekable();
        path_dependents.peek()?;
        let mut graph = CallGraph::new(GraphNodes::of(catalog));
        edges::of(catalog, &own_effects.opened(catalog), |_| true, &mut graph);
        graph.forget_marks();
        for own in path_dependents {
            graph.mark(GraphNode::Function(own.id), EffectReason::PathDependent);
        }
        let (nodes, marked, edges) = graph.reaching();
        let is_marked = |node: GraphNode| marked.get(nodes.place(node)).copied().unwrap_or(true);
        let unasked = |cast: &Cast| cast.context != CastContext::Explicit;
        let casts = catalog.casts();
        let casts = casts.filter(|(id, cast)| unasked(cast) && is_marked(GraphNode::Cast(*id)));
        let types = catalog.data_types();
        let types =
            types.filter(|(id, own)| own.oid.is_built_in() && is_marked(GraphNode::Using(*id)));
        Some(Self {
            flags: name_flags::of_marked(catalog, is_marked),
            casts: casts.map(|(id, _)| id).collect(),
            types: types.map(|(id, _)| id).collect(),
            nodes,
            functions,
            edges,
            marked,
        })
    }

    /// Where a thing stands among all, if it runs such a function.
    pub(crate) fn place(&self, node: GraphNode) -> Option<usize> {
        let place = self.nodes.place(node);
        let is_marked = self.marked.get(place).copied().unwrap_or(true);
        is_marked.then_some(place)
    }

    /// What a thing runs, as far as that runs such a function.
    pub(crate) fn below(&self, place: usize) -> impl Iterator<Item = usize> {
        let start = self.edges.partition_point(|(from, _)| *from < place);
        let edges = self.edges.iter().skip(start);
        edges
            .take_while(move |(from, _)| *from == place)
            .map(|(_, to)| *to)
    }

    /// The function at a place, if one stands there.
    pub(crate) fn function(&self, place: usize) -> Option<FunctionId> {
        Some(self.functions.get(place)?.id)
    }

    /// What a function's body is, as far as it has to be looked at.
    pub(crate) fn body<'c>(&self, id: FunctionId, catalog: &'c Catalog) -> FunctionBody<'c> {
        match self.functions.get(id.place()) {
            Some(own) if own.is_free => FunctionBody::Bound,
            Some(_) => FunctionBody::of(catalog.function(id)),
            None => FunctionBody::Opaque,
        }
    }

    /// Whether somebody has looked at a function already: it is built in, or the policy names it.
    pub(crate) fn is_known(&self, id: FunctionId) -> bool {
        let own = self.functions.get(id.place());
        own.is_some_and(|own| own.is_known)
    }

    /// As what a name may stand for something that runs such a function.
    pub(crate) fn flags(&self, name: NameId) -> NameFlags {
        self.flags
            .get(name.place())
            .copied()
            .unwrap_or(NameFlags::ALL)
    }

    /// The casts that happen unasked and run such functions.
    pub(crate) fn casts(&self) -> &[CastId] {
        &self.casts
    }

    /// The server's own types whose values are compared by such functions.
    pub(crate) fn types(&self) -> &[TypeId] {
        &self.types
    }
}

/// Whether the body of a function has to be looked at where it is run. One that is opaque and has a
/// path of its own is what its owner says.
fn moves(function: &Function) -> bool {
    match FunctionBody::of(function) {
        FunctionBody::Bound => false,
        FunctionBody::Text(_) => true,
        FunctionBody::Opaque => function.search_path.is_none(),
    }
}

/// Whether any path will do for a function: it is the server's own, or the policy says so.
fn is_free(
    catalog: &Catalog,
    policy: &Policy,
    function: &Function,
    of_server: ServerFunctions,
) -> bool {
    if own_effects::is_built_in(catalog, function) {
        return of_server == ServerFunctions::PathIndependent;
    }
    let schema = catalog.names().text(catalog.schema(function.schema).name);
    let name = catalog.names().text(function.name);
    policy.takes_any_search_path(
        schema,
        name,
        &own_effects::argument_types(catalog, function),
    )
}

/// Since then the server's own functions in SQL are bound, or name the schemas of all they use.
pub(super) const BUILT_INS_BOUND_SINCE: u16 = 14;
