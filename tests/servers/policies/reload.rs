//! Policies that change while sessions are open, and which session is under which.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pgsieve::demo::cluster::random_name;
use pgsieve::demo::supervisor::ChildSignal;

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{APP, Options, READER, RawClient, Stack, frames, until};

#[test]
fn a_changed_file_holds_for_every_session_at_its_next_statement() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    let before = version(&stack, "first");
    let mut sessions: Vec<_> = (0..8).map(|_| client(&stack)).collect();
    for session in &mut sessions {
        assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    }
    policies.write(&policy("first", CALLS_NOTHING));
    loaded(&stack, 1.0);
    for session in &mut sessions {
        refused(&session.query("SELECT f()"));
        assert_eq!(kinds(&session.query("SELECT 1")), "TDCZ");
    }
    // And back: nobody has to connect anew.
    policies.write(&policy("first", CALLS_F));
    loaded(&stack, 2.0);
    assert_eq!(version(&stack, "first"), before);
    for session in &mut sessions {
        assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    }
    let (status, body) = stack.get("/readyz");
    assert_eq!(status, 200);
    assert!(body.contains("policies: read "), "{body}");
    assert!(body.contains(" s ago, in use"), "{body}");
    assert!(
        body.contains(&format!(
            "policy \"first\": version {before}, mode enforce\n"
        )),
        "{body}"
    );
    assert_eq!(stack.metric(LAST_SUCCESSFUL), 1.0);
    assert!(stack.stderr().contains("policies read, in use: first"));
}

#[test]
fn the_audit_says_under_which_policy_a_statement_was_judged() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    let before = version(&stack, "first");
    let mut session = client(&stack);
    session.query("SELECT 1 AS before");
    policies.write(&policy("second", CALLS_NOTHING));
    loaded(&stack, 1.0);
    let after = version(&stack, "second");
    assert_ne!(before, after);
    refused(&session.query("SELECT f()"));
    drop(session);
    let login = stack.audited(|event| event["event"] == "login");
    assert_eq!(login["policy"], "first");
    let judged = stack.audited(|event| event["event"] == "statement" && event["rule"].is_null());
    assert_eq!(judged["policy_version"], before.as_str());
    let refused = stack.audited(|event| event["event"] == "statement" && !event["rule"].is_null());
    assert_eq!(refused["policy"], "second");
    assert_eq!(refused["policy_version"], after.as_str());
    let read = stack.audited(|event| event["event"] == "policies_read");
    assert_eq!(read["outcome"], "loaded");
    assert_eq!(read["problems"], 0);
    stack.audited(|event| event["event"] == "connection_closed" && event["policy"] == "second");
    assert_eq!(
        stack.metric(&format!(
            "pgsieve_policy_info{{mode=\"enforce\",policy=\"first\",version=\"{before}\"}}"
        )),
        0.0
    );
}

#[test]
fn a_change_of_what_a_policy_extends_holds_as_one_of_itself_does() {
    let policies = Policies {
        folder: Folder::new(),
    };
    let base = policies.folder.path().join("base");
    fs::write(&base, "extends: agent\nfunctions: {allow: [public.f]}\n").unwrap();
    policies.write("name: first\nextends: base\n");
    let stack = stack_under(&policies.file());
    let before = version(&stack, "first");
    let mut session = client(&stack);
    let knows = until(|| (kinds(&session.query("SELECT f()")) == "TDCZ").then_some(()));
    assert!(knows.is_some(), "{}", stack.stderr());
    fs::write(&base, "extends: agent\nfunctions: {allow: [public.none]}\n").unwrap();
    loaded(&stack, 1.0);
    assert_ne!(version(&stack, "first"), before);
    refused(&session.query("SELECT f()"));
    // A mistake in it changes nothing, and is told with its own file.
    fs::write(&base, "extends: first\nmode: off\n").unwrap();
    let rejected = until(|| (stack.metric(LAST_SUCCESSFUL) == 0.0).then_some(()));
    assert!(rejected.is_some(), "{}", stack.stderr());
    let told = until(|| {
        stack
            .stderr()
            .contains("base:1:10 extends: first")
            .then_some(())
    });
    assert!(told.is_some(), "{}", stack.stderr());
    refused(&session.query("SELECT f()"));
    fs::write(&base, "extends: agent\nfunctions: {allow: [public.f]}\n").unwrap();
    loaded(&stack, 2.0);
    assert_eq!(version(&stack, "first"), before);
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
}

/// Prepared statements, portals and cursors of before, in both protocols and in a pipeline.
#[test]
fn what_was_prepared_under_an_older_policy_is_judged_again() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    let mut sessions: Vec<_> = PREPARED
        .iter()
        .map(|(before, after)| {
            let mut session = client(&stack);
            let answer = run(&mut session, before);
            assert!(!kinds(&answer).contains('E'), "{before:?}: {answer:?}");
            (session, before, after)
        })
        .collect();
    let mut harmless = client(&stack);
    run(&mut harmless, &[Parse("s", "SELECT 1"), Sync]);
    policies.write(&policy("first", CALLS_NOTHING));
    loaded(&stack, 1.0);
    for (session, before, after) in &mut sessions {
        let answer = run(session, after);
        let shown = format!("{before:?}, then {after:?}: {answer:?}");
        assert!(!kinds(&answer).contains('D'), "{shown}");
        let error = answer.iter().find(|frame| frame.kind == b'E');
        let code = error.map(Frame::sqlstate);
        assert_eq!(code.as_deref(), Some("42501"), "{shown}");
    }
    let answer = run(&mut harmless, &[Bind("", "s"), Execute("", 0), Sync]);
    assert_eq!(kinds(&answer), "2DCZ");
    // Allowed again, they run again: they are still there.
    policies.write(&policy("first", CALLS_F));
    loaded(&stack, 2.0);
    let (session, ..) = &mut sessions[0];
    let answer = run(session, &[Bind("", "s"), Execute("", 0), Sync]);
    assert_eq!(kinds(&answer), "2DCZ");
}

#[test]
fn a_bad_file_changes_nothing_and_says_so() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    let before = version(&stack, "first");
    let mut session = client(&stack);
    for (number, bad) in (1_u8..).zip([
        policy("first", CALLS_F).replace("\nname: first\n", "\nname: first\nnmae: x\n"),
        "not: [a policy".to_owned(),
        String::new(),
    ]) {
        policies.write(&bad);
        until(|| (stack.metric(REJECTED) == f64::from(number)).then_some(())).expect("rejected");
        assert_eq!(stack.metric(LAST_SUCCESSFUL), 0.0);
        assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
        assert_eq!(kinds(&client(&stack).query("SELECT f()")), "TDCZ");
        assert_eq!(version(&stack, "first"), before);
        let (status, body) = stack.get("/readyz");
        assert_eq!(status, 200, "the policies of before hold");
        assert!(body.contains("not taken; problems:"), "{body}");
    }
    let said = stack.stderr();
    assert!(said.contains("nmae"), "{said}");
    assert!(said.contains("still in use: first"), "{said}");
    // A file that is gone is a bad one too.
    fs::remove_file(policies.file()).unwrap();
    until(|| (stack.metric(REJECTED) == 4.0).then_some(())).expect("rejected");
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    policies.write(&policy("first", CALLS_NOTHING));
    loaded(&stack, 1.0);
    refused(&session.query("SELECT f()"));
    assert_eq!(stack.metric(LAST_SUCCESSFUL), 1.0);
}

/// Policies are tried on what the database contains before they hold.
#[test]
fn a_model_that_does_not_fit_the_database_is_a_bad_file() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    stack.prepare(&[
        "CREATE TABLE public.t (a int)",
        "GRANT SELECT ON t TO PUBLIC",
    ]);
    let mut session = client(&stack);
    until(|| (kinds(&session.query("SELECT a FROM t")) == "TCZ").then_some(())).expect("a table");
    let modelled = |sql: &str, rest: &str| {
        let text = policy("first", CALLS_NOTHING);
        format!("{text}models: {{public.t: {{sql: {sql}}}}}\n{rest}")
    };
    policies.write(&modelled("SELECT a FROM missing", ""));
    until(|| (stack.metric(REJECTED) == 1.0).then_some(())).expect("rejected");
    let said = stack.stderr();
    assert!(said.contains("models.public.t"), "{said}");
    // By a session of its own: nobody knows what f has set.
    assert_eq!(kinds(&client(&stack).query("SELECT f()")), "TDCZ");
    assert_eq!(kinds(&session.query("SELECT a FROM t")), "TCZ");
    let unmet = "relations: {deny: [public.nothing_*, public.t_*, pg_catalog.pg_authid]}\n";
    policies.write(&modelled("SELECT a + 1 AS a FROM t", unmet));
    loaded(&stack, 1.0);
    stack.prepare(&["INSERT INTO public.t VALUES (41)"]);
    let answer = session.query("SELECT a FROM t");
    assert_eq!(kinds(&answer), "TDCZ", "{answer:?}");
    assert!(answer[1].body.ends_with(b"42"), "{answer:?}");
    let said = stack.stderr();
    assert!(said.contains("2 patterns stand for nothing"), "{said}");
}

#[test]
fn sighup_has_the_policies_read_and_the_audit_opened_anew() {
    let (mut stack, policies) = stack(&policy("first", CALLS_F));
    let mut session = client(&stack);
    stack.signal(ChildSignal::Reload);
    until(|| (stack.metric(UNCHANGED) == 1.0).then_some(())).expect("no change");
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    // With the time of the file as it was: a look at the clock alone would not tell.
    let time = fs::metadata(policies.file()).unwrap().modified().unwrap();
    let kept = stack.folder().join("audit.1.jsonl");
    fs::rename(stack.audit_path(), &kept).unwrap();
    policies.write(&policy("first", CALLS_NOTHING));
    let file = fs::File::options().write(true).open(policies.file());
    file.unwrap().set_modified(time).unwrap();
    stack.signal(ChildSignal::Reload);
    loaded(&stack, 1.0);
    refused(&session.query("SELECT f()"));
    stack.audited(|event| event["event"] == "statement");
}

/// Kubernetes writes a new folder and points a symbolic link at it.
#[test]
fn a_symbolic_link_that_points_elsewhere_is_a_change() {
    let folder = Folder::new();
    for (name, functions) in [("one", CALLS_F), ("two", CALLS_NOTHING)] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(
            folder.path().join(name).join("p.yaml"),
            policy("first", functions),
        )
        .unwrap();
    }
    symlink("one", folder.path().join("..data")).unwrap();
    symlink("..data/p.yaml", folder.path().join("p.yaml")).unwrap();
    let stack = stack_under(&folder.path().join("p.yaml"));
    let mut session = client(&stack);
    assert_eq!(kinds(&session.query("SELECT f()")), "TDCZ");
    symlink("two", folder.path().join("..data_tmp")).unwrap();
    fs::rename(
        folder.path().join("..data_tmp"),
        folder.path().join("..data"),
    )
    .unwrap();
    loaded(&stack, 1.0);
    refused(&session.query("SELECT f()"));
}

#[test]
fn a_session_gets_the_first_policy_that_fits_it() {
    let folder = Folder::new();
    let matching = |wanted: &str| format!("match: {{{wanted}}}\n");
    for (file, name, functions, matches) in [
        ("a.yaml", "boards", CALLS_F, "application_name: \"board*\""),
        ("b.yaml", "nowhere", CALLS_F, "client_address: 192.0.2.0/24"),
        ("c.yaml", "elsewhere", CALLS_F, "database: elsewhere"),
        (
            "d.yaml",
            "apps",
            CALLS_NOTHING,
            "user: app, client_address: 127.0.0.0/8",
        ),
    ] {
        let text = policy(name, functions) + &matching(matches);
        fs::write(folder.path().join(file), text).unwrap();
    }
    let stack = stack_under(folder.path());
    let board = [("application_name", "board of sales")];
    let login = |role| Login {
        parameters: &board,
        ..stack.login(role)
    };
    let mut boards = RawClient::login(stack.proxied_address(), &login(READER));
    // A login waits for a first catalog for a while only.
    let read = until(|| (kinds(&boards.query("SELECT f()")) == "TDCZ").then_some(()));
    assert!(read.is_some());
    let mut apps = RawClient::login(stack.proxied_address(), &stack.login(APP));
    refused(&apps.query("SELECT f()"));
    // The same name by other ways that the server takes it from.
    for parameters in [
        &[("options", "-c application_name=board")][..],
        &[("APPLICATION_NAME", "board")],
        &[
            ("options", "-c application_name=x"),
            ("application_name", "board"),
        ],
    ] {
        let login = Login {
            parameters,
            ..stack.login(APP)
        };
        let mut named = RawClient::login(stack.proxied_address(), &login);
        assert_eq!(kinds(&named.query("SELECT f()")), "TDCZ", "{parameters:?}");
    }
    // What it calls itself later changes nothing.
    apps.query("SET application_name = 'board'");
    refused(&apps.query("SELECT f()"));
    let unfit = RawClient::try_login(stack.proxied_address(), &stack.login(READER));
    let error = unfit.err().expect("no policy is for it");
    assert_eq!(error.sqlstate(), "28000");
    assert_eq!(error.field(b'S').as_deref(), Some("FATAL"));
    let told = stack.audited(|event| event["outcome"] == "refused_policy");
    assert_eq!(told["user"], READER);

    // The policy of one session goes: its next statement ends it, those of others go on.
    fs::remove_file(folder.path().join("a.yaml")).unwrap();
    loaded(&stack, 1.0);
    boards.send(&frames::query("SELECT 1"));
    let last = boards.until_closed();
    assert_eq!(kinds(&last), "E");
    assert_eq!(last[0].sqlstate(), "57P01");
    assert_eq!(last[0].field(b'S').as_deref(), Some("FATAL"));
    assert_eq!(kinds(&apps.query("SELECT 1")), "TDCZ");
    stack.audited(|event| event["event"] == "connection_closed" && event["reason"] == "no_policy");
}

/// What is owed to a client is given before it goes; what it sends afterwards does not run.
#[test]
fn a_pipeline_gets_its_answers_before_a_session_without_policy_ends() {
    let (stack, policies) = stack(&policy("first", CALLS_F));
    let mut session = client(&stack);
    session.send(&frames::query(
        "SELECT count(*) FROM generate_series(1, 20000000)",
    ));
    let only_others = policy("first", CALLS_F) + "match: {user: somebody_else}\n";
    policies.write(&only_others);
    loaded(&stack, 1.0);
    session.send(&frames::query("SELECT 2"));
    let answer = session.until_closed();
    assert_eq!(kinds(&answer), "TDCZE", "{answer:?}");
    assert_eq!(answer[4].sqlstate(), "57P01");
}

/// What a client sends.
#[derive(Clone, Copy, Debug)]
enum Step {
    Query(&'static str),
    Parse(&'static str, &'static str),
    Bind(&'static str, &'static str),
    Execute(&'static str, i32),
    Flush,
    Sync,
}

use Step::{Bind, Execute, Flush, Parse, Query, Sync};

/// What is made under the older policy, and what would run it under the newer one.
const PREPARED: &[(&[Step], &[Step])] = &[
    (
        &[Parse("s", "SELECT f()"), Sync],
        &[Bind("", "s"), Execute("", 0), Sync],
    ),
    (
        &[Parse("", "SELECT f()"), Sync],
        &[Bind("", ""), Execute("", 0), Sync],
    ),
    (
        &[
            Query("BEGIN"),
            Parse("s", MANY),
            Bind("p", "s"),
            Execute("p", 1),
            Sync,
        ],
        &[Execute("p", 1), Sync],
    ),
    (
        &[Parse("s", MANY), Bind("", "s"), Execute("", 1), Flush],
        &[Execute("", 1), Sync],
    ),
    (&[Query("PREPARE s AS SELECT f()")], &[Query("EXECUTE s")]),
    (
        &[Query("PREPARE s AS SELECT f()")],
        &[Parse("", "EXECUTE s"), Bind("", ""), Execute("", 0), Sync],
    ),
    (
        &[Query("BEGIN"), Query(DECLARED), Query("FETCH 1 FROM c")],
        &[Query("FETCH 1 FROM c")],
    ),
    (&[Query("BEGIN"), Query(DECLARED)], &[Execute("c", 1), Sync]),
    (
        &[Query("BEGIN"), Query(DECLARED)],
        &[Query("FETCH ALL FROM c"), Query("SELECT 1")],
    ),
    (
        &[Parse("s", "SELECT f()"), Parse("t", "SELECT 1"), Sync],
        &[
            Bind("", "s"),
            Execute("", 0),
            Sync,
            Parse("s2", "SELECT f()"),
            Bind("", "s2"),
            Execute("", 0),
            Sync,
        ],
    ),
    (
        &[Query("PREPARE s AS SELECT f()"), Query("BEGIN")],
        &[Query("EXECUTE s"), Query("EXECUTE s")],
    ),
];

const MANY: &str = "SELECT f() + g FROM generate_series(1, 9) g";
const DECLARED: &str = "DECLARE c CURSOR FOR SELECT f() + g FROM generate_series(1, 9) g";

/// Sends it all at once and reads what comes back.
fn run(client: &mut RawClient, steps: &[Step]) -> Vec<Frame> {
    let mut ready = 0;
    let mut answers = Vec::new();
    let mut sent = Vec::new();
    for step in steps {
        ready += usize::from(matches!(step, Sync | Query(_)));
        sent.extend(match step {
            Query(text) => frames::query(text),
            Parse(name, text) => frames::parse(name, text),
            Bind(portal, name) => frames::bind(portal, name, &[], false),
            Execute(portal, rows) => frames::execute(portal, *rows),
            Flush => frames::flush(),
            Sync => frames::sync(),
        });
    }
    client.send(&sent);
    if matches!(steps.last(), Some(Flush)) {
        // Up to the first rows.
        while answers
            .last()
            .is_none_or(|frame: &Frame| frame.kind != b's')
        {
            answers.push(client.read().unwrap());
        }
    }
    answers.extend((0..ready).flat_map(|_| client.until_ready()));
    answers
}

/// A policy of that name that lets these functions be called.
fn policy(name: &str, functions: &str) -> String {
    let text = include_str!("../../../policies/agent.yaml");
    let (before, after) = text.split_once("\nfunctions:\n").unwrap();
    let after = after.replacen("  allow: []\n", functions, 1);
    let named = before.replacen("name: agent\n", &format!("name: {name}\n"), 1);
    assert!(named.contains(name) && after.contains(functions));
    format!("\n{named}\nfunctions:\n{after}\n")
}

const CALLS_F: &str = "  allow: [public.f]\n";
const CALLS_NOTHING: &str = "  allow: [public.none]\n";

/// The file of a policy, and the folder that it is in.
struct Policies {
    folder: Folder,
}

impl Policies {
    fn file(&self) -> PathBuf {
        self.folder.path().join("policy.yaml")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).unwrap();
    }
}

/// A folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let name = format!("pgsieve-policies-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn stack(text: &str) -> (Stack, Policies) {
    let policies = Policies {
        folder: Folder::new(),
    };
    policies.write(text);
    let stack = stack_under(&policies.file());
    (stack, policies)
}

/// A stack with a function that the gate lets nobody call unless the policy names it.
fn stack_under(policies: &Path) -> Stack {
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), policies.to_string_lossy().into_owned()],
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
        "CREATE FUNCTION public.none() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
    ]);
    stack
}

fn client(stack: &Stack) -> RawClient {
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    client
        .stream()
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    client
}

fn refused(answer: &[Frame]) {
    assert_eq!(kinds(answer), "EZ", "{answer:?}");
    assert_eq!(answer[0].sqlstate(), "42501", "{answer:?}");
}

/// Waits until policies were taken so often.
fn loaded(stack: &Stack, times: f64) {
    let loaded = until(|| (stack.metric(LOADED) == times).then_some(()));
    assert!(loaded.is_some(), "{}", stack.stderr());
}

/// The version of a policy that holds.
fn version(stack: &Stack, name: &str) -> String {
    let (_, text) = stack.get("/metrics");
    let label = format!("pgsieve_policy_info{{mode=\"enforce\",policy=\"{name}\",version=\"");
    let line = text.lines().find_map(|line| line.strip_prefix(&label));
    let found = line.unwrap_or_else(|| panic!("{name} does not hold"));
    found.split('"').next().unwrap().to_owned()
}

const LOADED: &str = "pgsieve_policy_reloads_total{outcome=\"loaded\"}";
const UNCHANGED: &str = "pgsieve_policy_reloads_total{outcome=\"unchanged\"}";
const REJECTED: &str = "pgsieve_policy_reloads_total{outcome=\"rejected\"}";
const LAST_SUCCESSFUL: &str = "pgsieve_policy_last_reload_successful";
