//! A session moves to another server, or to the next run of its own: between two transactions,
//! while it has no connection, or has lost the one that it had.
//!
//! What it is judged by from then on is what that server contains: its prepared statements stand on
//! another basis and are judged again. The client is told what the server reports otherwise.

use std::sync::Arc;
use std::time::Duration;

use super::pooled_relay::{PoolJob, PooledRelay};
use super::server_place::ServerPlace;
use crate::session::io::Relay;
use crate::telemetry::events::SessionMoved;
use crate::telemetry::labels::MoveReason;
use crate::upstream::pool::PoolError;
use crate::upstream::servers::replay::ServerNeed;
use crate::upstream::servers::session_home::SessionHome;
use crate::wire::encode;

/// The move that a session makes because its server is not there, or another one is wanted more by
/// the settings and what it needs.
pub(super) fn begin(pooled: &PooledRelay, need: ServerNeed, why: MoveCause<'_>) -> Option<PoolJob> {
    let servers = &pooled.homes().servers;
    let own = pooled.server();
    let (reason, tried) = match why {
        MoveCause::NotPermitted(_) => (MoveReason::Policy, Vec::new()),
        MoveCause::Better if !servers.is_another_better(need, own) => return None,
        MoveCause::Better if need.targets != pooled.targets() => (MoveReason::Policy, Vec::new()),
        MoveCause::Better => (MoveReason::Wanted, Vec::new()),
        MoveCause::Lost if !servers.are_several() => return None,
        MoveCause::Lost => {
            own.server().note_away();
            (MoveReason::Lost, vec![Arc::clone(own.server())])
        }
        MoveCause::Failed(PoolError::OtherBase) => (MoveReason::Restarted, Vec::new()),
        MoveCause::Failed(error) if !error.is_of_server() => return None,
        MoveCause::Failed(_) if !servers.are_several() => return None,
        MoveCause::Failed(_) => {
            own.server().note_away();
            (MoveReason::Away, vec![Arc::clone(own.server())])
        }
    };
    let pause = match why {
        MoveCause::NotPermitted(pause) => pause,
        MoveCause::Better | MoveCause::Lost | MoveCause::Failed(_) => Duration::ZERO,
    };
    let wish = pooled.move_wish((need, pause), tried);
    let finding = pooled.homes().clone().find(wish);
    Some(PoolJob::Moving(Box::pin(finding), reason))
}

/// Why a session would move.
#[derive(Clone, Copy)]
pub(super) enum MoveCause<'a> {
    /// Another server is wanted more.
    Better,
    /// Its policy does not let it be at its own: it moves after this pause.
    NotPermitted(Duration),
    /// Its own has died while it waited for an answer.
    Lost,
    /// It got no connection at its own.
    Failed(&'a PoolError),
}

/// The session is at that server from now on; its first connection there is left to attach.
pub(super) fn settle(
    relay: &mut Relay,
    (home, reason): (SessionHome, MoveReason),
) -> Option<super::pooled_relay::Taken> {
    let SessionHome {
        server,
        pool,
        source,
        connection,
        lease,
        catalog_cache,
        compile_pool,
    } = home;
    let base = Arc::clone(&connection.state.base);
    relay.lease.move_to(&server, base.server);
    let pooled = relay.pooled.as_mut()?;
    let protocol = &mut relay.protocol;
    protocol.upstream.place = ServerPlace::new(server.server(), connection.state.kind);
    let before = pooled.move_to(server, (pool, source), &base);
    for (name, value) in base.parameters.iter() {
        let old = before.parameters.iter().find(|(known, _)| known == name);
        let is_news = old.is_none_or(|(_, old)| old != value);
        let is_own = relay
            .pooled
            .as_ref()
            .is_some_and(|pooled| pooled.values().get(name).is_some());
        if is_news && !is_own {
            let value = protocol.context.reported(name).unwrap_or(value);
            // What the server has said can be said on.
            let _ = encode::parameter_status(&mut protocol.client.reply, name, value);
        }
    }
    protocol.context.move_to(base.server, catalog_cache);
    protocol.judge.assigned_policy.forget_roles();
    protocol.repair.compile_pool = Some(compile_pool);
    protocol.witness.telemetry.emit(&SessionMoved { reason });
    Some((connection, lease))
}
