//! `client.auth.query`: how the upstream is asked for verifiers, and who its users are there. Its
//! keys, and what they say.

use crate::auth::function_name::FunctionName;
use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::{AuthSettings, QueriedIdentity, QuerySettings, UpstreamIdentity};
use crate::config::quantities::duration;
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::limits::verifiers::{CACHE_AGE, CACHE_AGE_BOUNDS};

/// What tells verifiers.
pub const FUNCTION: SettingsKey = SettingsKey {
    path: "client.auth.query.function",
    form: KeyForm::Word,
    default: "pgsieve.user_lookup",
    doc: "With auth_query: the function that tells the verifier of a user, as schema.name without \
          quotes. It takes the user's name and gives one row of a name and a verifier, or none. \
          pgsieve doctor --config FILE --sql prints the SQL that creates it.",
};

/// Where it is.
pub const DATABASE: SettingsKey = SettingsKey {
    path: "client.auth.query.database",
    form: KeyForm::Word,
    default: "that of the server's URL; else postgres",
    doc: "With auth_query: the database that has the function, for logins to all databases of a \
          server. PgBouncer's auth_dbname.",
};

/// Who may call it.
pub const USER: SettingsKey = SettingsKey {
    path: "client.auth.query.user",
    form: KeyForm::Word,
    default: "the URL's",
    doc: "With auth_query: the role that calls the function. PgBouncer's auth_user. With \
          upstream_user: url it is required, and has to be another role than the URL's, because \
          clients are that one.",
};

/// With which password.
pub const PASSWORD_FILE: SettingsKey = SettingsKey {
    path: "client.auth.query.password_file",
    form: KeyForm::Word,
    default: "none",
    doc: "A file whose first line is the password of client.auth.query.user.",
};

/// How long an answer holds.
pub const AGE: SettingsKey = SettingsKey {
    path: "client.auth.query.cache_age",
    form: KeyForm::Word,
    default: "10s",
    doc: "With auth_query: how long a verifier is used without being asked for again, 1s to 5min. \
          A changed password is known at the latest after this time, and after a login that fails \
          at once.",
};

/// Who clients are at the upstream.
pub const UPSTREAM_USER: SettingsKey = SettingsKey {
    path: "client.auth.query.upstream_user",
    form: KeyForm::Word,
    default: "itself",
    doc: "With auth_query: who a client is at the upstream: itself (pgsieve logs in with the keys \
          of the client's SCRAM proof, so that its own rights hold; the server has to ask for \
          scram-sha-256), or url (the user of upstream.url).",
};

/// The words of `client.auth.query.upstream_user`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UpstreamUserWord {
    Itself,
    Url,
}

/// All of it.
pub fn auth_query(
    reader: &mut KeyReader,
    service: Option<&UpstreamIdentity>,
) -> Option<AuthSettings> {
    let function = reader.parsed(FUNCTION.path, default_function(), |text| {
        let read = FunctionName::parse(text);
        read.map(Some)
            .ok_or_else(|| "a function is wanted as schema.name, without quotes".into())
    });
    let database = reader.word(DATABASE.path).optional();
    let age = duration(reader, AGE.path, CACHE_AGE_BOUNDS, CACHE_AGE);
    let words = [
        ("itself", UpstreamUserWord::Itself),
        ("url", UpstreamUserWord::Url),
    ];
    let upstream_user = reader.choice(UPSTREAM_USER.path, &words);
    let upstream_user = upstream_user.or(UpstreamUserWord::Itself);
    let account = account(reader, service);
    let (account, upstream_user) = (account?, upstream_user?);
    let upstream = match (upstream_user, service) {
        (UpstreamUserWord::Itself, _) => QueriedIdentity::Itself,
        (UpstreamUserWord::Url, Some(service)) if service.user != account.user => {
            QueriedIdentity::One(service.clone())
        }
        (UpstreamUserWord::Url, Some(_)) => {
            let what = "with url, client.auth.query.user has to be another role than the URL's: \
                        sessions of clients are that one, and it could ask for verifiers";
            let place = reader.place_of(UPSTREAM_USER.path);
            reader.note(&place, what);
            return None;
        }
        (UpstreamUserWord::Url, None) => {
            let place = reader.place_of(UPSTREAM_USER.path);
            reader.note(&place, "url needs a user in upstream.url");
            return None;
        }
    };
    Some(AuthSettings::AuthQuery(Box::new(QuerySettings {
        function: function??,
        account,
        database: database?.map(|word| word.text),
        cache_age: age?,
        upstream,
    })))
}

/// Says which of its keys are given in vain, where the method is another one.
pub fn refuse(reader: &mut KeyReader) {
    for key in KEYS {
        if reader.has(key) {
            let place = reader.place_of(key);
            reader.note(&place, "is only for client.auth.method auth_query");
        }
    }
}

/// Its own role, or the URL's.
fn account(reader: &mut KeyReader, service: Option<&UpstreamIdentity>) -> Option<UpstreamIdentity> {
    let user = reader.word(USER.path).optional();
    let password = match reader.word(PASSWORD_FILE.path) {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => Some(reader.secret_in(&word)?),
    };
    match (user?, password, service) {
        (Some(user), password, service) => {
            let of_url = service.filter(|service| service.user == user.text);
            let of_url = of_url.and_then(|service| service.secret.clone());
            Some(UpstreamIdentity {
                user: user.text,
                secret: password.map(LoginSecret::from).or(of_url),
            })
        }
        (None, Some(_), _) => {
            let place = reader.place_of(PASSWORD_FILE.path);
            let what = "is the password of client.auth.query.user, which is not given";
            reader.note(&place, what);
            None
        }
        (None, None, Some(service)) => Some(service.clone()),
        (None, None, None) => {
            let what = "auth_query needs client.auth.query.user, or a user in upstream.url, who \
                        asks for verifiers";
            let place = reader.place_of("client.auth.method");
            reader.note(&place, what);
            None
        }
    }
}

fn default_function() -> Option<FunctionName> {
    FunctionName::parse(FUNCTION.default)
}

/// All of them.
const KEYS: [&str; 6] = [
    FUNCTION.path,
    DATABASE.path,
    USER.path,
    PASSWORD_FILE.path,
    AGE.path,
    UPSTREAM_USER.path,
];
