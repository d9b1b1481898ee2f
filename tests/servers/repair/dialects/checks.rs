//! What the dialects' oracles share: corpora of cases, a Postgres that sorts texts as people do,
//! translations that the gate has judged, and the comparison of rows.

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::dialect;
use pgsieve::dialect::DialectTranslation;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::{Dialect, Policy, RepairSettings};
use pgsieve::repair::{Confidence, SessionDatabase};
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::support::ADMIN;
use crate::support::shared::shared_cluster_of;
use crate::support::sql::{connected, rows_of};

/// One text of a corpus, and what is wanted of it.
pub struct Case {
    /// The words of its head.
    pub wanted: String,
    /// The text.
    pub text: String,
    /// The rows that its documentation gives, where the corpus has them.
    pub rows: Vec<Row>,
}

/// A row, cell by cell.
pub type Row = Vec<Option<String>>;

/// What came of a case.
pub enum Came {
    /// These rows.
    Rows(Confidence, Vec<Row>),
    /// A hint.
    Refused(String),
    /// The dialect's grammar does not read it.
    Unread,
    /// Postgres or the gate does not take the translation.
    Failed(String),
}

/// A database with tables, and what its catalogs say.
pub struct World {
    /// A session in it.
    pub client: Arc<Client>,
    /// What its catalogs say.
    pub catalog: Arc<Catalog>,
    names: SessionNames,
    gate: Gate,
}

/// The cases of a corpus: heads stand behind four dashes, rows behind four equal signs.
pub fn cases(corpus: &str) -> Vec<Case> {
    let chunks = corpus.split("\n---- ").skip(1);
    let case = |chunk: &str| {
        let (wanted, body) = chunk.split_once('\n').unwrap();
        let mut parts = body.trim_end().split("\n==== ");
        let text = parts.next().unwrap().trim().to_owned();
        let cell = |cell: &str| (cell != "~").then(|| cell.to_owned());
        let rows = parts.map(|row| row.split('|').map(cell).collect());
        Case {
            wanted: wanted.trim().to_owned(),
            text,
            rows: rows.collect(),
        }
    };
    chunks.map(case).collect()
}

impl World {
    /// A database made by a script, where the server can be had.
    pub async fn of(name: &str, script: &str) -> Option<Self> {
        let cluster = tokio::task::spawn_blocking(|| shared_cluster_of(15));
        let cluster = cluster.await.unwrap()?;
        // The server is shared with all other tests.
        let name = format!("checks_{name}");
        let admin = connected(&cluster.url(ADMIN, ADMIN, "postgres")).await;
        let text = format!(
            "CREATE DATABASE {name} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"
        );
        admin.batch_execute(&text).await.unwrap();
        let client = connected(&cluster.url(ADMIN, ADMIN, &name)).await;
        client.batch_execute(script).await.unwrap();
        let catalog = Arc::new(Catalog::build(snapshot::load(&client).await.unwrap()).unwrap());
        // Nothing of a translation may depend on where the session believes to be.
        let zone = "SET TimeZone TO 'America/New_York'";
        client.batch_execute(zone).await.unwrap();
        let policy = Policy::agent();
        let mut names = SessionNames::default();
        names.set_server_major(15);
        names.set_effect_graph(Some(Arc::new(EffectGraph::new(
            Arc::clone(&catalog),
            &policy,
        ))));
        names.set_role("postgres");
        names.set_paths(SearchPaths::Known(Box::new([Box::new(["public".into()])])));
        let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
        Some(Self {
            client: Arc::new(client),
            catalog,
            names,
            gate,
        })
    }

    /// A text in Postgres's SQL, run.
    pub async fn run(&self, text: &str, dialect: Dialect, settings: &RepairSettings) -> Came {
        let role = self.catalog.role_named("postgres");
        let database = SessionDatabase {
            catalog: &self.catalog,
            path: self.catalog.search_path(&["public"], role),
            role,
            mask: None,
            parameters: Vec::new(),
            known_keys: Vec::new(),
        };
        let translated = dialect::translation(text, dialect, Some(&database), 15, settings);
        let DialectTranslation { text, confidence } = match translated {
            None => return Came::Unread,
            Some(Err(refused)) => {
                let hint = refused.hint.unwrap_or_default();
                return Came::Refused(format!("{} {hint}", refused.what));
            }
            Some(Ok(translation)) => translation,
        };
        if std::env::var_os("SHOW").is_some() {
            eprintln!("   {text}");
        }
        let judged = self.gate.judge(Cow::Borrowed(&text), &self.names);
        if let Verdict::Refused(refusal) = judged.verdict {
            return Came::Failed(format!("{}: {text}", refusal.message));
        }
        match self.client.simple_query(&text).await {
            Ok(messages) => Came::Rows(confidence, rows_of(&messages)),
            Err(error) => {
                let message = error.as_db_error().map(|error| error.message().to_owned());
                Came::Failed(format!("{}: {text}", message.unwrap_or_default()))
            }
        }
    }
}

/// Whether both have the same rows; in the same order where that counts.
pub fn agree(one: &[Row], other: &[Row], ordered: bool) -> bool {
    let plain = |rows: &[Row]| {
        let cells = |row: &Row| row.iter().map(|cell| plain_cell(cell.as_deref())).collect();
        let mut rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
        if !ordered {
            rows.sort();
        }
        rows
    };
    plain(one) == plain(other)
}

/// A cell, as it is compared: numbers by their value, truth as 1 and 0.
fn plain_cell(cell: Option<&str>) -> String {
    let Some(cell) = cell else {
        return "NULL".to_owned();
    };
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_number = digits == "0" || digits.starts_with("0.") || !digits.starts_with('0');
    match (cell, cell.parse::<f64>()) {
        ("t" | "true", _) => "1".to_owned(),
        ("f" | "false", _) => "0".to_owned(),
        (_, Ok(number)) if is_number && number.is_finite() => {
            let shown = format!("{number:.8}");
            let shown = shown.trim_end_matches('0').trim_end_matches('.');
            if shown == "-0" { "0" } else { shown }.to_owned()
        }
        _ => format!("'{cell}'"),
    }
}
