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

use crate::gate::{Refusal, Rule, StatementKind};
use crate::sqlstate;

pub(in crate::gate) fn refusal(kind: StatementKind) -> Box<Refusal> {
    Refusal::new(
        Rule::ListenNotify,
        sqlstate::INSUFFICIENT_PRIVILEGE,
        "notifications are not allowed",
        "Poll with a SELECT; UNLISTEN is accepted.",
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
