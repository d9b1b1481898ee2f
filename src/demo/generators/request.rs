//! The question that a generator is asked.

use serde::Deserialize;

/// A request, as an evaluation writes it. What these generators do not look at may be anything.
#[derive(Debug, Deserialize)]
pub struct GeneratorRequest {
    /// The name of the entry.
    pub id: Option<String>,
    /// The question.
    pub question: String,
    /// The number of the run, from one.
    #[serde(default)]
    pub run: u32,
    /// How the attempt before failed, where this is not the first.
    pub previous: Option<PreviousFailure>,
}

/// How an attempt failed.
#[derive(Debug, Deserialize)]
pub struct PreviousFailure {
    /// What could be done about it.
    pub hint: Option<String>,
    /// A statement that would run.
    pub suggested_sql: Option<String>,
}

impl PreviousFailure {
    /// Whether it says what to do better.
    pub fn helps(&self) -> bool {
        self.hint.is_some() || self.suggested_sql.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_request_and_the_least_one_are_read() {
        let whole = r#"{"id": "s01", "question": "?", "run": 2, "attempt": 2, "comments": "c",
            "grounding": "g", "previous": {"sql": "SELECT", "sqlstate": "42703", "message": "m",
            "hint": "h", "suggested_sql": "SELECT 1"}}"#;
        let request: GeneratorRequest = serde_json::from_str(whole).unwrap();
        assert_eq!((request.id.as_deref(), request.run), (Some("s01"), 2));
        assert!(request.previous.unwrap().helps());
        let least: GeneratorRequest = serde_json::from_str(r#"{"question": "?"}"#).unwrap();
        assert!(least.previous.is_none());
        assert!(serde_json::from_str::<GeneratorRequest>("{}").is_err());
    }
}
