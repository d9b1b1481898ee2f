//! Which policy a request is under, by where it comes from and what its program calls itself.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::CURRENT_REVISION;
use super::http_client::McpHttp;
use super::told::introduction;

/// A folder of its own.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = folder.join(format!("mcp-oauth-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A folder of policies, each the agents' with these rules.
pub fn policies(name: &str, each: &[(&str, &str)]) -> PathBuf {
    let folder = folder(name);
    for (name, rules) in each {
        let agent = include_str!("../../../policies/agent.yaml");
        let text = agent.replace("\nname: agent\n", &format!("\nname: {name}\n"));
        let file = folder.join(format!("{name}.yaml"));
        fs::write(file, format!("{text}\n{rules}")).unwrap();
    }
    folder
}

/// Whether rows and names of a table are told to a request.
fn sees(server: &McpHttp, token: &str, program: &str) -> (bool, bool) {
    let call = |name: &str, arguments: Value| {
        let mut params = json!({ "name": name, "arguments": arguments });
        params["_meta"] = introduction();
        params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = json!(program);
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params,
        });
        let headers = [
            ("MCP-Protocol-Version", CURRENT_REVISION),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", name),
        ];
        let answer = server.post(Some(token), &headers, &message);
        answer.message()["result"]["structuredContent"].take()
    };
    let rows = call(
        "query",
        json!({"sql": "SELECT count(*) FROM shop.customers"}),
    );
    let told = call("describe", json!({}));
    let text = told["text"].as_str().expect("a description");
    (rows["rows"] == json!([[40]]), text.contains("joinedOn"))
}

#[test]
fn a_session_at_the_database_serves_no_other_address_and_no_other_program() {
    let hidden = "relations: {deny: [shop.customers]}\n";
    let folder = policies(
        "addresses",
        &[
            (
                "near",
                "match: {client_address: 127.0.0.1/32, application_name: trial}\n",
            ),
            ("far", hidden),
        ],
    );
    let more = format!("policy: {{file: '{}'}}\n", folder.display());
    let mut server = McpHttp::with("addresses", &more);
    let token = server.token(&["--user", "ann"]);
    let (near, far) = (Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2));
    for (from, program, may) in [
        (near, "trial", true),
        (far, "trial", false),
        (near, "other", false),
        (near, "trial", true),
    ] {
        server.from = from;
        let seen = sees(&server, &token, program);
        assert_eq!(seen, (may, may), "{program} at {from}");
    }
    // Pages that were read for one origin, and refusals, are told to no other.
    let call = |from: Ipv4Addr, server: &mut McpHttp, name: &str, arguments: Value| {
        server.from = from;
        let call = json!({ "name": name, "arguments": arguments });
        let answer = server.say(Some(&token), "tools/call", call).message();
        answer["result"]["structuredContent"].clone()
    };
    let first = json!({"sql": "SELECT name FROM shop.customers", "max_rows": 5});
    let told = call(near, &mut server, "query", first);
    let next = json!({ "cursor": told["next_cursor"] });
    let other = call(far, &mut server, "query", next.clone());
    assert_eq!(other["error"]["sqlstate"], "34000", "{other}");
    let own = call(near, &mut server, "query", next);
    assert_eq!(own["first_row"], 5, "{own}");
    let write = json!({"sql": "DELETE FROM shop.customers"});
    call(near, &mut server, "query", write);
    let other = call(far, &mut server, "why", json!({}));
    assert_eq!(other["error"]["sqlstate"], "22023", "{other}");
    let own = call(near, &mut server, "why", json!({}));
    assert_eq!(own["rule"], "write_statement", "{own}");
    // In a session that was greeted with, too.
    server.from = near;
    let session = server.greet(&token).unwrap();
    for (from, may) in [(near, true), (far, false), (near, true)] {
        server.from = from;
        let sql = "SELECT count(*) FROM shop.customers";
        let told = server.query_in(&token, &session, sql).message();
        let rows = &told["result"]["structuredContent"]["rows"];
        assert_eq!(*rows == json!([[40]]), may, "{from}: {told}");
    }
}
