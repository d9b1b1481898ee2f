-- The same, written beside them and tried when what is above was refused.
SELECT NULLIF(OID, 1259::regclass)
SELECT NULLIF(1259::regclass, OID)
SELECT s.x FROM (SELECT OID::regclass AS x) s
SELECT max(OID::regclass::text)
SELECT string_agg(OID::regclass::text, ',')
SELECT DISTINCT OID::regclass
SELECT OID::regclass ORDER BY 1
SELECT 1 FROM pg_class GROUP BY OID::regclass HAVING OID::regclass::text LIKE '%'
SELECT OID::regclass || ''
SELECT quote_ident(OID::regclass::text)
SELECT upper(OID::regclass::varchar)
SELECT OID::regclass::name
SELECT to_json(OID::regclass)
SELECT to_jsonb(OID::regtype)
SELECT xmlelement(name x, OID::regclass)
SELECT xmlforest(OID::regclass AS y)
SELECT jsonb_build_object('k', OID::regclass)
SELECT encode(textsend(OID::regclass::text), 'escape')
SELECT regclassout(OID)
SELECT regclassout(OID::regclass)
SELECT regprocout(OID)
SELECT regtypeout(OID::oid::regtype)
SELECT regclassin('OID')
SELECT regclass_in('OID')
SELECT record_in('(OID)', 'pg_aggregate'::regtype, -1)
SELECT array_in('{OID}', 2205, -1)
SELECT domain_in('OID', 2205, -1)
SELECT array_replace(ARRAY[1259::regclass], 1259, OID)
SELECT array_prepend(OID, ARRAY[1259::regclass])
SELECT array_cat(ARRAY[1259::regclass], ARRAY[OID])
SELECT ARRAY[1259::regclass] || OID
SELECT ARRAY[1259::regclass] || '{OID}'
SELECT array_fill(OID, ARRAY[1]) || ARRAY[1259::regclass]
SELECT first_value(x) OVER () FROM (VALUES (OID), (1259::regclass)) v(x)
SELECT percentile_disc(0) WITHIN GROUP (ORDER BY x) FROM (SELECT OID::regclass::text) s(x)
SELECT mode() WITHIN GROUP (ORDER BY OID::regclass)
WITH RECURSIVE r(x) AS (SELECT 1259::regclass UNION ALL SELECT OID::oid FROM r WHERE x = 1259) SELECT * FROM r
WITH RECURSIVE r(x) AS (SELECT 1259::regclass UNION ALL SELECT 'OID' FROM r WHERE x = 1259) SELECT * FROM r
SELECT 1259::regclass INTERSECT SELECT OID
SELECT OID EXCEPT SELECT 1259::regclass
SELECT 1::regclass UNION SELECT NULL UNION SELECT OID
SELECT x FROM unnest(ARRAY[OID]::oid[]::regclass[]) x
SELECT unnest('OID'::oidvector::oid[]::regclass[])
SELECT 'OID'::oidvector::regclass[]
SELECT x::regproc FROM unnest('OID'::oidvector) x
SELECT (ROW(OID::regclass)).*
SELECT (s).f1 FROM (SELECT ROW(OID::regclass)) s(s)
SELECT * FROM ROWS FROM (json_to_record('{"a": "OID"}') AS (a regclass))
SELECT * FROM jsonb_populate_recordset(NULL::pg_catalog.pg_aggregate, '[{"aggfnoid": "OID"}]')
SELECT * FROM json_populate_recordset((SELECT a FROM pg_aggregate a LIMIT 1), '[{"aggfnoid": "OID"}]')
SELECT * FROM pg_partition_tree(OID)
SELECT pg_partition_root(OID)
SELECT pg_partition_ancestors(OID)
SELECT pg_get_replica_identity_index(OID)
SELECT pg_filenode_relation(0, OID)
SELECT pg_get_partkeydef(OID)
SELECT pg_get_partition_constraintdef(OID)
SELECT pg_get_function_arg_default(OID, 1)
SELECT pg_get_function_arguments(p.oid) FROM pg_proc p WHERE p.proname LIKE '%hidden'
SELECT pg_get_statisticsobjdef_columns(OID)
SELECT pg_get_statisticsobjdef_expressions(OID)
SELECT row_security_active(OID)
SELECT row_security_active('NAME')
SELECT pg_index_column_has_property(OID, 1, 'asc')
SELECT pg_column_is_updatable(OID, 1::int2, true)
SELECT pg_relation_is_updatable(OID, true)
SELECT pg_stat_get_numscans(OID)
SELECT pg_table_is_visible(OID)
SELECT pg_nextoid(OID, 'x', OID)
SELECT nextval(OID)
SELECT lastval()
SELECT setval(OID, 1)
SELECT pg_sequence_last_value(OID)
SELECT pg_get_viewdef((SELECT OID))
SELECT pg_get_viewdef(x) FROM generate_series(OID, OID) x
SELECT pg_get_viewdef(CASE WHEN random() < 2 THEN OID END)
SELECT pg_catalog.pg_get_viewdef(pg_catalog.to_regclass('NAME'))
SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c
SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i
SELECT pg_get_indexdef(indexrelid, 1, true) FROM pg_index
SELECT pg_get_triggerdef(oid) FROM pg_trigger
SELECT pg_get_ruledef(oid) FROM pg_rewrite
SELECT pg_get_viewdef(oid) FROM pg_class
SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef
SELECT adbin::text FROM pg_attrdef
SELECT ev_action::text FROM pg_rewrite
SELECT polqual::text FROM pg_policy
SELECT conbin::text, conname FROM pg_constraint
SELECT oid::regclass, oid::regclass::text FROM pg_class
SELECT oid::regproc, oid::regprocedure FROM pg_proc WHERE oid >= 16384
SELECT oid::regtype FROM pg_type
SELECT objid::regclass, refobjid::regclass, objid::regproc FROM pg_depend
SELECT conrelid::regclass, confrelid::regclass FROM pg_constraint
SELECT pg_describe_object(classid, objid, objsubid), pg_describe_object(refclassid, refobjid, refobjsubid) FROM pg_depend
SELECT relation::regclass FROM pg_locks
SELECT attrelid::regclass, attname, attnum FROM pg_attribute
SELECT setconfig FROM pg_db_role_setting
SELECT proconfig, proargdefaults::text, probin FROM pg_proc WHERE proconfig IS NOT NULL
SELECT tgargs, tgname, encode(tgargs, 'escape') FROM pg_trigger
SELECT stxname FROM pg_statistic_ext
SELECT oprname, oprcode FROM pg_operator WHERE oid >= 16384
SELECT amproc FROM pg_amproc
SELECT typinput, typname, typdefault FROM pg_type WHERE oid >= 16384
SELECT enumlabel FROM pg_enum
SELECT * FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
SELECT * FROM information_schema.check_constraints
SELECT * FROM information_schema.triggers
SELECT * FROM information_schema.view_table_usage
SELECT * FROM information_schema.view_column_usage
SELECT * FROM information_schema.element_types
SELECT * FROM information_schema.routine_privileges
SELECT * FROM information_schema.data_type_privileges
SELECT * FROM information_schema._pg_foreign_tables
SELECT * FROM pg_stat_user_indexes
SELECT * FROM pg_statio_all_sequences
SELECT * FROM pg_stat_user_functions
SELECT * FROM pg_indexes
SELECT * FROM pg_policies
SELECT * FROM pg_rules
SELECT * FROM pg_views
SELECT * FROM pg_matviews
SELECT * FROM pg_publication_tables
SELECT has_column_privilege('NAME', 'nothing', 'SELECT')
SELECT has_any_column_privilege(OID, 'SELECT')
SELECT has_type_privilege(OID, 'USAGE')
SELECT pg_typeof(NULL::hoopoe_vault.hoopoe_accounts)
SELECT pg_input_error_info('OID', 'regclass')
SELECT * FROM pg_input_error_info('x', 'hoopoe_vault.hoopoe_mood')
SELECT pg_get_object_address('table', '{hoopoe_vault,hoopoe_accounts}', '{}')
SELECT * FROM pg_get_publication_tables('p')
SELECT pg_options_to_table(ftoptions) FROM pg_foreign_table
SELECT aclexplode(relacl) FROM pg_class
SELECT count(OID::regclass), min(OID::regclass::oid::regclass::text)
SELECT current_schemas(true)
SELECT nspname FROM pg_namespace
SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
SELECT x FROM (SELECT 1259::regclass) a(x) FULL JOIN (SELECT OID) b(x) USING (x)
SELECT x FROM (SELECT 1259::regclass) a(x) FULL JOIN (SELECT OID::oid) b(x) USING (x)
SELECT CASE x WHEN 1 THEN OID::regclass END FROM (SELECT 1) s(x)
SELECT LEAST(OID, 1259::regclass)
SELECT OID::regclass::regclass::oid::regclass
SELECT (OID::oid::regclass).x
SELECT (OID)::regclass::regtype
SELECT CAST(CAST(OID AS regclass) AS text)
SELECT CAST((OID) AS "pg_catalog"."regclass")
SELECT OID::regclass COLLATE "C"
SELECT OID::regclass FROM pg_class, pg_attribute LIMIT 1
SELECT * FROM pg_class WHERE OID::regclass::text LIKE 'c%' OR oid::regclass::text LIKE '%hoopoe%'
SELECT relname FROM pg_class ORDER BY oid::regclass::text
EXPLAIN (FORMAT JSON) SELECT * FROM pg_attribute WHERE attrelid = 'NAME'::regclass
SELECT pg_get_viewdef(OID) AS "a", $$OID$$::regclass
SELECT E'OID'::regclass
