//! Two reports over the same questions, question by question.

use std::collections::BTreeMap;

use super::paired_test::PairedTest;
use super::report::{EntryReport, EvaluationReport};

/// What a later report is beside an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportComparison {
    /// Questions that both have.
    pub shared: u64,
    /// Whether the difference is more than chance.
    pub test: PairedTest,
    /// The names of those that the earlier one answers and the later one does not.
    pub lost: Vec<String>,
    /// The names of those that the later one answers and the earlier one does not.
    pub won: Vec<String>,
}

impl ReportComparison {
    /// Of two reports; questions are the same by their names. An answer counts where more than half
    /// of its runs do.
    pub fn of(earlier: &EvaluationReport, later: &EvaluationReport) -> Self {
        let known: BTreeMap<&str, &EntryReport> = (earlier.entries.iter())
            .map(|entry| (&*entry.id, entry))
            .collect();
        let pairs: Vec<(&EntryReport, &EntryReport)> = (later.entries.iter())
            .filter_map(|entry| Some((*known.get(&*entry.id)?, entry)))
            .filter(|(one, other)| one.is_scored() == other.is_scored())
            .collect();
        let answers = pairs.iter();
        let answers = answers.map(|(one, other)| (one.is_answered(), other.is_answered()));
        let named = |wanted: (bool, bool)| {
            let named = pairs
                .iter()
                .filter(move |(one, other)| (one.is_answered(), other.is_answered()) == wanted);
            named.map(|(one, _)| one.id.clone()).collect()
        };
        Self {
            shared: u64::try_from(pairs.len()).unwrap_or(u64::MAX),
            test: PairedTest::of(answers),
            lost: named((true, false)),
            won: named((false, true)),
        }
    }

    /// What it comes to, in a sentence.
    pub fn verdict(&self) -> String {
        let PairedTest { lost, won, p_value } = self.test;
        let counts = format!("{won} won, {lost} lost of {} shared questions", self.shared);
        let kind = match (self.test.is_more_than_chance(), won > lost) {
            (true, true) => "better",
            (true, false) => "worse",
            (false, _) => "no difference that chance does not explain",
        };
        let chance = match p_value < 0.001 {
            true => "p < 0.001".to_owned(),
            false => format!("p = {p_value:.3}"),
        };
        format!("{kind}: {counts}, {chance} (McNemar, exact)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::report::{
        AnswerOutcome, AttemptReport, EvaluatedDataset, EvaluationSetup, FORMAT, ReferenceReport,
        ReferenceState, RunReport, StatementSource,
    };
    use crate::evaluation::scores::EvaluationScores;

    /// A report in which a question is answered in so many of three runs.
    fn report(label: &str, right: &[usize]) -> EvaluationReport {
        let attempt = |outcome| AttemptReport {
            outcome,
            class: None,
            recoverers: Vec::new(),
            before_repair: None,
            hinted: false,
            generate_ms: None,
            statement_ms: None,
            sql: None,
            ran: None,
            message: None,
        };
        let entries = (right.iter().enumerate()).map(|(number, right)| EntryReport {
            id: number.to_string(),
            question: None,
            difficulty: None,
            database: None,
            origin: None,
            reference: ReferenceReport {
                state: ReferenceState::Known,
                sqlstate: None,
                repaired: false,
            },
            previous: None,
            runs: (0..3)
                .map(|run| RunReport {
                    attempts: vec![attempt(match run < *right {
                        true => AnswerOutcome::Right,
                        false => AnswerOutcome::Wrong,
                    })],
                })
                .collect(),
        });
        EvaluationReport {
            format: FORMAT,
            pgsieve: "0".into(),
            began_at: "2026-01-02T03:04:05Z".into(),
            label: label.into(),
            dataset: EvaluatedDataset {
                files: Vec::new(),
                digest: String::new(),
                entries: 0,
            },
            setup: EvaluationSetup {
                policy: "agent".into(),
                source: StatementSource::Dataset,
                runs: 3,
                rounds: 0,
                comparison: String::new(),
            },
            scores: EvaluationScores::default(),
            entries: entries.collect(),
        }
    }

    #[test]
    fn an_answer_counts_where_most_of_its_runs_do() {
        let (earlier, later) = (
            report("a", &[3, 2, 1, 0, 0]),
            report("b", &[3, 1, 2, 2, 0, 3]),
        );
        let compared = ReportComparison::of(&earlier, &later);
        assert_eq!(compared.shared, 5);
        assert_eq!(
            (compared.lost, compared.won),
            (vec!["1".to_owned()], vec!["2".to_owned(), "3".to_owned()])
        );
    }

    #[test]
    fn what_chance_explains_is_called_no_difference() {
        let told = |before: usize, after: usize| {
            let of = |right: usize| {
                let all: Vec<usize> = (0..20)
                    .map(|number| if number < right { 3 } else { 0 })
                    .collect();
                report("x", &all)
            };
            ReportComparison::of(&of(before), &of(after)).verdict()
        };
        assert!(
            told(10, 14).starts_with("no difference"),
            "{}",
            told(10, 14)
        );
        assert!(
            told(4, 12).starts_with("better: 8 won, 0 lost of 20"),
            "{}",
            told(4, 12)
        );
        assert!(told(12, 4).starts_with("worse"), "{}", told(12, 4));
        assert!(told(0, 20).contains("p < 0.001"), "{}", told(0, 20));
    }
}
