//! Lists whose order and repeats mean nothing.

use std::fmt;

use super::super::yaml::section::{PlacedProblems, report};
use super::super::yaml::tree::{YamlPlace, YamlTree, YamlValue};

/// In order, each once.
pub(super) fn in_order<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list.dedup();
    list
}

/// What is denied, in order. Who allows the very same thing has made a mistake in one of the two
/// lists.
pub(super) fn without_contradictions<T: Ord + fmt::Display>(
    allowed: &[T],
    denied: Vec<(YamlPlace, T)>,
    path: &str,
    problems: &mut PlacedProblems,
) -> Vec<T> {
    for (place, both) in denied.iter().filter(|(_, one)| allowed.contains(one)) {
        let what = format!("{both} is also allowed; take it out of one of the two lists");
        report(problems, *place, path, &what);
    }
    in_order(denied.into_iter().map(|(_, one)| one).collect())
}

/// Whether `any` stands where a list of what there is could stand.
pub(super) fn is_any(
    tree: &YamlTree,
    path: &str,
    of_what: &str,
    problems: &mut PlacedProblems,
) -> Option<bool> {
    match &tree.value {
        YamlValue::Word(word) if word == "any" => Some(true),
        YamlValue::List(_) => Some(false),
        YamlValue::Nothing | YamlValue::Word(_) | YamlValue::Map(_) => {
            let what = format!("any, or a list of {of_what}, is wanted here");
            report(problems, tree.place, path, &what);
            None
        }
    }
}
