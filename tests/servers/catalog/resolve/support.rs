//! A database in the Postgres of a version, the tables that the corpora speak about, and their
//! snapshot.

use std::sync::atomic::{AtomicUsize, Ordering};

use pgsieve::catalog::Catalog;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::support::ADMIN;
use crate::support::shared::shared_cluster_of;
use crate::support::sql::connected;

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
    let cluster = tokio::task::spawn_blocking(move || shared_cluster_of(version));
    let cluster = cluster.await.unwrap()?;
    let admin = connected(&cluster.url(ADMIN, ADMIN, "postgres")).await;
    // Tests run beside each other: each has a database of its own.
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let name = format!("resolve_{name}_{}", MADE.fetch_add(1, Ordering::Relaxed));
    let text = format!("CREATE DATABASE {name} TEMPLATE template0");
    admin.batch_execute(&text).await.unwrap();
    Some(connected(&cluster.url(ADMIN, ADMIN, &name)).await)
}

const SCHEMA: &str = include_str!("../../../data/corpus/schema.sql");

const MORE: &str = include_str!("../../../data/schemas/resolve/schema.sql");
