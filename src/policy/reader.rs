//! From a YAML tree to a policy, with every problem on the way.
//!
//! Nothing is guessed: an unknown key, a key twice, a word that is not one of the choices, a value
//! rule that would loosen what no policy may loosen, are all problems.

use std::collections::BTreeMap;

use super::section::{Problems, Section, chosen, join, list, map, number, report, word, words};
use super::signature::{Signature, dotted};
use super::tree::{self, Place, Tree, Value};
use super::value_rule::ValueRule;
use super::{
    CatalogNeed, Choice, ExplainAnalyze, Foreign, Policy, Problem, RepairSettings, Several,
    Statements, Timeouts, TrustedSchemas, guc, repair_reader,
};
use crate::limits;

/// Reads a policy, or says everything that is wrong with it.
pub(super) fn read(text: &str) -> Result<Policy, Vec<Problem>> {
    let tree = tree::read(text).map_err(|problem| vec![problem])?;
    let mut problems = Vec::new();
    let policy = policy(tree, &mut problems);
    match policy {
        Some(policy) if problems.is_empty() => Ok(policy),
        _ => {
            problems.sort_by_key(|(place, _)| *place);
            Err(problems.into_iter().map(|(_, problem)| problem).collect())
        }
    }
}

fn policy(tree: Tree, problems: &mut Problems) -> Option<Policy> {
    let mut top = Section::open(tree, "", problems)?;
    let name = top.required("name", problems, name);
    let timeouts = top.required("timeouts", problems, timeouts);
    let statements = top.required("statements", problems, statements);
    let settings = top.required("settings", problems, |tree, path, problems| {
        settings(tree, path, timeouts, problems)
    });
    let functions = top.required("functions", problems, functions);
    let statement_bytes = top.required("limits", problems, limits);
    let catalog = top.optional("catalog", CatalogNeed::Required, problems, catalog);
    let foreign = top.optional("foreign", Foreign::default(), problems, foreign);
    let repair = top.optional(
        "repair",
        RepairSettings::default(),
        problems,
        repair_reader::read,
    );
    top.close(problems);
    let (functions, trusted_schemas) = functions?;
    let mut policy = Policy {
        name: name?,
        catalog: catalog?,
        version: String::new(),
        version_number: 0,
        statements: statements?,
        settings: settings?,
        functions,
        trusted_schemas,
        foreign: foreign?,
        timeouts: timeouts?,
        statement_bytes: statement_bytes?,
        repair: repair?,
    };
    stamp(&mut policy);
    Some(policy)
}

/// Gives a policy its version: a hash of what it means, whatever its comments and order.
fn stamp(policy: &mut Policy) {
    let mut hasher = blake3::Hasher::new();
    let mut line = |text: String| {
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
    };
    line(format!("name {:?}", policy.name));
    line(format!("statements {:?}", policy.statements));
    line(format!("timeouts {:?}", policy.timeouts.by_name()));
    line(format!("statement_bytes {}", policy.statement_bytes));
    for (name, rule) in &policy.settings {
        line(format!("setting {name:?} {rule:?}"));
    }
    line(format!("catalog {:?}", policy.catalog));
    for function in &policy.functions {
        line(format!("function {function:?}"));
    }
    line(format!("trusted_schemas {:?}", policy.trusted_schemas));
    line(format!("foreign {:?}", policy.foreign));
    line(format!("repair {:?}", policy.repair));
    let mut short = [0; 8];
    hasher.finalize_xof().fill(&mut short);
    policy.version_number = u64::from_be_bytes(short);
    policy.version = format!("{:016x}", policy.version_number);
}

fn name(tree: Tree, path: &str, problems: &mut Problems) -> Option<String> {
    let (place, word) = word(tree, path, problems)?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !word.is_empty() && word.chars().all(plain) {
        return Some(word);
    }
    report(
        problems,
        place,
        path,
        "a name of letters, digits, - and _ is wanted",
    );
    None
}

fn statements(tree: Tree, path: &str, problems: &mut Problems) -> Option<Statements> {
    let mut section = Section::open(tree, path, problems)?;
    let choice = [("refuse", Choice::Refuse), ("allow", Choice::Allow)];
    let several = [
        ("housekeeping", Several::Housekeeping),
        ("each", Several::Each),
    ];
    let analyze = [
        ("refuse", ExplainAnalyze::Refuse),
        ("reads", ExplainAnalyze::Reads),
    ];
    let several = section.choice("several", &several, problems);
    let explain_analyze = section.choice("explain_analyze", &analyze, problems);
    let with_hold = section.choice("with_hold", &choice, problems);
    let lock_access_share = section.choice("lock_access_share", &choice, problems);
    section.close(problems);
    Some(Statements {
        several: several?,
        explain_analyze: explain_analyze?,
        with_hold: with_hold?,
        lock_access_share: lock_access_share?,
    })
}

fn timeouts(tree: Tree, path: &str, problems: &mut Problems) -> Option<Timeouts> {
    let mut section = Section::open(tree, path, problems)?;
    let statement = section.required("statement_timeout", problems, duration);
    let lock = section.required("lock_timeout", problems, duration);
    let idle = section.required("idle_in_transaction_session_timeout", problems, duration);
    section.close(problems);
    Some(Timeouts {
        statement_timeout_ms: statement?,
        lock_timeout_ms: lock?,
        idle_in_transaction_session_timeout_ms: idle?,
    })
}

fn duration(tree: Tree, path: &str, problems: &mut Problems) -> Option<u64> {
    let (place, word) = word(tree, path, problems)?;
    let read = guc::milliseconds(&word);
    if read.is_none() {
        report(
            problems,
            place,
            path,
            "a duration such as 30s, 5min or 500ms is wanted; 0 is no bound",
        );
    }
    read
}

fn limits(tree: Tree, path: &str, problems: &mut Problems) -> Option<usize> {
    let mut section = Section::open(tree, path, problems)?;
    let bytes = section.required("statement_bytes", problems, |tree, path, problems| {
        let (place, word) = word(tree, path, problems)?;
        let most = limits::STATEMENT_BYTES_MAX;
        let read = word.parse().ok().filter(|bytes| (1..=most).contains(bytes));
        if read.is_none() {
            report(
                problems,
                place,
                path,
                &format!("a number of bytes from 1 to {most} is wanted"),
            );
        }
        read
    });
    section.close(problems);
    bytes
}

fn catalog(tree: Tree, path: &str, problems: &mut Problems) -> Option<CatalogNeed> {
    let choices = [
        ("required", CatalogNeed::Required),
        ("preferred", CatalogNeed::Preferred),
    ];
    chosen(tree, path, &choices, problems)
}

fn functions(
    tree: Tree,
    path: &str,
    problems: &mut Problems,
) -> Option<(Vec<Signature>, TrustedSchemas)> {
    let mut section = Section::open(tree, path, problems)?;
    let allow = section.required("allow", problems, |tree, path, problems| {
        list(tree, path, problems, Signature::read)
    });
    let nothing = TrustedSchemas::These(Vec::new());
    let trusted = section.optional("trusted_schemas", nothing, problems, trusted_schemas);
    section.close(problems);
    let mut allow = allow?;
    allow.sort();
    allow.dedup();
    Some((allow, trusted?))
}

fn trusted_schemas(tree: Tree, path: &str, problems: &mut Problems) -> Option<TrustedSchemas> {
    match &tree.value {
        Value::Word(word) if word == "any" => Some(TrustedSchemas::Any),
        Value::List(_) => names(tree, path, problems).map(TrustedSchemas::These),
        Value::Nothing | Value::Word(_) | Value::Map(_) => {
            let what = "any, or a list of schemas, is wanted here";
            report(problems, tree.place, path, what);
            None
        }
    }
}

fn foreign(tree: Tree, path: &str, problems: &mut Problems) -> Option<Foreign> {
    let mut section = Section::open(tree, path, problems)?;
    let tables = section.optional("tables", Vec::new(), problems, |tree, path, problems| {
        let mut tables = list(tree, path, problems, table)?;
        tables.sort();
        tables.dedup();
        Some(tables)
    });
    let servers = section.optional("servers", Vec::new(), problems, names);
    section.close(problems);
    Some(Foreign {
        tables: tables?,
        servers: servers?,
    })
}

/// Names in order, each once.
fn names(tree: Tree, path: &str, problems: &mut Problems) -> Option<Vec<String>> {
    let mut names = words(tree, path, problems)?;
    names.sort();
    names.dedup();
    Some(names)
}

fn table(word: &str) -> Result<(String, String), &'static str> {
    match dotted(word) {
        Ok(((Some(schema), name), "")) => Ok((schema, name)),
        Ok(_) | Err(_) => Err("a table with its schema is wanted, such as shop.orders"),
    }
}

fn settings(
    tree: Tree,
    path: &str,
    timeouts: Option<Timeouts>,
    problems: &mut Problems,
) -> Option<BTreeMap<String, ValueRule>> {
    let mut section = Section::open(tree, path, problems)?;
    let allow = section.required("allow", problems, |tree, path, problems| {
        let mut allowed = BTreeMap::new();
        for entry in map(tree, path, problems)? {
            let path = join(path, &entry.key);
            let name = entry.key.to_ascii_lowercase();
            let place = entry.place;
            if let Some(rule) = value_rule(&name, entry.tree, &path, timeouts, problems) {
                check_fixed(&name, &rule, place, &path, problems);
                if allowed.insert(name, rule).is_some() {
                    report(problems, place, &path, "this setting is named twice");
                }
            }
        }
        Some(allowed)
    });
    section.close(problems);
    allow
}

fn value_rule(
    name: &str,
    tree: Tree,
    path: &str,
    timeouts: Option<Timeouts>,
    problems: &mut Problems,
) -> Option<ValueRule> {
    match tree.value {
        Value::List(_) => words(tree, path, problems).map(ValueRule::OneOf),
        Value::Map(_) => bounds(tree, path, problems),
        Value::Nothing | Value::Word(_) => {
            let (place, word) = word(tree, path, problems)?;
            let rule = match word.as_str() {
                "any" => Some(ValueRule::Any),
                "only on" => Some(ValueRule::OnlyOn),
                "only off" => Some(ValueRule::OnlyOff),
                "on or off" => Some(ValueRule::Boolean),
                "only utf8" => Some(ValueRule::OnlyUtf8),
                "catalog first" => Some(ValueRule::SearchPath),
                "at most the timeout" => at_most(name, timeouts?),
                _ => None,
            };
            if rule.is_none() {
                report(problems, place, path, RULES_WANTED);
            }
            rule
        }
    }
}

fn at_most(name: &str, timeouts: Timeouts) -> Option<ValueRule> {
    let bound = timeouts
        .by_name()
        .into_iter()
        .find(|(timeout, _)| *timeout == name);
    bound.map(|(_, ms)| ValueRule::AtMost { ms })
}

fn bounds(tree: Tree, path: &str, problems: &mut Problems) -> Option<ValueRule> {
    let mut section = Section::open(tree, path, problems)?;
    let min = section.required("min", problems, number);
    let max = section.required("max", problems, number);
    section.close(problems);
    Some(ValueRule::Integer {
        min: min?,
        max: max?,
    })
}

/// No policy may loosen what the promises of the program rest on.
fn check_fixed(name: &str, rule: &ValueRule, place: Place, path: &str, problems: &mut Problems) {
    let timeout = matches!(
        name,
        "statement_timeout" | "lock_timeout" | "idle_in_transaction_session_timeout"
    );
    let sound = match name {
        "default_transaction_read_only"
        | "transaction_read_only"
        | "standard_conforming_strings" => *rule == ValueRule::OnlyOn,
        "client_encoding" => *rule == ValueRule::OnlyUtf8,
        "row_security" => matches!(
            rule,
            ValueRule::OnlyOn | ValueRule::OnlyOff | ValueRule::Boolean
        ),
        "search_path" => *rule == ValueRule::SearchPath,
        _ if timeout => matches!(rule, ValueRule::AtMost { .. }),
        _ => !NEVER.contains(&name),
    };
    if !sound {
        report(problems, place, path, "no policy may loosen this setting");
    }
}

const RULES_WANTED: &str = "wanted: any, only on, only off, on or off, only utf8, catalog first, \
    at most the timeout (for the three timeouts), a list of words, or a map of min and max";

/// Settings that change who the session is, what it may write or what code the server loads.
const NEVER: &[&str] = &[
    "role",
    "session_authorization",
    "session_replication_role",
    "is_superuser",
    "session_preload_libraries",
    "local_preload_libraries",
    "dynamic_library_path",
    "allow_system_table_mods",
    "ignore_system_indexes",
    "zero_damaged_pages",
    "temp_tablespaces",
    "lo_compat_privileges",
];
