//! A refusal has the shape of an error. Each script runs twice, once at pgsieve with a statement
//! that it refuses, and once at the database with one that fails at the same point there; the two
//! answers must consist of the same messages, with the same transaction status after each.

mod scripts;

use std::sync::LazyLock;

use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack};

use super::same_answer::FIXTURE;
use scripts::{NAMES_NOTHING, SCRIPTS, WORDS, answer, answer_slowly, messages, shape};
pub use scripts::{status, without_sync};

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
    for number in 0..400 {
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
        if number % 4 == 0 {
            let refused = answer_slowly(&mut proxied, &script, bad);
            assert_eq!(
                told(&refused),
                told(&failed),
                "slowly: {script}: {refused:?}"
            );
        }
    }
}

/// A Query forgets the unnamed statement, and so does one that pgsieve answers by itself.
#[test]
fn a_refused_query_takes_the_unnamed_statement_away() {
    for stack in [stack(), tree_only_stack()] {
        let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
        for (script, answered) in [
            ("u1 S q! bu S", "1ZIEZIE26000ZI"),
            ("n1 S q! bn S", "1ZIEZI2ZI"),
            ("u1 S n! S bu S", "1ZIEZI2ZI"),
            ("u1 S u! S bu S", "1ZIEZIE26000ZI"),
        ] {
            let answer = answer_slowly(&mut client, script, "DELETE FROM item");
            let told = shape(&answer, "25006").concat();
            assert_eq!(told, format!("{answered}ZIIZIIZI"), "{script}");
        }
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
