//! What `pgsieve eval` can be told of a run.

use std::path::PathBuf;
use std::time::Duration;

use crate::config::quantities::duration_within;
use crate::evaluation::grounding_source::GroundingScope;
use crate::limits::evaluation::{CONNECTIONS_MAX, ROUNDS_MAX, RUNS_MAX};

/// The flags of a run.
#[derive(clap::Args)]
pub struct EvalRunFlags {
    /// The questions; - for standard input.
    #[arg(value_name = "DATASET", required = true)]
    pub datasets: Vec<PathBuf>,
    /// The database that is asked: postgres://[user[:password]@]host[:port]/[name]. Other
    /// connection parameters can come from the environment, as for serve.
    #[arg(long, value_name = "URL", required = true)]
    pub upstream: Option<String>,
    /// Policy files, folders of them, or agent, bi, strict and observe; several with commas. If
    /// there are several, the one that such a session gets is used.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    pub policy: String,
    /// The user of the sessions, as policies see it [default: who logs in to the database].
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Who logs in to the database in the place of --upstream's user.
    #[arg(long, value_name = "NAME")]
    pub role: Option<String>,
    /// A file whose first line is the password of --role.
    #[arg(long, value_name = "FILE", requires = "role")]
    pub role_password_file: Option<PathBuf>,
    /// The application_name of the sessions.
    #[arg(long, value_name = "NAME", default_value = "pgsieve eval")]
    pub application_name: String,
    /// The database of every question [default: the one that a question names, where the server
    /// has it, else that of --upstream].
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// A command for the shell that answers questions: it reads one JSON object, {id, question,
    /// comments?, database?, grounding?, run, attempt, previous?}, and prints SQL or an object as
    /// `pgsieve choose --schema` describes it. previous is {sql?, sqlstate?, message, detail?,
    /// hint?, suggested_sql?} of the attempt before, where that failed.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["predictions", "from_capture"])]
    pub generate: Option<String>,
    /// How often each question is asked.
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = runs)]
    pub runs: u32,
    /// How often the command may put a statement right that failed.
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = rounds)]
    pub rounds: u32,
    /// What the command is told of the database: question (what the question needs), whole or off.
    #[arg(long, value_name = "SCOPE", default_value = "question", value_parser = scope)]
    pub grounding: GroundingWish,
    /// How long the command may take for one answer, 100ms to 1h.
    #[arg(long, value_name = "DURATION", default_value = "2min", value_parser = duration)]
    pub generate_timeout: Duration,
    /// Statements that were generated earlier, as BIRD and Spider keep them, or as lines of
    /// {id, sql}.
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// The files are what capture.file has kept: their statements are tried again.
    #[arg(long, conflicts_with = "predictions")]
    pub from_capture: bool,
    /// Only questions that this report has as not answered; then and now are shown side by side.
    #[arg(long, value_name = "REPORT")]
    pub failed_only: Option<PathBuf>,
    /// The first so many questions only.
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Questions that are asked at the same time, each on connections of its own.
    #[arg(long, value_name = "COUNT", default_value_t = 4, value_parser = connections)]
    pub connections: usize,
    /// How long a statement may take, 100ms to 1h; the policy may allow less.
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = duration)]
    pub timeout: Duration,
    /// Columns may stand in another order than the reference has them.
    #[arg(long)]
    pub any_column_order: bool,
    /// Equal rows count once and no order matters, as BIRD and Spider compare.
    #[arg(long)]
    pub as_sets: bool,
    /// Where the report goes, as JSON; - for standard output, in the place of the table.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What the report is called in tables and charts [default: the name of its file].
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,
    /// Leaves questions, statements and messages out of the report.
    #[arg(long)]
    pub without_text: bool,
    /// Exit status 1 where accuracy is less than this, from 0 to 1.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub at_least: Option<f64>,
}

/// What the command is told of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundingWish {
    /// So much.
    Told(GroundingScope),
    /// Nothing.
    Off,
}

fn scope(text: &str) -> Result<GroundingWish, String> {
    match text {
        "question" => Ok(GroundingWish::Told(GroundingScope::Question)),
        "whole" => Ok(GroundingWish::Told(GroundingScope::Whole)),
        "off" => Ok(GroundingWish::Off),
        _ => Err("question, whole or off is wanted".into()),
    }
}

fn runs(text: &str) -> Result<u32, String> {
    within(text, 1, RUNS_MAX)
}

fn rounds(text: &str) -> Result<u32, String> {
    within(text, 0, ROUNDS_MAX)
}

fn connections(text: &str) -> Result<usize, String> {
    within(text, 1, CONNECTIONS_MAX)
}

fn within<N>(text: &str, least: N, most: N) -> Result<N, String>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = text.parse().ok();
    let number = number.filter(|number: &N| *number >= least && *number <= most);
    number.ok_or_else(|| format!("a number from {least} to {most} is wanted"))
}

fn duration(text: &str) -> Result<Duration, String> {
    duration_within(text, TIME_BOUNDS)
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a number from 0 to 1 is wanted".into())
}

/// Of one answer of the command, and of one statement.
const TIME_BOUNDS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3_600));
