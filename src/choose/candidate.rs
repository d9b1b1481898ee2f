//! A candidate: a text, or the structured contract of `policies/candidate.schema.json`.
//!
//! What is wrong with one is said without quoting any of it.

use std::fmt;

use serde_json::{Map, Value};

use crate::limits::choice::{ASSUMPTION_BYTES_MAX, ASSUMPTIONS_MAX, CANDIDATE_BYTES_MAX};
use crate::policy::Dialect;

/// The schema of the structured contract.
pub const SCHEMA: &str = include_str!("../../policies/candidate.schema.json");

/// One statement that may answer a question.
#[derive(Clone, PartialEq)]
pub struct Candidate {
    /// The statement.
    pub sql: String,
    /// The dialect that it is written in, where that is not Postgres's own.
    pub dialect: Option<Dialect>,
    /// What its author took for granted.
    pub assumptions: Vec<String>,
    /// Whether its author has a question first.
    pub needs_followup: bool,
    /// How sure its author is, from 0 to 1, where that is said.
    pub confidence: Option<f64>,
}

/// What is wrong with a candidate. Nothing of it is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateFault {
    /// It is neither a text nor an object.
    NoCandidate,
    /// It has a field that the contract does not know.
    UnknownField,
    /// A field is missing.
    Missing(&'static str),
    /// A field is not what the contract wants there.
    Wrong(&'static str, &'static str),
    /// The statement is empty.
    Empty,
    /// The statement is longer than a candidate may be.
    TooLong,
}

impl Candidate {
    /// A text alone.
    ///
    /// # Errors
    /// It is empty or too long.
    pub fn of_text(sql: &str) -> Result<Self, CandidateFault> {
        if sql.trim().is_empty() {
            return Err(CandidateFault::Empty);
        }
        if sql.len() > CANDIDATE_BYTES_MAX {
            return Err(CandidateFault::TooLong);
        }
        Ok(Self {
            sql: sql.to_owned(),
            dialect: None,
            assumptions: Vec::new(),
            needs_followup: false,
            confidence: None,
        })
    }

    /// A text, or an object of the contract.
    ///
    /// # Errors
    /// It is something else, or breaks the contract.
    pub fn of_json(value: &Value) -> Result<Self, CandidateFault> {
        match value {
            Value::String(sql) => Self::of_text(sql),
            Value::Object(fields) => Self::of_contract(fields),
            _ => Err(CandidateFault::NoCandidate),
        }
    }

    fn of_contract(fields: &Map<String, Value>) -> Result<Self, CandidateFault> {
        if fields.keys().any(|name| !FIELDS.contains(&name.as_str())) {
            return Err(CandidateFault::UnknownField);
        }
        let sql = match fields.get("sql") {
            Some(Value::String(sql)) => sql,
            Some(_) => return Err(CandidateFault::Wrong("sql", "a text")),
            None => return Err(CandidateFault::Missing("sql")),
        };
        let mut candidate = Self::of_text(sql)?;
        candidate.dialect = match fields.get("target_dialect") {
            None => None,
            Some(value) => dialect(value)?,
        };
        candidate.assumptions = match fields.get("assumptions") {
            None => Vec::new(),
            Some(value) => {
                assumptions(value).ok_or(CandidateFault::Wrong("assumptions", "a list of texts"))?
            }
        };
        candidate.needs_followup = match fields.get("needs_followup") {
            None => false,
            Some(Value::Bool(needed)) => *needed,
            Some(_) => return Err(CandidateFault::Wrong("needs_followup", "true or false")),
        };
        candidate.confidence = match fields.get("confidence") {
            None => None,
            Some(value) => {
                let number = value.as_f64().filter(|number| (0.0..=1.0).contains(number));
                Some(number.ok_or(CandidateFault::Wrong("confidence", "a number from 0 to 1"))?)
            }
        };
        Ok(candidate)
    }
}

/// None for Postgres's own.
fn dialect(value: &Value) -> Result<Option<Dialect>, CandidateFault> {
    let wrong = CandidateFault::Wrong("target_dialect", "postgresql or the name of a dialect");
    match value.as_str() {
        Some("postgresql" | "postgres") => Ok(None),
        Some(name) => Dialect::named(name).map(Some).ok_or(wrong),
        None => Err(wrong),
    }
}

fn assumptions(value: &Value) -> Option<Vec<String>> {
    let list = value
        .as_array()
        .filter(|list| list.len() <= ASSUMPTIONS_MAX)?;
    let texts = list.iter().map(|one| {
        let text = one
            .as_str()
            .filter(|text| text.chars().count() <= ASSUMPTION_BYTES_MAX)?;
        Some(text.to_owned())
    });
    texts.collect()
}

impl fmt::Display for CandidateFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCandidate => formatter.write_str("is neither a text nor an object"),
            Self::UnknownField => {
                write!(
                    formatter,
                    "has a field that is none of {}",
                    FIELDS.join(", ")
                )
            }
            Self::Missing(field) => write!(formatter, "has no {field}"),
            Self::Wrong(field, wanted) => write!(formatter, "{field}: {wanted} is wanted"),
            Self::Empty => formatter.write_str("has an empty statement"),
            Self::TooLong => {
                write!(
                    formatter,
                    "has more than {CANDIDATE_BYTES_MAX} bytes of SQL"
                )
            }
        }
    }
}

impl fmt::Debug for Candidate {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Candidate({:?})", self.dialect)
    }
}

const FIELDS: [&str; 5] = [
    "sql",
    "target_dialect",
    "assumptions",
    "needs_followup",
    "confidence",
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cases() -> Vec<(Value, Option<CandidateFault>)> {
        let wrong = CandidateFault::Wrong;
        let dialect = wrong("target_dialect", "postgresql or the name of a dialect");
        let assumptions = wrong("assumptions", "a list of texts");
        let confidence = wrong("confidence", "a number from 0 to 1");
        let long = "x".repeat(CANDIDATE_BYTES_MAX + 1);
        vec![
            (json!("SELECT 1"), None),
            (json!({"sql": "SELECT 1"}), None),
            (
                json!({"sql": "SELECT 1", "target_dialect": "postgresql", "assumptions": ["a"],
                       "needs_followup": false, "confidence": 0.5}),
                None,
            ),
            (
                json!({"sql": "SELECT 1", "target_dialect": "mysql", "confidence": 1}),
                None,
            ),
            (json!(null), Some(CandidateFault::NoCandidate)),
            (json!(7), Some(CandidateFault::NoCandidate)),
            (json!(["SELECT 1"]), Some(CandidateFault::NoCandidate)),
            (json!(""), Some(CandidateFault::Empty)),
            (json!({"sql": " \n"}), Some(CandidateFault::Empty)),
            (json!({}), Some(CandidateFault::Missing("sql"))),
            (json!({"sql": null}), Some(wrong("sql", "a text"))),
            (
                json!({"sql": "SELECT 1", "SQL": "x"}),
                Some(CandidateFault::UnknownField),
            ),
            (
                json!({"sql": "SELECT 1", "target_dialect": "cobol"}),
                Some(dialect),
            ),
            (
                json!({"sql": "SELECT 1", "target_dialect": 1}),
                Some(dialect),
            ),
            (
                json!({"sql": "SELECT 1", "assumptions": "a"}),
                Some(assumptions),
            ),
            (
                json!({"sql": "SELECT 1", "assumptions": [1]}),
                Some(assumptions),
            ),
            (
                json!({"sql": "SELECT 1", "assumptions": vec!["a"; 33]}),
                Some(assumptions),
            ),
            (
                json!({"sql": "SELECT 1", "needs_followup": "no"}),
                Some(wrong("needs_followup", "true or false")),
            ),
            (
                json!({"sql": "SELECT 1", "confidence": 1.5}),
                Some(confidence),
            ),
            (
                json!({"sql": "SELECT 1", "confidence": "high"}),
                Some(confidence),
            ),
            (json!(long), Some(CandidateFault::TooLong)),
        ]
    }

    #[test]
    fn what_breaks_the_contract_is_named_and_the_schema_agrees() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let published = jsonschema::validator_for(&schema).unwrap();
        for (value, fault) in cases() {
            assert_eq!(Candidate::of_json(&value).err(), fault);
            assert_eq!(published.is_valid(&value), fault.is_none(), "{fault:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_without_quoting_it() {
        for (value, fault) in cases() {
            let Some(fault) = fault else { continue };
            let words = fault.to_string();
            assert!(
                !words.contains("cobol") && !words.contains("SELECT"),
                "{value} {words}"
            );
        }
    }
}
