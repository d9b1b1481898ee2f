//! The types of parameters, as a Parse message gives them: numbers, which stand nowhere in a text.

use super::refusal::{self, EffectfulObject};
use crate::context::JudgeContext;
use crate::effects::graph::EffectDescription;
use crate::rules::{RuleResult, catalog_missing, type_effects};
use crate::{VerdictDepth, access, function_bodies};
use catalog::Oid;

/// A Bind makes values of these types. Zero leaves the choice to the server, which takes it from
/// the text.
pub(crate) fn check_parameters(
    types: impl IntoIterator<Item = u32>,
    context: &JudgeContext<'_>,
) -> RuleResult {
    for oid in types.into_iter().filter(|oid| *oid != 0).map(Oid) {
        match (context.effect_graph(), context.depth()) {
            (Some(effect_graph), _) => {
                let cause = match effect_graph.catalog().index().type_of_oid(oid) {
                    Some(id) => effect_graph.making(id).or_else(|| effect_graph.using(id)),
                    None if oid.is_built_in() => None,
                    // It is newer than the snapshot.
                    None => return Err(type_effects::refusal(&EffectDescription::nameless())),
                };
                if let Some(cause) = cause {
                    return Err(refusal::of(
                        &EffectfulObject::Type(cause),
                        None,
                        effect_graph,
                        context,
                    ));
                }
                function_bodies::check_parameter(oid, effect_graph, context)?;
                access::check_parameter(oid, effect_graph, context)?;
            }
            (None, depth)
                if !oid.is_built_in()
                    && (depth == VerdictDepth::BuiltIns || context.policy.hides()) =>
            {
                return Err(catalog_missing::refusal_of_parameter());
            }
            (None, VerdictDepth::BuiltIns | VerdictDepth::Tree | VerdictDepth::Names) => {}
        }
    }
    Ok(())
}
