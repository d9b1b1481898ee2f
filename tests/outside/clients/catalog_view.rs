//! `catalog_view: policy` in the hands of tools, under a policy that hides relations, columns and
//! functions and masks columns: psql's commands, SQLAlchemy's inspector and JDBC's DatabaseMetaData
//! work, show no name of what is hidden, and describe the rest as they do directly.
//!
//! Every hidden name has `hoopoe` in it, and so has everything that is said of one.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::LazyLock;

use super::drivers::{JDBC, python};
use crate::support::installed::{installed, run, text};
use crate::support::raw::kinds;
use crate::support::{Options, READER, RawClient, Stack, until};

#[test]
fn psql_15_describes_what_is_shown() {
    psql("psql", &STACK);
}

#[test]
fn psql_18_describes_what_is_shown() {
    let Some(stack) = NEWEST.as_ref() else { return };
    psql(&installed("clients-dump/bin/psql"), stack);
}

#[test]
fn psql_finds_nothing_that_is_hidden() {
    for pattern in [
        "hoopoe_vault.hoopoe_accounts",
        "shop.hoopoe_covered",
        "hoopoe*",
        "shop.hoopoe_email_index",
    ] {
        for command in [
            "\\d", "\\d+", "\\dt", "\\di", "\\dp", "\\df", "\\dT", "\\sv", "\\sf",
        ] {
            let [out, err] = printed(
                &STACK,
                true,
                |command_line| {
                    let line = format!("{command} {pattern}");
                    command_line.args(["-X", "-A", "-t", "-c", &line]);
                },
                "psql",
            );
            // What was asked for is said back, and the heading of an empty list.
            let told = format!("{out}{err}").replace(pattern, "");
            assert!(!told.contains("hoopoe"), "{command} {pattern}: {told}");
        }
    }
}

#[test]
fn the_inspector_of_sqlalchemy_describes_what_is_shown() {
    let script = |command: &mut Command| {
        command.args(["-W", "ignore", "catalog_view.py"]);
    };
    let [direct, proxied] =
        [false, true].map(|proxied| printed(&STACK, proxied, script, &python()));
    agree(&direct[0], &proxied[0], INSPECTOR_SAYS, INSPECTOR_LEAVES);
    for driver in ["psycopg|", "psycopg2|"] {
        let said = proxied[0].lines().filter(|line| line.starts_with(driver));
        assert!(said.count() > 80, "{}", proxied[0]);
    }
}

#[test]
fn jdbc_describes_what_is_shown() {
    let script = |command: &mut Command| {
        command.args([
            "-Xshare:auto",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            JDBC,
            "CatalogView.java",
        ]);
    };
    let [direct, proxied] = [false, true].map(|proxied| printed(&STACK, proxied, script, "java"));
    agree(&direct[0], &proxied[0], JDBC_SAYS, JDBC_LEAVES);
    for asked in [
        "tables",
        "columns",
        "key",
        "imported",
        "exported",
        "index",
        "rights",
        "functions",
        "arguments",
        "types",
    ] {
        let asked = format!("simple|{asked}|");
        let is_there = proxied[0].lines().any(|line| line.starts_with(&asked));
        assert!(is_there, "{asked}: {}", proxied[0]);
    }
}

/// Each command alone: what it prints has nothing hidden in it, no error that it has not directly,
/// and for what is shown as a whole it is the same.
fn psql(program: &str, stack: &Stack) {
    let every: Vec<&str> = PSQL_SAME.iter().chain(PSQL_OTHER).copied().collect();
    let script = |command: &mut Command| {
        command.args(["-X", "-A"]);
        for asked in &every {
            let (out, err) = (format!("\\echo {MARK}"), format!("\\warn {MARK}"));
            command.args(["-c", &out, "-c", &err, "-c", asked]);
        }
    };
    let [direct, proxied] = [false, true].map(|proxied| printed(stack, proxied, script, program));
    let mut added = BTreeSet::new();
    for (place, asked) in every.iter().enumerate() {
        let of = |all: &[String; 2]| all.clone().map(|all| behind_mark(&all, place));
        let ([direct, direct_error], [proxied, error]) = (of(&direct), of(&proxied));
        assert!(!proxied.contains("hoopoe"), "{asked}: {proxied}");
        assert_eq!(error, direct_error, "{asked}");
        if place < PSQL_SAME.len() {
            assert_eq!(proxied, direct, "{asked}");
            let is_there = !proxied.is_empty() || !error.is_empty();
            assert!(is_there, "{asked}: {proxied}");
            continue;
        }
        if *asked == "\\d shop.masked" {
            for line in PSQL_MASKED {
                assert!(
                    proxied.lines().any(|own| own == *line),
                    "no {line}: {proxied}"
                );
            }
        }
        let known: BTreeSet<&str> = direct.lines().collect();
        let more = proxied.lines().filter(|line| !known.contains(line));
        let is_count = |line: &str| line.ends_with(" rows)") || line.ends_with(" row)");
        let more = more.filter(|line| !line.is_empty() && !is_count(line));
        added.extend(more.map(str::to_owned));
    }
    let wanted: BTreeSet<String> = PSQL_SAYS.iter().map(|line| (*line).to_owned()).collect();
    let strange: Vec<_> = added.difference(&wanted).collect();
    assert!(strange.is_empty(), "{strange:#?}");
}

/// What stands behind a mark, up to the next.
fn behind_mark(printed: &str, place: usize) -> String {
    let part = printed.split(MARK).nth(place + 1);
    part.unwrap_or_else(|| panic!("nothing at {place}: {printed}"))
        .trim()
        .to_owned()
}

/// Compares facts, one a line behind a mode: what is said through pgsieve alone, and what is left
/// out that has nothing hidden in it.
fn agree(direct: &str, proxied: &str, says: &[&str], leaves: &[&str]) {
    assert!(!proxied.contains("hoopoe"), "{proxied}");
    assert!(direct.contains("hoopoe"), "{direct}");
    let facts = |printed: &str| -> BTreeSet<String> {
        let facts = printed.lines().map(|line| match line.split_once('|') {
            Some((_, fact)) => fact.to_owned(),
            None => line.to_owned(),
        });
        facts.collect()
    };
    let (direct, proxied) = (facts(direct), facts(proxied));
    let said: Vec<&String> = proxied.difference(&direct).collect();
    let mut left: Vec<&String> = direct.difference(&proxied).collect();
    left.retain(|fact| !fact.contains("hoopoe"));
    assert_eq!(said, says);
    assert_eq!(left, leaves);
}

/// What a program prints, and its errors, with the environment of libpq.
fn printed(
    stack: &Stack,
    proxied: bool,
    arguments: impl Fn(&mut Command),
    program: &str,
) -> [String; 2] {
    let address = match proxied {
        true => stack.proxied_address(),
        false => stack.direct_address(),
    };
    let mut command = Command::new(program);
    command
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/clients"))
        .env("PGHOST", "127.0.0.1")
        .env("PGPORT", address.port().to_string())
        .env("PGUSER", READER)
        .env("PGPASSWORD", READER)
        .env("PGDATABASE", stack.database())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LC_ALL", "C.UTF-8")
        .env_remove("PGOPTIONS");
    arguments(&mut command);
    let output = run(&mut command);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let is_psql = program.ends_with("psql");
    assert!(is_psql || output.status.success(), "{program}: {err}");
    [out, err]
}

fn start(options: Options, version: Option<u32>) -> Option<Stack> {
    let name = pgsieve::demo::cluster::random_name().unwrap();
    let path = std::env::temp_dir().join(format!("pgsieve-it-{name}.yaml"));
    std::fs::write(&path, POLICY).unwrap();
    let options = Options {
        arguments: vec!["--policy".into(), path.to_string_lossy().into_owned()],
        ..options
    };
    let stack = match version {
        Some(version) => Stack::on_version_with(version, options)?,
        None => Stack::start(options),
    };
    stack.prepare(&[SCHEMA, MORE]);
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let known = "SELECT relname FROM pg_class WHERE relname = 'moods'";
    until(|| kinds(&client.query(known)).contains('D').then_some(())).unwrap();
    Some(stack)
}

static STACK: LazyLock<Stack> = LazyLock::new(|| start(Options::default(), None).unwrap());
static NEWEST: LazyLock<Option<Stack>> = LazyLock::new(|| start(Options::default(), Some(18)));

/// Printed before what each command prints.
const MARK: &str = "--asked--";

const POLICY: &str = "name: tools
extends: bi
catalog: required
catalog_view: policy
repair: {mode: off}
relations: {deny: ['hoopoe_vault.*', 'shop.hoopoe_*']}
columns:
  deny: ['*.*.hoopoe_*']
  mask:
    shop.masked.phone: last(4)
    shop.masked.name: partial
    shop.masked.pay: null
    shop.masked.mail: null
rows: {shop.filtered: id < 3}
functions:
  allow: [shop.shown, shop.with_path, shop.takes_hidden, shop.defaults_hidden]
  deny: [shop.hoopoe_denied, shop.hoopoe_compare]
models:
  shop.modelled: {sql: 'SELECT id, given FROM shop.modelled'}
";

/// What is hidden, and what refers to it.
const SCHEMA: &str = include_str!("../../data/corpus/catalog_view_schema.sql");

/// What has masks and conditions, and what is shown as a whole.
const MORE: &str = include_str!("../../data/schemas/catalog_view_tools.sql");

/// Commands of psql that show the same as directly. What a whole server has (roles, settings of
/// databases) is asked for by name: other tests make and drop some meanwhile.
#[rustfmt::skip]
const PSQL_SAME: &[&str] = &[
    "\\d shop.lines", "\\d+ shop.lines", "\\d shop.lines_code", "\\d+ shop.filtered", "\\d+ shop.moods",
    "\\d+ shop.of_lines_view", "\\d+ shop.kept", "\\d shop.inherited", "\\d+ shop.parent", "\\d+ shop.part_open",
    "\\d+ shop.lines_id_seq", "\\dt+ shop.lines", "\\di+ shop.lines*", "\\dv+ shop.of_lines_view", "\\dm+ shop.kept",
    "\\ds+ shop.*", "\\dn+ shop", "\\dn+ public", "\\dT+ shop.mood", "\\dD+ shop.*", "\\dP shop.*", "\\dp shop.lines", "\\z shop.lines",
    "\\df shop.shown", "\\df shop.with_path", "\\df pg_catalog.pg_get_*", "\\da", "\\do", "\\do pg_catalog.=", "\\dC", "\\dC+ numeric", "\\dd shop.*",
    "\\dX shop.of_lines", "\\dL+", "\\des+", "\\dew+", "\\deu+", "\\det+", "\\dO+", "\\dx", "\\dx+", "\\dg+ postgres", "\\du+ pg_monitor", "\\l postgres",
    "\\drds postgres", "\\ddp", "\\dy", "\\dRp+", "\\dF", "\\dF+ english", "\\dFd", "\\dFp", "\\dFt", "\\dA+", "\\dAc", "\\dAf", "\\dAo", "\\dAp",
    "\\dc", "\\db", "\\sv shop.of_lines_view", "\\dl",
];

/// Commands that list what is hidden with the rest, when they are asked directly.
#[rustfmt::skip]
const PSQL_OTHER: &[&str] = &[
    "\\d shop.masked", "\\d", "\\d shop.*", "\\d+ shop.*", "\\dt+ shop.*", "\\di+ shop.*", "\\dv+ shop.*", "\\dn+", "\\dT+ shop.*",
    "\\dT+ *.*", "\\dp shop.*", "\\dp *.*", "\\dX shop.*", "\\dX *.*", "\\df shop.*", "\\df+ shop.*", "\\df *.*", "\\da shop.*",
    "\\do+ *.*", "\\dC+ *", "\\dE+", "\\dit shop.*", "\\dii shop.plain_note", "\\sv shop.view_of_customers", "\\sf shop.shown",
];

/// The masked columns, as `\d` shows them.
const PSQL_MASKED: &[&str] = &[
    "id|integer||not null|",
    "phone|character varying||not null|",
    "name|text||not null|",
    "pay|numeric|||",
    "mail|character varying|||",
    "kept|character varying(7)|||",
];

/// Lines that only pgsieve's answers have: defaults of what is hidden, bodies that are not shown,
/// and types of masked columns.
#[rustfmt::skip]
const PSQL_SAYS: &[&str] = &[
    "computed|integer|||",
    "computed|integer||||plain|||",
    "counted|integer|||",
    "counted|integer||||plain|||",
    "generated_twice|text|||generated always as () stored",
    "generated_twice|text|||generated always as () stored|extended|||",
    "mail|character varying|||",
    "mail|character varying||||extended|||",
    "number|integer|||",
    "number|integer||||plain|||",
    "pay|numeric|||",
    "pay|numeric||||main|||",
    "phone|character varying||not null|",
    "phone|character varying||not null||extended|||",
    "shop|shown|integer|n integer DEFAULT 1|func|immutable|unsafe|postgres|invoker||sql||",
    "shop|with_path|integer|n integer|func|immutable|unsafe|postgres|invoker||sql||",
];

/// The same of the inspector.
#[rustfmt::skip]
const INSPECTOR_SAYS: &[&str] = &[
    "column masked.mail|['VARCHAR', True, None, None]",
    "column masked.pay|['NUMERIC', True, None, None]",
    "column masked.phone|['VARCHAR', False, None, None]",
    "column orders.computed|['INTEGER', True, None, None]",
    "column orders.number|['INTEGER', True, None, None]",
    "column plain.computed|['INTEGER', True, None, None]",
    "column plain.counted|['INTEGER', True, None, None]",
    "definition of view_of_customers|None",
    "definition of view_of_function|None",
    "definition of view_of_hidden|None",
    "reflected|['shop.customers', 'shop.filtered', 'shop.inherited', 'shop.kept', 'shop.lines', 'shop.masked', 'shop.modelled', 'shop.moods', 'shop.of_hidden_type', 'shop.of_lines_view', 'shop.orders', 'shop.parent', 'shop.part_open', 'shop.plain', 'shop.shown_view', 'shop.view_of_class', 'shop.view_of_customers', 'shop.view_of_function', 'shop.view_of_hidden']",
    "schemas|['information_schema', 'public', 'shop']",
    "tables|['customers', 'filtered', 'inherited', 'lines', 'masked', 'modelled', 'moods', 'of_hidden_type', 'orders', 'parent', 'part_open', 'plain']",
];

/// Facts without anything hidden in them that pgsieve leaves out or says otherwise.
#[rustfmt::skip]
const INSPECTOR_LEAVES: &[&str] = &[
    "column masked.mail|['address', True, None, None]",
    "column masked.pay|['NUMERIC(10, 2)', False, None, None]",
    "column masked.phone|['VARCHAR(20)', False, None, None]",
];

/// The same of JDBC.
#[rustfmt::skip]
const JDBC_SAYS: &[&str] = &[
    "columns|customers|generated_twice|text|2147483647|0|YES|null|null",
    "columns|masked|mail|varchar|2147483647|0|YES|null|null",
    "columns|masked|pay|numeric|0|null|YES|null|null",
    "columns|masked|phone|varchar|2147483647|0|NO|null|null",
    "columns|orders|computed|int4|10|0|YES|null|null",
    "columns|orders|number|int4|10|0|YES|null|null",
    "columns|plain|computed|int4|10|0|YES|null|null",
    "columns|plain|counted|int4|10|0|YES|null|null",
];

/// The same of JDBC.
#[rustfmt::skip]
const JDBC_LEAVES: &[&str] = &[
    "arguments|defaults_hidden|n|int4",
    "arguments|defaults_hidden|returnValue|int4",
    "arguments|takes_hidden|returnValue|int4",
    "columns|masked|mail|\"shop\".\"address\"|64|0|YES|null|null",
    "columns|masked|pay|numeric|10|2|NO|null|null",
    "columns|masked|phone|varchar|20|0|NO|null|null",
    "functions|defaults_hidden|null",
    "functions|takes_hidden|null",
];
