//! `client.auth.oidc`: which tokens let clients in, and what of them is known of users.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::quantities::duration;
use super::users;
use super::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::auth::oidc::key_set::KeySet;
use crate::auth::oidc::token::Expected;
use crate::auth::settings::{
    AuthSettings, KeysFrom, OidcPeople, OidcSettings, OnExpiry, UpstreamIdentity, UserAttributes,
};
use crate::limits;
use crate::net::https::HttpsUrl;
use crate::policy::set::matching::{ATTRIBUTE_NAME, is_attribute};
use crate::policy::yaml::tree::YamlValue;

/// All of it.
pub fn oidc(reader: &mut KeyReader, service: Option<&UpstreamIdentity>) -> Option<AuthSettings> {
    let issuer = required(reader, ISSUER, METHOD);
    let audience = required(reader, AUDIENCE, METHOD);
    let user_claim = reader.parsed(USER_CLAIM, "sub".to_owned(), |text| Ok(text.to_owned()));
    let attributes = attributes(reader, ATTRIBUTES);
    let keys = keys(reader, (KEYS_FROM, KEYS_CA), METHOD);
    let clock_skew = clock_skew(reader, CLOCK_SKEW);
    let words = [("end", OnExpiry::End), ("stay", OnExpiry::Stay)];
    let on_expiry = reader.choice(EXPIRED_SESSIONS, &words).or(OnExpiry::End);
    let people = people(reader, service);
    Some(AuthSettings::Oidc(Box::new(OidcSettings {
        expected: Expected {
            issuer: issuer?,
            audience: audience?,
            user_claim: user_claim?,
            attributes: attributes?,
            clock_skew: clock_skew?,
        },
        keys: keys?,
        people: people?,
        on_expiry: on_expiry?,
    })))
}

/// Says which of its keys are given in vain, where the method is another one.
pub fn refuse(reader: &mut KeyReader) {
    for key in KEYS {
        if reader.has(key) {
            let place = reader.place_of(key);
            reader.note(&place, "is only for client.auth.method oidc");
        }
    }
}

/// What tokens say of users, the settings must not say as well.
pub fn apart(
    reader: &mut KeyReader,
    auth: Option<&AuthSettings>,
    attributes: Option<&UserAttributes>,
) {
    if let (Some(AuthSettings::Oidc(settings)), Some(given)) = (auth, attributes) {
        apart_from(reader, (ATTRIBUTES, &settings.expected), given);
    }
}

/// The same of what stands at a key.
pub fn apart_from(
    reader: &mut KeyReader,
    (path, expected): (&str, &Expected),
    given: &UserAttributes,
) {
    let twice = expected.attributes.keys();
    let twice: Vec<String> = twice.filter(|name| given.has(name)).cloned().collect();
    let place = reader.place_of(path);
    for name in twice {
        let what = format!(
            "{name} is an attribute of users in client.auth.attributes as well: which of both \
             holds nobody could say"
        );
        reader.note(&place, what);
    }
}

/// How far the issuer's clock and this one may differ, in seconds.
pub fn clock_skew(reader: &mut KeyReader, path: &str) -> Option<i64> {
    let (bounds, absent) = (limits::TOKEN_CLOCK_SKEW_BOUNDS, limits::TOKEN_CLOCK_SKEW);
    let skew = duration(reader, path, bounds, absent)?;
    Some(i64::try_from(skew.as_secs()).unwrap_or_default())
}

/// What has to be there where something else is.
pub fn required(reader: &mut KeyReader, path: &str, by: &str) -> Option<String> {
    match reader.word(path) {
        ReadValue::Given(word) => Some(word.text),
        ReadValue::Wrong => None,
        ReadValue::Absent => {
            reader.note(path, format!("is required by {by}"));
            None
        }
    }
}

/// Whoever has a token, or those who are listed.
fn people(reader: &mut KeyReader, service: Option<&UpstreamIdentity>) -> Option<OidcPeople> {
    if reader.has("client.auth.users") {
        return users::oidc(reader, service).map(OidcPeople::Listed);
    }
    match service {
        Some(service) => Some(OidcPeople::Everybody(service.clone())),
        None => {
            let what = "oidc needs client.auth.users, or a user in upstream.url whom everybody is \
                        at the upstream";
            let place = reader.place_of("client.auth.method");
            reader.note(&place, what);
            None
        }
    }
}

/// A file, or an address with the authorities of its host.
pub fn keys(
    reader: &mut KeyReader,
    (path, authority_path): (&str, &str),
    by: &str,
) -> Option<KeysFrom> {
    let authority = reader.file(authority_path).optional();
    let word = match reader.word(path) {
        ReadValue::Given(word) => word,
        ReadValue::Wrong => return None,
        ReadValue::Absent => {
            reader.note(path, format!("is required by {by}"));
            return None;
        }
    };
    if word.text.contains("://") {
        let url = match HttpsUrl::parse(&word.text) {
            Ok(url) => url,
            Err(error) => {
                reader.note(&word.place, error.to_string());
                return None;
            }
        };
        let authority = authority?;
        return Some(KeysFrom::Url { url, authority });
    }
    if reader.has(authority_path) {
        let place = reader.place_of(authority_path);
        reader.note(&place, "is only for keys at an https:// address");
    }
    keys_in(reader, &word).map(|keys| KeysFrom::File(Arc::new(keys)))
}

fn keys_in(reader: &mut KeyReader, word: &PlacedWord) -> Option<KeySet> {
    let text = reader.text_of(word)?;
    match KeySet::parse(&text) {
        Ok(keys) => Some(keys),
        Err(error) => {
            reader.note(&word.place, format!("the file has {error}: {}", word.text));
            None
        }
    }
}

/// The attributes of users, each with the claim that it is taken from.
pub fn attributes(reader: &mut KeyReader, path: &str) -> Option<BTreeMap<String, String>> {
    let Some(given) = reader.take(path) else {
        return Some(BTreeMap::new());
    };
    let YamlValue::Map(entries) = given.value else {
        let what = "a map of attributes is wanted, each with its claim, as {tenant: tenant_id}";
        reader.note(&given.place, what);
        return None;
    };
    let count = entries.len();
    let mut read = BTreeMap::new();
    for entry in entries {
        let place = given
            .source
            .place(entry.place, &format!("{path}.{}", entry.key));
        let wrong = match entry.tree.value {
            _ if !is_attribute(&entry.key) => ATTRIBUTE_NAME,
            YamlValue::Word(claim) if !claim.is_empty() => {
                read.insert(entry.key, claim);
                continue;
            }
            _ => "the name of a claim is wanted",
        };
        reader.note(&place, wrong);
    }
    if count > limits::ATTRIBUTES_MAX {
        let what = format!("at most {} attributes", limits::ATTRIBUTES_MAX);
        reader.note(&given.place, what);
        return None;
    }
    (read.len() == count).then_some(read)
}

const ISSUER: &str = "client.auth.oidc.issuer";
const AUDIENCE: &str = "client.auth.oidc.audience";
const KEYS_FROM: &str = "client.auth.oidc.keys";
const KEYS_CA: &str = "client.auth.oidc.keys_ca";
const USER_CLAIM: &str = "client.auth.oidc.user_claim";
const ATTRIBUTES: &str = "client.auth.oidc.attributes";
const CLOCK_SKEW: &str = "client.auth.oidc.clock_skew";
const EXPIRED_SESSIONS: &str = "client.auth.oidc.expired_sessions";

/// What requires them.
const METHOD: &str = "client.auth.method oidc";

/// All of them.
const KEYS: [&str; 8] = [
    ISSUER,
    AUDIENCE,
    KEYS_FROM,
    KEYS_CA,
    USER_CLAIM,
    ATTRIBUTES,
    CLOCK_SKEW,
    EXPIRED_SESSIONS,
];
