//! What a client says of itself in its StartupMessage: who it is, and what it wants to log in to.

use std::sync::Arc;

use super::attempt::LoginAttempt;
use super::error::LoginError;
use super::greeting::StartupPacket;
use super::startup::{self, JudgedStartup};
use crate::gate::ClaimedIdentity;
use crate::session::policy_reload::under;
use crate::session::policy_store::Unplaced;

/// What a client wants to log in to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginDestination {
    /// A database of the upstream.
    Upstream,
    /// The console.
    Console,
}

/// Judges what the client says of itself; says what it wants to log in to.
pub fn introduce(
    attempt: &mut LoginAttempt<'_>,
    hello: &StartupPacket,
) -> (LoginDestination, Result<JudgedStartup, LoginError>) {
    let mut destination = LoginDestination::Upstream;
    let settled = hello.startup().and_then(|startup| {
        let introduction = ClaimedIdentity::of(&startup.parameters);
        // A caller of the MCP server has shown its token for a database.
        let console = &attempt.login_settings.console;
        if attempt.caller.is_none() && console.serves(&introduction.database) {
            destination = LoginDestination::Console;
        }
        let (claimed, info) = (&introduction, attempt.info.clone());
        attempt.info = info.named(&claimed.user, &claimed.database, &claimed.application_name);
        let way = (attempt.peer, &hello.framed);
        let known = (
            &attempt.login_settings.attributes,
            attempt.caller.as_deref(),
        );
        let traits = startup::traits(introduction, way, known);
        let traits = Arc::new(traits);
        let assigned_policy = match destination {
            LoginDestination::Upstream => attempt.place(&traits),
            LoginDestination::Console => Err(Unplaced::Unproved),
        };
        if let Ok(assigned_policy) = &assigned_policy {
            attempt.info = under(&attempt.info, assigned_policy);
        }
        startup::judge_startup(&startup, (traits, assigned_policy))
    });
    (destination, settled)
}
