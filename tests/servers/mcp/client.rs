//! A client of the protocol that does as it is told, over standard input and output.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::conformance::Transcript;

/// The revision of the protocol that greets.
pub const GREETING_REVISION: &str = "2025-11-25";

/// The revision that does not.
pub const CURRENT_REVISION: &str = "2026-07-28";

/// A running `pgsieve mcp`, and what it has said.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    said: Receiver<String>,
    unread: VecDeque<Value>,
    transcript: Transcript,
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
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            said,
            unread: VecDeque::new(),
            transcript: Transcript::new(CURRENT_REVISION),
            asked: 0,
        }
    }

    /// Starts one and greets it.
    pub fn greeted(arguments: &[&str]) -> Self {
        Self::greeted_in(GREETING_REVISION, arguments)
    }

    /// Starts one and greets it in a revision.
    pub fn greeted_in(revision: &str, arguments: &[&str]) -> Self {
        Self::greeted_with(arguments, greeting(revision))
    }

    /// Starts one and greets it with what the client is able to do.
    pub fn able(arguments: &[&str], capabilities: &Value) -> Self {
        let mut greeting = greeting(GREETING_REVISION);
        greeting["capabilities"] = capabilities.clone();
        Self::greeted_with(arguments, greeting)
    }

    fn greeted_with(arguments: &[&str], greeting: Value) -> Self {
        let mut client = Self::start(arguments);
        let revision = greeting["protocolVersion"].clone();
        let greeted = client.request("initialize", greeting);
        assert_eq!(greeted["protocolVersion"], revision, "{greeted}");
        client.notify("notifications/initialized", json!({}));
        client
    }

    /// Writes a line as it is.
    pub fn write(&mut self, line: &str) {
        self.transcript.sent(line);
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
        while let Ok(line) = self.said.try_recv() {
            let message = self.read(&line);
            self.unread.push_back(message);
        }
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
            let line = self.said.recv_timeout(left).ok()?;
            let message = self.read(&line);
            if fits(&message) {
                return Some(message);
            }
            self.unread.push_back(message);
        }
        None
    }

    /// A line of its standard output, which has messages of the protocol alone.
    fn read(&mut self, line: &str) -> Value {
        let message = serde_json::from_str(line).expect(line);
        self.transcript.heard(&message);
        message
    }

    /// Closes its standard input and waits for its end.
    pub fn close(mut self) -> Option<i32> {
        drop(self.stdin.take());
        let until = Instant::now() + Duration::from_secs(60);
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                while let Ok(line) = self.said.recv() {
                    self.read(&line);
                }
                return status.code();
            }
            thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Drop for McpClient {
    /// What nobody has read is judged all the same.
    fn drop(&mut self) {
        let unread: Vec<String> = self.said.try_iter().collect();
        let _ = self.child.kill();
        let _ = self.child.wait();
        if !thread::panicking() {
            for line in unread {
                self.read(&line);
            }
        }
    }
}

/// What a client says that greets.
pub fn greeting(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": { "name": "trial", "version": "1" },
    })
}
