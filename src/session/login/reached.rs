//! The session at the upstream that a login leads to.

use std::sync::Arc;

use bytes::Bytes;

use super::login_server::LoginServer;
use crate::gate::StartupPlan;
use crate::policy::{Policy, SessionValue};
use crate::session::policy_limits::per_user::CountedSession;
use crate::session::pooling::pooled_relay::PooledLogin;
use crate::telemetry::labels::LoginMethod;
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::login::UpstreamSession;
use crate::upstream::pool::connection::ConnectionState;
use crate::upstream::pool::source::{FOLLOWED, SessionBeginning};
use crate::upstream::verify::VerifiedSession;
use crate::upstream::writer::UpstreamFrames;

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
    /// The way in which the client has proved who it is.
    pub(in crate::session) method: LoginMethod,
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

/// What the client calls itself.
pub(super) fn own_name(plan: &StartupPlan) -> Option<&str> {
    let mut named = plan.parameters.iter().rev();
    let own_name = named.find(|(name, _)| name.eq_ignore_ascii_case(FOLLOWED));
    own_name.map(|(_, own_name)| own_name.as_str())
}

/// How a session begins at the server that is chosen; the settings in `asked` are read there.
pub(super) fn beginning_at<'b>(
    server: &'b LoginServer,
    upstream: &'b Arc<Upstream>,
    (plan, asked): (&'b StartupPlan, &'b [&'b str]),
) -> SessionBeginning<'b> {
    SessionBeginning {
        upstream,
        database: server.database(),
        parameters: &plan.parameters,
        asked,
        is_hasty: server.has_other(),
    }
}

/// The session that a connection of a pool has been since it was opened, for a client that calls
/// itself so.
pub(super) fn session_on(
    frames: UpstreamFrames,
    state: &ConnectionState,
    own_name: Option<&str>,
) -> UpstreamSession {
    let base = &state.base;
    UpstreamSession {
        framed: frames,
        parameters: Arc::clone(&base.parameters),
        own_parameter: own_name.map(|own_name| (FOLLOWED, own_name.into())),
        key: state.key.as_deref().cloned(),
        version: base.version,
        notices: Bytes::new(),
        server: base.server,
        engine: base.engine,
    }
}
