//! Before a text is sent: whether it is given to the funnel first.
//!
//! A refusal of the grammar, or for a name, is. So is a text that may run and is expected to fail,
//! where the upstream's error could not be taken back: in a transaction block, behind other
//! statements, and in the extended protocol. It is looked for once for each text.

use bytes::Bytes;

use super::apply_repair::Manner;
use super::{Cause, Errand, Patient};
use crate::gate::{Facts, Forecast, Judgement, Parameters, Verdict};
use crate::limits;
use crate::policy::RepairMode;
use crate::repair::predict;
use crate::repair::predict::Doubt;
use crate::repair::repair_loop::failure_of;
use crate::session::arrival::Arrival;
use crate::session::protocol::{Conversation, Ending, Intake};
use crate::telemetry::labels::Path;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::Frame;
use crate::wire::frontend::{Oids, Parse, Query};

/// A text on its way.
struct Doubtful<'t> {
    /// The text.
    text: &'t str,
    /// The types that its message gives to parameters.
    types: Oids<'t>,
    /// What kind of message it came in.
    path: Path,
}

impl Conversation {
    /// A Query that was judged goes on, unless the funnel takes it first.
    pub(in crate::session) fn take_query(
        &mut self,
        frame: &Frame<'_>,
        query: &Query<'_>,
        judgement: Judgement<'_>,
        arrived: Arrival,
    ) -> Result<(), Ending> {
        let text = Doubtful {
            text: query.text,
            types: Oids::default(),
            path: Path::Query,
        };
        match self.foresee(frame, judgement, &text, arrived) {
            Some(judgement) => self.settle_query(frame, judgement, Manner::plain(arrived)),
            None => Ok(()),
        }
    }

    /// The same for a Parse.
    pub(in crate::session) fn take_parse(
        &mut self,
        frame: &Frame<'_>,
        parse: &Parse<'_>,
        judgement: Judgement<'_>,
        arrived: Arrival,
    ) -> Result<(), Ending> {
        let text = Doubtful {
            text: parse.text,
            types: parse.parameter_types,
            path: Path::Parse,
        };
        match self.foresee(frame, judgement, &text, arrived) {
            Some(judgement) => self.settle_parse(frame, parse, judgement, Manner::plain(arrived)),
            None => Ok(()),
        }
    }

    /// Gives a statement to the funnel where it needs it; hands the judgement back where not.
    fn foresee<'t>(
        &mut self,
        frame: &Frame<'_>,
        judgement: Judgement<'t>,
        doubtful: &Doubtful<'_>,
        arrived: Arrival,
    ) -> Option<Judgement<'t>> {
        let text = doubtful.text;
        if !self.repairs_bytes(text.len()) || self.standing.status == TransactionStatus::Failed {
            return Some(judgement);
        }
        let cause = match judgement.verdict {
            Verdict::Refused(refusal) if failure_of(&refusal, text).is_some() => {
                Cause::Refused(refusal)
            }
            Verdict::Permitted(_)
                if self.cannot_be_undone(doubtful.path)
                    && self.may_fail(&judgement.facts, doubtful) =>
            {
                Cause::Doubted
            }
            _ => return Some(judgement),
        };
        self.intake = Intake::Judging;
        let patient = Patient {
            frame: Bytes::copy_from_slice(frame.bytes),
            described: Box::default(),
            failure: None,
            cause,
            arrived,
            since: arrived.taken,
        };
        self.errand = Some(Box::new(Errand::Rescue(Box::new(patient))));
        None
    }

    /// Whether the policy wants failures of texts of this length looked at.
    pub(super) fn repairs_bytes(&self, length: usize) -> bool {
        self.gate.policy().repair().mode != RepairMode::Off && length <= limits::REPAIR_BYTES_MAX
    }

    /// Whether a failure of what is sent now could not be undone.
    fn cannot_be_undone(&self, path: Path) -> bool {
        path == Path::Parse || !self.answers_alone()
    }

    fn may_fail(&self, facts: &Facts, doubtful: &Doubtful<'_>) -> bool {
        if !is_plain_query(facts) || self.names.sight().is_none() {
            return false;
        }
        let forecast = (facts.forecast).get_or_init(|| {
            let parameters = Parameters::given(doubtful.types.iter());
            match predict::look(doubtful.text, &parameters, &self.names) {
                Doubt::None => Forecast::Runs,
                Doubt::Likely => Forecast::MayFail,
            }
        });
        *forecast == Forecast::MayFail
    }
}

/// One query, which leaves nothing behind in the session.
pub(super) fn is_plain_query(facts: &Facts) -> bool {
    facts.kind.is_query() && facts.statements == 1 && facts.effects.is_empty()
}
