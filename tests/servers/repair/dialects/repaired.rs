//! Texts through the whole repair loop, compiled and run by a real Postgres.

use std::sync::Arc;

use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, ParameterTypes, ReadPermit, SearchPaths, SessionNames};
use pgsieve::policy::{Policy, Recoverer};
use pgsieve::repair::{
    CompileError, Confidence, RepairConclusion, RepairRequest, StatementCompiler, repair_statement,
};
use pgsieve::sql::fingerprint::Fingerprinter;
use tokio::runtime::Handle;
use tokio_postgres::Client;
use tokio_postgres::error::ErrorPosition;

use crate::repair::dialects::checks::{Came, Row, World};
use crate::support::sql::rows_of;

/// What came of a text.
pub enum RepairedStatement {
    /// These rows, of this text.
    Rows(String, Vec<Row>),
    /// The failure of the text itself, with this advice.
    Fails(String),
    /// What it was changed to fails when it is run.
    Breaks(String),
}

/// The gate of a policy that differs from the agent's in how sure a repair has to be, and in the
/// dialect.
pub fn gate(likely: &str, dialect: &str) -> Arc<Gate> {
    let yaml = include_str!("../../../../policies/agent.yaml");
    let yaml = yaml.replacen("likely: hint", &format!("likely: {likely}"), 1);
    let yaml = yaml.replacen("dialect: auto", &format!("dialect: \"{dialect}\""), 1);
    let policy = Policy::from_yaml(&yaml).unwrap();
    let fingerprinter = Fingerprinter::new(None, [7; 32]);
    Arc::new(Gate::new(Arc::new(policy), fingerprinter))
}

impl World {
    /// A text, as a client would send it.
    pub async fn repaired(&self, text: &str, gate: &Arc<Gate>) -> RepairedStatement {
        let text = match self.compiled(text.to_owned(), Arc::clone(gate)).await {
            Ok((text, _)) => text,
            Err(advice) => return RepairedStatement::Fails(advice),
        };
        match self.asked(&text).await {
            Ok(rows) => RepairedStatement::Rows(text, rows),
            Err(message) => RepairedStatement::Breaks(format!("{message}: {text}")),
        }
    }

    /// What comes of a text by the gate that takes exact repairs alone, or else by the other.
    pub async fn unnamed(&self, text: &str, [exact, likely]: &[Arc<Gate>; 2]) -> Came {
        let (confidence, came) = match self.repaired(text, exact).await {
            RepairedStatement::Fails(_) => (Confidence::Likely, self.repaired(text, likely).await),
            came => (Confidence::Exact, came),
        };
        match came {
            RepairedStatement::Rows(_, rows) => Came::Rows(confidence, rows),
            RepairedStatement::Fails(advice) => Came::Refused(advice),
            RepairedStatement::Breaks(why) => Came::Failed(why),
        }
    }

    /// Whether a text is repaired by a translation.
    pub async fn is_translated(&self, text: &str, gate: &Arc<Gate>) -> bool {
        let compiled = self.compiled(text.to_owned(), Arc::clone(gate)).await;
        compiled.is_ok_and(|(_, recoverers)| recoverers.contains(&Recoverer::Dialect))
    }

    /// The rows of a text of Postgres's.
    pub async fn asked(&self, text: &str) -> Result<Vec<Row>, String> {
        let answer = self.client.simple_query(text).await;
        answer
            .map(|messages| rows_of(&messages))
            .map_err(|error| match error.as_db_error() {
                Some(error) => error.message().to_owned(),
                None => error.to_string(),
            })
    }

    /// The text that runs in the place of one.
    async fn compiled(
        &self,
        text: String,
        gate: Arc<Gate>,
    ) -> Result<(String, Vec<Recoverer>), String> {
        let (catalog, client) = (Arc::clone(&self.catalog), Arc::clone(&self.client));
        let handle = Handle::current();
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
            match repair_statement(&request, &mut Compiler { handle, client }).ending {
                RepairConclusion::NotNeeded => Ok((text, Vec::new())),
                RepairConclusion::Repaired(repaired) => {
                    Ok((repaired.permit.text().to_owned(), repaired.recoverers))
                }
                RepairConclusion::Failed(advice) => {
                    Err(format!("{:?} {:?}", advice.hint, advice.detail))
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
        let Err(error) = prepared else { return Ok(()) };
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
