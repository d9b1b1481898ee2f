//! Models over the wire: each session reads what its own values let it read, whatever it does to
//! them and in whatever order it is sent. Values are literals and nothing else. Errors point into
//! the client's own text.

use std::sync::LazyLock;

use crate::support::raw::{Frame, Login, kinds};
use crate::support::{Options, RawClient, Stack, frames, until};

#[test]
fn a_value_that_is_set_decides_what_is_read() {
    let mut client = session(&[]);
    check(&mut client, &[]);
    set(&mut client, "SET app.tenant = 'north'");
    check(&mut client, &["1", "2"]);
    set(
        &mut client,
        "SELECT set_config('App.Tenant', 'south', false)",
    );
    check(&mut client, &["3"]);
    set(&mut client, "SET LOCAL app.tenant = 'north'");
    check(&mut client, &["3"]);
    for reset in ["RESET app.tenant", "RESET ALL", "DISCARD ALL"] {
        set(&mut client, "SET app.tenant = 'north'");
        check(&mut client, &["1", "2"]);
        set(&mut client, reset);
        check(&mut client, &[]);
    }
    // One that fails changes nothing.
    set(&mut client, "SET app.tenant = 'north'");
    client.query("SET app.tenant = 'a', 'b'");
    check(&mut client, &["1", "2"]);
}

#[test]
fn a_value_is_never_anything_but_a_literal() {
    let mut client = session(&[]);
    for value in HOSTILE {
        let quoted = value.replace('\'', "''");
        set(&mut client, &format!("SET app.tenant = '{quoted}'"));
        let answer = client.query("SELECT tenant FROM shop.customers");
        assert_eq!(rows(&answer), [[Some((*value).to_owned())]], "{answer:?}");
        let escaped = value.replace('\\', "\\\\").replace('\'', "\\'");
        set(&mut client, "RESET app.tenant");
        set(
            &mut client,
            &format!("SELECT set_config('app.tenant', E'{escaped}', false)"),
        );
        let answer = client.query("SELECT tenant FROM shop.customers");
        assert_eq!(rows(&answer), [[Some((*value).to_owned())]], "{answer:?}");
    }
}

#[test]
fn a_session_may_begin_with_a_value() {
    check(&mut session(&[("app.tenant", "north")]), &["1", "2"]);
    check(&mut session(&[("options", "-c app.tenant=south")]), &["3"]);
    let mut client = session(&[("options", "-c app.tenant=south"), ("App.Tenant", "north")]);
    check(&mut client, &["1", "2"]);
    set(&mut client, "SET app.tenant = 'south'");
    check(&mut client, &["3"]);
    set(&mut client, "RESET app.tenant");
    check(&mut client, &["1", "2"]);
}

#[test]
fn a_value_that_the_server_gives_a_role_is_one() {
    let login = login(SOUTHERN, &[]);
    let mut client = RawClient::login(stack().proxied_address(), &login);
    check(&mut client, &["3"]);
    set(&mut client, "SET app.tenant = 'north'");
    check(&mut client, &["1", "2"]);
    set(&mut client, "DISCARD ALL");
    check(&mut client, &["3"]);
}

#[test]
fn a_value_follows_its_transaction() {
    let mut client = session(&[("app.tenant", "north")]);
    for (script, read) in [
        (&["BEGIN", "SET LOCAL app.tenant = 'south'"][..], &["3"][..]),
        (&["COMMIT"], &["1", "2"]),
        (
            &["BEGIN", "SET LOCAL app.tenant = 'south'", "ROLLBACK"],
            &["1", "2"],
        ),
        (&["BEGIN", "SET app.tenant = 'south'"], &["3"]),
        (&["ROLLBACK"], &["1", "2"]),
        (&["BEGIN", "SET app.tenant = 'south'", "COMMIT"], &["3"]),
        (
            &["BEGIN", "SAVEPOINT s", "SET app.tenant = 'north'"],
            &["1", "2"],
        ),
        (&["RELEASE s", "COMMIT"], &["1", "2"]),
    ] {
        for statement in script {
            set(&mut client, statement);
        }
        check(&mut client, read);
    }
}

#[test]
fn a_value_in_doubt_is_refused() {
    let mut client = session(&[("app.tenant", "north")]);
    // To a savepoint or of the whole: the server says the same of both.
    for statement in [
        "BEGIN",
        "SAVEPOINT s",
        "SET app.tenant = 'south'",
        "ROLLBACK TO s",
    ] {
        set(&mut client, statement);
    }
    let answer = client.query(READ);
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "55000", "{answer:?}");
    set(&mut client, "ROLLBACK");
    check(&mut client, &["1", "2"]);
    // What a parameter holds is not looked at.
    let text = "SELECT set_config('app.tenant', $1, false)";
    client.send(&frames::extended(text, &[Some("south")], false));
    assert!(kinds(&client.until_ready()).contains('C'));
    assert_eq!(client.query(READ)[0].sqlstate(), "55000");
    set(&mut client, "RESET app.tenant");
    check(&mut client, &["1", "2"]);
    // In one message nothing is known of it yet.
    let both = format!("SET app.tenant = 'south'; {READ}");
    assert_eq!(kinds(&client.query(&both)), "EZ");
    check(&mut client, &["1", "2"]);
    for _ in 0..20 {
        set(&mut client, "SET app.tenant = 'north'");
        client.send(
            &[
                frames::query("SET app.tenant = 'south'"),
                frames::query(READ),
            ]
            .concat(),
        );
        client.until_ready();
        in_doubt_or(&client.until_ready(), &["3"]);
        check(&mut client, &["3"]);
    }
}

#[test]
fn a_batch_reads_with_the_value_of_its_transaction() {
    let mut client = session(&[("app.tenant", "north")]);
    set(&mut client, "BEGIN");
    set(&mut client, "SET LOCAL app.tenant = 'south'");
    for _ in 0..3 {
        client.send(&frames::extended(READ, &[], false));
        assert_eq!(ids(&client.until_ready()), ["3"]);
    }
    let two = [
        frames::extended(READ, &[], false),
        frames::extended(READ, &[], false),
    ];
    client.send(&two.concat());
    assert_eq!(ids(&client.until_ready()), ["3"]);
    assert_eq!(ids(&client.until_ready()), ["3"]);
    let ending = [
        frames::extended("COMMIT", &[], false),
        frames::extended(READ, &[], false),
    ];
    client.send(&ending.concat());
    client.until_ready();
    in_doubt_or(&client.until_ready(), &["1", "2"]);
    check(&mut client, &["1", "2"]);
    // In one message nobody knows yet whether the COMMIT will be one.
    set(&mut client, "BEGIN");
    set(&mut client, "SET LOCAL app.tenant = 'south'");
    assert_eq!(kinds(&client.query(&format!("COMMIT; {READ}"))), "EZ");
    set(&mut client, "ROLLBACK");
    check(&mut client, &["1", "2"]);
}

#[test]
fn what_is_reset_in_a_pipeline_stays_so_whatever_follows() {
    // The server commits a DISCARD ALL at once: the ROLLBACK behind it undoes nothing.
    let stack = stack();
    let mut client = RawClient::login(stack.proxied_address(), &login(PATHY, &[]));
    set(&mut client, "SET app.tenant = 'north'");
    let read = "SELECT id FROM customers ORDER BY id";
    assert_eq!(ids(&client.query(read)), ["1", "2"]);
    set(&mut client, "SET search_path = aside");
    assert_eq!(ids(&client.query(read)), ["9"]);
    let alone = |text: &str| {
        [
            frames::parse("", text),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
        ]
        .concat()
    };
    client.send(&[alone("DISCARD ALL"), alone("ROLLBACK"), frames::sync()].concat());
    client.until_ready();
    let answer = client.query(read);
    assert!(ids(&answer).is_empty(), "{answer:?}");
    for way in ["SET search_path = shop", "SET app.tenant = 'south'"] {
        set(&mut client, way);
    }
    assert_eq!(ids(&client.query(read)), ["3"]);
    // By itself it leaves no doubt.
    set(&mut client, "DISCARD ALL");
    assert!(kinds(&client.query(read)).contains('C'));
}

#[test]
fn what_was_prepared_is_not_run_with_another_value() {
    let mut client = session(&[("app.tenant", "north")]);
    client.send(&[frames::parse("p", READ), frames::sync()].concat());
    client.until_ready();
    let run = [
        frames::bind("", "p", &[], false),
        frames::execute("", 0),
        frames::sync(),
    ]
    .concat();
    client.send(&run);
    assert_eq!(ids(&client.until_ready()), ["1", "2"]);
    set(
        &mut client,
        "PREPARE q AS SELECT id FROM shop.customers ORDER BY id",
    );
    assert_eq!(ids(&client.query("EXECUTE q")), ["1", "2"]);
    set(&mut client, "SET app.tenant = 'south'");
    client.send(&run);
    let answer = client.until_ready();
    assert_eq!(kinds(&answer), "EZ");
    assert_eq!(answer[0].sqlstate(), "0A000", "{answer:?}");
    let answer = client.query("EXECUTE q");
    assert_eq!(answer[0].sqlstate(), "0A000", "{answer:?}");
    set(&mut client, "SET app.tenant = 'north'");
    client.send(&run);
    assert_eq!(ids(&client.until_ready()), ["1", "2"]);
    assert_eq!(ids(&client.query("EXECUTE q")), ["1", "2"]);
}

#[test]
fn a_cursor_reads_for_whom_it_was_opened() {
    let mut client = session(&[("app.tenant", "north")]);
    set(&mut client, "BEGIN");
    set(
        &mut client,
        "DECLARE c CURSOR FOR SELECT id FROM shop.customers ORDER BY id",
    );
    assert_eq!(ids(&client.query("FETCH 1 FROM c")), ["1"]);
    set(&mut client, "SET LOCAL app.tenant = 'south'");
    let answer = client.query("FETCH ALL FROM c");
    assert!(ids(&answer).iter().all(|id| *id != "3"), "{answer:?}");
    set(&mut client, "ROLLBACK");
    check(&mut client, &["1", "2"]);
}

#[test]
fn two_tenants_at_once_never_meet() {
    let mut north = session(&[("app.tenant", "north")]);
    let mut south = session(&[]);
    set(&mut south, "SET app.tenant = 'south'");
    for _ in 0..20 {
        north.send(&frames::extended(READ, &[], false));
        south.send(&frames::query(READ));
        assert_eq!(ids(&south.until_ready()), ["3"]);
        assert_eq!(ids(&north.until_ready()), ["1", "2"]);
    }
}

#[test]
fn who_has_logged_in_is_a_value_too() {
    for name in HOSTILE_USERS {
        let login = Login {
            parameters: &[("application_name", "it's \\ a 'report'")],
            ..login(name, &[])
        };
        let mut client = RawClient::login(stack().proxied_address(), &login);
        let answer = client.query("SELECT u, d, a, c FROM shop.me");
        let expected = [
            Some((*name).to_owned()),
            Some(stack().database().to_owned()),
            Some("it's \\ a 'report'".to_owned()),
            None,
        ];
        assert_eq!(rows(&answer), [expected], "{answer:?}");
        // What it calls itself later is not asked.
        set(&mut client, "SET application_name = 'other'");
        let answer = client.query("SELECT a FROM shop.me");
        assert_eq!(rows(&answer), [[Some("it's \\ a 'report'".to_owned())]]);
    }
}

#[test]
fn errors_point_into_the_text_of_the_client() {
    let mut client = session(&[("app.tenant", "north")]);
    for (text, mark) in [
        ("SELECT c.nope FROM shop.customers c", "c.nope"),
        ("SELECT nope, 'ü' FROM shop.customers", "nope"),
        (
            "SELECT 'ü', id FROM shop.customers c WHERE c.nope = 1",
            "c.nope",
        ),
        (
            "SELECT 1 FROM shop.customers a, shop.customers b WHERE a.id = b.id AND nope = 1",
            "nope",
        ),
        ("SELECT id FROM shop.customers c WHERE c.id = 'x'", "'x'"),
        (
            "SELECT 'ü' FROM shop.customers c WHERE c.id > 0 AND c.id IN (1, 'ö', 3)",
            "'ö'",
        ),
        ("SELECT id FROM shop.customers GROUP BY tenant", "id"),
        ("SELECT id FROM shop.customers LIMIT 'x'", "'x'"),
    ] {
        let at = text[..text.find(mark).unwrap()].chars().count() + 1;
        for answer in [client.query(text), {
            client.send(&frames::extended(text, &[], false));
            client.until_ready()
        }] {
            let error = answer.iter().find(|frame| frame.kind == b'E').expect(text);
            assert_eq!(error.field(b'P'), Some(at.to_string()), "{text}: {error:?}");
            quotes_nothing(error);
            let hint = error.field(b'H').unwrap_or_default();
            assert!(!hint.contains("note"), "{text}: {error:?}");
        }
    }
}

#[test]
fn errors_of_a_statement_with_models_quote_nothing_of_them() {
    let mut client = session(&[("app.tenant", "north")]);
    for text in [
        "SELECT note FROM shop.customers",
        "SELECT c.note FROM shop.customers c",
        "SELECT notes FROM shop.customers",
        "SELECT c.emial FROM shop.customers c",
        "SELECT 1 / (id - id) FROM shop.customers",
        "SELECT email::json FROM shop.customers",
        "SELECT id FROM shop.broken",
        "SELECT x.id FROM shop.broken AS x WHERE x.id = 1",
    ] {
        for answer in [client.query(text), {
            client.send(&frames::extended(text, &[], false));
            client.until_ready()
        }] {
            let error = answer.iter().find(|frame| frame.kind == b'E').expect(text);
            quotes_nothing(error);
            let hint = error.field(b'H').unwrap_or_default();
            let own = text.contains("note");
            assert!(own || !hint.contains("note"), "{text}: {error:?}");
        }
    }
}

#[test]
fn what_makes_no_rows_of_a_row_keeps_it_from_the_client() {
    let mut client = session(&[]);
    let answer = client.query("SELECT id, part FROM shop.keyed WHERE 1 / (id - 5) < 1");
    let row = |part: &str| [Some("1".to_owned()), Some(part.to_owned())];
    assert_eq!(rows(&answer), [row("p"), row("q")], "{answer:?}");
}

#[test]
fn hints_know_models_and_not_what_they_cover() {
    let mut client = session(&[]);
    for (text, wanted) in [
        (
            "SELECT id, name FROM shop.keyed GROUP BY id",
            "keyed.name: not grouped",
        ),
        (
            "SELECT count(*), * FROM shop.keyed",
            "GROUP BY keyed.id, keyed.name",
        ),
        ("SELECT k.unshow FROM shop.keyed k", "there are id, name"),
        ("SELECT k.xx FROM shop.keyed k", "there are id, name"),
        (
            "SELECT id FROM shop.keyed WHERE xx = 'a'",
            "there are id, name",
        ),
        ("SELECT id FROM shop.keyed k WHERE k.x = 'a'", "column"),
    ] {
        let answer = client.query(text);
        assert!(answer[0].sqlstate().starts_with("42"), "{answer:?}");
        assert_ne!(answer[0].sqlstate(), "42501", "{answer:?}");
        let hint = answer[0].field(b'H').unwrap_or_default();
        assert!(hint.contains(wanted), "{text}: {answer:?}");
        for hidden in ["unshown", "keyed.x", "parts"] {
            assert!(!hint.contains(hidden), "{text}: {answer:?}");
        }
    }
}

/// Nothing of a model's SELECT, and nothing that it hides, is in the words of an error.
fn quotes_nothing(error: &Frame) {
    let words = String::from_utf8_lossy(&error.body).into_owned();
    for hidden in ["note\"", "OFFSET", "left(", "canary", "secret_column"] {
        // A name that the client wrote itself may come back.
        let own = error
            .field(b'M')
            .is_some_and(|message| message.contains("note\"") && hidden == "note\"")
            || error
                .field(b'M')
                .is_some_and(|message| message.contains(".note "));
        assert!(own || !words.contains(hidden), "{hidden}: {error:?}");
    }
    for field in *b"qpWstcdn" {
        assert_eq!(error.field(field), None, "{error:?}");
    }
    // The only DETAIL is pgsieve's own.
    let own = ["RepairExhausted", "rule: model"];
    let detail = error.field(b'D').unwrap_or_default();
    assert!(
        detail.is_empty() || own.iter().any(|own| detail.starts_with(own)),
        "{error:?}"
    );
}

pub const READ: &str = "SELECT id FROM shop.customers ORDER BY id";

const HOSTILE: &[&str] = &[
    "it's",
    "\\",
    "\\'; SELECT 1; --",
    "' OR '' = '",
    "'' OR true --",
    "$$x$$ /* y",
    "\"q\" ünïcödé",
    "north' UNION SELECT 1 --",
];

const HOSTILE_USERS: &[&str] = &["o'brien", "back\\slash", "x' OR 'x' = 'x"];

/// The server gives this role a value of its own.
const SOUTHERN: &str = "southern";

/// The server logs all that this role runs.
pub const NOISY: &str = "noisy";

/// And sends that along.
pub const LOUD: &str = "loud";

const LOGGING: &[&str] = &[
    "log_statement = 'all'",
    "log_min_duration_statement = 0",
    "debug_print_parse = on",
    "debug_print_rewritten = on",
    "debug_print_plan = on",
    "log_parser_stats = on",
    "log_planner_stats = on",
    "log_executor_stats = on",
    "log_min_messages = fatal",
];

/// Of this one it sends the plans along, as notices.
pub const EXPLAINED: &str = "explained";

/// The server gives this role a search_path of its own.
const PATHY: &str = "pathy";

/// The stack of these tests, with everything in it.
pub fn stack() -> &'static Stack {
    static STACK: LazyLock<Stack> = LazyLock::new(|| {
        let stack = Stack::start(Options {
            policy: Some("bi"),
            policy_edits: &[
                (
                    "    application_name: any\n",
                    "    application_name: any\n    app.tenant: any\n",
                ),
                ("\ncatalog: preferred\n", MODELS),
            ],
            ..Options::default()
        });
        stack.prepare(TABLES);
        let roles = HOSTILE_USERS.iter().chain([&SOUTHERN]).map(|name| {
            let (role, password) = (name.replace('"', "\"\""), name.replace('\'', "''"));
            format!("CREATE ROLE \"{role}\" LOGIN PASSWORD '{password}'")
        });
        let roles: Vec<String> = roles.collect();
        stack.prepare(&roles.iter().map(String::as_str).collect::<Vec<_>>());
        stack.prepare(&["ALTER ROLE southern SET app.tenant = 'south'"]);
        stack.prepare(&[
            &format!("CREATE ROLE {PATHY} LOGIN PASSWORD '{PATHY}'"),
            &format!("ALTER ROLE {PATHY} SET search_path = shop"),
            &format!("CREATE ROLE {EXPLAINED} LOGIN PASSWORD '{EXPLAINED}'"),
            &format!("ALTER ROLE {EXPLAINED} SET session_preload_libraries = auto_explain"),
            &format!("ALTER ROLE {EXPLAINED} SET auto_explain.log_min_duration = 0"),
            &format!("ALTER ROLE {EXPLAINED} SET auto_explain.log_verbose = on"),
            &format!("ALTER ROLE {EXPLAINED} SET auto_explain.log_level = notice"),
        ]);
        for role in [NOISY, LOUD] {
            stack.prepare(&[&format!("CREATE ROLE {role} LOGIN PASSWORD '{role}'")]);
            for setting in LOGGING {
                stack.prepare(&[&format!("ALTER ROLE {role} SET {setting}")]);
            }
        }
        stack.prepare(&[&format!(
            "ALTER ROLE {LOUD} SET client_min_messages = debug5"
        )]);
        for value in HOSTILE {
            let quoted = value.replace('\'', "''");
            stack.prepare(&[&format!(
                "INSERT INTO shop.customers VALUES (100, '{quoted}', 'x@y', 'canary')"
            )]);
        }
        let mut client = RawClient::login(stack.proxied_address(), &login_of(&stack, "app", &[]));
        set(&mut client, "SET app.tenant = 'north'");
        let seen = until(|| (ids(&client.query(READ)) == ["1", "2"]).then_some(()));
        assert!(seen.is_some(), "{:?}", client.query(READ));
        stack
    });
    &STACK
}

pub fn login<'a>(user: &'a str, parameters: &'a [(&'a str, &'a str)]) -> Login<'a> {
    login_of(stack(), user, parameters)
}

fn login_of<'a>(
    stack: &'a Stack,
    user: &'a str,
    parameters: &'a [(&'a str, &'a str)],
) -> Login<'a> {
    Login {
        parameters,
        ..stack.login(user)
    }
}

pub fn session(parameters: &[(&str, &str)]) -> RawClient {
    let stack = stack();
    RawClient::login(
        stack.proxied_address(),
        &login_of(stack, "reader", parameters),
    )
}

/// A statement that runs.
fn set(client: &mut RawClient, statement: &str) {
    let answer = client.query(statement);
    assert!(kinds(&answer).contains('C'), "{statement}: {answer:?}");
}

/// The ids that a session reads, in both protocols.
fn check(client: &mut RawClient, expected: &[&str]) {
    let answer = client.query(READ);
    assert!(kinds(&answer).contains('C'), "{answer:?}");
    assert_eq!(ids(&answer), expected, "{answer:?}");
    client.send(&frames::extended(READ, &[], false));
    let answer = client.until_ready();
    assert!(kinds(&answer).contains('C'), "{answer:?}");
    assert_eq!(ids(&answer), expected, "{answer:?}");
}

/// The answer to a read behind a change that the server may not have answered when the read came:
/// in doubt, or the rows of the change, and never other rows.
fn in_doubt_or(answer: &[Frame], expected: &[&str]) {
    if kinds(answer) == "EZ" {
        assert_eq!(answer[0].sqlstate(), "55000", "{answer:?}");
    } else {
        assert!(kinds(answer).contains('C'), "{answer:?}");
        assert_eq!(ids(answer), expected, "{answer:?}");
    }
}

pub fn ids(answer: &[Frame]) -> Vec<String> {
    let rows = rows(answer).into_iter();
    rows.filter_map(|row| row.into_iter().next().flatten())
        .collect()
}

/// The values of all rows, as text.
fn rows(answer: &[Frame]) -> Vec<Vec<Option<String>>> {
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    rows.map(|frame| {
        let (count, mut rest) = frame.body.split_at(2);
        let count = u16::from_be_bytes([count[0], count[1]]);
        let mut values = Vec::new();
        for _ in 0..count {
            let (length, behind) = rest.split_at(4);
            let length = i32::from_be_bytes(length.try_into().unwrap());
            let Ok(length) = usize::try_from(length) else {
                values.push(None);
                rest = behind;
                continue;
            };
            let (value, behind) = behind.split_at(length);
            values.push(Some(String::from_utf8(value.to_vec()).unwrap()));
            rest = behind;
        }
        values
    })
    .collect()
}

const MODELS: &str = "
catalog: required
models:
  shop.customers:
    sql: SELECT id, tenant, left(email, 2) || '…' AS email FROM customers WHERE tenant = :app.tenant
  shop.me:
    new: true
    sql: SELECT :user AS u, :database AS d, :application_name AS a, :certificate.common_name AS c
  shop.keyed:
    sql: SELECT id, name, unnest(parts) AS part FROM keyed
  shop.broken:
    new: true
    sql: SELECT id, secret_column FROM breaking
";

const TABLES: &[&str] = &[
    "CREATE SCHEMA shop",
    "CREATE TABLE shop.customers (id int, tenant text, email text, note text)",
    "CREATE TABLE shop.breaking (id int)",
    "CREATE SCHEMA aside",
    "CREATE TABLE aside.customers (id int)",
    "INSERT INTO aside.customers VALUES (9)",
    "GRANT USAGE ON SCHEMA aside TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA aside TO PUBLIC",
    "CREATE TABLE shop.keyed (id int PRIMARY KEY, name text, x int, parts text[], unshown text)",
    "INSERT INTO shop.keyed VALUES
     (1, 'a', 1, ARRAY['p', 'q'], 'canary'), (5, 'b', 5, '{}', 'canary')",
    "INSERT INTO shop.customers VALUES
     (1, 'north', 'ann@x', 'canary'), (2, 'north', 'ben@x', 'canary'),
     (3, 'south', 'cid@x', 'canary'), (4, 'east', 'dan@x', 'canary')",
    "GRANT USAGE ON SCHEMA shop TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC",
];
