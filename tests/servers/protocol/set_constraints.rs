//! SET CONSTRAINTS, as ORMs send it at the head of a transaction: it runs under every policy, by
//! every way that a message can take, and the audit says what it was. What Postgres answers is
//! compared in `same_answer`.

use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, frames};

const SPELLINGS: [&str; 5] = [
    "SET CONSTRAINTS ALL DEFERRED",
    "set constraints all immediate;",
    "SET CONSTRAINTS held DEFERRED",
    "SET CONSTRAINTS public.held, \"held\" IMMEDIATE",
    "SET/**/CONSTRAINTS \"public\" . held -- now\n DEFERRED",
];

#[test]
fn constraints_are_set_under_every_policy() {
    for policy in ["agent", "bi", "strict"] {
        let stack = Stack::start(Options {
            policy: Some(policy),
            ..Options::default()
        });
        stack.prepare(&[
            "CREATE TABLE parent (id integer PRIMARY KEY)",
            "CREATE TABLE child (id integer CONSTRAINT held REFERENCES parent DEFERRABLE)",
        ]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        for text in SPELLINGS {
            assert_eq!(tags(&client.query("BEGIN")), ["BEGIN"]);
            assert_eq!(tags(&client.query(text)), ["SET CONSTRAINTS"], "{text}");
            client.send(&frames::extended(text, &[], false));
            assert_eq!(tags(&client.until_ready()), ["SET CONSTRAINTS"], "{text}");
            let twice = [
                frames::parse("s", text),
                [frames::bind("", "s", &[], false), frames::execute("", 0)]
                    .concat()
                    .repeat(2),
                frames::close(b'S', "s"),
                frames::sync(),
            ];
            client.send(&twice.concat());
            assert_eq!(
                tags(&client.until_ready()),
                ["SET CONSTRAINTS", "SET CONSTRAINTS"],
                "{policy}: {text}"
            );
            assert_eq!(tags(&client.query("COMMIT")), ["COMMIT"]);
        }
        let message = "BEGIN; SET CONSTRAINTS ALL DEFERRED; SELECT 1; \
                       SET CONSTRAINTS held IMMEDIATE; COMMIT";
        assert_eq!(
            tags(&client.query(message)),
            [
                "BEGIN",
                "SET CONSTRAINTS",
                "SELECT 1",
                "SET CONSTRAINTS",
                "COMMIT"
            ]
        );
        let missing = client.query("SET CONSTRAINTS nothing_there DEFERRED");
        assert!(missing.iter().any(|frame| frame.sqlstate() == "42704"));
        // What stands behind one is judged as ever.
        let behind = client.query("SET CONSTRAINTS ALL DEFERRED; INSERT INTO child VALUES (1)");
        let code = match policy {
            "bi" => "25006",
            _ => "42501",
        };
        assert_eq!(tags(&behind), [code], "{policy}");
        let recorded = stack.audited(|event| event["kind"] == "set_constraints");
        assert_eq!(recorded["verdict"], "permitted", "{recorded}");
    }
}

/// The tags and codes of an answer, in order.
fn tags(answer: &[Frame]) -> Vec<String> {
    let words = answer.iter().filter_map(|frame| match frame.kind {
        b'C' => Some(String::from_utf8_lossy(frame.body.strip_suffix(b"\0")?).into_owned()),
        b'E' => Some(frame.sqlstate()),
        _ => None,
    });
    words.collect()
}
