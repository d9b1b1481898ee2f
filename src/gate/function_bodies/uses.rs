//! What the names of a statement or of a body run, as far as that runs functions whose names are
//! looked up when they run; and what of it is not clean for certain.

use super::path_context::Kind;
use crate::catalog::{CastId, Catalog};
use crate::gate::effects::coercion;
use crate::gate::effects::graph::{Hidden, Moving, Node, Reach, Reason, Sight};
use crate::gate::functions::Why;
use crate::resolve::{Form, Inferred, Use, What};

/// What a use runs; none where that cannot be told and has to be. Where whoever keeps the database
/// has chosen the path, only what is certain counts.
pub(super) fn run(
    used: &Use<'_>,
    moving: &Moving,
    catalog: &Catalog,
    kind: Kind,
) -> Option<Vec<Node>> {
    let is_open = kind == Kind::Foreign;
    let one_of = |count: usize| is_open || count == 1;
    let nodes = match &used.what {
        What::Relation { id, only: true } => vec![Node::Only(*id)],
        What::Relation { id, only: false } => vec![Node::Relation(*id)],
        What::Functions { candidates, .. } if candidates.is_empty() && is_open => return None,
        What::Functions { candidates, .. } if one_of(candidates.len()) => {
            candidates.iter().map(|id| Node::Function(*id)).collect()
        }
        What::Operators { candidates, .. } if candidates.is_empty() && is_open => return None,
        What::Operators { candidates, sides } if one_of(candidates.len()) => {
            let operators = candidates.iter().copied();
            let run = operators.flat_map(|id| match coercion::only_prints(id, catalog) {
                true => printed(sides, catalog).unwrap_or_else(|| vec![Node::Operator(id)]),
                false => vec![Node::Operator(id)],
            });
            run.collect()
        }
        What::Functions { .. } | What::Operators { .. } => Vec::new(),
        What::Cast {
            source,
            target,
            candidates,
        } => {
            let mut nodes = vec![Node::Making(*target)];
            if one_of(candidates.len()) {
                nodes.extend(candidates.iter().map(|id| Node::Cast(*id)));
            }
            if is_open && matches!(source, Inferred::Row(_) | Inferred::Unclear) {
                nodes.push(Node::Target(*target));
            }
            nodes
        }
        What::Coercion { source, target } => {
            let mut nodes = vec![Node::Making(*target)];
            if is_open || matches!(source, Inferred::Known(_)) {
                let happens =
                    |id: &CastId| coercion::happening(&[*id], source, *target, catalog).is_some();
                let casts = moving.casts().iter().copied();
                nodes.extend(casts.filter(happens).map(Node::Cast));
            }
            nodes
        }
        What::Type { id } => vec![Node::Making(*id), Node::Using(*id)],
        What::Compared {
            inferred: Inferred::Known(id),
        } => vec![Node::Using(*id)],
        What::Unclear if is_open => return None,
        What::Unclear
        | What::Compared { .. }
        | What::Column { .. }
        | What::WholeRow { .. }
        | What::CommonTable { .. }
        | What::MissingRelation { .. }
        | What::MissingColumn { .. }
        | What::AmbiguousColumn { .. }
        | What::MissingFunction => Vec::new(),
    };
    Some(nodes)
}

/// What is run to make text of what an operator stands between; none where that cannot be told.
fn printed(sides: &[Inferred], catalog: &Catalog) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    for side in sides {
        match side {
            Inferred::Known(id) => {
                let (types, casts) = coercion::printed(*id, catalog);
                nodes.extend(types.into_iter().map(Node::Using));
                nodes.extend(casts.into_iter().map(Node::Cast));
            }
            // They are text themselves.
            Inferred::Literal | Inferred::Parameter(_) => {}
            Inferred::Row(_) | Inferred::Unclear => return None,
        }
    }
    Some(nodes)
}

/// Why a use is not clean, where there is no doubt about what it is.
pub(super) fn unclean(used: &Use<'_>, sight: &Sight) -> Option<Hidden> {
    let hidden = match &used.what {
        What::Relation { id, only } => sight.relation(
            *id,
            match only {
                true => Reach::Only,
                false => Reach::WithChildren,
            },
        ),
        What::Functions { candidates, form } => match candidates.as_slice() {
            [only] => sight.function(*only).filter(|hidden| {
                // Those of samples have a rule of their own.
                let of_sample =
                    *form == Form::Sample && hidden.why() == Reason::BuiltIn(Why::Internal);
                !of_sample
            }),
            _ => None,
        },
        What::Operators { candidates, sides } => match candidates.as_slice() {
            [only] if !coercion::prints_cleanly(*only, sides, sight) => sight.operator(*only),
            _ => None,
        },
        What::Cast {
            target, candidates, ..
        } => match candidates.as_slice() {
            [only] => sight.cast(*only).or_else(|| sight.making(*target)),
            _ => sight.making(*target),
        },
        What::Coercion {
            source: source @ Inferred::Known(_),
            target,
        } => coercion::unclean(source, *target, sight).or_else(|| sight.making(*target)),
        What::Coercion { target, .. } => sight.making(*target),
        What::Type { id } => sight.making(*id).or_else(|| sight.using(*id)),
        What::Compared {
            inferred: Inferred::Known(id),
        } => sight.using(*id),
        What::Compared { .. }
        | What::Column { .. }
        | What::WholeRow { .. }
        | What::CommonTable { .. }
        | What::MissingRelation { .. }
        | What::MissingColumn { .. }
        | What::AmbiguousColumn { .. }
        | What::MissingFunction
        | What::Unclear => None,
    };
    hidden.copied()
}
