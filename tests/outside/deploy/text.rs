//! The files of `docker/` as values, and folders for tests that need files.

use std::fs;
use std::path::{Path, PathBuf};

use pgsieve::demo::cluster::random_name;
use serde_json::Value;

/// A path of the repository.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The text of a file of the repository.
pub fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A YAML file of the repository.
pub fn yaml(name: &str) -> Value {
    serde_yaml::from_str(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What is at a JSON pointer.
pub fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value
        .pointer(pointer)
        .unwrap_or_else(|| panic!("there is no {pointer}"))
}

/// The words of a list; none where there is no list.
pub fn words(value: &Value) -> Vec<&str> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|word| word.as_str().unwrap()).collect()
}

/// The keys of a map; none where there is no map.
pub fn keys(value: &Value) -> Vec<&str> {
    let map = value.as_object();
    map.map(|map| map.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// A folder that is gone with the value.
pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        let name = format!("pgsieve-deploy-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// Writes a file, and says where it is.
    pub fn put(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether there is a program of this name; where not, says that something is skipped.
pub fn has(program: &str, what: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("SKIPPED: {what}: there is no {program}");
    }
    found
}
