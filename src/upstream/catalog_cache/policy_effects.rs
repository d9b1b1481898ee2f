//! One snapshot of a database, looked through under each of the policies that hold.

use std::fmt;
use std::sync::Arc;

use super::Charge;
use crate::catalog::Catalog;
use crate::gate::effects::graph::Sight;
use crate::policy::Policy;

/// A snapshot, and what it shows under each of some policies.
#[derive(Clone)]
pub struct Sights {
    catalog: Arc<Catalog>,
    /// By the version of the policy.
    by_policy: Vec<(u64, Arc<Sight>)>,
}

/// What is known of one database.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its name.
    pub database: String,
    /// Whether it is the one that the settings name, not one that only clients do.
    pub is_named: bool,
    /// What it contains.
    pub sights: Arc<Sights>,
}

impl Seen {
    /// What is shown of a database; nothing where that is nothing.
    pub(super) fn of(charge: &Charge, is_named: bool) -> Option<Self> {
        Some(Self {
            database: charge.database.to_string(),
            is_named,
            sights: charge.board.sights()?,
        })
    }
}

impl Sights {
    /// Looks through a snapshot under each of these. That takes its time: it is no work for a
    /// thread that serves.
    pub fn of(catalog: Arc<Catalog>, policies: &[Arc<Policy>]) -> Self {
        let nothing = Self {
            catalog,
            by_policy: Vec::new(),
        };
        nothing.under(policies)
    }

    /// The same snapshot under these and no others. What was looked through already is taken over.
    pub fn under(&self, policies: &[Arc<Policy>]) -> Self {
        let mut by_policy: Vec<(u64, Arc<Sight>)> = Vec::with_capacity(policies.len());
        for policy in policies {
            let version = policy.version_number();
            if by_policy.iter().any(|(known, _)| *known == version) {
                continue;
            }
            let sight = self.sight(version).cloned();
            let look = || Arc::new(Sight::new(Arc::clone(&self.catalog), policy));
            by_policy.push((version, sight.unwrap_or_else(look)));
        }
        Self {
            catalog: Arc::clone(&self.catalog),
            by_policy,
        }
    }

    /// What the snapshot shows under the policy of that version.
    pub fn sight(&self, policy_version: u64) -> Option<&Arc<Sight>> {
        let mut known = self.by_policy.iter();
        known.find_map(|(version, sight)| (*version == policy_version).then_some(sight))
    }

    /// Whether it was looked through under each of these.
    pub fn has_all(&self, policies: &[Arc<Policy>]) -> bool {
        let mut policies = policies.iter();
        policies.all(|policy| self.sight(policy.version_number()).is_some())
    }

    /// The snapshot.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }
}

impl fmt::Debug for Sights {
    /// Without any name of the database.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Sights(under {} policies)", self.by_policy.len())
    }
}
