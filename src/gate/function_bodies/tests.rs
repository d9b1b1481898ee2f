//! Functions of each kind behind each kind of thing, under paths of each kind.

use std::borrow::Cow;

use crate::cache::JudgementCache;
use crate::rules::check::{agent_with, gate, path_of, rule_of, session_of};
use crate::{Rule, SearchPaths, SessionNames, Verdict};
use catalog::fixture::CatalogFixture;
use policy::Policy;

/// A table and a view of one name, of which the view takes a lock; a hidden table of the name of
/// another one; and functions that read by those names.
fn database() -> CatalogFixture {
    CatalogFixture::new(15)
        .role("app")
        .schema("bad")
        .schema("good")
        .schema("empty")
        .schema("shop")
        .schema("plain")
        .table("public.t", "id int4, note text")
        .table("good.t", "id int4, note text")
        .view("bad.t", "id int4, note text", &["pg_advisory_lock(int8)"])
        .table("plain.secrets", "id int4, word text")
        .table("shop.secrets", "id int4, word text")
        .function("bad.twice(a int4) int4", "volatile")
        .function("public.twice(a int4) int4", "immutable")
        .text("public.twice(int4)", "SELECT a * 2")
        .function("bad.plus(a int4, b int4) int4", "volatile")
        .operator("bad.+ (int4, int4) int4", "bad.plus(int4, int4)")
        .function("public.total() int8", "stable")
        .text("public.total()", "SELECT count(*) FROM t")
        .function("public.outer_total() int8", "stable")
        .text("public.outer_total()", "SELECT public.total()")
        .function("public.fixed() int8", "stable path=public")
        .text("public.fixed()", "SELECT count(*) FROM t")
        .function("public.fixed_badly() int8", "stable path=bad")
        .text("public.fixed_badly()", "SELECT count(*) FROM t")
        .function("public.whole() int8", "stable")
        .text("public.whole()", "SELECT count(*) FROM public.t")
        .function("public.bound() int8", "stable")
        .body("public.bound()", &["public.t"])
        .function("public.opaque() int8", "stable language=plpgsql")
        .function(
            "public.opaque_fixed() int8",
            "stable language=plpgsql path=public",
        )
        .function("public.double(a int4) int4", "stable")
        .text(
            "public.double(int4)",
            "SELECT 1; SELECT twice($1) + double.a",
        )
        .function("public.equal(a int4, b int4) bool", "immutable")
        .text("public.equal(int4, int4)", "SELECT $1 + b = 3")
        .function("public.unread() int8", "stable")
        .text("public.unread()", "SELECT count(*) FROM")
        .function("public.writes() int8", "stable")
        .text("public.writes()", "INSERT INTO t VALUES (1); SELECT 1")
        .function("plain.lookup(a int4) text", "stable")
        .text(
            "plain.lookup(int4)",
            "SELECT word FROM secrets WHERE id = $1",
        )
        .function("plain.direct(a int4) text", "stable")
        .text(
            "plain.direct(int4)",
            "SELECT word FROM shop.secrets WHERE id = $1",
        )
        .view("public.v_total", "n int8", &["public.total()"])
        .operator("public.~~~ (int4, int4) bool", "public.equal(int4, int4)")
        .function("public.counts(s int8, a int4) int8", "stable")
        .text(
            "public.counts(int8, int4)",
            "SELECT $1 + (SELECT count(*) FROM t)",
        )
        .aggregate("public.counted(int4) int8", &["public.counts(int8, int4)"])
        .function("public.to_t(a int4) text", "stable")
        .text("public.to_t(int4)", "SELECT note FROM t WHERE id = a")
        .enumeration("public.mood")
        .function("public.moody(a int4) public.mood", "stable")
        .text(
            "public.moody(int4)",
            "SELECT note::public.mood FROM t WHERE id = a",
        )
        .cast("int4", "public.mood", Some("public.moody(int4)"), b'e')
        .domain("public.checked", "int4", &["public.total()"])
        .table("public.guarded", "id int4")
        .policy("public.guarded", "own", &["public.total()"])
        .table("public.planned", "id int4, c public.checked")
        .function("public.since(a int8 = default) int8", "stable path=public")
        .text("public.since(int8)", "SELECT a")
        .body("public.since(int8)", &["public.total()"])
}

/// Everything that runs `total` or the like.
const RUN_BY_PATH: &[&str] = &[
    "SELECT total()",
    "SELECT public.total()",
    "SELECT public.outer_total()",
    "SELECT * FROM public.total() AS x",
    "SELECT 1 ORDER BY public.total()",
    "SELECT * FROM public.v_total",
    "SELECT public.counted(1)",
    "SELECT 1::int4::public.mood",
    "SELECT 1::public.checked",
    "SELECT '1'::public.checked",
    "SELECT * FROM public.guarded",
    "SELECT public.since()",
    "EXPLAIN SELECT public.total()",
    "COPY (SELECT public.total()) TO STDOUT",
    "PREPARE p AS SELECT public.total()",
    "PREPARE p (public.checked) AS SELECT 1",
    "EXECUTE q (public.total())",
    "DECLARE c CURSOR FOR SELECT public.total()",
];

fn session(path: &[&str]) -> SessionNames {
    under(&Policy::agent(), path)
}

fn under(policy: &Policy, path: &[&str]) -> SessionNames {
    let mut names = session_of(database().build(), policy);
    names.set_role("app");
    names.set_paths(path_of(path));
    let prepared = gate(Policy::agent()).judge("PREPARE q (int8) AS SELECT $1".into(), &names);
    for effect in &prepared.facts.effects {
        names.apply(effect);
    }
    names
}

#[track_caller]
fn check(names: &SessionNames, wanted: Option<Rule>, texts: &[&str]) {
    check_policy(Policy::agent(), names, wanted, texts);
}

#[track_caller]
fn check_policy(policy: Policy, names: &SessionNames, wanted: Option<Rule>, texts: &[&str]) {
    let gate = gate(policy);
    for text in texts {
        let judgement = gate.judge(Cow::Borrowed(text), names);
        assert_eq!(rule_of(&judgement), wanted, "{text}: {judgement:?}");
    }
}

const HOME: &[&str] = &["$user", "public"];

#[test]
fn what_a_body_means_under_another_path_is_refused_as_if_it_were_sent() {
    check(&session(HOME), None, RUN_BY_PATH);
    check(
        &session(&["bad", "public"]),
        Some(Rule::FunctionPath),
        RUN_BY_PATH[1..].as_ref(),
    );
    // A path that leads to the same, or to other tables that may be read.
    check(&session(&["public"]), None, RUN_BY_PATH);
    check(
        &session(&["nowhere", "public", "public"]),
        None,
        RUN_BY_PATH,
    );
    check(&session(&["empty", "public"]), None, RUN_BY_PATH);
    check(&session(&["good", "public"]), None, RUN_BY_PATH);
}

#[test]
fn functions_and_operators_of_a_body_are_looked_up_too() {
    let shadowed = ["bad", "public", "pg_catalog"];
    check(
        &session(&["bad", "public"]),
        Some(Rule::FunctionPath),
        &["SELECT public.double(1)"],
    );
    check(&session(HOME), None, &["SELECT public.double(1)"]);
    let bound = [
        "SELECT public.equal(1, 2)",
        "SELECT 1 OPERATOR(public.~~~) 2",
    ];
    check(&session(&["bad", "public"]), None, &bound[..1]);
    check(&session(&shadowed), Some(Rule::FunctionPath), &bound[..1]);
    let written = session(&shadowed);
    check(&written, Some(Rule::FunctionPath), &["SELECT 1 ~~~ 2"]);
    check(&session(&["bad", "public"]), None, &["SELECT 1 ~~~ 2"]);
}

#[test]
fn neighbours_pass_under_any_path() {
    let neighbours = [
        "SELECT public.fixed(), public.whole(), public.bound(), public.opaque_fixed()",
        "SELECT public.twice(1)",
        "SELECT 1",
        "SELECT * FROM public.t",
        // A value that is stored is not checked again.
        "SELECT * FROM public.planned",
    ];
    for path in [HOME, &["bad", "public"], &["bad"], &[], &["shop", "plain"]] {
        check(&session(path), None, &neighbours);
    }
    check(
        &session(HOME),
        Some(Rule::HiddenFunction),
        &["SELECT public.fixed_badly()"],
    );
    check(
        &session(&["bad"]),
        Some(Rule::HiddenFunction),
        &["SELECT public.fixed_badly()"],
    );
}

#[test]
fn what_cannot_be_read_is_trusted_where_sessions_begin_and_nowhere_else() {
    let unread = [
        "SELECT public.opaque()",
        "SELECT public.unread()",
        "SELECT public.writes()",
    ];
    check(&session(HOME), None, &unread);
    check(&session(&["public"]), None, &unread);
    for path in [&["good", "public"][..], &["bad"], &[]] {
        check(&session(path), Some(Rule::FunctionPath), &unread);
    }
    let mut names = session(HOME);
    names.set_paths(SearchPaths::Unknown);
    check(&names, Some(Rule::FunctionPath), &unread);
    check(&names, Some(Rule::FunctionPath), RUN_BY_PATH);
    let policy = || {
        let any = "\nfunctions:\n  any_search_path: [public.opaque, public.unread, \"total()\"]\n";
        agent_with(&[("\nfunctions:\n", any)], "")
    };
    let names = under(&policy(), &["bad", "public"]);
    check_policy(policy(), &names, None, &unread[..2]);
    check_policy(policy(), &names, None, &["SELECT public.total()"]);
    check_policy(policy(), &names, Some(Rule::FunctionPath), &unread[2..]);
}

#[test]
fn a_role_and_a_database_may_begin_elsewhere() {
    let mut fixture = database();
    let role = fixture
        .rows()
        .roles
        .iter_mut()
        .find(|row| row.name == "app");
    role.unwrap().search_path = Some("good, public".into());
    let mut names = session_of(fixture.build(), &Policy::agent());
    names.set_role("app");
    for (path, wanted) in [
        (&["good", "public"][..], None),
        (&["$user", "public"], Some(Rule::FunctionPath)),
    ] {
        names.set_paths(path_of(path));
        check(&names, wanted, &["SELECT public.opaque()"]);
    }
    let mut fixture = database();
    fixture.rows().search_path = "bad, public".into();
    let mut names = session_of(fixture.build(), &Policy::agent());
    names.set_role("app");
    names.set_paths(path_of(&["bad", "public"]));
    check(&names, None, &["SELECT public.opaque()"]);
    // It is read, and what it does is seen.
    check(
        &names,
        Some(Rule::HiddenFunction),
        &["SELECT public.total()"],
    );
}

#[test]
fn a_function_that_a_policy_names_prints_no_hidden_rows() {
    let policy = || {
        agent_with(
            &[("  allow: []\n", "  allow: [plain.lookup, plain.direct]\n")],
            "\nrelations: {deny: [shop.secrets]}\n",
        )
    };
    let calls = ["SELECT plain.lookup(1)"];
    let direct = ["SELECT plain.direct(1)"];
    for (path, wanted) in [
        (HOME, None),
        (&["plain"][..], None),
        (&["shop"], Some(Rule::FunctionPath)),
        (&["shop", "plain"], Some(Rule::FunctionPath)),
    ] {
        let names = under(&policy(), path);
        check_policy(policy(), &names, wanted, &calls);
        // Whoever named it has read it, and it means what it says.
        check_policy(policy(), &names, None, &direct);
    }
}

#[test]
fn a_path_that_is_set_while_the_statement_runs_counts() {
    let names = session(HOME);
    let bi = || gate(Policy::bi());
    for (text, wanted) in [
        (
            "SELECT set_config('search_path', 'bad, public', false), total()",
            true,
        ),
        (
            "SELECT set_config('search_path', 'public', true), total()",
            false,
        ),
        (
            "SELECT set_config('search_path', NULL, true), total()",
            true,
        ),
        ("SELECT set_config('jit', 'off', true), total()", false),
        ("SET search_path = bad, public; SELECT public.total()", true),
        (
            "BEGIN; SET LOCAL search_path = bad, public; SELECT public.total()",
            true,
        ),
        ("SET search_path = public; SELECT total()", false),
    ] {
        let judgement = bi().judge(text.into(), &names);
        let rule = rule_of(&judgement);
        assert_eq!(rule, wanted.then_some(Rule::FunctionPath), "{text}");
    }
}

#[test]
fn a_cursor_runs_on_where_it_was_opened_and_nowhere_else() {
    let gate = gate(Policy::agent());
    let mut names = session(&["public"]);
    for text in [
        "DECLARE c CURSOR FOR SELECT public.total() FROM generate_series(1, 9)",
        "DECLARE d CURSOR FOR SELECT 1",
    ] {
        for effect in &gate.judge(text.into(), &names).facts.effects {
            names.apply(effect);
        }
    }
    let fetch = |names: &SessionNames, name: &str| {
        let text = format!("FETCH {name}");
        rule_of(&gate.judge(text.into(), names))
    };
    assert_eq!(fetch(&names, "c"), None);
    names.set_paths(path_of(&["bad", "public"]));
    assert_eq!(fetch(&names, "c"), Some(Rule::FunctionPath));
    assert_eq!(fetch(&names, "d"), None);
    let cursor = names.cursor("c").unwrap();
    assert!(gate.still_runs(cursor, &names).is_err());
    names.set_paths(path_of(&["public"]));
    assert_eq!(fetch(&names, "c"), None);
}

#[test]
fn parameters_of_a_type_are_made_by_the_path_as_well() {
    let gate = gate(Policy::agent());
    let mut names = session(HOME);
    let effect_graph = names.effect_graph().unwrap();
    let id = effect_graph.catalog().type_called("public.checked");
    let oid = effect_graph.catalog().data_type(id).oid.0;
    assert!(gate.permits_parameters([oid], &names).is_ok());
    names.set_paths(path_of(&["bad", "public"]));
    let refused = gate.permits_parameters([oid], &names).unwrap_err();
    assert_eq!(refused.rule, Rule::FunctionPath);
    assert!(gate.permits_parameters([23], &names).is_ok());
}

#[test]
fn verdicts_are_kept_for_one_path() {
    let (gate, mut cache) = (gate(Policy::agent()), JudgementCache::new());
    let mut names = session(HOME);
    let text = "SELECT public.total()";
    for _ in 0..3 {
        assert_eq!(rule_of(&cache.judge(&gate, text.into(), &names)), None);
    }
    names.set_paths(path_of(&["bad", "public"]));
    let refused = cache.judge(&gate, text.into(), &names);
    assert_eq!(rule_of(&refused), Some(Rule::FunctionPath));
}

#[test]
fn the_refusal_says_what_to_do() {
    let names = session(&["bad", "public"]);
    let judgement = gate(Policy::agent()).judge("SELECT public.total()".into(), &names);
    let Verdict::Refused(refusal) = judgement.verdict else {
        panic!("not refused");
    };
    assert!(
        refusal.detail.contains("function public.total()"),
        "{}",
        refusal.detail
    );
    assert!(
        refusal.detail.contains("rule view_effects"),
        "{}",
        refusal.detail
    );
    assert!(refusal.hint.contains("ALTER FUNCTION"), "{}", refusal.hint);
    assert_eq!(refusal.position, Some(8));
}

#[test]
fn a_definer_looks_where_its_owner_may() {
    // The client's role may not use the schema, so that its own path seems to be the usual one.
    let policy = || agent_with(&[("  allow: []\n", "  allow: [public.definer]\n")], "");
    let fixture = database()
        .rights("schema bad", Some(&[]))
        .function("public.definer() int8", "stable definer")
        .text("public.definer()", "SELECT count(*) FROM t");
    let mut names = session_of(fixture.build(), &policy());
    names.set_role("app");
    names.set_paths(path_of(&["bad", "public"]));
    let call = ["SELECT public.definer()"];
    check_policy(policy(), &names, Some(Rule::FunctionPath), &call);
    check_policy(policy(), &names, None, &["SELECT public.total()"]);
    names.set_paths(path_of(HOME));
    check_policy(policy(), &names, None, &call);
}

#[test]
fn casts_that_happen_unasked_are_looked_at_once_for_each_path() {
    let fixture = database()
        .function(
            "public.as_text(a public.mood) text",
            "stable language=plpgsql",
        )
        .cast(
            "public.mood",
            "text",
            Some("public.as_text(public.mood)"),
            b'i',
        )
        .table("public.moods", "m public.mood");
    let mut names = session_of(fixture.build(), &Policy::agent());
    names.set_role("app");
    names.set_paths(path_of(HOME));
    let happens = ["SELECT lower(m) FROM public.moods"];
    let beside = ["SELECT lower(note) FROM public.t", "SELECT 1 + 1"];
    check(&names, None, &happens);
    check(&names, None, &beside);
    names.set_paths(path_of(&["bad", "public"]));
    check(&names, Some(Rule::FunctionPath), &happens);
    check(&names, None, &beside);
}

#[test]
fn functions_that_call_each_other_end() {
    let fixture = database()
        .function("public.ping(a int4) int4", "stable")
        .text("public.ping(int4)", "SELECT pong(a)")
        .function("public.pong(a int4) int4", "stable")
        .text("public.pong(int4)", "SELECT ping(a) FROM t");
    let mut names = session_of(fixture.build(), &Policy::agent());
    names.set_role("app");
    for (path, wanted) in [
        (HOME, None),
        (&["good", "public"][..], None),
        (&["bad", "public"], Some(Rule::FunctionPath)),
    ] {
        names.set_paths(path_of(path));
        check(
            &names,
            wanted,
            &["SELECT public.ping(1)", "SELECT public.pong(1)"],
        );
    }
}

#[test]
fn the_servers_own_bodies_count_where_its_schema_is_not_the_first() {
    let fixture = CatalogFixture::new(13)
        .role("app")
        .schema("bad")
        .function("bad.plus(a date, b interval) timestamp", "volatile")
        .operator(
            "bad.+ (date, interval) timestamp",
            "bad.plus(date, interval)",
        )
        .text("interval_pl_date(interval, date)", "select $2 + $1");
    let mut names = session_of(fixture.build(), &Policy::bi());
    names.set_role("app");
    names.set_server_major(13);
    let sum = ["SELECT interval '1 day' + date '2026-01-01'"];
    for (path, wanted) in [
        (&["bad", "public"][..], None),
        (&["pg_catalog", "bad"], None),
        (&["bad", "pg_catalog"], Some(Rule::FunctionPath)),
    ] {
        names.set_paths(path_of(path));
        check(&names, wanted, &sum);
    }
}

#[test]
fn another_sessions_temporary_schema_in_a_path_is_no_path() {
    check(
        &session(&["pg_temp_3", "$user", "public"]),
        Some(Rule::TempSchema),
        &["SELECT public.total()", "SELECT public.opaque()"],
    );
}

#[test]
fn a_function_that_a_policy_names_may_have_set_the_path_and_others_run_on() {
    let unsure = |path: &[&str]| {
        let path: Box<[Box<str>]> = path.iter().map(|name| Box::from(*name)).collect();
        SearchPaths::Unsure(Box::new([path]))
    };
    let mut names = session(HOME);
    let calls = ["SELECT public.total()", "SELECT public.opaque()"];
    names.set_paths(unsure(HOME));
    check(&names, None, &calls);
    names.set_paths(unsure(&["bad", "public"]));
    check(&names, Some(Rule::FunctionPath), &calls);
}
