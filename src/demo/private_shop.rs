//! Our own servers: a Postgres with the sample shop, and a standby of it.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use tokio::task::spawn_blocking;
use tokio_postgres::{Client, NoTls};

use super::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use super::proxy::ProxyLogin;
use super::{DemoError, sample, tour, write_text};
use crate::limits;

/// Our own servers.
#[derive(Debug)]
pub struct PrivateShop {
    // Before its primary, which else waits for it at its own end.
    /// The server that follows, where there is one.
    pub standby: Option<PrivateCluster>,
    /// The server that takes writes.
    pub primary: PrivateCluster,
    /// Who logs in there.
    pub login: ProxyLogin,
}

/// How many servers are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShopServers {
    /// A primary alone.
    Primary,
    /// A primary, and a standby that follows it.
    WithStandby,
}

impl PrivateShop {
    /// Starts them and loads the shop. A standby starts meanwhile, and has the shop as well.
    ///
    /// # Errors
    /// A server does not start, or the shop cannot be loaded.
    pub async fn start(servers: ShopServers, out: &mut dyn Write) -> Result<Self, DemoError> {
        let named = match servers {
            ShopServers::Primary => "a private Postgres",
            ShopServers::WithStandby => "a private Postgres, and a standby that follows it",
        };
        write_text(out, &format!("Starting {named} …\n"))?;
        let mut builder = PrivateCluster::builder().auth(PasswordMethod::Scram);
        if servers == ShopServers::WithStandby {
            // A commit has been written where the standby reads it.
            builder = builder.with_standby().conf("synchronous_commit = on");
        }
        let primary = builder.start().map_err(DemoError::Cluster)?;
        let version = primary.version();
        write_text(
            out,
            &format!("PostgreSQL {version} is up. Loading a small shop …\n"),
        )?;
        let (primary, standby) = match servers {
            ShopServers::Primary => {
                load(&primary.admin_url("postgres"), &primary.admin_url(DATABASE)).await?;
                (primary, None)
            }
            ShopServers::WithStandby => {
                let urls = (primary.admin_url("postgres"), primary.admin_url(DATABASE));
                let starting = spawn_blocking(move || {
                    let standby = primary.start_standby();
                    (primary, standby)
                });
                // Both to their ends: what was started goes away before this process does.
                let (started, loaded) = tokio::join!(starting, load(&urls.0, &urls.1));
                let (primary, standby) = started.map_err(|_| DemoError::Tour {
                    step: "the standby",
                    what: "could not be started".into(),
                })?;
                loaded?;
                let standby = standby.map_err(DemoError::Cluster)?;
                until_it_has_all(&primary, &standby).await?;
                (primary, Some(standby))
            }
        };
        Ok(Self {
            standby,
            primary,
            login: ProxyLogin::new(sample::ROLE, sample::ROLE, DATABASE),
        })
    }

    /// The address of all of them, the primary first.
    pub fn url(&self) -> String {
        let standby = self.standby.as_ref().map(PrivateCluster::port);
        let ports: Vec<u16> = [self.primary.port()].into_iter().chain(standby).collect();
        self.login.url(&ports)
    }

    /// A connection of the superuser's to the primary.
    ///
    /// # Errors
    /// It cannot be made.
    pub async fn admin(&self) -> Result<Client, DemoError> {
        connect(&self.primary.admin_url(DATABASE)).await
    }

    /// Says that nothing in the shop has changed.
    ///
    /// # Errors
    /// Something has, or the output cannot be written to.
    pub async fn tell_untouched(&self, out: &mut dyn Write) -> Result<(), DemoError> {
        if !tour::shop_is_untouched(&self.admin().await?).await? {
            return Err(DemoError::Tour {
                step: "the rows of the shop",
                what: "have changed".into(),
            });
        }
        write_text(
            out,
            "Counted behind pgsieve's back: every row of the shop is where it was.\n",
        )
    }

    /// Ends both at once: neither needs the other one for it.
    pub fn end(self) {
        let Self {
            standby, primary, ..
        } = self;
        thread::scope(|scope| {
            scope.spawn(|| drop(standby));
            drop(primary);
        });
    }

    /// Says where the data is.
    ///
    /// # Errors
    /// The output cannot be written to.
    pub fn tell_data(&self, out: &mut dyn Write) -> Result<(), DemoError> {
        let data = self.primary.data();
        let mut text = format!("Data     {} (goes away at the end)\n", data.display());
        if let Some(standby) = &self.standby {
            let data = standby.data();
            text.push_str(&format!("Standby  {} (as well)\n", data.display()));
        }
        write_text(out, &text)
    }
}

async fn load(first: &str, shop: &str) -> Result<(), DemoError> {
    let failed = |source| DemoError::Sample { source };
    let admin = connect(first).await?;
    let create = format!("CREATE DATABASE {DATABASE}");
    admin.batch_execute(&create).await.map_err(failed)?;
    let admin = connect(shop).await?;
    sample::load(&admin, sample::ROLE).await.map_err(failed)
}

/// Waits until the standby has replayed what was committed at the primary by now.
async fn until_it_has_all(
    primary: &PrivateCluster,
    standby: &PrivateCluster,
) -> Result<(), DemoError> {
    let failed = |source| DemoError::Sample { source };
    let at_primary = connect(&primary.admin_url("postgres")).await?;
    let at_standby = connect(&standby.admin_url("postgres")).await?;
    let written = "SELECT pg_current_wal_flush_lsn()::text";
    let written = at_primary.query_one(written, &[]).await.map_err(failed)?;
    let written: String = written.try_get(0).map_err(failed)?;
    let end = Instant::now() + Duration::from_secs(limits::CLUSTER_START_SECONDS_MAX);
    let has_all = "SELECT coalesce(pg_last_wal_replay_lsn() >= $1::text::pg_lsn, false)";
    while Instant::now() < end {
        let asked = at_standby.query_one(has_all, &[&written]).await;
        if asked.and_then(|row| row.try_get(0)).map_err(failed)? {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(limits::CLUSTER_POLL_MS)).await;
    }
    let log = standby.log();
    Err(DemoError::Cluster(ClusterError::Start { log }))
}

/// A connection, driven until its client goes.
///
/// # Errors
/// It cannot be made.
pub async fn connect(url: &str) -> Result<Client, DemoError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .map_err(|source| DemoError::Sample { source })?;
    // Ends with the client; what goes wrong shows in the client's answers.
    tokio::spawn(connection);
    Ok(client)
}

/// The database of the shop.
const DATABASE: &str = "shop";
