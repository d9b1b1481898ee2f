//! Statements whose names cannot be looked up, while the policy hides something: there is no
//! snapshot, or it is not known where names lead. Only what surely reads nothing passes.

use super::{Findings, refusal};
use crate::catalog::Catalog;
use crate::catalog::catalog_rows::Rows;
use crate::gate::access::server_objects;
use crate::gate::context::Case;
use crate::gate::effects::graph::{Flags, Sight};
use crate::gate::effects::resolve_effects::Subject;
use crate::gate::functions::{self, FunctionVerdict};
use crate::gate::rules::{Called, catalog_missing};
use crate::policy::PolicyRule;
use crate::resolve::{self, Lookup, Types, What};
use crate::sql::tree::{self, Node};

/// A statement for which there is no snapshot.
pub(super) fn look(subject: Subject<'_>, case: &Case<'_>) -> Findings {
    whatever_it_means(subject, None, case)
}

/// A statement for which there is a snapshot, and no search_path that is known for certain.
pub(super) fn without_paths(subject: Subject<'_>, sight: &Sight, case: &Case<'_>) -> Findings {
    whatever_it_means(subject, Some(sight), case)
}

fn whatever_it_means(subject: Subject<'_>, sight: Option<&Sight>, case: &Case<'_>) -> Findings {
    let mut found = Findings::default();
    let nodes: Vec<Node<'_>> = match subject {
        Subject::Statement(node) => vec![node],
        Subject::Arguments(list) => list.iter().collect(),
        Subject::Types => Vec::new(),
    };
    for node in nodes {
        let denied = names_denied_function(node, case);
        if denied {
            found.add(PolicyRule::FunctionDenied, || {
                crate::gate::rules::function_denied::refusal(None, case.policy.name())
            });
        }
        if case.policy.hides() && !reads_nothing(node, sight, case) {
            found.add(PolicyRule::NotResolved, || refusal::unclear(None, case));
        }
    }
    found
}

/// Whether a statement names no relation but queries of its own WITH, and nothing that is not the
/// server's own.
fn reads_nothing(node: Node<'_>, sight: Option<&Sight>, case: &Case<'_>) -> bool {
    catalog_missing::look_whatever(node, case).is_ok()
        && names_own_queries_only(node)
        && all_calls(node, &|called, count| {
            is_harmless(called, count, sight, case)
        })
}

fn is_harmless(called: Called<'_>, count: usize, sight: Option<&Sight>, case: &Case<'_>) -> bool {
    let of_user = sight.is_some_and(|sight| {
        let name = sight.catalog().names().find(called.name);
        name.is_some_and(|name| sight.flags(name).any_of(Flags::IS_USER_FUNCTION))
    });
    let unqualified = called.schema != Some("pg_catalog");
    match functions::verdict(called.schema, called.name, count) {
        // What it reads is for the session's path to say, unless any will do.
        FunctionVerdict::Unknown => {
            !of_user
                && case.policy.allows_function(called.schema, called.name)
                && case.policy.takes_any_path(called.schema, called.name)
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
    let Ok(nothing) = Catalog::build(Rows::default()) else {
        return false;
    };
    let path = nothing.search_path(&NO_SCHEMA, None);
    let lookup = Lookup {
        catalog: &nothing,
        path: &path,
        parameters: Types::Unclear,
    };
    let Ok(resolution) = resolve::statement(node, &lookup) else {
        return false;
    };
    let mut own = Vec::new();
    for used in &resolution.uses {
        match used.what {
            What::CommonTable { .. } => own.extend(used.at),
            What::MissingRelation { .. } | What::Relation { .. } => return false,
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
fn names_denied_function(node: Node<'_>, case: &Case<'_>) -> bool {
    let policy = case.policy;
    policy.denies_functions()
        && !all_nodes(node, &mut |node| {
            let fields = |list: &tree::list::NodeList| {
                let mut names = list.iter().filter_map(|field| field.as_str());
                !names.any(|name| policy.may_deny(None, name))
            };
            match node {
                Node::FuncCall(call) => {
                    let called = Called::of(call.funcname());
                    !policy.may_deny(called.schema, called.name)
                }
                Node::ColumnRef(column) if column.fields().len() > 1 => fields(column.fields()),
                Node::A_Indirection(of) => fields(of.indirection()),
                _ => true,
            }
        })
}

fn all_calls(node: Node<'_>, holds: &dyn Fn(Called<'_>, usize) -> bool) -> bool {
    all_nodes(node, &mut |node| match node {
        Node::FuncCall(call) => holds(Called::of(call.funcname()), call.args().len()),
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
