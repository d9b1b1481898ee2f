//! What runs and what is refused where the catalogs show what the policy shows.

use std::borrow::Cow;

use crate::rules::check::{gate, path_of, session_of};
use crate::{Gate, ParameterTypes, Rule, SessionNames, Verdict};
use catalog::fixture::CatalogFixture;
use policy::Policy;

fn session() -> (Gate, SessionNames) {
    let catalog = CatalogFixture::new(15)
        .schema("shop")
        .table("shop.orders", "id int4, secret text, total numeric")
        .table("shop.hidden", "id int4")
        .view("shop.v", "id int4", &["shop.orders"])
        .view("shop.reader", "relname name", &["pg_class"])
        .view("shop.reader_of_reader", "relname name", &["shop.reader"])
        .build();
    let policy = "name: view\nextends: bi\ncatalog_view: policy\n\
                  relations: {deny: [shop.hidden]}\ncolumns: {deny: ['*.*.secret']}";
    let policy = Policy::from_yaml(policy).unwrap_or_else(|wrong| panic!("{wrong:#?}"));
    let policy = policy.for_judging();
    let mut names = session_of(catalog, &policy);
    names.set_paths(path_of(&["shop"]));
    (gate(policy), names)
}

fn runs(text: &str, (gate, names): &(Gate, SessionNames)) -> Result<String, (Rule, String)> {
    let judgement = gate.judge(Cow::Borrowed(text), names);
    match &judgement.verdict {
        Verdict::Refused(refusal) => Err((refusal.rule, refusal.message.to_string())),
        Verdict::Clamped(clamp) => Ok(clamp.text.clone()),
        Verdict::Permitted(permit) => Ok(permit.text().to_owned()),
    }
}

#[test]
fn every_row_of_the_lists_fits_a_database() {
    let (_, names) = session();
    let effect_graph = names.effect_graph().unwrap();
    let wrong: Vec<_> = effect_graph.model_problems().collect();
    assert_eq!(wrong, []);
}

#[test]
fn what_is_served_runs() {
    let session = session();
    for text in [
        "SELECT 1",
        "SELECT $1::regclass, $2",
        "SELECT pg_catalog.pg_partition_ancestors('1259') UNION ALL VALUES ('1259'::regclass)",
        "SELECT pg_typeof(total) FROM shop.orders",
        "SELECT * FROM pg_class",
        "TABLE pg_catalog.pg_attribute",
        "SELECT c.oid::regclass FROM pg_class c",
        "SELECT c.relname FROM pg_catalog.pg_class c WHERE c.oid = 'shop.orders'::regclass",
        "SELECT CAST(c.oid AS pg_catalog.regclass)::text FROM pg_class c",
        "SELECT a.atttypid::regtype::text, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a",
        "SELECT pg_get_expr(d.adbin, d.adrelid, true) FROM pg_attrdef d",
        "SELECT pg_catalog.pg_get_viewdef('shop.v'::regclass, true)",
        "SELECT * FROM information_schema.columns",
        "COPY pg_class TO STDOUT",
        "SELECT obj_description(c.oid, 'pg_class') FROM pg_class c",
        "SELECT count(*), max(c.oid) FROM pg_class c",
        "EXPLAIN SELECT * FROM pg_class",
        "SELECT id FROM shop.orders",
    ] {
        let found = runs(text, &session);
        assert!(found.is_ok(), "{text}: {found:?}");
    }
}

#[test]
fn parameters_without_types_are_served() {
    let (gate, names) = session();
    for text in [
        "SELECT relname FROM pg_class WHERE oid = $1::regclass",
        "SELECT 1 FROM pg_attribute WHERE CAST($1 AS regclass) = attrelid AND attnum > $2",
        "SELECT d.objoid FROM pg_class c JOIN pg_description d ON d.classoid = $1::regclass",
        "SELECT typname FROM pg_type WHERE oid = CAST($1 AS regtype) AND typname = $2",
        "SELECT proname FROM pg_proc WHERE oid IN ($1::regproc, $2::regprocedure)",
        "SELECT objoid FROM pg_description WHERE objoid = $2 AND classoid = CAST($1 AS REGCLASS)",
    ] {
        for text in [text.to_owned(), format!("PREPARE p AS {text}")] {
            let parameters = ParameterTypes::given([0, 0]);
            let judgement = gate.judge_with(Cow::Owned(text.clone()), &parameters, &names);
            let runs = match &judgement.verdict {
                Verdict::Refused(refusal) => panic!("{text}: {}", refusal.message),
                Verdict::Clamped(clamp) => clamp.text.clone(),
                Verdict::Permitted(permit) => permit.text().to_owned(),
            };
            // A parameter that is cast at once would be of that type wherever it stands.
            let runs = runs.to_lowercase();
            for cast in [
                "$1::reg",
                "$1 as reg",
                "$1 as pg_catalog.reg",
                "($1) as pg_catalog.reg",
            ] {
                assert!(!runs.contains(cast), "{text}: {runs}");
            }
        }
    }
}

#[test]
fn what_would_name_the_hidden_is_refused() {
    let session = session();
    for text in [
        "SELECT relname FROM shop.reader",
        "SELECT relname FROM shop.reader_of_reader",
        "SELECT * FROM pg_file_settings",
        "SELECT ARRAY[1]::regclass[]",
        "SELECT '{1}'::pg_catalog._regclass",
        "SELECT CASE WHEN true THEN 16400 ELSE 1::regclass END",
        "SELECT COALESCE(1::regclass, 16400)",
        "SELECT COALESCE('16400', 1::regclass)",
        "SELECT 1::regclass UNION ALL SELECT 16400",
        "SELECT 1::regclass UNION ALL SELECT '16400'",
        "VALUES (1::regclass), (16400)",
        "SELECT GREATEST('16400', typinput) FROM pg_type",
        "SELECT CASE WHEN true THEN '16400' ELSE typinput END FROM pg_type",
        "SELECT CASE WHEN true THEN 16400 ELSE s.x END FROM (SELECT 1259::regclass AS x) s",
        "SELECT ARRAY[1::regclass, 16400]",
        "SELECT array_append(ARRAY[1::regclass], '16400')",
        "SELECT array_append(ARRAY[1::regclass], 16400)",
        "SELECT lag(typinput, 1, '16400') OVER () FROM pg_type",
        "SELECT x.a FROM json_to_record('{\"a\": 16400}') AS x(a regclass)",
        "SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS a regclass PATH '.')",
        "SELECT regclass '16400'",
        "SELECT regclass(16400)",
        "SELECT regclassin('16400')",
        "SELECT (NULL::pg_aggregate).aggfnoid",
        "SELECT json_populate_record(a, '{\"aggfnoid\": 16400}') FROM pg_aggregate a",
        "SELECT json_populate_record(NULL::pg_aggregate, '{\"aggfnoid\": 16400}')",
        "SELECT pg_filenode_relation(0, 1)",
        "SELECT pg_identify_object(1259, 16400, 0)",
        "SELECT has_column_privilege(16400, 'x', 'SELECT')",
        "SELECT * FROM pg_partition_tree(16400)",
        "SELECT pg_relation_size(VARIADIC ARRAY[1])",
        "SELECT array_agg($1::regclass), CASE WHEN true THEN $1 ELSE typinput END FROM pg_type",
        "PREPARE p(regclass) AS SELECT $1",
        "EXPLAIN ANALYZE SELECT * FROM pg_class",
        "SELECT (16400).regclass",
        "SELECT obj_description(16400)",
        "SELECT * FROM pg_class c, LATERAL (SELECT c.oid::regclass UNION SELECT 16400) s",
    ] {
        let found = runs(text, &session);
        assert!(found.is_err(), "{text}: {found:?}");
    }
}
