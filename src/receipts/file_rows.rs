//! Rows out of a file, as they were sent in text format: CSV as psql writes it, or JSON Lines.
//!
//! In CSV an empty field without quotes is NULL and one with quotes is the empty text, as in
//! `COPY … WITH (FORMAT csv)`. The first line has the names of the columns. In JSON Lines each line
//! is an array of values, or an object with the names of the columns; a text stands for itself, a
//! number for how it is written, true and false for `t` and `f`, and an object or array for its
//! own text.

use std::collections::HashMap;
use std::fmt;

use serde_json::value::RawValue;

/// A value of a row; none is NULL.
pub type FileValue = Option<String>;

/// Rows of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRows {
    /// The names of the columns, where the file has them.
    pub names: Option<Vec<String>>,
    /// The rows, in order.
    pub rows: Vec<Vec<FileValue>>,
}

/// What is wrong with a file of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRowsProblem {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: &'static str,
}

/// The rows of a file in CSV.
///
/// # Errors
/// A quote that is not closed or stands in the middle of a field, or a line of another length.
pub fn from_csv(text: &str) -> Result<FileRows, FileRowsProblem> {
    let mut records = CsvReader::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    let Some(names) = records.next_record()? else {
        return Err(FileRowsProblem {
            line: 1,
            what: "a line with the names of the columns is wanted",
        });
    };
    let names: Vec<String> = names.into_iter().map(Option::unwrap_or_default).collect();
    let mut rows = Vec::new();
    while let Some(row) = records.next_record()? {
        if row.len() != names.len() {
            return Err(FileRowsProblem {
                line: records.line.saturating_sub(1),
                what: "the line has another number of fields than the first",
            });
        }
        rows.push(row);
    }
    Ok(FileRows {
        names: Some(names),
        rows,
    })
}

/// The rows of a file in JSON Lines; `columns` are the names of the receipt's.
///
/// # Errors
/// A line is no array or object, or an object has not just these columns.
pub fn from_json_lines(
    text: &str,
    columns: Option<&[String]>,
) -> Result<FileRows, FileRowsProblem> {
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let row = match line.starts_with('{') {
            true => of_object(line, columns),
            false => of_array(line),
        };
        rows.push(row.map_err(|what| FileRowsProblem {
            line: number + 1,
            what,
        })?);
    }
    Ok(FileRows { names: None, rows })
}

fn of_array(line: &str) -> Result<Vec<FileValue>, &'static str> {
    let values: Vec<&RawValue> =
        serde_json::from_str(line).map_err(|_| "an array or an object in JSON is wanted")?;
    values.into_iter().map(value_of).collect()
}

fn of_object(line: &str, columns: Option<&[String]>) -> Result<Vec<FileValue>, &'static str> {
    let columns = columns.ok_or("the receipt names no columns: arrays are wanted")?;
    let mut values: HashMap<String, &RawValue> =
        serde_json::from_str(line).map_err(|_| "an array or an object in JSON is wanted")?;
    if values.len() != columns.len() {
        return Err("the object has not just the columns of the receipt");
    }
    let named = columns.iter().map(|name| {
        let value = values.remove(name);
        value_of(value.ok_or("the object has not just the columns of the receipt")?)
    });
    named.collect()
}

fn value_of(value: &RawValue) -> Result<FileValue, &'static str> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b't') => Ok(Some("t".to_owned())),
        Some(b'f') => Ok(Some("f".to_owned())),
        Some(b'"') => serde_json::from_str(text)
            .map(Some)
            .map_err(|_| "a text in JSON is wanted"),
        _ => Ok(Some(text.to_owned())),
    }
}

/// Records of CSV, one at a time.
struct CsvReader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> CsvReader<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            line: 1,
        }
    }

    fn next_record(&mut self) -> Result<Option<Vec<FileValue>>, FileRowsProblem> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let mut record = Vec::new();
        loop {
            record.push(match self.rest.strip_prefix('"') {
                Some(rest) => Some(self.quoted(rest)?),
                None => self.bare()?,
            });
            if let Some(rest) = self.rest.strip_prefix(',') {
                self.rest = rest;
                continue;
            }
            let rest = self.rest.strip_prefix('\r').unwrap_or(self.rest);
            self.rest = match rest.strip_prefix('\n') {
                Some(rest) => rest,
                None if rest.is_empty() => rest,
                None => return Err(self.problem("a comma is wanted behind a quoted field")),
            };
            self.line += 1;
            return Ok(Some(record));
        }
    }

    fn bare(&mut self) -> Result<FileValue, FileRowsProblem> {
        let end = self.rest.find([',', '\n', '"']).unwrap_or(self.rest.len());
        let (field, rest) = self.rest.split_at(end);
        if rest.starts_with('"') {
            return Err(self.problem("a quote stands in the middle of a field"));
        }
        self.rest = rest;
        let field = match rest.starts_with(',') {
            true => field,
            false => field.strip_suffix('\r').unwrap_or(field),
        };
        Ok((!field.is_empty()).then(|| field.to_owned()))
    }

    /// A quoted field, behind its first quote.
    fn quoted(&mut self, rest: &'t str) -> Result<String, FileRowsProblem> {
        let mut field = String::new();
        let mut rest = rest;
        loop {
            let Some((part, behind)) = rest.split_once('"') else {
                return Err(self.problem("a quote is not closed"));
            };
            self.line += part.matches('\n').count();
            field.push_str(part);
            match behind.strip_prefix('"') {
                Some(behind) => {
                    field.push('"');
                    rest = behind;
                }
                None => {
                    self.rest = behind;
                    return Ok(field);
                }
            }
        }
    }

    fn problem(&self, what: &'static str) -> FileRowsProblem {
        FileRowsProblem {
            line: self.line,
            what,
        }
    }
}

impl fmt::Display for FileRowsProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[Option<&str>]) -> Vec<FileValue> {
        let owned = values.iter().map(|value| value.map(str::to_owned));
        owned.collect()
    }

    #[test]
    fn csv_tells_null_from_the_empty_text() {
        let text = "id,name,note\r\n1,Ann,\r\n2,\"\",\"say \"\"hi\"\",\nyou\"\n,x,y";
        let read = from_csv(text).unwrap();
        assert_eq!(read.names.unwrap(), ["id", "name", "note"]);
        assert_eq!(
            read.rows,
            [
                row(&[Some("1"), Some("Ann"), None]),
                row(&[Some("2"), Some(""), Some("say \"hi\",\nyou")]),
                row(&[None, Some("x"), Some("y")]),
            ]
        );
        assert_eq!(from_csv("a\n").unwrap().rows, Vec::<Vec<FileValue>>::new());
        for (text, line) in [
            ("", 1),
            ("a,b\n1\n", 2),
            ("a\n\"1\n", 2),
            ("a\nx\"y\n", 2),
            ("a\n\"x\"y\n", 2),
        ] {
            assert_eq!(from_csv(text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn json_keeps_numbers_as_they_are_written() {
        let columns = ["id", "amount", "ok", "data"].map(str::to_owned);
        let wanted = row(&[Some("1"), Some("1.10"), Some("t"), Some("{\"a\": 1}")]);
        for text in [
            "[1, 1.10, true, {\"a\": 1}]",
            "{\"amount\": 1.10, \"id\": 1, \"data\": {\"a\": 1}, \"ok\": true}\n\n",
            "[\"1\", \"1.10\", \"t\", \"{\\\"a\\\": 1}\"]",
        ] {
            let read = from_json_lines(text, Some(&columns)).unwrap();
            assert_eq!(read.rows, std::slice::from_ref(&wanted), "{text}");
        }
        let nulls = from_json_lines("[null, \"\"]", None).unwrap();
        assert_eq!(nulls.rows, [row(&[None, Some("")])]);
        for text in [
            "1",
            "{\"id\": 1}",
            "[1",
            "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}",
        ] {
            assert!(from_json_lines(text, Some(&columns)).is_err(), "{text}");
        }
    }
}
