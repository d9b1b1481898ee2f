//! `policy.tests: required`: no policies hold that fail a test of their own, from the start on.

use std::fs;
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use pgsieve::demo::cluster::random_name;

use crate::support::ports::free_port;
use crate::support::raw::kinds;
use crate::support::shared::new_database;
use crate::support::{ADMIN, APP, Options, READER, RawClient, Stack, shared_cluster, sql, until};

/// A folder of policies, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// A policy of that name with these sections; without the tests that it ships with.
    fn write(&self, name: &str, sections: &str) {
        let agent = include_str!("../../../policies/agent.yaml");
        let (before, _) = agent.split_once("\ntests:\n").unwrap();
        let named = before.replacen("name: agent\n", &format!("name: {name}\n"), 1);
        let file = self.0.join(format!("{name}.yaml"));
        fs::write(file, format!("{named}\n{sections}\n")).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A pgsieve that is not waited for.
fn started(folder: &Folder, users: &str, mode: &str) -> Stack {
    let policies = folder.0.display();
    let config = format!(
        "upstream: {{url: \"{{upstream}}\"}}\n\
         catalog: {{user: {READER}, password_file: {policies}/secret}}\n\
         listen: \"{{listen}}\"\nadmin: {{listen: \"{{admin}}\"}}\naudit: {{to: \"{{audit}}\"}}\n\
         client: {{auth: {users}}}\n\
         policy: {{file: {policies}, tests: {mode}}}\n"
    );
    fs::write(folder.0.join("secret"), READER).unwrap();
    Stack::start_unready(Options {
        config: Some(config),
        shop: true,
        ..Options::default()
    })
}

const PASSTHROUGH: &str = "{method: passthrough}";

/// Waits for what the probes say.
fn ready(stack: &Stack, wanted: u16) {
    let found = until(|| (stack.get("/readyz").0 == wanted).then_some(()));
    assert!(found.is_some(), "{}", stack.stderr());
}

/// The end of a start that is refused, and what it says.
fn ended(stack: &Stack) -> String {
    let status = stack.wait_exit(Duration::from_secs(60));
    let said = stack.stderr();
    assert_eq!(status, Some(1), "{said}");
    assert!(!said.contains("cAnArY"), "{said}");
    said
}

fn test(statement: &str, rest: &str) -> String {
    format!("  - {{statement: \"{statement}\", {rest}}}\n")
}

#[test]
fn a_start_whose_tests_pass_serves() {
    let folder = Folder::new();
    let own = test("SELECT sku FROM shop.products", "expect: permit")
        + &test("SELECT nothing FROM shop.missing", "expect: permit")
        + &test(
            "DELETE FROM shop.products",
            "expect: refuse, rule: write_statement",
        );
    folder.write("own", &format!("tests:\n{own}"));
    let stack = started(&folder, PASSTHROUGH, "required");
    ready(&stack, 200);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
    assert!(
        stack.stderr().contains("policies' tests passed: 3"),
        "{}",
        stack.stderr()
    );
}

#[test]
fn a_start_with_a_test_that_fails_ends_and_names_it() {
    let folder = Folder::new();
    let own = test("SELECT 'cAnArY'", "expect: permit")
        + &test(
            "SELECT sku AS cAnArY FROM shop.products",
            "expect: refuse, rule: relation_denied",
        )
        + &test("DELETE FROM shop.products", "expect: permit");
    folder.write("own", &format!("tests:\n{own}"));
    let said = ended(&started(&folder, PASSTHROUGH, "required"));
    for wanted in [
        "tests[1]: expected refuse by relation_denied, got permit under own",
        "tests[2]: expected permit, got refuse by write_statement under own",
        "policy.tests: required, and not passed: 2",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(!said.contains("tests[0]"), "{said}");
    // Nobody runs them where nobody asks for it.
    ready(&started(&folder, PASSTHROUGH, "off"), 200);
}

#[test]
fn policies_that_are_read_again_and_fail_a_test_are_not_taken() {
    let folder = Folder::new();
    folder.write("own", "");
    let stack = started(&folder, PASSTHROUGH, "required");
    ready(&stack, 200);
    let rejected = "pgsieve_policy_reloads_total{outcome=\"rejected\"}";
    let loaded = "pgsieve_policy_reloads_total{outcome=\"loaded\"}";
    let hiding = "relations: {deny: [shop.products]}\ntests:\n";
    let wrong = test("SELECT sku FROM shop.products", "expect: permit");
    folder.write("own", &format!("{hiding}{wrong}"));
    until(|| (stack.metric(rejected) == 1.0).then_some(())).expect("rejected");
    let (status, body) = stack.get("/readyz");
    assert_eq!(status, 200, "the policies of before hold");
    assert!(body.contains("not taken; problems: 1"), "{body}");
    let said = stack.stderr();
    assert!(
        said.contains("tests[0]: expected permit, got refuse by relation_denied"),
        "{said}"
    );
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert!(kinds(&client.query("SELECT sku FROM shop.products")).starts_with("TD"));
    let right = test(
        "SELECT sku FROM shop.products",
        "expect: refuse, rule: relation_denied",
    );
    folder.write("own", &format!("{hiding}{right}"));
    until(|| (stack.metric(loaded) == 1.0).then_some(())).expect("loaded");
    assert_eq!(kinds(&client.query("SELECT sku FROM shop.products")), "EZ");
}

#[test]
fn no_client_is_let_in_before_the_database_is_there_and_the_tests_have_passed() {
    for (expect, passes) in [("permit", true), ("refuse", false)] {
        let folder = Folder::new();
        let own = test("SELECT a FROM public.later", &format!("expect: {expect}"));
        folder.write("own", &format!("tests:\n{own}"));
        let database = new_database(shared_cluster());
        sql::run_blocking(
            &shared_cluster().url(ADMIN, ADMIN, &database),
            &["CREATE TABLE public.later (a int)"],
        );
        let port = free_port();
        let policies = folder.0.display();
        let config = format!(
            "upstream: {{url: \"postgres://{READER}:{READER}@127.0.0.1:{port}/{database}\"}}\n\
             listen: \"{{listen}}\"\nadmin: {{listen: \"{{admin}}\"}}\n\
             policy: {{file: {policies}, tests: required}}\n"
        );
        let stack = Stack::start_unready(Options {
            config: Some(config),
            ..Options::default()
        });
        until(|| (stack.get("/readyz").0 == 503).then_some(())).expect("not ready");
        assert!(TcpStream::connect(stack.proxied_address()).is_err());
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        std::thread::spawn(move || forward(&listener));
        match passes {
            true => {
                ready(&stack, 200);
                TcpStream::connect(stack.proxied_address()).unwrap();
            }
            false => drop(ended(&stack)),
        }
    }
}

/// To the shared cluster, as long as the process runs.
fn forward(listener: &TcpListener) {
    for client in listener.incoming().flatten() {
        let upstream = TcpStream::connect(("127.0.0.1", shared_cluster().port())).unwrap();
        let ends = [
            (client.try_clone().unwrap(), upstream.try_clone().unwrap()),
            (upstream, client),
        ];
        for (mut from, mut to) in ends {
            std::thread::spawn(move || {
                drop(io::copy(&mut from, &mut to));
                drop(to.shutdown(std::net::Shutdown::Both));
            });
        }
    }
}

/// The first whose match fits is the one that a server takes: by priority.
#[test]
fn a_test_of_a_user_is_run_under_the_policy_that_the_server_gives() {
    let folder = Folder::new();
    let hidden = test(
        "SELECT sku FROM shop.products",
        "user: reader, expect: refuse, rule: relation_denied",
    );
    folder.write("all", &format!("match: {{user: \"*\"}}\ntests:\n{hidden}"));
    folder.write(
        "strict",
        "match: {user: reader}\npriority: 3\nrelations: {deny: [shop.products]}\n",
    );
    ready(&started(&folder, PASSTHROUGH, "required"), 200);
    folder.write(
        "strict",
        "match: {user: \"nobody\"}\npriority: 3\nrelations: {deny: [shop.products]}\n",
    );
    let said = ended(&started(&folder, PASSTHROUGH, "required"));
    assert!(said.contains("policy all, "), "{said}");
}

#[test]
fn a_test_of_a_user_has_the_attributes_that_the_settings_give() {
    let own = |settings: &str, expect: &str| {
        let own = test(
            "SELECT sku FROM shop.products",
            &format!("user: reader, {settings}expect: {expect}"),
        );
        let folder = Folder::new();
        folder.write(
            "sales",
            &format!(
                "match: {{attributes: {{team: sales}}}}\npriority: 3\n\
                 models: {{shop.products: {{sql: \"SELECT sku FROM shop.products WHERE sku = \
                 :user.sku\"}}}}\ntests:\n{own}"
            ),
        );
        folder.write("rest", "relations: {deny: [shop.products]}\n");
        folder
    };
    let users = "{method: passthrough, attributes: {reader: {team: sales, sku: a}, \
                 app: {team: none}}}";
    let denied = "refuse, rule: relation_denied";
    ready(&started(&own("", "permit"), users, "required"), 200);
    // What a test says of its user counts before them.
    let elsewhere = "settings: {user.team: none}, ";
    ready(&started(&own(elsewhere, denied), users, "required"), 200);
    for (folder, users) in [
        (own("", denied), users),
        (own(elsewhere, "permit"), users),
        (own("", "permit"), PASSTHROUGH),
    ] {
        let said = ended(&started(&folder, users, "required"));
        assert!(said.contains("tests[0]: expected"), "{said}");
    }
}

#[test]
fn a_model_of_nothing_counts_as_a_test_that_failed() {
    let folder = Folder::new();
    folder.write("own", "models: {shop.custmers: {sql: SELECT 1 AS id}}");
    let said = ended(&started(&folder, PASSTHROUGH, "required"));
    let wanted = "policy own, models.shop.custmers: there is no relation of this name (did you \
                  mean shop.customers?)";
    assert!(said.contains(wanted), "{said}");
    folder.write("own", "rows: {shop.custmers: id = 1}");
    let said = ended(&started(&folder, PASSTHROUGH, "required"));
    assert!(said.contains("policy own, rows.shop.custmers: "), "{said}");
    // Where no tests are required the start goes on, and refuses what they are about.
    ready(&started(&folder, PASSTHROUGH, "off"), 200);
}

#[test]
fn a_policy_of_another_database_is_tested_there() {
    let cluster = shared_cluster();
    let other = new_database(cluster);
    sql::run_blocking(
        &cluster.url(ADMIN, ADMIN, &other),
        &["CREATE TABLE public.only_here (a int)"],
    );
    let of = |database: &str, expect: &str| {
        let folder = Folder::new();
        let own = test(
            "SELECT a FROM public.only_here",
            &format!("expect: {expect}"),
        );
        let matching = format!("match: {{database: {database}}}\nrelations: {{allow: [public.*]}}");
        folder.write("own", &format!("{matching}\ntests:\n{own}"));
        folder.write("rest", "");
        folder
    };
    let folder = of(&other, "permit");
    ready(&started(&folder, PASSTHROUGH, "required"), 200);
    let said = ended(&started(&of(&other, "refuse"), PASSTHROUGH, "required"));
    assert!(said.contains(&format!("in {other:?}")), "{said}");
    // Of several names one that is there is enough; none is not.
    let either = format!("[nowhere_at_all, {other}]");
    ready(
        &started(&of(&either, "permit"), PASSTHROUGH, "required"),
        200,
    );
    let said = ended(&started(
        &of("nowhere_at_all", "permit"),
        PASSTHROUGH,
        "required",
    ));
    assert!(
        said.contains("the catalog of \"nowhere_at_all\" cannot be read"),
        "{said}"
    );
    assert!(said.contains("cannot be run"), "{said}");
    // A pattern names nothing that could be looked into.
    let said = ended(&started(
        &of("\"nowhere_*\"", "permit"),
        PASSTHROUGH,
        "required",
    ));
    assert!(said.contains("name one in upstream.url"), "{said}");
}

#[test]
fn policies_that_failed_for_want_of_a_table_are_taken_when_it_is_there() {
    let folder = Folder::new();
    folder.write("own", "");
    let stack = started(&folder, PASSTHROUGH, "required");
    ready(&stack, 200);
    let strict = "relations: {allow: [shop.*]}\ntests:\n";
    let own = test(
        "SELECT a FROM shop.later",
        "expect: refuse, rule: column_denied",
    );
    let hidden = "columns: {deny: [shop.later.a]}\n";
    folder.write("own", &format!("{hidden}{strict}{own}"));
    let rejected = "pgsieve_policy_reloads_total{outcome=\"rejected\"}";
    let loaded = "pgsieve_policy_reloads_total{outcome=\"loaded\"}";
    until(|| (stack.metric(rejected) == 1.0).then_some(())).expect("rejected");
    stack.prepare(&["CREATE TABLE shop.later (a int)"]);
    until(|| (stack.metric(loaded) == 1.0).then_some(())).expect("loaded");
}
