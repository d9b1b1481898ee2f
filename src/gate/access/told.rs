//! What a client is told of what it may not read: what it wrote itself, and what it may read.

use std::borrow::Cow;

use super::Why;
use crate::catalog::quote::quoted;
use crate::catalog::{FunctionId, RelationId};
use crate::gate::Refusal;
use crate::gate::case::Case;
use crate::gate::hidden::refusal::position;
use crate::gate::rules::{column_denied, function_denied, not_resolved, relation_denied};
use crate::gate::sight::Sight;
use crate::limits::ACCESS_HINT_COLUMNS_MAX;

pub(super) fn relation(
    id: RelationId,
    why: Why,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let (_, name) = super::table::names_of(sight.catalog(), id);
    at_place(
        relation_denied::refusal(name, why, case.policy.name()),
        at,
        case,
    )
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
    let written = !name.is_empty() && case.text.to_lowercase().contains(&name.to_lowercase());
    let name = written.then_some(name);
    let refusal = column_denied::refusal(name, &shown(id, sight, case), case.policy.name());
    at_place(refusal, at, case)
}

pub(super) fn whole_row(
    id: RelationId,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let refusal = column_denied::refusal(None, &shown(id, sight, case), case.policy.name());
    at_place(refusal, at, case)
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
    at_place(
        function_denied::refusal(name.as_deref(), case.policy.name()),
        at,
        case,
    )
}

pub(super) fn unknown_name(at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_name(case.policy.name()), at, case)
}

pub(super) fn reads_anything(at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_call(case.policy.name()), at, case)
}

pub(super) fn unclear(at: Option<usize>, case: &Case<'_>) -> Box<Refusal> {
    at_place(not_resolved::of_statement(case.policy.name()), at, case)
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
