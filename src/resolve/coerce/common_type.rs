//! The type that several values have in common: the branches of CASE, the elements of an array, the
//! rows of VALUES, the sides of UNION.
//!
//! <https://www.postgresql.org/docs/current/typeconv-union-case.html>

use super::{Fit, Typing};
use crate::catalog::{CastContext, TypeId};
use crate::resolve::inferred::builtin;
use crate::resolve::inferred::{Actual, Inferred};
use crate::resolve::{Analysis, MisfitKind, What};

/// What several values have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum Shared {
    /// This type.
    Type(TypeId),
    /// Nothing.
    Nothing,
    /// It cannot be told.
    Unclear,
}

impl Typing<'_> {
    /// The type that values have in common. The first one weighs more than the others.
    pub(in crate::resolve) fn shared(self, values: &[Actual]) -> Shared {
        let Some((first, others)) = values.split_first() else {
            return Shared::Nothing;
        };
        if let Actual::Type(id) = first
            && others.iter().all(|other| other == first)
        {
            return Shared::Type(*id);
        }
        let mut found: Option<TypeId> = None;
        for value in values {
            let id = match value {
                Actual::Type(id) => self.base(*id),
                Actual::Unknown => continue,
                Actual::Unclear => return Shared::Unclear,
            };
            found = match found.map(|kept| self.wider(kept, id)) {
                None => Some(id),
                Some(Shared::Type(wider)) => Some(wider),
                Some(neither) => return neither,
            };
        }
        found
            .or_else(|| self.builtin(builtin::TEXT))
            .map_or(Shared::Unclear, Shared::Type)
    }

    /// Whether all values can take a type.
    pub(in crate::resolve) fn all_fit(self, values: &[Actual], target: TypeId) -> Fit {
        let mut all = Fit::Fits;
        for value in values {
            match self.fit(*value, target) {
                Fit::Fits => {}
                Fit::Unsure => all = Fit::Unsure,
                Fit::Not => return Fit::Not,
            }
        }
        all
    }

    /// The one of two types that the other becomes unasked; the first where both or none does.
    fn wider(self, kept: TypeId, other: TypeId) -> Shared {
        let (type_kept, type_other) = (self.data_type(kept), self.data_type(other));
        if kept == other {
            return Shared::Type(kept);
        }
        if type_kept.category != type_other.category {
            return Shared::Nothing;
        }
        if type_kept.preferred {
            return Shared::Type(kept);
        }
        let forth = self.fit(Actual::Type(kept), other);
        let back = self.fit(Actual::Type(other), kept);
        match (forth, back) {
            (Fit::Unsure, _) | (_, Fit::Unsure) => Shared::Unclear,
            (Fit::Fits, Fit::Not) => Shared::Type(other),
            (Fit::Fits, Fit::Fits) | (Fit::Not, _) => Shared::Type(kept),
        }
    }
}

impl<'a> Analysis<'a> {
    /// The type that values of these types have in common (UNION, VALUES, JOIN USING, CASE), with
    /// the casts to it noted. A single one stays what it is, unless it is a literal.
    pub fn common_type(&mut self, branches: &[Inferred], location: i32) -> Inferred {
        if let Some(first) = branches.first()
            && !matches!(first, Inferred::Literal | Inferred::Parameter(_))
            && branches.iter().all(|branch| branch == first)
        {
            return first.clone();
        }
        let typing = self.typing();
        let actual: Vec<Actual> = branches
            .iter()
            .map(|branch| branch.actual(typing))
            .collect();
        let shared = typing.shared(&actual);
        if shared == Shared::Nothing && actual.len() > 1 && !actual.contains(&Actual::Unclear) {
            self.misfit(location, MisfitKind::CommonType);
        }
        let Shared::Type(common) = shared else {
            self.none_shared(branches, location);
            return Inferred::Unclear;
        };
        for branch in branches {
            self.coerced(branch, common, location);
        }
        Inferred::Known(common)
    }

    /// Some of these become what others are, or the statement fails. Next to one value of a type
    /// that is not known, the known ones become that, where a cast happens unasked, or it becomes
    /// what they are.
    fn none_shared(&mut self, branches: &[Inferred], location: i32) {
        let typing = self.typing();
        let mut known = Vec::new();
        let mut unclear = 0;
        for branch in branches {
            match branch {
                Inferred::Known(id) if !typing.is_composite(*id) => known.push(typing.base(*id)),
                Inferred::Unclear if unclear == 0 => unclear += 1,
                _ => {
                    self.note_at(location, What::Unclear);
                    return;
                }
            }
        }
        known.sort_unstable();
        known.dedup();
        for id in known {
            self.coerced(&Inferred::Unclear, id, location);
            let element = typing.element(id).map(|element| typing.base(element));
            for source in [Some(id), element].into_iter().flatten() {
                for (_, cast) in self.catalog.casts() {
                    if cast.source == source && cast.context == CastContext::Implicit {
                        self.coerced(&Inferred::Known(source), cast.target, location);
                    }
                }
            }
        }
    }
}
