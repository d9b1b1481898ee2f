//! What would become of one statement of a session: judged, compiled, repaired and compiled again
//! over a side connection; and executed only where that was asked for.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::runtime::Runtime;
use tokio::time::Instant;

use crate::cli::database_catalog::Visit;
use crate::cli::repair::output::{Ended, Fault, Mended};
use crate::cli::verdict_output::Shown;
use crate::config::Problem;
use crate::gate::{Gate, Judgement, Parameters, ReadPermit, SearchPaths, SessionNames, Verdict};
use crate::limits;
use crate::offline::script_session::Course;
use crate::repair;
use crate::repair::{Attempt, AttemptOutcome, Ending, Request, Run, Uncompiled};
use crate::upstream::account::Account;
use crate::upstream::compile_pool::{Side, SideRun, Sides};
use crate::upstream::connect::Upstream;
use crate::upstream::row_count::{Counting, Uncounted};

/// Whether what runs is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Compiled, and no more.
    Never,
    /// Run read-only, rows counted.
    Reads,
}

/// A database that statements are tried on.
pub struct Bench {
    runtime: Runtime,
    gate: Gate,
    side: Side,
    role: Box<str>,
    login: Login,
    execution: Execution,
    counting: Option<Counting>,
}

/// For sessions in which statements are executed.
struct Login {
    upstream: Arc<Upstream>,
    account: Account,
    database: String,
    parameters: Vec<(String, String)>,
}

impl Bench {
    /// One for what was looked into; the runtime has threads of its own.
    pub fn new(
        runtime: Runtime,
        gate: Gate,
        visit: Visit,
        execution: Execution,
    ) -> Result<(Self, Course), Vec<Problem>> {
        let Visit {
            course,
            upstream,
            account,
            database,
            role,
        } = visit;
        let asked = [("user", account.user.as_str()), ("database", &database)];
        let plan = gate.judge_startup(&asked).map_err(|refusal| {
            let (place, what) = ("--policy".into(), refusal.message.clone());
            vec![Problem { place, what }]
        })?;
        let sides = Sides::new(Arc::clone(&upstream), runtime.handle().clone());
        let bench = Self {
            side: sides.of(&database, &account, None),
            role: role.into(),
            login: Login {
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
        Ok((bench, course))
    }

    /// The judgement of a text in such a session.
    pub fn judge<'t>(&self, text: &'t str, names: &SessionNames) -> Judgement<'t> {
        self.gate.judge(Cow::Borrowed(text), names)
    }

    /// What would become of a text, and what the gate says of it.
    pub fn mend(&mut self, text: &str, judgement: &Judgement<'_>, names: &SessionNames) -> Mended {
        let path = self.path(names);
        let mut witness = Witness {
            run: path.as_deref().map(|path| self.side.run(path)),
            said: Vec::new(),
        };
        let parameters = Parameters::open();
        let request = Request {
            gate: &self.gate,
            names,
            parameters: &parameters,
            text,
            failure: None,
        };
        let outcome = repair::rescue(&request, &mut witness);
        let shown = Shown::of(judgement);
        let kind = judgement.facts.kind;
        let (own, before) = match &judgement.verdict {
            Verdict::Refused(refusal) => (None, Some(Fault::of_gate(refusal))),
            Verdict::Permitted(permit) => (Some(permit), witness.first_fault()),
            Verdict::Clamped(_) => (None, None),
        };
        // A text that is too long to be repaired is not even compiled.
        let is_unasked = witness.is_unasked() || own.is_some() && witness.said.is_empty();
        drop(witness);
        let ended = match &outcome.ending {
            Ending::Unneeded => Ended::Runs,
            Ending::Repaired(_) => Ended::Repaired,
            Ending::Failed(_) if is_unasked => Ended::Unasked,
            Ending::Failed(_) => match (outcome.attempts.last(), shown.allowed, &before) {
                (Some(last), _, _) => ended_with(last),
                (None, true, None) => Ended::Runs,
                (None, false, _) => Ended::Refused,
                (None, true, Some(_)) => Ended::Failed,
            },
        };
        let mut mended = Mended {
            shown,
            ended,
            after: match ended {
                Ended::Runs | Ended::Repaired => None,
                _ => before.as_ref().map(|fault| fault.sqlstate.clone()),
            },
            before,
            attempts: outcome.attempts,
            repaired: None,
            advice: None,
            rows: None,
        };
        let runs = match &outcome.ending {
            Ending::Unneeded => own,
            Ending::Repaired(repaired) => {
                mended.repaired = Some(repaired.permit.original().to_owned());
                mended.advice = Some(repaired.detail.clone());
                Some(&repaired.permit)
            }
            Ending::Failed(advice) => {
                mended.advice = advice.hint.clone();
                None
            }
        };
        if self.execution == Execution::Reads
            && kind.is_query()
            && let (Some(permit), Some(path)) = (runs, &path)
        {
            self.count(permit, path, &mut mended);
        }
        mended
    }

    /// Where the session looks names up, where that is known for certain; `$user` is who it belongs
    /// to, which need not be who logs in.
    fn path(&self, names: &SessionNames) -> Option<Vec<Box<str>>> {
        let SearchPaths::Known(paths) = names.paths() else {
            return None;
        };
        let [path] = &**paths else { return None };
        let own = path.iter().map(|name| match &**name {
            "$user" => self.role.clone(),
            _ => name.clone(),
        });
        Some(own.collect())
    }

    /// Executes a text and notes what came of it.
    fn count(&mut self, permit: &ReadPermit<'_>, path: &[Box<str>], mended: &mut Mended) {
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
            mended.ended = Ended::Unasked;
            return;
        };
        match counted {
            Ok(rows) => mended.rows = Some(rows),
            Err(Uncounted::Failed(code)) => {
                mended.ended = Ended::Failed;
                mended.after = Some(code.into());
            }
            Err(Uncounted::Unsaid(_)) => mended.ended = Ended::Failed,
            Err(Uncounted::Lost(_)) => {
                mended.ended = Ended::Unasked;
                return;
            }
        }
        self.counting = Some(counting);
    }
}

impl Login {
    async fn open(&self, deadline: Instant) -> Option<Counting> {
        let (account, database) = (&self.account, self.database.as_str());
        let parameters = &self.parameters;
        let opened = Counting::open(&self.upstream, account, database, parameters, deadline);
        opened.await.ok()
    }
}

/// How a text ended that was not repaired, by the last thing that was tried.
fn ended_with(last: &Attempt) -> Ended {
    match last.outcome {
        AttemptOutcome::Observed => Ended::Observed,
        // Words without a text are no repair.
        AttemptOutcome::Hinted if last.text.is_some() => Ended::Hinted,
        AttemptOutcome::Hinted | AttemptOutcome::Applied | AttemptOutcome::Failed => Ended::Failed,
    }
}

/// Hears what the server says.
struct Witness {
    run: Option<SideRun>,
    said: Vec<Said>,
}

enum Said {
    Fine,
    Fault(Fault),
    Nothing,
}

impl Witness {
    /// What it said of the first text, which is the client's own where the gate permits that.
    fn first_fault(&self) -> Option<Fault> {
        match self.said.first()? {
            Said::Fault(fault) => Some(fault.clone()),
            Said::Fine | Said::Nothing => None,
        }
    }

    fn is_unasked(&self) -> bool {
        self.said.iter().any(|said| matches!(said, Said::Nothing))
    }
}

impl Run for Witness {
    fn compile(
        &mut self,
        permit: &ReadPermit<'_>,
        parameters: &Parameters,
    ) -> Result<(), Uncompiled> {
        let compiled = match &mut self.run {
            Some(run) => run.compile(permit, parameters),
            None => Err(Uncompiled::Unavailable),
        };
        self.said.push(match &compiled {
            Ok(()) => Said::Fine,
            Err(Uncompiled::Unavailable) => Said::Nothing,
            Err(Uncompiled::Failed {
                sqlstate, message, ..
            }) => Said::Fault(Fault {
                sqlstate: sqlstate.clone(),
                message: message.clone(),
            }),
        });
        compiled
    }
}
