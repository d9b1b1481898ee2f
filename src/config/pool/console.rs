//! `console`: whom the virtual database is for. Its keys, and what they say.

use crate::auth::settings::AuthSettings;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits;
use crate::session::console::access::ConsoleAccess;

/// Who may do everything there.
pub const USERS: SettingsKey = SettingsKey {
    path: "console.users",
    form: KeyForm::Words,
    default: "none",
    doc: "Users who may run every command of the console, the virtual database pgsieve: SHOW, \
          PAUSE, RESUME, RECONNECT and RELOAD. Names as clients log in with them, one or a list of \
          up to 100; they prove who they are by client.auth.method, which is to be scram, \
          auth_query, cert or oidc. Without this and console.stats_users there is no console. PgBouncer's admin_users.",
};

/// Who may look.
pub const STATS_USERS: SettingsKey = SettingsKey {
    path: "console.stats_users",
    form: KeyForm::Words,
    default: "none",
    doc: "Users who may look at the console's tables (SHOW) and do nothing else there, as an \
          exporter of metrics. PgBouncer's stats_users.",
};

/// `console.…`.
pub fn console(reader: &mut KeyReader, auth: Option<&AuthSettings>) -> Option<ConsoleAccess> {
    let users = names(reader, USERS.path);
    let stats_users = names(reader, STATS_USERS.path);
    let access = ConsoleAccess {
        users: users?,
        stats_users: stats_users?,
    };
    let is_proved = match auth {
        // What is wrong with it is told elsewhere.
        None => true,
        Some(AuthSettings::Passthrough { .. } | AuthSettings::Trust { .. }) => false,
        Some(
            AuthSettings::Scram { .. }
            | AuthSettings::AuthQuery(_)
            | AuthSettings::Certificate { .. }
            | AuthSettings::Oidc(_),
        ) => true,
    };
    if access.is_on() && !is_proved {
        let path = match access.users.is_empty() {
            true => STATS_USERS.path,
            false => USERS.path,
        };
        let place = reader.place_of(path);
        reader.note(&place, UNPROVED);
        return None;
    }
    Some(access)
}

fn names(reader: &mut KeyReader, path: &str) -> Option<Vec<Box<str>>> {
    let words = match reader.words(path) {
        ReadValue::Absent => return Some(Vec::new()),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) => words,
    };
    if words.len() > limits::console::USERS_MAX {
        let place = reader.place_of(path);
        let most = limits::console::USERS_MAX;
        reader.note(&place, format!("at most {most} names"));
        return None;
    }
    Some(words.into_iter().map(|word| word.text.into()).collect())
}

const UNPROVED: &str = "the console needs users who prove to pgsieve who they are: \
    client.auth.method scram, auth_query, cert or oidc";
