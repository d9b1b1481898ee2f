//! `pgsieve repair`: what would become of statements that fail. They are judged with the catalog of
//! a database and compiled there, repaired and compiled again; nothing is executed unless it is
//! asked for, and then read-only.

pub(super) mod output;
pub(super) mod repair_run;

use std::io::{BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use tokio::runtime;

use crate::cli::check::{Trouble, unreadable};
use crate::cli::database_catalog;
use crate::cli::database_catalog::Visit;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::repair::output::{Mended, Sql};
use crate::cli::repair::repair_run::{Bench, Execution};
use crate::cli::statement_input::{next_question, open, read_text, split};
use crate::cli::{Outcome, complain, said};
use crate::config::Problem;
use crate::offline::assumptions::World;
use crate::offline::script_session::Course;
use crate::policy::{LikelyRepairs, RepairMode};

/// The flags of `repair`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
pub struct Flags {
    /// The database that statements are compiled on, and whose catalog they are judged with:
    /// postgres://[user[:password]@]host[:port]/[name]. What else says how to get there can come
    /// from the environment, as for serve. Only what the policy permits is sent there.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Policy files, folders of them, or agent, bi, strict and observe, several with commas: of
    /// several the one that such a session gets judges. Compiled is as the one that logs in.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    #[command(flatten)]
    person: PersonFlags,
    /// What becomes of likely repairs, whatever the policy says.
    #[arg(long, value_name = "WHAT", value_enum)]
    likely: Option<Likely>,
    /// Executes what runs, read-only and with the policy's bounds in time, and counts its rows.
    #[arg(long)]
    execute: bool,
    /// Prints no statement, and nothing that quotes one.
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
enum Likely {
    /// They are a HINT.
    Hint,
    /// They run.
    Apply,
}

/// What was found, for the exit status.
#[derive(Default)]
struct Tally {
    failed: bool,
    unreadable: bool,
}

/// Tries everything in the input.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let (mut bench, course) = match prepare(flags) {
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
    let sql = if flags.no_sql {
        Sql::Hidden
    } else {
        Sql::Shown
    };
    let mut out = BufWriter::new(out);
    let mut tally = Tally::default();
    let tried = match flags.jsonl {
        true => try_lines(&mut bench, &course, input, sql, &mut out, &mut tally),
        false => try_text(&mut bench, course, input, sql, &mut out, &mut tally),
    };
    match (tried, out.flush()) {
        (Err(Trouble::Input(error)), _) => unreadable(&flags.input, &error),
        (Err(Trouble::Output(error)), _) | (Ok(()), Err(error)) => said(Err(error)),
        (Ok(()), Ok(())) if tally.unreadable => Outcome::Misused,
        (Ok(()), Ok(())) if tally.failed => Outcome::Failed,
        (Ok(()), Ok(())) => Outcome::Done,
    }
}

fn prepare(flags: &Flags) -> Result<(Bench, Course), Vec<Problem>> {
    let files = files::read(&files::words(&flags.policy))?;
    // Connections live on a thread of its own while this one waits for answers.
    let mut builder = runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| {
        let (place, what) = ("this system".into(), error.kind().to_string());
        vec![Problem { place, what }]
    })?;
    let seen = runtime.block_on(database_catalog::see(&flags.upstream))?;
    let world = World {
        catalog: Some(Arc::new(seen.catalog)),
        account: seen.account.user.clone(),
        database: seen.database.clone(),
        ..World::default()
    };
    let who = flags.person.person(&world)?;
    let file = trial::choose(files, &who, &world)?.file;
    let likely = flags.likely.map(|likely| match likely {
        Likely::Hint => LikelyRepairs::Hint,
        Likely::Apply => LikelyRepairs::Apply,
    });
    let policy = match likely {
        Some(likely) => {
            let (place, what) = ("--likely".into(), "the policy is held elsewhere".into());
            let own = Arc::into_inner(file.policy).ok_or(vec![Problem { place, what }])?;
            Arc::new(own.with_likely(likely))
        }
        None => file.policy,
    };
    if policy.repair().mode == RepairMode::Off {
        let (place, what) = ("--policy".into(), "says repair.mode: off".into());
        return Err(vec![Problem { place, what }]);
    }
    let judge = trial::judge(&policy, &world)?;
    let visit = Visit {
        course: judge.session(&world, &who),
        upstream: Arc::new(seen.upstream),
        account: seen.account,
        database: seen.database,
        role: world.role_of(&who).to_owned(),
    };
    let execution = if flags.execute {
        Execution::Reads
    } else {
        Execution::Never
    };
    Bench::new(runtime, judge.into_gate(), visit, execution)
}

/// The statements of one session: what one of them prepares or sets, the next ones meet.
fn try_text(
    bench: &mut Bench,
    mut course: Course,
    input: impl Read,
    sql: Sql,
    out: &mut impl Write,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let text = read_text(input).map_err(Trouble::Input)?;
    for (place, statement) in split(&text).into_iter().enumerate() {
        let judgement = bench.judge(statement.text, course.names());
        let mended = bench.mend(statement.text, &judgement, course.names());
        course.take(&judgement);
        tally.note(&mended);
        let written = mended.write(place + 1, statement.line, sql, out);
        written.map_err(Trouble::Output)?;
    }
    Ok(())
}

/// Questions that have nothing to do with each other, answered one by one.
fn try_lines(
    bench: &mut Bench,
    course: &Course,
    input: impl Read,
    sql: Sql,
    out: &mut impl Write,
    tally: &mut Tally,
) -> Result<(), Trouble> {
    let mut input = BufReader::new(input);
    let mut number = 0;
    while let Some(question) = next_question(&mut input, &mut number).map_err(Trouble::Input)? {
        match question {
            Ok(question) => {
                let judgement = bench.judge(&question.sql, course.names());
                let mended = bench.mend(&question.sql, &judgement, course.names());
                tally.note(&mended);
                let written = mended.write_line(&question.id, sql, out);
                written.map_err(Trouble::Output)?;
            }
            Err(why) => {
                tally.unreadable = true;
                complain(format_args!("line {number}: {}", why.why()));
            }
        }
    }
    Ok(())
}

impl Tally {
    fn note(&mut self, mended: &Mended) {
        self.failed |= !mended.ended.is_fine();
    }
}

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when every statement runs, as it is or repaired; \
    1 when one fails, is refused, or could not be tried; \
    2 when the question is wrong, or its input or the database cannot be read.";
