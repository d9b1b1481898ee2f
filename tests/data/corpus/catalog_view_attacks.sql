-- Each way to a name that is hidden. OID is the number of a hidden object, NAME is its name, in turn for every one;
-- what has neither is sent once. No answer may have the word hoopoe in it.
SELECT OID::regclass
SELECT OID::regclass::text
SELECT OID::oid::regclass
SELECT 'OID'::regclass
SELECT CAST('OID' AS regclass)
SELECT (OID)::pg_catalog.regclass
SELECT OID::regproc
SELECT OID::regprocedure
SELECT OID::regtype
SELECT OID::regnamespace
SELECT OID::regoper
SELECT OID::regoperator
SELECT regclass 'OID'
SELECT regclass('OID')
SELECT regclass(OID::oid)
SELECT regtype(OID::oid)
SELECT 'NAME'::regclass
SELECT 'NAME'::regclass::oid::regclass
SELECT to_regclass('NAME')
SELECT to_regtype('NAME')
SELECT to_regnamespace('hoopoe_vault')
SELECT to_regproc('shop.hoopoe_denied')
SELECT to_regprocedure('shop.hoopoe_denied(int)')
SELECT format_type(OID, NULL)
SELECT format_type(OID, -1)
SELECT pg_get_viewdef(OID)
SELECT pg_get_viewdef(OID, true)
SELECT pg_get_viewdef(OID, 80)
SELECT pg_get_viewdef('NAME')
SELECT pg_get_viewdef('shop.view_of_customers'::regclass)
SELECT pg_get_viewdef('shop.view_of_hidden')
SELECT pg_get_viewdef('shop.view_of_function'::regclass, true)
SELECT pg_get_indexdef(OID)
SELECT pg_get_indexdef(OID, 1, true)
SELECT pg_get_constraintdef(OID)
SELECT pg_get_constraintdef(OID, true)
SELECT pg_get_triggerdef(OID)
SELECT pg_get_ruledef(OID)
SELECT pg_get_statisticsobjdef(OID)
SELECT pg_get_functiondef(OID)
SELECT pg_get_function_arguments(OID)
SELECT pg_get_function_identity_arguments(OID)
SELECT pg_get_function_result(OID)
SELECT pg_get_function_sqlbody(OID)
SELECT pg_get_functiondef('shop.shown'::regproc)
SELECT oidvectortypes('OID')
SELECT oidvectortypes('23 OID')
SELECT pg_describe_object('pg_class'::regclass, OID, 0)
SELECT pg_describe_object('pg_class'::regclass, OID, 1)
SELECT pg_describe_object(1255, OID, 0)
SELECT pg_describe_object(1247, OID, 0)
SELECT pg_describe_object(2606, OID, 0)
SELECT pg_describe_object(2615, OID, 0)
SELECT pg_describe_object(2618, OID, 0)
SELECT pg_describe_object(2620, OID, 0)
SELECT pg_identify_object(1259, OID, 0)
SELECT * FROM pg_identify_object(1259, OID, 0)
SELECT * FROM pg_identify_object_as_address(1259, OID, 0)
SELECT obj_description(OID)
SELECT obj_description(OID, 'pg_class')
SELECT obj_description(OID, 'pg_proc')
SELECT obj_description(OID, 'pg_namespace')
SELECT col_description(OID, 1)
SELECT col_description('shop.customers'::regclass, 3)
SELECT has_column_privilege(OID, 'nothing', 'SELECT')
SELECT has_sequence_privilege(OID, 'USAGE')
SELECT has_table_privilege(OID, 'SELECT')
SELECT has_function_privilege(OID, 'EXECUTE')
SELECT pg_sequence_parameters(OID)
SELECT * FROM pg_sequence_parameters(OID)
SELECT pg_relation_size(OID)
SELECT pg_relation_filepath(OID)
SELECT currval(OID)
SELECT pg_get_serial_sequence('shop.orders', 'hoopoe_account')
SELECT pg_get_expr(adbin, OID) FROM pg_attrdef
SELECT pg_get_expr(adbin, 'shop.customers'::regclass) FROM pg_attrdef
SELECT pg_get_expr(indpred, indrelid) FROM pg_index
SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint
SELECT pg_get_expr(polqual, polrelid) FROM pg_policy
SELECT array_agg(x) FROM (SELECT OID::regclass) s(x)
SELECT json_agg(OID::regclass)
SELECT row(OID::regclass)
SELECT row_to_json(row(OID::regclass))
SELECT format('%s', OID::regclass)
SELECT concat(OID::regclass)
SELECT ARRAY[OID]::regclass[]
SELECT '{OID}'::regclass[]
SELECT ARRAY[1259::regclass, OID]
SELECT ARRAY[1259::regclass, 'OID']
SELECT CASE WHEN true THEN OID ELSE 1259::regclass END
SELECT CASE WHEN true THEN 'OID' ELSE 1259::regclass END
SELECT COALESCE(OID, 1259::regclass)
SELECT COALESCE('OID', 1259::regclass)
SELECT COALESCE('OID', aggfnoid) FROM pg_aggregate LIMIT 1
SELECT GREATEST('OID', 1259::regclass)
SELECT 1259::regclass UNION ALL SELECT OID
SELECT 1259::regclass UNION ALL SELECT 'OID'
SELECT * FROM (VALUES (1259::regclass), (OID)) v(x)
SELECT * FROM (VALUES (1259::regclass), ('OID')) v(x)
SELECT CASE WHEN true THEN OID ELSE s.x END FROM (SELECT 1259::regclass AS x) s
SELECT CASE WHEN true THEN OID ELSE aggfnoid END FROM pg_aggregate LIMIT 1
SELECT lag(aggfnoid, 1, 'OID') OVER () FROM pg_aggregate LIMIT 1
SELECT lag(aggfnoid, 1, OID) OVER () FROM pg_aggregate LIMIT 1
SELECT array_append(ARRAY[1259::regclass], OID)
SELECT array_append(ARRAY[1259::regclass], 'OID')
SELECT array_fill('OID'::regclass, ARRAY[1])
SELECT * FROM json_to_record('{"a": "OID"}') AS x(a regclass)
SELECT * FROM json_to_recordset('[{"a": "OID"}]') AS x(a regproc)
SELECT * FROM jsonb_to_record('{"a": OID}') AS x(a regtype)
SELECT json_populate_record(NULL::pg_aggregate, '{"aggfnoid": "OID"}')
SELECT json_populate_record(a, '{"aggfnoid": "OID"}') FROM pg_aggregate a LIMIT 1
SELECT * FROM xmltable('/r' PASSING '<r a="OID"/>' COLUMNS a regclass PATH '@a')
SELECT ('(OID,n,0,-,-,-,-,-,-,-,f,f,r,r,0,0,0,0,,)'::pg_aggregate).aggfnoid
SELECT ROW(OID, 'n')::pg_aggregate
PREPARE q(regclass) AS SELECT $1
PREPARE q AS SELECT $1::regclass
EXECUTE q(OID)
EXECUTE q(OID::regclass)
SELECT 'hoopoe_vault.hoopoe_accounts'::regclass::int + 0
SELECT (OID + (random() * 0)::int)::regclass
SELECT (SELECT OID)::regclass
SELECT x::regclass FROM generate_series(OID, OID) x
SELECT (ARRAY[OID])[1]::regclass
SELECT (CASE WHEN true THEN OID END)::regclass
SELECT -(-OID)::regclass
SELECT OID ::  regclass
SELECT OID /* ) */ :: -- )
 regclass
SELECT CAST(OID /* AS */ AS regclass)
SELECT U&"regclass"(OID)
SELECT OID::"regclass"
SELECT OID::PG_CATALOG.REGCLASS
SELECT relname FROM shop.view_of_class
SELECT * FROM pg_stats
SELECT relname::int FROM pg_class
SELECT relname::int FROM pg_class WHERE oid = OID
SELECT 1 / (CASE WHEN relname LIKE 'hoopoe%' THEN 0 ELSE 1 END), relname FROM pg_class
SELECT c.relname FROM pg_class c WHERE c.relname::text::xml IS NOT NULL
SELECT attname FROM pg_attribute WHERE attrelid = OID
SELECT attname FROM pg_attribute WHERE attrelid = 'shop.customers'::regclass
SELECT proname, prosrc FROM pg_proc WHERE oid = OID
SELECT typname FROM pg_type WHERE oid = OID OR typrelid = OID
SELECT conname FROM pg_constraint WHERE oid = OID OR conrelid = OID OR confrelid = OID
SELECT nspname FROM pg_namespace WHERE oid = OID
SELECT description FROM pg_description WHERE objoid = OID
SELECT query_to_xml('SELECT relname FROM pg_class', true, false, '')
SELECT table_to_xml('pg_class', true, false, '')
SELECT schema_to_xml('hoopoe_vault', true, false, '')
SELECT database_to_xmlschema(true, false, '')
EXPLAIN VERBOSE SELECT * FROM pg_class WHERE oid = 'NAME'::regclass
COPY pg_class TO STDOUT
COPY (SELECT OID::regclass) TO STDOUT
DECLARE c CURSOR WITH HOLD FOR SELECT relname FROM pg_class
FETCH ALL FROM c
TABLE pg_class
WITH w AS (SELECT * FROM pg_class) SELECT * FROM w
WITH pg_class AS (SELECT 1 AS relname) SELECT * FROM pg_catalog.pg_class
SELECT pg_class FROM pg_class
SELECT c::text FROM pg_catalog.pg_class AS c
SELECT * FROM ONLY pg_class
SELECT * FROM pg_class TABLESAMPLE bernoulli (100)
SELECT (pg_class).relname FROM pg_class
SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class
