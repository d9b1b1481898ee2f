//! Calls that are casts: `date('today')`.
//!
//! <https://www.postgresql.org/docs/current/typeconv-func.html>

use crate::coerce::{CoercionPath, TypeRules};
use crate::inferred::{ActualType, builtin};
use crate::type_name::QualifiedName;
use catalog::{CastContext, TypeId, TypeKind, type_oid};

/// Whether a call is a cast.
pub(super) enum CastMeaning {
    Certainly(TypeId),
    Possibly(TypeId),
    No,
}

impl TypeRules<'_> {
    /// Whether a call with one argument is a cast to the type of its name.
    pub(super) fn meant_cast(
        self,
        place: QualifiedName<'_>,
        argument: ActualType,
        literal: bool,
    ) -> CastMeaning {
        let is_row = |id: &TypeId| {
            let kind = &self.data_type(*id).kind;
            matches!(kind, TypeKind::Composite(_))
        };
        let Some(target) = self.type_named(place).filter(|id| !is_row(id)) else {
            return CastMeaning::No;
        };
        let source = match argument {
            ActualType::Type(source) => source,
            ActualType::Unknown if literal => return CastMeaning::Certainly(target),
            ActualType::Unknown | ActualType::Unclear => return CastMeaning::Possibly(target),
        };
        let is_text = self.data_type(self.base(target)).category == builtin::CATEGORY_STRING;
        let from_row = self.is(source, type_oid::RECORD) || self.is_composite(source);
        match self.pathway(source, target, CastContext::Explicit) {
            CoercionPath::Relabel => CastMeaning::Certainly(target),
            CoercionPath::Text if !(from_row && is_text) => CastMeaning::Certainly(target),
            CoercionPath::Text
            | CoercionPath::Function(_)
            | CoercionPath::Elements
            | CoercionPath::None => CastMeaning::No,
        }
    }
}
