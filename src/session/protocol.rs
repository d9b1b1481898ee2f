//! What one client and its upstream have said to each other so far. No sockets: bytes in, bytes
//! out, so that every exchange can be tested as a table.
//!
//! `client` holds the client's half (frames that are judged), `server` the upstream's half (frames
//! that are held against the pending replies).

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use bytes::BytesMut;

use super::client_side::{ClientSide, ClientState};
use super::context::SessionContext;
use super::context::client_settings::ClientSettings;
use super::context::model_values::LoginFacts;
use super::context::names::NameContext;
use super::context::reported_role::ReportAs;
use super::context::statement_timeout::StatementTimeout;
use super::io::moves::ClientBytes;
use super::pending::in_flight::InFlight;
use super::pending::{ExpectedReply, PendingReplies, SkipExtent};
use super::plan::plan_cache::{PlanCache, SessionPlans};
use super::policy_limits::SessionLimits;
use super::policy_store::{AssignedPolicy, PolicyStore, SessionJudge};
use super::receipts::session_receipts::SessionReceipts;
use super::repair::executor::RepairExecutor;
use super::repair::stage::SessionRepair;
use super::scheduling::turn::SessionTurn;
use super::session_end::SessionEnd;
use super::tracing::{SessionTracing, SessionWitness};
use super::upstream_side::{SelfReport, UpstreamSide};
use crate::engine::Engine;
use crate::gate::SessionNames;
use crate::gate::cache::JudgementCache;
use crate::limits;
use crate::receipts::issuer::{ReceiptId, ReceiptIssuer};
use crate::repair::dialect_history::DialectHistory;
use crate::sqlstate::SqlState;
use crate::telemetry::Telemetry;
use crate::telemetry::counters::session_gauges::SessionStateHandle;
use crate::telemetry::labels::{SessionState, UpstreamState};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::catalog_cache::CatalogCache;
use crate::upstream::compile_pool::CompilePool;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::outbox::Outbox;
use crate::wire::backend::TransactionStatus;

/// One session's protocol: its parts, each with methods of its own. What a step does to several of
/// them is a function in the step's file; what many steps do is a method here.
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
    /// What proves that its statements ran.
    pub(super) receipts: SessionReceipts,
    /// Who is told what it does.
    pub(super) witness: SessionWitness,
    /// What is left of the session's turn.
    pub(super) turn: SessionTurn,
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
    /// Who signs receipts, where there is a key.
    pub receipt_issuer: Option<Arc<ReceiptIssuer>>,
}

/// What a session must know of the upstream session that it talks to.
#[derive(Debug)]
pub struct UpstreamFacts {
    /// The user that is logged in there.
    pub user: String,
    /// Its major version.
    pub server_major: u16,
    /// Its engine.
    pub engine: Engine,
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
    pub client_settings: ClientSettings,
    /// What the policy's limits need to know.
    pub session_limits: SessionLimits,
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
        names.set_engine(upstream.engine);
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
                client_settings: upstream.client_settings,
                report_as: upstream.report_as,
                dialect_history: DialectHistory::default(),
            },
            pending: PendingReplies::default(),
            client: ClientSide::new(),
            upstream: UpstreamSide::new(upstream.self_report, upstream.signals),
            repair: SessionRepair::new(Arc::clone(&shared.repair_executor), upstream.compile_pool),
            plan: SessionPlans {
                cache: Arc::clone(&shared.plans),
                took: None,
            },
            limits: upstream.session_limits,
            receipts: SessionReceipts::new(shared.receipt_issuer.as_ref()),
            witness: SessionWitness {
                telemetry: shared.telemetry.clone(),
                info,
                activity: Arc::default(),
                tracing,
            },
            turn: SessionTurn::default(),
        };
        protocol.context.take_over_settings(&protocol.pending);
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

    /// What the client hears of notices, and where they go.
    pub(super) fn hearing(&mut self) -> (&mut BytesMut, &ClientSettings) {
        (&mut self.client.reply, &self.context.client_settings)
    }

    /// Whether the client's frames may be taken now.
    pub fn takes_frames(&self) -> bool {
        !self.turn.is_over()
            && !self.upstream.outbox.is_full()
            && self.client.reply.len() < limits::REPLY_BYTES_MAX
            && !self.is_amid_unasked()
            && !self.limits.holds()
            && !self.witness.waits_for_audit()
            && !self.is_checking_statement()
            && self.pending.len() < limits::PENDING_REPLIES_MAX
            && self.client.state.takes_frames()
    }

    /// Whether the next answer describes something to a client whose session shares connections.
    pub(super) fn is_told(&self) -> bool {
        let head = self.pending.front();
        self.upstream.pool.is_some() && head.is_some_and(ExpectedReply::is_description)
    }

    /// Whether it is being found out what a statement of the client's is on this connection.
    fn is_checking_statement(&self) -> bool {
        let side = self.upstream.pool.as_ref();
        side.is_some_and(|side| side.is_checking())
    }

    /// The ending that was waiting for the last answer, once that has come.
    pub fn due_end(&self) -> Option<SessionEnd> {
        match self.client.state {
            ClientState::Closing(ending) if self.pending.is_empty() => Some(ending),
            _ => None,
        }
    }

    /// Whether no statement is under way and no transaction open: the moment to end a session
    /// that is to be drained.
    #[cfg(test)]
    pub fn is_at_rest(&self) -> bool {
        self.pending.answers_alone() && self.client.state == ClientState::Open
    }

    /// Whether the client has part of a frame that the upstream sends unasked: nothing of pgsieve's
    /// own would wait for its end.
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
            && !self.pending.transaction.unsynced
            && self.client.state == ClientState::Open
    }

    /// The upstream skips to the next Sync: so do the pending replies, and the names that messages
    /// among them give or take.
    pub(super) fn skip_pipeline(&mut self, is_portal_lost: bool) -> SkipExtent {
        let side = self.upstream.pool.as_deref_mut();
        (self.context).skip_pipeline((&mut self.pending, side), is_portal_lost)
    }

    /// A statement has succeeded: what it changed holds.
    pub(super) fn apply_effects(&mut self, running: &InFlight) {
        self.context.apply_effects(running, &self.pending);
        if let Some(side) = &mut self.upstream.pool {
            side.statement_succeeded(&running.facts);
        }
    }

    /// A statement has ended in a batch whose Sync may not have been sent.
    pub(super) fn note_pause(&mut self) {
        let policy = self.judge.gate.policy();
        self.limits.note_pause(policy, &self.pending);
    }

    /// The session has nothing to do from now on.
    pub(super) fn note_rest(&mut self) {
        self.limits.note_rest(self.judge.gate.policy());
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
            self.record_finished(&held.into_running());
        }
        while !self.turn.is_over()
            && let Some(owed) = self.pending.pop()
        {
            self.turn.spend_message();
            if let ExpectedReply::HeldForRepair(running) | ExpectedReply::Cut(running) = &owed {
                self.record_finished(running);
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
                self.record_finished(&running);
            }
        }
    }

    /// What the session and its upstream are at, for whoever looks.
    pub fn observed_states(&self) -> (SessionState, UpstreamState) {
        let status = self.pending.transaction.status;
        let upstream = if self.pending.transaction.unsynced || !self.pending.is_at_rest() {
            UpstreamState::Active
        } else if status == TransactionStatus::Idle {
            UpstreamState::Idle
        } else {
            UpstreamState::InTransaction
        };
        let is_running = self.client.state.is_judging() || !self.pending.is_empty();
        let client = if is_running || upstream == UpstreamState::Active {
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

    /// Shows what it is at, and what has passed, to whoever looks.
    pub(super) fn show_state(&mut self, state_handle: &SessionStateHandle, passed: ClientBytes) {
        let (client, upstream) = self.observed_states();
        state_handle.set((client, upstream));
        // Of those that share connections, whoever has one keeps it from others.
        if self.upstream.pool.is_none() {
            self.upstream
                .place
                .note_running(client == SessionState::Active);
        }
        let running = self.pending.running();
        let statement = running.and_then(|running| running.facts.fingerprint);
        let bytes = (passed.from_client, passed.to_client);
        self.witness.activity.show(bytes, statement);
        let grounding = self.context.client_settings.grounding();
        let version = grounding.map_or(0, NonZeroU64::get);
        let policy = self.judge.gate.policy();
        let given = || self.context.given_grounding(version, policy);
        self.witness.activity.stand_on(version, given);
    }

    /// A statement has ended: that is recorded, and the client hears of its receipt where it has
    /// failed.
    pub(super) fn finished(&mut self, running: &InFlight) {
        if self.record_finished(running).is_some() && running.sqlstate.is_some() {
            let heard = (&mut self.client.reply, &self.context.client_settings);
            self.receipts.tell(heard);
        }
    }

    /// A statement has ended: that is recorded, and nothing is said. The client may have part of a
    /// row, and would read whatever comes behind that as the rest of it.
    fn record_finished(&mut self, running: &InFlight) -> Option<ReceiptId> {
        let settings = &self.context.client_settings;
        let receipt = (self.receipts).statement_over(running, &self.witness.info, settings);
        let queryid = self.repair.queryid_of(&running.facts);
        self.witness.finished(running, queryid, receipt);
        receipt
    }
}
