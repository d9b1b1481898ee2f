//! What settings were when they were read: a digest for each key and for each file that they name,
//! so that settings of later can be held against them without either showing what it holds.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use blake3::{Hash, Hasher};

use crate::config::sources::GivenValue;
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::policy::yaml::tree::YamlValue;

/// The digests of one reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsDigests {
    /// What is written, by key.
    keys: BTreeMap<&'static str, Hash>,
    /// What stands in the files, each with the key that names it.
    files: BTreeMap<PathBuf, (String, Hash)>,
}

impl SettingsDigests {
    /// Takes down what is written.
    pub fn of(given: &BTreeMap<&'static str, GivenValue>) -> Self {
        let digest = |given: &GivenValue| {
            let mut hasher = Hasher::new();
            digest(&given.value, &mut hasher);
            hasher.finalize()
        };
        let keys = given.iter().map(|(key, given)| (*key, digest(given)));
        Self {
            keys: keys.collect(),
            files: BTreeMap::new(),
        }
    }

    /// Takes down what stands in these files now.
    pub fn add_files(&mut self, files: Vec<(PathBuf, String)>) {
        for (path, place) in files {
            // A place ends with the key, a variable or a flag.
            let key = place.rsplit(' ').next().unwrap_or(&place).to_owned();
            let content = content(&path).map(|bytes| blake3::hash(&bytes));
            let content = content.unwrap_or_else(|error| missing(&error));
            // A file that several keys name stands under the first.
            self.files.entry(path).or_insert((key, content));
        }
    }

    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Whether a key is written as it is there.
    pub fn says_the_same(&self, other: &Self, key: &str) -> bool {
        self.keys.get(key) == other.keys.get(key)
    }

    /// The keys that are written otherwise there, or whose files hold something else; in order.
    pub fn changed(&self, other: &Self) -> Vec<String> {
        let keys = self.keys.keys().chain(other.keys.keys());
        let keys = keys.filter(|key| !self.says_the_same(other, key));
        let mut changed: BTreeSet<String> = keys.map(|key| (*key).to_owned()).collect();
        for (path, (key, content)) in &other.files {
            if self.files.get(path).is_none_or(|(_, old)| old != content) {
                changed.insert(key.clone());
            }
        }
        changed.into_iter().collect()
    }
}

/// What stands in a file. What is none could keep the reader for ever.
///
/// # Errors
/// The system's.
pub fn content(file: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(file)?;
    if !found.is_file() || found.len() > CONFIG_FILE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    fs::read(file)
}

fn missing(error: &io::Error) -> Hash {
    blake3::derive_key(
        "pgsieve: a file that is not read",
        error.kind().to_string().as_bytes(),
    )
    .into()
}

/// A digest of all that stands there, with its form.
fn digest(value: &YamlValue, hasher: &mut Hasher) {
    match value {
        YamlValue::Nothing => {
            hasher.update(b"n");
        }
        YamlValue::Word(word) => {
            hasher
                .update(b"w")
                .update(blake3::hash(word.as_bytes()).as_bytes());
        }
        YamlValue::List(list) => {
            hasher.update(b"l");
            for one in list {
                digest(&one.value, hasher);
            }
            hasher.update(b".");
        }
        YamlValue::Map(entries) => {
            hasher.update(b"m");
            for entry in entries {
                hasher.update(blake3::hash(entry.key.as_bytes()).as_bytes());
                digest(&entry.tree.value, hasher);
            }
            hasher.update(b".");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::sources::{SettingsFile, SettingsSources, gather};

    fn marks(text: &str) -> SettingsDigests {
        let file = SettingsFile {
            name: "x.yaml".into(),
            text: text.into(),
        };
        let sources = SettingsSources {
            file: Some(file),
            ..SettingsSources::default()
        };
        SettingsDigests::of(&gather(&sources).given)
    }

    #[test]
    fn keys_that_are_written_otherwise_are_named_and_no_others() {
        let base = "listen: [\"127.0.0.1:1\", /run/x]\nclient: {auth: {method: scram}}\n";
        let check = |text: &str, wanted: &[&str]| {
            assert_eq!(marks(base).changed(&marks(text)), wanted, "{text}");
            assert_eq!(marks(text).changed(&marks(base)), wanted, "{text}");
        };
        check(base, &[]);
        check(
            "client: {auth: {method: scram}}\nlisten: [\"127.0.0.1:1\", /run/x]\n",
            &[],
        );
        check(&base.replace("/run/x", "/run/y"), &["listen"]);
        check(&base.replace("scram", "cert"), &["client.auth.method"]);
        check(
            "listen: [\"127.0.0.1:1\", /run/x]\n",
            &["client.auth.method"],
        );
        check(&format!("{base}workers: 2\n"), &["workers"]);
        // Two words are not one, and a list is not its only word.
        check(
            &base.replace("\"127.0.0.1:1\", /run/x", "\"127.0.0.1:1/run/x\""),
            &["listen"],
        );
    }
}
