//! What is known of the types of a text's parameters.
//!
//! A Parse message may give them, and a text means something else with others: `$1 + x` is an
//! operator of the type that the client gave. So a verdict stands on them too.

use super::basis::BasisDigest;
use catalog::Oid;

/// The types of the parameters of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ParameterTypes {
    /// These, by the server's numbers. The server is to find those that are zero and those beyond
    /// the list. A Query gives none.
    Given(Box<[u32]>),
    /// They were given somewhere else.
    #[default]
    Unknown,
}

impl ParameterTypes {
    /// The types that a Parse message gives.
    pub fn given(types: impl IntoIterator<Item = u32>) -> Self {
        Self::Given(types.into_iter().collect())
    }

    /// None are given, as in a Query.
    pub fn none_given() -> Self {
        Self::Given(Box::default())
    }

    /// Whether the client gave a parameter a type, by its number.
    pub(super) fn has_type(&self, number: i32) -> bool {
        let Self::Given(types) = self else {
            return false;
        };
        let place = usize::try_from(number)
            .ok()
            .and_then(|at| at.checked_sub(1));
        let given = place.and_then(|at| types.get(at));
        given.is_some_and(|oid| *oid != 0)
    }

    /// Takes over which types the server finds for parameters without one, by their numbers.
    pub(super) fn fill_types(&mut self, found: &[(u32, Oid)]) {
        let Self::Given(types) = self else {
            return;
        };
        let mut all = types.to_vec();
        for (number, oid) in found {
            let Some(place) = usize::try_from(*number)
                .ok()
                .and_then(|at| at.checked_sub(1))
            else {
                continue;
            };
            if all.len() <= place && place < usize::from(u16::MAX) {
                all.resize(place.saturating_add(1), 0);
            }
            if let Some(own) = all.get_mut(place).filter(|own| **own == 0) {
                *own = oid.0;
            }
        }
        *types = all.into();
    }

    /// For the cache's key; none where a verdict is not kept. Two databases may give one number to
    /// types that have nothing in common, unless they came with the server.
    pub(super) fn digest(&self) -> Option<BasisDigest> {
        match self {
            Self::Given(types) => {
                let mut types_of_server = types.iter().map(|oid| Oid(*oid));
                let same_everywhere = types_of_server.all(Oid::is_built_in);
                same_everywhere.then(|| BasisDigest::of_types(types))
            }
            Self::Unknown => None,
        }
    }
}
