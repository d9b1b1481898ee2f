//! What the names of a statement or of a body run, as far as that runs functions whose names are
//! looked up when they run; and what of it is not clean for certain.

use super::path_context::PathOrigin;
use crate::effects::coercion;
use crate::effects::graph::{
    EffectCause, EffectGraph, EffectReason, GraphNode, InheritanceReach, PathDependents,
};
use crate::functions::BuiltinEffect;
use catalog::{CastId, Catalog, OperatorId};
use resolve::{CallForm, InferredType, ObjectUse, UsedObject};

/// What a use runs; none where that cannot be told and has to be. Where whoever keeps the database
/// has chosen the path, only what is certain counts.
pub(super) fn run(
    used: &ObjectUse<'_>,
    path_dependents: &PathDependents,
    catalog: &Catalog,
    kind: PathOrigin,
) -> Option<Vec<GraphNode>> {
    let is_open = kind == PathOrigin::Foreign;
    let one_of = |count: usize| is_open || count == 1;
    let nodes = match &used.what {
        UsedObject::Relation { id, only: true } => vec![GraphNode::Only(*id)],
        UsedObject::Relation { id, only: false } => vec![GraphNode::Relation(*id)],
        UsedObject::Functions { candidates, .. } if candidates.is_empty() && is_open => {
            return None;
        }
        UsedObject::Functions { candidates, .. } if one_of(candidates.len()) => candidates
            .iter()
            .map(|id| GraphNode::Function(*id))
            .collect(),
        UsedObject::Operators { candidates, .. } if candidates.is_empty() && is_open => {
            return None;
        }
        UsedObject::Operators { candidates, sides } if one_of(candidates.len()) => {
            run_by_operators(candidates, sides, catalog)
        }
        UsedObject::Functions { .. } | UsedObject::Operators { .. } => Vec::new(),
        UsedObject::Cast {
            source,
            target,
            candidates,
        } => {
            let mut nodes = vec![GraphNode::Making(*target)];
            if one_of(candidates.len()) {
                nodes.extend(candidates.iter().map(|id| GraphNode::Cast(*id)));
            }
            if is_open && matches!(source, InferredType::Row(_) | InferredType::Unclear) {
                nodes.push(GraphNode::Target(*target));
            }
            nodes
        }
        UsedObject::Coercion { source, target } => {
            let mut nodes = vec![GraphNode::Making(*target)];
            if is_open || matches!(source, InferredType::Known(_)) {
                let happens = |id: &CastId| {
                    coercion::find_implicit_cast(&[*id], source, *target, catalog).is_some()
                };
                let casts = path_dependents.casts().iter().copied();
                nodes.extend(casts.filter(happens).map(GraphNode::Cast));
            }
            nodes
        }
        UsedObject::Type { id } => vec![GraphNode::Making(*id), GraphNode::Using(*id)],
        UsedObject::Compared {
            inferred: InferredType::Known(id),
        } => vec![GraphNode::Using(*id)],
        UsedObject::Unclear if is_open => return None,
        UsedObject::Unclear
        | UsedObject::Compared { .. }
        | UsedObject::Column { .. }
        | UsedObject::WholeRow { .. }
        | UsedObject::CommonTable { .. }
        | UsedObject::MissingRelation { .. }
        | UsedObject::MissingColumn { .. }
        | UsedObject::AmbiguousColumn { .. }
        | UsedObject::MissingFunction => Vec::new(),
    };
    Some(nodes)
}

/// What operators run between what they stand between.
fn run_by_operators(
    candidates: &[OperatorId],
    sides: &[InferredType],
    catalog: &Catalog,
) -> Vec<GraphNode> {
    let operators = candidates.iter().copied();
    let run = operators.flat_map(|id| match coercion::only_prints(id, catalog) {
        true => printed(sides, catalog).unwrap_or_else(|| vec![GraphNode::Operator(id)]),
        false => vec![GraphNode::Operator(id)],
    });
    run.collect()
}

/// What is run to make text of what an operator stands between; none where that cannot be told.
fn printed(sides: &[InferredType], catalog: &Catalog) -> Option<Vec<GraphNode>> {
    let mut nodes = Vec::new();
    for side in sides {
        match side {
            InferredType::Known(id) => {
                let (types, casts) = coercion::printed(*id, catalog);
                nodes.extend(types.into_iter().map(GraphNode::Using));
                nodes.extend(casts.into_iter().map(GraphNode::Cast));
            }
            // They are text themselves.
            InferredType::Literal | InferredType::Parameter(_) => {}
            InferredType::Row(_) | InferredType::Unclear => return None,
        }
    }
    Some(nodes)
}

/// Why a use is not clean, where there is no doubt about what it is.
pub(super) fn effect_of(used: &ObjectUse<'_>, effect_graph: &EffectGraph) -> Option<EffectCause> {
    let cause = match &used.what {
        UsedObject::Relation { id, only } => effect_graph.relation(
            *id,
            match only {
                true => InheritanceReach::Only,
                false => InheritanceReach::WithChildren,
            },
        ),
        UsedObject::Functions { candidates, form } => match candidates.as_slice() {
            [only] => effect_graph.function(*only).filter(|cause| {
                // Those of samples have a rule of their own.
                let of_sample = *form == CallForm::Sample
                    && cause.reason() == EffectReason::BuiltIn(BuiltinEffect::Internal);
                !of_sample
            }),
            _ => None,
        },
        UsedObject::Operators { candidates, sides } => match candidates.as_slice() {
            [only] if !coercion::prints_cleanly(*only, sides, effect_graph) => {
                effect_graph.operator(*only)
            }
            _ => None,
        },
        UsedObject::Cast {
            target, candidates, ..
        } => match candidates.as_slice() {
            [only] => effect_graph
                .cast(*only)
                .or_else(|| effect_graph.making(*target)),
            _ => effect_graph.making(*target),
        },
        UsedObject::Coercion {
            source: source @ InferredType::Known(_),
            target,
        } => coercion::effect_of_coercion(source, *target, effect_graph)
            .or_else(|| effect_graph.making(*target)),
        UsedObject::Coercion { target, .. } => effect_graph.making(*target),
        UsedObject::Type { id } => effect_graph.making(*id).or_else(|| effect_graph.using(*id)),
        UsedObject::Compared {
            inferred: InferredType::Known(id),
        } => effect_graph.using(*id),
        UsedObject::Compared { .. }
        | UsedObject::Column { .. }
        | UsedObject::WholeRow { .. }
        | UsedObject::CommonTable { .. }
        | UsedObject::MissingRelation { .. }
        | UsedObject::MissingColumn { .. }
        | UsedObject::AmbiguousColumn { .. }
        | UsedObject::MissingFunction
        | UsedObject::Unclear => None,
    };
    cause.copied()
}
