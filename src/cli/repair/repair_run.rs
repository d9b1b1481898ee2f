//! What would become of one statement of a session: judged, compiled, repaired and compiled again
//! over a compile connection; and executed only where that was asked for.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::cli::database_catalog::DatabaseVisit;
use crate::cli::repair::output::{RepairEnding, RepairReport, StatementFault};
use crate::cli::verdict_output::ShownVerdict;
use crate::config::SettingsProblem;
use crate::gate::{Gate, Judgement, ParameterTypes, ReadPermit, SessionNames, Verdict};
use crate::limits;
use crate::offline::script_session::{ScriptSession, certain_path};
use crate::repair;
use crate::repair::dialect_history::DialectHistory;
use crate::repair::{
    Attempt, AttemptOutcome, CompileError, RepairConclusion, RepairOutcome, RepairRequest,
    StatementCompiler,
};
use crate::upstream::account::UpstreamAccount;
use crate::upstream::compile_pool::{CompilePool, CompilePools, CompileRun};
use crate::upstream::connect::Upstream;
use crate::upstream::read_session::{ReadError, ReadSession};

/// Whether what runs is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutionMode {
    /// Compiled, and no more.
    Never,
    /// Run read-only, rows counted.
    Reads,
}

/// A database that statements are tried on.
pub struct RepairRun {
    runtime: Runtime,
    gate: Gate,
    compile_pool: CompilePool,
    user: String,
    login: ExecutionLogin,
    execution: ExecutionMode,
    counting: Option<ReadSession>,
}

/// For sessions in which statements are executed.
struct ExecutionLogin {
    upstream: Arc<Upstream>,
    account: UpstreamAccount,
    database: String,
    parameters: Vec<(String, String)>,
}

impl RepairRun {
    /// One for what was looked into; the runtime has threads of its own.
    ///
    /// # Errors
    /// The policy refuses such a session at its login.
    pub fn new(
        runtime: Runtime,
        gate: Gate,
        visit: DatabaseVisit,
        execution: ExecutionMode,
    ) -> Result<(Self, ScriptSession), Vec<SettingsProblem>> {
        let DatabaseVisit {
            script,
            upstream,
            account,
            database,
            user,
        } = visit;
        let asked = [("user", account.user.as_str()), ("database", &database)];
        let plan = gate.judge_startup(&asked).map_err(|refusal| {
            let (place, what) = ("--policy".into(), refusal.message.clone());
            vec![SettingsProblem { place, what }]
        })?;
        let sides = CompilePools::new(runtime.handle().clone());
        let bench = Self {
            compile_pool: sides.of(&database, &account, (None, &upstream)),
            user,
            login: ExecutionLogin {
                upstream,
                account,
                database,
                parameters: plan.parameters,
            },
            runtime,
            gate,
            execution,
            counting: None,
        };
        Ok((bench, script))
    }

    /// The judgement of a text in such a session.
    pub fn judge<'t>(&self, text: &'t str, names: &SessionNames) -> Judgement<'t> {
        self.gate.judge(Cow::Borrowed(text), names)
    }

    /// What would become of a text, and what the gate says of it.
    pub fn try_repair(
        &mut self,
        text: &str,
        judgement: &Judgement<'_>,
        names: &SessionNames,
        dialect_history: &mut DialectHistory,
    ) -> RepairReport {
        let path = certain_path(names);
        let mut witness = RecordingCompiler {
            run: path.as_deref().map(|path| self.compile_pool.run(path)),
            said: Vec::new(),
        };
        let outcome = self.repaired(text, names, dialect_history, &mut witness);
        let shown = ShownVerdict::of(judgement);
        let (own, before) = match &judgement.verdict {
            Verdict::Refused(refusal) => (None, Some(StatementFault::of_gate(refusal))),
            Verdict::Permitted(permit) => (Some(permit), witness.first_fault()),
            Verdict::Clamped(_) => (None, None),
        };
        // A text that is too long to be repaired is not even compiled.
        let is_unasked = witness.is_unasked() || own.is_some() && witness.said.is_empty();
        drop(witness);
        let ended = match &outcome.ending {
            RepairConclusion::NotNeeded => RepairEnding::Runs,
            RepairConclusion::Repaired(_) => RepairEnding::Repaired,
            RepairConclusion::Failed(_) if is_unasked => RepairEnding::Unasked,
            RepairConclusion::Failed(_) => {
                unrepaired_ending(&outcome.attempts, shown.allowed, before.is_some())
            }
        };
        let mut report = RepairReport {
            shown,
            ended,
            after: match ended {
                RepairEnding::Runs | RepairEnding::Repaired => None,
                _ => before.as_ref().map(|fault| fault.sqlstate.clone()),
            },
            before,
            attempts: outcome.attempts,
            repaired: None,
            advice: None,
            rows: None,
        };
        let found;
        let runs = match outcome.ending {
            RepairConclusion::NotNeeded => own,
            RepairConclusion::Repaired(repaired) => {
                report.repaired = Some(repaired.permit.original().to_owned());
                report.advice = Some(repaired.detail);
                found = repaired.permit.current(names.basis()).ok();
                found.as_ref()
            }
            RepairConclusion::Failed(advice) => {
                report.advice = advice.hint;
                None
            }
        };
        if self.execution == ExecutionMode::Reads
            && judgement.facts.kind.is_query()
            && let (Some(permit), Some(path)) = (runs, &path)
        {
            self.count(permit, path, &mut report);
        }
        report
    }

    fn repaired(
        &self,
        text: &str,
        names: &SessionNames,
        dialect_history: &mut DialectHistory,
        witness: &mut RecordingCompiler,
    ) -> RepairOutcome {
        dialect_history.hear(text);
        let request = RepairRequest {
            user: &self.user,
            gate: &self.gate,
            names,
            parameters: &ParameterTypes::none_given(),
            text,
            failure: None,
            earlier_dialect: dialect_history.dialect(),
        };
        let outcome = repair::repair_statement(&request, witness);
        dialect_history.learn(outcome.evidence);
        outcome
    }

    /// Executes a text and notes what came of it.
    fn count(&mut self, permit: &ReadPermit<'_>, path: &[Box<str>], report: &mut RepairReport) {
        let (login, deadline) = (&self.login, Instant::now() + limits::REPAIR_COUNT_TIME_MAX);
        let held = self.counting.take();
        let counted = self.runtime.block_on(async {
            let mut counting = match held {
                Some(counting) => counting,
                None => login.open(deadline).await?,
            };
            let counted = counting.count(permit, path, deadline).await;
            Some((counting, counted))
        });
        let Some((counting, counted)) = counted else {
            report.ended = RepairEnding::Unasked;
            return;
        };
        match counted {
            Ok(rows) => report.rows = Some(rows),
            Err(ReadError::Failed(code)) => {
                report.ended = RepairEnding::Failed;
                report.after = Some(code.into());
            }
            Err(ReadError::Unsaid(_) | ReadError::Unreadable) => {
                report.ended = RepairEnding::Failed
            }
            Err(ReadError::Lost(_)) => {
                report.ended = RepairEnding::Unasked;
                return;
            }
        }
        self.counting = Some(counting);
    }
}

impl ExecutionLogin {
    async fn open(&self, deadline: Instant) -> Option<ReadSession> {
        let (account, database) = (&self.account, self.database.as_str());
        let parameters = &self.parameters;
        let opened = ReadSession::open(&self.upstream, account, database, parameters, deadline);
        opened.await.ok()
    }
}

/// How a text ended that was not repaired: by the last thing that was tried or, where nothing was,
/// by what the gate and the server say of it as it is.
fn unrepaired_ending(attempts: &[Attempt], is_allowed: bool, is_faulty: bool) -> RepairEnding {
    match (attempts.last(), is_allowed, is_faulty) {
        (Some(last), _, _) => ended_with(last),
        (None, true, false) => RepairEnding::Runs,
        (None, false, _) => RepairEnding::Refused,
        (None, true, true) => RepairEnding::Failed,
    }
}

/// How a text ended that was not repaired, by the last thing that was tried.
fn ended_with(last: &Attempt) -> RepairEnding {
    match last.outcome {
        AttemptOutcome::Observed => RepairEnding::Observed,
        // Words without a text are no repair.
        AttemptOutcome::Hinted if last.text.is_some() => RepairEnding::Hinted,
        AttemptOutcome::Hinted | AttemptOutcome::Applied | AttemptOutcome::Failed => {
            RepairEnding::Failed
        }
    }
}

/// Hears what the server says.
struct RecordingCompiler {
    run: Option<CompileRun>,
    said: Vec<CompileAnswer>,
}

enum CompileAnswer {
    Fine,
    Fault(StatementFault),
    Nothing,
}

impl RecordingCompiler {
    /// What it said of the first text, which is the client's own where the gate permits that.
    fn first_fault(&self) -> Option<StatementFault> {
        match self.said.first()? {
            CompileAnswer::Fault(fault) => Some(fault.clone()),
            CompileAnswer::Fine | CompileAnswer::Nothing => None,
        }
    }

    fn is_unasked(&self) -> bool {
        self.said
            .iter()
            .any(|said| matches!(said, CompileAnswer::Nothing))
    }
}

impl StatementCompiler for RecordingCompiler {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &ParameterTypes,
    ) -> Result<(), CompileError> {
        let compiled = match &mut self.run {
            Some(run) => run.compile(permit, parameters),
            None => Err(CompileError::Unavailable),
        };
        self.said.push(match &compiled {
            Ok(()) => CompileAnswer::Fine,
            Err(CompileError::Unavailable) => CompileAnswer::Nothing,
            Err(CompileError::Failed {
                sqlstate, message, ..
            }) => CompileAnswer::Fault(StatementFault {
                sqlstate: sqlstate.clone(),
                message: message.clone(),
            }),
        });
        compiled
    }
}
