//! How many connections a user may have, asked once it has proved who it is.

use super::per_user::Presence;
use crate::gate::Rule;
use crate::policy::{Mode, PolicyRule};
use crate::session::login::attempt::Attempt;
use crate::session::login::error::Denial;
use crate::session::policy_store::Placed;
use crate::telemetry::events::LimitReached;

impl Attempt<'_> {
    /// Counts a session of this user, unless there are too many already.
    pub(in crate::session) fn count_in(
        &self,
        placed: &Placed,
        user: &str,
    ) -> Result<Presence, Denial> {
        let policy = placed.gate.policy();
        let entered = self.desk.accounts.enter(policy.name(), user);
        let presence = entered.map_err(|_crowded| Denial::TooManyUsers)?;
        let most = policy.limits().connections_per_user;
        if most.is_none_or(|most| presence.place() <= most) {
            return Ok(presence);
        }
        let mode = policy.mode_of(PolicyRule::ConnectionsPerUser);
        self.desk.telemetry.emit(&LimitReached {
            session: &self.info,
            rule: Rule::ConnectionsPerUser,
            mode,
            fingerprint: None,
        });
        match mode {
            Mode::Enforce => Err(Denial::TooManyConnections),
            Mode::Observe => Ok(presence),
        }
    }
}
