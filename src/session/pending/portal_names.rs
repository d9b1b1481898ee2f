//! Messages under way that give names to portals, and take names away.

use std::fmt;

use super::Owed;
use crate::gate::{Older, Prepared};
use crate::session::server::error_rewrite::Substituted;

/// A portal that is being made.
pub struct Binding {
    /// Its name; empty for the unnamed one.
    pub portal: Box<str>,
    /// The text that runs in the place of the statement's own, where that is another one.
    pub another: Option<Box<Substituted>>,
}

/// What a Close message made the session forget: if the upstream skips the message, the session
/// has to remember it again.
pub enum Closing {
    /// A prepared statement.
    Statement {
        /// Its name; empty for the unnamed one.
        name: String,
        /// What it stood for, if it was known.
        prepared: Option<Prepared>,
        /// What is known of others that may have the name.
        older: Option<Older>,
    },
    /// A portal. An error ends it, unless the transaction goes on from a savepoint.
    Portal {
        /// Its name.
        name: String,
    },
}

impl Binding {
    /// Its answer, which is owed.
    pub fn owed(portal: &str, another: Option<Box<Substituted>>) -> Owed {
        let portal = portal.into();
        Owed::Bind(Self { portal, another })
    }
}

impl fmt::Debug for Binding {
    /// Without the name, which the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Binding")
    }
}

impl fmt::Debug for Closing {
    /// Without the name, which the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Statement { .. } => "Statement",
            Self::Portal { .. } => "Portal",
        })
    }
}
