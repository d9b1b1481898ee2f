//! Every metric moves when that happens which it tells of: seen from outside, through a whole
//! pgsieve. That every row of the table has its test is checked in `metrics_table`.

use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::limits::plans::{CHEAP, SHORTLY, TABLES as PLANNED};
use crate::login::sessions::ENDLESS;
use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, sql, until};

/// Waits until the sum of some series is as large as is wanted.
#[track_caller]
fn reaches(stack: &Stack, name: &str, labels: &[(&str, &str)], wanted: f64) {
    let met = until(|| (stack.metric_sum(name, labels) >= wanted).then_some(()));
    let found = stack.metric_sum(name, labels);
    assert!(met.is_some(), "{name} {labels:?} is {found}, not {wanted}");
}

#[track_caller]
fn is(stack: &Stack, name: &str, labels: &[(&str, &str)], wanted: f64) {
    let met = until(|| (stack.metric_sum(name, labels) == wanted).then_some(()));
    let found = stack.metric_sum(name, labels);
    assert!(met.is_some(), "{name} {labels:?} is {found}, not {wanted}");
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

#[test]
fn statements_are_counted_by_policy_kind_verdict_user_and_fingerprint() {
    let stack = Stack::start(Options::default());
    let mut app = client(&stack);
    for _ in 0..4 {
        assert_eq!(kinds(&app.query("SELECT 1 AS one")), "TDCZ");
    }
    assert_eq!(kinds(&app.query("DROP TABLE nothing")), "EZ");
    let gated = stack.metric("pgsieve_gate_seconds_count");
    app.send(&frames::extended("SELECT 2 AS two", &[], false));
    app.until_ready();
    app.send(&frames::extended("DROP TABLE nothing", &[], false));
    app.until_ready();

    let total = "pgsieve_statements_total";
    let agent = ("policy", "agent");
    let query = [
        agent,
        ("path", "query"),
        ("verdict", "permitted"),
        ("kind", "select"),
    ];
    is(&stack, total, &query, 4.0);
    is(
        &stack,
        total,
        &[agent, ("path", "execute"), ("verdict", "permitted")],
        1.0,
    );
    is(
        &stack,
        total,
        &[agent, ("path", "parse"), ("verdict", "refused")],
        1.0,
    );
    let refused = stack.audited(|event| event["verdict"] == "refused");
    let rule = ("rule", refused["rule"].as_str().unwrap());
    let fingerprint = ("fingerprint", refused["fingerprint"].as_str().unwrap());
    is(&stack, "pgsieve_refusals_total", &[agent, rule], 2.0);
    is(
        &stack,
        "pgsieve_user_refusals_total",
        &[("user", APP), rule],
        2.0,
    );
    is(
        &stack,
        "pgsieve_fingerprint_refusals_total",
        &[fingerprint, rule],
        2.0,
    );
    let permitted = [("user", APP), ("verdict", "permitted")];
    is(&stack, "pgsieve_user_statements_total", &permitted, 5.0);
    is(&stack, "pgsieve_errors_total", &[("origin", "gate")], 2.0);
    // Both texts of the extended protocol were judged, the one that runs only once.
    is(&stack, "pgsieve_gate_seconds_count", &[], gated + 2.0);
    for name in ["queue", "statement"] {
        reaches(&stack, &format!("pgsieve_{name}_seconds_count"), &[], 7.0);
    }
    is(&stack, "pgsieve_upstream_seconds_count", &[], 5.0);
    is(&stack, "pgsieve_rows_total", &[], 5.0);
    reaches(&stack, "pgsieve_result_bytes_total", &[], 50.0);
    is(
        &stack,
        "pgsieve_judgement_cache_total",
        &[("answer", "hit")],
        2.0,
    );
    is(
        &stack,
        "pgsieve_judgement_cache_total",
        &[("answer", "miss")],
        5.0,
    );
}

#[test]
fn connections_logins_and_what_surrounds_them_are_counted() {
    let stack = Stack::start(Options::default());
    let mut app = client(&stack);
    is(&stack, "pgsieve_connections_open", &[], 1.0);
    is(
        &stack,
        "pgsieve_connections_total",
        &[("transport", "tcp")],
        1.0,
    );
    let accepted = [("method", "passthrough"), ("outcome", "accepted")];
    is(&stack, "pgsieve_logins_total", &accepted, 1.0);
    app.query("SELECT 1");
    app.send(&frames::terminate());
    app.until_closed();
    is(
        &stack,
        "pgsieve_connections_closed_total",
        &[("reason", "terminate")],
        1.0,
    );
    is(&stack, "pgsieve_connections_open", &[], 0.0);
    for direction in ["in", "out"] {
        let labels = [("direction", direction)];
        reaches(&stack, "pgsieve_client_bytes_total", &labels, 10.0);
    }
    let mut stray = RawClient::connect(stack.proxied_address());
    stray.send(&frames::cancel_request(1, &[0; 4]));
    stray.until_closed();
    is(
        &stack,
        "pgsieve_cancels_total",
        &[("outcome", "unknown_key")],
        1.0,
    );
    let mut forger = client(&stack);
    forger.send(&frames::message(b'?', b""));
    forger.until_closed();
    let labels = [("peer", "client"), ("cause", "unknown_message")];
    is(&stack, "pgsieve_protocol_violations_total", &labels, 1.0);
    // What only happens when something is broken is there from the start, at nothing.
    let (_, text) = stack.get("/metrics");
    for alarm in [
        "pgsieve_panics_total 0",
        "pgsieve_tripwires_total{wire=\"write_tag\"} 0",
        "pgsieve_connections_refused_total{reason=\"draining\"} 0",
    ] {
        assert!(text.lines().any(|line| line == alarm), "{alarm}");
    }
}

#[test]
fn sessions_show_what_they_are_at() {
    let stack = Stack::start(Options::default());
    let at = |state: &str| stack.metric_sum("pgsieve_sessions", &[("state", state)]);
    let behind = |state: &str| stack.metric_sum("pgsieve_upstream_sessions", &[("state", state)]);
    let shows = |client: &str, upstream: &str| {
        let is_so = || at(client) == 1.0 && (upstream.is_empty() || behind(upstream) == 1.0);
        let sum = || stack.metric_sum("pgsieve_sessions", &[]);
        let met = until(|| (is_so() && sum() == 1.0).then_some(()));
        assert!(met.is_some(), "{client} {upstream}");
    };
    let silent = TcpStream::connect(stack.proxied_address()).unwrap();
    shows("login", "");
    assert_eq!(stack.metric_sum("pgsieve_upstream_sessions", &[]), 0.0);
    drop(silent);
    is(&stack, "pgsieve_sessions", &[], 0.0);
    let mut app = client(&stack);
    shows("idle", "idle");
    app.query("BEGIN");
    shows("in_transaction", "in_transaction");
    app.send(&frames::query(ENDLESS));
    shows("active", "active");
    sql::cancel_running(&stack);
    app.until_ready();
    shows("failed_transaction", "in_transaction");
    app.query("ROLLBACK");
    shows("idle", "idle");
    // Prepared, and nobody has said that this was all.
    app.send(&[frames::parse("", "SELECT 1"), frames::flush()].concat());
    shows("active", "active");
    app.send(&frames::sync());
    app.until_ready();
    // Nobody says goodbye, in the middle of a statement.
    app.send(&frames::query(ENDLESS));
    shows("active", "active");
    drop(app);
    is(&stack, "pgsieve_sessions", &[], 0.0);
    is(&stack, "pgsieve_upstream_sessions", &[], 0.0);
}

#[test]
fn repairs_are_counted_with_what_became_of_them() {
    let stack = Stack::start(Options::default());
    stack.prepare(&["CREATE TABLE \"Schools\" (\"Name\" text)"]);
    let mut app = client(&stack);
    let fenced = "```sql\nSELECT 1 AS one\n```";
    let succeeded = [("outcome", "succeeded")];
    // In one write: the second one waits until the first one is mended.
    app.send(&[frames::query(fenced), frames::query("SELECT 2 AS two")].concat());
    app.until_ready();
    app.until_ready();
    is(&stack, "pgsieve_repaired_statements_total", &succeeded, 1.0);
    let waited = stack.metric("pgsieve_queue_seconds_sum");
    assert!(waited > 0.0, "the second statement has waited");
    reaches(
        &stack,
        "pgsieve_repairs_total",
        &[("outcome", "applied")],
        1.0,
    );
    is(&stack, "pgsieve_repair_seconds_count", &[], 1.0);
    let dividing = "```sql\nSELECT 1 / (SELECT 0)\n```";
    assert!(kinds(&app.query(dividing)).ends_with("EZ"));
    is(
        &stack,
        "pgsieve_repaired_statements_total",
        &[("outcome", "failed")],
        1.0,
    );
    is(&stack, "pgsieve_repaired_statements_total", &succeeded, 1.0);
    // Repaired: judged, repaired, run. Repairing is no judging.
    let (gate, repair) = ("pgsieve_gate_seconds_sum", "pgsieve_repair_seconds_sum");
    assert!(stack.metric(gate) < stack.metric(repair) + 0.5);
}

#[test]
fn repairs_that_are_only_observed_or_hinted_are_told_apart() {
    let fenced = "```sql\nSELECT 1 AS one\n```";
    let misspelt = "SELECT id FROM ordrs";
    for (edits, text, outcome) in [(OBSERVED, fenced, "observed"), (&[], misspelt, "hinted")] {
        let stack = Stack::start(Options {
            policy_edits: edits,
            ..Options::default()
        });
        stack.prepare(&["CREATE TABLE orders (id int)"]);
        let mut app = client(&stack);
        let labels = [("outcome", outcome)];
        let met = until(|| {
            assert_eq!(kinds(&app.query(text)), "EZ");
            (stack.metric_sum("pgsieve_repaired_statements_total", &labels) > 0.0).then_some(())
        });
        assert!(met.is_some(), "{outcome}");
    }
}

const OBSERVED: &[(&str, &str)] = &[("\n  mode: apply\n", "\n  mode: observe\n")];

#[test]
fn plans_limits_clamps_and_retries_are_counted() {
    let stack = Stack::start(Options {
        policy_edits: SHORTLY,
        ..Options::default()
    });
    stack.prepare(PLANNED);
    until(|| (client(&stack).query(CHEAP)[0].kind == b'T').then_some(())).expect("the table");
    let mut app = client(&stack);
    let asked = stack.metric("pgsieve_plan_seconds_count");
    assert!(asked >= 1.0);
    app.query("SELECT id FROM few WHERE id = 3 LIMIT 1");
    app.query("SELECT id FROM few WHERE id = 3 LIMIT 1");
    reaches(
        &stack,
        "pgsieve_plan_cache_total",
        &[("answer", "miss")],
        asked + 1.0,
    );
    reaches(
        &stack,
        "pgsieve_plan_cache_total",
        &[("answer", "hit")],
        1.0,
    );
    is(&stack, "pgsieve_plan_seconds_count", &[], asked + 1.0);
    app.query("SET statement_timeout = 0");
    is(&stack, "pgsieve_clamps_total", &[("path", "query")], 1.0);
    app.query("BEGIN READ WRITE");
    app.query("ROLLBACK");
    is(&stack, "pgsieve_clamps_total", &[("path", "query")], 2.0);
    stack.prepare(&[
        "CREATE FUNCTION shaky() RETURNS int LANGUAGE plpgsql STABLE AS \
         $$BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END$$",
    ]);
    let retried = until(|| {
        app.query("SELECT shaky()");
        (stack.metric("pgsieve_retries_total") > 0.0).then_some(())
    });
    assert!(retried.is_some());
}

#[test]
fn the_upstream_is_up_or_not() {
    let stack = Stack::start(Options::default());
    let name = format!("127.0.0.1:{}", stack.cluster().port());
    let upstream = ("upstream", name.as_str());
    is(&stack, "pgsieve_upstream_up", &[upstream], 1.0);
    reaches(
        &stack,
        "pgsieve_upstream_checks_total",
        &[("outcome", "reached")],
        1.0,
    );
    reaches(&stack, "pgsieve_upstream_check_seconds_count", &[], 1.0);
    // Nobody has logged in, so nobody has asked what it is.
    let (_, text) = stack.get("/metrics");
    assert!(!text.contains("\npgsieve_upstream_lag_seconds{"));
    drop(client(&stack));
    let known = until(|| {
        let (_, text) = stack.get("/metrics");
        let has = |line: String| text.lines().any(|have| have == line);
        let labels = format!("{{upstream=\"{name}\"}} 0");
        let is_known = has(format!("pgsieve_upstream_lag_seconds{labels}"))
            && has(format!("pgsieve_upstream_is_standby{labels}"));
        is_known.then_some(())
    });
    assert!(known.is_some(), "a primary is not behind");
    reaches(
        &stack,
        "pgsieve_catalog_loads_total",
        &[("outcome", "loaded")],
        1.0,
    );
    reaches(&stack, "pgsieve_catalog_load_seconds_count", &[], 1.0);
    reaches(&stack, "pgsieve_catalog_bytes", &[], 1000.0);
    assert!(stack.metric("pgsieve_catalog_age_seconds") < 10.0);
    stack.prepare(&["CREATE TABLE drifted (id int)"]);
    reaches(&stack, "pgsieve_catalog_drift_total", &[], 1.0);

    let nobody = crate::support::ports::free_port();
    let config = format!(
        "upstream:\n  url: postgres://127.0.0.1:{nobody}/{{database}}\nlisten: {{listen}}\n\
         admin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n"
    );
    let stack = Stack::start_unready(Options {
        config: Some(config),
        ..Options::default()
    });
    reaches(
        &stack,
        "pgsieve_upstream_checks_total",
        &[("outcome", "unreachable")],
        2.0,
    );
    let (_, text) = stack.get("/metrics");
    let down = format!("pgsieve_upstream_up{{upstream=\"127.0.0.1:{nobody}\"}} 0");
    assert!(text.lines().any(|line| line == down), "{text}");
}

#[test]
fn without_a_catalog_statements_are_judged_by_their_text_and_failures_counted() {
    let stack = Stack::start(Options {
        tree_only: true,
        environment: vec![("PGSIEVE_CATALOG_MODE", "off")],
        ..Options::default()
    });
    client(&stack).query("SELECT 1");
    reaches(&stack, "pgsieve_statements_without_catalog_total", &[], 1.0);
}

#[test]
fn what_is_not_counted_leaves_every_gauge_right() {
    let config = "upstream:\n  url: {upstream}\nlisten: {listen}\nadmin:\n  listen: {admin}\n\
        audit:\n  to: {audit}\nmetrics: \"off\"\n";
    let stack = Stack::start(Options {
        config: Some(config.to_owned()),
        ..Options::default()
    });
    let mut app = client(&stack);
    app.query("SELECT 1");
    app.query("DROP TABLE t");
    app.query("BEGIN");
    stack.audited(|event| event["verdict"] == "refused");
    is(
        &stack,
        "pgsieve_sessions",
        &[("state", "in_transaction")],
        1.0,
    );
    is(&stack, "pgsieve_connections_open", &[], 1.0);
    is(
        &stack,
        "pgsieve_logins_total",
        &[("outcome", "accepted")],
        1.0,
    );
    for name in [
        "statements",
        "refusals",
        "user_statements",
        "rows",
        "errors",
    ] {
        let name = format!("pgsieve_{name}_total");
        assert_eq!(stack.metric_sum(&name, &[]), 0.0, "{name}");
    }
    for name in ["gate", "queue", "upstream", "statement"] {
        let name = format!("pgsieve_{name}_seconds_count");
        assert_eq!(stack.metric_sum(&name, &[]), 0.0, "{name}");
    }
    let (_, text) = stack.get("/metrics");
    assert!(text.contains("\npgsieve_policy_info{mode=\"enforce\",policy=\"agent\","));
}

#[test]
fn an_audit_that_cannot_be_written_is_counted() {
    let config = "upstream:\n  url: {upstream}\nlisten: {listen}\nadmin:\n  listen: {admin}\n\
        audit:\n  to: /dev/full\n";
    let stack = Stack::start(Options {
        config: Some(config.to_owned()),
        ..Options::default()
    });
    client(&stack).query("SELECT 1");
    reaches(&stack, "pgsieve_audit_write_errors_total", &[], 1.0);
    reaches(&stack, "pgsieve_audit_queue_bytes", &[], 1.0);
}

#[test]
fn requests_to_the_admin_address_are_counted() {
    let stack = Stack::start(Options::default());
    let of = |page| [("page", page), ("status_class", "2xx")];
    // Each look at the numbers is itself one.
    reaches(&stack, "pgsieve_admin_requests_total", &of("metrics"), 3.0);
    is(&stack, "pgsieve_admin_requests_total", &of("api"), 0.0);
}

#[test]
fn promtool_has_nothing_to_say_about_a_scrape() {
    let stack = Stack::start(Options::default());
    let mut app = client(&stack);
    app.query("SELECT 1");
    app.query("DROP TABLE t");
    app.query("```sql\nSELECT 1 AS one\n```");
    is(&stack, "pgsieve_rows_total", &[], 2.0);
    for name in ["process_threads", "process_open_fds", "process_max_fds"] {
        reaches(&stack, name, &[], 1.0);
    }
    for name in ["resident", "virtual"] {
        reaches(&stack, &format!("process_{name}_memory_bytes"), &[], 1e6);
    }
    reaches(&stack, "process_start_time_seconds", &[], 1.7e9);
    reaches(&stack, "process_cpu_seconds_total", &[], 0.01);
    reaches(&stack, "pgsieve_build_info", &[], 1.0);
    reaches(&stack, "pgsieve_policy_last_reload_successful", &[], 1.0);
    let loaded = "pgsieve_policy_last_reload_success_timestamp_seconds";
    reaches(&stack, loaded, &[], 1.7e9);
    reaches(&stack, "pgsieve_audit_lines_total", &[], 3.0);
    let (_, text) = stack.get("/metrics");
    let mut promtool = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool, of the package prometheus");
    promtool
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let said = promtool.wait_with_output().unwrap();
    let words = [said.stdout, said.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    assert!(said.status.success() && words.trim().is_empty(), "{words}");
}

#[test]
fn a_hostile_client_makes_no_more_series_than_the_bound() {
    let stack = Stack::start(Options::default());
    let mut app = client(&stack);
    app.stream()
        .set_read_timeout(Some(Duration::from_secs(60)))
        .unwrap();
    for batch in 0..100 {
        let refused = (0..100).map(|n| frames::query(&format!("DROP TABLE t{batch}x{n}")));
        app.send(&refused.collect::<Vec<_>>().concat());
        for _ in 0..100 {
            assert_eq!(kinds(&app.until_ready()), "EZ");
        }
    }
    is(&stack, "pgsieve_fingerprint_refusals_total", &[], 10_000.0);
    // Names that nobody has logged in with.
    for number in 0..30 {
        let user = format!("stranger{number}");
        let login = Login {
            user: &user,
            password: "wrong",
            database: stack.database(),
            parameters: &[],
        };
        assert!(RawClient::try_login(stack.proxied_address(), &login).is_err());
    }
    let (_, text) = stack.get("/metrics");
    let series = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
    assert_eq!(series("pgsieve_fingerprint_refusals_total{"), 101);
    assert_eq!(series("pgsieve_user_refusals_total{"), 1);
    assert!(!text.contains("stranger") && !text.contains("t99x99"));
    is(
        &stack,
        "pgsieve_fingerprint_refusals_total",
        &[("fingerprint", "other")],
        9_900.0,
    );
}
