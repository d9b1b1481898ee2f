//! A JSON object with the statement in its member `sql`.

use serde_json::Value;

use super::PeeledLayer;
use super::prose::begins_statement;
use policy::Dialect;

/// The statement of an object that is the whole text.
pub(in crate::preprocessors) fn peel(text: &str) -> Option<PeeledLayer> {
    let text = text.trim().trim_end_matches(';').trim_end();
    if !is_object(text) {
        return None;
    }
    let Some(value) = read(text) else {
        return text
            .ends_with('}')
            .then_some(PeeledLayer::Hollow(UNREADABLE));
    };
    Some(inside(&value))
}

/// The statement of an object with prose around it.
pub(in crate::preprocessors) fn in_prose(text: &str) -> Option<PeeledLayer> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    let object = text.get(start..=end)?;
    let before = text.get(..start)?;
    if before.trim().is_empty() || begins_statement(before) || !is_object(object) {
        return None;
    }
    let value = read(object)?;
    match inside(&value) {
        found @ PeeledLayer::Inside { .. } => Some(found),
        PeeledLayer::Hollow(_) => None,
    }
}

/// The dialect of a name; none for Postgres and for names of nothing.
pub(in crate::preprocessors) fn dialect(name: &str) -> Option<Dialect> {
    let name: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    Some(match name.as_str() {
        "mysql" | "mariadb" => Dialect::Mysql,
        "tsql" | "mssql" | "sqlserver" | "transactsql" | "azuresql" => Dialect::Tsql,
        "bigquery" | "googlesql" | "bigquerysql" => Dialect::Bigquery,
        "sqlite" | "sqlite3" => Dialect::Sqlite,
        "snowflake" => Dialect::Snowflake,
        "duckdb" => Dialect::Duckdb,
        _ => return None,
    })
}

/// Whether it can be meant as an object: `{` begins no statement, and an escape of ODBC has a word
/// after it.
fn is_object(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with(['"', '}']))
}

fn inside(value: &Value) -> PeeledLayer {
    let Some(members) = value.as_object() else {
        return PeeledLayer::Hollow(UNREADABLE);
    };
    let member = |name: &str| {
        let mut members = members.iter();
        members.find(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    match member("sql").map(|(_, sql)| sql) {
        Some(Value::String(sql)) if !sql.trim().is_empty() => {
            let named = member("target_dialect").and_then(|(_, name)| name.as_str());
            PeeledLayer::Inside {
                text: sql.trim().to_owned(),
                dialect: named.and_then(dialect),
                what: "a JSON object",
            }
        }
        _ => PeeledLayer::Hollow(WITHOUT_SQL),
    }
}

/// Reads JSON; line ends in strings are taken as they stand, which models write and the format
/// does not have.
fn read(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut strict = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for letter in text.chars() {
        match letter {
            '\n' if in_string => strict.push_str("\\n"),
            '\r' if in_string => strict.push_str("\\r"),
            '\t' if in_string => strict.push_str("\\t"),
            other => strict.push(other),
        }
        match letter {
            '"' if !escaped => in_string = !in_string,
            _ => {}
        }
        escaped = letter == '\\' && !escaped;
    }
    serde_json::from_str(&strict).ok()
}

const WITHOUT_SQL: &str = "The text is a JSON object without a statement: its member \"sql\" has \
     to be a string with one SQL statement. Send that, or the SQL alone.";

const UNREADABLE: &str = "The text looks like a JSON object and cannot be read as one. Send an \
     object whose member \"sql\" is a string with one SQL statement, or the SQL alone.";
