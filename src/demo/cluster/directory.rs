//! The one folder that a private cluster writes to: data, socket, log, and the notes of its
//! supervisor. Mode 0700, with a random name, under a folder that survives no reboot promise.

use std::fs::{self, DirBuilder};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use super::account::ServerAccount;
use super::error::ClusterError;

/// The folder of one cluster.
#[derive(Debug)]
pub struct ClusterDirectory {
    path: PathBuf,
    account: ServerAccount,
}

impl ClusterDirectory {
    /// Makes the folder and gives it to the account that the server will run as.
    ///
    /// # Errors
    /// The folder cannot be made or given away.
    pub fn create(account: ServerAccount) -> Result<Self, ClusterError> {
        let path = make()?;
        let directory = Self { path, account };
        if let Err(source) = directory.give(&directory.path) {
            directory.remove();
            let doing = "give the folder of Postgres to its account";
            return Err(ClusterError::File { doing, source });
        }
        Ok(directory)
    }

    /// The account that the server runs as.
    pub fn account(&self) -> ServerAccount {
        self.account
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// A copy of the data as it was before the first start, until a standby has taken it.
    pub fn copy(&self) -> PathBuf {
        self.path.join("copy")
    }

    /// A copy of the data as it was before the first start, which others begin with.
    pub fn whole_copy(&self) -> PathBuf {
        self.path.join("whole")
    }

    /// The server's log so far; empty before there is one.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path.join("log")).unwrap_or_default()
    }

    /// Writes a file that only the server's account may read.
    ///
    /// # Errors
    /// The file cannot be written or given away.
    pub fn write_private(&self, path: &Path, content: &[u8]) -> Result<(), ClusterError> {
        let failed = |source| ClusterError::File {
            doing: "write a file for Postgres",
            source,
        };
        fs::write(path, content).map_err(failed)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        self.give(path).map_err(failed)
    }

    /// Removes the folder with all that is in it. There is nobody to tell when that fails, and
    /// nothing to do about it; the supervisor has most likely removed it already.
    pub fn remove(&self) {
        drop(fs::remove_dir_all(&self.path));
    }

    fn give(&self, path: &Path) -> io::Result<()> {
        match self.account {
            ServerAccount::CurrentUser => Ok(()),
            ServerAccount::Other { user, group } => chown(path, Some(user), Some(group)),
        }
    }
}

/// Who runs this process: the owner of what it makes.
///
/// # Errors
/// The system does not tell.
pub fn our_user() -> Result<u32, ClusterError> {
    let path = make()?;
    let facts = fs::metadata(&path);
    drop(fs::remove_dir(&path));
    facts
        .map(|facts| facts.uid())
        .map_err(|source| ClusterError::File {
            doing: "look at a folder",
            source,
        })
}

/// A name that nobody can have taken on purpose.
///
/// # Errors
/// The system gives no random bytes.
pub fn random_name() -> Result<String, ClusterError> {
    Ok(format!("{:016x}", random_number()?))
}

/// A random number of a range, which is not empty.
pub(super) fn random_of(range: Range<u16>) -> Result<u16, ClusterError> {
    let width = u64::from(range.end.saturating_sub(range.start)).max(1);
    let above = u16::try_from(random_number()? % width).unwrap_or_default();
    Ok(range.start.saturating_add(above))
}

fn random_number() -> Result<u64, ClusterError> {
    let mut bytes = [0_u8; 8];
    getrandom::fill(&mut bytes).map_err(|source| ClusterError::File {
        doing: "get random bytes",
        source: io::Error::other(source.to_string()),
    })?;
    Ok(u64::from_be_bytes(bytes))
}

fn make() -> Result<PathBuf, ClusterError> {
    let path = parent().join(format!("pgsieve-{}", random_name()?));
    DirBuilder::new()
        .mode(0o700)
        .create(&path)
        .map_err(|source| ClusterError::File {
            doing: "make a folder for Postgres",
            source,
        })?;
    Ok(path)
}

/// `/var/tmp` where it is open to all: the temporary folder of root may be closed to the server's
/// account, and a socket's path must stay short.
fn parent() -> PathBuf {
    let shared = Path::new("/var/tmp");
    let open_to_all =
        fs::metadata(shared).is_ok_and(|facts| facts.is_dir() && facts.mode() & 0o1777 == 0o1777);
    if open_to_all {
        shared.to_path_buf()
    } else {
        std::env::temp_dir()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_private_and_goes_away() {
        let account = ServerAccount::for_server_of(our_user().unwrap()).unwrap();
        let directory = ClusterDirectory::create(account).unwrap();
        let mode = fs::metadata(directory.path()).unwrap().mode() & 0o777;
        assert_eq!(mode, 0o700);
        directory
            .write_private(&directory.path().join("key"), b"x")
            .unwrap();
        directory.remove();
        assert!(!directory.path().exists());
    }

    #[test]
    fn names_differ() {
        assert_ne!(random_name().unwrap(), random_name().unwrap());
    }
}
