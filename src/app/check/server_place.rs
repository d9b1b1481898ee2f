//! Where a check logs in.

use crate::upstream::servers::{UpstreamServer, UpstreamServers};

/// A server that logins are tried at.
pub(super) struct ServerPlace<'s> {
    /// The key that names it.
    pub key: &'static str,
    /// What tells it apart from others, behind a space.
    pub name: String,
    /// The database; the settings' own if none.
    pub database: Option<&'s str>,
}

impl ServerPlace<'_> {
    /// One of the upstream's own.
    pub(super) fn of(server: &UpstreamServer, servers: &UpstreamServers) -> Self {
        Self {
            key: "upstream.url",
            name: match servers.are_several() {
                true => format!(" {server}"),
                false => String::new(),
            },
            database: None,
        }
    }
}
