//! The path of a statement, from its arrival to the upstream.
//!
//! Each message that brings or runs a statement has one function here that lists its steps in their
//! order: [`SessionProtocol::query`], `parse`, `bind` and `execute`. A step gives what it came to,
//! or stops the statement: it is refused, or it waits (for a thread, a repair, a plan). What has
//! waited is taken up again here, at the step behind. No step calls the next one.
//!
//! A step belongs to the part of the session that it works on: judging to `text_judgement`, repairs
//! to `repair::preflight`, quotas to `policy_limits::admission`, plans to `plan`, writing to
//! `send`.

use std::sync::Arc;

use bytes::Bytes;

use super::arrival::StatementArrival;
use super::lowered_settings::LoweredText;
use super::policy_limits::result_limit::ResultAllowance;
use super::protocol::{SessionEnd, SessionProtocol};
use super::repair::apply_repair::SendOptions;
use super::reply::CloseReason;
use crate::gate::{Facts, Judgement, ParameterTypes, ReadPermit, Refusal};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::frame::{ClientFrame, FrameCut, ProtocolPhase, cut_frontend};
use crate::wire::frontend::{self, Bind, Execute, FrontendMessage, Parse, Query};

/// Why a statement does not go on.
pub(super) enum PathStop {
    /// It waits, and is taken up again at the step behind.
    Waits,
    /// It is refused; what is known of it, where it was judged.
    Refused(Box<Refusal>, Option<(Arc<Facts>, StatementArrival)>),
    /// The session ends.
    Ends(SessionEnd),
}

/// How far the text of a Query or Parse has come.
pub(super) enum TextStage<'t> {
    /// It was read just now.
    Arrived,
    /// The gate has judged it.
    Judged(JudgedText<'t>),
    /// A repair is not needed, or was looked for.
    Preflighted(JudgedText<'t>),
}

/// How far a Query has come.
pub(super) enum QueryStage<'t> {
    /// Not further than any text.
    Text(TextStage<'t>),
    /// It is known how long the cursors are that it moves.
    Measured(AdmittedQuery<'t>),
    /// Its plan is within the bounds.
    Planned(AdmittedQuery<'t>),
}

/// A text with its verdict, and how it is to be sent.
pub(super) struct JudgedText<'t> {
    pub(super) judgement: Judgement<'t>,
    pub(super) options: SendOptions,
}

/// A text that may run, and what was lowered in it.
pub(super) struct PermittedText<'t> {
    pub(super) permit: ReadPermit<'t>,
    pub(super) lowered: Option<LoweredText>,
    /// What was found in it before anything was lowered.
    pub(super) judged: Arc<Facts>,
    pub(super) options: SendOptions,
}

/// A Query that may be sent now, and what its result may bring.
pub(super) struct AdmittedQuery<'t> {
    pub(super) text: PermittedText<'t>,
    pub(super) allowance: ResultAllowance,
}

/// The text of a message, and the types that it gives to parameters.
pub(super) struct ClientText<'t> {
    pub(super) path: ProtocolPath,
    pub(super) text: &'t str,
    pub(super) parameters: ParameterTypes,
}

/// A portal that is run.
pub(super) struct BoundPortal {
    pub(super) facts: Arc<Facts>,
    /// The statement, or the DECLARE or PREPARE that made it.
    pub(super) text: Arc<str>,
}

impl SessionProtocol {
    /// A Query, from where it stands until it is sent, waits or is refused.
    pub(super) fn query(
        &mut self,
        frame: &ClientFrame<'_>,
        query: &Query<'_>,
        stage: QueryStage<'_>,
    ) -> Result<(), SessionEnd> {
        let text = ClientText::of_query(query);
        match self.query_steps(frame, &text, stage) {
            Ok(()) | Err(PathStop::Waits) => Ok(()),
            Err(PathStop::Ends(end)) => Err(end),
            Err(PathStop::Refused(refusal, judged)) => {
                self.expect_copy_leftovers(judged.as_ref());
                self.refuse_query(refusal, judged, ProtocolPath::Query)
            }
        }
    }

    fn query_steps<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        text: &ClientText<'t>,
        mut stage: QueryStage<'t>,
    ) -> Result<(), PathStop> {
        use QueryStage::{Measured, Planned, Text};
        use TextStage::{Arrived, Judged, Preflighted};
        // Each round is a step further.
        loop {
            stage = match stage {
                Text(Arrived) => {
                    let arrived = self.arrive(text);
                    Text(Judged(self.judge_text(frame, text, arrived)?))
                }
                Text(Judged(judged)) => Text(Preflighted(self.preflight(frame, text, judged)?)),
                Text(Preflighted(judged)) => {
                    let judged = self.with_default_limit(judged, &text.parameters);
                    let permitted = self.lower_settings(judged, &text.parameters)?;
                    let admitted = self.admit_query(permitted)?;
                    Measured(self.measure_cursors(frame, admitted)?)
                }
                Measured(query) => Planned(self.plan_within_bounds(frame, query)?),
                Planned(query) => return Ok(self.send_query(frame, query)?),
            };
        }
    }

    /// A Parse, from where it stands until it is sent, waits or is refused.
    pub(super) fn parse(
        &mut self,
        frame: &ClientFrame<'_>,
        parse: &Parse<'_>,
        stage: TextStage<'_>,
    ) -> Result<(), SessionEnd> {
        let text = ClientText::of_parse(parse);
        match self.parse_steps(frame, parse, text, stage) {
            Ok(()) | Err(PathStop::Waits) => Ok(()),
            Err(PathStop::Ends(end)) => Err(end),
            Err(PathStop::Refused(refusal, judged)) => {
                self.expect_copy_leftovers(judged.as_ref());
                self.refuse_parse(parse.name, refusal, judged)
            }
        }
    }

    fn parse_steps<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        parse: &Parse<'_>,
        text: ClientText<'t>,
        mut stage: TextStage<'t>,
    ) -> Result<(), PathStop> {
        use TextStage::{Arrived, Judged, Preflighted};
        // Each round is a step further.
        loop {
            stage = match stage {
                Arrived => {
                    let arrived = self.arrive(&text);
                    Judged(self.judge_text(frame, &text, arrived)?)
                }
                Judged(judged) => Preflighted(self.preflight(frame, &text, judged)?),
                Preflighted(judged) => {
                    let judged = self.with_default_limit(judged, &text.parameters);
                    let permitted = self.lower_settings(judged, &text.parameters)?;
                    let permitted = self.admit_parse(parse, permitted)?;
                    return Ok(self.send_parse(frame, parse, text.parameters, permitted)?);
                }
            };
        }
    }

    /// A text that has waited goes on.
    ///
    /// # Errors
    /// The reason to end the session.
    pub(super) fn resume_text(
        &mut self,
        frame: &Bytes,
        stage: TextStage<'_>,
    ) -> Result<(), SessionEnd> {
        let FrameCut::Whole(frame) = cut_frontend(frame, ProtocolPhase::Session)? else {
            return Err(LOST_COUNT);
        };
        match frontend::decode(&frame)? {
            FrontendMessage::Query(query) => self.query(&frame, &query, QueryStage::Text(stage)),
            FrontendMessage::Parse(parse) => self.parse(&frame, &parse, stage),
            _ => Err(LOST_COUNT),
        }
    }

    /// A Query that has waited for an answer of the upstream goes on.
    ///
    /// # Errors
    /// The reason to end the session.
    pub(super) fn resume_query(
        &mut self,
        frame: &Bytes,
        stage: QueryStage<'_>,
    ) -> Result<(), SessionEnd> {
        let FrameCut::Whole(frame) = cut_frontend(frame, ProtocolPhase::Session)? else {
            return Err(LOST_COUNT);
        };
        match frontend::decode(&frame)? {
            FrontendMessage::Query(query) => self.query(&frame, &query, stage),
            _ => Err(LOST_COUNT),
        }
    }

    /// A Bind, which makes a portal of a prepared statement.
    pub(super) fn bind(
        &mut self,
        frame: &ClientFrame<'_>,
        bind: &Bind<'_>,
    ) -> Result<(), SessionEnd> {
        match self.bind_steps(frame, bind) {
            Ok(()) | Err(PathStop::Waits) => Ok(()),
            Err(PathStop::Ends(end)) => Err(end),
            Err(PathStop::Refused(refusal, judged)) => {
                self.refuse_message(refusal, judged, ProtocolPath::Bind)
            }
        }
    }

    fn bind_steps(&mut self, frame: &ClientFrame<'_>, bind: &Bind<'_>) -> Result<(), PathStop> {
        self.witness.begin_bind(&self.context.names, bind.statement);
        self.recheck_statement(bind.statement)?;
        let prepared = self.prepared_for(bind)?;
        let question = self.question_of_bind(&prepared)?;
        let portal = self.portal_of(prepared, bind)?;
        self.send_bind(frame, bind, portal)?;
        // Behind it, with the same values: an error of the Bind skips the question too.
        self.plan_bound(bind, question)
    }

    /// An Execute, which runs a portal.
    pub(super) fn execute(
        &mut self,
        frame: &ClientFrame<'_>,
        execute: &Execute<'_>,
    ) -> Result<(), SessionEnd> {
        match self.execute_steps(frame, execute) {
            Ok(()) | Err(PathStop::Waits) => Ok(()),
            Err(PathStop::Ends(end)) => Err(end),
            Err(PathStop::Refused(refusal, judged)) => {
                self.refuse_message(refusal, judged, ProtocolPath::Execute)
            }
        }
    }

    fn execute_steps(
        &mut self,
        frame: &ClientFrame<'_>,
        execute: &Execute<'_>,
    ) -> Result<(), PathStop> {
        let arrived = self.client.inflow.arrival();
        self.witness.begin_execute(
            (&self.context.names, &mut self.pending),
            execute.portal,
            &arrived,
        );
        self.recheck_portal(execute.portal)?;
        let portal = self.portal_for(execute)?;
        self.recheck_held_cursors(&portal.facts)?;
        let allowance = self.admit_execute(execute, &portal.facts, arrived)?;
        Ok(self.send_execute(frame, execute, portal, (arrived, allowance))?)
    }
}

impl<'t> ClientText<'t> {
    fn of_query(query: &Query<'t>) -> Self {
        Self {
            path: ProtocolPath::Query,
            text: query.text,
            parameters: ParameterTypes::none_given(),
        }
    }

    fn of_parse(parse: &Parse<'t>) -> Self {
        Self {
            path: ProtocolPath::Parse,
            text: parse.text,
            parameters: ParameterTypes::given(parse.parameter_types.iter()),
        }
    }
}

impl PathStop {
    /// Refuses a text that was judged.
    pub(super) fn refused(
        refusal: Box<Refusal>,
        facts: &Arc<Facts>,
        arrived: StatementArrival,
    ) -> Self {
        Self::Refused(refusal, Some((Arc::clone(facts), arrived)))
    }
}

impl From<SessionEnd> for PathStop {
    fn from(end: SessionEnd) -> Self {
        Self::Ends(end)
    }
}

impl From<Box<Refusal>> for PathStop {
    /// Of a message whose statement is not known.
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal, None)
    }
}

/// Cannot happen: the frames of what waits were read before.
const LOST_COUNT: SessionEnd = SessionEnd::Ended(CloseReason::Internal);
