//! The files of an audit: those that are named, or FILE and what was put aside of it.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use crate::limits::AUDIT_FILES_MAX;
use crate::telemetry::audit::file::aside;
use crate::telemetry::audit::verify::first_seq;
use crate::telemetry::session_info::cleaned;

/// A file that cannot be read, and why.
pub struct UnreadableFile {
    /// Its name, fit to be shown.
    pub name: String,
    /// Why.
    pub kind: io::ErrorKind,
}

/// All files, the oldest first. Where one is named and `alone` is not asked for, FILE.1, FILE.2 and
/// so on belong to it; where several are, they may come in any order.
///
/// # Errors
/// A folder or a file of them cannot be looked at.
pub fn found(named: &[PathBuf], alone: bool) -> Result<Vec<PathBuf>, UnreadableFile> {
    let mut files = named.to_vec();
    if let ([file], false) = (named, alone) {
        let others = (1..=AUDIT_FILES_MAX).map(|number| aside(file, number));
        files.extend(others.filter(|other| other.is_file()));
        // Between putting a file aside and beginning the next one there is none.
        if files.len() > 1 && !file.exists() {
            files.remove(0);
        }
    }
    let mut numbered = Vec::new();
    for (place, file) in files.into_iter().enumerate() {
        let seq = open(&file).and_then(first_seq);
        let seq = seq.map_err(|error| unreadable(&file, &error))?;
        // An empty file is one that was just begun: the last. Of equals, the one named later is.
        let order = match (seq, place) {
            (Some(seq), _) => (seq, usize::MAX - place),
            (None, 0) => (u64::MAX, 0),
            (None, place) => (0, usize::MAX - place),
        };
        numbered.push((order, file));
    }
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, file)| file).collect())
}

/// Opens a file for reading.
///
/// # Errors
/// It is not there, or may not be read.
pub fn open(file: &Path) -> io::Result<BufReader<File>> {
    let file = File::open(file)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(BufReader::with_capacity(READ_BYTES, file))
}

/// For a person.
pub fn unreadable(file: &Path, error: &io::Error) -> UnreadableFile {
    UnreadableFile {
        name: shown(file),
        kind: error.kind(),
    }
}

/// The name of a file, without what could move a terminal.
pub fn shown(file: &Path) -> String {
    let text = file.to_string_lossy();
    match text.chars().count() {
        0..=64 => cleaned(&text),
        _ => {
            let plain = |c: &char| !c.is_control();
            text.chars().filter(plain).collect()
        }
    }
}

/// Bytes that are read at once.
const READ_BYTES: usize = 256 << 10;
