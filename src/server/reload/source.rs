//! What is read again: who reads it, what comes of that, and what is told of it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::policy_tests::PolicyTestRunner;
use crate::policy::sources::PolicySource;
use crate::policy::{PolicyProblem, PolicySet};
use crate::telemetry::events::WaitingKey;

/// Reads settings and policies again, whole, and says what it looked at. Changes nothing. Blocks.
pub type SettingsSource =
    dyn Fn() -> (Result<NewSettings, SettingsFaults>, WatchedFiles) + Send + Sync;

/// Settings and policies that are sound.
pub struct NewSettings {
    /// The policies.
    pub policies: PolicySet,
    /// Runs their own tests, where these have to pass.
    pub tests: Option<PolicyTestRunner>,
    /// The keys that are otherwise than those that hold.
    pub changed: Vec<String>,
    /// The keys that are otherwise than when the process began and wait for a restart.
    pub waiting: Vec<WaitingKey>,
    /// Has the settings hold, which cannot fail; says how many sessions ended by it.
    pub take: Box<dyn FnOnce() -> usize + Send>,
}

/// What is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsFaults {
    /// With the settings and the files that they name.
    pub settings: Vec<PolicyProblem>,
    /// With the policies.
    pub policies: Vec<PolicyProblem>,
}

/// What settings and policies come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchedFiles {
    /// The settings file, and the files that it names.
    pub files: Vec<PathBuf>,
    /// Where the policies come from.
    pub policies: Vec<PolicySource>,
}

/// What came of reading everything again, for whoever asked.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct ReloadReport {
    /// In a word: loaded, unchanged or rejected.
    pub outcome: String,
    /// The keys that hold otherwise than before.
    pub changed: Vec<String>,
    /// Whether other policies hold than before.
    pub policies_changed: bool,
    /// The keys that wait for a restart, each with its change.
    pub waiting: Vec<(String, String)>,
    /// How many sessions were ended.
    pub sessions_ended: usize,
    /// What is wrong, each with its place.
    pub problems: Vec<(String, String)>,
}

impl SettingsFaults {
    /// Of the policies alone.
    pub fn of_policies(policies: Vec<PolicyProblem>) -> Self {
        Self {
            settings: Vec::new(),
            policies,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.settings.len() + self.policies.len()
    }

    /// All of them, each with its place.
    pub fn all_lines(&self) -> Vec<(String, String)> {
        let all = self.settings.iter().chain(&self.policies);
        all.map(|one| (one.place.clone(), one.what.clone()))
            .collect()
    }
}
