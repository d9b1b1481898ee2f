//! Functions whose names are looked up when they run: by the search_path of the session, which is
//! the client's to choose.
//!
//! A body that is a string means something else under another path. One that is SQL is read here
//! and judged under the path that it would run under, as if the client had sent it; the same holds
//! of what it calls, and of functions behind views, operators, casts, aggregates, types and row
//! policies. One that cannot be read (PL/pgSQL and other languages) is what its owner says, but
//! only under the path that sessions of the role begin with, or under one of its own. So is a body
//! of SQL in which something cannot be told.
//!
//! * [`settle`]: one statement, after its own names are looked into
//! * [`path_context`]: where names may be looked up, and what that is to the functions that are run
//! * [`uses`]: what the names of a statement or of a body run
//! * [`call_walk`]: from there through the graph of all that runs something
//! * [`sql_body`]: one body in one place
//! * [`memo`]: what was thought of bodies before
//!
//! What has such a function behind it is known beforehand ([`super::effects::graph::Moving`]): a statement
//! that names nothing of the kind costs nothing here.

mod call_walk;
mod memo;
mod path_context;
mod sql_body;
mod uses;

pub(super) use self::memo::Memory;

use super::Refusal;
use super::basis::SearchPaths;
use super::context::{Case, Nesting};
use super::effects::graph::{Flags, Hidden, Moving, Node as Place, Reason, Sight};
use super::effects::resolve_effects::Subject;
use super::effects::{coercion, lookup, refusal};
use super::rules::{Found, function_path, hidden_function};
use crate::catalog::{NameId, Oid};
use crate::sql::tree::nodes;

use self::call_walk::Walk;
use self::path_context::Kind;

/// Notes a name that may stand for something that runs such a function.
pub(super) fn note(name: NameId, flag: Flags, sight: &Sight, case: &mut Case<'_>) {
    if !case.names_moving
        && let Some(moving) = moving(sight, case)
        && moving.flags(name).any_of(flag)
    {
        case.names_moving = true;
    }
}

/// Notes a name that is perhaps read otherwise by the server than here, so that it may stand for
/// anything.
pub(super) fn note_folded(sight: &Sight, case: &mut Case<'_>) {
    if sight.catalog().other_encoding() && moving(sight, case).is_some() {
        case.names_moving = true;
    }
}

/// Judges what the statement at hand runs by the session's search_path.
pub(super) fn settle(subject: Subject<'_>, case: &mut Case<'_>) -> Found {
    if case.nesting == Nesting::Body {
        return Ok(());
    }
    let is_named = std::mem::take(&mut case.names_moving);
    let Some(sight) = case.sight() else {
        return Ok(());
    };
    // A name before the call that sets the path was looked at as if nothing were shadowed.
    let is_named = is_named || sight.may_shadow() && !case.within.is_empty();
    let Some(moving) = moving(sight, case) else {
        return Ok(());
    };
    if !is_named {
        let is_unasked = !(moving.casts().is_empty() && moving.types().is_empty());
        if !is_unasked || casts_nothing(subject) {
            return Ok(());
        }
    }
    case.runs_by_path = true;
    let Some(contexts) = path_context::of(sight, case) else {
        return Err(unknown(case));
    };
    let mut walk = Walk::new(sight, moving, case, contexts);
    if !is_named && walk.unasked() {
        return observed(walk.observed, case);
    }
    statement(subject, sight, &mut walk, case)?;
    observed(walk.observed, case)
}

/// The types of a PREPARE: any type of such a name, in whatever schema.
pub(super) fn settle_types<'t>(
    types: impl Iterator<Item = &'t nodes::TypeName>,
    case: &mut Case<'_>,
) -> Found {
    if !std::mem::take(&mut case.names_moving) {
        return Ok(());
    }
    let Some(sight) = case.sight() else {
        return Ok(());
    };
    let catalog = sight.catalog();
    let names = types.filter_map(|name| name.names().iter().next_back()?.sval());
    let ids = names.filter_map(|name| catalog.names().find(name));
    let types = ids.flat_map(|name| catalog.index().types(name).iter().copied());
    let places: Vec<Place> = types
        .flat_map(|id| [Place::Making(id), Place::Using(id)])
        .collect();
    case.runs_by_path = true;
    things(&places, sight, case)
}

/// A type that a Bind makes values of.
pub(super) fn look_at_parameter(oid: Oid, sight: &Sight, case: &Case<'_>) -> Found {
    let Some(id) = sight.catalog().index().type_of_oid(oid) else {
        return Ok(());
    };
    things(&[Place::Making(id), Place::Using(id)], sight, case)
}

fn casts_nothing(subject: Subject<'_>) -> bool {
    match subject {
        Subject::Statement(node) => coercion::has_nothing_to_cast(node),
        Subject::Arguments(_) | Subject::Types => false,
    }
}

/// What runs such a function, as the statement at hand has names looked up.
fn moving<'s>(sight: &'s Sight, case: &Case<'_>) -> Option<&'s Moving> {
    sight.moving(|| match case.paths() {
        SearchPaths::Unknown => true,
        SearchPaths::Known(paths) | SearchPaths::Unsure(paths) => {
            let late = |path: &[Box<str>]| path.iter().skip(1).any(|name| **name == *"pg_catalog");
            paths.iter().any(|path| late(path)) || !case.within.is_empty()
        }
    })
}

fn things(places: &[Place], sight: &Sight, case: &Case<'_>) -> Found {
    let Some(moving) = moving(sight, case) else {
        return Ok(());
    };
    if places.iter().all(|place| moving.place(*place).is_none()) {
        return Ok(());
    }
    let Some(contexts) = path_context::of(sight, case) else {
        return Err(unknown(case));
    };
    let mut walk = Walk::new(sight, moving, case, contexts);
    for at in walk.beginnings() {
        let run = walk.all(places, at);
        run.map_err(|hidden| refused(&hidden, None, sight, case))?;
    }
    Ok(())
}

fn statement(
    subject: Subject<'_>,
    sight: &Sight,
    walk: &mut Walk<'_, '_>,
    case: &Case<'_>,
) -> Found {
    let given = lookup::parameters(sight, case);
    let parameters = lookup::types(given.as_deref(), case);
    for at in walk.beginnings() {
        let Some(context) = walk.context(at) else {
            continue;
        };
        let (path, kind) = (context.path.clone(), context.kind);
        let is_open = kind == Kind::Foreign;
        if is_open && lookup::are_read_elsewhere(sight, case) {
            return Err(unknown(case));
        }
        let Ok(resolution) = lookup::resolve(subject, sight, &path, parameters) else {
            match is_open {
                true => return Err(unknown(case)),
                false => continue,
            }
        };
        for used in &resolution.uses {
            let Some(places) = uses::run(used, walk.moving(), sight.catalog(), kind) else {
                return Err(unknown(case));
            };
            let run = walk.all(&places, at);
            run.map_err(|hidden| refused(&hidden, used.at, sight, case))?;
        }
    }
    Ok(())
}

fn observed(rules: Vec<super::Rule>, case: &mut Case<'_>) -> Found {
    case.observe(&rules);
    Ok(())
}

/// The refusal of what could not be told.
fn unknown(case: &Case<'_>) -> Box<Refusal> {
    match case.paths() {
        SearchPaths::Unknown => function_path::without_path(Some(NO_PATH)),
        SearchPaths::Known(_) | SearchPaths::Unsure(_) => function_path::without_path(None),
    }
}

fn refused(hidden: &Hidden, at: Option<usize>, sight: &Sight, case: &Case<'_>) -> Box<Refusal> {
    let catalog = sight.catalog();
    let mut told = hidden.told(catalog, catalog.role_named(case.role()), case.text);
    let mut told = match hidden.why() {
        Reason::Refused(rule) => {
            let sentence = told.sentence.as_mut();
            if let Some(sentence) = sentence {
                sentence.push_str(": rule ");
                sentence.push_str(rule.name());
            }
            function_path::refusal(&told)
        }
        Reason::Opaque | Reason::Moves => function_path::refusal(&told),
        _ => hidden_function::refusal(&told),
    };
    told.position = refusal::position(at, case);
    told
}

const NO_PATH: &str = "what the session's search_path is cannot be told";

#[cfg(test)]
mod tests;
