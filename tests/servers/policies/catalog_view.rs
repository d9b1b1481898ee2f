//! `catalog_view: policy`: no name of what a policy hides is in any answer of a catalog, however it
//! is asked for, and what is shown is there.

use std::collections::BTreeSet;

use crate::support::raw::{kinds, rows, values};
use crate::support::{ADMIN, READER, RawClient, Stack};
use crate::versions::on_every_version;

on_every_version!(no_catalog_names_the_hidden, no_catalog, on_15 15, on_18 18);
on_every_version!(no_statement_names_the_hidden, no_statement, on_15 15, on_18 18);
on_every_version!(no_function_names_the_hidden, no_function, on_15 15, on_18 18);
on_every_version!(what_is_shown_is_there, shown, on_15 15, on_18 18);

/// Every relation of the server's, as rows and as text.
fn no_catalog(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let relations = "SELECT n.nspname, c.relname FROM pg_class c \
        JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')";
    let (mut leaks, mut served) = (Vec::new(), 0);
    for row in direct(&stack, relations) {
        let name = row.join(".");
        for text in [
            format!("SELECT * FROM {name}"),
            format!("SELECT x::text FROM {name} x"),
        ] {
            served += usize::from(ask(&mut client, &text, &mut leaks));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    println!("{version}: {served} statements served");
    assert!(served > 200, "{served}");
}

/// Each attack, with some of what is hidden in turn ([`some_of`]).
fn no_statement(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (name, corpus) in [("attacks", ATTACKS), ("more", MORE)] {
        let (mut leaks, mut sent) = (Vec::new(), 0);
        let hidden = hidden(&stack);
        let lines = corpus.lines().filter(|line| !line.starts_with("--"));
        for (place, line) in lines.enumerate() {
            for (oid, own) in some_of(&hidden, version, place) {
                let text = line.replace("OID", oid).replace("NAME", own);
                sent += 1;
                ask(&mut client, &text, &mut leaks);
                if text == line {
                    break;
                }
            }
        }
        println!("{version} {name}: {sent} statements, {} leaks", leaks.len());
        assert!(leaks.is_empty(), "{}", leaks.join("\n"));
        assert!(sent > 200, "{sent}");
    }
}

/// Each function of the server that takes a number, a name or a text.
fn no_function(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let functions = "SELECT DISTINCT proname, array_to_string(proargtypes::oid[]::regtype[], ',') \
        FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND prokind = 'f' \
        AND pronargs BETWEEN 1 AND 4 AND proargtypes::oid[] && ( \
        '{oid,regclass,regproc,regprocedure,regtype,regnamespace,regoper,regoperator,text,name,\
        oidvector,cstring,anyelement}'::regtype[]::oid[] || '\"any\"'::regtype::oid)";
    let hidden = hidden(&stack);
    let (mut leaks, mut sent) = (Vec::new(), 0);
    for row in direct(&stack, functions) {
        let [name, types] = row.as_slice() else {
            panic!("{row:?}")
        };
        let types: Vec<&str> = types.split(',').collect();
        for (place, own) in types.iter().enumerate() {
            let is_number =
                own.starts_with("reg") || matches!(*own, "oid" | "oidvector" | "\"any\"");
            let is_text = matches!(*own, "text" | "name" | "cstring" | "anyelement");
            if !is_number && !is_text {
                continue;
            }
            for (oid, hidden_name) in some_of(&hidden, version, sent) {
                let value = match is_number {
                    true => format!("'{oid}'::{own}").replace("::\"any\"", "::oid"),
                    false => format!("'{hidden_name}'"),
                };
                let arguments = types
                    .iter()
                    .enumerate()
                    .map(|(at, other)| match at == place {
                        true => value.clone(),
                        false => plain(other).to_owned(),
                    });
                let arguments: Vec<String> = arguments.collect();
                sent += 1;
                let text = format!("SELECT \"{name}\"({})", arguments.join(", "));
                ask(&mut client, &text, &mut leaks);
            }
        }
    }
    println!("{version}: {sent} calls, {} leaks", leaks.len());
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
    assert!(sent > 2_000, "{sent}");
}

/// What the policy shows, in the words that tools ask for it.
fn shown(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (text, wanted) in SHOWN {
        let answer = client.query(text);
        let rows = rows(&answer);
        assert_eq!(rows, *wanted, "{text}: {answer:?}");
    }
}

/// A value of a type that means nothing.
fn plain(of: &str) -> &'static str {
    match of {
        "boolean" => "true",
        "text" | "name" | "cstring" => "'SELECT'",
        "bigint" | "integer" | "oid" => "1",
        "smallint" => "1::int2",
        _ => "NULL",
    }
}

/// Sends a statement; true where it was answered. A word of what is hidden that the statement does
/// not have itself is a leak.
fn ask(client: &mut RawClient, text: &str, leaks: &mut Vec<String>) -> bool {
    let answer = client.query(text);
    for frame in &answer {
        let body = String::from_utf8_lossy(&frame.body);
        for word in body.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
            if names_more(&word.to_lowercase(), text) {
                leaks.push(
                    format!("{text}: {word} in {frame:?}")
                        .chars()
                        .take(400)
                        .collect(),
                );
                break;
            }
        }
    }
    let is_served = !kinds(&answer).contains('E');
    if !kinds(&answer).ends_with('Z') {
        panic!("{text}: {answer:?}");
    }
    for text in ["ROLLBACK", "DEALLOCATE ALL", "CLOSE ALL"] {
        if !is_served || text != "ROLLBACK" {
            client.query(text);
        }
    }
    is_served
}

/// Whether a word of an answer names something hidden that the statement does not: functions of
/// texts answer with what they were given, in other letters or with more behind it. `to_char` takes
/// letters out of its pattern.
fn names_more(word: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    if !word.contains("hoopoe") || text.contains(word) || text.starts_with("select \"to_char\"(") {
        return false;
    }
    let given = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let mut given = given.filter(|given| given.contains("hoopoe"));
    !given.any(|given| {
        let rest = word.replacen(given, "", 1);
        word.contains(given) && !rest.contains("hoopoe") && !rest.contains('_')
    })
}

/// Some of what is hidden, beginning at another one each time; with PGSIEVE_EVERY=1 all of it,
/// which takes minutes.
fn some_of<T>(all: &[T], version: u32, place: usize) -> impl Iterator<Item = &T> {
    let wish = std::env::var("PGSIEVE_EVERY").ok();
    let wish = wish.and_then(|wish| wish.parse().ok());
    let step = wish.unwrap_or(if version == 18 { 7 } else { 11 });
    all.iter().skip(place % step).step_by(step)
}

/// The numbers and names of what is hidden, of each kind.
fn hidden(stack: &Stack) -> Vec<(String, String)> {
    let objects = "SELECT oid, oid::regclass::text FROM pg_class WHERE relname ~ 'hoopoe' AND relkind <> 't' \
          AND relname <> 'hoopoe_typed' \
        UNION ALL SELECT oid, oid::regproc::text FROM pg_proc WHERE proname = 'hoopoe_denied' \
        UNION ALL SELECT oid, oid::regtype::text FROM pg_type \
          WHERE typname IN ('hoopoe_mood', 'hoopoe_accounts') \
        UNION ALL SELECT oid, nspname FROM pg_namespace WHERE nspname ~ 'hoopoe' \
        UNION ALL SELECT oid, conname FROM pg_constraint \
          WHERE conname IN ('hoopoe_check', 'hoopoe_foreign') \
        UNION ALL SELECT oid, tgname FROM pg_trigger WHERE tgname ~ 'hoopoe' \
        UNION ALL SELECT oid, polname FROM pg_policy WHERE polname ~ 'hoopoe' \
        UNION ALL SELECT oid, rulename FROM pg_rewrite WHERE rulename ~ 'hoopoe' \
        UNION ALL SELECT oid, 'shop.view_of_hidden' FROM pg_rewrite \
          WHERE ev_class = 'shop.view_of_hidden'::regclass \
        UNION ALL SELECT oid, stxname FROM pg_statistic_ext WHERE stxname ~ 'hoopoe' \
        UNION ALL SELECT 'shop.view_of_customers'::regclass, 'shop.view_of_customers' \
        UNION ALL SELECT 'shop.customers'::regclass, 'shop.customers'";
    let rows = direct(stack, objects).into_iter();
    let rows = rows.map(|row| (row[0].clone(), row[1].clone()));
    rows.collect::<BTreeSet<_>>().into_iter().collect()
}

fn direct(stack: &Stack, text: &str) -> Vec<Vec<String>> {
    let mut client = RawClient::login(stack.direct_address(), &stack.login(ADMIN));
    let answer = client.query(text);
    assert!(!kinds(&answer).contains('E'), "{text}: {answer:?}");
    values(&answer)
}

fn start(version: u32) -> Option<Stack> {
    Stack::under_policy(
        version,
        POLICY,
        SCHEMA,
        "SELECT relname FROM pg_class WHERE relname = 'kept'",
    )
}

const POLICY: &str = "name: view
extends: bi
catalog: required
catalog_view: policy
repair: {mode: off}
relations: {deny: ['hoopoe_vault.*', 'shop.hoopoe_*']}
columns: {deny: ['*.*.hoopoe_*']}
functions:
  allow: [shop.shown, shop.with_path, shop.takes_hidden, shop.defaults_hidden]
  deny: [shop.hoopoe_denied, shop.hoopoe_compare]
models:
  shop.modelled: {sql: 'SELECT id, given FROM shop.modelled'}
";

const SCHEMA: &str = include_str!("../../data/corpus/catalog_view_schema.sql");
const ATTACKS: &str = include_str!("../../data/corpus/catalog_view_attacks.sql");
const MORE: &str = include_str!("../../data/corpus/catalog_view_more.sql");

/// Statements of tools, and their rows.
const SHOWN: &[(&str, &[&str])] = &[
    (
        "SELECT relname FROM pg_class WHERE relnamespace = 'shop'::regnamespace AND relkind = 'r' \
         ORDER BY relname",
        &[
            "customers",
            "inherited",
            "modelled",
            "of_hidden_type",
            "orders",
            "part_open",
            "plain",
        ],
    ),
    (
        "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, \
           (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d \
            WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef) \
         FROM pg_catalog.pg_attribute a WHERE a.attrelid = 'shop.plain'::regclass \
           AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum",
        &[
            "id|integer|t|-",
            "note|text|f|'plain'::text",
            "at|timestamp with time zone|f|now()",
            "counted|integer|f|-",
            "computed|integer|f|-",
            "account|integer|f|-",
        ],
    ),
    (
        "SELECT attname FROM pg_attribute WHERE attrelid = 'shop.customers'::regclass \
         AND attnum > 0 ORDER BY attnum",
        &["id", "name", "tenant", "city", "generated_twice"],
    ),
    (
        "SELECT attname FROM pg_attribute WHERE attrelid = 'shop.modelled'::regclass \
         AND attnum > 0 ORDER BY attnum",
        &["id", "given"],
    ),
    (
        "SELECT table_name, column_name, data_type FROM information_schema.columns \
         WHERE table_schema = 'shop' AND table_name = 'orders' ORDER BY ordinal_position",
        &[
            "orders|id|integer",
            "orders|customer|integer",
            "orders|total|numeric",
            "orders|number|integer",
            "orders|computed|integer",
        ],
    ),
    (
        "SELECT c2.relname, i.indisprimary, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true) \
         FROM pg_catalog.pg_class c, pg_catalog.pg_class c2, pg_catalog.pg_index i \
         WHERE c.oid = 'shop.plain'::regclass AND c.oid = i.indrelid AND i.indexrelid = c2.oid \
         ORDER BY c2.relname",
        &[
            "plain_note|f|CREATE INDEX plain_note ON shop.plain USING btree (lower(note))",
            "plain_pkey|t|CREATE UNIQUE INDEX plain_pkey ON shop.plain USING btree (id)",
        ],
    ),
    (
        "SELECT conname, confrelid::pg_catalog.regclass, pg_catalog.pg_get_constraintdef(oid, true) \
         FROM pg_catalog.pg_constraint WHERE conrelid = 'shop.orders'::regclass AND contype = 'f'",
        &[
            "orders_customer_fkey|shop.customers|FOREIGN KEY (customer) REFERENCES shop.customers(id)",
        ],
    ),
    (
        "SELECT nspname FROM pg_namespace WHERE oid >= 16384",
        &["shop"],
    ),
    (
        "SELECT schema_name FROM information_schema.schemata WHERE schema_name !~ '^pg_' ORDER BY 1",
        &["information_schema", "public", "shop"],
    ),
    (
        "SELECT p.proname, pg_catalog.pg_get_function_arguments(p.oid), prosrc FROM pg_proc p \
         WHERE pronamespace = 'shop'::regnamespace ORDER BY 1",
        &["shown|n integer DEFAULT 1|-", "with_path|n integer|-"],
    ),
    (
        "SELECT viewname, definition LIKE '%FROM shop.plain;' FROM pg_views \
         WHERE schemaname = 'shop' AND viewname ~ '^shown'",
        &["shown_view|t"],
    ),
    (
        "SELECT pg_get_viewdef('shop.shown_view'::regclass) IS NOT NULL, \
         pg_get_viewdef('shop.view_of_customers'::regclass) IS NULL",
        &["t|t"],
    ),
    (
        "SELECT obj_description('shop.plain'::regclass, 'pg_class'), \
         col_description('shop.plain'::regclass, 2), col_description('shop.customers'::regclass, 2)",
        &["everything here is shown|a note|a name that is shown"],
    ),
    (
        "SELECT typname, typinput, typname::text FROM pg_type WHERE oid = 'int4'::regtype",
        &["int4|int4in|int4"],
    ),
    (
        "SELECT 'shop.plain'::regclass, 'shop.plain'::regclass::text, to_regclass('shop.plain')",
        &["shop.plain|shop.plain|shop.plain"],
    ),
    (
        "SELECT 'hoopoe_vault.hoopoe_accounts'::regclass, to_regclass('hoopoe_vault.hoopoe_accounts')",
        &["-|-"],
    ),
    (
        "SELECT has_table_privilege('shop.plain', 'SELECT'), pg_table_size('shop.plain') >= 0",
        &["t|t"],
    ),
    (
        "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'shop.parent'::regclass",
        &["shop.part_open"],
    ),
    (
        "SELECT sequencename FROM pg_sequences WHERE schemaname = 'shop'",
        &["orders_id_seq"],
    ),
    (
        "SELECT constraint_name FROM information_schema.key_column_usage \
         WHERE table_schema = 'shop' AND table_name = 'plain'",
        &["plain_pkey"],
    ),
    // What psql asks for `\d plain`.
    (
        "SELECT c.relname, CASE WHEN c.reloftype = 0 THEN '' ELSE \
           c.reloftype::pg_catalog.regtype::pg_catalog.text END, am.amname, \
           CASE WHEN c.relkind = 'r' THEN c.oid::pg_catalog.regclass END \
         FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_am am ON c.relam = am.oid \
         WHERE c.oid = 'shop.plain'::regclass",
        &["plain||heap|shop.plain"],
    ),
];
