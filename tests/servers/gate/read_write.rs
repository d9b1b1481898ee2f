//! READ WRITE, in every spelling and by every way that a text can travel: the statement runs, the
//! client gets the tag that it waits for, and the session only reads. What writes here is a
//! function that the policy names, so that nothing but the session's mode stops it.

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{ADMIN, APP, Options, RawClient, Stack, VERSIONS, frames};
use crate::versions::{has_case, on_every_version};

/// The modes of a transaction that begins.
const BEGINNINGS: [&str; 9] = [
    "BEGIN READ WRITE",
    "begin work isolation level serializable, read write",
    "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE DEFERRABLE",
    "BEGIN ISOLATION LEVEL REPEATABLE READ, READ WRITE, NOT DEFERRABLE",
    "BEGIN READ ONLY, READ WRITE",
    "BEGIN READ WRITE READ ONLY READ WRITE",
    "START TRANSACTION READ WRITE",
    "START TRANSACTION READ/* é */WRITE",
    "START TRANSACTION READ -- a comment\n WRITE",
];

/// What says the same of the session, or of the transaction that is open.
const SETTINGS: [&str; 34] = [
    "SET TRANSACTION READ WRITE",
    "SET LOCAL TRANSACTION READ WRITE",
    "SET TRANSACTION READ ONLY, READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED READ WRITE",
    "SET default_transaction_read_only = off",
    "SET default_transaction_read_only TO false",
    "SET SESSION default_transaction_read_only = 0",
    "SET LOCAL default_transaction_read_only = 'no'",
    "SET \"Default_Transaction_Read_Only\" TO'f'",
    "SET default_transaction_read_only = -0",
    "SET default_transaction_read_only = \"off\"",
    "SET default_transaction_read_only = $$of$$",
    "SET default_transaction_read_only = E'\\x6fff'",
    "SET default_transaction_read_only = U&'!006fff' UESCAPE '!'",
    "SET U&\"default\\005ftransaction_read_only\" = off",
    "SET default_transaction_read_only TO DEFAULT",
    "RESET default_transaction_read_only",
    "SET transaction_read_only = off",
    "SET transaction_read_only TO n",
    "SET LOCAL transaction_read_only = false",
    "SET SESSION \"TRANSACTION_READ_ONLY\" = 0",
    "SET transaction_read_only TO DEFAULT",
    "SET LOCAL transaction_read_only = DEFAULT",
    "RESET transaction_read_only",
    "RESET\"transaction_read_only\"",
    "RESET ALL",
    "SELECT set_config('default_transaction_read_only', 'off', false)",
    "SELECT pg_catalog.set_config('DEFAULT_transaction_read_only', '0'::text, true)",
    "SELECT set_config('transaction_read_only', 'off', false)",
    "SELECT set_config('transaction_read_only', NULL, true)",
    "SELECT set_config('default_transaction_read_only', NULL, false)",
    "SELECT 1 WHERE set_config($$transaction_read_only$$, E'\\x66', false) = 'on'",
    "WITH x AS (SELECT set_config('default_transaction_read_only', 'false', false)) TABLE x",
];

/// What is sent around one of them. `$` stands for it, `W` for what writes; `|` is between
/// messages, and `+` before those of a pipeline.
const AROUND_BEGINNINGS: [&str; 9] = [
    "$|W|ROLLBACK|W",
    "$|SAVEPOINT a|W|ROLLBACK TO a|W|COMMIT|W",
    "$|COMMIT AND CHAIN|W|ROLLBACK AND CHAIN|W|ROLLBACK",
    "BEGIN|$|W|COMMIT|W",
    "$; W|ROLLBACK|$; SELECT 1; SAVEPOINT a; W|ROLLBACK",
    "SELECT 1; $; W; COMMIT|W",
    "$; COMMIT AND CHAIN; W|ROLLBACK|W",
    "+$+W+ROLLBACK+W",
    "+$+SAVEPOINT a+W|ROLLBACK|W",
];

const AROUND_SETTINGS: [&str; 12] = [
    "$|W|BEGIN|W|ROLLBACK|DISCARD ALL|W",
    "$|BEGIN|$|W|ROLLBACK|W",
    "BEGIN|$|W|ROLLBACK|W",
    "BEGIN|$|COMMIT|W|COMMIT AND CHAIN|W",
    "BEGIN|$|COMMIT AND CHAIN|W|ROLLBACK|W",
    "BEGIN|SAVEPOINT a|$|W|ROLLBACK TO a|W|ROLLBACK|W",
    "BEGIN; $; W|ROLLBACK|W",
    "$; W|$; COMMIT; BEGIN; W|ROLLBACK|W",
    "SAVEPOINT a; $|BEGIN; SAVEPOINT a; $; RELEASE a; W|ROLLBACK|W",
    "+$+W|W",
    "+BEGIN+$+W|ROLLBACK|W",
    "RESET ALL|$|RESET ALL|W",
];

/// How the messages of one line travel that are not several statements.
#[derive(Debug, Clone, Copy)]
enum Way {
    Simple,
    Extended,
    /// Prepared under a name by the protocol and run twice.
    Named,
}

on_every_version!(nothing_is_written_whatever_asks_for_read_write, write_on);

fn write_on(version: u32) {
    let Some(stack) = start(version) else {
        return;
    };
    let mut case = 0;
    for role in [APP, ADMIN] {
        for way in [Way::Simple, Way::Extended, Way::Named] {
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(role));
            for (texts, lines) in [
                (&BEGINNINGS[..], &AROUND_BEGINNINGS[..]),
                (&SETTINGS[..], &AROUND_SETTINGS[..]),
            ] {
                for text in texts {
                    for line in lines {
                        case += 1;
                        if has_case(version, case) {
                            play(&mut client, line, text, way);
                        }
                    }
                }
            }
        }
    }
    let mut witness = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let rows = witness.query("SELECT count(*)::text FROM written");
    assert!(rows[1].body.ends_with(b"0"), "{version}: {rows:?}");
    let metrics = stack.get("/metrics").1;
    let mut raised = metrics
        .lines()
        .filter(|line| line.starts_with("pgsieve_tripwires_total") && !line.ends_with(" 0"));
    assert_eq!(raised.next(), None, "{version}");
}

/// Where a SELECT carries it, it may be prepared in SQL, or be a cursor, or be copied out.
#[test]
fn nothing_is_written_by_what_is_prepared_or_fetched() {
    let Some(stack) = start(15) else {
        return;
    };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(ADMIN));
    for text in SETTINGS.iter().filter(|text| text.starts_with("SELECT")) {
        for line in [
            "PREPARE p AS $|EXECUTE p|W|BEGIN|EXECUTE p|W|ROLLBACK",
            "PREPARE p AS $; EXECUTE p; W|EXECUTE p; W",
            "BEGIN|DECLARE c CURSOR FOR $|FETCH c|W|ROLLBACK|W",
            "DECLARE c CURSOR WITH HOLD FOR $|FETCH ALL FROM c|W",
            "COPY ($) TO STDOUT|W",
            "EXPLAIN ANALYZE $|W",
        ] {
            play(&mut client, line, text, Way::Simple);
        }
    }
}

#[test]
fn the_client_gets_the_tag_that_it_waits_for() {
    for version in VERSIONS {
        let Some(stack) = start(version) else {
            continue;
        };
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        for text in BEGINNINGS.iter().chain(&SETTINGS) {
            client.query("BEGIN");
            client.query("COMMIT");
            let is_begin = BEGINNINGS.contains(text);
            if !is_begin {
                client.query("BEGIN");
            }
            let answer = client.query(text);
            let tag = answer.iter().find(|frame| frame.kind == b'C');
            let tag = tag.unwrap_or_else(|| panic!("{version}: {text}: {answer:?}"));
            let word = text.split(['\"', ' ', '/']).next().unwrap().to_uppercase();
            let word = match word.as_str() {
                "WITH" => "SELECT",
                "START" => "START TRANSACTION",
                other => other,
            };
            let told = String::from_utf8_lossy(&tag.body).into_owned();
            assert!(told.starts_with(word), "{version}: {text}: {told}");
            let ready = answer.last().unwrap();
            assert_eq!((ready.kind, &*ready.body), (b'Z', &b"T"[..]), "{text}");
            let notices = answer.iter().filter(|frame| frame.kind == b'N').count();
            let named = text.to_lowercase().contains("transaction_read_only");
            let stays = [
                "default_transaction_read_only TO DEFAULT",
                "RESET default",
                "NULL, false",
            ];
            let is_told = named && !stays.iter().any(|part| text.contains(part));
            assert_eq!(
                notices,
                usize::from(is_told),
                "{version}: {text}: {answer:?}"
            );
            client.query("ROLLBACK");
            assert_eq!(shown(&mut client, "transaction_read_only"), "on", "{text}");
            assert_eq!(shown(&mut client, "default_transaction_read_only"), "on");
        }
    }
}

#[test]
fn errors_point_into_the_text_that_the_client_sent() {
    let Some(stack) = start(15) else {
        return;
    };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for before in [
        "",
        "BEGIN READ WRITE; ",
        "/* é */ RESET transaction_read_only; ",
        "SET default_transaction_read_only = $$off$$; ",
        "SET statement_timeout = 0; SET lock_timeout TO '1d'; ",
    ] {
        let text = format!("{before}SELECT nope FROM written");
        let answer = client.query(&text);
        let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
        let place = text[..text.find("nope").unwrap()].chars().count() + 1;
        assert_eq!(error.field(b'P'), Some(place.to_string()), "{text}");
        client.query("ROLLBACK");
    }
    let text = "SELECT set_config('transaction_read_only', 'off', true), nope FROM written";
    client.send(&frames::extended(text, &[], false));
    let answer = client.until_ready();
    let error = answer.iter().find(|frame| frame.kind == b'E').unwrap();
    let place = text.find("nope").unwrap() + 1;
    assert_eq!(error.field(b'P'), Some(place.to_string()));
}

#[test]
fn a_startup_packet_makes_no_session_writable() {
    let Some(stack) = start(15) else {
        return;
    };
    for parameter in [
        ("default_transaction_read_only", "off"),
        ("options", "-c default_transaction_read_only=off"),
        (
            "options",
            "-cdefault_transaction_read_only=0 --transaction-read-only=no",
        ),
        ("transaction_read_only", "false"),
    ] {
        let login = Login {
            parameters: &[parameter],
            ..stack.login(ADMIN)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        play(
            &mut client,
            "W|BEGIN|W|ROLLBACK|RESET ALL|W|DISCARD ALL|W",
            "",
            Way::Simple,
        );
        assert_eq!(shown(&mut client, "transaction_read_only"), "on");
    }
}

fn start(version: u32) -> Option<Stack> {
    let options = Options {
        policy: Some("bi"),
        policy_edits: &[(
            "\n  allow: []\n  # Functions that may not",
            "\n  allow: [public.writes]\n  any_search_path: [public.writes]\n  # Functions that may not",
        )],
        ..Options::default()
    };
    let stack = Stack::on_version_with(version, options)?;
    stack.prepare(&[
        "CREATE TABLE written (id int)",
        "CREATE FUNCTION public.writes() RETURNS text LANGUAGE plpgsql VOLATILE AS \
         $$BEGIN INSERT INTO public.written VALUES (1); RETURN 'has written'; END$$",
    ]);
    Some(stack)
}

/// Plays one line. Nothing in it has written, and the server was asked to.
fn play(client: &mut RawClient, line: &str, text: &str, way: Way) {
    let mut tried = 0;
    for message in line.split('|') {
        let several = message.contains(';');
        let parts: Vec<String> = message
            .split('+')
            .filter(|part| !part.is_empty())
            .map(|part| part.replace('W', WRITES).replace('$', text))
            .collect();
        let sent = match way {
            _ if several => frames::query(&parts[0]),
            Way::Simple if parts.len() == 1 => frames::query(&parts[0]),
            Way::Simple | Way::Extended => pipeline(&parts),
            Way::Named => {
                let twice = parts.iter().map(|part| named(part));
                [twice.collect::<Vec<_>>().concat(), frames::sync()].concat()
            }
        };
        client.send(&sent);
        let answer = client.until_ready();
        tried += refused_by_server(&answer);
        let wrote = answer.iter().any(|frame| {
            frame.kind == b'D' && String::from_utf8_lossy(&frame.body).contains("has written")
        });
        assert!(!wrote, "{way:?}: {line}: {text}: {message}: {answer:?}");
    }
    for end in ["ROLLBACK", "DISCARD ALL"] {
        client.query(end);
    }
    assert!(tried > 0, "{way:?}: {line}: {text}: nothing was tried");
}

fn pipeline(parts: &[String]) -> Vec<u8> {
    let messages = parts.iter().map(|text| {
        [
            frames::parse("", text),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
        ]
        .concat()
    });
    [messages.collect::<Vec<_>>().concat(), frames::sync()].concat()
}

/// Prepared under a name, run twice, and forgotten.
fn named(text: &str) -> Vec<u8> {
    let run = [frames::bind("", "n", &[], false), frames::execute("", 0)].concat();
    [
        frames::close(b'S', "n"),
        frames::parse("n", text),
        run.clone(),
        run,
    ]
    .concat()
}

/// How often the server said that the transaction only reads.
fn refused_by_server(answer: &[Frame]) -> usize {
    let own = |frame: &&Frame| {
        let words = frame.field(b'M').unwrap_or_default();
        words == "cannot execute INSERT in a read-only transaction"
    };
    answer
        .iter()
        .filter(|frame| frame.kind == b'E')
        .filter(own)
        .count()
}

fn shown(client: &mut RawClient, setting: &str) -> String {
    let answer = client.query(&format!("SHOW {setting}"));
    assert_eq!(kinds(&answer), "TDCZ");
    String::from_utf8_lossy(&answer[1].body[6..]).into_owned()
}

const WRITES: &str = "SELECT public.writes()";
