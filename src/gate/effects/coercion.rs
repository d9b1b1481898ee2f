//! Casts that happen unasked.

use crate::effects::graph::{EffectCause, EffectGraph};
use catalog::{CastContext, CastId, Catalog, OperatorId, TypeId, TypeKind, type_oid};
use ground::limits;
use resolve::InferredType;
use sql::tree::{self, ConstValue, Node, list::NodeList};

/// A cast that happens unasked, is not clean and may be run to make the target of the source.
pub(crate) fn effect_of_coercion<'s>(
    source: &InferredType,
    target: TypeId,
    effect_graph: &'s EffectGraph,
) -> Option<&'s EffectCause> {
    effect_graph.cast(find_implicit_cast(
        effect_graph.implicit_casts(),
        source,
        target,
        effect_graph.catalog(),
    )?)
}

/// One of these casts that may be run, unasked, to make the target of the source.
pub(crate) fn find_implicit_cast(
    casts: &[CastId],
    source: &InferredType,
    target: TypeId,
    catalog: &Catalog,
) -> Option<CastId> {
    let mut casts = casts.iter().copied();
    casts.find(|id| {
        let cast = catalog.cast(*id);
        reaches(cast.target, target, catalog)
            && match source {
                // They become what is asked for by its input function.
                InferredType::Literal | InferredType::Parameter(_) => false,
                InferredType::Known(source) => reaches(cast.source, *source, catalog),
                // Only XML forms take a text by assignment; all else that wants one, a function of
                // many overloads first, does not.
                InferredType::Row(_) | InferredType::Unclear => {
                    cast.context == CastContext::Implicit
                        || catalog.data_type(cast.target).oid != type_oid::TEXT
                }
            }
    })
}

/// A cast that is not clean and may happen where a value is given to a parameter. That it has the
/// parameter's type is not known here.
pub(super) fn effect_of_parameter<'s>(
    arguments: &NodeList,
    effect_graph: &'s EffectGraph,
) -> Option<&'s EffectCause> {
    if arguments.iter().all(is_untyped) {
        return None;
    }
    let mut casts = effect_graph.catalog().casts();
    casts.find_map(|(id, cast)| match cast.context {
        CastContext::Explicit => None,
        CastContext::Assignment | CastContext::Implicit => effect_graph.cast(id),
    })
}

/// Whether a statement is a SELECT of calls without arguments and of nothing else, as drivers send
/// when they reset a session: no value in it could be cast to another type.
pub(crate) fn has_nothing_to_cast(node: Node<'_>) -> bool {
    matches!(node, Node::SelectStmt(_))
        && all_under(node, |target| {
            matches!(target, Node::ResTarget(_)) && all_under(target, is_bare_call)
        })
}

/// A call of which the tree has the name and nothing else.
fn is_bare_call(node: Node<'_>) -> bool {
    let is_name = |node: Node<'_>| matches!(node, Node::String(_));
    matches!(node, Node::FuncCall(_)) && all_under(node, is_name)
}

fn all_under(node: Node<'_>, holds: impl Fn(Node<'_>) -> bool) -> bool {
    let mut under = Vec::new();
    tree::children(node, &mut under).is_ok() && under.into_iter().all(holds)
}

/// Whether an operator does nothing but to make text of what it stands between, and no cast to text
/// that is not clean is run for that: `||` of a text and something else.
pub(crate) fn prints_cleanly(
    id: OperatorId,
    sides: &[InferredType],
    effect_graph: &EffectGraph,
) -> bool {
    let mut sides = sides.iter();
    only_prints(id, effect_graph.catalog())
        && sides.all(|side| match side {
            InferredType::Known(id) => is_printed_cleanly(*id, effect_graph),
            // They are text themselves.
            InferredType::Literal | InferredType::Parameter(_) => true,
            InferredType::Row(_) | InferredType::Unclear => false,
        })
}

/// Whether an operator does nothing but to make text of what it stands between.
pub(crate) fn only_prints(id: OperatorId, catalog: &Catalog) -> bool {
    let operator = catalog.operator(id);
    let (Some(function), None, None) = (operator.function, operator.commutator, operator.negator)
    else {
        return false;
    };
    let function = catalog.function(function);
    operator.oid.is_built_in()
        && function.oid.is_built_in()
        && JOINS_TEXT.contains(&catalog.names().text(function.name))
}

/// What is run to print values of a type: its domains, and its cast to text where it has one.
pub(crate) fn printed(id: TypeId, catalog: &Catalog) -> (Vec<TypeId>, Vec<CastId>) {
    let (mut types, mut casts) = (Vec::new(), Vec::new());
    let text = catalog.index().type_of_oid(type_oid::TEXT);
    let mut at = id;
    for _ in 0..limits::DOMAINS_NESTED_MAX {
        types.push(at);
        casts.extend(text.and_then(|text| catalog.index().cast(at, text)));
        let TypeKind::Domain { base, .. } = catalog.data_type(at).kind else {
            break;
        };
        at = base;
    }
    (types, casts)
}

fn is_printed_cleanly(id: TypeId, effect_graph: &EffectGraph) -> bool {
    let catalog = effect_graph.catalog();
    let Some(text) = catalog.index().type_of_oid(type_oid::TEXT) else {
        return false;
    };
    let mut at = id;
    for _ in 0..limits::DOMAINS_NESTED_MAX {
        let cast = catalog.index().cast(at, text);
        if cast.is_some_and(|cast| effect_graph.cast(cast).is_some())
            || effect_graph.using(at).is_some()
        {
            return false;
        }
        let TypeKind::Domain { base, .. } = catalog.data_type(at).kind else {
            return true;
        };
        at = base;
    }
    false
}

/// A literal that has no type of its own.
fn is_untyped(argument: Node<'_>) -> bool {
    match argument {
        Node::A_Const(constant) => {
            constant.isnull || matches!(constant.val(), Some(ConstValue::String(_)))
        }
        _ => false,
    }
}

/// Whether a cast of `inner` takes part in one of `outer`: the same type, what a domain is made of,
/// or the elements of an array. A row may hold any.
fn reaches(inner: TypeId, outer: TypeId, catalog: &Catalog) -> bool {
    let mut at = outer;
    for _ in 0..limits::TYPE_LAYERS_MAX {
        if at == inner {
            return true;
        }
        let data_type = catalog.data_type(at);
        at = match (&data_type.kind, data_type.element) {
            (TypeKind::Domain { base, .. }, _) => *base,
            (_, Some(element)) => element,
            (TypeKind::Composite(_), None) => return true,
            // A polymorphic argument takes what it is given.
            (
                TypeKind::Pseudo
                | TypeKind::Base
                | TypeKind::Enum
                | TypeKind::Range { .. }
                | TypeKind::Multirange { .. },
                None,
            ) => return false,
        };
    }
    true
}

/// The functions of `||` that are written in SQL and cast one side to text. Nothing else in them
/// depends on what they are given.
const JOINS_TEXT: &[&str] = &["anytextcat", "textanycat"];
