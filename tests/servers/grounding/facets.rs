//! Each facet tells what the server itself says of the same thing, and nothing that is
//! hidden: a facet without both is a test that fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use grounding::GroundingFacet;
use serde_json::Value;

use crate::support::command::pgsieve;
use crate::support::sql::{block_on, rows};
use crate::support::{ADMIN, Options, Stack};
use crate::versions::on_every_version;

const SCHEMA: &[&str] = &[
    "CREATE SCHEMA shop",
    "CREATE TYPE shop.mood AS ENUM ('calm', 'loud')",
    "CREATE TABLE shop.buyers (id int PRIMARY KEY, name varchar(40) NOT NULL, mood shop.mood, \
       parrot text, since date DEFAULT now(), UNIQUE (name, since))",
    "CREATE TABLE shop.parrots (id int PRIMARY KEY, state text)",
    "CREATE TABLE shop.orders (id int PRIMARY KEY, buyer int REFERENCES shop.buyers, \
       parrot_id int REFERENCES shop.parrots, state text, \
       doubled int GENERATED ALWAYS AS (id * 2) STORED)",
    "CREATE INDEX ON shop.orders (state, buyer)",
    "CREATE UNIQUE INDEX ON shop.orders (buyer, id)",
    "CREATE INDEX ON shop.buyers USING hash (parrot)",
    "CREATE TABLE shop.calls (kind text, cost int)",
    "CREATE VIEW shop.names AS SELECT id, name FROM shop.buyers",
    "CREATE FOREIGN DATA WRAPPER elsewhere",
    "CREATE SERVER far FOREIGN DATA WRAPPER elsewhere",
    "CREATE FOREIGN TABLE shop.far (id int NOT NULL, note text) SERVER far",
    "CREATE FOREIGN TABLE shop.parrot_far (id int) SERVER far",
    "CREATE FUNCTION shop.mixed(a int, b text DEFAULT 'x', VARIADIC c int[] DEFAULT '{}') \
       RETURNS SETOF text LANGUAGE sql IMMUTABLE AS 'SELECT b'",
    "CREATE FUNCTION shop.pair(id int, OUT one int, OUT two text) LANGUAGE sql IMMUTABLE \
       AS 'SELECT id, ''x'''",
    "CREATE FUNCTION shop.plain(numeric, \"Odd name\" numeric) RETURNS numeric LANGUAGE sql \
       IMMUTABLE AS 'SELECT $1'",
    "CREATE FUNCTION shop.parrot_call(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'",
    "COMMENT ON FUNCTION shop.mixed(int, text, int[]) IS 'Mixes'",
    "COMMENT ON FOREIGN TABLE shop.far IS 'Kept elsewhere'",
    "COMMENT ON COLUMN shop.orders.state IS 'open or paid'",
    "INSERT INTO shop.buyers SELECT n, 'name ' || n, 'calm', 'parrot value' \
       FROM generate_series(1, 200) n",
    "INSERT INTO shop.orders SELECT n, n, NULL, CASE n % 2 WHEN 0 THEN 'open' ELSE 'paid' END \
       FROM generate_series(1, 200) n",
    "INSERT INTO shop.calls SELECT CASE WHEN n % 4 > 0 THEN 'kind ' || n % 3 END, n % 7 \
       FROM generate_series(1, 200) n",
    "ANALYZE",
];

/// What is called by a parrot is hidden, in the half that hides.
const HIDING: &str = "\
relations: {deny: [\"shop.parrot*\"]}
columns: {deny: [\"*.*.parrot*\"]}
functions: {allow: [shop.mixed, shop.pair, shop.plain], deny: [shop.parrot_call]}
foreign: {tables: [shop.far]}
models:
  shop.sums: {new: true, sql: \"SELECT state, count(*) AS orders FROM shop.orders GROUP BY state\"}
knowledge:
  quirk:
    told: {note: states are words, about: shop.orders.state}
    parrot: {note: x, about: shop.parrots}
";

const SHOWING: &str = "\
functions: {allow: [shop.mixed, shop.pair, shop.plain, shop.parrot_call]}
foreign: {tables: [shop.far, shop.parrot_far]}
models:
  shop.sums: {new: true, sql: \"SELECT state, count(*) AS orders FROM shop.orders GROUP BY state\"}
  shop.parrot_sums: {new: true, sql: SELECT 1 AS id}
knowledge:
  quirk:
    told: {note: states are words, about: shop.orders.state}
    parrot: {note: x, about: shop.parrots}
";

on_every_version!(each_facet_tells_what_the_server_says, told_on, on_13 13, on_15 15, on_18 18);
on_every_version!(each_facet_hides_what_the_policy_hides, hidden_on, on_15 15);

/// Why what a facet tells is not what the server says; none where it is.
type Truth = fn(&Facts<'_>, &Value) -> Option<String>;

const TRUTHS: &[(&str, Truth)] = &[
    ("info", info),
    ("tables", tables),
    ("columns", columns),
    ("keys", keys),
    ("foreign_keys", foreign_keys),
    ("statistics", statistics),
    ("samples", samples),
    ("indexes", indexes),
    ("functions", functions),
    ("models", models),
    ("knowledge", knowledge),
];

#[test]
fn no_facet_is_forgotten() {
    let all: BTreeSet<&str> = GroundingFacet::ALL.iter().map(|one| one.name()).collect();
    let told: BTreeSet<&str> = TRUTHS.iter().map(|(name, _)| *name).collect();
    assert_eq!(told, all);
}

fn told_on(version: u32) {
    let Some(stack) = database(version) else {
        return;
    };
    let facts = Facts { stack };
    let mut wrong = Vec::new();
    for (facet, truth) in TRUTHS {
        let whole = facts.told(facet, HIDING, "hiding");
        wrong.extend(truth(&facts, &whole).map(|what| format!("{facet}: {what}")));
    }
    assert_eq!(wrong, [""; 0], "{version}");
}

fn hidden_on(version: u32) {
    let Some(stack) = database(version) else {
        return;
    };
    let facts = Facts { stack };
    // The server's version has nothing that a policy could hide; what a parrot has is not rows.
    let nothing_to_hide = ["info"];
    for (facet, _) in TRUTHS {
        let hidden = facts.told(facet, HIDING, "hiding").to_string();
        assert!(!hidden.contains("parrot"), "{version}, {facet}: {hidden}");
        let shown = facts.told(facet, SHOWING, "showing").to_string();
        let is_told = shown.contains("parrot");
        assert_eq!(
            is_told,
            !nothing_to_hide.contains(facet),
            "{facet}: {shown}"
        );
    }
}

fn database(version: u32) -> Option<&'static Stack> {
    static OLDEST: OnceLock<Option<Stack>> = OnceLock::new();
    static MIDDLE: OnceLock<Option<Stack>> = OnceLock::new();
    static NEWEST: OnceLock<Option<Stack>> = OnceLock::new();
    let place = match version {
        13 => &OLDEST,
        15 => &MIDDLE,
        _ => &NEWEST,
    };
    let made = place.get_or_init(|| {
        let stack = Stack::on_version_with(version, Options::default())?;
        stack.prepare(SCHEMA);
        Some(stack)
    });
    made.as_ref()
}

/// A database, asked directly and told by pgsieve.
struct Facts<'s> {
    stack: &'s Stack,
}

impl Facts<'_> {
    fn told(&self, facet: &str, policy: &str, name: &str) -> Value {
        let file = self.stack.folder().join(format!("{name}.yaml"));
        write_whole(&file, &format!("name: {name}\nextends: agent\n{policy}"));
        let (url, file) = (self.stack.direct_url(ADMIN), file.display().to_string());
        let facets = match facet {
            "info" | "tables" | "columns" | "functions" | "knowledge" => facet.to_owned(),
            other => format!("tables,columns,{other}"),
        };
        let asked = ["ground", "--upstream", &url, "--policy", &file];
        let how = ["--format", "json", "--facets", &facets];
        let output = pgsieve(&[&asked[..], &how].concat(), "");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{facet}: {complaint}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn rows(&self, text: &str) -> Vec<Vec<String>> {
        block_on(async { rows(&self.stack.direct(ADMIN).await, text).await })
    }

    /// The first column of a direct answer, but for what a parrot has.
    fn server(&self, text: &str) -> BTreeSet<String> {
        let rows = self.rows(text).into_iter().map(|row| row[0].clone());
        rows.filter(|row| !row.contains("parrot")).collect()
    }
}

/// Both halves of a test write the same.
fn write_whole(file: &Path, text: &str) {
    let new = file.with_extension(format!("{:?}", std::thread::current().id()));
    fs::write(&new, text).unwrap();
    fs::rename(&new, file).unwrap();
}

/// A line for each relation but models.
fn of_relations(whole: &Value, line: impl Fn(&Value) -> Vec<String>) -> BTreeSet<String> {
    let all = whole["relations"].as_array().into_iter().flatten();
    let read = all.filter(|relation| relation["kind"] != "model");
    let lines = read.flat_map(|relation| {
        let name = text(&relation["name"]);
        line(relation)
            .into_iter()
            .map(move |line| format!("{name} {line}"))
    });
    lines.collect()
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn list(value: &Value) -> String {
    let all = value.as_array().into_iter().flatten();
    all.map(text).collect::<Vec<_>>().join(",")
}

fn differ(told: &BTreeSet<String>, server: &BTreeSet<String>) -> Option<String> {
    let is_same = told == server && !server.is_empty();
    (!is_same).then(|| format!("told {told:?}, the server says {server:?}"))
}

fn info(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let server = facts.server("SELECT split_part(current_setting('server_version'), ' ', 1)");
    let version = text(&whole["server"]["version"]);
    let told = version.split(' ').next().unwrap_or_default().to_owned();
    differ(&BTreeSet::from([told]), &server)
}

fn tables(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_relations(whole, |one| {
        let comment = one.get("comment").map_or(String::new(), text);
        let rows = one.get("rows").map_or(String::new(), text);
        vec![format!("{} {rows} {comment}", text(&one["kind"]))]
    });
    let server = facts.server(
        "SELECT concat(relname, ' ', CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' \
           ELSE 'foreign table' END, ' ', CASE WHEN relkind = 'r' AND reltuples > 0 THEN \
           reltuples::bigint END, ' ', obj_description(oid, 'pg_class')) \
         FROM pg_class WHERE relnamespace = 'shop'::regnamespace AND relkind IN ('r', 'v', 'f')",
    );
    differ(&told, &server)
}

fn columns(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_relations(whole, |one| {
        let columns = one["columns"].as_array().unwrap().iter();
        let line = |column: &Value| {
            let generated = column.get("is_generated").is_some();
            let comment = column.get("comment").map_or(String::new(), text);
            let labels = column.get("labels").map_or(String::new(), list);
            let (name, data_type) = (text(&column["name"]), text(&column["type"]));
            let not_null = &column["not_null"];
            format!("{name} {data_type} {not_null} {generated} {labels} {comment}")
        };
        columns.map(line).collect()
    });
    let server = facts.server(
        "SELECT concat(c.relname, ' ', quote_ident(attname), ' ', \
           format_type(atttypid, atttypmod), ' ', attnotnull::text, ' ', \
           (attgenerated <> '')::text, ' ', \
           (SELECT string_agg(enumlabel, ',' ORDER BY enumsortorder) \
            FROM pg_enum WHERE enumtypid = atttypid), ' ', \
           col_description(c.oid, attnum)) \
         FROM pg_attribute JOIN pg_class c ON c.oid = attrelid \
         WHERE relnamespace = 'shop'::regnamespace AND relkind IN ('r', 'v', 'f') AND attnum > 0",
    );
    differ(&told, &server)
}

fn keys(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_relations(whole, |one| {
        let primary = one.get("primary_key").map(|key| format!("p {}", list(key)));
        let unique = one.get("unique_keys").and_then(Value::as_array);
        let unique = unique
            .into_iter()
            .flatten()
            .map(|key| format!("u {}", list(key)));
        primary.into_iter().chain(unique).collect()
    });
    let server = facts.server(
        "SELECT concat(conrelid::regclass::text, ' ', contype, ' ', \
           (SELECT string_agg(attname, ',' ORDER BY place) \
            FROM unnest(conkey) WITH ORDINALITY k (number, place) \
           JOIN pg_attribute ON attrelid = conrelid AND attnum = number)) \
         FROM pg_constraint WHERE contype IN ('p', 'u') \
           AND connamespace = 'shop'::regnamespace",
    );
    let server = server
        .iter()
        .map(|line| line.replacen("shop.", "", 1))
        .collect();
    differ(&told, &server)
}

fn foreign_keys(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_relations(whole, |one| {
        let all = one.get("foreign_keys").and_then(Value::as_array);
        let line = |key: &Value| {
            let (own, to) = (list(&key["columns"]), text(&key["to"]));
            format!("{own} {to} {}", list(&key["to_columns"]))
        };
        all.into_iter().flatten().map(line).collect()
    });
    let server = facts.server(
        "SELECT concat(replace(conrelid::regclass::text, 'shop.', ''), ' ', a.attname, ' ', \
           confrelid::regclass, ' ', b.attname) FROM pg_constraint \
         JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1] \
         JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = confkey[1] \
         WHERE contype = 'f'",
    );
    differ(&told, &server)
}

fn statistics(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_columns(whole, "statistics", |known| {
        let distinct = known.get("distinct").map_or(String::new(), text);
        format!("{} {distinct}", known["null_percent"])
    });
    // Nothing is told of the values of a relation with a hidden column.
    let server = facts.server(
        "SELECT concat(tablename, ' ', attname, ' ', round(null_frac * 100), ' ', \
           CASE WHEN n_distinct <> 0 THEN round(CASE WHEN n_distinct < 0 THEN -n_distinct * 200 \
           ELSE n_distinct END) END) FROM pg_stats \
         WHERE schemaname = 'shop' AND tablename = 'calls'",
    );
    differ(&told, &server)
}

fn samples(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_columns(whole, "samples", list);
    let server = facts.server(
        "SELECT 'orders state ' || string_agg(DISTINCT state, ',' ORDER BY state) \
         FROM shop.orders UNION \
         SELECT 'calls kind ' || string_agg(DISTINCT kind, ',' ORDER BY kind) FROM shop.calls",
    );
    let texts = |line: &&String| line.contains(" state ") || line.contains(" kind ");
    differ(&told.iter().filter(texts).cloned().collect(), &server)
}

/// A line for each column that has something under a key.
fn of_columns(whole: &Value, key: &str, line: fn(&Value) -> String) -> BTreeSet<String> {
    of_relations(whole, |one| {
        let columns = one["columns"].as_array().unwrap().iter();
        let having = columns.filter_map(|column| Some((column, column.get(key)?)));
        let lines =
            having.map(|(column, found)| format!("{} {}", text(&column["name"]), line(found)));
        lines.collect()
    })
}

fn indexes(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let told = of_relations(whole, |one| {
        let all = one.get("indexes").and_then(Value::as_array);
        let line = |index: &Value| {
            let (method, columns) = (text(&index["method"]), list(&index["columns"]));
            format!("{method} {columns} {}", index["is_unique"])
        };
        all.into_iter().flatten().map(line).collect()
    });
    let server = facts.server(
        "SELECT concat(replace(indrelid::regclass::text, 'shop.', ''), ' ', amname, ' ', \
           (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute \
            WHERE attrelid = indexrelid), ' ', indisunique::text) \
         FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_am ON pg_am.oid = i.relam \
         WHERE i.relnamespace = 'shop'::regnamespace",
    );
    differ(&told, &server)
}

fn functions(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let all = whole["functions"].as_array().into_iter().flatten();
    let told = all.map(|one| {
        let comment = one.get("comment").map_or(String::new(), text);
        format!("{} {comment}", text(&one["signature"]))
    });
    let server = facts.server(
        "SELECT concat(p.oid::regproc, '(', \
           regexp_replace(pg_get_function_identity_arguments(p.oid), ', OUT [^,]*', '', \
             'g'), ') ', obj_description(p.oid, 'pg_proc')) \
         FROM pg_proc p WHERE pronamespace = 'shop'::regnamespace",
    );
    let without_defaults = told.map(|line| line.replace(" DEFAULT", ""));
    let defaults = text(&whole["functions"]).matches(" DEFAULT").count();
    let counted = facts.rows(
        "SELECT sum(pronargdefaults)::text FROM pg_proc WHERE pronamespace = 'shop'::regnamespace",
    );
    if counted[0][0] != defaults.to_string() {
        return Some(format!(
            "{defaults} defaults, the server has {}",
            counted[0][0]
        ));
    }
    differ(&without_defaults.collect(), &server)
}

fn models(facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let all = whole["relations"].as_array().into_iter().flatten();
    let columns = all
        .filter(|one| one["kind"] == "model")
        .flat_map(|one| one["columns"].as_array().into_iter().flatten())
        .map(|column| format!("{} {}", text(&column["name"]), text(&column["type"])));
    let told: BTreeMap<usize, String> = columns.enumerate().collect();
    let server = facts.rows(
        "SELECT 'state ' || pg_typeof(state), 'orders ' || pg_typeof(count(*)) FROM shop.orders \
         GROUP BY state LIMIT 1",
    );
    differ(
        &told.into_values().collect(),
        &server.concat().into_iter().collect(),
    )
}

fn knowledge(_facts: &Facts<'_>, whole: &Value) -> Option<String> {
    let all = whole["knowledge"].as_array().into_iter().flatten();
    let quirks = all.filter(|one| one["kind"] == "quirk");
    let told = quirks.map(|one| format!("{} {}", text(&one["note"]), list(&one["about"])));
    let written = BTreeSet::from(["states are words shop.orders.state".to_owned()]);
    differ(&told.collect(), &written)
}
