//! The protocol itself: schemas, calls that are wrong, and clients that are.

use serde_json::{Value, json};

use super::client::McpClient;
use super::{client, database, upstream};
use crate::support::command::pgsieve;

#[test]
fn every_answer_is_what_its_tool_says() {
    let mut client = client();
    let listed = client.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["query", "check", "explain", "describe", "choose", "why"]
    );
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert!(tool["title"].is_string() && tool["description"].is_string());
    }
    let sql = |text: &str| json!({ "sql": text });
    for (name, arguments) in [
        ("query", sql("SELECT * FROM orders")),
        ("query", sql("SELECT joinedOn FROM customers")),
        ("query", sql("SET TimeZone = 'UTC'")),
        ("query", sql("DELETE FROM orders")),
        ("query", sql("SELECT nonesuch")),
        ("query", json!({})),
        ("query", json!({"sql": "SELECT 1", "receipt": true})),
        ("query", json!({"cursor": "x"})),
        ("check", sql("SELECT 1")),
        ("check", sql("DELETE FROM orders")),
        ("check", sql("SELECT joinedOn FROM customers")),
        ("explain", sql("SELECT * FROM orders")),
        ("explain", sql("DROP TABLE orders")),
        ("describe", json!({})),
        (
            "describe",
            json!({"question": "which customers?", "format": "json"}),
        ),
        ("describe", json!({"format": "xml"})),
        (
            "choose",
            json!({"question": "all orders", "candidates": ["SELECT * FROM orders"]}),
        ),
        ("choose", json!({})),
        ("why", json!({})),
        ("why", json!({"rule": "lock"})),
    ] {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let result = client.call(name, arguments.clone());
        let told = &result["structuredContent"];
        let schema = jsonschema::draft202012::new(&tool["outputSchema"]).unwrap();
        let faults: Vec<String> = schema
            .iter_errors(told)
            .map(|fault| fault.to_string())
            .collect();
        assert!(
            faults.is_empty(),
            "{name} {arguments}: {faults:?} in {told}"
        );
        assert!(
            result["content"][0]["text"].is_string(),
            "{name} {arguments}"
        );
        let has_error = told.get("error").is_some();
        let is_failure = result["isError"] == true;
        // A verdict is an answer, be it a refusal.
        assert_eq!(
            is_failure,
            has_error && name != "check",
            "{name} {arguments}: {told}"
        );
    }
}

#[test]
fn a_wrong_call_is_told_and_the_next_one_served() {
    let mut client = client();
    for (name, arguments) in [
        ("query", json!({"sql": 5})),
        ("query", json!({"sql": "SELECT 1", "max_rows": 0})),
        ("query", json!({"sql": "SELECT 1", "max_rows": "ten"})),
        ("query", json!({"sql": "SELECT 1", "nonesuch": true})),
        ("query", json!({"sql": ""})),
        (
            "query",
            json!({"sql": "SELECT 1", "target_dialect": "klingon"}),
        ),
        ("query", json!({"sql": "SELECT '\u{0}'"})),
        ("query", json!({"sql": "x".repeat(3_000_000)})),
        ("check", json!({})),
        ("explain", json!({"query": "SELECT 1"})),
        ("describe", json!({"question": "x".repeat(100_000)})),
        ("choose", json!({"question": "q", "candidates": [5]})),
        (
            "choose",
            json!({"question": "q", "candidates": vec!["SELECT 1"; 1_000]}),
        ),
        ("why", json!({"rule": "nonesuch"})),
    ] {
        let error = client.error(name, arguments);
        let message = error["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && message.len() < 1_000,
            "{name}: {message}"
        );
    }
    assert_eq!(
        client.failure("tools/call", json!({"name": "nonesuch"}))["code"],
        -32602
    );
    assert_eq!(client.failure("nonesuch/method", json!({}))["code"], -32601);
    assert_eq!(
        client.told("query", json!({"sql": "SELECT 1"}))["rows"],
        json!([[1]])
    );
}

#[test]
fn lines_that_are_no_messages_end_nothing() {
    let mut client = client();
    for line in [
        "",
        "nonsense",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\": \"2.0\"}",
        "{\"jsonrpc\": \"1.0\", \"id\": 900, \"method\": \"ping\"}",
        "\u{1}\u{2}",
    ] {
        client.write(line);
    }
    client.write(&"[".repeat(100_000));
    client.write(&format!("{{\"id\": \"{}\"}}", "x".repeat(1_000_000)));
    assert_eq!(
        client.told("query", json!({"sql": "SELECT 1"}))["rows"],
        json!([[1]])
    );
}

#[test]
fn calls_of_a_session_wait_for_each_other_and_all_are_answered() {
    let mut client = client();
    let calls: Vec<u64> = (0..100)
        .map(|number| {
            let sql = format!("SELECT {number}");
            client.ask(
                "tools/call",
                json!({"name": "query", "arguments": { "sql": sql }}),
            )
        })
        .collect();
    let (mut answered, mut turned_away) = (0, 0);
    for (number, call) in (0..).zip(calls) {
        let answer = client.answer(call);
        let told = &answer["result"]["structuredContent"];
        match told["error"]["sqlstate"].as_str() {
            None => {
                assert_eq!(told["rows"], json!([[number]]));
                answered += 1;
            }
            Some(code) => {
                assert_eq!(code, "53300");
                turned_away += 1;
            }
        }
    }
    assert_eq!(answered + turned_away, 100);
    assert!(answered >= 32, "{answered}");
}

#[test]
fn its_client_ends_it_by_closing() {
    let mut client = client();
    client.told("query", json!({"sql": "SELECT 1"}));
    assert_eq!(client.close(), Some(0));
    let silent = McpClient::start(&["--upstream", &upstream(database())]);
    assert_eq!(silent.close(), Some(0));
}

#[test]
fn wrong_flags_are_told_before_anything_is_served() {
    let at = upstream(database());
    let no_user = at.replace(
        at.split("//").nth(1).unwrap().split('@').next().unwrap(),
        "",
    );
    let no_user = no_user.replace("//@", "//");
    for (arguments, words) in [
        (vec!["mcp"], "upstream"),
        (vec!["mcp", "--upstream", &no_user], "names no user"),
        (
            vec!["mcp", "--upstream", &at, "--policy", "nonesuch"],
            "nonesuch",
        ),
        (
            vec!["mcp", "--upstream", &at, "--audit", "-"],
            "standard output",
        ),
    ] {
        let output = pgsieve(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_database_that_is_not_there_is_an_answer() {
    let at = upstream("nonesuch");
    let mut client = McpClient::greeted(&["--upstream", &at]);
    let error = client.error("query", json!({"sql": "SELECT 1"}));
    assert_eq!(error["sqlstate"], "3D000", "{error}");
    let error: Value = client.error("describe", json!({}));
    assert!(error["message"].is_string());
}
