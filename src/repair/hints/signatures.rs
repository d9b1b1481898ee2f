//! A call that no function takes: which arguments its function has, or what is called alike.

use crate::SessionDatabase;
use catalog::{FunctionId, FunctionKind};
use ground::edit_distance::with_swaps;

/// What to do about a function that does not exist, as the server's words name it.
pub(super) fn advice(
    message: &str,
    database: Option<&SessionDatabase<'_>>,
    text: &str,
    position: Option<usize>,
) -> Option<String> {
    let database = database?;
    let (name, types) = called(message)?;
    let catalog = database.catalog;
    let known = catalog.names().find(name);
    let same = known
        .map(|name| catalog.index().functions(name))
        .unwrap_or_default();
    let shown = |id: &&FunctionId| {
        let function = catalog.function(**id);
        function.oid.is_built_in() && function.kind != FunctionKind::Procedure
    };
    let mut signatures: Vec<String> = Vec::new();
    for id in same.iter().filter(shown) {
        let arguments = catalog.function(*id).arguments.iter();
        let arguments: Vec<String> = arguments.map(|id| catalog.type_name(*id)).collect();
        signatures.push(format!("({})", arguments.join(", ")));
    }
    if signatures.is_empty() {
        return None;
    }
    let given = types.matches(", ").count();
    // Those with as many arguments first, and those for all types last.
    signatures.sort_by_key(|one| {
        (
            one.matches(", ").count().abs_diff(given),
            one.contains("any"),
            one.contains("bit"),
        )
    });
    signatures.dedup();
    signatures.truncate(CANDIDATES_MAX);
    let own_case = position.and_then(|at| text.get(at..at + name.len()));
    let example = first_type(signatures.first().map_or("", String::as_str));
    Some(format!(
        "{}() takes {}, and not ({types}): {}.",
        own_case
            .filter(|own| own.eq_ignore_ascii_case(name))
            .unwrap_or(name),
        signatures.join(" or "),
        match example.starts_with("any") || types.is_empty() {
            true => "check their number and types".to_owned(),
            false => format!("cast the arguments, as in x::{example}, or change their order"),
        },
    ))
}

/// Whether a built-in function has a name.
pub(crate) fn is_function(database: &SessionDatabase<'_>, name: &str) -> bool {
    let catalog = database.catalog;
    let same = catalog
        .names()
        .find(name)
        .map(|name| catalog.index().functions(name));
    let mut same = same.unwrap_or_default().iter();
    same.any(|id| catalog.function(*id).oid.is_built_in())
}

/// Built-in functions that are called nearly so, nearest first.
pub(crate) fn nearest(database: &SessionDatabase<'_>, name: &str) -> Vec<String> {
    let catalog = database.catalog;
    let letters = |name: &str| -> Vec<char> { name.chars().take(64).collect() };
    let wanted = letters(name);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (_, function) in catalog.functions() {
        let other = catalog.names().text(function.name);
        if !function.oid.is_built_in() || other.starts_with("pg_") || other == name {
            continue;
        }
        let far = wanted.len().abs_diff(other.len()) > 2;
        if far || found.iter().any(|(_, own)| *own == other) {
            continue;
        }
        let steps = with_swaps(&wanted, &letters(other));
        if steps <= 2 && steps * 3 <= wanted.len() {
            found.push((steps, other));
        }
    }
    found.sort_unstable();
    let names = found.into_iter().take(CANDIDATES_MAX);
    names.map(|(_, name)| format!("{name}()")).collect()
}

/// The name and the types in `function shop.f(integer, text) does not exist`.
fn called(message: &str) -> Option<(&str, &str)> {
    let (whole, types) = message
        .strip_prefix("function ")?
        .strip_suffix(") does not exist")?
        .split_once('(')?;
    Some((whole.rsplit('.').next()?, types))
}

/// The first type of a signature, for an example.
fn first_type(signature: &str) -> &str {
    let inside = signature.trim_start_matches('(').trim_end_matches(')');
    match inside.split(", ").next().unwrap_or_default() {
        "" => "text",
        first => first,
    }
}

/// More are not read.
const CANDIDATES_MAX: usize = 3;
