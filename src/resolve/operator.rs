//! Operators: which one a symbol means between these types.
//!
//! <https://www.postgresql.org/docs/current/typeconv-oper.html>

use super::coerce::polymorphic::PolymorphicTypes;
use super::coerce::{CoercionFit, TypeRules};
use super::inferred::{ActualType, InferredType};
use super::missing_name::{MissingObject, written_at};
use super::overload::Overload;
use super::type_name::{QualifiedName, SchemaSearch};
use super::{Analysis, TypeMismatchKind, UsedObject};
use catalog::{OperatorId, TypeId, type_oid};
use sql::tree::list::NodeList;

/// What an operator stands between.
#[derive(Clone, Debug)]
pub(super) enum OperatorOperands<'i> {
    /// `- x`.
    Prefix(&'i InferredType),
    /// `x + y`.
    Infix(&'i InferredType, &'i InferredType),
    /// `x = ANY (array)`: the right side is the array.
    Array(&'i InferredType, &'i InferredType),
}

/// What an operator turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ResolvedOperator {
    /// Its type.
    pub(super) result: InferredType,
    /// The type that its left side takes.
    pub(super) left: InferredType,
}

/// An operator as one use of its symbol sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OperatorCandidate {
    id: OperatorId,
    sides: OperandTypes,
    position: usize,
}

/// The types on the sides of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OperandTypes {
    Prefix([TypeId; 1]),
    Infix([TypeId; 2]),
}

impl Overload for OperatorCandidate {
    fn declared(&self) -> &[TypeId] {
        match &self.sides {
            OperandTypes::Prefix(sides) => sides,
            OperandTypes::Infix(sides) => sides,
        }
    }
}

impl TypeRules<'_> {
    /// The operators that a symbol may mean between these types. Where it means none the server
    /// fails, and all of its name stay: nothing is claimed about such a statement.
    fn operators(
        self,
        place: QualifiedName<'_>,
        actual: &[ActualType],
    ) -> (Vec<OperatorCandidate>, CoercionFit) {
        let Some(named) = self.named(place) else {
            return (Vec::new(), CoercionFit::Not);
        };
        if let Some(exact) = self.exact_operator(named, actual) {
            return (vec![exact], CoercionFit::Fits);
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
            true => (all, CoercionFit::Not),
            false => (chosen, CoercionFit::Fits),
        }
    }

    /// All operators of a symbol that the path leads to, with so many sides.
    fn operators_named(
        self,
        named: SchemaSearch<'_>,
        count: usize,
    ) -> impl Iterator<Item = OperatorCandidate> {
        let ids = self.catalog.index().operators(named.name).iter();
        ids.filter_map(move |id| {
            let operator = self.catalog.operator(*id);
            let sides = match (operator.left, operator.right) {
                (Some(left), Some(right)) if count == 2 => OperandTypes::Infix([left, right]),
                (None, Some(right)) if count == 1 => OperandTypes::Prefix([right]),
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
    fn exact_operator(
        self,
        named: SchemaSearch<'_>,
        actual: &[ActualType],
    ) -> Option<OperatorCandidate> {
        let unknown = || self.builtin(type_oid::UNKNOWN);
        let (wanted, had_literal) = match *actual {
            [ActualType::Type(left), ActualType::Type(right)] => {
                (OperandTypes::Infix([left, right]), false)
            }
            [ActualType::Type(known), ActualType::Unknown]
            | [ActualType::Unknown, ActualType::Type(known)] => {
                (OperandTypes::Infix([known, known]), true)
            }
            [ActualType::Type(right)] => (OperandTypes::Prefix([right]), false),
            [ActualType::Unknown, ActualType::Unknown] => {
                let unknown = unknown()?;
                (OperandTypes::Infix([unknown, unknown]), false)
            }
            [ActualType::Unknown] => (OperandTypes::Prefix([unknown()?]), false),
            _ => return None,
        };
        let first = |wanted: OperandTypes| {
            self.operators_named(named, actual.len())
                .filter(|candidate| candidate.sides == wanted)
                .min_by_key(|candidate| candidate.position)
        };
        let found = first(wanted);
        match wanted {
            OperandTypes::Infix([known, _]) if found.is_none() && had_literal => {
                let base = self.base(known);
                first(OperandTypes::Infix([base, base]))
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
        left: &InferredType,
        right: &InferredType,
        location: i32,
    ) -> InferredType {
        let place = QualifiedName::Path(symbol);
        let operated = self.operated(place, &OperatorOperands::Infix(left, right), location);
        self.coerced_to(&operated.result, type_oid::BOOL, location);
        operated.result
    }

    /// An operator that is written, `OPERATOR(schema.symbol)` included: noted, with the casts of
    /// its sides.
    pub(super) fn operator_written(
        &mut self,
        name: &'a NodeList,
        operands: &OperatorOperands<'_>,
        location: i32,
    ) -> ResolvedOperator {
        let parts: Vec<&str> = name.iter().filter_map(|part| part.as_str()).collect();
        match QualifiedName::of(&parts) {
            Some(place) if parts.len() == name.len() => self.operated(place, operands, location),
            _ => {
                self.note_at(location, UsedObject::Unclear);
                ResolvedOperator::unclear()
            }
        }
    }

    pub(super) fn operated(
        &mut self,
        place: QualifiedName<'_>,
        operands: &OperatorOperands<'_>,
        location: i32,
    ) -> ResolvedOperator {
        let type_rules = self.typing();
        let actual = operands.actual(type_rules);
        let (found, fit) = type_rules.operators(place, &actual);
        if fit == CoercionFit::Not && !actual.contains(&ActualType::Unclear) {
            self.note_mismatch(location, TypeMismatchKind::Operator);
            let sides = operands.sides(type_rules);
            self.note_missing(location, || {
                let (schema, name) = written_at(place);
                MissingObject::Operator {
                    schema,
                    name,
                    sides,
                }
            });
        }
        let candidates = found.iter().map(|candidate| candidate.id).collect();
        let sides = operands.sides(type_rules);
        self.note_at(location, UsedObject::Operators { candidates, sides });
        let mut results = Vec::new();
        let mut lefts = Vec::new();
        for candidate in &found {
            let settled =
                self.arguments(candidate.declared(), &operands.sides(type_rules), location);
            if let OperatorOperands::Array(_, array) = operands {
                self.array_side(candidate, array, settled.as_ref(), location);
            }
            let declared = self.catalog.operator(candidate.id).result;
            let real = |id| settled.as_ref().map(|settled| settled.real(type_rules, id));
            let result = declared.and_then(real).unwrap_or(InferredType::Unclear);
            self.note_inferred(&result, location);
            results.push(result);
            let left = candidate.declared().first().copied();
            lefts.push(left.and_then(real).unwrap_or(InferredType::Unclear));
        }
        ResolvedOperator {
            result: InferredType::agreed(results),
            left: InferredType::agreed(lefts),
        }
    }

    /// The array on the right becomes an array of what the operator takes.
    fn array_side(
        &mut self,
        candidate: &OperatorCandidate,
        array: &InferredType,
        settled: Option<&PolymorphicTypes>,
        location: i32,
    ) {
        let type_rules = self.typing();
        let right = candidate.declared().last();
        let real = right
            .zip(settled)
            .map(|(id, found)| found.real(type_rules, *id));
        if let Some(InferredType::Known(element)) = real
            && let Some(target) = type_rules.array_of(element)
        {
            self.coerced(array, target, location);
        }
    }
}

impl OperatorOperands<'_> {
    /// The types between which the operator is looked up.
    fn actual(&self, type_rules: TypeRules<'_>) -> Vec<ActualType> {
        let sides = self.sides(type_rules);
        sides.iter().map(|side| side.actual(type_rules)).collect()
    }

    /// The same as types; an array stands for its elements.
    fn sides(&self, type_rules: TypeRules<'_>) -> Vec<InferredType> {
        match self {
            Self::Prefix(right) => vec![(*right).clone()],
            Self::Infix(left, right) => vec![(*left).clone(), (*right).clone()],
            Self::Array(left, array) => {
                let elements = match array.actual(type_rules) {
                    ActualType::Unknown => InferredType::Literal,
                    ActualType::Type(id) => type_rules.base_element(id).into(),
                    ActualType::Unclear => InferredType::Unclear,
                };
                vec![(*left).clone(), elements]
            }
        }
    }
}

impl ResolvedOperator {
    /// The type of the left side as the operator takes it, for NULLIF, which gives that back.
    pub(super) fn taken_left(self, left: InferredType, type_rules: TypeRules<'_>) -> InferredType {
        let is_record = |id| type_rules.is(id, type_oid::RECORD);
        match (left, self.left) {
            (row @ InferredType::Row(_), InferredType::Known(id)) if is_record(id) => row,
            (_, taken) => taken,
        }
    }

    /// Nothing can be told.
    pub(super) fn unclear() -> Self {
        Self {
            result: InferredType::Unclear,
            left: InferredType::Unclear,
        }
    }
}
