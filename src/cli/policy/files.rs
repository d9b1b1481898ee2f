//! The policies that a command is given: files, folders of them, names of built-in ones.

use std::sync::Arc;

use crate::config::SettingsProblem;
use crate::policy::Policy;
use crate::policy::layers::PolicyLayers;
use crate::policy::sources::{PolicyLoadError, PolicySource};

/// A policy, and where it came from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// The file, or the name of a built-in one.
    pub name: String,
    /// As it is written, with what it extends.
    pub layers: Arc<PolicyLayers>,
    /// As it is meant.
    pub policy: Arc<Policy>,
}

/// Reads all of them, in order. All problems are reported at once.
///
/// # Errors
/// Each thing that is wrong, with its place: files that cannot be read, or are no policies.
pub fn read(words: &[String]) -> Result<Vec<PolicyFile>, Vec<SettingsProblem>> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for word in words {
        match PolicySource::of(word).load() {
            Ok(loaded) => files.extend(loaded.into_iter().map(|one| PolicyFile {
                name: one.origin,
                layers: one.layers,
                policy: Arc::new(one.policy.for_judging()),
            })),
            Err(PolicyLoadError::Wrong(wrong)) => {
                problems.extend(wrong.into_iter().map(|problem| SettingsProblem {
                    place: problem.place,
                    what: problem.what,
                }));
            }
            Err(unloaded) => problems.push(SettingsProblem {
                place: word.clone(),
                what: unloaded.to_string(),
            }),
        }
    }
    match problems.is_empty() {
        true => Ok(files),
        false => Err(problems),
    }
}

/// The words of a flag that takes several with commas.
pub fn words(flag: &str) -> Vec<String> {
    flag.split(',').map(|word| word.trim().to_owned()).collect()
}

/// Reads one that must be one.
///
/// # Errors
/// The word names no file, several, or one that is no policy.
pub fn read_one(word: &str) -> Result<PolicyFile, Vec<SettingsProblem>> {
    let mut files = read(&[word.to_owned()])?;
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => Ok(file),
        _ => Err(vec![SettingsProblem {
            place: word.to_owned(),
            what: "one policy is wanted, not a folder of them".into(),
        }]),
    }
}
