//! A result that took its name from a reference, where that is renamed: what refers to the result
//! follows, or the result keeps its name.

use crate::catalog::quote::quoted;
use crate::repair::names::context::{Ground, Missing};
use crate::repair::names::name_repair::{Fix, Mend, With};
use crate::repair::names::reference_scopes::{Clause, Place, Role};
use crate::sql::edit::Edit;
use crate::sql::tree::Node;

/// Follows the new names of results. What refers to one by its new name was not wrong.
pub(in crate::repair) fn followed(
    ground: &Ground<'_>,
    missing: &[Missing<'_>],
    fixes: Vec<Fix>,
) -> Vec<Fix> {
    let mut given: Vec<(usize, String)> = Vec::new();
    let mut followed = Vec::new();
    for (one, fix) in missing.iter().zip(fixes) {
        let fix = match fix {
            Fix::Mended(mend) if names_a_result(ground, one.place) => {
                let nested = ground.places.frame(one.place.frame);
                match nested.is_some_and(|frame| frame.outer.is_some()) {
                    true => Fix::Mended(inside(ground, one, mend, &mut given)),
                    false => Fix::Mended(outermost(ground, one, mend)),
                }
            }
            fix => fix,
        };
        followed.push((one, fix));
    }
    let by_name = |one: &Missing<'_>| {
        let mut given = given.iter();
        given.any(|(frame, name)| *frame != one.place.frame && name == one.name)
    };
    followed.retain(|(one, _)| !by_name(one));
    followed.into_iter().map(|(_, fix)| fix).collect()
}

/// Whether a reference is a result, and gives it its name.
fn names_a_result(ground: &Ground<'_>, place: &Place<'_>) -> bool {
    let (Clause::Target(number), Role::Whole) = (place.clause, place.role) else {
        return false;
    };
    let frame = ground.places.frame(place.frame);
    let target = frame.and_then(|frame| frame.select.target_list().iter().nth(number));
    target.is_some_and(|target| target.name().is_none())
}

/// In a sub-select: what is around may refer to the name that was written, or to the right one.
fn inside(
    ground: &Ground<'_>,
    missing: &Missing<'_>,
    mut mend: Mend,
    given: &mut Vec<(usize, String)>,
) -> Mend {
    let Some(name) = mend.renamed.clone() else {
        return mend;
    };
    let is_used = ground.places.refs.iter().any(|other| {
        let last = other.reference.fields().iter().next_back();
        other.at != missing.place.at
            && last.and_then(Node::as_str) == Some(missing.name)
            && !ground.is_missing(other.at)
    });
    if !is_used {
        given.push((missing.place.frame, name));
        return mend;
    }
    if let With::Text(text) = &mut mend.with {
        text.push_str(" AS ");
        text.push_str(&quoted(missing.name));
    }
    mend
}

/// In the query that answers: its own ORDER BY may refer to the name.
fn outermost(ground: &Ground<'_>, missing: &Missing<'_>, mut mend: Mend) -> Mend {
    let Some(name) = mend.renamed.clone() else {
        return mend;
    };
    let keys = ground.places.refs.iter().filter(|other| {
        let fields = other.reference.fields();
        let in_key = matches!(other.clause, Clause::Order | Clause::Group | Clause::Other);
        other.frame == missing.place.frame
            && matches!(other.role, Role::Whole)
            && in_key
            && fields.len() == 1
            && fields.iter().next().and_then(Node::as_str) == Some(missing.name)
            && !ground.is_missing(other.at)
    });
    mend.beside = keys
        .filter_map(|key| {
            let span = ground.parts(key.at, 1)?.pop()?;
            let replacement = quoted(&name).into_owned();
            Some(Edit { span, replacement })
        })
        .collect();
    mend
}
