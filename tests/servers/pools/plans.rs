//! Bounds of plans on shared connections: a question is about what the client's name stands for.

use super::client;
use crate::limits::plans::{BOUNDS, CHEAP, COSTLY, TABLES};
use crate::support::raw::kinds;
use crate::support::{Options, Stack, frames};

fn stack(size: usize) -> Stack {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: &[BOUNDS],
        pooled: Some(size),
        ..Options::default()
    });
    stack.prepare(TABLES);
    stack
}

/// The first EXECUTE of what a message has prepared is asked about under its client's name.
#[test]
fn sql_executes_what_messages_have_prepared() {
    let stack = stack(2);
    for (text, expected) in [(CHEAP, "TDDDDDDDDDDCZ"), (COSTLY, "EZ")] {
        for _ in 0..3 {
            let mut client = client(&stack);
            client.send(&[frames::parse("mine", text), frames::sync()].concat());
            assert_eq!(kinds(&client.until_ready()), "1Z");
            let answer = client.query("EXECUTE mine");
            assert_eq!(kinds(&answer), expected, "{answer:?}");
            if expected == "EZ" {
                assert_eq!(answer[0].sqlstate(), "54000", "{answer:?}");
            }
            assert_eq!(kinds(&client.query("SELECT 1")), "TDCZ");
        }
    }
}

/// Statements with names and without are bounded wherever they are prepared.
#[test]
fn prepared_statements_are_bounded_on_every_connection() {
    let stack = stack(1);
    let mut clients = [client(&stack), client(&stack), client(&stack)];
    for name in ["", "mine"] {
        for client in &mut clients {
            client.send(&[frames::parse(name, COSTLY), frames::sync()].concat());
            assert_eq!(kinds(&client.until_ready()), "1Z");
        }
        for client in &mut clients {
            let bind = frames::bind("", name, &[], false);
            client.send(&[bind, frames::execute("", 0), frames::sync()].concat());
            let answer = client.until_ready();
            assert!(
                answer.iter().any(|frame| frame.sqlstate() == "54000"),
                "{answer:?}"
            );
        }
    }
}
