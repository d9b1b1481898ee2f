//! What an evaluation found, as it is kept in a file: `policies/evaluation.schema.json`.
//!
//! A report has the questions and the statements in it, unless it was asked to leave them out: its
//! file is for those who may read the dataset.

use serde::{Deserialize, Serialize};

pub use super::entry_report::{
    AnswerOutcome, AttemptReport, EntryReport, ReferenceReport, ReferenceState, RunReport,
};
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
