//! `pgsieve.repairs`: a client that wants its statements as they are gets what it would get under
//! a policy whose `repair.mode` is off.

use std::sync::LazyLock;

use crate::support::raw::{Frame, Login, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, UNREPAIRED, frames, until};

const TABLES: &[&str] = &[
    "CREATE TABLE \"Numbers\" (\"Name\" text, amount integer)",
    "INSERT INTO \"Numbers\" VALUES ('a', 1)",
    "CREATE TABLE sums (\"Total\" integer)",
    "INSERT INTO sums VALUES (7), (8)",
    "GRANT SELECT ON \"Numbers\", sums TO app",
];

/// A failing text: by the name of a table that has capitals.
const UNQUOTED: &str = "SELECT Name FROM Numbers";

/// Statements that are repaired, get a HINT, or only fail: by the grammar, the gate, the names and
/// while they run.
const STATEMENTS: &[&str] = &[
    UNQUOTED,
    "SELECT Total FROM sums",
    "SELECT `Total` FROM sums",
    "SELECT TOP 1 \"Total\" FROM sums",
    "SELECT \"Total\" FROM sums LIMIT 0, 1",
    "```sql\nSELECT \"Total\" FROM sums\n```",
    "SELEC \"Total\" FROM sums",
    "SELECT \"Total\" FROM sums WHERE",
    "SELECT ISNULL(\"Total\", 0) FROM sums",
    "SELECT nowhere FROM sums",
    "SELECT * FROM nowhere",
    "SELECT count(*), \"Name\" FROM \"Numbers\"",
    "SELECT \"Name\" + 1 FROM \"Numbers\"",
    "SELECT 1 / 0",
    "SHOW TABLES",
    "DELETE FROM sums",
    "SELECT \"Total\" FROM sums",
];

fn start(policy_edits: &'static [(&'static str, &'static str)]) -> Stack {
    let stack = Stack::start(Options {
        policy_edits,
        ..Options::default()
    });
    stack.prepare(TABLES);
    stack
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = start(&[]);
        let is_known = || is_repaired(&mut login(&stack, &[])).then_some(());
        until(is_known).expect("the catalog is known");
        stack
    });
    &STACK
}

/// One whose policy repairs nothing.
fn unrepaired() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| start(UNREPAIRED));
    &STACK
}

fn login(stack: &Stack, parameters: &'static [(&'static str, &'static str)]) -> RawClient {
    let login = Login {
        parameters,
        ..stack.login(APP)
    };
    RawClient::login(stack.proxied_address(), &login)
}

fn session() -> RawClient {
    login(stack(), &[])
}

/// Whether a failing text is repaired, in both protocols; where not, its error has no HINT.
fn is_repaired(client: &mut RawClient) -> bool {
    let extended = frames::extended(UNQUOTED, &[], false);
    let answers = [frames::query(UNQUOTED), extended].map(|sent| {
        client.send(&sent);
        client.until_ready()
    });
    let repaired = answers.each_ref().map(|answer| {
        let error = answer.iter().find(|frame| frame.kind == b'E');
        if let Some(error) = error {
            assert_eq!(error.sqlstate(), "42P01");
            assert_eq!(error.field(b'H'), None);
        }
        error.is_none() && kinds(answer).contains('N') && rows(answer) == ["a"]
    });
    assert_eq!(repaired[0], repaired[1], "{answers:?}");
    repaired[0]
}

fn done(client: &mut RawClient, text: &str) {
    let answer = client.query(text);
    assert!(kinds(&answer).ends_with("CZ"), "{text}: {answer:?}");
}

#[test]
fn who_wants_no_repairs_gets_none() {
    let mut client = session();
    assert!(is_repaired(&mut client));
    for (off, on) in [
        ("SET pgsieve.repairs = off", "RESET pgsieve.repairs"),
        (
            "SET SESSION pgsieve.repairs TO false",
            "SET pgsieve.repairs = on",
        ),
        ("SET pgsieve.repairs = 0", "SET pgsieve.repairs TO DEFAULT"),
        (
            "SELECT set_config('pgsieve.repairs', 'off', false)",
            "RESET ALL",
        ),
        ("SET PGSIEVE.Repairs = 'no'", "DISCARD ALL"),
    ] {
        done(&mut client, off);
        assert!(!is_repaired(&mut client), "{off}");
        done(&mut client, on);
        assert!(is_repaired(&mut client), "{on}");
    }
}

#[test]
fn only_truth_is_a_value() {
    let mut client = session();
    for wrong in ["perhaps", "2", "''", "'observe'"] {
        let answer = client.query(&format!("SET pgsieve.repairs = {wrong}"));
        assert_eq!(answer[0].sqlstate(), "22023", "{wrong}");
    }
    assert!(is_repaired(&mut client));
    let shown = |client: &mut RawClient| rows(&client.query("SHOW pgsieve.repairs")).concat();
    assert_eq!(shown(&mut client), "on");
    done(&mut client, "SET pgsieve.repairs = off");
    assert_eq!(shown(&mut client), "off");
}

#[test]
fn it_follows_transactions() {
    let mut client = session();
    for (texts, repaired) in [
        (
            &["BEGIN", "SET LOCAL pgsieve.repairs = off", "COMMIT"][..],
            true,
        ),
        (&["BEGIN", "SET pgsieve.repairs = off", "ROLLBACK"], true),
        (&["BEGIN", "SET pgsieve.repairs = off", "COMMIT"], false),
        (
            &["BEGIN", "SET LOCAL pgsieve.repairs = on", "COMMIT"],
            false,
        ),
    ] {
        texts.iter().for_each(|text| done(&mut client, text));
        assert_eq!(is_repaired(&mut client), repaired, "{texts:?}");
    }
    done(&mut client, "SET pgsieve.repairs = on");
    // Within one, a text that is expected to fail is looked at before it is sent.
    for set in ["SET LOCAL pgsieve.repairs = off", "SET pgsieve.repairs = 0"] {
        done(&mut client, "BEGIN");
        assert!(is_repaired(&mut client));
        done(&mut client, set);
        let answer = client.query(UNQUOTED);
        assert_eq!(answer[0].sqlstate(), "42P01", "{set}");
        assert_eq!(answer[0].field(b'H'), None, "{set}");
        done(&mut client, "ROLLBACK");
        assert!(is_repaired(&mut client));
    }
}

#[test]
fn a_failure_leaves_it_as_it_was() {
    let mut client = session();
    done(&mut client, "SET pgsieve.repairs = off");
    for text in ["SELECT 1 / 0", UNQUOTED, "DELETE FROM sums", "SELEC"] {
        assert!(kinds(&client.query(text)).starts_with('E'), "{text}");
        assert!(!is_repaired(&mut client), "{text}");
        done(&mut client, "BEGIN");
        assert!(kinds(&client.query(text)).starts_with('E'), "{text}");
        done(&mut client, "ROLLBACK");
        assert!(!is_repaired(&mut client), "{text}");
    }
}

#[test]
fn a_session_may_begin_with_it() {
    for parameters in [
        &[("options", "-c pgsieve.repairs=off")],
        &[("pgsieve.repairs", "off")],
    ] {
        let mut client = login(stack(), parameters);
        assert!(!is_repaired(&mut client));
        done(&mut client, "SET pgsieve.repairs = on");
        assert!(is_repaired(&mut client));
        done(&mut client, "RESET pgsieve.repairs");
        assert!(!is_repaired(&mut client));
        done(&mut client, "DISCARD ALL");
        assert!(!is_repaired(&mut client));
    }
}

/// What a client hears of a text: kinds of messages, and the fields of errors and notices that do
/// not say where in the server's source they come from.
fn heard(answer: &[Frame]) -> Vec<(u8, String)> {
    let told = |frame: &Frame| match frame.kind {
        b'E' | b'N' => {
            let fields = [b'S', b'C', b'M', b'D', b'H', b'P'];
            format!("{:?}", fields.map(|kind| frame.field(kind)))
        }
        // The two databases number their tables by themselves.
        b'T' => String::new(),
        _ => String::from_utf8_lossy(&frame.body).into_owned(),
    };
    answer
        .iter()
        .map(|frame| (frame.kind, told(frame)))
        .collect()
}

#[test]
fn it_is_as_if_the_policy_repaired_nothing() {
    let mut off = session();
    done(&mut off, "SET pgsieve.repairs = off");
    let mut unrepaired = login(unrepaired(), &[]);
    let mut differs = 0;
    let mut repaired = session();
    for text in STATEMENTS {
        for (sent, begin) in [
            (frames::query(text), None),
            (frames::extended(text, &[], false), None),
            (frames::query(text), Some("BEGIN")),
            (frames::extended(text, &[], false), Some("BEGIN")),
        ] {
            let [one, other, third] = [&mut off, &mut unrepaired, &mut repaired].map(|client| {
                begin.into_iter().for_each(|text| done(client, text));
                client.send(&sent);
                let answer = heard(&client.until_ready());
                begin.into_iter().for_each(|_| done(client, "ROLLBACK"));
                answer
            });
            assert_eq!(one, other, "{text}");
            differs += usize::from(one != third);
        }
    }
    assert!(differs > 40, "{differs} of {}", STATEMENTS.len() * 4);
}
