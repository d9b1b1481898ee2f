//! `mode` and `rules` of a policy file: which of its own rules are enforced.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::super::policy_rules::RuleMode;
use super::super::similar_names::nearest;
use super::super::yaml::section::{PlacedProblems, YamlSection, chosen, join, map, report, word};
use super::super::yaml::tree::YamlTree;
use ground::rule::{PolicyRule, Rule};

/// The mode of the whole, those of single rules, and until when it is meant to observe.
pub(super) type RulesSection = (RuleMode, BTreeMap<PolicyRule, RuleMode>, Option<i64>);

/// Reads the three keys.
pub(super) fn read(top: &mut YamlSection, problems: &mut PlacedProblems) -> Option<RulesSection> {
    let mode = top.optional(
        "mode",
        RuleMode::Enforce,
        problems,
        |tree, path, problems| chosen(tree, path, MODES, problems),
    );
    let rules = top.optional("rules", BTreeMap::new(), problems, rules);
    let until = top.optional("observe_until", None, problems, |tree, path, problems| {
        let (place, word) = word(tree, path, problems)?;
        let end = end_of(&word);
        if end.is_none() {
            let what = "a day is wanted, such as 2030-01-31; it ends at midnight UTC";
            report(problems, place, path, what);
        }
        end.map(Some)
    });
    Some((mode?, rules?, until?))
}

/// `until`: a moment, in seconds since 1970.
pub(super) fn until(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<i64>> {
    let (place, word) = word(tree, path, problems)?;
    let moment = || Some(word.parse::<Timestamp>().ok()?.as_second());
    let end = end_of(&word).or_else(moment);
    if end.is_none() {
        let what = "a moment is wanted, with where its clock stands, such as 2030-01-31T18:00:00Z \
            or 2030-01-31T18:00:00+01:00; or a day such as 2030-01-31, which ends at midnight UTC";
        report(problems, place, path, what);
    }
    end.map(Some)
}

/// The end of a day, in seconds since 1970.
fn end_of(day: &str) -> Option<i64> {
    // A time of that day would be taken as well, and mean nothing.
    let day: Date = (day.len() == DAY_LETTERS).then(|| day.parse().ok())??;
    let midnight = day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(midnight.timestamp().as_second())
}

fn rules(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<BTreeMap<PolicyRule, RuleMode>> {
    let mut modes = BTreeMap::new();
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let mode = chosen(entry.tree, &path, MODES, problems);
        let Some(rule) = PolicyRule::named(&entry.key) else {
            report(problems, entry.place, &path, &unknown(&entry.key));
            continue;
        };
        if let Some(mode) = mode
            && modes.insert(rule, mode).is_some()
        {
            report(problems, entry.place, &path, "this rule is named twice");
        }
    }
    Some(modes)
}

/// What is said of a name that is no rule of a policy.
fn unknown(name: &str) -> String {
    let own: Vec<&str> = PolicyRule::ALL.iter().map(|rule| rule.name()).collect();
    let known = own.join(", ");
    if Rule::named(name).is_some() {
        return format!(
            "this rule is the gate's own: what it refuses may change data, or cannot be told from \
             what does, so it refuses whatever a policy says. Of policies are {known}"
        );
    }
    let near = nearest(name, own.iter().copied());
    match near {
        Some(near) => format!("unknown rule; did you mean {near}?"),
        None => format!("unknown rule; one of {known} is wanted"),
    }
}

/// `2030-01-31`.
const DAY_LETTERS: usize = 10;

const MODES: &[(&str, RuleMode)] = &[
    ("enforce", RuleMode::Enforce),
    ("observe", RuleMode::Observe),
];

#[cfg(test)]
mod tests {
    use super::super::super::policy_rules::Strictness;
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;

    #[test]
    fn the_mode_of_a_rule_wins_over_that_of_the_whole() {
        let policy = policy_with("mode", "observe");
        assert_eq!(policy.mode_of(PolicyRule::Nesting), RuleMode::Observe);
        let policy = policy_with("rules", "nesting: observe");
        assert_eq!(policy.mode_of(PolicyRule::Nesting), RuleMode::Observe);
        assert_eq!(policy.mode_of(PolicyRule::ResultRows), RuleMode::Enforce);
        let both = "observe\nrules: {nesting: enforce}";
        let policy = policy_with("mode", both);
        assert_eq!(policy.mode_of(PolicyRule::Nesting), RuleMode::Enforce);
        assert_eq!(policy.mode_of(PolicyRule::ResultRows), RuleMode::Observe);
    }

    #[test]
    fn models_hold_while_the_rest_is_observed() {
        for (keys, mode, strictness) in [
            ("observe", RuleMode::Enforce, Strictness::Observe),
            (
                "observe\nrules: {model: observe}",
                RuleMode::Observe,
                Strictness::Observe,
            ),
            (
                "observe\nrules: {nesting: enforce}",
                RuleMode::Enforce,
                Strictness::Observe,
            ),
            (
                "enforce\nrules: {model: observe}",
                RuleMode::Observe,
                Strictness::Mixed,
            ),
            (
                "enforce\nrules: {model: enforce}",
                RuleMode::Enforce,
                Strictness::Enforce,
            ),
            ("enforce", RuleMode::Enforce, Strictness::Enforce),
        ] {
            let policy = policy_with("mode", keys);
            assert_eq!(policy.mode_of(PolicyRule::Model), mode, "{keys}");
            assert_eq!(policy.strictness(), strictness, "{keys}");
        }
    }

    #[test]
    fn a_policy_says_until_when_it_observes() {
        let until = |keys: &str| policy_with("mode", keys).observes_until();
        let day = "\nobserve_until: 1970-01-02";
        assert_eq!(until(&format!("observe{day}")), Some(2 * 86_400));
        assert_eq!(until("observe"), None);
        assert_eq!(until(&format!("enforce{day}")), None);
        let some = format!("enforce{day}\nrules: {{nesting: observe}}");
        assert_eq!(until(&some), Some(2 * 86_400));
        let leap = "observe\nobserve_until: 2028-02-29";
        assert_eq!(until(leap), Some(1_835_481_600));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (section, keys, wanted) in [
            ("mode", "off", "one of enforce, observe is wanted"),
            (
                "mode",
                "observe\nobserve_until: 2027-02-29",
                "observe_until: a day is wanted",
            ),
            (
                "mode",
                "observe\nobserve_until: tomorrow",
                "observe_until: a day is wanted",
            ),
            (
                "mode",
                "observe\nobserve_until: 2027-02-28 12:00",
                "observe_until: a day is wanted",
            ),
            (
                "mode",
                "observe\nobserve_until: 9999-12-31",
                "observe_until: a day is wanted",
            ),
            (
                "rules",
                "nesting: maybe",
                "rules.nesting: one of enforce, observe",
            ),
            ("rules", "nestign: observe", "did you mean nesting?"),
            (
                "rules",
                "magic: observe",
                "one of relation_denied, column_denied",
            ),
            (
                "rules",
                "write_statement: observe",
                "this rule is the gate's own",
            ),
            ("rules", "settings: observe", "this rule is the gate's own"),
        ] {
            let found = said_of(section, keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    #[test]
    fn a_policy_ends_at_a_moment_or_with_a_day() {
        let until = |word: &str| policy_with("mode", &format!("enforce\nuntil: {word}")).until();
        assert_eq!(policy_with("mode", "enforce").until(), None);
        for (word, second) in [
            ("1970-01-02", 172_800),
            ("1970-01-02T00:00:10Z", 86_410),
            ("1970-01-02T01:00:10+01:00", 86_410),
            ("'1970-01-02 00:00:10Z'", 86_410),
            ("1970-01-02T00:00:10.9Z", 86_410),
        ] {
            assert_eq!(until(word), Some(second), "{word}");
        }
        for wrong in [
            "tomorrow",
            "1970-01-02T00:00:10",
            "'18:00'",
            "1970-02-30",
            "86400",
            "''",
            "off",
        ] {
            let found = said_of("mode", &format!("enforce\nuntil: {wrong}"));
            assert!(
                found.contains("until: a moment is wanted"),
                "{wrong}: {found}"
            );
        }
        let policy = policy_with("mode", "enforce\nuntil: 1970-01-02");
        assert!(!policy.is_over(172_799) && policy.is_over(172_800));
        assert_ne!(
            version_with("mode", "enforce\nuntil: 1970-01-02"),
            version_with("mode", "enforce\nuntil: 1970-01-03")
        );
    }
}
