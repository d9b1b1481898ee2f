//! What runs what: the edges from everything that may run something to what it runs.

use catalog::{
    Cast, CastMethod, Catalog, Function, FunctionId, FunctionKind, FunctionLanguage, Oid, Operator,
    OperatorId, Relation, RelationId, RelationKind, SchemaKind, StoredReferences, Type, TypeId,
    TypeKind, Volatility, type_oid,
};

use super::cause::{EffectReason, EffectSite};
use super::nodes::GraphNode;
use super::own_effects;
use super::own_effects::{OwnEffect, OwnEffects};
use super::propagation::CallGraph;
use super::support_functions;

/// Everything in a snapshot, with what has an effect by itself.
pub(super) fn of(
    catalog: &Catalog,
    own_effects: &OwnEffects,
    is_named: impl Fn(&Relation) -> bool,
    graph: &mut CallGraph,
) {
    let mut edges = EdgeBuilder {
        catalog,
        own_effects,
        graph,
    };
    for (id, function) in catalog.functions() {
        edges.function(id, function);
    }
    for (id, operator) in catalog.operators() {
        edges.operator(id, operator);
    }
    for (id, cast) in catalog.casts() {
        edges.cast(GraphNode::Cast(id), cast);
    }
    for (id, data_type) in catalog.data_types() {
        edges.making(id, data_type);
        edges.using(id, data_type);
        edges.casting(id, data_type);
    }
    for (id, relation) in catalog.relations() {
        edges.relation(id, relation, is_named(relation));
    }
    for (id, cast) in catalog.casts() {
        let target = catalog.data_type(cast.target).oid;
        edges.add(
            GraphNode::Target(cast.target),
            GraphNode::Cast(id),
            EffectSite::Itself,
        );
        if target == type_oid::JSON || target == type_oid::JSONB {
            edges.add(
                GraphNode::Using(cast.source),
                GraphNode::Cast(id),
                EffectSite::Itself,
            );
        }
    }
    support_functions::of(&mut edges);
}

/// The edges so far.
pub(super) struct EdgeBuilder<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) own_effects: &'a OwnEffects,
    pub(super) graph: &'a mut CallGraph,
}

impl EdgeBuilder<'_> {
    fn add(&mut self, from: GraphNode, to: GraphNode, through: EffectSite) {
        self.graph.add(from, to, through);
    }

    /// Says that a thing runs a function.
    pub(super) fn call(&mut self, from: GraphNode, function: FunctionId, through: EffectSite) {
        match self.own_effects.of_function(function) {
            OwnEffect::Machinery => {}
            OwnEffect::Known | OwnEffect::Trusted | OwnEffect::Followed | OwnEffect::Unclean(_) => {
                self.add(from, GraphNode::Function(function), through);
            }
        }
    }

    fn function(&mut self, id: FunctionId, function: &Function) {
        let node = GraphNode::Function(id);
        match self.own_effects.of_function(id) {
            OwnEffect::Known if own_effects::is_built_in(self.catalog, function) => {
                self.results(node, function);
                self.made_by_name(node, function);
                self.cast_to_text(node, function);
            }
            // Its body was looked at; what is made for it and of it runs outside of that.
            OwnEffect::Known => self.signature(node, function),
            OwnEffect::Machinery => self
                .graph
                .mark(node, EffectReason::BuiltIn(own_effects::MACHINERY)),
            OwnEffect::Unclean(reason) => self.graph.mark(node, reason),
            OwnEffect::Trusted | OwnEffect::Followed => self.trusted(node, function),
        }
    }

    /// Built-ins that make values of whatever type their argument names.
    fn made_by_name(&mut self, node: GraphNode, function: &Function) {
        let name = self.catalog.names().text(function.name);
        if !MAKES_ANY_TYPE.contains(&name) {
            return;
        }
        for (id, data_type) in self.catalog.data_types() {
            // A text that may name a temporary one is refused where it stands.
            if !data_type.oid.is_built_in() && !self.is_temporary(data_type) {
                self.add(node, GraphNode::Making(id), EffectSite::Itself);
            }
        }
    }

    /// Built-ins that are written in SQL and cast whatever they are given to text.
    fn cast_to_text(&mut self, node: GraphNode, function: &Function) {
        let name = self.catalog.names().text(function.name);
        let takes_any = function.arguments.iter().any(|id| {
            let data_type = self.catalog.data_type(*id);
            data_type.kind == TypeKind::Pseudo
        });
        if !takes_any || !CASTS_TO_TEXT.contains(&name) {
            return;
        }
        for (id, cast) in self.catalog.casts() {
            if self.catalog.data_type(cast.target).oid == type_oid::TEXT {
                self.add(node, GraphNode::Cast(id), EffectSite::Itself);
            }
        }
    }

    fn results(&mut self, node: GraphNode, function: &Function) {
        let results = function.out_columns.iter().map(|(_, id)| id);
        for id in results.chain([&function.returns]) {
            self.add(node, GraphNode::Using(*id), EffectSite::Itself);
        }
    }

    fn signature(&mut self, node: GraphNode, function: &Function) {
        self.results(node, function);
        let results = function.out_columns.iter().map(|(_, id)| id);
        for id in results.chain([&function.returns]) {
            self.add(node, GraphNode::Making(*id), EffectSite::Itself);
        }
        for id in function.arguments.iter().chain(&function.variadic) {
            self.add(node, GraphNode::Making(*id), EffectSite::Itself);
        }
    }

    fn trusted(&mut self, node: GraphNode, function: &Function) {
        self.signature(node, function);
        if let FunctionKind::Aggregate {
            parts,
            sort_operator,
            ..
        } = &function.kind
        {
            for part in parts {
                self.call(node, *part, EffectSite::Itself);
            }
            if let Some(operator) = sort_operator {
                self.add(node, GraphNode::Operator(*operator), EffectSite::Itself);
            }
        }
        if let Some(body) = &function.body {
            self.stored(node, body, EffectSite::Itself);
        }
    }

    fn operator(&mut self, id: OperatorId, operator: &Operator) {
        let node = GraphNode::Operator(id);
        if operator.function.is_none() {
            self.graph.mark(node, EffectReason::Unfinished);
        }
        if let Some(function) = operator.function {
            self.call(node, function, EffectSite::Itself);
        }
        // The planner may put one of these in its place, with all that stands behind it.
        for stand_in in operator.commutator.into_iter().chain(operator.negator) {
            self.add(node, GraphNode::Operator(stand_in), EffectSite::Itself);
        }
        for function in &operator.support {
            if !self.is_compiled_support(*function) {
                self.call(node, *function, EffectSite::Itself);
            }
        }
        if let Some(result) = operator.result {
            self.add(node, GraphNode::Using(result), EffectSite::Itself);
        }
    }

    /// Whether the policy has nothing against a function of an extension but its schema. An index
    /// may run it for an operator that is the server's own, which no schema is a reason to refuse.
    fn is_compiled_support(&self, id: FunctionId) -> bool {
        let function = self.catalog.function(id);
        let standing = self.own_effects.of_function(id);
        function.of_extension()
            && function.language == FunctionLanguage::C
            && standing == OwnEffect::Unclean(EffectReason::SchemaNotTrusted)
    }

    fn cast(&mut self, node: GraphNode, cast: &Cast) {
        match cast.method {
            CastMethod::Function(function) => self.call(node, function, EffectSite::Itself),
            CastMethod::Binary => {}
            CastMethod::InOut => {
                self.add(node, GraphNode::Using(cast.source), EffectSite::Itself);
                self.add(node, GraphNode::Making(cast.target), EffectSite::Itself);
            }
        }
    }

    /// Whether a type is one that a session has made for itself. What it runs changes without the
    /// snapshot being read again.
    fn is_temporary(&self, data_type: &Type) -> bool {
        self.catalog.schema(data_type.schema).kind == SchemaKind::Temporary
    }

    fn making(&mut self, id: TypeId, data_type: &Type) {
        let node = GraphNode::Making(id);
        if self.is_temporary(data_type) {
            self.graph.mark(node, EffectReason::TemporarySchema);
        }
        for function in &data_type.makers {
            self.call(node, *function, EffectSite::Itself);
        }
        for part in self.parts(data_type) {
            self.add(node, GraphNode::Making(part), EffectSite::Itself);
        }
        match &data_type.kind {
            TypeKind::Domain { checks, .. } => self.stored(node, checks, EffectSite::Check),
            // Making one compares its bounds.
            TypeKind::Range { .. } | TypeKind::Multirange { .. } => {
                self.add(node, GraphNode::Using(id), EffectSite::Itself);
            }
            TypeKind::Base | TypeKind::Composite(_) | TypeKind::Enum | TypeKind::Pseudo => {}
        }
    }

    fn using(&mut self, id: TypeId, data_type: &Type) {
        let node = GraphNode::Using(id);
        if self.is_temporary(data_type) {
            self.graph.mark(node, EffectReason::TemporarySchema);
        }
        for function in &data_type.users {
            self.call(node, *function, EffectSite::Itself);
        }
        for part in self.parts(data_type) {
            self.add(node, GraphNode::Using(part), EffectSite::Itself);
        }
    }

    fn casting(&mut self, id: TypeId, data_type: &Type) {
        for part in self.parts(data_type) {
            self.add(
                GraphNode::Target(id),
                GraphNode::Target(part),
                EffectSite::Itself,
            );
        }
    }

    /// The types whose values those of this one are made of.
    fn parts(&self, data_type: &Type) -> Vec<TypeId> {
        match &data_type.kind {
            TypeKind::Base => data_type.element.into_iter().collect(),
            TypeKind::Domain { base, .. } => vec![*base],
            TypeKind::Range { subtype } => vec![*subtype],
            TypeKind::Multirange { range } => vec![*range],
            TypeKind::Composite(relation) => {
                let columns = relation.map(|id| self.catalog.columns_of(id));
                let columns = columns.unwrap_or_default().iter();
                columns.map(|column| column.type_id).collect()
            }
            TypeKind::Enum | TypeKind::Pseudo => Vec::new(),
        }
    }

    fn relation(&mut self, id: RelationId, relation: &Relation, is_named: bool) {
        let only = GraphNode::Only(id);
        self.add(GraphNode::Relation(id), only, EffectSite::Itself);
        for child in &relation.children {
            self.add(
                GraphNode::Relation(id),
                GraphNode::Relation(*child),
                EffectSite::Child,
            );
        }
        if relation.kind == RelationKind::CompositeType {
            return;
        }
        let foreign = relation.kind == RelationKind::ForeignTable || relation.server.is_some();
        if foreign && !is_named {
            self.graph.mark(only, EffectReason::Foreign);
        }
        // A read of a materialized view runs nothing of its query.
        if relation.kind != RelationKind::MaterializedView
            && let Some(view) = &relation.view
        {
            self.stored(only, view, EffectSite::Itself);
        }
        for policy in &relation.policies {
            self.stored(only, &policy.using, EffectSite::RowPolicy);
        }
        if let Some(computed) = &relation.computed {
            self.stored(only, computed, EffectSite::VirtualColumn);
        }
        if let Some(planned) = &relation.planned {
            // The key of a partitioned table is a check of each partition, at every level.
            for below in support_functions::with_descendants(id, self) {
                self.planned(GraphNode::Only(below), planned);
            }
        }
        for column in self.catalog.columns_of(id) {
            self.add(only, GraphNode::Using(column.type_id), EffectSite::Column);
        }
    }

    /// Expressions that are not run for a row, but simplified while a read is planned: what is
    /// IMMUTABLE in them is run where its arguments are constants.
    fn planned(&mut self, from: GraphNode, planned: &StoredReferences) {
        let (catalog, index) = (self.catalog, self.catalog.index());
        let is_run = |id: FunctionId| catalog.function(id).volatility == Volatility::Immutable;
        let functions = planned.functions.iter();
        for function in functions.filter_map(|oid| index.function_of_oid(*oid)) {
            if is_run(function) {
                self.call(from, function, EffectSite::Planned);
            }
        }
        let operators = planned.operators.iter();
        for operator in operators.filter_map(|oid| index.operator_of_oid(*oid)) {
            if catalog.operator(operator).function.is_some_and(is_run) {
                self.add(from, GraphNode::Operator(operator), EffectSite::Planned);
            }
            // What a condition implies is asked of the other operators of its family.
            for function in &catalog.operator(operator).support {
                if is_run(*function) {
                    self.call(from, *function, EffectSite::Planned);
                }
            }
        }
    }

    /// What a stored expression names. What the snapshot does not have is unclean where it is a
    /// user's; numbers of built-ins may as well be something else that a field of the name holds.
    fn stored(&mut self, from: GraphNode, stored: &StoredReferences, through: EffectSite) {
        let index = self.catalog.index();
        if stored.writes {
            self.graph.mark(from, EffectReason::Writes);
        }
        for oid in &stored.functions {
            match index.function_of_oid(*oid) {
                Some(function) => self.call(from, function, through),
                None => self.graph.mark(from, EffectReason::Missing),
            }
        }
        for oid in &stored.operators {
            self.target(
                from,
                *oid,
                index.operator_of_oid(*oid).map(GraphNode::Operator),
                through,
            );
        }
        for oid in &stored.relations {
            self.target(
                from,
                *oid,
                index.relation_of_oid(*oid).map(GraphNode::Relation),
                through,
            );
        }
        for oid in &stored.types {
            self.target(
                from,
                *oid,
                index.type_of_oid(*oid).map(GraphNode::Using),
                through,
            );
        }
        for oid in &stored.made_types {
            self.target(
                from,
                *oid,
                index.type_of_oid(*oid).map(GraphNode::Making),
                through,
            );
        }
    }

    fn target(&mut self, from: GraphNode, oid: Oid, to: Option<GraphNode>, through: EffectSite) {
        match to {
            Some(to) => self.add(from, to, through),
            None if oid.is_built_in() => {}
            None => self.graph.mark(from, EffectReason::Missing),
        }
    }
}

/// Built-ins that make a value of a type that they are given the name of.
const MAKES_ANY_TYPE: &[&str] = &["pg_input_error_info", "pg_input_is_valid"];

/// Built-ins of polymorphic arguments whose body in SQL says `$1::text`, so that a user's cast to
/// text is what they run; `||` of a text and anything else is one.
const CASTS_TO_TEXT: &[&str] = &[
    "anytextcat",
    "quote_literal",
    "quote_nullable",
    "textanycat",
];
