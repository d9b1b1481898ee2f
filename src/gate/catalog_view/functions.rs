//! The functions of the server that are told an object by its number or name: which of them may be
//! called, and for which objects they answer.
//!
//! A function that is in no list here and takes or gives such a value is refused. An error counts
//! as an answer: some name the object that they were given the number of.

use super::relations::OBJECT_TYPES;
use catalog::{Catalog, Function, TypeId};

/// A function that answers for objects that are shown, and is NULL for others.
pub(super) struct ServedFunction {
    pub(super) name: &'static str,
    /// Its arguments; the last ones may be left out.
    pub(super) arguments: &'static [ArgumentForm],
    /// How many may not.
    pub(super) least: usize,
    /// For which it answers: they are `g.a`, `g.b`, `g.c`.
    pub(super) rows: &'static str,
    /// Whether it gives any number of relations, which are `p.r`.
    pub(super) gives_relations: bool,
}

/// What an argument is made into before it is looked at.
#[derive(Clone, Copy)]
pub(super) enum ArgumentForm {
    /// A relation by number or name; the function takes its number.
    Relation,
    /// The same; the function takes a regclass.
    Regclass,
    /// A value of this type.
    Of(&'static str),
    /// As it is.
    Given,
}

/// What becomes of a call.
pub(super) enum CallVerdict {
    /// It names no object.
    Free,
    /// It is answered for what is shown.
    Served,
    /// It is not answered.
    Refused,
}

/// The row of a function that is answered for what is shown.
pub(super) fn served(name: &str) -> Option<&'static ServedFunction> {
    SERVED.iter().find(|own| own.name == name)
}

/// What becomes of a call of a function that came with the server.
pub(super) fn verdict(catalog: &Catalog, function: &Function) -> CallVerdict {
    let name = catalog.names().text(function.name);
    if served(name).is_some() {
        return CallVerdict::Served;
    }
    if FREE.contains(&name) || name.starts_with(STATISTICS) && gives_a_number(catalog, function) {
        return CallVerdict::Free;
    }
    let mut arguments = function.arguments.iter();
    let out = function.out_columns.iter().map(|(_, id)| *id);
    let mut given = out.chain([function.returns]);
    let is_about_objects = arguments.any(|id| is_any_of(catalog, *id, NUMBERS))
        || given.any(|id| is_any_of(catalog, id, &["pg_node_tree"]));
    match is_about_objects || REFUSED.contains(&name) {
        true => CallVerdict::Refused,
        false => CallVerdict::Free,
    }
}

fn gives_a_number(catalog: &Catalog, function: &Function) -> bool {
    let name = catalog
        .names()
        .text(catalog.data_type(function.returns).name);
    function.out_columns.is_empty() && PLAIN_RESULTS.contains(&name)
}

/// Whether a type, or that of its elements, is one of these or shows names.
fn is_any_of(catalog: &Catalog, id: TypeId, names: &[&str]) -> bool {
    let own = catalog.data_type(id);
    let is_it = |id: TypeId| {
        let name = catalog.names().text(catalog.data_type(id).name);
        names.contains(&name) || OBJECT_TYPES.contains(&name)
    };
    is_it(id) || own.element.is_some_and(is_it)
}

/// Types of arguments by which an object may be meant.
const NUMBERS: &[&str] = &["oid", "oidvector", "pg_node_tree"];

/// Types that hold no name.
#[rustfmt::skip]
const PLAIN_RESULTS: &[&str] = &["int2", "int4", "int8", "float4", "float8", "bool", "timestamptz"];

/// The functions of the statistics that tables, indexes and functions have.
const STATISTICS: &str = "pg_stat_get_";

/// Functions that are told an object and answer with what is no name, in no error either.
///
/// <https://www.postgresql.org/docs/current/functions-info.html>
#[rustfmt::skip]
const FREE: &[&str] = &[
    "acldefault", "aclexplode", "age", "col_is_visible", "count", "has_any_column_privilege",
    "has_database_privilege", "has_foreign_data_wrapper_privilege", "has_language_privilege",
    "has_schema_privilege", "has_server_privilege", "has_tablespace_privilege",
    "has_type_privilege", "max", "min", "mxid_age", "pg_char_to_encoding",
    "pg_collation_is_visible", "pg_conversion_is_visible", "pg_database_size",
    "pg_encoding_to_char", "pg_function_is_visible", "pg_get_userbyid", "pg_has_role",
    "pg_indexam_has_property", "pg_is_other_temp_schema", "pg_my_temp_schema",
    "pg_opclass_is_visible", "pg_operator_is_visible", "pg_opfamily_is_visible",
    "pg_statistics_obj_is_visible", "pg_table_is_visible", "pg_tablespace_location",
    "pg_tablespace_size", "pg_ts_config_is_visible", "pg_ts_dict_is_visible",
    "pg_ts_parser_is_visible", "pg_ts_template_is_visible", "pg_type_is_visible",
    "shobj_description", "to_regrole", "ts_parse", "ts_token_type",
];

/// Functions that mean an object by a text, or make a value of the type of another one.
#[rustfmt::skip]
const REFUSED: &[&str] = &[
    "database_to_xml", "database_to_xml_and_xmlschema", "database_to_xmlschema",
    "json_populate_record", "json_populate_recordset", "jsonb_populate_record",
    "jsonb_populate_record_valid", "jsonb_populate_recordset", "pg_get_object_address",
    "pg_get_publication_tables", "schema_to_xml",
    "schema_to_xml_and_xmlschema", "schema_to_xmlschema", "table_to_xml",
    "table_to_xml_and_xmlschema", "table_to_xmlschema",
];

const fn served_for(
    name: &'static str,
    least: usize,
    arguments: &'static [ArgumentForm],
    rows: &'static str,
) -> ServedFunction {
    ServedFunction {
        name,
        arguments,
        least,
        rows,
        gives_relations: false,
    }
}

const fn relations_for(
    name: &'static str,
    arguments: &'static [ArgumentForm],
    rows: &'static str,
) -> ServedFunction {
    ServedFunction {
        gives_relations: true,
        ..served_for(name, arguments.len(), arguments, rows)
    }
}

use ArgumentForm::{Given, Of, Regclass, Relation};

const OID: ArgumentForm = Of("oid");
const TEXT: ArgumentForm = Of("text");
const SHOWN: &str = "@class(g.a)";

/// Functions that are answered for what is shown.
#[rustfmt::skip]
const SERVED: &[ServedFunction] = &[
    served_for("col_description", 2, &[Relation, Of("int4")], "@listed(g.a) AND @column(g.a, g.b) OR @own(g.a)"),
    served_for("format_type", 2, &[OID, Of("int4")], "@type(g.a)"),
    served_for("obj_description", 2, &[OID, Of("name")], "CASE WHEN g.b = 'pg_class' THEN @class(g.a) WHEN g.b = 'pg_proc' THEN @function(g.a) AND @refs('1255', g.a) WHEN g.b = 'pg_type' THEN @type(g.a) WHEN g.b = 'pg_namespace' THEN @schema(g.a) WHEN g.b = 'pg_constraint' THEN @refs('2606', g.a) WHEN g.b = 'pg_trigger' THEN @trigger(g.a) WHEN g.b = 'pg_rewrite' THEN @refs('2618', g.a) WHEN g.b = 'pg_policy' THEN @refs('3256', g.a) WHEN g.b = 'pg_extension' THEN true ELSE @own(g.a) END"),
    served_for("oidvectortypes", 1, &[Of("oidvector")], "NOT EXISTS (SELECT FROM pg_catalog.unnest(CAST(g.a AS pg_catalog._oid)) AS v(o) WHERE NOT @type(v.o) OFFSET 0)"),
    served_for("pg_column_is_updatable", 3, &[Regclass, Of("int2"), Of("bool")], SHOWN),
    served_for("pg_describe_object", 3, &[OID, OID, Of("int4")], "@object(g.a, g.b, g.c)"),
    served_for("pg_get_constraintdef", 1, &[OID, Of("bool")], "EXISTS (SELECT FROM pg_catalog.pg_constraint c WHERE c.oid = g.a AND @constraint(c) OFFSET 0)"),
    // Of a table with hidden columns: the defaults of those that are shown.
    served_for("pg_get_expr", 2, &[Given, Relation, Of("bool")], "CASE WHEN @own(g.b) OR @whole(g.b) THEN true ELSE EXISTS (SELECT FROM pg_catalog.pg_attrdef e WHERE e.adrelid = g.b AND CAST(e.adbin AS pg_catalog.text) = CAST(g.a AS pg_catalog.text) AND @default(e) OFFSET 0) END"),
    served_for("pg_get_function_arg_default", 2, &[OID, Of("int4")], "@function(g.a) AND @refs('1255', g.a)"),
    served_for("pg_get_function_arguments", 1, &[OID], "@function(g.a) AND @refs('1255', g.a)"),
    served_for("pg_get_function_identity_arguments", 1, &[OID], "@function(g.a) AND @refs('1255', g.a)"),
    served_for("pg_get_function_result", 1, &[OID], "@function(g.a) AND @refs('1255', g.a)"),
    served_for("pg_get_function_sqlbody", 1, &[OID], "@own(g.a)"),
    served_for("pg_get_functiondef", 1, &[OID], "@own(g.a)"),
    served_for("pg_get_indexdef", 1, &[Relation, Of("int4"), Of("bool")], SHOWN),
    served_for("pg_get_partition_constraintdef", 1, &[Relation], "@own(g.a) OR @whole(g.a)"),
    served_for("pg_get_partkeydef", 1, &[Relation], "@class(g.a) AND @refs('1259', g.a)"),
    served_for("pg_get_ruledef", 1, &[OID, Of("bool")], "@wholly('2618', g.a)"),
    served_for("pg_get_serial_sequence", 2, &[TEXT, TEXT], "EXISTS (SELECT FROM pg_catalog.pg_attribute sa WHERE sa.attrelid = CAST(pg_catalog.to_regclass(g.a) AS pg_catalog.oid) AND sa.attname = CAST(g.b AS pg_catalog.name) AND @listed(sa.attrelid) AND @column(sa.attrelid, sa.attnum) OFFSET 0)"),
    served_for("pg_get_statisticsobjdef", 1, &[OID], "@refs('3381', g.a)"),
    served_for("pg_get_statisticsobjdef_columns", 1, &[OID], "@refs('3381', g.a)"),
    served_for("pg_get_statisticsobjdef_expressions", 1, &[OID], "@refs('3381', g.a)"),
    served_for("pg_get_triggerdef", 1, &[OID, Of("bool")], "@trigger(g.a)"),
    served_for("pg_get_viewdef", 1, &[Relation, Given], "@query(g.a)"),
    served_for("pg_index_column_has_property", 3, &[Regclass, Of("int4"), TEXT], SHOWN),
    served_for("pg_index_has_property", 2, &[Regclass, TEXT], SHOWN),
    served_for("pg_indexes_size", 1, &[Regclass], SHOWN),
    relations_for("pg_partition_ancestors", &[Regclass], "@class(g.a) AND @class(p.r)"),
    served_for("pg_partition_root", 1, &[Regclass], "@class(g.a) AND @class(pg_catalog.pg_partition_root(CAST(g.a AS pg_catalog.regclass)))"),
    served_for("pg_relation_filenode", 1, &[Regclass], SHOWN),
    served_for("pg_relation_filepath", 1, &[Regclass], SHOWN),
    served_for("pg_relation_is_publishable", 1, &[Regclass], SHOWN),
    served_for("pg_relation_is_updatable", 2, &[Regclass, Of("bool")], SHOWN),
    served_for("pg_relation_size", 1, &[Regclass, TEXT], SHOWN),
    served_for("pg_table_size", 1, &[Regclass], SHOWN),
    served_for("pg_total_relation_size", 1, &[Regclass], SHOWN),
    served_for("pg_typeof", 1, &[Given], "@type(pg_catalog.pg_typeof(g.a))"),
    served_for("row_security_active", 1, &[Relation], SHOWN),
    served_for("to_regclass", 1, &[TEXT], "@class(CAST(pg_catalog.to_regclass(g.a) AS pg_catalog.oid))"),
    served_for("to_regnamespace", 1, &[TEXT], "@schema(CAST(pg_catalog.to_regnamespace(g.a) AS pg_catalog.oid))"),
    served_for("to_regproc", 1, &[TEXT], "@function(CAST(pg_catalog.to_regproc(g.a) AS pg_catalog.oid))"),
    served_for("to_regprocedure", 1, &[TEXT], "@function(CAST(pg_catalog.to_regprocedure(g.a) AS pg_catalog.oid))"),
    served_for("to_regtype", 1, &[TEXT], "@type(CAST(pg_catalog.to_regtype(g.a) AS pg_catalog.oid))"),
];
