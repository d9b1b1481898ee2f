//! `limits.store`: where copies of pgsieve count together what users do; and `limits.budget_file`,
//! where one of them keeps it.

pub mod keys;

use std::path::PathBuf;
use std::time::Duration;

use crate::config::limits_store::keys::{AUTHORITY, ON_LOSS, PASSWORD_FILE, PREFIX, STORE, WINDOW};
use crate::config::quantities::duration;
use crate::config::server;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits::shared_counts;
use crate::secret::Secret;
use crate::session::policy_limits::limits_store::{
    LimitsStoreSettings, StoreAddress, StoreLoss, StoreTransport,
};

/// The file and the store, if there are such.
pub fn kept_counts(reader: &mut KeyReader) -> KeptCounts {
    (server::budget_file(reader), limits_store(reader))
}

/// Each none where something is wrong with it.
type KeptCounts = (Option<Option<PathBuf>>, Option<Option<LimitsStoreSettings>>);

fn limits_store(reader: &mut KeyReader) -> Option<Option<LimitsStoreSettings>> {
    let password = password(reader);
    let authority = reader.file(AUTHORITY.path).optional();
    let prefix = reader.parsed(PREFIX.path, "pgsieve:".to_owned(), prefix);
    let window = window(reader);
    let words = [("local", StoreLoss::Local), ("refuse", StoreLoss::Refuse)];
    let on_loss = reader.choice(ON_LOSS.path, &words).or(StoreLoss::Local);
    let word = match reader.word(STORE.path) {
        ReadValue::Given(word) => word,
        ReadValue::Wrong => return None,
        ReadValue::Absent => {
            let beside = [PASSWORD_FILE, AUTHORITY, PREFIX, WINDOW, ON_LOSS];
            let given = beside.iter().filter(|key| reader.has(key.path));
            let places: Vec<String> = given.map(|key| reader.place_of(key.path)).collect();
            for place in &places {
                reader.note(place, "means nothing without limits.store");
            }
            return places.is_empty().then_some(None);
        }
    };
    let address = match StoreAddress::parse(&word.text) {
        Ok(address) => address,
        Err(problem) => {
            reader.note(&word.place, problem.to_string());
            return None;
        }
    };
    let (password, authority) = (password?, authority?);
    let mut is_sound = true;
    let mut wrong = |path: &str, what: &str| {
        let place = reader.place_of(path);
        reader.note(&place, what);
        is_sound = false;
    };
    if address.user.is_some() && password.is_none() {
        wrong(
            STORE.path,
            "names a user; limits.store_password_file is missing",
        );
    }
    if authority.is_some() && address.transport == StoreTransport::Clear {
        wrong(AUTHORITY.path, "is only for a store at a rediss:// address");
    }
    if reader.has("limits.budget_file") {
        let place = reader.place_of("limits.budget_file");
        let what = "keeps what one copy has counted, and limits.store what all have, over restarts \
                    as well: give one of the two";
        reader.note(&place, what);
        is_sound = false;
    }
    is_sound.then_some(Some(LimitsStoreSettings {
        address,
        password,
        authority,
        prefix: prefix?,
        window: window?,
        on_loss: on_loss?,
    }))
}

fn password(reader: &mut KeyReader) -> Option<Option<Secret>> {
    match reader.word(PASSWORD_FILE.path) {
        ReadValue::Absent => Some(None),
        ReadValue::Wrong => None,
        ReadValue::Given(word) => reader.secret_in(&word).map(Some),
    }
}

fn window(reader: &mut KeyReader) -> Option<Duration> {
    let (bounds, absent) = (shared_counts::WINDOW_BOUNDS, shared_counts::WINDOW);
    duration(reader, WINDOW.path, bounds, absent)
}

fn prefix(text: &str) -> Result<String, String> {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    match is_visible && text.len() <= shared_counts::PREFIX_BYTES_MAX {
        true => Ok(text.to_owned()),
        false => Err("at most 64 visible characters are wanted, as in pgsieve:".into()),
    }
}
