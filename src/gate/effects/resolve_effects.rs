//! The second look: what the names of a statement stand for, where one of them is marked.
//!
//! Each use is narrowed to the objects that remain possible for every search_path that the session
//! may have. All of them have to be clean. What cannot be told (no search_path, no role, a text too
//! deep, a construct that the analysis does not follow) leaves the suspicion as it is.

use super::refusal::{self, Thing};
use super::type_names::Spared;
use super::{Spelling, Suspicion, coercion, lookup, missing_objects, suspect_names};
use crate::catalog::{FunctionId, TypeId};
use crate::gate::context::Case;
use crate::gate::effects::graph::{Reach, Reason, Sight, support_functions};
use crate::gate::functions::{self, FunctionVerdict, Why};
use crate::gate::rules::{Found, type_effects};
use crate::gate::settings::search_path;
use crate::gate::{Refusal, sql_literal};
use crate::resolve::{Form, Inferred, Use, What};
use crate::sql::tree::{Node, list::NodeList};

/// What is looked at.
#[derive(Clone, Copy)]
pub(in crate::gate) enum Subject<'t> {
    /// A statement.
    Statement(Node<'t>),
    /// The arguments of an EXECUTE.
    Arguments(&'t NodeList),
    /// The types of a PREPARE.
    Types,
}

/// Settles what the first look found in a statement.
pub(in crate::gate) fn settle(subject: Subject<'_>, case: &mut Case<'_>) -> Found {
    let suspicion = case.suspicion.take();
    let Some(sight) = case.sight() else {
        return Ok(());
    };
    if let Subject::Arguments(list) = subject
        && let Some(hidden) = coercion::unclean_for_parameter(list, sight)
    {
        return Err(refusal::of(&Thing::Cast(hidden), None, sight, case));
    }
    // Casts that happen unasked have no name in the text, nor have the types of some expressions:
    // where some of those are not clean, each statement is looked into. Types whose making is not
    // clean are marked by what brings values of them.
    let types = sight.any_built_in_type_unclean();
    let unnamed = types || !sight.implicit_casts().is_empty();
    let named_only = match subject {
        Subject::Types => true,
        Subject::Statement(node) => !types && coercion::has_nothing_to_cast(node),
        Subject::Arguments(_) => false,
    };
    if suspicion.is_none() && (named_only || !unnamed) {
        return Ok(());
    }
    let looker = Looker {
        sight,
        suspicion,
        case,
    };
    let may_set = looker.look(subject)?;
    if may_set {
        search_path::note_unknown(case);
    }
    Ok(())
}

/// One look at one statement.
struct Looker<'l, 'j> {
    sight: &'l Sight,
    suspicion: Option<Suspicion>,
    case: &'l Case<'j>,
}

impl Looker<'_, '_> {
    /// Looks at every use, on every path; true where something may set what it likes.
    fn look(&self, subject: Subject<'_>) -> Result<bool, Box<Refusal>> {
        let folded = |suspicion: Suspicion| suspicion.spelling == Spelling::Folded;
        if lookup::are_read_elsewhere(self.sight, self.case) || self.suspicion.is_some_and(folded) {
            return Err(self.unsettled());
        }
        let Some(paths) = lookup::paths(self.sight, self.case) else {
            return Err(self.unsettled());
        };
        let given = lookup::parameters(self.sight, self.case);
        let parameters = lookup::types(given.as_deref(), self.case);
        let spared = Spared::of(subject, self.sight);
        let mut may_set = false;
        for path in &paths {
            let Ok(resolution) = lookup::resolve(subject, self.sight, path, parameters) else {
                return Err(self.unsettled());
            };
            for used in &resolution.uses {
                self.look_at(used, &spared).map_err(|refused| {
                    let ground = (path, self.sight);
                    missing_objects::explained(refused, used, &resolution, ground, self.case)
                })?;
                if let What::Functions { candidates, .. } = &used.what {
                    may_set |= candidates
                        .iter()
                        .any(|id| suspect_names::may_set(*id, self.sight));
                }
            }
        }
        Ok(may_set)
    }

    fn look_at(&self, used: &Use<'_>, spared: &Spared) -> Found {
        let thing = match &used.what {
            What::Relation { id, only } => {
                let reach = if *only {
                    Reach::Only
                } else {
                    Reach::WithChildren
                };
                self.sight
                    .relation(*id, reach)
                    .map(|hidden| Thing::Relation(*id, hidden))
            }
            What::Functions { candidates, .. } if candidates.is_empty() => {
                return Err(self.unsettled());
            }
            What::Functions { candidates, form } => {
                let of = |id: &FunctionId| self.function(*id, *form, used.at);
                let mut bad = candidates.iter().filter_map(of);
                bad.next()
            }
            What::Operators { candidates, .. } if candidates.is_empty() => {
                return Err(self.unsettled());
            }
            What::Operators { candidates, sides } => candidates.iter().find_map(|id| {
                let hidden = self.sight.operator(*id)?;
                let clean_here = coercion::prints_cleanly(*id, sides, self.sight);
                (!clean_here).then_some(Thing::Operator(hidden))
            }),
            What::Cast {
                source,
                target,
                candidates,
            } => {
                let made = !spared.cast(source, *target, candidates, self.sight);
                self.cast(source, *target, candidates, made)
            }
            What::Coercion { source, target } => self.coercion(source, *target),
            What::Type { id } => {
                let made = !spared.all_else(*id, self.sight);
                let making = made.then(|| self.making(*id)).flatten();
                making.or_else(|| self.using(*id))
            }
            What::Compared {
                inferred: Inferred::Known(id),
            } => self.using(*id),
            // A value whose type is not known came from something whose type is clean to use, or
            // that was refused.
            What::Compared { .. } => None,
            // They read what a relation gives, and the relation was looked at with its columns.
            What::Column { .. } | What::WholeRow { .. } | What::CommonTable { .. } => None,
            // The server will not find them either, and say so.
            What::MissingRelation { .. }
            | What::MissingColumn { .. }
            | What::AmbiguousColumn { .. }
            | What::MissingFunction => None,
            What::Unclear => return Err(self.unsettled()),
        };
        match thing {
            None => Ok(()),
            Some(thing) => Err(refusal::of(&thing, used.at, self.sight, self.case)),
        }
    }

    /// A function, if it is not clean in the form in which it is called.
    fn function(&self, id: FunctionId, form: Form, at: Option<usize>) -> Option<Thing<'_>> {
        let hidden = self.sight.called_by_name(id)?;
        let catalog = self.sight.catalog();
        let function = catalog.function(id);
        if function.oid.is_built_in() {
            let name = catalog.names().text(function.name);
            let count = function.arguments.len();
            match (functions::verdict(None, name, count), form) {
                // Judged by the rules that look at their arguments.
                (
                    FunctionVerdict::SetConfig | FunctionVerdict::Housekeeping,
                    Form::Call | Form::From,
                ) => return None,
                (FunctionVerdict::Allowed, Form::Call | Form::From)
                    if type_effects::names_a_type(name)
                        || support_functions::reads_type_names(name) =>
                {
                    return None;
                }
                (FunctionVerdict::Effects { why: Why::Snapshot }, Form::Call)
                    if self.case.exports_snapshot() =>
                {
                    return None;
                }
                // The server cannot be asked for them; those of samples have a rule of their own.
                (FunctionVerdict::Effects { why: Why::Internal }, Form::Field | Form::Sample) => {
                    return None;
                }
                _ => {}
            }
        }
        // A rule of its own says which may be used.
        let samples = form == Form::Sample && hidden.why() == Reason::BuiltIn(Why::Internal);
        let judged = matches!(form, Form::Call | Form::From)
            && sql_literal::runs_literal(id, self.sight)
            && sql_literal::is_judged(at, self.case);
        (!samples && !judged).then_some(Thing::Function(id, hidden))
    }

    fn cast(
        &self,
        source: &Inferred,
        target: TypeId,
        candidates: &[crate::catalog::CastId],
        made: bool,
    ) -> Option<Thing<'_>> {
        let listed = candidates
            .iter()
            .find_map(|id| Some(Thing::Cast(self.sight.cast(*id)?)));
        listed
            .or_else(|| made.then(|| self.making(target)).flatten())
            .or_else(|| self.unclear_source(source, target))
    }

    fn coercion(&self, source: &Inferred, target: TypeId) -> Option<Thing<'_>> {
        let implicit = coercion::unclean(source, target, self.sight);
        implicit.map(Thing::Cast).or_else(|| self.making(target))
    }

    /// From a type that is not known, any cast to the target may be run.
    fn unclear_source(&self, source: &Inferred, target: TypeId) -> Option<Thing<'_>> {
        match source {
            Inferred::Known(_) | Inferred::Literal | Inferred::Parameter(_) => None,
            Inferred::Row(_) | Inferred::Unclear => {
                let hidden = self.sight.casting_to(target)?;
                Some(Thing::Casting(hidden))
            }
        }
    }

    fn making(&self, id: TypeId) -> Option<Thing<'_>> {
        Some(Thing::Type(self.sight.making(id)?))
    }

    fn using(&self, id: TypeId) -> Option<Thing<'_>> {
        Some(Thing::Type(self.sight.using(id)?))
    }

    /// The refusal of what could not be told.
    fn unsettled(&self) -> Box<Refusal> {
        refusal::of_suspicion(self.suspicion, self.sight, self.case)
    }
}
