//! The policy that is written beside the settings, where one is wanted: PgBouncer's timeouts, and
//! the databases that it leads to.

use crate::cli::policy::rewrite::{ListedEntry, YamlWriter};
use crate::policy::Policy;

/// A policy under construction.
#[derive(Default)]
pub struct PolicyDraft {
    /// The databases that sessions may be of; any where there are none.
    pub databases: Vec<String>,
    /// Keys by path, each with its value.
    pub values: Vec<(&'static str, String)>,
}

impl PolicyDraft {
    /// The file; none where what was written is no policy.
    pub fn text(&self) -> Option<String> {
        let mut out = YamlWriter::default();
        out.comment(0, HEAD);
        out.word(0, "name", "pgbouncer");
        out.word(0, "extends", "agent");
        if !self.databases.is_empty() {
            let listed = self.databases.iter().map(|name| ListedEntry {
                word: name.clone(),
                comment: String::new(),
            });
            out.open(0, "match");
            out.list(1, "database", &listed.collect::<Vec<_>>());
        }
        for section in ["timeouts", "limits"] {
            let mut values: Vec<(&str, &str)> = match section {
                "timeouts" => TIMEOUTS.iter().map(|name| (*name, "0")).collect(),
                _ => Vec::new(),
            };
            for (path, value) in &self.values {
                let Some(("", name)) = path.split_once(section) else {
                    continue;
                };
                let name = name.trim_start_matches('.');
                values.retain(|(other, _)| *other != name);
                values.push((name, value));
            }
            if !values.is_empty() {
                out.open(0, section);
            }
            for (name, value) in values {
                out.word(1, name, value);
            }
        }
        let text = out.finish();
        Policy::from_yaml(&text).is_ok().then_some(text)
    }
}

/// What PgBouncer does not bound where nobody says so.
const TIMEOUTS: &[&str] = &["statement_timeout", "idle_in_transaction_session_timeout"];

/// What stands above it.
const HEAD: &str = "The policy of settings that pgsieve import has written: PgBouncer's timeouts, \
                    and no databases\nbut those that it leads to. Everything else is as in the \
                    built-in policy agent.";
