//! What all sessions share, and what the sessions of one worker share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::BytesMut;

use super::io;
use super::io::Scratch;
use super::login::pending_logins::PendingLogin;
use super::login::{Accepted, LoginDesk};
use super::plan::plan_cache::KnownPlans;
use super::protocol::Shared;
use super::repair::executor::Workshop;
use super::scheduling::turn::TurnQueue;
use crate::gate::cache::JudgementCache;
use crate::net::framed_stream::Link;
use crate::net::stream::{Peer, Stream};
use crate::sqlstate;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{ConnectionRefused, SessionPanicked};
use crate::telemetry::labels::RefusedBecause;
use crate::telemetry::session_info::SessionInfo;
use crate::wire::encode::{self, ErrorFields, Severity};

/// The parts that sessions need. Cheap to clone.
#[derive(Clone)]
pub struct House {
    /// What logins need, the judge and the witness among it.
    pub desk: Arc<LoginDesk>,
    /// The read buffer of this worker.
    pub scratch: Scratch,
    /// The sessions of this worker that wait for their next turn.
    pub turns: TurnQueue,
    cache: Arc<Mutex<JudgementCache>>,
    plans: Arc<Mutex<KnownPlans>>,
    workshop: Arc<Workshop>,
    telemetry: Telemetry,
    accepted: Arc<AtomicU64>,
}

impl House {
    /// A house around the given parts.
    pub fn new(desk: LoginDesk) -> Self {
        Self {
            telemetry: desk.telemetry.clone(),
            desk: Arc::new(desk),
            scratch: io::scratch(),
            turns: TurnQueue::default(),
            cache: Arc::default(),
            plans: Arc::default(),
            workshop: Arc::new(Workshop::new()),
            accepted: Arc::default(),
        }
    }

    /// The same house with a read buffer and a cache of its own, for one more worker.
    pub fn for_worker(&self) -> Self {
        let turns = TurnQueue::default();
        Self {
            scratch: io::scratch(),
            workshop: Arc::new(self.workshop.for_worker(turns.throttle())),
            turns,
            cache: Arc::default(),
            plans: Arc::default(),
            telemetry: self.telemetry.for_worker(),
            ..self.clone()
        }
    }

    /// Gives an accepted socket its number.
    pub fn number(&self, (stream, peer): (Stream, Peer), pending: PendingLogin) -> Accepted {
        Accepted {
            stream,
            peer,
            id: self.next_number(),
            pending,
        }
    }

    fn next_number(&self) -> u64 {
        self.accepted.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What a conversation takes from the house.
    pub fn shared(&self) -> Shared {
        Shared {
            regime: Arc::clone(&self.desk.regime),
            cache: Arc::clone(&self.cache),
            plans: Arc::clone(&self.plans),
            telemetry: self.telemetry.clone(),
            workshop: Arc::clone(&self.workshop),
        }
    }

    /// Counts a session that ended in a panic; the panic hook has logged where.
    pub fn session_panicked(&self) {
        self.desk.telemetry.emit(&SessionPanicked);
    }

    /// Tells a client that all places are taken. Nothing that it sent has been read, so nothing of
    /// it is known but its address.
    pub async fn turn_away(&self, (stream, peer): (Stream, Peer)) {
        let info = SessionInfo::accepted(self.next_number(), &peer.to_string());
        let reason = RefusedBecause::ConnectionsMax;
        self.desk.telemetry.emit(&ConnectionRefused {
            session: &info,
            reason,
            tls: None,
        });
        let message = "sorry, too many clients already";
        let mut out = BytesMut::new();
        let fields = ErrorFields::new(Severity::Fatal, sqlstate::TOO_MANY_CONNECTIONS, message);
        encode::error(&mut out, &fields);
        Link::new(stream).part(&out).await;
    }
}
