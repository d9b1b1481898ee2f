//! Which caches are kept of which databases and servers, how long each stays, and which gives its
//! place away.

use std::sync::{Arc, Weak};

use tokio::time::Instant;

use super::{CachedDatabase, CatalogCache};
use crate::limits;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;

/// The caches that are kept.
#[derive(Default)]
pub(super) struct CachedDatabases {
    pub(super) entries: Vec<CacheEntry>,
    /// How many were ever started.
    pub(super) started: u64,
}

/// One of them.
pub(super) struct CacheEntry {
    pub(super) cached: Arc<CachedDatabase>,
    /// What sessions hold, as long as any does.
    pub(super) held: Weak<CatalogCache>,
    pub(super) stay: CacheLifetime,
}

/// How long a cache stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CacheLifetime {
    /// As long as pgsieve.
    Always,
    /// Until it was not used for a while, counted from here.
    WhileUsed(Instant),
}

impl CachedDatabases {
    /// Those of a database.
    pub(super) fn of(&self, database: &str) -> impl Iterator<Item = &CacheEntry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| *entry.cached.database == *database)
    }

    /// The one of a database at a server.
    pub(super) fn at(&self, database: &str, server: &ServerIdentity) -> Option<&CacheEntry> {
        self.entries
            .iter()
            .find(|entry| entry.is_of(database, server))
    }

    /// One of a database, by that way to it, that has found no server yet, or has lost its own and
    /// is needed by nobody.
    pub(super) fn free(&self, database: &str, upstream: &Arc<Upstream>) -> Option<&CacheEntry> {
        let is_new = |entry: &&CacheEntry| entry.cached.server_choice.server().is_none();
        let is_adrift =
            |entry: &&CacheEntry| !entry.is_held() && entry.cached.server_choice.has_no_server();
        let own = || {
            let same = |entry: &&CacheEntry| Arc::ptr_eq(&entry.cached.upstream, upstream);
            self.of(database).filter(same)
        };
        own().find(is_new).or_else(|| own().find(is_adrift))
    }

    pub(super) fn entry(&mut self, cached: &Arc<CachedDatabase>) -> Option<&mut CacheEntry> {
        let mut entries = self.entries.iter_mut();
        entries.find(|entry| Arc::ptr_eq(&entry.cached, cached))
    }

    pub(super) fn remove(&mut self, cached: &Arc<CachedDatabase>) {
        self.entries
            .retain(|entry| !Arc::ptr_eq(&entry.cached, cached));
    }

    /// What a session holds from now on. Of several caches of one database it is the one in use
    /// that stays for ever.
    pub(super) fn use_now(&mut self, cached: &Arc<CachedDatabase>) -> Option<Arc<CatalogCache>> {
        let now = Instant::now();
        let mut stay = CacheLifetime::WhileUsed(now);
        for other in &mut self.entries {
            let is_other = !Arc::ptr_eq(&other.cached, cached);
            let is_of_it = other.cached.database == cached.database;
            if is_other && is_of_it && other.stay == CacheLifetime::Always && !other.is_held() {
                (stay, other.stay) = (CacheLifetime::Always, CacheLifetime::WhileUsed(now));
            }
        }
        let entry = self.entry(cached)?;
        entry.stay = entry.stay.prolonged(stay);
        Some(entry.cache())
    }

    /// Whether there is room for one more of a database: places of those that nobody has used for
    /// the longest time are given away.
    pub(super) fn has_room(&mut self, database: &str) -> bool {
        if self.of(database).count() >= limits::CATALOG_SERVERS_MAX
            && !self.make_room(|entry| *entry.cached.database == *database)
        {
            return false;
        }
        self.entries.len() < limits::CATALOGS_MAX || self.make_room(|_any| true)
    }

    fn make_room(&mut self, may_go: impl Fn(&CacheEntry) -> bool) -> bool {
        let unused = self.entries.iter().filter(|entry| may_go(entry));
        let unused = unused.filter_map(|entry| match (entry.stay, entry.is_held()) {
            (CacheLifetime::WhileUsed(since), false) => Some((since, Arc::clone(&entry.cached))),
            (CacheLifetime::WhileUsed(_), true) | (CacheLifetime::Always, _) => None,
        });
        let Some((_, cached)) = unused.min_by_key(|(since, _)| *since) else {
            return false;
        };
        self.remove(&cached);
        true
    }
}

impl CacheEntry {
    /// What sessions hold: the one that is there, or a new one of the same charge.
    pub(super) fn cache(&mut self) -> Arc<CatalogCache> {
        self.held.upgrade().unwrap_or_else(|| {
            let cached = Arc::clone(&self.cached);
            let catalog_cache = Arc::new(CatalogCache { cached });
            self.held = Arc::downgrade(&catalog_cache);
            catalog_cache
        })
    }

    pub(super) fn is_of(&self, database: &str, server: &ServerIdentity) -> bool {
        *self.cached.database == *database && self.cached.server_choice.is_at(server)
    }

    pub(super) fn is_held(&self) -> bool {
        self.held.strong_count() > 0
    }
}

impl CacheLifetime {
    pub(super) fn prolonged(self, wish: Self) -> Self {
        match (self, wish) {
            (Self::Always, _) | (_, Self::Always) => Self::Always,
            (Self::WhileUsed(_), Self::WhileUsed(since)) => Self::WhileUsed(since),
        }
    }
}
