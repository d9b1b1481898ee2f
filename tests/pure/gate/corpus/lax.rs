//! Policies that give as much as the reader lets a policy give: the laxest one, and some hundred
//! made at random from the schema that is checked in. None lets a write through.

use std::collections::BTreeSet;
use std::sync::Arc;

use pgsieve::gate::{Gate, Rule};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;
use serde_json::{Map, Value, json};

use super::variations::{dressed, wrapped};
use super::{Outcome, gate, judged};
use crate::gate::corpus::entries::{Entry, TRICKS, WRITES, entries};

/// Every choice gives most, everything is named, all is observed.
const LAXEST: &str = include_str!("../../../data/corpus/laxest.yaml");

#[test]
fn nothing_that_writes_passes_under_the_laxest_policy() {
    let (plain, laxest) = (gate("bi"), gate_of(LAXEST).unwrap());
    let mut refused = 0;
    let mut wrong = Vec::new();
    for entry in refused_by(&plain) {
        let dresses = wrapped(&entry).into_iter().chain(dressed(&entry));
        for entry in dresses.chain([entry.saying(entry.text.clone())]) {
            refused += 1;
            wrong.extend(slip(&plain, &laxest, &entry).map(|slip| format!("laxest: {slip}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 3_000, "{refused}");
}

#[test]
fn nothing_that_writes_passes_under_any_policy_of_the_schema() {
    let plain = gate("bi");
    let entries: Vec<Entry> = refused_by(&plain).collect();
    let schema = include_str!("../../../../policies/policy.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let mut dice = Dice(20);
    let mut keys = BTreeSet::new();
    let (mut made, mut asked) = (0, 0);
    let mut wrong = Vec::new();
    for round in 0..POLICIES_TRIED {
        let policy = made_of(&schema, "", &mut dice);
        let Some(gate) = gate_of(&policy.to_string()) else {
            continue;
        };
        made += 1;
        keys.extend(policy.as_object().unwrap().keys().cloned());
        for entry in entries.iter().skip(round % STRIDE).step_by(STRIDE) {
            asked += 1;
            let slip = slip(&plain, &gate, entry);
            wrong.extend(slip.map(|slip| format!("{slip}\n  under {policy}")));
        }
    }
    println!("{made} policies, {asked} statements");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(made > 300 && asked > 10_000, "{made} policies, {asked}");
    assert!(keys.len() == 23, "{keys:?}");
}

/// The reader takes no model that does more than read. What only a judge sees is refused where the
/// model is read.
#[test]
fn a_model_cannot_be_anything_but_a_read() {
    for sql in [
        "SELECT 1 AS a INTO t",
        "SELECT id FROM customers FOR UPDATE",
        "SELECT id FROM (SELECT id FROM customers FOR SHARE) c",
        "WITH d AS (DELETE FROM customers RETURNING id) SELECT id FROM d",
        "SELECT id FROM (WITH i AS (INSERT INTO t VALUES (1) RETURNING 1 AS id) TABLE i) x",
        "WITH u AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM u",
        "INSERT INTO t VALUES (1)",
        "SELECT 1; DROP TABLE t",
        "SELECT 1) c; DROP TABLE t; SELECT (1",
        "SELECT $1",
        "SELECT 1 -- x",
        "TRUNCATE t",
        "CALL p()",
        "COPY t TO PROGRAM 'x'",
        "EXPLAIN ANALYZE SELECT 1",
    ] {
        let model = json!({ "shop.customers": { "sql": sql } });
        let problems = read(&with("models", model)).err();
        let problems = problems.unwrap_or_else(|| panic!("{sql}"));
        assert!(problems.contains("models.shop.customers.sql"), "{problems}");
    }
}

/// What changes data where no read-only session reaches cannot be named as allowed.
#[test]
fn a_policy_cannot_allow_what_leaves_the_session() {
    let mut functions = json!({ "trusted_schemas": "any" });
    for name in [
        "dblink",
        "public.dblink_exec",
        "pg_file_write",
        "pg_stat_statements_reset",
        "x.heap_force_kill(regclass, tid[])",
    ] {
        functions["allow"] = json!([name]);
        let problems = read(&with("functions", functions.clone())).err();
        assert!(
            problems.is_some_and(|said| said.contains("functions.allow")),
            "{name}"
        );
    }
    for (name, value) in [
        ("role", "any"),
        ("session_authorization", "any"),
        ("session_replication_role", "any"),
        ("default_transaction_read_only", "any"),
        ("transaction_read_only", "on or off"),
        ("standard_conforming_strings", "any"),
        ("client_encoding", "any"),
        ("search_path", "any"),
        ("row_security", "any"),
        ("statement_timeout", "any"),
        ("local_preload_libraries", "any"),
        ("dynamic_library_path", "any"),
        ("allow_system_table_mods", "on or off"),
        ("jit_dump_bitcode", "on or off"),
        ("plperl.on_plperl_init", "any"),
        ("transform_null_equals", "on or off"),
        ("Session_Replication_Role", "any"),
    ] {
        let settings = json!({ "allow": { name: value } });
        let problems = read(&with("settings", settings)).err();
        assert!(
            problems.is_some_and(|said| said.contains("settings.allow")),
            "{name}"
        );
    }
    let statements = Policy::from_yaml(LAXEST).unwrap().statements();
    for kind in [
        "insert",
        "ddl",
        "do",
        "call",
        "maintenance",
        "prepared_transaction",
    ] {
        let text = LAXEST.replace(
            "\n  allow: any\nsettings",
            &format!("\n  allow: [{kind}]\nsettings"),
        );
        assert_ne!(text, LAXEST);
        assert!(read(&text).is_err(), "{kind} beside {statements:?}");
    }
    for rule in Rule::ALL.iter().copied() {
        let text = format!("{LAXEST}\nrules: {{{}: observe}}\n", rule.name());
        let is_its_own = pgsieve::policy::PolicyRule::ALL
            .iter()
            .any(|own| own.name() == rule.name());
        assert_eq!(read(&text).is_ok(), is_its_own, "{}", rule.name());
    }
}

/// What the gate refuses under the shipped policy that gives most.
fn refused_by(plain: &Gate) -> impl Iterator<Item = Entry> + '_ {
    [("writes", WRITES), ("tricks", TRICKS)]
        .into_iter()
        .flat_map(|(file, corpus)| entries(file, corpus))
        .filter(|entry| matches!(judged(plain, &entry.text), Outcome::Refused(_)))
}

/// A statement that passes under a policy and must not. Settings may be set where the policy says
/// so: that none of them matters is shown by a server, in `tests/servers/gate`.
fn slip(plain: &Gate, other: &Gate, entry: &Entry) -> Option<String> {
    let before = judged(plain, &entry.text);
    let given = judged(other, &entry.text);
    let of_setting = [
        Outcome::Refused(Rule::Settings),
        Outcome::Refused(Rule::SetConfig),
    ];
    let passes = !matches!(given, Outcome::Refused(_)) && !of_setting.contains(&before);
    let slips = passes && !only_takes_an_id(&entry.text);
    slips.then(|| format!("{} {before:?} {given:?}: {:.300}", entry.place, entry.text))
}

/// Whether a statement does nothing but use up a transaction id, which a policy may let it do.
fn only_takes_an_id(text: &str) -> bool {
    let takes = ["txid_current()", "pg_current_xact_id()"];
    let giving = include_str!("../../../../policies/bi.yaml")
        .replace("  #transaction_ids: refuse\n", "  transaction_ids: allow\n");
    let passes = |gate: Gate| !matches!(judged(&gate, text), Outcome::Refused(_));
    takes.iter().any(|call| text.contains(call)) && gate_of(&giving).is_some_and(passes)
}

fn read(text: &str) -> Result<Policy, String> {
    Policy::from_yaml(text).map_err(|problems| {
        let said = problems.iter().map(ToString::to_string);
        said.collect::<Vec<_>>().join("\n")
    })
}

fn gate_of(text: &str) -> Option<Gate> {
    let policy = read(text).ok()?;
    Some(Gate::new(
        Arc::new(policy),
        Fingerprinter::new(None, [7; 32]),
    ))
}

/// The laxest policy with another section.
fn with(section: &str, value: Value) -> String {
    let mut policy: Value = serde_yaml::from_str(LAXEST).unwrap();
    policy[section] = value;
    policy.to_string()
}

/// A value as the schema wants it.
fn made_of(schema: &Value, path: &str, dice: &mut Dice) -> Value {
    if let Some(words) = schema["enum"].as_array() {
        return dice.of(words).clone();
    }
    if matches!(path, "limits.plan_age_max" | "limits.idle_time") {
        // Their numbers need units.
        return json!(*dice.of(words(path)));
    }
    if let (Some(forms), "knowledge") = (schema["anyOf"].as_array(), path) {
        // Files of records would have to be there.
        return made_of(&forms[0], path, dice);
    }
    if let Some(forms) = schema["anyOf"].as_array() {
        return made_of(dice.of(forms), path, dice);
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => {
            let least = schema["minimum"].as_f64().unwrap_or(0.0);
            let most = schema["maximum"].as_f64().unwrap_or(9.0).min(1e6);
            let value = dice.of(&[least, most, (least + 1.0).min(most)]).floor();
            let value = value.clamp(least, most);
            match schema["type"] == "integer" {
                true => json!(format!("{value:.0}").parse::<i64>().unwrap()),
                false => json!(value),
            }
        }
        Some("null") => Value::Null,
        Some("boolean") => json!(dice.below(2) == 0),
        Some("array") => {
            let count = dice.below(4);
            (0..count)
                .map(|_| made_of(&schema["items"], &format!("{path}.*"), dice))
                .collect()
        }
        Some("object") if path == "settings.allow" => settings(dice),
        Some("object") if schema["properties"].is_object() => keys(schema, path, dice),
        Some("object") => {
            let below = format!("{path}.*");
            let names = words(path);
            let mut map = Map::new();
            for _ in 0..dice.below(3) {
                let name = match schema["propertyNames"]["enum"].as_array() {
                    Some(names) => dice.of(names).as_str().unwrap().to_owned(),
                    None => (*dice.of(names)).to_owned(),
                };
                let value = made_of(&schema["additionalProperties"], &below, dice);
                map.insert(name, value);
            }
            Value::Object(map)
        }
        _ => json!(*dice.of(words(path))),
    }
}

/// The keys of a section: those that have to be there, and some others.
fn keys(schema: &Value, path: &str, dice: &mut Dice) -> Value {
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let mut map = Map::new();
    for (name, below) in schema["properties"].as_object().unwrap() {
        let own = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let left_out = [
            "match",
            "tests",
            "replace",
            "knowledge.files",
            "repair.default_limit",
            "repair.recoverers",
        ];
        let wanted = required.contains(&name.as_str())
            || (!left_out.contains(&own.as_str()) && dice.below(2) == 0);
        if wanted {
            map.insert(name.clone(), made_of(below, &own, dice));
        }
    }
    // What is replaced has to be there.
    if map.contains_key("extends") && dice.below(2) == 0 {
        let is_map = |name: &&str| map.get(*name).is_some_and(Value::is_object);
        let maps: Vec<&str> = ["models", "relations", "settings", "functions"].into();
        let maps: Vec<&str> = maps.into_iter().filter(is_map).collect();
        map.insert("replace".into(), json!(maps));
    }
    // One of the two says nothing without the other.
    if path == "relations" && map.contains_key("known") {
        map.insert("new".into(), json!("refuse"));
    } else if path == "relations" {
        map.remove("new");
    }
    Value::Object(map)
}

/// Some of the settings of the laxest policy.
fn settings(dice: &mut Dice) -> Value {
    let all: Value = serde_yaml::from_str(LAXEST).unwrap();
    let all = all["settings"]["allow"].as_object().unwrap();
    let some = all.iter().filter(|_| dice.below(3) > 0);
    Value::Object(
        some.map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
    )
}

/// Words for the places where a schema takes any.
fn words(path: &str) -> &'static [&'static str] {
    match path {
        "name" => &["random"],
        "extends" => &["agent", "bi", "strict", "observe"],
        "observe_until" => &["2030-01-31"],
        "until" => &["2030-01-31T18:00:00Z"],
        "relations.known.*" => &["public.orders", "public.customers", "x.y"],
        "relations.allow.*" | "relations.deny.*" => &[
            "*.*",
            "public.*",
            "public.orders",
            "shop.*",
            "pg_catalog.pg_class",
            "x.y",
        ],
        "columns.mask" => &["*.*.ssn", "id", "public.orders.id"],
        "columns.mask.*" => &["null", "partial", "last(4)"],
        "rows" => &["public.*", "public.orders", "*.*"],
        "rows.*" => &["id > 2", "region = :user", "nextval('s') > 0"],
        "columns.allow.*" | "columns.deny.*" => &["*.*.*", "public.orders.id", "*.*.ssn"],
        "models" => &["public.orders", "public.customers", "shop.new"],
        "models.*.sql" => &[
            "SELECT 1 AS id",
            "SELECT id FROM orders WHERE id > 2",
            "SELECT :user AS u, nextval('s') AS n",
            "SELECT lo_creat(-1) AS id",
            "SELECT * FROM dblink('', 'DELETE FROM t') AS t (id int)",
        ],
        "functions.allow.*" | "functions.deny.*" | "functions.any_search_path.*" => &[
            "nextval",
            "pg_catalog.nextval",
            "pg_catalog.pg_read_file",
            "lo_import",
            "lo_creat",
            "pg_catalog.lo_creat",
            "query_to_xml",
            "pg_sleep",
            "random",
        ],
        "functions.trusted_schemas.*" => &["public", "pg_catalog", "pg_temp", "shop"],
        "foreign.tables.*" => &["public.orders", "public.remote"],
        "foreign.servers.*" => &["files", "loopback"],
        "settings.deny.*" => &["nothing_*", "x.*"],
        "limits.plan_age_max" | "limits.idle_time" => &["60s", "1h"],
        "limits.statement_bytes" | "limits.result_bytes" | "limits.bytes_per_day" => {
            &["64KiB", "1MB"]
        }
        "repair.risk_pairs.*" => &["a/b"],
        "knowledge.relationship.*.from" | "knowledge.relationship.*.to" => &["public.orders(id)"],
        _ if path.starts_with("knowledge.") && path.contains(".about") => &["public.*", "shop.t.c"],
        _ if path.starts_with("timeouts.") => &["0", "30s", "1d"],
        _ => &["public", "word"],
    }
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound.max(1)
    }

    fn of<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.below(values.len())]
    }
}

const POLICIES_TRIED: usize = 900;

/// Each policy meets one statement in so many, and all policies together meet each of them often.
const STRIDE: usize = 11;
