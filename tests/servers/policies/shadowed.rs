//! Policies that nobody can get, because an earlier one is for everybody.

use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::random_name;

use crate::support::raw::kinds;
use crate::support::{APP, Options, RawClient, Stack, until};

/// A folder of policies, gone with it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

#[test]
fn a_policy_that_nobody_can_get_is_taken_neither_at_the_start_nor_in_the_folder() {
    let of = |name: &str, more: &str| format!("name: {name}\nextends: agent\n{more}");
    let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
    fs::create_dir(&folder).unwrap();
    let folder = Folder(folder);
    let path = folder.0.to_str().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.0.join(name), text).unwrap();
    let narrow = "match: {user: app}\nfunctions: {allow: [public.f]}\n";
    write("b.yaml", &of("narrow", narrow));
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), path.into()],
        ..Options::default()
    });
    stack.prepare(&["CREATE FUNCTION public.f() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'"]);
    let mut session = client(&stack);
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    write("a.yaml", &of("everybody", "match: {user: \"*\"}\n"));
    let rejected = "pgsieve_policy_reloads_total{outcome=\"rejected\"}";
    until(|| (stack.metric(rejected) >= 1.0).then_some(())).expect("it is not taken");
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    assert_eq!(kinds(&client(&stack).query("SELECT f()")), "TDCZ");
    assert!(
        stack.stderr().contains("policies not taken"),
        "{}",
        stack.stderr()
    );
    // The same folder at a start.
    let started = std::process::Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args([
            "serve",
            "--upstream",
            &stack.direct_url(APP),
            "--listen",
            "127.0.0.1:0",
        ])
        .args(["--policy", path])
        .env_clear()
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&started.stderr);
    assert!(!started.status.success(), "{said}");
    assert!(said.contains("narrow"), "{said}");
}
