//! What `.ci/setup` says of a libclang, on trees that stand for machines: it must say just what
//! bindgen would make of them, or the first command fails in a build and installs no package.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::text::{Folder, path};

/// A library of this machine's width, as far as anybody looks.
fn library() -> Vec<u8> {
    let class = if cfg!(target_pointer_width = "32") {
        1
    } else {
        2
    };
    [0x7f, b'E', b'L', b'F', class].to_vec()
}

/// A machine with these files in it, each a library, a header or an `llvm-config` by its name.
struct Machine(Folder);

impl Machine {
    fn with(files: &[&str]) -> Self {
        let machine = Self(Folder::new());
        for file in files {
            let bytes = if file.contains("libclang") {
                library()
            } else {
                Vec::new()
            };
            machine.put(file, &bytes);
        }
        // The tools that the script itself uses, and no clang that this machine may have.
        fs::create_dir_all(machine.root().join("path")).unwrap();
        for tool in TOOLS {
            let script = format!("command -v {tool}");
            let said = Command::new("sh").args(["-c", &script]).output().unwrap();
            let found = String::from_utf8(said.stdout).unwrap();
            symlink(found.trim(), machine.root().join("path").join(tool)).unwrap();
        }
        machine
    }

    fn root(&self) -> &Path {
        &self.0.0
    }

    fn put(&self, file: &str, bytes: &[u8]) {
        let file = self.root().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    /// A program that prints this.
    fn program(&self, name: &str, prints: &str) {
        self.put(name, format!("#!/bin/sh\necho '{prints}'\n").as_bytes());
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.root().join(name), mode).unwrap();
    }

    /// The packages that are asked for; `Err` with what is said where no package would help.
    fn missing(&self, environment: &[(&str, &str)]) -> Result<String, String> {
        let root = self.root().display().to_string();
        let output = Command::new(self.root().join("path/bash"))
            .args(["-euo", "pipefail", "-c", ". .ci/libclang; missing_libclang"])
            .current_dir(path("."))
            .env_clear()
            .env("PATH", format!("{root}/path"))
            .env("ROOT", &root)
            .envs(
                environment
                    .iter()
                    .map(|(k, v)| (k, v.replace("ROOT", &root))),
            )
            .output()
            .unwrap();
        let [said, complaint] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8(bytes).unwrap().trim().to_owned());
        if output.status.success() {
            assert_eq!(complaint, "", "with {said}");
            Ok(said)
        } else {
            Err(complaint)
        }
    }
}

const TOOLS: [&str; 9] = [
    "bash", "awk", "od", "tr", "grep", "getconf", "readlink", "head", "dirname",
];
const HEADERS_14: &str = "usr/lib/llvm-14/lib/clang/14.0.6/include/stddef.h";
const LIBRARY_14: &str = "usr/lib/llvm-14/lib/libclang-14.so.1";

#[track_caller]
fn check(files: &[&str], wanted: &str) {
    assert_eq!(Machine::with(files).missing(&[]), Ok(wanted.to_owned()));
}

#[test]
fn a_library_with_its_headers_is_enough_wherever_bindgen_looks() {
    check(&[LIBRARY_14, HEADERS_14], "");
    check(
        &["usr/lib/libclang.so", "usr/lib/clang/20/include/stddef.h"],
        "",
    );
    check(
        &[
            "usr/lib64/libclang.so.20.1",
            "usr/lib/clang/20/include/stddef.h",
        ],
        "",
    );
    let debian = "usr/lib/x86_64-linux-gnu/libclang-14.so.14.0.6";
    check(&[debian, HEADERS_14], "");
    let own = [
        "usr/local/llvm19/lib/libclang.so",
        "usr/local/llvm19/lib/clang/19/include/stddef.h",
    ];
    check(&own, "");
    let apple = "Library/Developer/CommandLineTools/usr/lib";
    let files = [
        format!("{apple}/libclang.dylib"),
        format!("{apple}/clang/17/include/stddef.h"),
    ];
    check(&files.each_ref().map(String::as_str), "");
}

#[test]
fn llvm_without_the_library_is_not_enough() {
    // What an audit found: llvm-config, clang's headers, its C++ library, and nothing to load.
    let machine = Machine::with(&["usr/lib/llvm-14/lib/libclang-cpp.so.14", HEADERS_14]);
    let prefix = machine.root().join("usr/lib/llvm-14").display().to_string();
    machine.program("path/llvm-config", &prefix);
    assert_eq!(machine.missing(&[]), Ok("libclang-dev".to_owned()));
    check(&[], "libclang-dev");
    check(&[HEADERS_14], "libclang-dev");
    check(&["usr/lib/libclangBasic.a", HEADERS_14], "libclang-dev");
}

#[test]
fn a_library_that_cannot_be_loaded_is_none() {
    let narrow = if cfg!(target_pointer_width = "32") {
        2
    } else {
        1
    };
    for bytes in [
        &[0x7f, b'E', b'L', b'F', narrow][..],
        b"INPUT(-lclang)",
        b"",
    ] {
        let machine = Machine::with(&[HEADERS_14]);
        machine.put(LIBRARY_14, bytes);
        assert_eq!(machine.missing(&[]), Ok("libclang-dev".to_owned()));
    }
    let machine = Machine::with(&[HEADERS_14]);
    symlink(
        "no-such-file",
        machine.root().join("usr/lib/llvm-14/lib/libclang.so"),
    )
    .unwrap();
    assert_eq!(machine.missing(&[]), Ok("libclang-dev".to_owned()));
}

#[test]
fn the_headers_of_the_library_that_is_taken_are_asked_for() {
    check(&[LIBRARY_14], "libclang-common-14-dev");
    // The newest is taken, and headers of another version are none of it.
    let newer = "usr/lib/llvm-19/lib/libclang-19.so.1";
    check(&[LIBRARY_14, HEADERS_14, newer], "libclang-common-19-dev");
    // By number and not by letter.
    let older = "usr/lib/llvm-9/lib/libclang-9.so.1";
    check(&[LIBRARY_14, HEADERS_14, older], "");
    // A clang that runs tells its own.
    let machine = Machine::with(&[LIBRARY_14, "elsewhere/include/stddef.h"]);
    let elsewhere = machine.root().join("elsewhere").display().to_string();
    machine.program("path/clang", &elsewhere);
    assert_eq!(machine.missing(&[]), Ok(String::new()));
}

#[test]
fn the_environment_is_asked_as_bindgen_asks_it() {
    let machine = Machine::with(&["opt/lib/libclang.so", "opt/lib/clang/18/include/stddef.h"]);
    assert_eq!(machine.missing(&[]), Ok("libclang-dev".to_owned()));
    for (name, value) in [
        ("LIBCLANG_PATH", "ROOT/opt/lib"),
        ("LIBCLANG_PATH", "ROOT/opt/lib/libclang.so"),
        ("LD_LIBRARY_PATH", "/nowhere:ROOT/opt/lib"),
        ("LIBRARY_PATH", "ROOT/opt/lib"),
    ] {
        let said = machine.missing(&[(name, value)]);
        assert_eq!(said, Ok(String::new()), "{name}={value}");
    }
    let prefix = machine.root().join("opt").display().to_string();
    machine.program("path/llvm-config", &prefix);
    assert_eq!(machine.missing(&[]), Ok(String::new()));
}

#[test]
fn a_variable_that_names_no_library_is_said_for_no_package_would_help() {
    let machine = Machine::with(&[LIBRARY_14, HEADERS_14]);
    for value in ["/nowhere", "", "ROOT/usr/lib"] {
        let said = machine.missing(&[("LIBCLANG_PATH", value)]).unwrap_err();
        assert!(said.starts_with("LIBCLANG_PATH is set to '"), "{said}");
        assert!(
            said.ends_with("let it name the folder that holds libclang.so."),
            "{said}"
        );
    }
}
