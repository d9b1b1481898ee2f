//! What was found: by which check, how much it matters, where, and what would fix it.

use std::collections::BTreeSet;

use super::check::{DoctorCheck, FindingSeverity};
use crate::limits;

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which check.
    pub check: &'static DoctorCheck,
    /// How much it matters.
    pub severity: FindingSeverity,
    /// Where: names as SQL writes them, with what is allowed there. Not all of them.
    pub names: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// What would fix it.
    pub fixes: Vec<FixSql>,
}

/// Statements that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixSql {
    /// In their order.
    pub statements: Vec<String>,
    /// Who feels them.
    pub scope: FixScope,
}

/// Who feels a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixScope {
    /// The role that was examined.
    Role,
    /// Every role of the database.
    Everybody,
    /// Somebody has to choose: it takes away what may be wanted. Never part of what is run.
    Choice,
}

/// What has been found so far.
#[derive(Debug, Default)]
pub struct DoctorFindings {
    /// In the order in which it was found.
    pub findings: Vec<Finding>,
    /// The roles, other than the examined one, through which it can write.
    pub through: BTreeSet<u32>,
}

impl Finding {
    /// Of a check, with all names.
    pub fn new(check: &'static DoctorCheck, severity: FindingSeverity, names: Vec<String>) -> Self {
        let count = names.len();
        let mut names = names;
        names.truncate(limits::EXAMINATION_NAMES_MAX);
        Self {
            check,
            severity,
            names,
            count,
            fixes: Vec::new(),
        }
    }

    /// With one fix more.
    pub fn with_fix(mut self, scope: FixScope, statement: impl Into<String>) -> Self {
        self.fixes.push(FixSql::new(scope, statement));
        self
    }
}

impl FixSql {
    /// One statement.
    pub fn new(scope: FixScope, statement: impl Into<String>) -> Self {
        Self {
            statements: vec![statement.into()],
            scope,
        }
    }
}

impl DoctorFindings {
    /// Notes a finding.
    pub fn note(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// The check found nothing.
    pub fn ok(&mut self, check: &'static DoctorCheck) {
        self.note(Finding::new(check, FindingSeverity::Ok, Vec::new()));
    }

    /// The role may not look there.
    pub fn unseen(&mut self, check: &'static DoctorCheck) {
        self.note(Finding::new(check, FindingSeverity::Unseen, Vec::new()));
    }

    /// Notes names of that severity, or that there are none.
    pub fn names(
        &mut self,
        check: &'static DoctorCheck,
        severity: FindingSeverity,
        names: Vec<String>,
    ) {
        match names.is_empty() {
            true => self.ok(check),
            false => self.note(Finding::new(check, severity, names)),
        }
    }

    /// Notes something that is so or is not.
    pub fn holds(&mut self, check: &'static DoctorCheck, severity: FindingSeverity, holds: bool) {
        match holds {
            true => {
                let mut finding = Finding::new(check, severity, Vec::new());
                finding.count = 1;
                self.note(finding);
            }
            false => self.ok(check),
        }
    }

    /// Adds a fix to the last finding, if it found anything.
    pub fn add_fix(&mut self, scope: FixScope, statement: impl Into<String>) {
        if let Some(last) = self.findings.last_mut()
            && last.severity > FindingSeverity::Unseen
        {
            last.fixes.push(FixSql::new(scope, statement));
        }
    }
}
