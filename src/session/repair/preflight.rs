//! Before a text is sent: whether it is given to the repair loop first.
//!
//! A refusal of the grammar, or for a name, is. So is a text that may run and is expected to fail,
//! where the upstream's error could not be taken back: in a transaction block, behind or before
//! other statements, and in the extended protocol. It is looked for once for each text.

use bytes::Bytes;

use super::notices;
use super::stage::RepairStage;
use super::{BlockingJob, RepairCause, RepairJob};
use crate::gate::{Facts, Judgement, RunForecast, SessionNames, StatementKind, Verdict};
use crate::limits;
use crate::policy::{Policy, RepairMode};
use crate::repair::predict;
use crate::repair::predict::FailureForecast;
use crate::repair::repair_loop::failure_of;
use crate::session::client_side::ClientState;
use crate::session::context::client_settings::RepairWish;
use crate::session::protocol::SessionProtocol;
use crate::session::statement_stage::{ClientText, JudgedText, PathStop};
use crate::telemetry::labels::ProtocolPath;
use crate::wire::backend::TransactionStatus;
use crate::wire::frame::ClientFrame;

/// Gives a text to the repair loop where it needs that, and has it wait; hands it back where not.
pub(in crate::session) fn preflight<'t>(
    protocol: &mut SessionProtocol,
    frame: &ClientFrame<'_>,
    text: &ClientText<'_>,
    judged: JudgedText<'t>,
) -> Result<JudgedText<'t>, PathStop> {
    let JudgedText { judgement, options } = judged;
    let (length, pending) = (text.text.len(), &protocol.pending);
    let policy = protocol.judge.gate.policy();
    if !repairs_bytes(policy, length)
        || protocol.context.client_settings.repair_wish() == RepairWish::Unwanted
        || pending.transaction.status == TransactionStatus::Failed
    {
        return Ok(JudgedText { judgement, options });
    }
    if is_plain_query(&judgement.facts) {
        protocol.context.dialect_history.hear(text.text);
    }
    // A failure of what is sent now could not be undone.
    let cannot_be_undone = text.path == ProtocolPath::Parse
        || protocol.client.inflow.is_pipelined
        || !pending.answers_alone();
    let cause = match judgement.verdict {
        Verdict::Refused(refusal) if failure_of(&refusal, text.text).is_some() => {
            RepairCause::Refused(refusal)
        }
        Verdict::Permitted(_)
            if cannot_be_undone && may_fail(&judgement.facts, text, &protocol.context.names) =>
        {
            RepairCause::Doubted
        }
        Verdict::Refused(refusal) => {
            let verdict = Verdict::Refused(notices::hinted_refusal(refusal, policy));
            let facts = judgement.facts;
            let judgement = Judgement { facts, verdict };
            return Ok(JudgedText { judgement, options });
        }
        verdict => {
            let facts = judgement.facts;
            let judgement = Judgement { facts, verdict };
            return Ok(JudgedText { judgement, options });
        }
    };
    protocol.client.state = ClientState::Judging;
    let repair_job = RepairJob {
        frame: Bytes::copy_from_slice(frame.bytes),
        described: Box::default(),
        failure: None,
        cause,
        arrived: options.arrived,
        since: options.arrived.taken,
    };
    let job = BlockingJob::Repair(Box::new(repair_job));
    protocol.repair.stage = RepairStage::Due(Box::new(job));
    Err(PathStop::Waits)
}

/// Whether the policy wants failures of texts of this length looked at.
pub(super) fn repairs_bytes(policy: &Policy, length: usize) -> bool {
    policy.repair().mode != RepairMode::Off && length <= limits::REPAIR_BYTES_MAX
}

fn may_fail(facts: &Facts, doubtful: &ClientText<'_>, names: &SessionNames) -> bool {
    if !may_be_repaired(facts) || names.effect_graph().is_none() {
        return false;
    }
    let forecast = (facts.forecast).get_or_init(|| {
        match predict::forecast(doubtful.text, &doubtful.parameters, names) {
            FailureForecast::None => RunForecast::Runs,
            FailureForecast::Likely => RunForecast::MayFail,
        }
    });
    *forecast == RunForecast::MayFail
}

/// A query, or a SHOW: other systems show more than settings.
pub(super) fn may_be_repaired(facts: &Facts) -> bool {
    is_plain_query(facts)
        || facts.kind == StatementKind::Show && facts.statements == 1 && facts.effects.is_empty()
}

/// One query, which leaves nothing behind in the session.
pub(super) fn is_plain_query(facts: &Facts) -> bool {
    facts.kind.is_query() && facts.statements == 1 && facts.effects.is_empty()
}
