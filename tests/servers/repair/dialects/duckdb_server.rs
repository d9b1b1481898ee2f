//! DuckDB in the interpreter of the client drivers, a statement a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::repair::dialects::checks::Row;
use crate::support::installed::installed;

/// The interpreter, and what connects it.
pub struct DuckDb {
    process: Child,
    statements: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl DuckDb {
    /// With these tables.
    pub fn start(tables: &str) -> Self {
        let mut process = Command::new(installed("clients-venv/bin/python"))
            .args(["-c", PROGRAM])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let statements = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut server = Self {
            process,
            statements,
            answers,
        };
        let made = server.answer(tables);
        assert!(made.is_some(), "DuckDB takes the tables");
        server
    }

    /// The rows of a text; none where DuckDB does not run it.
    pub fn rows(&mut self, text: &str) -> Option<Vec<Row>> {
        self.answer(text)
    }

    fn answer(&mut self, text: &str) -> Option<Vec<Row>> {
        let line = serde_json::to_string(text).unwrap();
        writeln!(self.statements, "{line}").unwrap();
        self.statements.flush().unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        let Value::Array(rows) = serde_json::from_str(&answer).expect(&answer) else {
            return None;
        };
        let cell = |cell: &Value| cell.as_str().map(str::to_owned);
        let row = |row: &Value| row.as_array().unwrap().iter().map(cell).collect();
        Some(rows.iter().map(row).collect())
    }
}

impl Drop for DuckDb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const PROGRAM: &str = r#"
import sys, json, datetime, duckdb
connection = duckdb.connect()
connection.execute("SET threads = 1")
def cell(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    return str(value)
for line in sys.stdin:
    try:
        rows = connection.execute(json.loads(line)).fetchall()
        answer = [[cell(one) for one in row] for row in rows]
    except Exception:
        answer = None
    print(json.dumps(answer), flush=True)
"#;
