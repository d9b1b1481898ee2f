//! Statements as models write them, through the whole repair loop, against a real server.
//!
//! `statements.sql` holds them in blocks with an empty line between: a first line `-- exact: rows`,
//! `-- likely: rows` or `-- hint: words`, then the statement. Rows are joined by `;`, their fields
//! by `|`.

use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, ParameterTypes, ReadPermit, SearchPaths, SessionNames};
use pgsieve::policy::Policy;
use pgsieve::repair::{
    CompileError, RepairConclusion, RepairRequest, StatementCompiler, repair_statement,
};
use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::upstream::snapshot;
use tokio::runtime::Handle;
use tokio_postgres::error::ErrorPosition;
use tokio_postgres::{Client, SimpleQueryMessage};

use crate::repair::functions::server::Server;

#[tokio::test]
async fn statements_of_models_give_the_rows_that_they_ask_for() {
    let Some(server) = Server::start().await else {
        return;
    };
    server.client.batch_execute(SCHEMA).await.unwrap();
    let rows = snapshot::load(&server.client).await.unwrap();
    let catalog = Arc::new(Catalog::build(rows).unwrap());
    let (sure, bold) = (gate("hint"), gate("apply"));
    let mut wrong = Vec::new();
    for block in STATEMENTS.split("\n\n") {
        let (first, text) = block.split_once('\n').unwrap();
        let (wanted, words) = first.strip_prefix("-- ").unwrap().split_once(':').unwrap();
        let (text, words) = (text.trim(), words.trim());
        let asked = Asked {
            catalog: Arc::clone(&catalog),
            client: Arc::clone(&server.client),
            text: text.to_owned(),
        };
        let exact = asked.repaired(&sure).await;
        let likely = asked.repaired(&bold).await;
        let found = match (exact, likely) {
            (RepairedStatement::Runs(text), _) => ("exact", text),
            (_, RepairedStatement::Runs(text)) => ("likely", text),
            (_, RepairedStatement::Fails(words)) => ("hint", words),
        };
        let ran = match found.0 {
            "hint" => found.1.clone(),
            _ => rows_of(&server.client, &found.1).await,
        };
        let is_right = match wanted {
            "hint" => found.0 == "hint" && ran.contains(words),
            wanted => found.0 == wanted && ran == words,
        };
        if !is_right {
            wrong.push(format!(
                "{text}\n  {}: {ran}\n  by {}\n  not {wanted}: {words}",
                found.0, found.1
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A statement in a database.
struct Asked {
    catalog: Arc<Catalog>,
    client: Arc<Client>,
    text: String,
}

/// What came of it.
enum RepairedStatement {
    Runs(String),
    Fails(String),
}

impl Asked {
    async fn repaired(&self, gate: &Arc<Gate>) -> RepairedStatement {
        let (gate, handle) = (Arc::clone(gate), Handle::current());
        let client = Arc::clone(&self.client);
        let (catalog, text) = (Arc::clone(&self.catalog), self.text.clone());
        let pursued = move || {
            let mut names = SessionNames::default();
            names.set_server_major(15);
            names.set_effect_graph(Some(Arc::new(EffectGraph::new(catalog, gate.policy()))));
            names.set_role("postgres");
            names.set_paths(SearchPaths::Known(Box::new([Box::new(["public".into()])])));
            let parameters = ParameterTypes::none_given();
            let request = RepairRequest {
                user: "",
                gate: &gate,
                names: &names,
                parameters: &parameters,
                text: &text,
                failure: None,
                earlier_dialect: None,
            };
            let mut compiler = Compiler { handle, client };
            match repair_statement(&request, &mut compiler).ending {
                RepairConclusion::NotNeeded => RepairedStatement::Runs(text),
                RepairConclusion::Repaired(repaired) => {
                    RepairedStatement::Runs(repaired.permit.text().to_owned())
                }
                RepairConclusion::Failed(advice) => {
                    RepairedStatement::Fails(format!("{:?} {:?}", advice.hint, advice.detail))
                }
            }
        };
        tokio::task::spawn_blocking(pursued).await.unwrap()
    }
}

/// Parse and Describe on the server.
struct Compiler {
    handle: Handle,
    client: Arc<Client>,
}

impl StatementCompiler for Compiler {
    fn compile(&mut self, permit: &ReadPermit<'_>, _: &ParameterTypes) -> Result<(), CompileError> {
        let prepared = self.handle.block_on(self.client.prepare(permit.text()));
        let Err(error) = prepared else {
            return Ok(());
        };
        let Some(error) = error.as_db_error() else {
            return Err(CompileError::Unavailable);
        };
        let position = match error.position() {
            Some(ErrorPosition::Original(at)) => Some(*at),
            _ => None,
        };
        Err(CompileError::Failed {
            sqlstate: error.code().code().to_owned(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
            position,
        })
    }
}

fn gate(likely: &str) -> Arc<Gate> {
    let yaml = include_str!("../../../../policies/agent.yaml");
    let yaml = yaml.replacen("likely: hint", &format!("likely: {likely}"), 1);
    // What repairs a foreign text word by word is what is looked at here.
    let yaml = yaml.replacen("dialect: auto", "dialect: \"off\"", 1);
    let policy = Policy::from_yaml(&yaml).unwrap();
    Arc::new(Gate::new(
        Arc::new(policy),
        Fingerprinter::new(None, [7; 32]),
    ))
}

async fn rows_of(client: &Client, text: &str) -> String {
    let messages = match client.simple_query(text).await {
        Ok(messages) => messages,
        Err(error) => return format!("{error:?}"),
    };
    let rows = messages.iter().filter_map(|message| match message {
        SimpleQueryMessage::Row(row) => {
            let fields = (0..row.len()).map(|at| row.get(at).unwrap_or("NULL"));
            Some(fields.collect::<Vec<_>>().join("|"))
        }
        _ => None,
    });
    rows.collect::<Vec<_>>().join(";")
}

const SCHEMA: &str = include_str!("../../../data/schemas/functions/schema.sql");

const STATEMENTS: &str = include_str!("../../../data/schemas/functions/statements.sql");
