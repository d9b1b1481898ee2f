//! The file of the capture: appended to, of nobody else's, and held by one process at a time.
//!
//! It holds what clients wrote, so it is made for its owner alone, and one that is there already is
//! used only where it is that: a file, no link to one, of the same owner, and closed to others.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::system_error;
use crate::telemetry::audit::file::lock;

/// The open file.
#[derive(Debug)]
pub struct CaptureFile {
    file: File,
    path: PathBuf,
    /// Bytes in it.
    size: u64,
}

/// Why a file is not captured to.
#[derive(Debug)]
pub struct CaptureFileError {
    path: PathBuf,
    fault: CaptureFileFault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CaptureFileFault {
    /// It is a link, a folder, a pipe or a device.
    NotPlain,
    /// Others may read or write it.
    OpenToOthers,
    /// It is somebody else's, who may read it whatever its mode is.
    OfAnother,
    /// Another process writes to it.
    Held,
    /// The system says so.
    System(ErrorKind),
}

impl CaptureFile {
    /// Opens it for appending; one that does not exist yet is made for its owner only.
    ///
    /// # Errors
    /// Why it may not be used, or the system's reason.
    pub fn open(path: &Path) -> Result<Self, CaptureFileError> {
        opened(path).map_err(|fault| fault.at(path))
    }

    /// Whether it could be opened, found out without a change.
    ///
    /// # Errors
    /// Why it could not.
    pub fn look(path: &Path) -> Result<(), CaptureFileError> {
        looked(path).map_err(|fault| fault.at(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in it.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends a line as a whole, or nothing of it.
    ///
    /// # Errors
    /// The disk is full, or the file is gone.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // Part of it may be there. If that stays, the next line is no line of its own either.
            let _ = self.file.set_len(self.size);
            return Err(error);
        }
        self.size += u64::try_from(line.len()).unwrap_or(0);
        Ok(())
    }
}

/// Gives the lock back at once, also where a process that is just being started holds a copy.
impl Drop for CaptureFile {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

fn opened(path: &Path) -> Result<CaptureFile, CaptureFileFault> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).mode(0o600);
    // What is new is made here, and never at the end of a link.
    let file = match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let named = fs::symlink_metadata(path)?;
            check(&named)?;
            let file = options.open(path)?;
            let found = file.metadata()?;
            check(&found)?;
            // Another one was put there meanwhile.
            if (found.dev(), found.ino()) != (named.dev(), named.ino()) {
                return Err(CaptureFileFault::NotPlain);
            }
            file
        }
        made => made?,
    };
    lock(&file)?;
    let mut capture_file = CaptureFile {
        size: file.metadata()?.len(),
        file,
        path: path.to_owned(),
    };
    capture_file.begin_line()?;
    Ok(capture_file)
}

fn looked(path: &Path) -> Result<(), CaptureFileFault> {
    match fs::symlink_metadata(path) {
        Ok(found) => {
            check(&found)?;
            File::options().append(true).open(path)?;
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent();
            let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
            match fs::metadata(folder.unwrap_or(Path::new(".")))?.is_dir() {
                true => Ok(()),
                false => Err(CaptureFileFault::System(ErrorKind::NotADirectory)),
            }
        }
        Err(error) => Err(error.into()),
    }
}

fn check(found: &Metadata) -> Result<(), CaptureFileFault> {
    if !found.is_file() {
        return Err(CaptureFileFault::NotPlain);
    }
    // The process's own entry is its user's; where a system has none, the mode alone decides.
    let is_of_another = |own: Metadata| own.uid() != found.uid();
    if fs::metadata("/proc/self").is_ok_and(is_of_another) {
        return Err(CaptureFileFault::OfAnother);
    }
    match found.mode() & OTHERS {
        0 => Ok(()),
        _ => Err(CaptureFileFault::OpenToOthers),
    }
}

impl CaptureFile {
    /// Ends a line that a process has left without its end.
    fn begin_line(&mut self) -> io::Result<()> {
        let Some(last) = self.size.checked_sub(1) else {
            return Ok(());
        };
        let mut end = [0];
        self.file.read_exact_at(&mut end, last)?;
        match end == *b"\n" {
            true => Ok(()),
            false => self.append("\n"),
        }
    }
}

impl CaptureFileFault {
    fn at(self, path: &Path) -> CaptureFileError {
        CaptureFileError {
            path: path.to_owned(),
            fault: self,
        }
    }
}

impl From<io::Error> for CaptureFileFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::ResourceBusy => Self::Held,
            kind => Self::System(kind),
        }
    }
}

impl fmt::Display for CaptureFileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let told = match self.fault {
            CaptureFileFault::NotPlain => {
                format!("{path} is no plain file: name a file, not a link, folder, pipe or device")
            }
            CaptureFileFault::OpenToOthers => format!(
                "others can read or write {path}, and it is to hold the texts of statements: make \
                 it 0600"
            ),
            CaptureFileFault::OfAnother => format!(
                "{path} belongs to another user, who could read the texts of statements: name \
                 another file, or chown it to pgsieve's user"
            ),
            CaptureFileFault::Held => {
                format!("another process writes to {path}: each pgsieve needs a file of its own")
            }
            CaptureFileFault::System(kind) => {
                let folder = self.path.parent();
                let has_folder =
                    folder.is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir());
                system_error::of_new_file(&self.path, kind, has_folder)
            }
        };
        formatter.write_str(&told)
    }
}

/// The bits of a mode that let others than the owner in.
const OTHERS: u32 = 0o077;

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder(name: &str) -> PathBuf {
        let name = format!("pgsieve-capture-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        folder
    }

    fn fault_of(path: &Path) -> Option<CaptureFileFault> {
        let opened = CaptureFile::open(path).err().map(|error| error.fault);
        let looked = CaptureFile::look(path).err().map(|error| error.fault);
        assert_eq!(opened, looked, "{}", path.display());
        opened
    }

    #[test]
    fn a_new_file_is_its_owners_alone_and_taken_up_again() {
        let folder = folder("new");
        let path = folder.join("c.jsonl");
        CaptureFile::look(&path).unwrap();
        assert!(!path.exists());
        for _ in 0..2 {
            let mut file = CaptureFile::open(&path).unwrap();
            let held = CaptureFile::open(&path).unwrap_err();
            assert_eq!(held.fault, CaptureFileFault::Held);
            file.append("a line\n").unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "a line\na line\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        fs::write(&path, "torn").unwrap();
        let mut file = CaptureFile::open(&path).unwrap();
        file.append("whole\n").unwrap();
        assert_eq!(file.size(), 11);
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "torn\nwhole\n");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_line_that_cannot_be_written_leaves_no_trace() {
        let folder = folder("full");
        let path = folder.join("c.jsonl");
        drop(CaptureFile::open(&path).unwrap());
        let mut file = CaptureFile {
            file: File::open(&path).unwrap(),
            path: path.clone(),
            size: 0,
        };
        assert!(file.append("a line\n").is_err());
        assert_eq!((file.size(), fs::metadata(&path).unwrap().len()), (0, 0));
        drop(file);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn what_others_can_read_or_is_no_plain_file_is_not_used() {
        let folder = folder("open");
        let path = folder.join("c.jsonl");
        fs::write(&path, "").unwrap();
        for mode in [0o604, 0o640, 0o620, 0o601, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let wanted = Some(CaptureFileFault::OpenToOthers);
            assert_eq!(fault_of(&path), wanted, "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(fault_of(&path), None);
        let not_plain = Some(CaptureFileFault::NotPlain);
        let (link, dangling) = (folder.join("link"), folder.join("dangling"));
        symlink(&path, &link).unwrap();
        symlink(folder.join("nowhere"), &dangling).unwrap();
        assert_eq!(fault_of(&link), not_plain);
        assert_eq!(fault_of(&dangling), not_plain);
        assert!(!folder.join("nowhere").exists());
        assert_eq!(fault_of(&folder), not_plain);
        assert_eq!(fault_of(Path::new("/dev/null")), not_plain);
        let beyond = folder.join("no/such/folder");
        let missing = Some(CaptureFileFault::System(ErrorKind::NotFound));
        assert_eq!(fault_of(&beyond), missing);
        fs::remove_dir_all(folder).unwrap();
    }
}
