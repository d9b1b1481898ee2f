//! Connection strings that want a certain kind of server: with `client.report_as` clients connect
//! through pgsieve where they would connect to such a server, and nowhere else.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use crate::support::installed::{installed, run, text};
use crate::support::raw::{Frame, Login, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames, until};
use crate::telemetry::standby::start_two;

/// What libpq, asyncpg and pgx know.
const ATTRIBUTES: [&str; 6] = [
    "any",
    "read-write",
    "read-only",
    "primary",
    "standby",
    "prefer-standby",
];

/// What JDBC knows.
const TYPES: [&str; 5] = [
    "any",
    "primary",
    "secondary",
    "preferSecondary",
    "preferPrimary",
];

/// Where a client connects to.
struct Place {
    /// What is reported, and what is behind it.
    name: String,
    port: u16,
    database: String,
}

impl Place {
    fn url(&self) -> String {
        format!(
            "postgres://{APP}:{APP}@127.0.0.1:{}/{}?sslmode=disable",
            self.port, self.database
        )
    }

    fn client(&self) -> RawClient {
        let login = Login {
            user: APP,
            password: APP,
            database: &self.database,
            parameters: &[],
        };
        RawClient::login(([127, 0, 0, 1], self.port).into(), &login)
    }
}

/// The servers themselves, and pgsieve before each under each setting.
struct Places {
    direct: [Place; 2],
    as_primary: [Place; 2],
    as_standby: [Place; 2],
    /// Before the primary and before the standby.
    as_it_is: [Place; 2],
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let (primary, standby) = start_two();
    let servers = [("a primary", primary.port()), ("a standby", standby.port())];
    let place = |report_as: &str, (server, port): (&str, u16)| {
        let config = format!(
            "upstream:\n  url: postgres://127.0.0.1:{port}/{{database}}\nlisten: {{listen}}\n\
             client:\n  report_as: {report_as}\nadmin:\n  listen: {{admin}}\naudit:\n  to: \"off\"\n"
        );
        let stack = Stack::start(Options {
            cluster: Some(primary),
            config: Some(config),
            ..Options::default()
        });
        let login = || RawClient::try_login(stack.proxied_address(), &stack.login(APP)).ok();
        until(login).expect("a login, once the standby has the database");
        let place = Place {
            name: format!("{report_as}, {server} behind"),
            port: stack.proxied_address().port(),
            database: stack.database().to_owned(),
        };
        // It serves for as long as the program runs.
        Box::leak(Box::new(stack));
        place
    };
    let [as_primary, as_standby, as_it_is] =
        ["primary", "standby", "upstream"].map(|report_as| servers.map(|of| place(report_as, of)));
    let direct = servers.map(|(name, port)| Place {
        name: name.to_owned(),
        port,
        database: as_it_is[1].database.clone(),
    });
    Places {
        direct,
        as_primary,
        as_standby,
        as_it_is,
    }
});

/// What a client is taken for that is told each of these, with the servers themselves: each kind is
/// found where it is reported, and where it is.
#[track_caller]
fn check(ask: impl Fn(&Place) -> String, primary: &str, standby: &str, read_only: [&str; 2]) {
    let [server, replica] = &PLACES.direct;
    let expected = |places: &'static [Place], found: [&str; 2]| {
        for (place, found) in places.iter().zip(found) {
            let said = ask(place);
            let said: Vec<&str> = said.split_whitespace().collect();
            assert_eq!(said.join(" "), found, "{}", place.name);
        }
    };
    expected(std::slice::from_ref(server), [primary, ""]);
    expected(std::slice::from_ref(replica), [standby, ""]);
    expected(&PLACES.as_primary, [primary; 2]);
    expected(&PLACES.as_standby, [standby; 2]);
    expected(&PLACES.as_it_is, read_only);
}

/// [`check`] of those that know `target_session_attrs`.
#[track_caller]
fn check_attributes(ask: impl Fn(&Place) -> String) {
    check(
        ask,
        "any read-write primary prefer-standby",
        "any read-only standby prefer-standby",
        [
            "any read-only primary prefer-standby",
            "any read-only standby prefer-standby",
        ],
    );
}

#[test]
fn psql_finds_the_server_it_wants() {
    check_attributes(|place| {
        let found = ATTRIBUTES.iter().filter(|wish| {
            let url = format!("{}&target_session_attrs={wish}", place.url());
            let mut psql = Command::new("psql");
            let ended = run(psql.args(["-XAt", "-c", "SELECT 1", &url]));
            let err = text(&ended.stderr);
            let turned_away = err.contains("session is ") || err.contains("server is ");
            assert!(ended.status.success() || turned_away, "{err}");
            text(&ended.stdout) == "1\n"
        });
        found.copied().collect::<Vec<_>>().join(" ")
    });
}

#[test]
fn psycopg_3_finds_the_server_it_wants() {
    check_attributes(|place| python("psycopg", place));
}

#[test]
fn psycopg_2_finds_the_server_it_wants() {
    check_attributes(|place| python("psycopg2", place));
}

#[test]
fn asyncpg_finds_the_server_it_wants() {
    check_attributes(|place| python("asyncpg", place));
}

/// Where Debian's package of it is, with a compiler.
#[test]
fn pgx_finds_the_server_it_wants() {
    if !Path::new("/usr/share/gocode/src/github.com/jackc/pgconn").exists() {
        return;
    }
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/matrix/go/cache");
    let folder = new_folder(&format!("pgsieve-kinds-{}", std::process::id()));
    let program = folder.join("kinds");
    let mut go = Command::new("go");
    go.env("GO111MODULE", "off")
        .env("GOPATH", "/usr/share/gocode")
        .env("GOCACHE", cache)
        .args(["build", "-o"])
        .args([&program, &script("kinds.go")]);
    said(&mut go);
    check_attributes(|place| {
        let mut kinds = Command::new(&program);
        said(kinds.arg(place.url()).args(ATTRIBUTES))
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

/// JDBC asks `show transaction_read_only`, and so takes a primary that only reads for a secondary.
#[test]
fn jdbc_finds_the_server_it_wants() {
    let ask = |place: &Place| {
        let url = format!(
            "jdbc:postgresql://127.0.0.1:{}/{}",
            place.port, place.database
        );
        let mut java = Command::new("java");
        java.args(["-Xshare:auto", "-XX:TieredStopAtLevel=1"])
            .args(["-cp", "/usr/share/java/postgresql.jar"])
            .arg(script("Kinds.java"));
        said(java.args([&url, APP]).args(TYPES))
    };
    let secondary = "any secondary preferSecondary preferPrimary";
    check(
        ask,
        "any primary preferSecondary preferPrimary",
        secondary,
        [secondary; 2],
    );
}

/// What the drivers send when they ask, by every way that a message can take.
#[test]
fn questions_of_drivers_are_answered_as_the_login_says() {
    for (places, on, in_recovery) in [
        (&PLACES.as_primary, "off", "f"),
        (&PLACES.as_standby, "on", "t"),
    ] {
        for place in places {
            let mut client = place.client();
            for name in ["in_hot_standby", "default_transaction_read_only"] {
                let told = client.parameters.iter().filter(|(own, _)| own == name);
                let told: Vec<&str> = told.map(|(_, value)| value.as_str()).collect();
                assert_eq!(told, [on], "{}: {name}", place.name);
            }
            for (sql, answer) in [
                ("SHOW transaction_read_only", on),
                ("show TRANSACTION_read_only", on),
                ("show default_transaction_read_only", on),
                ("SHOW in_hot_standby", on),
                ("select pg_is_in_recovery()", in_recovery),
                ("SELECT pg_catalog.pg_is_in_recovery()", in_recovery),
            ] {
                let said = client.query(sql);
                assert_eq!(kinds(&said), "TDCZ", "{sql}");
                assert_eq!(values(&said), [answer], "{}: {sql}", place.name);
                for binary in [false, true] {
                    client.send(&frames::extended(sql, &[], binary));
                    let said = client.until_ready();
                    let answer = match (answer, binary) {
                        ("t", true) => "\u{1}",
                        ("f", true) => "\0",
                        (answer, _) => answer,
                    };
                    assert_eq!(values(&said), [answer], "{}: {sql}", place.name);
                }
                // Prepared once and run twice, as drivers with a cache do.
                let run = [frames::bind("", "s", &[], false), frames::execute("", 0)].concat();
                let twice = [
                    frames::parse("s", sql),
                    run,
                    frames::sync(),
                    frames::bind("", "s", &[], false),
                    frames::execute("", 1),
                    frames::close(b'S', "s"),
                    frames::sync(),
                ];
                client.send(&twice.concat());
                let said = [client.until_ready(), client.until_ready()].concat();
                assert_eq!(values(&said), [answer; 2], "{}: {sql}", place.name);
            }
            // Npgsql's batch.
            let part = |sql| {
                [
                    frames::parse("", sql),
                    frames::bind("", "", &[], false),
                    frames::execute("", 0),
                ]
                .concat()
            };
            let batch = [
                part("SELECT pg_is_in_recovery()"),
                part("SHOW default_transaction_read_only"),
                frames::sync(),
            ];
            client.send(&batch.concat());
            assert_eq!(values(&client.until_ready()), [in_recovery, on]);
        }
    }
}

/// A block may have been begun READ ONLY, and whoever asks in other words wants to know.
#[test]
fn blocks_and_other_words_tell_the_truth() {
    for (place, truth) in PLACES.as_primary.iter().zip(["f", "t"]) {
        let mut client = place.client();
        let mut one = |sql: &str| values(&client.query(sql)).concat();
        assert_eq!(one("SELECT current_setting('transaction_read_only')"), "on");
        assert_eq!(
            one("SELECT pg_is_in_recovery()::text"),
            match truth {
                "t" => "true",
                _ => "false",
            }
        );
        assert_eq!(one("SELECT (SELECT pg_is_in_recovery())"), truth);
        assert_eq!(
            one("BEGIN READ ONLY; SHOW transaction_read_only; COMMIT"),
            "on"
        );
        for begin in ["BEGIN", "BEGIN READ ONLY", "START TRANSACTION READ WRITE"] {
            one(begin);
            assert_eq!(one("SHOW transaction_read_only"), "on", "{begin}");
            assert_eq!(one("SHOW default_transaction_read_only"), "off", "{begin}");
            assert_eq!(one("SELECT pg_is_in_recovery()"), "f", "{begin}");
            one("ROLLBACK");
        }
        // A block that begins in the same batch is one.
        let part = |sql| {
            [
                frames::parse("", sql),
                frames::bind("", "", &[], false),
                frames::execute("", 0),
            ]
            .concat()
        };
        let batch = [
            part("BEGIN READ ONLY"),
            part("SHOW transaction_read_only"),
            part("COMMIT"),
            frames::sync(),
        ];
        client.send(&batch.concat());
        assert_eq!(values(&client.until_ready()), ["on"]);
    }
    for place in &PLACES.as_it_is {
        let mut client = place.client();
        let said = client.query("SHOW transaction_read_only");
        assert_eq!(values(&said), ["on"], "{}", place.name);
    }
}

/// Whatever is reported, nothing is written, and what would say otherwise reaches no client.
#[test]
fn nothing_is_written_whatever_is_reported() {
    for place in PLACES.as_primary.iter().chain(&PLACES.as_standby) {
        let mut client = place.client();
        for write in [
            "CREATE TABLE reported (a int)",
            "DELETE FROM pg_class",
            "WITH d AS (DELETE FROM pg_class RETURNING 1) SELECT 1 FROM d",
        ] {
            let said = client.query(write);
            assert_eq!(said[0].sqlstate(), "25006", "{}: {write}", place.name);
            client.query("BEGIN READ WRITE");
            let said = client.query(write);
            assert_eq!(said[0].sqlstate(), "25006", "{}: {write}", place.name);
            client.query("ROLLBACK");
        }
        let said = client.query("SET default_transaction_read_only = on");
        assert!(said.iter().all(|frame| frame.kind != b'S'), "{said:?}");
    }
}

fn python(module: &str, place: &Place) -> String {
    let mut python = Command::new(installed("clients-venv/bin/python"));
    python
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(script("kinds.py"));
    said(python.args([module, &place.url()]).args(ATTRIBUTES))
}

/// What a program that ends well says.
#[track_caller]
fn said(command: &mut Command) -> String {
    let ended = run(command);
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    text(&ended.stdout)
}

fn script(name: &str) -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/clients");
    folder.join(name)
}

/// A new folder.
fn new_folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The values of rows of one column.
fn values(answer: &[Frame]) -> Vec<String> {
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    rows.map(|row| String::from_utf8_lossy(&row.body[6..]).into_owned())
        .collect()
}
