//! Each rule of a policy that is only observed: the answer is the same to the byte as without it,
//! and it is counted and audited. With `enforce` for that rule under `mode: observe`, it refuses.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use pgsieve::policy::PolicyRule;
use serde_json::{Value, json};

use super::{Folder, QUIET, Scene, TABLES, knows_tables, policy, policy_like_bi, told};
use crate::support::raw::{Frame, Login};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, frames, until};

/// A rule, what makes a policy have it, and how it is met.
struct Observed {
    rule: PolicyRule,
    edits: &'static [(&'static str, &'static str)],
    /// What meets the rule, and what refuses it where it is enforced.
    met: Met,
}

enum Met {
    /// A statement, and the code of its refusal.
    By(&'static str, &'static str),
    /// The second of two statements.
    BySecond(&'static str, &'static str),
    /// A statement beside one that runs.
    Beside(&'static str),
    /// A second connection.
    Connection(&'static str),
    /// Doing nothing.
    Idling(&'static str),
}

#[test]
fn every_rule_can_be_observed_and_enforced_beside() {
    let rules: BTreeSet<&str> = OBSERVED.iter().map(|one| one.rule.name()).collect();
    let all: BTreeSet<&str> = PolicyRule::ALL.iter().map(|rule| rule.name()).collect();
    assert_eq!(rules, all);
    let folder = Folder::new();
    for one in OBSERVED {
        let rule = one.rule.name();
        for (name, own) in [("observed", observed(rule)), ("enforced", enforced(rule))] {
            let modes = [("mode", r#""observe""#), ("rules", own.as_str())];
            let edits = [one.edits, &modes].concat();
            let name = format!("{name}-{rule}");
            fs::write(folder.0.join(format!("{name}.yaml")), policy(&name, &edits)).unwrap();
        }
    }
    fs::write(
        folder.0.join("plain.yaml"),
        policy_like_bi("plain").to_string(),
    )
    .unwrap();
    let stack = Stack::start(Options {
        cluster: Some(&QUIET),
        arguments: vec!["--policy".into(), folder.0.to_string_lossy().into_owned()],
        ..Options::default()
    });
    stack.prepare(TABLES);
    knows_tables(&stack);
    for one in OBSERVED {
        observe(&stack, one);
        enforce(&stack, one);
    }
    // What is not put in is not there.
    for (name, ids) in [("observed-model", "1 2"), ("enforced-model", "2")] {
        let scene = Scene {
            stack: &stack,
            name: name.into(),
        };
        // A catalog that is not known to hold any more is read again first.
        let mut session = scene.session(APP);
        let answered = until(|| {
            let answer = told(&session.query("SELECT id FROM shop.customers ORDER BY 1"));
            (answer != "55000 catalog_missing").then_some(answer)
        });
        assert_eq!(answered.as_deref(), Some(ids), "{name}");
    }
    for mode in ["observe", "enforce"] {
        let counted = format!("pgsieve_limits_total{{mode=\"{mode}\",rule=\"result_rows\"}}");
        assert!(stack.metric(&counted) > 0.0, "{mode}");
    }
}

/// Models stand for their names unless they are observed by name.
fn observed(rule: &str) -> String {
    match rule == PolicyRule::Model.name() {
        true => json!({ rule: "observe" }).to_string(),
        false => "{}".to_owned(),
    }
}

fn enforced(rule: &str) -> String {
    json!({ rule: "enforce" }).to_string()
}

/// Under `mode: observe` nothing changes but what is counted.
fn observe(stack: &Stack, one: &Observed) {
    let rule = one.rule.name();
    let scene = Scene {
        stack,
        name: format!("observed-{rule}"),
    };
    let plain = Scene {
        stack,
        name: "plain".into(),
    };
    let observed = || stack.metric_sum("pgsieve_observed_total", &[("rule", rule)]);
    let before = observed();
    match one.met {
        Met::By(text, _) | Met::BySecond(text, _) => {
            let (mut seen, mut without) = (scene.session(APP), plain.session(APP));
            for bytes in [frames::query(text), frames::extended(text, &[], true)] {
                let [given, wanted] =
                    [&mut seen, &mut without].map(|client| asked_with_catalog(client, &bytes));
                assert_eq!(given, wanted, "{rule}: {text}");
                let is_refused = told(&given).contains(' ');
                let is_error = given.iter().any(|one| one.kind == b'E');
                assert!(!is_refused || !is_error, "{rule}: {text}: {given:?}");
            }
        }
        Met::Beside(_) => {
            let long = at_work(&scene);
            assert_eq!(told(&scene.session(APP).query("SELECT 1")), "1", "{rule}");
            drop(long);
        }
        Met::Connection(_) => {
            let (_first, mut second) = (scene.session(APP), scene.session(APP));
            assert_eq!(told(&second.query("SELECT 1")), "1", "{rule}");
        }
        Met::Idling(_) => {
            let mut session = scene.session(APP);
            sleep(Duration::from_millis(3_500));
            assert_eq!(told(&session.query("SELECT 1")), "1", "{rule}");
        }
    }
    let counted = until(|| (observed() > before).then_some(()));
    assert!(counted.is_some(), "{rule} is not counted");
    stack.audited(|event| {
        let rules = event["would_refuse"].as_array();
        let is_named = |rules: &Vec<Value>| rules.iter().any(|named| named == rule);
        event["application_name"] == scene.name.as_str() && rules.is_some_and(is_named)
    });
    let refused = stack.metric_sum("pgsieve_refusals_total", &[("rule", rule)]);
    assert_eq!(refused, 0.0, "{rule}");
}

/// With `enforce` for the rule it refuses, whatever the mode of the whole.
fn enforce(stack: &Stack, one: &Observed) {
    let rule = one.rule.name();
    let scene = Scene {
        stack,
        name: format!("enforced-{rule}"),
    };
    let (given, code) = match one.met {
        Met::By(text, code) => {
            let mut session = scene.session(APP);
            (asked_with_catalog(&mut session, &frames::query(text)), code)
        }
        Met::BySecond(text, code) => {
            let mut session = scene.session(APP);
            let [_, given] =
                [(); 2].map(|()| asked_with_catalog(&mut session, &frames::query(text)));
            (given, code)
        }
        Met::Beside(code) => {
            let _long = at_work(&scene);
            (scene.session(APP).query("SELECT 1"), code)
        }
        Met::Connection(code) => {
            let _first = scene.session(APP);
            let parameters = [("application_name", scene.name.as_str())];
            let login = Login {
                parameters: &parameters,
                ..stack.login(APP)
            };
            let second = RawClient::try_login(stack.proxied_address(), &login);
            (vec![second.err().expect("one too many")], code)
        }
        Met::Idling(code) => (scene.session(APP).until_closed(), code),
    };
    let error = given.iter().find(|frame| frame.kind == b'E');
    let error = error.unwrap_or_else(|| panic!("{rule}: {given:?}"));
    assert_eq!(error.sqlstate(), code, "{rule}: {error:?}");
    let detail = error.field(b'D').unwrap_or_default();
    // What ends a session reads as the server's own.
    let is_fatal = error.field(b'S').as_deref() == Some("FATAL");
    assert!(is_fatal || detail.contains(rule), "{rule}: {error:?}");
}

/// The answer once the catalog is there: one that is not known to hold any more is read again.
fn asked_with_catalog(client: &mut RawClient, bytes: &[u8]) -> Vec<Frame> {
    let answered = until(|| {
        let answer = asked(client, bytes);
        (told(&answer) != "55000 catalog_missing").then_some(answer)
    });
    answered.expect("no catalog")
}

fn asked(client: &mut RawClient, bytes: &[u8]) -> Vec<Frame> {
    client.send(bytes);
    client.until_ready()
}

/// A session in the middle of a statement.
fn at_work(scene: &Scene<'_>) -> RawClient {
    let mut long = scene.session(APP);
    long.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 1000000000)",
    ));
    let mut admin = RawClient::login(scene.stack.direct_address(), &scene.stack.login(ADMIN));
    let running = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name = '{}'",
        scene.name
    );
    until(|| (told(&admin.query(&running)) == "1").then_some(())).expect("it runs");
    long
}

const fn rule(
    rule: PolicyRule,
    edits: &'static [(&'static str, &'static str)],
    met: Met,
) -> Observed {
    Observed { rule, edits, met }
}

const OBSERVED: &[Observed] = &[
    rule(
        PolicyRule::RelationDenied,
        &[("relations/deny", r#"["shop.secrets"]"#)],
        Met::By("SELECT word FROM shop.secrets", "42501"),
    ),
    rule(
        PolicyRule::ColumnDenied,
        &[("columns/deny", r#"["*.*.email"]"#)],
        Met::By("SELECT * FROM shop.customers ORDER BY id", "42501"),
    ),
    rule(
        PolicyRule::NotResolved,
        &[("relations/deny", r#"["shop.secrets"]"#)],
        Met::By("SELECT shop.g()", "42501"),
    ),
    rule(
        PolicyRule::Model,
        &[(
            "models",
            r#"{"shop.customers": {"sql": "SELECT id FROM customers WHERE id = 2"}}"#,
        )],
        Met::By(
            "EXPLAIN (COSTS OFF) DECLARE c CURSOR FOR SELECT id FROM shop.customers",
            "42501",
        ),
    ),
    rule(
        PolicyRule::FunctionDenied,
        &[("functions/deny", r#"["pg_catalog.pi"]"#)],
        Met::By("SELECT pi() > 3", "42501"),
    ),
    rule(
        PolicyRule::StatementDenied,
        &[("statements/deny", r#"["show"]"#)],
        Met::By("SHOW geqo", "42501"),
    ),
    rule(
        PolicyRule::SettingDenied,
        &[("settings/deny", r#"["enable_*"]"#)],
        Met::By("SET enable_sort = off", "42501"),
    ),
    rule(
        PolicyRule::Nesting,
        &[("limits/nesting", "1")],
        Met::By("SELECT (SELECT 1)", "54001"),
    ),
    rule(
        PolicyRule::ResultRows,
        &[("limits/result_rows", "2")],
        Met::By("SELECT generate_series(1, 5)", "54000"),
    ),
    rule(
        PolicyRule::ResultBytes,
        &[("limits/result_bytes", "100")],
        Met::By("SELECT repeat('x', 200)", "54000"),
    ),
    rule(
        PolicyRule::PlanCost,
        &[("limits/max_plan_cost", "5")],
        Met::By("SELECT count(*) FROM generate_series(1, 5000)", "54000"),
    ),
    rule(
        PolicyRule::PlanRows,
        &[("limits/max_plan_rows", "5")],
        Met::By("SELECT * FROM generate_series(1, 50)", "54000"),
    ),
    rule(
        PolicyRule::Concurrency,
        &[("limits/concurrency_per_user", "1")],
        Met::Beside("53400"),
    ),
    rule(
        PolicyRule::StatementRate,
        &[("limits/statements_per_day", "1")],
        Met::BySecond("SELECT 1", "53400"),
    ),
    rule(
        PolicyRule::DailyBudget,
        &[("limits/rows_per_day", "1")],
        Met::BySecond("SELECT 1", "53400"),
    ),
    rule(
        PolicyRule::ConnectionsPerUser,
        &[("limits/connections_per_user", "1")],
        Met::Connection("53300"),
    ),
    rule(
        PolicyRule::IdleTime,
        &[("limits/idle_time", r#""2s""#)],
        Met::Idling("57P05"),
    ),
];
