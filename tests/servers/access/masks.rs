//! Masks of columns and conditions on rows by pattern, with a database: what is read, and that
//! nothing of what is masked or left away arrives, by whatever way.

use std::fs;
use std::path::PathBuf;

use pgsieve::demo::cluster::random_name;

use crate::support::raw::Frame;
use crate::support::{APP, Options, RawClient, Stack, frames, until};

/// A folder with one policy, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn with(text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pgsieve-it-{}", random_name().unwrap()));
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("policy.yaml"), text).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

const POLICY: &str = "
name: masks
extends: bi
columns:
  mask: {'hr.salaries.amount': null, '*.*.email': partial, phone: last(4)}
rows: {'sales.*': 'tenant = :user'}
";

const TABLES: &[&str] = &[
    "CREATE SCHEMA sales; CREATE SCHEMA hr",
    "CREATE TABLE sales.customers (id int PRIMARY KEY, tenant text, email varchar(60), \
     phone char(14), spent numeric(10, 2))",
    "CREATE TABLE sales.orders (id int, tenant text, email text, total int) \
     PARTITION BY RANGE (id)",
    "CREATE TABLE sales.orders_1 PARTITION OF sales.orders FOR VALUES FROM (0) TO (100)",
    "CREATE TABLE sales.lists (id int)",
    "CREATE TABLE hr.salaries (id int, amount numeric(10, 2) NOT NULL, email text)",
    "INSERT INTO sales.customers VALUES (1, 'app', 'ann@CANARY', '0049-30-771234', 1), \
     (2, 'app', 'a', '12', 2), (3, 'app', NULL, NULL, 3), (4, 'CANARY', 'x@CANARY', '7777', 4)",
    "INSERT INTO sales.orders VALUES (1, 'app', 'ann@CANARY', 5), (2, 'app', 'ann@CANARY', 6), \
     (3, 'CANARY', 'x', 7777)",
    "INSERT INTO hr.salaries VALUES (1, 7777, 'bob@CANARY')",
    "CREATE VIEW sales.contacts AS SELECT id, tenant, email AS contact FROM sales.customers",
    "CREATE VIEW hr.all AS SELECT c.id, c.contact FROM sales.contacts c",
    "CREATE MATERIALIZED VIEW hr.kept AS SELECT email AS e, tenant FROM sales.orders",
    "ANALYZE",
    "GRANT USAGE ON SCHEMA sales, hr TO app",
    "GRANT SELECT ON ALL TABLES IN SCHEMA sales, hr TO app",
];

fn stack(policy: &str) -> (Stack, Folder) {
    stack_with(policy, TABLES)
}

fn stack_with(policy: &str, tables: &[&'static str]) -> (Stack, Folder) {
    let folder = Folder::with(policy);
    let file = folder.0.join("policy.yaml").to_string_lossy().into_owned();
    let key = folder.0.join("mask.key").to_string_lossy().into_owned();
    fs::write(&key, "11".repeat(32)).unwrap();
    let key: &'static str = key.leak();
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), file],
        environment: vec![("PGSIEVE_POLICY_MASK_KEY_FILE", key)],
        ..Options::default()
    });
    stack.prepare(tables);
    let known = until(|| {
        let answer = client(&stack).query("SELECT id FROM hr.salaries");
        (values(&answer) == ["1"]).then_some(())
    });
    assert!(known.is_some(), "{}", stack.stderr());
    (stack, folder)
}

fn client(stack: &Stack) -> RawClient {
    RawClient::login(stack.proxied_address(), &stack.login(APP))
}

/// The rows of an answer, NULL as a dash.
fn values(answer: &[Frame]) -> Vec<String> {
    let rows = answer.iter().filter(|frame| frame.kind == b'D');
    rows.map(|frame| {
        let mut rest = &frame.body[2..];
        let mut row = Vec::new();
        while !rest.is_empty() {
            let (length, behind) = rest.split_at(4);
            let length = i32::from_be_bytes(length.try_into().unwrap());
            let Ok(length) = usize::try_from(length) else {
                row.push("-".to_owned());
                rest = behind;
                continue;
            };
            let (value, behind) = behind.split_at(length);
            row.push(String::from_utf8_lossy(value).into_owned());
            rest = behind;
        }
        row.join("|")
    })
    .collect()
}

/// The rule that refused.
fn rule(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    let detail = error
        .and_then(|error| error.field(b'D'))
        .unwrap_or_default();
    let rule = detail.strip_prefix("rule: ").unwrap_or_default();
    rule.split([' ', '\n'])
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn shows_hidden(answer: &[Frame]) -> bool {
    let holds = |frame: &Frame, word: &[u8]| frame.body.windows(word.len()).any(|at| at == word);
    let mut canaries = [&b"CANARY"[..], b"7777"].into_iter();
    canaries.any(|word| answer.iter().any(|frame| holds(frame, word)))
}

#[test]
fn masks_show_what_they_say_with_the_type_of_the_column() {
    let (stack, _folder) = stack(POLICY);
    let mut client = client(&stack);
    for (text, wanted) in [
        (
            "SELECT id, email, phone FROM sales.customers ORDER BY id",
            &["1|a***|***1234", "2|***|***", "3|-|-"][..],
        ),
        ("SELECT * FROM hr.salaries", &["1|-|b***"]),
        (
            "SELECT email, sum(total) FROM sales.orders GROUP BY email",
            &["a***|11"],
        ),
        ("SELECT email FROM sales.orders_1 WHERE id = 2", &["a***"]),
        (
            "SELECT o.id FROM sales.orders o JOIN sales.customers c USING (email) ORDER BY 1",
            &["1", "2"],
        ),
        ("SELECT count(*) FROM sales.customers", &["3"]),
        (
            "SELECT count(*) FROM sales.customers WHERE email = 'ann@CANA' || 'RY'",
            &["0"],
        ),
        (
            "SELECT pg_typeof(amount), pg_typeof(email) FROM hr.salaries",
            &["numeric|text"],
        ),
        (
            "SELECT pg_typeof(email), pg_typeof(phone) FROM sales.customers LIMIT 1",
            &["character varying|character"],
        ),
        (
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute \
             WHERE attrelid = 'hr.salaries'::regclass AND attname = 'amount'",
            &["numeric(10,2)"],
        ),
        ("SELECT coalesce(amount, -1) FROM hr.salaries", &["-1"]),
    ] {
        let answer = client.query(text);
        let given = values(&answer);
        assert_eq!(given, wanted, "{text}: {answer:?}");
        client.send(&frames::extended(text, &[], false));
        assert_eq!(values(&client.until_ready()), wanted, "{text}");
    }
}

#[test]
fn nothing_that_is_masked_or_left_away_arrives() {
    for mode in ["", "mode: observe\n"] {
        let (stack, _folder) = stack(&format!("{POLICY}{mode}"));
        let mut client = client(&stack);
        for text in WAYS {
            let answer = client.query(text);
            assert!(!shows_hidden(&answer), "{mode}{text}: {answer:?}");
            client.send(&frames::extended(text, &[], false));
            let answer = client.until_ready();
            assert!(!shows_hidden(&answer), "{mode}{text}: {answer:?}");
        }
        for (text, wanted) in REFUSED {
            let answer = client.query(text);
            assert_eq!(rule(&answer), *wanted, "{mode}{text}: {answer:?}");
            assert!(!shows_hidden(&answer), "{text}: {answer:?}");
        }
    }
}

/// What reads past masks and conditions on rows, and is no name of a relation.
const READERS: &[&str] = &[
    "CREATE FUNCTION sales.peek(int) RETURNS text LANGUAGE sql STABLE AS \
     'SELECT email FROM sales.customers WHERE customers.id = $1'",
    "CREATE FUNCTION sales.look(int) RETURNS boolean LANGUAGE plpgsql STABLE AS \
     'BEGIN RETURN EXISTS (SELECT FROM sales.customers c WHERE c.id = $1); END'",
    "CREATE DOMAIN sales.checked AS int CHECK (sales.look(VALUE))",
    "CREATE VIEW hr.looked AS SELECT sales.look(4) AS found",
    "CREATE TABLE hr.plain (id int, secret text)",
    "INSERT INTO hr.plain VALUES (1, 'x')",
    "GRANT SELECT ON ALL TABLES IN SCHEMA hr TO app",
];

const PAST: &[&str] = &[
    "SELECT sales.peek(4)",
    "SELECT sales.look(4)",
    "SELECT 4::sales.checked",
    "SELECT id FROM hr.plain p WHERE sales.look(p.id + 3)",
    "SELECT sales.peek(id + 3) FROM sales.customers",
    "SELECT p.* FROM hr.plain h, LATERAL (SELECT sales.peek(h.id + 3)) p",
    "PREPARE p AS SELECT sales.peek(4)",
    "COPY (SELECT sales.peek(4)) TO STDOUT",
];

#[test]
fn a_policy_that_observes_has_nothing_read_past_masks_and_refuses_no_other_read() {
    let tables = [TABLES, READERS].concat();
    let lists = "relations: {deny: [hr.plain]}\nmode: observe\n";
    for rules in ["", "rules: {not_resolved: observe}\n"] {
        let (stack, _folder) = stack_with(&format!("{POLICY}{lists}{rules}"), &tables);
        let mut client = client(&stack);
        let known = until(|| (values(&client.query("TABLE hr.plain")) == ["1|x"]).then_some(()));
        assert!(known.is_some(), "{}", stack.stderr());
        for text in PAST {
            let answer = client.query(text);
            assert_eq!(rule(&answer), "not_resolved", "{rules}{text}: {answer:?}");
            client.send(&frames::extended(text, &[], false));
            let answer = client.until_ready();
            assert_eq!(rule(&answer), "not_resolved", "{rules}{text}: {answer:?}");
        }
        for (text, wanted) in [
            ("SELECT secret FROM hr.plain", "x"),
            ("SELECT upper(secret) FROM hr.plain", "X"),
            (
                "SELECT count(*) FROM hr.plain JOIN sales.customers USING (id)",
                "1",
            ),
            ("SELECT found FROM hr.looked", "t"),
        ] {
            let answer = client.query(text);
            assert_eq!(values(&answer), [wanted], "{rules}{text}: {answer:?}");
        }
        for missing in ["SELECT 1 FROM hr.plian", "SELECT scret FROM hr.plain"] {
            let answer = client.query(missing);
            assert_eq!(rule(&answer), "", "{rules}{missing}: {answer:?}");
        }
        let answer = client.query(PAST[0]);
        let detail = answer[0].field(b'D').unwrap();
        assert!(
            detail.contains("whose models hold while it observes"),
            "{detail}"
        );
    }
    // Where a view is what it reads, one that looks past them is no plain read.
    let checked = format!("{POLICY}relations: {{through_views: check}}\nmode: observe\n");
    let (stack, _folder) = stack_with(&checked, &tables);
    let refused = until(|| {
        let answer = client(&stack).query("SELECT found FROM hr.looked");
        (rule(&answer) == "relation_denied").then_some(())
    });
    assert!(refused.is_some(), "{}", stack.stderr());
    // Only who observes models as well has it run.
    let all = format!("{POLICY}mode: observe\nrules: {{model: observe}}\n");
    let (stack, _folder) = stack_with(&all, &tables);
    let read = until(|| {
        let answer = client(&stack).query(PAST[0]);
        (values(&answer) == ["x@CANARY"]).then_some(())
    });
    assert!(read.is_some(), "{}", stack.stderr());
}

const HASHED: &str = "
name: hashes
extends: bi
columns: {mask: {email: hash, phone: hash}}
";

/// The server sends its log along.
const LOGS: &[&str] = &["DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET \
    log_min_duration_statement = 0', current_database()); EXECUTE format('ALTER DATABASE %I SET \
    client_min_messages = debug5', current_database()); END $$"];

#[test]
fn a_hash_is_the_hmac_that_whoever_has_the_key_computes() {
    for mode in ["", "mode: observe\n"] {
        hashes_are_computed(mode);
    }
}

fn hashes_are_computed(mode: &str) {
    let (stack, folder) = stack(&format!("{HASHED}{mode}"));
    let mut client = client(&stack);
    let ann = "e753300e98a9e5c3e12597f713262181";
    for (text, wanted) in [
        (
            "SELECT id, email FROM sales.customers WHERE id IN (1, 2, 3) ORDER BY id",
            vec![
                format!("1|{ann}"),
                "2|a0ce8323a5c6e1b7fa0a85abfc382901".into(),
                "3|-".into(),
            ],
        ),
        (
            "SELECT email, sum(total) FROM sales.orders GROUP BY email ORDER BY 2 DESC LIMIT 1",
            vec!["5826a4db0cec04ca1e62958a50a51bef|7777".into()],
        ),
        (
            "SELECT o.id FROM sales.orders o JOIN sales.customers c USING (email) ORDER BY 1",
            vec!["1".into(), "2".into()],
        ),
        (
            "SELECT email FROM sales.orders_1 WHERE id = 2",
            vec![ann.to_owned()],
        ),
        (
            "SELECT rtrim(phone) FROM sales.customers WHERE id = 1",
            vec!["f47b01cbd2b1e64e393717798ab47393".into()],
        ),
        (
            "SELECT DISTINCT pg_typeof(email), pg_typeof(phone) FROM sales.customers",
            vec!["character varying|character".into()],
        ),
        (
            "SELECT count(*) FROM sales.orders WHERE email = 'x'",
            vec!["0".into()],
        ),
    ] {
        let answer = client.query(text);
        assert_eq!(values(&answer), wanted, "{text}: {answer:?}");
        client.send(&frames::extended(text, &[], false));
        assert_eq!(values(&client.until_ready()), wanted, "{text}");
    }
    // Another key holds in the same session, whose part of it stays.
    fs::write(folder.0.join("mask.key"), "22".repeat(32)).unwrap();
    let other = until(|| {
        let answer = client.query("SELECT email FROM sales.orders_1 WHERE id = 2");
        (values(&answer) == ["2f5e21a679e3c9e8c43f11c18e03d080"]).then_some(())
    });
    assert!(other.is_some(), "{}", stack.stderr());
}

#[test]
fn nobody_is_told_both_parts_of_the_key() {
    for mode in ["", "mode: observe\n"] {
        let tables = [LOGS, TABLES].concat();
        let (stack, _folder) = stack_with(&format!("{HASHED}{mode}"), &tables);
        let mut client = client(&stack);
        let answer = client.query("SELECT email FROM sales.customers");
        let notices = answer.iter().filter(|frame| frame.kind == b'N');
        let texts: Vec<_> = notices.filter_map(|frame| frame.field(b'M')).collect();
        let is_told = texts.iter().any(|text| text.contains("mask_pad"));
        assert!(!is_told, "{mode}{texts:?}");
        for text in PADS {
            let answer = client.query(text);
            assert!(values(&answer).is_empty(), "{mode}{text}: {answer:?}");
            assert!(
                answer.iter().any(|frame| frame.kind == b'E'),
                "{mode}{text}: {answer:?}"
            );
            client.send(&frames::extended(text, &[], false));
            assert!(values(&client.until_ready()).is_empty(), "{mode}{text}");
        }
        for text in WAYS.iter().chain(SETTINGS) {
            let answer = client.query(text);
            let given = values(&answer).join(" ");
            let is_pad = given.contains("mask_pad") && !given.contains("current_setting");
            assert!(!is_pad, "{mode}{text}: {answer:?}");
        }
    }
}

const PADS: &[&str] = &[
    "SHOW pgsieve.mask_pad",
    "SELECT current_setting('pgsieve.mask_pad')",
    "SELECT current_setting('pgsieve.' || 'mask_pad', true)",
    "SELECT current_setting(n) FROM (VALUES ('pgsieve.mask_pad')) v (n)",
    "SELECT set_config('pgsieve.mask_pad', NULL, false)",
    "SET pgsieve.mask_pad = '{0,0,0,0}'",
    "RESET pgsieve.mask_pad",
    "DECLARE c CURSOR FOR SELECT current_setting('pgsieve.mask_pad')",
];

const SETTINGS: &[&str] = &[
    "SHOW ALL",
    "SELECT name, setting, reset_val FROM pg_settings",
    "SELECT pg_show_all_settings()",
    "EXPLAIN (VERBOSE, SETTINGS) SELECT email FROM sales.customers",
    "SELECT setconfig FROM pg_db_role_setting",
    "SELECT statement FROM pg_prepared_statements",
    "SELECT statement FROM pg_cursors",
];

const WAYS: &[&str] = &[
    "TABLE sales.customers",
    "SELECT c FROM sales.customers c",
    "SELECT row_to_json(c), to_jsonb(c) FROM sales.customers c",
    "SELECT (c).email FROM sales.customers c",
    "SELECT c.* FROM hr.salaries c",
    "SELECT json_agg(s) FROM hr.salaries s",
    "SELECT max(amount), min(amount), count(amount) FROM hr.salaries",
    "SELECT 1 / (amount - 7777) FROM hr.salaries",
    "SELECT email::int FROM sales.customers",
    "SELECT 1 FROM sales.customers WHERE email::int > 1",
    "SELECT 1 FROM sales.customers WHERE tenant::int > 1",
    "SELECT spent / (id - 4) FROM sales.customers",
    "SELECT 1 FROM sales.customers WHERE spent / (id - 4) > 0",
    "SELECT DISTINCT tenant FROM sales.orders ORDER BY 1",
    "SELECT string_agg(email, ',' ORDER BY total) FROM sales.orders",
    "SELECT ctid, tableoid FROM sales.customers",
    "COPY sales.customers TO STDOUT",
    "COPY sales.customers (email, phone) TO STDOUT",
    "COPY (TABLE hr.salaries) TO STDOUT",
    "COPY sales.orders_1 TO STDOUT",
    "SELECT * FROM ONLY sales.customers",
    "SELECT * FROM sales.orders TABLESAMPLE system (100)",
    "WITH x AS MATERIALIZED (TABLE sales.customers) SELECT * FROM x",
    "SELECT (SELECT array_agg(email) FROM sales.customers)",
    "SELECT most_common_vals FROM pg_stats WHERE tablename = 'orders_1'",
    "SELECT histogram_bounds FROM pg_stats",
    "SELECT query_to_xml('SELECT * FROM sales.customers', true, true, '')",
    "SELECT table_to_xml('hr.salaries', true, true, '')",
    "SELECT query FROM pg_stat_activity",
    "SELECT current_query() FROM sales.customers",
    "SELECT * FROM json_populate_recordset(NULL::sales.customers, '[]')",
    "EXPLAIN VERBOSE SELECT * FROM sales.customers WHERE email = 'x'",
    "SELECT contact FROM sales.contacts",
    "SELECT * FROM hr.all",
    "SELECT * FROM hr.kept",
    "SELECT c.email FROM sales.customers c, LATERAL (SELECT c.email::date) x",
];

const REFUSED: &[(&str, &str)] = &[
    ("SELECT contact FROM sales.contacts", "model"),
    ("SELECT * FROM hr.all", "model"),
    ("SELECT * FROM hr.kept", "model"),
    ("SELECT 1 FROM pg_stats", "relation_denied"),
    ("SELECT attmissingval FROM pg_attribute", "column_denied"),
    ("SELECT id FROM sales.lists", "model"),
    ("SELECT email FROM ONLY sales.customers", "model"),
    ("LOCK TABLE sales.customers IN ACCESS SHARE MODE", "model"),
];
