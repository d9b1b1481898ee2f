//! The answers of calls: an object, and the same as text for clients that read no objects.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::arguments::WrongArguments;
use crate::gate::Rule;
use crate::wire_client::notices::RepairNotice;
use crate::wire_client::server_error::ServerError;
use crate::wire_client::session::SessionFault;

/// An answer.
pub fn answer(told: Value) -> CallToolResult {
    CallToolResult::structured(told)
}

/// An answer with words before it.
pub fn answer_after(words: &str, told: Value) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![
        ContentBlock::text(words),
        ContentBlock::text(told.to_string()),
    ]);
    answer.structured_content = Some(told);
    answer
}

/// An answer whose text is not its object.
pub fn answer_as(text: String, told: Value) -> CallToolResult {
    let mut answer = CallToolResult::success(vec![ContentBlock::text(text)]);
    answer.structured_content = Some(told);
    answer
}

/// The answer to a call that is wrong.
pub fn wrong(why: &WrongArguments) -> CallToolResult {
    failed("22023", &why.0)
}

/// The answer to a call that came to nothing, in a few words.
pub fn failed(sqlstate: &str, message: &str) -> CallToolResult {
    let error = json!({"sqlstate": sqlstate, "message": message});
    CallToolResult::structured_error(json!({ "error": error }))
}

/// The answer where the session was lost.
pub fn lost(fault: &SessionFault) -> CallToolResult {
    match fault {
        SessionFault::Refused(error) => {
            CallToolResult::structured_error(json!({ "error": error_object(error) }))
        }
        SessionFault::Unsayable => {
            failed("22021", "the text has a zero byte in it, or is too long")
        }
        SessionFault::TooLarge => failed("54000", "a row is longer than what is taken"),
        SessionFault::Lost => failed("08006", "the connection broke: try again"),
        SessionFault::TimedOut => failed("57014", "it took longer than it may"),
    }
}

/// An error as an object.
pub fn error_object(error: &ServerError) -> Value {
    let mut told = Map::new();
    told.insert("sqlstate".into(), error.sqlstate.clone().into());
    told.insert("message".into(), error.message.clone().into());
    if let Some(rule) = rule_of(error) {
        told.insert("rule".into(), rule.name().into());
    }
    for (name, words) in [("detail", &error.detail), ("hint", &error.hint)] {
        if let Some(words) = words {
            told.insert(name.into(), words.clone().into());
        }
    }
    if let Some(position) = error.position {
        told.insert("position".into(), position.into());
    }
    Value::Object(told)
}

/// The rule that refused, where one did: the DETAIL of a refusal begins with it.
pub fn rule_of(error: &ServerError) -> Option<Rule> {
    let named = error.detail.as_deref()?.strip_prefix("rule: ")?;
    let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let end = named
        .find(|letter| !is_of_name(letter))
        .unwrap_or(named.len());
    named.get(..end).and_then(Rule::named)
}

/// What is said of a repair.
pub fn repair_object(repair: &RepairNotice) -> Value {
    let mut told = Map::new();
    told.insert("by".into(), repair.recoverers.clone().into());
    told.insert("changes".into(), repair.changes.clone().into());
    if let Some(ran) = &repair.ran {
        told.insert("ran".into(), ran.clone().into());
    }
    Value::Object(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_its_rule() {
        let of = |detail: &str| {
            rule_of(&ServerError {
                detail: Some(detail.to_owned()),
                ..ServerError::default()
            })
        };
        assert_eq!(of("rule: write_statement"), Some(Rule::WriteStatement));
        assert_eq!(of("rule: lock (of shop.a)"), Rule::named("lock"));
        assert_eq!(of("rule: no_such"), None);
        assert_eq!(of("Key (rule: lock) is there."), None);
        assert_eq!(rule_of(&ServerError::default()), None);
    }
}
