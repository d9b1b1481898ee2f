//! Statements that somebody's agent gave earlier, as they are kept in files:
//!
//! * BIRD: one JSON object, `{"0": "SELECT …\t----- bird -----\tdatabase", …}`, by the place of the
//!   question in the dataset, from 0, or by its name
//! * one JSON array of texts, in the order of the dataset
//! * lines of JSON: `{"id": …, "sql": …}`
//! * Spider: a statement a line, in the order of the dataset, with or without a tab and a database
//!   behind it

use std::collections::BTreeMap;

use serde_json::Value;

use super::dataset::{DatasetEntry, DatasetFault};

/// Puts the statements of a file into the entries of a dataset, and tells how many have none.
///
/// # Errors
/// What is wrong with the file first, or that it is for another dataset.
pub fn put_into(entries: &mut [DatasetEntry], text: &str) -> Result<usize, DatasetFault> {
    let text = text.trim_start_matches('\u{feff}');
    let given = read(text)?;
    match given {
        GivenPredictions::InOrder(all) => {
            if all.len() != entries.len() {
                let what = "the file has another number of statements than the dataset";
                return Err(fault(all.len().min(entries.len()) + 1, what));
            }
            for (entry, sql) in entries.iter_mut().zip(all) {
                entry.sql = Some(sql);
            }
        }
        GivenPredictions::Named(mut all) => {
            let by_name = entries.iter().any(|entry| all.contains_key(&entry.id));
            for (place, entry) in entries.iter_mut().enumerate() {
                let place = place.to_string();
                let key = if by_name { &entry.id } else { &place };
                entry.sql = all.remove(key);
            }
            if !all.is_empty() {
                return Err(fault(
                    1,
                    "the file names questions that the dataset has not",
                ));
            }
        }
    }
    let missing = entries.iter().filter(|entry| entry.sql.is_none());
    Ok(missing.count())
}

enum GivenPredictions {
    InOrder(Vec<String>),
    Named(BTreeMap<String, String>),
}

fn read(text: &str) -> Result<GivenPredictions, DatasetFault> {
    match text.trim_start().as_bytes().first() {
        None => Err(fault(1, "the file is empty")),
        Some(b'[') => array(text),
        Some(b'{') => match serde_json::from_str::<BTreeMap<String, Value>>(text) {
            Ok(object) if !(object.contains_key("sql") && object.contains_key("id")) => {
                named(object)
            }
            Ok(_) | Err(_) => lines(text),
        },
        Some(_) => {
            let statements = text.lines().filter(|line| !line.trim().is_empty());
            let statements = statements.map(|line| {
                let statement = line.split('\t').next().unwrap_or_default();
                statement.trim().to_owned()
            });
            Ok(GivenPredictions::InOrder(statements.collect()))
        }
    }
}

fn array(text: &str) -> Result<GivenPredictions, DatasetFault> {
    let all: Vec<Value> = serde_json::from_str(text)
        .map_err(|_| fault(1, "it begins as an array in JSON and is none"))?;
    let all = (1..).zip(all).map(|(place, value)| match value {
        Value::String(text) => Ok(statement(&text)),
        _ => Err(fault(place, "a text is wanted")),
    });
    Ok(GivenPredictions::InOrder(all.collect::<Result<_, _>>()?))
}

fn named(object: BTreeMap<String, Value>) -> Result<GivenPredictions, DatasetFault> {
    let all = (1..).zip(object).map(|(place, (name, value))| match value {
        Value::String(text) => Ok((name, statement(&text))),
        _ => Err(fault(place, "a text is wanted for each question")),
    });
    Ok(GivenPredictions::Named(all.collect::<Result<_, _>>()?))
}

fn lines(text: &str) -> Result<GivenPredictions, DatasetFault> {
    let mut all = BTreeMap::new();
    let lines = (1..).zip(text.lines());
    for (place, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value = serde_json::from_str(line)
            .map_err(|_| fault(place, "an object in JSON with id and sql is wanted"))?;
        let id = match value.get("id") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => return Err(fault(place, "id: a text or a number is wanted")),
        };
        let Some(sql) = value.get("sql").and_then(Value::as_str) else {
            return Err(fault(place, "sql: a text is wanted"));
        };
        if all.insert(id, statement(sql)).is_some() {
            return Err(fault(place, "this question stands in the file twice"));
        }
    }
    Ok(GivenPredictions::Named(all))
}

/// Without the mark and the database that BIRD writes behind it.
fn statement(text: &str) -> String {
    let own = text.split_once(BIRD_MARK).map_or(text, |(own, _)| own);
    own.trim().to_owned()
}

fn fault(place: usize, what: &'static str) -> DatasetFault {
    DatasetFault { place, what }
}

/// What BIRD writes between a statement and its database.
const BIRD_MARK: &str = "\t----- bird -----\t";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::dataset;

    fn statements(text: &str) -> Result<Vec<Option<String>>, String> {
        let questions =
            "{\"id\": \"a\", \"question\": \"?\"}\n{\"id\": \"b\", \"question\": \"?\"}";
        let mut entries = dataset::read(questions).unwrap();
        match put_into(&mut entries, text) {
            Ok(_) => Ok(entries.into_iter().map(|entry| entry.sql).collect()),
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn each_form_is_read() {
        let both = Ok(vec![
            Some("SELECT 1".to_owned()),
            Some("SELECT 2".to_owned()),
        ]);
        for text in [
            "{\"0\": \"SELECT 1\\t----- bird -----\\tx\", \"1\": \"SELECT 2\"}",
            "{\"b\": \"SELECT 2\", \"a\": \"SELECT 1\"}",
            "[\"SELECT 1\", \"SELECT 2\"]",
            "{\"id\": \"b\", \"sql\": \"SELECT 2\"}\n{\"id\": \"a\", \"sql\": \"SELECT 1\"}\n",
            "SELECT 1\tconcerts\nSELECT 2\tconcerts\n",
            "SELECT 1\nSELECT 2",
        ] {
            assert_eq!(statements(text), both, "{text}");
        }
        let one = Ok(vec![None, Some("SELECT 2".to_owned())]);
        assert_eq!(statements("{\"id\": \"b\", \"sql\": \"SELECT 2\"}"), one);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, wanted) in [
            ("", "1: the file is empty"),
            (
                "[\"SELECT 1\"]",
                "2: the file has another number of statements than the dataset",
            ),
            ("[\"SELECT 1\", 2]", "2: a text is wanted"),
            (
                "[\"SELECT 1\"",
                "1: it begins as an array in JSON and is none",
            ),
            (
                "{\"a\": \"x\", \"c\": \"y\"}",
                "1: the file names questions that the dataset has not",
            ),
            ("{\"a\": 1}", "1: a text is wanted for each question"),
            (
                "{\"id\": \"a\", \"sql\": \"x\"}\n{\"id\"",
                "2: an object in JSON with id and sql is wanted",
            ),
            (
                "{\"id\": \"a\", \"sql\": \"x\"}\n{\"id\": \"a\", \"sql\": \"x\"}",
                "2: this question stands in the file twice",
            ),
            ("{\"id\": \"a\", \"sql\": 1}", "1: sql: a text is wanted"),
        ] {
            assert_eq!(statements(text).unwrap_err(), wanted, "{text}");
        }
    }
}
