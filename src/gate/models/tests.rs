//! Models in texts: where they are put, where they are refused, and what is left alone.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cache::JudgementCache;
use crate::rules::check::{agent_with, gate, path_of, rule_of, session_of};
use crate::{Gate, Rule, SearchPaths, SessionNames, SessionValues, Verdict};
use catalog::fixture::CatalogFixture;
use ground::limits::MODEL_PATHS_KEPT_MAX;
use ground::sqlstate;
use policy::model::ModelPiece;
use policy::{Policy, PolicyModel, SessionValue};

/// Models that are no relations.
const NEW: [&str; 1] = ["regions"];

fn model(name: &str, pieces: &[ModelPiece]) -> PolicyModel {
    let (schema, name) = name.split_once('.').unwrap();
    PolicyModel {
        schema: schema.into(),
        name: name.into(),
        pieces: pieces.to_vec(),
        is_new: NEW.contains(&name),
        ..PolicyModel::default()
    }
}

fn sql(text: &str) -> ModelPiece {
    ModelPiece::Sql(text.into())
}

fn tenant() -> ModelPiece {
    ModelPiece::Value(SessionValue::Setting("app.tenant".into()))
}

fn models() -> Vec<PolicyModel> {
    vec![
        model(
            "shop.customers",
            &[
                sql("SELECT id, left(email, 2) AS email FROM customers WHERE tenant = "),
                tenant(),
            ],
        ),
        model(
            "shop.regions",
            &[sql("SELECT DISTINCT region FROM plain c")],
        ),
        model("shop.Items", &[sql("SELECT id FROM \"Items\"")]),
        model("shop.events", &[sql("SELECT id FROM shop.events")]),
        model("shop.y2024", &[sql("SELECT id FROM shop.y2024")]),
        model("shop.user", &[sql("SELECT id FROM \"user\"")]),
    ]
}

fn shop() -> CatalogFixture {
    let columns = "id int4, region text, email text, tenant text";
    CatalogFixture::new(15)
        .schema("shop")
        .schema("other")
        .table("shop.customers", columns)
        .table("other.customers", columns)
        .table("shop.customersx", columns)
        .table("shop.plain", columns)
        .table("shop.Items", "id int4, secret text")
        .table("other.regions", "region text")
        .table("shop.events", "id int4, secret text")
        .table("shop.e1", "id int4, secret text")
        .child("shop.e1", "shop.events")
        .table("shop.years", "id int4")
        .table("shop.y2024", "id int4")
        .child("shop.y2024", "shop.years")
        .table("shop.user", "id int4, secret text")
        .function("other.left(a text, b int4) text", "immutable")
        .view("shop.v", "id int4", &["shop.customers"])
}

fn session(models: Vec<PolicyModel>) -> (Gate, SessionNames) {
    let policy = Policy::bi().with_models(models);
    let mut names = session_of(shop().build(), &policy);
    names.set_paths(path_of(&["shop"]));
    names.set_values(Arc::new(values(Some("a"))));
    (gate(policy), names)
}

fn values(tenant: Option<&str>) -> SessionValues {
    let mut values = SessionValues::default();
    values.set(SessionValue::Setting("app.tenant".into()), tenant);
    values
}

/// What runs, with `‹name›` for each model's SELECT; or the rule that refuses.
fn runs(gate: &Gate, names: &SessionNames, text: &str) -> Result<String, Rule> {
    let judgement = gate.judge(Cow::Borrowed(text), names);
    match &judgement.verdict {
        Verdict::Refused(refusal) => Err(refusal.rule),
        Verdict::Clamped(clamp) => Ok(clamp.text.clone()),
        Verdict::Permitted(permit) => {
            assert_eq!(permit.original(), text);
            let mut short = permit.text().to_owned();
            for (body, name) in [
                (CUSTOMERS, "‹customers›"),
                (
                    "(SELECT DISTINCT region FROM shop.plain c\n OFFSET 0)",
                    "‹regions›",
                ),
                // Where the statement tells nothing.
                ("(SELECT DISTINCT region FROM shop.plain c\n)", "‹regions›"),
                ("(SELECT id FROM shop.\"Items\"\n)", "‹Items›"),
                ("(SELECT id FROM shop.\"user\"\n)", "‹user›"),
                ("(SELECT id FROM shop.events\n)", "‹events›"),
                ("(SELECT id FROM shop.y2024\n)", "‹y2024›"),
            ] {
                short = short.replace(body, name);
            }
            Ok(short)
        }
    }
}

const CUSTOMERS: &str =
    "(SELECT id, left(email, 2) AS email FROM shop.customers WHERE tenant =  'a' \n OFFSET 0)";

#[track_caller]
fn check((gate, names): &(Gate, SessionNames), text: &str, wanted: &str) {
    assert_eq!(runs(gate, names, text).as_deref(), Ok(wanted), "{text}");
}

#[track_caller]
fn refused((gate, names): &(Gate, SessionNames), text: &str, wanted: Rule) {
    assert_eq!(runs(gate, names, text), Err(wanted), "{text}");
}

#[test]
fn a_model_stands_wherever_its_name_does() {
    let session = session(models());
    for (text, wanted) in [
        (
            "SELECT * FROM customers",
            "SELECT * FROM ‹customers› AS \"customers\"",
        ),
        ("SELECT * FROM customers c", "SELECT * FROM ‹customers› c"),
        (
            "COPY customers TO STDOUT",
            "COPY (SELECT * FROM ‹customers› AS \"customers\") TO STDOUT",
        ),
        (
            "COPY shop . customers /* , */ ( id , \"email\" ) TO STDOUT CSV",
            "COPY (SELECT \"id\", \"email\" FROM ‹customers› AS \"customers\") TO STDOUT CSV",
        ),
        (
            "copy U&\"!0049tems\" UESCAPE '!'(id)to stdout(FORMAT csv, FORCE_QUOTE (id))",
            "copy (SELECT \"id\" FROM ‹Items› AS \"Items\")to stdout(FORMAT csv, FORCE_QUOTE (id))",
        ),
        (
            "COPY regions TO STDOUT",
            "COPY (SELECT * FROM ‹regions› AS \"regions\") TO STDOUT",
        ),
        ("COPY plain TO STDOUT", "COPY plain TO STDOUT"),
        (
            "SELECT * FROM customers AS c (a, b) WHERE a = 1",
            "SELECT * FROM ‹customers› AS c (a, b) WHERE a = 1",
        ),
        (
            "SELECT * FROM shop . /* x */ customers -- y\n;",
            "SELECT * FROM ‹customers› AS \"customers\" -- y\n;",
        ),
        (
            "SELECT id FROM CUSTOMERS * WHERE id + 0 = 1",
            "SELECT id FROM ‹customers› AS \"customers\" WHERE id + 0 = 1",
        ),
        (
            "SELECT 1 FROM \"shop\".\"customers\" \"x y\"",
            "SELECT 1 FROM ‹customers› \"x y\"",
        ),
        (
            "SELECT 1 FROM U&\"cust\\006fmers\", U&\"cust!006fmers\" UESCAPE '!' b",
            "SELECT 1 FROM ‹customers› AS \"customers\", ‹customers› b",
        ),
        (
            "TABLE customers",
            "SELECT * FROM ‹customers› AS \"customers\"",
        ),
        (
            "TABLE shop.customers * UNION ALL TABLE customers LIMIT 3",
            "SELECT * FROM ‹customers› AS \"customers\" UNION ALL \
             SELECT * FROM ‹customers› AS \"customers\" LIMIT 3",
        ),
        (
            "SELECT a.id FROM customers a JOIN customers b USING (id) AS j WHERE a.id IN \
             (SELECT id FROM customers) AND EXISTS (SELECT FROM customers x WHERE x.id = a.id)",
            "SELECT a.id FROM ‹customers› a JOIN ‹customers› b USING (id) AS j WHERE a.id IN \
             (SELECT id FROM ‹customers› AS \"customers\") AND EXISTS (SELECT FROM ‹customers› x \
             WHERE x.id = a.id)",
        ),
        (
            "SELECT * FROM ((plain p LEFT JOIN customers ON p.id = customers.id) CROSS JOIN plain)",
            "SELECT * FROM ((plain p LEFT JOIN ‹customers› AS \"customers\" ON \
             p.id = customers.id) CROSS JOIN plain)",
        ),
        (
            "SELECT * FROM customers, LATERAL (SELECT id FROM customers c WHERE \
             c.id = customers.id FETCH FIRST 1 ROW ONLY) l",
            "SELECT * FROM ‹customers› AS \"customers\", LATERAL (SELECT id FROM ‹customers› c \
             WHERE c.id = customers.id FETCH FIRST 1 ROW ONLY) l",
        ),
        (
            "WITH x AS (SELECT * FROM customers), y AS (TABLE x) SELECT * FROM y",
            "WITH x AS (SELECT * FROM ‹customers› AS \"customers\"), y AS (TABLE x) \
             SELECT * FROM y",
        ),
        (
            "SELECT shop.customers.id, shop . customers.* FROM shop.customers \
             ORDER BY shop.customers.email",
            "SELECT customers.id, customers.* FROM ‹customers› AS \"customers\" \
             ORDER BY customers.email",
        ),
        (
            "SELECT shop.user.id, shop.\"user\".id, shop . USER.* FROM shop.user",
            "SELECT \"user\".id, \"user\".id, \"user\".* FROM ‹user› AS \"user\"",
        ),
        (
            "SELECT * FROM regions",
            "SELECT * FROM ‹regions› AS \"regions\"",
        ),
        ("SELECT * FROM shop.regions r", "SELECT * FROM ‹regions› r"),
        (
            "SELECT * FROM \"Items\"",
            "SELECT * FROM ‹Items› AS \"Items\"",
        ),
        (
            "SELECT customers FROM customers",
            "SELECT customers FROM ‹customers› AS \"customers\"",
        ),
        (
            "COPY (SELECT * FROM customers) TO STDOUT",
            "COPY (SELECT * FROM ‹customers› AS \"customers\") TO STDOUT",
        ),
        (
            "PREPARE p AS SELECT * FROM customers WHERE id = $1",
            "PREPARE p AS SELECT * FROM ‹customers› AS \"customers\" WHERE id = $1",
        ),
        (
            "DECLARE c CURSOR FOR TABLE customers",
            "DECLARE c CURSOR FOR SELECT * FROM ‹customers› AS \"customers\"",
        ),
        ("SELECT * FROM \"user\"", "SELECT * FROM ‹user› AS \"user\""),
        (
            "SELECT * FROM shop.user",
            "SELECT * FROM ‹user› AS \"user\"",
        ),
        (
            "SELECT * FROM customers; SELECT * FROM regions",
            "SELECT * FROM ‹customers› AS \"customers\"; SELECT * FROM ‹regions› AS \"regions\"",
        ),
        (
            "SELECT * FROM events",
            "SELECT * FROM ‹events› AS \"events\"",
        ),
    ] {
        check(&session, text, wanted);
    }
}

#[test]
fn what_only_looks_like_a_model_is_left_alone() {
    let session = session(models());
    for text in [
        "SELECT * FROM other.customers",
        "SELECT * FROM other.regions",
        "SELECT * FROM plain customers WHERE customers.id = 1",
        "SELECT region AS customers FROM plain",
        "SELECT 'customers', \"region\" /* customers */ FROM plain -- customers",
        "SELECT * FROM \"customersx\"",
        "WITH customers AS (SELECT 1 AS id) SELECT * FROM customers",
        "WITH customers AS (SELECT 1 AS id), b AS (TABLE customers) SELECT * FROM b",
        "SELECT * FROM (WITH customers AS (SELECT 1 AS a) SELECT * FROM customers) x",
        "WITH RECURSIVE customers AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM customers \
         WHERE a < 3) TABLE customers",
        "WITH customers AS (SELECT 1 AS a) SELECT (SELECT (SELECT max(a) FROM customers))",
        "SELECT 'customers'::regclass",
        "SELECT * FROM ONLY years",
        "SELECT * FROM v",
        "SELECT 1",
        "SHOW search_path",
    ] {
        check(&session, text, text);
    }
}

#[test]
fn a_query_of_with_hides_a_model_only_where_it_is_seen() {
    let session = session(models());
    for (text, wanted) in [
        (
            "WITH customers AS (SELECT * FROM customers) SELECT * FROM customers",
            "WITH customers AS (SELECT * FROM ‹customers› AS \"customers\") \
             SELECT * FROM customers",
        ),
        (
            "SELECT * FROM (WITH customers AS (SELECT 1) TABLE customers) x, customers",
            "SELECT * FROM (WITH customers AS (SELECT 1) TABLE customers) x, \
             ‹customers› AS \"customers\"",
        ),
        (
            "WITH customers AS (SELECT 1) SELECT * FROM customers, shop.customers c",
            "WITH customers AS (SELECT 1) SELECT * FROM customers, ‹customers› c",
        ),
        (
            "WITH a AS (TABLE customers), customers AS (SELECT 2) TABLE a",
            "WITH a AS (SELECT * FROM ‹customers› AS \"customers\"), customers AS (SELECT 2) \
             TABLE a",
        ),
        (
            "WITH x AS (WITH customers AS (SELECT 1) SELECT 2) TABLE customers",
            "WITH x AS (WITH customers AS (SELECT 1) SELECT 2) \
             SELECT * FROM ‹customers› AS \"customers\"",
        ),
    ] {
        check(&session, text, wanted);
    }
}

#[test]
fn forms_without_a_model_are_refused() {
    let session = session(models());
    for text in [
        "SELECT * FROM ONLY customers",
        "SELECT * FROM ONLY (customers) c",
        "SELECT * FROM customers TABLESAMPLE system (10)",
        "EXPLAIN ANALYZE SELECT * FROM customers",
        "EXPLAIN (ANALYZE) SELECT * FROM plain WHERE id IN (SELECT id FROM customers)",
        "EXPLAIN DECLARE c CURSOR FOR SELECT * FROM customers",
        "LOCK TABLE customers IN ACCESS SHARE MODE",
        "SELECT * FROM e1",
        "SELECT * FROM ONLY shop.e1",
        "SELECT * FROM years",
        "SELECT 1; PREPARE p AS TABLE customers",
        "SELECT shop.customers.id FROM shop.customers, other.customers",
    ] {
        refused(&session, text, Rule::Model);
    }
    refused(
        &session,
        "SELECT * FROM customers FOR UPDATE",
        Rule::LockingClause,
    );
    refused(
        &session,
        "INSERT INTO customers SELECT 1",
        Rule::WriteStatement,
    );
    refused(&session, "SELECT * INTO x FROM customers", Rule::SelectInto);
    refused(&session, "COPY customers FROM STDIN", Rule::Copy);
    refused(&session, "COPY e1 TO STDOUT", Rule::Model);
    refused(&session, "COPY years TO STDOUT", Rule::Model);
    refused(&session, "COPY BINARY customers TO STDOUT", Rule::Model);
    refused(
        &session,
        "SELECT pg_sleep(1) FROM customers",
        Rule::FunctionEffects,
    );
}

#[test]
fn names_are_looked_up_on_every_path() {
    let (gate, mut names) = session(models());
    let two: SearchPaths = SearchPaths::Known(Box::new([
        Box::new([Box::from("shop")]),
        Box::new([Box::from("other")]),
    ]));
    for (paths, text, wanted) in [
        (
            path_of(&["other", "shop"]),
            "TABLE customers",
            Ok("TABLE customers"),
        ),
        (
            path_of(&["shop", "other"]),
            "TABLE regions",
            Ok("SELECT * FROM ‹regions› AS \"regions\""),
        ),
        (
            path_of(&["other", "shop"]),
            "TABLE regions",
            Ok("TABLE regions"),
        ),
        (
            path_of(&["public"]),
            "TABLE customers",
            Ok("TABLE customers"),
        ),
        (
            path_of(&["public"]),
            "TABLE shop.customers",
            Ok("SELECT * FROM ‹customers› AS \"customers\""),
        ),
        (two.clone(), "TABLE customers", Err(Rule::NotResolved)),
        (
            two.clone(),
            "TABLE shop.customers",
            Ok("SELECT * FROM ‹customers› AS \"customers\""),
        ),
        (two, "TABLE plain", Ok("TABLE plain")),
        (
            SearchPaths::Unknown,
            "TABLE customers",
            Err(Rule::NotResolved),
        ),
        (
            SearchPaths::Unknown,
            "TABLE shop.customers",
            Err(Rule::NotResolved),
        ),
        (SearchPaths::Unknown, "TABLE plain", Err(Rule::NotResolved)),
        (
            SearchPaths::Unknown,
            "WITH customers AS (SELECT 1) TABLE customers",
            Ok("WITH customers AS (SELECT 1) TABLE customers"),
        ),
        // Where pg_catalog comes last, `left` in the model is another function.
        (
            path_of(&["other", "pg_catalog"]),
            "TABLE shop.customers",
            Err(Rule::Model),
        ),
    ] {
        names.set_paths(paths);
        let runs = runs(&gate, &names, text);
        assert_eq!(runs.as_deref(), wanted.as_ref().map(|text| *text), "{text}");
    }
    let (gate, names) = session(models());
    for text in [
        "SET search_path = other; TABLE customers",
        "SELECT set_config('search_path', 'other', false); TABLE customers",
        "SET app.tenant = 'b'; TABLE customers",
        "ROLLBACK; TABLE customers",
    ] {
        let judgement = gate.judge(Cow::Borrowed(text), &names);
        assert!(rule_of(&judgement).is_some(), "{text}");
    }
}

/// It is compared on each path once, and on more than are remembered.
#[test]
fn what_a_model_means_on_one_path_says_nothing_of_another() {
    let (gate, mut names) = session(models());
    let schemas = ["shop", "other", "public", "pg_catalog"];
    let mut paths = Vec::new();
    for first in schemas {
        for second in schemas.into_iter().filter(|other| *other != first) {
            let left = |other: &&str| ![first, second].contains(other);
            paths.extend(
                schemas
                    .into_iter()
                    .filter(left)
                    .map(|third| [first, second, third]),
            );
        }
    }
    assert!(paths.len() > MODEL_PATHS_KEPT_MAX);
    for path in paths.iter().chain(&paths) {
        names.set_paths(path_of(path));
        let place = |name: &str| path.iter().position(|own| *own == name);
        let is_other = place("other").zip(place("pg_catalog"));
        let is_other = is_other.is_some_and(|(other, catalog)| other < catalog);
        let ran = runs(&gate, &names, "TABLE shop.customers");
        assert_eq!(ran.err(), is_other.then_some(Rule::Model), "{path:?}");
    }
}

#[test]
fn without_a_snapshot_nothing_is_read_that_may_be_a_model() {
    let (gate, mut names) = session(models());
    names.set_effect_graph(None);
    for (text, wanted) in [
        ("SELECT 1", None),
        ("SELECT * FROM plain", Some(Rule::NotResolved)),
        (
            "WITH x AS (TABLE customers) SELECT 1",
            Some(Rule::NotResolved),
        ),
    ] {
        let judgement = gate.judge(Cow::Borrowed(text), &names);
        assert_eq!(rule_of(&judgement), wanted, "{text}");
    }
}

#[test]
fn values_are_literals_whatever_is_in_them() {
    let (gate, mut names) = session(models());
    let long = "x'".repeat(40_000);
    for value in [
        "",
        "'",
        "''",
        "a' OR 1=1 --",
        "\\",
        "\\'",
        "a\\' OR true; --",
        "\u{1F600}é",
        "$$",
        "$1",
        "\n",
        "/*",
        "--",
        ":user",
        "E'",
        "a\u{0}b",
        &long,
    ] {
        names.set_values(Arc::new(values(Some(value))));
        let judgement = gate.judge("SELECT 1 FROM customers c".into(), &names);
        let Verdict::Permitted(permit) = &judgement.verdict else {
            assert!(value.contains('\u{0}'), "{value}");
            continue;
        };
        let literal = format!(" '{}' ", value.replace('\'', "''"));
        let wanted = CUSTOMERS.replace(" 'a' ", &literal);
        assert_eq!(permit.text(), format!("SELECT 1 FROM {wanted} c"));
    }
    names.set_values(Arc::new(values(None)));
    let judgement = gate.judge("SELECT 1 FROM customers c".into(), &names);
    assert_eq!(rule_of(&judgement), None);
    names.set_values(Arc::default());
    let judgement = gate.judge("SELECT 1 FROM customers c".into(), &names);
    let Verdict::Refused(refusal) = &judgement.verdict else {
        panic!("it runs");
    };
    assert_eq!(refusal.rule, Rule::Model);
    assert_eq!(refusal.sqlstate, sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE);
    // What is longer than a text may grow is refused.
    let huge = "x".repeat(ground::limits::MODEL_BYTES_MAX);
    names.set_values(Arc::new(values(Some(&huge))));
    let judgement = gate.judge("SELECT 1 FROM customers c".into(), &names);
    assert_eq!(rule_of(&judgement), Some(Rule::Model));
}

#[test]
fn a_model_that_does_not_fit_is_never_left_out() {
    for text in [
        "SELECT id FROM nowhere",
        "SELECT nothing FROM customers",
        "SELECT id FROM customers; SELECT 1",
        "SELECT id FROM",
        "DELETE FROM customers",
        "SELECT id FROM customers WHERE id = $1",
        "SELECT id FROM \"Items\"",
        "SELECT id FROM regions",
        "SELECT nobody(id) FROM customers",
        "SELECT c.id FROM customers c, customers d WHERE id = 1",
        "SELECT pg_sleep(1) FROM customers",
        "SELECT id FROM customers FOR UPDATE",
    ] {
        let broken = vec![
            model("shop.customers", &[sql(text)]),
            model("shop.Items", &[sql("SELECT id FROM \"Items\"")]),
            model("shop.regions", &[sql("SELECT 1 AS a")]),
        ];
        let (gate, names) = session(broken);
        let runs = runs(&gate, &names, "TABLE customers");
        assert_eq!(runs, Err(Rule::Model), "{text}");
        let effect_graph = names.effect_graph().unwrap();
        let problems: Vec<String> = effect_graph
            .model_problems()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(problems, ["models.shop.customers"], "{text}");
    }
}

#[test]
fn a_model_of_no_relation_is_one_that_says_so() {
    let select = || [sql("SELECT id FROM customers")];
    for (name, near) in [
        ("shop.custmers", " (did you mean shop.customers?)"),
        ("shop.Customers", " (did you mean shop.customers?)"),
        ("shp.customers", " (did you mean shop.customers?)"),
        ("shop.item", " (did you mean shop.Items?)"),
        ("shop.nothing_like_it", ""),
    ] {
        let (gate, names) = session(vec![model(name, &select())]);
        let problems: Vec<(String, Cow<'_, str>)> =
            names.effect_graph().unwrap().model_problems().collect();
        let [(place, what)] = problems.as_slice() else {
            panic!("{name}: {problems:?}")
        };
        assert_eq!(place.strip_prefix("models."), Some(name));
        let begins = format!("there is no relation of this name{near}, so that it filters nothing");
        assert!(what.starts_with(&begins), "{name}: {what}");
        let named = name.replace("shop.Customers", "shop.\"Customers\"");
        let read = runs(&gate, &names, &format!("TABLE {named}"));
        assert_eq!(read, Err(Rule::Model), "{name}");
        // The one that was meant is not read without it, nor is any other that might be.
        let read = runs(&gate, &names, "TABLE shop.customers");
        assert_eq!(read, Err(Rule::RelationDenied), "{name}");
        let meant = PolicyModel {
            is_new: true,
            ..model(name, &[sql("SELECT 1 AS a")])
        };
        let (_, names) = session(vec![meant]);
        assert_eq!(
            names.effect_graph().unwrap().model_problems().count(),
            0,
            "{name}"
        );
    }
}

#[test]
fn what_a_model_of_no_relation_may_be_meant_for_is_refused() {
    let select = || [sql("SELECT id FROM customers")];
    let read = |names: &[&str], text: &str| {
        let models = names.iter().map(|name| match *name {
            "shop.Items" => model(name, &[sql("SELECT id FROM \"Items\"")]),
            name => model(name, &select()),
        });
        let (gate, names) = session(models.collect());
        runs(&gate, &names, text)
    };
    let denied = Err(Rule::RelationDenied);
    let misspelt = ["shop.custmers", "shop.Items"];
    for text in [
        "TABLE shop.customers",
        "SELECT 1 FROM plain",
        "SELECT 1 FROM ONLY customers",
        "COPY shop.customers TO STDOUT",
        "EXPLAIN SELECT * FROM customers",
        "PREPARE p AS SELECT * FROM customers",
        "SELECT 1 FROM v",
        "SELECT (SELECT max(id) FROM plain)",
        "SELECT 1 FROM years",
        "SELECT 1 FROM \"Items\" JOIN customers USING (id)",
    ] {
        assert_eq!(read(&misspelt, text), denied, "{text}");
    }
    // A name that the snapshot does not have may be the one.
    let newer = read(&misspelt, "TABLE shop.clients");
    assert_eq!(newer, Err(Rule::NotResolved));
    for text in [
        "TABLE other.customers",
        "SELECT count(*) FROM pg_class",
        "SELECT 1",
        "TABLE \"Items\"",
    ] {
        assert!(read(&misspelt, text).is_ok(), "{text}");
    }
    // Where there is no such schema, it may be anywhere.
    for text in ["TABLE other.customers", "TABLE shop.plain"] {
        assert_eq!(
            read(&["shp.customers", "shop.Items"], text),
            denied,
            "{text}"
        );
    }
    assert!(read(&["shp.customers", "shop.Items"], "TABLE \"Items\"").is_ok());
    // Of several, each does so in its own schema.
    let several = ["shop.custmers", "other.regins", "shop.Items"];
    for text in ["TABLE other.customers", "TABLE shop.plain"] {
        assert_eq!(read(&several, text), denied, "{text}");
    }
    // A child of such a relation is one as well, and so is what shows its rows.
    let of_parts = ["other.nothing", "shop.Items"];
    assert!(read(&of_parts, "TABLE shop.events").is_ok());
}

#[test]
fn the_refusal_names_the_model_and_what_was_probably_meant() {
    let (gate, names) = session(vec![model("shop.custmers", &[sql("SELECT 1 AS id")])]);
    let judgement = gate.judge(Cow::Borrowed("SELECT id FROM shop.customers"), &names);
    let Verdict::Refused(refusal) = judgement.verdict else {
        panic!("{judgement:?}")
    };
    assert_eq!(
        refusal.message,
        "relation shop.customers may not be read: models.shop.custmers stands for no relation here \
         (did you mean shop.customers?)"
    );
    let wanted = "Have models.shop.custmers of the policy name shop.customers, if that is meant; ";
    assert!(refusal.hint.starts_with(wanted), "{}", refusal.hint);
}

#[test]
fn masks_and_conditions_of_nothing_have_what_they_may_be_meant_for_refused() {
    let read = |sections: &str, text: &str| {
        let policy = agent_with(&[], &format!("\n{sections}\n"));
        let shop = shop().view("other.seen", "id int4", &["shop.customers"]);
        let mut names = session_of(shop.build(), &policy);
        names.set_paths(path_of(&["shop"]));
        runs(&gate(policy), &names, text)
    };
    let denied = Err(Rule::RelationDenied);
    for sections in [
        "columns: {mask: {shop.custmers.email: null}}",
        "rows: {shop.custmers: id = 1}",
        "rows: {'shop.custm*': id = 1}",
        "mode: observe\nrows: {shop.custmers: id = 1}",
        "mode: observe\nrelations: {deny: [shop.customers, shop.plain]}\n\
         rows: {shop.custmers: id = 1}",
        "mode: observe\ncolumns: {mask: {shop.custmers.email: null}}",
    ] {
        for text in ["TABLE customers", "SELECT id FROM shop.plain"] {
            assert_eq!(read(sections, text), denied, "{sections}: {text}");
        }
        let policy = agent_with(&[], &format!("\n{sections}\n"));
        let names = session_of(shop().build(), &policy);
        let problems = names.effect_graph().unwrap().model_problems();
        let problems: Vec<String> = problems
            .map(|(key, what)| format!("{key}: {what}"))
            .collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].contains("no relation of this name"),
            "{problems:?}"
        );
    }
    // A view elsewhere shows what it may be meant for.
    let filter = "rows: {shop.custmers: id = 1}";
    assert_eq!(read(filter, "TABLE other.seen"), Err(Rule::Model));
    assert!(read(filter, "TABLE other.customers").is_ok());
    // What has a condition of its own is read by it; what has another mask may want this one.
    let two = "rows: {shop.plain: id = 1, shop.custmers: id = 1}";
    assert!(read(two, "SELECT id FROM plain").is_ok());
    assert_eq!(read(two, "SELECT id FROM customers"), denied);
    let two = "columns: {mask: {shop.plain.email: null, shop.custmers.email: null}}";
    assert_eq!(read(two, "SELECT id FROM plain"), denied);
    // By a wildcard a mask is for what may come.
    for sections in [
        "columns: {mask: {'*.custmers.email': null}}",
        "columns: {mask: {emial: null}}",
    ] {
        assert!(
            read(sections, "SELECT id FROM customers").is_ok(),
            "{sections}"
        );
    }
    // Only where models are observed, nothing of it holds.
    let observed = "rules: {model: observe}\nrows: {shop.custmers: id = 1}";
    assert!(read(observed, "SELECT id FROM customers").is_ok());
}

#[test]
fn what_leaves_rows_away_is_fenced() {
    for (text, wanted) in [
        (
            "SELECT id FROM customers",
            "(SELECT id FROM shop.customers\n)",
        ),
        (
            "SELECT id FROM customers;\n",
            "(SELECT id FROM shop.customers\n)",
        ),
        (
            "SELECT id FROM customers WHERE true",
            "(SELECT id FROM shop.customers WHERE true\n OFFSET 0)",
        ),
        (
            "SELECT a.id FROM customers a JOIN plain b USING (id)",
            "(SELECT a.id FROM shop.customers a JOIN shop.plain b USING (id)\n OFFSET 0)",
        ),
        (
            "SELECT id FROM customers LIMIT 3",
            "(SELECT id FROM shop.customers LIMIT 3\n)",
        ),
        (
            "WITH customers AS (TABLE shop.customers) SELECT id FROM customers",
            "(WITH customers AS (TABLE shop.customers) SELECT id FROM customers\n OFFSET 0)",
        ),
        ("TABLE plain", "(TABLE shop.plain\n)"),
        ("SELECT id FROM v", "(SELECT id FROM shop.v\n OFFSET 0)"),
        (
            "SELECT id FROM customers UNION ALL SELECT 1",
            "(SELECT id FROM shop.customers UNION ALL SELECT 1\n OFFSET 0)",
        ),
        ("VALUES (1)", "(VALUES (1)\n OFFSET 0)"),
        (
            "SELECT id, regexp_split_to_table(email, ',') AS part FROM customers",
            "(SELECT id, regexp_split_to_table(email, ',') AS part FROM shop.customers\n OFFSET 0)",
        ),
        (
            "SELECT id, lower(email) || 'x' AS email FROM customers",
            "(SELECT id, lower(email) || 'x' AS email FROM shop.customers\n)",
        ),
    ] {
        let (gate, names) = session(vec![model("shop.customers", &[sql(text)])]);
        let runs = runs(&gate, &names, "SELECT random() FROM customers c");
        assert_eq!(
            runs,
            Ok(format!("SELECT random() FROM {wanted} c")),
            "{text}"
        );
    }
}

#[test]
fn what_is_prepared_runs_on_only_as_what_it_was() {
    let (gate, mut names) = session(models());
    for text in [
        "PREPARE p AS SELECT * FROM customers",
        "PREPARE q AS SELECT * FROM plain",
        "DECLARE c CURSOR FOR SELECT * FROM customers",
    ] {
        let judgement = gate.judge(Cow::Borrowed(text), &names);
        assert_eq!(rule_of(&judgement), None, "{text}");
        for effect in &judgement.facts.effects {
            names.apply(effect);
        }
    }
    let p = names.prepared("p").unwrap().clone();
    assert_eq!(&*p.text, "PREPARE p AS SELECT * FROM customers");
    let ruled =
        |names: &SessionNames, sql: &str| rule_of(&gate.judge(sql.to_owned().into(), names));
    let check = |names: &SessionNames, wanted: Option<Rule>| {
        assert_eq!(ruled(names, "EXECUTE p"), wanted);
        assert_eq!(ruled(names, "FETCH c"), wanted);
        let again = gate.still_permits(&p, names);
        assert_eq!(again.err().map(|refusal| refusal.rule), wanted);
        let cursor = names.cursor("c").unwrap();
        let again = gate.still_runs(cursor, names);
        assert_eq!(again.err().map(|refusal| refusal.rule), wanted);
        assert_eq!(ruled(names, "EXECUTE q"), None);
    };
    check(&names, None);
    assert_eq!(ruled(&names, "EXPLAIN EXECUTE p"), Some(Rule::Model));
    names.set_values(Arc::new(values(Some("b"))));
    check(&names, Some(Rule::Model));
    names.set_values(Arc::new(values(Some("a"))));
    check(&names, None);
    names.set_values(Arc::default());
    check(&names, Some(Rule::Model));
}

#[test]
fn a_verdict_is_kept_for_the_values_it_was_given_for() {
    let (gate, mut names) = session(models());
    let mut cache = JudgementCache::new();
    for tenant in ["a", "b", "a", "b", "a", "b", "a"] {
        names.set_values(Arc::new(values(Some(tenant))));
        let judgement = cache.judge(&gate, "SELECT 1 FROM customers c".into(), &names);
        let Verdict::Permitted(permit) = &judgement.verdict else {
            panic!("refused");
        };
        assert_eq!(permit.original(), "SELECT 1 FROM customers c");
        assert!(permit.text().contains(&format!("tenant =  '{tenant}' ")));
    }
    assert_eq!(cache.len(), 2);
}

#[test]
fn values_that_are_lowered_go_together_with_models() {
    let (gate, names) = session(models());
    let text = "SELECT * FROM customers; SET statement_timeout = '100h'";
    let runs = runs(&gate, &names, text).unwrap();
    assert!(
        runs.starts_with("SELECT * FROM customers; SET statement_timeout = "),
        "{runs}"
    );
    assert_ne!(runs, text);
}

#[test]
fn what_is_only_observed_changes_no_text() {
    let models =
        "models:\n  shop.customers: {sql: SELECT id FROM customers}\nrules: {model: observe}\n";
    let policy = agent_with(&[], models);
    let mut names = session_of(shop().build(), &policy);
    names.set_paths(path_of(&["shop"]));
    let gate = gate(policy);
    for (text, noted) in [
        ("SELECT * FROM customers", true),
        ("SELECT * FROM ONLY customers", true),
        ("EXPLAIN SELECT * FROM customers", true),
        ("SELECT * FROM plain", false),
    ] {
        let judgement = gate.judge(Cow::Borrowed(text), &names);
        let Verdict::Permitted(permit) = &judgement.verdict else {
            panic!("refused: {text}");
        };
        assert_eq!(permit.text(), text);
        assert_eq!(
            judgement.facts.observed.contains(&Rule::Model),
            noted,
            "{text}"
        );
    }
}

#[test]
fn places_are_those_of_the_text_that_came() {
    let (gate, names) = session(models());
    let text = "SELECT 'é', 1 FROM customers c, shop.customers WHERE shop.customers.id = \
                lower(region)";
    let judgement = gate.judge(Cow::Borrowed(text), &names);
    let rewritten = judgement.facts.rewritten.as_ref().unwrap();
    let changed = rewritten.text.find("lower").unwrap();
    let place = u32::try_from(rewritten.text[..changed].chars().count()).unwrap() + 1;
    let original = text[..text.find("lower").unwrap()].chars().count();
    let found = rewritten.position_in_original(text, place).unwrap();
    assert_eq!(found, u32::try_from(original).unwrap() + 1);
    // Within what was put in it is the name.
    let inside = rewritten.text.find("OFFSET").unwrap();
    let place = u32::try_from(rewritten.text[..inside].chars().count()).unwrap() + 1;
    let name = text[..text.find("customers").unwrap()].chars().count();
    let found = rewritten.position_in_original(text, place).unwrap();
    assert_eq!(found, u32::try_from(name).unwrap() + 1);
}
