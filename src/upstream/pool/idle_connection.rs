//! A connection of a pool that no session has, and its end.

use tokio::runtime::Handle;

use super::connection::PooledConnection;
use super::places::PoolPlace;
use super::source::ConnectionClass;
use crate::telemetry::events::PoolMoved;
use crate::telemetry::labels::PooledConnectionState;
use crate::upstream::outbox::Outbox;

/// A connection that no session has.
pub(super) struct IdleConnection {
    pub(super) connection: PooledConnection,
    pub(super) class: ConnectionClass,
    pub(super) place: PoolPlace,
}

impl IdleConnection {
    /// Says goodbye to one that is idle.
    pub(super) fn close(self) {
        self.place.telemetry().emit(&PoolMoved {
            from: Some(PooledConnectionState::Idle),
            to: Some(PooledConnectionState::Used),
        });
        self.close_used();
    }

    /// Says goodbye to one that was taken.
    pub(super) fn close_used(self) {
        let mut goodbye = Outbox::default();
        goodbye.terminate();
        let Self {
            connection,
            mut place,
            ..
        } = self;
        place.closes();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                connection.frames.send_and_close(&goodbye).await;
                // It counts until the server has let go of it, within a bound.
                drop(place);
            });
        }
    }
}
