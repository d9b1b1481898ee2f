//! What the entries of a report come to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry_report::{AnswerOutcome, AttemptReport, EntryReport, RunReport};

/// What an evaluation comes to. Shares are from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationScores {
    /// Questions whose answers can be called right.
    pub scored: u64,
    /// Of those the share that is right, over the runs.
    pub accuracy: MeanDeviation,
    /// The same with repairs off.
    pub accuracy_before_repair: MeanDeviation,
    /// The share of all questions whose last statement runs.
    pub running: MeanDeviation,
    /// The share of what a command printed that is no statement.
    pub malformed: f64,
    /// What each run comes to.
    pub runs: Vec<RunScores>,
    /// What questions of each difficulty come to, in the order of the dataset.
    pub difficulties: Vec<DifficultyScores>,
    /// How often each class of failure stands last, over all runs: the code of an error, or in
    /// what an answer is wrong.
    pub failures: BTreeMap<String, u64>,
    /// What repairs come to.
    pub recoverers: Vec<RecovererScores>,
    /// What is right after so many attempts.
    pub rounds: Vec<RoundScores>,
    /// What hints come to.
    pub hints: HintScores,
    /// How long it took.
    pub latency: LatencyScores,
}

/// A mean over the runs, and the standard deviation of a sample; zero of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeanDeviation {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// What one run comes to, in shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunScores {
    /// Right, of what can be.
    pub accuracy: f64,
    /// The same with repairs off.
    pub accuracy_before_repair: f64,
    /// Running, of all.
    pub running: f64,
}

/// What questions of one difficulty come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifficultyScores {
    /// In the words of the dataset.
    pub difficulty: String,
    /// Questions of it that can be right.
    pub scored: u64,
    /// Right, over the runs.
    pub accuracy: f64,
    /// The same with repairs off.
    pub accuracy_before_repair: f64,
}

/// What one recoverer comes to, counted over all attempts that it took part in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecovererScores {
    /// Its name.
    pub recoverer: String,
    /// Attempts whose statement it changed.
    pub applied: u64,
    /// Those that are right, and are not without it.
    pub lift: u64,
    /// Those that are not right, and would be without it.
    pub harm: u64,
}

/// What is right after so many attempts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundScores {
    /// Attempts, from 1.
    pub attempts: u64,
    /// Right by then, over the runs.
    pub accuracy: f64,
}

/// Failures that a command was told of, and whether its next statement ran and was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HintScores {
    /// Failures with a HINT that were followed by another attempt.
    pub hinted: u64,
    /// Of those, the next attempts that ran.
    pub hinted_running: u64,
    /// And those that were right.
    pub hinted_right: u64,
    /// Failures without one.
    pub plain: u64,
    /// Of those, the next attempts that ran.
    pub plain_running: u64,
    /// And those that were right.
    pub plain_right: u64,
}

/// Milliseconds that attempts took; none where there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyScores {
    /// Half of the statements took at most so long.
    pub statement_p50: Option<f64>,
    /// 95 of 100 did.
    pub statement_p95: Option<f64>,
    /// Half of the answers of the command did.
    pub generate_p50: Option<f64>,
    /// 95 of 100 did.
    pub generate_p95: Option<f64>,
}

impl EvaluationScores {
    /// What these come to.
    pub fn of(entries: &[EntryReport]) -> Self {
        let run_count = entries.iter().map(|entry| entry.runs.len()).max();
        let runs: Vec<RunScores> = (0..run_count.unwrap_or(0))
            .map(|number| RunScores::of(entries, number))
            .collect();
        let over = |share: fn(&RunScores) -> f64| {
            MeanDeviation::of(&runs.iter().map(share).collect::<Vec<_>>())
        };
        let attempts = || all_runs(entries).flat_map(|run| &run.attempts);
        let printed = attempts().filter(|attempt| attempt.generate_ms.is_some());
        let malformed = printed
            .clone()
            .filter(|attempt| attempt.outcome == AnswerOutcome::Malformed);
        Self {
            scored: count(entries.iter().filter(|entry| entry.is_scored())),
            accuracy: over(|run| run.accuracy),
            accuracy_before_repair: over(|run| run.accuracy_before_repair),
            running: over(|run| run.running),
            malformed: share(count(malformed), count(printed)),
            difficulties: difficulties(entries),
            failures: failures(entries),
            recoverers: recoverers(attempts()),
            rounds: rounds(entries),
            hints: HintScores::of(entries),
            latency: LatencyScores::of(attempts()),
            runs,
        }
    }
}

impl RunScores {
    fn of(entries: &[EntryReport], number: usize) -> Self {
        let lasts = || {
            entries.iter().filter_map(move |entry| {
                let last = entry.runs.get(number)?.last()?;
                Some((entry.is_scored(), last))
            })
        };
        let scored = || lasts().filter(|(scored, _)| *scored);
        let right = scored().filter(|(_, last)| last.outcome == AnswerOutcome::Right);
        let before = scored().filter(|(_, last)| last.unrepaired() == AnswerOutcome::Right);
        let running = lasts().filter(|(_, last)| last.outcome.has_run());
        Self {
            accuracy: share(count(right), count(scored())),
            accuracy_before_repair: share(count(before), count(scored())),
            running: share(count(running), count(lasts())),
        }
    }
}

impl MeanDeviation {
    /// Of some values.
    pub fn of(values: &[f64]) -> Self {
        let number = real(count(values.iter()));
        if number == 0.0 {
            return Self::default();
        }
        let mean = values.iter().sum::<f64>() / number;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = match number > 1.0 {
            true => (squares / (number - 1.0)).sqrt(),
            false => 0.0,
        };
        Self { mean, deviation }
    }
}

impl HintScores {
    fn of(entries: &[EntryReport]) -> Self {
        let mut scores = Self::default();
        for run in all_runs(entries) {
            let pairs = run.attempts.iter().zip(run.attempts.iter().skip(1));
            for (failed, next) in pairs.filter(|(one, _)| one.outcome == AnswerOutcome::Failed) {
                let ran = u64::from(next.outcome.has_run());
                let right = u64::from(next.outcome == AnswerOutcome::Right);
                let (all, running, rights) = match failed.hinted {
                    true => (
                        &mut scores.hinted,
                        &mut scores.hinted_running,
                        &mut scores.hinted_right,
                    ),
                    false => (
                        &mut scores.plain,
                        &mut scores.plain_running,
                        &mut scores.plain_right,
                    ),
                };
                *all += 1;
                *running += ran;
                *rights += right;
            }
        }
        scores
    }
}

impl LatencyScores {
    fn of<'r>(attempts: impl Iterator<Item = &'r AttemptReport>) -> Self {
        let (mut statements, mut commands) = (Vec::new(), Vec::new());
        for attempt in attempts {
            statements.extend(attempt.statement_ms);
            commands.extend(attempt.generate_ms);
        }
        statements.sort_by(f64::total_cmp);
        commands.sort_by(f64::total_cmp);
        Self {
            statement_p50: percentile(&statements, 50),
            statement_p95: percentile(&statements, 95),
            generate_p50: percentile(&commands, 50),
            generate_p95: percentile(&commands, 95),
        }
    }
}

/// The nearest-rank percentile of values in order.
fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let rank = (values.len() * percent).div_ceil(100);
    values.get(rank.saturating_sub(1)).copied()
}

fn difficulties(entries: &[EntryReport]) -> Vec<DifficultyScores> {
    let mut names: Vec<&str> = Vec::new();
    for name in entries
        .iter()
        .filter_map(|entry| entry.difficulty.as_deref())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let of = |name: &str| {
        let own = || {
            (entries.iter())
                .filter(|entry| entry.is_scored() && entry.difficulty.as_deref() == Some(name))
        };
        let lasts = || {
            own()
                .flat_map(|entry| &entry.runs)
                .filter_map(RunReport::last)
        };
        let right = lasts().filter(|last| last.outcome == AnswerOutcome::Right);
        let before = lasts().filter(|last| last.unrepaired() == AnswerOutcome::Right);
        DifficultyScores {
            difficulty: name.to_owned(),
            scored: count(own()),
            accuracy: share(count(right), count(lasts())),
            accuracy_before_repair: share(count(before), count(lasts())),
        }
    };
    names.into_iter().map(of).collect()
}

fn failures(entries: &[EntryReport]) -> BTreeMap<String, u64> {
    let mut failures = BTreeMap::new();
    for last in all_runs(entries).filter_map(RunReport::last) {
        if !matches!(last.outcome, AnswerOutcome::Right | AnswerOutcome::Runs) {
            *failures.entry(last.ending()).or_default() += 1;
        }
    }
    failures
}

fn recoverers<'r>(attempts: impl Iterator<Item = &'r AttemptReport>) -> Vec<RecovererScores> {
    let mut all: BTreeMap<&str, RecovererScores> = BTreeMap::new();
    for attempt in attempts {
        let before = attempt.unrepaired() == AnswerOutcome::Right;
        let after = attempt.outcome == AnswerOutcome::Right;
        for name in &attempt.recoverers {
            let scores = all.entry(name).or_default();
            scores.recoverer.clone_from(name);
            scores.applied += 1;
            scores.lift += u64::from(after && !before);
            scores.harm += u64::from(before && !after);
        }
    }
    all.into_values().collect()
}

fn rounds(entries: &[EntryReport]) -> Vec<RoundScores> {
    let scored = || {
        let scored = entries.iter().filter(|entry| entry.is_scored());
        scored.flat_map(|entry| &entry.runs)
    };
    let most = scored().map(|run| run.attempts.len()).max().unwrap_or(0);
    let of = |attempts: usize| {
        let right = scored().filter(|run| {
            let decides = attempts.min(run.attempts.len()).saturating_sub(1);
            let last = run.attempts.get(decides);
            last.is_some_and(|last| last.outcome == AnswerOutcome::Right)
        });
        RoundScores {
            attempts: u64::try_from(attempts).unwrap_or(u64::MAX),
            accuracy: share(count(right), count(scored())),
        }
    };
    (1..=most).map(of).collect()
}

fn all_runs(entries: &[EntryReport]) -> impl Iterator<Item = &RunReport> + Clone {
    entries.iter().flat_map(|entry| &entry.runs)
}

fn count(items: impl Iterator) -> u64 {
    u64::try_from(items.count()).unwrap_or(u64::MAX)
}

/// Zero of nothing.
fn share(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => real(part) / real(whole),
    }
}

/// Counts of attempts are far below what a float tells apart.
pub(super) fn real(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::entry_report::{ReferenceReport, ReferenceState};
    use AnswerOutcome::{Failed, Malformed, Right, Runs, Wrong};

    /// An attempt, and what it comes to with repairs off where `x` repaired it.
    fn attempt(outcome: AnswerOutcome, before: Option<AnswerOutcome>) -> AttemptReport {
        AttemptReport {
            outcome,
            class: (outcome == Failed).then(|| "42703".to_owned()),
            recoverers: before.map(|_| "x".to_owned()).into_iter().collect(),
            before_repair: before,
            hinted: outcome == Failed,
            generate_ms: Some(10.0),
            statement_ms: (outcome != Malformed).then_some(1.0),
            sql: None,
            ran: None,
            message: None,
        }
    }

    fn entry(state: ReferenceState, difficulty: &str, runs: &[&[AttemptReport]]) -> EntryReport {
        let runs = runs.iter().map(|attempts| RunReport {
            attempts: attempts.to_vec(),
        });
        EntryReport {
            id: "a".into(),
            question: None,
            difficulty: Some(difficulty.into()),
            database: None,
            origin: None,
            reference: ReferenceReport {
                state,
                sqlstate: None,
                repaired: false,
            },
            previous: None,
            runs: runs.collect(),
        }
    }

    #[test]
    fn shares_are_of_what_can_be_right() {
        let known = ReferenceState::Known;
        let right = attempt(Right, None);
        let lifted = attempt(Right, Some(Failed));
        let harmed = attempt(Wrong, Some(Right));
        let failed = attempt(Failed, None);
        let entries = [
            entry(
                known,
                "easy",
                &[std::slice::from_ref(&right), std::slice::from_ref(&right)],
            ),
            entry(
                known,
                "easy",
                &[
                    &[failed.clone(), lifted.clone()],
                    &[failed.clone(), failed.clone()],
                ],
            ),
            entry(
                known,
                "hard",
                &[&[harmed], &[attempt(Malformed, None), right]],
            ),
            entry(
                ReferenceState::None,
                "hard",
                &[&[attempt(Runs, None)], &[failed]],
            ),
        ];
        let scores = EvaluationScores::of(&entries);
        assert_eq!(scores.scored, 3);
        let shares: Vec<(f64, f64, f64)> = (scores.runs.iter())
            .map(|run| (run.accuracy, run.accuracy_before_repair, run.running))
            .collect();
        assert_eq!(
            shares,
            [(2.0 / 3.0, 2.0 / 3.0, 1.0), (2.0 / 3.0, 2.0 / 3.0, 0.5)]
        );
        assert_eq!(scores.accuracy.deviation, 0.0);
        assert!((scores.running.deviation - 0.125_f64.sqrt()).abs() < 1e-12);
        assert!((scores.malformed - 1.0 / 11.0).abs() < 1e-12);
        let easy = &scores.difficulties[0];
        assert_eq!(
            (easy.scored, easy.accuracy, easy.accuracy_before_repair),
            (2, 0.75, 0.5)
        );
        let failures: Vec<(&str, u64)> = scores
            .failures
            .iter()
            .map(|(name, count)| (&**name, *count))
            .collect();
        assert_eq!(failures, [("failed 42703", 2), ("wrong", 1)]);
        let wanted = RecovererScores {
            recoverer: "x".into(),
            applied: 2,
            lift: 1,
            harm: 1,
        };
        assert_eq!(scores.recoverers, [wanted]);
        let rounds: Vec<(u64, f64)> = (scores.rounds.iter())
            .map(|round| (round.attempts, round.accuracy))
            .collect();
        assert_eq!(rounds, [(1, 2.0 / 6.0), (2, 4.0 / 6.0)]);
        let hints = HintScores {
            hinted: 2,
            hinted_running: 1,
            hinted_right: 1,
            ..HintScores::default()
        };
        assert_eq!(scores.hints, hints);
        assert_eq!(scores.latency.statement_p95, Some(1.0));
        assert_eq!(EvaluationScores::of(&[]).accuracy, MeanDeviation::default());
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&values, 50), Some(10.0));
        assert_eq!(percentile(&values, 95), Some(19.0));
        assert_eq!(percentile(&values[..1], 95), Some(1.0));
        assert_eq!(percentile(&[], 95), None);
    }

    #[test]
    fn deviations_are_of_a_sample() {
        let spread = MeanDeviation::of(&[0.5, 0.7, 0.9]);
        assert!((spread.mean - 0.7).abs() < 1e-12 && (spread.deviation - 0.2).abs() < 1e-12);
        assert_eq!(MeanDeviation::of(&[0.5]).deviation, 0.0);
    }
}
