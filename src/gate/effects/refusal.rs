//! Which rule answers for what was found, and what it may tell.

use super::{Sort, Suspicion};
use crate::catalog::{FunctionId, RelationId, RelationKind};
use crate::gate::Refusal;
use crate::gate::context::Case;
use crate::gate::effects::graph::{Hidden, Reach, Reason, Sight, Told, is_written};
use crate::gate::functions::{self, FunctionVerdict};
use crate::gate::rules::{
    Called, cast_effects, foreign_table, function_effects, hidden_function, operator_effects,
    overloaded_builtin, row_policy_effects, set_config, sql_in_string, type_effects, view_effects,
};

/// Something that is not clean, and why.
#[derive(Clone, Copy)]
pub(super) enum Thing<'s> {
    Function(FunctionId, &'s Hidden),
    Operator(&'s Hidden),
    Cast(&'s Hidden),
    /// Some cast to a type.
    Casting(&'s Hidden),
    Type(&'s Hidden),
    Relation(RelationId, &'s Hidden),
}

/// The refusal of a thing that stands at a place of the text, in bytes.
pub(super) fn of(
    thing: &Thing<'_>,
    at: Option<usize>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let mut refusal = of_thing(thing, sight, case);
    refusal.position = position(at, case);
    refusal
}

/// A place of the text, in characters from 1.
pub(in crate::gate) fn position(at: Option<usize>, case: &Case<'_>) -> Option<u32> {
    let before = case.text.get(..at?)?;
    let characters = u32::try_from(before.chars().count()).ok()?;
    Some(characters.saturating_add(1))
}

/// The refusal where it cannot be told what a name stands for: of the first thing of that name that
/// is not clean.
pub(super) fn of_suspicion(
    suspicion: Option<Suspicion>,
    sight: &Sight,
    case: &Case<'_>,
) -> Box<Refusal> {
    let Some(suspicion) = suspicion else {
        // Some cast that happens unasked is not clean, and may happen here.
        return cast_effects::refusal(&Told::nameless());
    };
    match first(suspicion, sight) {
        Some(thing) => of_thing(&thing, sight, case),
        None => {
            let told = |sort| {
                let name = sight.catalog().names().text(suspicion.name);
                match is_written(name, case.text) {
                    true => Told::written(sort, name),
                    false => Told::nameless(),
                }
            };
            match suspicion.sort {
                Sort::Function | Sort::Field => hidden_function::refusal(&told("function")),
                Sort::Operator => operator_effects::refusal(&told("operator")),
                Sort::Relation => view_effects::refusal(&told("relation")),
                Sort::Type => type_effects::refusal(&told("type")),
            }
        }
    }
}

fn first(suspicion: Suspicion, sight: &Sight) -> Option<Thing<'_>> {
    let (index, name) = (sight.catalog().index(), suspicion.name);
    match suspicion.sort {
        Sort::Function | Sort::Field => index.functions(name).iter().find_map(|id| {
            let hidden = sight.called_by_name(*id)?;
            Some(Thing::Function(*id, hidden))
        }),
        Sort::Operator => index
            .operators(name)
            .iter()
            .find_map(|id| Some(Thing::Operator(sight.operator(*id)?))),
        Sort::Relation => {
            let read = index.relations(name).iter().find_map(|id| {
                let hidden = sight.relation(*id, Reach::WithChildren)?;
                Some(Thing::Relation(*id, hidden))
            });
            // A literal beside a column may become a value of the column's type.
            let made = || {
                index.relations(name).iter().find_map(|id| {
                    let mut columns = sight.catalog().columns_of(*id).iter();
                    columns.find_map(|column| sight.making(column.type_id))
                })
            };
            read.or_else(|| made().map(Thing::Type))
        }
        Sort::Type => index.types(name).iter().find_map(|id| {
            let own = sight.making(*id).or_else(|| sight.using(*id));
            match own {
                Some(hidden) => Some(Thing::Type(hidden)),
                None => Some(Thing::Casting(sight.casting_to(*id)?)),
            }
        }),
    }
}

fn of_thing(thing: &Thing<'_>, sight: &Sight, case: &Case<'_>) -> Box<Refusal> {
    let catalog = sight.catalog();
    let role = catalog.role_named(case.role());
    let tell = |hidden: &Hidden| hidden.told(catalog, role, case.text);
    match thing {
        Thing::Function(id, hidden) => of_function(*id, &tell(hidden), sight),
        Thing::Operator(hidden) => operator_effects::refusal(&tell(hidden)),
        Thing::Cast(hidden) | Thing::Casting(hidden) => cast_effects::refusal(&tell(hidden)),
        Thing::Type(hidden) => type_effects::refusal(&tell(hidden)),
        Thing::Relation(id, hidden) => {
            let told = tell(hidden);
            if hidden.is_of_a_column() {
                return type_effects::refusal(&told);
            }
            match catalog.relation(*id).kind {
                _ if hidden.why() == Reason::Foreign => foreign_table::refusal(&told),
                RelationKind::View | RelationKind::MaterializedView => view_effects::refusal(&told),
                RelationKind::Table
                | RelationKind::PartitionedTable
                | RelationKind::ForeignTable
                | RelationKind::Sequence
                | RelationKind::CompositeType => match hidden.why() {
                    Reason::Foreign => foreign_table::refusal(&told),
                    _ => row_policy_effects::refusal(&told),
                },
            }
        }
    }
}

/// A function: built-ins have rules of their own.
fn of_function(id: FunctionId, told: &Told, sight: &Sight) -> Box<Refusal> {
    let catalog = sight.catalog();
    let function = catalog.function(id);
    let name = catalog.names().text(function.name);
    let verdict = functions::verdict(None, name, function.arguments.len());
    if !function.oid.is_built_in() {
        return match verdict {
            FunctionVerdict::Unknown => hidden_function::refusal(told),
            _ => overloaded_builtin::refusal(told),
        };
    }
    let called = Called { schema: None, name };
    let shown = catalog.function_signature(id);
    match verdict {
        FunctionVerdict::RunsSql => sql_in_string::refusal(called, &shown),
        FunctionVerdict::Effects { why } => function_effects::refusal(called, &shown, why),
        FunctionVerdict::SetConfig => set_config::refusal(),
        FunctionVerdict::Allowed | FunctionVerdict::Housekeeping | FunctionVerdict::Unknown => {
            hidden_function::refusal(told)
        }
    }
}
