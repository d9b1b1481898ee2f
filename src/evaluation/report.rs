//! What an evaluation found, as it is kept in a file: `policies/evaluation.schema.json`.
//!
//! A report has the questions and the statements in it, unless it was asked to leave them out: its
//! file is for those who may read the dataset.

use serde::{Deserialize, Serialize};

use super::scores::EvaluationScores;

/// The schema of a report.
pub const SCHEMA: &str = include_str!("../../policies/evaluation.schema.json");

/// The form of reports that this program writes, and reads.
pub const FORMAT: u32 = 1;

/// What an evaluation found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationReport {
    /// Always [`FORMAT`].
    pub format: u32,
    /// The version of pgsieve that wrote it.
    pub pgsieve: String,
    /// When it began, in the form of RFC 3339.
    pub began_at: String,
    /// What it is called in tables and charts.
    pub label: String,
    /// What was asked.
    pub dataset: EvaluatedDataset,
    /// How.
    pub setup: EvaluationSetup,
    /// What became of each question, in the order of the dataset.
    pub entries: Vec<EntryReport>,
    /// What it comes to.
    pub scores: EvaluationScores,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluatedDataset {
    /// The names of its files, without their folders.
    pub files: Vec<String>,
    /// BLAKE3 of the files one behind the other, in hexadecimal digits.
    pub digest: String,
    /// Questions in them.
    pub entries: u64,
}

/// How it was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationSetup {
    /// The words of `--policy`.
    pub policy: String,
    /// Where statements come from.
    pub source: StatementSource,
    /// How often each question was asked.
    pub runs: u32,
    /// How often a statement that failed could be put right.
    pub rounds: u32,
    /// How results are compared.
    pub comparison: String,
}

/// Where statements come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementSource {
    /// They stand in the dataset.
    Dataset,
    /// They stand in a file of predictions.
    Predictions,
    /// A command is asked for each.
    Command,
    /// They failed on the wire and were kept.
    Capture,
}

/// What became of one question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntryReport {
    /// Its name in the dataset.
    pub id: String,
    /// What is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// How hard it is, in the words of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<String>,
    /// The database that it was asked of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// What it was held against.
    pub reference: ReferenceReport,
    /// What became of it in an earlier report, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// What became of it in each run.
    pub runs: Vec<RunReport>,
}

/// What an answer was held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceReport {
    /// Whether there was something.
    pub state: ReferenceState,
    /// The code with which its statement fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sqlstate: Option<String>,
    /// Its statement was repaired before it ran.
    #[serde(default, skip_serializing_if = "is_false")]
    pub repaired: bool,
}

/// Whether there is something to hold an answer against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceState {
    /// There is.
    Known,
    /// The dataset has none.
    None,
    /// Its statement does not run.
    Fails,
    /// Its result is cut by the policy, or larger than what is compared.
    TooLarge,
}

/// What became of a question in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunReport {
    /// Each statement that was tried, the last one deciding.
    pub attempts: Vec<AttemptReport>,
}

/// What became of one statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttemptReport {
    /// What it came to.
    pub outcome: AnswerOutcome,
    /// The code of its error; or in what its result, or what a command printed, is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Who repaired it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recoverers: Vec<String>,
    /// What it comes to with repairs off, where it was repaired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_repair: Option<AnswerOutcome>,
    /// Its error came with a HINT.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hinted: bool,
    /// Milliseconds that the command took, where one was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate_ms: Option<f64>,
    /// Milliseconds that the statement took, repairs included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_ms: Option<f64>,
    /// The statement, where texts are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The statement that ran in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
    /// The words of its error, where texts are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What an attempt comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOutcome {
    /// Its rows are those of the reference.
    Right,
    /// It runs, and there is nothing to hold it against.
    Runs,
    /// Its rows are others.
    Wrong,
    /// It fails, or is refused.
    Failed,
    /// What the command printed is no statement.
    Malformed,
    /// The command has a question first.
    FollowUp,
}

impl AnswerOutcome {
    /// The word that reports and tables show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Runs => "runs",
            Self::Wrong => "wrong",
            Self::Failed => "failed",
            Self::Malformed => "malformed",
            Self::FollowUp => "follow_up",
        }
    }

    /// Whether the statement ran to its end.
    pub fn has_run(self) -> bool {
        matches!(self, Self::Right | Self::Runs | Self::Wrong)
    }
}

impl EntryReport {
    /// Whether an answer can be called right.
    pub fn is_scored(&self) -> bool {
        self.reference.state == ReferenceState::Known
    }

    /// Whether more than half of the runs are right; where nothing can be called right, whether
    /// they run.
    pub fn is_answered(&self) -> bool {
        let is_good = |run: &&RunReport| match run.last().map(|last| last.outcome) {
            Some(AnswerOutcome::Right) => true,
            Some(outcome) => !self.is_scored() && outcome.has_run(),
            None => false,
        };
        let good = self.runs.iter().filter(is_good).count();
        good * 2 > self.runs.len()
    }

    /// What became of it in one word or two: of the first run that is no answer, else of the last.
    pub fn ending(&self) -> String {
        let lasts = self.runs.iter().filter_map(RunReport::last);
        let bad = |one: &&AttemptReport| {
            !matches!(one.outcome, AnswerOutcome::Right | AnswerOutcome::Runs)
        };
        let told = lasts.clone().find(bad).or(lasts.last());
        told.map_or_else(String::new, AttemptReport::ending)
    }
}

impl RunReport {
    /// The attempt that decides.
    pub fn last(&self) -> Option<&AttemptReport> {
        self.attempts.last()
    }
}

impl AttemptReport {
    /// What came of it in one word or two.
    pub fn ending(&self) -> String {
        match &self.class {
            Some(class) => format!("{} {class}", self.outcome.name()),
            None => self.outcome.name().to_owned(),
        }
    }

    /// What it comes to with repairs off.
    pub fn unrepaired(&self) -> AnswerOutcome {
        self.before_repair.unwrap_or(self.outcome)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}
