//! The casts that happen unasked, noted where they happen.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::polymorphic::PolymorphicTypes;
use super::{CoercionFit, TypeRules};
use crate::inferred::{ActualType, InferredType, RowField};
use crate::{Analysis, TypeMismatchKind, UsedObject};
use catalog::{Oid, RelationId, TypeId, TypeKind, type_oid};

/// What has been noted already: the first place counts.
#[derive(Default)]
pub(crate) struct NotedCoercions {
    types: HashSet<TypeId, RandomState>,
    /// From nothing means: from what is unclear.
    coercions: HashSet<(Option<TypeId>, TypeId), RandomState>,
    /// What texts without a type and parameters are taken for.
    literals: HashSet<TypeId, RandomState>,
}

impl NotedCoercions {
    /// The types that texts without a type and parameters are taken for.
    pub(crate) fn into_literal_types(self) -> Vec<TypeId> {
        self.literals.into_iter().collect()
    }
}

impl<'a> Analysis<'a> {
    /// The questions about types that this analysis asks.
    pub(crate) fn typing(&self) -> TypeRules<'a> {
        TypeRules {
            catalog: self.catalog,
            path: self.path,
        }
    }

    /// Notes the cast that makes a value fit its place: `boolean` for WHERE, `bigint` for LIMIT. It
    /// is noted between the types below domains, and between the elements of arrays as well; the
    /// fields of rows likewise.
    pub fn coerced(&mut self, source: &InferredType, target: TypeId, location: i32) {
        let type_rules = self.typing();
        self.note_type(target, location);
        let base = type_rules.base(target);
        if base != target {
            self.note_type(base, location);
            self.domain_length(target, base, location);
        }
        match source {
            InferredType::Known(id) => self.coerced_type(type_rules.base(*id), base, location),
            InferredType::Unclear => self.coerced_unclear(base, location),
            InferredType::Row(fields) => {
                if let Some(relation) = type_rules.row_relation(base) {
                    self.coerced_row(fields, relation, location);
                }
            }
            InferredType::Literal | InferredType::Parameter(_) => {
                self.noted.literals.insert(target);
            }
        }
    }

    /// What `work` finds, where the only literals are those that a statement does not write.
    pub(crate) fn without_literals<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let written = self.noted.literals.clone();
        let found = work(self);
        self.noted.literals = written;
        found
    }

    /// As [`Self::coerced`], to a type of the server's.
    pub(crate) fn coerced_to(&mut self, source: &InferredType, target: Oid, location: i32) {
        match self.typing().builtin(target) {
            Some(boolean) if target == type_oid::BOOL => {
                self.must_be_boolean(source, boolean, location);
                self.coerced(source, boolean, location);
            }
            Some(target) => self.coerced(source, target, location),
            None => self.note_at(location, UsedObject::Unclear),
        }
    }

    /// Notes a condition that can be no boolean.
    pub(crate) fn must_be_boolean(
        &mut self,
        source: &InferredType,
        boolean: TypeId,
        location: i32,
    ) {
        let type_rules = self.typing();
        if type_rules.fit(source.actual(type_rules), boolean) == CoercionFit::Not {
            self.note_mismatch(location, TypeMismatchKind::Condition);
        }
    }

    /// Notes what makes arguments fit what is declared for them, and finds the real types in the
    /// place of polymorphic ones; none where these contradict each other.
    pub(crate) fn arguments(
        &mut self,
        declared: &[TypeId],
        given: &[InferredType],
        location: i32,
    ) -> Option<PolymorphicTypes> {
        let type_rules = self.typing();
        let actual: Vec<ActualType> = given.iter().map(|given| given.actual(type_rules)).collect();
        let settled = PolymorphicTypes::find(type_rules, declared, &actual).ok();
        let is_polymorphic = |id: &&TypeId| type_rules.polymorphic(**id).is_some();
        let several = declared.iter().filter(is_polymorphic).count() > 1;
        for (declared, given) in declared.iter().zip(given) {
            if type_rules.is(*declared, type_oid::ANY) {
                continue;
            }
            if type_rules.polymorphic(*declared).is_none() {
                self.coerced(given, *declared, location);
                continue;
            }
            let real = settled
                .as_ref()
                .map(|found| found.real(type_rules, *declared));
            match real {
                Some(InferredType::Known(real)) => self.coerced(given, real, location),
                // One argument alone says itself what it is; others may be made into it.
                Some(_) if several => self.note_at(location, UsedObject::Unclear),
                Some(_) | None => {}
            }
        }
        settled
    }

    fn coerced_type(&mut self, source: TypeId, target: TypeId, location: i32) {
        if source == target {
            return;
        }
        self.coercion(Some(source), target, location);
        let type_rules = self.typing();
        if let Some((from, to)) = type_rules.element(source).zip(type_rules.element(target)) {
            self.note_type(to, location);
            let (from, to) = (type_rules.base(from), type_rules.base(to));
            if from != to {
                self.coercion(Some(from), to, location);
            }
        }
    }

    /// From a type that is not known: any cast may happen, to elements and fields as well.
    fn coerced_unclear(&mut self, target: TypeId, location: i32) {
        let type_rules = self.typing();
        self.coercion(None, target, location);
        if let Some(element) = type_rules.element(target) {
            self.coercion(None, type_rules.base(element), location);
        }
        if type_rules.row_relation(target).is_some() {
            self.note_at(location, UsedObject::Unclear);
        }
    }

    fn coerced_row(&mut self, fields: &[RowField], relation: RelationId, location: i32) {
        let columns = self.catalog.columns_of(relation);
        for (field, column) in fields.iter().zip(columns) {
            // A row within a row is not followed.
            match &field.inferred {
                InferredType::Row(_) => self.note_at(location, UsedObject::Unclear),
                other => self.coerced(other, column.type_id, location),
            }
        }
    }

    /// A domain with a length runs the cast of its base type to itself.
    fn domain_length(&mut self, domain: TypeId, base: TypeId, location: i32) {
        if let TypeKind::Domain { base_modifier, .. } = self.catalog.data_type(domain).kind
            && base_modifier >= 0
        {
            self.coercion(Some(base), base, location);
        }
    }

    fn coercion(&mut self, source: Option<TypeId>, target: TypeId, location: i32) {
        if self.noted.coercions.insert((source, target)) {
            let source = source.into();
            self.note_at(location, UsedObject::Coercion { source, target });
        }
    }

    /// Notes that a value of a type is there: of the server's own too, since a user may have given
    /// one that has none a way to be sorted.
    pub(crate) fn note_type(&mut self, id: TypeId, location: i32) {
        if self.noted.types.insert(id) {
            self.note_at(location, UsedObject::Type { id });
        }
    }
}
