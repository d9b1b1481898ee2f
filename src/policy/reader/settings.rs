//! The section `settings` of a policy file: what may be set, and to which values.

use std::collections::BTreeMap;

use super::super::access::Glob;
use super::super::settings::setting_value;
use super::super::settings::value_rule::{SettingAmount, ValueRule};
use super::super::units::{self, BareBytes};
use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, join, map, number, placed, report, word, words,
};
use super::super::yaml::tree;
use super::super::yaml::tree::{YamlPlace, YamlTree, YamlValue};
use super::super::{OnRefusedSetting, Policy, ReadWrite, TimeoutSettings};
use super::lists;

/// What the section says.
pub(super) struct SettingsSection {
    pub(super) allowed: BTreeMap<String, ValueRule>,
    /// What is allowed by a pattern, in the order in which it is written.
    pub(super) patterns: Vec<(Glob, ValueRule)>,
    pub(super) denied: Vec<Glob>,
    pub(super) read_write: ReadWrite,
    pub(super) on_refused: OnRefusedSetting,
}

impl SettingsSection {
    /// Whether a setting is allowed.
    pub(super) fn names(&self, name: &str) -> bool {
        let mut patterns = self.patterns.iter();
        self.allowed.contains_key(name) || patterns.any(|(pattern, _)| pattern.matches(name))
    }
}

/// Reads the section.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    timeouts: Option<TimeoutSettings>,
    problems: &mut PlacedProblems,
) -> Option<SettingsSection> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let allow = section.given(
        "allow",
        default_settings,
        problems,
        |tree, path, problems| allowed(tree, path, timeouts, problems),
    );
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        placed(tree, path, problems, pattern)
    });
    let read_write = section.optional(
        "read_write",
        ReadWrite::Lower,
        problems,
        |tree, path, problems| chosen(tree, path, READ_WRITE, problems),
    );
    let refuse = OnRefusedSetting::Refuse;
    let on_refused = section.optional(
        "on_refused_setting",
        refuse,
        problems,
        |tree, path, problems| chosen(tree, path, ON_REFUSED, problems),
    );
    section.close(problems);
    let ((allowed, patterns), denied) = (allow?, deny?);
    let names = allowed.keys().map(|name| Glob::new(name));
    let names: Vec<Glob> = names
        .chain(patterns.iter().map(|(pattern, _)| pattern.clone()))
        .collect();
    let denied = lists::without_contradictions(&names, denied, &join(path, "deny"), problems);
    Some(SettingsSection {
        allowed,
        patterns,
        denied,
        read_write: read_write?,
        on_refused: on_refused?,
    })
}

/// What may be set where a policy does not say it: what `agent` allows, within its own bounds.
fn default_settings() -> Option<YamlTree> {
    let agent = tree::read(Policy::text_of("agent")?).ok()?;
    agent.below(&["settings", "allow"]).cloned()
}

/// By name, and by pattern.
type AllowedSettings = (BTreeMap<String, ValueRule>, Vec<(Glob, ValueRule)>);

fn allowed(
    tree: YamlTree,
    path: &str,
    timeouts: Option<TimeoutSettings>,
    problems: &mut PlacedProblems,
) -> Option<AllowedSettings> {
    let (mut allowed, mut patterns) = (BTreeMap::new(), Vec::<(Glob, ValueRule)>::new());
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let name = entry.key.to_ascii_lowercase();
        let place = entry.place;
        let is_pattern = name.contains('*');
        match is_pattern {
            true if !is_own_pattern(&name) => report(problems, place, &path, PATTERN_WANTED),
            false if !setting_value::is_name(&name) => report(problems, place, &path, NAME_WANTED),
            true | false => {}
        }
        if let Some(rule) = value_rule(&name, entry.tree, &path, timeouts, problems) {
            check_fixed(&name, &rule, place, &path, problems);
            let is_twice = match is_pattern {
                true => {
                    let pattern = Glob::new(&name);
                    let is_twice = patterns.iter().any(|(known, _)| *known == pattern);
                    patterns.push((pattern, rule));
                    is_twice
                }
                false => allowed.insert(name, rule).is_some(),
            };
            if is_twice {
                report(problems, place, &path, "this setting is named twice");
            }
        }
    }
    Some((allowed, patterns))
}

/// Whether a pattern names settings of applications alone: `app.*`, `request.jwt.*`. The server's
/// own have no dot, and what extensions bring has its own name where it could hurt.
fn is_own_pattern(name: &str) -> bool {
    let Some((space, rest)) = name.split_once('.') else {
        return false;
    };
    let spaces = NEVER.iter().filter_map(|never| never.split_once('.'));
    let mut closed = spaces
        .map(|(space, _)| space)
        .chain(SPACES_OF_EXTENSIONS.iter().copied());
    setting_value::is_name(space)
        && setting_value::is_name(&rest.replace('*', "x"))
        && !closed.any(|closed| closed == space)
}

/// Names of settings are the same in upper and lower case.
fn pattern(word: &str) -> Result<Glob, String> {
    let name = word.to_ascii_lowercase();
    match setting_value::is_name(&name.replace('*', "x")) {
        true => Ok(Glob::new(&name)),
        false => Err(NAME_WANTED.into()),
    }
}

fn value_rule(
    name: &str,
    tree: YamlTree,
    path: &str,
    timeouts: Option<TimeoutSettings>,
    problems: &mut PlacedProblems,
) -> Option<ValueRule> {
    match tree.value {
        YamlValue::List(_) => words(tree, path, problems).map(ValueRule::OneOf),
        YamlValue::Map(_) if setting_value::is_amount(name) => {
            report(problems, tree.place, path, UNIT_WANTED);
            None
        }
        YamlValue::Map(_) => bounds(tree, path, problems),
        YamlValue::Nothing | YamlValue::Word(_) => {
            let (place, word) = word(tree, path, problems)?;
            if setting_value::is_amount(name) && word.starts_with("at most ") {
                return amount(name, &word, place, path, problems);
            }
            let rule = match word.as_str() {
                "any" => Some(ValueRule::Any),
                "only on" => Some(ValueRule::OnlyOn),
                "only off" => Some(ValueRule::OnlyOff),
                "on or off" => Some(ValueRule::Boolean),
                "only utf8" => Some(ValueRule::OnlyUtf8),
                "catalog first" => Some(ValueRule::SearchPath),
                "at most the timeout" => at_most(name, timeouts?),
                word => word.strip_prefix("at most ").and_then(up_to),
            };
            if rule.is_none() {
                report(problems, place, path, RULES_WANTED);
            }
            rule
        }
    }
}

fn at_most(name: &str, timeouts: TimeoutSettings) -> Option<ValueRule> {
    let bound = timeouts
        .by_name()
        .into_iter()
        .find(|(timeout, _)| *timeout == name);
    bound.map(|(_, ms)| ValueRule::AtMost { ms })
}

/// The bound of a number.
fn up_to(most: &str) -> Option<ValueRule> {
    let most = u32::try_from(setting_value::integer(most)?).ok()?;
    Some(ValueRule::UpTo {
        most: SettingAmount::Number(most.into()),
    })
}

/// The bound of a setting that is a duration or a size, with its unit.
fn amount(
    name: &str,
    word: &str,
    place: YamlPlace,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<ValueRule> {
    let most = word.strip_prefix("at most ")?;
    let read = if setting_value::is_memory(name) {
        let kibibytes = |bytes: u64| SettingAmount::Kibibytes(bytes.div_ceil(1024));
        let most = units::bytes(most, BareBytes::Refused).map(kibibytes);
        most.map(|most| ValueRule::UpTo { most })
            .map_err(|problem| problem.to_string())
    } else if setting_value::is_milliseconds(name) {
        match units::duration(most).map(|span| u64::try_from(span.as_millis())) {
            Ok(Ok(ms)) if ms > 0 => Ok(ValueRule::AtMost { ms }),
            Ok(_) => Err("0 would be no bound: write any, or a duration such as 5min".into()),
            Err(problem) => Err(problem.to_string()),
        }
    } else {
        Err(ANY_WANTED.into())
    };
    read.map_err(|what| report(problems, place, path, &what))
        .ok()
}

fn bounds(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<ValueRule> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    let min = section.required("min", problems, number);
    let max = section.required("max", problems, number);
    section.close(problems);
    let (min, max) = (min?, max?);
    if min > max {
        report(problems, place, path, "no number is from min to max");
        return None;
    }
    Some(ValueRule::Integer { min, max })
}

/// No policy may loosen what the promises of the program rest on.
fn check_fixed(
    name: &str,
    rule: &ValueRule,
    place: YamlPlace,
    path: &str,
    problems: &mut PlacedProblems,
) {
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

const READ_WRITE: &[(&str, ReadWrite)] =
    &[("lower", ReadWrite::Lower), ("refuse", ReadWrite::Refuse)];

/// What is said of a name that no setting can have.
const NAME_WANTED: &str = "the name of a setting is wanted: letters, digits and _, with a dot in \
    those that are not the server's own, such as app.tenant; in settings.deny also with *, such as \
    enable_*";

const PATTERN_WANTED: &str = "a pattern names settings of applications: what stands before the first \
    dot is a name, and not that of an extension, such as app.* or request.jwt.*";

const ON_REFUSED: &[(&str, OnRefusedSetting)] = &[
    ("refuse", OnRefusedSetting::Refuse),
    ("ignore", OnRefusedSetting::Ignore),
];

/// Extensions with settings that change what is read, written or run.
const SPACES_OF_EXTENSIONS: &[&str] = &[
    "anon",
    "aurora",
    "auto_explain",
    "citus",
    "cron",
    "dblink",
    "isn",
    "orafce",
    "passwordcheck",
    "pg_stat_statements",
    "pgaudit",
    "pglogical",
    "plpgsql",
    "plpython",
    "postgis",
    "postgres_fdw",
    "rds",
    "sepgsql",
    "spock",
    "supautils",
    "timescaledb",
];

/// What is said of bounds without units, of what has some.
const UNIT_WANTED: &str = "the setting is a duration or a size, and numbers alone have no unit: \
    write at most 5min or at most 256MB, or any";

/// What is said of a bound for what the server counts in pages or seconds.
const ANY_WANTED: &str = "there is no bound for what the server counts in pages, seconds or \
    microseconds: write any, or leave the setting out";

const RULES_WANTED: &str = "wanted: any, only on, only off, on or off, only utf8, catalog first, \
    at most the timeout (for the three timeouts), at most 256MB (for amounts of memory), at most \
    5min (for durations), at most 4 (for other numbers), a list of words, or a map of min and max";

/// Settings that change who the session is, what it may write, what code the server loads or runs
/// by itself, or what a filter of rows means.
const NEVER: &[&str] = &[
    "role",
    "session_authorization",
    "session_replication_role",
    "is_superuser",
    "session_preload_libraries",
    "local_preload_libraries",
    "dynamic_library_path",
    "extension_control_path",
    "extension_destdir",
    "allow_system_table_mods",
    "ignore_system_indexes",
    "zero_damaged_pages",
    "temp_tablespaces",
    "lo_compat_privileges",
    // Leaves files of compiled code in the data directory.
    "jit_dump_bitcode",
    // Run when a language is first used.
    "plperl.on_init",
    "plperl.on_plperl_init",
    "plperl.on_plperlu_init",
    "plv8.start_proc",
    "pltcl.start_proc",
    "pltclu.start_proc",
    // To a model whose value nobody has set, rows without one would be equal to it.
    "transform_null_equals",
];

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of};
    use super::super::super::{ReadWrite, ValueRule};

    #[test]
    fn settings_are_denied_by_pattern() {
        let policy = policy_with("settings", "allow: {geqo: any}, deny: [\"ENABLE_*\"]");
        assert!(policy.denies_setting("enable_seqscan") && !policy.denies_setting("geqo"));
        assert!(!policy_with("settings", "deny: []").denies_setting("enable_seqscan"));
    }

    #[test]
    fn read_write_is_lowered_or_refused() {
        for (section, wanted) in [
            ("deny: []", ReadWrite::Lower),
            ("read_write: lower", ReadWrite::Lower),
            ("read_write: refuse", ReadWrite::Refuse),
        ] {
            assert_eq!(policy_with("settings", section).read_write(), wanted);
        }
        let found = said_of("settings", "read_write: allow");
        assert!(found.contains("one of lower, refuse is wanted"), "{found}");
        let versions = ["lower", "refuse"].map(|word| {
            let policy = policy_with("settings", &format!("read_write: {word}"));
            policy.version().to_owned()
        });
        assert_ne!(versions[0], versions[1]);
    }

    #[test]
    fn settings_of_applications_are_settings() {
        let policy = policy_with("settings", "allow: {App.Tenant: any, app.kind: [a, b]}");
        assert_eq!(policy.setting("app.tenant"), Some(&ValueRule::Any));
        assert!(policy.setting("app.kind").is_some());
    }

    #[test]
    fn settings_of_applications_are_allowed_by_pattern() {
        let policy = policy_with(
            "settings",
            "allow: {app.kind: [a], App.*: any, request.jwt.*: [x]}",
        );
        assert_eq!(policy.setting("app.tenant"), Some(&ValueRule::Any));
        assert_eq!(
            policy.setting("app.kind"),
            Some(&ValueRule::OneOf(vec!["a".into()]))
        );
        assert!(policy.setting("request.jwt.claims").is_some());
        for name in ["work_mem", "apps.x", "app", "request.jwt", "request.x"] {
            assert_eq!(policy.setting(name), None, "{name}");
        }
        let of_a_model =
            "allow: {app.*: any}}\nmodels: {a.b: {sql: \"SELECT 1 WHERE x = :app.tenant\"}";
        policy_with("settings", of_a_model);
        for pattern in [
            "\"*\"",
            "\"*.x\"",
            "\"enable_*\"",
            "plperl.*",
            "plv8.*",
            "app*.x",
            "isn.*",
            "a.*.b c",
        ] {
            let found = said_of("settings", &format!("allow: {{{pattern}: any}}"));
            assert!(
                found.contains("a pattern names settings"),
                "{pattern}: {found}"
            );
        }
        let found = said_of("settings", "allow: {app.*: any, APP.*: any}");
        assert!(found.contains("named twice"), "{found}");
        let found = said_of("settings", "allow: {app.*: any}, deny: [app.*]");
        assert!(found.contains("also allowed"), "{found}");
    }

    #[test]
    fn bounds_have_the_unit_of_their_setting() {
        use super::super::super::SettingAmount;
        let policy = policy_with(
            "settings",
            "allow: {work_mem: at most 64MB, geqo_effort: at most 5}",
        );
        let of = |name: &str| policy.setting(name).cloned();
        let most = SettingAmount::Kibibytes(65_536);
        assert_eq!(of("work_mem"), Some(ValueRule::UpTo { most }));
        let most = SettingAmount::Number(5);
        assert_eq!(of("geqo_effort"), Some(ValueRule::UpTo { most }));
        for (wrong, wanted) in [
            ("work_mem: at most 4", "write 100MB, 64KiB"),
            ("maintenance_work_mem: at most 65536", "write 100MB, 64KiB"),
            ("geqo_effort: at most 4MB", "wanted: any"),
            ("work_mem: at most much", "a size such as 100MB"),
            ("geqo_effort: at most -1", "wanted: any"),
            (
                "idle_session_timeout: at most 5",
                "write 5s for five seconds",
            ),
            (
                "transaction_timeout: at most 60000",
                "write 5s for five seconds",
            ),
            ("transaction_timeout: at most 0", "0 would be no bound"),
            ("transaction_timeout: at most 5MB", "a duration such as 30s"),
            (
                "idle_session_timeout: {min: 1, max: 5}",
                "numbers alone have no unit",
            ),
            ("work_mem: {min: 1, max: 5}", "numbers alone have no unit"),
            ("effective_cache_size: at most 4", "pages, seconds"),
            ("tcp_keepalives_idle: at most 60s", "pages, seconds"),
            ("statement_timeout: at most 5s", "wanted: any"),
            ("statement_timeout: at most 5", "may loosen"),
        ] {
            let found = said_of("settings", &format!("allow: {{{wrong}}}"));
            assert!(found.contains(wanted), "{wrong}: {found}");
        }
    }

    #[test]
    fn durations_that_are_no_timeouts_of_policies_have_bounds_too() {
        let policy = policy_with(
            "settings",
            "allow: {transaction_timeout: at most 5min, IDLE_session_timeout: at most 1500ms}",
        );
        let of = |name: &str| policy.setting(name).cloned();
        let most = |ms| Some(ValueRule::AtMost { ms });
        assert_eq!(of("transaction_timeout"), most(300_000));
        assert_eq!(of("idle_session_timeout"), most(1_500));
    }

    #[test]
    fn what_is_wrong_with_names_of_settings_is_said() {
        for (section, wanted) in [
            (
                "allow: {app tenant: any}",
                "the name of a setting is wanted",
            ),
            ("allow: {app.: any}", "the name of a setting is wanted"),
            (
                "allow: {geqo: any}, deny: [a b]",
                "settings.deny: the name of a setting",
            ),
            (
                "allow: {geqo: any}, deny: [GEQO]",
                "settings.deny: geqo is also allowed",
            ),
        ] {
            let found = said_of("settings", section);
            assert!(found.contains(wanted), "{section}: {found}");
        }
    }
}
