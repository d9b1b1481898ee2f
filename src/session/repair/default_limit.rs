//! Where the policy asks for it: a SELECT without LIMIT gets one, and the client is told when that
//! cut its result.

use std::borrow::Cow;

use super::notices::Notice;
use super::preflight::is_plain_query;
use crate::gate::{Judgement, Parameters, StatementKind, Verdict};
use crate::policy::{Recoverer, RepairMode};
use crate::repair::preprocessors::default_limit;
use crate::session::pending::Running;
use crate::session::protocol::Conversation;
use crate::sql::{edit, tree};

impl Conversation {
    /// The judgement of the same text with the policy's LIMIT, where that is needed and may run.
    pub(in crate::session) fn bound<'t>(
        &self,
        judgement: Judgement<'t>,
        parameters: &Parameters,
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
            .and_then(|tree| default_limit::look(text, &tree, rows_max))
            .and_then(|edit| edit::apply(text, vec![edit]).ok());
        let Some(bounded) = bounded else {
            return judgement;
        };
        let bounded = (self.gate).judge_with(Cow::Owned(bounded), parameters, &self.names);
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

impl Running {
    /// The notice of a result that ended where the policy's LIMIT did.
    pub(in crate::session) fn cut(&self) -> Option<Notice> {
        let rows_max = *self.facts.rows_max.get()?;
        (self.rows == rows_max).then_some(Notice::Cut { rows_max })
    }
}
