//! Real clients, each with a script of its own in `tests/data/clients`. A script asserts what must
//! hold and prints what it sees; it runs against the database and through pgsieve, and must print
//! the same. What it tries to write is refused with the same SQLSTATE by both, as the direct
//! session is read-only too.
//!
//! `make setup` installs the clients. One that is missing is a failure.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use crate::support::installed::{installed, last_lines, run, text};
use crate::support::raw::kinds;
use crate::support::sql::WITHOUT_JIT;
use crate::support::{ADMIN, APP, Options, RawClient, Stack, UNREPAIRED, until};

const FIXTURE: &str = include_str!("../../data/answers/fixture.sql");

#[test]
fn psql_shows_the_same_with_every_backslash_command() {
    same("psql", &["-X", "-f", "psql.sql"]);
}

/// What psql 16 and later can do; older ones have no `\bind`.
#[test]
fn psql_binds() {
    let newest = installed("clients-dump/bin/psql");
    drop(same(&newest, &["-X", "-f", "psql_16.sql"]));
}

#[test]
fn psql_is_refused_and_served_on() {
    let place = Place::proxied();
    let output = run(place.command("psql").args(["-X", "-f", "refused.psql"]));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let codes: Vec<&str> = err
        .lines()
        .filter_map(|line| line.split("ERROR:  ").nth(1))
        .collect();
    let writes = codes.iter().filter(|code| **code == "25006").count();
    assert!(writes >= 6, "{err}");
    assert_eq!(
        codes.iter().filter(|code| **code == "25P02").count(),
        1,
        "{err}"
    );
    let known = ["25006", "25P02", "42501", "0A000"];
    assert!(codes.iter().all(|code| known.contains(code)), "{err}");
    assert_eq!(
        out.lines().filter(|line| *line == "served").count(),
        2,
        "{out}"
    );
    assert!(!out.contains("not reached"), "{out}");
}

/// What stands in a script after a refused COPY, which not every psql reads in the same way.
#[test]
fn psql_goes_on_alike_after_a_refused_copy() {
    let [out, err] = same("psql", &["-X", "-f", "refused_copy.psql"]);
    let refused = err.lines().filter(|line| line.ends_with("ERROR:  25006"));
    assert_eq!(refused.count(), 3, "{err}");
    for (line, times) in [(" copied", 0), ("copied", 1), (" served", 1)] {
        let seen = out.lines().filter(|seen| *seen == line).count();
        assert_eq!(seen, times, "{line:?} in {out}");
    }
    assert!(!out.contains("not reached"), "{out}");
}

/// Ctrl-C: psql sends a cancel request on another connection, and goes on.
#[test]
fn psql_cancels() {
    let place = Place::proxied();
    let child = place
        .command("psql")
        .env("PGAPPNAME", "cancelled")
        .args([
            "-X",
            "-c",
            "SELECT count(*) FROM generate_series(1, 1000000000000)",
            "-c",
            "SELECT 'served'",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("psql: run `make setup`");
    // Before its statement runs it has not asked for anything that could be cancelled.
    let mut witness = RawClient::login(place.stack.direct_address(), &place.stack.login(ADMIN));
    let runs = until(|| {
        let seen = witness.query(
            "SELECT 1 FROM pg_stat_activity WHERE application_name = 'cancelled' \
             AND state = 'active' AND query LIKE 'SELECT count%'",
        );
        (kinds(&seen) == "TDCZ").then_some(())
    });
    runs.expect("a statement that runs");
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert!(
        text(&output.stderr).contains("canceling statement due to user request"),
        "{output:?}"
    );
}

#[test]
fn psycopg_3() {
    same(&python(), &["psycopg3.py"]);
}

#[test]
fn psycopg_2() {
    same(&python(), &["psycopg2_.py"]);
}

#[test]
fn asyncpg() {
    same(&python(), &["asyncpg_.py"]);
}

#[test]
fn sqlalchemy() {
    same(&python(), &["sqlalchemy_.py"]);
}

#[test]
fn node_postgres() {
    same("node", &["node.js"]);
}

#[test]
fn jdbc() {
    same(
        "java",
        &[
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            JDBC,
            "Jdbc.java",
        ],
    );
}

#[test]
fn pgbench_in_all_three_modes() {
    let stack = Stack::start(Options::default());
    let direct = Place {
        port: stack.direct_address().port(),
        options: "",
        stack: &stack,
    };
    let output = run(direct.command("pgbench").args(["-i", "-q", "-s", "1"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let place = Place {
        port: stack.proxied_address().port(),
        ..direct
    };
    for mode in ["simple", "extended", "prepared"] {
        let arguments = ["-S", "-n", "-M", mode, "-c", "8", "-j", "2", "-t", "100"];
        let output = run(place.command("pgbench").args(arguments));
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(output.status.success(), "{mode}: {said}");
        assert!(said.contains("800/800"), "{mode}: {said}");
        assert!(!said.contains("error"), "{mode}: {said}");
    }
    // A pipeline in a script, and what pgbench does when something is refused.
    let script = stack.folder().join("pipeline.pgbench");
    std::fs::write(&script, "\\startpipeline\nSELECT 1;\nSELECT abalance FROM pgbench_accounts WHERE aid = 1;\n\\endpipeline\n").unwrap();
    let arguments = ["-n", "-M", "prepared", "-t", "20", "-f"];
    let output = run(place.command("pgbench").args(arguments).arg(&script));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let output = run(place.command("pgbench").args(["-n", "-t", "1"]));
    assert!(
        text(&output.stderr).contains("pgsieve") || !output.status.success(),
        "{}",
        text(&output.stderr)
    );
    let mut witness = RawClient::login(stack.direct_address(), &stack.login(APP));
    assert_eq!(
        kinds(&witness.query("SELECT 1 FROM pgbench_history")),
        "TCZ"
    );
}

/// Where a client connects to.
#[derive(Clone, Copy)]
struct Place<'a> {
    port: u16,
    options: &'static str,
    stack: &'a Stack,
}

impl Place<'static> {
    fn direct() -> Self {
        let stack = stack();
        Self {
            port: stack.direct_address().port(),
            options: "-c default_transaction_read_only=on",
            stack,
        }
    }

    fn proxied() -> Self {
        let stack = stack();
        Self {
            port: stack.proxied_address().port(),
            options: "",
            stack,
        }
    }
}

impl Place<'_> {
    /// A program with the environment of libpq, in the folder of the scripts.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/clients"))
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", APP)
            .env("PGPASSWORD", APP)
            .env("PGDATABASE", self.stack.database())
            .env("NODE_PATH", "../../../target/clients-node/node_modules")
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("LC_ALL", "C.UTF-8")
            .env_remove("PGOPTIONS")
            .stdin(Stdio::null());
        if self.options.is_empty() {
            command.env("PGSIEVE", "1");
        } else {
            command.env("PGOPTIONS", self.options);
        }
        command
    }
}

/// Runs a client directly and through pgsieve, compares what it prints, and says it.
fn same(program: &str, arguments: &[&str]) -> [String; 2] {
    let [direct, proxied] = [Place::direct(), Place::proxied()].map(|place| {
        let output = run(place.command(program).args(arguments));
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        let side = if place.options.is_empty() {
            "through pgsieve"
        } else {
            "directly"
        };
        assert!(
            output.status.success(),
            "{arguments:?} {side}:\n{}\n{err}",
            last_lines(&out)
        );
        [out, err]
    });
    for (direct, proxied) in direct.iter().zip(&proxied) {
        compare(direct, proxied);
    }
    proxied
}

/// Line by line, so that a failure shows where, and what stood before it.
fn compare(direct: &str, proxied: &str) {
    let (direct, proxied): (Vec<&str>, Vec<&str>) =
        (direct.lines().collect(), proxied.lines().collect());
    let same = direct
        .iter()
        .zip(&proxied)
        .take_while(|(direct, proxied)| direct == proxied)
        .count();
    let around = |lines: &[&str]| {
        let shown = lines.iter().skip(same.saturating_sub(5)).take(12);
        shown
            .map(|line| line.chars().take(300).collect::<String>())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(
        direct == proxied,
        "line {}: directly\n{}\n\nthrough pgsieve\n{}",
        same + 1,
        around(&direct),
        around(&proxied)
    );
}

/// The Python that has the drivers.
pub(super) fn python() -> String {
    installed("clients-venv/bin/python")
}

/// The stack that all but pgbench share.
fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options {
            policy_edits: UNREPAIRED,
            ..Options::default()
        });
        stack.prepare(&[FIXTURE, WITHOUT_JIT]);
        stack
    });
    &STACK
}

/// Where Debian's package libpostgresql-jdbc-java has it.
pub(super) const JDBC: &str = "/usr/share/java/postgresql.jar";
