//! `catalog_view: policy` in the hands of tools: where nothing is hidden psql shows what it shows
//! without pgsieve, and a name that is not there is told, or repaired, as anywhere.

use std::process::Command;

use crate::support::installed::{run, text};
use crate::support::raw::{Frame, kinds};
use crate::support::{ADMIN, Options, READER, RawClient, Stack, until};

#[test]
fn psql_describes_what_it_describes_directly() {
    let stack = start();
    let describe = |url: &str| {
        let mut psql = Command::new("psql");
        psql.args(["-X", "-d", url]);
        for command in DESCRIBED {
            psql.args(["-c", &format!("\\echo {command}"), "-c", command]);
        }
        let output = run(&mut psql);
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    let direct = describe(&stack.direct_url(READER));
    let proxied = describe(&stack.proxied_url(READER));
    let missing = direct
        .lines()
        .filter(|line| !proxied.lines().any(|other| other == *line));
    let added = proxied
        .lines()
        .filter(|line| !direct.lines().any(|other| other == *line));
    let (missing, added): (Vec<_>, Vec<_>) = (missing.collect(), added.collect());
    assert_eq!(missing, added, "{direct}\n{proxied}");
    assert_eq!(direct, proxied);
    assert!(direct.lines().count() > 300, "{direct}");
    assert!(!direct.contains("ERROR"), "{direct}");
}

#[test]
fn columns_of_catalogs_have_the_names_and_values_that_they_have() {
    let stack = start();
    let answers = |address| {
        let mut client = RawClient::login(address, &stack.login(READER));
        let asked = AS_DIRECT.iter().map(|sql| (*sql, client.query(sql)));
        asked.collect::<Vec<(&str, Vec<Frame>)>>()
    };
    let (direct, proxied) = (
        answers(stack.direct_address()),
        answers(stack.proxied_address()),
    );
    for ((sql, direct), (_, proxied)) in direct.iter().zip(&proxied) {
        assert_eq!(
            names_and_rows(direct),
            names_and_rows(proxied),
            "{sql}: {proxied:?}"
        );
    }
}

/// The names of columns and the rows, or an error's code.
fn names_and_rows(answer: &[Frame]) -> Vec<String> {
    let told = answer.iter().map(|frame| match frame.kind {
        b'T' => frame.body[2..]
            .split(|byte| *byte == 0)
            .map(|part| String::from_utf8_lossy(part).into_owned())
            .filter(|part| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_graphic()))
            .collect::<Vec<_>>()
            .join(","),
        b'D' => String::from_utf8_lossy(&frame.body).into_owned(),
        b'E' => frame.sqlstate().to_owned(),
        other => char::from(other).to_string(),
    });
    told.collect()
}

#[test]
fn tableoid_beside_what_shows_all_columns_is_refused() {
    let stack = start();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for sql in [
        "SELECT *, tableoid FROM pg_class",
        "SELECT c.*, c.tableoid FROM pg_class c",
        "SELECT c, c.tableoid FROM pg_class c",
        "SELECT (c).relname, c.tableoid FROM pg_class c",
        "SELECT row_to_json(pg_class), tableoid FROM pg_class",
        "SELECT c.tableoid FROM pg_class c NATURAL JOIN pg_type t",
        "SELECT c.tableoid FROM pg_class c WHERE EXISTS (TABLE pg_type)",
    ] {
        let answer = client.query(sql);
        let error = answer.iter().find(|frame| frame.kind == b'E');
        let message = error
            .and_then(|error| error.field(b'M'))
            .unwrap_or_default();
        assert!(
            message.starts_with("tableoid of a catalog is not"),
            "{sql}: {answer:?}"
        );
    }
}

#[test]
fn names_that_are_not_there_are_told_and_repaired() {
    let stack = start();
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (sql, state) in [
        ("SELECT id FROM shop.nothing_like_it", "42P01"),
        ("SELECT id FROM nothing_like_it", "42P01"),
        ("SELECT zzz FROM shop.items", "42703"),
        ("SELECT i.zzz FROM shop.items i", "42703"),
        ("SELECT x.id FROM shop.items i", "42P01"),
        ("SELECT nothing_like_it(id) FROM shop.items", "42883"),
        ("SELECT relnam FROM pg_class", "42703"),
    ] {
        let answer = client.query(sql);
        let error = answer.iter().find(|frame| frame.kind == b'E');
        assert_eq!(
            error.map(|frame| frame.sqlstate()),
            Some(state.to_owned()),
            "{sql}: {answer:?}"
        );
    }
    for sql in [
        "SELECT id FROM shop.mixedcase",
        "SELECT \"ID\" FROM shop.items",
        "SELECT id FROM shop.ITEMS WHERE ID = 1 AND \"Name\" IS NOT NULL",
    ] {
        let answer = client.query(sql);
        assert!(kinds(&answer).contains('D'), "{sql}: {answer:?}");
        let told = answer.iter().any(|frame| frame.kind == b'N');
        assert!(told || sql.contains("ITEMS"), "{sql}: {answer:?}");
    }
}

fn start() -> Stack {
    let path = std::env::temp_dir().join(format!(
        "pgsieve-it-{}.yaml",
        pgsieve::demo::cluster::random_name().unwrap()
    ));
    std::fs::write(&path, POLICY).unwrap();
    let stack = Stack::start(Options {
        arguments: vec!["--policy".into(), path.to_string_lossy().into_owned()],
        ..Options::default()
    });
    stack.prepare(&[SCHEMA]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let known = "SELECT relname FROM pg_class WHERE relname = 'items_of_b'";
    until(|| kinds(&client.query(known)).contains('D').then_some(())).unwrap();
    drop(RawClient::login(
        stack.direct_address(),
        &stack.login(ADMIN),
    ));
    stack
}

const POLICY: &str = "name: tools
extends: bi
catalog: required
catalog_view: policy
";

const SCHEMA: &str = "CREATE SCHEMA shop;
    CREATE TYPE shop.mood AS ENUM ('sad', 'glad');
    CREATE DOMAIN shop.amount AS numeric(12, 2) NOT NULL DEFAULT 0 CHECK (VALUE >= 0);
    CREATE DOMAIN shop.unused AS text;
    COMMENT ON DOMAIN shop.unused IS 'no column has it';
    CREATE TABLE shop.kinds (kind text PRIMARY KEY, about text);
    CREATE TABLE shop.items (id int GENERATED ALWAYS AS IDENTITY, kind text NOT NULL
        REFERENCES shop.kinds, name text, paid shop.amount, mood shop.mood, PRIMARY KEY (id, kind))
        PARTITION BY LIST (kind);
    CREATE TABLE shop.items_of_a PARTITION OF shop.items FOR VALUES IN ('a');
    CREATE TABLE shop.items_of_b PARTITION OF shop.items FOR VALUES IN ('b');
    CREATE INDEX items_by_name ON shop.items (name);
    CREATE TABLE shop.\"MixedCase\" (id int, item int, kind text,
        FOREIGN KEY (item, kind) REFERENCES shop.items (id, kind));
    INSERT INTO shop.\"MixedCase\" VALUES (1);
    INSERT INTO shop.kinds VALUES ('a'), ('b');
    INSERT INTO shop.items (kind, name) VALUES ('a', 'x'), ('b', 'y');
    CREATE VIEW shop.named AS SELECT id, name FROM shop.items WHERE name IS NOT NULL;
    CREATE MATERIALIZED VIEW shop.counted AS SELECT kind, count(*) FROM shop.items GROUP BY kind;
    COMMENT ON CONSTRAINT items_pkey ON shop.items IS 'the key';
    COMMENT ON COLUMN shop.items.name IS 'what it is called';
    CREATE STATISTICS shop.of_kinds ON kind, about FROM shop.kinds;
    GRANT USAGE ON SCHEMA shop TO PUBLIC;
    GRANT SELECT ON ALL TABLES IN SCHEMA shop TO PUBLIC";

/// Commands of psql. Those of functions, casts and all that reads what no policy shows are not
/// among them.
const DESCRIBED: &[&str] = &[
    "\\d",
    "\\d+",
    "\\d shop.*",
    "\\d+ shop.*",
    "\\dt+ shop.*",
    "\\di+ shop.*",
    "\\dv+ shop.*",
    "\\dm+ shop.*",
    "\\ds+ shop.*",
    "\\dn+",
    "\\dT+ shop.*",
    "\\dD+ shop.*",
    "\\dP shop.*",
    "\\dp shop.*",
    "\\dd shop.*",
    "\\dX shop.*",
    "\\dL+",
    "\\des+",
    "\\det+",
    "\\dew+",
    "\\dO+",
    "\\dx+",
    "\\dg+",
    "\\l postgres",
    "\\sv shop.named",
];

/// Statements that give the same through pgsieve.
const AS_DIRECT: &[&str] = &[
    "SELECT relid FROM pg_partition_ancestors('shop.items_of_a')",
    "SELECT relid FROM pg_partition_ancestors('shop.items_of_a') AS t",
    "SELECT t.relid FROM pg_catalog.pg_partition_ancestors('shop.items_of_a') t ORDER BY 1",
    "SELECT * FROM pg_partition_ancestors('shop.items_of_a') AS t(x)",
    "SELECT * FROM pg_partition_ancestors('shop.items_of_a') WITH ORDINALITY",
    "SELECT * FROM pg_partition_ancestors('shop.items_of_a') WITH ORDINALITY AS t",
    "SELECT t FROM pg_partition_ancestors('shop.items_of_a') AS t",
    "SELECT pg_partition_ancestors('shop.items_of_a')",
    "SELECT pg_partition_ancestors('shop.items_of_a') AS x",
    "SELECT * FROM pg_constraint, pg_partition_ancestors('shop.items_of_a') WHERE conrelid = relid \
     AND contype = 'f' ORDER BY oid",
    "SELECT c.relname, a.relid FROM pg_class c, LATERAL pg_partition_ancestors(c.oid) a \
     WHERE c.relname ~ '^items_of' ORDER BY 1, 2",
    "SELECT tableoid, oid FROM pg_class WHERE relname = 'items'",
    "SELECT c.tableoid, t.tableoid, c.tableoid = 1259 AS same FROM pg_class c LEFT JOIN pg_type t \
     ON t.oid = c.reltype AND c.relkind = 'v' WHERE c.relnamespace = 'shop'::regnamespace \
     ORDER BY c.relname",
    "SELECT pg_catalog.pg_class.tableoid FROM pg_catalog.pg_class WHERE relname = 'items'",
    "SELECT tableoid::regclass FROM pg_class WHERE relname = 'items'",
    "SELECT d.description FROM pg_constraint c JOIN pg_description d ON d.classoid = c.tableoid \
     AND d.objoid = c.oid",
    "SELECT a.attname, pg_catalog.pg_get_serial_sequence(CAST(CAST(a.attrelid AS regclass) AS text), \
     a.attname) FROM pg_attribute a WHERE a.attrelid = 'shop.items'::regclass AND a.attnum > 0 \
     ORDER BY a.attnum",
    "PREPARE of_name(name) AS SELECT tableoid, relname FROM pg_class WHERE relname = $1 \
     AND relkind = 'p'",
    "EXECUTE of_name('items')",
    "SELECT tableoid FROM pg_class, pg_type LIMIT 1",
    "SELECT tableoid FROM pg_tables LIMIT 1",
    "SELECT count(*) FROM pg_class WHERE tableoid = 1259 AND relname = 'items'",
    "SELECT i.tableoid = 'shop.items_of_a'::regclass FROM shop.items i ORDER BY 1",
];
