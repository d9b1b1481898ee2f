//! The functions that a call may mean by its name and by the number and names of its arguments,
//! before their types are looked at.
//!
//! <https://www.postgresql.org/docs/current/sql-syntax-calling-funcs.html>

use crate::coerce::TypeRules;
use crate::overload::Overload;
use crate::type_name::{QualifiedName, SchemaSearch};
use catalog::{Function, FunctionId, NameId, TypeId};

/// What a call looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallShape<'n> {
    /// How many arguments it has.
    pub(crate) arguments: usize,
    /// The names of the last ones.
    pub(crate) names: &'n [&'n str],
    /// Whether the last one is marked VARIADIC.
    pub(crate) variadic: bool,
}

/// A function as one call sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FunctionCandidate {
    /// The function; several where Postgres cannot decide between them and refuses the call.
    pub(crate) functions: Vec<FunctionId>,
    /// The types of its arguments in the order of the call, then those of defaults.
    pub(crate) declared: Vec<TypeId>,
    /// How many arguments VARIADIC collects.
    pub(crate) collected: usize,
    /// How many defaults are used.
    pub(crate) defaulted: usize,
    position: usize,
}

impl Overload for FunctionCandidate {
    fn declared(&self) -> &[TypeId] {
        &self.declared
    }
}

impl FunctionCandidate {
    /// The types of the arguments that the call gives.
    fn given(&self) -> &[TypeId] {
        let given = self.declared.len().saturating_sub(self.defaulted);
        self.declared.get(..given).unwrap_or_default()
    }
}

impl TypeRules<'_> {
    /// The functions that a call may mean. A function hides those of the same signature later in
    /// the path.
    pub(crate) fn function_candidates(
        self,
        place: QualifiedName<'_>,
        shape: CallShape<'_>,
    ) -> Vec<FunctionCandidate> {
        let Some(named) = self.named(place) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for id in self.catalog.index().functions(named.name) {
            if let Some(candidate) = self.candidate(*id, named, shape) {
                admit(&mut found, candidate);
            }
        }
        found
    }

    fn candidate(
        self,
        id: FunctionId,
        named: SchemaSearch<'_>,
        shape: CallShape<'_>,
    ) -> Option<FunctionCandidate> {
        let function = self.catalog.function(id);
        let position = named.position(function.schema)?;
        let takes = function.arguments.len();
        let by_name = !shape.names.is_empty();
        let expands = function.variadic.filter(|_| !shape.variadic);
        if by_name && expands.is_some() {
            return None;
        }
        let element = expands.filter(|_| takes <= shape.arguments);
        let defaulted = takes.saturating_sub(shape.arguments);
        if defaulted > usize::from(function.defaults)
            || takes < shape.arguments && element.is_none()
        {
            return None;
        }
        let mut declared = if by_name {
            self.ordered(function, shape)?
        } else {
            function.arguments.to_vec()
        };
        let mut collected = 0;
        if let Some(element) = element {
            declared.pop();
            collected = shape.arguments.saturating_sub(declared.len());
            declared.resize(shape.arguments, element);
        }
        Some(FunctionCandidate {
            functions: vec![id],
            declared,
            collected,
            defaulted,
            position,
        })
    }

    /// The types of a function's arguments in the order in which a call with names gives them.
    fn ordered(self, function: &Function, shape: CallShape<'_>) -> Option<Vec<TypeId>> {
        let takes = function.arguments.len();
        let positional = shape.arguments.checked_sub(shape.names.len())?;
        let mut order: Vec<usize> = (0..positional).collect();
        for name in shape.names {
            let name: NameId = self.catalog.names().find(name)?;
            let names = function.argument_names.iter();
            let place = names.take(takes).position(|given| *given == Some(name))?;
            if order.contains(&place) {
                return None;
            }
            order.push(place);
        }
        let with_default = takes.saturating_sub(usize::from(function.defaults));
        for place in 0..takes {
            if !order.contains(&place) {
                if place < with_default {
                    return None;
                }
                order.push(place);
            }
        }
        let types = order.iter().map(|place| function.arguments.get(*place));
        types.map(Option::<&TypeId>::copied).collect()
    }
}

/// Adds a candidate, unless one that is preferred takes the same arguments; takes the place of
/// those that it is preferred to.
fn admit(found: &mut Vec<FunctionCandidate>, candidate: FunctionCandidate) {
    let same = found
        .iter()
        .position(|other| other.given() == candidate.given());
    let Some(other) = same.and_then(|place| found.get_mut(place)) else {
        found.push(candidate);
        return;
    };
    let rank = |candidate: &FunctionCandidate| (candidate.position, candidate.collected > 0);
    match rank(&candidate).cmp(&rank(other)) {
        std::cmp::Ordering::Less => *other = candidate,
        std::cmp::Ordering::Equal => other.functions.extend(candidate.functions),
        std::cmp::Ordering::Greater => {}
    }
}
