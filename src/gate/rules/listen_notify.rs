//! `listen_notify`: LISTEN and NOTIFY.
//!
//! # Sees
//! Both statements. `pg_notify()` is `function_effects`.
//!
//! # Why
//! NOTIFY reaches other sessions, in a read-only transaction too; LISTEN is a state of the server
//! session that would be left for its next user.
//!
//! # Before
//! - `NOTIFY jobs, 'run'`
//! - `LISTEN jobs`
//!
//! # After
//! - `UNLISTEN *`
//!
//! # When not
//! UNLISTEN passes: drivers send it when they reset a session.

use crate::catalog::quoted;
use crate::gate::{Refusal, Rule, StatementKind};
use crate::sql::tree::Node;
use crate::sqlstate;

pub(in crate::gate) fn refusal(node: Node<'_>, kind: StatementKind) -> Box<Refusal> {
    let (verb, channel) = match node {
        Node::NotifyStmt(notify) => ("NOTIFY", notify.conditionname()),
        Node::ListenStmt(listen) => ("LISTEN", listen.conditionname()),
        _ => ("LISTEN", None),
    };
    let channel = quoted(channel.unwrap_or_default());
    Refusal::new(
        Rule::ListenNotify,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        &format!("{verb} {channel} is not allowed: notifications are not carried"),
        "Ask again with a SELECT from time to time; UNLISTEN is accepted.",
    )
    .about(format_args!("{}", kind.name()))
}

#[cfg(test)]
mod tests {
    use crate::gate::Rule;
    use crate::gate::rules::check::check;

    #[test]
    fn notifications_are_seen() {
        check(
            Rule::ListenNotify,
            &["LISTEN a", "LISTEN \"A b\"", "NOTIFY a", "NOTIFY a, 'x'"],
            &["UNLISTEN a", "UNLISTEN *"],
        );
    }
}
