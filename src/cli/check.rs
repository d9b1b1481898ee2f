//! `pgsieve check`: the gate by itself, without a database or with the catalog of one. It shows
//! verdicts, rules, kinds, fingerprints and hints, and never the SQL: its output may go where the
//! statements may not.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::statement_input::{next_question, open, read_text, split};
use crate::cli::verdict_output::{Row, Shown, write_table};
use crate::cli::{Outcome, complain, said};
use crate::config::Problem;
use crate::gate::Gate;
use crate::offline::assumptions::{Person, World};
use crate::offline::judge::Judge;
use crate::offline::script_session::Course;
use crate::policy::Policy;
use crate::sql::fingerprint::Fingerprinter;
use crate::system_error;

/// The flags of `check`.
#[derive(clap::Args)]
pub struct Flags {
    /// Policy files, folders of them, or agent, bi, strict and observe, several with commas: of
    /// several the one that such a session gets judges.
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
struct Bench {
    judge: Judge,
    world: World,
    who: Person,
}

/// What was found, for the exit status.
#[derive(Default)]
struct Tally {
    refused: bool,
    unreadable: bool,
}

/// Judges everything in the input.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let bench = match prepare(flags) {
        Ok(prepared) => prepared,
        Err(problems) => {
            for problem in problems {
                complain(format_args!("{problem}"));
            }
            return Outcome::Misused;
        }
    };
    let input = match open(&flags.input) {
        Ok(input) => input,
        Err(error) => return unreadable(&flags.input, &error),
    };
    let mut out = BufWriter::new(out);
    let mut tally = Tally::default();
    let judged = match flags.jsonl {
        true => judge_lines(&bench, input, &mut out, &mut tally),
        false => judge_text(&bench, input, &mut out, &mut tally),
    };
    match (judged, out.flush()) {
        (Err(Trouble::Input(error)), _) => unreadable(&flags.input, &error),
        (Err(Trouble::Output(error)), _) | (Ok(()), Err(error)) => said(Err(error)),
        (Ok(()), Ok(())) if tally.unreadable => Outcome::Misused,
        (Ok(()), Ok(())) if tally.refused => Outcome::Failed,
        (Ok(()), Ok(())) => Outcome::Done,
    }
}

fn prepare(flags: &Flags) -> Result<Bench, Vec<Problem>> {
    let files = files::read(&files::words(&flags.policy))?;
    let world = trial::world(flags.upstream.as_deref())?;
    let who = flags.person.person(&world)?;
    let chosen = trial::choose(files, &who, &world)?;
    Ok(Bench {
        judge: trial::judge(&chosen.file.policy, &world)?,
        world,
        who,
    })
}

impl Bench {
    /// The beginning of a session.
    fn session(&self) -> Course {
        self.judge.session(&self.world, &self.who)
    }
}

/// On which side reading and writing failed.
pub enum Trouble {
    /// That of the input.
    Input(io::Error),
    /// That of the output.
    Output(io::Error),
}

/// A judge under that policy, whose fingerprints nobody can compute elsewhere.
pub fn gate(policy: impl Into<Arc<Policy>>) -> Result<Gate, Vec<Problem>> {
    let mut process_key = [0; 32];
    getrandom::fill(&mut process_key).map_err(|_| {
        let (place, what) = ("this system".into(), "gives no randomness".into());
        vec![Problem { place, what }]
    })?;
    Ok(Gate::new(
        policy.into(),
        Fingerprinter::new(None, process_key),
    ))
}

/// The statements of one session: what one of them prepares or declares, the next ones may name.
fn judge_text(
    bench: &Bench,
    input: impl Read,
    out: &mut impl Write,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let text = read_text(input).map_err(Trouble::Input)?;
    let mut rows = Vec::new();
    let mut course = bench.session();
    for (place, statement) in split(&text).into_iter().enumerate() {
        let shown = Shown::of_ruling(&bench.judge.hear(statement.text, &mut course));
        tally.refused |= !shown.allowed;
        rows.push(Row {
            number: place + 1,
            line: statement.line,
            shown,
        });
    }
    write_table(&rows, out).map_err(Trouble::Output)
}

/// Questions that have nothing to do with each other, answered one by one.
fn judge_lines(
    bench: &Bench,
    input: impl Read,
    out: &mut impl Write,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let mut input = BufReader::new(input);
    let mut number = 0;
    while let Some(question) = next_question(&mut input, &mut number).map_err(Trouble::Input)? {
        match question {
            Ok(question) => {
                let ruling = bench.judge.hear(&question.sql, &mut bench.session());
                let shown = Shown::of_ruling(&ruling);
                tally.refused |= !shown.allowed;
                shown
                    .write_line(&question.id, out)
                    .map_err(Trouble::Output)?;
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
pub fn unreadable(name: &str, error: &io::Error) -> Outcome {
    let told = match name {
        "-" => format!("standard input: {}", error.kind()),
        name => system_error::of_file(Path::new(name), error.kind()),
    };
    complain(format_args!("the input cannot be read: {told}"));
    Outcome::Misused
}
