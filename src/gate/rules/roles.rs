//! `roles`: SET ROLE and SET SESSION AUTHORIZATION.
//!
//! # Sees
//! Both in every form, `SET role = …`, `set_config('role', …)`, and the two as startup parameters.
//!
//! # Why
//! The policy and the identity at the server belong together: a client that could become another
//! role would leave the identity that it was let in with.
//!
//! # Before
//! - `SET ROLE admin`
//! - `SET SESSION AUTHORIZATION 'postgres'`
//! - `SELECT set_config('role', 'admin', false)`
//!
//! # After
//! - `RESET ROLE`
//! - `SET SESSION AUTHORIZATION DEFAULT`
//!
//! # When not
//! RESET and DEFAULT only return to the identity of the login; drivers send them when they reset a
//! session.

use crate::gate::rules::{Found, node_unknown};
use crate::gate::{Refusal, Rule, StatementKind};
use crate::sql::tree::Node;
use crate::sqlstate;

pub(in crate::gate) fn look(node: Node<'_>) -> Found {
    let Node::VariableSetStmt(set) = node else {
        return Err(node_unknown::refusal(node));
    };
    let resets = StatementKind::of(node) == StatementKind::Reset;
    if !resets && is_role(set.name().unwrap_or_default()) {
        return Err(refusal());
    }
    Ok(())
}

/// Whether a setting is who the session is.
pub(in crate::gate) fn is_role(setting: &str) -> bool {
    setting.eq_ignore_ascii_case("role") || setting.eq_ignore_ascii_case("session_authorization")
}

pub(in crate::gate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::Roles,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "SET ROLE is not allowed: the session stays the role that it logged in as",
        "Log in as the role that is wanted. RESET ROLE is accepted.",
    )
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn changes_of_identity_are_seen_in_every_form() {
        check(
            Rule::Roles,
            &[
                "SET ROLE x",
                "SET ROLE NONE",
                "SET LOCAL ROLE x",
                "SET role = 'x'",
                "SET \"Role\" TO x",
                "SET SESSION AUTHORIZATION x",
                "SET LOCAL SESSION AUTHORIZATION x",
                "SET session_authorization = x",
                "SELECT set_config('ROLE', 'x', true)",
                "SELECT set_config('session_authorization', 'x', true)",
            ],
            &[
                "RESET ROLE",
                "RESET SESSION AUTHORIZATION",
                "SET SESSION AUTHORIZATION DEFAULT",
                "SET role TO DEFAULT",
                "SHOW role",
            ],
        );
    }
}
