//! The type that several values have in common: the branches of CASE, the elements of an array, the
//! rows of VALUES, the sides of UNION.
//!
//! <https://www.postgresql.org/docs/current/typeconv-union-case.html>

use super::{CoercionFit, TypeRules};
use crate::inferred::{ActualType, InferredType};
use crate::{Analysis, TypeMismatchKind, UsedObject};
use catalog::{CastContext, TypeId, type_oid};

/// What several values have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommonType {
    /// This type.
    Type(TypeId),
    /// Nothing.
    Nothing,
    /// It cannot be told.
    Unclear,
}

impl TypeRules<'_> {
    /// The type that values have in common. The first one weighs more than the others.
    pub(crate) fn common_type(self, values: &[ActualType]) -> CommonType {
        let Some((first, others)) = values.split_first() else {
            return CommonType::Nothing;
        };
        if let ActualType::Type(id) = first
            && others.iter().all(|other| other == first)
        {
            return CommonType::Type(*id);
        }
        let mut found: Option<TypeId> = None;
        for value in values {
            let id = match value {
                ActualType::Type(id) => self.base(*id),
                ActualType::Unknown => continue,
                ActualType::Unclear => return CommonType::Unclear,
            };
            found = match found.map(|kept| self.wider(kept, id)) {
                None => Some(id),
                Some(CommonType::Type(wider)) => Some(wider),
                Some(neither) => return neither,
            };
        }
        found
            .or_else(|| self.builtin(type_oid::TEXT))
            .map_or(CommonType::Unclear, CommonType::Type)
    }

    /// Whether all values can take a type.
    pub(crate) fn all_fit(self, values: &[ActualType], target: TypeId) -> CoercionFit {
        let mut all = CoercionFit::Fits;
        for value in values {
            match self.fit(*value, target) {
                CoercionFit::Fits => {}
                CoercionFit::Unsure => all = CoercionFit::Unsure,
                CoercionFit::Not => return CoercionFit::Not,
            }
        }
        all
    }

    /// The one of two types that the other becomes unasked; the first where both or none does.
    fn wider(self, kept: TypeId, other: TypeId) -> CommonType {
        let (type_kept, type_other) = (self.data_type(kept), self.data_type(other));
        if kept == other {
            return CommonType::Type(kept);
        }
        if type_kept.category != type_other.category {
            return CommonType::Nothing;
        }
        if type_kept.preferred {
            return CommonType::Type(kept);
        }
        let forth = self.fit(ActualType::Type(kept), other);
        let back = self.fit(ActualType::Type(other), kept);
        match (forth, back) {
            (CoercionFit::Unsure, _) | (_, CoercionFit::Unsure) => CommonType::Unclear,
            (CoercionFit::Fits, CoercionFit::Not) => CommonType::Type(other),
            (CoercionFit::Fits, CoercionFit::Fits) | (CoercionFit::Not, _) => {
                CommonType::Type(kept)
            }
        }
    }
}

impl<'a> Analysis<'a> {
    /// The type that values of these types have in common (UNION, VALUES, JOIN USING, CASE), with
    /// the casts to it noted. A single one stays what it is, unless it is a literal.
    pub fn common_type(&mut self, branches: &[InferredType], location: i32) -> InferredType {
        if let Some(first) = branches.first()
            && !matches!(first, InferredType::Literal | InferredType::Parameter(_))
            && branches.iter().all(|branch| branch == first)
        {
            return first.clone();
        }
        let type_rules = self.typing();
        let actual: Vec<ActualType> = branches
            .iter()
            .map(|branch| branch.actual(type_rules))
            .collect();
        let shared = type_rules.common_type(&actual);
        if shared == CommonType::Nothing
            && actual.len() > 1
            && !actual.contains(&ActualType::Unclear)
        {
            self.note_mismatch(location, TypeMismatchKind::CommonType);
        }
        let CommonType::Type(common) = shared else {
            self.none_shared(branches, location);
            return InferredType::Unclear;
        };
        for branch in branches {
            self.coerced(branch, common, location);
        }
        InferredType::Known(common)
    }

    /// Some of these become what others are, or the statement fails. Next to one value of a type
    /// that is not known, the known ones become that, where a cast happens unasked, or it becomes
    /// what they are.
    fn none_shared(&mut self, branches: &[InferredType], location: i32) {
        let type_rules = self.typing();
        let mut known = Vec::new();
        let mut unclear = 0;
        for branch in branches {
            match branch {
                InferredType::Known(id) if !type_rules.is_composite(*id) => {
                    known.push(type_rules.base(*id))
                }
                InferredType::Unclear if unclear == 0 => unclear += 1,
                _ => {
                    self.note_at(location, UsedObject::Unclear);
                    return;
                }
            }
        }
        known.sort_unstable();
        known.dedup();
        for id in known {
            self.coerced(&InferredType::Unclear, id, location);
            let element = type_rules
                .element(id)
                .map(|element| type_rules.base(element));
            for source in [Some(id), element].into_iter().flatten() {
                for (_, cast) in self.catalog.casts() {
                    if cast.source == source && cast.context == CastContext::Implicit {
                        self.coerced(&InferredType::Known(source), cast.target, location);
                    }
                }
            }
        }
    }
}
