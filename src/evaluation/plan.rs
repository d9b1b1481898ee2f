//! What an evaluation is told to do.

use std::collections::BTreeMap;
use std::time::Duration;

use super::dataset::DatasetEntry;
use super::generator::StatementGenerator;
use super::grounding_source::GroundingSource;
use super::result_comparison::ComparisonRules;

/// Questions, and how they are asked.
#[derive(Debug)]
pub struct EvaluationPlan {
    /// The questions.
    pub entries: Vec<DatasetEntry>,
    /// The command that answers them; without it their own statements are tried.
    pub generator: Option<StatementGenerator>,
    /// What the command is told of the database, where it is told of it.
    pub grounding: Option<GroundingSource>,
    /// How often each is asked.
    pub runs: u32,
    /// How often a statement that failed may be put right.
    pub rounds: u32,
    /// How results are compared; the order of rows is as each reference has it.
    pub rules: ComparisonRules,
    /// How long a statement may take.
    pub statement_time_max: Duration,
    /// Who asks, as policies see it.
    pub person: EvaluatedPerson,
    /// Whether the report has questions and statements.
    pub texts: TextKeeping,
    /// What became of questions earlier, by their names.
    pub previous: BTreeMap<String, String>,
}

/// Who asks, as policies see it.
#[derive(Clone, Debug)]
pub struct EvaluatedPerson {
    /// The user that the session names.
    pub user: String,
    /// What the program calls itself.
    pub application_name: String,
    /// The database of every question; without it the one that a question names, where the server
    /// has that, else that of the address.
    pub database: Option<String>,
}

/// Whether a report has questions and statements in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKeeping {
    /// It has.
    Kept,
    /// It has names, outcomes and codes alone.
    LeftOut,
}
