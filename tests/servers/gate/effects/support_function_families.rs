//! The families of [`crate::gate::effects::support`], made by files of `tests/data/schemas/names`:
//! functions with an effect in every place where the system catalogs let a user put one.
//!
//! Effects are advisory locks; where only compiled functions may stand, an alias of a function of
//! the server takes them (whose key is an address), gives all of them back, or exports a snapshot.

use crate::gate::effects::support::Family;

pub const FAMILIES: &[Family] = &[
    Family {
        name: "partition_keys",
        covers: &["pg_partitioned_table.partclass"],
        before: "",
        statements: &[
            (13, "SELECT * FROM split"),
            (13, "EXPLAIN SELECT * FROM split"),
            (13, "SELECT count(*) FROM listed"),
            (13, "SELECT name FROM hashed WHERE id = 3"),
            (
                13,
                "SELECT satisfies_hash_partition('hashed'::regclass, 2, 0, 7)",
            ),
            (
                13,
                "SELECT pg_get_partition_constraintdef('listed_rest'::regclass)",
            ),
            (13, "SELECT * FROM over_split"),
        ],
        harmless: &[
            "SELECT * FROM plain_split WHERE id = '3'",
            "SELECT * FROM plain",
        ],
    },
    Family {
        name: "indexes",
        covers: &[
            "pg_index.indclass",
            "pg_opclass.opcfamily",
            "pg_amproc.amprocfamily",
        ],
        before: "SET LOCAL enable_seqscan = off",
        statements: &[
            (13, "SELECT v FROM worded WHERE v LIKE '99%'"),
            (13, "SELECT v FROM worded WHERE v ~ '^99'"),
            (13, "SELECT v FROM worded WHERE v ^@ '99'"),
            (14, "SELECT v FROM worded WHERE starts_with(v, '99')"),
            (13, "SELECT v FROM worded WHERE v = '99'"),
            (13, "SELECT count(*) FROM words_seen WHERE v LIKE '99%'"),
        ],
        harmless: &["SELECT v FROM plain WHERE v LIKE '9%' AND v ~ '^9'"],
    },
    Family {
        name: "stand_ins",
        covers: &["pg_operator.oprcom", "pg_operator.oprnegate"],
        before: "SET LOCAL enable_seqscan = off",
        statements: &[
            (13, "SELECT v FROM numbered WHERE 19999 <~ v"),
            (13, "SELECT v FROM numbered WHERE NOT (v <=~ 19999)"),
            (13, "SELECT v FROM numbered WHERE NOT (19999 >=~ v)"),
            (
                14,
                "SELECT v FROM few WHERE v <>! ALL (ARRAY[1,2,3,4,5,6,7,8,9,10])",
            ),
            (
                14,
                "SELECT v FROM few WHERE v ==! ANY (ARRAY[1,2,3,4,5,6,7,8,9,10])",
            ),
        ],
        harmless: &["SELECT v FROM few WHERE v NOT IN (1,2,3,4,5,6,7,8,9,10)"],
    },
    Family {
        name: "type_names",
        covers: &[],
        before: "",
        statements: &[
            (13, "SELECT 'x.mt(5)'::regtype"),
            (13, "SELECT n::regtype FROM names"),
            (13, "SELECT CAST('{x.mt(5)}' AS regtype[])"),
            (13, "SELECT to_regtype('x.mt(5)')"),
            (17, "SELECT to_regtypemod('x.mt(5)')"),
            (13, "SELECT regtypein('x.mt(5)')"),
            (13, "SELECT to_regprocedure('x.f(x.mt(5))')"),
            (13, "SELECT 'x.f(x.mt(5))'::regprocedure"),
            (13, "SELECT regprocedurein('x.f(x.mt(5))')"),
            (13, "SELECT to_regoperator('+(x.mt(5),integer)')"),
            (13, "SELECT '+(x.mt(5),integer)'::regoperator"),
            (13, "SELECT regoperatorin('+(x.mt(5),integer)')"),
            (13, "SELECT has_type_privilege('x.mt(5)', 'usage')"),
            (
                13,
                "SELECT has_type_privilege('postgres', 'x.mt(5)', 'usage')",
            ),
            (13, "SELECT has_type_privilege(10, 'x.mt(5)', 'usage')"),
            (
                13,
                "SELECT has_function_privilege('x.f(x.mt(5))', 'execute')",
            ),
            (
                13,
                "SELECT pg_get_object_address('type', '{x.mt(5)}', '{}')",
            ),
            (
                13,
                "SELECT pg_get_object_address('function', '{x,f}', '{x.mt(5)}')",
            ),
            (
                13,
                "SELECT pg_get_object_address('cast', '{x.mt(5)}', '{integer}')",
            ),
            (16, "SELECT pg_input_is_valid('1', 'x.mt(5)')"),
            (16, "SELECT pg_input_is_valid('x.mt(5)', 'regtype')"),
            (
                16,
                "SELECT * FROM pg_input_error_info('x.mt(5)', 'regtype')",
            ),
            (
                13,
                "SELECT * FROM json_to_record('{\"a\":\"x.mt(5)\"}') AS r(a regtype)",
            ),
            (13, "SELECT COALESCE(NULL::regtype, 'x.mt(5)')"),
            (
                13,
                "SELECT CASE WHEN 1 > random() THEN 'x.mt(5)' ELSE pg_typeof(1) END",
            ),
            (13, "SELECT pg_typeof(1) UNION ALL SELECT 'x.mt(5)'"),
            (13, "SELECT * FROM names_read"),
            (
                13,
                "SELECT typname FROM pg_type WHERE oid = 'x.mt(5)'::regtype",
            ),
            (13, "SELECT col_description('x.mt(5)'::regtype, 1)"),
        ],
        harmless: &[
            "SELECT 'pg_class'::regclass, to_regclass('pg_class')",
            "SELECT n FROM names",
            "SELECT t FROM names_taken",
            "SELECT 'integer'::regtype, to_regtype('numeric(10,2)'), pg_typeof(1)",
            "SELECT prorettype::regtype, oid::regprocedure FROM pg_proc",
            "SELECT typname FROM pg_type WHERE oid = 23",
        ],
    },
    Family {
        name: "printing",
        covers: &["pg_type.typmodout", "pg_type.typoutput"],
        before: "",
        statements: &[
            (
                13,
                "SELECT format_type(atttypid, atttypmod) FROM pg_attribute \
                  WHERE attrelid = 'modified'::regclass AND attname = 'a'",
            ),
            (13, "SELECT pg_get_viewdef('seen'::regclass)"),
            (
                13,
                "SELECT definition FROM pg_views WHERE viewname = 'seen'",
            ),
            (
                13,
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'c'",
            ),
            (13, "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef"),
            (13, "SELECT pg_get_indexdef('own_partial'::regclass)"),
            (
                13,
                "SELECT indexdef FROM pg_indexes WHERE indexname = 'own_partial'",
            ),
            (
                13,
                "SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname = 'with_default'",
            ),
            (
                13,
                "SELECT pg_get_function_arguments(oid) FROM pg_proc WHERE proname = 'with_default'",
            ),
            (
                13,
                "SELECT pg_get_function_arg_default(oid, 2) FROM pg_proc \
                  WHERE proname = 'with_default'",
            ),
            (
                14,
                "SELECT pg_get_function_sqlbody(oid) FROM pg_proc WHERE proname = 'with_body'",
            ),
            (
                13,
                "SELECT column_default FROM information_schema.columns WHERE table_name = 'owned'",
            ),
            (
                13,
                "SELECT pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = 'seen'::regclass",
            ),
            (
                13,
                "SELECT most_common_vals FROM pg_stats WHERE tablename = 'owned'",
            ),
            (
                13,
                "SELECT stavalues1 FROM pg_statistic WHERE starelid = 'owned'::regclass AND staattnum = 2",
            ),
            (
                13,
                "SELECT m.* FROM pg_statistic_ext_data, pg_mcv_list_items(stxdmcv) AS m",
            ),
            (
                14,
                "SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxname = 'own_expr'",
            ),
            (
                14,
                "SELECT pg_get_statisticsobjdef_expressions(oid) FROM pg_statistic_ext \
                  WHERE stxname = 'own_expr'",
            ),
            (13, "SELECT pg_get_partkeydef('keyed'::regclass)"),
            (
                13,
                "SELECT pg_get_partition_constraintdef('keyed_1'::regclass)",
            ),
            (
                13,
                "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgname = 'own_trigger'",
            ),
        ],
        harmless: &[
            "SELECT a FROM plain",
            "SELECT relname, obj_description(oid) FROM pg_class",
            "SELECT table_name FROM information_schema.tables",
            "SELECT array_append(ARRAY[1, 2], 3)",
        ],
    },
    Family {
        name: "estimators",
        covers: &["pg_operator.oprrest", "pg_operator.oprjoin"],
        before: "",
        statements: &[
            (13, "SELECT * FROM t WHERE a ==? 5"),
            (13, "EXPLAIN SELECT * FROM t WHERE a ==? 5"),
            (13, "SELECT 1 FROM t JOIN t AS u ON t.a ==?? u.a"),
            (13, "SELECT * FROM t WHERE NOT (a <>? 5)"),
        ],
        harmless: &["SELECT * FROM t WHERE a = 5"],
    },
    Family {
        name: "supported",
        covers: &["pg_proc.prosupport"],
        before: "",
        statements: &[
            (13, "SELECT supported(a) FROM t"),
            (13, "SELECT * FROM supported_rows(1)"),
            (13, "SELECT @@@ a FROM t"),
            (13, "EXPLAIN SELECT supported(a) FROM t"),
            (13, "SELECT * FROM supported_view"),
        ],
        harmless: &["SELECT unsupported(a) FROM t"],
    },
    Family {
        name: "text_search",
        covers: &[
            "pg_ts_config.cfgparser",
            "pg_ts_config_map.mapcfg",
            "pg_ts_config_map.mapdict",
            "pg_ts_dict.dicttemplate",
            "pg_ts_parser.prsend",
            "pg_ts_parser.prsheadline",
            "pg_ts_parser.prslextype",
            "pg_ts_parser.prsstart",
            "pg_ts_parser.prstoken",
            "pg_ts_template.tmplinit",
            "pg_ts_template.tmpllexize",
        ],
        before: "SET LOCAL default_text_search_config = 'worded'",
        statements: &[
            (13, "SELECT ts_lexize('words', 'a')"),
            (13, "SELECT to_tsvector('worded', 'a b')"),
            (13, "SELECT to_tsvector('a b')"),
            (13, "SELECT to_tsquery('worded', 'a')"),
            (13, "SELECT plainto_tsquery('worded', 'a')"),
            (13, "SELECT phraseto_tsquery('worded', 'a')"),
            (13, "SELECT websearch_to_tsquery('worded', 'a')"),
            (13, "SELECT ts_headline('worded', 'a b', 'a'::tsquery)"),
            (13, "SELECT * FROM ts_debug('worded', 'a')"),
            (
                13,
                "SELECT json_to_tsvector('worded', '{\"a\":\"b\"}', '\"all\"')",
            ),
            (
                13,
                "SELECT jsonb_to_tsvector('worded', '{\"a\":\"b\"}', '\"all\"')",
            ),
            (13, "SELECT v @@ 'a' FROM docs"),
            (13, "SELECT v @@ 'a'::tsquery FROM docs"),
            (13, "SELECT ts_token_type('parser')"),
            (13, "SELECT ts_parse('parser', 'a b')"),
            (13, "SELECT to_tsvector('parsed', 'a b')"),
        ],
        harmless: &[
            "SELECT 'a b'::tsvector @@ 'a'::tsquery",
            "SELECT v FROM docs",
        ],
    },
    Family {
        name: "conversions",
        covers: &["pg_conversion.conproc"],
        before: "SET LOCAL search_path = own, pg_catalog",
        statements: &[
            (13, "SELECT convert_from('a', 'LATIN1')"),
            (13, "SELECT convert_to('a', 'LATIN1')"),
            (13, "SELECT convert('a', 'LATIN1', 'UTF8')"),
        ],
        harmless: &["SELECT upper('é'), encode('a'::bytea, 'base64')"],
    },
    Family {
        name: "wrappers",
        covers: &[
            "pg_foreign_data_wrapper.fdwhandler",
            "pg_foreign_server.srvfdw",
        ],
        before: "",
        statements: &[
            (
                13,
                "SELECT * FROM information_schema.tables WHERE table_name = 'away'",
            ),
            (
                13,
                "SELECT is_updatable FROM information_schema.columns WHERE table_name = 'away'",
            ),
            (
                13,
                "SELECT pg_relation_is_updatable('away'::regclass, false)",
            ),
            (
                13,
                "SELECT pg_column_is_updatable('away'::regclass, 1::smallint, false)",
            ),
            (13, "SELECT * FROM away"),
        ],
        harmless: &[
            "SELECT relname FROM pg_class WHERE relkind = 'f'",
            "SELECT * FROM t",
        ],
    },
    Family {
        name: "access_methods",
        covers: &["pg_am.amhandler", "pg_class.relam", "pg_amop.amopmethod"],
        before: "",
        statements: &[
            (13, "SELECT a FROM indexed"),
            (13, "SELECT a FROM kept"),
            (18, "SELECT 1 FROM plain x JOIN plain y ON x.a = y.a"),
            (
                13,
                "SELECT pg_indexam_has_property(oid, 'can_order') FROM pg_am WHERE amname = 'own'",
            ),
            (
                13,
                "SELECT pg_index_has_property('indexed_own'::regclass, 'clusterable')",
            ),
            (
                13,
                "SELECT pg_index_column_has_property('indexed_own'::regclass, 1, 'asc')",
            ),
            (
                13,
                "SELECT amvalidate(oid) FROM pg_opclass WHERE opcname = 'money_own'",
            ),
            (13, "SELECT pg_relation_size('kept'::regclass)"),
            (13, "SELECT pg_table_size('kept'::regclass)"),
            (13, "SELECT pg_indexes_size('indexed'::regclass)"),
            (13, "SELECT pg_total_relation_size('kept'::regclass)"),
            (13, "SELECT pg_get_indexdef('indexed_own'::regclass)"),
        ],
        harmless: &[
            "SELECT n FROM plain WHERE n = 5",
            "SELECT relname FROM pg_class",
        ],
    },
    Family {
        name: "classes",
        covers: &["pg_amop.amopfamily", "pg_amop.amopopr", "pg_amproc.amproc"],
        before: "",
        statements: &[
            (13, "SELECT DISTINCT at FROM points"),
            (13, "SELECT at FROM points ORDER BY at"),
            (13, "SELECT at, count(*) FROM points GROUP BY at"),
        ],
        harmless: &["SELECT 1 AS one UNION SELECT 2"],
    },
    Family {
        name: "levels",
        covers: &[],
        before: "SET LOCAL constraint_exclusion = on",
        statements: &[
            (13, "SELECT * FROM proved WHERE a < 5"),
            (13, "SELECT * FROM leaf WHERE b < 5"),
        ],
        harmless: &["SELECT * FROM unproved WHERE a < 5"],
    },
];
