//! What was found: by which check, how much it matters, where, and what would mend it.

use std::collections::BTreeSet;

use super::check::{Check, Severity};
use crate::limits;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub check: &'static Check,
    /// How much it matters.
    pub severity: Severity,
    /// Where: names as SQL writes them, with what is allowed there. Not all of them.
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// What would mend it.
    pub cures: Vec<Cure>,
}

/// Statements that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cure {
    /// In their order.
    pub statements: Vec<String>,
    /// Who feels them.
    pub scope: Scope,
}

/// Who feels a cure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The role that was examined.
    Role,
    /// Every role of the database.
    Everybody,
    /// Somebody has to choose: it takes away what may be wanted. Never part of what is run.
    Choice,
}

/// What has been found so far.
#[derive(Debug, Default)]
pub struct Ledger {
    /// In the order in which it was found.
    pub findings: Vec<Finding>,
    /// The roles, other than the examined one, through which it can write.
    pub through: BTreeSet<u32>,
}

impl Finding {
    /// Of a check, with all names.
    pub fn new(check: &'static Check, severity: Severity, names: Vec<String>) -> Self {
        let count = names.len();
        let mut names = names;
        names.truncate(limits::EXAMINATION_NAMES_MAX);
        Self {
            check,
            severity,
            names,
            count,
            cures: Vec::new(),
        }
    }

    /// With one cure more.
    pub fn cured(mut self, scope: Scope, statement: impl Into<String>) -> Self {
        self.cures.push(Cure::new(scope, statement));
        self
    }
}

impl Cure {
    /// One statement.
    pub fn new(scope: Scope, statement: impl Into<String>) -> Self {
        Self {
            statements: vec![statement.into()],
            scope,
        }
    }
}

impl Ledger {
    /// Notes a finding.
    pub fn note(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The check found nothing.
    pub fn ok(&mut self, check: &'static Check) {
        self.note(Finding::new(check, Severity::Ok, Vec::new()));
    }

    /// The role may not look there.
    pub fn unseen(&mut self, check: &'static Check) {
        self.note(Finding::new(check, Severity::Unseen, Vec::new()));
    }

    /// Notes names of that severity, or that there are none.
    pub fn names(&mut self, check: &'static Check, severity: Severity, names: Vec<String>) {
        match names.is_empty() {
            true => self.ok(check),
            false => self.note(Finding::new(check, severity, names)),
        }
    }

    /// Notes something that is so or is not.
    pub fn holds(&mut self, check: &'static Check, severity: Severity, holds: bool) {
        match holds {
            true => {
                let mut finding = Finding::new(check, severity, Vec::new());
                finding.count = 1;
                self.note(finding);
            }
            false => self.ok(check),
        }
    }

    /// Adds a cure to the last finding, if it found anything.
    pub fn cure(&mut self, scope: Scope, statement: impl Into<String>) {
        if let Some(last) = self.findings.last_mut()
            && last.severity > Severity::Unseen
        {
            last.cures.push(Cure::new(scope, statement));
        }
    }
}
