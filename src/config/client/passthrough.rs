//! `client.auth.passthrough`: for how long the upstream is not asked again about a password that it
//! has accepted.

use std::time::Duration;

use crate::config::quantities::duration;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::KeyReader;
use crate::limits::verifiers::{CACHE_AGE, CACHE_AGE_BOUNDS};

/// How long a password is accepted.
pub const AGE: SettingsKey = SettingsKey {
    path: "client.auth.passthrough.cache_age",
    form: KeyForm::Word,
    default: "none",
    doc: "With passthrough: how long a password that a server has accepted lets its user in there \
          without a login of its own, 1s to 5min, so that sessions of one user with one password \
          share connections (pool.mode: transaction). A changed password, or a role that may not \
          log in any more, is known at the latest after this time. Without it the server is asked \
          at every login, and each session has a connection.",
};

/// None where the server is asked at every login.
pub fn cache_age(reader: &mut KeyReader) -> Option<Option<Duration>> {
    match reader.has(AGE.path) {
        true => duration(reader, AGE.path, CACHE_AGE_BOUNDS, CACHE_AGE).map(Some),
        false => Some(None),
    }
}
