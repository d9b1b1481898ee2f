//! Whether a prompt that was made of an earlier grounding is still true.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use super::{GroundAnswer, problem};
use crate::config::SettingsProblem;
use crate::grounding::{EarlierGrounding, WholeGrounding};

/// The flags that ask for it.
#[derive(clap::Args)]
pub(super) struct FreshnessFlags {
    /// Prints whether a grounding of this version, with the same facets and relations, is fresh
    /// or stale, in place of the grounding.
    #[arg(long, value_name = "VERSION")]
    check: Option<String>,
    /// The grounding of that version in JSON: what was added, dropped, retyped or renamed since
    /// then is told by name.
    #[arg(long, value_name = "FILE", requires = "check")]
    since: Option<PathBuf>,
}

impl FreshnessFlags {
    /// The grounding of `--since`.
    pub(super) fn earlier(&self) -> Result<Option<EarlierGrounding>, Vec<SettingsProblem>> {
        let (Some(file), Some(version)) = (&self.since, &self.check) else {
            return Ok(None);
        };
        let wrong = |what: &str| problem("--since", &format!("{}: {what}", file.display()));
        let text = fs::read_to_string(file).map_err(|error| wrong(&error.kind().to_string()))?;
        let earlier = EarlierGrounding::read(&text);
        let earlier = earlier.map_err(|_| wrong("is no grounding in JSON"))?;
        if earlier.grounding_version != *version {
            return Err(wrong("is a grounding of another version than --check"));
        }
        Ok(Some(earlier))
    }

    /// Whether the version that is asked about is that of this grounding; none where none is.
    pub(super) fn answer(
        &self,
        whole: &WholeGrounding,
        earlier: Option<&EarlierGrounding>,
    ) -> Option<GroundAnswer> {
        let asked = self.check.as_ref()?;
        let version = whole.version;
        if *asked == version.to_string() {
            let text = "fresh\n".to_owned();
            let is_stale = false;
            return Some(GroundAnswer { text, is_stale });
        }
        let mut text = format!("stale: {asked} is now {version}\n");
        if let Some(earlier) = earlier {
            let changes = earlier.changes(&whole.document);
            for change in &changes {
                let _ = writeln!(text, "{change}");
            }
            if changes.is_empty() {
                text.push_str(NOTHING_BY_NAME);
            }
        }
        let is_stale = true;
        Some(GroundAnswer { text, is_stale })
    }
}

const NOTHING_BY_NAME: &str = "no relation, column or type changed: it is the policy, the facets, \
    comments, keys, labels or functions\n";
