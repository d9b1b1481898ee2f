//! `pgsieve check`: the gate by itself, without a database or with the catalog of one. It shows
//! verdicts, rules, kinds, fingerprints and hints, and never the SQL: its output may go where the
//! statements may not. With `--lint` it names what the statements name, and none of their literals.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::cli::check_lints;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::{files, trial};
use crate::cli::statement_input::{InputStatement, next_question, open, read_text, split};
use crate::cli::verdict_output::{ShownVerdict, VerdictRow, write_line, write_table};
use crate::cli::{CommandOutcome, complain, database_catalog, print_outcome};
use crate::config::SettingsProblem;
use crate::lint::{DatabaseFacts, LintFinding};
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{OfflineJudge, TextRuling};
use crate::offline::lints::{SessionLints, findings_as_json};
use crate::offline::script_session::ScriptSession;
use crate::system_error;

/// The flags of `check`.
#[derive(clap::Args)]
#[command(after_help = STATUSES)]
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
    /// Says what the statements say that is seldom meant: a join that joins nothing, a sum over
    /// rows that a join repeats, a comparison with NULL. Most of it is known with --upstream only.
    /// Refused statements are not linted. The output then has names of the statements, and none of
    /// their literals; with --jsonl it is the field lints. `pgsieve rules --lints` lists them.
    #[arg(long)]
    lint: bool,
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
    lints: Option<DatabaseFacts>,
}

/// What was found, for the exit status.
#[derive(Default)]
struct CheckTally {
    refused: bool,
    lint_error: bool,
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
        (Ok(()), Ok(())) if tally.refused || tally.lint_error => CommandOutcome::Failed,
        (Ok(()), Ok(())) => CommandOutcome::Done,
    }
}

fn prepare(flags: &CheckFlags) -> Result<CheckSession, Vec<SettingsProblem>> {
    let files = files::read(&files::words(&flags.policy))?;
    let upstream = flags.upstream.as_deref();
    let world = trial::world(upstream)?;
    let lints = match (flags.lint, upstream) {
        (false, _) => None,
        (true, None) => Some(DatabaseFacts::default()),
        (true, Some(url)) => Some(database_catalog::read_lint_facts_blocking(url)?),
    };
    let who = flags.person.person(&world)?;
    let chosen = trial::choose(files, &who, &world)?;
    Ok(CheckSession {
        judge: trial::judge(&chosen.file.policy, &world)?,
        world,
        who,
        lints,
    })
}

impl CheckSession {
    /// The beginning of a session.
    fn session(&self) -> ScriptSession {
        self.judge.session(&self.world, &self.who)
    }

    /// What the lints say of a text that was judged; nothing where nobody asks them.
    fn lint(
        &self,
        text: &str,
        ruling: &TextRuling,
        script: &ScriptSession,
    ) -> Option<Vec<LintFinding>> {
        let facts = self.lints.as_ref()?;
        let world = &self.world;
        Some(SessionLints { world, facts }.of(text, ruling, script.names()))
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
    let mut linted = Vec::new();
    let mut script = bench.session();
    for (place, statement) in split(&text).into_iter().enumerate() {
        let ruling = bench.judge.judge(statement.text, &mut script);
        let shown = ShownVerdict::of_ruling(&ruling);
        let findings = bench
            .lint(statement.text, &ruling, &script)
            .unwrap_or_default();
        tally.lint_error |= check_lints::has_error(&findings);
        linted.push((place + 1, in_whole_text(findings, &statement)));
        tally.refused |= !shown.allowed;
        rows.push(VerdictRow {
            number: place + 1,
            line: statement.line,
            shown,
        });
    }
    let written = write_table(&rows, out).and_then(|()| {
        let mut each = linted.iter();
        each.try_for_each(|(number, findings)| check_lints::write(findings, *number, &text, out))
    });
    written.map_err(CheckIoError::Output)
}

/// The findings of a statement with their places in the text that it stands in.
fn in_whole_text(findings: Vec<LintFinding>, statement: &InputStatement<'_>) -> Vec<LintFinding> {
    let moved = findings.into_iter().map(|finding| LintFinding {
        at: finding.at.map(|at| at.saturating_add(statement.start)),
        ..finding
    });
    moved.collect()
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
                let mut script = bench.session();
                let ruling = bench.judge.judge(&question.sql, &mut script);
                let shown = ShownVerdict::of_ruling(&ruling);
                tally.refused |= !shown.allowed;
                let mut fields = shown.fields(&question.id);
                if let Some(findings) = bench.lint(&question.sql, &ruling, &script) {
                    tally.lint_error |= check_lints::has_error(&findings);
                    fields.push(("lints", findings_as_json(&findings, &question.sql)));
                }
                write_line(&fields, out).map_err(CheckIoError::Output)?;
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

/// For `--help`.
const STATUSES: &str = "Exit status: 0 when no statement is refused and, with --lint, none has a lint \
    error (warnings are none); 1 when one is, or has; 2 when the command is wrong, or its input or \
    the database cannot be read.";
