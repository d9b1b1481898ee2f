//! `statement_denied`: kinds of statements that the policy denies.
//!
//! # Sees
//! A statement whose kind `statements.deny` names, or `statements.allow` does not; that of the
//! statement inside an EXPLAIN, PREPARE, DECLARE or COPY, too.
//!
//! # Why
//! The policy says so.
//!
//! # Before
//! - `COPY (SELECT 1) TO STDOUT` (denies)
//! - `EXPLAIN VALUES (1)` (denies)
//! - `PREPARE p AS VALUES (1)` (denies)
//!
//! # After
//! - `SELECT 1` (denies)
//! - `EXPLAIN SELECT 1` (denies)
//!
//! # When not
//! VALUES and TABLE inside of a SELECT are parts of it.

use crate::context::JudgeContext;
use crate::rules::RuleResult;
use crate::{Refusal, Rule, StatementKind};
use policy::PolicyRule;

pub(crate) fn check(kind: StatementKind, context: &mut JudgeContext<'_>) -> RuleResult {
    if context.policy.allows_statement(kind.name()) {
        return Ok(());
    }
    let policy = context.policy.name();
    let refusal = Refusal::new(
        Rule::StatementDenied,
        &format!(
            "{} may not run: statements of the policy leaves it out",
            spelled(kind)
        ),
        "Use another kind of statement, or have this one added to statements of the policy.",
    )
    .about(format_args!(
        "{}, statements of policy {policy}",
        kind.name()
    ));
    context.enforce_or_observe(PolicyRule::StatementDenied, refusal)
}

/// A kind as a statement begins with it.
fn spelled(kind: StatementKind) -> String {
    kind.name().to_ascii_uppercase().replace('_', " ")
}
