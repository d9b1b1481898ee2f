//! `mode` and `rules` of a policy file: which of its own rules are enforced.

use std::collections::BTreeMap;

use super::super::near::nearest;
use super::super::rules::{GATE_RULES, Mode, PolicyRule};
use super::super::section::{Problems, Section, chosen, join, map, report};
use super::super::tree::Tree;

/// The mode of the whole, and those of single rules.
pub(super) type Modes = (Mode, BTreeMap<PolicyRule, Mode>);

/// Reads both keys.
pub(super) fn read(top: &mut Section, problems: &mut Problems) -> Option<Modes> {
    let mode = top.optional("mode", Mode::Enforce, problems, |tree, path, problems| {
        chosen(tree, path, MODES, problems)
    });
    let rules = top.optional("rules", BTreeMap::new(), problems, rules);
    Some((mode?, rules?))
}

fn rules(tree: Tree, path: &str, problems: &mut Problems) -> Option<BTreeMap<PolicyRule, Mode>> {
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
    if GATE_RULES.contains(&name) {
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

const MODES: &[(&str, Mode)] = &[("enforce", Mode::Enforce), ("observe", Mode::Observe)];

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of};
    use super::*;

    #[test]
    fn the_mode_of_a_rule_wins_over_that_of_the_whole() {
        let policy = policy_with("mode", "observe");
        assert_eq!(policy.mode_of(PolicyRule::Nesting), Mode::Observe);
        let policy = policy_with("rules", "nesting: observe");
        assert_eq!(policy.mode_of(PolicyRule::Nesting), Mode::Observe);
        assert_eq!(policy.mode_of(PolicyRule::ResultRows), Mode::Enforce);
        let both = "observe\nrules: {nesting: enforce}";
        let policy = policy_with("mode", both);
        assert_eq!(policy.mode_of(PolicyRule::Nesting), Mode::Enforce);
        assert_eq!(policy.mode_of(PolicyRule::ResultRows), Mode::Observe);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (section, keys, wanted) in [
            ("mode", "off", "one of enforce, observe is wanted"),
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
}
