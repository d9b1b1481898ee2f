//! An upstream session that one client has for a time.
//!
//! The client's session and the upstream's connection are two things: one is handed out for the
//! other and handed back. A lease lasts as long as its client; where connections are shared, each
//! is attached to it for a transaction, and detached before the next client has it.

use std::sync::Arc;

use super::cancel::{CancelGuard, CancelResult, DetachedConnection};
use super::identity::ServerIdentity;
use super::login::UpstreamKey;
use super::outbox::Outbox;
use super::servers::ServerLease;
use super::writer::{UpstreamFrames, UpstreamStream};
use crate::limits;
use crate::net::framed_stream::FramedStream;

/// The right to use one upstream session.
#[derive(Debug, Default)]
pub struct UpstreamLease {
    cancel: Option<CancelGuard>,
}

/// In which state an upstream session is handed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseCondition {
    /// Nothing is under way.
    Rested,
    /// A statement still runs that nobody waits for.
    Running,
    /// Another session has ended it: it is over when the server has let go of it.
    Ended,
    /// It must not be used, or spoken to, ever again.
    Tripped,
}

impl UpstreamLease {
    /// Takes a session that has just logged in.
    pub fn of(framed: UpstreamFrames, cancel: Option<CancelGuard>) -> (Self, UpstreamFrames) {
        (Self { cancel }, framed)
    }

    /// It is a session of that server from now on; it has no connection.
    pub fn move_to(&self, server: &ServerLease, identity: Option<ServerIdentity>) {
        if let Some(cancel) = &self.cancel {
            cancel.move_to(server.upstream(), identity);
        }
    }

    /// Another connection is the session's from now on: a cancel reaches that one.
    pub fn attach(&self, key: Option<&Arc<UpstreamKey>>) {
        if let (Some(cancel), Some(key)) = (&self.cancel, key) {
            cancel.attach(Arc::clone(key));
        }
    }

    /// None is any more. Says whether the one that was may be given to another session.
    pub fn detach(&self, key: Option<&Arc<UpstreamKey>>) -> DetachedConnection {
        match (&self.cancel, key) {
            (Some(cancel), Some(key)) => cancel.detach(key),
            _ => DetachedConnection::Quiet,
        }
    }

    /// Hands the session back. What still runs is cancelled: its client is gone, and a database
    /// would otherwise work on for nobody. Says what became of the cancel, where there was one.
    /// Bounded in time. May be cancelled.
    pub async fn give_back(
        self,
        stream: UpstreamStream,
        condition: LeaseCondition,
    ) -> Option<CancelResult> {
        match condition {
            LeaseCondition::Tripped => {
                drop(stream);
                None
            }
            LeaseCondition::Running => {
                drop(stream);
                match &self.cancel {
                    Some(cancel) => Some(cancel.insist().await),
                    None => None,
                }
            }
            LeaseCondition::Rested => {
                FramedStream::new(stream).send_and_close(&goodbye()).await;
                None
            }
            LeaseCondition::Ended => {
                let linger = (
                    limits::ENDED_LINGER_TIME_MAX,
                    limits::ENDED_LINGER_READS_MAX,
                );
                let goodbye = goodbye();
                // A statement whose rows nobody takes would not notice its cancel.
                let parting = FramedStream::new(stream).send_and_linger(&goodbye, linger);
                let cancelling = async {
                    match &self.cancel {
                        Some(cancel) => Some(cancel.insist().await),
                        None => None,
                    }
                };
                let ((), cancelled) = tokio::join!(parting, cancelling);
                cancelled
            }
        }
    }
}

fn goodbye() -> Outbox {
    let mut goodbye = Outbox::default();
    goodbye.terminate();
    goodbye
}
