//! The matrix of clients in `tests/data/clients/matrix`, as far as `make setup` installs its
//! clients, and what `tests/README.md` says of it. `make clients` runs all of it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::installed::text;

/// Each verdict is the one of `result.tsv`, and the database is what it was before.
#[test]
fn clients_of_the_setup_see_what_the_table_says() {
    let program = env!("CARGO_BIN_EXE_pgsieve");
    let said = matrix("run", &["--quick", "--check", "--program", program]);
    let clients = said
        .lines()
        .filter(|line| line.contains("(agent)"))
        .filter(|line| !line.starts_with("SKIPPED"))
        .count();
    assert!(clients >= QUICK_MIN, "{said}");
}

/// The same where all clients of a role share their connections: two parallel dumps need several.
#[test]
fn clients_that_share_connections_see_what_the_table_says() {
    let program = env!("CARGO_BIN_EXE_pgsieve");
    let shared = ["--pool", "12", "--quick", "--program", program];
    let said = matrix("run", &shared);
    let clients = said.lines().filter(|line| line.contains("(agent)"));
    let clients = clients.filter(|line| !line.starts_with("SKIPPED"));
    assert!(clients.count() >= QUICK_MIN, "{said}");
}

#[test]
fn the_page_has_the_table_of_the_results() {
    matrix("run", &["--table", "--check"]);
}

/// No client is in the table that is not in the folder, and each is there under both policies.
#[test]
fn the_results_are_those_of_clients() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder().join("clients")).unwrap() {
        let path = entry.unwrap().path();
        let client: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap())
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        names.push(client["name"].as_str().unwrap().to_owned());
    }
    let result = std::fs::read_to_string(folder().join("result.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = result
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect();
    assert!(!rows.is_empty());
    for pair in rows.chunks(2) {
        let [agent, bi] = pair else {
            panic!("a client under one policy alone: {pair:?}");
        };
        assert_eq!((agent[0], agent[2]), (bi[0], "agent"), "{pair:?}");
        assert_eq!(bi[2], "bi", "{pair:?}");
        assert!(names.iter().any(|name| name == agent[0]), "{pair:?}");
    }
}

/// A comparison that calls everything equal would make the table worthless.
#[test]
fn differences_are_told() {
    matrix("verdicts_test.py", &[]);
}

/// Runs a Python program of the matrix to its end; each client in it has a bound of its own.
fn matrix(program: &str, arguments: &[&str]) -> String {
    let output = Command::new("python3")
        .arg(folder().join(program))
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .output()
        .expect("python3: run `make setup`");
    let said = text(&output.stdout);
    assert!(
        output.status.success(),
        "{program} {arguments:?}:\n{said}\n{}",
        text(&output.stderr)
    );
    said
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/clients/matrix")
}

/// psql, psycopg 2 and 3, asyncpg, pg8000, SQLAlchemy and pg_dump at least.
const QUICK_MIN: usize = 7;
