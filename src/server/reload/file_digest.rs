//! The state of files by their content: whether they have changed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::source::WatchedFiles;
use crate::limits;
use crate::policy::sources::PolicySource;

/// A hash of the names and contents of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileDigest([u8; 32]);

impl FileDigest {
    /// Of all of these as they are now.
    pub fn of(watched: &WatchedFiles) -> Self {
        let mut hasher = blake3::Hasher::new();
        let policies = watched.policies.iter().flat_map(PolicySource::files);
        let policies = policies.take(limits::POLICY_FILES_LOOKED_AT_MAX);
        for file in watched.files.iter().cloned().chain(policies) {
            add(&mut hasher, &file);
        }
        Self(*hasher.finalize().as_bytes())
    }
}

impl WatchedFiles {
    /// Whether something of it is a pipe, which is not read again.
    pub fn has_streams(&self) -> bool {
        let is_stream = |file: &PathBuf| fs::metadata(file).is_ok_and(|found| !found.is_file());
        self.files.iter().any(is_stream)
            || !self.policies.iter().all(PolicySource::can_be_read_again)
    }
}

fn add(hasher: &mut blake3::Hasher, file: &Path) {
    let name = file.as_os_str().as_encoded_bytes();
    hasher.update(blake3::hash(name).as_bytes());
    match content(file) {
        Ok(content) => hasher
            .update(&[1])
            .update(blake3::hash(&content).as_bytes()),
        Err(error) => hasher
            .update(&[2])
            .update(error.kind().to_string().as_bytes()),
    };
}

/// What stands in a file. What is none could keep the reader for ever.
fn content(file: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(file)?;
    if !found.is_file() || found.len() > limits::CONFIG_FILE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::read(file)
}
