//! The second pass: what the names of a statement stand for, where one of them is marked.
//!
//! Each use is narrowed to the objects that remain possible for every search_path that the session
//! may have. All of them have to be clean. What cannot be told (no search_path, no role, a text too
//! deep, a construct that the analysis does not follow) leaves the suspicion as it is.

use super::refusal::{self, EffectfulObject};
use super::type_names::HarmlessTypeNames;
use super::{SpellingMatch, SuspectName, coercion, lookup, missing_objects, suspect_names};
use crate::context::JudgeContext;
use crate::effects::graph::{EffectGraph, EffectReason, InheritanceReach, support_functions};
use crate::functions::{self, BuiltinEffect, FunctionVerdict};
use crate::rules::{RuleResult, type_effects};
use crate::settings::search_path;
use crate::{Refusal, sql_literal};
use catalog::{FunctionId, TypeId};
use resolve::{CallForm, InferredType, ObjectUse, UsedObject};
use sql::tree::{Node, list::NodeList};

/// What is looked at.
#[derive(Clone, Copy)]
pub(crate) enum CheckSubject<'t> {
    /// A statement.
    Statement(Node<'t>),
    /// The arguments of an EXECUTE.
    Arguments(&'t NodeList),
    /// The types of a PREPARE.
    Types,
}

/// Checks what the first pass found in a statement.
pub(crate) fn check_resolved(
    subject: CheckSubject<'_>,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let suspicion = context.suspect_name.take();
    let Some(effect_graph) = context.effect_graph() else {
        return Ok(());
    };
    if let CheckSubject::Arguments(list) = subject
        && let Some(cause) = coercion::effect_of_parameter(list, effect_graph)
    {
        return Err(refusal::of(
            &EffectfulObject::Cast(cause),
            None,
            effect_graph,
            context,
        ));
    }
    // Casts that happen unasked have no name in the text, nor have the types of some expressions:
    // where some of those are not clean, each statement is looked into. Types whose making is not
    // clean are marked by what brings values of them.
    let types = effect_graph.using_any_builtin_type_has_effects();
    let unnamed = types || !effect_graph.implicit_casts().is_empty();
    let named_only = match subject {
        CheckSubject::Types => true,
        CheckSubject::Statement(node) => !types && coercion::has_nothing_to_cast(node),
        CheckSubject::Arguments(_) => false,
    };
    if suspicion.is_none() && (named_only || !unnamed) {
        return Ok(());
    }
    let looker = EffectResolver {
        effect_graph,
        suspicion,
        context,
    };
    let may_set = looker.check(subject)?;
    if may_set {
        search_path::note_unknown(context);
    }
    Ok(())
}

/// One look at one statement.
struct EffectResolver<'l, 'j> {
    effect_graph: &'l EffectGraph,
    suspicion: Option<SuspectName>,
    context: &'l JudgeContext<'j>,
}

impl EffectResolver<'_, '_> {
    /// Looks at every use, on every path; true where something may set what it likes.
    fn check(&self, subject: CheckSubject<'_>) -> Result<bool, Box<Refusal>> {
        let folded = |suspicion: SuspectName| suspicion.spelling == SpellingMatch::Folded;
        if lookup::may_be_read_otherwise(self.effect_graph, self.context)
            || self.suspicion.is_some_and(folded)
        {
            return Err(self.unresolved_refusal());
        }
        let Some(paths) = lookup::paths(self.effect_graph, self.context) else {
            return Err(self.unresolved_refusal());
        };
        let given = lookup::parameters(self.effect_graph, self.context);
        let parameters = lookup::types(given.as_deref(), self.context);
        let spared = HarmlessTypeNames::of(subject, self.effect_graph);
        let mut may_set = false;
        for path in &paths {
            let Ok(resolution) = lookup::resolve(subject, self.effect_graph, path, parameters)
            else {
                return Err(self.unresolved_refusal());
            };
            for used in &resolution.uses {
                self.check_use(used, &spared).map_err(|refused| {
                    let ground = (path, self.effect_graph);
                    missing_objects::explained(refused, used, &resolution, ground, self.context)
                })?;
                if let UsedObject::Functions { candidates, .. } = &used.what {
                    may_set |= candidates
                        .iter()
                        .any(|id| suspect_names::may_set(*id, self.effect_graph));
                }
            }
        }
        Ok(may_set)
    }

    fn check_use(&self, used: &ObjectUse<'_>, spared: &HarmlessTypeNames) -> RuleResult {
        let thing = match &used.what {
            UsedObject::Relation { id, only } => {
                let reach = if *only {
                    InheritanceReach::Only
                } else {
                    InheritanceReach::WithChildren
                };
                self.effect_graph
                    .relation(*id, reach)
                    .map(|cause| EffectfulObject::Relation(*id, cause))
            }
            UsedObject::Functions { candidates, .. } if candidates.is_empty() => {
                return Err(self.unresolved_refusal());
            }
            UsedObject::Functions { candidates, form } => {
                let of = |id: &FunctionId| self.function(*id, *form, used.at);
                let mut bad = candidates.iter().filter_map(of);
                bad.next()
            }
            UsedObject::Operators { candidates, .. } if candidates.is_empty() => {
                return Err(self.unresolved_refusal());
            }
            UsedObject::Operators { candidates, sides } => candidates.iter().find_map(|id| {
                let cause = self.effect_graph.operator(*id)?;
                let clean_here = coercion::prints_cleanly(*id, sides, self.effect_graph);
                (!clean_here).then_some(EffectfulObject::Operator(cause))
            }),
            UsedObject::Cast {
                source,
                target,
                candidates,
            } => {
                let made = !spared.cast(source, *target, candidates, self.effect_graph);
                self.cast(source, *target, candidates, made)
            }
            UsedObject::Coercion { source, target } => self.coercion(source, *target),
            UsedObject::Type { id } => {
                let made = !spared.all_else(*id, self.effect_graph);
                let making = made.then(|| self.making(*id)).flatten();
                making.or_else(|| self.using(*id))
            }
            UsedObject::Compared {
                inferred: InferredType::Known(id),
            } => self.using(*id),
            // A value whose type is not known came from something whose type is clean to use, or
            // that was refused.
            UsedObject::Compared { .. } => None,
            // They read what a relation gives, and the relation was looked at with its columns.
            UsedObject::Column { .. }
            | UsedObject::WholeRow { .. }
            | UsedObject::CommonTable { .. } => None,
            // The server will not find them either, and say so.
            UsedObject::MissingRelation { .. }
            | UsedObject::MissingColumn { .. }
            | UsedObject::AmbiguousColumn { .. }
            | UsedObject::MissingFunction => None,
            UsedObject::Unclear => return Err(self.unresolved_refusal()),
        };
        match thing {
            None => Ok(()),
            Some(thing) => Err(refusal::of(
                &thing,
                used.at,
                self.effect_graph,
                self.context,
            )),
        }
    }

    /// A function, if it is not clean in the form in which it is called.
    fn function(
        &self,
        id: FunctionId,
        form: CallForm,
        at: Option<usize>,
    ) -> Option<EffectfulObject<'_>> {
        let cause = self.effect_graph.called_by_name(id)?;
        let catalog = self.effect_graph.catalog();
        let function = catalog.function(id);
        if function.oid.is_built_in() {
            let name = catalog.names().text(function.name);
            let count = function.arguments.len();
            match (functions::verdict(None, name, count), form) {
                // Judged by the rules that look at their arguments.
                (
                    FunctionVerdict::SetConfig | FunctionVerdict::Housekeeping,
                    CallForm::Call | CallForm::From,
                ) => return None,
                (FunctionVerdict::Allowed, CallForm::Call | CallForm::From)
                    if type_effects::names_a_type(name)
                        || support_functions::reads_type_names(name) =>
                {
                    return None;
                }
                (
                    FunctionVerdict::Effects {
                        why: BuiltinEffect::Snapshot,
                    },
                    CallForm::Call,
                ) if self.context.exports_snapshot() => {
                    return None;
                }
                // The server cannot be asked for them; those of samples have a rule of their own.
                (
                    FunctionVerdict::Effects {
                        why: BuiltinEffect::Internal,
                    },
                    CallForm::Field | CallForm::Sample,
                ) => {
                    return None;
                }
                _ => {}
            }
        }
        // A rule of its own says which may be used.
        let samples = form == CallForm::Sample
            && cause.reason() == EffectReason::BuiltIn(BuiltinEffect::Internal);
        let judged = matches!(form, CallForm::Call | CallForm::From)
            && sql_literal::runs_literal(id, self.effect_graph)
            && sql_literal::is_judged(at, self.context);
        (!samples && !judged).then_some(EffectfulObject::Function(id, cause))
    }

    fn cast(
        &self,
        source: &InferredType,
        target: TypeId,
        candidates: &[catalog::CastId],
        made: bool,
    ) -> Option<EffectfulObject<'_>> {
        let listed = candidates
            .iter()
            .find_map(|id| Some(EffectfulObject::Cast(self.effect_graph.cast(*id)?)));
        listed
            .or_else(|| made.then(|| self.making(target)).flatten())
            .or_else(|| self.unclear_source(source, target))
    }

    fn coercion(&self, source: &InferredType, target: TypeId) -> Option<EffectfulObject<'_>> {
        let implicit = coercion::effect_of_coercion(source, target, self.effect_graph);
        implicit
            .map(EffectfulObject::Cast)
            .or_else(|| self.making(target))
    }

    /// From a type that is not known, any cast to the target may be run.
    fn unclear_source(&self, source: &InferredType, target: TypeId) -> Option<EffectfulObject<'_>> {
        match source {
            InferredType::Known(_) | InferredType::Literal | InferredType::Parameter(_) => None,
            InferredType::Row(_) | InferredType::Unclear => {
                let cause = self.effect_graph.casting_to(target)?;
                Some(EffectfulObject::Casting(cause))
            }
        }
    }

    fn making(&self, id: TypeId) -> Option<EffectfulObject<'_>> {
        Some(EffectfulObject::Type(self.effect_graph.making(id)?))
    }

    fn using(&self, id: TypeId) -> Option<EffectfulObject<'_>> {
        Some(EffectfulObject::Type(self.effect_graph.using(id)?))
    }

    /// The refusal of what could not be told.
    fn unresolved_refusal(&self) -> Box<Refusal> {
        refusal::of_suspect_name(self.suspicion, self.effect_graph, self.context)
    }
}
