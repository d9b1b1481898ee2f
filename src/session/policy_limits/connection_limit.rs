//! How many connections a user may have, asked once it has proved who it is.

use super::per_user::CountedSession;
use crate::gate::Rule;
use crate::policy::{PolicyRule, RuleMode};
use crate::session::login::attempt::LoginAttempt;
use crate::session::login::error::LoginError;
use crate::session::policy_store::AssignedPolicy;
use crate::telemetry::events::LimitReached;

impl LoginAttempt<'_> {
    /// Counts a session of this user, unless there are too many already.
    pub(in crate::session) fn count_connection(
        &self,
        assigned_policy: &AssignedPolicy,
        user: &str,
    ) -> Result<CountedSession, LoginError> {
        let policy = assigned_policy.gate.policy();
        let entered = self
            .login_context
            .accounts
            .count_session(policy.name(), user);
        let counted_session = entered.map_err(|_crowded| LoginError::TooManyUsers)?;
        let most = policy.limits().connections_per_user;
        if most.is_none_or(|most| counted_session.place() <= most) {
            return Ok(counted_session);
        }
        let mode = policy.mode_of(PolicyRule::ConnectionsPerUser);
        self.login_context.telemetry.emit(&LimitReached {
            session: &self.info,
            rule: Rule::ConnectionsPerUser,
            mode,
            fingerprint: None,
        });
        match mode {
            RuleMode::Enforce => Err(LoginError::TooManyConnections),
            RuleMode::Observe => Ok(counted_session),
        }
    }
}
