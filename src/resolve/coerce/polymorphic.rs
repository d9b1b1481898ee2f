//! Polymorphic arguments and results: which real types take the places of `anyelement`,
//! `anycompatible` and the rest of their families in one call.
//!
//! <https://www.postgresql.org/docs/current/extend-type-system.html#EXTEND-TYPES-POLYMORPHIC>

use super::common_type::CommonType;
use super::{CoercionFit, TypeRules};
use crate::inferred::builtin::PolymorphicType;
use crate::inferred::{ActualType, InferredType};
use catalog::{TypeId, type_oid};

/// The real types of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PolymorphicTypes {
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
pub(crate) struct PolymorphicConflict;

/// What is collected from the arguments before it is checked as a whole.
#[derive(Default)]
struct PolymorphicArguments {
    settled: PolymorphicTypes,
    non_array: bool,
    is_enum: bool,
    compatible_non_array: bool,
    compatible: Vec<TypeId>,
    compatible_range_element: Option<TypeId>,
}

impl PolymorphicTypes {
    /// Finds the real types, or that there are none that fit together. Arguments that are unclear
    /// contradict nothing.
    pub(crate) fn find(
        type_rules: TypeRules<'_>,
        declared: &[TypeId],
        actual: &[ActualType],
    ) -> Result<Self, PolymorphicConflict> {
        let mut collected = PolymorphicArguments::default();
        for (declared, actual) in declared.iter().zip(actual) {
            if let Some(polymorphic) = type_rules.polymorphic(*declared) {
                collected.add(type_rules, polymorphic, *actual)?;
            }
        }
        collected.check_simple(type_rules)?;
        collected.check_compatible(type_rules)?;
        Ok(collected.settled)
    }

    /// Whether the arguments fit together, as the choice between overloads asks it.
    pub(crate) fn fit(
        type_rules: TypeRules<'_>,
        declared: &[TypeId],
        actual: &[ActualType],
    ) -> CoercionFit {
        match Self::find(type_rules, declared, actual) {
            Err(PolymorphicConflict) => CoercionFit::Not,
            Ok(settled) if settled.unclear || settled.compatible_unclear => CoercionFit::Unsure,
            Ok(_) => CoercionFit::Fits,
        }
    }

    /// The real type in the place of a declared one.
    pub(crate) fn real(&self, type_rules: TypeRules<'_>, declared: TypeId) -> InferredType {
        let Some(polymorphic) = type_rules.polymorphic(declared) else {
            return InferredType::Known(declared);
        };
        let unclear = if polymorphic.is_compatible() {
            self.compatible_unclear
        } else {
            self.unclear
        };
        if unclear {
            return InferredType::Unclear;
        }
        let found = match polymorphic {
            PolymorphicType::Element | PolymorphicType::NonArray | PolymorphicType::Enum => {
                self.element
            }
            PolymorphicType::Array => self.array.or_else(|| {
                self.element
                    .and_then(|element| type_rules.array_of(element))
            }),
            PolymorphicType::Range => self.range,
            PolymorphicType::Multirange => self
                .multirange
                .or_else(|| self.range.and_then(|range| type_rules.multirange_of(range))),
            PolymorphicType::Compatible | PolymorphicType::CompatibleNonArray => {
                self.compatible_type(type_rules)
            }
            PolymorphicType::CompatibleArray => self
                .compatible_type(type_rules)
                .and_then(|element| type_rules.array_of(element)),
            PolymorphicType::CompatibleRange => self.compatible_range,
            PolymorphicType::CompatibleMultirange => self.compatible_multirange.or_else(|| {
                let range = self.compatible_range?;
                type_rules.multirange_of(range)
            }),
        };
        found.into()
    }

    /// Literals alone have the type text in common.
    fn compatible_type(&self, type_rules: TypeRules<'_>) -> Option<TypeId> {
        self.compatible.or_else(|| {
            let text = type_rules.builtin(type_oid::TEXT);
            text.filter(|_| self.compatible_literal)
        })
    }
}

impl PolymorphicArguments {
    fn add(
        &mut self,
        type_rules: TypeRules<'_>,
        declared: PolymorphicType,
        actual: ActualType,
    ) -> Result<(), PolymorphicConflict> {
        match declared {
            PolymorphicType::NonArray => self.non_array = true,
            PolymorphicType::Enum => self.is_enum = true,
            PolymorphicType::CompatibleNonArray => self.compatible_non_array = true,
            _ => {}
        }
        let settled = &mut self.settled;
        let found = match actual {
            ActualType::Type(found) => found,
            ActualType::Unknown => {
                settled.compatible_literal |= declared.is_compatible();
                return Ok(());
            }
            ActualType::Unclear if declared.is_compatible() => {
                settled.compatible_unclear = true;
                return Ok(());
            }
            ActualType::Unclear => {
                settled.unclear = true;
                return Ok(());
            }
        };
        let base = type_rules.base(found);
        match declared {
            PolymorphicType::Element | PolymorphicType::NonArray | PolymorphicType::Enum => {
                same(&mut settled.element, found)
            }
            PolymorphicType::Array => same(&mut settled.array, base),
            PolymorphicType::Range => same(&mut settled.range, base),
            PolymorphicType::Multirange => same(&mut settled.multirange, base),
            PolymorphicType::Compatible | PolymorphicType::CompatibleNonArray => {
                self.compatible.push(found);
                Ok(())
            }
            PolymorphicType::CompatibleArray => {
                self.compatible
                    .push(type_rules.element(base).ok_or(PolymorphicConflict)?);
                Ok(())
            }
            PolymorphicType::CompatibleRange => {
                same(&mut settled.compatible_range, base)?;
                self.add_range(type_rules, base)
            }
            PolymorphicType::CompatibleMultirange => {
                type_rules
                    .multirange_range(base)
                    .ok_or(PolymorphicConflict)?;
                same(&mut settled.compatible_multirange, base)
            }
        }
    }

    fn add_range(
        &mut self,
        type_rules: TypeRules<'_>,
        range: TypeId,
    ) -> Result<(), PolymorphicConflict> {
        let subtype = type_rules.range_subtype(range).ok_or(PolymorphicConflict)?;
        if self.compatible_range_element.is_none() {
            self.compatible_range_element = Some(subtype);
            self.compatible.push(subtype);
        }
        Ok(())
    }

    /// `anyelement` and its family: the very same type everywhere.
    fn check_simple(&mut self, type_rules: TypeRules<'_>) -> Result<(), PolymorphicConflict> {
        let settled = &mut self.settled;
        if let Some(array) = settled.array {
            // A column of the server's statistics has the type anyarray itself.
            if !type_rules.is(array, type_oid::ANYARRAY) {
                same(
                    &mut settled.element,
                    type_rules.element(array).ok_or(PolymorphicConflict)?,
                )?;
            }
        }
        if let Some(multirange) = settled.multirange {
            let range = type_rules
                .multirange_range(multirange)
                .ok_or(PolymorphicConflict)?;
            same(&mut settled.range, range)?;
        }
        if let Some(range) = settled.range {
            let subtype = type_rules.range_subtype(range).ok_or(PolymorphicConflict)?;
            same(&mut settled.element, subtype)?;
        }
        let is_array = |id| type_rules.base_element(id).is_some();
        if self.non_array && settled.element.is_some_and(is_array) {
            return Err(PolymorphicConflict);
        }
        let is_enum = settled.element.map(|id| type_rules.is_enum(id));
        if self.is_enum && !is_enum.unwrap_or(settled.unclear) {
            return Err(PolymorphicConflict);
        }
        Ok(())
    }

    /// `anycompatible` and its family: types with one in common.
    fn check_compatible(&mut self, type_rules: TypeRules<'_>) -> Result<(), PolymorphicConflict> {
        if let Some(multirange) = self.settled.compatible_multirange {
            let range = type_rules
                .multirange_range(multirange)
                .ok_or(PolymorphicConflict)?;
            same(&mut self.settled.compatible_range, range)?;
            self.add_range(type_rules, range)?;
        }
        if self.compatible.is_empty() || self.settled.compatible_unclear {
            return Ok(());
        }
        let actual: Vec<ActualType> = self
            .compatible
            .iter()
            .copied()
            .map(ActualType::Type)
            .collect();
        let common = match type_rules.common_type(&actual) {
            CommonType::Type(common) => common,
            CommonType::Nothing => return Err(PolymorphicConflict),
            CommonType::Unclear => {
                self.settled.compatible_unclear = true;
                return Ok(());
            }
        };
        let all_fit = type_rules.all_fit(&actual, common);
        if all_fit == CoercionFit::Unsure {
            self.settled.compatible_unclear = true;
        }
        let is_array = type_rules.base_element(common).is_some();
        let other_range = self.compatible_range_element.is_some_and(|id| id != common);
        if all_fit == CoercionFit::Not || self.compatible_non_array && is_array || other_range {
            return Err(PolymorphicConflict);
        }
        self.settled.compatible = Some(common);
        Ok(())
    }
}

/// Keeps the first type, and wants every further one to be the same.
fn same(kept: &mut Option<TypeId>, found: TypeId) -> Result<(), PolymorphicConflict> {
    match *kept.get_or_insert(found) == found {
        true => Ok(()),
        false => Err(PolymorphicConflict),
    }
}
