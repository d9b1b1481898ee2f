//! The casts that happen unasked, noted where they happen.

use std::collections::HashSet;

use foldhash::fast::RandomState;

use super::polymorphic::Settled;
use super::{Fit, Typing};
use crate::catalog::{Oid, RelationId, TypeId, TypeKind};
use crate::resolve::inferred::builtin;
use crate::resolve::inferred::{Actual, Field, Inferred};
use crate::resolve::{Analysis, MisfitKind, What};

/// What has been noted already: the first place counts.
#[derive(Default)]
pub(in crate::resolve) struct Noted {
    types: HashSet<TypeId, RandomState>,
    /// From nothing means: from what is unclear.
    coercions: HashSet<(Option<TypeId>, TypeId), RandomState>,
}

impl<'a> Analysis<'a> {
    /// The questions about types that this analysis asks.
    pub(in crate::resolve) fn typing(&self) -> Typing<'a> {
        Typing {
            catalog: self.catalog,
            path: self.path,
        }
    }

    /// Notes the cast that makes a value fit its place: `boolean` for WHERE, `bigint` for LIMIT. It
    /// is noted between the types below domains, and between the elements of arrays as well; the
    /// fields of rows likewise.
    pub fn coerced(&mut self, source: &Inferred, target: TypeId, location: i32) {
        let typing = self.typing();
        self.note_type(target, location);
        let base = typing.base(target);
        if base != target {
            self.note_type(base, location);
            self.domain_length(target, base, location);
        }
        match source {
            Inferred::Known(id) => self.coerced_type(typing.base(*id), base, location),
            Inferred::Unclear => self.coerced_unclear(base, location),
            Inferred::Row(fields) => {
                if let Some(relation) = typing.row_relation(base) {
                    self.coerced_row(fields, relation, location);
                }
            }
            Inferred::Literal | Inferred::Parameter(_) => {}
        }
    }

    /// As [`Self::coerced`], to a type of the server's.
    pub(in crate::resolve) fn coerced_to(&mut self, source: &Inferred, target: Oid, location: i32) {
        match self.typing().builtin(target) {
            Some(boolean) if target == builtin::BOOL => {
                self.must_be_boolean(source, boolean, location);
                self.coerced(source, boolean, location);
            }
            Some(target) => self.coerced(source, target, location),
            None => self.note_at(location, What::Unclear),
        }
    }

    /// Notes a condition that can be no boolean.
    pub(in crate::resolve) fn must_be_boolean(
        &mut self,
        source: &Inferred,
        boolean: TypeId,
        location: i32,
    ) {
        let typing = self.typing();
        if typing.fit(source.actual(typing), boolean) == Fit::Not {
            self.misfit(location, MisfitKind::Condition);
        }
    }

    /// Notes what makes arguments fit what is declared for them, and finds the real types in the
    /// place of polymorphic ones; none where these contradict each other.
    pub(in crate::resolve) fn arguments(
        &mut self,
        declared: &[TypeId],
        given: &[Inferred],
        location: i32,
    ) -> Option<Settled> {
        let typing = self.typing();
        let actual: Vec<Actual> = given.iter().map(|given| given.actual(typing)).collect();
        let settled = Settled::find(typing, declared, &actual).ok();
        let is_polymorphic = |id: &&TypeId| typing.polymorphic(**id).is_some();
        let several = declared.iter().filter(is_polymorphic).count() > 1;
        for (declared, given) in declared.iter().zip(given) {
            if typing.is(*declared, builtin::ANY) {
                continue;
            }
            if typing.polymorphic(*declared).is_none() {
                self.coerced(given, *declared, location);
                continue;
            }
            let real = settled.as_ref().map(|found| found.real(typing, *declared));
            match real {
                Some(Inferred::Known(real)) => self.coerced(given, real, location),
                // One argument alone says itself what it is; others may be made into it.
                Some(_) if several => self.note_at(location, What::Unclear),
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
        let typing = self.typing();
        if let Some((from, to)) = typing.element(source).zip(typing.element(target)) {
            self.note_type(to, location);
            let (from, to) = (typing.base(from), typing.base(to));
            if from != to {
                self.coercion(Some(from), to, location);
            }
        }
    }

    /// From a type that is not known: any cast may happen, to elements and fields as well.
    fn coerced_unclear(&mut self, target: TypeId, location: i32) {
        let typing = self.typing();
        self.coercion(None, target, location);
        if let Some(element) = typing.element(target) {
            self.coercion(None, typing.base(element), location);
        }
        if typing.row_relation(target).is_some() {
            self.note_at(location, What::Unclear);
        }
    }

    fn coerced_row(&mut self, fields: &[Field], relation: RelationId, location: i32) {
        let columns = self.catalog.columns_of(relation);
        for (field, column) in fields.iter().zip(columns) {
            // A row within a row is not followed.
            match &field.inferred {
                Inferred::Row(_) => self.note_at(location, What::Unclear),
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
            self.note_at(location, What::Coercion { source, target });
        }
    }

    /// Notes that a value of a type is there: of the server's own too, since a user may have given
    /// one that has none a way to be sorted.
    pub(in crate::resolve) fn note_type(&mut self, id: TypeId, location: i32) {
        if self.noted.types.insert(id) {
            self.note_at(location, What::Type { id });
        }
    }
}
