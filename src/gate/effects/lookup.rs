//! What is needed to find what the names of a statement mean: where they are looked up, and what is
//! known of the parameters.

use super::resolve_effects::CheckSubject;
use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::{ParameterTypes, SearchPaths};
use catalog::schema::is_of_another_session;
use catalog::{Oid, SearchPath, TypeId};
use resolve::{KnownParameters, LookupContext, Resolution, TooDeep};

/// Where names may be looked up; none where that is not known for certain.
pub(crate) fn paths(
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Option<Vec<SearchPath>> {
    search_paths(context.paths(), effect_graph, context)
}

/// The same behind the end of the transaction at hand.
pub(crate) fn paths_at_end(
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Option<Vec<SearchPath>> {
    search_paths(context.paths_at_end(), effect_graph, context)
}

fn search_paths(
    paths: &SearchPaths,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Option<Vec<SearchPath>> {
    let SearchPaths::Known(paths) = paths else {
        return None;
    };
    let catalog = effect_graph.catalog();
    let names = || paths.iter().flatten();
    if catalog.other_encoding() && names().any(|name| !name.is_ascii()) {
        return None;
    }
    // What is there is in no snapshot.
    if names().any(|name| is_of_another_session(name)) {
        return None;
    }
    let role = catalog.role_named(context.role())?;
    let paths: Vec<SearchPath> = paths
        .iter()
        .map(|names| catalog.search_path(names, Some(role)))
        .collect();
    (!paths.is_empty()).then_some(paths)
}

/// Whether the server may read names of the text otherwise than they are read here.
pub(crate) fn may_be_read_otherwise(
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> bool {
    effect_graph.catalog().other_encoding() && !context.text.is_ascii()
}

/// The types that the client gave for parameters; none where one of them is not known here.
pub(crate) fn parameters(
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Option<Vec<Option<TypeId>>> {
    let ParameterTypes::Given(types) = &context.parameters else {
        return None;
    };
    let index = effect_graph.catalog().index();
    let given = types.iter().map(|oid| match oid {
        0 => Some(None),
        oid => index.type_of_oid(Oid(*oid)).map(Some),
    });
    given.collect()
}

/// What is known of the types of parameters.
pub(crate) fn types<'a>(
    given: Option<&'a [Option<TypeId>]>,
    context: &JudgeContext<'a>,
) -> KnownParameters<'a> {
    match (context.arguments, given) {
        (Some(arguments), _) => KnownParameters::Arguments(arguments),
        (None, Some(given)) => KnownParameters::Given(given),
        (None, None) => KnownParameters::Unclear,
    }
}

/// What the names of a statement mean, looked up in one place.
pub(crate) fn resolve<'a>(
    subject: CheckSubject<'a>,
    effect_graph: &'a EffectGraph,
    path: &'a SearchPath,
    parameters: KnownParameters<'a>,
) -> Result<Resolution<'a>, TooDeep> {
    let lookup = LookupContext {
        catalog: effect_graph.catalog(),
        path,
        parameters,
    };
    match subject {
        CheckSubject::Statement(node) => resolve::statement(node, &lookup),
        // Nothing else is known of them.
        CheckSubject::Types => Err(TooDeep),
        CheckSubject::Arguments(list) => {
            // Theirs are not those of the statement that they stand in.
            let parameters = KnownParameters::Unclear;
            let lookup = LookupContext {
                parameters,
                ..lookup
            };
            resolve::expressions(list.iter(), &lookup)
        }
    }
}
