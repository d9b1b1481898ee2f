//! Before a text is sent: whether it is given to the repair loop first.
//!
//! A refusal of the grammar, or for a name, is. So is a text that may run and is expected to fail,
//! where the upstream's error could not be taken back: in a transaction block, behind other
//! statements, and in the extended protocol. It is looked for once for each text.

use bytes::Bytes;

use super::apply_repair::SendOptions;
use super::{BlockingJob, RepairCause, RepairJob};
use crate::gate::{Facts, Judgement, ParameterTypes, RunForecast, Verdict};
use crate::limits;
use crate::policy::RepairMode;
use crate::repair::predict;
use crate::repair::predict::FailureForecast;
use crate::repair::repair_loop::failure_of;
use crate::session::arrival::StatementArrival;
use crate::session::protocol::{ClientState, SessionEnd, SessionProtocol};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::ClientFrame;
use crate::wire::frontend::{ParameterOids, Parse, Query};

/// A text on its way.
struct UnsentText<'t> {
    /// The text.
    text: &'t str,
    /// The types that its message gives to parameters.
    types: ParameterOids<'t>,
    /// What kind of message it came in.
    path: ProtocolPath,
}

impl SessionProtocol {
    /// A Query that was judged goes on, unless the repair loop takes it first.
    pub(in crate::session) fn preflight_query(
        &mut self,
        frame: &ClientFrame<'_>,
        query: &Query<'_>,
        judgement: Judgement<'_>,
        arrived: StatementArrival,
    ) -> Result<(), SessionEnd> {
        let text = UnsentText {
            text: query.text,
            types: ParameterOids::default(),
            path: ProtocolPath::Query,
        };
        match self.preflight(frame, judgement, &text, arrived) {
            Some(judgement) => self.query_judged(frame, judgement, SendOptions::plain(arrived)),
            None => Ok(()),
        }
    }

    /// The same for a Parse.
    pub(in crate::session) fn preflight_parse(
        &mut self,
        frame: &ClientFrame<'_>,
        parse: &Parse<'_>,
        judgement: Judgement<'_>,
        arrived: StatementArrival,
    ) -> Result<(), SessionEnd> {
        let text = UnsentText {
            text: parse.text,
            types: parse.parameter_types,
            path: ProtocolPath::Parse,
        };
        match self.preflight(frame, judgement, &text, arrived) {
            Some(judgement) => {
                self.parse_judged(frame, parse, judgement, SendOptions::plain(arrived))
            }
            None => Ok(()),
        }
    }

    /// Gives a statement to the repair loop where it needs it; hands the judgement back where not.
    fn preflight<'t>(
        &mut self,
        frame: &ClientFrame<'_>,
        judgement: Judgement<'t>,
        doubtful: &UnsentText<'_>,
        arrived: StatementArrival,
    ) -> Option<Judgement<'t>> {
        let text = doubtful.text;
        if !self.repairs_bytes(text.len()) || self.transaction.status == TransactionStatus::Failed {
            return Some(judgement);
        }
        let cause = match judgement.verdict {
            Verdict::Refused(refusal) if failure_of(&refusal, text).is_some() => {
                RepairCause::Refused(refusal)
            }
            Verdict::Permitted(_)
                if self.cannot_be_undone(doubtful.path)
                    && self.may_fail(&judgement.facts, doubtful) =>
            {
                RepairCause::Doubted
            }
            _ => return Some(judgement),
        };
        self.intake = ClientState::Judging;
        let repair_job = RepairJob {
            frame: Bytes::copy_from_slice(frame.bytes),
            described: Box::default(),
            failure: None,
            cause,
            arrived,
            since: arrived.taken,
        };
        self.blocking_job = Some(Box::new(BlockingJob::Repair(Box::new(repair_job))));
        None
    }

    /// Whether the policy wants failures of texts of this length looked at.
    pub(super) fn repairs_bytes(&self, length: usize) -> bool {
        self.gate.policy().repair().mode != RepairMode::Off && length <= limits::REPAIR_BYTES_MAX
    }

    /// Whether a failure of what is sent now could not be undone.
    fn cannot_be_undone(&self, path: ProtocolPath) -> bool {
        path == ProtocolPath::Parse || !self.answers_alone()
    }

    fn may_fail(&self, facts: &Facts, doubtful: &UnsentText<'_>) -> bool {
        if !is_plain_query(facts) || self.names.effect_graph().is_none() {
            return false;
        }
        let forecast = (facts.forecast).get_or_init(|| {
            let parameters = ParameterTypes::given(doubtful.types.iter());
            match predict::forecast(doubtful.text, &parameters, &self.names) {
                FailureForecast::None => RunForecast::Runs,
                FailureForecast::Likely => RunForecast::MayFail,
            }
        });
        *forecast == RunForecast::MayFail
    }
}

/// One query, which leaves nothing behind in the session.
pub(super) fn is_plain_query(facts: &Facts) -> bool {
    facts.kind.is_query() && facts.statements == 1 && facts.effects.is_empty()
}
