//! What the policy lets be read: relations and columns by what the catalog says they are, and what
//! may be called.
//!
//! * [`settle`]: one statement, after the gate's own rules let it pass
//! * `laid`: masks and conditions on rows that it lays over relations
//! * `table`: what a policy shows of a snapshot, with `patterns` and [`server_objects`]; it is made once
//!   and kept in a [`super::effects::graph::Sight`]
//! * `look`: every use of a name, on every search_path that the session may have; `told`: what is
//!   said of what is found
//! * `blind`: where there is nothing to look names up in

mod check;
mod overlay;
mod patterns;
mod refusal;
pub(super) mod server_objects;
mod table;
mod unresolved;

pub(super) use self::overlay::Laid;
pub(super) use self::table::{AccessTable, Why};

use super::Refusal;
use super::context::Case;
use super::effects::graph::Sight;
use super::effects::resolve_effects::Subject;
use super::rules::{Found, catalog_missing};
use crate::catalog::{Oid, RelationId};
use crate::policy::{Mode, PolicyRule};
use crate::sql::tree::{Node, nodes};

/// Looks at everything that a statement reads and calls.
pub(super) fn settle(subject: Subject<'_>, case: &mut Case<'_>) -> Found {
    let policy = case.policy;
    if !policy.hides() && !policy.denies_functions() && !case.records_names() {
        return Ok(());
    }
    let findings = match case.sight() {
        Some(sight) => check::everything(subject, sight, case),
        None => {
            // Half of the names would be worse than none.
            case.met = None;
            unresolved::look(subject, case)
        }
    };
    for (rule, refusal) in findings.list {
        case.under(rule, refusal)?;
    }
    Ok(())
}

/// Looks at relations that a statement reads by what is laid over them.
pub(super) fn settle_relations(read: &[(RelationId, Option<usize>)], case: &mut Case<'_>) -> Found {
    let Some(sight) = case.sight() else {
        return Ok(());
    };
    let Some(table) = sight.access() else {
        return Ok(());
    };
    for (id, at) in read {
        if let Some(why) = table.denies(*id, false) {
            let refusal = refusal::relation(*id, why, *at, sight, case);
            case.under(PolicyRule::RelationDenied, refusal)?;
        }
    }
    Ok(())
}

/// Whether the policy has nothing against what a statement that is refused reads and names, what is
/// not there included.
pub(super) fn hides_nothing_of(subject: Subject<'_>, sight: &Sight, case: &mut Case<'_>) -> bool {
    if !case.policy.hides() && !case.policy.denies_functions() {
        return true;
    }
    let met = case.met.take();
    let findings = check::everything(subject, sight, case);
    case.met = met;
    findings.list.is_empty()
}

/// Looks at the types of a PREPARE: of any type of such a name, in whatever schema.
pub(super) fn settle_types<'t>(
    types: impl Iterator<Item = &'t nodes::TypeName>,
    case: &mut Case<'_>,
) -> Found {
    let Some(sight) = case.sight() else {
        let mut types = types.map(Node::from);
        let unknown = types.any(|one| catalog_missing::look_whatever(one, case).is_err());
        return match unknown && case.policy.hides() {
            true => case.under(PolicyRule::NotResolved, refusal::unclear(None, case)),
            false => Ok(()),
        };
    };
    let Some(reads) = sight.reads() else {
        return Ok(());
    };
    let catalog = sight.catalog();
    let may = types
        .filter_map(|name| name.names().iter().next_back()?.sval())
        .filter_map(|name| catalog.names().find(name))
        .any(|name| {
            let mut of_name = catalog.index().types(name).iter();
            of_name.any(|id| reads.data_type(*id))
        });
    match may {
        true => case.under(
            PolicyRule::NotResolved,
            refusal::reads_anything(None, None, sight, case),
        ),
        false => Ok(()),
    }
}

/// Looks at a type that a Bind makes values of: what its checks run may read anything.
pub(super) fn look_at_parameter(oid: Oid, sight: &Sight, case: &Case<'_>) -> Found {
    let id = sight.catalog().index().type_of_oid(oid);
    let may = sight.reads().zip(id);
    let may = may.is_some_and(|(reads, id)| reads.data_type(id));
    if may && case.policy.mode_of(PolicyRule::NotResolved) == Mode::Enforce {
        return Err(refusal::reads_anything(None, None, sight, case));
    }
    Ok(())
}

/// What was found, the first of each rule.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<(PolicyRule, Box<Refusal>)>,
}

impl Findings {
    fn add(&mut self, rule: PolicyRule, refusal: impl FnOnce() -> Box<Refusal>) {
        if !self.list.iter().any(|(found, _)| *found == rule) {
            self.list.push((rule, refusal()));
        }
    }
}

#[cfg(test)]
mod tests;
