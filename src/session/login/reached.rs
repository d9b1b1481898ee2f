//! The session at the upstream that a login leads to.

use crate::policy::{Policy, SessionValue};
use crate::session::policy_limits::per_user::CountedSession;
use crate::session::pooling::pooled_relay::PooledLogin;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::login::UpstreamSession;
use crate::upstream::verify::VerifiedSession;

/// The session at the upstream that a login has led to.
pub(in crate::session) struct ReachedUpstream {
    /// It.
    pub(in crate::session) session: UpstreamSession,
    /// What it was proved to be.
    pub(in crate::session) verified: VerifiedSession,
    /// Who has logged in there.
    pub(in crate::session) account: UpstreamAccount,
    /// Counts it among those of its user.
    pub(in crate::session) counted_session: CountedSession,
    /// What it has of its pool, where its connection is one that sessions share.
    pub(in crate::session) pooled: Option<Box<PooledLogin>>,
}

/// The settings that the policy's models read.
pub(in crate::session) fn settings_of(policy: &Policy) -> Vec<&str> {
    let values = policy.session_values().into_iter();
    let names = values.filter_map(|value| match value {
        SessionValue::Setting(name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}
