//! For each name, whether anything of that name, in any schema, is not clean.
//!
//! A statement none of whose names has a flag is clean, whatever its names turn out to mean.

use catalog::{Catalog, Function, NameId, Relation, RelationKind, SchemaKind};

use super::nodes::GraphNode;
use super::{EffectGraph, InheritanceReach, own_effects};

/// What a name may hide; several may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameFlags(u8);

impl NameFlags {
    /// Nothing of it hides anything.
    pub const NONE: Self = Self(0);
    /// A call by it may not be clean: of a function, or of a type in the manner of one.
    pub const FUNCTION: Self = Self(1);
    /// `x.f` or `(x).f` may not be clean: one argument is enough to call it.
    pub const FIELD: Self = Self(1 << 1);
    /// An operator of this symbol is not clean.
    pub const OPERATOR: Self = Self(1 << 2);
    /// Reading a relation of it is not clean, or it has a column of a type whose making is not: a
    /// literal beside such a column (`tags = '{1}'`) may become a value of the type.
    pub const RELATION: Self = Self(1 << 3);
    /// Making or using a value of a type of it is not clean, or some cast to it is not.
    pub const TYPE: Self = Self(1 << 4);
    /// It names a function that is not built in.
    pub const IS_USER_FUNCTION: Self = Self(1 << 5);
    /// It names a function.
    pub const IS_FUNCTION: Self = Self(1 << 6);
    /// All of them, for what is not known.
    pub const ALL: Self = Self(0x7f);

    /// These and others.
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether any of these holds.
    pub fn any_of(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }
}

/// The flags of all names, by their places.
pub(super) fn of(effect_graph: &EffectGraph) -> Vec<NameFlags> {
    let catalog = effect_graph.catalog();
    let mut flags = vec![NameFlags::NONE; catalog.names().len()];
    let mut set = |name: NameId, which: NameFlags| {
        if let Some(flags) = flags.get_mut(name.place()) {
            *flags = flags.with(which);
        }
    };
    for (id, function) in catalog.functions() {
        let unclean = effect_graph.called_by_name(id).is_some()
            || returns_type_with_effects(effect_graph, function);
        set(function.name, of_function(catalog, function, unclean));
    }
    others(catalog, set, |node| match node {
        GraphNode::Function(id) => effect_graph.called_by_name(id).is_some(),
        GraphNode::Operator(id) => effect_graph.operator(id).is_some(),
        GraphNode::Cast(id) => effect_graph.cast(id).is_some(),
        GraphNode::Making(id) => effect_graph.making(id).is_some(),
        GraphNode::Using(id) => effect_graph.using(id).is_some(),
        GraphNode::Target(id) => effect_graph.casting_to(id).is_some(),
        GraphNode::Relation(id) => effect_graph
            .relation(id, InheritanceReach::WithChildren)
            .is_some(),
        GraphNode::Only(id) => effect_graph.relation(id, InheritanceReach::Only).is_some(),
    });
    flags
}

/// The flags of names of which anything is marked.
pub(super) fn of_marked(
    catalog: &Catalog,
    is_marked: impl Fn(GraphNode) -> bool,
) -> Vec<NameFlags> {
    let mut flags = vec![NameFlags::NONE; catalog.names().len()];
    let mut set = |name: NameId, which: NameFlags| {
        if let Some(flags) = flags.get_mut(name.place()) {
            *flags = flags.with(which);
        }
    };
    for (id, function) in catalog.functions() {
        if is_marked(GraphNode::Function(id)) {
            let field = match takes_one_argument(function) {
                true => NameFlags::FIELD,
                false => NameFlags::NONE,
            };
            set(function.name, NameFlags::FUNCTION.with(field));
        }
    }
    others(catalog, set, is_marked);
    flags
}

/// The flags of all but functions.
fn others(
    catalog: &Catalog,
    mut set: impl FnMut(NameId, NameFlags),
    is_marked: impl Fn(GraphNode) -> bool,
) {
    for (id, operator) in catalog.operators() {
        if is_marked(GraphNode::Operator(id)) {
            set(operator.name, NameFlags::OPERATOR);
        }
    }
    let readable = |relation: &Relation| relation.kind != RelationKind::CompositeType;
    for (id, relation) in catalog.relations().filter(|(_, one)| readable(one)) {
        let mut columns = catalog.columns_of(id).iter();
        if is_marked(GraphNode::Relation(id))
            || columns.any(|column| is_marked(GraphNode::Making(column.type_id)))
        {
            set(relation.name, NameFlags::RELATION);
        }
    }
    for (id, data_type) in catalog.data_types() {
        // No statement may name them: a name there is not to cast doubt on others of its kind.
        if catalog.schema(data_type.schema).kind == SchemaKind::Temporary {
            continue;
        }
        let ways = [
            GraphNode::Making(id),
            GraphNode::Using(id),
            GraphNode::Target(id),
        ];
        if ways.into_iter().any(&is_marked) {
            // `T(x)` and `x.T` may be casts; `T[]` is written with the name of T.
            let cast = NameFlags::TYPE
                .with(NameFlags::FUNCTION)
                .with(NameFlags::FIELD);
            set(data_type.name, cast);
            if let Some(element) = data_type.element {
                set(catalog.data_type(element).name, cast);
            }
        }
    }
}

fn of_function(catalog: &Catalog, function: &Function, unclean: bool) -> NameFlags {
    let mut flags = NameFlags::IS_FUNCTION;
    if !own_effects::is_built_in(catalog, function) {
        flags = flags.with(NameFlags::IS_USER_FUNCTION);
    }
    if unclean {
        flags = flags.with(NameFlags::FUNCTION);
    }
    if unclean && takes_one_argument(function) {
        flags = flags.with(NameFlags::FIELD);
    }
    flags
}

/// Whether a built-in gives a value of a type whose making is not clean: a literal beside it may
/// become one.
fn returns_type_with_effects(effect_graph: &EffectGraph, function: &Function) -> bool {
    let out = function.out_columns.iter().map(|(_, id)| id);
    let mut given = out.chain([&function.returns]);
    own_effects::is_built_in(effect_graph.catalog(), function)
        && given.any(|id| effect_graph.making(*id).is_some())
}

/// Whether one argument is enough to call it, and not too much.
fn takes_one_argument(function: &Function) -> bool {
    let most = function.arguments.len();
    let variadic = usize::from(function.variadic.is_some());
    let fewest = most.saturating_sub(usize::from(function.defaults).max(variadic));
    fewest <= 1 && most >= 1
}
