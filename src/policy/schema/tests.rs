//! That the schema says what the reader reads: the same keys, the same bounds, and of whole files
//! that both take them or both do not.

use std::collections::BTreeSet;

use jsonschema::Validator;

use super::super::tests::{policy_with, said_of, yaml};
use super::super::yaml::section::asked;
use super::super::{Policy, PolicyLimits};
use super::*;

#[test]
fn the_schema_that_is_checked_in_is_this_one() {
    for (name, flag, text) in [
        ("policy", "", text()),
        ("knowledge", " --knowledge", knowledge_text()),
    ] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies");
        let written = std::fs::read_to_string(format!("{folder}/{name}.schema.json"));
        let what = format!("pgsieve policy schema{flag} > policies/{name}.schema.json");
        let is_same = written.is_ok_and(|written| written == text);
        assert!(is_same, "the schema is an old one: {what} makes it so");
    }
}

#[test]
fn the_table_has_the_keys_that_the_reader_asks_for() {
    let _ = asked::take();
    let file = yaml(
        "everything",
        "settings",
        "allow: {some: {min: 1, max: 2}}, deny: []}\nmatch: {user: x, certificate: {}}\n\
         relations: {}\ncolumns: {}\nrows: {}\nforeign: {}\n\
         models: {a.b: {sql: SELECT 1, columns: {a: {about: w}}}}\n\
         knowledge: {term: {a: {meaning: m}}, quirk: {a: {note: n, about: a.b}}, correction: {a: \
         {wrong: w, right: r}}, relationship: {a: {from: a.b(c), to: a.d(e)}}, metric: {a: {base: \
         a.b, measure: m}}, example: {a: {question: q, sql: s}}, clarify: {a: {when: w, ask: a}}, \
         style: {a: {note: n}}}\n\
         statements: {several: each, explain_analyze: refuse, with_hold: {max_rows: 1}, \
         lock_access_share: refuse}\ntests: [{statement: x, expect: permit}]\nrepair: {mode: off, gates: {}",
    );
    Policy::from_yaml(&file).unwrap();
    let plain = |path: &String| {
        path.replace("models.a.b", "models.*")
            .replace("tests[0]", "tests.*")
            .replace(".a.", ".*.")
            .replace("settings.allow.some", "settings.allow.*")
    };
    let asked: BTreeSet<String> = asked::take().iter().map(plain).collect();
    let known: BTreeSet<String> = keys().map(|key| key.path.to_owned()).collect();
    assert_eq!(asked, known);
    assert_eq!(known.len(), keys().count(), "a key is in the table twice");
}

#[test]
fn what_has_to_be_there_is_what_the_reader_misses() {
    let problems = Policy::from_yaml("{}").unwrap_err();
    let missed = problems.iter().filter(|one| one.what.contains("missing"));
    let missed: BTreeSet<String> = missed
        .filter_map(|one| Some(one.place.split_once(' ')?.1.to_owned()))
        .collect();
    let wanted = keys().filter(|key| key.absent.is_none() && !key.path.contains('.'));
    let wanted: BTreeSet<String> = wanted.map(|key| key.path.to_owned()).collect();
    assert_eq!(missed, wanted);
}

#[test]
fn every_key_is_explained() {
    for (name, text) in Policy::BUILT_IN {
        for key in keys() {
            let (_, last) = key.path.rsplit_once('.').unwrap_or(("", key.path));
            assert!(text.contains(&format!("{last}:")), "{} in {name}", key.path);
        }
        let first = text.lines().next().unwrap();
        assert_eq!(first, "# yaml-language-server: $schema=policy.schema.json");
    }
    for key in keys() {
        assert!(key.doc.ends_with('.'), "{}", key.path);
        assert!(
            key.absent
                .is_none_or(|absent| !absent.is_empty() && !absent.ends_with('.'))
        );
    }
}

#[test]
fn bounds_are_those_of_the_reader() {
    let mut seen = 0;
    for key in keys() {
        let (section, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        let Some((least, most)) = bounds(key.form) else {
            continue;
        };
        // Durations are texts with units, and their bounds are said in words.
        let durations = ["limits.plan_age_max", "limits.idle_time"];
        // What stands in a section that may be a word has a test of its own.
        let is_apart = ["timeouts", "statements.with_hold"].contains(&section);
        if is_apart || durations.contains(&key.path) {
            continue;
        }
        let open = match section {
            "repair.gates" => "mode: apply, gates: {",
            "repair" => "mode: apply, ",
            _ => "",
        };
        let close = if section == "repair.gates" { "}" } else { "" };
        let section = section.split('.').next().unwrap();
        let keys = |value: f64| format!("{open}{name}: {value}{close}");
        policy_with(section, &keys(least));
        said_of(section, &keys(least - 1.0));
        if most < 9e15 {
            policy_with(section, &keys(most));
            said_of(section, &keys(most * 2.0 + 1.0));
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

/// The bounds of a number, where the form has one.
fn bounds(form: SchemaForm) -> Option<(f64, f64)> {
    match form {
        SchemaForm::Whole(least, most) => Some((
            least.to_string().parse().ok()?,
            most.to_string().parse().ok()?,
        )),
        SchemaForm::Decimal(least, most) => Some((least, most)),
        SchemaForm::Either(forms) => forms.iter().find_map(|form| bounds(*form)),
        _ => None,
    }
}

#[test]
fn defaults_are_those_of_the_reader() {
    let limits = policy_with("limits", "").limits().clone();
    assert_eq!(limits, PolicyLimits::defaults(1000));
    let policy = policy_with("relations", "");
    assert!(!policy.hides() && policy.matches().is_none() && policy.tests().is_empty());
}

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(&text()).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// A file as an editor sees it.
fn instance(yaml: &str) -> Value {
    let options = serde_yaml::options! { strict_booleans: true };
    serde_yaml::from_str_with_options(yaml, options).unwrap()
}

#[track_caller]
fn check(validator: &Validator, yaml: &str, is_sound: bool) {
    let said: Vec<String> = validator
        .iter_errors(&instance(yaml))
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(said.is_empty(), is_sound, "{yaml}\n{said:#?}");
    assert_eq!(Policy::from_yaml(yaml).is_ok(), is_sound, "{yaml}");
}

#[test]
fn the_shipped_files_are_as_the_schema_says() {
    let validator = validator();
    for (_, text) in Policy::BUILT_IN {
        check(&validator, text, true);
    }
}

#[test]
fn what_the_reader_takes_the_schema_takes() {
    let validator = validator();
    for (section, keys) in [
        ("mode", "observe"),
        ("rules", "nesting: observe"),
        (
            "match",
            "user: a, client_address: [10.0.0.0/8, \"::1\", local]",
        ),
        (
            "relations",
            "allow: any, deny: ['\"a.b\".c', \"x*.*\"], through_views: check",
        ),
        ("columns", "allow: [a.b.c], deny: ['*.\"x y\".z']"),
        (
            "columns",
            "mask: {a: null, b.c.d: partial, 'e.*.f': last(4)}",
        ),
        ("rows", "a.b: c = :user, '*.*': d"),
        (
            "models",
            "a.b: {sql: SELECT 1, new: true, about: x, columns: {y: z}}",
        ),
        (
            "functions",
            "allow: [f, \"s.f(integer, text)\"], deny: [], trusted_schemas: [a]",
        ),
        (
            "knowledge",
            "term: {a b: {meaning: c, about: 'd.*', users: e*}}, quirk: {a: {note: b, about: \
             [c.d.e, 'f.\"G\"']}}",
        ),
        (
            "knowledge",
            "relationship: {a: {from: 'a.b(c, \"D\")', to: 'e.f(g, h)', note: i, users: [j, k]}}",
        ),
        (
            "knowledge",
            "metric: {a: {base: b.c, measure: sum(d), dimensions: {e: f}, time: g, grain: [day, \
             year], filters: h, as: b.i, note: j, users: k}}",
        ),
        ("statements", "allow: [select], deny: [insert]"),
        (
            "settings",
            "allow: {App.x: any, jit: [on, off], a: {min: -1, max: 2}}, deny: [enable_*]",
        ),
        (
            "limits",
            "nesting: 3, result_rows: off, max_plan_cost: 1e6, idle_time: 10min",
        ),
        (
            "tests",
            "[{statement: x, expect: refuse, rule: ddl, settings: {a.b: 5}, certificate: 'CN=a'}]",
        ),
        (
            "repair",
            "mode: apply, recoverers: {dialect: off}, dialect: mysql, default_limit: 5",
        ),
    ] {
        check(&validator, &yaml("a", section, keys), true);
    }
    for text in [
        "name: a",
        "name: a\nextends: strict\nreplace: [relations.allow]\nrelations: {allow: [a.b]}",
    ] {
        check(&validator, text, true);
    }
}

#[test]
fn what_is_wrong_is_so_to_both() {
    let validator = validator();
    for (section, keys) in [
        ("mode", "off"),
        ("rules", "write_statement: observe"),
        ("rules", "nesting: maybe"),
        ("match", "user: []}\nnames: {a: b"),
        ("match", "client_address: example.com"),
        ("relations", "deny: [orders]"),
        ("relations", "allow: all"),
        ("relations", "through_views: maybe"),
        ("columns", "deny: [a.b]"),
        ("columns", "mask: {a: hidden}"),
        ("columns", "mask: {a: 3}"),
        ("rows", "a: b"),
        ("rows", "a.b: {}"),
        ("models", "b: {sql: SELECT 1}"),
        ("models", "a.b: {about: x}"),
        ("models", "a.b: {sql: SELECT 1, new: maybe}"),
        ("relations", "new: maybe"),
        ("relations", "new: refuse, known: [\"a.b.c\"]"),
        ("models", "a.b: {sql: SELECT 1, where: x}"),
        ("knowledge", "terms: {}"),
        ("knowledge", "term: {a: {}}"),
        ("knowledge", "term: {a: {meaning: ''}}"),
        ("knowledge", "quirk: {a: {note: b}}"),
        ("knowledge", "quirk: {a: {note: b, about: [c]}}"),
        ("knowledge", "relationship: {a: {from: a.b, to: c.d(e)}}"),
        ("knowledge", "style: {a: {note: b, why: c}}"),
        ("knowledge", "metric: {a: {base: b, measure: count(*)}}"),
        ("knowledge", "metric: {a: {base: b.c, measure: ''}}"),
        (
            "knowledge",
            "metric: {a: {base: b.c, measure: d, time: e, grain: era}}",
        ),
        ("functions", "deny: [a b]"),
        ("statements", "allow: [insert]"),
        ("statements", "deny: [several]"),
        ("settings", "allow: {a b: any}"),
        ("settings", "allow: {a: sometimes}"),
        ("settings", "allow: {a: {min: 1}}"),
        ("limits", "nesting: 0"),
        ("limits", "result_rows: many"),
        ("limits", "max_plan_cost: -1"),
        ("limits", "on_limit: cut"),
        ("limits", "idle_time: ten"),
        ("limits", "rows: 5"),
        ("tests", "[{statement: x}]"),
        ("tests", "[{statement: x, expect: refuse, rule: no_rule}]"),
        ("repair", "mode: sometimes"),
        ("repair", "mode: apply, gates: {score_min: 2}"),
        ("foreign", "tables: [t]"),
        ("catalog", "maybe: 1"),
    ] {
        check(&validator, &yaml("a", section, keys), false);
    }
    for text in ["name: a b", "mode: enforce\n", "name: a\nextends: [agent]"] {
        check(&validator, text, false);
    }
}
