//! The audit's file: appended to, held by one process at a time, put aside when it is large enough
//! and opened anew when somebody else has moved it.
//!
//! Files that were put aside are FILE.1, FILE.2 and so on, the newest first. They are renamed and
//! never copied; a rename that fails leaves every line where it is, and writing goes on.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The open file.
pub struct AuditFile {
    file: File,
    path: PathBuf,
    /// Bytes in it.
    size: u64,
    kind: FileKind,
}

/// What the path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    /// A file on a disk: it can be taken up, locked and put aside.
    Plain,
    /// A pipe or device.
    Stream,
}

/// What the wish to open the file anew came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReopenResult {
    /// It is still the one that is open.
    Same,
    /// Another one is open now.
    Another,
}

impl AuditFile {
    /// Opens it for appending; one that does not exist yet is made for its owner only.
    ///
    /// # Errors
    /// The system's; also where another process writes to it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(path)?;
        let found = file.metadata()?;
        let kind = if found.is_file() {
            lock(&file)?;
            FileKind::Plain
        } else {
            FileKind::Stream
        };
        Ok(Self {
            file,
            path: path.to_owned(),
            size: found.len(),
            kind,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in it.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether it is a file on a disk.
    pub fn is_plain(&self) -> bool {
        self.kind == FileKind::Plain
    }

    /// Appends bytes; says how many were taken.
    ///
    /// # Errors
    /// Nothing of them was taken: the disk is full, or the file is gone.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.size += u64::try_from(written).unwrap_or(0);
        Ok(written)
    }

    /// Opens the file anew, if the path names another one than the one that is open. Of that, the
    /// last `torn` bytes are taken back: the whole line will be in the new one.
    ///
    /// # Errors
    /// The new file cannot be opened or locked; the old one stays.
    pub fn reopen(&mut self, torn: u64) -> io::Result<ReopenResult> {
        if self.kind == FileKind::Stream || self.is_in_place() {
            // It may have been cut short where it is.
            self.size = self.file.metadata()?.len();
            return Ok(ReopenResult::Same);
        }
        let mut another = Self::open(&self.path)?;
        if another.is_plain() {
            another.begin_line()?;
        }
        if torn > 0 {
            // The old file loses nothing by it; if it fails, `audit verify` tells a torn line.
            let _ = self.file.set_len(self.size.saturating_sub(torn));
        }
        *self = another;
        Ok(ReopenResult::Another)
    }

    /// Ends a line that somebody has left without its end.
    fn begin_line(&mut self) -> io::Result<()> {
        let tail = super::chain_resume::FileTail::read(&self.path)?;
        if !tail.torn.is_empty() {
            self.write(b"\n")?;
        }
        Ok(())
    }

    /// Puts the file aside and begins a new one. On an error every line is still where it was, or
    /// in a file of the next higher number, and writing may go on.
    ///
    /// # Errors
    /// The file cannot be renamed, or the new one not opened.
    pub fn rotate(&mut self, keep: usize) -> io::Result<()> {
        if self.kind == FileKind::Stream {
            return Ok(());
        }
        if self.is_in_place() {
            shift(&self.path, keep)?;
        }
        match Self::open(&self.path) {
            Ok(fresh) => {
                *self = fresh;
                Ok(())
            }
            Err(error) => {
                // Writing goes on in the old one; its name should be the usual one.
                let _ = fs::hard_link(aside(&self.path, 1), &self.path)
                    .and_then(|()| fs::remove_file(aside(&self.path, 1)));
                Err(error)
            }
        }
    }

    /// Whether the path names the file that is open.
    fn is_in_place(&self) -> bool {
        let same = |a: Metadata, b: Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
        match (self.file.metadata(), fs::metadata(&self.path)) {
            (Ok(open), Ok(named)) => same(open, named),
            (Err(_), _) | (_, Err(_)) => false,
        }
    }
}

/// The name of a file that was put aside.
pub fn aside(path: &Path, number: usize) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{number}"));
    name.into()
}

/// Gives the lock back at once, also where a process that is just being started holds a copy of the
/// open file until it has become another program.
impl Drop for AuditFile {
    fn drop(&mut self) {
        if self.kind == FileKind::Plain {
            let _ = self.file.unlock();
        }
    }
}

/// Makes room at FILE.1 and moves FILE there. The oldest is replaced when all places are taken;
/// where one is free, older files stay as they are, so that a rotation that failed half-way and is
/// tried again costs no file.
fn shift(path: &Path, keep: usize) -> io::Result<()> {
    let free = (1..keep).find(|number| !aside(path, *number).exists());
    let last = free.unwrap_or(keep);
    for number in (1..last).rev() {
        fs::rename(aside(path, number), aside(path, number + 1))?;
    }
    fs::rename(path, aside(path, 1))
}

/// Two processes would tear each other's lines. Where a file system knows no locks, nobody can say.
pub(in crate::telemetry) fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "another process writes to it",
        )),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_a_process_being_started_holds_keeps_no_lock() {
        let name = format!("pgsieve-audit-lock-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let first = AuditFile::open(&path).unwrap();
        let copy = first.file.try_clone().unwrap();
        let busy = AuditFile::open(&path).err().map(|error| error.kind());
        drop(first);
        let second = AuditFile::open(&path);
        fs::remove_file(&path).unwrap();
        assert_eq!(busy, Some(io::ErrorKind::ResourceBusy));
        assert!(second.is_ok(), "{:?}", second.err());
        drop(copy);
    }
}
