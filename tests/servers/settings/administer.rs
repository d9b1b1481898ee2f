//! What whoever runs pgsieve has done by its commands: `reload` and `sessions`.

use std::fs;
use std::process::Command;

use crate::settings::reload::{Rig, TOKEN, folder, verifier, with_users, write};
use crate::support::raw::kinds;
use crate::support::{frames, until};

fn rig() -> Rig {
    let folder = folder();
    write(&folder, "ann", &verifier("ann"));
    write(&folder, "app", "app");
    let user = "      - {name: ann, verifier_file: '{own}/ann', upstream_user: app, \
                upstream_password_file: '{own}/app'}\npool: {mode: session}\n";
    Rig::start(folder, &with_users(user))
}

/// Exit status, and everything that was said.
fn pgsieve(rig: &Rig, arguments: &[&str]) -> (i32, String) {
    let config = rig.config();
    let done = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(&arguments[..1])
        .args(["--config", config.to_str().unwrap()])
        .args(&arguments[1..])
        .env_remove("PGSIEVE_CONFIG")
        .output()
        .unwrap();
    let said = [done.stdout, done.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    (done.status.code().unwrap(), said)
}

#[test]
fn reload_tells_what_came_of_it() {
    let rig = rig();
    assert_eq!(pgsieve(&rig, &["reload"]), (0, "unchanged\n".into()));
    rig.edit(
        "method: scram",
        "allow_plaintext_passwords: maybe\n    method: scram",
    );
    rig.write("ann", &verifier("other"));
    let (status, said) = pgsieve(&rig, &["reload"]);
    assert_eq!(status, 1, "{said}");
    assert!(said.starts_with("rejected\n"), "{said}");
    assert!(said.contains("pgsieve.yaml:"), "{said}");
    assert!(
        said.contains("client.auth.allow_plaintext_passwords: "),
        "{said}"
    );
    assert_eq!(rig.try_login("ann", "ann"), "");
    rig.edit("allow_plaintext_passwords: maybe\n    ", "");
    rig.edit("upstream: {", "workers: 7\nupstream: {");
    // Whoever looks at the files may come first, and then nothing is left to tell.
    let told = |sign: &str| {
        let said = until(|| {
            rig.write("ann", &verifier("other"));
            let (status, said) = pgsieve(&rig, &["reload"]);
            assert_eq!(status, 0, "{said}");
            said.contains(sign).then_some(said)
        });
        said.expect(sign)
    };
    let said = told("changed: client.auth.users.verifier_file\n");
    let waits = "waits for a restart: workers: the change from ";
    assert!(said.starts_with("loaded\n"), "{said}");
    assert!(said.contains(waits) && said.contains(" to 7\n"), "{said}");
    let (status, said) = pgsieve(&rig, &["reload", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((status, &told["outcome"]), (0, &"unchanged".into()));
    let mut session = rig.login("ann", "other").unwrap();
    rig.edit("- {name: ann,", "- {name: ann, disabled: true,");
    assert_eq!(pgsieve(&rig, &["reload"]).0, 0);
    assert_eq!(session.until_closed()[0].sqlstate(), "57P01");
}

#[test]
fn nothing_is_done_for_who_has_no_token() {
    let mut rig = rig();
    let _session = rig.login("ann", "ann").unwrap();
    rig.write("wrong", "another-token-of-sixteen");
    let wrong = rig.folder.join("wrong").display().to_string();
    for command in [&["reload"][..], &["sessions", "--kill", "1"], &["sessions"]] {
        let arguments = [command, &["--token-file", &wrong]].concat();
        let (status, said) = pgsieve(&rig, &arguments);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("the token is wanted"), "{said}");
    }
    // Without a token who is on this host may look, and nobody may do anything.
    let before = fs::read_to_string(rig.config()).unwrap();
    let token = format!(", token_file: {}/token", rig.folder.display());
    rig.edit(&token, "");
    rig.reload("loaded");
    let (status, said) = pgsieve(&rig, &["sessions"]);
    assert!(status == 0 && said.contains(" ann "), "{said}");
    for command in [&["reload"][..], &["sessions", "--kill", "1"]] {
        let (status, said) = pgsieve(&rig, command);
        assert_eq!(status, 1, "{said}");
        assert!(said.contains("admin.token_file"), "{said}");
    }
    fs::write(rig.config(), before).unwrap();
    rig.reload("loaded");
    let (status, said) = pgsieve(&rig, &["reload", "--admin", "127.0.0.1:1"]);
    assert_eq!(status, 1);
    assert!(said.contains("no answer from 127.0.0.1:1"), "{said}");
    assert_eq!(pgsieve(&rig, &["reload", "--admin", "off"]).0, 2);
    assert!(!rig.stack.everything_said().contains(TOKEN));
}

#[test]
fn sessions_are_listed_by_what_they_are_at_and_never_by_text() {
    let rig = rig();
    let mut ann = rig.login("ann", "ann").unwrap();
    let list = || {
        let (status, said) = pgsieve(&rig, &["sessions", "--json"]);
        assert_eq!(status, 0, "{said}");
        assert!(!said.contains("c4n4ry"), "{said}");
        let told: serde_json::Value = serde_json::from_str(&said).unwrap();
        told["sessions"].as_array().unwrap().clone()
    };
    assert_eq!(
        kinds(&ann.query("SELECT g, 'c4n4ry' FROM generate_series(1, 7) g")),
        "TDDDDDDDCZ"
    );
    let listed = list();
    assert_eq!(listed.len(), 1);
    let one = &listed[0];
    assert_eq!(
        (&one["user"], &one["state"]),
        (&"ann".into(), &"idle".into())
    );
    assert_eq!(one["rows"], 7);
    assert!(one["bytes"].as_u64().unwrap() > 7 * 10);
    let audited = rig.stack.audited(|event| event["event"] == "statement");
    assert_eq!(one["fingerprint"], audited["fingerprint"]);
    assert_eq!(one["id"], audited["session"]);
    let pid = one["upstream_pid"].as_i64().unwrap();
    ann.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 9000000000), (SELECT 'c4n4ry') c",
    ));
    let active = until(|| (list()[0]["state"] == "active").then(|| list()[0].clone())).unwrap();
    assert_ne!(active["fingerprint"], one["fingerprint"]);
    assert_eq!(active["upstream_pid"], pid);
    let (_, table) = pgsieve(&rig, &["sessions"]);
    assert!(table.starts_with("id  "), "{table}");
    assert!(table.contains("ann") && table.contains("active") && !table.contains("c4n4ry"));
    // Ended as by an administrator of the server, however busy it is.
    let id = one["id"].to_string();
    assert_eq!(
        pgsieve(&rig, &["sessions", "--kill", &id]),
        (0, "ended\n".into())
    );
    let last = ann.until_closed();
    let last = last.last().unwrap();
    assert_eq!(
        (last.sqlstate().as_str(), last.field(b'S').as_deref()),
        ("57P01", Some("FATAL"))
    );
    rig.stack
        .audited(|event| event["event"] == "connection_closed" && event["reason"] == "terminated");
    assert!(until(|| list().is_empty().then_some(())).is_some());
    let (status, said) = pgsieve(&rig, &["sessions", "--kill", &id]);
    assert_eq!(
        (status, said.as_str()),
        (1, "pgsieve: there is no such session\n")
    );
    assert_eq!(rig.try_login("ann", "ann"), "");
}
