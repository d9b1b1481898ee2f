//! A private Postgres with the schemas, what pgsieve knows of it, and a session to compile
//! and run in.

use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{ParameterTypes, ReadPermit, SearchPaths, SessionNames};
use pgsieve::policy::Policy;
use pgsieve::repair::{CompileError, StatementCompiler};
use pgsieve::upstream::snapshot;
use tokio::runtime::Runtime;
use tokio_postgres::error::ErrorPosition;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// The database.
pub struct World {
    /// Dropped last: its supervisor ends the server.
    _cluster: PrivateCluster,
    runtime: Runtime,
    client: Client,
    catalog: Arc<Catalog>,
    /// A schema behind the others on the search_path, with 2,000 tables.
    pub beside: Option<&'static str>,
    /// How long the server took for the compilations of one repair.
    pub compiling: std::time::Duration,
}

/// Rows as text, in no order.
pub type Rows = Vec<Vec<Option<String>>>;

impl World {
    /// Starts it, where a server can be had.
    pub fn start() -> Option<Self> {
        Self::start_beside(None)
    }

    /// The same with 2,000 tables more, in a schema behind the others on the search_path.
    #[allow(dead_code, reason = "for the bench")]
    pub fn start_beside_large() -> Option<Self> {
        Self::start_beside(Some("large"))
    }

    fn start_beside(beside: Option<&'static str>) -> Option<Self> {
        let started = PrivateCluster::builder()
            .version(15)
            .auth(PasswordMethod::Scram)
            .start();
        let cluster = match started {
            Ok(cluster) => cluster,
            Err(ClusterError::Unavailable { .. }) => {
                eprintln!("SKIPPED: there is no Postgres 15 to be had on this machine");
                return None;
            }
            Err(other) => panic!("{other}"),
        };
        let runtime = Runtime::new().unwrap();
        let (client, catalog) = runtime.block_on(async {
            let admin = connect(&cluster.admin_url("postgres")).await;
            admin.batch_execute("CREATE DATABASE world").await.unwrap();
            let admin = connect(&cluster.admin_url("world")).await;
            pgsieve::demo::sample::load(&admin, "demo").await.unwrap();
            for text in [SCHOOLS, ERP, QUESTIONS, ACCESS] {
                admin.batch_execute(text).await.unwrap();
            }
            for text in LARGE.split("\n\n").filter(|_| beside.is_some()) {
                admin.batch_execute(text).await.unwrap();
            }
            let rows = snapshot::load(&admin).await.unwrap();
            let client = connect(&cluster.admin_url("world")).await;
            client.batch_execute(READER).await.unwrap();
            (client, Catalog::build(rows).unwrap())
        });
        Some(Self {
            _cluster: cluster,
            runtime,
            client,
            catalog: Arc::new(catalog),
            beside,
            compiling: std::time::Duration::ZERO,
        })
    }

    /// A session in one of the schemas.
    pub fn session(&self, schema: &str, policy: &Policy) -> SessionNames {
        let mut names = SessionNames::default();
        names.set_server_major(15);
        names.set_effect_graph(Some(Arc::new(EffectGraph::new(
            Arc::clone(&self.catalog),
            policy,
        ))));
        names.set_role("demo");
        let path = [Some(schema), Some("public"), self.beside];
        let path: Vec<&str> = path.into_iter().flatten().collect();
        let text = format!("SET search_path TO {}", path.join(", "));
        let path = path.into_iter().map(Box::from).collect();
        names.set_paths(SearchPaths::Known(Box::new([path])));
        self.runtime
            .block_on(self.client.batch_execute(&text))
            .unwrap();
        names
    }

    /// Runs a statement and takes its rows, in no order.
    pub fn rows(&self, text: &str) -> Result<Rows, String> {
        let answer = self.runtime.block_on(self.client.simple_query(text));
        let messages = answer.map_err(|error| match error.as_db_error() {
            Some(error) => format!("{} {}", error.code().code(), error.message()),
            None => error.to_string(),
        })?;
        let mut rows: Rows = messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(
                    (0..row.len())
                        .map(|at| row.get(at).map(str::to_owned))
                        .collect(),
                ),
                _ => None,
            })
            .collect();
        rows.sort();
        Ok(rows)
    }
}

impl StatementCompiler for World {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        _parameters: &ParameterTypes,
    ) -> Result<(), CompileError> {
        let begun = std::time::Instant::now();
        let prepared = self.runtime.block_on(self.client.prepare(permit.text()));
        self.compiling += begun.elapsed();
        let Err(error) = prepared else { return Ok(()) };
        let error = error.as_db_error().expect("an error of the server");
        Err(CompileError::Failed {
            sqlstate: error.code().code().to_owned(),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
            position: match error.position() {
                Some(ErrorPosition::Original(at)) => Some(*at),
                _ => None,
            },
        })
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

const SCHOOLS: &str = include_str!("../../../data/schemas/repairs/schools.sql");
const ERP: &str = include_str!("../../../data/schemas/repairs/erp.sql");
const QUESTIONS: &str = include_str!("../../../data/schemas/repairs/questions.sql");
const LARGE: &str = include_str!("../../../data/schemas/snapshot/large.sql");
const ACCESS: &str = "
    DO $$
    DECLARE own text;
    BEGIN
      FOR own IN SELECT nspname FROM pg_namespace
                  WHERE nspname !~ '^pg_|^information_schema$'
                    AND nspname NOT IN ('public', 'shop', 'archive', 'hr')
      LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO demo', own);
        EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO demo', own);
      END LOOP;
    END $$;";
const READER: &str = "SET ROLE demo; SET default_transaction_read_only = on";
