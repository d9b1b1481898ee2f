//! The settings of the way to the upstream: a URL, and keys that say the rest.
//!
//! The TLS keys mean what libpq's parameters of the URL mean, and are read by the same code; what
//! both say is said twice and therefore a problem. What neither says of an address that a flag
//! gives is taken from where libpq takes it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::config::libpq::LibpqDefaults;
use crate::config::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::secret::Secret;
use crate::upstream::address::UpstreamSettings;

/// `upstream`.
pub fn upstream(reader: &mut KeyReader) -> Option<UpstreamSettings> {
    let mut wrong = false;
    let mut more = String::new();
    for (path, parameter) in TLS_KEYS {
        match reader.word(path) {
            ReadValue::Absent => {}
            ReadValue::Wrong => wrong = true,
            ReadValue::Given(word) => {
                let is_file = *parameter != "sslmode" && word.text != "system";
                if is_file && matches!(reader.file(path), ReadValue::Wrong) {
                    wrong = true;
                }
                let value = utf8_percent_encode(&word.text, NON_ALPHANUMERIC);
                more.push_str(&format!("&{parameter}={value}"));
            }
        }
    }
    let password = match reader.word("upstream.password_file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => Some(reader.secret_in(&word)?),
    };
    let url = match reader.word("upstream.url") {
        ReadValue::Given(word) => word,
        ReadValue::Wrong => return None,
        ReadValue::Absent => {
            reader.note("upstream.url", URL_WANTED);
            return None;
        }
    };
    let defaults = match url.place == FLAG {
        true => LibpqDefaults::of(reader)?,
        false => LibpqDefaults::default(),
    };
    let sign = if url.text.contains('?') { "" } else { "?" };
    let address = format!("{}{sign}{more}", url.text);
    match UpstreamSettings::parse_with(&address, &defaults.words) {
        Ok(settings) if !wrong => Some(completed(reader, settings, password, (url, defaults))),
        Ok(_) => None,
        Err(problems) => {
            let place = match defaults.variables.as_slice() {
                [] => url.place,
                variables => format!("{}, with {}", url.place, variables.join(", ")),
            };
            for problem in problems {
                reader.note(&place, problem.to_string());
            }
            None
        }
    }
}

/// With the password, and a look at the files that are named.
fn completed(
    reader: &mut KeyReader,
    mut settings: UpstreamSettings,
    password: Option<Secret>,
    (url, mut defaults): (PlacedWord, LibpqDefaults),
) -> UpstreamSettings {
    if password.is_some() && settings.password.is_some() {
        let place = reader.place_of("upstream.password_file");
        reader.note(&place, "the URL has a password already");
    }
    settings.password = password.or(settings.password.take());
    if settings.password.is_none() {
        settings.password = defaults.password(reader, &settings);
    }
    let tls = &settings.tls;
    let named = [tls.certificate(), tls.key(), tls.authority()];
    for file in named.into_iter().flatten() {
        reader.note_file(file, &url.place);
    }
    if let Some(key) = settings.tls.key() {
        let place = if reader.has("upstream.tls.key") {
            reader.place_of("upstream.tls.key")
        } else {
            url.place
        };
        reader.note_secret_file(key, &place);
    }
    settings
}

/// What is said where there is no URL.
const URL_WANTED: &str = "is required: postgres://user@host:port/database, in the settings file, in \
                          PGSIEVE_UPSTREAM_URL or with --upstream";

/// Where an address stands that what libpq takes from elsewhere counts for.
const FLAG: &str = "--upstream";

/// The keys, and the parameters of the URL that mean the same.
const TLS_KEYS: &[(&str, &str)] = &[
    ("upstream.tls.mode", "sslmode"),
    ("upstream.tls.root_certificate", "sslrootcert"),
    ("upstream.tls.certificate", "sslcert"),
    ("upstream.tls.key", "sslkey"),
];
