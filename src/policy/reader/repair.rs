//! The `repair` section of a policy file, with every problem on the way.

use std::collections::BTreeMap;

use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, join, list, map, report, word,
};
use super::super::yaml::tree::YamlTree;
use super::super::{
    Dialect, DialectChoice, LikelyRepairs, Recoverer, RepairMode, RepairSettings, SimilarityGates,
};
use ground::limits;

/// What the section says.
#[derive(Default)]
pub(super) struct RepairSection {
    pub(super) settings: RepairSettings,
    /// `default_limit`, where it is there.
    pub(super) default_limit: Option<Option<u64>>,
}

/// Reads the section. What is left out keeps its default.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<RepairSection> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let absent = RepairSettings::default();
    let mode = section.choice("mode", absent.mode, MODES, problems);
    let likely = section.optional("likely", absent.likely, problems, |tree, path, problems| {
        chosen(tree, path, LIKELY, problems)
    });
    let attempts = section.optional("max_attempts", absent.attempts_max, problems, attempts);
    let recoverers = section.optional("recoverers", absent.recoverers, problems, recoverers);
    let gates = section.optional("gates", absent.gates, problems, gates);
    let risk_pairs = section.optional("risk_pairs", absent.risk_pairs, problems, risk_pairs);
    let dialect = section.optional("dialect", absent.dialect, problems, dialect);
    let datasets = section.optional("datasets", absent.datasets, problems, datasets);
    let limit = section.optional("default_limit", None, problems, |tree, path, problems| {
        rows(tree, path, problems).map(Some)
    });
    section.close(problems);
    let default_limit = limit?;
    let settings = RepairSettings {
        mode: mode?,
        likely: likely?,
        attempts_max: attempts?,
        recoverers: recoverers?,
        gates: gates?,
        risk_pairs: risk_pairs?,
        dialect: dialect?,
        datasets: datasets?,
        default_limit: default_limit.flatten(),
    };
    Some(RepairSection {
        settings,
        default_limit,
    })
}

fn attempts(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<u32> {
    let most = limits::REPAIR_ATTEMPTS_MAX;
    let (place, word) = word(tree, path, problems)?;
    let read = word.parse().ok().filter(|count| (1..=most).contains(count));
    if read.is_none() {
        let what = format!("a number from 1 to {most} is wanted");
        report(problems, place, path, &what);
    }
    read
}

fn rows(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<u64>> {
    let (place, word) = word(tree, path, problems)?;
    if word == "off" {
        return Some(None);
    }
    let read = word.parse().ok().filter(|rows: &u64| *rows > 0);
    if read.is_none() {
        report(problems, place, path, "a number of rows, or off, is wanted");
    }
    read.map(Some)
}

fn recoverers(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<BTreeMap<Recoverer, RepairMode>> {
    let mut modes = BTreeMap::new();
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let Some(recoverer) = Recoverer::named(&entry.key) else {
            let known: Vec<&str> = Recoverer::ALL.iter().map(|one| one.name()).collect();
            let what = format!("one of {} is wanted", known.join(", "));
            report(problems, entry.place, &path, &what);
            continue;
        };
        let mode = chosen(entry.tree, &path, MODES, problems)?;
        if modes.insert(recoverer, mode).is_some() {
            report(
                problems,
                entry.place,
                &path,
                "this recoverer is named twice",
            );
        }
    }
    Some(modes)
}

fn gates(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<SimilarityGates> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let absent = SimilarityGates::default();
    let score = section.optional("score_min", absent.score_min, problems, share);
    let dominance = section.optional("dominance_min", absent.dominance_min, problems, share);
    let separation = section.optional("separation_min", absent.separation_min, problems, share);
    let ratio = absent.separation_ratio_min;
    let ratio = section.optional("separation_ratio_min", ratio, problems, ratio_of);
    let columns = section.optional("columns_max", absent.columns_max, problems, count);
    let tables = section.optional("tables_max", absent.tables_max, problems, count);
    section.close(problems);
    Some(SimilarityGates {
        score_min: score?,
        dominance_min: dominance?,
        separation_min: separation?,
        separation_ratio_min: ratio?,
        columns_max: columns?,
        tables_max: tables?,
    })
}

fn share(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<f64> {
    decimal(tree, path, 0.0, 1.0, problems)
}

fn ratio_of(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<f64> {
    decimal(tree, path, 1.0, 100.0, problems)
}

fn decimal(
    tree: YamlTree,
    path: &str,
    min: f64,
    max: f64,
    problems: &mut PlacedProblems,
) -> Option<f64> {
    let (place, word) = word(tree, path, problems)?;
    let read = word.parse().ok();
    let read = read.filter(|number| (min..=max).contains(number));
    if read.is_none() {
        let what = format!("a number from {min} to {max} is wanted");
        report(problems, place, path, &what);
    }
    read
}

fn count(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<u32> {
    let (place, word) = word(tree, path, problems)?;
    let read = word.parse().ok().filter(|count| (1..=1000).contains(count));
    if read.is_none() {
        report(problems, place, path, "a number from 1 to 1000 is wanted");
    }
    read
}

fn risk_pairs(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<(String, String)>> {
    list(tree, path, problems, |word| {
        let (one, other) = word.split_once('/').ok_or(PAIR)?;
        let plain = |word: &str| {
            let mut letters = word.chars();
            !word.is_empty() && letters.all(char::is_alphanumeric)
        };
        if !plain(one) || !plain(other) {
            return Err(PAIR);
        }
        Ok((one.to_lowercase(), other.to_lowercase()))
    })
}

fn dialect(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<DialectChoice> {
    let (place, word) = word(tree, path, problems)?;
    let read = match word.as_str() {
        "auto" => Some(DialectChoice::Auto),
        "off" => Some(DialectChoice::Off),
        name => Dialect::named(name).map(DialectChoice::Always),
    };
    if read.is_none() {
        let known: Vec<&str> = Dialect::ALL.iter().map(|one| one.name()).collect();
        let what = format!("auto, off or one of {} is wanted", known.join(", "));
        report(problems, place, path, &what);
    }
    read
}

fn datasets(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<BTreeMap<String, String>> {
    let mut datasets = BTreeMap::new();
    for entry in map(tree, path, problems)? {
        let own = join(path, &entry.key);
        let place = entry.place;
        let (_, schema) = word(entry.tree, &own, problems)?;
        if datasets.insert(entry.key, schema).is_some() {
            report(problems, place, &own, "this dataset is named twice");
        }
    }
    Some(datasets)
}

const MODES: &[(&str, RepairMode)] = &[
    ("off", RepairMode::Off),
    ("observe", RepairMode::Observe),
    ("apply", RepairMode::Apply),
];

const LIKELY: &[(&str, LikelyRepairs)] = &[
    ("hint", LikelyRepairs::Hint),
    ("apply", LikelyRepairs::Apply),
];

const PAIR: &str = "two words with a slash between them are wanted, such as gross/net";

#[cfg(test)]
mod tests {
    use super::super::super::{
        Dialect, DialectChoice, LikelyRepairs, Policy, Recoverer, RepairMode, RepairSettings,
    };

    const AGENT: &str = include_str!("../../../policies/agent.yaml");

    /// The default policy with another section.
    fn with(section: &str) -> String {
        let (before, _) = AGENT.split_once("repair:\n").unwrap();
        format!("{before}{section}")
    }

    fn read(section: &str) -> RepairSettings {
        let policy = Policy::from_yaml(&with(section)).unwrap();
        policy.repair().clone()
    }

    fn problems(section: &str) -> Vec<String> {
        let problems = Policy::from_yaml(&with(section)).expect_err("problems");
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_shipped_policies_apply_what_is_certain_and_hint_what_is_likely() {
        for policy in [Policy::agent(), Policy::bi(), Policy::strict()] {
            let repair = policy.repair();
            assert_eq!(repair.mode, RepairMode::Apply);
            assert_eq!(repair.likely, LikelyRepairs::Hint);
            assert_eq!(repair.default_limit, None);
            assert_eq!(repair.gates, RepairSettings::default().gates);
        }
    }

    #[test]
    fn a_policy_without_the_section_repairs_nothing() {
        assert_eq!(read("").mode, RepairMode::Off);
        for recoverer in Recoverer::ALL {
            assert_eq!(read("").mode_of(*recoverer), RepairMode::Off);
        }
    }

    #[test]
    fn every_key_is_read() {
        let repair = read(
            "repair:\n  mode: apply\n  likely: apply\n  max_attempts: 5\n  \
             recoverers: {dialect: observe, grouping_error: \"off\"}\n  \
             gates: {score_min: 0.9, dominance_min: 0.5, separation_min: 0.2, \
             separation_ratio_min: 2, columns_max: 10, tables_max: 2}\n  \
             risk_pairs: [Gross/net]\n  dialect: mysql\n  \
             datasets: {sales: shop, proj.web: site}\n  default_limit: 1000\n",
        );
        assert_eq!(repair.likely, LikelyRepairs::Apply);
        assert_eq!(repair.attempts_max, 5);
        assert_eq!(repair.mode_of(Recoverer::Dialect), RepairMode::Observe);
        assert_eq!(repair.mode_of(Recoverer::GroupingError), RepairMode::Off);
        assert_eq!(repair.mode_of(Recoverer::Unwrap), RepairMode::Apply);
        assert_eq!(repair.gates.columns_max, 10);
        assert_eq!(repair.risk_pairs, [("gross".to_owned(), "net".to_owned())]);
        assert_eq!(repair.dialect, DialectChoice::Always(Dialect::Mysql));
        assert_eq!(
            repair.datasets.get("proj.web").map(String::as_str),
            Some("site")
        );
        assert_eq!(repair.default_limit, Some(1000));
    }

    #[test]
    fn the_narrower_mode_holds() {
        let repair = read("repair:\n  mode: observe\n  recoverers: {dialect: apply}\n");
        assert_eq!(repair.mode_of(Recoverer::Dialect), RepairMode::Observe);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let said = problems(
            "repair:\n  mode: sometimes\n  max_attempts: 0\n  recoverers: {magic: apply}\n  \
             gates: {score_min: 2}\n  risk_pairs: [gross]\n  dialect: cobol\n  \
             default_limit: none\n  colour: blue\n",
        )
        .join("\n");
        for place in [
            "repair.mode",
            "repair.max_attempts",
            "repair.recoverers.magic",
            "repair.gates.score_min",
            "repair.risk_pairs",
            "repair.dialect",
            "repair.default_limit",
            "repair.colour",
        ] {
            assert!(said.contains(place), "{place} in {said}");
        }
    }

    #[test]
    fn another_meaning_is_another_version() {
        let one = Policy::from_yaml(&with("repair:\n  mode: observe\n")).unwrap();
        let other = Policy::from_yaml(&with("repair:\n  mode: apply\n")).unwrap();
        assert_ne!(one.version(), other.version());
    }
}
