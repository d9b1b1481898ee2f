//! One snapshot of a database, looked through under each of the policies that hold.

use std::sync::Arc;
use std::{fmt, iter};

use super::CachedDatabase;
use crate::catalog::Catalog;
use crate::gate::effects::graph::EffectGraph;
use crate::policy::Policy;
use crate::policy::access::Glob;
use crate::upstream::servers::directory::UpstreamDirectory;

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
    /// Its name at its server.
    pub database: String,
    /// The names that clients have for it; one with `*` stands for all that it fits.
    pub names: Vec<Glob>,
    /// Whether it is the one that the settings name, not one that only clients do.
    pub is_named: bool,
    /// What it contains.
    pub policy_effects: Arc<PolicyEffects>,
}

impl KnownDatabase {
    /// What is shown of a database; nothing where that is nothing.
    pub(super) fn of(
        cached: &CachedDatabase,
        is_named: bool,
        directory: &UpstreamDirectory,
    ) -> Option<Self> {
        Some(Self {
            database: cached.database.to_string(),
            names: directory.names_of(&cached.upstream, &cached.database),
            is_named,
            policy_effects: cached.published.policy_effects()?,
        })
    }

    /// A name by which a session of it comes under a policy; none where none does.
    pub fn name_under(&self, policy: &Policy) -> Option<String> {
        let wanted = policy.matches().and_then(|own| own.database.as_deref());
        let is_wanted =
            |name: &str| wanted.is_none_or(|wanted| wanted.iter().any(|own| own.matches(name)));
        let patterns = self.names.iter().chain(wanted.unwrap_or_default());
        let of_patterns = patterns.map(|pattern| pattern.pattern().replace('*', ""));
        let mut names = iter::once(self.database.clone()).chain(of_patterns);
        names.find(|name| {
            let is_its_own = self.names.iter().any(|own| own.matches(name));
            !name.is_empty() && is_its_own && is_wanted(name)
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
