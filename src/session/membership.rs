//! What a session's role is a member of, as the catalog of its own server has it: policies are
//! chosen by that.

use std::sync::Arc;

use crate::policy::set::matching::SessionTraits;
use crate::upstream::catalog_cache::CatalogCache;
use crate::upstream::login::UpstreamSession;

/// Where it is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Membership<'k> {
    /// The role that the upstream session was logged in as.
    pub role: &'k str,
    /// Who knows; nobody where no catalog is kept.
    pub catalog_cache: Option<&'k CatalogCache>,
}

impl<'k> Membership<'k> {
    /// Of a session that has just been opened; what does not say as whom is a member of nothing.
    pub fn of(upstream: &'k UpstreamSession, catalog_cache: Option<&'k CatalogCache>) -> Self {
        Self {
            role: upstream.parameter("session_authorization").unwrap_or(""),
            catalog_cache,
        }
    }

    /// A number that is another one whenever an answer may be; zero while nothing is known.
    pub fn generation(&self) -> u64 {
        self.catalog_cache.map_or(0, CatalogCache::generation)
    }

    /// What is known of a session, with what its role is a member of now, and the number of that.
    pub fn told(&self, traits: &Arc<SessionTraits>) -> (Arc<SessionTraits>, u64) {
        // The number is read first: should the answer be newer, it is asked for once more.
        let generation = self.generation();
        let roles = match generation {
            0 => None,
            _ => self
                .catalog_cache
                .and_then(|catalog_cache| catalog_cache.roles(self.role)),
        };
        match roles.as_deref() == traits.roles() {
            true => (Arc::clone(traits), generation),
            false => (Arc::new(traits.with_roles(roles)), generation),
        }
    }
}
