//! One statement of one person has one verdict: whatever command is asked, it is what a session
//! meets.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use pgsieve::demo::cluster::random_name;
use serde_json::{Value, json};

use crate::support::command::pgsieve;
use crate::support::raw::Login;
use crate::support::{APP, Options, READER, RawClient, Stack, until};

/// Who asks: a user, and what its client calls itself.
type Who = (&'static str, &'static str);

/// The rule that refuses, if one does.
pub type Answer = Option<String>;

const PEOPLE: [Who; 4] = [
    (READER, ""),
    (APP, ""),
    (APP, "board of sales"),
    (READER, "board"),
];

const STATEMENTS: [&str; 20] = [
    "SELECT 1",
    "SELECT id FROM orders",
    "SELECT owner FROM public.orders WHERE id = 1",
    "SELECT note FROM secret",
    "SELECT * FROM public.through",
    "SELECT count(*) FROM pg_catalog.pg_class",
    "DELETE FROM orders",
    "WITH d AS (DELETE FROM orders RETURNING 1) SELECT 1 FROM d",
    "SELECT pg_sleep(0)",
    "SELECT public.f()",
    "SELECT id FROM orders FOR UPDATE",
    "SET work_mem = '100GB'",
    "SET search_path = public",
    "SET ROLE pg_write_all_data",
    "SELECT set_config('work_mem', '1MB', false)",
    "SELECT 1; SELECT 2",
    "BEGIN; SELECT id FROM orders; COMMIT",
    "EXPLAIN ANALYZE SELECT 1",
    "COPY (SELECT id FROM orders) TO STDOUT",
    "LISTEN something",
];

/// Policies by user, by application and for the rest: each refuses something else.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let folder = Self(folder);
        folder.write(
            "reads",
            "match: {user: reader}\nrelations: {deny: [public.secret]}\n",
        );
        folder.write(
            "boards",
            "match: {application_name: \"board*\"}\npriority: 2\n\
             relations: {allow: [public.orders], through_views: check}\n",
        );
        folder.write(
            "rest",
            "models: {public.orders: {sql: \"SELECT id, owner FROM orders WHERE owner = :user\"}}\n\
             columns: {deny: [public.secret.note]}\n",
        );
        folder
    }

    fn write(&self, name: &str, sections: &str) {
        let agent = include_str!("../../../policies/agent.yaml");
        let (before, _) = agent.split_once("\ntests:\n").unwrap();
        let named = before.replacen("name: agent\n", &format!("name: {name}\n"), 1);
        let text = format!("{named}\n{sections}\n");
        fs::write(self.0.join(format!("{name}.yaml")), text).unwrap();
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

/// What a command prints, given that on its standard input.
pub fn said(arguments: &[&str], input: &str) -> String {
    let ended = pgsieve(arguments, input);
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() < Some(2), "{arguments:?}: {told}");
    String::from_utf8(ended.stdout).unwrap()
}

pub fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

/// What a session of somebody meets.
fn met(stack: &Stack, (user, application): Who, statement: &str) -> Answer {
    let parameters = [("application_name", application)];
    let login = Login {
        parameters: &parameters,
        ..stack.login(user)
    };
    let answer = RawClient::login(stack.proxied_address(), &login).query(statement);
    let error = answer.iter().find(|frame| frame.kind == b'E')?;
    let detail = error
        .body
        .split(|byte| *byte == 0)
        .find_map(|field| field.strip_prefix(b"D"));
    let detail = String::from_utf8_lossy(detail.unwrap_or_default()).into_owned();
    let rule = detail.strip_prefix("rule: ").map(|rest| {
        let end = rest.find(|c: char| c != '_' && !c.is_ascii_lowercase());
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    assert!(rule.is_some(), "{statement}: {answer:?}");
    rule
}

pub fn of_line(line: &Value, verdict: &str, rule: &str) -> Answer {
    let refused = line[verdict] == "refuse";
    let rule = match &line[rule] {
        Value::Array(all) => all.first().and_then(Value::as_str),
        rule => rule.as_str(),
    };
    refused.then(|| rule.unwrap().to_owned())
}

#[test]
fn every_command_says_what_a_session_meets() {
    let expected = agree(&Folder::new());
    // The people differ, or nothing is shown.
    let of = |who| expected[&(who, "SELECT note FROM secret")].as_deref();
    assert_eq!(of(PEOPLE[0]), Some("relation_denied"));
    assert_eq!(of(PEOPLE[1]), Some("column_denied"));
}

#[test]
fn every_command_refuses_what_a_misspelt_model_may_be_meant_for() {
    let folder = Folder::new();
    folder.write("rest", "models: {public.ordres: {sql: SELECT 1 AS id}}");
    let expected = agree(&folder);
    let of = |who| expected[&(who, "SELECT id FROM orders")].as_deref();
    assert_eq!(of(PEOPLE[0]), None);
    assert_eq!(of(PEOPLE[1]), Some("relation_denied"));
}

/// Has every command asked what a session meets.
fn agree(folder: &Folder) -> BTreeMap<(Who, &'static str), Answer> {
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), folder.path().into()],
        ..Options::default()
    });
    stack.prepare(&[
        "CREATE TABLE public.orders (id int, owner text)",
        "CREATE TABLE public.secret (id int, note text)",
        "CREATE VIEW public.through AS SELECT id FROM public.secret",
        "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1'",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC",
    ]);
    let view = "SELECT id FROM public.through";
    let seen = until(|| (met(&stack, PEOPLE[0], view).is_none()).then_some(()));
    assert!(seen.is_some(), "the catalog knows the view");
    let mut expected: BTreeMap<(Who, &str), Answer> = BTreeMap::new();
    for who in PEOPLE {
        for statement in STATEMENTS {
            expected.insert((who, statement), met(&stack, who, statement));
        }
    }
    let url = stack.direct_url(READER);
    for (number, who) in PEOPLE.into_iter().enumerate() {
        commands(folder, &url, who, &expected);
        // Each statement by one of them: it is a process each time.
        for statement in STATEMENTS.iter().skip(number).step_by(PEOPLE.len()) {
            explained(folder, &url, who, statement, &expected[&(who, *statement)]);
        }
    }
    tests_say_so(folder, &url, &expected);
    expected
}

/// `policy explain`.
fn explained(folder: &Folder, url: &str, who: Who, statement: &str, expected: &Answer) {
    let (user, application) = who;
    let policy = ["policy", "explain", folder.path(), "--json"];
    let asked = ["--sql", statement, "--upstream", url];
    let person = ["--user", user, "--application-name", application];
    let told = lines(&said(&[&policy[..], &asked, &person].concat(), ""));
    let got = of_line(&told[0], "verdict", "rules");
    assert_eq!(got, *expected, "explain, {who:?}: {statement}");
}

/// `check`, `repair` and `policy diff`.
fn commands(folder: &Folder, url: &str, who: Who, expected: &BTreeMap<(Who, &str), Answer>) {
    let person = [
        "--upstream",
        url,
        "--user",
        who.0,
        "--application-name",
        who.1,
    ];
    let questions: String = STATEMENTS
        .iter()
        .map(|sql| json!({"id": sql, "sql": sql}).to_string() + "\n")
        .collect();
    let wanted = |statement: &Value| {
        let statement = statement.as_str().unwrap();
        let known = STATEMENTS.iter().find(|known| **known == statement);
        &expected[&(who, *known.unwrap())]
    };
    for command in [&["check"][..], &["repair", "--no-sql"]] {
        let flags = ["--jsonl", "--policy", folder.path()];
        let arguments: Vec<&str> = command
            .iter()
            .chain(&flags)
            .chain(&person)
            .copied()
            .collect();
        let answers = lines(&said(&arguments, &questions));
        assert_eq!(answers.len(), STATEMENTS.len());
        for line in answers {
            let (got, id) = (of_line(&line, "verdict", "rule"), &line["id"]);
            assert_eq!(&got, wanted(id), "{command:?}, {who:?}: {id}");
        }
    }
    let flags = [
        "policy",
        "diff",
        "strict",
        folder.path(),
        "--jsonl",
        "--statements",
        "-",
    ];
    let arguments: Vec<&str> = flags.iter().chain(&person).copied().collect();
    let mut changed = 0;
    for line in lines(&said(&arguments, &questions)) {
        if line["change"].is_string() {
            changed += 1;
            let (got, id) = (of_line(&line, "new", "new_rules"), &line["id"]);
            assert_eq!(&got, wanted(id), "diff, {who:?}: {id}");
        }
    }
    assert!(changed > 0);
}

/// The same as tests that a policy carries.
fn tests_say_so(folder: &Folder, url: &str, expected: &BTreeMap<(Who, &str), Answer>) {
    let copy = Folder::new();
    for file in ["reads.yaml", "boards.yaml", "rest.yaml"] {
        fs::copy(folder.0.join(file), copy.0.join(file)).unwrap();
    }
    let tests = expected
        .iter()
        .map(|(((user, application), statement), answer)| {
            let mut test = json!({"statement": statement, "user": user, "expect": "permit"});
            if !application.is_empty() {
                test["application_name"] = json!(application);
            }
            if let Some(rule) = answer {
                test["expect"] = json!("refuse");
                test["rule"] = json!(rule);
            }
            format!("  - {test}\n")
        });
    let tests: String = tests.collect();
    let file = copy.0.join("rest.yaml");
    let text = fs::read_to_string(&file).unwrap() + "tests:\n" + &tests;
    fs::write(&file, text).unwrap();
    let told = said(&["policy", "test", copy.path(), "--upstream", url], "");
    let wanted = format!("{} passed, 0 failed, 0 undecided", expected.len());
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn flags_say_whose_session_it_is_for_every_command() {
    let folder = Folder::new();
    folder.write(
        "shown",
        "match: {certificate_name: \"c*\"}\npriority: 9\nrelations: {deny: [\"pg_catalog.*\"]}\n",
    );
    let stack = Stack::start(Options::default());
    let url = stack.direct_url(READER);
    let sql = "SELECT relname FROM pg_catalog.pg_class";
    let with = |certificate: Option<&str>| {
        let flags = [
            "policy",
            "explain",
            folder.path(),
            "--json",
            "--sql",
            sql,
            "--upstream",
            &url,
        ];
        let more = certificate.map(|name| ["--certificate", name]);
        let arguments: Vec<&str> = flags.iter().chain(more.iter().flatten()).copied().collect();
        lines(&said(&arguments, ""))[0].clone()
    };
    assert_eq!(with(None)["policy"], "reads");
    assert_eq!(with(Some("cora"))["policy"], "shown");
    assert_eq!(with(Some("dora"))["policy"], "reads");
    // Whoever looked, unless the flags say otherwise.
    assert_eq!(with(None)["user"], READER);
    assert_eq!(with(None)["role"], READER);
    let flags = [
        "policy",
        "explain",
        folder.path(),
        "--json",
        "--sql",
        sql,
        "--upstream",
        &url,
    ];
    let role = [
        "--role",
        APP,
        "--settings",
        "app.tenant=a",
        "--set",
        "app.other=b",
    ];
    let arguments: Vec<&str> = flags.iter().chain(&role).copied().collect();
    assert_eq!(lines(&said(&arguments, ""))[0]["role"], APP);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let wrong = ["check", "--upstream", &url, "--role", "raeder"];
    let ended = command
        .args(wrong)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(
        told.contains("--role: the database has no role of this name; did you mean reader?"),
        "{told}"
    );
}

#[test]
fn serve_check_tells_what_a_session_of_somebody_gets() {
    let folder = Folder::new();
    let stack = Stack::start(Options::default());
    let url = stack.direct_url(READER);
    let told = |more: &[&str]| {
        let flags = [
            "serve",
            "--check",
            "--upstream",
            &url,
            "--policy",
            folder.path(),
        ];
        let arguments: Vec<&str> = flags.iter().chain(more).copied().collect();
        said(&arguments, "")
    };
    let gets = |more: &[&str], policy: &str, role: &str| {
        let told = told(more);
        let line = told.lines().find(|line| line.contains(" gets policy "));
        let line = line.unwrap_or_else(|| panic!("{told}"));
        assert!(line.contains(&format!("gets policy {policy} ")), "{line}");
        assert!(line.ends_with(&format!("has the role {role}")), "{line}");
    };
    gets(&["--user", READER], "reads", READER);
    gets(&["--user", APP], "rest", APP);
    gets(
        &["--user", APP, "--application-name", "board 1"],
        "boards",
        APP,
    );
    gets(&["--user", "nobody_here", "--role", APP], "rest", APP);
    assert!(!told(&[]).contains(" gets policy "));
}
