//! What can be set about the keeping of catalogs.

use std::time::Duration;

use super::catalog_account::AccountSetting;
use crate::limits;

/// How catalogs are kept.
#[derive(Debug, Clone)]
pub struct CatalogCacheSettings {
    /// Whether at all.
    pub mode: CatalogMode,
    /// Who caches log in as.
    pub account: AccountSetting,
    /// The pause between two looks whether anything changed.
    pub poll_interval: Duration,
    /// A snapshot is loaded anew after this time also when nothing seems to have changed.
    pub refresh_interval: Duration,
    /// A snapshot of which it is unknown for this long whether it still holds is withdrawn.
    pub age_max: Duration,
}

/// Whether catalogs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatalogMode {
    /// They are.
    On,
    /// They are not: the gate judges without.
    Off,
}

impl CatalogCacheSettings {
    /// What holds where nothing is set, with this account.
    pub fn usual(account: AccountSetting) -> Self {
        Self {
            mode: CatalogMode::On,
            account,
            poll_interval: limits::CATALOG_POLL_INTERVAL,
            refresh_interval: limits::CATALOG_REFRESH_INTERVAL,
            age_max: limits::CATALOG_AGE_MAX,
        }
    }
}
