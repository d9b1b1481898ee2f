//! What is needed to find what the names of a statement mean: where they are looked up, and what is
//! known of the parameters.

use super::resolve_effects::Subject;
use crate::catalog::schema::is_of_another_session;
use crate::catalog::{Oid, SearchPath, TypeId};
use crate::gate::context::Case;
use crate::gate::effects::graph::Sight;
use crate::gate::{Parameters, SearchPaths};
use crate::resolve::{self, Lookup, Resolution, TooDeep, Types};

/// Where names may be looked up; none where that is not known for certain.
pub(in crate::gate) fn paths(sight: &Sight, case: &Case<'_>) -> Option<Vec<SearchPath>> {
    lookups(case.paths(), sight, case)
}

/// The same behind the end of the transaction at hand.
pub(in crate::gate) fn paths_at_end(sight: &Sight, case: &Case<'_>) -> Option<Vec<SearchPath>> {
    lookups(case.said_at_end(), sight, case)
}

fn lookups(paths: &SearchPaths, sight: &Sight, case: &Case<'_>) -> Option<Vec<SearchPath>> {
    let SearchPaths::Known(paths) = paths else {
        return None;
    };
    let catalog = sight.catalog();
    let names = || paths.iter().flatten();
    if catalog.other_encoding() && names().any(|name| !name.is_ascii()) {
        return None;
    }
    // What is there is in no snapshot.
    if names().any(|name| is_of_another_session(name)) {
        return None;
    }
    let role = catalog.role_named(case.role())?;
    let paths: Vec<SearchPath> = paths
        .iter()
        .map(|names| catalog.search_path(names, Some(role)))
        .collect();
    (!paths.is_empty()).then_some(paths)
}

/// Whether the server may read names of the text otherwise than they are read here.
pub(in crate::gate) fn are_read_elsewhere(sight: &Sight, case: &Case<'_>) -> bool {
    sight.catalog().other_encoding() && !case.text.is_ascii()
}

/// The types that the client gave for parameters; none where one of them is not known here.
pub(in crate::gate) fn parameters(sight: &Sight, case: &Case<'_>) -> Option<Vec<Option<TypeId>>> {
    let Parameters::Given(types) = &case.parameters else {
        return None;
    };
    let index = sight.catalog().index();
    let given = types.iter().map(|oid| match oid {
        0 => Some(None),
        oid => index.type_of_oid(Oid(*oid)).map(Some),
    });
    given.collect()
}

/// What is known of the types of parameters.
pub(in crate::gate) fn types<'a>(
    given: Option<&'a [Option<TypeId>]>,
    case: &Case<'a>,
) -> Types<'a> {
    match (case.arguments, given) {
        (Some(arguments), _) => Types::Arguments(arguments),
        (None, Some(given)) => Types::Given(given),
        (None, None) => Types::Unclear,
    }
}

/// What the names of a statement mean, looked up in one place.
pub(in crate::gate) fn resolve<'a>(
    subject: Subject<'a>,
    sight: &'a Sight,
    path: &'a SearchPath,
    parameters: Types<'a>,
) -> Result<Resolution<'a>, TooDeep> {
    let lookup = Lookup {
        catalog: sight.catalog(),
        path,
        parameters,
    };
    match subject {
        Subject::Statement(node) => resolve::statement(node, &lookup),
        // Nothing else is known of them.
        Subject::Types => Err(TooDeep),
        Subject::Arguments(list) => {
            // Theirs are not those of the statement that they stand in.
            let parameters = Types::Unclear;
            let lookup = Lookup {
                parameters,
                ..lookup
            };
            resolve::expressions(list.iter(), &lookup)
        }
    }
}
