//! The roles that clients have logged in as and that may do everything at the database: each is
//! told of once.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::limits::SUPERUSERS_TOLD_MAX;
use crate::telemetry::Telemetry;
use crate::telemetry::events::SettingsWarned;
use crate::telemetry::labels::SettingsWarning;
use crate::telemetry::session_info::cleaned;

/// Those that were told of.
#[derive(Debug, Default)]
pub struct SuperuserNotices {
    told: Mutex<BTreeSet<String>>,
}

impl SuperuserNotices {
    /// Tells of a role that has logged in with its own password, if it is a superuser and was not
    /// told of before. Beyond the bound nothing more is told: whoever has read so many knows.
    pub fn note(&self, role: &str, is_superuser: Option<&str>, telemetry: &Telemetry) {
        if is_superuser != Some("on") || !self.is_news(role) {
            return;
        }
        let what = format!(
            "{:?} has logged in as a superuser, who may do everything at the database, where \
             nothing but pgsieve holds it back: use a role that only reads; see pgsieve doctor",
            cleaned(role)
        );
        telemetry.emit(&SettingsWarned {
            warning: SettingsWarning::UpstreamSuperuser,
            key: "client.auth.method",
            what: &what,
        });
    }

    fn is_news(&self, role: &str) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < SUPERUSERS_TOLD_MAX && told.insert(role.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_is_news_once_and_only_so_many_are() {
        let notices = SuperuserNotices::default();
        assert!(notices.is_news("postgres"));
        assert!(!notices.is_news("postgres"));
        assert!(notices.is_news("Postgres"));
        let more = (0..2 * SUPERUSERS_TOLD_MAX).map(|number| format!("admin_{number}"));
        let news = more.filter(|name| notices.is_news(name)).count();
        assert_eq!(news, SUPERUSERS_TOLD_MAX - 2);
    }
}
