//! `catalog_view: policy`: what the catalogs say of a column is what is read there, masks included,
//! and information_schema says the same as what `\d` is made of.

use std::collections::BTreeMap;

use crate::support::raw::{Frame, kinds, rows, values};
use crate::support::{READER, RawClient, Stack};
use crate::versions::on_every_version;

on_every_version!(masked_columns_are_shown_as_they_are_read, masked, on_13 13, on_15 15, on_18 18);
on_every_version!(what_is_read_has_the_type_that_is_shown, described, on_15 15, on_18 18);
on_every_version!(information_schema_agrees, agreed, on_13 13, on_15 15, on_18 18);

fn masked(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for table in ["masked", "masked_part"] {
        let shown = client.query(&format!(
            "SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute \
             WHERE attrelid = 'shop.{table}'::regclass AND attnum > 0 ORDER BY attnum"
        ));
        let shown = rows(&shown);
        assert_eq!(shown, SHOWN, "{table}");
        let described = client.query(&format!(
            "SELECT column_name, data_type, character_maximum_length, character_octet_length, \
             numeric_precision, numeric_scale, datetime_precision, interval_type, domain_name, \
             udt_name, is_nullable FROM information_schema.columns \
             WHERE table_schema = 'shop' AND table_name = '{table}' ORDER BY ordinal_position"
        ));
        let described = rows(&described);
        assert_eq!(described, DESCRIBED, "{table}");
    }
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    let direct = direct.query(
        "SELECT format_type(atttypid, atttypmod) FROM pg_attribute \
         WHERE attrelid = 'shop.masked'::regclass AND attname = 'phone'",
    );
    assert_eq!(values(&direct), [["character varying(20)"]]);
}

/// The types and modifiers of what a SELECT gives, beside those in pg_attribute.
fn described(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    let answer = client.query(
        "SELECT n.nspname || '.' || c.relname, a.attname, CASE t.typtype WHEN 'd' THEN t.typbasetype \
         ELSE a.atttypid END, CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END \
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
         JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid \
         WHERE n.nspname = 'shop' AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 \
         AND NOT a.attisdropped ORDER BY c.relname, a.attnum",
    );
    let mut relations: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for row in values(&answer) {
        let [relation, column, of, modifier] = row.as_slice() else {
            panic!("{row:?}")
        };
        let columns = relations.entry(relation.clone()).or_default();
        columns.push((column.clone(), format!("{of}, {modifier}")));
    }
    assert!(relations.len() > 4, "{relations:?}");
    for (relation, shown) in relations {
        let names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        let answer = client.query(&format!("SELECT {names} FROM {relation} LIMIT 0"));
        assert!(!kinds(&answer).contains('E'), "{relation}: {answer:?}");
        let read = answer.iter().find(|frame| frame.kind == b'T').map(columns);
        assert_eq!(read, Some(shown), "{relation}");
    }
}

/// The names, types and modifiers of a RowDescription.
fn columns(frame: &Frame) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = &frame.body[2..];
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let name = String::from_utf8_lossy(&rest[..end]).into_owned();
        let own = &rest[end + 1..];
        let of = u32::from_be_bytes(own[6..10].try_into().unwrap());
        let modifier = i32::from_be_bytes(own[12..16].try_into().unwrap());
        found.push((name, format!("{of}, {modifier}")));
        rest = &own[18..];
    }
    found
}

fn agreed(version: u32) {
    let Some(stack) = start(version) else { return };
    let mut direct = RawClient::login(stack.direct_address(), &stack.login(READER));
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(READER));
    for (standard, own, least) in AGREED {
        for (client, side) in [(&mut direct, "directly"), (&mut client, "through pgsieve")] {
            let [standard, own] = [standard, own].map(|text| {
                let answer = client.query(text);
                assert!(!kinds(&answer).contains('E'), "{side}, {text}: {answer:?}");
                let mut rows = values(&answer);
                rows.sort();
                rows
            });
            assert_eq!(standard, own, "{side}");
            assert!(own.len() >= *least, "{side}: {own:?}");
            let all = format!("{own:?}");
            assert_eq!(all.contains("hoopoe"), side == "directly", "{side}: {all}");
        }
    }
}

fn start(version: u32) -> Option<Stack> {
    Stack::under_policy(
        version,
        POLICY,
        SCHEMA,
        "SELECT relname FROM pg_class WHERE relname = 'of_moods'",
    )
}

const POLICY: &str = "name: agreement
extends: bi
catalog: required
catalog_view: policy
repair: {mode: off}
relations: {deny: ['shop.hoopoe_*']}
columns:
  deny: ['*.*.hoopoe_*']
  mask:
    shop.masked.phone: last(4)
    shop.masked.name: partial
    shop.masked.country: partial
    shop.masked.note: partial
    shop.masked.pay: null
    shop.masked.mail: null
    shop.masked.born: null
    shop.masked.at: null
    shop.masked.took: null
    shop.masked.bits: null
    shop.masked.tags: null
    shop.masked.mood: null
    shop.masked.counted: null
rows: {shop.kinds: \"kind <> 'b'\"}
functions: {allow: [shop.counted], deny: [shop.hoopoe_counted]}
models:
  shop.modelled: {sql: 'SELECT id, given FROM shop.modelled'}
";

const SCHEMA: &str = include_str!("../../data/schemas/catalog_agreement.sql");

const SHOWN: &[&str] = &[
    "id|integer|f",
    "phone|character varying|t",
    "name|text|t",
    "country|bpchar|f",
    "note|character varying|f",
    "pay|numeric|f",
    "mail|character varying|f",
    "born|date|f",
    "at|timestamp without time zone|f",
    "took|interval|f",
    "bits|bit varying|f",
    "tags|character varying[]|f",
    "mood|shop.mood|f",
    "counted|integer|f",
    "kept|character varying(7)|f",
    "amount|shop.amount|f",
    "left_at|time(1) without time zone|f",
];

const DESCRIBED: &[&str] = &[
    "id|integer|-|-|32|0|-|-|-|int4|YES",
    "phone|character varying|-|1073741824|-|-|-|-|-|varchar|NO",
    "name|text|-|1073741824|-|-|-|-|-|text|NO",
    "country|character|-|1073741824|-|-|-|-|-|bpchar|YES",
    "note|character varying|-|1073741824|-|-|-|-|-|varchar|YES",
    "pay|numeric|-|-|-|-|-|-|-|numeric|YES",
    "mail|character varying|-|1073741824|-|-|-|-|-|varchar|YES",
    "born|date|-|-|-|-|0|-|-|date|YES",
    "at|timestamp without time zone|-|-|-|-|6|-|-|timestamp|YES",
    "took|interval|-|-|-|-|6|-|-|interval|YES",
    "bits|bit varying|-|-|-|-|-|-|-|varbit|YES",
    "tags|ARRAY|-|-|-|-|-|-|-|_varchar|YES",
    "mood|USER-DEFINED|-|-|-|-|-|-|-|mood|YES",
    "counted|integer|-|-|32|0|-|-|-|int4|YES",
    "kept|character varying|7|28|-|-|-|-|-|varchar|YES",
    "amount|numeric|-|-|12|2|-|-|amount|numeric|YES",
    "left_at|time without time zone|-|-|-|-|1|-|-|time|YES",
];

/// Two statements that give the same rows, one over information_schema and one over what `\d` is
/// made of, and how many rows there are at least.
#[rustfmt::skip]
const AGREED: &[(&str, &str, usize)] = &[
    (
        "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = 'shop'",
        "SELECT relname, CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'BASE TABLE' END FROM pg_class \
         WHERE relnamespace = 'shop'::regnamespace AND relkind IN ('r', 'p', 'v')",
        7,
    ),
    (
        "SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, \
         CASE WHEN data_type = 'numeric' THEN numeric_precision END, udt_name \
         FROM information_schema.columns WHERE table_schema = 'shop'",
        "SELECT c.relname, a.attname, CASE WHEN b.typelem <> 0 AND b.typlen = -1 THEN 'ARRAY' \
         WHEN b.typnamespace = 'pg_catalog'::regnamespace THEN format_type(b.oid, NULL) \
         ELSE 'USER-DEFINED' END, \
         CASE WHEN b.typname IN ('varchar', 'bpchar') AND m > 0 THEN m - 4 \
         WHEN b.typname = 'varbit' AND m > 0 THEN m END, \
         CASE WHEN a.attnotnull OR t.typtype = 'd' AND t.typnotnull THEN 'NO' ELSE 'YES' END, \
         CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END, \
         CASE WHEN b.typname = 'numeric' AND m > 0 THEN m / 65536 END, b.typname \
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
         JOIN pg_type t ON t.oid = a.atttypid \
         JOIN pg_type b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END \
         LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum, \
         LATERAL (SELECT CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE a.atttypmod END AS m) x \
         WHERE c.relnamespace = 'shop'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0",
        40,
    ),
    (
        "SELECT table_name, column_name, constraint_name, ordinal_position FROM information_schema.key_column_usage \
         WHERE table_schema = 'shop'",
        "SELECT c.relname, a.attname, k.conname, u.place FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
         CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY u(number, place) \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = u.number \
         WHERE c.relnamespace = 'shop'::regnamespace AND k.contype IN ('p', 'u', 'f')",
        6,
    ),
    (
        "SELECT routine_name, data_type FROM information_schema.routines WHERE specific_schema = 'shop'",
        "SELECT proname, format_type(prorettype, NULL) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace",
        1,
    ),
    (
        "SELECT specific_name, parameter_name FROM information_schema.parameters WHERE specific_schema = 'shop'",
        "SELECT proname || '_' || oid, unnest(proargnames) FROM pg_proc WHERE pronamespace = 'shop'::regnamespace",
        1,
    ),
    (
        "SELECT table_name FROM information_schema.views WHERE table_schema = 'shop' UNION ALL SELECT 'hoopoe' \
         WHERE EXISTS (SELECT FROM information_schema.tables WHERE table_name = 'hoopoe_hidden')",
        "SELECT viewname FROM pg_views WHERE schemaname = 'shop' UNION ALL SELECT 'hoopoe' \
         WHERE EXISTS (SELECT FROM pg_class WHERE relname = 'hoopoe_hidden')",
        1,
    ),
];
