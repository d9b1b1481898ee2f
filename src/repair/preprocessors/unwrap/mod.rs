//! `unwrap`: a statement inside of what a model wrapped around it.
//!
//! # Sees
//! A code fence, a JSON object with a member `sql`, a tag (`SQL:`, `<sql>`), prose before or after
//! the only statement, quotes around it, line ends written as `\n`; one inside of another as well.
//!
//! # Why
//! Models answer in the shape that they were trained or asked for. Postgres reads none of it, so
//! nothing that it would run is touched.
//!
//! # Before
//! - ```` ```sql⏎SELECT 1;⏎``` ````
//! - `{"sql": "SELECT 1", "confidence": 0.9}`
//! - `Here is the query: SELECT 1`
//!
//! # After
//! - `SELECT 1`
//!
//! # When not
//! Two statements, an empty wrapping, JSON without `sql`: the client is told what would be right.
//! What is cut off could belong to the statement (`WHERE …`, `LIMIT …`): nothing is done.

pub(super) mod fence;
pub(super) mod json;
pub(super) mod prose;
pub(super) mod quotes;
pub(super) mod sentences;
pub(super) mod tag;

use ground::limits;
use policy::Dialect;
use sql::{prescan, tree};

/// What was found.
pub enum UnwrappedText {
    /// The text is no wrapping.
    Bare,
    /// The statement, and what was taken away, in words.
    Statement {
        /// The text of it.
        text: String,
        /// The dialect that the wrapping names.
        target_dialect: Option<Dialect>,
        /// What was taken away, for the client.
        change: String,
    },
    /// A wrapping without a statement: what to tell the client. It echoes nothing of the text.
    Nothing {
        /// What is wrong, and what would be right.
        advice: String,
    },
}

/// One wrapping, taken off.
pub(super) enum PeeledLayer {
    /// This was inside.
    Inside {
        text: String,
        dialect: Option<Dialect>,
        /// What was taken away.
        what: &'static str,
    },
    /// It holds no statement: what to tell the client.
    Hollow(&'static str),
}

/// Looks for a wrapping around a text that Postgres does not read.
pub fn unwrap_text(text: &str) -> UnwrappedText {
    let mut reader = BoundedParser::default();
    let mut inside = text.to_owned();
    let mut target_dialect = None;
    let mut taken: Vec<&str> = Vec::new();
    for _ in 0..limits::UNWRAP_LAYERS_MAX {
        let read = reader.read(&inside);
        match (read, taken.is_empty()) {
            (StatementCount::One, _) | (StatementCount::Several, true) => break,
            (StatementCount::Several, false) => return hollow(SEVERAL),
            (StatementCount::Empty, false) => return hollow(EMPTY),
            (StatementCount::Empty, true) | (StatementCount::Unparsable, _) => {}
        }
        match peel(&inside, &mut reader) {
            None => break,
            Some(PeeledLayer::Hollow(advice)) => return hollow(advice),
            Some(PeeledLayer::Inside {
                text,
                dialect,
                what,
            }) => {
                target_dialect = dialect.or(target_dialect);
                if !taken.contains(&what) {
                    taken.push(what);
                }
                inside = text;
            }
        }
    }
    if taken.is_empty() {
        return UnwrappedText::Bare;
    }
    UnwrappedText::Statement {
        text: inside,
        target_dialect,
        change: format!("{} taken away from around the statement", taken.join(", ")),
    }
}

/// Takes the outermost wrapping off: the most certain ones first.
fn peel(text: &str, reader: &mut BoundedParser) -> Option<PeeledLayer> {
    tag::thoughts(text)
        .or_else(|| json::peel(text))
        .or_else(|| fence::peel(text))
        .or_else(|| json::in_prose(text))
        .or_else(|| tag::markup(text))
        .or_else(|| tag::label(text))
        .or_else(|| quotes::around(text, reader))
        .or_else(|| quotes::escaped_lines(text, reader))
        .or_else(|| prose::ends(text, reader))
        .or_else(|| prose::after(text, reader))
        .or_else(|| prose::before(text, reader))
        .or_else(|| sentences::before(text, reader))
        .or_else(|| sentences::behind(text, reader))
}

/// What the grammar makes of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementCount {
    /// Nothing.
    Unparsable,
    /// White space and comments.
    Empty,
    /// One statement.
    One,
    /// More.
    Several,
}

/// Asks the grammar, and not without end.
#[derive(Default)]
pub(super) struct BoundedParser {
    parses: usize,
}

impl BoundedParser {
    pub fn read(&mut self, text: &str) -> StatementCount {
        self.parses = self.parses.saturating_add(1);
        if self.parses > limits::UNWRAP_PARSES_MAX
            || prescan::prescan(text, limits::REPAIR_BYTES_MAX).is_err()
        {
            return StatementCount::Unparsable;
        }
        match tree::parse(text).map(|tree| tree.statements().take(2).count()) {
            Err(_) => StatementCount::Unparsable,
            Ok(0) => StatementCount::Empty,
            Ok(1) => StatementCount::One,
            Ok(_) => StatementCount::Several,
        }
    }

    pub fn is_one(&mut self, text: &str) -> bool {
        self.read(text) == StatementCount::One
    }
}

impl PeeledLayer {
    pub fn inside(text: &str, what: &'static str) -> Option<Self> {
        Some(Self::Inside {
            text: text.trim().to_owned(),
            dialect: None,
            what,
        })
    }
}

fn hollow(advice: &str) -> UnwrappedText {
    UnwrappedText::Nothing {
        advice: advice.to_owned(),
    }
}

/// Several statements in one wrapping.
pub(super) const SEVERAL: &str = "The text wraps several statements. Send one statement at a time.";

/// Nothing in a wrapping.
pub(super) const EMPTY: &str =
    "The text is a wrapping without a statement in it. Send the SQL of one statement alone.";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn inside(text: &str) -> (String, Option<Dialect>) {
        match unwrap_text(text) {
            UnwrappedText::Statement {
                text: inside,
                target_dialect,
                change,
            } => {
                assert!(!change.is_empty());
                assert!(
                    matches!(unwrap_text(&inside), UnwrappedText::Bare),
                    "{text}: not settled"
                );
                (inside, target_dialect)
            }
            UnwrappedText::Bare => panic!("{text}: bare"),
            UnwrappedText::Nothing { advice } => panic!("{text}: {advice}"),
        }
    }

    #[track_caller]
    fn gives(wanted: &str, texts: &[&str]) {
        for text in texts {
            assert_eq!(inside(text).0, wanted, "{text}");
        }
    }

    #[track_caller]
    fn bare(texts: &[&str]) {
        for text in texts {
            if let UnwrappedText::Statement { text: inside, .. } = unwrap_text(text) {
                panic!("{text}: {inside}");
            }
        }
    }

    #[test]
    fn fences_are_taken_off() {
        gives(
            "SELECT 1",
            &[
                "```sql\nSELECT 1\n```",
                "```\nSELECT 1\n```",
                "~~~sql\nSELECT 1\n~~~",
                "````sql\nSELECT 1\n````",
                "```SQL\r\nSELECT 1\r\n```\r\n",
                "```sql SELECT 1```",
                "```SELECT 1```",
                "```sql\nSELECT 1",
                "SELECT 1\n```",
                "Here you go:\n\n```postgresql\nSELECT 1\n```\n\nIt returns one row.",
                "With this query you get it:\n```\nSELECT 1\n```",
            ],
        );
        gives("SELECT 1;", &["```sql\nSELECT 1;\n```"]);
        gives("SELECT\n1", &["```SELECT\n1\n```"]);
    }

    #[test]
    fn json_gives_its_statement_and_its_dialect() {
        let (text, dialect) = inside(
            r#"{"sql": "SELECT `a`\nFROM t", "target_dialect": "mysql", "assumptions": [],
                "needs_followup": false, "confidence": 0.5}"#,
        );
        assert_eq!(text, "SELECT `a`\nFROM t");
        assert_eq!(dialect, Some(Dialect::Mysql));
        gives(
            "SELECT 1",
            &[
                r#"{"sql": "SELECT 1"}"#,
                "```json\n{\"sql\": \"SELECT 1\"}\n```",
                "Here is the answer: {\"sql\": \"SELECT 1\", \"confidence\": 1}",
                r#"{"sql": "```sql\nSELECT 1\n```"}"#,
                r#"{"target_dialect": "postgres", "SQL": "SELECT 1"};"#,
            ],
        );
        gives("SELECT 1\n+ 1", &["{\"sql\": \"SELECT 1\n+ 1\"}"]);
        for (name, wanted) in [
            ("MSSQL", Some(Dialect::Tsql)),
            ("SQL Server", Some(Dialect::Tsql)),
            ("T-SQL", Some(Dialect::Tsql)),
            ("BigQuery", Some(Dialect::Bigquery)),
            ("SQLite", Some(Dialect::Sqlite)),
            ("PostgreSQL", None),
            ("klingon", None),
        ] {
            let text = format!(r#"{{"sql":"SELECT 1","target_dialect":"{name}"}}"#);
            assert_eq!(inside(&text).1, wanted, "{name}");
        }
    }

    #[test]
    fn what_wraps_nothing_is_told_without_an_echo() {
        for text in [
            "{}",
            r#"{"sql": ""}"#,
            r#"{"sql": null, "secret": "canary"}"#,
            r#"{"query": "SELECT 'canary'"}"#,
            r#"{"sql": "SELECT 'canary' }"#,
            "```sql\n\n```",
            "```sql\n-- canary\n```",
            "```sql\nSELECT 1; SELECT 'canary'\n```",
            "```sql\nSELECT 1\n```\nor\n```sql\nSELECT 'canary'\n```",
            r#"{"sql": "SELECT 1; DELETE FROM canary"}"#,
            "<sql></sql>",
        ] {
            match unwrap_text(text) {
                UnwrappedText::Nothing { advice } => {
                    assert!(!advice.contains("canary"));
                    assert!(advice.contains("SQL") || advice.contains("statement"));
                }
                UnwrappedText::Bare => panic!("{text}: bare"),
                UnwrappedText::Statement { text: inside, .. } => panic!("{text}: {inside}"),
            }
        }
    }

    #[test]
    fn tags_and_prose_are_taken_off() {
        gives(
            "SELECT a FROM t",
            &[
                "sql\nSELECT a FROM t",
                "SQL: SELECT a FROM t",
                "SQLQuery: SELECT a FROM t",
                "**SQL Query:** SELECT a FROM t",
                "Answer: SELECT a FROM t",
                "postgresql SELECT a FROM t",
                "<sql>SELECT a FROM t</sql>",
                "Sure! <sql>\nSELECT a FROM t\n</sql> Done.",
                "<think>\nSELECT b?\n</think>\nSELECT a FROM t",
                "Here is the query: SELECT a FROM t",
                "Here is the query\nSELECT a FROM t",
                "Here is the query:\n\nSELECT a FROM t\n\nThis returns every a.",
                "SELECT a FROM t; This query returns every a.",
                "SELECT a FROM t;\n\nExplanation: it returns every a.",
                "SELECT a FROM t\n\nThis query returns every a.",
                "SELECT a FROM t\nSQLResult: 5\nAnswer: 5",
                "SELECT a FROM t;;`",
                "SELECT a FROM t\n/\n",
                "SELECT a FROM t\\",
                "`SELECT a FROM t`",
                "\"SELECT a FROM t\"",
                "'SELECT a FROM t';",
                "“SELECT a FROM t”",
                "SQL: ```sql\nSELECT a FROM t\n```",
            ],
        );
        gives(
            "SELECT 'x' FROM t WHERE a = 'y'",
            &[
                "'SELECT ''x'' FROM t WHERE a = ''y'''",
                "\"SELECT 'x' FROM t WHERE a = 'y'\"",
                r"'SELECT \'x\' FROM t WHERE a = \'y\''",
            ],
        );
        gives("SELECT a FROM t;", &["SELECT a FROM t;\nGO"]);
        gives(r#"SELECT "x" FROM t"#, &[r#""SELECT \"x\" FROM t""#]);
        gives(
            "SELECT a\nFROM t\nWHERE b ~ '\\n'",
            &[r"SELECT a\nFROM t\nWHERE b ~ '\n'"],
        );
        assert_eq!(
            inside("Here is the query:\nSELECT TOP 5 [a] FROM t").0,
            "SELECT TOP 5 [a] FROM t"
        );
    }

    #[test]
    fn what_may_belong_to_the_statement_stays() {
        bare(&[
            "SELECT 1",
            "SELECT a FROM t; WHERE a = 1",
            "SELECT a FROM t;\n\nLIMIT 5",
            "SELECT a FROM t\n\nWHERE the = = 1",
            "SELECT a FROM t; UNION SELECT b FROM u",
            "SELECT a FROM t; SELECT FROM WHERE",
            "SELECT 1; SELEC 2",
            "SELECT 1; SELEC the, result FROM this",
            "SELECT 1; DELTE FROM the WHERE this = 1",
            "SELECT 1; a b",
            "SELECT \"\"",
            "SELECT ``",
            "SELECT `",
            "SELECT a, b FROM t GROUP BY a, b \"\"",
            "SELECT 2 *",
            "SELECT 2 **",
            "<sql>SELECT 1</sql> DELETE FROM t",
            "SELECT a FROM t; DROP TABEL t",
            "SELECT * FROM orders\n\no WHERE o.id = = 5",
            "SELECT * FROM orders\n\nx WHERE a.this = = 5",
            "DELETE FROM a,\nSELECT a FROM t",
            "UPSERT INTO x\nSELECT a FROM t",
            "INSERT INTO t (a,)\nSELECT a FROM t",
            "SELECT a FROM\nSELECT b FROM t",
            "nothing of the sort",
            "SELECT `a` FROM t",
            "{fn now()}",
            "SELECT 1; SELECT 2",
            "",
            "```",
            "'",
        ]);
    }

    #[test]
    fn sentences_in_the_line_of_the_statement_are_taken_off() {
        gives(
            "SELECT a FROM t",
            &[
                "SELECT a FROM t This query returns the a of each t.",
                "SELECT a FROM t The query above lists each a, and it uses no index.",
                "SELECT a FROM t Explanation: the statement selects every a of the table.",
                "SELECT a FROM t Remark: it returns an a for each row of the table.",
                "SELECT a FROM t\nI will run the statement first, and then look at the result.;",
                "SELECT a FROM t In this query, we select the column a of the table.",
                "SELECT To list every a, you can use this query: ```sql SELECT a FROM t",
                "SELECT To list every a of the table, use it: ```sql SELECT a FROM t ``` It returns all.",
                "SELECT the column a is what you need. Here is the query: SELECT a FROM t",
                "SELECT selecting the a of each row of the table. SELECT a FROM t",
                "SELECT I need the a of each t. The query is: sql SELECT a FROM t",
                "SELECT Here's how to do it, to find the a: SELECT a FROM t This returns each a of the table.",
            ],
        );
        gives(
            "SELECT a FROM t WHERE b = 'This query returns the a of each t.'",
            &[
                "SELECT a FROM t WHERE b = 'This query returns the a of each t.' This query returns the \
               a of each t.",
            ],
        );
        gives(
            "SELECT `a` FROM t",
            &["SELECT To find the a of each t, we can use this query: SELECT `a` FROM t"],
        );
    }

    #[test]
    fn sentences_that_say_more_than_one_thing_stay() {
        bare(&[
            "SELECT a FROM t The first query returns the a. Then SELECT b FROM u returns the b.",
            "SELECT a FROM t WHERE This = = 1",
            "SELECT a FROM t This is",
            "SELECT The number of rows is not known to me, so this is the answer that you get.",
            "SELECT a FROM t. SELECT b FROM u",
            "SELECT the, a FROM this: SELECT b FROM u",
            "SELECT a FROM t WHERE = = c LIKE 'the query that you need is this: SELECT b FROM u'",
            "SELECT query FROM t WHERE = c LIKE 'the query that you need is this: SELECT b FROM u'",
            "DELETE FROM the table that you need for this: SELECT a FROM t",
            "SELECT a FROM t The DROP statement is what you need, and this is it; DROP TABLE t",
            "SELECT a b c FROM t GROUP This BY",
        ]);
    }

    proptest! {
        #[test]
        fn any_text_is_looked_at(text in "\\PC{0,200}") {
            let _ = unwrap_text(&text);
        }

        #[test]
        fn what_comes_out_was_inside(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "```", "sql", "\n", "SELECT 1", "{\"sql\":", "\"", "}", ": ", "Here is", ";",
                    " FROM t", "`", "'", "\\", "<sql>", "</sql>", "WHERE", "é", " ", "This is",
                ]),
                0..14,
            )
        ) {
            let text: String = pieces.concat();
            if let UnwrappedText::Statement { text: inside, .. } = unwrap_text(&text) {
                let letters = |text: &str| -> String {
                    text.chars().filter(|c| c.is_alphanumeric()).collect()
                };
                prop_assert!(letters(&text).contains(&letters(&inside)));
            }
        }
    }
}
