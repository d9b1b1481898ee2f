//! A choice among candidates: several statements for one question, each judged, repaired, compiled
//! and asked for its plan, scored by fixed rules, and put in order with the reasons.
//!
//! * [`candidate`]: a candidate as it is given, a text or the structured contract; [`input`]: a
//!   list of them
//! * [`session`]: whose session they are judged in, and the way to the database
//! * [`assessment`]: what becomes of one; [`doubles`]: which are the same
//! * [`question`]: what a question asks for; [`statement_shape`]: what a statement does
//! * [`score`]: the weights, and what each point is for; [`agreement`]: whose results are equal;
//!   [`told`]: what programs are told of one
//!
//! Nothing is executed but EXPLAIN without ANALYZE, over a read-only session and with a permit of
//! the gate; with [`AgreementMode::Votes`] also the candidates that were permitted and planned,
//! their results cut and made into digests. A candidate that is refused never reaches the server,
//! and comes last.

pub mod agreement;
pub mod assessment;
pub mod candidate;
mod doubles;
pub mod input;
mod question;
pub mod score;
pub mod session;
mod statement_shape;
pub mod told;

use std::cmp::Ordering;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task;
use tokio::time::{Instant, timeout, timeout_at};

use self::assessment::{CandidateAssessment, CandidateEnding};
use self::candidate::Candidate;
use self::question::QuestionShape;
use self::score::{CandidateScore, ChoiceWeights};
use self::session::ChoiceSession;
use crate::limits::choice::{AT_ONCE_MAX, CANDIDATE_TIME_MAX, CHOICE_TIME_MAX};

/// Whether candidates vote by their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgreementMode {
    /// Nothing is executed.
    Off,
    /// Those that were planned are executed with a limit; equal results vote for each other.
    Votes,
}

/// A candidate with what is said of it.
pub struct RankedCandidate {
    /// Its number in the order given, from one.
    pub number: usize,
    /// The numbers of those that are the same statement.
    pub doubles: Vec<usize>,
    /// The candidate.
    pub candidate: Candidate,
    /// What becomes of it.
    pub assessment: CandidateAssessment,
    /// What it scores, and what for.
    pub score: CandidateScore,
}

/// Looks at candidates for a question and puts them in order, best first.
///
/// May be cancelled: what is under way on other threads ends by its own clocks.
pub async fn choose(
    session: &Arc<ChoiceSession>,
    question: &str,
    candidates: Vec<Candidate>,
    weights: &ChoiceWeights,
    agreement: AgreementMode,
) -> Vec<RankedCandidate> {
    let wanted = QuestionShape::of(question);
    let singles = doubles::without(session.gate(), candidates);
    let until = Instant::now() + CHOICE_TIME_MAX;
    let places = Arc::new(Semaphore::new(AT_ONCE_MAX));
    let under_way: Vec<_> = singles
        .iter()
        .map(|single| {
            let (session, places) = (Arc::clone(session), Arc::clone(&places));
            let candidate = single.candidate.clone();
            task::spawn(async move {
                // It is never closed.
                let _place = places.acquire_owned().await.ok()?;
                let looking =
                    task::spawn_blocking(move || assessment::assess(&session, &candidate));
                timeout(CANDIDATE_TIME_MAX, looking).await.ok()?.ok()
            })
        })
        .collect();
    let mut ranked = Vec::with_capacity(singles.len());
    for (single, looking) in singles.into_iter().zip(under_way) {
        let looked = timeout_at(until, looking).await;
        let assessment = looked.ok().and_then(Result::ok).flatten();
        let assessment = assessment.unwrap_or_else(CandidateAssessment::timed_out);
        let score = score::of(&assessment, &wanted, weights);
        ranked.push(RankedCandidate {
            number: single.number,
            doubles: single.doubles,
            candidate: single.candidate,
            assessment,
            score,
        });
    }
    if agreement == AgreementMode::Votes {
        let votes = agreement::votes(session, &ranked, until).await;
        for (candidate, votes) in ranked.iter_mut().zip(votes) {
            candidate.score.agree(votes, weights);
        }
    }
    ranked.sort_by(order);
    ranked
}

/// Refused ones last; else by score, then by the cost of the plan, then as given.
fn order(one: &RankedCandidate, other: &RankedCandidate) -> Ordering {
    let is_refused =
        |ranked: &RankedCandidate| ranked.assessment.ending == CandidateEnding::Refused;
    let cost = |ranked: &RankedCandidate| ranked.assessment.cost.unwrap_or(f64::INFINITY);
    is_refused(one)
        .cmp(&is_refused(other))
        .then(other.score.total.cmp(&one.score.total))
        .then(cost(one).total_cmp(&cost(other)))
        .then(one.number.cmp(&other.number))
}
