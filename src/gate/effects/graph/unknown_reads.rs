//! What may read anything: functions that nobody has looked into, and those of the server that read
//! what is other people's. They are marked where a policy hides something.
//!
//! A function whose body is SQL or a procedural language reads whatever it likes, and so may an
//! operator, a cast, an aggregate or a type that runs one. A view or a table that runs one counts
//! as itself.

use super::nodes::{GraphNode, GraphNodes};
use super::propagation::CallGraph;
use super::{EffectReason, own_effects};
use crate::access;
use catalog::{
    CastContext, CastId, Catalog, Function, FunctionId, FunctionKind, FunctionLanguage, OperatorId,
    RelationId, TypeId,
};
use policy::Policy;

/// What may read anything.
pub(crate) struct UnknownReads {
    nodes: GraphNodes,
    marked: Vec<bool>,
    implicit_casts: Vec<CastId>,
}

impl UnknownReads {
    /// `graph` has the edges of all that may run something.
    pub(super) fn of(catalog: &Catalog, policy: &Policy, mut graph: CallGraph) -> Self {
        graph.forget_marks();
        for (id, function) in catalog.functions() {
            if reads_anything(catalog, policy, function) {
                graph.mark(GraphNode::Function(id), EffectReason::RunsSql);
            }
        }
        let (nodes, marked) = graph.propagate();
        let mut reads = Self {
            nodes,
            marked: marked.iter().map(Option::is_some).collect(),
            implicit_casts: Vec::new(),
        };
        let casts = catalog.casts();
        let casts =
            casts.filter(|(id, cast)| cast.context != CastContext::Explicit && reads.cast(*id));
        reads.implicit_casts = casts.map(|(id, _)| id).collect();
        reads
    }

    /// Whether a call of a function may.
    pub(crate) fn function(&self, id: FunctionId) -> bool {
        self.at(GraphNode::Function(id))
    }

    /// Whether an operator may.
    pub(crate) fn operator(&self, id: OperatorId) -> bool {
        self.at(GraphNode::Operator(id))
    }

    /// Whether a cast may.
    pub(crate) fn cast(&self, id: CastId) -> bool {
        self.at(GraphNode::Cast(id))
    }

    /// Whether some cast to a type may.
    pub(crate) fn casting_to(&self, id: TypeId) -> bool {
        self.at(GraphNode::Target(id))
    }

    /// Whether making or using a value of a type may.
    pub(crate) fn data_type(&self, id: TypeId) -> bool {
        self.at(GraphNode::Making(id)) || self.at(GraphNode::Using(id))
    }

    /// Whether a view runs something that may.
    pub(crate) fn relation(&self, id: RelationId) -> bool {
        self.at(GraphNode::Only(id))
    }

    /// Casts that happen unasked and may.
    pub(crate) fn implicit_casts(&self) -> &[CastId] {
        &self.implicit_casts
    }

    fn at(&self, node: GraphNode) -> bool {
        let marked = self.marked.get(self.nodes.place(node));
        marked.copied().unwrap_or(true)
    }
}

fn reads_anything(catalog: &Catalog, policy: &Policy, function: &Function) -> bool {
    let name = catalog.names().text(function.name);
    if own_effects::is_built_in(catalog, function) {
        return access::server_objects::hides_built_in(name);
    }
    if access::server_objects::hides_of_extension(catalog, function) {
        return true;
    }
    let schema = catalog.names().text(catalog.schema(function.schema).name);
    let written = match function.language {
        FunctionLanguage::Internal | FunctionLanguage::C => false,
        FunctionLanguage::Sql | FunctionLanguage::Other(_) => !function.of_extension(),
    };
    // An aggregate is what it is made of.
    let made = matches!(function.kind, FunctionKind::Aggregate { .. });
    let arguments = own_effects::argument_types(catalog, function);
    written && !made && !policy.allows_signature(schema, name, &arguments)
}
