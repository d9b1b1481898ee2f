//! Polymorphic arguments and results: which real types take the places of `anyelement`,
//! `anycompatible` and the rest of their families in one call.
//!
//! <https://www.postgresql.org/docs/current/extend-type-system.html#EXTEND-TYPES-POLYMORPHIC>

use super::common_type::Shared;
use super::{Fit, Typing};
use crate::catalog::TypeId;
use crate::resolve::inferred::builtin;
use crate::resolve::inferred::builtin::Polymorphic;
use crate::resolve::inferred::{Actual, Inferred};

/// The real types of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::resolve) struct Settled {
    element: Option<TypeId>,
    array: Option<TypeId>,
    range: Option<TypeId>,
    multirange: Option<TypeId>,
    compatible: Option<TypeId>,
    compatible_range: Option<TypeId>,
    compatible_multirange: Option<TypeId>,
    /// Whether arguments of the simple family, or of the compatible one, are unclear.
    unclear: bool,
    compatible_unclear: bool,
    /// Whether a literal took part in the compatible family.
    compatible_literal: bool,
}

/// The arguments contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) struct Conflict;

/// What is collected from the arguments before it is checked as a whole.
#[derive(Default)]
struct Collected {
    settled: Settled,
    non_array: bool,
    is_enum: bool,
    compatible_non_array: bool,
    compatible: Vec<TypeId>,
    compatible_range_element: Option<TypeId>,
}

impl Settled {
    /// Finds the real types, or that there are none that fit together. Arguments that are unclear
    /// contradict nothing.
    pub(in crate::resolve) fn find(
        typing: Typing<'_>,
        declared: &[TypeId],
        actual: &[Actual],
    ) -> Result<Self, Conflict> {
        let mut collected = Collected::default();
        for (declared, actual) in declared.iter().zip(actual) {
            if let Some(polymorphic) = typing.polymorphic(*declared) {
                collected.add(typing, polymorphic, *actual)?;
            }
        }
        collected.check_simple(typing)?;
        collected.check_compatible(typing)?;
        Ok(collected.settled)
    }

    /// Whether the arguments fit together, as the choice between overloads asks it.
    pub(in crate::resolve) fn fit(
        typing: Typing<'_>,
        declared: &[TypeId],
        actual: &[Actual],
    ) -> Fit {
        match Self::find(typing, declared, actual) {
            Err(Conflict) => Fit::Not,
            Ok(settled) if settled.unclear || settled.compatible_unclear => Fit::Unsure,
            Ok(_) => Fit::Fits,
        }
    }

    /// The real type in the place of a declared one.
    pub(in crate::resolve) fn real(&self, typing: Typing<'_>, declared: TypeId) -> Inferred {
        let Some(polymorphic) = typing.polymorphic(declared) else {
            return Inferred::Known(declared);
        };
        let unclear = if polymorphic.is_compatible() {
            self.compatible_unclear
        } else {
            self.unclear
        };
        if unclear {
            return Inferred::Unclear;
        }
        let found = match polymorphic {
            Polymorphic::Element | Polymorphic::NonArray | Polymorphic::Enum => self.element,
            Polymorphic::Array => self
                .array
                .or_else(|| self.element.and_then(|element| typing.array_of(element))),
            Polymorphic::Range => self.range,
            Polymorphic::Multirange => self
                .multirange
                .or_else(|| self.range.and_then(|range| typing.multirange_of(range))),
            Polymorphic::Compatible | Polymorphic::CompatibleNonArray => {
                self.compatible_type(typing)
            }
            Polymorphic::CompatibleArray => self
                .compatible_type(typing)
                .and_then(|element| typing.array_of(element)),
            Polymorphic::CompatibleRange => self.compatible_range,
            Polymorphic::CompatibleMultirange => self.compatible_multirange.or_else(|| {
                let range = self.compatible_range?;
                typing.multirange_of(range)
            }),
        };
        found.into()
    }

    /// Literals alone have the type text in common.
    fn compatible_type(&self, typing: Typing<'_>) -> Option<TypeId> {
        self.compatible.or_else(|| {
            let text = typing.builtin(builtin::TEXT);
            text.filter(|_| self.compatible_literal)
        })
    }
}

impl Collected {
    fn add(
        &mut self,
        typing: Typing<'_>,
        declared: Polymorphic,
        actual: Actual,
    ) -> Result<(), Conflict> {
        match declared {
            Polymorphic::NonArray => self.non_array = true,
            Polymorphic::Enum => self.is_enum = true,
            Polymorphic::CompatibleNonArray => self.compatible_non_array = true,
            _ => {}
        }
        let settled = &mut self.settled;
        let found = match actual {
            Actual::Type(found) => found,
            Actual::Unknown => {
                settled.compatible_literal |= declared.is_compatible();
                return Ok(());
            }
            Actual::Unclear if declared.is_compatible() => {
                settled.compatible_unclear = true;
                return Ok(());
            }
            Actual::Unclear => {
                settled.unclear = true;
                return Ok(());
            }
        };
        let base = typing.base(found);
        match declared {
            Polymorphic::Element | Polymorphic::NonArray | Polymorphic::Enum => {
                same(&mut settled.element, found)
            }
            Polymorphic::Array => same(&mut settled.array, base),
            Polymorphic::Range => same(&mut settled.range, base),
            Polymorphic::Multirange => same(&mut settled.multirange, base),
            Polymorphic::Compatible | Polymorphic::CompatibleNonArray => {
                self.compatible.push(found);
                Ok(())
            }
            Polymorphic::CompatibleArray => {
                self.compatible.push(typing.element(base).ok_or(Conflict)?);
                Ok(())
            }
            Polymorphic::CompatibleRange => {
                same(&mut settled.compatible_range, base)?;
                self.add_range(typing, base)
            }
            Polymorphic::CompatibleMultirange => {
                typing.multirange_range(base).ok_or(Conflict)?;
                same(&mut settled.compatible_multirange, base)
            }
        }
    }

    fn add_range(&mut self, typing: Typing<'_>, range: TypeId) -> Result<(), Conflict> {
        let subtype = typing.range_subtype(range).ok_or(Conflict)?;
        if self.compatible_range_element.is_none() {
            self.compatible_range_element = Some(subtype);
            self.compatible.push(subtype);
        }
        Ok(())
    }

    /// `anyelement` and its family: the very same type everywhere.
    fn check_simple(&mut self, typing: Typing<'_>) -> Result<(), Conflict> {
        let settled = &mut self.settled;
        if let Some(array) = settled.array {
            // A column of the server's statistics has the type anyarray itself.
            if !typing.is(array, builtin::ANYARRAY) {
                same(&mut settled.element, typing.element(array).ok_or(Conflict)?)?;
            }
        }
        if let Some(multirange) = settled.multirange {
            let range = typing.multirange_range(multirange).ok_or(Conflict)?;
            same(&mut settled.range, range)?;
        }
        if let Some(range) = settled.range {
            let subtype = typing.range_subtype(range).ok_or(Conflict)?;
            same(&mut settled.element, subtype)?;
        }
        let is_array = |id| typing.base_element(id).is_some();
        if self.non_array && settled.element.is_some_and(is_array) {
            return Err(Conflict);
        }
        let is_enum = settled.element.map(|id| typing.is_enum(id));
        if self.is_enum && !is_enum.unwrap_or(settled.unclear) {
            return Err(Conflict);
        }
        Ok(())
    }

    /// `anycompatible` and its family: types with one in common.
    fn check_compatible(&mut self, typing: Typing<'_>) -> Result<(), Conflict> {
        if let Some(multirange) = self.settled.compatible_multirange {
            let range = typing.multirange_range(multirange).ok_or(Conflict)?;
            same(&mut self.settled.compatible_range, range)?;
            self.add_range(typing, range)?;
        }
        if self.compatible.is_empty() || self.settled.compatible_unclear {
            return Ok(());
        }
        let actual: Vec<Actual> = self.compatible.iter().copied().map(Actual::Type).collect();
        let common = match typing.shared(&actual) {
            Shared::Type(common) => common,
            Shared::Nothing => return Err(Conflict),
            Shared::Unclear => {
                self.settled.compatible_unclear = true;
                return Ok(());
            }
        };
        let all_fit = typing.all_fit(&actual, common);
        if all_fit == Fit::Unsure {
            self.settled.compatible_unclear = true;
        }
        let is_array = typing.base_element(common).is_some();
        let other_range = self.compatible_range_element.is_some_and(|id| id != common);
        if all_fit == Fit::Not || self.compatible_non_array && is_array || other_range {
            return Err(Conflict);
        }
        self.settled.compatible = Some(common);
        Ok(())
    }
}

/// Keeps the first type, and wants every further one to be the same.
fn same(kept: &mut Option<TypeId>, found: TypeId) -> Result<(), Conflict> {
    match *kept.get_or_insert(found) == found {
        true => Ok(()),
        false => Err(Conflict),
    }
}
