//! Receipts as others verify them: the command, and two small verifiers on libraries for JOSE.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pgsieve::demo::cluster::random_name;

use super::{UNQUOTED, login, receipt, session, stack, verified};
use crate::support::command::pgsieve;
use crate::support::installed::{installed, run, text};
use crate::support::raw::values;

const NAMES: &str = "SELECT \"Name\", amount FROM \"Numbers\" ORDER BY 2 DESC NULLS LAST";

/// A folder with all that a verifier is given.
struct Given {
    folder: PathBuf,
    receipt: String,
}

impl Given {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        let mut client = login(stack(), &[("options", "-c pgsieve.receipt_nonce=chart-9")]);
        let answer = client.query(NAMES);
        let receipt = receipt(&mut client);
        let (_, keys) = stack().get("/.well-known/jwks.json");
        fs::write(folder.join("keys.json"), keys).unwrap();
        fs::write(folder.join("chart.sql"), NAMES).unwrap();
        assert_eq!(values(&answer).len(), 3);
        let csv = "Name,amount\nb,2\na,1\n\"\",\n";
        fs::write(folder.join("rows.csv"), csv).unwrap();
        let lines = "[\"b\", 2]\n{\"amount\": 1, \"Name\": \"a\"}\n[\"\", null]\n";
        fs::write(folder.join("rows.jsonl"), lines).unwrap();
        fs::write(folder.join("swapped.csv"), "Name,amount\na,1\nb,2\n\"\",\n").unwrap();
        fs::write(folder.join("altered.csv"), "Name,amount\nb,3\na,1\n\"\",\n").unwrap();
        fs::write(folder.join("null.csv"), "Name,amount\nb,2\na,1\n,\n").unwrap();
        fs::write(folder.join("short.csv"), "Name,amount\nb,2\na,1\n").unwrap();
        fs::write(folder.join("renamed.csv"), "name,amount\nb,2\na,1\n\"\",\n").unwrap();
        fs::write(folder.join("other.sql"), "SELECT 1").unwrap();
        Self { folder, receipt }
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(name).to_string_lossy().into_owned()
    }

    /// Exit status and output of the command with these flags.
    fn command(&self, receipt: &str, flags: &[&str]) -> (i32, String) {
        let keys = self.file("keys.json");
        let arguments = [
            &["receipt", "verify", "--keys", &keys][..],
            flags,
            &[receipt],
        ]
        .concat();
        let output = pgsieve(&arguments, "");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code().unwrap(),
            String::from_utf8(said).unwrap(),
        )
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn the_command_says_what_a_receipt_proves() {
    let given = Given::new();
    let own = given.receipt.as_str();
    let audit = stack().audit_path().to_string_lossy().into_owned();
    let (sql, csv) = (given.file("chart.sql"), given.file("rows.csv"));
    let lines = given.file("rows.jsonl");
    let all = [
        "--sql",
        &sql,
        "--result",
        &csv,
        "--max-age",
        "10min",
        "--nonce",
        "chart-9",
        "--audit",
        &audit,
        "--",
    ];
    let jti = verified(stack(), own).jti;
    stack().audited(|event| event["receipt"] == jti.as_str());
    let (status, said) = given.command(own, &all);
    assert_eq!(status, 0, "{said}");
    assert_eq!(said.matches("\nproven: ").count(), 5, "{said}");
    let (status, said) = given.command(own, &["--result", &lines]);
    assert_eq!(status, 0, "{said}");
    for (flag, name) in [
        ("--sql", "other.sql"),
        ("--result", "swapped.csv"),
        ("--result", "altered.csv"),
        ("--result", "null.csv"),
        ("--result", "short.csv"),
        ("--result", "renamed.csv"),
    ] {
        let (status, said) = given.command(own, &[flag, &given.file(name)]);
        assert_eq!(status, 1, "{name}: {said}");
        assert!(said.contains("not proven: "), "{name}: {said}");
    }
    for flags in [["--nonce", "chart-10"], ["--sql", &given.file("other.sql")]] {
        assert_eq!(given.command(own, &flags).0, 1, "{flags:?}");
    }
    for flags in [
        ["--sql", "/nowhere"],
        ["--result", &given.file("chart.sql")],
        ["--max-age", "soon"],
    ] {
        assert_eq!(given.command(own, &flags).0, 2, "{flags:?}");
    }
    // Of another statement of the same session.
    let mut client = session();
    client.query("DELETE FROM sums");
    let refused = receipt(&mut client);
    let (status, said) = given.command(&refused, &["--result", &csv]);
    assert_eq!(status, 1);
    assert!(said.contains("was refused with SQLSTATE 25006"), "{said}");
    client.query(UNQUOTED);
    let (_, said) = given.command(&receipt(&mut client), &[]);
    assert!(said.contains("a repaired text ran"), "{said}");
    for altered in [&own[1..], &own.replacen('.', ".A", 1), "", "a.b.c"] {
        assert_eq!(given.command(altered, &[]).0, 1, "{altered}");
    }
}

/// Whether a verifier accepts a chart, and what it says.
fn accepts(verifier: &str, given: &Given, receipt: &str, extra: &[&str]) -> Result<String, String> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/receipts");
    let own = own.join(verifier);
    // A module for node finds its libraries from where it lies.
    let (program, script) = match verifier.ends_with(".py") {
        true => (installed("clients-venv/bin/python"), own),
        false => {
            let modules = installed("clients-node/node_modules");
            let link = given.folder.join("node_modules");
            if !link.exists() {
                std::os::unix::fs::symlink(modules, link).unwrap();
            }
            let copy = given.folder.join(verifier);
            fs::copy(own, &copy).unwrap();
            ("node".to_owned(), copy)
        }
    };
    let mut command = Command::new(program);
    command
        .arg(script)
        .args(["--keys", &given.file("keys.json")])
        .args(extra)
        .args(["--", receipt]);
    let output = run(&mut command);
    let said = [text(&output.stdout), text(&output.stderr)].concat();
    match output.status.code() {
        Some(0) => Ok(said),
        Some(1) => Err(said),
        other => panic!("{verifier}: {other:?}: {said}"),
    }
}

#[test]
fn a_chart_is_drawn_of_proven_rows_alone() {
    let given = Given::new();
    let own = given.receipt.as_str();
    let (sql, rows) = (given.file("chart.sql"), given.file("rows.jsonl"));
    let chart = [
        "--sql",
        &sql,
        "--rows",
        &rows,
        "--minutes",
        "5",
        "--nonce",
        "chart-9",
    ];
    let mut client = session();
    client.query("SELECT 1 / 0");
    let failed = receipt(&mut client);
    let altered = own.replacen('.', ".A", 1);
    let (head, rest) = own.split_once('.').unwrap();
    let (_, signature) = rest.split_once('.').unwrap();
    let (_, others) = failed.split_once('.').unwrap();
    let (body, _) = others.split_once('.').unwrap();
    let swapped = format!("{head}.{body}.{signature}");
    fs::write(
        given.file("wrong.jsonl"),
        "[\"b\", 2]\n[\"a\", 1]\n[\"\", 0]\n",
    )
    .unwrap();
    for verifier in ["verify.mjs", "verify.py"] {
        let drawn = accepts(verifier, &given, own, &chart);
        assert!(drawn.is_ok(), "{verifier}: {drawn:?}");
        for receipt in [altered.as_str(), &swapped, &failed, "x.y.z"] {
            let drawn = accepts(verifier, &given, receipt, &chart);
            assert!(drawn.is_err(), "{verifier}: {receipt}");
        }
        for (flag, value) in [
            ("--sql", given.file("other.sql")),
            ("--rows", given.file("wrong.jsonl")),
            ("--minutes", "0".to_owned()),
            ("--nonce", "chart-10".to_owned()),
        ] {
            let mut chart = chart;
            let place = chart.iter().position(|word| *word == flag).unwrap();
            chart[place + 1] = &value;
            let drawn = accepts(verifier, &given, own, &chart);
            assert!(drawn.is_err(), "{verifier}: {flag}");
        }
    }
}
