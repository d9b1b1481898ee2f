//! What a policy hides, and what it lets be read, without a server.

use std::borrow::Cow;

use crate::rules::check::{
    agent_with, check_hides, check_in, check_policy, gate, hides, people, session_of,
};
use crate::{Rule, Verdict};
use catalog::unreadable_names;

/// The rules that answer for them: some forms are newer than the fixture's server, or make values
/// of a type that it hides an effect in.
const RULES: &[Rule] = &[Rule::ColumnDenied, Rule::NewerSyntax, Rule::TypeEffects];

/// Ways to read a hidden column, one in a line.
const READS_A_COLUMN: &str = include_str!("../../../tests/data/corpus/hidden_columns.sql");

#[test]
fn no_way_of_reading_a_hidden_column_passes() {
    let policy = hides();
    let names = session_of(people().build(), &policy);
    let gate = gate(policy);
    let cases = READS_A_COLUMN
        .lines()
        .filter(|line| !line.starts_with("--"));
    let passed = cases.filter_map(|sql| {
        let judgement = gate.judge(Cow::Borrowed(sql), &names);
        match judgement.verdict {
            Verdict::Refused(refusal) if RULES.contains(&refusal.rule) => None,
            Verdict::Refused(refusal) => Some(format!("{}: {sql}", refusal.detail)),
            Verdict::Permitted(_) | Verdict::Clamped(_) => Some(format!("passed: {sql}")),
        }
    });
    assert_eq!(passed.collect::<Vec<_>>(), Vec::<String>::new());
    check_hides(
        Rule::UnknownFunction,
        &["SELECT secret(p) FROM shop.people p"],
        &[],
    );
}

#[test]
fn what_reads_no_hidden_column_passes() {
    check_hides(
        Rule::ColumnDenied,
        &[],
        &[
            "SELECT 1",
            "SELECT id, name FROM shop.people",
            "SELECT p.id, p.name FROM shop.people p ORDER BY p.name LIMIT 3",
            "SELECT count(*) FROM shop.people",
            "SELECT count(*) FILTER (WHERE id > 1) FROM shop.people",
            "SELECT id AS secret FROM shop.people ORDER BY secret",
            "SELECT DISTINCT ON (secret) id AS secret FROM shop.people",
            "SELECT name FROM shop.people GROUP BY name HAVING count(*) > 1",
            "SELECT p.id, o.* FROM shop.people p JOIN shop.orders o USING (id)",
            "SELECT p.id FROM shop.people p NATURAL JOIN (SELECT 1 AS id, 'x' AS other) o",
            "SELECT x.* FROM (SELECT id, name FROM shop.people) x",
            "SELECT row_to_json(x) FROM (SELECT id, name FROM shop.people) x",
            "SELECT to_jsonb(o) FROM shop.orders o",
            "SELECT o FROM shop.orders o",
            "WITH people AS (SELECT 'mine' AS secret) SELECT secret FROM people",
            "WITH secrets AS (SELECT 1) TABLE secrets",
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) TABLE r",
            "SELECT EXISTS (SELECT 1 FROM shop.people WHERE id = 1)",
            "SELECT row_number() OVER (PARTITION BY name ORDER BY id) FROM shop.people",
            "SELECT sum(id) OVER (ORDER BY id ROWS 1 PRECEDING) FROM shop.people",
            "SELECT c.relname FROM pg_class c WHERE c.oid::regclass::text ~ '^pg_'",
            "SELECT datname, pid, state FROM pg_stat_activity",
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM generate_series(1, 3) AS g(n)",
            "SELECT * FROM unnest(ARRAY[1, 2]) WITH ORDINALITY",
            "SELECT * FROM json_to_recordset('[]') AS x(a int, b text)",
            "SELECT ctid, tableoid FROM shop.people",
            "SELECT id FROM shop.people UNION ALL SELECT id FROM shop.orders ORDER BY 1",
            "COPY (SELECT id FROM shop.people) TO STDOUT",
            "EXPLAIN SELECT id FROM shop.people",
            "SELECT id FROM nowhere",
            "SELECT * FROM shop.nowhere",
            "SELECT nmae FROM shop.people",
            "SELECT x.y FROM shop.people",
            "SHOW search_path",
        ],
    );
}

#[test]
fn no_way_of_reading_a_hidden_relation_passes() {
    check_hides(
        Rule::RelationDenied,
        &[
            "SELECT 1 FROM shop.secrets",
            "SELECT count(*) FROM shop.secrets",
            "SELECT EXISTS (SELECT FROM shop.secrets)",
            "SELECT 1 FROM ONLY shop.secrets",
            "SELECT 1 FROM \"shop\".\"secrets\" TABLESAMPLE system (1)",
            "WITH x AS (SELECT 1 FROM shop.secrets) SELECT 1",
            "WITH secrets AS (SELECT 1 FROM shop.secrets) SELECT 1 FROM secrets",
            "SELECT 1 FROM shop.orders o JOIN shop.secrets s ON true",
            "SELECT 1 UNION SELECT 2 FROM shop.secrets",
            "EXPLAIN SELECT 1 FROM shop.secrets",
            "COPY (SELECT 1 FROM shop.secrets) TO STDOUT",
            "SELECT most_common_vals FROM pg_stats",
            "SELECT 1 FROM pg_catalog.pg_statistic",
            "SELECT 1 FROM pg_stats_ext",
            "SELECT 1 FROM pg_largeobject",
        ],
        &[],
    );
    check_hides(
        Rule::ColumnDenied,
        &[
            "SELECT query FROM pg_stat_activity",
            "SELECT * FROM pg_stat_activity",
            "SELECT attmissingval FROM pg_attribute",
            "SELECT last_value FROM pg_sequences",
            "SELECT rolpassword FROM pg_authid",
        ],
        &["SELECT attname FROM pg_attribute"],
    );
    check_hides(
        Rule::NotResolved,
        &[
            "SELECT * FROM pg_stat_get_activity(NULL)",
            "SELECT pg_stat_get_backend_activity(1)",
            "SELECT 1 FROM pg_toast.pg_toast_1234",
            "SELECT shop.peek(1)",
            "SELECT id FROM shop.people, nowhere WHERE secret = 'x'",
            "SELECT p FROM shop.people p, nowhere",
            "SELECT 1 FROM shop.people p NATURAL JOIN nowhere",
        ],
        &[],
    );
}

#[test]
fn a_list_of_what_is_allowed_hides_all_else() {
    let policy = agent_with(&[], "\nrelations: {allow: [shop.orders, \"shop.v_*\"]}\n");
    check_policy(
        policy,
        Rule::RelationDenied,
        &["SELECT 1 FROM shop.people", "SELECT 1 FROM shop.secrets"],
        &[
            "SELECT * FROM shop.orders",
            "SELECT * FROM shop.v_clean",
            "SELECT relname FROM pg_class",
        ],
    );
    let policy = agent_with(&[], "\nrelations: {allow: [shop.orders]}\n");
    check_policy(
        policy,
        Rule::NotResolved,
        &["SELECT 1 FROM shop.nowhere", "SELECT 1 FROM nowhere"],
        &["SELECT id FROM shop.orders"],
    );
    let policy = agent_with(&[], "\ncolumns: {allow: [shop.people.id]}\n");
    check_policy(
        policy,
        Rule::ColumnDenied,
        &["SELECT name FROM shop.people", "SELECT * FROM shop.people"],
        &["SELECT id FROM shop.people", "SELECT * FROM shop.secrets"],
    );
}

/// Nobody can say of such a name whether a pattern means it.
#[test]
fn a_name_that_is_not_readable_is_whatever_is_denied_and_nothing_that_is_allowed() {
    let judged = |more: &str, text: &'static str| {
        let policy = agent_with(&[], more);
        let mut fixture = people();
        for column in &mut fixture.rows().columns {
            if column.name == "name" {
                column.name = unreadable_names::kept(b"n\xe4me");
            }
        }
        for relation in &mut fixture.rows().relations {
            if relation.name == "secrets" {
                relation.name = unreadable_names::kept(b"s\xe9crets");
            }
        }
        let names = session_of(fixture.build(), &policy);
        match gate(policy).judge(text.into(), &names).verdict {
            Verdict::Refused(refusal) => Some(refusal.rule),
            Verdict::Permitted(_) | Verdict::Clamped(_) => None,
        }
    };
    let denied = "\ncolumns: {deny: [shop.people.ssn]}\n";
    assert_eq!(
        judged(denied, "SELECT * FROM shop.people"),
        Some(Rule::ColumnDenied)
    );
    assert_eq!(judged(denied, "SELECT id FROM shop.people"), None);
    assert_eq!(judged(denied, "SELECT * FROM shop.orders"), None);
    let elsewhere = "\ncolumns: {deny: [shop.orders.total]}\n";
    assert_eq!(judged(elsewhere, "SELECT * FROM shop.people"), None);
    for (lists, readable) in [
        ("\nrelations: {deny: [shop.other]}\n", true),
        ("\nrelations: {allow: [\"shop.*\"]}\n", true),
        ("\nrelations: {deny: [elsewhere.other]}\n", true),
    ] {
        let rule = judged(lists, "SELECT id FROM shop.people");
        assert_eq!(rule.is_none(), readable, "{lists}");
    }
    let patterns = |more: &str, name: &str| {
        let policy = agent_with(&[], more);
        let patterns = super::patterns::AccessPatterns::of(policy.access());
        let allows =
            patterns.allow_list_match("shop", name) == super::patterns::AllowListMatch::Allowed;
        (patterns.denies("shop", name), allows)
    };
    let name = unreadable_names::kept(b"s\xe9crets");
    for (more, wanted) in [
        ("\nrelations: {deny: [shop.other]}\n", (true, true)),
        ("\nrelations: {deny: [elsewhere.other]}\n", (false, true)),
        ("\nrelations: {deny: [\"*.other\"]}\n", (true, true)),
        ("\nrelations: {allow: [\"shop.*\"]}\n", (false, false)),
    ] {
        assert_eq!(patterns(more, &name), wanted, "{more}");
    }
    assert!(!patterns("\nrelations: {deny: [shop.other]}\n", "secrets").0);
}

#[test]
fn what_is_only_observed_passes_and_is_noted() {
    let policy = agent_with(&[], &format!("\nmode: observe{LISTS}"));
    let names = session_of(people().build(), &policy);
    let gate = gate(policy).recording_names();
    for (sql, rules) in [
        ("SELECT secret FROM shop.people", &[Rule::ColumnDenied][..]),
        ("SELECT * FROM shop.people", &[Rule::ColumnDenied]),
        ("TABLE shop.secrets", &[Rule::RelationDenied]),
        (
            "SELECT secret, shop.peek(1) FROM shop.people, shop.secrets",
            &[Rule::NotResolved, Rule::RelationDenied, Rule::ColumnDenied],
        ),
        ("SELECT id FROM shop.people", &[]),
    ] {
        let judgement = gate.judge(Cow::Borrowed(sql), &names);
        assert!(matches!(judgement.verdict, Verdict::Permitted(_)), "{sql}");
        let mut noted = judgement.facts.observed.to_vec();
        let mut wanted = rules.to_vec();
        noted.sort_by_key(|rule| rule.name());
        wanted.sort_by_key(|rule| rule.name());
        assert_eq!(noted, wanted, "{sql}");
        assert!(judgement.facts.named_objects.is_some());
    }
    // A single rule may be observed in a policy that enforces the rest.
    let policy = agent_with(&[], &format!("\nrules: {{column_denied: observe}}{LISTS}"));
    check_policy(
        policy,
        Rule::RelationDenied,
        &["SELECT secret FROM shop.people, shop.secrets"],
        &["SELECT secret FROM shop.people"],
    );
}

#[test]
fn names_are_recorded_where_somebody_wants_them() {
    let policy = agent_with(&[], "");
    let names = session_of(people().build(), &policy);
    let named = |sql: &str| {
        let policy = agent_with(&[], "");
        let gate = gate(policy).recording_names();
        let judgement = gate.judge(Cow::Owned(sql.to_owned()), &names);
        let named = judgement.facts.named_objects.clone().unwrap();
        let all = |list: &[std::sync::Arc<str>]| list.join(" ");
        [
            all(&named.relations),
            all(&named.functions),
            all(&named.settings),
        ]
        .join("; ")
    };
    for (sql, wanted) in [
        ("SELECT 1", "; ; "),
        (
            "SELECT shop.peek(id), upper(name), 'x' FROM shop.people p, shop.people q",
            "shop.people; shop.peek(integer); ",
        ),
        (
            "WITH x AS (SELECT * FROM shop.orders) SELECT relname FROM x, pg_class",
            "pg_catalog.pg_class shop.orders; ; ",
        ),
        ("PREPARE p AS SELECT id FROM shop.people", "shop.people; ; "),
        ("SET TimeZone = 'UTC'", "; ; timezone"),
        (
            "SELECT set_config('DateStyle', 'ISO', false)",
            "; ; datestyle",
        ),
    ] {
        assert_eq!(named(sql), wanted, "{sql}");
    }
    let judgement = gate(policy).judge("SELECT id FROM shop.people".into(), &names);
    assert!(judgement.facts.named_objects.is_none());
}

#[test]
fn a_child_is_what_its_parents_are_and_a_parent_not_more_than_its_children() {
    let family = || {
        let mut fixture = people()
            .table("shop.parent", "id int4, token text")
            .table("shop.child", "id int4, token text, more text");
        let of = |rows: &catalog::catalog_rows::CatalogRows, name: &str| {
            rows.relations
                .iter()
                .find(|row| row.name == name)
                .unwrap()
                .oid
        };
        let rows = fixture.rows();
        let pair = (of(rows, "child"), of(rows, "parent"));
        rows.inheritance.push(pair);
        fixture
    };
    let check = |lists: &str, rule, fires: &[&str], silent: &[&str]| {
        let policy = agent_with(&[], lists);
        let names = session_of(family().build(), &policy);
        check_in(&gate(policy), &names, rule, fires, silent);
    };
    check(
        "\nrelations: {deny: [shop.parent]}\n",
        Rule::RelationDenied,
        &[
            "TABLE shop.parent",
            "TABLE shop.child",
            "TABLE ONLY shop.child",
        ],
        &[],
    );
    check(
        "\nrelations: {deny: [shop.child]}\n",
        Rule::RelationDenied,
        &["TABLE shop.parent", "TABLE shop.child"],
        &["TABLE ONLY shop.parent"],
    );
    check(
        "\nrelations: {allow: [shop.parent]}\n",
        Rule::RelationDenied,
        &["TABLE shop.people"],
        &["TABLE shop.parent", "TABLE shop.child"],
    );
    check(
        "\ncolumns: {deny: [shop.child.token]}\n",
        Rule::ColumnDenied,
        &["TABLE shop.parent", "SELECT token FROM shop.child"],
        &["SELECT id FROM shop.parent", "SELECT more FROM shop.child"],
    );
    check(
        "\ncolumns: {allow: [shop.parent.id]}\n",
        Rule::ColumnDenied,
        &[
            "SELECT more FROM shop.child",
            "SELECT token FROM shop.child",
        ],
        &["SELECT id FROM shop.child"],
    );
}

#[test]
fn a_child_of_two_parents_is_hidden_from_both() {
    let family = || {
        let mut fixture = people()
            .table("shop.parent", "id int4, token text")
            .table("shop.other", "id int4, token text")
            .table("shop.child", "id int4, token text");
        let rows = fixture.rows();
        let of = |name: &str| {
            let mut relations = rows.relations.iter();
            relations.find(|row| row.name == name).unwrap().oid
        };
        let pairs = [(of("child"), of("parent")), (of("child"), of("other"))];
        rows.inheritance.extend(pairs);
        fixture
    };
    let check = |lists: &str, rule, fires: &[&str], silent: &[&str]| {
        let policy = agent_with(&[], lists);
        let names = session_of(family().build(), &policy);
        check_in(&gate(policy), &names, rule, fires, silent);
    };
    check(
        "\nrelations: {deny: [shop.parent]}\n",
        Rule::RelationDenied,
        &["TABLE shop.child", "TABLE shop.other"],
        &["TABLE ONLY shop.other"],
    );
    check(
        "\ncolumns: {deny: [shop.parent.token]}\n",
        Rule::ColumnDenied,
        &["TABLE shop.other", "SELECT token FROM shop.other"],
        &["SELECT id FROM shop.other"],
    );
    check(
        "\nmodels: {shop.parent: {sql: SELECT id FROM shop.parent}}\n",
        Rule::Model,
        &["TABLE shop.child", "TABLE shop.other"],
        &["TABLE shop.parent", "TABLE ONLY shop.other"],
    );
}

/// A name that is not there is the database's to refuse, unless a list is about a relation that
/// may have got it since.
#[test]
fn a_column_that_is_not_there_may_be_hidden_only_where_a_list_is_about_its_relation() {
    let policy = agent_with(
        &[],
        "\ncolumns: {deny: [\"shop.secret_*.*\", shop.people.secret, shop.people.next_*]}\n",
    );
    let names = session_of(people().build(), &policy);
    check_in(
        &gate(policy),
        &names,
        Rule::NotResolved,
        &["SELECT next_one FROM shop.people"],
        &[
            "SELECT nmae FROM shop.people",
            "SELECT secrt FROM shop.people",
            "SELECT next_one FROM shop.orders",
            "SELECT secret FROM shop.orders",
        ],
    );
    let policy = agent_with(&[], "\ncolumns: {allow: [shop.people.id]}\n");
    let names = session_of(people().build(), &policy);
    check_in(
        &gate(policy),
        &names,
        Rule::NotResolved,
        &["SELECT next_one FROM shop.people"],
        &["SELECT next_one FROM shop.orders"],
    );
}

#[test]
fn where_names_cannot_be_looked_up_only_what_reads_nothing_passes() {
    let policy = agent_with(&[], LISTS);
    let mut elsewhere = session_of(people().build(), &policy);
    elsewhere.set_paths(crate::SearchPaths::Unknown);
    let gate = gate(agent_with(
        &[("catalog: required", "catalog: preferred")],
        LISTS,
    ));
    for names in [
        crate::SessionNames::default(),
        crate::SessionNames::of_no_database(),
        elsewhere,
    ] {
        check_in(
            &gate,
            &names,
            Rule::NotResolved,
            &[
                "SELECT 1 FROM orders",
                "SELECT 1 FROM shop.orders",
                "SELECT 1 FROM pg_class",
                "SELECT * FROM (WITH x AS (SELECT 1) SELECT 1) y, x",
                "WITH x AS (SELECT * FROM x) SELECT 1",
                "SELECT pg_stat_get_backend_activity(1)",
                "SELECT '1'::shop.positive",
            ],
            &[
                "SELECT 1",
                "SELECT now(), upper('x')",
                "SHOW search_path",
                "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
                "SELECT x.n FROM generate_series(1, 3) AS x(n)",
            ],
        );
    }
}

/// The checks of a type may read anything, and nobody can tell which type has any.
#[test]
fn types_of_parameters_that_cannot_be_looked_up_do_not_pass() {
    let gate = gate(agent_with(
        &[("catalog: required", "catalog: preferred")],
        LISTS,
    ));
    for names in [
        crate::SessionNames::default(),
        crate::SessionNames::of_no_database(),
    ] {
        check_in(
            &gate,
            &names,
            Rule::NotResolved,
            &[
                "PREPARE p(shop.positive) AS SELECT $1",
                "PREPARE p(int, shop.positive[]) AS SELECT $1, $2",
            ],
            &["PREPARE p(int, text[]) AS SELECT $1, $2"],
        );
    }
}

#[test]
fn what_the_gate_put_into_a_text_is_for_its_policy_to_say() {
    let policy = agent_with(&[], LISTS);
    let names = session_of(people().build(), &policy);
    let text = "SELECT c.secret FROM (SELECT id, secret FROM shop.people) c";
    let tree = sql::tree::parse(text).unwrap();
    let node = tree.statements().next().unwrap().node;
    let judged = |trusted: std::ops::Range<usize>| {
        let mut context = crate::context::JudgeContext::new(text, &policy, &names, None);
        context.trusted.push(trusted);
        super::check_resolved(
            crate::effects::resolve_effects::CheckSubject::Statement(node),
            &mut context,
        )
    };
    let body = text.find("(SELECT").unwrap();
    assert!(judged(body..text.len() - 2).is_ok());
    assert!(judged(0..7).is_err());
}

#[test]
fn what_may_read_anything_is_seen_behind_whatever_runs_it() {
    let policy = agent_with(&[], LISTS);
    let database = || {
        people()
            .function("shop.pick(a int4, b int4) int4", "stable")
            .operator("shop.<?> (int4, int4) int4", "shop.pick(int4, int4)")
            .domain("shop.peeking", "int4", &["shop.peek(int4)"])
            .aggregate("shop.last(a int4) int4", &["shop.pick(int4, int4)"])
            .function("shop.quick(a int4) int4", "immutable extension language=c")
            .function(
                "shop.read(a int4) int4",
                "stable extension language=plpgsql",
            )
    };
    let names = session_of(database().build(), &policy);
    let named = agent_with(
        &[("\n  allow: []\n", "\n  allow: [shop.peek, shop.pick]\n")],
        LISTS,
    );
    let named_names = session_of(database().build(), &named);
    let fires = [
        "SELECT shop.peek(1)",
        "SELECT 1 OPERATOR(shop.<?>) 2",
        "SELECT '1'::shop.peeking",
        "SELECT 1::shop.peeking",
        "SELECT shop.last(id) FROM shop.orders",
        "SELECT shop.last(id) OVER () FROM shop.orders",
        "PREPARE p(shop.peeking) AS SELECT 1",
        "PREPARE p AS SELECT shop.peek(1)",
    ];
    let silent = ["SELECT shop.quick(1)", "SELECT shop.read(1)"];
    let enforcing = gate(policy);
    check_in(&enforcing, &names, Rule::NotResolved, &fires, &silent);
    check_in(&gate(named), &named_names, Rule::NotResolved, &[], &fires);
    let catalog = names.effect_graph().unwrap().catalog();
    let oid = |name: &str| catalog.data_type(catalog.type_called(name)).oid.0;
    let ruled = |name: &str| {
        let judged = enforcing.permits_parameters([oid(name)], &names);
        judged.err().map(|refusal| refusal.rule)
    };
    assert_eq!(ruled("shop.peeking"), Some(Rule::NotResolved));
    assert_eq!(ruled("int4"), None);
}

#[test]
fn a_denied_function_is_seen_behind_operators_and_casts() {
    let policy = agent_with(
        &[(
            "\nfunctions:\n",
            "\nfunctions:\n  deny: [pg_catalog.textlike, \"shop.vat(integer)\"]\n",
        )],
        "",
    );
    check_policy(
        policy,
        Rule::FunctionDenied,
        &[
            "SELECT note LIKE 'a' FROM shop.orders",
            "SELECT textlike('a', 'b')",
            "SELECT shop.vat(1)",
            "SELECT id FROM shop.orders ORDER BY shop.vat(id)",
        ],
        &["SELECT note = 'a' FROM shop.orders", "SELECT 'a' ~ 'b'"],
    );
}

const LISTS: &str = "\nrelations: {deny: [shop.secrets]}\ncolumns: {deny: [shop.people.secret]}\n";
