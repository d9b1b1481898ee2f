//! Texts that are too large to be judged between other sessions' work: they are judged on a thread
//! of their own, and nothing else is taken from the client meanwhile.
//!
//! What they are judged by may change while that takes its time: then they are judged anew.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::gate::{Judgement, ParameterTypes, Refusal, Verdict};
use crate::limits;
use crate::session::arrival::StatementArrival;
use crate::session::client_side::ClientState;
use crate::session::memory::budget::MemoryShare;
use crate::session::pooling::server_place::before_waiting_text;
use crate::session::protocol::SessionProtocol;
use crate::session::repair::send_options::SendOptions;
use crate::session::repair::stage::RepairStage;
use crate::session::session_end::SessionEnd;
use crate::session::statement::resume_text;
use crate::session::statement_stage::{JudgedText, TextStage};
use crate::telemetry::traces::TraceWork;
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, FrontendMessage};

/// A statement too large to be judged between other sessions' work.
pub struct LargeText {
    /// The whole frame that it came in, a Query or Parse.
    pub frame: Bytes,
    /// When it came, and how long it waited.
    pub arrived: StatementArrival,
    /// How often it was judged in vain.
    rounds: u32,
}

/// A large text on its way; nothing comes back where the thread was lost. May be dropped: it ends
/// by itself.
pub type LargeTextJudging = Pin<Box<dyn Future<Output = Option<LargeTextJudgement>> + Send>>;

/// A large text's judgement.
#[derive(Debug)]
pub struct LargeTextJudgement {
    /// What the gate says.
    pub(in crate::session) judgement: Judgement<'static>,
    /// How long it took until a thread was there for it.
    pub(in crate::session) waited: Duration,
    /// The memory that it took.
    pub(in crate::session) share: MemoryShare,
}

impl fmt::Debug for LargeText {
    /// Without the frame: it is client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LargeText({} bytes)", self.frame.len())
    }
}

impl LargeText {
    /// A frame that was just read.
    pub(in crate::session) fn new(frame: &ClientFrame<'_>, arrived: StatementArrival) -> Self {
        Self {
            frame: Bytes::copy_from_slice(frame.bytes),
            arrived,
            rounds: 0,
        }
    }
}

/// Has a large text judged on a blocking thread, when it is this user's turn, in this part of
/// the memory of all: it is not free before the thread is done, whoever still waits for that.
/// While processors are short the user's next one waits for a while.
pub(in crate::session) fn judge_large_text(
    protocol: &mut SessionProtocol,
    large: &LargeText,
    share: MemoryShare,
) -> LargeTextJudging {
    let gate = Arc::clone(&protocol.judge.gate);
    (protocol.context).refresh_names(&gate, &protocol.pending);
    let names = protocol.context.names.clone();
    protocol.context.release_names();
    let frame = large.frame.clone();
    let asked = Instant::now();
    let user = protocol.witness.info.user().to_owned();
    let part = protocol.repair.executor.judge_share(&user);
    let judges = protocol.repair.executor.judge_slots().clone();
    let throttle = protocol.repair.executor.throttle().clone();
    Box::pin(async move {
        // The own part first: it may rest, and keeps no other from a thread meanwhile.
        let own = part.acquire_owned().await.ok()?;
        let place = judges.take(&user).await?;
        let judging = tokio::task::spawn_blocking(move || {
            let began = Instant::now();
            let waited = began.saturating_duration_since(asked);
            let (text, parameters) = text_of(&frame).unwrap_or_default();
            let judgement = gate.judge_with(Cow::Owned(text.to_owned()), &parameters, &names);
            drop(place);
            let judged = LargeTextJudgement {
                judgement,
                waited,
                share,
            };
            (judged, began.elapsed(), own)
        });
        let (judged, took, own) = judging.await.ok()?;
        throttle.keep_after(took, own);
        Some(judged)
    })
}

/// The judgement of a large text has come back. Where something has changed meanwhile the text
/// is given back, to be judged anew.
///
/// # Errors
/// The reason to end the session.
pub(in crate::session) fn large_text_judged(
    protocol: &mut SessionProtocol,
    mut large: LargeText,
    judged: LargeTextJudgement,
) -> Result<Option<LargeText>, SessionEnd> {
    let LargeTextJudgement {
        judgement, waited, ..
    } = judged;
    large.arrived.waits(waited);
    protocol.witness.lap_waited(waited);
    if protocol.client.state == ClientState::JudgingInVain {
        protocol.client.state = ClientState::SkipToSync;
    }
    if protocol.client.state != ClientState::Judging {
        protocol.repair.stage = RepairStage::None;
        protocol.witness.drop_trace();
        return Ok(None);
    }
    if let Err(ending) = before_waiting_text(protocol) {
        protocol.repair.stage = RepairStage::None;
        protocol.client.state = ClientState::Open;
        return protocol.close_after_answers(ending).map(|()| None);
    }
    let gate = &protocol.judge.gate;
    (protocol.context).refresh_names(gate, &protocol.pending);
    let is_outdated = judgement.facts.basis != protocol.context.names.basis();
    if is_outdated && large.rounds < limits::LARGE_JUDGED_ANEW_MAX {
        large.rounds += 1;
        protocol.witness.lap(TraceWork::Judge);
        return Ok(Some(large));
    }
    protocol.repair.stage = RepairStage::None;
    protocol.client.state = ClientState::Open;
    protocol.witness.lap(TraceWork::Judge);
    let settled = apply_large_judgement(protocol, &large, judgement, is_outdated);
    protocol.context.release_names();
    settled.map(|()| None)
}

fn apply_large_judgement(
    protocol: &mut SessionProtocol,
    large: &LargeText,
    mut judgement: Judgement<'_>,
    is_outdated: bool,
) -> Result<(), SessionEnd> {
    if is_outdated {
        judgement.verdict = Verdict::Refused(Refusal::of_change_without_end());
    }
    let judged = JudgedText {
        judgement,
        options: SendOptions::plain(large.arrived),
    };
    resume_text(protocol, &large.frame, TextStage::Judged(judged))
}

/// The statement text of a frame that was decoded before, and the types of its parameters.
pub(in crate::session) fn text_of(frame: &[u8]) -> Option<(&str, ParameterTypes)> {
    let Ok(FrameCut::Whole(frame)) = cut_frontend(frame, ProtocolPhase::Session) else {
        return None;
    };
    match frontend::decode(&frame).ok()? {
        FrontendMessage::Query(query) => Some((query.text, ParameterTypes::none_given())),
        FrontendMessage::Parse(parse) => {
            let parameters = ParameterTypes::given(parse.parameter_types.iter());
            Some((parse.text, parameters))
        }
        _ => None,
    }
}
