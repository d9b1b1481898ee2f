//! The files of an audit: those that are named, and what was put aside of each.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::cli::complain;
use crate::limits::AUDIT_FILES_MAX;
use crate::telemetry::audit::file::aside;
use crate::telemetry::audit::file_ends::LineOrigin;
use crate::telemetry::session_info::cleaned;

/// One file of an audit.
pub struct AuditFile {
    /// Where it is.
    pub path: PathBuf,
    /// FILE, FILE.1, FILE.2 and so on have one number.
    pub family: usize,
    /// What it is where nothing is in it.
    pub emptiness: Emptiness,
}

/// What a file is that nothing is in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Emptiness {
    /// One that was just begun: the last.
    JustBegun,
    /// None is put aside so.
    Emptied,
}

/// A file that cannot be read, and why.
pub struct UnreadableFile {
    /// Its name, fit to be shown.
    pub name: String,
    /// Why.
    pub kind: io::ErrorKind,
}

/// The place of a file among those of its chain.
pub type FileOrder = (u64, usize);

/// One file, whatever its name.
#[derive(PartialEq, Eq, Hash)]
enum FileIdentity {
    Inode { device: u64, number: u64 },
    Missing(PathBuf),
}

/// Every file once. FILE.1, FILE.2 and so on belong to each FILE that is named, unless `alone` is
/// asked for. Who is named twice is told.
pub fn gathered(named: &[PathBuf], alone: bool) -> Vec<AuditFile> {
    let mut files: Vec<AuditFile> = Vec::new();
    let mut known = HashMap::new();
    for path in named {
        let identity = FileIdentity::of(path);
        if known.contains_key(&identity) {
            let name = shown(path);
            complain(format_args!("{name} is given twice: it is read once"));
            continue;
        }
        known.insert(identity, files.len());
        let emptiness = match files.len() {
            0 => Emptiness::JustBegun,
            _ => Emptiness::Emptied,
        };
        files.push(AuditFile {
            path: path.clone(),
            family: files.len(),
            emptiness,
        });
    }
    if alone {
        return files;
    }
    let mut gone = Vec::new();
    for family in 0..files.len() {
        let Some(head) = files.get(family).map(|file| file.path.clone()) else {
            continue;
        };
        if add_put_aside(&head, family, &mut files, &mut known) == 0 {
            continue;
        }
        // Between putting a file aside and beginning the next one there is none.
        if head.exists() {
            if let Some(file) = files.get_mut(family) {
                file.emptiness = Emptiness::JustBegun;
            }
        } else {
            gone.push(head);
        }
    }
    files.retain(|file| !gone.contains(&file.path));
    files
}

/// Adds what was put aside of a file, and says how many there are.
fn add_put_aside(
    head: &Path,
    family: usize,
    files: &mut Vec<AuditFile>,
    known: &mut HashMap<FileIdentity, usize>,
) -> usize {
    let others = (1..=AUDIT_FILES_MAX).map(|number| aside(head, number));
    let mut count = 0;
    for path in others.filter(|other| other.is_file()) {
        count += 1;
        let identity = FileIdentity::of(&path);
        match known.get(&identity).and_then(|place| files.get_mut(*place)) {
            Some(file) => {
                file.family = family;
                file.emptiness = Emptiness::Emptied;
            }
            None => {
                known.insert(identity, files.len());
                files.push(AuditFile {
                    path,
                    family,
                    emptiness: Emptiness::Emptied,
                });
            }
        }
    }
    count
}

/// All files, the oldest of each chain first, whatever the order in which they are named.
///
/// # Errors
/// A folder or a file of them cannot be looked at.
pub fn found(named: &[PathBuf], alone: bool) -> Result<Vec<PathBuf>, UnreadableFile> {
    let mut numbered = Vec::new();
    for (place, file) in gathered(named, alone).into_iter().enumerate() {
        let first = open(&file.path).and_then(LineOrigin::first_in);
        let first = first.map_err(|error| unreadable(&file.path, &error))?;
        let seq = first.map(|first| first.seq);
        numbered.push((order(seq, place, file.emptiness), file.path));
    }
    numbered.sort();
    Ok(numbered.into_iter().map(|(_, file)| file).collect())
}

/// Where a file stands whose first line has this number. Of equals, the one named later is older.
pub fn order(seq: Option<u64>, place: usize, emptiness: Emptiness) -> FileOrder {
    match (seq, emptiness) {
        (Some(seq), _) => (seq, usize::MAX - place),
        (None, Emptiness::JustBegun) => (u64::MAX, 0),
        (None, Emptiness::Emptied) => (0, usize::MAX - place),
    }
}

impl FileIdentity {
    fn of(path: &Path) -> Self {
        match fs::metadata(path) {
            Ok(file) => Self::Inode {
                device: file.dev(),
                number: file.ino(),
            },
            Err(_) => Self::Missing(path.into()),
        }
    }
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
