//! The types of parameters, as a Parse message gives them: numbers, which stand nowhere in a text.

use super::refusal::{self, Thing};
use crate::catalog::Oid;
use crate::gate::context::Case;
use crate::gate::effects::graph::Told;
use crate::gate::rules::{Found, catalog_missing, type_effects};
use crate::gate::{Depth, access, function_bodies};

/// A Bind makes values of these types. Zero leaves the choice to the server, which takes it from
/// the text.
pub(in crate::gate) fn look(types: impl IntoIterator<Item = u32>, case: &Case<'_>) -> Found {
    for oid in types.into_iter().filter(|oid| *oid != 0).map(Oid) {
        match (case.sight(), case.depth()) {
            (Some(sight), _) => {
                let hidden = match sight.catalog().index().type_of_oid(oid) {
                    Some(id) => sight.making(id).or_else(|| sight.using(id)),
                    None if oid.is_built_in() => None,
                    // It is newer than the snapshot.
                    None => return Err(type_effects::refusal(&Told::nameless())),
                };
                if let Some(hidden) = hidden {
                    return Err(refusal::of(&Thing::Type(hidden), None, sight, case));
                }
                function_bodies::look_at_parameter(oid, sight, case)?;
                access::look_at_parameter(oid, sight, case)?;
            }
            (None, depth)
                if !oid.is_built_in() && (depth == Depth::BuiltIns || case.policy.hides()) =>
            {
                return Err(catalog_missing::refusal_of_parameter());
            }
            (None, Depth::BuiltIns | Depth::Tree | Depth::Names) => {}
        }
    }
    Ok(())
}
