//! `peers`: other copies of pgsieve behind the same address.

use crate::config::recording::key_in;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::limits;
use crate::upstream::address::{Endpoint, UpstreamSettings};
use crate::upstream::cancel::peers::{PeerKey, PeerSettings};

/// Where they are.
pub const ADDRESSES: SettingsKey = SettingsKey {
    path: "peers.addresses",
    form: KeyForm::Words,
    default: "none",
    doc: "Where the other copies of pgsieve are, if a balancer may take a cancel request to another \
          copy than its session: host:port, or a URL as upstream.url with its sslmode; one, or a \
          list of up to 16. Every address of a name is a copy, and this one may be among them, so \
          one name that stands for all copies will do. Without sslmode, the way to other hosts is \
          encrypted and certificates are verified.",
};

/// What they share.
pub const KEY_FILE: SettingsKey = SettingsKey {
    path: "peers.key_file",
    form: KeyForm::Word,
    default: "none",
    doc: "A file with 64 hexadecimal digits, the same for all copies, as `openssl rand -hex 32` \
          makes them: the cancel keys of clients are marked with it, so that a copy knows which \
          are of its peers. Required beside peers.addresses.",
};

/// The other copies, if there are any.
pub fn peers(reader: &mut KeyReader) -> Option<Option<PeerSettings>> {
    let key = key_in(reader, KEY_FILE.path);
    let words = match reader.words(ADDRESSES.path) {
        ReadValue::Given(words) => words,
        ReadValue::Wrong => return None,
        ReadValue::Absent if reader.has(KEY_FILE.path) => {
            let place = reader.place_of(KEY_FILE.path);
            reader.note(&place, "means nothing without peers.addresses");
            return None;
        }
        ReadValue::Absent => return Some(None),
    };
    if words.len() > limits::upstreams::PEERS_MAX {
        let most = limits::upstreams::PEERS_MAX;
        let place = reader.place_of(ADDRESSES.path);
        reader.note(&place, format!("at most {most} addresses"));
        return None;
    }
    if !reader.has(KEY_FILE.path) {
        let place = reader.place_of(ADDRESSES.path);
        reader.note(&place, "peers.key_file is missing, which all copies share");
        return None;
    }
    let places: Vec<UpstreamSettings> = (words.iter())
        .filter_map(|word| place_of_peer(reader, word))
        .collect();
    let is_sound = places.len() == words.len();
    let key = PeerKey(key??);
    is_sound.then_some(Some(PeerSettings { places, key }))
}

fn place_of_peer(reader: &mut KeyReader, word: &PlacedWord) -> Option<UpstreamSettings> {
    let address = match word.text.contains("://") {
        true => word.text.clone(),
        false => format!("postgres://{}", word.text),
    };
    let settings = match UpstreamSettings::parse(&address) {
        Ok(settings) => settings,
        Err(problems) => {
            for problem in problems {
                reader.note(&word.place, problem.to_string());
            }
            return None;
        }
    };
    let is_bare =
        settings.user.is_none() && settings.password.is_none() && settings.database.is_none();
    if !is_bare || matches!(settings.endpoint, Endpoint::Unix { .. }) {
        let what = "host:port or postgres://host:port?sslmode=require is wanted: nobody logs in \
                    there";
        reader.note(&word.place, what);
        return None;
    }
    // The default of such an address is Postgres's port, where no copy is.
    if matches!(settings.endpoint, Endpoint::Tcp { port, .. } if port == POSTGRES_PORT)
        && !address.contains(":5432")
    {
        reader.note(&word.place, "a port is wanted, as in pgsieve-2:6432");
        return None;
    }
    let tls = &settings.tls;
    for file in [tls.certificate(), tls.authority()].into_iter().flatten() {
        reader.note_file(file, &word.place);
    }
    if let Some(key) = settings.tls.key() {
        reader.note_file(key, &word.place);
        reader.note_secret_file(key, &word.place);
    }
    Some(settings)
}

/// The port of an address that names none.
const POSTGRES_PORT: u16 = 5432;
