//! The choice between overloads.
//!
//! The rules are Postgres's own, in its order: candidates that take the arguments; the most exact
//! matches; the most exact or preferred types; the categories of untyped literals; literals taken
//! for the type of the other arguments. Where an argument's type is unclear, whatever takes the
//! others stays possible.
//!
//! <https://www.postgresql.org/docs/current/typeconv-func.html>

use super::coerce::polymorphic::PolymorphicTypes;
use super::coerce::{CoercionFit, TypeRules};
use super::inferred::ActualType;
use super::inferred::builtin;
use catalog::TypeId;

/// One of several functions or operators of a name, as one call sees it.
pub(super) trait Overload {
    /// The types that it declares, in the order of the call's arguments; those of defaults may
    /// follow.
    fn declared(&self) -> &[TypeId];
}

impl TypeRules<'_> {
    /// Whether it takes arguments of these types.
    pub(super) fn takes(self, declared: &[TypeId], actual: &[ActualType]) -> CoercionFit {
        let mut all = CoercionFit::Fits;
        for (declared, actual) in declared.iter().zip(actual) {
            match self.fit(*actual, *declared) {
                CoercionFit::Fits => {}
                CoercionFit::Unsure => all = CoercionFit::Unsure,
                CoercionFit::Not => return CoercionFit::Not,
            }
        }
        match PolymorphicTypes::fit(self, declared, actual) {
            CoercionFit::Fits => all,
            other => other,
        }
    }

    /// Those of the candidates that Postgres may choose: one where its rules are certain, none
    /// where none takes the arguments. Where it would refuse to choose, all that are left stay.
    pub(super) fn choose<C: Overload>(self, candidates: Vec<C>, actual: &[ActualType]) -> Vec<C> {
        let mut sure = true;
        let mut fitting = candidates;
        fitting.retain(|candidate| match self.takes(candidate.declared(), actual) {
            CoercionFit::Fits => true,
            CoercionFit::Unsure => {
                sure = false;
                true
            }
            CoercionFit::Not => false,
        });
        sure &= !actual.contains(&ActualType::Unclear);
        if !sure || fitting.len() <= 1 {
            return fitting;
        }
        self.select(fitting, actual)
    }

    /// The choice between candidates that all take the arguments.
    fn select<C: Overload>(self, fitting: Vec<C>, actual: &[ActualType]) -> Vec<C> {
        let bases: Vec<Option<TypeId>> = actual.iter().map(|actual| self.known(*actual)).collect();
        let exact = |declared: TypeId, base: TypeId| declared == base;
        let exactest = most(fitting, &bases, exact);
        if exactest.len() <= 1 {
            return exactest;
        }
        let preferred = most(exactest, &bases, |declared, base| {
            declared == base || self.is_preferred_over(declared, base)
        });
        let unknowns = bases.iter().filter(|base| base.is_none()).count();
        if preferred.len() <= 1 {
            return preferred;
        }
        if unknowns == 0 {
            return preferred;
        }
        let candidates = self.by_category(preferred, &bases);
        if candidates.len() <= 1 {
            return candidates;
        }
        self.by_known_type(candidates, &bases)
    }

    fn known(self, actual: ActualType) -> Option<TypeId> {
        match actual {
            ActualType::Type(id) => Some(self.base(id)),
            ActualType::Unknown | ActualType::Unclear => None,
        }
    }

    fn is_preferred_over(self, declared: TypeId, base: TypeId) -> bool {
        let declared = self.data_type(declared);
        declared.preferred && declared.category == self.data_type(base).category
    }

    /// Keeps those whose types at the places of literals are of the right category.
    fn by_category<C: Overload>(self, candidates: Vec<C>, bases: &[Option<TypeId>]) -> Vec<C> {
        let mut wanted = Vec::new();
        for (place, _) in bases.iter().enumerate().filter(|(_, base)| base.is_none()) {
            let types = candidates.iter();
            let types = types.filter_map(|candidate| candidate.declared().get(place).copied());
            match self.category(types) {
                Some((category, preferred)) => wanted.push((place, category, preferred)),
                None => return candidates,
            }
        }
        let keeps = |candidate: &C| {
            wanted.iter().all(|(place, category, preferred)| {
                candidate.declared().get(*place).is_some_and(|declared| {
                    let declared = self.data_type(*declared);
                    declared.category == *category && (declared.preferred || !preferred)
                })
            })
        };
        if candidates.iter().any(keeps) {
            candidates.into_iter().filter(keeps).collect()
        } else {
            candidates
        }
    }

    /// The category that these types agree on, text before all others, and whether a preferred type
    /// of it is among them.
    fn category(self, types: impl Iterator<Item = TypeId>) -> Option<(u8, bool)> {
        let mut found: Option<(u8, bool)> = None;
        let mut conflict = false;
        for id in types {
            let declared = self.data_type(id);
            match &mut found {
                Some((category, preferred)) if *category == declared.category => {
                    *preferred |= declared.preferred;
                }
                Some(other) if declared.category == builtin::CATEGORY_STRING => {
                    *other = (declared.category, declared.preferred);
                }
                Some(_) => conflict = true,
                None => found = Some((declared.category, declared.preferred)),
            }
        }
        found.filter(|(category, _)| !conflict || *category == builtin::CATEGORY_STRING)
    }

    /// Takes literals for the type that all the other arguments have.
    fn by_known_type<C: Overload>(self, candidates: Vec<C>, bases: &[Option<TypeId>]) -> Vec<C> {
        let mut known = bases.iter().flatten();
        let Some(first) = known.next() else {
            return candidates;
        };
        if known.any(|other| other != first) {
            return candidates;
        }
        let assumed = vec![ActualType::Type(*first); bases.len()];
        let fits: Vec<CoercionFit> = candidates
            .iter()
            .map(|candidate| self.takes(candidate.declared(), &assumed))
            .collect();
        let count = fits.iter().filter(|fit| **fit == CoercionFit::Fits).count();
        if fits.contains(&CoercionFit::Unsure) || count != 1 {
            return candidates;
        }
        let fitting = candidates.into_iter().zip(fits);
        fitting
            .filter(|(_, fit)| *fit == CoercionFit::Fits)
            .map(|(candidate, _)| candidate)
            .collect()
    }
}

/// Keeps those whose declared types answer a question about the known arguments most often.
fn most<C: Overload>(
    mut candidates: Vec<C>,
    bases: &[Option<TypeId>],
    question: impl Fn(TypeId, TypeId) -> bool,
) -> Vec<C> {
    let count = |candidate: &C| {
        let pairs = candidate.declared().iter().zip(bases);
        pairs
            .filter(|(declared, base)| base.is_some_and(|base| question(**declared, base)))
            .count()
    };
    let best = candidates.iter().map(count).max().unwrap_or_default();
    candidates.retain(|candidate| count(candidate) == best);
    candidates
}
