//! A pgsieve that serves agents over HTTP, and a client of it.

use std::collections::HashMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use super::client::{CURRENT_REVISION, GREETING_REVISION, greeting};
use super::conformance::Transcript;
use super::told::introduction;
use super::{database, upstream};
use crate::support::command::pgsieve;
use crate::support::ports::free_port;
use crate::support::{Options, Stack, sql, until};

/// A pgsieve that serves agents over HTTP.
pub struct McpHttp {
    /// The whole of it.
    pub stack: Stack,
    /// Where it serves agents.
    pub port: u16,
    /// Where requests come from.
    pub from: Ipv4Addr,
    /// Its file of tokens.
    pub tokens: PathBuf,
}

/// An answer over HTTP.
#[derive(Debug)]
pub struct HttpAnswer {
    /// Its status.
    pub status: u16,
    /// Its headers, by their names in small letters.
    pub headers: HashMap<String, String>,
    /// What it says.
    pub body: String,
}

impl McpHttp {
    /// With its usual settings.
    pub fn start(name: &str) -> Self {
        Self::with(name, "")
    }

    /// With more settings; those that are indented are of `mcp`.
    pub fn with(name: &str, more: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let tokens = folder.join(format!("mcp-{name}-{}.tokens", std::process::id()));
        let _ = fs::remove_file(&tokens);
        fs::write(&tokens, "").unwrap();
        let port = free_port();
        let config = format!(
            "upstream:\n  url: '{}'\nlisten: '{{listen}}'\nadmin:\n  listen: '{{admin}}'\n\
             audit:\n  to: '{{audit}}'\nmcp:\n  listen: 127.0.0.1:{port}\n  token_file: '{}'\n\
             {more}",
            upstream(database()),
            tokens.display(),
        );
        let stack = Stack::start(Options {
            config: Some(config),
            ..Options::default()
        });
        Self {
            stack,
            port,
            from: Ipv4Addr::LOCALHOST,
            tokens,
        }
    }

    /// Makes a token with these flags.
    pub fn token(&self, flags: &[&str]) -> String {
        let file = self.tokens.display().to_string();
        let mut arguments = vec!["mcp-token", "--file", &file, "--name", "trial"];
        arguments.extend(flags);
        let output = pgsieve(&arguments, "");
        assert!(output.status.success(), "{output:?}");
        let token = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        // The file is looked at once a second.
        until(|| (self.say(Some(&token), "ping", json!({})).status != 401).then_some(()))
            .expect("a token that is known");
        token
    }

    /// Asks for something, whole.
    pub fn request(&self, method: &str, headers: &[(&str, &str)], sent: &str) -> HttpAnswer {
        self.request_at("/mcp", method, headers, sent)
    }

    fn connect(&self) -> TcpStream {
        let stream = sql::block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((self.from, 0).into()).unwrap();
            let to = (Ipv4Addr::LOCALHOST, self.port).into();
            socket.connect(to).await.unwrap().into_std().unwrap()
        });
        stream.set_nonblocking(false).unwrap();
        stream
    }

    /// The same at another path.
    pub fn request_at(
        &self,
        path: &str,
        method: &str,
        headers: &[(&str, &str)],
        sent: &str,
    ) -> HttpAnswer {
        let mut stream = self.connect();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let header = |wanted| {
            let mut values = headers.iter().filter(|(name, _)| *name == wanted);
            values.next().map(|(_, value)| *value)
        };
        let revision = header("MCP-Protocol-Version");
        let mut head = format!(
            "{method} {path} HTTP/1.0\r\nContent-Length: {}\r\n",
            sent.len()
        );
        if header("Host").is_none() {
            head.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut answer = Vec::new();
        // What is refused before it was read to its end may be reset behind the answer.
        let _ = stream.write_all(format!("{head}\r\n{sent}").as_bytes());
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap_or_default()
            .split(' ')
            .nth(1)
            .unwrap_or("0");
        let headers = lines.filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            Some((name.to_ascii_lowercase(), value.to_owned()))
        });
        let answer = HttpAnswer {
            status: status.parse().unwrap(),
            headers: headers.collect(),
            body: body.to_owned(),
        };
        let mut transcript = Transcript::new(revision.unwrap_or(REVISION_UNNAMED));
        transcript.sent(sent);
        // Elsewhere there are no messages of the protocol.
        for message in answer.messages().iter().filter(|_| path == "/mcp") {
            transcript.heard(message);
        }
        answer
    }

    /// Posts one message.
    pub fn post(
        &self,
        token: Option<&str>,
        headers: &[(&str, &str)],
        message: &Value,
    ) -> HttpAnswer {
        let bearer = format!("Bearer {}", token.unwrap_or_default());
        let mut all = vec![
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        if token.is_some() {
            all.push(("Authorization", &bearer));
        }
        all.extend(headers);
        self.request("POST", &all, &message.to_string())
    }

    /// Asks in the revision in which nobody greets.
    pub fn say(&self, token: Option<&str>, method: &str, mut params: Value) -> HttpAnswer {
        params["_meta"] = introduction();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let name = params["name"].as_str().or(params["uri"].as_str());
        let mut headers = vec![
            ("MCP-Protocol-Version", CURRENT_REVISION),
            ("Mcp-Method", method),
        ];
        headers.extend(name.map(|name| ("Mcp-Name", name)));
        self.post(token, &headers, &message)
    }

    /// The object that `query` answers.
    pub fn query(&self, token: &str, sql: &str) -> Value {
        let call = json!({"name": "query", "arguments": { "sql": sql }});
        let answer = self.say(Some(token), "tools/call", call);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.message()["result"]["structuredContent"].take()
    }

    /// Greets: the name of the session.
    pub fn greet(&self, token: &str) -> Result<String, HttpAnswer> {
        self.greet_in(GREETING_REVISION, token)
    }

    /// Greets in a revision.
    pub fn greet_in(&self, revision: &str, token: &str) -> Result<String, HttpAnswer> {
        let params = greeting(revision);
        let greeting = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let answer = self.post(Some(token), &[], &greeting);
        let session = answer.headers.get("mcp-session-id").cloned();
        let session = session.ok_or(answer)?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let heard = self.post(Some(token), &[("Mcp-Session-Id", &session)], &ready);
        assert_eq!(heard.status, 202, "{heard:?}");
        Ok(session)
    }

    /// Runs a statement in a session that has greeted.
    pub fn query_in(&self, token: &str, session: &str, sql: &str) -> HttpAnswer {
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "query", "arguments": { "sql": sql } },
        });
        let headers = [
            ("Mcp-Session-Id", session),
            ("MCP-Protocol-Version", GREETING_REVISION),
        ];
        self.post(Some(token), &headers, &call)
    }
}

impl Drop for McpHttp {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.tokens);
    }
}

impl HttpAnswer {
    /// The answer that it has, as JSON or as the event that ends a stream.
    pub fn message(&self) -> Value {
        let mut messages = self.messages().into_iter();
        messages
            .rfind(|message| message.get("id").is_some())
            .expect(&self.body)
    }

    /// Every message of the protocol.
    fn messages(&self) -> Vec<Value> {
        let parsed = |text: &str| serde_json::from_str(text).expect(text);
        let kind = self.headers.get("content-type").map(String::as_str);
        match kind.unwrap_or_default() {
            "application/json" => vec![parsed(&self.body)],
            "text/event-stream" => {
                let lines = self.body.lines();
                let data = lines.filter_map(|line| line.strip_prefix("data:"));
                let told = data.map(str::trim).filter(|data| !data.is_empty());
                told.map(parsed).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The revision of a request that names none.
const REVISION_UNNAMED: &str = "2025-03-26";
