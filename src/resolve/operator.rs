//! Operators: which one a symbol means between these types.
//!
//! <https://www.postgresql.org/docs/current/typeconv-oper.html>

use super::coerce::polymorphic::Settled;
use super::coerce::{Fit, Typing};
use super::inferred::builtin;
use super::inferred::{Actual, Inferred};
use super::missing_name::{AbsentThing, written_at};
use super::overload::Overload;
use super::type_name::{Named, Place};
use super::{Analysis, MisfitKind, What};
use crate::catalog::{OperatorId, TypeId};
use crate::sql::tree::list::NodeList;

/// What an operator stands between.
#[derive(Clone, Debug)]
pub(super) enum Operands<'i> {
    /// `- x`.
    Prefix(&'i Inferred),
    /// `x + y`.
    Infix(&'i Inferred, &'i Inferred),
    /// `x = ANY (array)`: the right side is the array.
    Array(&'i Inferred, &'i Inferred),
}

/// What an operator turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operated {
    /// Its type.
    pub(super) result: Inferred,
    /// The type that its left side takes.
    pub(super) left: Inferred,
}

/// An operator as one use of its symbol sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OperatorCandidate {
    id: OperatorId,
    sides: Sides,
    position: usize,
}

/// The types on the sides of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sides {
    Prefix([TypeId; 1]),
    Infix([TypeId; 2]),
}

impl Overload for OperatorCandidate {
    fn declared(&self) -> &[TypeId] {
        match &self.sides {
            Sides::Prefix(sides) => sides,
            Sides::Infix(sides) => sides,
        }
    }
}

impl Typing<'_> {
    /// The operators that a symbol may mean between these types. Where it means none the server
    /// fails, and all of its name stay: nothing is claimed about such a statement.
    fn operators(self, place: Place<'_>, actual: &[Actual]) -> (Vec<OperatorCandidate>, Fit) {
        let Some(named) = self.named(place) else {
            return (Vec::new(), Fit::Not);
        };
        if let Some(exact) = self.exact_operator(named, actual) {
            return (vec![exact], Fit::Fits);
        }
        let mut candidates: Vec<OperatorCandidate> = Vec::new();
        for candidate in self.operators_named(named, actual.len()) {
            let same = candidates
                .iter_mut()
                .find(|other| other.sides == candidate.sides);
            match same {
                Some(other) if candidate.position < other.position => *other = candidate,
                Some(_) => {}
                None => candidates.push(candidate),
            }
        }
        let all = candidates.clone();
        let chosen = self.choose(candidates, actual);
        match chosen.is_empty() {
            true => (all, Fit::Not),
            false => (chosen, Fit::Fits),
        }
    }

    /// All operators of a symbol that the path leads to, with so many sides.
    fn operators_named(
        self,
        named: Named<'_>,
        count: usize,
    ) -> impl Iterator<Item = OperatorCandidate> {
        let ids = self.catalog.index().operators(named.name).iter();
        ids.filter_map(move |id| {
            let operator = self.catalog.operator(*id);
            let sides = match (operator.left, operator.right) {
                (Some(left), Some(right)) if count == 2 => Sides::Infix([left, right]),
                (None, Some(right)) if count == 1 => Sides::Prefix([right]),
                _ => return None,
            };
            Some(OperatorCandidate {
                id: *id,
                sides,
                position: named.position(operator.schema)?,
            })
        })
    }

    /// The operator for exactly these types, a literal taken for what stands on the other side.
    fn exact_operator(self, named: Named<'_>, actual: &[Actual]) -> Option<OperatorCandidate> {
        let unknown = || self.builtin(builtin::UNKNOWN);
        let (wanted, had_literal) = match *actual {
            [Actual::Type(left), Actual::Type(right)] => (Sides::Infix([left, right]), false),
            [Actual::Type(known), Actual::Unknown] | [Actual::Unknown, Actual::Type(known)] => {
                (Sides::Infix([known, known]), true)
            }
            [Actual::Type(right)] => (Sides::Prefix([right]), false),
            [Actual::Unknown, Actual::Unknown] => {
                let unknown = unknown()?;
                (Sides::Infix([unknown, unknown]), false)
            }
            [Actual::Unknown] => (Sides::Prefix([unknown()?]), false),
            _ => return None,
        };
        let first = |wanted: Sides| {
            self.operators_named(named, actual.len())
                .filter(|candidate| candidate.sides == wanted)
                .min_by_key(|candidate| candidate.position)
        };
        let found = first(wanted);
        match wanted {
            Sides::Infix([known, _]) if found.is_none() && had_literal => {
                let base = self.base(known);
                first(Sides::Infix([base, base]))
            }
            _ => found,
        }
    }
}

impl<'a> Analysis<'a> {
    /// The operator that syntax implies, `=` for JOIN USING: noted, with the casts of its sides and
    /// that of its result to a boolean.
    pub fn implied_operator(
        &mut self,
        symbol: &str,
        left: &Inferred,
        right: &Inferred,
        location: i32,
    ) -> Inferred {
        let place = Place::Path(symbol);
        let operated = self.operated(place, &Operands::Infix(left, right), location);
        self.coerced_to(&operated.result, builtin::BOOL, location);
        operated.result
    }

    /// An operator that is written, `OPERATOR(schema.symbol)` included: noted, with the casts of
    /// its sides.
    pub(super) fn operator_written(
        &mut self,
        name: &'a NodeList,
        operands: &Operands<'_>,
        location: i32,
    ) -> Operated {
        let parts: Vec<&str> = name.iter().filter_map(|part| part.as_str()).collect();
        match Place::of(&parts) {
            Some(place) if parts.len() == name.len() => self.operated(place, operands, location),
            _ => {
                self.note_at(location, What::Unclear);
                Operated::unclear()
            }
        }
    }

    pub(super) fn operated(
        &mut self,
        place: Place<'_>,
        operands: &Operands<'_>,
        location: i32,
    ) -> Operated {
        let typing = self.typing();
        let actual = operands.actual(typing);
        let (found, fit) = typing.operators(place, &actual);
        if fit == Fit::Not && !actual.contains(&Actual::Unclear) {
            self.misfit(location, MisfitKind::Operator);
            let sides = operands.sides(typing);
            self.absent(location, || {
                let (schema, name) = written_at(place);
                AbsentThing::Operator {
                    schema,
                    name,
                    sides,
                }
            });
        }
        let candidates = found.iter().map(|candidate| candidate.id).collect();
        let sides = operands.sides(typing);
        self.note_at(location, What::Operators { candidates, sides });
        let mut results = Vec::new();
        let mut lefts = Vec::new();
        for candidate in &found {
            let settled = self.arguments(candidate.declared(), &operands.sides(typing), location);
            if let Operands::Array(_, array) = operands {
                self.array_side(candidate, array, settled.as_ref(), location);
            }
            let declared = self.catalog.operator(candidate.id).result;
            let real = |id| settled.as_ref().map(|settled| settled.real(typing, id));
            let result = declared.and_then(real).unwrap_or(Inferred::Unclear);
            self.note_inferred(&result, location);
            results.push(result);
            let left = candidate.declared().first().copied();
            lefts.push(left.and_then(real).unwrap_or(Inferred::Unclear));
        }
        Operated {
            result: Inferred::agreed(results),
            left: Inferred::agreed(lefts),
        }
    }

    /// The array on the right becomes an array of what the operator takes.
    fn array_side(
        &mut self,
        candidate: &OperatorCandidate,
        array: &Inferred,
        settled: Option<&Settled>,
        location: i32,
    ) {
        let typing = self.typing();
        let right = candidate.declared().last();
        let real = right
            .zip(settled)
            .map(|(id, found)| found.real(typing, *id));
        if let Some(Inferred::Known(element)) = real
            && let Some(target) = typing.array_of(element)
        {
            self.coerced(array, target, location);
        }
    }
}

impl Operands<'_> {
    /// The types between which the operator is looked up.
    fn actual(&self, typing: Typing<'_>) -> Vec<Actual> {
        let sides = self.sides(typing);
        sides.iter().map(|side| side.actual(typing)).collect()
    }

    /// The same as types; an array stands for its elements.
    fn sides(&self, typing: Typing<'_>) -> Vec<Inferred> {
        match self {
            Self::Prefix(right) => vec![(*right).clone()],
            Self::Infix(left, right) => vec![(*left).clone(), (*right).clone()],
            Self::Array(left, array) => {
                let elements = match array.actual(typing) {
                    Actual::Unknown => Inferred::Literal,
                    Actual::Type(id) => typing.base_element(id).into(),
                    Actual::Unclear => Inferred::Unclear,
                };
                vec![(*left).clone(), elements]
            }
        }
    }
}

impl Operated {
    /// The type of the left side as the operator takes it, for NULLIF, which gives that back.
    pub(super) fn taken_left(self, left: Inferred, typing: Typing<'_>) -> Inferred {
        let is_record = |id| typing.is(id, builtin::RECORD);
        match (left, self.left) {
            (row @ Inferred::Row(_), Inferred::Known(id)) if is_record(id) => row,
            (_, taken) => taken,
        }
    }

    /// Nothing can be told.
    pub(super) fn unclear() -> Self {
        Self {
            result: Inferred::Unclear,
            left: Inferred::Unclear,
        }
    }
}
