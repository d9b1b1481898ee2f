//! A run of `pgsieve eval`: a pgsieve is started, questions are asked, and what came of it is told.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use tokio::runtime;

use super::inputs::{self, GivenQuestions};
use super::report::{unwritten, write_private};
use super::run_flags::{EvalRunFlags, GroundingWish};
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::evaluation::generator::StatementGenerator;
use crate::evaluation::grounding_source::GroundingSource;
use crate::evaluation::plan::{EvaluatedPerson, EvaluationPlan, TextKeeping};
use crate::evaluation::proxy::{EvaluatedDatabase, EvaluationProxy};
use crate::evaluation::report::{
    AnswerOutcome, EntryReport, EvaluationReport, EvaluationSetup, FORMAT,
};
use crate::evaluation::result_comparison::ComparisonRules;
use crate::evaluation::scores::EvaluationScores;
use crate::evaluation::{report_table, runner};
use crate::limits;
use crate::secret::Secret;
use crate::text_file;
use crate::wire_client::session::SessionLogin;

/// Why there is no report.
enum RunFailure {
    /// What was given is wrong.
    Misused(String),
    /// It cannot be done.
    Failed(String),
}

/// Asks all questions, and prints what came of it.
pub fn run(flags: &EvalRunFlags, out: &mut impl Write) -> CommandOutcome {
    let report = match evaluated(flags) {
        Ok(report) => report,
        Err(RunFailure::Misused(what)) => {
            complain(format_args!("{what}"));
            return CommandOutcome::Misused;
        }
        Err(RunFailure::Failed(what)) => return fail(format_args!("{what}")),
    };
    let Ok(mut text) = serde_json::to_string_pretty(&report) else {
        return fail(format_args!("the report cannot be written as JSON"));
    };
    text.push('\n');
    let printed = match &flags.out {
        Some(path) if path == Path::new("-") => out.write_all(text.as_bytes()),
        path => {
            if let Some(path) = path
                && let Err(error) = write_private(path, &text)
            {
                return unwritten(path, &error);
            }
            let mut shown = report_table::side_by_side(&report.entries);
            if !shown.is_empty() {
                shown.push('\n');
            }
            shown.push_str(&report_table::table(std::slice::from_ref(&report)));
            out.write_all(shown.as_bytes())
        }
    };
    match (print_outcome(printed), flags.at_least) {
        (CommandOutcome::Done, Some(least)) if report.scores.accuracy.mean < least => {
            fail(format_args!(
                "accuracy is {:.3}, less than {least}",
                report.scores.accuracy.mean
            ))
        }
        (outcome, _) => outcome,
    }
}

fn evaluated(flags: &EvalRunFlags) -> Result<EvaluationReport, RunFailure> {
    let given = inputs::read(flags).map_err(RunFailure::Misused)?;
    if given.unpredicted > 0 {
        complain(format_args!(
            "{} questions have no prediction and count as malformed",
            given.unpredicted
        ));
    }
    let database = database(flags).map_err(RunFailure::Misused)?;
    let began_at = Timestamp::now();
    let mut builder = runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| RunFailure::Failed(error.kind().to_string()))?;
    let proxy = runtime.block_on(EvaluationProxy::start(database));
    let proxy = Arc::new(proxy.map_err(|error| RunFailure::Failed(error.to_string()))?);
    let (dataset, source) = (given.dataset.clone(), given.source);
    let plan = Arc::new(plan(flags, given, &proxy)?);
    let mut progress = EvaluationProgress::new(plan.entries.len());
    let asking = runner::evaluate(&plan, &proxy, flags.connections, |entry| {
        progress.tell(entry)
    });
    let entries = runtime.block_on(asking);
    progress.end();
    let unsaid = plan.grounding.as_ref().map_or(0, GroundingSource::failures);
    if unsaid > 0 {
        complain(format_args!(
            "{unsaid} questions were asked without a grounding, which could not be had"
        ));
    }
    runtime.shutdown_background();
    Ok(EvaluationReport {
        format: FORMAT,
        pgsieve: env!("CARGO_PKG_VERSION").to_owned(),
        began_at: began_at.to_string(),
        label: label(flags, &dataset.files),
        dataset,
        setup: EvaluationSetup {
            policy: flags.policy.clone(),
            source,
            runs: flags.runs,
            rounds: plan.rounds,
            comparison: comparison(flags),
        },
        scores: EvaluationScores::of(&entries),
        entries,
    })
}

fn database(flags: &EvalRunFlags) -> Result<EvaluatedDatabase, String> {
    let password = match &flags.role_password_file {
        None => None,
        Some(path) => {
            let text = text_file::read(path, limits::CONFIG_FILE_BYTES_MAX);
            let text =
                text.map_err(|fault| format!("the file cannot be read: {}", fault.describe(path)))?;
            Some(Secret::new(text.lines().next().unwrap_or_default()))
        }
    };
    Ok(EvaluatedDatabase {
        upstream: flags.upstream.clone().unwrap_or_default(),
        policy: flags.policy.clone(),
        role: flags.role.clone().map(|role| (role, password)),
        user: flags.user.clone(),
        application_name: flags.application_name.clone(),
        database: flags.database.clone(),
    })
}

fn plan(
    flags: &EvalRunFlags,
    given: GivenQuestions,
    proxy: &EvaluationProxy,
) -> Result<EvaluationPlan, RunFailure> {
    let user = flags
        .user
        .clone()
        .unwrap_or_else(|| proxy.user().to_owned());
    let generator = flags.generate.clone().map(|command| StatementGenerator {
        command,
        time_max: flags.generate_timeout,
    });
    let grounding = match (flags.grounding, &generator) {
        (GroundingWish::Told(scope), Some(_)) => {
            let login = SessionLogin {
                user: &user,
                database: proxy.database(),
                application_name: &flags.application_name,
                repairs: true,
            };
            let source = GroundingSource::new(proxy, &flags.policy, &login, scope);
            let source = source.map_err(|error| RunFailure::Failed(error.kind().to_string()))?;
            // What is wrong with it is wrong for every question: it is told before the first.
            source
                .told("", flags.database.as_deref())
                .map_err(|fault| {
                    let what =
                        "there is no grounding for the command (--grounding off does without)";
                    RunFailure::Failed(format!("{what}: {fault}"))
                })?;
            Some(source)
        }
        (GroundingWish::Told(_) | GroundingWish::Off, _) => None,
    };
    Ok(EvaluationPlan {
        entries: given.entries,
        runs: flags.runs,
        rounds: if generator.is_some() { flags.rounds } else { 0 },
        generator,
        grounding,
        rules: ComparisonRules {
            in_order: false,
            any_column_order: flags.any_column_order,
            as_sets: flags.as_sets,
        },
        statement_time_max: flags.timeout,
        person: EvaluatedPerson {
            user,
            application_name: flags.application_name.clone(),
            database: flags.database.clone(),
        },
        texts: match flags.without_text {
            true => TextKeeping::LeftOut,
            false => TextKeeping::Kept,
        },
        previous: given.previous,
    })
}

fn label(flags: &EvalRunFlags, files: &[String]) -> String {
    let stem = |path: &Path| {
        let stem = path.file_stem().filter(|stem| *stem != "-");
        stem.map(|stem| stem.to_string_lossy().into_owned())
    };
    let named = flags.label.clone();
    let named = named.or_else(|| flags.out.as_deref().and_then(stem));
    let first = files
        .first()
        .map(|file| stem(Path::new(file)).unwrap_or_default());
    named.or(first).unwrap_or_default()
}

fn comparison(flags: &EvalRunFlags) -> String {
    let rows = if flags.as_sets {
        "sets"
    } else {
        "multisets, in the reference's order"
    };
    let columns = if flags.any_column_order {
        "in any order"
    } else {
        "by place"
    };
    format!("rows as {rows}; columns {columns}")
}

/// How far it is, on standard error.
struct EvaluationProgress {
    all: usize,
    done: usize,
    right: usize,
    wrong: usize,
    failed: usize,
    is_terminal: bool,
}

impl EvaluationProgress {
    fn new(all: usize) -> Self {
        Self {
            all,
            done: 0,
            right: 0,
            wrong: 0,
            failed: 0,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    fn tell(&mut self, entry: &EntryReport) {
        self.done += 1;
        for last in entry.runs.iter().filter_map(|run| run.last()) {
            match last.outcome {
                AnswerOutcome::Right | AnswerOutcome::Runs => self.right += 1,
                AnswerOutcome::Wrong => self.wrong += 1,
                AnswerOutcome::Failed | AnswerOutcome::Malformed | AnswerOutcome::FollowUp => {
                    self.failed += 1;
                }
            }
        }
        let tenths = |done: usize| done * 10 / self.all.max(1);
        let (begin, end) = if self.is_terminal {
            ("\r", "")
        } else {
            ("", "\n")
        };
        if self.is_terminal || tenths(self.done) != tenths(self.done - 1) {
            let Self {
                all,
                done,
                right,
                wrong,
                failed,
                ..
            } = self;
            let line =
                format!("{done} of {all} questions: {right} good, {wrong} wrong, {failed} failed");
            let _ = write!(io::stderr(), "{begin}{line}{end}");
        }
    }

    fn end(&self) {
        if self.is_terminal {
            let _ = writeln!(io::stderr());
        }
    }
}
