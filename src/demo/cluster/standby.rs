//! A standby of a private Postgres: a server with data, a supervisor and a folder of its own, made
//! of the copy that the primary has kept of its data, which it then follows.

use super::directory::ClusterDirectory;
use super::error::ClusterError;
use super::{PrivateCluster, settings, start_on_free_port};

impl PrivateCluster {
    /// Starts the standby of this server, which was built for one
    /// ([`with_standby`](super::ClusterBuilder::with_standby)); there is no second one. What was
    /// written at the primary before comes to it a moment later.
    ///
    /// It should be dropped before its primary, which else waits for it at its own end.
    ///
    /// # Errors
    /// No copy was kept or another standby has it, or the server does not start in time.
    pub fn start_standby(&self) -> Result<Self, ClusterError> {
        let directory = ClusterDirectory::create(self.directory.account())?;
        let login = (self.port, self.password.as_str());
        let started = settings::write_standby(&directory, &self.directory, login)
            .and_then(|()| start_on_free_port(&directory, &self.binaries));
        if started.is_err() {
            directory.remove();
        }
        let (server, port) = started?;
        Ok(Self {
            server: Some(server),
            directory,
            binaries: self.binaries.clone(),
            port,
            password: self.password.clone(),
        })
    }
}
