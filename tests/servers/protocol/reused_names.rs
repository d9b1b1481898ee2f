//! Names that stand for something else at the server than what was sent last, because the server
//! skipped or refused the message that brought it: what runs is judged, not what is believed.

use std::time::{Duration, Instant};

use crate::gate::hidden::{BOUND, refused};
use crate::support::raw::{Frame, kinds};
use crate::support::{Options, READER, RawClient, Stack, frames, until};

#[test]
fn what_a_skipped_message_left_in_place_is_not_forgotten() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        ..Options::default()
    });
    stack.prepare(&[&function("IMMUTABLE AS $$BEGIN RETURN 1; END$$")]);
    let mut sessions: Vec<_> = LEFT
        .iter()
        .map(|(before, skipped, after)| {
            let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
            until(|| (!refused(&client.query("SELECT f()"))).then_some(())).unwrap();
            let answers = client.run(before);
            assert!(
                answers.iter().all(|frame| frame.kind != b'E'),
                "{answers:?}"
            );
            client.run(&[&[Fails], *skipped, &[Sync]].concat());
            (client, *after)
        })
        .collect();
    stack.prepare(&[&function(VOLATILE)]);
    wait_until_refused(&stack);
    for (number, (client, after)) in sessions.iter_mut().enumerate() {
        let answers = client.run(after);
        let noticed = answers.iter().any(|frame| {
            frame.kind == b'N' && String::from_utf8_lossy(&frame.body).contains("a trace")
        });
        assert!(!noticed, "{number}: {answers:?}");
        assert!(kinds(&answers).contains('E'), "{number}: {answers:?}");
    }
}

/// At COMMIT the server runs what a held cursor has not fetched yet.
#[test]
fn what_a_held_cursor_runs_at_commit_is_judged_again() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        ..Options::default()
    });
    stack.prepare(&[&function("IMMUTABLE AS $$BEGIN RETURN 1; END$$")]);
    for commit in [
        &[Query("COMMIT")][..],
        &[Query("SELECT 1; COMMIT")],
        &[Parse("", "COMMIT"), Bind("", ""), Execute(""), Sync],
    ] {
        stack.prepare(&[&function("IMMUTABLE AS $$BEGIN RETURN 1; END$$")]);
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
        until(|| (!refused(&client.query("SELECT f()"))).then_some(())).unwrap();
        // More than one row: a plan that is not made of constants alone.
        let held = "DECLARE c CURSOR WITH HOLD FOR SELECT f() + g FROM generate_series(1, 2) g";
        client.run(&[Query("BEGIN"), Query("SELECT 1"), Query(held)]);
        stack.prepare(&[&function(VOLATILE)]);
        wait_until_refused(&stack);
        let answers = client.run(commit);
        assert!(kinds(&answers).contains('E'), "{answers:?}");
        client.run(&[Query("ROLLBACK")]);
        let over = client.run(&[Query("COMMIT")]);
        assert_eq!(kinds(&over), "NCZ", "{over:?}");
    }
}

fn wait_until_refused(stack: &Stack) {
    let changed = Instant::now();
    let mut other = RawClient::login(stack.proxied_address(), &stack.login(READER));
    while !refused(&other.query("EXPLAIN SELECT f()")) {
        assert!(changed.elapsed() < BOUND, "still unseen after the bound");
        std::thread::sleep(Duration::from_millis(20));
    }
}

const VOLATILE: &str = "VOLATILE AS $$BEGIN RAISE WARNING 'a trace'; RETURN 1; END$$";

fn function(rest: &str) -> String {
    format!("CREATE OR REPLACE FUNCTION public.f() RETURNS int LANGUAGE plpgsql {rest}")
}

/// What a client sends.
#[derive(Clone, Copy)]
enum Step {
    Query(&'static str),
    Parse(&'static str, &'static str),
    Bind(&'static str, &'static str),
    Execute(&'static str),
    CloseStatement(&'static str),
    ClosePortal(&'static str),
    /// An error: everything up to Sync is skipped.
    Fails,
    Sync,
}

use Step::{Bind, ClosePortal, CloseStatement, Execute, Fails, Parse, Query, Sync};

impl RawClient {
    /// Sends it all at once and reads what comes back.
    fn run(&mut self, steps: &[Step]) -> Vec<Frame> {
        let mut sent = Vec::new();
        let mut ready = 0;
        for step in steps {
            ready += usize::from(matches!(step, Sync | Query(_)));
            sent.extend(match step {
                Query(text) => frames::query(text),
                Parse(name, text) => frames::parse(name, text),
                Bind(portal, name) => frames::bind(portal, name, &[], false),
                Execute(portal) => frames::execute(portal, 0),
                CloseStatement(name) => frames::close(b'S', name),
                ClosePortal(name) => frames::close(b'P', name),
                Fails => frames::parse("fails", "SELECT nothing"),
                Sync => frames::sync(),
            });
        }
        self.send(&sent);
        (0..ready).flat_map(|_| self.until_ready()).collect()
    }
}

/// What is there before an error, what it has the server skip, and what would run it later.
type Left = (&'static [Step], &'static [Step], &'static [Step]);

const LEFT: &[Left] = &[
    (
        &[Parse("", "SELECT f()"), Sync],
        &[Parse("", "SELECT 1")],
        &[Bind("", ""), Execute(""), Sync],
    ),
    (
        &[Parse("s", "SELECT f()"), Sync],
        &[CloseStatement("s"), Parse("s", "SELECT 1")],
        &[Bind("", "s"), Execute(""), Sync],
    ),
    (
        &[Parse("s", "SELECT f()"), Sync],
        &[CloseStatement("s"), Parse("s", "SELECT 1")],
        &[Query("EXECUTE s")],
    ),
    (
        &[Parse("s", "SELECT f()"), Sync],
        &[Parse("s", "SELECT 1"), CloseStatement("s")],
        &[Bind("", "s"), Execute(""), Sync],
    ),
    (
        &[
            Query("BEGIN"),
            Parse("s", "SELECT f()"),
            Bind("p", "s"),
            Sync,
            Query("SAVEPOINT a"),
        ],
        &[ClosePortal("p"), Parse("t", "SELECT 1"), Bind("p", "t")],
        &[Query("ROLLBACK TO a"), Execute("p"), Sync],
    ),
];
