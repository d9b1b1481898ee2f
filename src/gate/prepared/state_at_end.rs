//! What holds once the transaction at hand is over, as the session said.

use std::sync::Arc;

use super::SessionNames;
use crate::{SearchPaths, SessionValues};

/// What holds once the transaction at hand is over.
#[derive(Clone, Default)]
pub(super) enum TransactionEndState {
    /// It was not said since something changed.
    #[default]
    NotStated,
    /// What holds now.
    Unchanged,
    /// Something else.
    Other(Box<(SearchPaths, Arc<SessionValues>)>),
}

impl SessionNames {
    /// What search_path and the values may be once the transaction at hand is over, whatever
    /// becomes of it. It has to be said again when they are others.
    pub fn set_at_end(&mut self, paths: SearchPaths, values: Arc<SessionValues>) {
        self.at_end = if self.paths == paths && self.values.0 == values {
            TransactionEndState::Unchanged
        } else {
            TransactionEndState::Other(Box::new((paths, values)))
        };
    }

    /// Where unqualified names are looked up then.
    pub fn paths_at_end(&self) -> &SearchPaths {
        match &self.at_end {
            TransactionEndState::NotStated => &SearchPaths::Unknown,
            TransactionEndState::Unchanged => &self.paths,
            TransactionEndState::Other(other) => &other.0,
        }
    }

    /// The values then; none where they were not said.
    pub fn values_at_end(&self) -> Option<&SessionValues> {
        match &self.at_end {
            TransactionEndState::NotStated => None,
            TransactionEndState::Unchanged => Some(&self.values.0),
            TransactionEndState::Other(other) => Some(&other.1),
        }
    }
}
