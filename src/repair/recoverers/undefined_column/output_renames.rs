//! A result that took its name from a reference, where that is renamed: what refers to the result
//! follows, or the result keeps its name.

use crate::names::context::{MissingColumn, NameRepairContext};
use crate::names::name_repair::{NameFix, NameRepair, NameReplacement};
use crate::names::reference_position::{ExpressionRole, ReferenceClause};
use crate::names::reference_scopes::PlacedReference;
use catalog::quote::quoted;
use sql::edit::TextEdit;
use sql::tree::Node;

/// Follows the new names of results. What refers to one by its new name was not wrong.
pub(crate) fn rename_outputs<'m, 'g>(
    name_context: &NameRepairContext<'_>,
    missing: &'m [MissingColumn<'g>],
    fixes: Vec<NameFix>,
) -> Vec<(&'m MissingColumn<'g>, NameFix)> {
    let mut given: Vec<(usize, String)> = Vec::new();
    let mut followed = Vec::new();
    for (one, fix) in missing.iter().zip(fixes) {
        let fix = match fix {
            NameFix::Repaired(repair) if names_a_result(name_context, one.place) => {
                let nested = name_context.places.frame(one.place.scope);
                match nested.is_some_and(|scope| scope.outer.is_some()) {
                    true => NameFix::Repaired(inside(name_context, one, repair, &mut given)),
                    false => NameFix::Repaired(outermost(name_context, one, repair)),
                }
            }
            fix => fix,
        };
        followed.push((one, fix));
    }
    let by_name = |one: &MissingColumn<'_>| {
        let mut given = given.iter();
        given.any(|(scope, name)| *scope != one.place.scope && name == one.name)
    };
    followed.retain(|(one, _)| !by_name(one));
    followed
}

/// Whether a reference is a result, and gives it its name.
fn names_a_result(name_context: &NameRepairContext<'_>, place: &PlacedReference<'_>) -> bool {
    let (ReferenceClause::Target(number), ExpressionRole::Whole) = (place.clause, place.role)
    else {
        return false;
    };
    let scope = name_context.places.frame(place.scope);
    let target = scope.and_then(|scope| scope.select.target_list().iter().nth(number));
    target.is_some_and(|target| target.name().is_none())
}

/// In a sub-select: what is around may refer to the name that was written, or to the right one.
fn inside(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    mut repair: NameRepair,
    given: &mut Vec<(usize, String)>,
) -> NameRepair {
    let Some(name) = repair.renamed.clone() else {
        return repair;
    };
    let is_used = name_context.places.refs.iter().any(|other| {
        let last = other.reference.fields().iter().next_back();
        other.at != missing.place.at
            && last.and_then(Node::as_str) == Some(missing.name)
            && !name_context.is_missing(other.at)
    });
    if !is_used {
        given.push((missing.place.scope, name));
        return repair;
    }
    if let NameReplacement::Text(text) = &mut repair.with {
        text.push_str(" AS ");
        text.push_str(&quoted(missing.name));
    }
    repair
}

/// In the query that answers: its own ORDER BY may refer to the name.
fn outermost(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    mut repair: NameRepair,
) -> NameRepair {
    let Some(name) = repair.renamed.clone() else {
        return repair;
    };
    let keys = name_context.places.refs.iter().filter(|other| {
        let fields = other.reference.fields();
        let in_key = matches!(
            other.clause,
            ReferenceClause::Order | ReferenceClause::Group | ReferenceClause::Other
        );
        other.scope == missing.place.scope
            && matches!(other.role, ExpressionRole::Whole)
            && in_key
            && fields.len() == 1
            && fields.iter().next().and_then(Node::as_str) == Some(missing.name)
            && !name_context.is_missing(other.at)
    });
    repair.beside = keys
        .filter_map(|key| {
            let span = name_context.parts(key.at, 1)?.pop()?;
            let replacement = quoted(&name).into_owned();
            Some(TextEdit { span, replacement })
        })
        .collect();
    repair
}
