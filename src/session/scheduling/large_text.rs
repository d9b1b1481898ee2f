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
use crate::session::memory::budget::MemoryShare;
use crate::session::protocol::{ClientState, SessionEnd, SessionProtocol};
use crate::session::repair::apply_repair::SendOptions;
use crate::session::repair::stage::RepairStage;
use crate::session::statement::{JudgedText, TextStage};
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

impl SessionProtocol {
    /// Has a large text judged on a blocking thread, when it is this user's turn, in this part of
    /// the memory of all: it is not free before the thread is done, whoever still waits for that.
    /// While processors are short the user's next one waits for a while.
    pub fn judge_large_text(&mut self, large: &LargeText, share: MemoryShare) -> LargeTextJudging {
        self.refresh_names();
        let gate = Arc::clone(&self.judge.gate);
        let names = self.context.names.clone();
        self.release_names();
        let frame = large.frame.clone();
        let asked = Instant::now();
        let user = self.witness.info.user().to_owned();
        let part = self.repair.executor.judge_share(&user);
        let judges = self.repair.executor.judge_slots().clone();
        let throttle = self.repair.executor.throttle().clone();
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
    pub fn large_text_judged(
        &mut self,
        mut large: LargeText,
        judged: LargeTextJudgement,
    ) -> Result<Option<LargeText>, SessionEnd> {
        let LargeTextJudgement {
            judgement, waited, ..
        } = judged;
        large.arrived.waits(waited);
        self.witness.lap_waited(waited);
        if self.client.state == ClientState::JudgingInVain {
            self.client.state = ClientState::SkipToSync;
        }
        if self.client.state != ClientState::Judging {
            self.repair.stage = RepairStage::None;
            self.witness.drop_trace();
            return Ok(None);
        }
        if let Err(ending) = self.take_over_policies() {
            self.repair.stage = RepairStage::None;
            self.client.state = ClientState::Open;
            return self.close_after_answers(ending).map(|()| None);
        }
        self.refresh_names();
        let is_outdated = judgement.facts.basis != self.context.names.basis();
        if is_outdated && large.rounds < limits::LARGE_JUDGED_ANEW_MAX {
            large.rounds += 1;
            self.witness.lap(TraceWork::Judge);
            return Ok(Some(large));
        }
        self.repair.stage = RepairStage::None;
        self.client.state = ClientState::Open;
        self.witness.lap(TraceWork::Judge);
        let settled = self.apply_large_judgement(&large, judgement, is_outdated);
        self.release_names();
        settled.map(|()| None)
    }

    fn apply_large_judgement(
        &mut self,
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
        self.resume_text(&large.frame, TextStage::Judged(judged))
    }
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
