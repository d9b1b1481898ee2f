//! Metrics that are read on the wire: the figures are those of SQL that is written by hand, under
//! everything that the policy hides, and nothing of what one is computed of is told to whom it is
//! hidden from.

use std::fs;
use std::path::Path;

use crate::support::command::pgsieve;
use crate::support::raw::{Frame, kinds, rows};
use crate::support::{READER, RawClient, Stack, frames};

const POLICY: &str = "\
name: metrics
extends: agent
replace: [knowledge]
knowledge:
  metric:
    net:
      base: shop.orders
      measure: sum(total - refunded)
      dimensions: {region: region, size: \"CASE WHEN total > 100 THEN 'big' ELSE 'small' END\"}
      time: placed
      grain: [month, year]
      filters: [status <> 'void']
      as: shop.net
      note: in euros
    average: {base: shop.orders, measure: avg(total), dimensions: {region: region},
      as: shop.average}
    canary_costs: {base: shop.orders, measure: sum(canary_cost), as: shop.costs}
    canary_of_secrets: {base: shop.canary_secrets, measure: count(*), as: shop.secrets}
    others: {base: shop.orders, measure: count(*), as: shop.others, users: somebody}
relations: {deny: [shop.canary_secrets]}
columns: {deny: [shop.orders.canary_cost], mask: {shop.people.name: 'null'}}
rows: {shop.orders: \"tenant = 'a'\"}
limits: {max_plan_cost: 1000000}
";

const SCHEMA: &str = "CREATE SCHEMA shop;
    CREATE TABLE shop.orders (id int, region text, status text, total numeric, refunded numeric,
        placed timestamp, tenant text, canary_cost int);
    INSERT INTO shop.orders SELECT n, (ARRAY['eu', 'us', NULL])[n % 3 + 1],
        CASE WHEN n % 7 = 0 THEN 'void' ELSE 'paid' END, n * 1.5, n % 5, \
        timestamp '2025-11-01' + n * interval '1 day', CASE WHEN n % 4 = 0 THEN 'b' ELSE 'a' END, n
        FROM generate_series(1, 200) n;
    CREATE TABLE shop.regions (region text, title text);
    INSERT INTO shop.regions VALUES ('eu', 'Europe'), ('us', 'States');
    CREATE TABLE shop.canary_secrets (id int);
    CREATE TABLE shop.people (name text);
    GRANT USAGE ON SCHEMA shop TO reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA shop TO reader";

/// What a statement gives, or its code and message.
fn told(answer: &[Frame]) -> Vec<String> {
    match answer.iter().find(|frame| frame.kind == b'E') {
        Some(error) => vec![error.sqlstate(), error.field(b'M').unwrap_or_default()],
        None => rows(answer),
    }
}

fn stack(version: u32) -> Option<Stack> {
    Stack::under_policy(version, POLICY, SCHEMA, "SELECT net FROM shop.net")
}

const COUNTS: &str = "FROM shop.orders WHERE status <> 'void' AND tenant = 'a'";

fn by_hand() -> Vec<(&'static str, String)> {
    vec![
        (
            "SELECT net FROM shop.net",
            format!("SELECT sum(total - refunded) {COUNTS}"),
        ),
        (
            "SELECT region, net FROM shop.net ORDER BY net DESC",
            format!(
                "SELECT region, sum(total - refunded) AS net {COUNTS} GROUP BY region ORDER BY net DESC"
            ),
        ),
        (
            "SELECT m.month, m.size, m.net FROM shop.net m WHERE m.year = '2026-01-01' ORDER BY 1, 2",
            format!(
                "SELECT date_trunc('month', placed), CASE WHEN total > 100 THEN 'big' ELSE 'small' \
                 END, sum(total - refunded) {COUNTS} AND placed >= '2026-01-01' \
                 AND placed < '2027-01-01' GROUP BY 1, 2 ORDER BY 1, 2"
            ),
        ),
        (
            "SELECT r.title, n.net, a.average FROM shop.regions r JOIN shop.net n USING (region) \
             JOIN shop.average a ON a.region = r.region ORDER BY 1",
            "SELECT r.title, sum(total - refunded) FILTER (WHERE status <> 'void'), avg(total) \
             FROM shop.regions r JOIN shop.orders o USING (region) WHERE tenant = 'a' \
             GROUP BY 1 ORDER BY 1"
                .to_owned(),
        ),
        (
            "SELECT region FROM shop.net WHERE net > (SELECT avg(net) FROM (SELECT region, net FROM \
             shop.net) every) ORDER BY 1",
            format!(
                "WITH n AS (SELECT region, sum(total - refunded) AS net {COUNTS} GROUP BY 1) \
                 SELECT region FROM n WHERE net > (SELECT avg(net) FROM n) ORDER BY 1"
            ),
        ),
    ]
}

#[test]
fn figures_are_those_of_sql_by_hand_in_every_protocol() {
    for version in [13, 15, 18] {
        let Some(stack) = stack(version) else {
            continue;
        };
        let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        for (text, hand) in by_hand() {
            let wanted = told(&direct.query(&hand));
            assert!(
                !wanted.is_empty() && wanted[0] != "42601",
                "{hand}: {wanted:?}"
            );
            assert_eq!(told(&client.query(text)), wanted, "{version}: {text}");
            client.send(&frames::extended(text, &[], false));
            assert_eq!(told(&client.until_ready()), wanted, "{version}: {text}");
            let several = [
                format!("PREPARE own AS {text}"),
                "EXECUTE own".to_owned(),
                "DEALLOCATE own".to_owned(),
            ];
            let answers = several.map(|text| told(&client.query(&text)));
            assert_eq!(answers[1], wanted, "{version}: {text}");
            client.query("BEGIN");
            client.query(&format!("DECLARE own CURSOR FOR {text}"));
            assert_eq!(
                told(&client.query("FETCH ALL FROM own")),
                wanted,
                "{version}: {text}"
            );
            client.query("ROLLBACK");
        }
        client.send(&frames::extended(
            "SELECT net FROM shop.net WHERE region = $1",
            &[Some("eu")],
            false,
        ));
        let bound = told(&client.until_ready());
        let hand = format!("SELECT sum(total - refunded) {COUNTS} AND region = 'eu'");
        assert_eq!(bound, told(&direct.query(&hand)));
        let copied = client.query("COPY (SELECT region, net FROM shop.net) TO STDOUT");
        assert_eq!(kinds(&copied).matches('d').count(), 3, "{copied:?}");
        let plan = client.query("EXPLAIN (COSTS off) SELECT net FROM shop.net");
        assert!(kinds(&plan).contains('D'), "{plan:?}");
    }
}

#[test]
fn errors_are_the_clients_and_say_what_there_is() {
    let stack = stack(15).unwrap();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let error = |client: &mut RawClient, text: &str| {
        let answer = client.query(text);
        let error = answer.iter().find(|frame| frame.kind == b'E');
        let error = error.unwrap_or_else(|| panic!("{text}: {answer:?}"));
        let fields = [b'M', b'H', b'P'].map(|field| error.field(field).unwrap_or_default());
        (error.sqlstate(), fields)
    };
    let (code, [said, hint, _]) = error(&mut client, "SELECT regoin, net FROM shop.net");
    assert_eq!(
        (code.as_str(), said.as_str()),
        ("42703", "column \"regoin\" does not exist")
    );
    assert_eq!(hint, "The metric net has region, size, month, year, net.");
    // Places are those of the text that was sent.
    let text = "SELECT region, net FROM shop.net WHERE region = no_such_function(net)";
    let (code, [_, _, place]) = error(&mut client, text);
    assert_eq!((code.as_str(), place.as_str()), ("42883", "49"));
    let (code, [said, _, _]) = error(&mut client, "SELECT region FROM shop.net, shop.regions");
    assert_eq!(code, "42702", "{said}");
    // It is no relation to anybody else.
    let (code, _) = error(&mut client, "SELECT * FROM shop.others");
    assert_eq!(code, "42P01");
    // What ran is on record as a read that was permitted.
    client.query("SELECT region, net FROM shop.net WHERE net > 77");
    let line =
        stack.audited(|line| line["outcome"] == "permitted" || line["verdict"] == "permitted");
    assert_ne!(line["verdict"], "clamped", "{line}");
    assert_eq!(stack.metric("pgsieve_settings_clamped_total"), 0.0);
}

#[test]
fn nothing_of_what_is_hidden_is_told_by_one_that_is_computed_of_it() {
    let stack = stack(15).unwrap();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for text in [
        "SELECT costs FROM shop.costs",
        "SELECT * FROM shop.secrets",
        "SELECT x FROM shop.secrets",
        "SELECT secrets / 0 FROM shop.secrets",
        "SELECT costs FROM shop.costs WHERE no_such(costs)",
        "EXPLAIN SELECT costs FROM shop.costs",
        "COPY (SELECT costs FROM shop.costs) TO STDOUT",
        "PREPARE own AS SELECT costs FROM shop.costs",
    ] {
        client.send(&frames::query(text));
        let simple = client.until_ready();
        client.send(&frames::extended(text, &[], false));
        for answer in [simple, client.until_ready()] {
            assert!(kinds(&answer).contains('E'), "{text}: {answer:?}");
            assert!(
                !format!("{answer:?}").contains("canary"),
                "{text}: {answer:?}"
            );
        }
    }
    let policy = stack.folder().join("metrics.yaml");
    fs::write(&policy, POLICY).unwrap();
    for format in ["markdown", "m-schema", "ddl", "json"] {
        let told = grounded(&stack, &policy, format);
        assert!(!told.contains("canary"), "{format}: {told}");
        for shown in [
            "sum(total - refunded)",
            "shop.net",
            "status <> 'void'",
            "date_trunc('month'",
            "in euros",
            "metric",
        ] {
            assert!(told.contains(shown), "{format}: no {shown} in {told}");
        }
        for hidden in ["shop.others", "shop.costs", "shop.secrets"] {
            assert!(!told.contains(hidden), "{format}: {hidden} in {told}");
        }
    }
    // What nothing hides is told and read.
    let open = POLICY.replace("relations:", "#").replace("columns:", "#");
    fs::write(&policy, open).unwrap();
    let told = grounded(&stack, &policy, "markdown");
    assert!(
        told.contains("shop.costs") && told.contains("shop.secrets"),
        "{told}"
    );
}

fn grounded(stack: &Stack, policy: &Path, format: &str) -> String {
    let (url, policy) = (stack.direct_url(READER), policy.display().to_string());
    let output = pgsieve(
        &[
            "ground",
            "--upstream",
            &url,
            "--policy",
            &policy,
            "--format",
            format,
        ],
        "",
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_check_with_the_database_says_what_is_wrong_with_one() {
    let stack = stack(15).unwrap();
    let policy = stack.folder().join("checked.yaml");
    let checked = |metric: &str| {
        let text =
            format!("name: checked\nextends: agent\nknowledge: {{metric: {{m: {{{metric}}}}}}}\n");
        fs::write(&policy, text).unwrap();
        let (url, file) = (stack.direct_url(READER), policy.display().to_string());
        let output = pgsieve(&["policy", "check", "--upstream", &url, &file], "");
        let both = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(both).unwrap())
    };
    for (metric, wanted) in [
        (
            "base: shop.order, measure: count(*)",
            "shop.order is no relation here",
        ),
        (
            "base: shop.orders, measure: sum(totl)",
            "has no column totl",
        ),
        (
            "base: shop.orders, measure: count(*), as: shop.regions",
            "shop.regions is a relation or model, and is read in its place",
        ),
        (
            "base: shop.orders, measure: pg_sleep(total)",
            "the gate refuses it",
        ),
    ] {
        let (status, told) = checked(metric);
        assert!(told.contains(wanted), "{metric}: {status:?} {told}");
    }
    let (status, told) = checked("base: shop.orders, measure: count(*), as: shop.orders_counted");
    assert_eq!(status, Some(0), "{told}");
    assert!(!told.contains("knowledge.metric"), "{told}");
}
