//! What an agent is told: groundings, resources, prompts, changes, and the audit of it all.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{CURRENT_REVISION, McpClient};
use super::{change, client, database, new_database, upstream};
use crate::support::until;

#[test]
fn a_description_has_what_may_be_read() {
    let mut client = client();
    let told = client.told("describe", json!({}));
    let text = told["text"].as_str().unwrap();
    assert!(
        text.contains("customers") && text.contains("joinedOn"),
        "{text}"
    );
    assert!(!text.contains("secrets"), "{text}");
    let version = told["grounding_version"].as_str().unwrap().to_owned();
    assert!(text.contains(&version));
    let asked = json!({"question": "What is the total of all orders?", "format": "ddl"});
    let told = client.told("describe", asked);
    let text = told["text"].as_str().unwrap();
    assert!(
        text.contains("CREATE TABLE") && text.contains("total"),
        "{text}"
    );
    assert_eq!(told["grounding_version"], *version);
    let error = client.error("describe", json!({"budget": 1}));
    assert!(
        error["message"].as_str().unwrap().contains("tokens"),
        "{error}"
    );
}

#[test]
fn resources_are_the_grounding_by_version_and_the_policy() {
    let mut client = client();
    let listed = client.request("resources/list", json!({}));
    let addresses: Vec<&str> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(addresses[..2], ["pgsieve://grounding", "pgsieve://policy"]);
    let version = client.told("describe", json!({}))["grounding_version"].take();
    let version = version.as_str().unwrap();
    let mut read = |uri: &str| {
        let read = client.request("resources/read", json!({ "uri": uri }));
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    };
    let now = read("pgsieve://grounding");
    assert!(now.contains("customers") && !now.contains("secrets"));
    assert_eq!(read(&format!("pgsieve://grounding/{version}")), now);
    let policy: Value = serde_json::from_str(&read("pgsieve://policy")).unwrap();
    assert_eq!(policy["name"], "agent");
    let templates = client.request("resources/templates/list", json!({}));
    let template = &templates["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(*template, "pgsieve://grounding/{version}");
    for uri in [
        "pgsieve://grounding/0000000000000000",
        "pgsieve://x",
        "file:///etc/passwd",
    ] {
        let error = client.failure("resources/read", json!({ "uri": uri }));
        assert_eq!(error["code"], -32002, "{uri}");
    }
}

#[test]
fn knowledge_is_a_resource() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("mcp-knowledge-{}.yaml", std::process::id()));
    let policy = "name: knowing\nextends: agent\nknowledge:\n  term:\n    whale:\n      \
                  meaning: a customer of over 1,000\n  clarify:\n    recent: {when: no time is \
                  named, ask: Since when?}\n";
    fs::write(&path, policy).unwrap();
    let at = upstream(database());
    let mut client = McpClient::greeted(&["--upstream", &at, "--policy", path.to_str().unwrap()]);
    let listed = client.request("resources/list", json!({}));
    let resources = listed["resources"].as_array().unwrap();
    let of_kind = |record: &str| {
        let begins = format!("pgsieve://knowledge/{record}");
        let mut addresses = resources
            .iter()
            .map(|resource| resource["uri"].as_str().unwrap());
        addresses
            .find(|uri| uri.starts_with(&begins))
            .unwrap()
            .to_owned()
    };
    let (term, clarify) = (of_kind("term/whale"), of_kind("clarify/recent"));
    for (uri, words) in [
        (term, "whale: a customer of over 1,000"),
        (clarify, "Since when?"),
    ] {
        let read = client.request("resources/read", json!({ "uri": uri }));
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{text}");
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_prompt_has_the_question_and_what_it_needs() {
    let mut client = client();
    let listed = client.request("prompts/list", json!({}));
    assert_eq!(listed["prompts"][0]["name"], "write_sql");
    let asked = json!({"name": "write_sql", "arguments": {"question": "How many orders?"}});
    let got = client.request("prompts/get", asked);
    let text = got["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.contains("How many orders?") && text.contains("shop.orders"),
        "{text}"
    );
    for wrong in [json!({"name": "x"}), json!({"name": "write_sql"})] {
        assert_eq!(client.failure("prompts/get", wrong)["code"], -32602);
    }
}

#[test]
fn who_has_greeted_hears_that_the_schema_has_changed() {
    let database = new_database();
    let mut client = McpClient::greeted(&["--upstream", &upstream(&database)]);
    let before = client.told("describe", json!({}))["grounding_version"].take();
    let (grounding, policy) = ("pgsieve://grounding", "pgsieve://policy");
    for uri in [grounding, policy, grounding] {
        client.request("resources/subscribe", json!({ "uri": uri }));
    }
    client.request("resources/unsubscribe", json!({ "uri": policy }));
    let wrong = client.failure("resources/subscribe", json!({"uri": "file:///etc/passwd"}));
    assert_eq!(wrong["code"], -32002, "{wrong}");
    // A watch that begins behind a change has nothing to tell of it: it is changed until both tell.
    let mut number = 0;
    let mut other = McpClient::greeted(&["--upstream", &upstream(&database)]);
    other.told("describe", json!({}));
    let listed = "notifications/resources/list_changed";
    let (mut client_heard, mut other_heard) = (false, false);
    let heard = until(|| {
        number += 1;
        change(
            &database,
            &[&format!(
                "ALTER TABLE shop.orders ADD COLUMN more{number} int"
            )],
        );
        std::thread::sleep(std::time::Duration::from_secs(3));
        for (one, has_heard) in [
            (&mut client, &mut client_heard),
            (&mut other, &mut other_heard),
        ] {
            one.request("ping", json!({}));
            *has_heard |= one.heard(listed).is_some();
        }
        (client_heard && other_heard).then_some(())
    });
    heard.expect("a notification to both");
    let updated = client
        .notification("notifications/resources/updated")
        .unwrap();
    assert_eq!(updated["params"]["uri"], grounding);
    client.request("ping", json!({}));
    let more = client.heard("notifications/resources/updated");
    assert!(more.is_none_or(|more| more["params"]["uri"] == grounding));
    // Who has not subscribed hears of the list alone.
    other.request("ping", json!({}));
    assert_eq!(other.heard("notifications/resources/updated"), None);
    let after = client.told("describe", json!({}))["grounding_version"].take();
    assert_ne!(before, after);
}

/// What a request says of its client where nobody greets.
pub(super) fn introduction() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT_REVISION,
        "io.modelcontextprotocol/clientInfo": { "name": "trial", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn the_current_revision_is_served_without_a_greeting() {
    let mut client = McpClient::start(&["--upstream", &upstream(database())]);
    let found = client.request("server/discover", json!({ "_meta": introduction() }));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(CURRENT_REVISION)), "{found}");
    let listed = client.request("tools/list", json!({ "_meta": introduction() }));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 6);
    let result = client.request(
        "tools/call",
        json!({
            "name": "query", "arguments": { "sql": "SELECT 1 AS one" },
            "_meta": introduction(),
        }),
    );
    assert_eq!(
        result["structuredContent"]["rows"],
        json!([[1]]),
        "{result}"
    );
}

#[test]
fn the_audit_says_that_a_statement_came_over_mcp() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(format!("mcp-audit-{}.jsonl", std::process::id()));
    let audit = path.to_str().unwrap();
    let mut client = McpClient::greeted(&[
        "--upstream",
        &upstream(database()),
        "--audit",
        audit,
        "--user",
        "ann",
    ]);
    client.told("query", json!({"sql": "SELECT count(*) FROM orders"}));
    client.error("query", json!({"sql": "DROP TABLE orders"}));
    assert_eq!(client.close(), Some(0));
    let text = fs::read_to_string(&path).unwrap();
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let statements: Vec<Value> = lines.filter(|line| line["event"] == "statement").collect();
    let verdicts: Vec<_> = statements
        .iter()
        .map(|line| line["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["permitted", "refused"], "{text}");
    for line in &statements {
        assert_eq!(line["path"], "mcp", "{line}");
        assert_eq!(line["user"], "ann", "{line}");
        assert_eq!(line["client"], "mcp", "{line}");
        assert_eq!(line["application_name"], "trial", "{line}");
        assert_eq!(line["policy"], "agent", "{line}");
    }
    assert!(!text.contains("DROP TABLE"));
    fs::remove_file(path).unwrap();
}
