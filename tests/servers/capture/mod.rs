//! The capture: statements that failed, kept with their text where that is wanted, and nowhere
//! else.

mod failures;
mod file;
mod other_sinks;
mod replay;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::raw::{Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const TABLES: &[&str] = &[
    "CREATE TABLE \"Numbers\" (\"Name\" text, amount integer)",
    "INSERT INTO \"Numbers\" VALUES ('a', 1)",
    "CREATE TABLE sums (total integer, concealed integer)",
    "INSERT INTO sums VALUES (7, 1)",
    "CREATE SEQUENCE ticks",
    "GRANT SELECT ON \"Numbers\", sums TO app",
    "GRANT ALL ON ticks TO app",
];

const MODEL: &[(&str, &str)] = &[(
    "#models: {}",
    "models: {public.sums: {sql: 'SELECT total FROM public.sums WHERE concealed = 1'}}",
)];

/// A pgsieve that captures, with these lines of its settings.
fn capturing(more: &str) -> Stack {
    start(&format!(
        "capture:\n  file: {{folder}}/capture.jsonl\n{more}"
    ))
}

fn start(more: &str) -> Stack {
    let stack = Stack::start(Options {
        policy_edits: MODEL,
        config: Some(format!(
            "listen: {{listen}}\nadmin:\n  listen: {{admin}}\nupstream:\n  url: {{upstream}}\n\
             policy:\n  file: {{folder}}/policy.yaml\naudit:\n  to: {{audit}}\n{more}"
        )),
        ..Options::default()
    });
    stack.prepare(TABLES);
    let is_known = || {
        let answer = login(&stack).query("SELECT Name FROM Numbers");
        kinds(&answer).contains('D').then_some(())
    };
    until(is_known).expect("the catalog is known");
    stack
}

fn login(stack: &Stack) -> RawClient {
    let login = Login {
        parameters: &[],
        ..stack.login(APP)
    };
    RawClient::login(stack.proxied_address(), &login)
}

fn path(stack: &Stack) -> PathBuf {
    stack.folder().join("capture.jsonl")
}

/// What was captured so far, before the last failure of a client.
fn captured(stack: &Stack) -> Vec<Value> {
    let last = "SELECT 1 / 0 AS the_last_one";
    login(stack).query(last);
    let all = until(|| {
        let text = fs::read_to_string(path(stack)).unwrap();
        text.contains(last).then_some(text)
    });
    let all = all.expect("the last one is captured");
    let lines = all.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    // Whether the catalog is known is asked by a text that fails until then.
    let asked = |line: &Value| line["sql"] == last || line["sql"] == "SELECT Name FROM Numbers";
    lines.into_iter().filter(|line| !asked(line)).collect()
}

fn texts(lines: &[Value]) -> Vec<&str> {
    let texts = lines.iter().map(|line| line["sql"].as_str().unwrap());
    texts.collect()
}

/// Runs a text that fails, and gives its SQLSTATE.
fn fails(client: &mut RawClient, sent: &[u8]) -> String {
    client.send(sent);
    let answer = client.until_ready();
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error.unwrap_or_else(|| panic!("{answer:?}")).sqlstate()
}

fn extended(text: &str, values: &[Option<&str>]) -> Vec<u8> {
    frames::extended(text, values, false)
}
