//! Statements whose names cannot be looked up, while the policy hides something: there is no
//! snapshot, or it is not known where names lead. Only what surely reads nothing passes.

use super::{AccessFindings, refusal};
use crate::access::server_objects;
use crate::context::JudgeContext;
use crate::effects::graph::{EffectGraph, NameFlags};
use crate::effects::resolve_effects::CheckSubject;
use crate::functions::{self, FunctionVerdict};
use crate::rules::{CalledName, catalog_missing};
use catalog::Catalog;
use catalog::catalog_rows::CatalogRows;
use policy::PolicyRule;
use resolve::{KnownParameters, LookupContext, UsedObject};
use sql::tree::{self, Node};

/// A statement for which there is no snapshot.
pub(super) fn check_without_catalog(
    subject: CheckSubject<'_>,
    context: &JudgeContext<'_>,
) -> AccessFindings {
    whatever_it_means(subject, None, context)
}

/// A statement for which there is a snapshot, and no search_path that is known for certain.
pub(super) fn without_paths(
    subject: CheckSubject<'_>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> AccessFindings {
    whatever_it_means(subject, Some(effect_graph), context)
}

fn whatever_it_means(
    subject: CheckSubject<'_>,
    effect_graph: Option<&EffectGraph>,
    context: &JudgeContext<'_>,
) -> AccessFindings {
    let mut found = AccessFindings::default();
    let nodes: Vec<Node<'_>> = match subject {
        CheckSubject::Statement(node) => vec![node],
        CheckSubject::Arguments(list) => list.iter().collect(),
        CheckSubject::Types => Vec::new(),
    };
    for node in nodes {
        let denied = names_denied_function(node, context);
        if denied {
            found.add(PolicyRule::FunctionDenied, || {
                crate::rules::function_denied::refusal(None, context.policy.name())
            });
        }
        if context.policy.hides() && !reads_nothing(node, effect_graph, context) {
            found.add(super::rule_of_unknown_reads(context.policy), || {
                refusal::unclear(None, context)
            });
        }
    }
    found
}

/// Whether a statement names no relation but queries of its own WITH, and nothing that is not the
/// server's own.
fn reads_nothing(
    node: Node<'_>,
    effect_graph: Option<&EffectGraph>,
    context: &JudgeContext<'_>,
) -> bool {
    catalog_missing::check_at_any_depth(node, context).is_ok()
        && names_own_queries_only(node)
        && all_calls(node, &|called, count| {
            is_harmless(called, count, effect_graph, context)
        })
}

fn is_harmless(
    called: CalledName<'_>,
    count: usize,
    effect_graph: Option<&EffectGraph>,
    context: &JudgeContext<'_>,
) -> bool {
    let of_user = effect_graph.is_some_and(|effect_graph| {
        let name = effect_graph.catalog().names().find(called.name);
        name.is_some_and(|name| effect_graph.flags(name).any_of(NameFlags::IS_USER_FUNCTION))
    });
    let unqualified = called.schema != Some("pg_catalog");
    match functions::verdict(called.schema, called.name, count) {
        // What it reads is for the session's path to say, unless any will do.
        FunctionVerdict::Unknown => {
            !of_user
                && context.policy.allows_function(called.schema, called.name)
                && context.policy.takes_any_path(called.schema, called.name)
        }
        FunctionVerdict::Allowed
        | FunctionVerdict::Housekeeping
        | FunctionVerdict::SetConfig
        | FunctionVerdict::RunsSql
        | FunctionVerdict::Effects { .. } => {
            !(server_objects::hides_built_in(called.name) || of_user && unqualified)
        }
    }
}

/// Whether each relation that a statement names is surely a query of its own WITH: in a database
/// without relations.
fn names_own_queries_only(node: Node<'_>) -> bool {
    let Ok(nothing) = Catalog::build(CatalogRows::default()) else {
        return false;
    };
    let path = nothing.search_path(&NO_SCHEMA, None);
    let lookup = LookupContext {
        catalog: &nothing,
        path: &path,
        parameters: KnownParameters::Unclear,
    };
    let Ok(resolution) = resolve::statement(node, &lookup) else {
        return false;
    };
    let mut own = Vec::new();
    for used in &resolution.uses {
        match used.what {
            UsedObject::CommonTable { .. } => own.extend(used.at),
            UsedObject::MissingRelation { .. } | UsedObject::Relation { .. } => return false,
            _ => {}
        }
    }
    all_nodes(node, &mut |node| match node {
        Node::RangeVar(table) => {
            let place = usize::try_from(table.location);
            place.is_ok_and(|place| own.contains(&place))
        }
        _ => true,
    })
}

/// Whether a statement may call what the policy does not let be called.
fn names_denied_function(node: Node<'_>, context: &JudgeContext<'_>) -> bool {
    let policy = context.policy;
    policy.denies_functions()
        && !all_nodes(node, &mut |node| {
            let fields = |list: &tree::list::NodeList| {
                let mut names = list.iter().filter_map(|field| field.as_str());
                !names.any(|name| policy.may_deny(None, name))
            };
            match node {
                Node::FuncCall(call) => {
                    let called = CalledName::of(call.funcname());
                    !policy.may_deny(called.schema, called.name)
                }
                Node::ColumnRef(column) if column.fields().len() > 1 => fields(column.fields()),
                Node::A_Indirection(of) => fields(of.indirection()),
                _ => true,
            }
        })
}

fn all_calls(node: Node<'_>, holds: &dyn Fn(CalledName<'_>, usize) -> bool) -> bool {
    all_nodes(node, &mut |node| match node {
        Node::FuncCall(call) => holds(CalledName::of(call.funcname()), call.args().len()),
        _ => true,
    })
}

fn all_nodes<'t>(node: Node<'t>, holds: &mut dyn FnMut(Node<'t>) -> bool) -> bool {
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        if !holds(next) || tree::children(next, &mut waiting).is_err() {
            return false;
        }
    }
    true
}

const NO_SCHEMA: [&str; 0] = [];
