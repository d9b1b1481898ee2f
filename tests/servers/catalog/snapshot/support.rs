//! One private Postgres for each version, databases in it, and SQL.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use pgsieve::secret::Secret;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::snapshot::{self, UpstreamAccount};
use tokio_postgres::Client;

use crate::support::own_cluster;
use crate::support::sql::{connected, rows};

/// The versions that the catalogs are read of.
pub const VERSIONS: [u32; 6] = [13, 14, 15, 16, 17, 18];

/// A role that owns nothing and is no superuser: the snapshot is read as this one.
pub const READER: &str = "reader";

/// A database of one's own on a server of this version.
pub struct Database {
    /// The server.
    pub cluster: &'static PrivateCluster,
    /// The database.
    pub name: String,
}

/// The server of a version, or a loud note that it cannot be had. Never dropped: its supervisor
/// sees this process end.
pub fn cluster_of(version: u32) -> Option<&'static PrivateCluster> {
    static CLUSTERS: [LazyLock<Option<PrivateCluster>>; 6] = [
        LazyLock::new(|| start(13)),
        LazyLock::new(|| start(14)),
        LazyLock::new(|| start(15)),
        LazyLock::new(|| start(16)),
        LazyLock::new(|| start(17)),
        LazyLock::new(|| start(18)),
    ];
    let place = VERSIONS.iter().position(|known| *known == version);
    CLUSTERS[place.expect("a version of the list")].as_ref()
}

impl Database {
    /// A new one, where the server can be had.
    pub async fn new(version: u32) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let cluster = tokio::task::spawn_blocking(move || cluster_of(version));
        let cluster = cluster.await.unwrap()?;
        let name = format!("d{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let admin = connected(&cluster.admin_url("postgres")).await;
        let text = format!("CREATE DATABASE {name} TEMPLATE template0");
        admin.batch_execute(&text).await.unwrap();
        Some(Self { cluster, name })
    }

    /// One on a server of its own, for tests that change or count what all databases share.
    pub async fn alone(version: u32) -> Option<Self> {
        let started = tokio::task::spawn_blocking(move || start(version));
        // Never dropped either.
        let cluster: &'static PrivateCluster = Box::leak(Box::new(started.await.unwrap()?));
        let name = "postgres".to_owned();
        Some(Self { cluster, name })
    }

    /// A session of the superuser.
    pub async fn admin(&self) -> Client {
        connected(&self.cluster.admin_url(&self.name)).await
    }

    /// A session for the catalogs, of [`READER`].
    pub async fn catalog(&self) -> Client {
        catalog(self.cluster, READER, READER, &self.name).await
    }
}

/// A session as pgsieve makes them for the catalogs.
pub async fn catalog(
    cluster: &PrivateCluster,
    user: &str,
    password: &str,
    database: &str,
) -> Client {
    let address = format!("postgres://127.0.0.1:{}/?sslmode=disable", cluster.port());
    let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
    let account = UpstreamAccount {
        user: user.to_owned(),
        secret: Some(Secret::new(password).into()),
    };
    let (client, _task) = snapshot::connect(&upstream, &account, database)
        .await
        .unwrap();
    client
}

/// The one number that a text returns.
pub async fn number(client: &Client, text: &str) -> usize {
    rows(client, text).await[0][0].parse().unwrap()
}

fn start(version: u32) -> Option<PrivateCluster> {
    let started = own_cluster()
        .version(version)
        .auth(PasswordMethod::Scram)
        .start();
    let cluster = match started {
        Ok(cluster) => cluster,
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres {version} to be had on this machine");
            return None;
        }
        Err(other) => panic!("{other}"),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let admin = connected(&cluster.admin_url("postgres")).await;
        let text = format!("CREATE ROLE {READER} LOGIN PASSWORD '{READER}'");
        admin.batch_execute(&text).await.unwrap();
    });
    Some(cluster)
}
