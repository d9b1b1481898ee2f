//! What is run unasked: the edges to support functions, from everything that a server runs them
//! for.
//!
//! `references.tsv` has a line for every column of the system catalogs that names a function, and
//! says of those that are followed here what they are followed from. Where following precisely
//! would be dear (whose typmodin a text names, which dictionary a configuration maps to),
//! everything that may run one counts as running all.

use std::collections::HashSet;

use super::cause::{EffectReason, EffectSite};
use super::edges::EdgeBuilder;
use super::nodes::GraphNode;
use super::own_effects;
use super::own_effects::OwnEffect;
use crate::extensions;
use catalog::{FunctionLanguage, RelationId, SupportFunction, SupportTarget, TypeKind, type_oid};

/// Adds the edges to all support functions of a snapshot.
pub(super) fn of(edges: &mut EdgeBuilder<'_>) {
    let runners = SupportCallers::of(edges);
    for support in edges.catalog.supports() {
        if is_compiled(support, edges) {
            continue;
        }
        match support.of {
            SupportTarget::Relation(id) => {
                edges.run(GraphNode::Only(id), support, EffectSite::Planned)
            }
            SupportTarget::PartitionKey(id) => {
                for relation in with_descendants(id, edges) {
                    edges.run(GraphNode::Only(relation), support, EffectSite::Planned);
                }
                for node in &runners.partition_keys {
                    edges.run(*node, support, EffectSite::Itself);
                }
            }
            SupportTarget::Operator(id) => {
                edges.run(GraphNode::Operator(id), support, EffectSite::Itself)
            }
            SupportTarget::Function(id) => {
                edges.run(GraphNode::Function(id), support, EffectSite::Itself)
            }
            SupportTarget::TypeModifier => edges.run_all(&runners.type_names, support),
            SupportTarget::Printing => edges.run_all(&runners.printing, support),
            SupportTarget::TextSearch => edges.run_all(&runners.text_search, support),
            SupportTarget::Conversion => edges.run_all(&runners.conversions, support),
            SupportTarget::ForeignDataWrapper => edges.run_all(&runners.wrappers, support),
            SupportTarget::AccessMethod => edges.run_all(&runners.access_methods, support),
        }
    }
}

/// Whether a built-in reads a text as the name of a type.
pub(crate) fn reads_type_names(name: &str) -> bool {
    READS_TYPE_NAMES.contains(&name)
}

impl EdgeBuilder<'_> {
    fn run(&mut self, from: GraphNode, support: &SupportFunction, through: EffectSite) {
        match support.function {
            Some(function) => self.call(from, function, through),
            None => self.graph.mark(from, EffectReason::Missing),
        }
    }

    /// These are given what is there already, by compiled functions alone: nothing is made for
    /// them.
    fn run_all(&mut self, from: &[GraphNode], support: &SupportFunction) {
        let standing = support.function.map(|id| self.own_effects.of_function(id));
        match standing {
            Some(
                OwnEffect::Known | OwnEffect::Machinery | OwnEffect::Trusted | OwnEffect::Followed,
            ) => {}
            Some(OwnEffect::Unclean(_)) | None => {
                for node in from {
                    self.run(*node, support, EffectSite::Itself);
                }
            }
        }
    }
}

/// Whether it is a compiled part of an extension that nothing but the schema that it is in, or what
/// nobody has said of its volatility, speaks against.
fn is_compiled(support: &SupportFunction, edges: &EdgeBuilder<'_>) -> bool {
    let Some(id) = support.function else {
        return false;
    };
    let function = edges.catalog.function(id);
    if !function.of_extension() || function.language != FunctionLanguage::C {
        return false;
    }
    match edges.own_effects.of_function(id) {
        OwnEffect::Unclean(EffectReason::SchemaNotTrusted) => true,
        OwnEffect::Unclean(EffectReason::Volatile) => matches!(
            support.of,
            SupportTarget::TypeModifier
                | SupportTarget::Printing
                | SupportTarget::ForeignDataWrapper
        ),
        OwnEffect::Unclean(_)
        | OwnEffect::Known
        | OwnEffect::Machinery
        | OwnEffect::Trusted
        | OwnEffect::Followed => false,
    }
}

/// A partitioned table and all that is below it: the constraint of a partition holds the keys of
/// all tables above.
pub(super) fn with_descendants(id: RelationId, edges: &EdgeBuilder<'_>) -> Vec<RelationId> {
    let mut all = vec![id];
    let mut met = HashSet::from([id]);
    let mut next = 0;
    while let Some(id) = all.get(next).copied() {
        next += 1;
        let children = edges.catalog.relation(id).children.iter().copied();
        all.extend(children.filter(|child| met.insert(*child)));
    }
    all
}

/// What runs the support functions that belong to no single object.
struct SupportCallers {
    partition_keys: Vec<GraphNode>,
    type_names: Vec<GraphNode>,
    printing: Vec<GraphNode>,
    text_search: Vec<GraphNode>,
    conversions: Vec<GraphNode>,
    wrappers: Vec<GraphNode>,
    access_methods: Vec<GraphNode>,
}

impl SupportCallers {
    fn of(edges: &EdgeBuilder<'_>) -> Self {
        let mut type_names = functions(edges, READS_TYPE_NAMES);
        type_names.retain(|node| !is_given_an_oid(*node, edges));
        type_names.extend(types_of_names(edges));
        let mut printing = functions(edges, PRINTS_EXPRESSIONS);
        printing.extend(statistics(edges));
        let mut conversions = functions(edges, CONVERTS);
        // What is sent as xml in binary says which encoding it is in.
        let xml = edges.catalog.index().type_of_oid(type_oid::XML);
        conversions.extend(xml.map(GraphNode::Making));
        Self {
            partition_keys: functions(edges, READS_PARTITION_KEYS),
            type_names,
            printing,
            text_search: searching_text(edges),
            conversions,
            wrappers: functions(edges, ASKS_WRAPPERS),
            access_methods: functions(edges, ASKS_ACCESS_METHODS),
        }
    }
}

/// The built-ins of these names.
fn functions(edges: &EdgeBuilder<'_>, names: &[&str]) -> Vec<GraphNode> {
    let built_in = edges.catalog.functions().filter(|(_, function)| {
        own_effects::is_built_in(edges.catalog, function)
            && names.contains(&edges.catalog.names().text(function.name))
    });
    built_in.map(|(id, _)| GraphNode::Function(id)).collect()
}

/// What runs a parser or a dictionary of text search.
fn searching_text(edges: &EdgeBuilder<'_>) -> Vec<GraphNode> {
    let of_extensions = edges.catalog.functions();
    let of_extensions = of_extensions.filter(|(_, function)| extensions::searches_text(function));
    let mut nodes = functions(edges, SEARCHES_TEXT);
    nodes.extend(of_extensions.map(|(id, _)| GraphNode::Function(id)));
    nodes
}

/// Whether it is an overload that asks for privileges on what it is given the oid of.
fn is_given_an_oid(node: GraphNode, edges: &EdgeBuilder<'_>) -> bool {
    let GraphNode::Function(id) = node else {
        return false;
    };
    let function = edges.catalog.function(id);
    let name = edges.catalog.names().text(function.name);
    let object = function.arguments.iter().rev().nth(1);
    let oid = object.map(|id| edges.catalog.data_type(*id).oid);
    name.ends_with("_privilege") && oid == Some(type_oid::OID)
}

/// Values of the types that are read from names of types, functions and operators.
fn types_of_names(edges: &EdgeBuilder<'_>) -> impl Iterator<Item = GraphNode> {
    let index = edges.catalog.index();
    let types = type_oid::NAMES_OF_OBJECTS
        .iter()
        .filter_map(|oid| index.type_of_oid(*oid));
    types.map(GraphNode::Making)
}

/// Relations of the server with columns that hold values of any type: its statistics.
fn statistics(edges: &EdgeBuilder<'_>) -> Vec<GraphNode> {
    let catalog = edges.catalog;
    let of_any = |id: &RelationId| {
        let mut columns = catalog.columns_of(*id).iter();
        columns.any(|column| catalog.data_type(column.type_id).kind == TypeKind::Pseudo)
    };
    let relations = catalog.relations().map(|(id, _)| id);
    relations.filter(of_any).map(GraphNode::Only).collect()
}

/// Built-ins that read a text as the name of a type, alone or as an argument's.
const READS_TYPE_NAMES: &[&str] = &[
    "has_function_privilege",
    "has_type_privilege",
    "pg_get_object_address",
    "pg_input_error_info",
    "pg_input_is_valid",
    "regoperatorin",
    "regprocedurein",
    "regtypein",
    "to_regoperator",
    "to_regprocedure",
    "to_regtype",
    "to_regtypemod",
];

/// Built-ins that print constants or the modifiers of types, from stored expressions and
/// statistics.
const PRINTS_EXPRESSIONS: &[&str] = &[
    "format_type",
    "pg_get_constraintdef",
    "pg_get_expr",
    "pg_get_function_arg_default",
    "pg_get_function_arguments",
    "pg_get_function_sqlbody",
    "pg_get_functiondef",
    "pg_get_indexdef",
    "pg_get_partition_constraintdef",
    "pg_get_partkeydef",
    "pg_get_ruledef",
    "pg_get_statisticsobjdef",
    "pg_get_statisticsobjdef_columns",
    "pg_get_statisticsobjdef_expressions",
    "pg_get_triggerdef",
    "pg_get_viewdef",
    "pg_mcv_list_items",
];

/// Built-ins that compare the bounds of partitions or hash values for them.
const READS_PARTITION_KEYS: &[&str] =
    &["pg_get_partition_constraintdef", "satisfies_hash_partition"];

/// Built-ins that run a parser or a dictionary of text search.
const SEARCHES_TEXT: &[&str] = &[
    "json_to_tsvector",
    "jsonb_to_tsvector",
    "phraseto_tsquery",
    "plainto_tsquery",
    "to_tsquery",
    "to_tsvector",
    "ts_debug",
    "ts_headline",
    "ts_lexize",
    "ts_match_tq",
    "ts_match_tt",
    "ts_parse",
    "ts_token_type",
    "websearch_to_tsquery",
];

/// Built-ins that look for a default conversion along the search_path.
const CONVERTS: &[&str] = &["convert", "convert_from", "convert_to"];

/// Built-ins that ask a foreign table's wrapper what it can do.
const ASKS_WRAPPERS: &[&str] = &["pg_column_is_updatable", "pg_relation_is_updatable"];

/// Built-ins that ask an access method what it can do, or open a relation of any.
const ASKS_ACCESS_METHODS: &[&str] = &[
    "amvalidate",
    "pg_column_is_updatable",
    "pg_get_expr",
    "pg_get_indexdef",
    "pg_get_partition_constraintdef",
    "pg_get_replica_identity_index",
    "pg_get_ruledef",
    "pg_get_statisticsobjdef",
    "pg_get_statisticsobjdef_columns",
    "pg_get_statisticsobjdef_expressions",
    "pg_get_triggerdef",
    "pg_get_viewdef",
    "pg_index_column_has_property",
    "pg_index_has_property",
    "pg_indexam_has_property",
    "pg_indexes_size",
    "pg_relation_is_updatable",
    "pg_relation_size",
    "pg_table_size",
    "pg_total_relation_size",
    "satisfies_hash_partition",
];
