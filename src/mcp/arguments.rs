//! The arguments of calls.

use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::choose::candidate::Candidate;
use crate::limits::mcp::{PAGE_ROWS, PAGE_ROWS_MAX};

/// What is wrong with a call, in words for whoever made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongArguments(pub String);

/// Reads the arguments of a call.
///
/// # Errors
/// One is missing, unknown, or not what it has to be.
pub fn read<T: DeserializeOwned>(given: Option<JsonObject>) -> Result<T, WrongArguments> {
    let given = Value::Object(given.unwrap_or_default());
    serde_json::from_value(given).map_err(|error| WrongArguments(error.to_string()))
}

/// A statement: a text, or the fields of the structured contract beside it.
#[derive(Debug, Default, Deserialize)]
pub struct StatementArguments {
    sql: Option<Value>,
    target_dialect: Option<Value>,
    assumptions: Option<Value>,
    needs_followup: Option<Value>,
    confidence: Option<Value>,
}

/// A statement as it is sent, and what its author said of it.
#[derive(Debug)]
pub struct CalledStatement {
    /// The text that is sent.
    pub text: String,
    /// What its author took for granted.
    pub assumptions: Vec<String>,
}

impl StatementArguments {
    /// Whether a statement is there.
    pub fn has_statement(&self) -> bool {
        self.sql.is_some()
    }

    /// Reads the statement.
    ///
    /// # Errors
    /// It breaks the contract.
    pub fn statement(self) -> Result<CalledStatement, WrongArguments> {
        let fields = [
            ("sql", self.sql),
            ("target_dialect", self.target_dialect),
            ("assumptions", self.assumptions),
            ("needs_followup", self.needs_followup),
            ("confidence", self.confidence),
        ];
        let given = fields
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let candidate = Candidate::of_json(&Value::Object(given.collect()));
        let candidate = candidate.map_err(|fault| WrongArguments(format!("the call {fault}")))?;
        // The dialect is told as an author tells it on the wire: with the contract.
        let text = match candidate.dialect {
            None => candidate.sql,
            Some(dialect) => {
                json!({"sql": candidate.sql, "target_dialect": dialect.name()}).to_string()
            }
        };
        Ok(CalledStatement {
            text,
            assumptions: candidate.assumptions,
        })
    }
}

/// How many rows a page has.
///
/// # Errors
/// None, or more than a page may have.
pub fn page_rows(asked: Option<usize>) -> Result<usize, WrongArguments> {
    match asked {
        None => Ok(PAGE_ROWS),
        Some(rows) if (1..=PAGE_ROWS_MAX).contains(&rows) => Ok(rows),
        Some(_) => Err(WrongArguments(format!("max_rows is 1 to {PAGE_ROWS_MAX}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(given: Value) -> Result<CalledStatement, WrongArguments> {
        let Value::Object(given) = given else {
            panic!("no object");
        };
        read::<StatementArguments>(Some(given))?.statement()
    }

    #[test]
    fn a_statement_is_a_text_or_the_contract() {
        assert_eq!(
            statement(json!({"sql": "SELECT 1"})).unwrap().text,
            "SELECT 1"
        );
        let foreign = json!({
            "sql": "SELECT `a`", "target_dialect": "mysql", "assumptions": ["a is b"],
            "needs_followup": false, "confidence": 0.5,
        });
        let foreign = statement(foreign).unwrap();
        assert_eq!(foreign.assumptions, ["a is b"]);
        let sent: Value = serde_json::from_str(&foreign.text).unwrap();
        assert_eq!(
            sent,
            json!({"sql": "SELECT `a`", "target_dialect": "mysql"})
        );
        for wrong in [
            json!({}),
            json!({"sql": " "}),
            json!({"sql": 1}),
            json!({"sql": "SELECT 1", "target_dialect": "klingon"}),
            json!({"sql": "SELECT 1", "confidence": 2}),
        ] {
            assert!(statement(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_page_has_rows() {
        assert_eq!(page_rows(None), Ok(PAGE_ROWS));
        assert_eq!(page_rows(Some(PAGE_ROWS_MAX)), Ok(PAGE_ROWS_MAX));
        assert!(page_rows(Some(0)).is_err());
        assert!(page_rows(Some(PAGE_ROWS_MAX + 1)).is_err());
    }
}
