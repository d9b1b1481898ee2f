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
//! session. NONE and the role that the session has anyway become DEFAULT, in a call of set_config
//! NULL, and are left out of a connection string: what goes upstream names no role.

use crate::context::JudgeContext;
use crate::rules::{node_unknown, settings};
use crate::statement_kind;
use crate::{Refusal, Rule, StatementKind};
use sql::edit::TextEdit;
use sql::tree::{Node, VariableSetKind, nodes};

/// What a SET is to this rule.
pub(crate) enum RoleRequest {
    /// Another setting, or a RESET.
    Nothing,
    /// The role that the session has: the changed text says so.
    WhatIs,
}

pub(crate) fn check(
    node: Node<'_>,
    context: &mut JudgeContext<'_>,
) -> Result<RoleRequest, Box<Refusal>> {
    let Node::VariableSetStmt(set) = node else {
        return Err(node_unknown::refusal(node));
    };
    let name = set.name().unwrap_or_default();
    let resets = statement_kind::of(node) == StatementKind::Reset
        || set.kind == VariableSetKind::VAR_SET_DEFAULT;
    if resets || !is_role(name) {
        return Ok(RoleRequest::Nothing);
    }
    if !changes_nothing(name, set, context) {
        return Err(refusal());
    }
    let local = if set.is_local { "LOCAL " } else { "" };
    context.edits.push(TextEdit {
        span: context.statement.clone(),
        replacement: match name.eq_ignore_ascii_case("role") {
            true => format!("SET {local}role TO DEFAULT"),
            false => format!("SET {local}SESSION AUTHORIZATION DEFAULT"),
        },
    });
    Ok(RoleRequest::WhatIs)
}

/// Whether a session has the role anyway: nothing lets it have another one.
fn changes_nothing(name: &str, set: &nodes::VariableSetStmt, context: &JudgeContext<'_>) -> bool {
    let mut arguments = set.args().iter();
    let (Some(only), None) = (arguments.next(), arguments.next()) else {
        return false;
    };
    set.kind == VariableSetKind::VAR_SET_VALUE
        && settings::part(only).is_some_and(|wanted| stays(name, &wanted, context.role()))
}

/// Whether somebody who is `role` stays that when the setting `name` is set to `wanted`.
pub(crate) fn stays(name: &str, wanted: &str, role: &str) -> bool {
    wanted == "none" && name.eq_ignore_ascii_case("role") || wanted == role && !role.is_empty()
}

/// Whether a setting is who the session is.
pub(crate) fn is_role(setting: &str) -> bool {
    setting.eq_ignore_ascii_case("role") || setting.eq_ignore_ascii_case("session_authorization")
}

pub(crate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::Roles,
        "SET ROLE is not allowed: the session stays the role that it logged in as",
        "Log in as the role that is wanted. RESET ROLE is accepted.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, clamped_in, gate, names_of_shop, rule_of};
    use policy::Policy;

    #[test]
    fn changes_of_identity_are_seen_in_every_form() {
        check(
            Rule::Roles,
            &[
                "SET ROLE x",
                "SET ROLE 'NONE'",
                "SET SESSION AUTHORIZATION none",
                "SET ROLE ''",
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

    #[test]
    fn the_role_that_a_session_has_stays() {
        let (gate, names) = (gate(Policy::agent()), names_of_shop());
        for (before, after) in [
            ("SET ROLE NONE", "SET role TO DEFAULT"),
            ("SET LOCAL ROLE none", "SET LOCAL role TO DEFAULT"),
            (
                "SET role = 'none';RESET ALL",
                "SET role TO DEFAULT;RESET ALL",
            ),
            ("SET ROLE postgres", "SET role TO DEFAULT"),
            ("SET SESSION ROLE 'postgres'", "SET role TO DEFAULT"),
            (
                "SET SESSION AUTHORIZATION postgres",
                "SET SESSION AUTHORIZATION DEFAULT",
            ),
        ] {
            let notice = clamped_in(&gate, &names, before, after);
            assert_eq!(notice, "", "{before}");
        }
        for (before, after) in [
            (
                "SELECT set_config('role', 'none', false)",
                "SELECT set_config('role', NULL  , false)",
            ),
            (
                "SELECT set_config('ROLE', 'postgres'::text, true), 1",
                "SELECT set_config('ROLE', NULL      ::text, true), 1",
            ),
            (
                "SELECT set_config('session_authorization', 'postgres', false)",
                "SELECT set_config('session_authorization', NULL      , false)",
            ),
        ] {
            let notice = clamped_in(&gate, &names, before, after);
            assert_eq!(notice, "", "{before}");
        }
        for other in [
            "SELECT set_config('role', 'app', false)",
            "SELECT set_config('role', '', false)",
            "SELECT set_config('session_authorization', 'none', false)",
            "SET ROLE \"Postgres\"",
            "SET ROLE app",
            "SET ROLE postgres_",
        ] {
            let refused = gate.judge(other.into(), &names);
            assert_eq!(rule_of(&refused), Some(Rule::Roles), "{other}");
        }
        // What it will be set to cannot be seen.
        let computed = "SELECT set_config('role', current_user::text, false)";
        let refused = gate.judge(computed.into(), &names);
        assert_eq!(rule_of(&refused), Some(Rule::SetConfig));
    }
}
