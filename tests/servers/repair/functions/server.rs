//! A private Postgres 15.

use std::sync::Arc;

use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use crate::support::own_cluster;

/// A private Postgres 15.
pub struct Server {
    /// A session of the superuser.
    pub client: Arc<Client>,
    _cluster: PrivateCluster,
}

impl Server {
    /// A new one, or a loud note that it cannot be had.
    pub async fn start() -> Option<Self> {
        let started = tokio::task::spawn_blocking(|| {
            own_cluster()
                .version(15)
                .auth(PasswordMethod::Scram)
                .start()
        });
        let cluster = match started.await.unwrap() {
            Ok(cluster) => cluster,
            Err(ClusterError::Unavailable { .. }) => {
                eprintln!("SKIPPED: there is no Postgres 15 to be had on this machine");
                return None;
            }
            Err(other) => panic!("{other}"),
        };
        let (client, connection) = tokio_postgres::connect(&cluster.admin_url("postgres"), NoTls)
            .await
            .unwrap();
        tokio::spawn(connection);
        Some(Self {
            client: Arc::new(client),
            _cluster: cluster,
        })
    }
}

/// The first value of the first row, as text.
pub async fn value(client: &Client, text: &str) -> Result<String, String> {
    let messages = client.simple_query(text).await;
    let messages = messages.map_err(|error| match error.as_db_error() {
        Some(error) => error.message().to_owned(),
        None => error.to_string(),
    })?;
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    Ok(row.unwrap_or("NULL").to_owned())
}
