//! What a client is told of what it may not read: what it wrote itself, and what it may read.

use std::borrow::Cow;

use super::Why;
use crate::catalog::quote::quoted;
use crate::catalog::{FunctionId, RelationId};
use crate::gate::Refusal;
use crate::gate::context::Case;
use crate::gate::effects::graph::{Sight, is_written};
use crate::gate::effects::refusal::position;
use crate::gate::rules::{column_denied, function_denied, not_resolved, relation_denied};
use crate::limits::ACCESS_HINT_COLUMNS_MAX;

pub(super) fn relation(
    id: RelationId,
    why: Why,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let (_, own) = super::table::names_of(sight.catalog(), id);
    let name = relation_known(id, sight, case).unwrap_or_else(|| own.to_owned());
    let refusal = relation_denied::refusal(&name, why, case.policy.name());
    at_place(refusal.of(recorded(id, sight)), at, case)
}

pub(super) fn column(
    id: RelationId,
    number: i16,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let catalog = sight.catalog();
    let column = catalog.columns_of(id).iter();
    let column = column.clone().find(|column| column.number == number);
    let name = column.map_or("", |column| catalog.names().text(column.name));
    // A name that the client did not write is none of its business.
    let name = is_written(name, case.text).then_some(name);
    let relation = relation_known(id, sight, case);
    let shown = shown(id, sight, case);
    let policy = case.policy.name();
    let refusal = column_denied::refusal(name, relation.as_deref(), &shown, policy);
    at_place(refusal.of(recorded(id, sight)), at, case)
}

pub(super) fn whole_row(
    id: RelationId,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let relation = relation_known(id, sight, case);
    let shown = shown(id, sight, case);
    let refusal = column_denied::refusal(None, relation.as_deref(), &shown, case.policy.name());
    at_place(refusal.of(recorded(id, sight)), at, case)
}

pub(super) fn function(
    id: FunctionId,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let catalog = sight.catalog();
    let seen = catalog.sees_function(catalog.role_named(case.role()), id);
    let name = seen.then(|| catalog.function_signature(id));
    let refusal = function_denied::refusal(name.as_deref(), case.policy.name());
    let subject = format!("function {}", catalog.function_signature(id));
    at_place(refusal.of(Some(subject)), at, case)
}

pub(super) fn unknown_name(name: &str, at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_name(name, case.policy.name()), at, case)
}

/// `function` is what reads, where it is one.
pub(super) fn reads_anything(
    function: Option<FunctionId>,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let catalog = sight.catalog();
    let role = catalog.role_named(case.role());
    let seen = function.filter(|id| catalog.sees_function(role, *id));
    let name = seen.map(|id| catalog.function_signature(id));
    at_place(
        not_resolved::of_call(name.as_deref(), case.policy.name()),
        at,
        case,
    )
}

pub(super) fn unclear(at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_statement(case.policy.name()), at, case)
}

/// A relation as it is recorded.
fn recorded(id: RelationId, sight: &Sight) -> Option<String> {
    Some(format!("relation {}", sight.catalog().relation_name(id)))
}

/// The name of a relation, where the role may see it or the client wrote it.
fn relation_known(id: RelationId, sight: &Sight, case: &Case<'_>) -> Option<String> {
    let catalog = sight.catalog();
    if catalog.sees_relation(catalog.role_named(case.role()), id) {
        return Some(catalog.relation_name(id));
    }
    let name = catalog.names().text(catalog.relation(id).name);
    is_written(name, case.text).then(|| quoted(name).into_owned())
}

fn at_place(mut refusal: Box<Refusal>, at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    refusal.position = position(at, case);
    refusal
}

/// The columns of a relation that the client may read, as they are written.
fn shown<'s>(id: RelationId, sight: &'s Sight, case: &Case<'_>) -> Vec<Cow<'s, str>> {
    let catalog = sight.catalog();
    let rights = catalog.rights_of(catalog.role_named(case.role()));
    let rights = rights.behind(sight.mask());
    let columns = catalog.columns_of(id).iter();
    let columns = columns.filter(|column| rights.may_read_column(id, column));
    let names = columns.map(|column| quoted(catalog.names().text(column.name)));
    names.take(ACCESS_HINT_COLUMNS_MAX).collect()
}
