//! What a candidate scores: fixed points for what is known of it, each with its reason.

use super::assessment::CandidateAssessment;
use super::question::QuestionShape;
use crate::lint::LintLevel;
use crate::repair::Confidence;

/// What each thing counts, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceWeights {
    /// Taken for each lint error.
    pub lint_error: u64,
    /// Taken for each lint warning.
    pub lint_warning: u64,
    /// Taken where it does not compile.
    pub not_compiled: u64,
    /// Given where its groups fit the question.
    pub grouping: u64,
    /// Given where its order and limit fit the question.
    pub order_and_limit: u64,
    /// Given where it leaves equal rows out as the question asks.
    pub distinct: u64,
    /// Taken where it was repaired for certain.
    pub repaired_exact: u64,
    /// Taken where its repair is only likely.
    pub repaired_likely: u64,
    /// Given for each other candidate with an equal result.
    pub agreement: u64,
}

/// What a candidate scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateScore {
    /// The sum.
    pub total: i64,
    /// What it is the sum of, beside the base.
    pub parts: Vec<ScorePart>,
    /// How many others have an equal result, where that was asked.
    pub votes: Option<usize>,
}

/// Points, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScorePart {
    /// The points.
    pub points: i64,
    /// What for.
    pub reason: String,
}

impl Default for ChoiceWeights {
    fn default() -> Self {
        Self {
            lint_error: 25,
            lint_warning: 5,
            not_compiled: 50,
            grouping: 10,
            order_and_limit: 10,
            distinct: 5,
            repaired_exact: 5,
            repaired_likely: 15,
            agreement: 10,
        }
    }
}

/// What a candidate scores for a question.
pub(super) fn of(
    assessment: &CandidateAssessment,
    wanted: &QuestionShape,
    weights: &ChoiceWeights,
) -> CandidateScore {
    let mut score = CandidateScore {
        total: BASE,
        parts: Vec::new(),
        votes: None,
    };
    if !assessment.compiles() {
        let reason = format!("it does not compile: {}", assessment.ending.name());
        score.take(weights.not_compiled, reason);
        return score;
    }
    match assessment.repair {
        None => {}
        Some(Confidence::Exact) => score.take(weights.repaired_exact, "repaired, exact".into()),
        Some(Confidence::Likely | Confidence::Guess) => {
            score.take(weights.repaired_likely, "repaired, likely".into());
        }
    }
    for finding in &assessment.lints {
        let weight = match finding.level {
            LintLevel::Error => weights.lint_error,
            LintLevel::Warning => weights.lint_warning,
        };
        let (level, lint) = (finding.level.name(), finding.rule.name());
        score.take(weight, format!("lint {level} {lint}"));
    }
    if let Some(shape) = &assessment.shape {
        if wanted.groups == shape.groups {
            score.give(weights.grouping, "its groups fit the question".into());
        }
        let ranks = shape.orders && shape.limits;
        let counts = wanted.count.is_none() || wanted.count == shape.limit;
        let fits = match wanted.ranks {
            true => ranks && counts,
            false => !shape.limits,
        };
        if fits {
            score.give(
                weights.order_and_limit,
                "its order and limit fit the question".into(),
            );
        }
        if wanted.is_distinct == shape.is_distinct {
            score.give(weights.distinct, "its DISTINCT fits the question".into());
        }
    }
    score
}

impl CandidateScore {
    /// Counts the others whose results are equal.
    pub(super) fn agree(&mut self, votes: Option<usize>, weights: &ChoiceWeights) {
        self.votes = votes;
        let count = votes.unwrap_or_default();
        let points = u64::try_from(count)
            .unwrap_or(u64::MAX)
            .saturating_mul(weights.agreement);
        if count > 0 {
            self.give(points, format!("{count} others have an equal result"));
        }
    }

    fn give(&mut self, weight: u64, reason: String) {
        self.add(i64::try_from(weight).unwrap_or(i64::MAX), reason);
    }

    fn take(&mut self, weight: u64, reason: String) {
        let points = i64::try_from(weight).unwrap_or(i64::MAX);
        self.add(points.saturating_neg(), reason);
    }

    fn add(&mut self, points: i64, reason: String) {
        self.total = self.total.saturating_add(points);
        self.parts.push(ScorePart { points, reason });
    }
}

/// What every candidate begins with.
const BASE: i64 = 100;
