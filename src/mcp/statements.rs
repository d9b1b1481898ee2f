//! A statement sent through a session of pgsieve, and its answer read; cancelled where the caller
//! does not wait for it any more.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::service::RequestContext;
use rmcp::{RoleServer, model};
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::outcome::{AnswerProgress, StatementOutcome};
use super::services::{McpCaller, McpServices, RequestOrigin};
use crate::limits::mcp::{
    CANCELLED_TIME_MAX, LANE_IDLE_MAX, LOGIN_TIME_MAX, MESSAGE_BYTES_MAX, PROGRESS_PAUSE,
    STATEMENT_TIME_MAX,
};
use crate::server::listener::LocalArrival;
use crate::wire_client::session::{ClientSession, SessionFault, SessionLogin};

/// What is done with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementAction {
    /// It runs.
    Run,
    /// It runs, and its receipt is asked for.
    RunWithReceipt,
    /// It is judged and compiled, and does not run.
    Compile,
}

/// The session that a caller's statements go through, one after the other.
#[derive(Debug)]
pub struct CallerStatements {
    services: McpServices,
    session: Option<ClientSession>,
    /// Whose that is: a policy may be for this address, or this program, and for no other.
    opened_by: RequestOrigin,
    state: SessionState,
    used: Instant,
}

/// Whether what a statement leaves in its session is there for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionState {
    /// It is.
    Kept,
    /// It is not: the next one may be anybody's who has the same token.
    Left,
}

/// Sessions in which statements of a caller run beside each other.
#[derive(Debug)]
pub struct StatementLanes {
    lanes: Vec<Mutex<CallerStatements>>,
    next: AtomicUsize,
}

impl StatementLanes {
    /// So many; of one alone, statements leave their state to the next.
    pub fn new(services: &McpServices, count: usize) -> Self {
        let state = match count {
            1 => SessionState::Kept,
            _ => SessionState::Left,
        };
        let lane = || {
            Mutex::new(CallerStatements {
                services: services.clone(),
                session: None,
                opened_by: RequestOrigin::default(),
                state,
                used: Instant::now(),
            })
        };
        Self {
            lanes: (0..count).map(|_| lane()).collect(),
            next: AtomicUsize::new(0),
        }
    }

    /// Closes sessions that no statement has used for a while.
    pub fn close_idle(&self) {
        for lane in &self.lanes {
            // One that is taken is used now.
            let Ok(mut statements) = lane.try_lock() else {
                continue;
            };
            if statements.used.elapsed() > LANE_IDLE_MAX {
                statements.session = None;
            }
        }
    }

    /// One that is free, or will be; none where there are none.
    ///
    /// May be cancelled.
    pub async fn take(&self, caller: &McpCaller) -> Option<MutexGuard<'_, CallerStatements>> {
        let origin = caller.origin();
        let free = |fits: &dyn Fn(&CallerStatements) -> bool| {
            let mut lanes = self.lanes.iter().filter_map(|lane| lane.try_lock().ok());
            lanes.find(|statements| fits(statements))
        };
        let own = free(&|one| one.session.is_some() && one.opened_by == origin);
        let unused = || free(&|one| one.session.is_none());
        if let Some(found) = own.or_else(unused).or_else(|| free(&|_| true)) {
            return Some(found);
        }
        let turn = self.next.fetch_add(1, Ordering::Relaxed);
        let place = turn.checked_rem(self.lanes.len())?;
        Some(self.lanes.get(place)?.lock().await)
    }
}

/// How a caller hears of a statement that runs long, and says that it does not wait any more.
pub struct CallerAttention<'c> {
    stop: &'c CancellationToken,
    progress: Option<ProgressReports<'c>>,
}

struct ProgressReports<'c> {
    token: model::ProgressToken,
    context: &'c RequestContext<RoleServer>,
}

/// What is asked behind a statement for its receipt.
const RECEIPT_QUESTION: &str = "SHOW pgsieve.receipt";

impl CallerStatements {
    /// Sends a text and reads what comes of it.
    ///
    /// May be cancelled: its session is closed, and what runs there with it.
    ///
    /// # Errors
    /// Why there is no answer; an error of the server is one.
    pub async fn send(
        &mut self,
        caller: &McpCaller,
        (action, text): (StatementAction, &str),
        attention: &CallerAttention<'_>,
    ) -> Result<StatementOutcome, SessionFault> {
        let mut outcome = self.send_one(caller, (action, text), attention).await?;
        if action == StatementAction::RunWithReceipt && outcome.error.is_none() {
            let asked = (StatementAction::Run, RECEIPT_QUESTION);
            let told = self.send_one(caller, asked, attention).await?;
            let receipt = told.result.rows.into_iter().flatten().next();
            outcome.receipt = receipt.flatten();
        }
        Ok(outcome)
    }

    async fn send_one(
        &mut self,
        caller: &McpCaller,
        (action, text): (StatementAction, &str),
        attention: &CallerAttention<'_>,
    ) -> Result<StatementOutcome, SessionFault> {
        let mut session = match self.usable(caller) {
            Some(session) => session,
            None => {
                self.opened_by = caller.origin();
                self.open(caller).await?
            }
        };
        let began = Instant::now();
        let deadline = began + STATEMENT_TIME_MAX;
        match action {
            StatementAction::Run | StatementAction::RunWithReceipt => {
                session.query(text, deadline).await?
            }
            StatementAction::Compile => session.describe(text, deadline).await?,
        }
        let mut outcome = StatementOutcome::within(&self.services.login_context.memory);
        let reading = self.read(&mut session, &mut outcome, attention);
        attention.reporting(began, reading).await?;
        outcome.elapsed = began.elapsed();
        // One that is lost is not used again.
        let is_kept = self.state == SessionState::Kept || !outcome.leaves_state(text);
        self.session = Some(session).filter(|_| is_kept);
        self.used = Instant::now();
        Ok(outcome)
    }

    /// The session that is open, where it is this caller's.
    fn usable(&mut self, caller: &McpCaller) -> Option<ClientSession> {
        let mut session = self.session.take()?;
        let is_own = self.opened_by == caller.origin();
        (is_own && !session.is_ended()).then_some(session)
    }

    async fn open(&self, caller: &McpCaller) -> Result<ClientSession, SessionFault> {
        let login = SessionLogin {
            user: &caller.user,
            database: &caller.database,
            application_name: &caller.application_name,
            repairs: true,
        };
        let deadline = Instant::now() + LOGIN_TIME_MAX;
        let arrival = LocalArrival {
            from: caller.from,
            caller: caller.admitted.clone(),
        };
        let stream = self.services.local_clients.connect(arrival);
        let stream = stream.map_err(|_error| SessionFault::Lost)?;
        ClientSession::open(stream, &login, MESSAGE_BYTES_MAX, deadline).await
    }

    async fn read(
        &self,
        session: &mut ClientSession,
        outcome: &mut StatementOutcome,
        attention: &CallerAttention<'_>,
    ) -> Result<(), SessionFault> {
        let mut deadline = Instant::now() + STATEMENT_TIME_MAX;
        let mut is_cancelled = false;
        // As many turns as the server has rows: their bound and the deadline end it.
        loop {
            let message = tokio::select! {
                message = session.message(deadline) => message?,
                () = attention.stop.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    deadline = self.cancel(session).await;
                    continue;
                }
            };
            match outcome.take(&message)? {
                AnswerProgress::Ended => return Ok(()),
                AnswerProgress::Enough if !is_cancelled => {
                    is_cancelled = true;
                    deadline = self.cancel(session).await;
                }
                AnswerProgress::Enough | AnswerProgress::GoesOn => {}
            }
        }
    }

    /// Cancels what runs in a session, and says until when its end is waited for.
    async fn cancel(&self, session: &ClientSession) -> Instant {
        if let Some(key) = session.cancel_key() {
            let cancels = &self.services.login_context.cancels;
            // Where it does not arrive, the statement's own limits end it.
            let _ = cancels.forward(key.pid, &key.secret).await;
        }
        Instant::now() + CANCELLED_TIME_MAX
    }
}

impl<'c> CallerAttention<'c> {
    /// Of a request.
    pub fn of(context: &'c RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            stop: &context.ct,
            progress: token.map(|token| ProgressReports { token, context }),
        }
    }

    /// Waits for an answer, and says now and then that it is still waited for.
    async fn reporting<T>(&self, began: Instant, answer: impl Future<Output = T>) -> T {
        let Some(progress) = &self.progress else {
            return answer.await;
        };
        tokio::pin!(answer);
        loop {
            tokio::select! {
                answered = &mut answer => return answered,
                () = sleep(PROGRESS_PAUSE) => progress.report(began).await,
            }
        }
    }
}

impl ProgressReports<'_> {
    async fn report(&self, began: Instant) {
        let seconds = began.elapsed().as_secs_f64();
        let told = model::ProgressNotificationParam::new(self.token.clone(), seconds)
            .with_message(format!("the statement has run for {seconds:.0} s"));
        // Who has gone hears nothing.
        let _ = self.context.peer.notify_progress(told).await;
    }
}
