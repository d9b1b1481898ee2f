//! `pgsieve policy test`: the tests that policies carry, run like unit tests.
//!
//! The statements are judged and never sent anywhere.

use std::io::{self, BufWriter, Write};

use serde_json::{Value, json};

use crate::cli::policy::files;
use crate::cli::policy::files::PolicyFile;
use crate::cli::policy::person_flags::PersonFlags;
use crate::cli::policy::trial::{judge, world};
use crate::cli::verdict_output::write_line;
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::SettingsProblem;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{GateAnswer, OfflineJudge};
use crate::offline::policy_tests;
use crate::offline::policy_tests::{PolicyTestRun, TestOutcome};

/// The flags of `policy test`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyTestFlags {
    /// Judges with the catalog of this database, as sessions of each test's user see it:
    /// postgres://[user[:password]@]host[:port]/[name]. A user that the database does not know has
    /// the role of the URL. The statements stay here.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Without --upstream: skips the tests that need a database.
    #[arg(long)]
    skip_undecided: bool,
    #[command(flatten)]
    person: PersonFlags,
    /// Prints one JSON line for each test, and one for all of them.
    #[arg(long, alias = "jsonl")]
    json: bool,
    /// Policy files, folders of them, or agent, bi, strict and observe. A test that names a user or
    /// an application is run under the policy that such a session gets. The flags give what a test
    /// does not say about its session.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

/// A test of a file that was run.
struct PolicyTestRow<'t> {
    file: &'t str,
    ran: PolicyTestRun<'t>,
}

/// How many tests ended how.
#[derive(Default)]
struct TestTally {
    passed: u64,
    failed: u64,
    undecided: u64,
}

/// Runs the tests of all the policies.
pub fn run(flags: &PolicyTestFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = files::read(&flags.files).and_then(|files| {
        let world = world(flags.upstream.as_deref())?;
        let somebody = flags.person.person_or(AssumedSession::UNTOLD, &world)?;
        let judges = files.iter().map(|file| judge(&file.policy, &world));
        let judges = judges.collect::<Result<Vec<_>, _>>()?;
        Ok((files, (world, somebody), judges))
    });
    let (files, session, judges) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let mut out = BufWriter::new(out);
    let told = write_results(flags, &files, &session, &judges, &mut out);
    match (told, out.flush()) {
        (Err(error), _) | (Ok(_), Err(error)) => print_outcome(Err(error)),
        (Ok(tally), Ok(())) => verdict(flags, &tally),
    }
}

/// Says what is wrong with a question.
pub fn misused(problems: &[SettingsProblem]) -> CommandOutcome {
    for problem in problems {
        complain(format_args!("{problem}"));
    }
    CommandOutcome::Misused
}

fn verdict(flags: &PolicyTestFlags, tally: &TestTally) -> CommandOutcome {
    if tally.undecided > 0 {
        let count = tally.undecided;
        complain(format_args!(
            "tests that cannot be decided without a database (--upstream URL): {count}"
        ));
    }
    let undecided_is_failed = !flags.skip_undecided && tally.undecided > 0;
    match tally.failed > 0 || undecided_is_failed {
        true => CommandOutcome::Failed,
        false => CommandOutcome::Done,
    }
}

fn write_results(
    flags: &PolicyTestFlags,
    files: &[PolicyFile],
    (world, somebody): &(AssumedDatabase, AssumedSession),
    judges: &[OfflineJudge],
    out: &mut impl Write,
) -> io::Result<TestTally> {
    let mut tally = TestTally::default();
    for (own, file) in files.iter().enumerate() {
        let tests = file.policy.tests();
        if !flags.json {
            let (name, count) = (file.policy.name(), tests.len());
            writeln!(out, "{} ({name}): {count} tests", file.name)?;
        }
        for case in tests {
            let ran = policy_tests::run(case, own, judges, (world, somebody));
            match ran.ended {
                TestOutcome::Passed => tally.passed += 1,
                TestOutcome::Failed => tally.failed += 1,
                TestOutcome::Undecided => tally.undecided += 1,
            }
            let row = PolicyTestRow {
                file: &file.name,
                ran,
            };
            match flags.json {
                true => write_line(&row.fields(), out)?,
                false => row.write(out)?,
            }
        }
    }
    let TestTally {
        passed,
        failed,
        undecided,
    } = tally;
    if flags.json {
        let counts = [
            ("passed", json!(passed)),
            ("failed", json!(failed)),
            ("undecided", json!(undecided)),
        ];
        write_line(&counts, out)?;
    } else {
        writeln!(
            out,
            "{passed} passed, {failed} failed, {undecided} undecided"
        )?;
    }
    Ok(tally)
}

impl PolicyTestRow<'_> {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let ran = &self.ran;
        let place = &ran.case.place;
        match ran.ended {
            TestOutcome::Passed => return writeln!(out, "  ok         {place}: {}", ran.got()),
            TestOutcome::Failed => write!(out, "  FAILED     {place}: ")?,
            TestOutcome::Undecided => write!(out, "  undecided  {place}: ")?,
        }
        writeln!(out, "{}", ran.describe())?;
        if let Some(refusal) = ran.got.as_ref().and_then(|got| got.answer.refusal()) {
            writeln!(out, "             {}", refusal.message)?;
            writeln!(out, "             {}", refusal.detail)?;
        }
        Ok(())
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let ran = &self.ran;
        let answer = ran.got.as_ref().map(|got| &got.answer);
        let refusal = answer.and_then(GateAnswer::refusal);
        vec![
            ("file", json!(self.file)),
            ("place", json!(ran.case.place)),
            ("outcome", json!(word(ran.ended))),
            ("policy", json!(ran.under)),
            ("user", json!(ran.case.user)),
            ("expected", json!(ran.case.expect.name())),
            ("expected_rule", json!(ran.case.rule)),
            ("got", json!(answer.map(GateAnswer::name))),
            (
                "rules",
                json!(answer.map(GateAnswer::rules).unwrap_or_default()),
            ),
            (
                "sqlstate",
                json!(refusal.map(|refusal| refusal.sqlstate.as_str())),
            ),
            ("detail", json!(refusal.map(|refusal| &refusal.detail))),
        ]
    }
}

fn word(ended: TestOutcome) -> &'static str {
    match ended {
        TestOutcome::Passed => "passed",
        TestOutcome::Failed => "failed",
        TestOutcome::Undecided => "undecided",
    }
}

const EXIT_STATUS: &str = "Exit status: 0 where every test passed, 1 where one failed or could not \
    be decided, 2 where the question was wrong.";
