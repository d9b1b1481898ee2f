//! Both looks, on a database with one thing of each kind.

use std::borrow::Cow;
use std::sync::Arc;

use crate::cache::JudgementCache;
use crate::effects::graph::EffectGraph;
use crate::rules::check::{
    check_shop, check_shop_as, gate, hides, names_of_shop, path_of, people, rule_of, session_of,
    shop,
};
use crate::{
    ParameterTypes, PreparedStatement, Rule, SearchPaths, SessionEffect, SessionNames, Verdict,
    VerdictDepth,
};
use ground::sqlstate;
use policy::Policy;

#[test]
fn what_only_stands_beside_an_effect_passes() {
    check_shop(
        Rule::HiddenFunction,
        &[],
        &[
            "SELECT * FROM shop.orders WHERE id = 1 AND total BETWEEN 1 AND 2",
            "SELECT o.* FROM shop.orders o JOIN shop.v_clean v USING (id)",
            "WITH v_totals AS (SELECT 1 AS id) SELECT * FROM v_totals",
            "SELECT pg_catalog.lower('A'), lower('A'), lower(note::text) FROM shop.orders",
            "SELECT lower(int4range(1, 2))",
            "SELECT '{}'::jsonb, jsonb('{}'), uuid('00000000-0000-0000-0000-000000000000')",
            "SELECT 5::shop.positive, NULL::shop.orders",
            "SELECT o.weigh FROM (SELECT 1 AS weigh) o",
            "SELECT (o).weigh FROM (SELECT 1 AS weigh) o",
            "SELECT pg_typeof(id), count(*) OVER () FROM shop.orders GROUP BY id",
            "SELECT 1 AS settle ORDER BY settle",
            "SELECT set_config('jit', 'off', false), pg_advisory_unlock_all()",
        ],
    );
}

#[test]
fn effects_are_seen_in_every_notation() {
    check_shop(
        Rule::HiddenFunction,
        &[
            "SELECT shop.settle()",
            "SELECT * FROM shop.settle() s",
            "SELECT * FROM ROWS FROM (shop.settle(), generate_series(1, 2)) r",
            "SELECT 1 ORDER BY shop.settle()",
            "EXPLAIN SELECT shop.settle()",
            "COPY (SELECT shop.settle()) TO STDOUT",
            "PREPARE p AS SELECT shop.settle()",
            "DECLARE c CURSOR FOR SELECT shop.settle()",
            "SELECT shop.weigh(o) FROM shop.orders o",
            "SELECT shop.pack(1)",
        ],
        &[],
    );
    check_shop(
        Rule::ViewEffects,
        &[
            "TABLE shop.v_totals",
            "SELECT 1 FROM shop.v_totals v",
            "SELECT (SELECT max(id) FROM shop.v_totals)",
            "WITH v AS (SELECT * FROM shop.v_totals) SELECT 1",
            "SELECT * FROM ONLY shop.v_totals",
        ],
        &[],
    );
    check_shop(
        Rule::OperatorEffects,
        &[
            "SELECT 1 === 2",
            "SELECT 1 OPERATOR(public.===) 2",
            "SELECT 1 === ANY (ARRAY[1])",
            "SELECT 1 === ALL (SELECT 1)",
            "SELECT id FROM shop.orders WHERE id === $1",
        ],
        &[],
    );
    check_shop(
        Rule::TypeEffects,
        &[
            "SELECT 'x'::shop.checked",
            "SELECT CAST(note AS shop.checked) FROM shop.orders",
            "SELECT shop.checked 'x'",
            "SELECT '{x}'::shop.checked[]",
            "SELECT shop.checked('x')",
            "SELECT * FROM json_to_record('{}') AS r (a shop.checked)",
            "SELECT * FROM xmltable('/a' PASSING '<a/>' COLUMNS a shop.checked)",
            "PREPARE p (shop.checked) AS SELECT $1",
        ],
        &[],
    );
    check_shop(Rule::CastEffects, &["SELECT CAST(1 AS shop.parcel)"], &[]);
}

#[test]
fn operators_that_syntax_implies_are_seen() {
    let equal = |name: &str| {
        shop()
            .function("shop.eq(a int4, b text) bool", "volatile")
            .operator(
                &format!("public.{name} (int4, text) bool"),
                "shop.eq(int4, text)",
            )
    };
    let policy = Policy::agent();
    for (operator, statements) in [
        (
            "=",
            &[
                "SELECT 1 IN ('a'::text)",
                "SELECT 1 = ANY (ARRAY['a'::text])",
                "SELECT 1 IN (SELECT 'a'::text)",
                "SELECT NULLIF(1, 'a'::text)",
                "SELECT CASE 1 WHEN 'a'::text THEN 1 END",
                "SELECT 1 IS DISTINCT FROM 'a'::text",
                "SELECT 1 FROM (SELECT 1 AS a) x JOIN (SELECT 'a'::text AS a) y USING (a)",
                "SELECT 1 FROM (SELECT 1 AS a) x NATURAL JOIN (SELECT 'a'::text AS a) y",
                "SELECT (1, 2) = ('a'::text, 2)",
            ][..],
        ),
        (
            "<>",
            &[
                "SELECT 1 NOT IN ('a'::text)",
                "SELECT 1 <> ALL ('{a}'::text[])",
            ],
        ),
        (">=", &["SELECT 1 BETWEEN 'a'::text AND 'b'::text"]),
        ("<", &["SELECT 1 NOT BETWEEN 'a'::text AND 'b'::text"]),
        ("~~", &["SELECT 1 LIKE 'a'::text"]),
        ("~~*", &["SELECT 1 ILIKE 'a'::text"]),
        ("~", &["SELECT 1 SIMILAR TO 'a'::text"]),
    ] {
        let names = session_of(equal(operator).build(), &policy);
        check_shop_as(
            &names,
            Rule::OperatorEffects,
            statements,
            &["SELECT 1 IN (1, 2), 1 BETWEEN 0 AND 2, 'a' LIKE 'a', NULLIF(1, 2), 'a'::text = 'b'"],
        );
    }
}

#[test]
fn a_function_that_nobody_has_is_told_as_the_server_tells_it() {
    check_shop(
        Rule::UnknownFunction,
        &[
            "SELECT nobody(1)",
            "SELECT shop.nobody()",
            "SELECT shop.lower('A')",
        ],
        &[],
    );
    let judgement = gate(Policy::agent()).judge("SELECT nobody(1)".into(), &names_of_shop());
    let Verdict::Refused(refusal) = judgement.verdict else {
        panic!("permitted");
    };
    assert_eq!(refusal.sqlstate.as_str(), "42883");
    assert_eq!(refusal.message, "function nobody(integer) does not exist");
    assert_eq!(refusal.position, Some(8));
    assert_eq!(judgement.facts.depth, VerdictDepth::Names);
}

#[test]
fn a_refusal_names_the_thing_to_those_who_may_see_it() {
    let gate = gate(Policy::agent());
    let told = |names: &SessionNames| {
        let judgement = gate.judge("SELECT 'é', * FROM shop.v_totals".into(), names);
        let Verdict::Refused(refusal) = judgement.verdict else {
            panic!("permitted");
        };
        (refusal.detail, refusal.position)
    };
    let (detail, position) = told(&names_of_shop());
    assert_eq!(
        detail,
        "rule: view_effects (view shop.v_totals calls pg_advisory_lock, which takes or releases \
         advisory locks)"
    );
    assert_eq!(position, Some(20));
    let mut closed = shop();
    for row in &mut closed.rows().schemas {
        row.acl = None;
    }
    let mut names = session_of(closed.build(), &Policy::agent());
    names.set_role("nobody");
    let (detail, _) = told(&names);
    assert_eq!(detail, "rule: view_effects");
}

#[test]
fn what_is_not_known_counts_as_the_worst() {
    let harmless = "SELECT lower('A')";
    let mut names = names_of_shop();
    check_shop_as(&names, Rule::OverloadedBuiltin, &[], &[harmless]);
    names.set_paths(SearchPaths::Unknown);
    check_shop_as(
        &names,
        Rule::OverloadedBuiltin,
        &[harmless],
        &["SELECT upper('A')"],
    );
    names.set_paths(path_of(&["public"]));
    names.set_role("nobody");
    check_shop_as(
        &names,
        Rule::OverloadedBuiltin,
        &[harmless],
        &["SELECT upper('A')"],
    );
    let mut names = names_of_shop();
    let paths = [path_of(&["pg_catalog"]), path_of(&["shop"])].map(|path| match path {
        SearchPaths::Known(paths) => paths.into_vec(),
        SearchPaths::Unsure(_) | SearchPaths::Unknown => Vec::new(),
    });
    names.set_paths(SearchPaths::Known(paths.concat().into()));
    check_shop_as(
        &names,
        Rule::HiddenFunction,
        &["SELECT settle()"],
        &[harmless],
    );
    let deep = format!(
        "SELECT lower({}'A'{})",
        "(SELECT ".repeat(900),
        ")".repeat(900)
    );
    check_shop(Rule::OverloadedBuiltin, &[&deep], &[]);
}

#[test]
fn what_is_prepared_is_judged_again_where_it_stands_on_other_grounds() {
    let gate = gate(Policy::agent());
    let mut names = names_of_shop();
    names.set_paths(path_of(&["public"]));
    for sql in [
        "PREPARE p AS SELECT settle()",
        "BEGIN",
        "PREPARE q AS SELECT lower('A')",
    ] {
        let judgement = gate.judge(Cow::Borrowed(sql), &names);
        assert_eq!(rule_of(&judgement), None, "{sql}");
        for effect in &judgement.facts.effects {
            names.apply(effect);
        }
    }
    let ruled =
        |names: &SessionNames, sql: &str| rule_of(&gate.judge(sql.to_owned().into(), names));
    assert_eq!(ruled(&names, "EXECUTE p"), None);
    assert_eq!(ruled(&names, "EXECUTE q"), None);
    names.set_paths(path_of(&["shop"]));
    assert_eq!(ruled(&names, "EXECUTE p"), Some(Rule::HiddenFunction));
    assert_eq!(
        ruled(&names, "EXPLAIN EXECUTE p"),
        Some(Rule::HiddenFunction)
    );
    assert_eq!(ruled(&names, "EXECUTE q"), None);
    let prepared = names.prepared("p").unwrap().clone();
    assert!(!prepared.facts.holds_on(names.basis()));
    let refused = gate.still_permits(&prepared, &names);
    assert_eq!(refused.unwrap_err().rule, Rule::HiddenFunction);
    let q = names.prepared("q").unwrap().clone();
    assert!(gate.still_permits(&q, &names).is_ok());
    // A Parse message of EXECUTE depends on a name: it is judged again each time.
    let execute = gate.judge("EXECUTE q".into(), &names);
    assert!(!execute.facts.holds_on(names.basis()));
    names.add_prepared("again", execute.facts, "EXECUTE q".into());
    let again = names.prepared("again").unwrap();
    assert!(gate.still_permits(again, &names).is_ok());
    assert_eq!(ruled(&names, "EXECUTE again"), Some(Rule::PreparedName));
}

#[test]
fn a_cursor_keeps_its_plan_and_meets_new_snapshots() {
    let gate = gate(Policy::agent());
    let mut names = names_of_shop();
    let fetch = |names: &SessionNames| rule_of(&gate.judge("FETCH c".into(), names));
    let declare = gate.judge("DECLARE c CURSOR FOR SELECT shop.vat(1)".into(), &names);
    for effect in &declare.facts.effects {
        names.apply(effect);
    }
    assert_eq!(fetch(&names), None);
    names.set_paths(path_of(&["shop"]));
    assert_eq!(fetch(&names), None);
    // The function is another one now.
    let mut changed = shop();
    for row in &mut changed.rows().functions {
        if row.name == "vat" {
            row.volatility = b'v';
        }
    }
    let effect_graph = EffectGraph::new(Arc::new(changed.build()), &Policy::agent());
    names.set_effect_graph(Some(Arc::new(effect_graph)));
    assert_eq!(fetch(&names), Some(Rule::HiddenFunction));
    let cursor = names.cursor("c").unwrap().clone();
    assert_eq!(
        gate.still_runs(&cursor, &names).unwrap_err().rule,
        Rule::HiddenFunction
    );
}

#[test]
fn what_the_policy_names_may_set_what_it_likes() {
    let yaml = include_str!("../../../policies/agent.yaml")
        .replace("  allow: []", "  allow: [shop.settle]");
    let policy = Policy::from_yaml(&yaml).unwrap();
    let names = session_of(shop().build(), &policy);
    let gate = gate(policy);
    for (sql, expected) in [
        (
            "SELECT shop.settle()",
            "[SettingsTouched, SearchPathSet, SettingSet]",
        ),
        ("SELECT shop.vat(1)", "[]"),
        ("SELECT lower('A')", "[]"),
    ] {
        let judgement = gate.judge(sql.into(), &names);
        assert_eq!(rule_of(&judgement), None, "{sql}");
        assert_eq!(format!("{:?}", judgement.facts.effects), expected, "{sql}");
    }
}

#[test]
fn names_of_a_later_statement_are_looked_up_where_an_earlier_one_says() {
    let policy = Policy::bi();
    let mut names = session_of(shop().build(), &policy);
    names.set_paths(path_of(&["public"]));
    let gate = gate(policy);
    let ruled = |sql: &str| rule_of(&gate.judge(sql.to_owned().into(), &names));
    assert_eq!(ruled("SELECT settle()"), None);
    for sql in [
        "SET search_path = shop; SELECT settle()",
        "SELECT set_config('search_path', 'shop', false); SELECT settle()",
        "BEGIN; SET LOCAL search_path = shop; SELECT settle()",
        "PREPARE p AS SELECT settle(); SET search_path = shop; EXECUTE p",
        // Where these lead is not known here.
        "RESET search_path; SELECT settle()",
        "ROLLBACK; SELECT settle()",
        "COMMIT; SELECT settle()",
        "SET search_path = shop; EXPLAIN SELECT set_config('search_path', 'a', false); \
         SELECT settle()",
        "SET search_path = shop; PREPARE p AS SELECT set_config('search_path', 'a', false); \
         SELECT settle()",
        "PREPARE p AS SELECT set_config('search_path', 'shop', false); EXECUTE p; SELECT settle()",
    ] {
        assert_eq!(ruled(sql), Some(Rule::HiddenFunction), "{sql}");
    }
    for sql in [
        "SET search_path = public; SELECT settle()",
        "SELECT set_config('search_path', 'shop', false), settle()",
        "SET search_path = shop; SELECT vat(1)",
        "EXPLAIN SELECT set_config('search_path', 'shop', false); SELECT settle()",
        "PREPARE p AS SELECT settle(); SET search_path = public; EXECUTE p",
    ] {
        assert_eq!(ruled(sql), None, "{sql}");
    }
    let judgement = gate.judge("SET search_path = shop; SELECT 1".into(), &names);
    let [_, SessionEffect::SearchPathSet { .. }] = &*judgement.facts.effects else {
        panic!("{:?}", judgement.facts.effects);
    };
}

#[test]
fn parameters_are_values_of_their_types() {
    let gate = gate(Policy::agent());
    let names = names_of_shop();
    let catalog = names.effect_graph().unwrap().catalog();
    let oid = |name: &str| catalog.data_type(catalog.type_called(name)).oid.0;
    let ruled = |oid: u32, names: &SessionNames| {
        let judged = gate.permits_parameters([0, oid], names);
        judged.err().map(|refusal| refusal.rule)
    };
    assert_eq!(ruled(oid("int4"), &names), None);
    assert_eq!(ruled(oid("shop.positive"), &names), None);
    assert_eq!(ruled(oid("shop.checked"), &names), Some(Rule::TypeEffects));
    assert_eq!(ruled(99_999, &names), Some(Rule::TypeEffects));
    let blind = SessionNames::default();
    assert_eq!(ruled(23, &blind), None);
    assert_eq!(ruled(99_999, &blind), Some(Rule::CatalogMissing));
    assert_eq!(ruled(99_999, &SessionNames::of_no_database()), None);
}

#[test]
fn parameters_of_types_of_another_session_are_not_taken() {
    let fixture = shop()
        .schema("pg_temp_3")
        .domain("pg_temp_3.d", "int4", &[])
        .domain("shop.upon", "pg_temp_3.d", &[]);
    let policy = Policy::agent();
    let names = session_of(fixture.build(), &policy);
    let gate = gate(policy);
    let catalog = names.effect_graph().unwrap().catalog();
    for name in ["pg_temp_3.d", "shop.upon"] {
        let oid = catalog.data_type(catalog.type_called(name)).oid.0;
        let judged = gate.permits_parameters([oid], &names);
        assert_eq!(judged.unwrap_err().rule, Rule::TypeEffects, "{name}");
    }
}

#[test]
fn a_parameter_is_what_the_client_says_it_is() {
    const INT4: u32 = 23;
    const TEXT: u32 = 25;
    let policy = Policy::agent();
    let spelled = shop()
        .function("shop.spelled(a int4, b text) bool", "volatile")
        .operator("public.= (int4, text) bool", "shop.spelled(int4, text)");
    let names = session_of(spelled.build(), &policy);
    let gate = gate(policy);
    let mut cache = JudgementCache::new();
    let mut ruled = |sql: &'static str, parameters: &ParameterTypes| {
        let judgement = gate.judge_with(sql.into(), parameters, &names);
        let rule = rule_of(&judgement);
        // The first time a text is seen, the second time it is kept.
        for _ in 0..3 {
            let (kept, _) = cache.judge_with(&gate, sql.into(), parameters, &names);
            assert_eq!(rule_of(&kept), rule, "{sql}");
        }
        let prepared = PreparedStatement {
            facts: judgement.facts,
            text: sql.into(),
            parameters: parameters.clone(),
            digests: None,
            sent: None,
        };
        let again = gate.still_permits(&prepared, &names);
        assert_eq!(again.err().map(|refusal| refusal.rule), rule, "{sql}");
        rule
    };
    let found = "SELECT total FROM shop.orders WHERE id = $1";
    assert_eq!(ruled(found, &ParameterTypes::none_given()), None);
    assert_eq!(ruled(found, &ParameterTypes::given([0])), None);
    assert_eq!(ruled(found, &ParameterTypes::given([INT4])), None);
    let spelled = Some(Rule::OperatorEffects);
    assert_eq!(ruled(found, &ParameterTypes::given([TEXT])), spelled);
    assert_eq!(ruled(found, &ParameterTypes::given([99_999])), spelled);
    assert_eq!(ruled(found, &ParameterTypes::Unknown), spelled);
    assert_eq!(ruled(found, &ParameterTypes::given([INT4])), None);
    // What the first place makes of a parameter holds at the second one.
    let twice = "SELECT note = $1 FROM shop.orders WHERE id = $1";
    assert_eq!(ruled(twice, &ParameterTypes::none_given()), spelled);
    let alike = "SELECT $1::int4 FROM shop.orders WHERE id = $1::int4";
    assert_eq!(ruled(alike, &ParameterTypes::none_given()), None);
    let cast = "SELECT $1::text FROM shop.orders WHERE id = $1::text";
    assert_eq!(ruled(cast, &ParameterTypes::none_given()), spelled);
    let named = "PREPARE p AS SELECT total FROM shop.orders WHERE id = $1";
    assert_eq!(ruled(named, &ParameterTypes::given([TEXT])), None);
    let typed = "PREPARE p(text) AS SELECT total FROM shop.orders WHERE id = $1";
    assert_eq!(ruled(typed, &ParameterTypes::given([INT4])), spelled);
}

#[test]
fn a_name_that_is_missing_is_told_where_nothing_else_is_known_to_be_wrong() {
    let (gate, names) = (gate(Policy::agent()), names_of_shop());
    let told = |sql: &'static str| match gate.judge(sql.into(), &names).verdict {
        Verdict::Refused(refusal) => (refusal.sqlstate, refusal.position, refusal.detail),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        told("SELECT lower(nothing) FROM shop.orders"),
        (
            sqlstate::UNDEFINED_COLUMN,
            Some(14),
            "rule: overloaded_builtin (column nothing)".into()
        )
    );
    assert_eq!(
        told("SELECT lower(o.note) FROM shop.order o"),
        (
            sqlstate::UNDEFINED_TABLE,
            Some(27),
            "rule: overloaded_builtin (relation shop.order)".into()
        )
    );
    // The server finds out first that the column is not there.
    assert_eq!(
        told("SELECT nothing FROM shop.v_totals"),
        (
            sqlstate::UNDEFINED_COLUMN,
            Some(8),
            "rule: view_effects (column nothing)".into()
        )
    );
    // Here everything is.
    let told = told("SELECT id FROM shop.v_totals");
    assert_eq!(told.0, sqlstate::INSUFFICIENT_PRIVILEGE);
}

/// What the policy may hide is told as before, whether it is there or not.
#[test]
fn a_name_that_the_policy_may_hide_is_not_told_to_be_missing() {
    let policy = hides();
    let names = session_of(people().build(), &policy);
    let gate = gate(policy);
    let told = |sql: &'static str| match gate.judge(sql.into(), &names).verdict {
        Verdict::Refused(refusal) => (refusal.sqlstate, refusal.message, refusal.detail),
        other => panic!("{other:?}"),
    };
    for [there, missing] in [
        [
            "SELECT pg_sleep(secret) FROM shop.people",
            "SELECT pg_sleep(secret) FROM shop.people, shop.nothing",
        ],
        [
            "SELECT pg_sleep(1), secret FROM shop.people",
            "SELECT pg_sleep(1), nothing.secret FROM shop.people",
        ],
    ] {
        assert_eq!(told(there), told(missing), "{missing}");
    }
    // What it cannot hide is.
    let (code, message, _) = told("SELECT nobody(id) FROM shop.people");
    assert_eq!(code, sqlstate::UNDEFINED_FUNCTION);
    assert_eq!(message, "function nobody(integer) does not exist");
    let (code, ..) = told("SELECT pg_sleep(1), nothing FROM shop.people");
    assert_eq!(code, sqlstate::UNDEFINED_COLUMN);
}

#[test]
fn a_session_can_be_reset_beside_casts_that_happen_unasked() {
    let policy = Policy::agent();
    let implicit = shop()
        .function("shop.print(a point) text", "volatile")
        .cast("point", "text", Some("shop.print(point)"), b'i');
    let names = session_of(implicit.build(), &policy);
    check_shop_as(
        &names,
        Rule::CastEffects,
        &["RESET ALL; SELECT set_config('jit', point '(1,2)', false)"],
        &[
            "RESET ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP",
            "SELECT pg_advisory_unlock_all(); RESET ALL",
        ],
    );
}

#[test]
fn what_an_execute_is_given_is_cast_to_what_it_takes() {
    let policy = Policy::agent();
    let assigned = shop()
        .function("shop.print(a point) text", "volatile")
        .cast("point", "text", Some("shop.print(point)"), b'a');
    let mut names = session_of(assigned.build(), &policy);
    let gate = gate(policy);
    let prepare = gate.judge("PREPARE p AS SELECT upper($1)".into(), &names);
    for effect in &prepare.facts.effects {
        names.apply(effect);
    }
    let ruled = |sql: &str| rule_of(&gate.judge(sql.to_owned().into(), &names));
    assert_eq!(ruled("EXECUTE p(point '(1,2)')"), Some(Rule::CastEffects));
    assert_eq!(ruled("EXECUTE p('a')"), None);
    assert_eq!(ruled("EXECUTE p(NULL)"), None);
}

#[test]
fn a_server_may_fold_letters_that_are_not_folded_here() {
    let policy = Policy::agent();
    let accented = shop().view("public.évil", "id int4", &["pg_advisory_lock(int8)"]);
    let names = session_of(accented.build(), &policy);
    check_shop_as(
        &names,
        Rule::ViewEffects,
        &[
            "SELECT * FROM évil",
            "SELECT * FROM ÉVIL",
            "SELECT * FROM public.Évil",
        ],
        &["SELECT 'ÉVIL' AS \"ÉVIL\""],
    );
}

#[test]
fn names_that_another_encoding_reads_otherwise_are_seen() {
    let judged = |other_encoding: bool, text: &str| {
        let long = format!("shop.{}", "é".repeat(40));
        let mut fixture = shop().view(&long, "id int4", &["pg_advisory_lock(int8)"]);
        fixture.rows().other_encoding = other_encoding;
        let gate = gate(Policy::agent());
        let mut names = session_of(fixture.build(), &Policy::agent());
        names.set_paths(path_of(&["shop"]));
        rule_of(&gate.judge(text.into(), &names))
    };
    let cut = format!("SELECT * FROM {}", "é".repeat(31));
    let folded = format!("SELECT * FROM shop.{}", "É".repeat(40));
    let alias = "SELECT é.weigh FROM shop.orders É".to_owned();
    for text in [cut, folded, alias] {
        assert!(judged(true, &text).is_some(), "{text}");
    }
    // The parser keeps 63 bytes, which is one less where the last letter takes two.
    let mut fixture = shop().view(
        &format!("shop.{}é", "a".repeat(62)),
        "id int4",
        &["pg_advisory_lock(int8)"],
    );
    fixture.rows().other_encoding = true;
    let names = session_of(fixture.build(), &Policy::agent());
    let text = format!("SELECT * FROM shop.{}é", "a".repeat(62));
    assert!(rule_of(&gate(Policy::agent()).judge(text.into(), &names)).is_some());
    // Nothing is marked, whatever the name stands for.
    let text = "SELECT 'é', é.id FROM shop.orders É";
    assert_eq!(judged(true, text), None);
}
