//! What is known of the types of a text's parameters.
//!
//! A Parse message may give them, and a text means something else with others: `$1 + x` is an
//! operator of the type that the client gave. So a verdict stands on them too.

use super::grounds::Digest;
use crate::catalog::Oid;

/// The types of the parameters of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Parameters {
    /// These, by the server's numbers. The server is to find those that are zero and those beyond
    /// the list. A Query gives none.
    Given(Box<[u32]>),
    /// They were given somewhere else.
    #[default]
    Unknown,
}

impl Parameters {
    /// The types that a Parse message gives.
    pub fn given(types: impl IntoIterator<Item = u32>) -> Self {
        Self::Given(types.into_iter().collect())
    }

    /// None are given, as in a Query.
    pub fn open() -> Self {
        Self::Given(Box::default())
    }

    /// For the cache's key; none where a verdict is not kept. Two databases may give one number to
    /// types that have nothing in common, unless they came with the server.
    pub(super) fn digest(&self) -> Option<Digest> {
        match self {
            Self::Given(types) => {
                let mut types_of_server = types.iter().map(|oid| Oid(*oid));
                let same_everywhere = types_of_server.all(Oid::is_built_in);
                same_everywhere.then(|| Digest::of_types(types))
            }
            Self::Unknown => None,
        }
    }
}
