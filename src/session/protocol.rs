//! What one client and its upstream have said to each other so far. No sockets: bytes in, bytes
//! out, so that every exchange can be tested as a table.
//!
//! `client` holds the client's half (frames that are judged), `server` the upstream's half (frames
//! that are held against the pending replies).

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};

use super::arrival::Inflow;
use super::context::client_min_messages::Loudness;
use super::context::model_values::Known;
use super::context::names::Surroundings;
use super::context::reported_role::ReportAs;
use super::context::statement_timeout::StatementTime;
use super::pending::{Journal, Owed, Running, Standing};
use super::plan::plan_cache::KnownPlans;
use super::policy_limits::Quotas;
use super::policy_store::{Placed, Regime};
use super::registry::Glance;
use super::repair::Errand;
use super::repair::executor::Workshop;
use super::repair::hold_error::Held;
use super::repair::retained_frames::Retained;
use super::reply::Farewell;
use super::scheduling::turn::Turn;
use super::tracing::Tracing;
use crate::gate::cache::JudgementCache;
use crate::gate::{Facts, Gate, SessionNames};
use crate::limits;
use crate::sqlstate::SqlState;
use crate::telemetry::Telemetry;
use crate::telemetry::counters::session_gauges::Sign;
use crate::telemetry::events::StatementFinished;
use crate::telemetry::labels::{SessionState, Tripwire, UpstreamState};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::Code;
use crate::upstream::backend_signals::Wishes;
use crate::upstream::catalog_cache::Keeper;
use crate::upstream::compile_pool::Side;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::outbox::Outbox;
use crate::wire::backend::TransactionStatus;
use crate::wire::malformed::Malformed;

/// One conversation.
pub struct Conversation {
    /// Which policies there are, and which one the session is under.
    pub(super) regime: Arc<Regime>,
    pub(super) placed: Placed,
    /// The judge of that policy.
    pub(super) gate: Arc<Gate>,
    pub(super) cache: Arc<Mutex<JudgementCache>>,
    pub(super) telemetry: Telemetry,
    pub(super) info: Arc<SessionInfo>,
    /// What it does, for whoever runs pgsieve.
    pub(super) glance: Arc<Glance>,
    pub(super) names: SessionNames,
    pub(super) surroundings: Surroundings,
    pub(super) journal: Journal,
    pub(super) intake: Intake,
    /// When the client's last words were read.
    pub(super) inflow: Inflow,
    pub(super) standing: Standing,
    pub(super) copy_leftovers: CopyLeftovers,
    pub(super) self_report: SelfReport,
    pub(super) report_as: ReportAs,
    /// How often in a row the upstream did not say whether it is read-only.
    pub(super) checks_in_vain: u32,
    /// Where rescues run, and what compiles their texts.
    pub(super) workshop: Arc<Workshop>,
    pub(super) side: Option<Side>,
    /// What others want of the session: its statement to end, or itself.
    pub(super) wishes: Option<Arc<Wishes>>,
    pub(super) loudness: Loudness,
    /// What was sent last, should it have to be sent once more.
    pub(super) retained: Retained,
    /// The description of a result that is withheld with the error behind it.
    pub(super) described: Box<[u8]>,
    /// A failure that the client has not heard of.
    pub(super) held: Option<Box<Held>>,
    /// The plans that the worker knows.
    pub(super) plans: Arc<Mutex<KnownPlans>>,
    /// How long the last plan took that was asked for; none once somebody has put that on record.
    pub(super) plan_took: Option<Duration>,
    /// Frames of the client that are taken before all others.
    pub(super) replayed: Option<Box<Bytes>>,
    /// What is to be done on another thread before anything else is taken.
    pub(super) errand: Option<Box<Errand>>,
    /// The code of the upstream's last words, when it ended the session itself.
    pub(super) ended_by_upstream: Option<Code>,
    /// Bytes of the current upstream frame that still pass unseen.
    pub(super) passing: usize,
    /// Whether the client has the beginning of a frame of which the rest was held back.
    pub(super) torn: bool,
    /// Bytes of the current upstream frame that are still dropped.
    pub(super) dropping: usize,
    /// What the policy's limits need to know.
    pub(super) quotas: Quotas,
    /// What traces need to know, where there are any.
    pub(super) tracing: Option<Box<Tracing>>,
    /// What is left of the session's turn.
    pub turn: Turn,
    /// Bytes for the upstream.
    pub outbox: Outbox,
    /// Bytes for the client that wait for its socket.
    pub reply: BytesMut,
}

/// The parts that a conversation shares with others of its worker.
pub struct Shared {
    /// The policies that hold.
    pub regime: Arc<Regime>,
    /// What the worker has judged before.
    pub cache: Arc<Mutex<JudgementCache>>,
    /// What it knows of plans.
    pub plans: Arc<Mutex<KnownPlans>>,
    /// Where events go.
    pub telemetry: Telemetry,
    /// Where rescues run.
    pub workshop: Arc<Workshop>,
}

/// What a conversation must know of the upstream session that it talks to.
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
    pub known: Known,
    /// Who knows what the database contains.
    pub keeper: Option<Arc<Keeper>>,
    /// Where changed texts are compiled.
    pub side: Option<Side>,
    /// What others want of the session.
    pub wishes: Option<Arc<Wishes>>,
    /// Which messages the client wants.
    pub loudness: Loudness,
    /// What the policy's limits need to know.
    pub quotas: Quotas,
}

/// What the client's next frames meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intake {
    /// They are judged.
    Open,
    /// A refusal was answered by pgsieve alone: frames up to and including Sync never go upstream.
    SkipToSyncAlone,
    /// The upstream skips or will skip: frames up to Sync are dropped, the Sync goes upstream.
    SkipToSync,
    /// They wait: a large text is being judged, or a statement rescued, on another thread.
    Judging,
    /// The same, but an error has come in between: what is judged will be dropped.
    JudgingInVain,
    /// They wait: the upstream is being asked for the plan of a statement.
    Planning,
    /// Nothing more is taken: the session ends when everything that is owed has come.
    Closing(Ending),
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

/// Why a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The client said Terminate.
    Terminated,
    /// The client's connection was closed or lost.
    ClientGone,
    /// The upstream closed after its own last words, which were passed on.
    UpstreamClosed,
    /// pgsieve ends it and says why.
    Ended(Farewell),
    /// The upstream is not read-only any more.
    Tripped(Tripwire),
}

impl From<Malformed> for Ending {
    fn from(cause: Malformed) -> Self {
        Self::Ended(Farewell::Violation(cause))
    }
}

impl Conversation {
    /// A conversation that starts with both sides logged in and nothing owed.
    pub fn new(
        shared: &Shared,
        placed: Placed,
        info: Arc<SessionInfo>,
        upstream: UpstreamFacts,
    ) -> Self {
        let mut names = SessionNames::default();
        names.set_policy(placed.gate.policy().version_number());
        names.set_server_major(upstream.server_major);
        names.set_server(upstream.server.map_or(0, |server| server.number()));
        names.set_role(&upstream.user);
        let tracing = shared.telemetry.traces().map(|_| {
            let name = upstream.known.application_name.as_deref();
            Tracing::new(name.unwrap_or_default())
        });
        let (keeper, search_path) = (upstream.keeper, &upstream.search_path);
        let policy = placed.gate.policy();
        let time = StatementTime::new(upstream.statement_timeout.as_deref(), policy);
        let surroundings = Surroundings::new(keeper, search_path, upstream.known, time, policy);
        let mut conversation = Self {
            regime: Arc::clone(&shared.regime),
            gate: Arc::clone(&placed.gate),
            placed,
            cache: Arc::clone(&shared.cache),
            telemetry: shared.telemetry.clone(),
            info,
            glance: Arc::default(),
            names,
            surroundings,
            journal: Journal::default(),
            intake: Intake::Open,
            inflow: Inflow::now(),
            standing: Standing {
                status: TransactionStatus::Idle,
                unsynced: false,
                asked: false,
            },
            copy_leftovers: CopyLeftovers::Unexpected,
            self_report: upstream.self_report,
            report_as: upstream.report_as,
            workshop: Arc::clone(&shared.workshop),
            side: upstream.side,
            wishes: upstream.wishes,
            loudness: upstream.loudness,
            retained: Retained::default(),
            described: Box::default(),
            held: None,
            plans: Arc::clone(&shared.plans),
            plan_took: None,
            replayed: None,
            errand: None,
            ended_by_upstream: None,
            passing: 0,
            torn: false,
            checks_in_vain: 0,
            dropping: 0,
            quotas: upstream.quotas,
            tracing,
            turn: Turn::default(),
            outbox: Outbox::default(),
            reply: BytesMut::new(),
        };
        conversation.take_over_settings();
        conversation
    }

    /// Whether the client's frames may be taken now.
    pub fn takes_frames(&self) -> bool {
        !self.turn.is_over()
            && !self.outbox.is_full()
            && self.reply.len() < limits::REPLY_BYTES_MAX
            && !self.is_amid_unasked()
            && !self.quotas.holds()
            && !self.waits_for_audit()
            && self.journal.len() < limits::JOURNAL_LENGTH_MAX
            && match self.intake {
                Intake::Open | Intake::SkipToSync | Intake::SkipToSyncAlone => true,
                Intake::Judging | Intake::JudgingInVain => false,
                Intake::Checking | Intake::Planning | Intake::Closing(_) => false,
            }
    }

    /// Whether nothing of the client is taken until there is room in the audit.
    pub fn waits_for_audit(&self) -> bool {
        self.telemetry.must_wait(&self.info)
    }

    /// Comes to its end when there is room in the audit.
    pub fn room_in_audit(&self) -> impl Future<Output = ()> + Send + 'static {
        let (room, info) = (self.telemetry.room(), Arc::clone(&self.info));
        async move {
            room.await;
            info.settle_debt();
        }
    }

    /// The ending that was waiting for the last answer, once that has come.
    pub fn closed(&self) -> Option<Ending> {
        match self.intake {
            Intake::Closing(ending) if self.journal.is_empty() => Some(ending),
            _ => None,
        }
    }

    /// The upstream skips to the next Sync, which has not been sent: so does the intake.
    pub(super) fn skip_from_now(&mut self) {
        self.intake = match self.intake {
            Intake::Open | Intake::SkipToSync | Intake::SkipToSyncAlone => Intake::SkipToSync,
            // What waited for its plan is skipped as well: so was the question.
            Intake::Checking | Intake::Planning => Intake::SkipToSync,
            Intake::Judging | Intake::JudgingInVain => Intake::JudgingInVain,
            Intake::Closing(ending) => Intake::Closing(ending),
        };
    }

    /// Whether no statement is under way and no transaction open: the moment to end a session
    /// that is to be drained.
    #[cfg(test)]
    pub fn is_at_rest(&self) -> bool {
        self.journal.is_empty()
            && !self.standing.unsynced
            && self.standing.status == TransactionStatus::Idle
            && self.intake == Intake::Open
    }

    /// What is to be done on another thread; handed out once.
    pub fn take_errand(&mut self) -> Option<Errand> {
        self.errand.take().map(|errand| *errand)
    }

    /// Whether statements are under way, a rescue among them.
    pub fn is_running(&self) -> bool {
        !self.journal.is_empty()
    }

    /// Whether the upstream runs statements; their client may be gone meanwhile.
    pub fn is_upstream_running(&self) -> bool {
        !self.journal.is_at_rest()
    }

    /// Whether the upstream has said itself why it ends the session.
    pub fn has_heard_farewell(&self) -> bool {
        self.ended_by_upstream.is_some()
    }

    /// Whether the client has part of a frame of which the rest has not come yet, or will not.
    pub fn is_mid_frame(&self) -> bool {
        self.passing > 0 || self.torn
    }

    /// Whether that frame is one that the upstream sends unasked: nothing of pgsieve's own would
    /// wait for its end.
    pub(super) fn is_amid_unasked(&self) -> bool {
        self.passing > 0 && matches!(self.journal.front(), None | Some(Owed::Rescue(_)))
    }

    /// Whether a statement is under way that a draining server waits for.
    pub fn has_finished_statements(&self) -> bool {
        self.journal.is_empty() && !self.standing.unsynced && self.intake == Intake::Open
    }

    /// Records the statements that will never be answered, and why not, as many as fit into a turn.
    /// To be called until the turn was long enough.
    pub fn abandon(&mut self, why: SqlState) {
        let lost = self.ended_by_upstream.unwrap_or(Code::from(why));
        self.trace_parsed();
        if let Some(held) = self.held.take() {
            self.finished(&held.into_running());
        }
        while !self.turn.is_over()
            && let Some(owed) = self.journal.pop()
        {
            self.turn.spend_message();
            if let Owed::Rescue(running) | Owed::Cut(running) = &owed {
                self.finished(running);
            }
            let owed = match owed {
                Owed::Plan(asking) => match asking.into_query() {
                    Some(mut running) => {
                        running.trace = self.take_trace();
                        Owed::Query(running)
                    }
                    None => continue,
                },
                other => other,
            };
            if let Owed::Query(mut running) | Owed::Execute(mut running) = owed {
                running.sqlstate = Some(lost);
                self.finished(&running);
            }
        }
    }

    /// Whose session it is, and under which policy.
    pub fn info(&self) -> &Arc<SessionInfo> {
        &self.info
    }

    /// What the session and its upstream are at, for whoever looks.
    pub fn states(&self) -> (SessionState, UpstreamState) {
        let status = self.standing.status;
        let upstream = if self.standing.unsynced || !self.journal.is_at_rest() {
            UpstreamState::Active
        } else if status == TransactionStatus::Idle {
            UpstreamState::Idle
        } else {
            UpstreamState::InTransaction
        };
        let is_judging = match self.intake {
            Intake::Judging | Intake::JudgingInVain | Intake::Planning | Intake::Checking => true,
            Intake::Open | Intake::SkipToSync | Intake::SkipToSyncAlone => false,
            Intake::Closing(_) => false,
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
    pub(super) fn show(&self, sign: &Sign, bytes: u64) {
        sign.show(self.states());
        let statement = match self.journal.front() {
            Some(Owed::Query(running) | Owed::Execute(running)) => running.facts.fingerprint,
            _ => None,
        };
        self.glance.show(bytes, statement);
    }

    /// A text was prepared: what it will do is recorded when it runs.
    pub(super) fn prepared(&mut self, running: Box<Running>) {
        let info = running.info.as_ref().unwrap_or(&self.info);
        self.telemetry
            .prepared(&running.event(info, Instant::now()));
        self.keep_parsed(running);
    }

    /// What the server calls a statement, where it has told it by now.
    fn queryid_of(&self, facts: &Facts) -> Option<i64> {
        self.side.as_ref()?.queryid(facts.shape?)
    }

    pub(super) fn finished(&self, running: &Running) {
        self.glance.add_rows(running.rows);
        let info = running.info.as_ref().unwrap_or(&self.info);
        let event = StatementFinished {
            queryid: self.queryid_of(&running.facts),
            ..running.event(info, Instant::now())
        };
        self.telemetry.finished(&event);
    }
}
