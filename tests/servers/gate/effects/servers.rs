//! Private servers of two versions with the databases that the corpora speak about, and what was
//! read from each.

use std::sync::{Arc, LazyLock};
use std::thread;

use pgsieve::catalog::Catalog;
use pgsieve::catalog::catalog_rows::CatalogRows;
use pgsieve::demo::cluster::{ClusterError, PrivateCluster};
use pgsieve::demo::sample;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::support::own_cluster;
use crate::support::sql::connected;

/// A running server.
pub struct Server {
    /// Its version.
    pub major: u16,
    /// Full of hidden effects.
    pub hidden: Database,
    /// The sample shop.
    pub shop: Database,
    /// With the extensions that can be had.
    pub extensions: Database,
    /// The tables of the other corpora.
    pub corpus: Database,
    // Never dropped: its supervisor sees this process end.
    _cluster: PrivateCluster,
}

/// One database and what was read from it.
pub struct Database {
    /// Where a superuser reaches it.
    pub url: String,
    /// What it contains, as it was read.
    pub rows: CatalogRows,
    /// What it contains.
    pub catalog: Arc<Catalog>,
    /// As whom statements are judged.
    pub role: &'static str,
    /// Where names are looked up.
    pub path: &'static [&'static str],
    /// The extensions in it.
    pub extensions: Vec<String>,
}

/// The servers that can be had: the newest that is installed, and 18.
pub fn servers() -> &'static [Server] {
    static SERVERS: LazyLock<Vec<Server>> = LazyLock::new(|| {
        let newest = start(None).expect("a private Postgres");
        let eighteen = match start(Some(18)) {
            _ if newest.major == 18 => None,
            Ok(server) => Some(server),
            Err(ClusterError::Unavailable { .. }) => {
                println!("SKIPPED: there is no Postgres 18 to be had");
                None
            }
            Err(other) => panic!("{other}"),
        };
        [Some(newest), eighteen].into_iter().flatten().collect()
    });
    &SERVERS
}

/// Runs something async to its end.
pub fn block_on<F: Future<Output: Send> + Send>(work: F) -> F::Output {
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(work)
        });
        worker.join().expect("the work does not panic")
    })
}

fn start(version: Option<u32>) -> Result<Server, ClusterError> {
    let builder = own_cluster();
    let cluster = match version {
        Some(major) => builder.version(major),
        None => builder,
    }
    .start()?;
    Ok(block_on(async {
        let admin = connected(&cluster.admin_url("postgres")).await;
        admin
            .batch_execute("CREATE ROLE reader LOGIN")
            .await
            .unwrap();
        let hidden = database(&cluster, &admin, "hidden", "reader", &["hidden", "public"]).await;
        let shop = database(&cluster, &admin, "shop", sample::ROLE, &["shop", "public"]).await;
        let extensions = database(
            &cluster,
            &admin,
            "extensions",
            "postgres",
            &["$user", "public"],
        )
        .await;
        let corpus = database(&cluster, &admin, "corpus", "reader", &["$user", "public"]).await;
        Server {
            major: u16::try_from(cluster.version()).unwrap(),
            hidden,
            shop,
            extensions,
            corpus,
            _cluster: cluster,
        }
    }))
}

async fn database(
    cluster: &PrivateCluster,
    admin: &Client,
    name: &str,
    role: &'static str,
    path: &'static [&'static str],
) -> Database {
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    admin.batch_execute(&create).await.unwrap();
    let url = cluster.admin_url(name);
    let client = connected(&url).await;
    match name {
        "hidden" => {
            client.batch_execute(HIDDEN_SCHEMA).await.unwrap();
            if let Err(error) = client.batch_execute(HIDDEN_FOREIGN).await {
                println!("SKIPPED on {}: foreign tables: {error}", cluster.version());
            }
        }
        "shop" => sample::load(&client, role).await.unwrap(),
        "extensions" => add_extensions(cluster, &client).await,
        _ => {
            client.batch_execute(CORPUS_SCHEMA).await.unwrap();
            let grant = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC";
            client.batch_execute(grant).await.unwrap();
        }
    }
    let begins = path.iter().map(|schema| format!("\"{schema}\""));
    let begins = begins.collect::<Vec<_>>().join(", ");
    let begins = format!("ALTER DATABASE {name} SET search_path = {begins}");
    client.batch_execute(&begins).await.unwrap();
    let rows = snapshot::load(&client).await.expect("a snapshot");
    let catalog = Arc::new(Catalog::build(rows.clone()).expect("a catalog"));
    let installed = client.query("SELECT extname::text FROM pg_extension", &[]);
    let extensions = installed
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    Database {
        url,
        rows,
        catalog,
        role,
        path,
        extensions,
    }
}

async fn add_extensions(cluster: &PrivateCluster, client: &Client) {
    for name in EXTENSIONS {
        let create = format!("CREATE EXTENSION \"{name}\"");
        if let Err(error) = client.batch_execute(&create).await {
            println!("SKIPPED on {}: {name}: {error}", cluster.version());
        }
    }
}

const EXTENSIONS: [&str; 30] = [
    "pg_trgm",
    "pgcrypto",
    "hstore",
    "ltree",
    "citext",
    "intarray",
    "unaccent",
    "fuzzystrmatch",
    "tablefunc",
    "btree_gist",
    "cube",
    "earthdistance",
    "uuid-ossp",
    "seg",
    "isn",
    "lo",
    "xml2",
    "pg_stat_statements",
    "dblink",
    "postgres_fdw",
    "pgrowlocks",
    "pg_prewarm",
    "adminpack",
    "pg_buffercache",
    "pg_visibility",
    "pg_surgery",
    "amcheck",
    "postgis",
    "postgis_raster",
    "ip4r",
];
const HIDDEN_SCHEMA: &str = include_str!("../../../data/corpus/hidden_schema.sql");
const HIDDEN_FOREIGN: &str = include_str!("../../../data/corpus/hidden_foreign.sql");
const CORPUS_SCHEMA: &str = include_str!("../../../data/corpus/schema.sql");
