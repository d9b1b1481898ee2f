//! As whom users log in, and what is known of them: what the settings say now.

use std::sync::{Arc, Mutex, PoisonError};

use crate::auth::settings::UserAttributes;
use crate::offline::assumptions::LoginRoles;

/// What the settings say of users.
#[derive(Clone, Debug, Default)]
pub struct SettingsPeople {
    /// As whom they log in.
    pub roles: LoginRoles,
    /// What is known of them beside their names.
    pub attributes: UserAttributes,
}

/// The same, as of now.
#[derive(Debug, Default)]
pub struct CurrentPeople {
    held: Mutex<Arc<SettingsPeople>>,
}

impl CurrentPeople {
    /// Begins with these.
    pub fn new(people: SettingsPeople) -> Self {
        Self {
            held: Mutex::new(Arc::new(people)),
        }
    }

    /// As of now.
    pub fn now(&self) -> Arc<SettingsPeople> {
        Arc::clone(&self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The settings say something else.
    pub fn renew(&self, people: SettingsPeople) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(people);
    }
}
