//! A client of the protocol that does as it is told, over standard input and output.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The revision of the protocol that greets.
pub const GREETING_REVISION: &str = "2025-11-25";

/// The revision that does not.
pub const CURRENT_REVISION: &str = "2026-07-28";

/// A running `pgsieve mcp`, and what it has said.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    said: Receiver<Value>,
    unread: VecDeque<Value>,
    asked: u64,
}

impl McpClient {
    /// Starts one with these arguments, without a greeting.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
            .arg("mcp")
            .args(arguments)
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, said) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("a line of JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            said,
            unread: VecDeque::new(),
            asked: 0,
        }
    }

    /// Starts one and greets it.
    pub fn greeted(arguments: &[&str]) -> Self {
        Self::able(arguments, &json!({}))
    }

    /// The same with what the client is able to do.
    pub fn able(arguments: &[&str], capabilities: &Value) -> Self {
        let mut client = Self::start(arguments);
        let greeting = json!({
            "protocolVersion": GREETING_REVISION,
            "capabilities": capabilities,
            "clientInfo": { "name": "trial", "version": "1" },
        });
        let greeted = client.request("initialize", greeting);
        assert_eq!(greeted["protocolVersion"], GREETING_REVISION, "{greeted}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Writes a line as it is.
    pub fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
        stdin.flush().unwrap();
    }

    /// Says something that has no answer.
    pub fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.write(&message.to_string());
    }

    /// Asks, and goes on without the answer: its number.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        let message =
            json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params });
        self.write(&message.to_string());
        self.asked
    }

    /// The answer to a question, whole.
    pub fn answer(&mut self, number: u64) -> Value {
        self.find(|message| message["id"] == number && message.get("method").is_none())
            .unwrap_or_else(|| panic!("no answer to {number}"))
    }

    /// Asks, and waits for the result.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        let mut answer = self.answer(number);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Asks for what fails, and waits for the error.
    pub fn failure(&mut self, method: &str, params: Value) -> Value {
        let number = self.ask(method, params);
        let mut answer = self.answer(number);
        assert!(answer.get("error").is_some(), "{method}: {answer}");
        answer["error"].take()
    }

    /// Calls a tool: its whole result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// The object that a tool answers, which succeeds.
    pub fn told(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].take()
    }

    /// The error that a tool answers.
    pub fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"]["error"].take()
    }

    /// The notification of that name, where it has come.
    pub fn heard(&mut self, method: &str) -> Option<Value> {
        self.unread.extend(self.said.try_iter());
        let place = self
            .unread
            .iter()
            .position(|message| message["method"] == method)?;
        self.unread.remove(place)
    }

    /// The notification of that name which comes next.
    pub fn notification(&mut self, method: &str) -> Option<Value> {
        self.find(|message| message["method"] == method)
    }

    /// Whatever is said that fits, within a minute.
    pub fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        if let Some(place) = self.unread.iter().position(&fits) {
            return self.unread.remove(place);
        }
        let until = Instant::now() + Duration::from_secs(60);
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let message = self.said.recv_timeout(left).ok()?;
            if fits(&message) {
                return Some(message);
            }
            self.unread.push_back(message);
        }
        None
    }

    /// Closes its standard input and waits for its end.
    pub fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        let until = Instant::now() + Duration::from_secs(60);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
