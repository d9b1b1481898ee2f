//! All of the new settings hold, or none of them: mistakes in each section, and what needs a
//! restart.

use std::fs;

use crate::settings::reload::{Rig, folder, verifier, with_users, write};
use crate::support::raw::kinds;

const USERS: &str = "      - {name: ann, verifier_file: '{own}/ann', upstream_user: app, \
                     upstream_password_file: '{own}/app'}\n";

fn rig() -> Rig {
    let folder = folder();
    write(&folder, "ann", &verifier("ann"));
    write(&folder, "app", "app");
    let policy = include_str!("../../../policies/agent.yaml");
    write(&folder, "policy.yaml", policy);
    Rig::start(
        folder,
        &format!(
            "{}policy: {{file: '{{own}}/policy.yaml'}}\nworkers: 2\n",
            with_users(USERS)
        ),
    )
}

/// A mistake beside a change that would be taken by itself: of neither is anything seen, and the
/// mistake is told with its place.
#[test]
fn a_mistake_anywhere_leaves_everything_as_it_was() {
    let mut rig = rig();
    let mut session = rig.login("ann", "ann").unwrap();
    let before = fs::read_to_string(rig.config()).unwrap();
    let own = rig.folder.display().to_string();
    let mistakes = [
        ("\nworkers: 2", "\nworkers: none", "workers: "),
        ("\nworkers: 2", "\nworker: 2", "worker: unknown key"),
        (
            "\nworkers: 2",
            "\nworkers: 2\ntraces: {endpoint: nowhere}",
            "traces.endpoint: ",
        ),
        (
            "\nworkers: 2",
            "\nworkers: 2\ncatalog: {age_max: 5}",
            "catalog.age_max: ",
        ),
        (
            "\nworkers: 2",
            "\nworkers: 2\nlimits: {memory: 1B}",
            "limits.memory: ",
        ),
        (
            "\nworkers: 2",
            "\nworkers: 2\nstrict_files: yess",
            "strict_files: ",
        ),
        ("\nworkers: 2", "\n\tworkers: 2", "pgsieve.yaml:"),
        (
            "audit: {to:",
            "audit: {rotate_keep: 0, to:",
            "audit.rotate_keep: ",
        ),
        (
            "token_file: ",
            "hosts: 'a b', token_file: ",
            "admin.hosts: ",
        ),
        ("/token", "/nothing", "admin.token_file: "),
        ("url: 'postgres", "url: 'mysql", "upstream.url: "),
        ("method: scram", "method: scrum", "client.auth.method: "),
        ("/ann'", "/app'", "client.auth.users.verifier_file: "),
        ("/ann'", "/nobody'", "client.auth.users.verifier_file: "),
        (
            "name: ann,",
            "name: ann, disabled: maybe,",
            "client.auth.users.disabled: ",
        ),
        (
            "client:\n",
            "client:\n  tls: {mode: require}\n",
            "client.tls.mode: ",
        ),
        (
            "client:\n",
            "client:\n  report_as: boss\n",
            "client.report_as: ",
        ),
        ("/policy.yaml", "/policies.yaml", "policy.file: "),
    ];
    for (number, (old, new, told)) in mistakes.iter().enumerate() {
        assert!(before.contains(old), "{old}");
        fs::write(rig.config(), before.replace(old, new)).unwrap();
        // What would be taken without the mistake, which is there before it: files are looked at
        // whenever it is their time.
        rig.write("ann", &verifier("other"));
        rig.reload("rejected");
        let said = rig.stack.stderr();
        let line = said.lines().rev().find(|line| line.contains(told));
        assert!(line.is_some(), "{number}: {told} in {said}");
        assert_eq!(rig.try_login("ann", "ann"), "", "{new}");
        assert_eq!(rig.try_login("ann", "other"), "28P01", "{new}");
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
        let (status, body) = rig.stack.get("/readyz");
        assert_eq!(status, 200, "{body}");
        assert!(body.contains("not taken; problems: "), "{body}");
        // Sound again, and as it was.
        rig.write("ann", &verifier("ann"));
        fs::write(rig.config(), &before).unwrap();
        rig.reload("loaded");
    }
    // In a file of policies: nothing of the settings is taken either.
    rig.write("policy.yaml", "name: agent\nnmae: x\n");
    rig.write("ann", &verifier("other"));
    rig.reload("unchanged");
    assert_eq!(rig.try_login("ann", "ann"), "");
    let said = rig.stack.stderr();
    assert!(said.contains("policies not taken, problems: "), "{said}");
    assert!(
        said.contains(&format!("policies: {own}/policy.yaml:")),
        "{said}"
    );
}

/// What others mean something only beside is not taken while pgsieve runs, nor anything with it.
#[test]
fn places_and_what_is_off_need_a_restart_and_bar_the_rest() {
    let mut rig = rig();
    let before = fs::read_to_string(rig.config()).unwrap();
    let database = rig.stack.database().to_owned();
    let listen = rig.stack.proxied_address().to_string();
    let admin = rig.stack.admin_address().to_string();
    for (old, new, told) in [
        (
            listen.as_str(),
            "127.0.0.1:1",
            format!("listen: the change from {listen} to 127.0.0.1:1 "),
        ),
        (
            admin.as_str(),
            "127.0.0.1:1",
            format!("admin.listen: the change from {admin} to 127.0.0.1:1 "),
        ),
        (
            &format!("/{database}'"),
            "/postgres'",
            "upstream.url: the change from ".into(),
        ),
        (
            "url: 'postgres://127.0.0.1",
            "url: 'postgres://127.0.0.2",
            "upstream.url: the change".into(),
        ),
        (
            "\nworkers: 2",
            "\ncatalog: {mode: 'off'}",
            "catalog.mode: the change from on to off".into(),
        ),
        (
            "audit: {to:",
            "#audit: {to:",
            "audit.to: the change from on to off".into(),
        ),
    ] {
        assert!(before.contains(old), "{old}");
        fs::write(rig.config(), before.replace(old, new)).unwrap();
        rig.write("ann", &verifier("other"));
        rig.reload("rejected");
        let said = rig.stack.stderr();
        assert!(
            said.contains(&format!("settings: {told}")),
            "{told}: {said}"
        );
        assert!(said.contains("needs a restart"), "{said}");
        assert_eq!(rig.try_login("ann", "ann"), "", "{new}");
        rig.write("ann", &verifier("ann"));
        fs::write(rig.config(), &before).unwrap();
        rig.reload("loaded");
    }
}

/// What nothing else leans on waits by itself, by name, and the rest is taken.
#[test]
fn what_needs_a_restart_is_named_and_keeps_nothing_else_back() {
    let mut rig = rig();
    let waits = "pgsieve_settings_waiting_for_restart";
    rig.edit(
        "\nworkers: 2",
        "\nworkers: 3\nmetrics: off\nlimits: {memory: 1GB}",
    );
    rig.write("ann", &verifier("other"));
    rig.reload("loaded");
    assert_eq!(rig.try_login("ann", "other"), "");
    assert_eq!(rig.stack.metric(waits), 3.0);
    let said = rig.stack.stderr();
    let told = "settings: workers: the change from 2 to 3 waits for a restart";
    assert!(said.contains(told), "{said}");
    let (_, body) = rig.stack.get("/readyz");
    let told = "settings: wait for a restart: metrics, workers, limits.memory\n";
    assert!(body.contains(told), "{body}");
    let read = rig.stack.audited(|event| event["event"] == "settings_read");
    assert_eq!(read["changed"], "client.auth.users.verifier_file");
    // As they were: nothing waits any more.
    rig.edit(
        "\nworkers: 3\nmetrics: off\nlimits: {memory: 1GB}",
        "\nworkers: 2",
    );
    rig.reload("unchanged");
    assert_eq!(rig.stack.metric(waits), 0.0);
    assert!(!rig.stack.get("/readyz").1.contains("settings:"));
}
