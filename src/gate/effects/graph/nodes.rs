//! The places of everything that may run something, in one list.

use catalog::{CastId, Catalog, FunctionId, OperatorId, RelationId, TypeId};

/// Something that may run something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GraphNode {
    /// A function, however it is called.
    Function(FunctionId),
    /// An operator.
    Operator(OperatorId),
    /// A cast that the server lists.
    Cast(CastId),
    /// Values of a type being made.
    Making(TypeId),
    /// Values of a type being printed, compared, put into JSON.
    Using(TypeId),
    /// Any cast to a type.
    Target(TypeId),
    /// A relation with its children.
    Relation(RelationId),
    /// A relation alone.
    Only(RelationId),
}

/// Where the nodes of each kind begin.
#[derive(Clone, Copy)]
pub(super) struct GraphNodes {
    operators: usize,
    casts: usize,
    making: usize,
    using: usize,
    targets: usize,
    relations: usize,
    only: usize,
    len: usize,
}

impl GraphNodes {
    pub(super) fn of(catalog: &Catalog) -> Self {
        let operators = catalog.functions().len();
        let casts = operators + catalog.operators().len();
        let making = casts + catalog.casts().len();
        let using = making + catalog.data_types().len();
        let targets = using + catalog.data_types().len();
        let relations = targets + catalog.data_types().len();
        let only = relations + catalog.relations().len();
        Self {
            operators,
            casts,
            making,
            using,
            targets,
            relations,
            only,
            len: only + catalog.relations().len(),
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn place(&self, node: GraphNode) -> usize {
        match node {
            GraphNode::Function(id) => id.place(),
            GraphNode::Operator(id) => self.operators + id.place(),
            GraphNode::Cast(id) => self.casts + id.place(),
            GraphNode::Making(id) => self.making + id.place(),
            GraphNode::Using(id) => self.using + id.place(),
            GraphNode::Target(id) => self.targets + id.place(),
            GraphNode::Relation(id) => self.relations + id.place(),
            GraphNode::Only(id) => self.only + id.place(),
        }
    }
}
