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
        format!("{kind}: {counts}, p = {p_value:.3} (McNemar, exact)")
    }
}
