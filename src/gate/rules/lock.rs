//! `lock`: LOCK TABLE.
//!
//! # Sees
//! LOCK in every mode; under `lock_access_share: allow` in every mode but ACCESS SHARE.
//!
//! # Why
//! It makes writers wait, in a read-only transaction too. ACCESS SHARE is what every SELECT takes;
//! dump tools take it beforehand for all tables.
//!
//! # Before
//! - `LOCK TABLE orders`
//! - `LOCK TABLE orders IN EXCLUSIVE MODE`
//!
//! # After
//! - `LOCK TABLE orders IN ACCESS SHARE MODE` (bi)
//!
//! # When not
//! Row locks are `locking_clause`, advisory locks `function_effects`.

use crate::context::JudgeContext;
use crate::rules::{RuleResult, node_unknown, temp_schema};
use crate::{Refusal, Rule, command_label};
use policy::PlainChoice;
use sql::tree::{Node, nodes};

pub(crate) fn check(node: Node<'_>, context: &JudgeContext<'_>) -> RuleResult {
    let Node::LockStmt(lock) = node else {
        return Err(node_unknown::refusal(node));
    };
    match context.policy.statements().lock_access_share {
        PlainChoice::Allow if lock.mode == ACCESS_SHARE => {
            let mut relations = lock.relations().iter();
            relations.try_for_each(|relation| match relation {
                Node::RangeVar(table) => temp_schema::check_relation(table),
                other => Err(node_unknown::refusal(other)),
            })
        }
        PlainChoice::Allow | PlainChoice::Refuse => Err(refusal(lock)),
    }
}

fn refusal(lock: &nodes::LockStmt) -> Box<Refusal> {
    let name = match lock.relations().first() {
        Some(Node::RangeVar(table)) => command_label::relation(table),
        Some(_) | None => String::new(),
    };
    Refusal::new(
        Rule::Lock,
        &format!("LOCK TABLE {name} is not allowed: writers would have to wait"),
        "Leave it out: a REPEATABLE READ transaction sees one state of all tables without locks.",
    )
}

/// `AccessShareLock` of Postgres's lockdefs.h.
const ACCESS_SHARE: i32 = 1;

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi};

    const STRONGER: &[&str] = &[
        "LOCK t",
        "LOCK TABLE t, s IN ROW SHARE MODE",
        "LOCK t IN ROW EXCLUSIVE MODE",
        "LOCK t IN SHARE MODE NOWAIT",
        "LOCK t IN SHARE ROW EXCLUSIVE MODE",
        "LOCK t IN EXCLUSIVE MODE",
        "LOCK t IN ACCESS EXCLUSIVE MODE",
    ];

    #[test]
    fn every_mode_is_seen() {
        check(Rule::Lock, STRONGER, &[]);
        check(Rule::Lock, &["LOCK t IN ACCESS SHARE MODE"], &[]);
        check_bi(
            Rule::Lock,
            STRONGER,
            &["LOCK TABLE ONLY t IN ACCESS SHARE MODE"],
        );
    }
}
