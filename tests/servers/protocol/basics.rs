//! The first things anybody tries: connect, read, be refused, look at the evidence, stop.

use std::io::Read;
use std::time::Duration;

use pgsieve::demo::supervisor::ChildSignal;

use crate::support::raw::kinds;
use crate::support::sql::{WITHOUT_JIT, assert_running};
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, frames, sql, until};

#[tokio::test]
async fn a_read_is_answered_as_the_database_answers_it() {
    let stack = Stack::shared();
    let (proxied, direct) = (stack.proxied(READER).await, stack.direct(READER).await);
    let asked = "SELECT n, n * n AS square FROM generate_series(1, 3) n";
    assert_eq!(
        sql::rows(&proxied, asked).await,
        sql::rows(&direct, asked).await
    );
    let database = sql::rows(&proxied, "SELECT current_database()").await;
    assert_eq!(database, [[stack.database()]]);
}

#[tokio::test]
async fn a_write_is_refused_and_the_table_keeps_its_rows() {
    let stack = Stack::shared();
    stack.prepare(&[
        "CREATE TABLE kept AS SELECT 1 AS n",
        "ALTER TABLE kept OWNER TO app",
    ]);
    let client = stack.proxied(APP).await;
    let refusal = sql::refusal(&client, "DELETE FROM kept").await;
    assert_eq!(refusal.code().code(), "25006");
    assert!(
        refusal.hint().is_some(),
        "a refusal says what would be accepted"
    );
    assert_eq!(sql::rows(&client, "SELECT n FROM kept").await, [["1"]]);
}

#[tokio::test]
async fn the_session_behind_is_read_only() {
    let client = Stack::shared().proxied(ADMIN).await;
    assert_eq!(
        sql::rows(&client, "SHOW transaction_read_only").await,
        [["on"]]
    );
}

#[tokio::test]
async fn postgres_18_is_served_as_well() {
    let Some(stack) = Stack::on_version(18) else {
        return;
    };
    let client = stack.proxied(APP).await;
    assert_eq!(sql::rows(&client, "SELECT 1").await, [["1"]]);
    let version = stack.cluster().version();
    assert!(
        sql::rows(&client, "SHOW server_version").await[0][0].starts_with(&version.to_string())
    );
}

#[tokio::test]
async fn the_policy_for_dashboards_takes_several_reads_at_once() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        shop: true,
        ..Options::default()
    });
    let client = stack.proxied(READER).await;
    let rows = sql::rows(&client, "SELECT count(*) FROM shop.orders; SELECT 2").await;
    assert_eq!(rows, [["12000"], ["2"]]);
}

#[tokio::test]
async fn evidence_has_the_statement_and_never_its_text() {
    let stack = Stack::start(Options::default());
    let client = stack.proxied(APP).await;
    sql::rows(&client, "SELECT 'canary-in-a-read'").await;
    sql::refusal(&client, "DELETE FROM nowhere WHERE t = 'canary-in-a-write'").await;
    let refused = stack.audited(|event| event["sqlstate"] == "25006");
    assert!(refused["fingerprint"].is_string(), "{refused}");
    assert!(stack.audit().len() >= 2);
    assert!(stack.folder().starts_with(std::env::temp_dir()));
    assert!(!stack.everything_said().contains("canary"));
}

#[test]
fn the_admin_address_answers() {
    let stack = Stack::start(Options::default());
    assert_eq!(stack.get("/healthz").0, 200);
    assert_eq!(stack.get("/readyz").0, 200);
    assert!(stack.get("/metrics").1.contains("# TYPE"));
    assert!(stack.metric("no_such_metric").abs() < f64::EPSILON);
    assert!(stack.admin_address().ip().is_loopback());
}

#[test]
fn requests_for_encryption_get_one_byte() {
    let stack = Stack::shared();
    for request in [frames::gss_request(), frames::ssl_request()] {
        let mut client = RawClient::connect(stack.proxied_address());
        client.send(&request);
        let mut answer = [0];
        client.stream().read_exact(&mut answer).unwrap();
        assert_eq!(answer, *b"N");
    }
}

#[test]
fn a_cancel_request_stops_the_statement_of_its_session() {
    let stack = Stack::start(Options::default());
    stack.prepare(&[WITHOUT_JIT]);
    let login = stack.login(ADMIN);
    for address in [stack.direct_address(), stack.proxied_address()] {
        let mut client = RawClient::login(address, &login);
        let (pid, secret) = client.key.clone().expect("a cancel key");
        // Long enough to be cancelled on any machine; reads only.
        let asked = "SELECT count(*) FROM generate_series(1, 10000000000) n";
        client.send(&[frames::parse("", asked), frames::flush()].concat());
        assert_eq!(client.read().unwrap().kind, b'1');
        let bind = frames::bind("", "", &[], false);
        client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
        assert_running(&stack, 1);
        RawClient::connect(address).send(&frames::cancel_request(pid, &secret));
        let answer = client.until_ready();
        assert_eq!(kinds(&answer), "2EZ", "{answer:?}");
        assert_eq!(answer[1].sqlstate(), "57014");
    }
}

#[test]
fn sigterm_ends_an_idle_pgsieve_with_status_0() {
    let mut stack = Stack::start(Options::default());
    assert!(stack.pid() > 1);
    stack.signal(ChildSignal::Terminate);
    assert_eq!(
        stack.wait_exit(Duration::from_secs(10)),
        Some(0),
        "{}",
        stack.stderr()
    );
}

#[test]
fn a_setting_that_is_none_keeps_pgsieve_from_starting() {
    let arguments = vec!["--no-such-setting".to_owned()];
    let stack = Stack::start_unready(Options {
        arguments,
        ..Options::default()
    });
    let status = until(|| stack.wait_exit(Duration::from_millis(50)));
    assert!(status.is_some_and(|status| status != 0));
}

/// `audit.columns: on`: what is read of a row, wherever a statement says so, and never a value.
#[test]
fn columns_that_are_read_are_in_the_audit_where_it_is_told_to() {
    let stack = Stack::start(Options {
        environment: vec![("PGSIEVE_AUDIT_COLUMNS", "on")],
        shop: true,
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE TABLE shop.parts (id int, \"Kind\" text, weight int, secret text)",
        "GRANT SELECT ON shop.parts TO PUBLIC",
    ]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let known = until(|| {
        let answer = client.query("SELECT id FROM shop.parts");
        (!answer.iter().any(|frame| frame.kind == b'E')).then_some(())
    });
    assert!(known.is_some());
    for (at, (text, wanted)) in [
        (
            "SELECT p.weight FROM shop.parts p WHERE \"Kind\" = 'CANARY'",
            &["shop.parts.\"Kind\"", "shop.parts.weight"][..],
        ),
        ("SELECT p FROM shop.parts p", &["shop.parts.*"]),
        (
            "SELECT * FROM shop.parts LIMIT 7777",
            &[
                "shop.parts.\"Kind\"",
                "shop.parts.id",
                "shop.parts.secret",
                "shop.parts.weight",
            ],
        ),
        (
            "SELECT count(*) FROM shop.parts a JOIN shop.parts b USING (id)",
            &["shop.parts.id"],
        ),
        (
            "COPY shop.parts (id, weight) TO STDOUT",
            &["shop.parts.id", "shop.parts.weight"],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        client.query(&format!("/* {at} */ {text}"));
        let wanted = serde_json::json!(wanted);
        let line = stack.audited(|event| event.get("columns") == Some(&wanted));
        assert_eq!(
            line["relations"],
            serde_json::json!(["shop.parts"]),
            "{line}"
        );
        let line = line.to_string();
        assert!(!line.contains("CANARY") && !line.contains("7777"), "{line}");
    }
    client.query("SELECT 1");
    client.query("SELECT count(*) FROM shop.parts");
    stack.audited(|event| {
        event["relations"] == serde_json::json!(["shop.parts"]) && event.get("columns").is_none()
    });
}

/// `audit.names: off`: fingerprints and kinds stay, names do not, nor do they in the metrics.
#[test]
fn names_in_the_audit_can_be_left_out() {
    for (names, told) in [("on", true), ("off", false)] {
        let stack = Stack::start(Options {
            environment: vec![("PGSIEVE_AUDIT_NAMES", names)],
            shop: true,
            ..Options::default()
        });
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        let read = until(|| {
            let answer = client.query("SELECT count(*) FROM shop.orders");
            (!answer.iter().any(|frame| frame.kind == b'E')).then_some(())
        });
        assert!(read.is_some(), "{names}");
        let line = stack.audited(|event| event["kind"] == "select" && event["rule"].is_null());
        assert_eq!(
            line["relations"] == serde_json::json!(["shop.orders"]),
            told,
            "{line}"
        );
        assert_eq!(line.get("relations").is_some(), told, "{line}");
        client.query("DELETE FROM shop.orders");
        let line = stack.audited(|event| event["verdict"] == "refused");
        assert_eq!(line["subject"] == "relation shop.orders", told, "{line}");
        let (_, metrics) = stack.get("/metrics");
        assert!(metrics.contains("pgsieve_fingerprint_refusals_total{"));
        let named = "pgsieve_subject_refusals_total{rule=\"write_statement\",subject=\"relation \
                     shop.orders\"}";
        assert_eq!(metrics.contains(named), told);
        assert_eq!(metrics.contains("shop.orders"), told);
    }
}
