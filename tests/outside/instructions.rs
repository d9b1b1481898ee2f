//! The instructions of a statement that is judged already, counted by valgrind's `callgrind` in a
//! session without sockets: they are the same on a busy machine, so tests fail where they change.
//!
//! They are those of the tests' own build, in which the session itself is not optimised: the
//! released program takes some four times less. What grows here grows there.

use std::hint::black_box;
use std::process::Command;

use pgsieve::policy::Policy;
use pgsieve::session::protocol::SessionProtocol;
use pgsieve::telemetry::Telemetry;

use crate::conversation::{conversation, message};

/// What statements took when that was looked at last, by the compiler of then. Another compiler has
/// other figures: `cargo test --test outside instructions -- --nocapture` prints them.
const COMPILER: &str = "rustc 1.95.0 ";
const KNOWN: [(Exchange, u64); 4] = [
    (Exchange::SameText, 35_689),
    (Exchange::SameShape, 52_863),
    (Exchange::Extended, 58_268),
    (Exchange::Prepared, 37_300),
];

/// Per cent by which they may grow until somebody looks at it.
const GROWTH_MAX: u64 = 5;

/// Per cent by which they may shrink until what is known is lowered: growth would hide below it.
const DECLINE_MAX: u64 = 10;

/// How a statement comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exchange {
    /// In the simple protocol, as it came before.
    SameText,
    /// In the simple protocol, with another number.
    SameShape,
    /// In the extended protocol, without a name.
    Extended,
    /// Prepared before.
    Prepared,
}

#[test]
fn a_judged_statement_takes_what_it_did() {
    let compiler = Command::new("rustc").arg("--version").output().unwrap();
    let is_known = compiler.stdout.starts_with(COMPILER.as_bytes());
    let mut others = Vec::new();
    for (exchange, known) in KNOWN {
        let counted = counted(exchange);
        println!("{exchange:?}: {counted}, known as {known}");
        let bounds = known * (100 - DECLINE_MAX)..=known * (100 + GROWTH_MAX);
        if !bounds.contains(&(counted * 100)) {
            others.push(format!(
                "{exchange:?} takes {counted} instructions, not {known}"
            ));
        }
    }
    assert!(!is_known || others.is_empty(), "{others:#?}");
}

/// Those of one exchange, by a run of this program under valgrind.
fn counted(exchange: Exchange) -> u64 {
    let run = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            "--toggle-collect=*instructions::many*",
        ])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "instructions::statements_to_count", "--ignored"])
        .env(COUNTED, format!("{exchange:?}"))
        .output()
        .expect("make setup installs valgrind");
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{told}");
    let collected = told
        .lines()
        .find_map(|line| line.split("Collected : ").nth(1));
    let collected: u64 = collected.unwrap_or_default().trim().parse().expect(&told);
    collected / u64::from(TIMES)
}

/// What is counted: run under valgrind by the test above.
#[test]
#[ignore = "it counts nothing by itself"]
fn statements_to_count() {
    let wanted = std::env::var(COUNTED).unwrap_or_default();
    let exchange = KNOWN.map(|(exchange, _)| exchange);
    let exchange = exchange
        .into_iter()
        .find(|one| format!("{one:?}") == wanted);
    let exchange = exchange.unwrap_or(Exchange::SameText);
    // Under the agents' policy, with metrics and without a catalog.
    let telemetry = Telemetry::quiet().unwrap().for_worker();
    let mut conversation = conversation(Policy::agent(), None, telemetry);
    if exchange == Exchange::Prepared {
        let prepare = [message(b'P', &parse("one", 1)), message(b'S', b"")].concat();
        let prepared = [message(b'1', b""), message(b'Z', b"I")].concat();
        one(&mut conversation, &prepare, &prepared);
    }
    // What is remembered and what grows is there by then.
    for number in 0..WARM_UP {
        let (question, answer) = said(exchange, number);
        one(&mut conversation, &question, &answer);
    }
    let said: Vec<_> = (0..TIMES).map(|number| said(exchange, number)).collect();
    many(&mut conversation, &said);
}

#[inline(never)]
fn many(conversation: &mut SessionProtocol, said: &[(Vec<u8>, Vec<u8>)]) {
    for (question, answer) in said {
        one(black_box(conversation), question, answer);
    }
}

fn one(conversation: &mut SessionProtocol, question: &[u8], answer: &[u8]) {
    let taken = conversation.client_bytes(question).unwrap();
    assert_eq!(taken.consumed, question.len());
    let refused = String::from_utf8_lossy(conversation.reply()).into_owned();
    assert!(!conversation.outbox().as_bytes().is_empty(), "{refused}");
    *conversation.outbox() = Default::default();
    let passed = conversation.upstream_bytes(answer).unwrap();
    assert_eq!(passed.consumed, answer.len());
    conversation.reply().clear();
}

/// What the client sends, and what the upstream answers.
fn said(exchange: Exchange, number: u32) -> (Vec<u8>, Vec<u8>) {
    let row = message(b'D', b"\0\x01\0\0\0\x011");
    let end = [message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat();
    let shape = b"\0\x01n\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0";
    let shape = message(b'T', shape);
    let of_name = |name: &str| [b"\0", name.as_bytes(), b"\0\0\0\0\0\0\0"].concat();
    let behind = |name: &str| {
        [
            message(b'B', &of_name(name)),
            message(b'D', b"P\0"),
            message(b'E', b"\0\0\0\0\0"),
            message(b'S', b""),
        ]
        .concat()
    };
    let bound = [message(b'2', b""), shape.clone(), row.clone(), end.clone()].concat();
    match exchange {
        Exchange::SameText | Exchange::SameShape => {
            let number = if exchange == Exchange::SameShape {
                number
            } else {
                1
            };
            let question = message(b'Q', format!("{}\0", text(number)).as_bytes());
            (question, [shape, row, end].concat())
        }
        Exchange::Extended => {
            let question = [message(b'P', &parse("", 1)), behind("")].concat();
            (question, [message(b'1', b""), bound].concat())
        }
        Exchange::Prepared => (behind("one"), bound),
    }
}

fn parse(name: &str, number: u32) -> Vec<u8> {
    format!("{name}\0{}\0\0\0", text(number)).into_bytes()
}

fn text(number: u32) -> String {
    format!("SELECT now() - interval '1 day' AS t, length('some text') AS n WHERE 1 < {number}")
}

/// The variable that says how the statements come.
const COUNTED: &str = "PGSIEVE_TEST_COUNTED";

const WARM_UP: u32 = 200;
const TIMES: u32 = 1_000;
