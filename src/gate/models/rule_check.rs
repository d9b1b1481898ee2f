//! Whether the gate's own rules let a model's SELECT pass: what does not is known before a client
//! names it.

use super::model_body::ModelBody;
use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::{SearchPaths, SessionNames, judge};
use catalog::search_path;
use policy::Policy;
use sql::tree;

/// What the rules say against the models of a snapshot, by their places.
pub(crate) fn refused(effect_graph: &EffectGraph, policy: &Policy) -> Vec<(usize, String)> {
    let catalog = effect_graph.catalog();
    let mut roles = catalog.roles();
    // Whose right it is to read is the server's to say.
    let Some((_, role)) = roles.find(|(_, role)| role.superuser) else {
        return Vec::new();
    };
    let role = catalog.names().text(role.name);
    let mut names = SessionNames::default();
    names.set_server_major(catalog.server_major());
    names.set_role(role);
    let models = effect_graph.models().all.iter().enumerate();
    let refused = models.filter_map(|(place, model)| {
        let body = model.body.as_ref().ok()?;
        let usual = search_path::split(catalog.usual_search_path()).unwrap_or_default();
        let first = [&*model.schema, "pg_catalog"];
        let path = first.into_iter().chain(usual.iter().map(String::as_str));
        let path: Box<[Box<str>]> = path.map(Box::from).collect();
        names.set_paths(SearchPaths::Known(Box::new([path])));
        Some((place, refusal_of(body, effect_graph, &names, policy)?))
    });
    refused.collect()
}

fn refusal_of(
    body: &ModelBody,
    effect_graph: &EffectGraph,
    names: &SessionNames,
    policy: &Policy,
) -> Option<String> {
    let Ok(parsed) = tree::parse(body.sample()) else {
        return Some("its sql is not one query of Postgres".into());
    };
    let mut context = JudgeContext::new(body.sample(), policy, names, None);
    context.newer_effect_graph = Some(effect_graph);
    context.trusted.push(0..body.sample().len());
    let refusal = judge::judge_message(&parsed, &mut context).err()?;
    // This reaches the log, and a message may quote the statement.
    Some(format!("the gate refuses it; {}", refusal.detail))
}
