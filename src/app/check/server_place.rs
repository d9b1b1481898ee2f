//! Where a check logs in.

use crate::upstream::connect::Upstream;
use crate::upstream::engine::profile::{EngineProfile, SetValueAnswers};
use crate::upstream::pool::PoolMode;
use crate::upstream::servers::{UpstreamServer, UpstreamServers};
use crate::upstream::verify::VerifyError;

/// A server that logins are tried at.
pub(super) struct ServerPlace<'s> {
    /// The key that names it.
    pub key: &'static str,
    /// What tells it apart from others, behind a space.
    pub name: String,
    /// The database; the settings' own if none.
    pub database: Option<&'s str>,
    /// Who has a connection there for how long.
    pub mode: PoolMode,
}

impl ServerPlace<'_> {
    /// One of the upstream's own.
    pub(super) fn of(server: &UpstreamServer, servers: &UpstreamServers, mode: PoolMode) -> Self {
        Self {
            key: "upstream.url",
            name: match servers.are_several() {
                true => format!(" {server}"),
                false => String::new(),
            },
            database: None,
            mode,
        }
    }

    /// Why sessions cannot share connections to a server that was logged in to, if they are to.
    pub(super) fn unshared(&self, upstream: &Upstream) -> Option<VerifyError> {
        let engine = upstream.learned().engine.found()?;
        let is_untold = EngineProfile::of(engine).set_values == SetValueAnswers::Untold;
        (is_untold && self.mode == PoolMode::Transaction).then_some(VerifyError::Unshared(engine))
    }
}
