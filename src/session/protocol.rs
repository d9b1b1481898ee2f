//! What one client and its upstream have said to each other so far. No sockets: bytes in, bytes
//! out, so that every exchange can be tested as a table.
//!
//! `client` holds the client's half (frames that are judged), `server` the upstream's half (frames
//! that are held against the pending replies).

use std::sync::{Arc, Mutex};

use bytes::BytesMut;

use super::arrival::ClientInflow;
use super::context::SessionContext;
use super::context::client_min_messages::ClientMinMessages;
use super::context::model_values::LoginFacts;
use super::context::names::NameContext;
use super::context::reported_role::ReportAs;
use super::context::statement_timeout::StatementTimeout;
use super::pending::{ExpectedReply, InFlight, PendingReplies, TransactionState};
use super::plan::plan_cache::{PlanCache, SessionPlans};
use super::policy_limits::SessionLimits;
use super::policy_store::{AssignedPolicy, PolicyStore, SessionJudge};
use super::repair::BlockingJob;
use super::repair::executor::RepairExecutor;
use super::repair::stage::SessionRepair;
use super::reply::CloseReason;
use super::scheduling::turn::SessionTurn;
use super::tracing::{SessionTracing, SessionWitness};
use crate::gate::SessionNames;
use crate::gate::cache::JudgementCache;
use crate::limits;
use crate::sqlstate::SqlState;
use crate::telemetry::Telemetry;
use crate::telemetry::counters::session_gauges::SessionStateHandle;
use crate::telemetry::labels::{SessionState, Tripwire, UpstreamState};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::catalog_cache::CatalogCache;
use crate::upstream::compile_pool::CompilePool;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::outbox::Outbox;
use crate::wire::backend::TransactionStatus;
use crate::wire::malformed::MalformedMessage;

/// One session's protocol: its parts, each with methods of its own. What needs several of them is
/// a method here.
pub struct SessionProtocol {
    /// By which policy its texts are judged.
    pub(super) judge: SessionJudge,
    /// What its names, settings and values mean now.
    pub(super) context: SessionContext,
    /// What the upstream still owes.
    pub(super) pending: PendingReplies,
    /// What is known of the client, and waits for it.
    pub(super) client: ClientSide,
    /// What is known of the upstream, and waits for it.
    pub(super) upstream: UpstreamSide,
    /// How far the repair at hand has come, and what is kept for one.
    pub(super) repair: SessionRepair,
    /// What is known of plans.
    pub(super) plan: SessionPlans,
    /// What the policy's limits need to know.
    pub(super) limits: SessionLimits,
    /// Who is told what it does.
    pub(super) witness: SessionWitness,
    /// What is left of the session's turn.
    pub(super) turn: SessionTurn,
}

/// What a session knows of its client.
pub struct ClientSide {
    /// What its next frames meet.
    pub(super) state: ClientState,
    /// When its last words were read.
    pub(super) inflow: ClientInflow,
    pub(super) copy_leftovers: CopyLeftovers,
    /// Bytes that wait for its socket.
    pub(super) reply: BytesMut,
}

/// What a session knows of its upstream.
pub struct UpstreamSide {
    pub(super) transaction: TransactionState,
    pub(super) self_report: SelfReport,
    /// How often in a row it did not say whether it is read-only.
    pub(super) checks_in_vain: u32,
    /// What others want of the session: its statement to end, or itself.
    pub(super) signals: Option<Arc<SessionSignals>>,
    /// The code of its last words, when it ended the session itself.
    pub(super) ended_by_itself: Option<SqlstateCode>,
    /// Bytes of its current frame that still pass unseen.
    pub(super) passing: usize,
    /// Whether the client has the beginning of a frame of which the rest was held back.
    pub(super) torn: bool,
    /// Bytes of its current frame that are still dropped.
    pub(super) dropping: usize,
    /// Bytes that wait for its socket.
    pub(super) outbox: Outbox,
}

impl UpstreamSide {
    /// Of an upstream that is logged in and idle.
    fn new(self_report: SelfReport, signals: Option<Arc<SessionSignals>>) -> Self {
        Self {
            transaction: TransactionState {
                status: TransactionStatus::Idle,
                unsynced: false,
                asked: false,
            },
            self_report,
            checks_in_vain: 0,
            signals,
            ended_by_itself: None,
            passing: 0,
            torn: false,
            dropping: 0,
            outbox: Outbox::default(),
        }
    }
}

/// The parts that a session shares with others of its worker.
pub struct WorkerShared {
    /// The policies that hold.
    pub policy_store: Arc<PolicyStore>,
    /// What the worker has judged before.
    pub cache: Arc<Mutex<JudgementCache>>,
    /// What it knows of plans.
    pub plans: Arc<Mutex<PlanCache>>,
    /// Where events go.
    pub telemetry: Telemetry,
    /// Where repairs run.
    pub repair_executor: Arc<RepairExecutor>,
}

/// What a session must know of the upstream session that it talks to.
#[derive(Debug)]
pub struct UpstreamFacts {
    /// The user that is logged in there.
    pub user: String,
    /// Its major version.
    pub server_major: u16,
    /// Which server it is, where it has told.
    pub server: Option<ServerIdentity>,
    /// Whether it tells when its read-only default changes.
    pub self_report: SelfReport,
    /// As what the server is reported to the client.
    pub report_as: ReportAs,
    /// Its search_path at the beginning, as the setting is written.
    pub search_path: String,
    /// How long one of its statements may run, as that was set when it began.
    pub statement_timeout: Option<String>,
    /// What its login has brought to light, for models.
    pub known: LoginFacts,
    /// Who knows what the database contains.
    pub catalog_cache: Option<Arc<CatalogCache>>,
    /// Where changed texts are compiled.
    pub compile_pool: Option<CompilePool>,
    /// What others want of the session.
    pub signals: Option<Arc<SessionSignals>>,
    /// Which messages the client wants.
    pub client_min_messages: ClientMinMessages,
    /// What the policy's limits need to know.
    pub session_limits: SessionLimits,
}

/// What the client's next frames meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientState {
    /// They are judged.
    Open,
    /// A refusal was answered by pgsieve alone: frames up to and including Sync never go upstream.
    SkipToSyncAlone,
    /// The upstream skips or will skip: frames up to Sync are dropped, the Sync goes upstream.
    SkipToSync,
    /// They wait: a large text is being judged, or a statement repaired, on another thread.
    Judging,
    /// The same, but an error has come in between: what is judged will be dropped.
    JudgingInVain,
    /// They wait: the upstream is being asked for the plan of a statement.
    Planning,
    /// Nothing more is taken: the session ends when everything that is owed has come.
    Closing(SessionEnd),
    /// They wait: the upstream is being asked whether it is still read-only.
    Checking,
}

/// What stray copy-in messages mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyLeftovers {
    /// The client never asked for copy-in: a violation.
    Unexpected,
    /// A COPY FROM STDIN was refused; its data may still arrive and is dropped.
    Tolerated {
        /// How many more.
        left: u32,
    },
}

/// Whether the upstream tells by itself when its read-only default changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfReport {
    /// It reports `default_transaction_read_only` (PostgreSQL 14 and later).
    Reported,
    /// It does not; pgsieve asks after statements that touch settings.
    AskWhenTouched,
    /// Such a statement is under way or done, and the question is due.
    AskNow,
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client said Terminate.
    Terminated,
    /// The client's connection was closed or lost.
    ClientGone,
    /// The upstream closed after its own last words, which were passed on.
    UpstreamClosed,
    /// pgsieve ends it and says why.
    Ended(CloseReason),
    /// The upstream is not read-only any more.
    Tripped(Tripwire),
}

impl From<MalformedMessage> for SessionEnd {
    fn from(cause: MalformedMessage) -> Self {
        Self::Ended(CloseReason::Violation(cause))
    }
}

impl SessionProtocol {
    /// A session that starts with both sides logged in and nothing owed.
    pub fn new(
        shared: &WorkerShared,
        assigned_policy: AssignedPolicy,
        info: Arc<SessionInfo>,
        upstream: UpstreamFacts,
    ) -> Self {
        let mut names = SessionNames::default();
        names.set_policy(assigned_policy.gate.policy().version_number());
        names.set_server_major(upstream.server_major);
        names.set_server(upstream.server.map_or(0, |server| server.number()));
        names.set_role(&upstream.user);
        let tracing = shared.telemetry.traces().map(|_| {
            let name = upstream.known.application_name.as_deref();
            SessionTracing::new(name.unwrap_or_default())
        });
        let (catalog_cache, search_path) = (upstream.catalog_cache, &upstream.search_path);
        let policy = assigned_policy.gate.policy();
        let time = StatementTimeout::new(upstream.statement_timeout.as_deref(), policy);
        let name_context =
            NameContext::new(catalog_cache, search_path, upstream.known, time, policy);
        let mut protocol = Self {
            judge: SessionJudge::new(
                Arc::clone(&shared.policy_store),
                assigned_policy,
                Arc::clone(&shared.cache),
            ),
            context: SessionContext {
                names,
                name_context,
                client_min_messages: upstream.client_min_messages,
                report_as: upstream.report_as,
            },
            pending: PendingReplies::default(),
            client: ClientSide {
                state: ClientState::Open,
                inflow: ClientInflow::read_now(),
                copy_leftovers: CopyLeftovers::Unexpected,
                reply: BytesMut::new(),
            },
            upstream: UpstreamSide::new(upstream.self_report, upstream.signals),
            repair: SessionRepair::new(Arc::clone(&shared.repair_executor), upstream.compile_pool),
            plan: SessionPlans {
                cache: Arc::clone(&shared.plans),
                took: None,
            },
            limits: upstream.session_limits,
            witness: SessionWitness {
                telemetry: shared.telemetry.clone(),
                info,
                activity: Arc::default(),
                tracing,
            },
            turn: SessionTurn::default(),
        };
        protocol.take_over_settings();
        protocol
    }

    /// Bytes for the upstream.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.upstream.outbox
    }

    /// Bytes for the client that wait for its socket.
    pub fn reply(&mut self) -> &mut BytesMut {
        &mut self.client.reply
    }

    /// Whether the client's frames may be taken now.
    pub fn takes_frames(&self) -> bool {
        !self.turn.is_over()
            && !self.upstream.outbox.is_full()
            && self.client.reply.len() < limits::REPLY_BYTES_MAX
            && !self.is_amid_unasked()
            && !self.limits.holds()
            && !self.waits_for_audit()
            && self.pending.len() < limits::PENDING_REPLIES_MAX
            && match self.client.state {
                ClientState::Open | ClientState::SkipToSync | ClientState::SkipToSyncAlone => true,
                ClientState::Judging | ClientState::JudgingInVain => false,
                ClientState::Checking | ClientState::Planning | ClientState::Closing(_) => false,
            }
    }

    /// Whether nothing of the client is taken until there is room in the audit.
    pub fn waits_for_audit(&self) -> bool {
        self.witness.telemetry.must_wait(&self.witness.info)
    }

    /// Comes to its end when there is room in the audit.
    pub fn room_in_audit(&self) -> impl Future<Output = ()> + Send + 'static {
        let (room, info) = (
            self.witness.telemetry.room(),
            Arc::clone(&self.witness.info),
        );
        async move {
            room.await;
            info.settle_debt();
        }
    }

    /// The ending that was waiting for the last answer, once that has come.
    pub fn due_end(&self) -> Option<SessionEnd> {
        match self.client.state {
            ClientState::Closing(ending) if self.pending.is_empty() => Some(ending),
            _ => None,
        }
    }

    /// The upstream skips to the next Sync, which has not been sent: so does the client's state.
    pub(super) fn skip_to_sync_now(&mut self) {
        self.client.state = match self.client.state {
            ClientState::Open | ClientState::SkipToSync | ClientState::SkipToSyncAlone => {
                ClientState::SkipToSync
            }
            // What waited for its plan is skipped as well: so was the question.
            ClientState::Checking | ClientState::Planning => ClientState::SkipToSync,
            ClientState::Judging | ClientState::JudgingInVain => ClientState::JudgingInVain,
            ClientState::Closing(ending) => ClientState::Closing(ending),
        };
    }

    /// Whether no statement is under way and no transaction open: the moment to end a session
    /// that is to be drained.
    #[cfg(test)]
    pub fn is_at_rest(&self) -> bool {
        self.pending.is_empty()
            && !self.upstream.transaction.unsynced
            && self.upstream.transaction.status == TransactionStatus::Idle
            && self.client.state == ClientState::Open
    }

    /// What is to be done on another thread; handed out once.
    pub fn take_blocking_job(&mut self) -> Option<BlockingJob> {
        self.repair.take_job()
    }

    /// Whether statements are under way, a repair among them.
    pub fn is_running(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether the upstream runs statements; their client may be gone meanwhile.
    pub fn is_upstream_running(&self) -> bool {
        !self.pending.is_at_rest()
    }

    /// Whether the upstream has said itself why it ends the session.
    pub fn has_upstream_closed(&self) -> bool {
        self.upstream.ended_by_itself.is_some()
    }

    /// Whether the client has part of a frame of which the rest has not come yet, or will not.
    pub fn is_mid_frame(&self) -> bool {
        self.upstream.passing > 0 || self.upstream.torn
    }

    /// Whether that frame is one that the upstream sends unasked: nothing of pgsieve's own would
    /// wait for its end.
    pub(super) fn is_amid_unasked(&self) -> bool {
        self.upstream.passing > 0
            && matches!(
                self.pending.front(),
                None | Some(ExpectedReply::HeldForRepair(_))
            )
    }

    /// Whether a statement is under way that a draining server waits for.
    pub fn has_finished_statements(&self) -> bool {
        self.pending.is_empty()
            && !self.upstream.transaction.unsynced
            && self.client.state == ClientState::Open
    }

    /// Records the statements that will never be answered, and why not, as many as fit into a turn.
    /// To be called until the turn was long enough.
    pub fn record_unanswered(&mut self, why: SqlState) {
        let lost = self
            .upstream
            .ended_by_itself
            .unwrap_or(SqlstateCode::from(why));
        self.witness.trace_parsed();
        if let Some(held) = self.repair.take_held() {
            self.finished(&held.into_running());
        }
        while !self.turn.is_over()
            && let Some(owed) = self.pending.pop()
        {
            self.turn.spend_message();
            if let ExpectedReply::HeldForRepair(running) | ExpectedReply::Cut(running) = &owed {
                self.finished(running);
            }
            let owed = match owed {
                ExpectedReply::Plan(asking) => match asking.into_query() {
                    Some(mut running) => {
                        running.trace = self.witness.take_trace();
                        ExpectedReply::Query(running)
                    }
                    None => continue,
                },
                other => other,
            };
            if let ExpectedReply::Query(mut running) | ExpectedReply::Execute(mut running) = owed {
                running.sqlstate = Some(lost);
                self.finished(&running);
            }
        }
    }

    /// Whose session it is, and under which policy.
    pub fn info(&self) -> &Arc<SessionInfo> {
        &self.witness.info
    }

    /// What the session and its upstream are at, for whoever looks.
    pub fn observed_states(&self) -> (SessionState, UpstreamState) {
        let status = self.upstream.transaction.status;
        let upstream = if self.upstream.transaction.unsynced || !self.pending.is_at_rest() {
            UpstreamState::Active
        } else if status == TransactionStatus::Idle {
            UpstreamState::Idle
        } else {
            UpstreamState::InTransaction
        };
        let is_judging = match self.client.state {
            ClientState::Judging
            | ClientState::JudgingInVain
            | ClientState::Planning
            | ClientState::Checking => true,
            ClientState::Open | ClientState::SkipToSync | ClientState::SkipToSyncAlone => false,
            ClientState::Closing(_) => false,
        };
        let client = if is_judging || upstream == UpstreamState::Active || self.is_running() {
            SessionState::Active
        } else {
            match status {
                TransactionStatus::Idle => SessionState::Idle,
                TransactionStatus::InBlock => SessionState::InTransaction,
                TransactionStatus::Failed => SessionState::FailedTransaction,
            }
        };
        (client, upstream)
    }

    /// Shows what it is at, and what it has sent, to whoever looks.
    pub(super) fn show_state(&self, state_handle: &SessionStateHandle, bytes: u64) {
        state_handle.set(self.observed_states());
        let statement = match self.pending.front() {
            Some(ExpectedReply::Query(running) | ExpectedReply::Execute(running)) => {
                running.facts.fingerprint
            }
            _ => None,
        };
        self.witness.activity.show(bytes, statement);
    }

    /// A statement has ended: that is recorded.
    pub(super) fn finished(&self, running: &InFlight) {
        let queryid = self.repair.queryid_of(&running.facts);
        self.witness.finished(running, queryid);
    }
}
