//! That policies are read as they are meant, and that what is wrong with one is all said at once.

use super::{
    CatalogArgument, CatalogNeed, ExplainAnalyze, ListenChoice, MultiStatementMode, PlainChoice,
    Policy, StatementChoices, ValueRule, WithHold,
};

const AGENT: &str = include_str!("../../policies/agent.yaml");

fn problems(yaml: &str) -> Vec<String> {
    let problems = Policy::from_yaml(yaml).expect_err("problems");
    problems.iter().map(ToString::to_string).collect()
}

/// A policy of this name with nothing but what has to be there, and these keys in one section.
/// What follows a closing brace in them are further sections.
pub(super) fn yaml(name: &str, section: &str, keys: &str) -> String {
    let timeouts = "statement_timeout: 30s, lock_timeout: 5s, \
        idle_in_transaction_session_timeout: 60s";
    let statements = "several: housekeeping, explain_analyze: refuse, with_hold: refuse, \
        lock_access_share: refuse";
    let sections = [
        ("timeouts", timeouts),
        ("statements", statements),
        ("settings", "allow: {}"),
        ("functions", "allow: []"),
        ("limits", "statement_bytes: 1000"),
        ("repair", "mode: apply"),
    ];
    let mut text = format!("name: {name}\n");
    for (own, needed) in sections {
        if own == section {
            // A key that is given anew takes the place of the one that is needed.
            let (key, _) = needed.split_once(':').unwrap();
            let again = keys.split([' ', '{']).any(|word| word == format!("{key}:"));
            let needed = if again { "" } else { needed };
            text.push_str(&format!("{own}: {{{needed}, {keys}}}\n").replace("{, ", "{"));
        } else if !keys.contains(&format!("\n{own}:")) {
            text.push_str(&format!("{own}: {{{needed}}}\n"));
        }
    }
    match section {
        "mode" | "tests" => text.push_str(&format!("{section}: {keys}\n")),
        _ if sections.iter().any(|(own, _)| *own == section) || keys.is_empty() => {}
        _ => text.push_str(&format!("{section}: {{{keys}}}\n")),
    }
    text
}

/// The same, read.
pub(super) fn policy_of(name: &str, section: &str, keys: &str) -> Policy {
    let text = yaml(name, section, keys);
    Policy::from_yaml(&text).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"))
}

/// The same under any name.
pub(super) fn policy_with(section: &str, keys: &str) -> Policy {
    policy_of("any", section, keys)
}

/// Its version.
pub(super) fn version_with(section: &str, keys: &str) -> String {
    policy_with(section, keys).version().to_owned()
}

/// What is wrong with it.
pub(super) fn said_of(section: &str, keys: &str) -> String {
    problems(&yaml("any", section, keys)).join("\n")
}

#[test]
fn the_shipped_policies_are_what_they_say() {
    let (agent, bi) = (Policy::agent(), Policy::bi());
    assert_eq!((agent.name(), bi.name()), ("agent", "bi"));
    assert_ne!(agent.version(), bi.version());
    assert_eq!(agent.statements().several, MultiStatementMode::Housekeeping);
    assert_eq!(bi.statements().several, MultiStatementMode::Each);
    assert_eq!(agent.statements().reads_per_message, Some(1));
    assert_eq!(bi.statements().reads_per_message, None);
    assert_eq!(bi.statements().explain_analyze, ExplainAnalyze::Reads);
    let held = WithHold::Bounded {
        rows_max: 10_000,
        cursors_max: 10,
    };
    assert_eq!(agent.statements().with_hold, held);
    assert_eq!(agent.timeouts().statement_timeout_ms, 30_000);
    assert_eq!(
        bi.timeouts().idle_in_transaction_session_timeout_ms,
        600_000
    );
    assert_eq!(agent.statement_bytes(), 1_048_576);
    assert_eq!(
        agent.setting("transaction_read_only"),
        Some(&ValueRule::OnlyOn)
    );
    assert_eq!(
        agent.setting("statement_timeout"),
        Some(&ValueRule::AtMost { ms: 30_000 })
    );
    assert_eq!(agent.setting("row_security"), None);
    assert_eq!(bi.setting("row_security"), Some(&ValueRule::Boolean));
    assert!(!agent.allows_function(None, "f"));
    let strict = Policy::strict();
    assert_eq!(strict.name(), "strict");
    let stricter = StatementChoices {
        with_hold: WithHold::Refuse,
        cancel_own: PlainChoice::Refuse,
        listen: ListenChoice::Refuse,
        ..agent.statements()
    };
    assert_eq!(strict.statements(), stricter);
    assert_eq!(agent.statements().cancel_own, PlainChoice::Allow);
    assert_eq!(bi.statements().cancel_own, PlainChoice::Allow);
    assert_eq!(
        [agent.catalog(), strict.catalog(), bi.catalog()],
        [
            CatalogNeed::Required,
            CatalogNeed::Required,
            CatalogNeed::Preferred
        ]
    );
    assert!(agent.trusts_schema("shop") && bi.trusts_schema("shop"));
    assert!(!strict.trusts_schema("shop") && !strict.trusts_schema("public"));
    for policy in [agent, bi, strict] {
        assert!(!policy.allows_foreign("shop", "t", "files"));
        assert!(!policy.allows_signature("shop", "f", &[]));
    }
}

/// A type of `pg_catalog`.
fn argument(name: &str) -> CatalogArgument<'_> {
    CatalogArgument {
        schema: "pg_catalog",
        name,
        is_array: false,
    }
}

/// The default policy with other functions and foreign tables.
fn agent_with(functions: &str, foreign: &str) -> String {
    let (before, rest) = AGENT.split_once("functions:\n").unwrap();
    let (_, limits) = rest.split_once("limits:\n").unwrap();
    format!("{before}functions:\n{functions}{foreign}limits:\n{limits}")
}

#[test]
fn what_is_left_out_is_the_stricter_choice() {
    let without = agent_with("  allow: []\n", "").replace("catalog: required\n", "");
    assert!(!without.contains("trusted_schemas: any") && !without.contains("\nforeign"));
    let policy = Policy::from_yaml(&without).unwrap();
    assert_eq!(policy.catalog(), CatalogNeed::Required);
    assert!(!policy.trusts_schema("public"));
    assert!(!policy.allows_foreign("shop", "t", "files"));
    let preferred = AGENT.replace("catalog: required\n", "catalog: preferred\n");
    let policy = Policy::from_yaml(&preferred).unwrap();
    assert_eq!(policy.catalog(), CatalogNeed::Preferred);
}

#[test]
fn one_overload_is_named_by_its_types() {
    let yaml = agent_with(
        "  allow:\n    - shop.f(integer, text)\n    - g\n    - shop.h\n  \
         trusted_schemas: [shop, \"My schema\"]\n",
        "",
    );
    let policy = Policy::from_yaml(&yaml).unwrap();
    let (int, text) = (argument("int4"), argument("text"));
    assert!(policy.allows_signature("shop", "f", &[int, text]));
    assert!(!policy.allows_signature("shop", "f", &[text, int]));
    assert!(!policy.allows_signature("shop", "f", &[int]));
    assert!(policy.allows_signature("other", "g", &[int]));
    assert!(policy.allows_signature("shop", "h", &[]));
    assert!(!policy.allows_signature("other", "h", &[]));
    // Without a catalog, which overload is called cannot be told.
    assert!(!policy.allows_function(Some("shop"), "f"));
    assert!(policy.allows_function(Some("shop"), "h") && policy.allows_function(None, "g"));
    assert!(!policy.allows_function(None, "h") && !policy.allows_function(Some("shop"), "g"));
    assert!(policy.trusts_schema("shop") && policy.trusts_schema("My schema"));
    assert!(!policy.trusts_schema("public") && !policy.trusts_schema("my schema"));
}

#[test]
fn foreign_tables_are_named_by_themselves_or_by_their_server() {
    let foreign = "foreign:\n  tables: [shop.t, '\"a.b\".c']\n  servers: [reports]\n";
    let yaml = agent_with("  allow: []\n", foreign);
    let policy = Policy::from_yaml(&yaml).unwrap();
    assert!(policy.allows_foreign("shop", "t", "files"));
    assert!(policy.allows_foreign("a.b", "c", "files"));
    assert!(policy.allows_foreign("x", "y", "reports"));
    assert!(!policy.allows_foreign("shop", "u", "files"));
    assert!(!policy.allows_foreign("other", "t", "files"));
}

#[test]
fn what_is_wrong_with_names_is_said_with_its_place() {
    let check = |functions: &str, foreign: &str, wanted: &[&str]| {
        let found = problems(&agent_with(functions, foreign));
        assert_eq!(found.len(), wanted.len(), "{found:#?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.contains(wanted), "{found} is not {wanted}");
        }
    };
    let wanted = [
        "8 functions.allow: a function is wanted: name, schema.name, or",
        "8 functions.allow: a list of types is wanted between the parentheses",
        "20 functions.trusted_schemas: any, or a list of schemas, is wanted",
    ];
    let functions = "  allow:\n     - shop.f(integer\n     - f(a int)\n  trusted_schemas: all\n";
    check(functions, "", &wanted);
    let foreign = "foreign:\n  tables: [t]\n  servers: reports\n  wrappers: []\n";
    let wanted = [
        "12 foreign.tables: a table with its schema is wanted",
        "12 foreign.servers: a list is wanted here",
        "3 foreign.wrappers: unknown key; known here: tables, servers",
    ];
    check("  allow: []\n", foreign, &wanted);
    let found = problems(&AGENT.replace("catalog: required\n", "catalog: maybe\n"));
    assert!(found[0].ends_with("10 catalog: one of required, preferred is wanted"));
}

#[test]
fn the_version_is_of_the_meaning() {
    let version = |yaml: &str| Policy::from_yaml(yaml).unwrap().version().to_owned();
    let commented = format!("# another comment\n{AGENT}");
    assert_eq!(version(AGENT), version(&commented));
    assert_eq!(version(AGENT).len(), 16);
    for (from, to) in [
        ("name: agent", "name: other"),
        ("statement_timeout: 30s", "statement_timeout: 31s"),
        ("max_rows: 10000", "max_rows: 10001"),
        ("max_cursors: 10", "max_cursors: 11"),
        ("geqo: on or off", "geqo: only on"),
        ("allow: []", "allow: [f]"),
        ("catalog: required", "catalog: preferred"),
        ("trusted_schemas: any", "trusted_schemas: []"),
        ("trusted_schemas: any", "trusted_schemas: [shop]"),
        ("tables: []", "tables: [shop.t]"),
        ("servers: []", "servers: [reports]"),
        ("statement_bytes: 1MiB", "statement_bytes: 1048577"),
    ] {
        assert!(AGENT.contains(from), "{from}");
        assert_ne!(version(AGENT), version(&AGENT.replace(from, to)), "{to}");
    }
}

#[test]
fn timeouts_have_units() {
    const KEYS: [&str; 3] = [
        "statement_timeout: 30s",
        "lock_timeout: 5s",
        "idle_in_transaction_session_timeout: 60s",
    ];
    for key in KEYS {
        let (name, _) = key.split_once(':').unwrap();
        let with = |value: &str| AGENT.replacen(key, &format!("{name}: {value}"), 1);
        for (value, ms) in [
            ("0", 0),
            ("0s", 0),
            ("5ms", 5),
            ("5s", 5_000),
            ("1.5min", 90_000),
        ] {
            let policy = Policy::from_yaml(&with(value)).unwrap();
            let all = policy.timeouts().by_name();
            let found = all.into_iter().find(|(timeout, _)| *timeout == name);
            assert_eq!(found, Some((name, ms)), "{value}");
        }
        for (value, wanted) in [
            (
                "5",
                "write 5s for five seconds, 5ms for five milliseconds; 0 is no bound",
            ),
            ("30000", "the unit is missing: write 5s"),
            ("\"5\"", "the unit is missing: write 5s"),
            ("1.5", "the unit is missing: write 5s"),
            ("400us", "less than a millisecond would be no bound"),
            ("5m", "in us, ms, s, min, h or d"),
            ("5 seconds", "a duration such as 30s, 5min or 500ms"),
            ("-5s", "a duration such as 30s, 5min or 500ms"),
            ("25d", "a duration such as 30s, 5min or 500ms"),
            ("off", "a duration such as 30s, 5min or 500ms"),
        ] {
            let found = problems(&with(value)).join("\n");
            assert!(
                found.contains(&format!("timeouts.{name}: ")),
                "{value}: {found}"
            );
            assert!(found.contains(wanted), "{value}: {found}");
        }
    }
}

#[test]
fn all_problems_are_said_at_once_with_their_places() {
    let yaml = "name: my policy\n\
        tables: []\n\
        statements:\n  several: sometimes\n  explain_analyse: reads\n  with_hold: allow\n  \
        lock_access_share: allow\n\
        timeouts:\n  statement_timeout: soon\n  lock_timeout: 0\n\
        settings:\n  allow:\n    geqo: {min: 1}\n    jit: maybe\n\
        functions: x\n\
        limits:\n  statement_bytes: 0\n";
    let found = problems(yaml);
    let wanted = [
        "1:7 name: a name of letters",
        "2:1 tables: unknown key; write foreign.tables instead; known here: name, extends,",
        "4:12 statements.several: one of housekeeping, each is wanted",
        "5:3 statements.explain_analyse: unknown key; did you mean explain_analyze? known here:",
        "9:22 timeouts.statement_timeout: a duration",
        "13:11 settings.allow.geqo.max: this key is missing",
        "14:10 settings.allow.jit: wanted: any,",
        "15:12 functions: a map of keys is wanted here",
        "17:20 limits.statement_bytes: a size from 1B to 16MiB",
    ];
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found.starts_with(wanted), "{found} is not {wanted}");
    }
}

#[test]
fn what_is_no_yaml_is_one_problem_with_a_place() {
    for yaml in ["", "name: [", "- a\n- b", "a: 1\na: 2\n", "x"] {
        let found = problems(yaml);
        assert!(
            !found.is_empty() && found.iter().all(|problem| problem.contains(':')),
            "{found:?}"
        );
    }
    assert!(problems("name: a\nname: b\n")[0].starts_with("2:1: not readable as YAML"));
}

#[test]
fn no_policy_loosens_what_the_promises_rest_on() {
    for (from, to) in [
        (
            "    default_transaction_read_only: only on",
            "    default_transaction_read_only: any",
        ),
        (
            "    transaction_read_only: only on",
            "    transaction_read_only: on or off",
        ),
        (
            "    client_encoding: only utf8",
            "    client_encoding: [UTF8, SJIS]",
        ),
        (
            "    standard_conforming_strings: only on",
            "    standard_conforming_strings: any",
        ),
        ("    search_path: catalog first", "    search_path: any"),
        (
            "    statement_timeout: at most the timeout",
            "    statement_timeout: any",
        ),
        ("    geqo: on or off", "    role: any"),
        ("    geqo: on or off", "    Session_Authorization: any"),
        (
            "    geqo: on or off",
            "    session_replication_role: [origin]",
        ),
        ("    geqo: on or off", "    local_preload_libraries: any"),
        ("    geqo: on or off", "    row_security: any"),
    ] {
        assert!(AGENT.contains(from), "{from}");
        let found = problems(&AGENT.replacen(from, to, 1));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].ends_with("no policy may loosen this setting"),
            "{found:?}"
        );
    }
    let found = problems(&AGENT.replace("    geqo: on or off", "    geqo: at most the timeout"));
    assert!(
        found[0].contains("settings.allow.geqo: wanted"),
        "{found:?}"
    );
}

#[test]
fn a_setting_named_twice_is_a_problem_whatever_its_case() {
    let found = problems(&AGENT.replace("    geqo: on or off", "    Jit: only off"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("named twice"), "{found:?}");
}

#[test]
fn every_section_is_part_of_the_version() {
    let mut seen = std::collections::BTreeSet::from([version_with("match", "")]);
    for (section, keys) in [
        ("mode", "observe"),
        ("rules", "nesting: observe"),
        ("match", "user: a"),
        ("match", "database: a"),
        ("match", "application_name: a"),
        ("match", "certificate_name: a"),
        ("match", "client_address: local"),
        ("match", "client_address: 10.0.0.0/8"),
        ("relations", "allow: []"),
        ("relations", "allow: [a.b]"),
        ("relations", "deny: [a.b]"),
        ("relations", "through_views: check"),
        ("columns", "allow: [a.b.c]"),
        ("columns", "deny: [a.b.c]"),
        ("columns", "mask: {a: null}"),
        ("rows", "a.b: c"),
        ("models", "a.b: {sql: SELECT 1}"),
        ("models", "a.b: {sql: \"SELECT :user\"}"),
        ("models", "a.b: {sql: SELECT 1, about: x}"),
        ("models", "a.b: {sql: SELECT 1, columns: {x: y}}"),
        ("functions", "deny: [f]"),
        ("statements", "allow: [select]"),
        ("statements", "deny: [copy]"),
        ("settings", "deny: [x]"),
        ("limits", "nesting: 3"),
        ("limits", "result_rows: 3"),
        ("limits", "result_bytes: 3"),
        ("limits", "on_limit: truncate"),
        ("limits", "default_limit: 3"),
        ("limits", "max_plan_cost: 3"),
        ("limits", "max_plan_rows: 3"),
        ("limits", "plan_age_max: 3s"),
        ("limits", "concurrency_per_user: 3"),
        ("limits", "statements_per_second: 3"),
        ("limits", "statements_per_day: 3"),
        ("mode", "enforce\nuntil: 2030-01-31"),
        ("limits", "rows_per_day: 3"),
        ("limits", "bytes_per_day: 3"),
        ("limits", "connections_per_user: 3"),
        ("limits", "idle_time: 3s"),
    ] {
        let version = version_with(section, keys);
        assert!(seen.insert(version), "{section}: {keys}");
    }
}
