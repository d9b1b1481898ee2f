//! Cases of a dialect, and a real Postgres that they are run on.
//!
//! A case is a title behind `# `, a statement, a line `=>`, and the rows that the source dialect
//! returns: tabs between columns, NULL for NULL, and `\t`, `\n` and `\\` for what they stand for.
//! `=> HINT words` instead: the answer is a hint that holds the words.

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::dialect;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, ParameterTypes, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::{Dialect, Policy};
use pgsieve::repair::SessionDatabase;
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::support::ADMIN;
use crate::support::shared::shared_cluster_of;
use crate::support::sql::{self, connected};

/// A statement of a dialect, and what it returns there.
pub struct Case {
    /// What it shows.
    pub title: String,
    /// The statement.
    pub text: String,
    /// What is wanted.
    pub wanted: Wanted,
}

/// What is wanted of a translation.
pub enum Wanted {
    /// Rows, in the form of [`rows_of`].
    Rows(Vec<String>),
    /// A hint with these words.
    Hint(String),
}

/// What became of the cases of a dialect.
#[derive(Default)]
pub struct Count {
    /// Those with the right rows, or the right hint.
    pub right: usize,
    /// Those that were refused, or that Postgres does not run.
    pub missing: Vec<String>,
    /// Those with other rows.
    pub wrong: Vec<String>,
}

/// The cases of a file.
pub fn cases(file: &str) -> Vec<Case> {
    let chunks = file
        .split("\n# ")
        .map(|chunk| chunk.trim_start_matches("# "));
    let case = |chunk: &str| {
        let (title, rest) = chunk.split_once('\n').expect("a title");
        let (text, rows) = rest.split_once("\n=>").expect("an arrow");
        let (first, rows) = rows.split_once('\n').unwrap_or((rows, ""));
        let wanted = match first.trim().strip_prefix("HINT") {
            Some(words) => Wanted::Hint(words.trim().to_owned()),
            None => Wanted::Rows(rows.lines().map(str::to_owned).collect()),
        };
        Case {
            title: title.to_owned(),
            text: text.to_owned(),
            wanted,
        }
    };
    let mut all: Vec<Case> = chunks.map(case).collect();
    for case in &mut all {
        if let Wanted::Rows(rows) = &mut case.wanted {
            while rows.last().is_some_and(String::is_empty) {
                rows.pop();
            }
        }
    }
    all
}

/// A database with the tables of a dialect's cases.
pub struct Bench {
    client: Client,
    names: SessionNames,
    gate: Gate,
}

impl Bench {
    /// On a Postgres 15, where one can be had.
    pub async fn with(name: &str, tables: &str) -> Option<Self> {
        let cluster = tokio::task::spawn_blocking(|| shared_cluster_of(15))
            .await
            .unwrap()?;
        // The server is shared with all other tests.
        let name = format!("cases_{name}");
        let admin = connected(&cluster.url(ADMIN, ADMIN, "postgres")).await;
        let text = format!("CREATE DATABASE {name} TEMPLATE template0");
        admin.batch_execute(&text).await.unwrap();
        let client = connected(&cluster.url(ADMIN, ADMIN, &name)).await;
        client.batch_execute(tables).await.unwrap();
        let rows = snapshot::load(&client).await.unwrap();
        let catalog = Catalog::build(rows).unwrap();
        let fingerprinter = Fingerprinter::new(None, [7; 32]);
        let policy = Policy::agent();
        let mut names = SessionNames::default();
        names.set_server_major(15);
        names.set_effect_graph(Some(Arc::new(EffectGraph::new(Arc::new(catalog), &policy))));
        names.set_role("postgres");
        names.set_paths(SearchPaths::Known(Box::new([Box::new(["public".into()])])));
        Some(Self {
            client,
            names,
            gate: Gate::new(Arc::new(policy), fingerprinter),
        })
    }

    /// Runs all cases.
    pub async fn run(&self, dialect: Dialect, cases: &[Case]) -> Count {
        let mut count = Count::default();
        for case in cases {
            self.one(dialect, case, &mut count).await;
        }
        count
    }

    async fn one(&self, dialect: Dialect, case: &Case, count: &mut Count) {
        let note = |what: &str| format!("{}\n  {}\n  {what}", case.title, case.text);
        let translated = match (self.translated(dialect, &case.text), &case.wanted) {
            (Err(refused), Wanted::Hint(words)) if refused.contains(words) => {
                count.right += 1;
                return;
            }
            (Err(refused), _) => {
                count.missing.push(note(&format!("refused: {refused}")));
                return;
            }
            (Ok(text), Wanted::Hint(_)) => {
                count.wrong.push(note(&format!("is no hint: {text}")));
                return;
            }
            (Ok(text), Wanted::Rows(_)) => text,
        };
        let judged = self
            .gate
            .judge(Cow::Borrowed(translated.as_str()), &self.names);
        if let Verdict::Refused(refusal) = judged.verdict {
            let what = format!("{translated}\n  refused by the gate: {}", refusal.message);
            count.missing.push(note(&what));
            return;
        }
        let Wanted::Rows(wanted) = &case.wanted else {
            return;
        };
        match rows_of(&self.client, &translated).await {
            Err(error) => count
                .missing
                .push(note(&format!("{translated}\n  fails: {error}"))),
            Ok(rows) if agree(wanted, &rows) => count.right += 1,
            Ok(rows) => {
                let what = format!("{translated}\n  wanted {wanted:?}\n  but is {rows:?}");
                count.wrong.push(note(&what));
            }
        }
    }

    fn translated(&self, dialect: Dialect, text: &str) -> Result<String, String> {
        let open = ParameterTypes::none_given();
        let database = SessionDatabase::of(&self.names, &open).unwrap();
        match dialect::translate(text, dialect, Some(&database), 15) {
            None => Err("it is not read".to_owned()),
            Some(Ok(text)) => Ok(text),
            Some(Err(refused)) => Err(refused.what),
        }
    }
}

impl Count {
    /// Prints the counts, and fails where any is wrong or fewer than nine of ten are right.
    pub fn check(&self, dialect: &str) {
        let all = self.right + self.missing.len() + self.wrong.len();
        eprintln!(
            "{dialect}: {all} cases, {} right, {} without a translation, {} wrong",
            self.right,
            self.missing.len(),
            self.wrong.len()
        );
        for missing in &self.missing {
            eprintln!("without a translation: {missing}");
        }
        assert!(self.wrong.is_empty(), "wrong:\n{}", self.wrong.join("\n"));
        assert!(
            self.right * 10 >= all * 9,
            "fewer than nine of ten are right"
        );
    }
}

/// Whether rows are the same: numbers by value, to the digits that are wanted.
pub fn agree(wanted: &[String], found: &[String]) -> bool {
    wanted.len() == found.len()
        && wanted.iter().zip(found).all(|(wanted, found)| {
            let (wanted, found): (Vec<&str>, Vec<&str>) =
                (wanted.split('\t').collect(), found.split('\t').collect());
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(a, b)| cells_agree(a, b))
        })
}

fn cells_agree(wanted: &str, found: &str) -> bool {
    if wanted == found
        || matches!(
            (wanted, found),
            ("1", "t") | ("0", "f") | ("t", "1") | ("f", "0")
        )
    {
        return true;
    }
    let is_number = |cell: &str| {
        cell.bytes()
            .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b))
            && !cell.is_empty()
    };
    if !is_number(wanted) || !is_number(found) {
        return false;
    }
    let (Ok(first), Ok(second)) = (wanted.parse::<f64>(), found.parse::<f64>()) else {
        return false;
    };
    let places = wanted.split_once('.').map_or(0, |(_, digits)| digits.len());
    let places = i32::try_from(places).unwrap_or(0);
    let slack = if places == 0 {
        0.0
    } else {
        0.51 * 10_f64.powi(-places)
    };
    (first - second).abs() <= slack + first.abs() * 1e-9
}

/// The rows of a statement, as the cases write them.
async fn rows_of(client: &Client, text: &str) -> Result<Vec<String>, String> {
    let messages = client.simple_query(text).await.map_err(|error| {
        error
            .as_db_error()
            .map_or(error.to_string(), |error| error.message().to_owned())
    })?;
    let cells = |row: Vec<Option<String>>| -> Vec<String> {
        let cells = row.into_iter().map(|cell| match cell {
            None => "NULL".to_owned(),
            Some(cell) => escaped(&cell),
        });
        cells.collect()
    };
    let rows = sql::rows_of(&messages).into_iter();
    Ok(rows.map(|row| cells(row).join("\t")).collect())
}

fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
}

#[test]
fn numbers_agree_by_value() {
    for (wanted, found) in [
        ("0.3333", "0.33333333333"),
        ("2", "2.0"),
        ("1", "t"),
        ("a", "a"),
    ] {
        assert!(cells_agree(wanted, found), "{wanted} {found}");
    }
    for (wanted, found) in [
        ("0.3333", "0.3334"),
        ("2", "2.4"),
        ("a", "A"),
        ("NULL", "0"),
        ("", "0"),
    ] {
        assert!(!cells_agree(wanted, found), "{wanted} {found}");
    }
}
