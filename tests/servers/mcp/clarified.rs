//! Records that say what to ask: the person is asked where the client can, in every revision.

use serde_json::{Value, json};

use super::client::{CURRENT_REVISION, McpClient};
use super::http_client::McpHttp;
use super::{database, upstream};

/// A client whose person can be asked in these ways.
fn able(capabilities: &Value) -> McpClient {
    McpClient::able(&["--upstream", &upstream(database())], capabilities)
}

fn wish(names: &[&str]) -> Value {
    json!({"question": "Who are the best customers of late?", "clarify": names})
}

/// Asks for a description and answers the form so; the form, and what is told.
fn asked(client: &mut McpClient, names: &[&str], result: &Value) -> (Value, Value) {
    let call = json!({"name": "describe", "arguments": wish(names)});
    let number = client.ask("tools/call", call);
    let form = client
        .find(|message| message["method"] == "elicitation/create")
        .expect("a question");
    let answer = json!({"jsonrpc": "2.0", "id": form["id"], "result": result});
    client.write(&answer.to_string());
    let told = client.answer(number)["result"]["structuredContent"].take();
    (form["params"].clone(), told)
}

#[test]
fn a_person_is_asked_what_a_question_leaves_open() {
    for capabilities in [
        json!({"elicitation": {}}),
        json!({"elicitation": {"form": {}}}),
    ] {
        let mut client = able(&capabilities);
        let told = client.told("describe", json!({"question": "Who buys?"}));
        let names = told["clarify"].as_array().unwrap().iter();
        let names: Vec<&str> = names.map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["ranking", "recency"], "{told}");
        let accepted = json!({
            "action": "accept",
            "content": {"recency": " since March ", "ranking": ""},
        });
        let (form, told) = asked(&mut client, &["recency", "ranking"], &accepted);
        let fields = form["requestedSchema"]["properties"].as_object().unwrap();
        assert_eq!(fields.len(), 2, "{form}");
        assert_eq!(fields["recency"]["type"], "string");
        assert!(
            form["message"].as_str().unwrap().starts_with("Since when"),
            "{form}"
        );
        let clarified = &told["clarified"];
        assert_eq!(clarified["outcome"], "answered", "{told}");
        assert_eq!(clarified["answers"][0]["answer"], "since March");
        assert_eq!(clarified["answers"][1]["answer"], Value::Null);
        let text = told["text"].as_str().unwrap();
        assert!(text.contains("The person answers: since March"), "{text}");
        assert!(text.contains("customers"), "{text}");
        for (action, outcome) in [("decline", "declined"), ("cancel", "cancelled")] {
            let (_, told) = asked(&mut client, &["recency"], &json!({ "action": action }));
            assert_eq!(told["clarified"]["outcome"], outcome, "{told}");
            assert_eq!(told["clarified"]["answers"][0]["answer"], Value::Null);
            assert!(told["text"].as_str().unwrap().contains("customers"));
        }
    }
}

#[test]
fn whoever_cannot_ask_hears_what_to_ask() {
    for capabilities in [json!({}), json!({"elicitation": {"url": {}}})] {
        let mut client = able(&capabilities);
        let told = client.told("describe", wish(&["recency"]));
        assert_eq!(told["clarified"]["outcome"], "not_offered", "{told}");
        let text = told["text"].as_str().unwrap();
        assert!(
            text.contains("Since when") && text.contains("ask yourself"),
            "{text}"
        );
        let wrong = client.error("describe", wish(&["nonesuch"]));
        assert_eq!(wrong["sqlstate"], "22023", "{wrong}");
        assert!(
            wrong["message"].as_str().unwrap().contains("recency"),
            "{wrong}"
        );
        let wrong = client.error("describe", wish(&["recency"; 6]));
        assert_eq!(wrong["sqlstate"], "22023", "{wrong}");
    }
}

#[test]
fn answers_are_cut_and_never_more_than_was_asked() {
    let mut client = able(&json!({"elicitation": {}}));
    let long = "ä".repeat(5_000);
    let accepted = json!({"action": "accept", "content": {"recency": long, "other": "x"}});
    let (_, told) = asked(&mut client, &["recency"], &accepted);
    let answers = told["clarified"]["answers"].as_array().unwrap();
    assert_eq!(answers.len(), 1);
    assert_eq!(
        answers[0]["answer"].as_str().unwrap().chars().count(),
        1_000
    );
    for strange in [
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {"recency": 3}}),
        json!({"action": "accept", "content": {"recency": ["a"]}}),
    ] {
        let (_, told) = asked(&mut client, &["recency"], &strange);
        assert_eq!(
            told["clarified"]["answers"][0]["answer"],
            Value::Null,
            "{told}"
        );
    }
}

/// In the revision in which nobody greets, a call comes again with what was asked for.
#[test]
fn a_call_comes_again_with_the_answers() {
    let server = McpHttp::start("clarified");
    let token = server.token(&["--user", "ann"]);
    let call = |capabilities: Value, responses: Option<Value>| {
        let mut params = json!({"name": "describe", "arguments": wish(&["recency"])});
        if let Some(responses) = responses {
            params["inputResponses"] = responses;
        }
        params["_meta"] = super::told::introduction();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        let message = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params,
        });
        let headers = [
            ("MCP-Protocol-Version", CURRENT_REVISION),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "describe"),
        ];
        server.post(Some(&token), &headers, &message).message()["result"].take()
    };
    let able = json!({"elicitation": {}});
    let asks = call(able.clone(), None);
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let request = &asks["inputRequests"]["clarify"];
    assert_eq!(request["method"], "elicitation/create", "{asks}");
    assert!(request["params"]["requestedSchema"]["properties"]["recency"].is_object());
    let accepted = json!({"action": "accept", "content": {"recency": "since March"}});
    let told = call(able.clone(), Some(json!({ "clarify": accepted })));
    let clarified = &told["structuredContent"]["clarified"];
    assert_eq!(clarified["answers"][0]["answer"], "since March", "{told}");
    let told = call(able, Some(json!({"clarify": "nonsense"})));
    let clarified = &told["structuredContent"]["clarified"];
    assert_eq!(clarified["outcome"], "cancelled", "{told}");
    let told = call(json!({}), None);
    let clarified = &told["structuredContent"]["clarified"];
    assert_eq!(clarified["outcome"], "not_offered", "{told}");
}
