//! Files for secrets: each has one in its first line, and its owner alone reads it.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::secret::Secret;

/// The files of a folder, or none.
pub struct SecretFiles {
    folder: Option<PathBuf>,
    files: Vec<(PathBuf, Secret)>,
}

/// A file that could not be written.
pub struct SecretFileError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub kind: io::ErrorKind,
}

impl SecretFiles {
    /// For a folder, if there is to be one.
    pub fn new(folder: Option<&Path>) -> Self {
        Self {
            folder: folder.map(Path::to_owned),
            files: Vec::new(),
        }
    }

    /// Whether secrets go to files.
    pub fn are_kept(&self) -> bool {
        self.folder.is_some()
    }

    /// Takes a secret for a file of this name; gives the path, where there is a folder.
    pub fn keep(&mut self, name: &str, secret: Secret) -> Option<String> {
        let folder = self.folder.as_ref()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '@');
        let plain: String = name
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        let plain = plain.trim_start_matches('.');
        let taken = |path: &PathBuf| self.files.iter().any(|(other, _)| other == path);
        let mut path = folder.join(plain);
        let mut number = 1;
        while taken(&path) {
            number += 1;
            path = folder.join(format!("{number}-{plain}"));
        }
        let shown = path.display().to_string();
        self.files.push((path, secret));
        Some(shown)
    }

    /// Writes them. What is there already stays as it is, and ends it.
    ///
    /// # Errors
    /// The first file that cannot be made.
    pub fn write(&self) -> Result<(), SecretFileError> {
        let failed = |path: &Path, error: &io::Error| SecretFileError {
            path: path.to_owned(),
            kind: error.kind(),
        };
        if let (Some(folder), false) = (&self.folder, self.files.is_empty()) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| failed(folder, &error))?;
        }
        for (number, (path, secret)) in self.files.iter().enumerate() {
            let text = format!("{}\n", secret.reveal());
            if let Err(error) = write_private(path, &text) {
                self.withdraw(number);
                return Err(failed(path, &error));
            }
        }
        Ok(())
    }

    /// Takes away again all that was written.
    pub fn withdraw_all(&self) {
        self.withdraw(self.files.len());
    }

    fn withdraw(&self, written: usize) {
        for (path, _) in self.files.iter().take(written) {
            // One that cannot be taken away is seen by whoever tries again.
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes a new file that its owner alone reads.
///
/// # Errors
/// It is there already, or the system's.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}
