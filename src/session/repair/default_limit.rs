//! Where the policy asks for it: a SELECT without LIMIT gets one, and the client is told when that
//! cut its result.

use std::borrow::Cow;

use super::preflight::is_plain_query;
use crate::gate::{Judgement, ParameterTypes, SessionNames, StatementKind, Verdict};
use crate::policy::{Recoverer, RepairMode};
use crate::repair::preprocessors::default_limit;
use crate::session::policy_store::SessionJudge;
use crate::session::protocol::SessionProtocol;
use crate::session::statement_stage::JudgedText;
use crate::sql::{edit, tree};
use crate::telemetry::traces::TraceWork;

/// The same text with the policy's LIMIT, where that is needed and may run.
pub(in crate::session) fn with_default_limit<'t>(
    protocol: &mut SessionProtocol,
    text: JudgedText<'t>,
    parameters: &ParameterTypes,
) -> JudgedText<'t> {
    protocol.witness.skip_lap();
    let (judge, names) = (&protocol.judge, &protocol.context.names);
    let judgement = judge.bounded_judgement(text.judgement, parameters, names);
    protocol.witness.lap(TraceWork::Preprocess);
    JudgedText { judgement, ..text }
}

impl SessionJudge {
    fn bounded_judgement<'t>(
        &self,
        judgement: Judgement<'t>,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Judgement<'t> {
        let settings = self.gate.policy().repair();
        let Some(rows_max) = settings.default_limit else {
            return judgement;
        };
        let Verdict::Permitted(permit) = &judgement.verdict else {
            return judgement;
        };
        if judgement.facts.kind == StatementKind::Explain
            || !is_plain_query(&judgement.facts)
            || settings.mode_of(Recoverer::DefaultLimit) != RepairMode::Apply
        {
            return judgement;
        }
        let text = permit.original();
        let bounded = tree::parse(text)
            .ok()
            .and_then(|tree| default_limit::limit_edit(text, &tree, rows_max))
            .and_then(|edit| edit::apply(text, vec![edit]).ok());
        let Some(bounded) = bounded else {
            return judgement;
        };
        let bounded = self.gate.judge_with(Cow::Owned(bounded), parameters, names);
        match bounded.verdict {
            Verdict::Permitted(_) => {
                // The facts are new, so nobody has set it before.
                bounded.facts.rows_max.get_or_init(|| rows_max);
                bounded
            }
            // What cannot be bounded runs as it was judged.
            Verdict::Clamped(_) | Verdict::Refused(_) => judgement,
        }
    }
}
