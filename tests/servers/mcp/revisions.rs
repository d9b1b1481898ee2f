//! Every revision of the protocol, over either transport: whatever can be asked is asked, and what
//! comes back is judged where it is read.

use serde_json::{Value, json};

use super::client::{CURRENT_REVISION, McpClient};
use super::conformance::GREETED_REVISIONS;
use super::http_client::McpHttp;
use super::told::introduction;
use super::{change, database, new_database, upstream};
use crate::support::until;

/// Questions, and whether a server of any revision has a result for them.
fn questions() -> Vec<(&'static str, Value, bool)> {
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let sql = |text: &str| call("query", json!({ "sql": text }));
    vec![
        ("tools/list", json!({}), true),
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("prompts/list", json!({}), true),
        ("tools/call", sql("SELECT * FROM orders"), true),
        ("tools/call", sql("DELETE FROM orders"), true),
        ("tools/call", sql("SELECT joinedOn FROM customers"), true),
        ("tools/call", sql("SELECT nonesuch"), true),
        ("tools/call", call("query", json!({"sql": 5})), true),
        (
            "tools/call",
            call("check", json!({"sql": "SELECT 1"})),
            true,
        ),
        (
            "tools/call",
            call("explain", json!({"sql": "SELECT 1"})),
            true,
        ),
        ("tools/call", call("describe", json!({})), true),
        ("tools/call", call("choose", json!({})), true),
        ("tools/call", call("why", json!({})), true),
        (
            "resources/read",
            json!({"uri": "pgsieve://grounding"}),
            true,
        ),
        ("resources/read", json!({"uri": "pgsieve://policy"}), true),
        (
            "resources/read",
            json!({"uri": "pgsieve://nonesuch"}),
            false,
        ),
        (
            "prompts/get",
            json!({"name": "write_sql", "arguments": {"question": "How many?"}}),
            true,
        ),
        ("prompts/get", json!({"name": "nonesuch"}), false),
        ("tools/call", json!({"name": "nonesuch"}), false),
        ("tools/call", json!({"name": 5}), false),
        ("tools/call", json!({}), false),
        ("nonesuch/method", json!({}), false),
        ("logging/setLevel", json!({"level": "nonesuch"}), false),
    ]
}

/// Asks everything; results are results, and errors errors.
#[track_caller]
fn ask_all(revision: &str, mut ask: impl FnMut(&str, Value) -> Value) {
    for (method, params, has_result) in questions() {
        let answer = ask(method, params.clone());
        let is_result = answer.get("result").is_some();
        assert_eq!(
            is_result, has_result,
            "{revision}: {method} {params}: {answer}"
        );
    }
}

#[test]
fn whoever_greets_is_answered_in_its_revision() {
    let at = upstream(database());
    for revision in GREETED_REVISIONS {
        let mut client = McpClient::greeted_in(revision, &["--upstream", &at]);
        client.request("ping", json!({}));
        ask_all(revision, |method, params| {
            let number = client.ask(method, params);
            client.answer(number)
        });
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn whoever_greets_over_http_is_answered_in_its_revision() {
    let server = McpHttp::start("revisions");
    let token = server.token(&["--user", "ann"]);
    for revision in GREETED_REVISIONS {
        let session = server.greet_in(revision, &token).unwrap();
        let headers = [
            ("Mcp-Session-Id", &*session),
            ("MCP-Protocol-Version", revision),
        ];
        ask_all(revision, |method, params| {
            let message = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
            server.post(Some(&token), &headers, &message).message()
        });
    }
}

#[test]
fn whoever_greets_nobody_is_answered_in_the_revision_that_a_request_names() {
    let mut client = McpClient::start(&["--upstream", &upstream(database())]);
    let introduced = |mut params: Value| {
        params["_meta"] = introduction();
        params
    };
    client.request("server/discover", introduced(json!({})));
    ask_all(CURRENT_REVISION, |method, params| {
        let number = client.ask(method, introduced(params));
        client.answer(number)
    });
    let server = McpHttp::start("introduced");
    let token = server.token(&["--user", "ann"]);
    let found = server.say(Some(&token), "server/discover", json!({}));
    assert_eq!(found.status, 200, "{found:?}");
    ask_all(CURRENT_REVISION, |method, params| {
        server.say(Some(&token), method, params).message()
    });
}

#[test]
fn whoever_listens_hears_in_the_revision_that_has_subscriptions() {
    let database = new_database();
    let mut client = McpClient::start(&["--upstream", &upstream(&database)]);
    let wanted = json!({
        "resourcesListChanged": true, "resourceSubscriptions": ["pgsieve://grounding"],
    });
    let params = json!({ "notifications": wanted, "_meta": introduction() });
    let number = client.ask("subscriptions/listen", params);
    let agreed = client.notification("notifications/subscriptions/acknowledged");
    assert_eq!(agreed.unwrap()["params"]["notifications"], wanted);
    let mut columns = 0;
    let heard = until(|| {
        columns += 1;
        let more = format!("ALTER TABLE shop.orders ADD COLUMN more{columns} int");
        change(&database, &[&more]);
        std::thread::sleep(std::time::Duration::from_secs(3));
        client.request("tools/list", json!({ "_meta": introduction() }));
        client.heard("notifications/resources/list_changed")
    });
    heard.expect("a notification");
    let updated = client.notification("notifications/resources/updated");
    assert_eq!(updated.unwrap()["params"]["uri"], "pgsieve://grounding");
    client.notify("notifications/cancelled", json!({ "requestId": number }));
    client.request("tools/list", json!({ "_meta": introduction() }));
}

#[test]
fn a_client_may_subscribe_to_what_it_is_told_it_may() {
    for revision in GREETED_REVISIONS {
        let mut client = McpClient::greeted_in(revision, &["--upstream", &upstream(database())]);
        for number in 0..32 {
            let wanted = json!({ "uri": format!("pgsieve://knowledge/term/{number}") });
            client.request("resources/subscribe", wanted);
        }
        let one_more = json!({"uri": "pgsieve://grounding"});
        client.failure("resources/subscribe", one_more.clone());
        let first = json!({"uri": "pgsieve://knowledge/term/0"});
        client.request("resources/unsubscribe", first);
        client.request("resources/subscribe", one_more);
    }
}

/// Before them, an answer could not say that it has the number of no request.
#[test]
fn what_is_no_request_is_answered_as_the_two_newest_revisions_say() {
    let at = upstream(database());
    let introduced = json!({ "_meta": introduction() });
    for (mut client, params) in [
        (McpClient::greeted(&["--upstream", &at]), json!({})),
        (McpClient::start(&["--upstream", &at]), introduced.clone()),
    ] {
        client.request("tools/list", params.clone());
        for line in [
            "{\"jsonrpc\": \"2.0\"}",
            "{\"jsonrpc\": \"1.0\", \"id\": 900, \"method\": \"ping\"}",
            "{\"jsonrpc\": \"2.0\", \"id\": 901}",
            "{\"jsonrpc\": \"2.0\", \"id\": 902, \"method\": 5}",
            "{\"jsonrpc\": \"2.0\", \"id\": 903, \"method\": \"tools/call\", \"params\": 5}",
            "{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"tools/list\"}",
            "{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"tools/list\"}",
            "{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"tools/list\"}",
            "[{\"jsonrpc\": \"2.0\", \"id\": 904, \"method\": \"ping\"}]",
        ] {
            client.write(line);
            let told = client.find(|message| message.get("error").is_some());
            let told = told.unwrap_or_else(|| panic!("{line}"));
            assert_eq!(told["error"]["code"], -32600, "{line}: {told}");
            client.request("tools/list", params.clone());
        }
        let mut strange = introduced.clone();
        strange["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
        let told = client.failure("tools/list", strange);
        assert_eq!(told["code"], -32022, "{told}");
        assert_eq!(client.close(), Some(0));
    }
}
