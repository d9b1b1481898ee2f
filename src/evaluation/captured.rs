//! Statements that failed on the wire and were kept by `capture.file`, as questions to ask again.

use serde::Deserialize;

use super::dataset::{DatasetEntry, DatasetFault};
use crate::limits::evaluation::ENTRIES_MAX;

/// A statement that failed, and how.
#[derive(Debug, PartialEq)]
pub struct CapturedStatement {
    /// The statement, as an entry of a dataset that nothing answers.
    pub entry: DatasetEntry,
    /// What became of it then: the word of a report.
    pub ending: String,
}

/// One line of the file; what else stands there says nothing here.
#[derive(Deserialize)]
struct CapturedLine {
    at: Option<String>,
    database: Option<String>,
    sqlstate: String,
    sql: String,
}

/// Reads the lines of a file, in order. A last line that was not written to its end is left out.
///
/// # Errors
/// What is wrong first.
pub fn read(text: &str) -> Result<Vec<CapturedStatement>, DatasetFault> {
    let mut statements = Vec::new();
    let lines = (1..).zip(text.split_inclusive('\n'));
    for (place, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let read: CapturedLine = match serde_json::from_str(line) {
            Ok(read) => read,
            Err(_) if !line.ends_with('\n') => break,
            Err(_) => {
                let what = "an object with sql and sqlstate is wanted, as capture.file has it";
                return Err(DatasetFault { place, what });
            }
        };
        if statements.len() >= ENTRIES_MAX {
            let what = "the file has more statements than are looked at";
            return Err(DatasetFault { place, what });
        }
        let entry = DatasetEntry {
            id: place.to_string(),
            question: String::new(),
            sql: Some(read.sql),
            reference: None,
            database: read.database,
            origin: Some("capture".to_owned()),
            comments: read.at,
            difficulty: None,
        };
        let ending = format!("failed {}", read.sqlstate);
        statements.push(CapturedStatement { entry, ending });
    }
    match statements.is_empty() {
        true => Err(DatasetFault {
            place: 1,
            what: "the file has no statement",
        }),
        false => Ok(statements),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_capture_are_statements_to_try() {
        let text = "{\"at\": \"2026-01-02T03:04:05Z\", \"database\": \"shop\", \"user\": \"a\", \
                    \"policy\": \"agent\", \"sqlstate\": \"42703\", \"sql\": \"SELECT nmae\"}\n\
                    \n{\"sqlstate\": \"42P01\", \"sql\": \"SELECT 1\"}\n{\"sqlst";
        let read = read(text).unwrap();
        let told: Vec<(&str, &str, Option<&str>)> = read
            .iter()
            .map(|one| {
                let entry = &one.entry;
                (&*entry.id, &*one.ending, entry.database.as_deref())
            })
            .collect();
        let wanted = [
            ("1", "failed 42703", Some("shop")),
            ("3", "failed 42P01", None),
        ];
        assert_eq!(told, wanted);
        let wrong = super::read("{\"sql\": \"SELECT 1\"}\n").unwrap_err();
        assert_eq!(wrong.place, 1);
        assert_eq!(
            super::read("\n").unwrap_err().what,
            "the file has no statement"
        );
    }
}
