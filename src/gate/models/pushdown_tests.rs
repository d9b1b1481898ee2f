//! Conditions that are evaluated within a model, and those that are not.

use std::borrow::Cow;
use std::sync::Arc;

use crate::rules::check::{gate, path_of, session_of};
use crate::{Gate, ParameterTypes, SessionNames, SessionValues, Verdict};
use catalog::fixture::CatalogFixture;
use policy::model::ModelPiece;
use policy::{Policy, PolicyModel};

const BARE: &str = "SELECT id, big, name, code, day, at, ref, num, flag, left(email, 2) AS email FROM shop.c \
     WHERE tenant = 'a'\n";

/// All that it gives is there as it is.
const PLAIN: &str = "SELECT id, big, name, code, day, num, NULL::text AS email FROM shop.t \
                     WHERE lower(tenant) = 'a'\n";

fn session() -> (Gate, SessionNames) {
    let columns = "id int4, big int8, name text, code varchar, day date, at timestamptz, ref uuid, \
                   num numeric, flag bool, email text, tenant text";
    let model = |name: &str, sql: &str| PolicyModel {
        schema: "shop".into(),
        name: name.into(),
        pieces: vec![ModelPiece::Sql(sql.into())],
        ..PolicyModel::default()
    };
    let policy = Policy::bi().with_models(vec![
        model("c", &BARE.replace("shop.c", "c").replace('\n', "")),
        model("u", "SELECT id FROM u WHERE id > 0 UNION ALL SELECT 1"),
        model("w", "SELECT id, note FROM v WHERE id > 0"),
        model("p", "SELECT id, name FROM p"),
        model("t", &PLAIN.replace("shop.t", "t").replace('\n', "")),
    ]);
    let fixture = CatalogFixture::new(15)
        .schema("shop")
        .table("shop.c", columns)
        .table("shop.o", "id int4, c int4, note text")
        .table("shop.t", columns)
        .view("shop.v", "id int4, note text", &["shop.o"])
        .table("shop.w", "id int4, note text")
        .table("shop.p", "id int4, name text")
        .table("shop.u", "id int4, name text");
    let mut names = session_of(fixture.build(), &policy);
    names.set_paths(path_of(&["shop"]));
    names.set_values(Arc::new(SessionValues::default()));
    (gate(policy), names)
}

/// What runs, with `‹c: condition›` for the model with a condition within.
fn runs((gate, names): &(Gate, SessionNames), text: &str, types: &[u32]) -> String {
    let parameters = ParameterTypes::given(types.iter().copied());
    let judgement = gate.judge_with(Cow::Borrowed(text), &parameters, names);
    let runs = match &judgement.verdict {
        Verdict::Refused(refusal) => return format!("{:?}: {}", refusal.rule, refusal.message),
        Verdict::Clamped(clamp) => clamp.text.clone(),
        Verdict::Permitted(permit) => permit.text().to_owned(),
    };
    runs.replace(&format!("({BARE} OFFSET 0)"), "‹c›")
        .replace(&format!("(SELECT * FROM ({BARE}) AS \"m\" WHERE "), "‹c: ")
        .replace(" OFFSET 0)", "›")
}

/// The conditions within, of a statement with `‹c: …›`.
fn within(runs: &str) -> Vec<&str> {
    let starts = runs.split("‹c: ").skip(1);
    starts
        .filter_map(|rest| rest.split_once('›'))
        .map(|(inside, _)| inside)
        .collect()
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    let session = session();
    let mut wrong = Vec::new();
    for (text, wanted) in cases {
        let runs = runs(&session, text, &[]);
        let without = without(&runs);
        let plain = without.replace("‹c› AS \"c\"", "c").replace("‹c›", "c");
        if within(&runs) != *wanted || plain != *text {
            wrong.push(runs);
        }
    }
    let (all, count) = (cases.len(), wrong.len());
    assert!(wrong.is_empty(), "{count} of {all}: {wrong:#?}");
}

/// A statement without its conditions within.
fn without(runs: &str) -> String {
    let mut parts = runs.split("‹c: ");
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('›').unwrap();
        text.push_str("‹c›");
        text.push_str(rest);
    }
    text
}

#[test]
fn a_comparison_with_a_constant_is_made_within() {
    check(&[
        ("SELECT * FROM c WHERE id = 7", &[r#""m"."id" = (7)"#]),
        ("SELECT * FROM c WHERE c.id = -7", &[r#""m"."id" = (-7)"#]),
        ("SELECT * FROM c x WHERE x.id < 7", &[r#""m"."id" < (7)"#]),
        ("SELECT * FROM c WHERE 7 >= \"id\"", &[r#"(7) >= "m"."id""#]),
        ("SELECT * FROM c WHERE big = 7", &[r#""m"."big" = (7)"#]),
        (
            "SELECT * FROM c WHERE id = 3000000000",
            &[r#""m"."id" = (3000000000)"#],
        ),
        ("SELECT * FROM c WHERE id = '7'", &[r#""m"."id" = '7'"#]),
        (
            "SELECT * FROM c WHERE name = E'it\\'s'",
            &[r#""m"."name" = 'it''s'"#],
        ),
        (
            "SELECT * FROM c WHERE code = 'a\\'",
            &[r#""m"."code" = 'a\'"#],
        ),
        (
            "SELECT * FROM c WHERE flag = true",
            &[r#""m"."flag" = true"#],
        ),
        (
            "SELECT * FROM c WHERE day = date '2024-01-01'",
            &[r#""m"."day" = '2024-01-01'::pg_catalog."date""#],
        ),
        (
            "SELECT * FROM c WHERE at >= '2024-01-01'",
            &[r#""m"."at" >= '2024-01-01'"#],
        ),
        (
            "SELECT * FROM c WHERE ref = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid",
            &[r#""m"."ref" = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::pg_catalog."uuid""#],
        ),
        (
            "SELECT * FROM c WHERE big = 7::bigint",
            &[r#""m"."big" = (7)::pg_catalog."int8""#],
        ),
        (
            "SELECT * FROM c WHERE id IN (1, 2, 3)",
            &[r#""m"."id" IN ((1), (2), (3))"#],
        ),
        (
            "SELECT * FROM c WHERE id = ANY (ARRAY[1, 2])",
            &[r#""m"."id" = ANY (ARRAY[(1), (2)])"#],
        ),
        (
            "SELECT * FROM c WHERE id = ANY ('{1,2}')",
            &[r#""m"."id" = ANY ('{1,2}')"#],
        ),
        (
            "SELECT * FROM c WHERE id BETWEEN 1 AND 9",
            &[r#""m"."id" BETWEEN (1) AND (9)"#],
        ),
        (
            "SELECT * FROM c WHERE name IS NOT NULL",
            &[r#""m"."name" IS NOT NULL"#],
        ),
        (
            "SELECT * FROM c WHERE id = 1 OR id = 2 AND name = 'b'",
            &[r#"("m"."id" = (1) OR ("m"."id" = (2) AND "m"."name" = 'b'))"#],
        ),
        (
            "SELECT * FROM c WHERE left(name, 1) = 'a' AND id = 7",
            &[r#""m"."id" = (7)"#],
        ),
        (
            "SELECT * FROM c WHERE id + 1 = 7 AND big = 7 AND 1 / id = 1",
            &[r#""m"."big" = (7)"#],
        ),
    ]);
}

#[test]
fn what_may_tell_of_a_row_is_not_evaluated_within() {
    let nothing: Vec<(&str, &[&str])> = [
        // What a mask makes of a column is no column of a table.
        "SELECT * FROM c WHERE email = 'ab'",
        "SELECT * FROM c WHERE email IS NOT NULL",
        // numeric_eq is not LEAKPROOF.
        "SELECT * FROM c WHERE num = 7",
        "SELECT * FROM c WHERE num IN (7, 8)",
        "SELECT * FROM c WHERE id = 7.5",
        "SELECT * FROM c WHERE name LIKE 'a%'",
        "SELECT * FROM c WHERE name ~ 'a'",
        "SELECT * FROM c WHERE 1 / id = 1",
        "SELECT * FROM c WHERE id::text = '7'",
        "SELECT * FROM c WHERE id = 1 / 0",
        "SELECT * FROM c WHERE id = length(name)",
        "SELECT * FROM c WHERE id = (SELECT 7)",
        "SELECT * FROM c WHERE id = random()::int",
        "SELECT * FROM c WHERE id = big",
        "SELECT * FROM c WHERE name = 'a' COLLATE \"C\"",
        "SELECT * FROM c WHERE day BETWEEN date '2024-01-01' AND timestamp '2024-01-02'",
        "SELECT * FROM c WHERE id = '7'::numeric(3, 1)",
        "SELECT * FROM c WHERE code = 'abc'::varchar(2)",
        "SELECT * FROM c WHERE at > now()",
        // They are true of NULL, or not known to be false.
        "SELECT * FROM c WHERE id IS NULL",
        "SELECT * FROM c WHERE NOT id = 7",
        "SELECT * FROM c WHERE id NOT IN (7, 8)",
        "SELECT * FROM c WHERE id <> ALL ('{}')",
        "SELECT * FROM c WHERE id IS DISTINCT FROM 7",
        "SELECT * FROM c WHERE id = 7 OR true",
        "SELECT * FROM c WHERE id = 7 OR name ~ 'a'",
        "SELECT * FROM c WHERE id = NULL",
        // They are about something else.
        "SELECT * FROM c JOIN o ON true WHERE o.id = 7",
        "SELECT * FROM c, o WHERE note = 'a'",
        "SELECT * FROM c AS x (a, b) WHERE x.a = 7",
        "SELECT id AS big FROM c ORDER BY big = 7",
        "SELECT id FROM c GROUP BY id HAVING id = 7",
        "SELECT id = 7 FROM c",
        "SELECT * FROM c WHERE EXISTS (SELECT FROM o WHERE o.id = 7)",
        "SELECT * FROM (SELECT * FROM c) x WHERE x.id = 7",
        "SELECT * FROM c LEFT JOIN o ON c.id = 7",
        "SELECT * FROM o RIGHT JOIN c ON c.id = 7",
        "SELECT * FROM o FULL JOIN c ON c.id = 7",
        "SELECT (SELECT max(o.id) FROM (c JOIN o ON o.c = c.id) AS j WHERE c.id = 7) FROM o c",
        "SELECT * FROM c JOIN o USING (id) WHERE id = 7",
        "SELECT * FROM c NATURAL JOIN o WHERE id = 7",
    ]
    .into_iter()
    .map(|text| (text, &[][..]))
    .collect();
    check(&nothing);
}

#[test]
fn conditions_of_joins_are_evaluated_within_the_side_that_they_are_about() {
    let id: &[&str] = &[r#""m"."id" = (7)"#];
    check(&[
        ("SELECT * FROM c JOIN o ON o.c = c.id AND c.id = 7", id),
        ("SELECT * FROM o LEFT JOIN c ON o.c = c.id AND c.id = 7", id),
        (
            "SELECT * FROM c RIGHT JOIN o ON o.c = c.id AND c.id = 7",
            id,
        ),
        (
            "SELECT * FROM c LEFT JOIN o ON o.c = c.id WHERE c.id = 7",
            id,
        ),
        // True of no row of NULLs, the condition drops what the outer join has made of it.
        (
            "SELECT * FROM o LEFT JOIN c ON o.c = c.id WHERE c.id = 7",
            id,
        ),
        (
            "SELECT * FROM o FULL JOIN c ON o.c = c.id WHERE c.id = 7",
            id,
        ),
        ("SELECT * FROM o CROSS JOIN c WHERE c.id = 7", id),
        ("SELECT * FROM c JOIN o USING (id) WHERE c.id = 7", id),
        (
            "SELECT * FROM (o LEFT JOIN (c JOIN o p ON true) ON c.id = 7)",
            id,
        ),
        (
            "SELECT * FROM c a LEFT JOIN c b ON b.id = 7 AND a.id = 8 WHERE a.big = 9",
            &[r#""m"."big" = (9)"#, r#""m"."id" = (7)"#],
        ),
        (
            "SELECT * FROM o WHERE EXISTS (SELECT FROM c WHERE id = 7)",
            id,
        ),
        (
            "SELECT * FROM o, LATERAL (SELECT * FROM c WHERE c.id = 7 AND c.big = o.id) x",
            id,
        ),
        (
            "WITH x AS (SELECT * FROM c WHERE id = 7) SELECT * FROM x",
            id,
        ),
        (
            "SELECT 1 FROM c WHERE id = 7 UNION SELECT 1 FROM c WHERE big = 8",
            &[r#""m"."id" = (7)"#, r#""m"."big" = (8)"#],
        ),
        ("DECLARE d CURSOR FOR SELECT * FROM c WHERE id = 7", id),
        ("COPY (SELECT * FROM c WHERE id = 7) TO STDOUT", id),
        ("PREPARE s AS SELECT * FROM c WHERE id = 7", id),
        ("PREPARE s AS SELECT * FROM c WHERE id = $1", &[]),
    ]);
    let session = session();
    let text = "SELECT shop.c.big FROM shop.c WHERE shop.c.id = 7";
    assert_eq!(within(&runs(&session, text, &[])), id);
    // A view may compute what it gives.
    let runs_on_view = runs(&session, "SELECT * FROM w WHERE id = 7", &[]);
    assert!(
        runs_on_view.contains("FROM shop.v WHERE id > 0\n›"),
        "{runs_on_view}"
    );
    // Neither has a fence that a condition could be evaluated within.
    for text in [
        "SELECT * FROM u WHERE id = 7",
        "SELECT * FROM p WHERE id = 7",
    ] {
        let runs = runs(&session, text, &[]);
        assert!(!runs.contains("\"m\""), "{runs}");
    }
}

#[test]
fn a_parameter_keeps_its_type() {
    let session = session();
    let (int4, int8, text, varchar) = (23, 20, 25, 1043);
    let cases: &[(&str, &[u32], &[&str])] = &[
        (
            "SELECT * FROM c WHERE id = $1",
            &[],
            &[r#""m"."id" = $1::pg_catalog."int4""#],
        ),
        (
            "SELECT * FROM c WHERE id = $1",
            &[0],
            &[r#""m"."id" = $1::pg_catalog."int4""#],
        ),
        (
            "SELECT * FROM c WHERE id = $1",
            &[int4],
            &[r#""m"."id" = $1"#],
        ),
        (
            "SELECT * FROM c WHERE id = $1",
            &[int8],
            &[r#""m"."id" = $1"#],
        ),
        (
            "SELECT * FROM c WHERE code = $1",
            &[],
            &[r#""m"."code" = $1::pg_catalog."text""#],
        ),
        (
            "SELECT * FROM c WHERE name = $1",
            &[varchar],
            &[r#""m"."name" = $1"#],
        ),
        (
            "SELECT * FROM c WHERE name = $1",
            &[text],
            &[r#""m"."name" = $1"#],
        ),
        (
            "SELECT * FROM c WHERE id = $1::int4",
            &[],
            &[r#""m"."id" = $1::pg_catalog."int4""#],
        ),
        (
            "SELECT * FROM c WHERE id = $1::int4",
            &[int4],
            &[r#""m"."id" = $1"#],
        ),
        (
            "SELECT * FROM c WHERE id = ANY ($1)",
            &[],
            &[r#""m"."id" = ANY ($1::pg_catalog."_int4")"#],
        ),
        (
            "SELECT * FROM c WHERE id = ANY ($1)",
            &[1007],
            &[r#""m"."id" = ANY ($1)"#],
        ),
        (
            "SELECT * FROM c WHERE id IN ($1, 2, $2)",
            &[],
            &[r#""m"."id" IN ($1::pg_catalog."int4", (2), $2::pg_catalog."int4")"#],
        ),
        (
            "SELECT * FROM c WHERE day BETWEEN $1 AND $2",
            &[],
            &[r#""m"."day" BETWEEN $1::pg_catalog."date" AND $2::pg_catalog."date""#],
        ),
        // The server would run the cast where the row is.
        ("SELECT * FROM c WHERE id = $1::int4", &[text], &[]),
        (
            "SELECT * FROM c WHERE code = $1::varchar(3)",
            &[varchar],
            &[],
        ),
        ("SELECT * FROM c WHERE id = $1", &[1700], &[]),
        // The server finds its type elsewhere.
        ("SELECT $1::text FROM c WHERE id = $1", &[], &[]),
        ("SELECT $1 + 1.5 FROM c WHERE id = $1", &[], &[]),
        (
            "SELECT $1 + 1.5 FROM c WHERE id = $1",
            &[int4],
            &[r#""m"."id" = $1"#],
        ),
    ];
    let mut wrong = Vec::new();
    for (text, types, wanted) in cases {
        let runs = runs(&session, text, types);
        if within(&runs) != *wanted {
            wrong.push(format!("{types:?} {runs}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn conditions_have_bounds() {
    let session = session();
    let many: Vec<String> = (0..40_000).map(|at| at.to_string()).collect();
    let long = format!(
        "SELECT * FROM c WHERE id IN ({}) AND big = 7",
        many.join(", ")
    );
    assert_eq!(within(&runs(&session, &long, &[])), [r#""m"."big" = (7)"#]);
    let mut deep = "id = 1".to_owned();
    for at in 0..12 {
        deep = format!("({deep} OR id = {at}) AND big = {at}");
    }
    let text = format!("SELECT * FROM c WHERE ({deep} OR id = 7) AND big = 7");
    assert_eq!(within(&runs(&session, &text, &[])), [r#""m"."big" = (7)"#]);
}

#[test]
fn places_in_what_is_within_are_those_of_the_client() {
    let session = session();
    let text = "SELECT 1 FROM c x WHERE x.id = '7' AND x.big = 8";
    let judgement = session.0.judge(Cow::Borrowed(text), &session.1);
    let Verdict::Permitted(permit) = &judgement.verdict else {
        panic!("it is refused");
    };
    let rewritten = judgement.facts.rewritten.as_ref().unwrap();
    let place = |of: &str, within: &str| {
        let at = permit.text().find(within).unwrap() + within.find(of).unwrap();
        let at = u32::try_from(permit.text()[..at].chars().count() + 1).unwrap();
        rewritten.position_in_original(text, at)
    };
    let original = |of: &str| u32::try_from(text.find(of).unwrap() + 1).ok();
    assert_eq!(place("'7'", "\"m\".\"id\" = '7'"), original("'7'"));
    assert_eq!(place("(8", "\"m\".\"big\" = (8)"), original("8"));
    assert_eq!(place("\"m\"", "\"m\".\"big\" = (8)"), original("c x"));
}

#[test]
fn a_statement_that_tells_nothing_needs_no_fence() {
    let session = session();
    let wrong: Vec<&&str> = [
        "SELECT * FROM t WHERE id = 7",
        "SELECT t.* FROM t JOIN o ON o.c = t.id WHERE o.id = 7 ORDER BY t.name LIMIT 5",
        "SELECT * FROM o LEFT JOIN t ON t.id = o.c AND t.day > '2024-01-01'",
        "SELECT count(*), max(day), sum(big) FROM t WHERE day >= date '2024-01-01'",
        "SELECT code, count(DISTINCT id) FROM t GROUP BY code HAVING count(*) > 3",
        "SELECT DISTINCT name FROM t x WHERE EXISTS (SELECT FROM o WHERE o.c = x.id)",
        "SELECT id FROM t WHERE id IN (SELECT c FROM o WHERE id = 7)",
        "SELECT * FROM (SELECT id, name FROM t) x WHERE x.id = 7 OR NOT x.name = 'a'",
        "WITH x AS (SELECT * FROM t) SELECT * FROM x JOIN x y USING (id)",
        "SELECT id FROM t UNION SELECT c FROM o",
        "SELECT id FROM t UNION ALL SELECT big FROM t x",
        "SELECT id FROM t WHERE id = $1 AND day BETWEEN $2 AND $3",
        "SELECT num FROM t WHERE id IS NULL AND email IS NOT NULL",
        "EXPLAIN SELECT * FROM t WHERE id = 7",
        "EXPLAIN (COSTS off, FORMAT json) SELECT t.* FROM t JOIN o ON o.c = t.id WHERE o.id = $1",
        "EXPLAIN VERBOSE SELECT count(*) FROM t",
    ]
    .iter()
    .filter(|text| !runs(&session, text, &[23, 1082, 1082]).contains(&format!("({PLAIN})")))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_statement_that_may_tell_something_has_its_fence() {
    let session = session();
    let wrong: Vec<&&str> = [
        "SELECT * FROM t WHERE lower(name) = 'a'",
        "SELECT 1 / id FROM t",
        "SELECT id + 1 FROM t",
        "SELECT * FROM t WHERE num = 7",
        "SELECT num FROM t ORDER BY num",
        "SELECT DISTINCT num FROM t",
        "SELECT num FROM t GROUP BY num",
        "SELECT num FROM t UNION SELECT 1",
        "SELECT id FROM t UNION SELECT 1.5",
        "SELECT * FROM t WHERE id::text = '7'",
        "SELECT id::bigint FROM t",
        "SELECT * FROM t WHERE id = (SELECT o.id FROM o WHERE o.c = t.id)",
        "SELECT (SELECT o.id FROM o WHERE o.c = t.id) FROM t",
        "SELECT * FROM t WHERE big = ALL (SELECT id FROM o)",
        "SELECT t FROM t",
        "SELECT * FROM t JOIN v ON v.id = t.id",
        "SELECT * FROM t, LATERAL generate_series(1, t.id) g",
        "SELECT * FROM t, LATERAL (SELECT t.id / 0 AS x) y",
        "SELECT CASE WHEN id > 0 THEN 1 / id END FROM t",
        "SELECT string_agg(name, ',') FROM t",
        "SELECT avg(num) FROM t",
        "SELECT row_number() OVER (ORDER BY id) FROM t",
        "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY id) FROM t",
        "SELECT * FROM t WHERE (id, big) = (1, 2)",
        "SELECT * FROM t WHERE id IS DISTINCT FROM 7",
        "SELECT * FROM t WHERE name LIKE 'a%'",
        "SELECT * FROM t WHERE name COLLATE \"C\" < 'a'",
        "SELECT * FROM t WHERE id = random()::int",
        "SELECT ARRAY[id] FROM t",
        "SELECT coalesce(id, big) FROM t",
        "SELECT * FROM t JOIN c ON c.id = t.id",
        "WITH RECURSIVE x AS (SELECT id FROM t UNION SELECT c FROM o, x) SELECT * FROM x",
        "SELECT * FROM t NATURAL JOIN (SELECT 1.5 AS id) x",
        "EXPLAIN SELECT 1 / id FROM t",
        "EXPLAIN (FORMAT yaml) SELECT * FROM t WHERE num = 7",
    ]
    .iter()
    .filter(|text| runs(&session, text, &[]).contains(&format!("({PLAIN})")))
    .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
