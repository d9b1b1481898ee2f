//! Messages under way that give names to portals, and take names away.

use std::fmt;

use super::ExpectedReply;
use crate::gate::{OlderBasis, PreparedStatement};
use crate::session::failure_hint::cited_knowledge::CitableText;
use crate::session::pooling::named::NamedStatement;
use crate::session::server::error_rewrite::SubstitutedText;

/// A portal that is being made.
pub struct PortalBinding {
    /// Its name; empty for the unnamed one.
    pub portal: Box<str>,
    /// The text that runs in the place of the statement's own, where that is another one.
    pub another: Option<Box<SubstitutedText>>,
    /// The statement's own text, where a failure may cite a record about what is in it.
    pub citable_text: Option<CitableText>,
}

/// What a Close message made the session forget: if the upstream skips the message, the session
/// has to remember it again.
pub enum ClosedName {
    /// A prepared statement.
    Statement {
        /// Its name; empty for the unnamed one.
        name: String,
        /// What it stood for, if it was known.
        prepared: Option<PreparedStatement>,
        /// What is known of others that may have the name.
        older: Option<OlderBasis>,
        /// What it stood for on a connection that the session shares.
        carried: Option<Box<NamedStatement>>,
    },
    /// A portal. An error ends it, unless the transaction goes on from a savepoint.
    Portal {
        /// Its name.
        name: String,
    },
}

impl PortalBinding {
    /// Its answer, which is owed.
    pub fn owed(
        portal: &str,
        another: Option<Box<SubstitutedText>>,
        citable_text: Option<CitableText>,
    ) -> ExpectedReply {
        ExpectedReply::Bind(Self {
            portal: portal.into(),
            another,
            citable_text,
        })
    }
}

impl fmt::Debug for PortalBinding {
    /// Without the name, which the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PortalBinding")
    }
}

impl fmt::Debug for ClosedName {
    /// Without the name, which the client chose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Statement { .. } => "Statement",
            Self::Portal { .. } => "Portal",
        })
    }
}
