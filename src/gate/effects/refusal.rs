//! Which rule answers for what was found, and what it may tell.

use super::{NameUse, SuspectName};
use crate::Refusal;
use crate::context::JudgeContext;
use crate::effects::graph::{
    EffectCause, EffectDescription, EffectGraph, EffectReason, InheritanceReach, is_written,
};
use crate::functions::{self, FunctionVerdict};
use crate::rules::{
    CalledName, cast_effects, foreign_table, function_effects, hidden_function, operator_effects,
    overloaded_builtin, row_policy_effects, set_config, sql_in_string, type_effects, view_effects,
};
use catalog::{FunctionId, RelationId, RelationKind};

/// Something that is not clean, and why.
#[derive(Clone, Copy)]
pub(super) enum EffectfulObject<'s> {
    Function(FunctionId, &'s EffectCause),
    Operator(&'s EffectCause),
    Cast(&'s EffectCause),
    /// Some cast to a type.
    Casting(&'s EffectCause),
    Type(&'s EffectCause),
    Relation(RelationId, &'s EffectCause),
}

/// The refusal of a thing that stands at a place of the text, in bytes.
pub(super) fn of(
    thing: &EffectfulObject<'_>,
    at: Option<usize>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let mut refusal = of_object(thing, effect_graph, context);
    refusal.position = position(at, context);
    refusal
}

/// A place of the text, in characters from 1.
pub(crate) fn position(at: Option<usize>, context: &JudgeContext<'_>) -> Option<u32> {
    let before = context.text.get(..at?)?;
    let characters = u32::try_from(before.chars().count()).ok()?;
    Some(characters.saturating_add(1))
}

/// The refusal where it cannot be told what a name stands for: of the first thing of that name that
/// is not clean.
pub(super) fn of_suspect_name(
    suspicion: Option<SuspectName>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let Some(suspicion) = suspicion else {
        // Some cast that happens unasked is not clean, and may happen here.
        return cast_effects::refusal(&EffectDescription::nameless());
    };
    match first(suspicion, effect_graph) {
        Some(thing) => of_object(&thing, effect_graph, context),
        None => {
            let told = |sort| {
                let name = effect_graph.catalog().names().text(suspicion.name);
                match is_written(name, context.text) {
                    true => EffectDescription::written(sort, name),
                    false => EffectDescription::nameless(),
                }
            };
            match suspicion.sort {
                NameUse::Function | NameUse::Field => hidden_function::refusal(&told("function")),
                NameUse::Operator => operator_effects::refusal(&told("operator")),
                NameUse::Relation => view_effects::refusal(&told("relation")),
                NameUse::Type => type_effects::refusal(&told("type")),
            }
        }
    }
}

fn first(suspicion: SuspectName, effect_graph: &EffectGraph) -> Option<EffectfulObject<'_>> {
    let (index, name) = (effect_graph.catalog().index(), suspicion.name);
    match suspicion.sort {
        NameUse::Function | NameUse::Field => index.functions(name).iter().find_map(|id| {
            let cause = effect_graph.called_by_name(*id)?;
            Some(EffectfulObject::Function(*id, cause))
        }),
        NameUse::Operator => index
            .operators(name)
            .iter()
            .find_map(|id| Some(EffectfulObject::Operator(effect_graph.operator(*id)?))),
        NameUse::Relation => {
            let read = index.relations(name).iter().find_map(|id| {
                let cause = effect_graph.relation(*id, InheritanceReach::WithChildren)?;
                Some(EffectfulObject::Relation(*id, cause))
            });
            // A literal beside a column may become a value of the column's type.
            let made = || {
                index.relations(name).iter().find_map(|id| {
                    let mut columns = effect_graph.catalog().columns_of(*id).iter();
                    columns.find_map(|column| effect_graph.making(column.type_id))
                })
            };
            read.or_else(|| made().map(EffectfulObject::Type))
        }
        NameUse::Type => index.types(name).iter().find_map(|id| {
            let own = effect_graph.making(*id).or_else(|| effect_graph.using(*id));
            match own {
                Some(cause) => Some(EffectfulObject::Type(cause)),
                None => Some(EffectfulObject::Casting(effect_graph.casting_to(*id)?)),
            }
        }),
    }
}

fn of_object(
    thing: &EffectfulObject<'_>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let role = catalog.role_named(context.role());
    let tell = |cause: &EffectCause| cause.describe(catalog, role, context.text);
    match thing {
        EffectfulObject::Function(id, cause) => of_function(*id, &tell(cause), effect_graph),
        EffectfulObject::Operator(cause) => operator_effects::refusal(&tell(cause)),
        EffectfulObject::Cast(cause) | EffectfulObject::Casting(cause) => {
            cast_effects::refusal(&tell(cause))
        }
        EffectfulObject::Type(cause) => type_effects::refusal(&tell(cause)),
        EffectfulObject::Relation(id, cause) => {
            let told = tell(cause);
            if cause.is_of_a_column() {
                return type_effects::refusal(&told);
            }
            match catalog.relation(*id).kind {
                _ if cause.reason() == EffectReason::Foreign => foreign_table::refusal(&told),
                RelationKind::View | RelationKind::MaterializedView => view_effects::refusal(&told),
                RelationKind::Table
                | RelationKind::PartitionedTable
                | RelationKind::ForeignTable
                | RelationKind::Sequence
                | RelationKind::CompositeType => match cause.reason() {
                    EffectReason::Foreign => foreign_table::refusal(&told),
                    _ => row_policy_effects::refusal(&told),
                },
            }
        }
    }
}

/// A function: built-ins have rules of their own.
fn of_function(
    id: FunctionId,
    told: &EffectDescription,
    effect_graph: &EffectGraph,
) -> Box<Refusal> {
    let catalog = effect_graph.catalog();
    let function = catalog.function(id);
    let name = catalog.names().text(function.name);
    let verdict = functions::verdict(None, name, function.arguments.len());
    if !function.oid.is_built_in() {
        return match verdict {
            FunctionVerdict::Unknown => hidden_function::refusal(told),
            _ => overloaded_builtin::refusal(told),
        };
    }
    let called = CalledName { schema: None, name };
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
