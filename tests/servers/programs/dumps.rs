//! pg_dump through pgsieve: what it writes is what it writes with the database itself, and what is
//! restored of it is the same database.
//!
//! Each pg_dump dumps servers of its own version and older ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::installed::{installed, run, text};
use crate::support::raw::kinds;
use crate::support::{ADMIN, APP, Options, RawClient, Stack};

const FIXTURE: &str = include_str!("../../data/schemas/dumps/fixture.sql");

/// What pg_dump is asked for beside the whole.
const PARTS: &[&[&str]] = &[
    &[],
    &["--schema-only"],
    &["--data-only", "--disable-triggers"],
    &[
        "--inserts",
        "--rows-per-insert=100",
        "--table=shop.customers",
    ],
    &[
        "--enable-row-security",
        "--exclude-table-data=shop.customers",
    ],
    &["--serializable-deferrable", "--schema=shop", "--no-owner"],
    &[
        "--clean",
        "--if-exists",
        "--create",
        "--quote-all-identifiers",
        "--no-acl",
    ],
];

#[test]
fn a_dump_is_the_same() {
    for (stack, programs) in stacks() {
        for program in programs {
            for part in PARTS {
                let [direct, proxied] = both(&stack, |port| program.dump(&stack, port, part));
                assert!(direct.lines().count() > 20, "{direct}");
                assert_same(&direct, &proxied, &format!("{program:?} {part:?}"));
            }
        }
    }
}

#[test]
fn parallel_workers_dump_one_snapshot() {
    for (stack, programs) in stacks() {
        for program in programs {
            let [direct, proxied] = both(&stack, |port| {
                let folder = stack.folder().join(format!("dump-{port}"));
                drop(std::fs::remove_dir_all(&folder));
                let to = folder.to_string_lossy().into_owned();
                program.dump(&stack, port, &["-Fd", "-j", "3", "-f", &to]);
                program.as_text(&stack, &folder)
            });
            assert!(direct.contains("COPY shop.customers"), "{direct}");
            assert_same(&direct, &proxied, &format!("{program:?}"));
        }
    }
}

#[test]
fn what_is_restored_is_dumped_again() {
    for (stack, programs) in stacks() {
        let own = programs.into_iter().find(|program| program.is_of(&stack));
        let program = own.expect("the pg_dump of the server's version");
        let dump = program.dump(&stack, stack.proxied_address().port(), &[]);
        let file = stack.folder().join("dump.sql");
        std::fs::write(&file, &dump).unwrap();
        let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
        let name = format!("{}_restored", stack.database());
        let made = admin.query(&format!("CREATE DATABASE {name} TEMPLATE template0"));
        assert_eq!(kinds(&made), "CZ");
        let mut psql = program.command("psql", &stack, stack.direct_address().port());
        psql.env("PGDATABASE", &name);
        // Dumps before 15 do not say whose it is.
        let owner = format!("ALTER SCHEMA public OWNER TO {APP}");
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", &owner, "-f"]);
        let restored = run(psql.arg(&file));
        assert!(restored.status.success(), "{}", text(&restored.stderr));
        let mut again = program.command("pg_dump", &stack, stack.direct_address().port());
        let again = run(again.env("PGDATABASE", &name));
        // Rows lie where there was room for them.
        let sorted = |dump: &str| {
            let mut lines = lines(dump);
            lines.sort_unstable();
            lines.join("\n")
        };
        assert_same(&sorted(&dump), &sorted(&text(&again.stdout)), "again");
    }
}

/// The default policy does not let a dump begin, and says why.
#[test]
fn agents_export_no_snapshots() {
    let stack = Stack::shared();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    assert_eq!(
        kinds(&client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")),
        "CZ"
    );
    for refused in [
        "SELECT pg_catalog.pg_export_snapshot()",
        "SET TRANSACTION SNAPSHOT '00000003-00000086-1'",
    ] {
        let answer = client.query(refused);
        assert_eq!(answer[0].sqlstate(), "42501", "{refused}");
        client.query("ROLLBACK");
        client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    }
}

/// What one session exports another one reads by, through pgsieve.
#[test]
fn an_exported_snapshot_is_read_by_another_session() {
    let stack = Stack::start(bi());
    stack.prepare(&[
        "CREATE TABLE seen AS SELECT 1 AS n",
        "GRANT ALL ON seen TO app",
    ]);
    let login = stack.login(APP);
    let [mut one, mut other] = [(), ()].map(|()| RawClient::login(stack.proxied_address(), &login));
    one.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    let exported = one.query("SELECT pg_export_snapshot()");
    assert_eq!(kinds(&exported), "TDCZ");
    let id = String::from_utf8_lossy(&exported[1].body[6..]).into_owned();
    stack.prepare(&["INSERT INTO seen VALUES (2)"]);
    let count = |client: &mut RawClient| {
        let answer = client.query("SELECT count(*) FROM seen");
        String::from_utf8_lossy(&answer[1].body[6..]).into_owned()
    };
    assert_eq!(count(&mut other), "2");
    other.query("BEGIN");
    other.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    assert_eq!(
        kinds(&other.query(&format!("SET TRANSACTION SNAPSHOT '{id}'"))),
        "CZ"
    );
    assert_eq!(count(&mut other), "1");
    other.query("COMMIT");
    assert_eq!(count(&mut other), "2");
}

/// The programs of one version of Postgres.
#[derive(Debug)]
struct Programs {
    folder: PathBuf,
    major: u32,
}

impl Programs {
    fn of(folder: &Path) -> Self {
        let said = run(Command::new(folder.join("pg_dump")).arg("--version"));
        let said = text(&said.stdout);
        let words = said.split_whitespace();
        let version = words.filter_map(|word| word.split('.').next()?.parse().ok());
        Self {
            folder: folder.to_owned(),
            major: version.into_iter().next().expect("a version"),
        }
    }

    fn is_of(&self, stack: &Stack) -> bool {
        self.major == stack.cluster().version()
    }

    fn command(&self, name: &str, stack: &Stack, port: u16) -> Command {
        let mut command = Command::new(self.folder.join(name));
        command
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", port.to_string())
            .env("PGUSER", ADMIN)
            .env("PGPASSWORD", ADMIN)
            .env("PGDATABASE", stack.database())
            .env("LC_ALL", "C.UTF-8")
            .env_remove("PGOPTIONS");
        command
    }

    /// What pg_dump writes.
    fn dump(&self, stack: &Stack, port: u16, arguments: &[&str]) -> String {
        let output = run(self.command("pg_dump", stack, port).args(arguments));
        let err = text(&output.stderr);
        assert!(output.status.success(), "{self:?} {arguments:?}: {err}");
        text(&output.stdout)
    }

    /// An archive as the text that would restore it.
    fn as_text(&self, stack: &Stack, archive: &Path) -> String {
        let mut command = self.command("pg_restore", stack, 0);
        let output = run(command.args(["-f", "-"]).arg(archive));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }
}

/// Each server with the programs that dump it: Debian's, the newest and the oldest one.
fn stacks() -> Vec<(Stack, Vec<Programs>)> {
    let fetched = |folder| Programs::of(Path::new(&installed(folder)));
    let of_server = |stack: &Stack| {
        let path = format!("/usr/lib/postgresql/{}/bin", stack.cluster().version());
        let path = Path::new(&path);
        path.join("pg_dump").exists().then(|| Programs::of(path))
    };
    let others = [14, 18].map(|version| Stack::on_version_with(version, bi()));
    let stacks = [Some(Stack::start(bi()))].into_iter().chain(others);
    let stacks = stacks.flatten().map(|stack| {
        stack.prepare(&[FIXTURE]);
        let oldest = fetched("clients-dump-oldest/bin");
        let oldest = oldest.is_of(&stack).then_some(oldest);
        let programs = [of_server(&stack), oldest, Some(fetched("clients-dump/bin"))];
        (stack, programs.into_iter().flatten().collect())
    });
    stacks.collect()
}

fn bi() -> Options {
    Options {
        policy: Some("bi"),
        ..Options::default()
    }
}

fn both(stack: &Stack, dump: impl Fn(u16) -> String) -> [String; 2] {
    [stack.direct_address(), stack.proxied_address()].map(|address| dump(address.port()))
}

/// The lines of a dump, without the key that is drawn anew for each.
fn lines(dump: &str) -> Vec<&str> {
    let drawn = |line: &&str| line.starts_with("\\restrict ") || line.starts_with("\\unrestrict ");
    dump.lines().filter(|line| !drawn(line)).collect()
}

fn assert_same(one: &str, other: &str, of: &str) {
    let (one, other) = (lines(one), lines(other));
    let differ = one.iter().zip(&other).find(|(one, other)| one != other);
    assert!(differ.is_none(), "{of}: {differ:?}");
    assert_eq!(one.len(), other.len(), "{of}");
}
