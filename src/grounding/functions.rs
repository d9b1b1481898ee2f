//! Functions as they are told.

use catalog::{Catalog, FunctionId, FunctionKind, TypeId, quoted};

use super::document::GroundedFunction;

/// The types that are in what is told of a function.
pub(crate) fn types(catalog: &Catalog, id: FunctionId) -> impl Iterator<Item = TypeId> {
    let function = catalog.function(id);
    let columns = function.out_columns.iter().map(|(_, data_type)| *data_type);
    let arguments = function.arguments.iter().copied();
    arguments.chain(columns).chain([function.returns])
}

/// A function with its arguments; the comment is what may be told of it.
pub(crate) fn told(catalog: &Catalog, id: FunctionId, comment: Option<String>) -> GroundedFunction {
    let function = catalog.function(id);
    let first_default = function
        .arguments
        .len()
        .saturating_sub(function.defaults.into());
    let arguments = function
        .arguments
        .iter()
        .enumerate()
        .map(|(place, data_type)| {
            let is_last = place + 1 == function.arguments.len();
            let variadic = match is_last && function.variadic.is_some() {
                true => "VARIADIC ",
                false => "",
            };
            let name = function.argument_names.get(place).copied().flatten();
            let name = name.map_or(String::new(), |name| {
                format!("{} ", quoted(catalog.names().text(name)))
            });
            let default = if place >= first_default {
                " DEFAULT"
            } else {
                ""
            };
            format!("{variadic}{name}{}{default}", catalog.type_name(*data_type))
        });
    let arguments: Vec<String> = arguments.collect();
    let set = if function.returns_set { "setof " } else { "" };
    let columns = function.out_columns.iter().map(|(name, data_type)| {
        let name = name.map_or("column".into(), |name| quoted(catalog.names().text(name)));
        format!("{name} {}", catalog.type_name(*data_type))
    });
    let columns: Vec<String> = columns.collect();
    let aggregate = match function.kind {
        FunctionKind::Aggregate { .. } => " (aggregate)",
        FunctionKind::Window => " (window function)",
        FunctionKind::Plain | FunctionKind::Procedure => "",
    };
    GroundedFunction {
        signature: format!("{}({})", catalog.function_name(id), arguments.join(", ")),
        returns: match columns.is_empty() {
            true => format!("{set}{}{aggregate}", catalog.type_name(function.returns)),
            false => format!("{set}({})", columns.join(", ")),
        },
        comment,
    }
}
