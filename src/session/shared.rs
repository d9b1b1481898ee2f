//! What all sessions share, and what the sessions of one worker share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::BytesMut;

use super::io;
use super::io::ReadBuffer;
use super::login::pending_logins::PendingLogin;
use super::login::{AcceptedClient, AdmittedCaller, LoginContext};
use super::plan::plan_cache::PlanCache;
use super::protocol::WorkerShared;
use super::repair::executor::RepairExecutor;
use super::scheduling::turn::TurnQueue;
use super::scheduling::worker_load::WorkerLoad;
use crate::gate::cache::JudgementCache;
use crate::net::framed_stream::FramedStream;
use crate::net::stream::{PeerAddress, PeerStream};
use crate::sqlstate;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{ConnectionRefused, SessionPanicked};
use crate::telemetry::labels::RefusedBecause;
use crate::telemetry::session_info::SessionInfo;
use crate::wire::encode::{self, ErrorFields, ErrorSeverity};

/// The parts that sessions need. Cheap to clone.
#[derive(Clone)]
pub struct ServerShared {
    /// What logins need, the judge and the telemetry among it.
    pub login_context: Arc<LoginContext>,
    /// The read buffer of this worker.
    pub read_buffer: ReadBuffer,
    /// The sessions of this worker that wait for their next turn.
    pub turns: TurnQueue,
    cache: Arc<Mutex<JudgementCache>>,
    plans: Arc<Mutex<PlanCache>>,
    repair_executor: Arc<RepairExecutor>,
    telemetry: Telemetry,
    accepted: Arc<AtomicU64>,
}

impl ServerShared {
    /// What sessions share, of the given parts.
    pub fn new(login_context: Arc<LoginContext>) -> Self {
        Self {
            telemetry: login_context.telemetry.clone(),
            login_context,
            read_buffer: io::scratch(),
            turns: TurnQueue::default(),
            cache: Arc::default(),
            plans: Arc::default(),
            repair_executor: Arc::new(RepairExecutor::new()),
            accepted: Arc::default(),
        }
    }

    /// The same with a read buffer and a cache of its own, for one more worker.
    pub fn for_worker(&self, load: WorkerLoad) -> Self {
        let turns = TurnQueue::of_worker(load);
        Self {
            read_buffer: io::scratch(),
            repair_executor: Arc::new(self.repair_executor.for_worker(turns.throttle())),
            turns,
            cache: Arc::default(),
            plans: Arc::default(),
            telemetry: self.telemetry.for_worker(),
            ..self.clone()
        }
    }

    /// Gives an accepted socket its number.
    pub fn number(
        &self,
        (stream, peer): (PeerStream, PeerAddress),
        pending: PendingLogin,
        caller: Option<Arc<AdmittedCaller>>,
    ) -> AcceptedClient {
        AcceptedClient {
            stream,
            peer,
            id: self.next_number(),
            pending,
            caller,
        }
    }

    fn next_number(&self) -> u64 {
        self.accepted.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What a session's protocol takes from what all share.
    pub fn shared(&self) -> WorkerShared {
        WorkerShared {
            policy_store: Arc::clone(&self.login_context.policy_store),
            cache: Arc::clone(&self.cache),
            plans: Arc::clone(&self.plans),
            telemetry: self.telemetry.clone(),
            repair_executor: Arc::clone(&self.repair_executor),
            receipt_issuer: self.login_context.receipt_issuer.clone(),
        }
    }

    /// Counts a session that ended in a panic; the panic hook has logged where.
    pub fn session_panicked(&self) {
        self.login_context.telemetry.emit(&SessionPanicked);
    }

    /// Tells a client that all places are taken. Nothing that it sent has been read, so nothing of
    /// it is known but its address.
    pub async fn turn_away(&self, (stream, peer): (PeerStream, PeerAddress)) {
        let info = SessionInfo::accepted(self.next_number(), &peer.to_string());
        let reason = RefusedBecause::ConnectionsMax;
        self.login_context.telemetry.emit(&ConnectionRefused {
            session: &info,
            reason,
            tls: None,
        });
        let message = "sorry, too many clients already";
        let mut out = BytesMut::new();
        let fields = ErrorFields::new(
            ErrorSeverity::Fatal,
            sqlstate::TOO_MANY_CONNECTIONS,
            message,
        );
        encode::error(&mut out, &fields);
        FramedStream::new(stream).send_and_close(&out).await;
    }
}
