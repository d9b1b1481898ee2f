//! Why rows make no snapshot. The server, or the way it was read, is at fault; never a client.

use std::fmt;

use crate::{ObjectKind, Oid};

/// Why there is no snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// Two objects of a kind have one oid.
    Twice {
        /// What they are.
        kind: ObjectKind,
        /// Their oid.
        oid: Oid,
    },
    /// An object refers to one that was not read.
    Dangling {
        /// What refers.
        kind: ObjectKind,
        /// Its oid.
        oid: Oid,
        /// What it refers to.
        wanted: ObjectKind,
        /// The oid that nothing has.
        missing: Oid,
    },
    /// A catalog has a letter that no known server writes there.
    Letter {
        /// What has it.
        kind: ObjectKind,
        /// Its oid.
        oid: Oid,
        /// The letter.
        letter: u8,
    },
    /// A view's query was not read.
    NoQuery {
        /// The view.
        oid: Oid,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Twice { kind, oid } => write!(formatter, "two {kind} rows have oid {}", oid.0),
            Self::Dangling {
                kind,
                oid,
                wanted,
                missing,
            } => write!(
                formatter,
                "the {kind} with oid {} refers to a {wanted} with oid {}, which was not read",
                oid.0, missing.0
            ),
            Self::Letter { kind, oid, letter } => write!(
                formatter,
                "the {kind} with oid {} has the letter {:?} in its row, which means nothing known",
                oid.0,
                char::from(*letter)
            ),
            Self::NoQuery { oid } => {
                write!(
                    formatter,
                    "the query of the view with oid {} was not read",
                    oid.0
                )
            }
        }
    }
}

impl std::error::Error for BuildError {}
