//! The protocol over HTTP: tokens and what they let in, sessions, names, bounds.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::CURRENT_REVISION;
use super::http_client::McpHttp;
use super::told::introduction;
use crate::support::collector::Collector;
use crate::support::command::pgsieve;
use crate::support::{ADMIN, READER, until};

#[test]
fn a_token_lets_in_whom_its_line_names() {
    let server = McpHttp::start("names");
    let token = server.token(&["--user", "ann", "--policy", "agent"]);
    let told = server.query(&token, "SELECT count(*) FROM orders");
    assert_eq!(told["rows"], json!([[400]]), "{told}");
    let told = server.query(&token, "SELECT current_user");
    assert_eq!(told["rows"], json!([[READER]]));
    let told = server.query(&token, "DELETE FROM orders");
    assert_eq!(told["error"]["rule"], "write_statement");
    let line = server.stack.audited(|line| line["verdict"] == "refused");
    assert_eq!(line["path"], "mcp", "{line}");
    assert_eq!(line["user"], "ann", "{line}");
    assert!(
        line["client"].as_str().unwrap().starts_with("127.0.0.1:"),
        "{line}"
    );
    let text = fs::read_to_string(&server.tokens).unwrap();
    assert!(!text.contains(&token));
    assert!(!server.stack.everything_said().contains(&token));
    // A policy that is not there is nobody's.
    let token = server.token(&["--user", "ann", "--policy", "nonesuch"]);
    let told = server.query(&token, "SELECT 1");
    assert_eq!(told["error"]["sqlstate"], "28000", "{told}");
    let accepted = server
        .stack
        .metric_sum("pgsieve_logins_total", &[("method", "mcp_token")]);
    assert!(accepted >= 1.0, "{accepted}");
}

/// Whoever reads the catalog may read everything here, and the token's role may not.
#[test]
fn candidates_are_run_by_the_callers_own_role() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let password = folder.join(format!("mcp-catalog-{}", std::process::id()));
    fs::write(&password, ADMIN).unwrap();
    let more = format!(
        "catalog: {{user: {ADMIN}, password_file: '{}'}}\n",
        password.display()
    );
    let server = McpHttp::with("roles", &more);
    let token = server.token(&["--user", "ann"]);
    let call = json!({
        "name": "choose",
        "arguments": {
            "question": "all words",
            "candidates": ["SELECT word FROM shop.secrets", "SELECT name FROM shop.customers"],
        },
    });
    let told = server.say(Some(&token), "tools/call", call).message();
    let told = &told["result"]["structuredContent"]["candidates"];
    let outcomes: Vec<_> = told.as_array().unwrap().iter().collect();
    assert_eq!(outcomes[0]["candidate"], 2, "{told}");
    assert_eq!(outcomes[0]["outcome"], "runs", "{told}");
    assert_eq!(outcomes[1]["sqlstate"], "42501", "{told}");
    fs::remove_file(password).unwrap();
}

#[test]
fn a_request_says_the_place_of_its_spans() {
    let collector = Collector::start();
    let more = format!(
        "traces: {{endpoint: '{}', protocol: http, sample_ratio: 0}}\n",
        collector.url()
    );
    let server = McpHttp::with("traces", &more);
    let token = server.token(&["--user", "ann"]);
    let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    for (sql, parent) in [
        ("SELECT 1 -- and no more", format!("00-{trace}-{span}-01")),
        (
            "SELECT 2",
            "00-nonsense'*/; DROP TABLE orders --".to_owned(),
        ),
    ] {
        let mut params = json!({"name": "query", "arguments": { "sql": sql }});
        params["_meta"] = introduction();
        params["_meta"]["traceparent"] = json!(parent);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers = [
            ("MCP-Protocol-Version", CURRENT_REVISION),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "query"),
        ];
        let told = server.post(Some(&token), &headers, &call).message();
        assert_eq!(told["result"]["isError"], false, "{told}");
    }
    let spans = collector.trace(trace, 1);
    let of_statement = spans.iter().find(|one| one.parent == span);
    let of_statement = of_statement.unwrap_or_else(|| panic!("{spans:?}"));
    assert_eq!(of_statement.attributes["pgsieve.path"], "mcp");
}

#[test]
fn nobody_else_is_let_in() {
    let server = McpHttp::start("nobody");
    let token = server.token(&["--user", "ann"]);
    let ended = server.token(&["--user", "ann", "--expires", "3s"]);
    for wrong in [
        None,
        Some(""),
        Some("pgsieve_"),
        Some(&*token.to_uppercase()),
    ] {
        let answer = server.say(wrong, "tools/list", json!({}));
        assert_eq!(answer.status, 401, "{wrong:?}");
        assert!(
            answer.headers["www-authenticate"].starts_with("Bearer"),
            "{answer:?}"
        );
    }
    until(|| (server.say(Some(&ended), "tools/list", json!({})).status == 401).then_some(()))
        .expect("its end");
    let session = server.greet(&token).unwrap();
    let told = server.query_in(&token, &session, "SELECT 1").message();
    assert_eq!(told["result"]["structuredContent"]["rows"], json!([[1]]));
    // Out of the file, out of everything.
    fs::write(&server.tokens, "").unwrap();
    until(|| (server.say(Some(&token), "tools/list", json!({})).status == 401).then_some(()))
        .expect("a token that is taken out");
    assert_eq!(server.query_in(&token, &session, "SELECT 1").status, 401);
    let other = server.request("GET", &[], "");
    assert_eq!(other.status, 401);
    let elsewhere = TcpStream::connect(("127.0.0.1", server.port)).and_then(|mut stream| {
        stream.write_all(b"GET /other HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    });
    assert!(elsewhere.unwrap().contains("404"));
}

#[test]
fn a_session_is_of_the_token_that_began_it() {
    let server = McpHttp::start("bound");
    let [own, other] = ["ann", "bob"].map(|user| server.token(&["--user", user]));
    let session = server.greet(&own).unwrap();
    let told = server.query_in(&own, &session, "SET TimeZone = 'Asia/Tokyo'");
    assert_eq!(told.status, 200, "{told:?}");
    let told = server.query_in(&own, &session, "SHOW TimeZone").message();
    assert_eq!(
        told["result"]["structuredContent"]["rows"],
        json!([["Asia/Tokyo"]])
    );
    let stolen = server.query_in(&other, &session, "SHOW TimeZone");
    assert_eq!(stolen.status, 404, "{stolen:?}");
    let bearer = format!("Bearer {other}");
    let headers = [("Mcp-Session-Id", &*session), ("Authorization", &*bearer)];
    let deleted = server.request("DELETE", &headers, "");
    assert_ne!(deleted.status, 200, "{deleted:?}");
    let told = server.query_in(&own, &session, "SELECT 1");
    assert_eq!(told.status, 200, "{told:?}");
    // Where nobody greets, nothing is left to the next request.
    server.query(&own, "SET TimeZone = 'Asia/Tokyo'");
    server.query(&own, "SELECT set_config('TimeZone', 'Asia/Tokyo', false)");
    for _ in 0..4 {
        let told = server.query(&own, "SHOW TimeZone");
        assert_ne!(told["rows"], json!([["Asia/Tokyo"]]));
    }
    let first = json!({
        "name": "query", "arguments": { "sql": "SELECT id FROM orders", "max_rows": 300 },
    });
    let told = server.say(Some(&own), "tools/call", first).message();
    let cursor = told["result"]["structuredContent"]["next_cursor"].clone();
    let next = json!({"name": "query", "arguments": { "cursor": cursor }});
    let told = server.say(Some(&own), "tools/call", next.clone()).message();
    let rows = told["result"]["structuredContent"]["rows"].as_array();
    assert_eq!(rows.map(Vec::len), Some(100), "{told}");
    let told = server.say(Some(&other), "tools/call", next).message();
    assert_eq!(
        told["result"]["structuredContent"]["error"]["sqlstate"],
        "34000"
    );
}

#[test]
fn names_and_pages_are_held_against_the_settings() {
    let more = "  hosts: [db.example.com]\n  origins: ['https://agent.example.com:443']\n";
    let server = McpHttp::with("pages", more);
    let token = server.token(&["--user", "ann"]);
    let bearer = format!("Bearer {token}");
    let params = json!({ "_meta": introduction() });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
    let asked = |more: &[(&str, &str)]| {
        let mut headers = vec![
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Authorization", &*bearer),
            ("MCP-Protocol-Version", CURRENT_REVISION),
            ("Mcp-Method", "tools/list"),
        ];
        headers.extend(more);
        server.request("POST", &headers, &body.to_string()).status
    };
    for (headers, status) in [
        (&[][..], 200),
        (&[("Host", "db.example.com")], 200),
        (&[("Host", "localhost:1")], 200),
        (&[("Host", "evil.example.com")], 403),
        (&[("Origin", "https://agent.example.com")], 200),
        (&[("Origin", "https://evil.example.com")], 403),
        (&[("Origin", "http://agent.example.com")], 403),
        (&[("Origin", "null")], 403),
    ] {
        assert_eq!(asked(headers), status, "{headers:?}");
    }
}

#[test]
fn what_is_too_much_is_refused_and_harms_nobody() {
    let server = McpHttp::start("bounds");
    let [own, other] = ["ann", "bob"].map(|user| server.token(&["--user", user]));
    // A thousand sessions: as many as a token may have, and no more.
    let greeted = (0..1_000).map(|_| server.greet(&own));
    let (mut begun, mut refused) = (0, 0);
    for session in greeted {
        match session {
            Ok(_) => begun += 1,
            Err(answer) => {
                assert_eq!(answer.status, 429, "{answer:?}");
                refused += 1;
            }
        }
        if refused > 20 {
            break;
        }
    }
    assert_eq!(begun, 64);
    assert!(server.greet(&other).is_ok());
    let huge = json!({
        "name": "query", "arguments": { "sql": format!("SELECT '{}'", "x".repeat(6 << 20)) },
    });
    assert_eq!(server.say(Some(&own), "tools/call", huge).status, 413);
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\": \"2.0\"}",
        &"[".repeat(100_000),
    ] {
        let bearer = format!("Bearer {own}");
        let headers = [
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Authorization", &*bearer),
            ("MCP-Protocol-Version", CURRENT_REVISION),
        ];
        let status = server.request("POST", &headers, body).status;
        assert!((400..500).contains(&status), "{body:.20}: {status}");
    }
    // Who says nothing keeps nobody out.
    let greedy: Vec<TcpStream> = (0..160)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
            stream
                .set_read_timeout(Some(Duration::from_secs(60)))
                .unwrap();
            let head = format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {own}\r\n\
                 Accept: application/json, text/event-stream\r\n\
                 MCP-Protocol-Version: {CURRENT_REVISION}\r\nContent-Length: 4\r\n\r\nnull"
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let answers = greedy.iter().map(|mut stream| {
        let mut start = [0; 12];
        stream.read_exact(&mut start).unwrap();
        String::from_utf8_lossy(&start).into_owned()
    });
    let refused = answers.filter(|answer| answer.ends_with("429")).count();
    assert!((20..=60).contains(&refused), "{refused}");
    let told = server.query(&other, "SELECT 1");
    assert_eq!(told["rows"], json!([[1]]));
    drop(greedy);
    let silent: Vec<TcpStream> = (0..200)
        .map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap())
        .collect();
    let told = server.query(&other, "SELECT 1");
    assert_eq!(told["rows"], json!([[1]]));
    drop(silent);
}

#[test]
fn whoever_hangs_up_is_not_run_for_any_longer() {
    let server = McpHttp::start("hangs");
    let token = server.token(&["--user", "ann"]);
    let sql = "SELECT count(*) /* hung up */ FROM generate_series(1, 100000000000)";
    let mut params = json!({"name": "query", "arguments": { "sql": sql }});
    params["_meta"] = introduction();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let body = body.to_string();
    let mut storm = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
             MCP-Protocol-Version: {CURRENT_REVISION}\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: query\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        storm.push(stream);
    }
    let running = || {
        let told = server
            .stack
            .metric_sum("pgsieve_sessions", &[("state", "active")]);
        told >= 1.0
    };
    until(|| running().then_some(())).expect("statements that run");
    drop(storm);
    until(|| (!running()).then_some(())).expect("their end");
    let begun = Instant::now();
    let told = server.query(&token, "SELECT 1");
    assert_eq!(told["rows"], json!([[1]]));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[test]
fn settings_that_would_tell_tokens_to_a_network_are_refused() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let tokens = folder.join(format!("mcp-wrong-{}.tokens", std::process::id()));
    fs::write(&tokens, "not a token\n").unwrap();
    let good = folder.join(format!("mcp-none-{}.tokens", std::process::id()));
    fs::write(&good, "").unwrap();
    let config = folder.join(format!("mcp-wrong-{}.yaml", std::process::id()));
    for (mcp, words) in [
        (
            format!("listen: 0.0.0.0:1, token_file: '{}'", good.display()),
            "in clear",
        ),
        ("listen: 127.0.0.1:1".to_owned(), "token_file"),
        (
            format!("listen: 127.0.0.1:1, token_file: '{}'", tokens.display()),
            "line 1",
        ),
        ("listen: nonsense".to_owned(), "ip:port"),
    ] {
        let text = format!("upstream: {{url: 'postgres://a@h/d'}}\nmcp: {{{mcp}}}\n");
        fs::write(&config, text).unwrap();
        let output = pgsieve(
            &["serve", "--check", "--config", config.to_str().unwrap()],
            "",
        );
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{mcp}: {said}");
        assert!(
            said.contains(words) && !said.contains("not a token"),
            "{mcp}: {said}"
        );
    }
    for file in [tokens, good, config] {
        fs::remove_file(file).unwrap();
    }
}
