//! Repairs on the wire: a read that fails and has one right answer succeeds, in both protocols,
//! inside and outside of transaction blocks; everything else stays as it was.

use std::sync::LazyLock;

use crate::protocol::pair::Pair;
use crate::protocol::same_answer::{ERRORS, FIXTURE, statements};
use crate::support::raw::{Frame, Login, kinds};
use crate::support::recorder::{Recorded, Recorder};
use crate::support::shared::shared_cluster;
use crate::support::sql::assert_running;
use crate::support::{ADMIN, APP, Options, RawClient, Stack, UNREPAIRED, frames, until};

/// A table named by a spreadsheet.
const TABLES: &[&str] = &[
    "CREATE TABLE \"Schools\" (\"Name\" text, \"City\" text)",
    "INSERT INTO \"Schools\" VALUES ('a', 'x'), ('b', 'y')",
    "GRANT SELECT ON \"Schools\" TO app",
    "CREATE TABLE depots (id int PRIMARY KEY, depot_city text)",
    "CREATE TABLE vans (id int PRIMARY KEY, depot_id int, plate text)",
    "ALTER TABLE vans ADD FOREIGN KEY (depot_id) REFERENCES depots NOT VALID",
    "GRANT SELECT ON depots, vans TO app",
];

/// What has one reading once the catalog is known, and fails at the server as it is written.
const UNQUOTED: &str = "SELECT Name FROM Schools";

/// What the grammar refuses, and what is left of it.
const FENCED: &str = "```sql\nSELECT 1 AS one\n```";

/// What nobody can mend.
const HOPELESS: &str = "SELECT no_such_thing FROM \"Schools\"";

const OBSERVED: &[(&str, &str)] = &[("\n  mode: apply\n", "\n  mode: observe\n")];

fn start(policy_edits: &'static [(&'static str, &'static str)]) -> Stack {
    let stack = Stack::start(Options {
        policy_edits,
        ..Options::default()
    });
    stack.prepare(TABLES);
    knows_tables(&stack);
    stack
}

/// Waits until pgsieve has looked at the catalog again.
fn knows_tables(stack: &Stack) {
    let version = || {
        let mut client = login(stack);
        let answer = client.query("SELECT 1/0 FROM \"Schools\"");
        answer[0].sqlstate() == "22012" || answer.get(1).is_some_and(|e| e.sqlstate() == "22012")
    };
    until(|| version().then_some(())).expect("the catalog is known");
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| start(&[]));
    &STACK
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn error_of(answer: &[Frame]) -> &Frame {
    answer
        .iter()
        .find(|frame| frame.kind == b'E')
        .expect("an error")
}

/// The only NOTICE of an answer.
fn announced(answer: &[Frame], recoverer: &str) {
    let mut notices = answer.iter().filter(|frame| frame.kind == b'N');
    let notice = notices.next().expect("a notice");
    assert!(notices.next().is_none());
    let message = format!("pgsieve repaired this statement: {recoverer}");
    assert_eq!(notice.field(b'M').unwrap(), message);
    assert_eq!(notice.field(b'V').unwrap(), "NOTICE");
    assert_eq!(notice.sqlstate(), "00000");
    assert!(!notice.field(b'D').unwrap().is_empty());
}

#[test]
fn a_query_is_repaired_and_announced() {
    let mut client = login(stack());
    let answer = client.query(UNQUOTED);
    assert_eq!(kinds(&answer), "TDDNCZ");
    announced(&answer, "quote_identifiers");
    let answer = client.query(FENCED);
    assert_eq!(kinds(&answer), "TDNCZ");
    announced(&answer, "unwrap");
    assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
}

#[test]
fn a_batch_is_repaired_and_announced() {
    for (text, recoverer) in [(UNQUOTED, "quote_identifiers"), (FENCED, "unwrap")] {
        for name in ["", "s"] {
            let mut client = login(stack());
            client.send(
                &[
                    frames::parse(name, text),
                    frames::describe(b'S', name),
                    frames::bind("", name, &[], false),
                    frames::execute("", 0),
                    frames::sync(),
                ]
                .concat(),
            );
            let answer = client.until_ready();
            assert!(kinds(&answer).starts_with("N1tT2D"), "{answer:?}");
            assert!(kinds(&answer).ends_with("DCZ"), "{answer:?}");
            announced(&answer, recoverer);
            // What was prepared is the repaired text.
            client.send(&[frames::bind("", name, &[], false), frames::execute("", 0)].concat());
            client.send(&frames::sync());
            assert!(kinds(&client.until_ready()).starts_with("2D"));
        }
    }
}

/// As asyncpg and psycopg prepare: each answer is awaited before the next message.
#[test]
fn a_parse_that_is_flushed_is_repaired_before_its_sync() {
    for text in [UNQUOTED, FENCED] {
        let mut client = login(stack());
        client.send(
            &[
                frames::parse("s", text),
                frames::describe(b'S', "s"),
                frames::flush(),
            ]
            .concat(),
        );
        let answer: Vec<Frame> = (0..4).map(|_| client.read().unwrap()).collect();
        assert_eq!(kinds(&answer), "N1tT");
        client.send(&[frames::bind("", "s", &[], false), frames::execute("", 0)].concat());
        client.send(&frames::sync());
        let answer = client.until_ready();
        assert!(kinds(&answer).starts_with("2D") && kinds(&answer).ends_with("CZ"));
    }
}

#[test]
fn parameters_keep_their_types_and_numbers() {
    let mut client = login(stack());
    let text = "SELECT Name FROM Schools WHERE City = $1 AND length(Name) = $2";
    client.send(
        &[
            frames::parse("", text),
            frames::bind("", "", &[Some("y"), Some("1")], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat(),
    );
    let answer = client.until_ready();
    assert_eq!(kinds(&answer), "N12DCZ");
    assert!(answer[3].body.ends_with(b"b"));
}

#[test]
fn an_error_is_the_servers_own_but_for_advice() {
    let mut pair = Pair::open(stack());
    for messages in [
        frames::query(HOPELESS),
        frames::extended(HOPELESS, &[], false),
        [frames::parse("x", HOPELESS), frames::sync()].concat(),
    ] {
        let (direct, proxied) = pair.ask(&messages);
        assert_eq!(kinds(&direct), kinds(&proxied));
        alike_but_for_advice(&direct[0], &proxied[0]);
        let detail = proxied[0].field(b'D').unwrap();
        assert!(detail.starts_with("RepairExhausted: "), "{detail}");
    }
}

#[test]
fn a_key_that_was_not_validated_is_told_and_joins_nothing() {
    let mut client = login(stack());
    let answer = client.query("SELECT plate, depot_city FROM vans");
    let hint = error_of(&answer).field(b'H').unwrap();
    assert!(hint.contains("vans.depot_id = public.depots.id"), "{hint}");
    assert!(hint.contains("That key was not validated"), "{hint}");
}

/// Everything that a client acts on is the same; words may be added to DETAIL, and HINT may be
/// another one.
fn alike_but_for_advice(direct: &Frame, proxied: &Frame) {
    for field in *b"SVCMPpqWstcdnFLR" {
        assert_eq!(direct.field(field), proxied.field(field), "{proxied:?}");
    }
    let before = direct.field(b'D').unwrap_or_default();
    let after = proxied.field(b'D').unwrap_or_default();
    assert!(after.starts_with(&before), "{proxied:?}");
    let hints = [direct, proxied].map(|frame| frame.field(b'H').is_some());
    assert!(hints != [true, false], "{proxied:?}");
}

#[test]
fn all_errors_are_the_servers_own_but_for_advice() {
    let stack = Stack::start(Options::default());
    stack.prepare(&[FIXTURE]);
    let mut pair = Pair::open(&stack);
    let mut compared = 0;
    for statement in statements(ERRORS) {
        let text = &statement.text;
        for messages in [frames::query(text), frames::extended(text, &[], false)] {
            let (direct, proxied) = pair.ask(&messages);
            if proxied.iter().any(|frame| frame.kind == b'N') {
                continue;
            }
            assert_eq!(kinds(&direct), kinds(&proxied), "{text}");
            for (direct, proxied) in direct.iter().zip(&proxied) {
                if direct.kind == b'E' && !["26000", "34000"].contains(&&*direct.sqlstate()) {
                    alike_but_for_advice(direct, proxied);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn a_transaction_goes_on_behind_a_repair_and_fails_as_usual_without() {
    let mut client = login(stack());
    for text in [UNQUOTED, FENCED] {
        client.query("BEGIN");
        let answer = client.query(text);
        assert!(kinds(&answer).ends_with("NCZ"), "{answer:?}");
        assert_eq!(answer.last().unwrap().body, b"T");
        client.send(&frames::extended(text, &[], false));
        let answer = client.until_ready();
        assert!(kinds(&answer).starts_with("N1"), "{answer:?}");
        assert_eq!(answer.last().unwrap().body, b"T");
        assert_eq!(client.query("COMMIT")[0].body, b"COMMIT\0");
    }
    let mut pair = Pair::open(stack());
    for text in [HOPELESS, "```sql\nnothing\n```"] {
        pair.ask(&frames::query("BEGIN"));
        let (direct, proxied) = pair.ask(&frames::query(text));
        assert_eq!(kinds(&proxied), "EZ");
        assert_eq!(proxied[1].body, b"E");
        for field in *b"CMP" {
            assert_eq!(direct[0].field(field), proxied[0].field(field));
        }
        let (_, proxied) = pair.ask(&frames::query("SELECT 1"));
        assert_eq!(proxied[0].sqlstate(), "25P02");
        pair.ask(&frames::query("ROLLBACK"));
    }
}

#[test]
fn a_pipeline_keeps_its_order() {
    let mut client = login(stack());
    let batch = |text: &str| frames::extended(text, &[], false);
    let mut asked = Vec::new();
    for text in ["SELECT 1", FENCED, "SELECT 2", "SELECT 1/0", FENCED] {
        asked.extend(batch(text));
    }
    asked.extend(frames::query("SELECT 3"));
    asked.extend(frames::query(FENCED));
    client.send(&asked);
    let answers: Vec<String> = (0..7)
        .map(|_| {
            let answer = client.until_ready();
            let row = answer.iter().find(|frame| frame.kind == b'D');
            let value = row.map_or("-", |row| std::str::from_utf8(&row.body[6..]).unwrap());
            let notice = kinds(&answer).contains('N');
            format!("{value}{}", if notice { "!" } else { "" })
        })
        .collect();
    assert_eq!(answers, ["1", "1!", "2", "-", "1!", "3", "1!"]);
}

#[test]
fn what_is_prepared_in_sql_is_left_alone() {
    let mut pair = Pair::open(stack());
    for text in ["PREPARE p AS SELECT Name FROM Schools", "EXECUTE p"] {
        let (direct, proxied) = pair.ask(&frames::query(text));
        assert_eq!(kinds(&proxied), "EZ", "{text}");
        assert_eq!(direct[0].sqlstate(), proxied[0].sqlstate(), "{text}");
    }
}

#[test]
fn who_wants_no_notices_gets_none() {
    let login_quiet = Login {
        parameters: &[("client_min_messages", "warning")],
        ..stack().login(APP)
    };
    let mut client = RawClient::login(stack().proxied_address(), &login_quiet);
    let is_told = |client: &mut RawClient| {
        let answer = client.query(FENCED);
        assert!(kinds(&answer).starts_with('T') && kinds(&answer).ends_with("CZ"));
        kinds(&answer).contains('N')
    };
    assert!(!is_told(&mut client));
    client.query("SET client_min_messages = notice");
    assert!(is_told(&mut client));
    for (texts, told) in [
        (
            &["BEGIN", "SET LOCAL client_min_messages = error"][..],
            false,
        ),
        (&["COMMIT"], true),
        (
            &["BEGIN", "SET client_min_messages = error", "ROLLBACK"],
            true,
        ),
        (
            &["BEGIN", "SET client_min_messages = error", "COMMIT"],
            false,
        ),
        (&["RESET client_min_messages"], false),
        (
            &["SELECT set_config('client_min_messages', 'notice', false)"],
            true,
        ),
        (&["DISCARD ALL"], false),
    ] {
        for text in texts {
            client.query(text);
        }
        assert_eq!(is_told(&mut client), told, "{texts:?}");
    }
}

#[test]
fn observed_and_switched_off_nothing_changes() {
    for (edits, counted) in [(OBSERVED, true), (UNREPAIRED, false)] {
        let stack = start(edits);
        let mut pair = Pair::open(&stack);
        for text in [UNQUOTED, HOPELESS] {
            for messages in [frames::query(text), frames::extended(text, &[], false)] {
                let (direct, proxied) = pair.ask(&messages);
                assert_eq!(direct, proxied);
            }
        }
        let answer = pair.proxied.query(FENCED);
        assert_eq!(kinds(&answer), "EZ");
        let observed = until(|| {
            let (_, metrics) = stack.get("/metrics");
            let observed = |line: &&str| {
                line.starts_with("pgsieve_repairs_total") && line.contains("observed")
            };
            metrics
                .lines()
                .find(observed)
                .map(|_| ())
                .or((!counted).then_some(()))
        });
        assert!(observed.is_some());
        let (_, metrics) = stack.get("/metrics");
        let attempts = metrics.lines();
        let attempts = attempts.filter(|line| line.starts_with("pgsieve_repairs_total"));
        let attempts = attempts.collect::<String>();
        assert_eq!(attempts.contains("outcome=\"observed\""), counted);
        assert!(!attempts.contains("outcome=\"applied\""));
    }
}

#[test]
fn a_repair_is_counted_and_on_record_without_its_text() {
    let stack = start(&[]);
    let mut client = login(&stack);
    client.query("```\nSELECT 'canary_in_a_fence'\n```");
    let event = stack.audited(|event| event["event"] == "statement_repaired");
    assert_eq!(event["outcome"], "applied");
    let finished = stack.audited(|event| event["verdict"] == "repaired");
    assert_eq!(finished["event"], "statement");
    client.send(&frames::extended(
        "```\nSELECT 'canary_in_a_fence'\n```",
        &[],
        false,
    ));
    client.until_ready();
    let finished = stack.audited(|event| event["path"] == "execute");
    assert_eq!(finished["verdict"], "repaired");
    assert!(!stack.everything_said().contains("canary_in_a_fence"));
}

/// A conflict with recovery on a standby, say.
#[test]
fn a_read_that_fails_for_the_moment_is_sent_again() {
    let stack = start(&[]);
    stack.prepare(&[
        "CREATE TABLE conflict (id int)",
        "CREATE FUNCTION steady() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN \
         IF EXISTS (SELECT FROM conflict) THEN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; \
         END IF; RETURN 7; END $$",
        "GRANT SELECT ON conflict TO app",
    ]);
    let mut admin = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let mut client = login(&stack);
    until(|| (kinds(&client.query("SELECT steady()")) == "TDCZ").then_some(())).unwrap();
    for messages in [
        frames::query("SELECT steady()"),
        frames::query("SELECT steady() FROM generate_series(1, 3)"),
    ] {
        stack.prepare(&["INSERT INTO conflict VALUES (1)"]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                admin.query("DELETE FROM conflict");
            });
            client.send(&messages);
            let answer = kinds(&client.until_ready());
            assert!(
                answer.starts_with("TD") && answer.ends_with("CZ"),
                "{answer}"
            );
        });
    }
    until(|| (stack.metric("pgsieve_retries_total") >= 2.0).then_some(())).expect("counted");
    // In a transaction block it is the client's to begin again.
    stack.prepare(&["INSERT INTO conflict VALUES (1)"]);
    client.query("BEGIN");
    assert_eq!(
        error_of(&client.query("SELECT steady()")).sqlstate(),
        "40001"
    );
}

#[test]
fn a_result_that_the_policy_cuts_is_announced() {
    let stack = start(&[("\n  default_limit: \"off\"\n", "\n  default_limit: 2\n")]);
    let mut client = login(&stack);
    let message = "the result was cut at 2 rows by the policy";
    for (text, rows, cut) in [
        ("SELECT * FROM generate_series(1, 5)", 2, true),
        ("SELECT * FROM generate_series(1, 1)", 1, false),
        ("SELECT * FROM generate_series(1, 5) LIMIT 4", 4, false),
        ("SELECT count(*) FROM generate_series(1, 5)", 1, false),
        ("SELECT Name FROM Schools", 2, true),
    ] {
        for messages in [frames::query(text), frames::extended(text, &[], false)] {
            client.send(&messages);
            let answer = client.until_ready();
            let count = answer.iter().filter(|frame| frame.kind == b'D').count();
            assert_eq!(count, rows, "{text}");
            let told = answer
                .iter()
                .any(|frame| frame.kind == b'N' && frame.field(b'M').as_deref() == Some(message));
            assert_eq!(told, cut, "{text}");
        }
    }
}

#[test]
fn a_cancel_ends_a_repair() {
    let stack = start(&[]);
    let mut client = login(&stack);
    assert_eq!(kinds(&client.query(UNQUOTED)), "TDDNCZ");
    let mut locker = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    locker.query("BEGIN");
    locker.query("LOCK \"Schools\" IN ACCESS EXCLUSIVE MODE");
    let (pid, secret) = client.key.clone().unwrap();
    let asked = std::time::Instant::now();
    client.send(&frames::query(UNQUOTED));
    assert_running(&stack, 1);
    let mut canceller = RawClient::connect(stack.proxied_address());
    canceller.send(&frames::cancel_request(pid, &secret));
    canceller.until_closed();
    let answer = client.until_ready();
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "57014");
    assert!(asked.elapsed() < std::time::Duration::from_millis(1_800));
    locker.query("ROLLBACK");
    assert_eq!(kinds(&client.query(UNQUOTED)), "TDDNCZ");
}

/// A statement that succeeds costs no message and no round trip more than it would without the
/// repair, whichever way it is asked.
#[test]
fn what_succeeds_costs_nothing() {
    let unchanged = &[("\n  mode: apply\n", "\n  mode: apply\n")][..];
    let counts = [unchanged, UNREPAIRED].map(|edits| {
        let recorder = Recorder::start(shared_cluster().port());
        let config = format!(
            "upstream:\n  url: postgres://{}/{{database}}\nlisten: {{listen}}\nadmin:\n  \
             listen: {{admin}}\npolicy:\n  file: {{folder}}/policy.yaml\n",
            recorder.address()
        );
        let stack = Stack::start(Options {
            policy_edits: edits,
            config: Some(config),
            ..Options::default()
        });
        stack.prepare(TABLES);
        let login = Login {
            parameters: &[("application_name", "counted")],
            ..stack.login(APP)
        };
        let mut client = RawClient::login(stack.proxied_address(), &login);
        succeed(&mut client);
        let recorded: Vec<Recorded> = recorder.of("counted");
        assert_eq!(recorded.len(), 1);
        assert!(recorder.of("pgsieve repair").is_empty());
        let after_login = recorded[0]
            .sent
            .windows(5)
            .position(|at| at == b"Q\0\0\0\x0d");
        let sent = recorded[0].sent[after_login.unwrap()..].to_vec();
        (
            String::from_utf8_lossy(&sent).into_owned(),
            recorded[0].turns,
        )
    });
    assert_eq!(counts[0], counts[1]);
}

fn succeed(client: &mut RawClient) {
    let text = "SELECT \"Name\" FROM \"Schools\" WHERE \"City\" = 'x'";
    for block in [&["SELECT 1"][..], &["BEGIN"]] {
        for start in block {
            client.query(start);
        }
        for _ in 0..3 {
            assert_eq!(kinds(&client.query(text)), "TDCZ");
            client.send(&frames::extended(text, &[], false));
            assert!(kinds(&client.until_ready()).ends_with("DCZ"));
            client.send(&[frames::parse("s", text), frames::describe(b'S', "s")].concat());
            client.send(&frames::flush());
            for _ in 0..3 {
                client.read().unwrap();
            }
            let rest = [
                frames::bind("", "s", &[], false),
                frames::execute("", 0),
                frames::close(b'S', "s"),
                frames::sync(),
            ];
            client.send(&rest.concat());
            assert_eq!(kinds(&client.until_ready()), "2DC3Z");
        }
    }
    client.query("COMMIT");
}
