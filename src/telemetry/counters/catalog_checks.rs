//! The catalogs that are kept: when each was last found to hold, from where the age that a scrape
//! shows is counted, and how large it is.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is counted of each catalog, by the number of its cache.
#[derive(Debug, Default)]
pub struct CatalogChecks {
    kept: Mutex<BTreeMap<u64, CheckedCatalog>>,
}

/// What is counted of one.
#[derive(Debug, Clone, Copy)]
struct CheckedCatalog {
    /// When the last check began.
    began: Instant,
    bytes: usize,
}

impl Default for CheckedCatalog {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            bytes: 0,
        }
    }
}

impl CatalogChecks {
    /// Begins to count the age of a catalog, if it is not counted yet.
    pub fn expect(&self, catalog_cache: u64) {
        self.kept().entry(catalog_cache).or_default();
    }

    /// Notes the beginning of a check that has succeeded.
    pub fn note(&self, catalog_cache: u64, began: Instant) {
        self.kept().entry(catalog_cache).or_default().began = began;
    }

    /// Notes how large a catalog is.
    pub fn note_size(&self, catalog_cache: u64, bytes: usize) {
        self.kept().entry(catalog_cache).or_default().bytes = bytes;
    }

    /// Drops a catalog that nobody watches any more.
    pub fn forget(&self, catalog_cache: u64) {
        self.kept().remove(&catalog_cache);
    }

    /// The time since the check that is longest ago.
    pub fn oldest(&self) -> Option<Duration> {
        let began = self.kept().values().map(|kept| kept.began).min();
        began.map(|began| began.elapsed())
    }

    /// How large all are together.
    pub fn bytes(&self) -> usize {
        self.kept().values().map(|kept| kept.bytes).sum()
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<u64, CheckedCatalog>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_check_is_the_age() {
        let checks = CatalogChecks::default();
        assert_eq!(checks.oldest(), None);
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).unwrap();
        checks.note(1, ago(100));
        checks.note(2, ago(5));
        assert!(checks.oldest().unwrap() >= Duration::from_secs(100));
        checks.note(1, ago(1));
        assert!(checks.oldest().unwrap() < Duration::from_secs(100));
        checks.note_size(1, 10);
        checks.note_size(2, 20);
        assert_eq!(checks.bytes(), 30);
        checks.expect(1);
        assert!(checks.oldest().unwrap() >= Duration::from_secs(5));
        checks.forget(2);
        assert!(checks.oldest().unwrap() < Duration::from_secs(5));
    }
}
