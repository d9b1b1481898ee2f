//! A gate and a session before it, for the tests of this program.

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::gate::effects::graph::EffectGraph;
use pgsieve::gate::{Gate, Rule, SearchPaths, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;

use crate::gate::effects::cases::Case;
use crate::gate::effects::servers::Database;

/// A gate, and a session of a database before it.
pub struct Judge {
    /// The policy's name.
    pub policy: &'static str,
    gate: Gate,
    names: SessionNames,
}

/// What came out, in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It may run.
    Permitted,
    /// It may run with a value lowered.
    Clamped,
    /// A rule refuses it, and says this about what.
    Refused(Rule, String),
}

impl Judge {
    /// One that sees the names of a database.
    pub fn of(database: &Database, policy: &'static str, major: u16) -> Self {
        Self::seeing(&database.catalog, database, policy, major)
    }

    /// The same, with another idea of where names are looked up.
    pub fn with(database: &Database, policy: &'static str, major: u16, paths: SearchPaths) -> Self {
        let mut judge = Self::of(database, policy, major);
        judge.names.set_paths(paths);
        judge
    }

    /// The same, with another catalog.
    pub fn seeing(
        catalog: &Arc<Catalog>,
        database: &Database,
        policy: &'static str,
        major: u16,
    ) -> Self {
        let rules = match policy {
            "agent" => Policy::agent(),
            _ => Policy::bi(),
        };
        let effect_graph = EffectGraph::new(Arc::clone(catalog), &rules);
        let mut names = SessionNames::default();
        names.set_server_major(major);
        names.set_effect_graph(Some(Arc::new(effect_graph)));
        names.set_paths(SearchPaths::Known([path(database)].into()));
        names.set_role(database.role);
        Self {
            policy,
            gate: Gate::new(Arc::new(rules), Fingerprinter::new(None, [7; 32])),
            names,
        }
    }

    /// The same without a snapshot.
    pub fn blind(mut self) -> Self {
        self.names.set_effect_graph(None);
        self
    }

    /// Judges.
    pub fn judge(&self, text: &str) -> Outcome {
        match self.gate.judge(Cow::Borrowed(text), &self.names).verdict {
            Verdict::Permitted(permit) => {
                assert_eq!(permit.text(), text, "the text judged is the text run");
                Outcome::Permitted
            }
            Verdict::Clamped(_) => Outcome::Clamped,
            Verdict::Refused(refusal) => Outcome::Refused(refusal.rule, refusal.detail),
        }
    }
}

fn path(database: &Database) -> Box<[Box<str>]> {
    database.path.iter().map(|name| Box::from(*name)).collect()
}

/// A line about a statement that came out wrong.
pub fn complaint(case: &Case, judge: &Judge, outcome: &Outcome) -> String {
    let (place, policy, text) = (&case.place, judge.policy, &case.text);
    format!("{place} under {policy}: {outcome:?}, of {text:.300}")
}

/// Fails with everything that came out wrong.
pub fn assert_none(wrong: &[String]) {
    let count = wrong.len();
    assert!(wrong.is_empty(), "{count} wrong:\n{}", wrong.join("\n"));
}
