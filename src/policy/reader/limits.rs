//! The section `limits` of a policy file.

use std::time::Duration;

use super::super::units::{self, BareBytes, UnitProblem, written_bytes, written_duration};
use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, report, within_or_off, word,
};
use super::super::yaml::tree::{YamlPlace, YamlTree};
use super::super::{OnLimit, PolicyLimits, Recoverer, RepairMode, RepairSettings};
use super::repair;
use ground::limits;

/// What the section says.
pub(super) struct LimitsSection {
    pub(super) limits: PolicyLimits,
    /// `default_limit` with its place, where it is there: it is a matter of repairs.
    default_limit: Option<(YamlPlace, Option<u64>)>,
}

/// Reads the section.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<LimitsSection> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let mut count = |key, most, problems: &mut PlacedProblems| {
        section.optional(key, None, problems, |tree, path, problems| {
            within_or_off(tree, path, 1..=most, problems)
        })
    };
    let rows = count("result_rows", limits::RESULT_ROWS_BOUND, problems);
    let day = count(
        "statements_per_day",
        limits::STATEMENTS_PER_DAY_BOUND,
        problems,
    );
    let day_rows = count("rows_per_day", limits::RESULT_ROWS_BOUND, problems);
    let nesting = count("nesting", limits::NESTING_BOUND, problems);
    let concurrency = count("concurrency_per_user", limits::CONCURRENCY_BOUND, problems);
    let connections = limits::CONNECTIONS_MAX_BOUND;
    let connections = count("connections_per_user", connections, problems);
    let bytes = section.optional("result_bytes", None, problems, result_bytes);
    let day_bytes = section.optional("bytes_per_day", None, problems, result_bytes);
    let mut decimal = |key, least, problems: &mut PlacedProblems| {
        let bounds = least..=limits::ESTIMATE_BOUND;
        section.optional(key, None, problems, |tree, path, problems| {
            within_or_off(tree, path, bounds, problems)
        })
    };
    let cost = decimal("max_plan_cost", 1.0, problems);
    let plan_rows = decimal("max_plan_rows", 1.0, problems);
    let second = decimal("statements_per_second", limits::RATE_LEAST, problems);
    let (statement, on_limit) = of_one(&mut section, problems);
    let age = section.optional("plan_age_max", None, problems, |tree, path, problems| {
        span(tree, path, limits::PLAN_AGE_BOUND, problems).map(Some)
    });
    let idle = section.optional("idle_time", None, problems, idle);
    let default_limit = section.optional("default_limit", None, problems, default_limit);
    section.close(problems);
    let mut read = PolicyLimits::defaults(statement?);
    read.nesting = to_u32(nesting?);
    read.result_rows = rows?;
    read.result_bytes = bytes?;
    read.on_limit = on_limit?;
    read.max_plan_cost = cost?;
    read.max_plan_rows = plan_rows?;
    read.plan_age_max = age?.unwrap_or(read.plan_age_max);
    read.concurrency_per_user = to_u32(concurrency?);
    read.statements_per_second = second?;
    read.statements_per_day = day?;
    read.rows_per_day = day_rows?;
    read.bytes_per_day = day_bytes?;
    read.connections_per_user = to_u32(connections?);
    read.idle_time = idle?;
    Some(LimitsSection {
        limits: read,
        default_limit: default_limit?,
    })
}

/// Both sections. The default LIMIT has a key in each, of the same meaning.
pub(super) fn both_sections(
    own: LimitsSection,
    repair: repair::RepairSection,
    problems: &mut PlacedProblems,
) -> (PolicyLimits, RepairSettings) {
    let (mut settings, of_repair) = (repair.settings, repair.default_limit);
    if let Some((place, rows)) = own.default_limit {
        let path = "limits.default_limit";
        if of_repair.is_some_and(|other| other != rows) {
            let what = "repair.default_limit says something else; they mean the same, so leave one \
                of them out";
            report(problems, place, path, what);
        }
        if rows.is_some() && settings.mode_of(Recoverer::DefaultLimit) == RepairMode::Off {
            let what = "nothing is added to a statement while repair.mode, or repair.recoverers.\
                default_limit, is off: set it to observe or apply";
            report(problems, place, path, what);
        }
        settings.default_limit = rows;
    }
    (own.limits, settings)
}

/// What is about one statement.
fn of_one(
    section: &mut YamlSection,
    problems: &mut PlacedProblems,
) -> (Option<usize>, Option<OnLimit>) {
    let own = limits::STATEMENT_BYTES;
    let statement = section.optional("statement_bytes", own, problems, |tree, path, problems| {
        let most = limits::STATEMENT_BYTES_MAX;
        usize::try_from(size(tree, path, u64::try_from(most).ok()?, "", problems)?).ok()
    });
    let absent = OnLimit::Error;
    let on_limit = section.optional("on_limit", absent, problems, |tree, path, problems| {
        chosen(tree, path, ON_LIMIT, problems)
    });
    (statement, on_limit)
}

fn idle(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<Duration>> {
    if tree.is_word("off") {
        return Some(None);
    }
    span(tree, path, limits::IDLE_TIME_BOUND, problems).map(Some)
}

fn result_bytes(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<u64>> {
    if tree.is_word("off") {
        return Some(None);
    }
    let most = limits::RESULT_BYTES_BOUND;
    size(tree, path, most, ", or off for no bound", problems).map(Some)
}

/// A size from a byte to `most`; these keys are about bytes by their names, so that a number alone
/// is one of bytes.
fn size(
    tree: YamlTree,
    path: &str,
    most: u64,
    or: &str,
    problems: &mut PlacedProblems,
) -> Option<u64> {
    let (place, word) = word(tree, path, problems)?;
    let read = units::bytes(&word, BareBytes::Allowed).ok();
    let read = read.filter(|bytes| (1..=most).contains(bytes));
    if read.is_none() {
        let most = written_bytes(most);
        let what = format!(
            "a size from 1B to {most} such as 100MB or 64KiB, or a number of bytes, is wanted{or}"
        );
        report(problems, place, path, &what);
    }
    read
}

/// A duration from a second to `most`.
fn span(
    tree: YamlTree,
    path: &str,
    most: Duration,
    problems: &mut PlacedProblems,
) -> Option<Duration> {
    let (place, word) = word(tree, path, problems)?;
    let what = match units::duration(&word) {
        Ok(span) if (Duration::from_secs(1)..=most).contains(&span) => return Some(span),
        Err(problem @ UnitProblem::DurationWithoutUnit) => problem.to_string(),
        Ok(_) | Err(_) => {
            let most = written_duration(most);
            format!("a duration from 1s to {most} is wanted, such as 60s or 10min")
        }
    };
    report(problems, place, path, &what);
    None
}

/// A number of rows or off, with its place.
fn default_limit(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<(YamlPlace, Option<u64>)>> {
    let place = tree.place;
    let rows = within_or_off(tree, path, 1..=limits::RESULT_ROWS_BOUND, problems)?;
    Some(Some((place, rows)))
}

/// The bounds of these numbers are below that of the type.
fn to_u32(number: Option<u64>) -> Option<u32> {
    number.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

const ON_LIMIT: &[(&str, OnLimit)] = &[("error", OnLimit::Error), ("truncate", OnLimit::Truncate)];

#[cfg(test)]
mod tests {
    use super::super::super::Policy;
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;

    #[test]
    fn every_limit_is_read_and_is_none_where_it_is_off_or_left_out() {
        type Shown = fn(&PolicyLimits) -> String;
        let keys: &[(&str, &str, Shown)] = &[
            ("nesting", "8", |l| format!("{:?}", l.nesting)),
            ("result_rows", "10000", |l| format!("{:?}", l.result_rows)),
            ("result_bytes", "10485760", |l| {
                format!("{:?}", l.result_bytes)
            }),
            ("max_plan_cost", "1000000.0", |l| {
                format!("{:?}", l.max_plan_cost)
            }),
            ("max_plan_rows", "10000000.0", |l| {
                format!("{:?}", l.max_plan_rows)
            }),
            ("concurrency_per_user", "4", |l| {
                format!("{:?}", l.concurrency_per_user)
            }),
            ("statements_per_second", "0.5", |l| {
                format!("{:?}", l.statements_per_second)
            }),
            ("statements_per_day", "10000", |l| {
                format!("{:?}", l.statements_per_day)
            }),
            ("rows_per_day", "20000", |l| format!("{:?}", l.rows_per_day)),
            ("bytes_per_day", "2000000", |l| {
                format!("{:?}", l.bytes_per_day)
            }),
            ("connections_per_user", "10", |l| {
                format!("{:?}", l.connections_per_user)
            }),
        ];
        let absent = policy_with("limits", "");
        for (key, value, shown) in keys {
            let given = policy_with("limits", &format!("{key}: {value}"));
            assert_eq!(shown(given.limits()), format!("Some({value})"), "{key}");
            for without in [&absent, &policy_with("limits", &format!("{key}: \"off\""))] {
                assert_eq!(shown(without.limits()), "None", "{key}");
            }
            let zero = said_of("limits", &format!("{key}: 0"));
            assert!(
                zero.contains("is wanted, or off for no bound"),
                "{key}: {zero}"
            );
            let huge = said_of("limits", &format!("{key}: 1e30"));
            assert!(
                huge.contains("is wanted, or off for no bound"),
                "{key}: {huge}"
            );
        }
        let plans = policy_with("limits", "max_plan_cost: 1e6")
            .limits()
            .max_plan_cost;
        assert_eq!(plans, Some(1_000_000.0));
    }

    #[test]
    fn sizes_have_units_or_are_bytes_as_their_keys_say() {
        let result = |text: &str| policy_with("limits", &format!("result_bytes: {text}"));
        for (text, bytes) in [
            ("100MB", 104_857_600),
            ("64KiB", 65_536),
            ("7", 7),
            ("5B", 5),
        ] {
            assert_eq!(result(text).limits().result_bytes, Some(bytes), "{text}");
        }
        let statement = |text: &str| {
            let yaml = include_str!("../../../policies/agent.yaml");
            let yaml = yaml.replace("statement_bytes: 1MiB", &format!("statement_bytes: {text}"));
            let read = Policy::from_yaml(&yaml).map(|policy| policy.limits().statement_bytes);
            read.map_err(|problems| problems.iter().map(ToString::to_string).collect::<String>())
        };
        assert_eq!(statement("64kB"), Ok(65_536));
        assert_eq!(statement("2000"), Ok(2_000));
        for wrong in ["0", "17MB", "-1", "1Mb", "1.5", "off"] {
            let found = statement(wrong).unwrap_err();
            assert!(found.contains("a size from 1B to 16MiB"), "{found}");
        }
        for wrong in ["2000TiB", "10mb", "-1B"] {
            let found = said_of("limits", &format!("result_bytes: {wrong}"));
            assert!(found.contains("a size from 1B to 1024TiB"), "{found}");
        }
    }

    #[test]
    fn what_has_no_number_is_read() {
        let read = |keys| policy_with("limits", keys).limits().clone();
        assert_eq!(read("").on_limit, OnLimit::Error);
        assert_eq!(read("on_limit: truncate").on_limit, OnLimit::Truncate);
        assert_eq!(read("").plan_age_max, Duration::from_secs(60));
        assert_eq!(
            read("plan_age_max: 5min").plan_age_max,
            Duration::from_secs(300)
        );
        assert_eq!(read("").idle_time, None);
        assert_eq!(read("idle_time: off").idle_time, None);
        assert_eq!(
            read("idle_time: 10min").idle_time,
            Some(Duration::from_secs(600))
        );
        for (keys, wanted) in [
            ("on_limit: cut", "one of error, truncate is wanted"),
            ("plan_age_max: 0", "a duration from 1s to 1d"),
            ("plan_age_max: 25h", "a duration from 1s to 1d"),
            ("plan_age_max: 60", "write 5s for five seconds"),
            ("idle_time: 600", "write 5s for five seconds"),
            ("idle_time: 0", "a duration from 1s to 24d"),
            ("idle_time: ten", "a duration from 1s to 24d"),
            ("nesting: 1.5", "a number from 1 to"),
            ("rows: 5", "unknown key; known here:"),
        ] {
            let found = said_of("limits", keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    #[test]
    fn the_default_limit_has_two_keys_and_one_meaning() {
        let given = |keys: &str| policy_with("limits", keys).repair().default_limit;
        assert_eq!(given("default_limit: 100"), Some(100));
        assert_eq!(given("default_limit: off"), None);
        assert_eq!(given(""), None);
        let old = policy_with("repair", "default_limit: 100");
        assert_eq!(old.repair().default_limit, Some(100));
        let both = "default_limit: 100}\nrepair: {mode: apply, default_limit: ";
        assert_eq!(given(&format!("{both}100")), Some(100));
        let found = said_of("limits", &format!("{both}200"));
        assert!(
            found.contains("limits.default_limit: repair.default_limit says"),
            "{found}"
        );
        let found = said_of("limits", &format!("{both}\"off\""));
        assert!(
            found.contains("limits.default_limit: repair.default_limit says"),
            "{found}"
        );
        let found = said_of("limits", "default_limit: 100}\nrepair: {mode: off");
        assert!(found.contains("while repair.mode, or"), "{found}");
        assert_ne!(
            version_with("limits", "default_limit: 100"),
            version_with("limits", "default_limit: 101")
        );
    }
}
