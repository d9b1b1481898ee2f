//! Where servers are installed: on the PATH, where Debian and the vendors' packages put them, and
//! where Homebrew does.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Every folder that may hold the programs of a server, each once, in no telling order.
pub fn folders() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut found: Vec<PathBuf> = env::split_paths(&path).collect();
    for (parent, starts_with) in VERSIONED {
        found.extend(below(Path::new(parent), starts_with));
    }
    found.retain(|folder| folder.is_absolute() && folder.join("postgres").is_file());
    found.sort();
    found.dedup();
    found
}

/// The `bin` folders below a folder that holds one folder for each version.
fn below(parent: &Path, starts_with: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(parent) else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(starts_with))
        .map(|entry| entry.path().join("bin"))
        .collect()
}

/// Folders with one folder for each version, and how its name starts.
const VERSIONED: [(&str, &str); 5] = [
    ("/usr/lib/postgresql", ""),
    ("/usr", "pgsql-"),
    ("/opt/homebrew/opt", "postgresql@"),
    ("/usr/local/opt", "postgresql@"),
    ("/Applications/Postgres.app/Contents/Versions", ""),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_holds_nothing() {
        assert!(below(Path::new("/no/such/folder"), "").is_empty());
    }

    #[test]
    fn every_folder_named_has_a_server_program() {
        assert!(
            folders()
                .iter()
                .all(|folder| folder.join("postgres").is_file())
        );
    }
}
