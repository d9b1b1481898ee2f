//! The SELECTs of a policy's examples and metrics, judged before anybody is told of them: one that
//! is refused would teach a refusal.

use std::borrow::Cow;
use std::sync::Arc;

use super::assumptions::{AssumedDatabase, AssumedSession};
use super::judge::{GateAnswer, OfflineJudge};
use crate::catalog::search_path;
use crate::gate::effects::graph::EffectGraph;
use crate::policy::{KnowledgeContent, Policy, PolicyProblem};

/// Those that such a session may not run, or that are no reads, each with its place. Without what a
/// database contains, what cannot be told passes.
pub fn refused(
    policy: &Arc<Policy>,
    effect_graph: Option<&Arc<EffectGraph>>,
) -> Vec<PolicyProblem> {
    let records = policy.knowledge().records.iter();
    let mut examples = records
        .filter_map(|record| match &record.content {
            KnowledgeContent::Example { sql, .. } => {
                let place = format!("{}.sql", record.place);
                Some((place, Cow::Borrowed(sql.as_str())))
            }
            KnowledgeContent::Metric(metric) => {
                Some((record.place.clone(), Cow::Owned(metric.select(|_| true))))
            }
            _ => None,
        })
        .peekable();
    if examples.peek().is_none() {
        return Vec::new();
    }
    let judge = OfflineJudge::with_effect_graph(policy, effect_graph.cloned());
    let (assumed, who) = (AssumedDatabase::default(), reader(effect_graph));
    let refused = examples.filter_map(|(place, sql)| {
        let mut script = judge.session(&assumed, &who);
        let ruling = judge.judge(&sql, &mut script);
        let what = match &ruling.answer {
            answer if effect_graph.is_none() && answer.lacks_a_database() => return None,
            GateAnswer::Refuse(refusal) => format!("the gate refuses it; {}", refusal.detail),
            GateAnswer::Permit | GateAnswer::Observe(_) => {
                let is_read = ruling.facts.kind.is_query() && ruling.facts.statements == 1;
                match is_read {
                    true => return None,
                    false => "one SELECT is wanted".to_owned(),
                }
            }
        };
        Some(PolicyProblem { place, what })
    });
    refused.collect()
}

/// A session that may read everything: whose right it is to read is the server's to say.
fn reader(effect_graph: Option<&Arc<EffectGraph>>) -> AssumedSession {
    let catalog = effect_graph.map(|effect_graph| effect_graph.catalog());
    let superuser = catalog.and_then(|catalog| {
        let mut roles = catalog.roles();
        let (_, role) = roles.find(|(_, role)| role.superuser)?;
        Some(catalog.names().text(role.name).to_owned())
    });
    AssumedSession {
        role: superuser,
        search_path: catalog.and_then(|catalog| search_path::split(catalog.usual_search_path())),
        ..AssumedSession::unspecified()
    }
}
