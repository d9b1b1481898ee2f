//! `pgsieve policy test`: the tests that policies carry, run like unit tests.
//!
//! The statements are judged and never sent anywhere.

use std::io::{self, BufWriter, Write};

use serde_json::{Value, json};

use crate::cli::policy_choice::{Unsaid, fits, traits};
use crate::cli::policy_files::{self, PolicyFile};
use crate::cli::policy_stand::{Answer, Judge, Person, Ruling, World};
use crate::cli::verdicts::write_line;
use crate::cli::{Outcome, complain, said};
use crate::config::Problem;
use crate::policy::case::{Expected, TestCase};

/// The flags of `policy test`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct Flags {
    /// Judges with the catalog of this database, as sessions of each test's user see it:
    /// postgres://[user[:password]@]host[:port]/[name]. A user that the database does not know has
    /// the role of the URL. The statements stay here.
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// Without a database: passes over the tests that need one.
    #[arg(long)]
    skip_undecided: bool,
    /// One JSON line for each test, and one for all of them.
    #[arg(long, alias = "jsonl")]
    json: bool,
    /// Policy files, folders of them, or agent, bi, strict and observe. A test that names a user or
    /// an application is run under the one of them that such a session gets.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Passed,
    Failed,
    Undecided,
}

/// A test that was run.
struct Ran<'t> {
    file: &'t str,
    case: &'t TestCase,
    ended: Ended,
    /// The policy that judged; none where no policy is for such a session.
    under: Option<&'t str>,
    got: Option<Ruling>,
}

/// How many tests ended how.
#[derive(Default)]
struct Tally {
    passed: u64,
    failed: u64,
    undecided: u64,
}

/// Runs the tests of all the policies.
pub fn run(flags: &Flags, out: &mut impl Write) -> Outcome {
    let prepared = policy_files::read(&flags.files).and_then(|files| {
        let world = World::load(flags.upstream.as_deref())?;
        let judges = files.iter().map(|file| Judge::new(&file.policy, &world));
        let judges = judges.collect::<Result<Vec<_>, _>>()?;
        Ok((files, world, judges))
    });
    let (files, world, judges) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let mut out = BufWriter::new(out);
    let told = tell(flags, &files, &world, &judges, &mut out);
    match (told, out.flush()) {
        (Err(error), _) | (Ok(_), Err(error)) => said(Err(error)),
        (Ok(tally), Ok(())) => verdict(flags, &tally),
    }
}

/// Says what is wrong with a question.
pub fn misused(problems: &[Problem]) -> Outcome {
    for problem in problems {
        complain(format_args!("{problem}"));
    }
    Outcome::Misused
}

fn verdict(flags: &Flags, tally: &Tally) -> Outcome {
    if tally.undecided > 0 {
        let count = tally.undecided;
        complain(format_args!(
            "tests that cannot be decided without a database (--upstream URL): {count}"
        ));
    }
    let undecided_is_failed = !flags.skip_undecided && tally.undecided > 0;
    match tally.failed > 0 || undecided_is_failed {
        true => Outcome::Failed,
        false => Outcome::Done,
    }
}

fn tell(
    flags: &Flags,
    files: &[PolicyFile],
    world: &World,
    judges: &[Judge],
    out: &mut impl Write,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    for (file, judge) in files.iter().zip(judges) {
        let tests = file.policy.tests();
        if !flags.json {
            let (name, count) = (file.policy.name(), tests.len());
            writeln!(out, "{} ({name}): {count} tests", file.name)?;
        }
        for case in tests {
            let ran = ran(file, case, judge, judges, world);
            match ran.ended {
                Ended::Passed => tally.passed += 1,
                Ended::Failed => tally.failed += 1,
                Ended::Undecided => tally.undecided += 1,
            }
            match flags.json {
                true => write_line(&ran.fields(), out)?,
                false => ran.write(out)?,
            }
        }
    }
    let Tally {
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

fn ran<'t>(
    file: &'t PolicyFile,
    case: &'t TestCase,
    own: &'t Judge,
    judges: &'t [Judge],
    world: &World,
) -> Ran<'t> {
    let who = person(case);
    let judge = match judges.len() > 1 && names_a_session(case) {
        true => chosen(own, judges, &who, world),
        false => Some(own),
    };
    let got = judge.map(|judge| {
        let mut course = judge.session(world, &who);
        judge.hear(&case.statement, &mut course)
    });
    let ended = match &got {
        // Such a session is turned away at its login: nothing of it runs.
        None if case.expect == Expected::Refuse && case.rule.is_none() => Ended::Passed,
        None => Ended::Failed,
        Some(ruling) => {
            // A refusal for want of a database is what was expected only where that is what the
            // test says.
            let blind = world.catalog.is_none() && ruling.answer.lacks_a_database();
            match (meets(case, &ruling.answer), blind) {
                (true, false) => Ended::Passed,
                (true, true) if case.rule.is_some() => Ended::Passed,
                (_, true) => Ended::Undecided,
                (false, false) => Ended::Failed,
            }
        }
    };
    Ran {
        file: &file.name,
        case,
        ended,
        under: judge.map(|judge| judge.policy().name()),
        got,
    }
}

fn person(case: &TestCase) -> Person {
    Person {
        user: case.user.clone(),
        database: None,
        application_name: case.application_name.clone(),
        search_path: case.search_path.clone(),
        settings: case.settings.clone(),
    }
}

/// Whether a test says whose session it is about.
fn names_a_session(case: &TestCase) -> bool {
    case.user != USER_NOT_GIVEN || !case.application_name.is_empty()
}

/// The policy that a session gets among several. What a test cannot say (addresses, certificates)
/// counts as fitting for the policy that carries it, and for no other.
fn chosen<'j>(
    own: &'j Judge,
    judges: &'j [Judge],
    who: &Person,
    world: &World,
) -> Option<&'j Judge> {
    let traits = traits(who, world);
    let unsaid = |judge: &Judge| match std::ptr::eq(judge, own) {
        true => Unsaid::Fits,
        false => Unsaid::FitsNothing,
    };
    let mut fitting = judges.iter().filter(|judge| {
        judge
            .policy()
            .matches()
            .is_some_and(|wanted| fits(wanted, &traits, unsaid(judge)))
    });
    fitting.next().or_else(|| {
        let mut judges = judges.iter();
        judges.find(|judge| judge.policy().matches().is_none())
    })
}

/// Whether it is what the test expects.
fn meets(case: &TestCase, answer: &Answer) -> bool {
    let verdict = match case.expect {
        Expected::Permit => matches!(answer, Answer::Permit),
        Expected::Refuse => matches!(answer, Answer::Refuse(_)),
        Expected::Observe => matches!(answer, Answer::Observe(_)),
    };
    let rule = case.rule.as_deref();
    verdict && rule.is_none_or(|rule| answer.rules().contains(&rule))
}

impl Ended {
    fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Undecided => "undecided",
        }
    }
}

impl Ran<'_> {
    fn expected(&self) -> String {
        let verdict = expected(self.case.expect);
        match &self.case.rule {
            Some(rule) => format!("{verdict} by {rule}"),
            None => verdict.to_owned(),
        }
    }

    fn got(&self) -> String {
        match &self.got {
            Some(ruling) => ruling.answer.told(),
            None => "no policy for such a session".to_owned(),
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let place = &self.case.place;
        match self.ended {
            Ended::Passed => return writeln!(out, "  ok         {place}: {}", self.got()),
            Ended::Failed => write!(out, "  FAILED     {place}: ")?,
            Ended::Undecided => write!(out, "  undecided  {place}: ")?,
        }
        write!(out, "expected {}, got {}", self.expected(), self.got())?;
        if let Some(under) = self.under {
            write!(out, " under {under}")?;
        }
        writeln!(out)?;
        if let Some(refusal) = self.got.as_ref().and_then(|got| got.answer.refusal()) {
            writeln!(out, "             {}", refusal.message)?;
            writeln!(out, "             {}", refusal.detail)?;
        }
        Ok(())
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let answer = self.got.as_ref().map(|got| &got.answer);
        let refusal = answer.and_then(Answer::refusal);
        vec![
            ("file", json!(self.file)),
            ("place", json!(self.case.place)),
            ("outcome", json!(self.ended.name())),
            ("policy", json!(self.under)),
            ("user", json!(self.case.user)),
            ("expected", json!(expected(self.case.expect))),
            ("expected_rule", json!(self.case.rule)),
            ("got", json!(answer.map(Answer::name))),
            (
                "rules",
                json!(answer.map(Answer::rules).unwrap_or_default()),
            ),
            (
                "sqlstate",
                json!(refusal.map(|refusal| refusal.sqlstate.as_str())),
            ),
            ("detail", json!(refusal.map(|refusal| &refusal.detail))),
        ]
    }
}

fn expected(expected: Expected) -> &'static str {
    match expected {
        Expected::Permit => "permit",
        Expected::Refuse => "refuse",
        Expected::Observe => "observe",
    }
}

/// What a test's user is called where it says none.
const USER_NOT_GIVEN: &str = "app";

const EXIT_STATUS: &str = "Exit status: 0 where every test passed, 1 where one failed or could not \
    be decided, 2 where the question was wrong.";
