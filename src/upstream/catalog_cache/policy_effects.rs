//! One snapshot of a database, looked through under each of the policies that hold.

use std::fmt;
use std::sync::Arc;

use super::CachedDatabase;
use crate::catalog::Catalog;
use crate::gate::effects::graph::EffectGraph;
use crate::policy::Policy;

/// A snapshot, and what it shows under each of some policies.
#[derive(Clone)]
pub struct PolicyEffects {
    catalog: Arc<Catalog>,
    /// By the version of the policy.
    by_policy: Vec<(u64, Arc<EffectGraph>)>,
}

/// What is known of one database.
#[derive(Clone, Debug)]
pub struct KnownDatabase {
    /// Its name.
    pub database: String,
    /// Whether it is the one that the settings name, not one that only clients do.
    pub is_named: bool,
    /// What it contains.
    pub policy_effects: Arc<PolicyEffects>,
}

impl KnownDatabase {
    /// What is shown of a database; nothing where that is nothing.
    pub(super) fn of(cached: &CachedDatabase, is_named: bool) -> Option<Self> {
        Some(Self {
            database: cached.database.to_string(),
            is_named,
            policy_effects: cached.published.policy_effects()?,
        })
    }
}

impl PolicyEffects {
    /// Looks through a snapshot under each of these. That takes its time: it is no work for a
    /// thread that serves.
    pub fn of(catalog: Arc<Catalog>, policies: &[Arc<Policy>]) -> Self {
        let nothing = Self {
            catalog,
            by_policy: Vec::new(),
        };
        nothing.for_policies(policies)
    }

    /// The same snapshot under these and no others. What was looked through already is taken over.
    pub fn for_policies(&self, policies: &[Arc<Policy>]) -> Self {
        let mut by_policy: Vec<(u64, Arc<EffectGraph>)> = Vec::with_capacity(policies.len());
        for policy in policies {
            let version = policy.version_number();
            if by_policy.iter().any(|(known, _)| *known == version) {
                continue;
            }
            let effect_graph = self.effects(version).cloned();
            let look = || Arc::new(EffectGraph::new(Arc::clone(&self.catalog), policy));
            by_policy.push((version, effect_graph.unwrap_or_else(look)));
        }
        Self {
            catalog: Arc::clone(&self.catalog),
            by_policy,
        }
    }

    /// What the snapshot shows under the policy of that version.
    pub fn effects(&self, policy_version: u64) -> Option<&Arc<EffectGraph>> {
        let mut known = self.by_policy.iter();
        known.find_map(|(version, effect_graph)| {
            (*version == policy_version).then_some(effect_graph)
        })
    }

    /// Whether it was looked through under each of these.
    pub fn has_all(&self, policies: &[Arc<Policy>]) -> bool {
        let mut policies = policies.iter();
        policies.all(|policy| self.effects(policy.version_number()).is_some())
    }

    /// The snapshot.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }
}

impl fmt::Debug for PolicyEffects {
    /// Without any name of the database.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "PolicyEffects(under {} policies)",
            self.by_policy.len()
        )
    }
}
