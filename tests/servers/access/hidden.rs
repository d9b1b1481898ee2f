//! What a policy hides, over the wire: rows that must never arrive, by each way that a statement
//! can travel, before a real Postgres. Postgres's own rights on columns are the judge of what reads
//! what.

use pgsieve::sql::tree;

use crate::support::raw::{Frame, kinds};
use crate::support::{ADMIN, Options, READER, RawClient, Stack, UNREPAIRED, frames, until};

/// Each way of reading a hidden column, in each dress that a statement can wear.
#[test]
fn no_hidden_column_arrives_by_any_way() {
    let stack = start(HIDES);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut wrong = Vec::new();
    let mut sent = 0;
    for text in cases(COLUMNS) {
        for (dress, own) in dressed(text) {
            sent += 1;
            client.send(&own);
            let answer = client.until_ready();
            if shows_canary(&answer) || (dress == Dress::Plain && !is_refused(&answer)) {
                wrong.push(format!("{dress:?} {text}: {answer:?}"));
            }
            reset(&mut client);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{sent} statements");
    assert!(sent > 1_000);
    assert_nothing_said(&stack);
}

/// Whatever a role without the right to a column may not read, the gate does not let pass under a
/// policy that hides it.
#[test]
fn what_the_database_refuses_to_a_role_without_the_column_the_gate_refuses() {
    let stack = start(HIDES);
    stack.prepare(&[LIMITED]);
    let mut limited = RawClient::login(stack.direct_address(), &stack.login("it_limited"));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let (mut wrong, mut strict) = (Vec::new(), Vec::new());
    let mut compared = 0;
    for text in cases(COLUMNS).chain(cases(HONEST)).chain(cases(RELATIONS)) {
        let expected = limited.query(text);
        let given = proxied.query(text);
        let needs_right = expected
            .iter()
            .any(|frame| frame.kind == b'E' && frame.sqlstate() == "42501");
        match (needs_right, is_refused(&given)) {
            // A system column is shown; to the database it is a column like others.
            (true, false) if text.contains("ctid") => {}
            (true, false) => wrong.push(format!("{text}: {given:?}")),
            (false, true) => strict.push(text),
            (true, true) => compared += 1,
            (false, false) => {}
        }
        reset(&mut limited);
        reset(&mut proxied);
    }
    println!("{compared} alike; stricter than the database: {strict:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 200);
}

/// Hidden relations, what the server keeps of rows, and functions that read them.
#[test]
fn no_hidden_relation_arrives_by_any_way() {
    let stack = start(HIDES);
    let mut other = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    other.query("SELECT 'cAnArY of another session'");
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut wrong = Vec::new();
    for text in cases(RELATIONS) {
        for (dress, own) in dressed(text) {
            client.send(&own);
            let answer = client.until_ready();
            if shows_canary(&answer) || (dress == Dress::Plain && !is_refused(&answer)) {
                wrong.push(format!("{dress:?} {text}: {answer:?}"));
            }
            reset(&mut client);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_nothing_said(&stack);
}

/// Names mean what search_path says at that moment, in whatever way it was set.
#[test]
fn no_search_path_leads_around() {
    let stack = start(HIDES);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (set, text, refused) in PATHS {
        for text in [
            *text,
            &format!("PREPARE q AS {text}"),
            &format!("EXPLAIN {text}"),
        ] {
            for one in *set {
                let answer = client.query(one);
                assert!(!kinds(&answer).contains('E'), "{one}: {answer:?}");
            }
            let answer = client.query(text);
            assert!(!shows_canary(&answer), "{set:?} {text}: {answer:?}");
            assert_eq!(is_refused(&answer), *refused, "{set:?} {text}: {answer:?}");
            reset(&mut client);
        }
    }
    // A statement that was prepared means what the names mean when it runs.
    let prepare = |client: &mut RawClient| {
        client.query("SET search_path = plain");
        let answer = client.query("PREPARE p AS SELECT * FROM secrets");
        assert_eq!(kinds(&answer), "CZ", "{answer:?}");
        client.send(&[frames::parse("s", "SELECT * FROM secrets"), frames::sync()].concat());
        assert_eq!(kinds(&client.until_ready()), "1Z");
        client.query("SET search_path = shop");
    };
    prepare(&mut client);
    for run in [
        frames::query("EXECUTE p"),
        frames::query("EXPLAIN EXECUTE p"),
        [
            frames::bind("", "s", &[], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat(),
        [
            frames::bind("", "p", &[], false),
            frames::execute("", 0),
            frames::sync(),
        ]
        .concat(),
        [
            frames::bind("", "s", &[], false),
            frames::describe(b'P', ""),
            frames::sync(),
        ]
        .concat(),
    ] {
        client.send(&run);
        let answer = client.until_ready();
        assert!(is_refused(&answer) && !shows_canary(&answer), "{answer:?}");
    }
    // A cursor keeps what it was opened on.
    reset(&mut client);
    client.query("SET search_path = plain");
    client.query("BEGIN");
    client.query("DECLARE c CURSOR FOR SELECT * FROM secrets");
    client.query("SET LOCAL search_path = shop");
    let answer = client.query("FETCH ALL FROM c");
    assert!(!shows_canary(&answer), "{answer:?}");
    client.query("ROLLBACK");
    assert_nothing_said(&stack);
}

/// Statements that read nothing hidden are answered as by the database.
#[test]
fn what_reads_nothing_hidden_is_answered_as_by_the_database() {
    let stack = start(HIDES);
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    let mut proxied = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let mut wrong = Vec::new();
    for text in cases(HONEST) {
        for extended in [false, true] {
            let own = match extended {
                false => frames::query(text),
                true => frames::extended(text, &[], false),
            };
            direct.send(&own);
            proxied.send(&own);
            let (expected, given) = (direct.until_ready(), proxied.until_ready());
            let same = kinds(&expected) == kinds(&given)
                && expected
                    .iter()
                    .zip(&given)
                    .all(|(one, other)| one.kind != b'D' || one.body == other.body);
            if !same || kinds(&given).contains('E') {
                wrong.push(format!("{text}: {given:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Everyday reads pass beside what is hidden: nearly all of them can be told.
#[test]
fn everyday_reads_pass_where_something_is_hidden() {
    let stack = Stack::start(Options {
        policy_edits: HIDES,
        ..Options::default()
    });
    stack.prepare(&[EVERYDAY, "CREATE TABLE last (id int)"]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(ADMIN));
    let known = "SELECT count(*) FROM last";
    until(|| kinds(&client.query(known)).contains('D').then_some(())).unwrap();
    let (mut passed, mut refused) = (0, Vec::new());
    for entry in READS.iter().flat_map(|list| list.split("----\n").skip(1)) {
        let lines = entry.lines().filter(|line| !line.starts_with("--!"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let answer = client.query(&text);
        let detail = answer.iter().find_map(|frame| frame.field(b'D'));
        let by_policy = |detail: &String| {
            let rules = ["not_resolved", "column_denied", "relation_denied"];
            rules.iter().any(|rule| detail.contains(rule))
        };
        match detail.filter(by_policy) {
            Some(detail) => refused.push(format!("{detail}: {text}")),
            None => passed += 1,
        }
        reset(&mut client);
    }
    println!(
        "{passed} passed, {} refused:\n{}",
        refused.len(),
        refused.join("\n")
    );
    assert!(passed > 400 && refused.len() < 25, "{}", refused.join("\n"));
}

/// A view counts as itself, or as what it reads.
#[test]
fn views_count_as_the_policy_says() {
    let views = [
        "SELECT * FROM shop.v_people",
        "SELECT * FROM shop.v_outer",
        "SELECT * FROM shop.m_people",
        "SELECT * FROM shop.v_peek",
    ];
    let stack = start(HIDES);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for text in views {
        let answer = client.query(text);
        assert!(kinds(&answer).contains('D'), "{text}: {answer:?}");
    }
    let stack = start(CHECKS);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for text in views {
        let answer = client.query(text);
        assert!(is_refused(&answer), "{text}: {answer:?}");
        assert!(!shows_canary(&answer), "{text}: {answer:?}");
    }
    let answer = client.query("SELECT * FROM shop.v_orders");
    assert!(kinds(&answer).contains('D'), "{answer:?}");
}

/// Neither a refusal nor a repair names what is hidden and the client did not write.
#[test]
fn hints_and_repairs_name_nothing_that_is_hidden() {
    let stack = start(&[("\nlimits:\n", LISTS)]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for text in [
        "SELECT * FROM shop.people",
        "SELECT p FROM shop.people p",
        "SELECT x.* FROM shop.people NATURAL JOIN shop.orders x",
        "SELECT secre FROM shop.people",
        "SELECT p.secrt FROM shop.people p",
        "SELECT id FROM shop.people WHERE name = \"secre\"",
        "SELECT SECRE FROM shop.people",
        "SELECT id FROM shop.secrts",
        "SELECT id FROM secrts",
        "SELECT id FROM shop.secret",
        "SELECT secre.id FROM shop.people",
        "SELECT id FROM shop.people ORDER BY secre",
        "SELECT id FROM shop.orders WHERE secre = 1",
        "SELECT o.id FROM shop.orders o JOIN shop.secret s ON s.id = o.id",
    ] {
        let answer = client.query(text);
        let said = format!("{answer:?}").replace(text, "").to_lowercase();
        // What the server itself guesses is another matter.
        let said = said.replace("the column \\\"p.secret\\\".", "");
        for name in ["shop.secrets", "secret,", "secret.", "\"secret\"", "canary"] {
            assert!(!said.contains(name), "{text}: {name}: {answer:?}");
        }
        reset(&mut client);
    }
    let answer = client.query("SELECT * FROM shop.people");
    let hint = answer.iter().find_map(|frame| frame.field(b'H'));
    let hint = hint.unwrap_or_default();
    assert_eq!(hint, "Name the columns that may be read: id, name.");
}

/// How a statement is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dress {
    /// As it is.
    Plain,
    /// Within another statement.
    Wrapped,
}

fn dressed(text: &str) -> Vec<(Dress, Vec<u8>)> {
    let query = tree::parse(&format!("SELECT * FROM ({text}) x")).is_ok();
    let mut all = vec![
        (Dress::Plain, frames::query(text)),
        (Dress::Plain, frames::extended(text, &[], false)),
        (Dress::Plain, frames::extended(text, &[], true)),
    ];
    if !query {
        return all;
    }
    for wrapped in [
        format!("SELECT * FROM ({text}) x"),
        format!("SELECT x FROM ({text}) x"),
        format!("WITH x AS ({text}) TABLE x"),
        format!("WITH x AS ({text}) SELECT 1"),
        format!("SELECT ARRAY(SELECT x FROM ({text}) x)"),
        format!("SELECT EXISTS ({text})"),
        format!("SELECT 1 WHERE EXISTS (SELECT FROM ({text}) x) AND EXISTS ({text})"),
        format!("({text}) UNION ALL ({text})"),
        format!("COPY ({text}) TO STDOUT"),
        format!("EXPLAIN (VERBOSE) {text}"),
        format!("PREPARE q AS {text}"),
    ] {
        all.push((Dress::Plain, frames::query(&wrapped)));
    }
    let several = [
        format!("PREPARE q AS {text}; EXECUTE q"),
        format!("BEGIN; DECLARE c CURSOR FOR {text}; FETCH ALL FROM c"),
    ];
    for wrapped in several {
        all.push((Dress::Wrapped, frames::query(&wrapped)));
    }
    let begin = frames::query("BEGIN");
    let declare = frames::query(&format!("DECLARE c CURSOR FOR {text}"));
    let fetch = frames::query("FETCH ALL FROM c");
    all.push((Dress::Wrapped, [declare].concat()));
    let _ = (begin, fetch);
    all
}

pub fn reset(client: &mut RawClient) {
    for text in ["ROLLBACK", "DEALLOCATE ALL", "RESET search_path"] {
        client.query(text);
    }
}

/// Whether pgsieve has refused by a rule of the policy or of its own.
pub fn is_refused(answer: &[Frame]) -> bool {
    answer.iter().any(|frame| {
        frame.kind == b'E'
            && frame
                .field(b'D')
                .is_some_and(|detail| detail.starts_with("rule: "))
    })
}

/// Whether anything hidden is in an answer, error texts included.
fn shows_canary(answer: &[Frame]) -> bool {
    answer.iter().any(|frame| {
        let body = String::from_utf8_lossy(&frame.body).to_lowercase();
        body.contains("canary")
    })
}

fn assert_nothing_said(stack: &Stack) {
    let said = stack.everything_said().to_lowercase();
    assert!(!said.contains("canary"));
}

fn cases(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .filter(|line| !line.starts_with("--") && !line.is_empty())
}

pub fn start(policy_edits: &'static [(&'static str, &'static str)]) -> Stack {
    let stack = Stack::start(Options {
        policy_edits,
        ..Options::default()
    });
    let path = format!(
        "ALTER DATABASE {} SET search_path = shop, public",
        stack.database()
    );
    stack.prepare(&[SCHEMA, &path]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let known = "SELECT count(*) FROM shop.last";
    until(|| kinds(&client.query(known)).contains('D').then_some(())).unwrap();
    stack
}

pub const HIDES: &[(&str, &str)] = &[UNREPAIRED[0], ("\nlimits:\n", LISTS)];

const CHECKS: &[(&str, &str)] = &[
    UNREPAIRED[0],
    ("\nlimits:\n", LISTS),
    ("\nrelations:\n", "\nrelations:\n  through_views: check\n"),
];

const LISTS: &str = "\nrelations:\n  deny: [shop.secrets, shop.events_closed, \"shop.secret_*\"]\n\
    columns:\n  deny: [\"*.people.secret\", shop.child.token]\nlimits:\n";

const EVERYDAY: &str = include_str!("../../data/corpus/schema.sql");
const READS: &[&str] = &[
    include_str!("../../data/corpus/reads.sql"),
    include_str!("../../data/corpus/psql.sql"),
    include_str!("../../data/corpus/catalogs.sql"),
    include_str!("../../data/corpus/analytics.sql"),
];
const COLUMNS: &str = include_str!("../../data/corpus/hidden_columns.sql");
const RELATIONS: &str = include_str!("../../data/corpus/hidden_relations.sql");
const HONEST: &str = include_str!("../../data/corpus/hidden_honest.sql");
const SCHEMA: &str = include_str!("../../data/corpus/hidden_access_schema.sql");

/// A role that may read what the policy shows, and no more.
pub const LIMITED: &str = "DO $$ BEGIN CREATE ROLE it_limited LOGIN PASSWORD 'it_limited'; \
    EXCEPTION WHEN OTHERS THEN NULL; END $$; \
    GRANT USAGE ON SCHEMA shop, plain TO it_limited; \
    GRANT SELECT (id, name) ON shop.people TO it_limited; \
    GRANT SELECT ON shop.orders, shop.last, shop.v_people, shop.v_outer TO it_limited; \
    GRANT SELECT ON shop.v_orders, shop.m_people, \
    shop.events_open, plain.secrets TO it_limited; \
    GRANT SELECT (id, kind) ON shop.parent TO it_limited; \
    GRANT SELECT (id, kind, extra) ON shop.child TO it_limited";

/// What sets search_path, what is asked then, and whether that is refused.
const PATHS: &[(&[&str], &str, bool)] = &[
    (&["SET search_path = shop"], "SELECT * FROM secrets", true),
    (&["SET search_path = plain"], "SELECT * FROM secrets", false),
    (
        &["SET search_path = plain, shop"],
        "SELECT * FROM secrets",
        false,
    ),
    (
        &["SET search_path = shop, plain"],
        "SELECT * FROM secrets",
        true,
    ),
    (
        &["SET search_path = nowhere, shop"],
        "SELECT * FROM secrets",
        true,
    ),
    (
        &["SET search_path = plain"],
        "SELECT * FROM shop.secrets",
        true,
    ),
    (
        &["SET search_path = plain"],
        "SELECT secret FROM people",
        true,
    ),
    (
        &["SELECT set_config('search_path', 'shop', false)"],
        "SELECT * FROM secrets",
        true,
    ),
    (
        &["BEGIN", "SET LOCAL search_path = shop"],
        "SELECT * FROM secrets",
        true,
    ),
    (
        &["SET search_path = plain", "RESET search_path"],
        "SELECT * FROM secrets",
        true,
    ),
    (
        &[
            "SET search_path = plain",
            "BEGIN",
            "SET search_path = shop",
            "ROLLBACK",
        ],
        "SELECT * FROM secrets",
        false,
    ),
    (
        &[
            "BEGIN",
            "SAVEPOINT a",
            "SET search_path = plain",
            "ROLLBACK TO a",
        ],
        "SELECT * FROM secrets",
        true,
    ),
    (&["DISCARD ALL"], "SELECT * FROM secrets", true),
];
