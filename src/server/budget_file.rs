//! The file that keeps what users have received today, over restarts.
//!
//! It is read once, before the first client comes: what cannot be read refuses the start, since to
//! begin anew would give every budget twice. It is written every few seconds where anything has
//! changed, and at the end: whole, beside the old one, and then put in its place. What another
//! pgsieve has written there meanwhile is kept where it is more.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::limits;
use crate::session::policy_limits::budget_record;
use crate::session::policy_limits::budget_record::BudgetEntry;
use crate::session::policy_limits::per_user::UserAccounts;
use crate::system_error;
use crate::telemetry::Telemetry;
use crate::telemetry::events::BudgetFileFailed;

/// The file, and what was last written there.
#[derive(Debug)]
pub struct BudgetFile {
    path: PathBuf,
    written: Mutex<Vec<BudgetEntry>>,
}

/// Why it cannot be used.
#[derive(Debug)]
pub struct BudgetFileError {
    path: PathBuf,
    fault: BudgetFileFault,
}

#[derive(Debug)]
enum BudgetFileFault {
    Read(ErrorKind),
    Write(ErrorKind),
    Content(budget_record::UnreadableBudgets),
}

impl BudgetFile {
    /// Reads what was written, if anything was, and proves that the file can be written.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn open(path: PathBuf, accounts: &UserAccounts) -> Result<Self, BudgetFileError> {
        let file = Self {
            path,
            written: Mutex::default(),
        };
        let found = file.read()?;
        accounts.restore(&found.unwrap_or_default());
        file.write(accounts.entries())?;
        Ok(file)
    }

    /// Whether it could be used, found out without a change. It is replaced as a whole, so that
    /// only its folder has to be writable, which shows when something is written there.
    ///
    /// # Errors
    /// Why it could not.
    pub fn look(path: PathBuf) -> Result<(), BudgetFileError> {
        let file = Self {
            path,
            written: Mutex::default(),
        };
        if file.read()?.is_some() {
            return Ok(());
        }
        let folder = file.path.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        match fs::metadata(folder.unwrap_or(Path::new("."))) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(file.fault(BudgetFileFault::Write(ErrorKind::NotADirectory))),
            Err(error) => Err(file.fault(BudgetFileFault::Write(error.kind()))),
        }
    }

    /// Writes as often as something has changed, for as long as the process runs.
    pub async fn save_while_running(self: Arc<Self>, accounts: UserAccounts, telemetry: Telemetry) {
        let mut failed = false;
        loop {
            sleep(limits::shared_counts::BUDGET_FILE_INTERVAL).await;
            let (file, accounts) = (Arc::clone(&self), accounts.clone());
            let Ok(saved) = spawn_blocking(move || file.save(&accounts)).await else {
                return;
            };
            // One line for as long as it lasts.
            if let (Err(failure), false) = (&saved, failed) {
                telemetry.emit(&BudgetFileFailed { failure });
            }
            failed = saved.is_err();
        }
    }

    /// Writes what has changed.
    ///
    /// # Errors
    /// Why that could not be done; what is there is as it was.
    pub fn save(&self, accounts: &UserAccounts) -> Result<(), BudgetFileError> {
        let entries = accounts.entries();
        if entries == *self.written() {
            return Ok(());
        }
        // What does not read is replaced: at the start it did.
        if let Ok(Some(found)) = self.read() {
            accounts.restore(&found);
        }
        self.write(accounts.entries())
    }

    fn read(&self) -> Result<Option<Vec<BudgetEntry>>, BudgetFileError> {
        let fault = |kind| self.fault(BudgetFileFault::Read(kind));
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(error.kind())),
            Ok(found) if found.is_dir() => return Err(fault(ErrorKind::IsADirectory)),
            Ok(found) if found.len() > limits::shared_counts::BUDGET_FILE_BYTES_MAX => {
                return Err(fault(ErrorKind::FileTooLarge));
            }
            Ok(_) => {}
        }
        let text = fs::read_to_string(&self.path).map_err(|error| fault(error.kind()))?;
        let read = budget_record::read(&text)
            .map_err(|wrong| self.fault(BudgetFileFault::Content(wrong)))?;
        Ok(Some(read))
    }

    fn write(&self, entries: Vec<BudgetEntry>) -> Result<(), BudgetFileError> {
        let mut written = self.written();
        let replaced = replace(&self.path, budget_record::write(&entries).as_bytes());
        replaced.map_err(|error| self.fault(BudgetFileFault::Write(error.kind())))?;
        *written = entries;
        Ok(())
    }

    /// Held while the file is written: two at a time would spoil each other's.
    fn written(&self) -> MutexGuard<'_, Vec<BudgetEntry>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, fault: BudgetFileFault) -> BudgetFileError {
        BudgetFileError {
            path: self.path.clone(),
            fault,
        }
    }
}

/// Puts a file with these bytes in the place of another, or of none: whoever reads it sees the one
/// or the other, whatever happens meanwhile.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = write_new(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not be there; the error above says what was wrong.
        let _ = fs::remove_file(&beside);
        return written;
    }
    match path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

impl fmt::Display for BudgetFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        let told = match &self.fault {
            BudgetFileFault::Read(kind) => system_error::of_file(path, *kind),
            BudgetFileFault::Write(kind) => {
                let folder = path.parent().is_some_and(Path::is_dir);
                system_error::of_new_file(path, *kind, folder)
            }
            BudgetFileFault::Content(wrong) => format!("{} {wrong}", path.display()),
        };
        formatter.write_str(&told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::policy_limits::daily_budget::UsageOfDay;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pgsieve-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        folder
    }

    /// Accounts in which a user has received so many rows today.
    fn received(rows: u64) -> UserAccounts {
        let accounts = UserAccounts::new();
        let day = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap();
        accounts.restore(&[BudgetEntry {
            policy: "agent".into(),
            user: "ann".into(),
            used: UsageOfDay {
                day: day.as_secs() / 86_400,
                rows,
                bytes: 5,
            },
        }]);
        accounts
    }

    #[test]
    fn what_is_written_is_there_at_the_next_start() {
        let folder = folder("budgets");
        let path = folder.join("budgets.json");
        let file = BudgetFile::open(path.clone(), &UserAccounts::new()).unwrap();
        let accounts = received(7);
        file.save(&accounts).unwrap();
        let next = UserAccounts::new();
        BudgetFile::open(path.clone(), &next).unwrap();
        assert_eq!(next.entries(), accounts.entries());
        // Another one that has counted more meanwhile is not undone.
        let other = BudgetFile::open(path.clone(), &UserAccounts::new()).unwrap();
        other.save(&received(50)).unwrap();
        file.save(&received(8)).unwrap();
        let last = UserAccounts::new();
        BudgetFile::open(path.clone(), &last).unwrap();
        assert_eq!(last.entries(), received(50).entries());
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
        assert_eq!(mode & 0o777, 0o600);
        let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_cannot_be_read_or_written_refuses_the_start() {
        let folder = folder("no-budgets");
        let told = |path: PathBuf| {
            let error = BudgetFile::open(path, &UserAccounts::new()).unwrap_err();
            error.to_string()
        };
        let broken = folder.join("broken.json");
        for text in ["", "{", "[]", "{\"version\":1}", "\u{0}\u{0}"] {
            fs::write(&broken, text).unwrap();
            let told = told(broken.clone());
            assert!(
                told.contains("broken.json is not what pgsieve writes"),
                "{told}"
            );
            assert_eq!(
                fs::read_to_string(&broken).unwrap(),
                text,
                "it is left as it was"
            );
        }
        fs::write(&broken, [0xff, 0xfe]).unwrap();
        assert!(told(broken).contains("is not text of UTF-8"));
        assert!(told(folder.clone()).contains("is a folder"));
        let nowhere = folder.join("none").join("budgets.json");
        assert!(told(nowhere).contains("mkdir -p"));
        fs::remove_dir_all(folder).unwrap();
    }
}
