//! `client.auth.users`: who may log in, and as whom at the upstream.

use std::collections::BTreeMap;

use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::{
    CertificateUser, OidcUser, ScramUser, UpstreamIdentity, UserAttributes,
};
use crate::auth::verifier::ScramVerifier;
use crate::config::sources::ValueSource;
use crate::config::user_keys::USER_KEYS;
use crate::config::value_reader::{KeyReader, PlacedWord, ReadValue};
use crate::limits::{ATTRIBUTES_MAX, DISABLED_USERS_MAX, SESSION_VALUE_BYTES_MAX};
use crate::policy::access::Glob;
use crate::policy::set::matching::{ATTRIBUTE_NAME, is_attribute};
use crate::policy::similar_names::wanted_words;
use crate::policy::yaml::tree::{YamlEntry, YamlTree, YamlValue};
use crate::secret::Secret;
use crate::session::login::disabled_users::DisabledUsers;

/// Whether a user may log in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UserStatus {
    Enabled,
    Disabled,
}

/// One user's words by key, and where the user stands.
struct UserEntry {
    place: String,
    words: BTreeMap<&'static str, PlacedWord>,
}

/// The users of method scram.
pub fn scram(reader: &mut KeyReader, service: Option<&UpstreamIdentity>) -> Option<Vec<ScramUser>> {
    let mut read: Vec<ScramUser> = Vec::new();
    let mut disabled = Vec::new();
    let mut complete = true;
    for mut user in users(reader)? {
        user.refuse(reader, "certificate_name", "is only for method cert");
        let name = user.name(reader);
        let verifier = user.verifier(reader, name.as_deref());
        let upstream = user.upstream(reader, name.as_deref(), service);
        let standing = user.status(reader);
        let (Some(name), Some(verifier), Some(upstream), Some(standing)) =
            (name, verifier, upstream, standing)
        else {
            complete = false;
            continue;
        };
        if disabled.contains(&name) || read.iter().any(|other| other.name == name) {
            reader.note(&user.place, "another user has this name");
        }
        if standing == UserStatus::Disabled {
            disabled.push(name);
            continue;
        }
        read.push(ScramUser {
            name,
            verifier,
            upstream,
        });
    }
    complete.then_some(read)
}

/// The users of method oidc.
pub fn oidc(reader: &mut KeyReader, service: Option<&UpstreamIdentity>) -> Option<Vec<OidcUser>> {
    let mut read: Vec<OidcUser> = Vec::new();
    let mut disabled = Vec::new();
    let mut complete = true;
    for mut user in users(reader)? {
        user.refuse(reader, "certificate_name", "is only for method cert");
        user.refuse(reader, "verifier", "is only for method scram");
        user.refuse(reader, "verifier_file", "is only for method scram");
        let name = user.name(reader);
        let upstream = user.upstream(reader, name.as_deref(), service);
        let standing = user.status(reader);
        let (Some(name), Some(upstream), Some(standing)) = (name, upstream, standing) else {
            complete = false;
            continue;
        };
        if disabled.contains(&name) || read.iter().any(|other| other.name == name) {
            reader.note(&user.place, "another user has this name");
        }
        match standing {
            UserStatus::Enabled => read.push(OidcUser { name, upstream }),
            UserStatus::Disabled => disabled.push(name),
        }
    }
    complete.then_some(read)
}

/// The users of method cert.
pub fn certificates(
    reader: &mut KeyReader,
    service: Option<&UpstreamIdentity>,
) -> Option<Vec<CertificateUser>> {
    let mut read: Vec<CertificateUser> = Vec::new();
    let mut disabled = Vec::new();
    let mut complete = true;
    for mut user in users(reader)? {
        user.refuse(reader, "verifier", "is only for method scram");
        user.refuse(reader, "verifier_file", "is only for method scram");
        let name = user.name(reader);
        let upstream = user.upstream(reader, name.as_deref(), service);
        let standing = user.status(reader);
        let (Some(name), Some(upstream), Some(standing)) = (name, upstream, standing) else {
            complete = false;
            continue;
        };
        let certificate_name = user
            .take("certificate_name")
            .map_or(name.clone(), |w| w.text);
        let entry = CertificateUser {
            certificate_name,
            name,
            upstream,
        };
        let same = |other: &CertificateUser| {
            other.certificate_name == entry.certificate_name && other.name == entry.name
        };
        if disabled.iter().chain(&read).any(same) {
            reader.note(&user.place, "another entry has this name and certificate");
        }
        match standing {
            UserStatus::Enabled => read.push(entry),
            UserStatus::Disabled => disabled.push(entry),
        }
    }
    complete.then_some(read)
}

/// `client.auth.disabled`: users who may not log in, whatever the method.
pub fn disabled(reader: &mut KeyReader) -> Option<DisabledUsers> {
    let words = match reader.words(DISABLED) {
        ReadValue::Absent => return Some(DisabledUsers::default()),
        ReadValue::Wrong => return None,
        ReadValue::Given(words) => words,
    };
    if words.len() > DISABLED_USERS_MAX {
        let place = reader.place_of(DISABLED);
        reader.note(&place, format!("at most {DISABLED_USERS_MAX} names"));
        return None;
    }
    let names = words.iter().map(|word| Glob::new(&word.text));
    Some(DisabledUsers::new(names.collect()))
}

/// `client.auth.attributes`: for each user by name, its attributes, each with one value.
pub fn attributes(reader: &mut KeyReader) -> Option<UserAttributes> {
    let Some(given) = reader.take(ATTRIBUTES) else {
        return Some(UserAttributes::default());
    };
    let YamlValue::Map(users) = given.value else {
        let what = "a map of users is wanted, each with a map of attributes, as {ann: {tenant: 3}}";
        reader.note(&given.place, what);
        return None;
    };
    let mut read = BTreeMap::new();
    let mut complete = users.len() <= ATTRIBUTES_MAX;
    if !complete {
        reader.note(&given.place, format!("at most {ATTRIBUTES_MAX} users"));
    }
    for entry in users {
        let path = format!("{ATTRIBUTES}.{}", entry.key);
        let place = given.source.place(entry.place, &path);
        match (entry.tree.value, entry.key.is_empty()) {
            (YamlValue::Map(own), false) if own.len() <= ATTRIBUTES_MAX => {
                let own = attributes_of(reader, &given.source, (&path, own));
                complete &= own.is_some();
                read.insert(entry.key, own.unwrap_or_default());
            }
            _ => {
                reader.note(&place, "a map of attributes is wanted, as {tenant: 3}");
                complete = false;
            }
        }
    }
    complete.then(|| UserAttributes::new(read))
}

fn attributes_of(
    reader: &mut KeyReader,
    source: &ValueSource,
    (path, entries): (&str, Vec<YamlEntry>),
) -> Option<BTreeMap<String, String>> {
    let mut read = BTreeMap::new();
    let count = entries.len();
    for entry in entries {
        let place = source.place(entry.place, &format!("{path}.{}", entry.key));
        let wrong = match entry.tree.value {
            _ if !is_attribute(&entry.key) => ATTRIBUTE_NAME,
            YamlValue::Word(text) if text.is_empty() => {
                "a value is wanted: who has none leaves it out"
            }
            YamlValue::Word(text) if text.contains('\0') => "a value holds no zero byte",
            YamlValue::Word(text) if text.len() > SESSION_VALUE_BYTES_MAX => {
                "the value is too long"
            }
            YamlValue::Word(text) => {
                read.insert(entry.key, text);
                continue;
            }
            _ => "one value is wanted",
        };
        reader.note(&place, wrong);
    }
    (read.len() == count).then_some(read)
}

/// Every user as words; problems of form are noted.
fn users(reader: &mut KeyReader) -> Option<Vec<UserEntry>> {
    let Some(given) = reader.take(PATH) else {
        reader.note(PATH, "is required by this client.auth.method");
        return None;
    };
    let YamlValue::List(list) = given.value else {
        reader.note(
            &given.place,
            "a list of users is wanted, each as - name: bob",
        );
        return None;
    };
    if list.is_empty() {
        reader.note(&given.place, "at least one user is wanted");
        return None;
    }
    Some(
        list.into_iter()
            .filter_map(|tree| user(reader, &given.source, tree))
            .collect(),
    )
}

fn user(reader: &mut KeyReader, source: &ValueSource, tree: YamlTree) -> Option<UserEntry> {
    let place = source.place(tree.place, PATH);
    let YamlValue::Map(entries) = tree.value else {
        reader.note(&place, "a user is a map with a name, as - name: bob");
        return None;
    };
    let words = reader.entry_words(source, (PATH, USER_KEYS), entries);
    Some(UserEntry { place, words })
}

impl UserEntry {
    fn take(&mut self, key: &str) -> Option<PlacedWord> {
        self.words.remove(key)
    }

    fn refuse(&mut self, reader: &mut KeyReader, key: &str, why: &str) {
        if let Some(word) = self.take(key) {
            reader.note(&word.place, why);
        }
    }

    /// `disabled`.
    fn status(&mut self, reader: &mut KeyReader) -> Option<UserStatus> {
        let Some(word) = self.take("disabled") else {
            return Some(UserStatus::Enabled);
        };
        match word.text.as_str() {
            "true" => Some(UserStatus::Disabled),
            "false" => Some(UserStatus::Enabled),
            other => {
                reader.note(&word.place, wanted_words(other, &["true", "false"]));
                None
            }
        }
    }

    fn name(&mut self, reader: &mut KeyReader) -> Option<String> {
        let name = self.take("name").map(|word| word.text);
        if name.is_none() {
            reader.note(&self.place, "the user has no name");
        }
        name
    }

    fn verifier(&mut self, reader: &mut KeyReader, name: Option<&str>) -> Option<ScramVerifier> {
        let (text, place) = match (self.take("verifier"), self.take("verifier_file")) {
            (Some(word), None) => (Secret::new(word.text), word.place),
            (None, Some(word)) => (reader.secret_in(&word)?, word.place),
            (None, None) => {
                let of = name.map_or_else(String::new, |name| format!(" for {name}"));
                let what = format!(
                    "a verifier or verifier_file is wanted{of}; pgsieve hash-password makes one"
                );
                reader.note(&self.place, what);
                return None;
            }
            (Some(_), Some(_)) => {
                reader.note(&self.place, "verifier and verifier_file exclude each other");
                return None;
            }
        };
        match ScramVerifier::parse(text.reveal()) {
            Ok(verifier) => Some(verifier),
            Err(_) => {
                reader.note(
                    &place,
                    "a SCRAM-SHA-256 verifier is wanted; see hash-password",
                );
                None
            }
        }
    }

    /// Who the user is at the upstream: as said, else the URL's user, else the same name.
    fn upstream(
        &mut self,
        reader: &mut KeyReader,
        name: Option<&str>,
        service: Option<&UpstreamIdentity>,
    ) -> Option<UpstreamIdentity> {
        let file = self.take("upstream_password_file");
        let variable = self.take("upstream_password_env");
        let user = self.take("upstream_user").map(|word| word.text);
        let password = match (file, variable) {
            (None, None) => None,
            (Some(word), None) => Some(reader.secret_in(&word)?),
            (None, Some(word)) => Some(in_environment(reader, &word)?),
            (Some(_), Some(_)) => {
                reader.note(&self.place, "two places for one password");
                return None;
            }
        };
        match (user, password, service) {
            (None, None, Some(service)) => Some(service.clone()),
            (Some(user), None, Some(service)) if user == service.user => Some(service.clone()),
            (user, password, _) => {
                let user = user.or_else(|| name.map(str::to_owned))?;
                let secret = password.map(LoginSecret::from);
                Some(UpstreamIdentity { user, secret })
            }
        }
    }
}

fn in_environment(reader: &mut KeyReader, word: &PlacedWord) -> Option<Secret> {
    match reader.variable(&word.text) {
        Some(password) => Some(password),
        None => {
            reader.note(&word.place, "the variable is not set");
            None
        }
    }
}

/// The key of users who may not log in.
const DISABLED: &str = "client.auth.disabled";

/// The key of the list.
const PATH: &str = "client.auth.users";

/// That of what is known of users.
const ATTRIBUTES: &str = "client.auth.attributes";
