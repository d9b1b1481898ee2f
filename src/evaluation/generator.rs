//! What a command of the user's is told of a question, and what it may answer: a statement, or the
//! structured contract of `policies/candidate.schema.json`.

use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::external_command::{self, CommandBounds, CommandFault};
use crate::choose::candidate::Candidate;
use crate::limits::evaluation::COMMAND_BYTES_MAX;

/// The command.
#[derive(Clone, Debug)]
pub struct StatementGenerator {
    /// What the shell runs.
    pub command: String,
    /// How long one answer may take.
    pub time_max: Duration,
}

/// What it is told.
#[derive(Clone, Debug, Serialize)]
pub struct GeneratorRequest<'r> {
    /// The name of the question.
    pub id: &'r str,
    /// The question.
    pub question: &'r str,
    /// What is known beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comments: Option<&'r str>,
    /// The database that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<&'r str>,
    /// What the session may read, told for a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounding: Option<&'r str>,
    /// Which run it is, from 1.
    pub run: u32,
    /// Which attempt it is in it, from 1.
    pub attempt: u32,
    /// What became of the attempt before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<&'r FailedAttempt>,
}

/// Why an attempt failed.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FailedAttempt {
    /// The statement; none where the command printed none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The code of its error; none where there was no statement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sqlstate: Option<String>,
    /// Its words, or what is wrong with what the command printed.
    pub message: String,
    /// What else the server says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What it advises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The whole statement that the advice ends in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggested_sql: Option<String>,
}

/// A statement that came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedStatement {
    /// The statement.
    pub sql: String,
    /// What is sent: the same, or an object that says its dialect.
    pub sent: String,
    /// Whether the command has a question first.
    pub needs_followup: bool,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatFault {
    /// In one word, which reports count.
    pub class: &'static str,
    /// In a sentence, which quotes nothing.
    pub message: String,
}

impl StatementGenerator {
    /// Asks once, and how long that took. To be called on a thread that may wait.
    ///
    /// # Errors
    /// The command fails, or prints what is no statement.
    pub fn ask(
        &self,
        request: &GeneratorRequest<'_>,
    ) -> (Result<GeneratedStatement, FormatFault>, Duration) {
        let began = Instant::now();
        let told = json!(request).to_string();
        let bounds = CommandBounds {
            time_max: self.time_max,
            bytes_max: COMMAND_BYTES_MAX,
        };
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &self.command]);
        let printed = external_command::run(&mut command, &format!("{told}\n"), &bounds);
        let answered = match printed {
            Ok(text) => answer(&text),
            Err(fault) => Err(of_command(fault)),
        };
        (answered, began.elapsed())
    }
}

/// What a printed text says.
///
/// # Errors
/// It is empty or too long, or begins as an object and breaks the contract.
pub fn answer(text: &str) -> Result<GeneratedStatement, FormatFault> {
    let text = text.trim();
    if !text.starts_with('{') {
        let candidate = Candidate::of_text(text).map_err(|fault| FormatFault {
            class: if text.is_empty() { "empty" } else { "too_long" },
            message: format!("what was printed {fault}"),
        })?;
        return Ok(GeneratedStatement {
            sent: candidate.sql.clone(),
            sql: candidate.sql,
            needs_followup: false,
        });
    }
    let value: Value = serde_json::from_str(text).map_err(|_| FormatFault {
        class: "no_json",
        message: "what was printed begins as a JSON object and is none".to_owned(),
    })?;
    let candidate = Candidate::of_json(&value).map_err(|fault| FormatFault {
        class: "contract",
        message: format!("what was printed {fault}"),
    })?;
    let sent = match candidate.dialect {
        Some(dialect) => {
            json!({"sql": candidate.sql, "target_dialect": dialect.name()}).to_string()
        }
        None => candidate.sql.clone(),
    };
    Ok(GeneratedStatement {
        sql: candidate.sql,
        sent,
        needs_followup: candidate.needs_followup,
    })
}

fn of_command(fault: CommandFault) -> FormatFault {
    let class = match fault {
        CommandFault::Start(_) => "not_started",
        CommandFault::Status(_) => "exit_status",
        CommandFault::TimedOut => "timeout",
        CommandFault::TooLong => "too_long",
        CommandFault::NotUtf8 => "not_utf8",
    };
    FormatFault {
        class,
        message: format!("the command: {fault}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_and_the_contract_are_taken_and_nothing_is_quoted() {
        let plain = answer(" SELECT 1;\n").unwrap();
        assert_eq!(
            (plain.sql.as_str(), plain.needs_followup),
            ("SELECT 1;", false)
        );
        let fenced = answer("```sql\nSELECT 1\n```").unwrap();
        assert!(fenced.sent.starts_with("```"));
        let object = answer("{\"sql\": \"SELECT 1\", \"needs_followup\": true}").unwrap();
        assert_eq!(
            (object.sent.as_str(), object.needs_followup),
            ("SELECT 1", true)
        );
        let foreign = answer("{\"sql\": \"SELECT `a`\", \"target_dialect\": \"mysql\"}").unwrap();
        let sent: Value = serde_json::from_str(&foreign.sent).unwrap();
        assert_eq!(
            sent,
            json!({"sql": "SELECT `a`", "target_dialect": "mysql"})
        );
        let long = "x".repeat(65 * 1024);
        for (text, class) in [
            ("", "empty"),
            (" \n", "empty"),
            (&*long, "too_long"),
            ("{\"sql\": \"SELECT", "no_json"),
            ("{}", "contract"),
            ("{\"sql\": \"\"}", "contract"),
            ("{\"sql\": \"SELECT 1\", \"secret\": 1}", "contract"),
        ] {
            let fault = answer(text).unwrap_err();
            assert_eq!(fault.class, class, "{text}");
            assert!(!fault.message.contains("secret") && !fault.message.contains("SELECT"));
        }
    }

    #[test]
    fn a_command_is_told_all_there_is() {
        let generator = StatementGenerator {
            command: "cat".into(),
            time_max: Duration::from_secs(20),
        };
        let failed = FailedAttempt {
            sql: Some("SELECT a".into()),
            sqlstate: Some("42703".into()),
            message: "no".into(),
            ..FailedAttempt::default()
        };
        let request = GeneratorRequest {
            id: "7",
            question: "How many?",
            comments: None,
            database: None,
            grounding: Some("# tables"),
            run: 2,
            attempt: 3,
            previous: Some(&failed),
        };
        let (answered, _) = generator.ask(&request);
        // The request itself breaks the contract.
        assert_eq!(answered.unwrap_err().class, "contract");
        let told = json!(request);
        assert_eq!(told.pointer("/previous/sqlstate"), Some(&json!("42703")));
        assert_eq!(told.get("comments"), None);
        let failing = StatementGenerator {
            command: "exit 3".into(),
            ..generator
        };
        assert_eq!(failing.ask(&request).0.unwrap_err().class, "exit_status");
    }
}
