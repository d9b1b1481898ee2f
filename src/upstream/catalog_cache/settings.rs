//! What can be set about the keeping of catalogs.

use std::time::Duration;

use super::catalog_account::Known;
use crate::limits;

/// How catalogs are kept.
#[derive(Debug, Clone)]
pub struct KeeperSettings {
    /// Whether at all.
    pub mode: Mode,
    /// Who keepers log in as.
    pub account: Known,
    /// The pause between two looks whether anything changed.
    pub poll_interval: Duration,
    /// A snapshot is loaded anew after this time also when nothing seems to have changed.
    pub refresh_interval: Duration,
    /// A snapshot of which it is unknown for this long whether it still holds is withdrawn.
    pub age_max: Duration,
}

/// Whether catalogs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are.
    On,
    /// They are not: the gate judges without.
    Off,
}

impl KeeperSettings {
    /// What holds where nothing is set, with this account.
    pub fn usual(account: Known) -> Self {
        Self {
            mode: Mode::On,
            account,
            poll_interval: limits::CATALOG_POLL_INTERVAL,
            refresh_interval: limits::CATALOG_REFRESH_INTERVAL,
            age_max: limits::CATALOG_AGE_MAX,
        }
    }
}
