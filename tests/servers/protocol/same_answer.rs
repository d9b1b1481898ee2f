//! A client cannot tell pgsieve from the database: the same messages get the same bytes, by every
//! way a statement can be asked. The statements are in `tests/data/answers`; they must all be such
//! that the policy lets them pass. Both sides start with the same settings, so nothing is masked.

use std::sync::LazyLock;

use crate::support::raw::Frame;
use crate::support::{Options, RawClient, Stack, UNREPAIRED, frames};

use super::pair::{Differences, Pair, same};

/// How a statement is asked.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// A Query message.
    Simple,
    /// Parse, Describe, Bind, Describe, Execute, Sync, all unnamed, results in text.
    Text,
    /// The same, results in binary.
    Binary,
    /// With a named statement and a named portal, both closed afterwards, Syncs between.
    Named,
    /// Two rows, two rows, the rest.
    Suspended,
    /// A Flush after each message, each answer awaited before the next message.
    Flushed,
}

/// The lists, each with all that is to be asked in one session.
const READS: &str = include_str!("../../data/answers/reads.sql");
pub const ERRORS: &str = include_str!("../../data/answers/errors.sql");
const SESSIONS: &str = include_str!("../../data/answers/sessions.sql");
const COPIES: &str = include_str!("../../data/answers/copy.sql");
const COPY_ERRORS: &str = include_str!("../../data/answers/copy_errors.sql");
const SEVERAL: &str = include_str!("../../data/answers/several.sql");
const SYNTAX: &str = include_str!("../../data/answers/syntax.sql");
pub const FIXTURE: &str = include_str!("../../data/answers/fixture.sql");

#[test]
fn reads() {
    compare(READS, &Way::ALL);
}

#[test]
fn errors() {
    compare(ERRORS, &Way::ALL);
}

#[test]
fn sessions() {
    compare(
        SESSIONS,
        &[Way::Simple, Way::Text, Way::Named, Way::Flushed],
    );
}

#[test]
fn copies() {
    compare(COPIES, &[Way::Simple, Way::Text, Way::Named]);
}

/// What the server does not copy fails as the server says it.
#[test]
fn copies_that_fail() {
    compare(COPY_ERRORS, &[Way::Simple, Way::Text, Way::Named]);
}

#[test]
fn several_statements_in_a_message() {
    let stack = Stack::start(Options {
        policy: Some("bi"),
        policy_edits: UNREPAIRED,
        ..Options::default()
    });
    stack.prepare(&[FIXTURE]);
    let mut pair = Pair::open(&stack);
    let mut differences = Differences::default();
    for statement in statements(SEVERAL) {
        compare_one(&mut pair, &statement, Way::Simple, &mut differences);
    }
    differences.assert_none();
}

#[test]
fn reads_and_errors_of_postgres_18() {
    let options = Options {
        policy_edits: UNREPAIRED,
        ..Options::default()
    };
    let Some(stack) = Stack::on_version_with(18, options) else {
        return;
    };
    stack.prepare(&[FIXTURE]);
    let mut differences = Differences::default();
    for (list, way) in [
        (READS, Way::Simple),
        (READS, Way::Binary),
        (ERRORS, Way::Text),
        (SESSIONS, Way::Simple),
        (SESSIONS, Way::Named),
        (COPIES, Way::Text),
        (COPY_ERRORS, Way::Text),
    ] {
        let mut pair = Pair::open(&stack);
        for statement in statements(list) {
            compare_one(&mut pair, &statement, way, &mut differences);
        }
    }
    differences.assert_none();
}

const PLANNED_FIRST: &[(&str, &str)] = &[
    UNREPAIRED[0],
    (
        "\n  statement_bytes: 1MiB\n",
        "\n  statement_bytes: 1MiB\n  max_plan_cost: 1e15\n  plan_age_max: 1s\n",
    ),
];

/// Each plan is asked for, and none is above the bounds: nothing of that is seen. Only what fails
/// in an EXECUTE or COPY is told at its Bind, before a Describe that stands between.
#[test]
fn everything_that_is_planned_first() {
    let stack = Stack::start(Options {
        policy_edits: PLANNED_FIRST,
        ..Options::default()
    });
    stack.prepare(&[FIXTURE]);
    for (list, ways) in [
        (READS, &Way::ALL[..]),
        (ERRORS, &Way::ALL),
        (SESSIONS, &[Way::Simple, Way::Named]),
        (COPIES, &[Way::Simple, Way::Named]),
    ] {
        compare_on(&stack, list, ways);
    }
}

/// Whole lists written at once: nothing may overtake, nothing may be lost.
#[test]
fn everything_at_once() {
    for (list, ways) in [
        (ERRORS, &[Way::Simple, Way::Text, Way::Suspended][..]),
        (SESSIONS, &[Way::Simple, Way::Text]),
        (COPIES, &[Way::Simple, Way::Text, Way::Suspended]),
    ] {
        for way in ways {
            let mut pair = Pair::open(stack());
            let asked: Vec<u8> = statements(list)
                .iter()
                .flat_map(|statement| way.messages(&statement.text).concat())
                .collect();
            let count = asked_syncs(&asked);
            let (direct, proxied) = pair.both(|client| {
                let mut sender = client.stream().try_clone().unwrap();
                let asked = asked.clone();
                let writer =
                    std::thread::spawn(move || std::io::Write::write_all(&mut sender, &asked));
                let answer: Vec<Frame> = (0..count).flat_map(|_| client.until_ready()).collect();
                writer.join().unwrap().unwrap();
                answer
            });
            let first = direct
                .iter()
                .zip(&proxied)
                .position(|(direct, proxied)| !same(direct, proxied));
            assert!(
                direct.len() == proxied.len() && first.is_none(),
                "{way:?}: frame {first:?}: {:?} became {:?}",
                first.map(|at| &direct[at]),
                first.map(|at| &proxied[at]),
            );
        }
    }
}

/// One batch with one Sync for each conversation: an error skips the rest on both sides.
#[test]
fn batches_with_one_sync() {
    let mut pair = Pair::open(stack());
    let mut differences = Differences::default();
    let lists = [(READS, 8), (ERRORS, 2), (SESSIONS, 50)];
    for batch in lists.iter().flat_map(|(list, most)| batches(list, *most)) {
        let mut asked: Vec<u8> = Vec::new();
        for (at, statement) in batch.iter().enumerate() {
            let portal = format!("p{at}");
            asked.extend(frames::parse("", &statement.text));
            asked.extend(frames::bind(&portal, "", &[], at % 2 == 1));
            asked.extend(frames::describe(b'P', &portal));
            asked.extend(frames::execute(&portal, 0));
        }
        asked.extend(frames::sync());
        let (direct, proxied) = pair.ask(&asked);
        differences.note(
            &format!("batch from line {}", batch[0].line),
            &direct,
            &proxied,
        );
        // A transaction that a batch has left open would change what the next one means.
        pair.ask(&frames::query("ROLLBACK"));
        pair.ask(&frames::query("DISCARD ALL"));
    }
    differences.assert_none();
}

/// Texts that are not SQL never reach the server: pgsieve's parser answers with the server's words.
/// The place of an error is told where the words name it.
#[test]
fn syntax_errors_say_the_same() {
    let mut pair = Pair::open(stack());
    let mut differences = Differences::default();
    for statement in statements(SYNTAX) {
        for way in [Way::Simple, Way::Text] {
            let (direct, proxied) = pair.ask(&way.messages(&statement.text).concat());
            let (server, own) = (&direct[0], &proxied[0]);
            let told = |frame: &Frame| [b'V', b'C', b'M'].map(|code| frame.field(code));
            let words = own.field(b'M').unwrap_or_default();
            let no_place = own.field(b'P').is_none() && !words.contains("at or near");
            if told(server) != told(own) || (server.field(b'P') != own.field(b'P') && !no_place) {
                differences.note(&statement.text, &direct, &proxied);
            }
        }
    }
    differences.assert_none();
}

/// What the server reports when a session begins.
#[test]
fn parameters_at_login() {
    let mut pair = Pair::open(stack());
    assert_eq!(pair.direct.parameters, pair.proxied.parameters);
    let (direct, proxied) = pair.ask(&frames::query("SHOW ALL"));
    assert_eq!(direct, proxied);
}

pub struct Statement {
    pub line: usize,
    pub text: String,
}

impl Way {
    const ALL: [Self; 6] = [
        Self::Simple,
        Self::Text,
        Self::Binary,
        Self::Named,
        Self::Suspended,
        Self::Flushed,
    ];

    /// What is sent, in parts that are each answered before the next is sent.
    fn messages(self, text: &str) -> Vec<Vec<u8>> {
        let (parse, bind) = (frames::parse("", text), |binary| {
            frames::bind("", "", &[], binary)
        });
        let (statement, portal) = (frames::describe(b'S', ""), frames::describe(b'P', ""));
        let (execute, sync, flush) = (
            |rows| frames::execute("", rows),
            frames::sync(),
            frames::flush(),
        );
        match self {
            Self::Simple => vec![frames::query(text)],
            Self::Text => vec![[parse, statement, bind(false), portal, execute(0), sync].concat()],
            Self::Binary => vec![[parse, statement, bind(true), portal, execute(0), sync].concat()],
            Self::Suspended => {
                vec![[parse, bind(false), execute(2), execute(2), execute(0), sync].concat()]
            }
            Self::Named => vec![
                [
                    frames::parse("a name", text),
                    frames::describe(b'S', "a name"),
                    sync.clone(),
                ]
                .concat(),
                [
                    frames::bind("a portal", "a name", &[], false),
                    frames::execute("a portal", 0),
                    frames::close(b'P', "a portal"),
                    frames::close(b'S', "a name"),
                    sync.clone(),
                ]
                .concat(),
                [frames::close(b'S', "a name"), sync].concat(),
            ],
            Self::Flushed => [parse, statement, bind(false), portal, execute(0), sync]
                .into_iter()
                .map(|message| {
                    if message[0] == b'S' {
                        message
                    } else {
                        [message, flush.clone()].concat()
                    }
                })
                .collect(),
        }
    }
}

/// Asks both sides for one statement.
fn compare_one(pair: &mut Pair, statement: &Statement, way: Way, differences: &mut Differences) {
    let messages = way.messages(&statement.text);
    let (direct, proxied) = pair.both(|client| {
        let mut answer: Vec<Frame> = Vec::new();
        for part in &messages {
            let failed = answer.last().is_some_and(|frame| frame.kind == b'E');
            // What stands between an error and Sync is skipped without an answer.
            if !failed || part[0] == b'S' {
                client.send(part);
                answer.extend(read_part(client, part));
            }
        }
        answer
    });
    let asked = format!("line {} {way:?}: {}", statement.line, statement.text);
    differences.note(&asked, &direct, &proxied);
}

/// Reads what a part is answered with: up to ReadyForQuery, or up to the answer of its one message.
fn read_part(client: &mut RawClient, part: &[u8]) -> Vec<Frame> {
    if asked_syncs(part) > 0 {
        return client.until_ready();
    }
    let last: &[u8] = match part[0] {
        b'P' => b"1",
        b'B' => b"2",
        b'D' => b"Tn",
        _ => b"CIs",
    };
    let mut answer = Vec::new();
    loop {
        let frame = client.read().unwrap();
        let end = last.contains(&frame.kind) || frame.kind == b'E';
        answer.push(frame);
        if end {
            return answer;
        }
    }
}

/// How many ReadyForQuery these messages are answered with.
fn asked_syncs(mut messages: &[u8]) -> usize {
    let mut count = 0;
    while let Some(&kind) = messages.first() {
        count += usize::from(kind == b'S' || kind == b'Q');
        let length = u32::from_be_bytes(messages[1..5].try_into().unwrap());
        messages = &messages[1 + usize::try_from(length).unwrap()..];
    }
    count
}

/// The statements of a list, one on a line. A blank line ends a conversation and what it left open.
pub fn statements(list: &str) -> Vec<Statement> {
    let lines = list
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with('#'));
    lines
        .map(|(at, line)| {
            let text = if line.is_empty() { "ROLLBACK" } else { line };
            Statement {
                line: at + 1,
                text: text.to_owned(),
            }
        })
        .collect()
}

/// Conversations as batches, those that are long in parts. Without the queries whose timeout
/// another batch would have set.
fn batches(list: &str, most: usize) -> Vec<Vec<Statement>> {
    let mut batches = vec![Vec::new()];
    for statement in statements(list) {
        let ends = statement.text == "ROLLBACK";
        if !statement.text.contains("generate_series(1, 100000000)") {
            batches.last_mut().unwrap().push(statement);
        }
        if ends || batches.last().unwrap().len() == most {
            batches.push(Vec::new());
        }
    }
    batches.retain(|batch| !batch.is_empty());
    batches
}

fn compare(list: &str, ways: &[Way]) {
    compare_on(stack(), list, ways);
}

fn compare_on(stack: &Stack, list: &str, ways: &[Way]) {
    let mut differences = Differences::default();
    for way in ways {
        let mut pair = Pair::open(stack);
        for statement in statements(list) {
            compare_one(&mut pair, &statement, *way, &mut differences);
        }
    }
    differences.assert_none();
}

/// The stack that these tests share.
pub fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options {
            policy_edits: UNREPAIRED,
            ..Options::default()
        });
        stack.prepare(&[FIXTURE]);
        stack
    });
    &STACK
}
