//! Startup messages: what drivers put into them is taken over, and no spelling of anything that
//! would make the upstream session writable, somebody else, or read texts in another way is.

use std::sync::Arc;

use pgsieve::gate::{Gate, StartupPlan};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;

#[test]
fn what_drivers_send_is_accepted() {
    for parameters in ACCEPTED {
        for policy in [Policy::agent(), Policy::bi()] {
            let plan = judged(policy, parameters);
            assert!(plan.is_some_and(|plan| is_safe(&plan)), "{parameters:?}");
        }
    }
}

#[test]
fn what_would_weaken_the_session_is_refused() {
    for parameters in REFUSED {
        for policy in [Policy::agent(), Policy::bi()] {
            let plan = judged(policy, parameters);
            assert!(plan.is_none_or(|plan| is_left_out(&plan)), "{parameters:?}");
        }
        let strict = judged(Policy::strict(), parameters);
        assert!(strict.is_none(), "{parameters:?}");
    }
}

#[test]
fn what_would_make_the_session_writable_is_lowered_or_refused() {
    let options = LOWERED_OPTIONS.iter().map(|text| vec![("options", *text)]);
    for parameters in LOWERED.iter().map(|given| given.to_vec()).chain(options) {
        for policy in [Policy::agent(), Policy::bi(), Policy::observe()] {
            let plan = judged(policy, &parameters).expect("a plan");
            assert!(is_safe(&plan), "{parameters:?}");
            assert_eq!(plan.notices().count(), 1, "{parameters:?}");
            let own = |(name, _): &&(String, String)| name == "transaction_read_only";
            assert_eq!(plan.parameters.iter().find(own), None, "{parameters:?}");
        }
        assert!(
            judged(Policy::strict(), &parameters).is_none(),
            "{parameters:?}"
        );
    }
}

#[test]
fn what_is_no_setting_of_the_policy_is_no_option() {
    for options in REFUSED_OPTIONS {
        for policy in [Policy::agent(), Policy::bi()] {
            let plan = judged(policy, &[("options", options)]);
            assert!(plan.is_none_or(|plan| is_left_out(&plan)), "{options:?}");
        }
        let strict = judged(Policy::strict(), &[("options", options)]);
        assert!(strict.is_none(), "{options:?}");
    }
}

#[test]
fn options_of_allowed_settings_are_taken_over() {
    for (options, name, value) in ACCEPTED_OPTIONS {
        let plan = judged(Policy::agent(), &[("options", options)]).expect(options);
        assert!(is_safe(&plan), "{options:?}");
        let given = plan.parameters.iter().find(|(given, _)| given == name);
        assert_eq!(
            given.map(|(_, value)| value.as_str()),
            Some(*value),
            "{options:?}"
        );
    }
}

#[test]
fn bounds_in_time_can_be_tightened_and_not_loosened() {
    let bound = |plan: &StartupPlan| {
        let given = plan
            .parameters
            .iter()
            .find(|(name, _)| name == "statement_timeout");
        given.expect("a bound").1.clone()
    };
    let by_policy = bound(&judged(Policy::agent(), &[]).expect("a plan"));
    for loose in ["0", "1d", "9999min", "2147483647"] {
        let plan = judged(Policy::agent(), &[("statement_timeout", loose)]).expect(loose);
        assert_eq!(bound(&plan), by_policy, "{loose}");
        let options = format!("-c statement_timeout={loose}");
        let plan = judged(Policy::agent(), &[("options", &options)]).expect(loose);
        assert_eq!(bound(&plan), by_policy, "{loose}");
    }
    let plan = judged(Policy::agent(), &[("statement_timeout", "50ms")]).expect("a plan");
    assert_ne!(bound(&plan), by_policy);
}

#[test]
fn protocol_options_that_nobody_knows_are_named_and_not_sent_on() {
    let options = [
        ("_pq_.new_thing", "1"),
        ("_pq_.default_transaction_read_only", "off"),
    ];
    let plan = judged(Policy::agent(), &options).expect("a plan");
    assert!(is_safe(&plan));
    assert_eq!(plan.unrecognised_pq_options, options.map(|(name, _)| name));
    assert!(
        plan.parameters
            .iter()
            .all(|(name, _)| !name.starts_with("_pq_."))
    );
}

fn judged(policy: Policy, parameters: &[(&str, &str)]) -> Option<StartupPlan> {
    let gate = Gate::new(Arc::new(policy), Fingerprinter::new(None, [7; 32]));
    let mut all = vec![("user", "ada"), ("database", "shop")];
    all.extend_from_slice(parameters);
    gate.judge_startup(&all).ok()
}

/// What pgsieve rests on is in the plan, each once, whatever was asked for.
/// Whether something was left out that the client may do without, and nothing else was asked for.
fn is_left_out(plan: &StartupPlan) -> bool {
    let may_be = |name: &String| MAY_BE_LEFT_OUT.contains(&name.as_str());
    let sent = |name: &str| plan.parameters.iter().any(|(given, _)| given == name);
    is_safe(plan)
        && !plan.ignored.is_empty()
        && plan.ignored.iter().all(may_be)
        && !MAY_BE_LEFT_OUT.iter().any(|name| sent(name))
}

fn is_safe(plan: &StartupPlan) -> bool {
    let once = |name: &str, values: &[&str]| {
        let mut given = plan.parameters.iter().filter(|(given, _)| given == name);
        let right = given
            .next()
            .is_some_and(|(_, value)| values.contains(&value.as_str()));
        right && given.next().is_none()
    };
    let never = [
        "role",
        "session_authorization",
        "options",
        "replication",
        "user",
        "database",
    ];
    once("default_transaction_read_only", &["on"])
        && once("standard_conforming_strings", &["on"])
        && once("client_encoding", &["UTF8"])
        && plan
            .parameters
            .iter()
            .all(|(name, _)| !never.contains(&name.as_str()))
        && plan
            .parameters
            .iter()
            .all(|(name, _)| *name == name.to_ascii_lowercase())
}

type Parameters = &'static [(&'static str, &'static str)];

const ACCEPTED: &[Parameters] = &[
    &[],
    &[("application_name", "psql"), ("client_encoding", "UTF8")],
    &[("client_encoding", "'utf-8'")],
    &[("client_encoding", "utf8")],
    &[("client_encoding", "Unicode")],
    &[
        ("DateStyle", "ISO"),
        ("TimeZone", "Europe/Oslo"),
        ("extra_float_digits", "2"),
    ],
    &[
        ("datestyle", "ISO, MDY"),
        ("timezone", "UTC"),
        ("search_path", "public"),
    ],
    &[
        ("statement_timeout", "5000"),
        ("idle_in_transaction_session_timeout", "5s"),
    ],
    &[("jit", "off"), ("application_name", "")],
    &[("default_transaction_read_only", "on")],
    &[
        ("default_transaction_read_only", "true"),
        ("standard_conforming_strings", "on"),
    ],
    &[("_pq_.anything", "1")],
];

const MAY_BE_LEFT_OUT: &[&str] = &[
    "local_preload_libraries",
    "my.setting",
    "no_such_setting",
    "session_preload_libraries",
    "zero_damaged_pages",
];

const REFUSED: &[Parameters] = &[
    &[("default_transaction_read_only", "")],
    &[("default_transaction_read_only", "maybe")],
    &[("role", "postgres")],
    &[("session_authorization", "postgres")],
    &[("session_replication_role", "replica")],
    &[("standard_conforming_strings", "off")],
    &[("client_encoding", "SJIS")],
    &[("client_encoding", "LATIN1")],
    &[("client_encoding", "SQL_ASCII")],
    &[("client_encoding", "")],
    &[("search_path", "evil, pg_catalog")],
    &[("local_preload_libraries", "evil")],
    &[("session_preload_libraries", "evil")],
    &[("no_such_setting", "1")],
    &[("my.setting", "1")],
    &[("", "1")],
    &[("replication", "true")],
    &[("replication", "on")],
    &[("replication", "1")],
    &[("replication", "yes")],
    &[("replication", "database")],
    &[("replication", "anything else")],
];

const LOWERED: &[Parameters] = &[
    &[("default_transaction_read_only", "off")],
    &[("DEFAULT_TRANSACTION_READ_ONLY", "off")],
    &[("Default_Transaction_Read_Only", "f")],
    &[("default_transaction_read_only", "0")],
    &[("default_transaction_read_only", "no")],
    &[
        ("default_transaction_read_only", "on"),
        ("default_transaction_read_only", "off"),
    ],
    &[
        ("default_transaction_read_only", "off"),
        ("default_transaction_read_only", "on"),
    ],
    &[("transaction_read_only", "off")],
];

const LOWERED_OPTIONS: &[&str] = &[
    "-c default_transaction_read_only=off",
    "-cdefault_transaction_read_only=off",
    "-c  default_transaction_read_only=off",
    "\t-c\tdefault_transaction_read_only=off",
    "-c\ndefault_transaction_read_only=off",
    "-c DEFAULT_TRANSACTION_READ_ONLY=off",
    "-c default-transaction-read-only=off",
    "-c default\\_transaction\\_read\\_only=off",
    "-c default_transaction_read_only=\\off",
    "\\-c default_transaction_read_only=off",
    "-\\c default_transaction_read_only=off",
    "-c default_transaction_read_only=o\\f\\f",
    "--default_transaction_read_only=off",
    "--default-transaction-read-only=off",
    "--Default-Transaction_Read-Only=0",
    "-\\-default_transaction_read_only=off",
    "-c search_path=public -c default_transaction_read_only=off",
    "-c default_transaction_read_only=on -c default_transaction_read_only=off",
    "-c default_transaction_read_only=off -c default_transaction_read_only=on",
    "-c application_name=a\\ b --default_transaction_read_only=off",
    "-c transaction_read_only=off",
];

const REFUSED_OPTIONS: &[&str] = &[
    "-c role=postgres",
    "-c session_authorization=postgres",
    "-c session_replication_role=replica",
    "-c standard_conforming_strings=off",
    "-c client_encoding=SJIS",
    "--client-encoding=LATIN1",
    "-c search_path=evil,\\ pg_catalog",
    "-c local_preload_libraries=evil",
    "-c zero_damaged_pages=on",
    "-c",
    "-c x",
    "--x",
    "--",
    "-",
    "-B 10",
    "-r /tmp/x",
    "-W 10",
    "-P",
    "-O",
    "-Oc default_transaction_read_only=off",
    "-f s",
    "-d 5",
    "-v 196608",
    "-p x",
    "postgres",
    "-c geqo=off postgres",
];

const ACCEPTED_OPTIONS: &[(&str, &str, &str)] = &[
    ("-c application_name=a", "application_name", "a"),
    ("-capplication_name=a\\ b", "application_name", "a b"),
    ("--application-name=a", "application_name", "a"),
    ("--application_name=a=b", "application_name", "a=b"),
    (
        "  -c geqo=off\t-c  search_path=public ",
        "search_path",
        "public",
    ),
    (
        "-c search_path=public,\\ other",
        "search_path",
        "public, other",
    ),
    (
        "-c default_transaction_read_only=on",
        "default_transaction_read_only",
        "on",
    ),
    (
        "-c application_name=a -c application_name=b",
        "application_name",
        "b",
    ),
    ("-c jit=off", "jit", "off"),
];
