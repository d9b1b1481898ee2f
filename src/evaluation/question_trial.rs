//! One question: what answers it, each statement that is tried in each run, and what that comes to.

use std::sync::Arc;
use std::time::Duration;

use tokio::task;

use super::dataset::DatasetEntry;
use super::generator::{FailedAttempt, FormatFault, GeneratedStatement, GeneratorRequest};
use super::held_reference::HeldReference;
use super::plan::{EvaluationPlan, TextKeeping};
use super::proxy::EvaluationProxy;
use super::proxy_session::StatementAnswer;
use super::question_sessions::{QuestionSessions, RepairSwitch};
use super::report::{AnswerOutcome, AttemptReport, EntryReport, RunReport};
use crate::repair::outcome::statement_of;
use crate::wire_client::session::SessionFault;

/// A question on its way.
pub(super) struct QuestionTrial<'e> {
    plan: &'e Arc<EvaluationPlan>,
    proxy: &'e EvaluationProxy,
    entry: &'e DatasetEntry,
    database: &'e str,
    reference: HeldReference,
    grounding: Option<Arc<str>>,
}

/// A statement to try, and how long it took to get it.
struct TriedStatement {
    statement: Result<GeneratedStatement, FormatFault>,
    took: Option<Duration>,
}

/// Asks a question as often as the plan wants.
pub(super) async fn entry(
    plan: &Arc<EvaluationPlan>,
    proxy: &EvaluationProxy,
    entry: &DatasetEntry,
    database: &str,
) -> EntryReport {
    let mut sessions = QuestionSessions::new(plan, proxy, database);
    let trial = QuestionTrial {
        reference: HeldReference::of(entry.reference.as_ref(), &mut sessions).await,
        grounding: grounding(plan, entry, database).await,
        plan,
        proxy,
        entry,
        database,
    };
    let mut runs = Vec::new();
    for run in 1..=plan.runs {
        runs.push(trial.run(run).await);
    }
    let is_kept = plan.texts == TextKeeping::Kept;
    EntryReport {
        id: entry.id.clone(),
        question: Some(entry.question.clone()).filter(|text| is_kept && !text.is_empty()),
        difficulty: entry.difficulty.clone(),
        database: entry.database.as_ref().map(|_| database.to_owned()),
        origin: entry.origin.clone(),
        reference: trial.reference.report,
        previous: plan.previous.get(&entry.id).cloned(),
        runs,
    }
}

/// What the command is told of the database; it does without where nobody can say, which is
/// counted.
async fn grounding(
    plan: &Arc<EvaluationPlan>,
    entry: &DatasetEntry,
    database: &str,
) -> Option<Arc<str>> {
    let source = plan.grounding.clone()?;
    let (question, database) = (entry.question.clone(), database.to_owned());
    let asking = task::spawn_blocking(move || source.told(&question, Some(&database)));
    asking.await.ok()?.ok().map(Arc::from)
}

impl QuestionTrial<'_> {
    async fn run(&self, run: u32) -> RunReport {
        let mut sessions = QuestionSessions::new(self.plan, self.proxy, self.database);
        let mut attempts = Vec::new();
        let mut previous = None;
        for attempt in 1..=self.plan.rounds.saturating_add(1) {
            let tried = self.statement((run, attempt), previous.take()).await;
            let (report, failed) = self.attempt(tried, &mut sessions).await;
            let is_open = matches!(
                report.outcome,
                AnswerOutcome::Failed | AnswerOutcome::Malformed
            );
            attempts.push(report);
            if !is_open || self.plan.generator.is_none() {
                break;
            }
            previous = Some(failed);
        }
        RunReport { attempts }
    }

    /// The statement of the dataset, or what the command gives.
    async fn statement(
        &self,
        (run, attempt): (u32, u32),
        previous: Option<FailedAttempt>,
    ) -> TriedStatement {
        let Some(generator) = self.plan.generator.clone() else {
            let sql = self.entry.sql.clone().unwrap_or_default();
            let statement = match sql.is_empty() {
                true => Err(FormatFault {
                    class: "missing",
                    message: "there is no statement".to_owned(),
                }),
                false => Ok(GeneratedStatement {
                    sent: sql.clone(),
                    sql,
                    needs_followup: false,
                }),
            };
            return TriedStatement {
                statement,
                took: None,
            };
        };
        let (entry, grounding) = (self.entry.clone(), self.grounding.clone());
        let asking = task::spawn_blocking(move || {
            generator.ask(&GeneratorRequest {
                id: &entry.id,
                question: &entry.question,
                comments: entry.comments.as_deref(),
                database: entry.database.as_deref(),
                grounding: grounding.as_deref(),
                run,
                attempt,
                previous: previous.as_ref(),
            })
        });
        match asking.await {
            Ok((statement, took)) => TriedStatement {
                statement,
                took: Some(took),
            },
            Err(_) => TriedStatement {
                statement: Err(FormatFault {
                    class: "not_started",
                    message: "the command was not run".to_owned(),
                }),
                took: None,
            },
        }
    }

    /// Tries a statement; and what the command is told where it failed.
    async fn attempt(
        &self,
        tried: TriedStatement,
        sessions: &mut QuestionSessions<'_>,
    ) -> (AttemptReport, FailedAttempt) {
        let is_kept = self.plan.texts == TextKeeping::Kept;
        let mut report = AttemptReport {
            outcome: AnswerOutcome::Malformed,
            class: None,
            recoverers: Vec::new(),
            before_repair: None,
            hinted: false,
            generate_ms: tried.took.map(milliseconds),
            statement_ms: None,
            sql: None,
            ran: None,
            message: None,
        };
        let statement = match tried.statement {
            Ok(statement) => statement,
            Err(fault) => {
                report.class = Some(fault.class.to_owned());
                report.message = Some(fault.message.clone()).filter(|_| is_kept);
                let failed = FailedAttempt {
                    message: fault.message,
                    ..FailedAttempt::default()
                };
                return (report, failed);
            }
        };
        report.sql = Some(statement.sql.clone()).filter(|_| is_kept);
        if statement.needs_followup {
            report.outcome = AnswerOutcome::FollowUp;
            return (report, FailedAttempt::default());
        }
        let answer = sessions.run(&statement.sent, RepairSwitch::On).await;
        let rules = self.plan.rules;
        (report.outcome, report.class) = self.reference.judge(&answer, rules);
        if let Ok(StatementAnswer {
            repair: Some(repair),
            ..
        }) = &answer
        {
            let before = sessions.run(&statement.sql, RepairSwitch::Off).await;
            report.before_repair = Some(self.reference.judge(&before, rules).0);
            report.recoverers.clone_from(&repair.recoverers);
            report.ran = repair.ran.clone().filter(|_| is_kept);
        }
        let failed = failure(&statement.sql, &answer);
        report.statement_ms = answer
            .as_ref()
            .ok()
            .map(|answer| milliseconds(answer.elapsed));
        report.hinted = report.outcome == AnswerOutcome::Failed && failed.hint.is_some();
        if report.outcome == AnswerOutcome::Failed && is_kept {
            report.message = Some(failed.message.clone());
        }
        (report, failed)
    }
}

/// What the command is told of an answer that is an error.
fn failure(sql: &str, answer: &Result<StatementAnswer, SessionFault>) -> FailedAttempt {
    let error = match answer {
        Ok(answer) => answer.result.as_ref().err(),
        Err(SessionFault::Refused(error)) => Some(error),
        Err(fault) => {
            return FailedAttempt {
                sql: Some(sql.to_owned()),
                message: fault.to_string(),
                ..FailedAttempt::default()
            };
        }
    };
    let Some(error) = error else {
        return FailedAttempt::default();
    };
    let suggested = error.hint.as_deref().and_then(statement_of);
    FailedAttempt {
        sql: Some(sql.to_owned()),
        sqlstate: Some(error.sqlstate.clone()),
        message: error.message.clone(),
        detail: error.detail.clone(),
        hint: error.hint.clone(),
        suggested_sql: suggested.map(str::to_owned),
    }
}

/// With three places.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
