//! The file of the capture: its bound, its owner, and what is said of it.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use pgsieve::demo::cluster::random_name;

use super::{captured, capturing, fails, login, path};
use crate::support::{ADMIN, frames, shared_cluster};

#[test]
fn it_grows_to_its_bound_and_no_further() {
    let stack = capturing("  bytes_max: 64KiB\n");
    let mut client = login(&stack);
    let long = format!("SELECT nowhere, '{}'", "x".repeat(8 << 10));
    for _ in 0..12 {
        assert_eq!(fails(&mut client, &frames::query(&long)), "42703");
    }
    let full = "pgsieve_captured_statements_total{outcome=\"file_full\"}";
    crate::support::until(|| (stack.metric(full) >= 5.0).then_some(())).expect("it is full");
    let text = fs::read_to_string(path(&stack)).unwrap();
    assert!(text.len() <= 64 << 10 && text.len() > 48 << 10);
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["sql"].is_string());
    }
    // Once it is full a short text is left out as well, and the log has said so once.
    assert_eq!(fails(&mut client, &frames::query("SELECT 1 / 0")), "22012");
    let said = stack.stderr();
    assert_eq!(said.matches(" capture_full: ").count(), 1, "{said}");
    assert!(said.contains("capture.file: "), "{said}");
}

#[test]
fn a_text_that_is_too_long_is_left_out_whole() {
    let stack = capturing("");
    let mut client = login(&stack);
    let long = format!("SELECT nowhere, '{}'", "x".repeat(64 << 10));
    assert_eq!(fails(&mut client, &frames::query(&long)), "42703");
    assert_eq!(fails(&mut client, &super::extended(&long, &[])), "42703");
    assert!(captured(&stack).is_empty());
    let metric = "pgsieve_captured_statements_total{outcome=\"too_long\"}";
    assert_eq!(stack.metric(metric), 2.0);
}

#[test]
fn it_is_loud_and_its_owners_alone() {
    let stack = capturing("");
    let said = stack.stderr();
    assert_eq!(said.matches(" capture_in_use: ").count(), 1, "{said}");
    assert!(captured(&stack).is_empty());
    let mode = fs::metadata(path(&stack)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// A folder for a file of the capture, and what a start and a check of it say.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        let name = format!("pgsieve-it-{}", random_name().unwrap());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }

    /// Exit status, and all that was said.
    fn serve(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let upstream = shared_cluster().url(ADMIN, ADMIN, "postgres");
        let settings = format!(
            "listen: 127.0.0.1:0\nadmin: {{listen: off}}\nupstream: {{url: \"{upstream}\"}}\n\
             capture: {{file: {}}}\n",
            self.0.join("c.jsonl").display()
        );
        let file = self.0.join("s.yaml");
        fs::write(&file, settings).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
        command
            .arg("serve")
            .args(arguments)
            .arg("--config")
            .arg(&file);
        let ended = command.env_clear().output().unwrap();
        let said = [ended.stdout, ended.stderr].concat();
        (ended.status.code(), String::from_utf8(said).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

#[test]
fn a_file_that_others_can_read_or_a_link_keeps_pgsieve_from_starting() {
    let place = Place::new();
    let file = place.0.join("c.jsonl");
    let refused = |wanted: &str| {
        for arguments in [&[][..], &["--check"]] {
            let (status, said) = place.serve(arguments);
            assert!(matches!(status, Some(1 | 2)), "{status:?} {said}");
            assert!(said.contains("s.yaml:4"), "{said}");
            assert!(said.contains("capture.file"), "{said}");
            assert!(said.contains(wanted), "{said}");
        }
    };
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    refused("make it 0600");
    let other = place.0.join("other");
    fs::rename(&file, &other).unwrap();
    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&other, &file).unwrap();
    refused("no plain file");
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    refused("no plain file");
    fs::remove_dir(&file).unwrap();
    // A check makes nothing, and warns.
    let (_, said) = place.serve(&["--check"]);
    assert!(said.contains("capture_in_use"), "{said}");
    assert!(!file.exists());
}
