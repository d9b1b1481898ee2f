//! What shows a key where asking is not enough: time, other sessions, other addresses, commands.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use pgsieve::net::dev_certificates;
use pgsieve::net::dev_certificates::CertificateRequest;
use serde_json::{Value, json};

use super::{Case, Folder, Scene, edited, policy, policy_like_bi, told};
use crate::support::raw::Login;
use crate::support::sql::block_on;
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, frames, until};

/// The audit calls the policy by it.
pub(super) fn name(scene: &Scene<'_>) {
    let stack = scene.stack;
    drop(scene.session(APP));
    let named = |name: &str, policy: &str| {
        stack.audited(|event| {
            event["event"] == "login"
                && event["application_name"] == name
                && event["policy"] == policy
        });
    };
    named(&scene.name, &scene.name);
    drop(RawClient::login(stack.proxied_address(), &stack.login(APP)));
    named("", "other");
    let (_, metrics) = stack.get("/metrics");
    assert!(
        metrics.contains("pgsieve_policy_info{mode=\"enforce\",policy=\"name\",version="),
        "{metrics}"
    );
}

/// The only server takes writes: a session that is to be at a standby is nowhere.
pub(super) fn targets(scene: &Scene<'_>) {
    let stack = scene.stack;
    let login = |name: &str| {
        let parameters = [("application_name", name)];
        let login = Login {
            parameters: &parameters,
            ..stack.login(APP)
        };
        RawClient::try_login(stack.proxied_address(), &login)
    };
    let refused = login(&scene.name).err().unwrap();
    assert!(told(&[refused]).starts_with("57P03"));
    assert!(login("").is_ok());
}

/// A setting that nobody may set, in a connection string.
pub(super) fn on_refused_setting(scene: &Scene<'_>) {
    let stack = scene.stack;
    let login = |name: &str, options: &str| {
        let parameters = [("application_name", name), ("options", options)];
        let login = Login {
            parameters: &parameters,
            ..stack.login(APP)
        };
        RawClient::try_login(stack.proxied_address(), &login)
    };
    let refused = login(&scene.name, "-c log_statement=none").err().unwrap();
    assert!(told(&[refused]).starts_with("42501"));
    drop(login(&scene.name, "-c geqo=off").ok().unwrap());
    // The policy of everybody else leaves it out, but nothing that rows depend on.
    let left_out = login("", "-c log_statement=none -c geqo=off");
    let mut client = left_out.ok().unwrap();
    assert_eq!(told(&client.query("SHOW geqo")), "off");
    let refused = login("", "-c row_security=off").err().unwrap();
    assert!(told(&[refused]).starts_with("42501"));
}

/// The same client from two addresses of this host.
pub(super) fn client_address(scene: &Scene<'_>) {
    let ask = |from: &str| {
        let to = scene.stack.proxied_address();
        let from = SocketAddr::new(from.parse().unwrap(), 0);
        let stream: TcpStream = block_on(async {
            let socket = tokio::net::TcpSocket::new_v4().unwrap();
            socket.bind(from).unwrap();
            socket.connect(to).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        let parameters = [("application_name", scene.name.as_str())];
        let login = Login {
            parameters: &parameters,
            ..scene.stack.login(APP)
        };
        let mut client = RawClient::over(stream);
        let mut startup = vec![("user", login.user), ("database", login.database)];
        startup.extend(login.parameters);
        client.send(&frames::startup(0, &startup));
        client.finish_login(&login).unwrap();
        told(&client.query("SELECT (pi() > 3)::text"))
    };
    assert_eq!(ask("127.0.0.2"), "42501 function_denied");
    assert_eq!(ask("127.0.0.1"), "true");
}

/// `psql` with a certificate and without.
pub(super) fn certificate_name(_: &Scene<'_>) {
    let folder = Folder::new();
    let wish = CertificateRequest {
        hosts: &[],
        client_name: "ann",
    };
    let made = dev_certificates::write(&folder.0.join("certs"), &wish).unwrap();
    let denied = [
        ("match", r#"{"certificate_name": ["ann"]}"#),
        ("functions/deny", r#"["pg_catalog.pi"]"#),
        ("models", SHOWN),
    ];
    fs::create_dir(folder.0.join("policies")).unwrap();
    fs::write(folder.0.join("policies/a.yaml"), policy("a", &denied)).unwrap();
    fs::write(
        folder.0.join("policies/b.yaml"),
        policy_like_bi("b").to_string(),
    )
    .unwrap();
    let config = format!(
        "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n\
         policy:\n  file: {}\nclient:\n  tls: {{ mode: allow, certificate: {}, key: {}, \
         client_ca: {} }}\n",
        folder.0.join("policies").display(),
        made.server.display(),
        made.server_key.display(),
        made.authority.display()
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    let ask = |sql: &str, with: &str| {
        let url = stack.proxied_url(APP) + "?channel_binding=disable&sslmode=require" + with;
        let mut psql = Command::new("psql");
        psql.args(["-X", "-At", "-c", sql, &url])
            .env("HOME", &folder.0);
        let output = psql.output().unwrap();
        let printed = [output.stdout, output.stderr].concat();
        String::from_utf8(printed).unwrap()
    };
    let shown = format!(
        "&sslcert={}&sslkey={}",
        made.client.display(),
        made.client_key.display()
    );
    let pi = "SELECT pi() > 3";
    let with = ask(pi, &shown);
    assert!(with.contains("function_denied"), "{with}");
    assert_eq!(ask(pi, ""), "t\n");
    assert_eq!(ask("SELECT name, mail FROM shown", &shown), "ann|none\n");
}

/// A model of what the certificate says.
const SHOWN: &str = r#"{"public.shown": {"new": true, "sql":
    "SELECT :certificate.common_name AS name, coalesce(:certificate.email, 'none') AS mail"
}}"#;

/// Where nobody can read the catalog.
pub(super) fn catalog(_: &Scene<'_>) {
    let folder = Folder::new();
    for need in ["required", "preferred"] {
        let text = policy(need, &[("catalog", &format!("\"{need}\""))]);
        fs::write(folder.0.join(format!("{need}.yaml")), text).unwrap();
    }
    let config = format!(
        "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\n\
         catalog:\n  user: nobody_at_all\npolicy:\n  file: {}\n",
        folder.0.display()
    );
    let stack = Stack::start_unready(Options {
        config: Some(config),
        ..Options::default()
    });
    stack.prepare(&["CREATE TABLE t (id int)", "GRANT SELECT ON t TO app"]);
    until(|| (stack.get("/healthz").0 == 200).then_some(())).unwrap();
    let ask = |name: &str, text: &str| {
        let parameters = [("application_name", name)];
        let login = Login {
            parameters: &parameters,
            ..stack.login(APP)
        };
        told(&RawClient::login(stack.proxied_address(), &login).query(text))
    };
    let count = "SELECT count(*) FROM t";
    assert_eq!(ask("required", count), "55000 catalog_missing");
    assert_eq!(ask("required", "SELECT lower('A')"), "a");
    assert_eq!(ask("preferred", count), "0");
}

/// Behind a lock of somebody else.
pub(super) fn lock_timeout(scene: &Scene<'_>) {
    let stack = scene.stack;
    let mut holder = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    holder.query("BEGIN; LOCK shop.grows IN ACCESS EXCLUSIVE MODE");
    let mut client = scene.session(APP);
    assert_eq!(
        told(&client.query("SELECT count(*) FROM shop.grows")),
        "55P03"
    );
    assert_eq!(told(&client.query("SELECT count(*) FROM shop.orders")), "2");
    holder.query("ROLLBACK");
    assert_eq!(told(&client.query("SELECT count(*) FROM shop.grows")), "10");
}

/// A transaction that is left open, and one that is used.
pub(super) fn idle_in_transaction(scene: &Scene<'_>) {
    let (mut idle, mut used) = (scene.session(APP), scene.session(APP));
    idle.query("BEGIN");
    used.query("BEGIN");
    for _ in 0..6 {
        sleep(Duration::from_millis(200));
        assert_eq!(told(&used.query("SELECT 1")), "1");
    }
    assert_eq!(told(&idle.until_closed()), "25P03");
}

/// A table that grows behind a plan that is believed for a while.
pub(super) fn plan_age(scene: &Scene<'_>) {
    let all = "SELECT id FROM shop.grows ORDER BY 1 LIMIT ALL";
    let mut client = scene.session(APP);
    let first = "1 2 3 4 5 6 7 8 9 10";
    assert_eq!(told(&client.query(all)), first);
    scene.stack.prepare(&[
        "INSERT INTO shop.grows SELECT generate_series(11, 2000)",
        "ANALYZE shop.grows",
    ]);
    let believed = told(&client.query(all));
    assert!(
        believed.starts_with(first) && believed.ends_with("2000"),
        "{believed}"
    );
    sleep(Duration::from_secs(5));
    assert_eq!(told(&client.query(all)), "54000 plan_rows");
}

/// A second statement beside one that runs, of the same user and of another.
pub(super) fn concurrency(scene: &Scene<'_>) {
    let mut long = scene.session(APP);
    long.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 1000000000)",
    ));
    let asked = || told(&scene.session(APP).query("SELECT 1"));
    let refused = until(|| (asked() == "53400 concurrency").then_some(()));
    assert!(refused.is_some(), "{}", asked());
    assert_eq!(told(&scene.session(READER).query("SELECT 1")), "1");
    // Its departure ends it.
    drop(long);
    let goes_on = until(|| (asked() == "1").then_some(()));
    assert!(goes_on.is_some(), "{}", asked());
}

/// A second connection of the same user and of another.
pub(super) fn connections(scene: &Scene<'_>) {
    let first = scene.session(APP);
    let parameters = [("application_name", scene.name.as_str())];
    let login = Login {
        parameters: &parameters,
        ..scene.stack.login(APP)
    };
    let second = RawClient::try_login(scene.stack.proxied_address(), &login);
    assert_eq!(second.err().expect("one too many").sqlstate(), "53300");
    assert_eq!(told(&scene.session(READER).query("SELECT 1")), "1");
    drop(first);
    let again = until(|| RawClient::try_login(scene.stack.proxied_address(), &login).ok());
    assert!(again.is_some(), "its place is free again");
}

/// A session that does nothing, and one that does something now and then.
pub(super) fn idle_time(scene: &Scene<'_>) {
    let (mut idle, mut used) = (scene.session(APP), scene.session(APP));
    for _ in 0..6 {
        sleep(Duration::from_millis(500));
        assert_eq!(told(&used.query("SELECT 1")), "1");
    }
    assert!(told(&idle.until_closed()).starts_with("57P05"));
}

/// `pgsieve policy check` on a case's policy with `path=value` edited into it.
pub(super) fn checked(case: &Case, bites: &str, spares: &str) -> Vec<String> {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for (edit, wanted) in [(bites, false), (spares, true)] {
        let (path, value) = edit.split_once('=').unwrap();
        let edits: Vec<_> = case.edits.iter().copied().chain([(path, value)]).collect();
        let file = folder.0.join("policy.yaml");
        fs::write(&file, policy("checked", &edits)).unwrap();
        let (sound, printed) = command(&["check", &file.to_string_lossy()]);
        let place = path.replace('/', ".");
        if sound != wanted || (!wanted && !printed.contains(&place)) {
            wrong.push(format!("{} {edit}: {printed}", case.key));
        }
    }
    wrong
}

/// `pgsieve policy test` on a policy that carries one test, beside one for other sessions that
/// denies `pi`.
pub(super) fn tested(scene: &Scene<'_>, bites: &str, spares: &str) -> Vec<String> {
    let folder = Folder::new();
    let other = policy_like_bi("other");
    let other = edited(other, "functions/deny", &json!(["pg_catalog.pi"]));
    fs::write(folder.0.join("z.yaml"), other.to_string()).unwrap();
    let signed = policy_like_bi("signed");
    let signed = edited(signed, "match", &json!({"certificate_name": "ann"}));
    fs::write(folder.0.join("m.yaml"), signed.to_string()).unwrap();
    let mut wrong = Vec::new();
    for (test, wanted) in [(bites, false), (spares, true)] {
        let long = test.replace("LONG", &"x".repeat(150_000));
        let test: Value = serde_json::from_str(&long).unwrap();
        let mut own = policy_like_bi("own");
        for (path, value) in [
            ("match", json!({"user": "reader", "application_name": "x"})),
            ("relations/deny", json!(["shop.secrets"])),
            ("settings/allow/app.tenant", json!("any")),
            ("models", json!({"shop.mine": {"new": true, "sql": MINE}})),
            ("tests", json!([test])),
        ] {
            own = edited(own, path, &value);
        }
        fs::write(folder.0.join("a.yaml"), own.to_string()).unwrap();
        let url = scene.stack.direct_url(APP);
        let place = folder.0.to_string_lossy();
        let (passed, printed) = command(&["test", "--upstream", &url, &place]);
        if passed != wanted || !printed.contains("1 tests") {
            wrong.push(format!("{}: {printed:.2000}", scene.name));
        }
    }
    wrong
}

/// Reads a value so often that a long one is too much to be put in.
const MINE: &str = "SELECT :app.tenant AS a, :app.tenant AS b, :app.tenant AS c, :app.tenant AS d, \
    :app.tenant AS e, :app.tenant AS f, :app.tenant AS g, :app.tenant AS h, :app.tenant AS i";

/// Whether `pgsieve policy` ends well, and what it prints.
fn command(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let output = command
        .arg("policy")
        .args(arguments)
        .env_clear()
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8_lossy(&printed).into_owned(),
    )
}
