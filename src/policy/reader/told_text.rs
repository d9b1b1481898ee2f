//! Texts of a policy that are told as they are written.

use super::super::yaml::section::{PlacedProblems, report, word};
use super::super::yaml::tree::YamlTree;
use ground::limits::ABOUT_BYTES_MAX;

/// A text that is not empty, and not too long to be read with many others.
pub(super) fn text(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    let (place, words) = word(tree, path, problems)?;
    let words = words.trim();
    if words.is_empty() || words.len() > ABOUT_BYTES_MAX {
        let what = format!("a text of 1 to {ABOUT_BYTES_MAX} bytes is wanted");
        report(problems, place, path, &what);
        return None;
    }
    Some(words.to_owned())
}
