//! Lints: what a statement says that is seldom meant, and runs all the same. A join that joins
//! nothing, a sum over rows that a join repeats, a comparison with NULL.
//!
//! A lint is advice: it refuses nothing, changes nothing, and says nothing where something that it
//! stands on is not known (no catalog, a key that nobody declared). What it says goes to the author
//! of the text. It names what the text names and nothing else, so that nothing that is hidden from
//! the author is told, and it has no literal.
//!
//! * [`rules`]: the lints, one a file, with their list
//! * `statement`: what they look at; `query` and its parts: the queries of a statement, what
//!   stands in their FROM, and what can be said of it
//! * [`database_facts`]: what they know of a database beside its catalog
//! * [`finding`]: what they say
//!
//! Pure. The text must have been judged before: nothing here says whether it may run.

#[cfg(test)]
mod case_database;
#[cfg(test)]
mod cases;
pub mod database_facts;
pub mod finding;
mod query;
pub mod rules;
mod statement;

pub use self::database_facts::{DatabaseFacts, LintDatabase};
pub use self::finding::{LintFinding, LintLevel};
pub use self::rules::LintRule;

use self::statement::LintedStatement;
use ground::limits::lints::{LINT_BYTES_MAX, LINTS_MAX};
use sql::{prescan, tree};

/// What the lints say of a text, in the order of their places; nothing of what is no single
/// statement, or larger than they follow.
pub fn lint(text: &str, database: Option<&LintDatabase<'_>>) -> Vec<LintFinding> {
    if prescan::prescan(text, LINT_BYTES_MAX).is_err() {
        return Vec::new();
    }
    let Ok(parsed) = tree::parse(text) else {
        return Vec::new();
    };
    let mut statements = parsed.statements();
    let (Some(statement), None) = (statements.next(), statements.next()) else {
        return Vec::new();
    };
    let Some(linted) = LintedStatement::of(statement.node, database) else {
        return Vec::new();
    };
    let mut findings = rules::check_all(&linted);
    findings.sort_by_key(|finding| (finding.at.unwrap_or(usize::MAX), finding.rule));
    findings.dedup();
    findings.truncate(LINTS_MAX);
    findings
}
