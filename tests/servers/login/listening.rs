//! LISTEN that is ignored, the code that writes are refused with, and what a connection string asks
//! for in vain: as clients hear it, by every way that a message can take.

use std::path::Path;
use std::process::Command;

use crate::support::installed::installed;
use crate::support::raw::{Frame, Login};
use crate::support::{APP, Options, RawClient, Stack, frames};

/// The tags, notices and codes of an answer.
fn told(answer: &[Frame]) -> Vec<String> {
    let words = answer.iter().filter_map(|frame| match frame.kind {
        b'C' => Some(String::from_utf8_lossy(frame.body.strip_suffix(b"\0")?).into_owned()),
        b'N' => frame.field(b'M'),
        b'E' => Some(frame.sqlstate()),
        _ => None,
    });
    words.collect()
}

#[test]
fn nobody_listens_and_everybody_is_told() {
    for (version, policy) in [(15, "agent"), (18, "bi")] {
        let options = Options {
            policy: Some(policy),
            ..Options::default()
        };
        let Some(stack) = Stack::on_version_with(version, options) else {
            continue;
        };
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        let notice = "LISTEN jobs is ignored: no notification will come";
        let heard = told(&client.query("LISTEN jobs"));
        assert_eq!(heard, [notice, "LISTEN"]);
        let heard = told(&client.query("BEGIN; listen jobs; UNLISTEN jobs; COMMIT"));
        let (notices, tags): (Vec<String>, Vec<String>) =
            heard.into_iter().partition(|word| *word == notice);
        assert_eq!(tags, ["BEGIN", "LISTEN", "UNLISTEN", "COMMIT"]);
        assert_eq!(notices.len(), 1);
        client.send(&frames::extended("LISTEN jobs", &[], false));
        let heard = told(&client.until_ready());
        assert!(heard.contains(&"LISTEN".to_owned()), "{heard:?}");
        // Prepared once and run twice.
        let run = [frames::bind("", "l", &[], false), frames::execute("", 0)].concat();
        let twice = [
            frames::parse("l", "LISTEN jobs"),
            run.repeat(2),
            frames::sync(),
        ]
        .concat();
        client.send(&twice);
        let heard = told(&client.until_ready());
        assert_eq!(
            heard.iter().filter(|word| *word == "LISTEN").count(),
            2,
            "{heard:?}"
        );
        let rows = client.query("SELECT pg_listening_channels()");
        assert!(rows.iter().all(|frame| frame.kind != b'D'), "{rows:?}");
        let mut other = RawClient::login(stack.direct_address(), &stack.login(APP));
        other.query("NOTIFY jobs, 'x'");
        let rows = client.query("SELECT 1");
        assert!(rows.iter().all(|frame| frame.kind != b'A'), "{rows:?}");
        assert_eq!(told(&client.query("UNLISTEN *")), ["UNLISTEN"]);
        // An error points into the client's own text.
        let text = "BEGIN; LISTEN jobs; SELECT nope";
        let answer = client.query(text);
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        let place = text.find("nope").unwrap() + 1;
        assert_eq!(error.field(b'P'), Some(place.to_string()));
    }
}

#[test]
fn writes_have_the_code_that_the_policy_gives_them() {
    for (code, edits) in [
        ("25006", &[][..]),
        (
            "42501",
            &[("#write_sqlstate: \"25006\"", "write_sqlstate: \"42501\"")][..],
        ),
    ] {
        let options = Options {
            policy: Some("bi"),
            policy_edits: edits,
            ..Options::default()
        };
        let stack = Stack::start(options);
        stack.prepare(&["CREATE TABLE kept (n int)", "GRANT ALL ON kept TO app"]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        for text in [
            "DELETE FROM kept",
            "INSERT INTO kept VALUES (1)",
            "CREATE TABLE other (n int)",
            "TRUNCATE kept",
            "COPY kept FROM STDIN",
            "SELECT * INTO other FROM kept",
            "SELECT n FROM kept FOR UPDATE",
            "WITH x AS (DELETE FROM kept RETURNING n) SELECT * FROM x",
            "SELECT 1; DELETE FROM kept",
            "PREPARE p AS DELETE FROM kept",
            "SELECT setval('s', 1)",
        ] {
            assert_eq!(told(&client.query(text)), [code], "{text}");
            client.send(&frames::extended(text, &[], false));
            let heard = told(&client.until_ready());
            // Several statements in one Parse are an error of the server's own.
            let several = text.contains(';');
            assert!(several || heard == [code], "{text}: {heard:?}");
            // Within a transaction, where the server takes part in the answer.
            client.query("BEGIN");
            assert_eq!(told(&client.query(text)), [code], "{text}");
            client.query("ROLLBACK");
        }
        // What is no write has its own code.
        assert_eq!(told(&client.query("SET ROLE postgres")), ["42501"]);
        assert_eq!(told(&client.query("SELECT nope")), ["42703"]);
        client.send(&frames::message(b'F', &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        assert_eq!(told(&client.until_ready()), ["0A000"]);
        let line = stack.audited(|line| line["rule"] == "write_statement");
        assert_eq!(line["sqlstate"], code);
    }
}

/// What Python's drivers make of both codes.
#[test]
fn drivers_raise_the_exception_of_the_code() {
    for (edits, wanted) in [
        (
            &[][..],
            "psycopg ReadOnlySqlTransaction InternalError\n\
             psycopg2 ReadOnlySqlTransaction InternalError\n\
             asyncpg ReadOnlySQLTransactionError InvalidTransactionStateError\n\
             asyncpg ReadOnlySQLTransactionError InvalidTransactionStateError\n",
        ),
        (
            &[("#write_sqlstate: \"25006\"", "write_sqlstate: \"42501\"")][..],
            "psycopg InsufficientPrivilege ProgrammingError\n\
             psycopg2 InsufficientPrivilege ProgrammingError\n\
             asyncpg InsufficientPrivilegeError SyntaxOrAccessError\n\
             asyncpg InsufficientPrivilegeError SyntaxOrAccessError\n",
        ),
    ] {
        let stack = Stack::start(Options {
            policy: Some("agent"),
            policy_edits: edits,
            ..Options::default()
        });
        let output = Command::new(installed("clients-venv/bin/python"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/clients/write_sqlstate.py"))
            .env("PGHOST", "127.0.0.1")
            .env("PGPORT", stack.proxied_address().port().to_string())
            .env("PGUSER", APP)
            .env("PGPASSWORD", APP)
            .env("PGDATABASE", stack.database())
            .output()
            .expect("python: run `make setup`");
        let (out, err) = (output.stdout, output.stderr);
        let err = String::from_utf8_lossy(&err);
        assert_eq!(String::from_utf8_lossy(&out), wanted, "{err}");
    }
}

/// What a connection string asks for in vain is counted; who one is anyway may be said.
#[test]
fn what_a_login_does_not_get_is_counted() {
    let stack = Stack::start(Options {
        policy: Some("agent"),
        ..Options::default()
    });
    let login = |parameters: &[(&str, &str)]| {
        let login = Login {
            parameters,
            ..stack.login(APP)
        };
        RawClient::try_login(stack.proxied_address(), &login).map_err(|error| error.sqlstate())
    };
    for parameters in [
        &[("role", "none")][..],
        &[("role", APP), ("session_authorization", APP)],
        &[("options", "-c role=none -c session_authorization=app")],
    ] {
        let Ok(mut client) = login(parameters) else {
            panic!("no session: {parameters:?}");
        };
        let answer = client.query("SELECT current_user");
        let row = answer.iter().find(|frame| frame.kind == b'D').unwrap();
        assert!(row.body.ends_with(APP.as_bytes()), "{row:?}");
    }
    for parameters in [
        &[("role", "postgres")][..],
        &[("options", "-c session_authorization=none")],
        &[("role", "")],
    ] {
        assert_eq!(
            login(parameters).err().as_deref(),
            Some("42501"),
            "{parameters:?}"
        );
    }
    let counted = |change| stack.metric_sum("pgsieve_login_settings_total", &[("change", change)]);
    assert_eq!((counted("ignored"), counted("lowered")), (0.0, 0.0));
    drop(login(&[
        ("log_statement", "all"),
        ("statement_timeout", "0"),
    ]));
    drop(login(&[("options", "-c log_statement=all")]));
    assert_eq!((counted("ignored"), counted("lowered")), (2.0, 1.0));
}
