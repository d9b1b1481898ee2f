//! `pgsieve repair`: what would become of statements that fail. They are judged with the catalog of
//! a database and compiled there, repaired and compiled again; nothing is executed unless it is
//! asked for, and then read-only.

pub(super) mod output;
pub(super) mod repair_run;

use std::io::{BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use tokio::runtime;

use crate::cli::check::{CheckIoError, unreadable};
use crate::cli::database_catalog;
use crate::cli::database_catalog::DatabaseVisit;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::repair::output::{RepairReport, SqlVisibility};
use crate::cli::repair::repair_run::{ExecutionMode, RepairRun};
use crate::cli::statement_input::{next_question, open, read_text, split};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::SettingsProblem;
use crate::offline::assumptions::AssumedDatabase;
use crate::offline::script_session::ScriptSession;
use crate::policy::{LikelyRepairs, RepairMode};
use crate::repair::dialect_history::DialectHistory;

/// The flags of `repair`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct RepairFlags {
    /// The database that compiles the statements and whose catalog they are judged with:
    /// postgres://[user[:password]@]host[:port]/[name]. Other connection parameters can come from
    /// the environment, as for serve. Only statements that the policy permits are sent there.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Policy files, folders of them, or agent, bi, strict and observe; several with commas. If
    /// there are several, the one that such a session gets is used. Statements are compiled as the
    /// user of --upstream.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    #[command(flatten)]
    person: PersonFlags,
    /// What happens to likely repairs, instead of what the policy says.
    #[arg(long, value_name = "WHAT", value_enum)]
    likely: Option<LikelyMode>,
    /// Executes the statements that are permitted, read-only and with the policy's timeouts, and
    /// counts their rows.
    #[arg(long)]
    execute: bool,
    /// Prints neither statements nor anything that quotes them.
    #[arg(long)]
    no_sql: bool,
    /// Reads {"id":…,"sql":…} per line and answers a line for each: the fields of check --jsonl,
    /// then outcome, sqlstate_before, sqlstate_after, recoverers, attempts, rows, and unless
    /// --no-sql message, repaired_sql and advice. Otherwise statements of one session that end in
    /// semicolons are read.
    #[arg(long)]
    jsonl: bool,
    /// The input; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    input: String,
}

/// What becomes of likely repairs.
#[derive(Clone, Copy, clap::ValueEnum)]
enum LikelyMode {
    /// They are put into the HINT.
    Hint,
    /// They run.
    Apply,
}

/// What was found, for the exit status.
#[derive(Default)]
struct RepairTally {
    failed: bool,
    unreadable: bool,
}

/// Tries everything in the input.
pub fn run(flags: &RepairFlags, out: &mut impl Write) -> CommandOutcome {
    let (mut bench, script) = match prepare(flags) {
        Ok(prepared) => prepared,
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return CommandOutcome::Misused;
        }
    };
    let input = match open(&flags.input) {
        Ok(input) => input,
        Err(error) => return unreadable(&flags.input, &error),
    };
    let sql = if flags.no_sql {
        SqlVisibility::Hidden
    } else {
        SqlVisibility::Shown
    };
    let mut out = BufWriter::new(out);
    let mut tally = RepairTally::default();
    let tried = match flags.jsonl {
        true => try_lines(&mut bench, &script, input, sql, &mut out, &mut tally),
        false => try_text(&mut bench, script, input, sql, &mut out, &mut tally),
    };
    match (tried, out.flush()) {
        (Err(CheckIoError::Input(error)), _) => unreadable(&flags.input, &error),
        (Err(CheckIoError::Output(error)), _) | (Ok(()), Err(error)) => print_outcome(Err(error)),
        (Ok(()), Ok(())) if tally.unreadable => CommandOutcome::Misused,
        (Ok(()), Ok(())) if tally.failed => CommandOutcome::Failed,
        (Ok(()), Ok(())) => CommandOutcome::Done,
    }
}

fn prepare(flags: &RepairFlags) -> Result<(RepairRun, ScriptSession), Vec<SettingsProblem>> {
    let files = files::read(&files::words(&flags.policy))?;
    // Connections live on a thread of its own while this one waits for answers.
    let mut builder = runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| {
        let (place, what) = ("this system".into(), error.kind().to_string());
        vec![SettingsProblem { place, what }]
    })?;
    let seen = runtime.block_on(database_catalog::read_database(&flags.upstream))?;
    let world = AssumedDatabase {
        catalog: Some(Arc::new(seen.catalog)),
        account: seen.account.user.clone(),
        database: seen.database.clone(),
        ..AssumedDatabase::default()
    };
    let who = flags.person.person(&world)?;
    let file = trial::choose(files, &who, &world)?.file;
    let likely = flags.likely.map(|likely| match likely {
        LikelyMode::Hint => LikelyRepairs::Hint,
        LikelyMode::Apply => LikelyRepairs::Apply,
    });
    let policy = match likely {
        Some(likely) => {
            let (place, what) = ("--likely".into(), "the policy is held elsewhere".into());
            let own = Arc::into_inner(file.policy).ok_or(vec![SettingsProblem { place, what }])?;
            Arc::new(own.with_likely(likely))
        }
        None => file.policy,
    };
    if policy.repair().mode == RepairMode::Off {
        let (place, what) = ("--policy".into(), "says repair.mode: off".into());
        return Err(vec![SettingsProblem { place, what }]);
    }
    let judge = trial::judge(&policy, &world)?;
    let visit = DatabaseVisit {
        script: judge.session(&world, &who),
        upstream: Arc::new(seen.upstream),
        account: seen.account,
        database: seen.database,
        user: who.user.clone(),
    };
    let execution = if flags.execute {
        ExecutionMode::Reads
    } else {
        ExecutionMode::Never
    };
    RepairRun::new(runtime, judge.into_gate(), visit, execution)
}

/// The statements of one session: what one of them prepares or sets, the next ones meet.
fn try_text(
    bench: &mut RepairRun,
    mut script: ScriptSession,
    input: impl Read,
    sql: SqlVisibility,
    out: &mut impl Write,
    tally: &mut RepairTally,
) -> Result<(), CheckIoError> {
    let text = read_text(input).map_err(CheckIoError::Input)?;
    let mut dialect_history = DialectHistory::default();
    for (place, statement) in split(&text).into_iter().enumerate() {
        let judgement = bench.judge(statement.text, script.names());
        let names = script.names();
        let report = bench.try_repair(statement.text, &judgement, names, &mut dialect_history);
        if judgement.facts.discards_all() {
            dialect_history = DialectHistory::default();
        }
        script.apply(&judgement);
        tally.note(&report);
        let written = report.write(place + 1, statement.line, sql, out);
        written.map_err(CheckIoError::Output)?;
    }
    Ok(())
}

/// Questions that have nothing to do with each other, answered one by one.
fn try_lines(
    bench: &mut RepairRun,
    script: &ScriptSession,
    input: impl Read,
    sql: SqlVisibility,
    out: &mut impl Write,
    tally: &mut RepairTally,
) -> Result<(), CheckIoError> {
    let mut input = BufReader::new(input);
    let mut number = 0;
    while let Some(question) =
        next_question(&mut input, &mut number).map_err(CheckIoError::Input)?
    {
        match question {
            Ok(question) => {
                let judgement = bench.judge(&question.sql, script.names());
                let mut unknown = DialectHistory::default();
                let names = script.names();
                let report = bench.try_repair(&question.sql, &judgement, names, &mut unknown);
                tally.note(&report);
                let written = report.write_line(&question.id, sql, out);
                written.map_err(CheckIoError::Output)?;
            }
            Err(why) => {
                tally.unreadable = true;
                complain(format_args!("line {number}: {}", why.why()));
            }
        }
    }
    Ok(())
}

impl RepairTally {
    fn note(&mut self, report: &RepairReport) {
        self.failed |= !report.ended.is_fine();
    }
}

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when every statement runs, as it is or repaired; \
    1 when one fails, is refused, or could not be tried; \
    2 when the question is wrong, or its input or the database cannot be read.";
