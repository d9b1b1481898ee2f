//! The sessions in which one question is asked: one as any client has it, and one with repairs off,
//! each begun when it is first needed. No question sees what another has left behind.

use tokio::time::{Instant, sleep};

use super::plan::EvaluationPlan;
use super::proxy::EvaluationProxy;
use super::proxy_session::{ProxySession, StatementAnswer};
use crate::limits::evaluation::{LOGIN_TIME_MAX, TRIES_MAX, TRY_PAUSE};
use crate::wire_client::session::{SessionFault, SessionLogin};

/// Whether statements are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepairSwitch {
    /// As the policy has it.
    On,
    /// They are not.
    Off,
}

/// The sessions of a question.
pub(super) struct QuestionSessions<'e> {
    plan: &'e EvaluationPlan,
    proxy: &'e EvaluationProxy,
    database: String,
    repairing: Option<ProxySession>,
    plain: Option<ProxySession>,
}

impl<'e> QuestionSessions<'e> {
    /// In a database; none is begun.
    pub(super) fn new(
        plan: &'e EvaluationPlan,
        proxy: &'e EvaluationProxy,
        database: &str,
    ) -> Self {
        Self {
            plan,
            proxy,
            database: database.to_owned(),
            repairing: None,
            plain: None,
        }
    }

    /// Runs a text; what fails for a reason of the moment is sent again.
    pub(super) async fn run(
        &mut self,
        text: &str,
        repairs: RepairSwitch,
    ) -> Result<StatementAnswer, SessionFault> {
        let mut tries = 1;
        loop {
            let answer = self.run_once(text, repairs).await;
            let is_passing = match &answer {
                Ok(answer) => {
                    let error = answer.result.as_ref().err();
                    error.is_some_and(|error| error.is_of_the_moment())
                }
                Err(SessionFault::Refused(error)) => error.is_of_the_moment(),
                Err(SessionFault::Lost) => true,
                Err(_) => false,
            };
            if !is_passing || tries >= TRIES_MAX {
                return answer;
            }
            tries += 1;
            sleep(TRY_PAUSE).await;
        }
    }

    async fn run_once(
        &mut self,
        text: &str,
        repairs: RepairSwitch,
    ) -> Result<StatementAnswer, SessionFault> {
        let open = match repairs {
            RepairSwitch::On => &mut self.repairing,
            RepairSwitch::Off => &mut self.plain,
        };
        let mut session = match open.take() {
            Some(session) => session,
            None => {
                let login = SessionLogin {
                    user: &self.plan.person.user,
                    database: &self.database,
                    application_name: &self.plan.person.application_name,
                    repairs: repairs == RepairSwitch::On,
                };
                let deadline = Instant::now() + LOGIN_TIME_MAX;
                ProxySession::open(self.proxy.socket(), &login, deadline).await?
            }
        };
        let deadline = Instant::now() + self.plan.statement_time_max;
        let answer = session.run(text, deadline).await?;
        // One that is lost is not used again.
        *open = Some(session);
        Ok(answer)
    }
}
