//! A refusal has the shape of an error. Each script runs twice, once at pgsieve with a statement
//! that it refuses, and once at the database with one that fails at the same point there; the two
//! answers must consist of the same messages, with the same transaction status after each.

use std::sync::LazyLock;

use crate::support::raw::{Frame, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames};

use super::same_answer::FIXTURE;

/// Fails in the server's parser analysis, so at the message in which pgsieve refuses.
const FAILS_DIRECTLY: &str = "SELECT no_such_column";

/// Refused, each for another reason: a write, a hidden one, a function, a setting, what is not
/// carried.
const REFUSED: [(&str, &str); 10] = [
    ("DELETE FROM item", "25006"),
    (
        "WITH a AS (UPDATE item SET name = '' RETURNING 1) SELECT * FROM a",
        "25006",
    ),
    ("SELECT nextval('counter')", "25006"),
    ("COPY item FROM STDIN", "25006"),
    ("COPY item TO PROGRAM 'cat'", ""),
    ("SET ROLE reader", ""),
    ("SET default_transaction_read_only = maybe", "25006"),
    ("SELECT pg_sleep(100)", ""),
    ("SELECT 1; DELETE FROM item", ""),
    HIDDEN,
];

/// Refused only where names are seen through; last on the list.
const HIDDEN: (&str, &str) = ("SELECT * FROM innocent", "42501");

#[test]
fn a_refusal_has_the_shape_of_an_error() {
    check(stack(), &REFUSED);
    check(tree_only_stack(), &REFUSED[..REFUSED.len() - 1]);
}

#[test]
fn a_refusal_has_the_shape_of_an_error_before_postgres_18() {
    let Some(stack) = Stack::on_version(18) else {
        return;
    };
    stack.prepare(&[FIXTURE]);
    check(&stack, &REFUSED[..1]);
}

/// Sequences that nobody would write: whatever a client sends, both sides answer alike.
#[test]
fn any_sequence_of_messages_is_answered_alike() {
    for (stack, bad) in [
        (stack(), "DELETE FROM item"),
        (stack(), HIDDEN.0),
        (tree_only_stack(), "DELETE FROM item"),
    ] {
        sequences(stack, bad);
    }
}

fn sequences(stack: &Stack, bad: &str) {
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(APP));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(APP));
    // In a failed transaction the server looks at nothing, and pgsieve refuses all the same.
    let told = |answer: &[Frame]| -> Vec<String> {
        let either = ["E42703", "E25006", "E42501", "E25P02"];
        let shape = shape(answer, "").into_iter();
        shape
            .map(|word| {
                if either.contains(&word.as_str()) {
                    "E".to_owned()
                } else {
                    word
                }
            })
            .collect()
    };
    let mut chance: u64 = 20_260_101;
    for _ in 0..400 {
        let mut script = Vec::new();
        for _ in 0..14 {
            // Knuth's generator: any will do, as long as it says the same tomorrow.
            chance = chance
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(chance >> 33).unwrap() % WORDS.len();
            script.push(WORDS[at]);
        }
        let script = script.join(" ");
        let failed = answer(&mut direct, &messages(&script, FAILS_DIRECTLY));
        let refused = answer(&mut proxied, &messages(&script, bad));
        assert_eq!(told(&refused), told(&failed), "{script}: {refused:?}");
    }
}

/// Runs every script on both sides, with each of these statements at pgsieve.
fn check(stack: &Stack, refused: &[(&str, &str)]) {
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(APP));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for script in SCRIPTS {
        let failed = answer(&mut direct, &messages(script, FAILS_DIRECTLY));
        let expected = shape(&failed, "42703");
        for (bad, sqlstate) in refused {
            let answer = answer(&mut proxied, &messages(script, bad));
            // Some scripts begin with an error of the server's own.
            let codes = answer
                .iter()
                .filter(|frame| frame.kind == b'E')
                .map(Frame::sqlstate);
            let code = codes.into_iter().find(|code| code != "22012");
            let code = code.unwrap_or_else(|| panic!("{script}: {bad} was not refused"));
            assert!(sqlstate.is_empty() || code == *sqlstate, "{bad}: {code}");
            assert_eq!(
                shape(&answer, &code),
                expected,
                "{script} with {bad}: {answer:?}"
            );
        }
    }
}

/// What would fail anyway fails as it does at the database: code, words and place.
#[test]
fn what_names_nothing_fails_in_the_words_of_the_server() {
    name_nothing(stack());
}

#[test]
fn what_names_nothing_fails_in_the_words_of_postgres_18() {
    if let Some(stack) = Stack::on_version(18) {
        stack.prepare(&[FIXTURE]);
        name_nothing(&stack);
    }
}

fn name_nothing(stack: &Stack) {
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(APP));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let mut different = Vec::new();
    for sql in NAMES_NOTHING {
        let told = |answer: &[Frame]| {
            let error = answer.iter().find(|frame| frame.kind == b'E');
            let error = error.unwrap_or_else(|| panic!("{sql}: {answer:?}"));
            [b'C', b'M', b'P'].map(|field| error.field(field))
        };
        let (one, other) = (direct.query(sql), proxied.query(sql));
        let refused = other.iter().filter_map(|frame| frame.field(b'D'));
        let mut refused = refused.filter(|detail| detail.starts_with("rule: "));
        assert!(refused.next().is_some(), "{sql}: {other:?}");
        if told(&one) != told(&other) {
            different.push(format!("{sql}\n  {:?}\n  {:?}", told(&one), told(&other)));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

/// Whoever is on call reads what was refused, not just a fingerprint.
#[test]
fn the_audit_and_the_metrics_say_what_a_refusal_was_about() {
    let stack = stack();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for (sql, subject) in [
        ("DELETE FROM item", "relation public.item"),
        (
            "WITH gone AS (DELETE FROM part RETURNING 1) TABLE gone",
            "relation public.part",
        ),
        (HIDDEN.0, "view public.innocent"),
        (
            "SELECT pg_sleep(100)",
            "function pg_sleep(double precision)",
        ),
        ("SET fsync = off", "setting fsync"),
    ] {
        client.query(sql);
        let line = stack.audited(|line| line["subject"] == subject);
        assert_eq!(line["verdict"], "refused", "{line}");
        let rule = line["rule"].as_str().unwrap();
        let labels = format!("{{rule=\"{rule}\",subject=\"{subject}\"}}");
        let counted = stack.metric(&format!("pgsieve_subject_refusals_total{labels}"));
        assert!(counted >= 1.0, "{labels}");
    }
    // What only the client names is on no record.
    client.query("DELETE FROM canary_of_names");
    client.query("SET canary_of_names = 1");
    client.query("SELECT pg_read_file('canary_of_names')");
    stack.audited(|line| {
        let subject = line["subject"].as_str().unwrap_or_default();
        subject.starts_with("function pg_read_file")
    });
    assert!(!stack.everything_said().contains("canary_of_names"));
    assert!(!stack.get("/metrics").1.contains("canary_of_names"));
}

/// The messages of a script, in the notation of [`SCRIPTS`].
fn messages(script: &str, bad: &str) -> Vec<u8> {
    let statement = |letter: &str| match letter {
        "!" => bad.to_owned(),
        "1" => "SELECT 1".to_owned(),
        "0" => "SELECT 1/0".to_owned(),
        "*" => "SELECT id FROM item ORDER BY id".to_owned(),
        "B" => "BEGIN".to_owned(),
        "C" => "COMMIT".to_owned(),
        "R" => "ROLLBACK".to_owned(),
        "A" => "SAVEPOINT a".to_owned(),
        "T" => "ROLLBACK TO a".to_owned(),
        other => panic!("no statement {other}"),
    };
    let message = |word: &str| match word.split_at(1) {
        ("q", letter) => frames::query(&statement(letter)),
        ("x", letter) => without_sync(&statement(letter)),
        ("u", letter) => frames::parse("", &statement(letter)),
        ("n", letter) => frames::parse("name", &statement(letter)),
        ("b", "u") => frames::bind("portal", "", &[], false),
        ("b", "n") => frames::bind("portal", "name", &[], false),
        ("d", "n") => frames::describe(b'S', "name"),
        ("c", "n") => frames::close(b'S', "name"),
        ("e", "2") => frames::execute("portal", 2),
        ("F", "") => frames::flush(),
        ("S", "") => frames::sync(),
        other => panic!("no message {other:?}"),
    };
    script.split(' ').flat_map(message).collect()
}

/// The messages of one statement but for the Sync.
pub fn without_sync(text: &str) -> Vec<u8> {
    let whole = frames::extended(text, &[], false);
    whole[..whole.len() - frames::sync().len()].to_vec()
}

/// Runs a script in a session that is as new. Two empty queries mark the end in every state.
fn answer(client: &mut RawClient, script: &[u8]) -> Vec<Frame> {
    for text in [
        "ROLLBACK",
        "DISCARD ALL",
        "SET default_transaction_read_only = on",
    ] {
        assert_eq!(status(&client.query(text)), b'I');
    }
    let end = [frames::sync(), frames::query(""), frames::query("")].concat();
    client.send(&[script, &end].concat());
    let mut answer = Vec::new();
    while !kinds(&answer).ends_with("IZIZ") {
        answer.extend(client.until_ready());
    }
    answer
}

/// The transaction status at the end of an answer.
pub fn status(answer: &[Frame]) -> u8 {
    answer.last().expect("ReadyForQuery").body[0]
}

/// The kinds of the frames with the status bytes, and the codes of all errors but the expected one.
fn shape(answer: &[Frame], expected: &str) -> Vec<String> {
    let told = answer.iter().map(|frame| match frame.kind {
        b'Z' => format!("Z{}", char::from(frame.body[0])),
        b'E' if frame.sqlstate() == expected => "E".to_owned(),
        b'E' => format!("E{}", frame.sqlstate()),
        b'C' => format!("C {}", frame.body.escape_ascii()),
        other => char::from(other).to_string(),
    });
    told.collect()
}

/// A stack with the fixture.
pub fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options::default());
        stack.prepare(&[FIXTURE, INNOCENT]);
        stack
    });
    &STACK
}

/// The same without a catalog.
pub fn tree_only_stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options {
            tree_only: true,
            ..Options::default()
        });
        stack.prepare(&[FIXTURE]);
        stack
    });
    &STACK
}

/// A view that hides an effect.
const INNOCENT: &str = "CREATE VIEW innocent AS SELECT id, pg_try_advisory_lock(id) FROM item";

/// The words that sequences are made of.
const WORDS: [&str; 30] = [
    "q1", "q!", "q0", "qB", "qC", "qR", "qA", "qT", "q*", "x1", "x!", "x0", "xB", "xC", "xR", "u1",
    "u!", "u*", "n1", "n!", "n*", "bu", "bn", "dn", "cn", "e2", "e2", "F", "S", "S",
];

/// What stands around the bad statement, `!`. A word is a message: `q` a Query; `x` Parse, Bind,
/// Describe and Execute; `u` and `n` a Parse without and with a name; `b`, `d`, `c` Bind, Describe
/// and Close of such a statement; `e` an Execute of two rows; F Flush, S Sync. Letters of
/// statements are in [`messages`].
const SCRIPTS: [&str; 26] = [
    "q!",
    "q1 q! q1",
    "x1 x! x1 S",
    "x! x1 S x1 S",
    "x1 S x! S x1 S",
    "n! S bn S",
    "n! S dn S cn S",
    "u1 u! S bu e2 S",
    "n1 n! S bn e2 S",
    "n1 S n! S bn e2 S",
    "qB q! q1 qR q1",
    "qB q! qC q1",
    "qB x! S x1 S qC",
    "qB x1 x! x1 S qA qR",
    "qB qA q! qT q1 qC",
    "qB qA x1 x! S qT q1 qC",
    "x1 q! q1",
    "x0 q! q1 S q!",
    "u! q1 q! S",
    "u! u! F e2 S S",
    "qB u* bu e2 S u! S e2 S qR",
    "x1 F x! F x1 F S",
    "qB q0 qR q! S",
    "xB x! xC S q1 xR S",
    "xB x1 xC x! S q1",
    "qB q! q1 x1 S qC q!",
];

/// Each names something that is not there, and something that pgsieve would refuse by itself.
const NAMES_NOTHING: &[&str] = &[
    "SELECT nofunc(1)",
    "SELECT nofunc()",
    "SELECT nofunc(*)",
    "SELECT nofunc('a', 1.5, null, true)",
    "SELECT nofunc(now(), ARRAY[1, 2], ROW(1, 2), 'a'::varchar(3), 1::real)",
    "SELECT nofunc(a => 1, b => 'x')",
    "SELECT nofunc(VARIADIC ARRAY[1])",
    "SELECT \"No Func\"(1)",
    "SELECT public.nofunc(1)",
    "SELECT nowhere.nofunc(1)",
    "SELECT 'é', nofunc(1)",
    "SELECT nofunc(i) FROM item AS i",
    "SELECT nofunc(i.*) FROM item AS i",
    "SELECT nofunc(id, name) FROM item",
    "SELECT nofunc(nothing) FROM item",
    "SELECT nofunc(id) FROM nowhere",
    "SELECT nofunc(id) FROM public.nowhere",
    "SELECT nofunc(id) FROM nowhere.item",
    "SELECT nofunc(o.id) FROM item AS i",
    "SELECT nofunc(item.id) FROM item AS i",
    "SELECT nofunc(i.nothing) FROM item AS i",
    "SELECT 1 FROM nofunc(1) AS f",
    "SELECT id FROM item ORDER BY nofunc(id)",
    "SELECT count(*) FILTER (WHERE nofunc(id)) FROM item",
    "SELECT nofunc(id) OVER () FROM item",
    "SELECT id FROM item WHERE nothing = nofunc(1)",
    "SELECT nofunc(id) FROM item WHERE nothing = 1",
    "WITH w AS (SELECT 1 AS a) SELECT nofunc(w.b) FROM w",
    "SELECT (SELECT nofunc(id)) FROM item",
    "SELECT pg_sleep(1), nothing FROM item",
    "SELECT pg_sleep(1) FROM item WHERE name = Nothing",
    "SELECT pg_sleep(1), 'x'::nosuch",
    "SELECT pg_sleep(1), 'x'::nosuch[]",
    "SELECT pg_sleep(1), 'x'::public.nosuch",
    "SELECT pg_sleep(1), 'x'::nowhere.nosuch",
    "SELECT 1 ===== 2, pg_sleep(1)",
    "SELECT 1 OPERATOR(pg_catalog.=====) 2, pg_sleep(1)",
    "SELECT id - name, pg_sleep(1) FROM item",
    "SELECT - name, pg_sleep(1) FROM item",
    "SELECT pg_sleep(1) FROM item JOIN item AS other USING (nothing)",
    "SELECT pg_sleep(1, 2)",
    "SELECT pg_advisory_lock()",
    "SELECT pg_advisory_lock('a'::text)",
    "EXPLAIN SELECT nofunc(1)",
    "COPY (SELECT nofunc(1)) TO STDOUT",
    "EXECUTE nobody",
    "FETCH nothing",
];
