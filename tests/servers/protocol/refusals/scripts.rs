//! Sequences of messages, in a notation of one word each, and their answers.

use std::thread;
use std::time::Duration;

use crate::support::raw::{Frame, kinds};
use crate::support::{RawClient, frames};

/// The messages of a script, in the notation of [`SCRIPTS`].
pub fn messages(script: &str, bad: &str) -> Vec<u8> {
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

/// Runs a script in a session that is as new.
pub fn answer(client: &mut RawClient, script: &[u8]) -> Vec<Frame> {
    begin_anew(client);
    client.send(script);
    until_the_end(client)
}

/// The same with a pause before each message, in which what came before it may be answered: the
/// answer to a message is the same whether others are under way or none is.
pub fn answer_slowly(client: &mut RawClient, script: &str, bad: &str) -> Vec<Frame> {
    begin_anew(client);
    for word in script.split(' ') {
        client.send(&messages(word, bad));
        thread::sleep(Duration::from_millis(3));
    }
    until_the_end(client)
}

fn begin_anew(client: &mut RawClient) {
    for text in [
        "ROLLBACK",
        "DISCARD ALL",
        "SET default_transaction_read_only = on",
    ] {
        assert_eq!(status(&client.query(text)), b'I');
    }
}

/// Two empty queries mark the end in every state.
fn until_the_end(client: &mut RawClient) -> Vec<Frame> {
    client.send(&[frames::sync(), frames::query(""), frames::query("")].concat());
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
pub fn shape(answer: &[Frame], expected: &str) -> Vec<String> {
    let told = answer.iter().map(|frame| match frame.kind {
        b'Z' => format!("Z{}", char::from(frame.body[0])),
        b'E' if frame.sqlstate() == expected => "E".to_owned(),
        b'E' => format!("E{}", frame.sqlstate()),
        b'C' => format!("C {}", frame.body.escape_ascii()),
        other => char::from(other).to_string(),
    });
    told.collect()
}

/// The words that sequences are made of.
pub const WORDS: [&str; 30] = [
    "q1", "q!", "q0", "qB", "qC", "qR", "qA", "qT", "q*", "x1", "x!", "x0", "xB", "xC", "xR", "u1",
    "u!", "u*", "n1", "n!", "n*", "bu", "bn", "dn", "cn", "e2", "e2", "F", "S", "S",
];

/// What stands around the bad statement, `!`. A word is a message: `q` a Query; `x` Parse, Bind,
/// Describe and Execute; `u` and `n` a Parse without and with a name; `b`, `d`, `c` Bind, Describe
/// and Close of such a statement; `e` an Execute of two rows; F Flush, S Sync. Letters of
/// statements are in [`messages`].
pub const SCRIPTS: [&str; 26] = [
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
pub const NAMES_NOTHING: &[&str] = &[
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
