//! Records of a file of CSV, as spreadsheets and `COPY` write them.
//!
//! <https://www.rfc-editor.org/rfc/rfc4180>

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CsvFault {
    /// The line where it is seen, from 1.
    pub line: usize,
    /// What it is.
    pub what: &'static str,
}

/// The records of a text, each with the line where it begins.
///
/// # Errors
/// A quote is not closed, or stands in the middle of a field.
pub fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, CsvFault> {
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut line, mut records) = (1, Vec::new());
    while !rest.is_empty() {
        let begun = line;
        let mut record = Vec::new();
        loop {
            let field;
            (field, rest) = match rest.strip_prefix('"') {
                Some(behind) => quoted(behind).ok_or(CsvFault {
                    line,
                    what: "a quote is not closed",
                })?,
                None => {
                    let end = rest.find([',', '\n']).unwrap_or(rest.len());
                    let (field, behind) = rest.split_at(end);
                    if field.contains('"') {
                        return Err(CsvFault {
                            line,
                            what: "a quote stands in the middle of a field",
                        });
                    }
                    (field.trim_end_matches('\r').to_owned(), behind)
                }
            };
            line += field.matches('\n').count();
            record.push(field);
            if let Some(behind) = rest.strip_prefix(',') {
                rest = behind;
                continue;
            }
            let end = rest.strip_prefix('\r').unwrap_or(rest);
            rest = match end.strip_prefix('\n') {
                Some(behind) => behind,
                None if end.is_empty() => end,
                None => {
                    return Err(CsvFault {
                        line,
                        what: "a comma is wanted behind a quoted field",
                    });
                }
            };
            line += 1;
            break;
        }
        records.push((begun, record));
    }
    Ok(records)
}

/// A quoted field, behind its first quote, and what follows.
fn quoted(rest: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = rest;
    loop {
        let (part, behind) = rest.split_once('"')?;
        field.push_str(part);
        match behind.strip_prefix('"') {
            Some(behind) => {
                field.push('"');
                rest = behind;
            }
            None => return Some((field, behind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_may_span_lines() {
        let text = "a,b\r\n1,\"x, \"\"y\"\"\nz\"\n,\n";
        let read = records(text).unwrap();
        let texts: Vec<(usize, Vec<&str>)> = read
            .iter()
            .map(|(line, record)| (*line, record.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(
            texts,
            [
                (1, vec!["a", "b"]),
                (2, vec!["1", "x, \"y\"\nz"]),
                (4, vec!["", ""])
            ]
        );
        for (text, line) in [("a\n\"b", 2), ("a\nb\"c", 2), ("\"a\"b", 1)] {
            assert_eq!(records(text).unwrap_err().line, line, "{text}");
        }
        assert_eq!(records("").unwrap(), Vec::new());
    }
}
