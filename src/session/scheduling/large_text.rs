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

use crate::gate::{Judgement, Parameters, Refusal, Verdict};
use crate::limits;
use crate::session::arrival::Arrival;
use crate::session::memory::budget::Share;
use crate::session::protocol::{Conversation, Ending, Intake};
use crate::telemetry::traces::Work;
use crate::wire::frame::{Cut, Frame, Phase, cut_frontend};
use crate::wire::frontend::{self, Frontend};

/// A statement too large to be judged between other sessions' work.
pub struct Large {
    /// The whole frame that it came in, a Query or Parse.
    pub frame: Bytes,
    /// When it came, and how long it waited.
    pub arrived: Arrival,
    /// How often it was judged in vain.
    rounds: u32,
}

/// A large text on its way; nothing comes back where the thread was lost. May be dropped: it ends
/// by itself.
pub type Judging = Pin<Box<dyn Future<Output = Option<Judged>> + Send>>;

/// A large text's judgement.
#[derive(Debug)]
pub struct Judged {
    /// What the gate says.
    pub(in crate::session) judgement: Judgement<'static>,
    /// How long it took until a thread was there for it.
    pub(in crate::session) waited: Duration,
    /// The memory that it took.
    pub(in crate::session) share: Share,
}

impl fmt::Debug for Large {
    /// Without the frame: it is client text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Large({} bytes)", self.frame.len())
    }
}

impl Large {
    /// A frame that was just read.
    pub(in crate::session) fn new(frame: &Frame<'_>, arrived: Arrival) -> Self {
        Self {
            frame: Bytes::copy_from_slice(frame.bytes),
            arrived,
            rounds: 0,
        }
    }
}

impl Conversation {
    /// Has a large text judged on a blocking thread, when it is this user's turn, in this part of
    /// the memory of all: it is not free before the thread is done, whoever still waits for that.
    /// While processors are short the user's next one waits for a while.
    pub fn judge_elsewhere(&mut self, large: &Large, share: Share) -> Judging {
        self.look_around();
        let gate = Arc::clone(&self.gate);
        let names = self.names.clone();
        self.look_away();
        let frame = large.frame.clone();
        let asked = Instant::now();
        let user = self.info.user().to_owned();
        let part = self.workshop.judges_of(&user);
        let judges = self.workshop.judges().clone();
        let throttle = self.workshop.throttle().clone();
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
                let judged = Judged {
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
    pub fn judged_elsewhere(
        &mut self,
        mut large: Large,
        judged: Judged,
    ) -> Result<Option<Large>, Ending> {
        let Judged {
            judgement, waited, ..
        } = judged;
        large.arrived.waits(waited);
        self.lap_waited(waited);
        if self.intake == Intake::JudgingInVain {
            self.intake = Intake::SkipToSync;
        }
        if self.intake != Intake::Judging {
            self.drop_trace();
            return Ok(None);
        }
        if let Err(ending) = self.take_over_policies() {
            self.intake = Intake::Open;
            return self.close_after_answers(ending).map(|()| None);
        }
        self.look_around();
        let is_outdated = judgement.facts.grounds != self.names.grounds();
        if is_outdated && large.rounds < limits::LARGE_JUDGED_ANEW_MAX {
            large.rounds += 1;
            self.lap(Work::Judge);
            return Ok(Some(large));
        }
        self.intake = Intake::Open;
        self.lap(Work::Judge);
        let settled = self.settle_large(&large, judgement, is_outdated);
        self.look_away();
        settled.map(|()| None)
    }

    fn settle_large(
        &mut self,
        large: &Large,
        mut judgement: Judgement<'_>,
        is_outdated: bool,
    ) -> Result<(), Ending> {
        if is_outdated {
            judgement.verdict = Verdict::Refused(Refusal::of_change_without_end());
        }
        let Cut::Whole(frame) = cut_frontend(&large.frame, Phase::Session)? else {
            return Ok(());
        };
        match frontend::decode(&frame)? {
            Frontend::Query(query) => self.take_query(&frame, &query, judgement, large.arrived),
            Frontend::Parse(parse) => self.take_parse(&frame, &parse, judgement, large.arrived),
            _ => Ok(()),
        }
    }
}

/// The statement text of a frame that was decoded before, and the types of its parameters.
pub(in crate::session) fn text_of(frame: &[u8]) -> Option<(&str, Parameters)> {
    let Ok(Cut::Whole(frame)) = cut_frontend(frame, Phase::Session) else {
        return None;
    };
    match frontend::decode(&frame).ok()? {
        Frontend::Query(query) => Some((query.text, Parameters::open())),
        Frontend::Parse(parse) => {
            let parameters = Parameters::given(parse.parameter_types.iter());
            Some((parse.text, parameters))
        }
        _ => None,
    }
}
