//! A session's earlier statements are evidence of its dialect: a text that several may mean is then
//! read as that dialect's, and is no more than likely.

use std::sync::LazyLock;

use crate::support::raw::{Frame, kinds, rows};
use crate::support::{APP, Options, RawClient, Stack, frames, until};

const TABLES: &[&str] = &[
    "CREATE TABLE words (id integer PRIMARY KEY, word text)",
    "INSERT INTO words VALUES (1, 'One'), (2, 'one'), (3, 'two'), (4, NULL)",
    "GRANT SELECT ON words TO app",
];

/// MySQL's alone.
const MYSQL: &str = "SELECT GROUP_CONCAT(word SEPARATOR ';') FROM words WHERE id = 3";

/// T-SQL's alone.
const TSQL: &str = "SELECT ISNULL(word, 'x') FROM words WHERE id = 3";

/// MySQL's, SQLite's or BigQuery's: the first takes both for one word, the others do not.
const SEVERAL: &str = "SELECT `id` FROM `words` WHERE `word` = 'one' ORDER BY `id`";

fn start(edits: &'static [(&'static str, &'static str)]) -> Stack {
    let stack = Stack::start(Options {
        policy_edits: edits,
        ..Options::default()
    });
    stack.prepare(TABLES);
    let is_known = || {
        let answer = login(&stack).query("SELECT `word` FROM words WHERE id = 3");
        (kinds(&answer).contains('D') || hint_of(&answer).contains("FROM words")).then_some(())
    };
    until(is_known).expect("the catalog is known");
    stack
}

fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| start(&[("likely: hint", "likely: apply")]));
    &STACK
}

fn login(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

fn hint_of(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error
        .and_then(|error| error.field(b'H'))
        .unwrap_or_default()
}

fn detail_of(answer: &[Frame]) -> String {
    let notice = answer.iter().find(|frame| frame.kind == b'N');
    notice
        .and_then(|notice| notice.field(b'D'))
        .unwrap_or_default()
}

/// Whether a text is read as that of earlier statements, in both protocols.
fn is_read_as_earlier(client: &mut RawClient) -> bool {
    let simple = client.query(SEVERAL);
    client.send(&frames::extended(SEVERAL, &[], false));
    let extended = client.until_ready();
    assert_eq!(detail_of(&simple), detail_of(&extended));
    assert_eq!(rows(&simple), rows(&extended));
    detail_of(&simple).contains("as earlier statements were")
}

#[test]
fn what_several_dialects_have_is_of_the_one_that_a_session_wrote_before() {
    let mut client = login(stack());
    assert!(!is_read_as_earlier(&mut client));
    assert_eq!(rows(&client.query(MYSQL)), ["two"]);
    assert!(is_read_as_earlier(&mut client));
    assert_eq!(rows(&client.query(SEVERAL)), ["1", "2"]);
    // Nobody else's statements say anything of it.
    assert!(!is_read_as_earlier(&mut login(stack())));
    client.query("DISCARD ALL");
    assert!(!is_read_as_earlier(&mut client));
}

#[test]
fn what_contradicts_ends_it() {
    for contrary in [
        TSQL,
        "SELECT word::varchar(2) FROM words",
        "SELECT id FROM words WHERE word ILIKE 'o%'",
    ] {
        let mut client = login(stack());
        client.query(MYSQL);
        assert!(is_read_as_earlier(&mut client), "{contrary}");
        let answer = client.query(contrary);
        assert!(kinds(&answer).contains('D'), "{contrary}: {answer:?}");
        assert!(!is_read_as_earlier(&mut client), "{contrary}");
        client.query(MYSQL);
        assert!(!is_read_as_earlier(&mut client), "{contrary}");
    }
}

#[test]
fn what_runs_as_it_is_is_left_alone() {
    let mut client = login(stack());
    client.query(MYSQL);
    for text in [
        "SELECT id FROM words WHERE word = 'one'",
        "SELECT id FROM words ORDER BY word DESC LIMIT 1",
        "SELECT 7 / 2 FROM words WHERE id = 1",
    ] {
        let answer = client.query(text);
        assert_eq!(kinds(&answer), "TDCZ", "{text}");
    }
    assert_eq!(rows(&client.query("SELECT 7 / 2")), ["3"]);
    assert!(is_read_as_earlier(&mut client));
}

#[test]
fn it_is_no_more_than_likely() {
    let stack = start(&[]);
    let mut client = login(&stack);
    assert_eq!(rows(&client.query(MYSQL)), ["two"]);
    let answer = client.query(SEVERAL);
    assert_eq!(answer[0].sqlstate(), "42601");
    let hint = hint_of(&answer);
    assert!(hint.contains("as earlier statements were"), "{hint}");
    // All of them mean the same by this.
    let agreed = "SELECT `id` FROM `words` WHERE `id` = 1";
    assert_eq!(rows(&client.query(agreed)), ["1"]);
    let own = login(&stack).query(agreed);
    assert_eq!(detail_of(&client.query(agreed)), detail_of(&own));
}
