//! Questions with what answers them, as they are written by hand or published.
//!
//! * Lines of JSON, or one array: `{id?, question, sql?, gold_sql?, expected?, database?, origin?,
//!   comments?, difficulty?}`
//! * BIRD: `dev.json`, or its lines: `{question_id, db_id, question, evidence, SQL, difficulty}`
//! * Spider: `dev.json`: `{db_id, question, query}`
//! * sql-eval of defog: CSV with `question`, `query`, `db_name` and `query_category`
//!
//! What has another form is told with its place, and nothing of it is quoted.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::csv_records;
use crate::limits::evaluation::{ENTRIES_MAX, ENTRY_BYTES_MAX};

/// A question, with a statement that may answer it and what does.
#[derive(Clone, Debug, PartialEq)]
pub struct DatasetEntry {
    /// Its name; its place in the file, from 1, where it has none.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// The statement that is tried, where the file has one.
    pub sql: Option<String>,
    /// What it is held against.
    pub reference: Option<Reference>,
    /// The database that it is about, where the file says so.
    pub database: Option<String>,
    /// Where it comes from.
    pub origin: Option<String>,
    /// What is known beside the question.
    pub comments: Option<String>,
    /// How hard it is, in the words of its file.
    pub difficulty: Option<String>,
}

/// What answers a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// The rows of this statement.
    Statement(String),
    /// The rows of any of these.
    AnyOf(Vec<String>),
    /// These rows, as text; none is NULL.
    Rows(Vec<Vec<Option<String>>>),
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatasetFault {
    /// The line, or in an array the number of the entry, from 1.
    pub place: usize,
    /// What it is.
    pub what: &'static str,
}

/// Reads a file of any of the forms.
///
/// # Errors
/// What is wrong with it first.
pub fn read(text: &str) -> Result<Vec<DatasetEntry>, DatasetFault> {
    let begin = text.trim_start_matches('\u{feff}').trim_start();
    let objects = match begin.as_bytes().first() {
        None => return Err(fault(1, "the file is empty")),
        Some(b'[') => array(begin)?,
        Some(b'{') => lines(text)?,
        Some(_) => return from_csv(text),
    };
    let read = objects.into_iter().enumerate().map(|(number, object)| {
        let (place, fields) = object;
        let mut entry = Fields { place, fields }.entry()?;
        if entry.id.is_empty() {
            entry.id = (number + 1).to_string();
        }
        Ok(entry)
    });
    bounded(read.collect::<Result<Vec<_>, _>>()?)
}

type PlacedObject = (usize, Map<String, Value>);

fn array(text: &str) -> Result<Vec<PlacedObject>, DatasetFault> {
    let values: Vec<Value> = serde_json::from_str(text)
        .map_err(|_| fault(1, "it begins as an array in JSON and is none"))?;
    let objects = (1..).zip(values).map(|(number, value)| match value {
        Value::Object(fields) => Ok((number, fields)),
        _ => Err(fault(number, "an object is wanted")),
    });
    objects.collect()
}

fn lines(text: &str) -> Result<Vec<PlacedObject>, DatasetFault> {
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty());
    let objects = lines.map(|(number, line)| {
        let fields = serde_json::from_str(line.trim_start_matches('\u{feff}'));
        Ok((
            number,
            fields.map_err(|_| fault(number, "an object in JSON is wanted"))?,
        ))
    });
    objects.collect()
}

fn from_csv(text: &str) -> Result<Vec<DatasetEntry>, DatasetFault> {
    let records = csv_records::records(text).map_err(|csv| fault(csv.line, csv.what))?;
    let mut records = records.into_iter();
    let Some((_, names)) = records.next() else {
        return Err(fault(1, "the file is empty"));
    };
    if !["question", "query"]
        .iter()
        .all(|wanted| names.iter().any(|name| name == wanted))
    {
        let what = "the first line is neither JSON nor the names of question and query in CSV";
        return Err(fault(1, what));
    }
    let mut entries = Vec::new();
    for (line, record) in records {
        if record.len() != names.len() {
            return Err(fault(
                line,
                "the line has another number of fields than the first",
            ));
        }
        let fields: BTreeMap<&str, String> = names.iter().map(String::as_str).zip(record).collect();
        let of = |name: &str| {
            let value = fields.get(name).map(|value| value.trim());
            value.filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let question = of("question").ok_or_else(|| fault(line, "question is empty"))?;
        let query = of("query").ok_or_else(|| fault(line, "query is empty"))?;
        entries.push(DatasetEntry {
            id: (entries.len() + 1).to_string(),
            question,
            sql: None,
            reference: Some(alternatives(&query)),
            database: of("db_name"),
            origin: Some("sql-eval".to_owned()),
            comments: of("instructions"),
            difficulty: of("query_category"),
        });
    }
    bounded(entries)
}

/// sql-eval writes several right statements with semicolons, and in braces the columns of which any
/// may be selected: a statement with each choice.
fn alternatives(query: &str) -> Reference {
    let mut all = Vec::new();
    for statement in query.split(';').map(str::trim) {
        if statement.is_empty() {
            continue;
        }
        match braces(statement) {
            None => all.push(statement.to_owned()),
            Some((before, choices, behind)) => {
                let columns = choices.split(',').map(str::trim);
                let all_of_them = columns.clone().collect::<Vec<_>>().join(", ");
                all.extend(columns.map(|column| format!("{before}{column}{behind}")));
                all.push(format!("{before}{all_of_them}{behind}"));
            }
        }
    }
    match all.as_slice() {
        [only] => Reference::Statement(only.clone()),
        _ => Reference::AnyOf(all),
    }
}

fn braces(statement: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = statement.split_once('{')?;
    let (choices, behind) = rest.split_once('}')?;
    Some((before, choices, behind))
}

/// The fields of one entry.
struct Fields {
    place: usize,
    fields: Map<String, Value>,
}

impl Fields {
    fn entry(mut self) -> Result<DatasetEntry, DatasetFault> {
        let is_bird = self.fields.contains_key("SQL") && self.fields.contains_key("db_id");
        let is_spider = self.fields.contains_key("query") && self.fields.contains_key("db_id");
        match (is_bird, is_spider) {
            (true, _) => self.bird(),
            (false, true) => self.spider(),
            (false, false) => self.own(),
        }
    }

    fn own(&mut self) -> Result<DatasetEntry, DatasetFault> {
        let unknown = |name: &&String| !OWN_FIELDS.contains(&name.as_str());
        if self.fields.keys().any(|name| unknown(&name)) {
            return Err(fault(self.place, "it has a field that no form knows"));
        }
        let gold = self.text("gold_sql", "gold_sql: a text is wanted")?;
        let expected = self.fields.remove("expected");
        let reference = match (gold, expected) {
            (Some(_), Some(_)) => {
                return Err(fault(
                    self.place,
                    "gold_sql or expected is wanted, not both",
                ));
            }
            (Some(statement), None) => Some(Reference::Statement(statement)),
            (None, Some(rows)) => Some(Reference::Rows(self.rows(&rows)?)),
            (None, None) => None,
        };
        Ok(DatasetEntry {
            id: self.id("id")?,
            question: self.wanted("question", "question: a text is wanted")?,
            sql: self.text("sql", "sql: a text is wanted")?,
            reference,
            database: self.text("database", "database: a text is wanted")?,
            origin: self.text("origin", "origin: a text is wanted")?,
            comments: self.text("comments", "comments: a text is wanted")?,
            difficulty: self.text("difficulty", "difficulty: a text is wanted")?,
        })
    }

    fn bird(&mut self) -> Result<DatasetEntry, DatasetFault> {
        let statement = self.wanted("SQL", "SQL: a text is wanted")?;
        Ok(DatasetEntry {
            id: self.id("question_id")?,
            question: self.wanted("question", "question: a text is wanted")?,
            sql: None,
            reference: Some(Reference::Statement(statement)),
            database: self.text("db_id", "db_id: a text is wanted")?,
            origin: Some("BIRD".to_owned()),
            comments: self.text("evidence", "evidence: a text is wanted")?,
            difficulty: self.text("difficulty", "difficulty: a text is wanted")?,
        })
    }

    fn spider(&mut self) -> Result<DatasetEntry, DatasetFault> {
        let statement = self.wanted("query", "query: a text is wanted")?;
        Ok(DatasetEntry {
            id: String::new(),
            question: self.wanted("question", "question: a text is wanted")?,
            sql: None,
            reference: Some(Reference::Statement(statement)),
            database: self.text("db_id", "db_id: a text is wanted")?,
            origin: Some("Spider".to_owned()),
            comments: None,
            difficulty: None,
        })
    }

    fn wanted(&mut self, name: &str, what: &'static str) -> Result<String, DatasetFault> {
        self.text(name, what)?.ok_or(fault(self.place, what))
    }

    /// A text; an empty one is none.
    fn text(&mut self, name: &str, what: &'static str) -> Result<Option<String>, DatasetFault> {
        match self.fields.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::String(text)) if text.len() <= ENTRY_BYTES_MAX => Ok(Some(text)),
            Some(Value::String(_)) => Err(fault(self.place, "a text has more than 64 KiB")),
            Some(_) => Err(fault(self.place, what)),
        }
    }

    /// A name: a text or a number.
    fn id(&mut self, name: &str) -> Result<String, DatasetFault> {
        match self.fields.remove(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text),
            Some(Value::Number(number)) => Ok(number.to_string()),
            Some(_) => Err(fault(self.place, "a name is a text or a number")),
        }
    }

    fn rows(&self, rows: &Value) -> Result<Vec<Vec<Option<String>>>, DatasetFault> {
        let wrong = || {
            fault(
                self.place,
                "expected: a list of rows is wanted, each a list of values",
            )
        };
        let value = |value: &Value| match value {
            Value::Null => Ok(None),
            Value::Bool(is_true) => Ok(Some(if *is_true { "t" } else { "f" }.to_owned())),
            Value::Number(number) => Ok(Some(number.to_string())),
            Value::String(text) => Ok(Some(text.clone())),
            Value::Array(_) | Value::Object(_) => Err(wrong()),
        };
        let row = |row: &Value| {
            let values = row.as_array().ok_or_else(wrong)?;
            values.iter().map(value).collect()
        };
        let rows = rows.as_array().ok_or_else(wrong)?;
        rows.iter().map(row).collect()
    }
}

fn bounded(entries: Vec<DatasetEntry>) -> Result<Vec<DatasetEntry>, DatasetFault> {
    match entries.len() {
        0 => Err(fault(1, "the file has no entry")),
        1..=ENTRIES_MAX => Ok(entries),
        _ => Err(fault(
            ENTRIES_MAX + 1,
            "the file has more entries than are looked at",
        )),
    }
}

fn fault(place: usize, what: &'static str) -> DatasetFault {
    DatasetFault { place, what }
}

impl fmt::Display for DatasetFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)
    }
}

/// The fields of an entry that is written by hand.
const OWN_FIELDS: [&str; 9] = [
    "id",
    "question",
    "sql",
    "gold_sql",
    "expected",
    "database",
    "origin",
    "comments",
    "difficulty",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> DatasetEntry {
        read(text).unwrap().remove(0)
    }

    #[test]
    fn each_form_is_known_by_its_fields() {
        let own = first(
            "{\"question\": \"How many?\", \"sql\": \"SELECT 1\", \"expected\": [[1, null, \"a\", true]]}\n",
        );
        assert_eq!(
            (own.id.as_str(), own.sql.as_deref()),
            ("1", Some("SELECT 1"))
        );
        let row = [Some("1"), None, Some("a"), Some("t")].map(|value| value.map(str::to_owned));
        assert_eq!(own.reference, Some(Reference::Rows(vec![row.to_vec()])));
        let bird = first(
            "[{\"question_id\": 7, \"db_id\": \"schools\", \"question\": \"Which?\", \"evidence\": \"\", \
             \"SQL\": \"SELECT 2\", \"difficulty\": \"moderate\"}]",
        );
        assert_eq!(bird.id, "7");
        assert_eq!(bird.database.as_deref(), Some("schools"));
        assert_eq!(
            bird.reference,
            Some(Reference::Statement("SELECT 2".into()))
        );
        assert_eq!(bird.comments, None);
        let spider = first(
            "[{\"db_id\": \"cars\", \"question\": \"Which?\", \"query\": \"SELECT 3\", \
             \"query_toks\": [\"SELECT\"]}]",
        );
        assert_eq!(spider.origin.as_deref(), Some("Spider"));
        let defog = first(
            "db_name,query_category,question,query,instructions\n\
             broker,join,\"Who, and what?\",\"SELECT {a, b} FROM t; SELECT c FROM t;\",\n",
        );
        let wanted = [
            "SELECT a FROM t",
            "SELECT b FROM t",
            "SELECT a, b FROM t",
            "SELECT c FROM t",
        ];
        let wanted = wanted.map(str::to_owned).to_vec();
        assert_eq!(defog.reference, Some(Reference::AnyOf(wanted)));
        assert_eq!(defog.difficulty.as_deref(), Some("join"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, wanted) in [
            ("", "1: the file is empty"),
            ("[]", "1: the file has no entry"),
            ("[1]", "1: an object is wanted"),
            ("[{", "1: it begins as an array in JSON and is none"),
            (
                "{\"question\": \"a\"}\n\n{\"q\"",
                "3: an object in JSON is wanted",
            ),
            (
                "{\"question\": \"a\"}\n{\"question\": 1}",
                "2: question: a text is wanted",
            ),
            (
                "{\"question\": \"a\", \"answer\": 1}",
                "1: it has a field that no form knows",
            ),
            ("{\"sql\": \"SELECT 1\"}", "1: question: a text is wanted"),
            (
                "{\"question\": \"a\", \"gold_sql\": \"b\", \"expected\": []}",
                "1: gold_sql or expected is wanted, not both",
            ),
            (
                "{\"question\": \"a\", \"expected\": [1]}",
                "1: expected: a list of rows is wanted, each a list of values",
            ),
            (
                "SELECT 1;\n",
                "1: the first line is neither JSON nor the names of question and query in CSV",
            ),
            (
                "question,query\na\n",
                "2: the line has another number of fields than the first",
            ),
            ("question,query\n,b\n", "2: question is empty"),
        ] {
            let found = read(text).map(|all| all.len());
            assert_eq!(found.unwrap_err().to_string(), wanted, "{text}");
        }
    }
}
