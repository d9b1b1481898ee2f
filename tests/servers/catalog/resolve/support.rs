//! A private Postgres of each version, the tables that the corpora speak about, and their snapshot.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pgsieve::catalog::Catalog;
use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use pgsieve::upstream::snapshot;
use tokio_postgres::{Client, NoTls};

/// The oldest version that is in wide use, and the newest.
pub const VERSIONS: [u32; 2] = [15, 18];

/// A database with tables, and what its catalogs say.
pub struct Database {
    /// A session of the superuser.
    pub client: Client,
    /// The snapshot.
    pub catalog: Catalog,
    /// The schemas of the session's search_path.
    pub path: &'static [&'static str],
}

impl Database {
    /// The tables of the corpora, where the server can be had.
    pub async fn of_corpora(version: u32) -> Option<Self> {
        let client = create(version, "corpora").await?;
        for text in [SCHEMA, MORE] {
            client.batch_execute(text).await.unwrap();
        }
        Some(Self::read(client, &["public"]).await)
    }

    /// The sample shop, where the server can be had.
    pub async fn of_shop(version: u32) -> Option<Self> {
        let client = create(version, "shop").await?;
        let text = "SET search_path TO shop, public";
        pgsieve::demo::sample::load(&client, "demo").await.unwrap();
        client.batch_execute(text).await.unwrap();
        Some(Self::read(client, &["shop", "public"]).await)
    }

    /// Tables of a test's own, where the server can be had.
    pub async fn of_text(version: u32, text: &str) -> Option<Self> {
        let client = create(version, "own").await?;
        client.batch_execute(text).await.unwrap();
        Some(Self::read(client, &["public"]).await)
    }

    async fn read(client: Client, path: &'static [&'static str]) -> Self {
        let rows = snapshot::load(&client).await.unwrap();
        let catalog = Catalog::build(rows).unwrap();
        Self {
            client,
            catalog,
            path,
        }
    }
}

/// The statements of a corpus: they stand between lines of four dashes; lines that begin with --!
/// are notes.
pub fn statements(corpus: &str) -> Vec<String> {
    let chunks = corpus.split("----\n").skip(1);
    let texts = chunks.map(|chunk| {
        let lines = chunk.lines().filter(|line| !line.starts_with("--!"));
        lines.collect::<Vec<_>>().join("\n")
    });
    texts.collect()
}

async fn create(version: u32, name: &str) -> Option<Client> {
    let cluster = tokio::task::spawn_blocking(move || cluster_of(version));
    let cluster = cluster.await.unwrap()?;
    let admin = connect(&cluster.admin_url("postgres")).await;
    // Tests run beside each other: each has a database of its own.
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{name}_{}", MADE.fetch_add(1, Ordering::Relaxed));
    let text = format!("CREATE DATABASE {name} TEMPLATE template0");
    admin.batch_execute(&text).await.unwrap();
    Some(connect(&cluster.admin_url(&name)).await)
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// The server of a version, or a loud note that it cannot be had. Never dropped: its supervisor
/// sees this process end.
fn cluster_of(version: u32) -> Option<&'static PrivateCluster> {
    static CLUSTERS: [LazyLock<Option<PrivateCluster>>; 2] = [
        LazyLock::new(|| start(VERSIONS[0])),
        LazyLock::new(|| start(VERSIONS[1])),
    ];
    let place = VERSIONS.iter().position(|known| *known == version);
    CLUSTERS[place.expect("a version of the list")].as_ref()
}

fn start(version: u32) -> Option<PrivateCluster> {
    let started = PrivateCluster::builder()
        .version(version)
        .auth(PasswordMethod::Scram)
        .start();
    match started {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres {version} to be had on this machine");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

const SCHEMA: &str = include_str!("../../../data/corpus/schema.sql");

const MORE: &str = include_str!("../../../data/schemas/resolve/schema.sql");
