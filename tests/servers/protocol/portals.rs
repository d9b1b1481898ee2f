//! Statements and portals by name: unknown, taken, closed, suspended, or out of order. The answers
//! are the database's own.

use crate::support::frames;
use crate::support::raw::Frame;

use super::pair::{Differences, Pair};
use super::same_answer::stack;

#[test]
fn parameters_in_text_and_null() {
    let mut pair = Pair::open(stack());
    let mut differences = Differences::default();
    for (text, values) in [
        (
            "SELECT $1::int + 1, $2::text",
            &[Some("41"), Some("it's")][..],
        ),
        ("SELECT $1::int, $2", &[None, Some("")]),
        (
            "SELECT id, name FROM item WHERE id = $1 OR name = $2 ORDER BY id",
            &[Some("3"), Some("item 9")],
        ),
        ("SELECT $1::int", &[Some("not a number")]),
        ("SELECT $1::int", &[]),
        ("SELECT 1", &[Some("one too many")]),
        ("SELECT $2::int", &[Some("1"), Some("2")]),
        (
            "SELECT $1::date, $2::numeric, $3::bool",
            &[Some("2024-02-30"), Some("1"), Some("t")],
        ),
        (
            "SELECT * FROM item WHERE id = ANY ($1) ORDER BY id LIMIT $2",
            &[Some("{5,6,7}"), Some("2")],
        ),
        ("SELECT $1", &[Some("\u{1F642} \u{0} is not allowed")]),
        ("VALUES ($1::text), ($2)", &[Some("a"), None]),
        ("SHOW search_path", &[]),
    ] {
        for binary in [false, true] {
            let asked = [
                frames::parse("", text),
                frames::describe(b'S', ""),
                frames::bind("", "", values, binary),
                frames::describe(b'P', ""),
                frames::execute("", 0),
                frames::sync(),
            ];
            let (direct, proxied) = pair.ask(&asked.concat());
            differences.note(text, &direct, &proxied);
        }
    }
    differences.assert_none();
}

/// Whether both empty queries are answered. Servers of 18 take a Query into the implicit
/// transaction of what was executed before it without a Sync, and meet what comes behind with
/// XX000.
fn is_the_end(answer: &[Frame]) -> bool {
    let is_of_18 = |frame: &Frame| frame.kind == b'E' && frame.sqlstate() == "XX000";
    match answer {
        [.., first, _, empty, ready] if empty.kind == b'I' && ready.kind == b'Z' => {
            first.kind == b'I' || is_of_18(first)
        }
        _ => false,
    }
}

/// Names, portals and statements that are unknown, taken, closed, or out of order.
#[test]
fn statements_and_portals() {
    let mut pair = Pair::open(stack());
    let mut differences = Differences::default();
    let sync = frames::sync;
    let script: Vec<Vec<Vec<u8>>> = vec![
        vec![sync()],
        vec![frames::execute("", 0), sync()],
        vec![frames::bind("", "", &[], false), sync()],
        vec![frames::bind("", "unknown", &[], false), sync()],
        vec![frames::describe(b'S', "unknown"), sync()],
        vec![frames::describe(b'P', "unknown"), sync()],
        vec![frames::describe(b'S', ""), sync()],
        vec![frames::execute("unknown", 3), sync()],
        vec![
            frames::close(b'S', "unknown"),
            frames::close(b'P', "unknown"),
            sync(),
        ],
        vec![frames::parse("a", "SELECT 1"), sync()],
        vec![frames::parse("a", "SELECT 2"), sync()],
        vec![
            frames::bind("p", "a", &[], false),
            frames::execute("p", 0),
            frames::execute("p", 0),
            sync(),
        ],
        vec![frames::execute("p", 0), sync()],
        vec![frames::query("DEALLOCATE a")],
        vec![frames::bind("", "a", &[], false), sync()],
        vec![
            frames::parse("", ""),
            frames::bind("", "", &[], false),
            frames::describe(b'P', ""),
            frames::execute("", 0),
            sync(),
        ],
        vec![
            frames::parse("b", "SELECT id FROM item ORDER BY id"),
            frames::describe(b'S', "b"),
            sync(),
        ],
        vec![frames::query("BEGIN")],
        vec![
            frames::bind("p", "b", &[], true),
            frames::execute("p", 3),
            sync(),
        ],
        vec![frames::execute("p", 3), sync()],
        vec![frames::query("SELECT 'in between'")],
        vec![
            frames::execute("p", 2),
            frames::execute("p", 0),
            frames::execute("p", 0),
            sync(),
        ],
        vec![frames::bind("p", "b", &[], true), sync()],
        vec![frames::execute("p", 1), sync()],
        vec![frames::query("ROLLBACK")],
        vec![frames::execute("p", 1), sync()],
        vec![frames::query("BEGIN")],
        vec![
            frames::bind("p", "b", &[], false),
            frames::query("FETCH 2 FROM p"),
        ],
        vec![
            frames::execute("p", 2),
            frames::close(b'P', "p"),
            frames::execute("p", 2),
            sync(),
        ],
        vec![frames::query("ROLLBACK")],
        vec![frames::query("PREPARE s AS SELECT 5")],
        vec![
            frames::describe(b'S', "s"),
            frames::bind("", "s", &[], false),
            frames::execute("", 0),
            sync(),
        ],
        vec![frames::query("BEGIN")],
        vec![frames::query(
            "DECLARE c CURSOR FOR SELECT id FROM item ORDER BY id",
        )],
        vec![frames::describe(b'P', "c"), frames::execute("c", 2), sync()],
        vec![frames::query("FETCH 1 FROM c")],
        vec![frames::execute("c", 0), frames::close(b'P', "c"), sync()],
        vec![frames::query("COMMIT")],
        vec![
            frames::bind("", "b", &[], false),
            frames::close(b'S', "b"),
            frames::execute("", 2),
            sync(),
        ],
        vec![
            frames::parse("", "SELECT 1"),
            frames::parse("", "SELECT 2"),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
            sync(),
        ],
        vec![frames::parse("", "SELECT 3"), frames::query("SELECT 4")],
        vec![frames::bind("", "", &[], false), sync()],
        vec![
            frames::parse("", "SELECT 1/0"),
            frames::bind("", "", &[], false),
            frames::query("SELECT 'skipped?'"),
        ],
        vec![
            frames::parse("", "SELECT 1"),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
            frames::query("SELECT 5"),
        ],
    ];
    for messages in script {
        // Two empty queries mark the end, in whatever state the messages leave the session.
        let end = [frames::query(""), frames::query("")].concat();
        let asked = [messages.concat(), sync(), end].concat();
        let (direct, proxied): (Vec<_>, Vec<_>) = pair.both(|client| {
            client.send(&asked);
            let mut answer = Vec::new();
            while !is_the_end(&answer) {
                answer.extend(client.until_ready());
            }
            answer
        });
        let asked = messages.concat();
        differences.note(&asked.escape_ascii().to_string(), &direct, &proxied);
    }
    differences.assert_none();
}
