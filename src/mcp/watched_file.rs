//! A small file that is read again when it changes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::limits::mcp::TOKEN_LOOK_PAUSE;

/// A file, as it was looked at last.
#[derive(Debug)]
pub struct WatchedFile {
    path: PathBuf,
    looked: Instant,
    stamp: Option<FileStamp>,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    modified: SystemTime,
    bytes: u64,
}

impl WatchedFile {
    /// As it is now: to be made before it is read.
    pub fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            looked: Instant::now(),
            stamp: FileStamp::of(path),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is to be read again: it may be another one. It is not looked at more often than
    /// once in a while.
    pub fn is_due(&mut self) -> bool {
        if self.looked.elapsed() < TOKEN_LOOK_PAUSE {
            return false;
        }
        self.looked = Instant::now();
        let stamp = FileStamp::of(&self.path);
        // Within the grain of a file's time another line may be written unseen.
        let is_settled = stamp.is_some_and(|stamp| stamp.is_older_than(SETTLED));
        let is_same = stamp == self.stamp && is_settled;
        self.stamp = stamp;
        !is_same
    }
}

impl FileStamp {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self {
            modified: found.modified().ok()?,
            bytes: found.len(),
        })
    }

    fn is_older_than(&self, age: Duration) -> bool {
        self.modified.elapsed().is_ok_and(|past| past > age)
    }
}

/// A file that was not changed for so long has no line that was not seen.
const SETTLED: Duration = Duration::from_secs(3);
