//! `pgsieve check`: the gate by itself, without a database or with the catalog of one. It shows
//! verdicts, rules, kinds, fingerprints and hints, and never the SQL: its output may go where the
//! statements may not.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::statement_input::{next_question, open, read_text, split};
use crate::cli::verdict_output::{ShownVerdict, VerdictRow, write_table};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::SettingsProblem;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::OfflineJudge;
use crate::offline::script_session::ScriptSession;
use crate::system_error;

/// The flags of `check`.
#[derive(clap::Args)]
pub struct CheckFlags {
    /// Policy files, folders of them, or agent, bi, strict and observe; several with commas. If
    /// there are several, the one that such a session gets is used.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    /// Judges with the catalog of this database: postgres://[user[:password]@]host[:port]/[name].
    /// Any role that may connect can read it. What else says how to get there can come from the
    /// environment, as for serve; the statements stay here.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Reads {"id":…,"sql":…} per line and answers a line for each; otherwise statements of one
    /// session that end in semicolons are read, and a table is printed.
    #[arg(long, alias = "json")]
    jsonl: bool,
    #[command(flatten)]
    person: PersonFlags,
    /// The input; - for standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    input: String,
}

/// Who judges, and in whose session.
struct CheckSession {
    judge: OfflineJudge,
    world: AssumedDatabase,
    who: AssumedSession,
}

/// What was found, for the exit status.
#[derive(Default)]
struct CheckTally {
    refused: bool,
    unreadable: bool,
}

/// Judges everything in the input.
pub fn run(flags: &CheckFlags, out: &mut impl Write) -> CommandOutcome {
    let bench = match prepare(flags) {
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
    let mut out = BufWriter::new(out);
    let mut tally = CheckTally::default();
    let judged = match flags.jsonl {
        true => judge_lines(&bench, input, &mut out, &mut tally),
        false => judge_text(&bench, input, &mut out, &mut tally),
    };
    match (judged, out.flush()) {
        (Err(CheckIoError::Input(error)), _) => unreadable(&flags.input, &error),
        (Err(CheckIoError::Output(error)), _) | (Ok(()), Err(error)) => print_outcome(Err(error)),
        (Ok(()), Ok(())) if tally.unreadable => CommandOutcome::Misused,
        (Ok(()), Ok(())) if tally.refused => CommandOutcome::Failed,
        (Ok(()), Ok(())) => CommandOutcome::Done,
    }
}

fn prepare(flags: &CheckFlags) -> Result<CheckSession, Vec<SettingsProblem>> {
    let files = files::read(&files::words(&flags.policy))?;
    let world = trial::world(flags.upstream.as_deref())?;
    let who = flags.person.person(&world)?;
    let chosen = trial::choose(files, &who, &world)?;
    Ok(CheckSession {
        judge: trial::judge(&chosen.file.policy, &world)?,
        world,
        who,
    })
}

impl CheckSession {
    /// The beginning of a session.
    fn session(&self) -> ScriptSession {
        self.judge.session(&self.world, &self.who)
    }
}

/// On which side reading and writing failed.
pub enum CheckIoError {
    /// That of the input.
    Input(io::Error),
    /// That of the output.
    Output(io::Error),
}

/// The statements of one session: what one of them prepares or declares, the next ones may name.
fn judge_text(
    bench: &CheckSession,
    input: impl Read,
    out: &mut impl Write,
    tally: &mut CheckTally,
) -> Result<(), CheckIoError> {
    let text = read_text(input).map_err(CheckIoError::Input)?;
    let mut rows = Vec::new();
    let mut script = bench.session();
    for (place, statement) in split(&text).into_iter().enumerate() {
        let shown = ShownVerdict::of_ruling(&bench.judge.judge(statement.text, &mut script));
        tally.refused |= !shown.allowed;
        rows.push(VerdictRow {
            number: place + 1,
            line: statement.line,
            shown,
        });
    }
    write_table(&rows, out).map_err(CheckIoError::Output)
}

/// Questions that have nothing to do with each other, answered one by one.
fn judge_lines(
    bench: &CheckSession,
    input: impl Read,
    out: &mut impl Write,
    tally: &mut CheckTally,
) -> Result<(), CheckIoError> {
    let mut input = BufReader::new(input);
    let mut number = 0;
    while let Some(question) =
        next_question(&mut input, &mut number).map_err(CheckIoError::Input)?
    {
        match question {
            Ok(question) => {
                let ruling = bench.judge.judge(&question.sql, &mut bench.session());
                let shown = ShownVerdict::of_ruling(&ruling);
                tally.refused |= !shown.allowed;
                shown
                    .write_line(&question.id, out)
                    .map_err(CheckIoError::Output)?;
            }
            Err(why) => {
                tally.unreadable = true;
                complain(format_args!("line {number}: {}", why.why()));
            }
        }
    }
    Ok(())
}

/// Says that an input cannot be read, and why; `-` is standard input.
pub fn unreadable(name: &str, error: &io::Error) -> CommandOutcome {
    let told = match name {
        "-" => format!("standard input: {}", error.kind()),
        name => system_error::of_file(Path::new(name), error.kind()),
    };
    complain(format_args!("the input cannot be read: {told}"));
    CommandOutcome::Misused
}
