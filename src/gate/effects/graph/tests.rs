//! What is seen through names, on small databases and on a bare server's catalog.

use std::sync::Arc;

use super::{EffectCause, EffectGraph, InheritanceReach, NameFlags};
use catalog::Catalog;
use catalog::catalog_rows::{CatalogRows, SupportRow, SupportRowOf};
use catalog::fixture::CatalogFixture;
use policy::Policy;

/// A database with a schema and functions of all kinds.
fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .schema("shop")
        .function("shop.pure(int4) int4", "immutable")
        .function("shop.log_it(int4, int4) bool", "volatile")
        .function("shop.log_one(int4) int4", "volatile")
        .function("shop.as_owner(int4) int4", "stable definer")
}

fn agent(fixture: CatalogFixture) -> EffectGraph {
    EffectGraph::new(Arc::new(fixture.build()), &Policy::agent())
}

/// The default policy with other choices about functions and foreign tables.
fn policy(functions: &str, foreign: &str) -> Policy {
    let agent = include_str!("../../../../policies/agent.yaml");
    let (before, rest) = agent.split_once("functions:\n").unwrap();
    let (_, limits) = rest.split_once("limits:\n").unwrap();
    let yaml = format!("{before}functions: {functions}\nforeign: {foreign}\nlimits:\n{limits}");
    Policy::from_yaml(&yaml).unwrap()
}

/// Asks for the sentence about one thing: `shop.f(int4)`, `operator shop.=== (int4, int4)`, `type
/// shop.d` (making it or using it), `cast shop.d`, a relation, `only` a relation.
#[track_caller]
fn check(effect_graph: &EffectGraph, thing: &str, wanted: Option<&str>) {
    let catalog = effect_graph.catalog();
    let cause: Option<&EffectCause> = if let Some(operator) = thing.strip_prefix("operator ") {
        effect_graph.operator(catalog.operator_called(operator))
    } else if let Some(name) = thing.strip_prefix("making ") {
        effect_graph.making(catalog.type_called(name))
    } else if let Some(name) = thing.strip_prefix("using ") {
        effect_graph.using(catalog.type_called(name))
    } else if let Some(name) = thing.strip_prefix("only ") {
        effect_graph.relation(catalog.relation_called(name), InheritanceReach::Only)
    } else if let Some(name) = thing.strip_prefix("call ") {
        effect_graph.called_by_name(catalog.function_called(name))
    } else if thing.contains('(') {
        effect_graph.function(catalog.function_called(thing))
    } else {
        effect_graph.relation(
            catalog.relation_called(thing),
            InheritanceReach::WithChildren,
        )
    };
    let superuser = catalog.role_named("postgres");
    let told = cause.map(|cause| cause.sentence(catalog, superuser).unwrap());
    assert_eq!(told.as_deref(), wanted, "{thing}");
}

#[track_caller]
fn check_flags(effect_graph: &EffectGraph, name: &str, wanted: NameFlags) {
    let id = effect_graph.catalog().names().find(name).unwrap();
    assert_eq!(effect_graph.flags(id), wanted, "{name}");
}

/// What a function of users has besides other flags.
const USERS: NameFlags = NameFlags::IS_USER_FUNCTION.with(NameFlags::IS_FUNCTION);

#[test]
fn functions_are_what_their_owner_says_and_built_ins_what_the_table_says() {
    let effect_graph = agent(
        shop()
            .function("shop.run_it(int4)", "procedure")
            .function("shop.sets() int4", "stable set=work_mem set=role")
            .function("shop.paths() int4", "stable set=search_path set=geqo")
            .function("shop.lower(int4) text", "immutable")
            .function("shop.crosstab(text) record", "stable extension language=c")
            .function("shop.connectby(text) record", "stable")
            .function("shop.upper(int4) text", "immutable extension")
            .schema("pg_temp_3")
            .function("pg_temp_3.mine() int4", "immutable"),
    );
    check(&effect_graph, "shop.pure(int4)", None);
    let volatile = "function shop.log_one(integer) is VOLATILE";
    check(&effect_graph, "shop.log_one(int4)", Some(volatile));
    let definer = "function shop.as_owner(integer) is SECURITY DEFINER";
    check(&effect_graph, "shop.as_owner(int4)", Some(definer));
    let procedure = "function shop.run_it(integer) is a procedure";
    check(&effect_graph, "shop.run_it(int4)", Some(procedure));
    check(
        &effect_graph,
        "shop.sets()",
        Some("function shop.sets() changes settings"),
    );
    check(&effect_graph, "shop.paths()", None);
    let runs_text = "function shop.crosstab(text) runs SQL that it is given as text";
    check(&effect_graph, "shop.crosstab(text)", Some(runs_text));
    let temporary = "function pg_temp_3.mine() is in a temporary schema";
    check(&effect_graph, "pg_temp_3.mine()", Some(temporary));
    // Behind an operator it is only itself; by its name it may be taken for another.
    check(&effect_graph, "shop.lower(int4)", None);
    let name = "function shop.lower(integer) has the name of a built-in function";
    check(&effect_graph, "call shop.lower(int4)", Some(name));
    let name = "function shop.upper(integer) has the name of a built-in function";
    check(&effect_graph, "call shop.upper(int4)", Some(name));
    check(&effect_graph, "call shop.connectby(text)", None);
    check(&effect_graph, "call lower(text)", None);
    let lock = "function pg_advisory_lock takes or releases advisory locks";
    check(&effect_graph, "pg_advisory_lock(int8)", Some(lock));
    check(&effect_graph, "random()", None);
    let machinery = "function domain_in is part of the server's own machinery";
    check(
        &effect_graph,
        "domain_in(cstring, oid, int4)",
        Some(machinery),
    );
}

/// Their checks change without the catalog being read again.
#[test]
fn types_that_a_session_has_made_for_itself_are_never_clean() {
    let effect_graph = agent(
        shop()
            .schema("pg_temp_3")
            .domain("pg_temp_3.d", "int4", &[])
            .composite("pg_temp_3.pair", "a int4")
            .domain("shop.upon", "pg_temp_3.d", &[])
            .composite("shop.with_own", "a pg_temp_3.d")
            .function("shop.takes(pg_temp_3.d) int4", "immutable")
            .function("shop.gives() pg_temp_3.pair", "immutable")
            .table("shop.d", "id int4"),
    );
    let temporary = Some("type pg_temp_3.d is in a temporary schema");
    check(&effect_graph, "making pg_temp_3.d", temporary);
    check(&effect_graph, "using pg_temp_3.d", temporary);
    let temporary = Some("type pg_temp_3.pair is in a temporary schema");
    check(&effect_graph, "making pg_temp_3.pair", temporary);
    let through = "uses pg_temp_3.d, which is in a temporary schema";
    for (thing, kind) in [
        ("making shop.upon", "type shop.upon"),
        ("making shop.with_own", "type shop.with_own"),
        (
            "shop.takes(pg_temp_3.d)",
            "function shop.takes(pg_temp_3.d)",
        ),
    ] {
        check(&effect_graph, thing, Some(&format!("{kind} {through}")));
    }
    check(
        &effect_graph,
        "shop.gives()",
        Some("function shop.gives() uses pg_temp_3.pair, which is in a temporary schema"),
    );
    // What else has the name of one is not in doubt.
    check_flags(&effect_graph, "d", NameFlags::NONE);
    check_flags(&effect_graph, "pair", NameFlags::NONE);
    assert!(effect_graph.making_any_type_has_effects());
    let own_only = shop()
        .schema("pg_temp_3")
        .domain("pg_temp_3.d", "int4", &[]);
    assert!(!agent(own_only).making_any_type_has_effects());
}

#[test]
fn what_the_policy_names_is_clean_and_nobody_else_is_trusted() {
    let strict = policy("{allow: [\"shop.log_one(integer)\", shop.as_owner]}", "{}");
    let effect_graph = EffectGraph::new(Arc::new(shop().build()), &strict);
    check(&effect_graph, "call shop.log_one(int4)", None);
    check(&effect_graph, "call shop.as_owner(int4)", None);
    let not_trusted = "function shop.pure(integer) is neither named by the policy nor in a schema \
        that it trusts";
    check(&effect_graph, "shop.pure(int4)", Some(not_trusted));
    let trusting = policy("{allow: [], trusted_schemas: [shop]}", "{}");
    check(
        &EffectGraph::new(Arc::new(shop().build()), &trusting),
        "shop.pure(int4)",
        None,
    );
    // Its arguments are made before it runs.
    let fixture = || {
        shop()
            .domain("shop.checked", "int4", &["shop.log_one(int4)"])
            .function("shop.g(shop.checked) int4", "volatile")
    };
    let effect_graph = |allow: &str| {
        let policy = policy(&format!("{{allow: [{allow}], trusted_schemas: any}}"), "{}");
        EffectGraph::new(Arc::new(fixture().build()), &policy)
    };
    let logs = "function shop.g(shop.checked) calls shop.log_one(integer), which is VOLATILE";
    check(
        &effect_graph("shop.g"),
        "call shop.g(shop.checked)",
        Some(logs),
    );
    check(
        &effect_graph("shop.g, shop.log_one"),
        "call shop.g(shop.checked)",
        None,
    );
    // One that is named may stand under the name of a built-in, but never in a temporary schema.
    let fixture = shop()
        .function("shop.lower(int4) text", "volatile")
        .schema("pg_temp_3")
        .function("pg_temp_3.lower(int4) text", "immutable");
    let effect_graph =
        EffectGraph::new(Arc::new(fixture.build()), &policy("{allow: [lower]}", "{}"));
    check(&effect_graph, "call shop.lower(int4)", None);
    let temporary = "function pg_temp_3.lower(integer) is in a temporary schema";
    check(&effect_graph, "call pg_temp_3.lower(int4)", Some(temporary));
}

#[test]
fn what_a_body_runs_counts() {
    let effect_graph = agent(
        shop()
            .table("shop.t", "id int4")
            .policy("shop.t", "own", &["shop.log_one(int4)"])
            .function("shop.atomic() int4", "stable")
            .body("shop.atomic()", &["pg_sleep(float8)"])
            .function("shop.with_default(int4 = default) int4", "stable")
            .body("shop.with_default(int4)", &["shop.atomic()"])
            .function("shop.reads() int4", "stable")
            .body("shop.reads()", &["shop.t"]),
    );
    let sleeps = "function shop.atomic() calls pg_sleep, which sleeps and holds a server process";
    check(&effect_graph, "shop.atomic()", Some(sleeps));
    let sleeps = "function shop.with_default(integer) calls pg_sleep, which sleeps and holds a \
        server process";
    check(&effect_graph, "shop.with_default(int4)", Some(sleeps));
    let policy = "function shop.reads() calls shop.log_one(integer), which is VOLATILE";
    check(&effect_graph, "shop.reads()", Some(policy));
    check_flags(&effect_graph, "atomic", USERS.with(NameFlags::FUNCTION));
    check_flags(
        &effect_graph,
        "with_default",
        USERS.with(NameFlags::FUNCTION).with(NameFlags::FIELD),
    );
}

#[test]
fn aggregates_are_what_they_are_made_of() {
    let effect_graph = agent(
        shop()
            .aggregate("shop.logged(int4) int4", &["shop.log_it(int4, int4)"])
            .aggregate("shop.counted(int4) int4", &["int4pl(int4, int4)"])
            .aggregate(
                "shop.listed(anynonarray) anyarray",
                &[
                    "array_agg_transfn(internal, anynonarray)",
                    "array_agg_finalfn(internal, anynonarray)",
                ],
            ),
    );
    let logs =
        "function shop.logged(integer) calls shop.log_it(integer, integer), which is VOLATILE";
    check(&effect_graph, "shop.logged(int4)", Some(logs));
    check(&effect_graph, "shop.counted(int4)", None);
    check(&effect_graph, "shop.listed(anynonarray)", None);
}

#[test]
fn operators_are_their_functions_and_those_of_their_stand_ins() {
    let effect_graph = agent(
        shop()
            .function("shop.same(int4, int4) bool", "immutable")
            .operator("shop.=== (int4, int4) bool", "shop.log_it(int4, int4)")
            .operator("shop.!== (int4, int4) bool", "shop.same(int4, int4)")
            .operator("shop.~== (int4, int4) bool", "shop.same(int4, int4)")
            .negate("shop.=== (int4, int4)", "shop.!== (int4, int4)"),
    );
    let logs = "calls shop.log_it(integer, integer), which is VOLATILE";
    for (name, hides) in [("===", true), ("!==", true), ("~==", false)] {
        let wanted = format!("operator shop.{name}(integer, integer) {logs}");
        let operator = format!("operator shop.{name} (int4, int4)");
        check(&effect_graph, &operator, hides.then_some(wanted.as_str()));
        check_flags(
            &effect_graph,
            name,
            if hides {
                NameFlags::OPERATOR
            } else {
                NameFlags::NONE
            },
        );
    }
    check_flags(&effect_graph, "+", NameFlags::NONE);
}

#[test]
fn types_are_what_making_and_using_them_runs() {
    let effect_graph = agent(
        shop()
            .domain("shop.checked", "int4", &["shop.log_one(int4)"])
            .domain("shop.upon", "shop.checked", &[])
            .domain("shop.fine", "int4", &["shop.pure(int4)"])
            .composite("shop.pair", "a int4, b shop.upon[]")
            .range("shop.span", "shop.checked")
            .function("shop.show(int4) cstring", "volatile")
            .function("shop.read(cstring) int4", "volatile")
            .base_type("shop.shown", &[], &["shop.show(int4)"])
            .base_type("shop.read", &["shop.read(cstring)"], &[])
            .function("shop.takes(shop.checked) int4", "immutable")
            .function("shop.gives(int4) shop.shown[]", "immutable"),
    );
    let check_made = |name: &str, spelled: &str| {
        let wanted = format!("type {spelled} calls shop.log_one(integer), which is VOLATILE");
        check(&effect_graph, &format!("making {name}"), Some(&wanted));
        check(&effect_graph, &format!("using {name}"), None);
    };
    let checked = "type shop.checked, in a check, calls shop.log_one(integer), which is VOLATILE";
    check(&effect_graph, "making shop.checked", Some(checked));
    check_made("shop.upon", "shop.upon");
    check_made("shop.checked[]", "shop.checked[]");
    check_made("shop.pair", "shop.pair");
    check_made("shop.pair[]", "shop.pair[]");
    check_made("shop.span", "shop.span");
    check(&effect_graph, "making shop.fine", None);
    let shows = "type shop.shown calls shop.show(integer), which is VOLATILE";
    check(&effect_graph, "using shop.shown", Some(shows));
    check(&effect_graph, "making shop.shown", None);
    check(&effect_graph, "using shop.read", None);
    let takes = "function shop.takes(shop.checked) calls shop.log_one(integer), which is VOLATILE";
    check(&effect_graph, "shop.takes(shop.checked)", Some(takes));
    let gives = "function shop.gives(integer) calls shop.show(integer), which is VOLATILE";
    check(&effect_graph, "shop.gives(int4)", Some(gives));
    assert!(effect_graph.making_any_type_has_effects());
    assert!(!agent(shop()).making_any_type_has_effects());
    let cast = NameFlags::TYPE
        .with(NameFlags::FUNCTION)
        .with(NameFlags::FIELD);
    for name in ["checked", "upon", "pair", "span", "shown"] {
        check_flags(&effect_graph, name, cast);
    }
    check_flags(&effect_graph, "read", cast.with(USERS));
    check_flags(&effect_graph, "fine", NameFlags::NONE);
}

#[test]
fn a_type_named_in_a_text_may_be_any() {
    let fixture = || {
        CatalogFixture::new(16)
            .schema("shop")
            .function("shop.log_one(int4) bool", "volatile")
            .function("shop.pg_input_is_valid(text, text) bool", "immutable")
    };
    let built_in = |mut fixture: CatalogFixture| {
        let rows = fixture.rows();
        let schema = rows
            .schemas
            .iter()
            .find(|row| row.name == "pg_catalog")
            .unwrap()
            .oid;
        let mut functions = rows.functions.iter_mut();
        let row = functions
            .find(|row| row.name == "pg_input_is_valid")
            .unwrap();
        (row.oid, row.schema) = (6210, schema);
        fixture
    };
    let call = "pg_input_is_valid(text, text)";
    check(&agent(built_in(fixture())), call, None);
    let domain = fixture().domain("shop.checked", "int4", &["shop.log_one(int4)"]);
    let logs = "function pg_input_is_valid calls shop.log_one(integer), which is VOLATILE";
    check(&agent(built_in(domain)), call, Some(logs));
}

#[test]
fn casts_are_seen_at_their_target_and_what_contains_it() {
    let effect_graph = agent(
        shop()
            .composite("shop.pair", "a int4")
            .domain("shop.word", "text", &[])
            .function("shop.to_text(shop.pair) text", "volatile")
            .function("shop.to_json(shop.word) json", "volatile")
            .cast("shop.pair", "text", Some("shop.to_text(shop.pair)"), b'i')
            .cast("shop.word", "json", Some("shop.to_json(shop.word)"), b'e'),
    );
    let catalog = effect_graph.catalog();
    let (pair, text) = (
        catalog.type_called("shop.pair"),
        catalog.type_called("text"),
    );
    let cast = catalog.index().cast(pair, text).unwrap();
    assert_eq!(effect_graph.implicit_casts(), [cast]);
    let told = effect_graph
        .cast(cast)
        .unwrap()
        .sentence(catalog, catalog.role_named("postgres"));
    let wanted = "cast (shop.pair AS text) calls shop.to_text(shop.pair), which is VOLATILE";
    assert_eq!(told.as_deref(), Some(wanted));
    let cast = NameFlags::TYPE
        .with(NameFlags::FUNCTION)
        .with(NameFlags::FIELD);
    check_flags(&effect_graph, "text", cast.with(NameFlags::IS_FUNCTION));
    check_flags(&effect_graph, "_text", cast);
    check_flags(&effect_graph, "word", cast);
    check_flags(&effect_graph, "int8", NameFlags::IS_FUNCTION);
    // Putting a value into JSON looks for a cast first.
    let json = "type shop.word calls shop.to_json(shop.word), which is VOLATILE";
    check(&effect_graph, "using shop.word", Some(json));
}

#[test]
fn relations_are_read_through() {
    let effect_graph = agent(
        shop()
            .domain("shop.checked", "int4", &["shop.log_one(int4)"])
            .table("shop.orders", "id int4, c shop.checked")
            .table("shop.guarded", "id int4")
            .policy("shop.guarded", "own", &["shop.log_one(int4)"])
            .table("shop.computed", "id int4, v int4")
            .computed("shop.computed", "v", &["shop.log_one(int4)"])
            .table("shop.parent", "id int4")
            .foreign_table("shop.files", "id int4", "disk")
            .child("shop.files", "shop.parent")
            .view(
                "shop.v_totals",
                "id int8",
                &["shop.orders", "pg_advisory_lock(int8)"],
            )
            .view("shop.v_outer", "id int8", &["shop.v_totals"])
            .view(
                "shop.v_cast",
                "id int4",
                &["shop.orders", "type shop.checked"],
            )
            .view("shop.v_files", "id int4", &["shop.parent"])
            .view(
                "shop.v_fine",
                "id int4",
                &["shop.orders", "shop.pure(int4)", "lower(text)"],
            )
            .sequence("shop.ids"),
    );
    check(&effect_graph, "shop.orders", None);
    check(&effect_graph, "shop.v_fine", None);
    check(&effect_graph, "shop.ids", None);
    let locks = "calls pg_advisory_lock, which takes or releases advisory locks";
    check(
        &effect_graph,
        "shop.v_totals",
        Some(&format!("view shop.v_totals {locks}")),
    );
    check(
        &effect_graph,
        "shop.v_outer",
        Some(&format!("view shop.v_outer {locks}")),
    );
    let logs = "calls shop.log_one(integer), which is VOLATILE";
    let policy = format!("table shop.guarded, in a row policy, {logs}");
    check(&effect_graph, "shop.guarded", Some(&policy));
    let column = format!("table shop.computed, in a virtual column, {logs}");
    check(&effect_graph, "shop.computed", Some(&column));
    check(
        &effect_graph,
        "shop.v_cast",
        Some(&format!("view shop.v_cast {logs}")),
    );
    let foreign = "foreign table shop.files is a foreign table that the policy does not name";
    check(&effect_graph, "shop.files", Some(foreign));
    let child = "table shop.parent, in a partition or child, reads shop.files, which is a foreign \
        table that the policy does not name";
    check(&effect_graph, "shop.parent", Some(child));
    check(&effect_graph, "only shop.parent", None);
    let view = "view shop.v_files reads shop.files, which is a foreign table that the policy does \
        not name";
    check(&effect_graph, "shop.v_files", Some(view));
    // A literal that is compared with a column may become a value of the column's type.
    for name in ["orders", "v_totals"] {
        let id = effect_graph.catalog().names().find(name).unwrap();
        assert!(effect_graph.flags(id).any_of(NameFlags::RELATION), "{name}");
    }
    check_flags(&effect_graph, "v_fine", NameFlags::NONE);
}

#[test]
fn what_runs_while_a_read_is_planned_counts() {
    let effect_graph = agent(
        shop()
            .function("shop.silent(int4) int4", "immutable definer")
            .table("shop.indexed", "id int4")
            .planned("shop.indexed", &["shop.pure(int4)", "shop.silent(int4)"])
            .table("shop.checked", "id int4")
            .planned(
                "shop.checked",
                &["shop.log_one(int4)", "shop.as_owner(int4)"],
            ),
    );
    let index = "table shop.indexed, in an index, a check, a partition key or statistics, calls \
        shop.silent(integer), which is SECURITY DEFINER";
    check(&effect_graph, "shop.indexed", Some(index));
    // Only what is IMMUTABLE runs before there is a row.
    check(&effect_graph, "shop.checked", None);
}

#[test]
fn foreign_tables_are_clean_where_the_policy_names_them_or_their_server() {
    for foreign in ["{tables: [shop.files]}", "{servers: [disk]}"] {
        let fixture = shop().foreign_table("shop.files", "id int4", "disk").view(
            "shop.v",
            "id int4",
            &["shop.files"],
        );
        let policy = policy("{allow: []}", foreign);
        check(
            &EffectGraph::new(Arc::new(fixture.build()), &policy),
            "shop.v",
            None,
        );
    }
}

#[test]
fn circles_end() {
    let mut fixture = shop()
        .view("shop.a", "id int4", &[])
        .view("shop.b", "id int4", &["shop.a", "shop.log_one(int4)"])
        .view("shop.c", "id int4", &["shop.b"]);
    let relations = &mut fixture.rows().relations;
    let c = relations.iter().find(|row| row.name == "c").unwrap().oid;
    let a = relations.iter_mut().find(|row| row.name == "a").unwrap();
    a.view = Some(format!("{{RTE :relid {c}}} {{RTE :relid {}}}", a.oid));
    let effect_graph = agent(fixture);
    for name in ["a", "b", "c"] {
        let wanted = format!("view shop.{name} calls shop.log_one(integer), which is VOLATILE");
        check(&effect_graph, &format!("shop.{name}"), Some(&wanted));
    }
}

#[test]
fn what_a_view_does_beyond_reading_and_what_is_not_there_is_unclean() {
    let view = |tree: &str| {
        let mut fixture = shop().view("shop.v", "id int4", &[]);
        let mut relations = fixture.rows().relations.iter_mut();
        relations.find(|row| row.name == "v").unwrap().view = Some(tree.into());
        agent(fixture)
    };
    let locks = view("{QUERY :rowMarks ({ROWMARKCLAUSE :rti 1})}");
    check(&locks, "shop.v", Some("view shop.v does more than read"));
    let missing = "view shop.v runs something that is new to the snapshot of the catalog";
    for tree in [
        "{A :funcid 99999}",
        "{A :funcid 9}",
        "{A :relid 99999}",
        "{A :vartype 99999}",
    ] {
        check(&view(tree), "shop.v", Some(missing));
    }
    check(
        &view("{A :boolop 2 :jointype 1 :relid 2619}"),
        "shop.v",
        None,
    );
}

#[test]
fn names_that_a_role_may_not_see_are_not_told() {
    let fixture = shop()
        .role("app")
        .role("owner")
        .schema("secret")
        .function("secret.f() int4", "volatile")
        .view("shop.v", "id int4", &["secret.f()"])
        .view("shop.w", "id int4", &["shop.log_one(int4)"])
        .owner("schema secret", "owner")
        .rights("schema secret", None);
    let effect_graph = agent(fixture);
    let catalog: &Catalog = effect_graph.catalog();
    let told = |view: &str| {
        let view = catalog.relation_called(view);
        let cause = effect_graph
            .relation(view, InheritanceReach::WithChildren)
            .unwrap();
        cause.sentence(catalog, catalog.role_named("app"))
    };
    assert_eq!(told("shop.v"), None);
    assert!(told("shop.w").is_some());
}

#[test]
fn one_argument_is_enough_for_a_field() {
    let effect_graph = agent(
        shop()
            .function("shop.two(int4, int4) int4", "volatile")
            .function("shop.some(int4, int4 = default) int4", "volatile")
            .function("shop.many(variadic int4[]) int4", "volatile")
            .function("shop.none() int4", "volatile"),
    );
    let call = USERS.with(NameFlags::FUNCTION);
    check_flags(&effect_graph, "log_one", call.with(NameFlags::FIELD));
    check_flags(&effect_graph, "two", call);
    check_flags(&effect_graph, "some", call.with(NameFlags::FIELD));
    check_flags(&effect_graph, "many", call.with(NameFlags::FIELD));
    check_flags(&effect_graph, "none", call);
    check_flags(&effect_graph, "pure", USERS);
    check_flags(
        &effect_graph,
        "pg_sleep",
        NameFlags::IS_FUNCTION
            .with(NameFlags::FUNCTION)
            .with(NameFlags::FIELD),
    );
}

#[test]
fn a_built_in_that_somebody_has_replaced_is_none() {
    let replaced = |volatility: u8| {
        let mut fixture = shop();
        let mut functions = fixture.rows().functions.iter_mut();
        let row = functions.find(|row| row.name == "lower").unwrap();
        (row.language, row.volatility) = ("sql".into(), volatility);
        agent(fixture)
    };
    check(&replaced(b's'), "lower(text)", None);
    let wanted = "function lower is VOLATILE";
    check(&replaced(b'v'), "lower(text)", Some(wanted));
}

/// A client may name a type by its oid: what was judged of one is not true of the other.
#[test]
fn the_same_by_names_and_another_by_oids_is_another_number() {
    let start = || CatalogFixture::new(15).role("app").schema("s");
    let one = || start().enumeration("s.a").enumeration("s.b");
    let other = start().enumeration("s.b").enumeration("s.a");
    let (one, again, other) = (agent(one()), agent(one()), agent(other));
    assert_eq!(one.catalog().version(), other.catalog().version());
    assert_ne!(one.version_number(), other.version_number());
    assert_eq!(one.version_number(), again.version_number());
}

#[test]
fn what_is_run_unasked_is_seen_where_it_is_run() {
    let mut fixture = shop()
        .table("shop.parent", "id int4")
        .table("shop.other", "id int4")
        .function("shop.plain(int4) int4", "immutable");
    let rows = fixture.rows();
    let oid_of = |rows: &CatalogRows, name: &str| {
        let mut functions = rows.functions.iter();
        functions.find(|row| row.name == name).unwrap().oid
    };
    let (log_one, plain) = (oid_of(rows, "log_one"), oid_of(rows, "plain"));
    let parent = rows
        .relations
        .iter()
        .find(|row| row.name == "parent")
        .unwrap()
        .oid;
    for (of, oid) in [
        (SupportRowOf::Relation, parent),
        (SupportRowOf::Function, plain),
        (SupportRowOf::TypeModifier, 0),
        (SupportRowOf::TextSearch, 0),
    ] {
        let function = log_one;
        rows.supports.push(SupportRow { of, oid, function });
    }
    let effect_graph = agent(fixture);
    let calls = "calls shop.log_one(integer), which is VOLATILE";
    let planned =
        format!("table shop.parent, in an index, a check, a partition key or statistics, {calls}");
    check(&effect_graph, "shop.parent", Some(&planned));
    check(&effect_graph, "shop.other", None);
    let plain = format!("function shop.plain(integer) {calls}");
    check(&effect_graph, "shop.plain(int4)", Some(&plain));
    check(&effect_graph, "shop.pure(int4)", None);
    check(
        &effect_graph,
        "making regtype",
        Some(&format!("type regtype {calls}")),
    );
    check(&effect_graph, "making regclass", None);
    for name in ["to_regtype", "to_tsvector", "pg_typeof"] {
        check_flags(
            &effect_graph,
            name,
            NameFlags::FUNCTION
                .with(NameFlags::FIELD)
                .with(NameFlags::IS_FUNCTION),
        );
    }
    check_flags(&effect_graph, "to_regclass", NameFlags::IS_FUNCTION);
}

#[test]
fn a_comparison_that_no_class_has_belongs_to_the_statement_alone() {
    let fixture = shop()
        .table("shop.docs", "doc json")
        .function("shop.same(json, json) bool", "volatile")
        .operator("shop.= (json, json) bool", "shop.same(json, json)");
    let effect_graph = agent(fixture);
    check(&effect_graph, "using json", None);
    check(&effect_graph, "shop.docs", None);
    check_flags(&effect_graph, "=", NameFlags::OPERATOR);
}
