//! The settings of the clients' side: TLS and logins.

pub mod auth_query;
pub mod passthrough;

use crate::auth::login_secret::LoginSecret;
use crate::auth::settings::{AuthSettings, UpstreamIdentity};
use crate::config::value_reader::KeyReader;
use crate::config::{oidc, users};
use crate::net::client_tls::{ClientTlsFiles, ClientTlsSettings};
use crate::session::context::reported_role::ReportAs;
use crate::upstream::address::UpstreamSettings;

/// The words of `client.tls.mode`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TlsModeWord {
    Off,
    Allow,
    Require,
}

/// The words of `client.auth.method`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AuthMethodWord {
    Passthrough,
    Scram,
    AuthQuery,
    Certificate,
    Oidc,
    Trust,
}

/// `client.tls`.
pub fn tls(reader: &mut KeyReader) -> Option<ClientTlsSettings> {
    let certificate = reader.file("client.tls.certificate").optional();
    let key = reader.file("client.tls.key").optional();
    let client_ca = reader.file("client.tls.client_ca").optional();
    let words = [
        ("off", TlsModeWord::Off),
        ("allow", TlsModeWord::Allow),
        ("require", TlsModeWord::Require),
    ];
    let implied = if reader.has("client.tls.certificate") {
        TlsModeWord::Allow
    } else {
        TlsModeWord::Off
    };
    let mode = reader.choice("client.tls.mode", &words).or(implied)?;
    let (certificate, key, client_ca) = (certificate?, key?, client_ca?);
    let files = match (certificate, key) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => {
            let place = reader.place_of("client.tls.certificate");
            reader.note(
                &place,
                "certificate and key need each other: client.tls.key is missing",
            );
            return None;
        }
        (None, Some(_)) => {
            let place = reader.place_of("client.tls.key");
            let what = "certificate and key need each other: client.tls.certificate is missing";
            reader.note(&place, what);
            return None;
        }
    };
    let Some((certificate, key)) = files else {
        if mode != TlsModeWord::Off {
            let place = reader.place_of("client.tls.mode");
            reader.note(&place, "needs client.tls.certificate and client.tls.key");
            return None;
        }
        if client_ca.is_some() {
            let place = reader.place_of("client.tls.client_ca");
            reader.note(&place, "needs client.tls.certificate and client.tls.key");
            return None;
        }
        return Some(ClientTlsSettings::Off);
    };
    let place = reader.place_of("client.tls.key");
    reader.note_secret_file(&key, &place);
    let insists = client_ca.is_some();
    let files = ClientTlsFiles {
        certificate,
        key,
        client_ca,
    };
    Some(match mode {
        TlsModeWord::Off => ClientTlsSettings::Off,
        TlsModeWord::Allow => ClientTlsSettings::Allow(files),
        TlsModeWord::Require if insists => ClientTlsSettings::RequireCertificate(files),
        TlsModeWord::Require => ClientTlsSettings::Require(files),
    })
}

/// `client.auth`.
pub fn auth(
    reader: &mut KeyReader,
    upstream: Option<&UpstreamSettings>,
    tls: Option<&ClientTlsSettings>,
) -> Option<AuthSettings> {
    let words = [
        ("passthrough", AuthMethodWord::Passthrough),
        ("scram", AuthMethodWord::Scram),
        ("auth_query", AuthMethodWord::AuthQuery),
        ("cert", AuthMethodWord::Certificate),
        ("oidc", AuthMethodWord::Oidc),
        ("trust", AuthMethodWord::Trust),
    ];
    let bools = [("true", true), ("false", false)];
    let plaintext = reader
        .choice("client.auth.allow_plaintext_passwords", &bools)
        .or(false);
    let method = reader
        .choice("client.auth.method", &words)
        .or(AuthMethodWord::Passthrough)?;
    if method != AuthMethodWord::Passthrough {
        for path in [
            "client.auth.allow_plaintext_passwords",
            passthrough::AGE.path,
        ] {
            only_for(reader, path, "passthrough");
        }
    }
    if matches!(
        method,
        AuthMethodWord::Passthrough | AuthMethodWord::AuthQuery | AuthMethodWord::Trust
    ) {
        only_for(reader, "client.auth.users", "scram, cert and oidc");
    }
    if method != AuthMethodWord::Oidc {
        oidc::refuse(reader);
    }
    if method != AuthMethodWord::AuthQuery {
        auth_query::refuse(reader);
    }
    let service = upstream.and_then(identity);
    match method {
        AuthMethodWord::Passthrough => Some(AuthSettings::Passthrough {
            allow_plaintext_passwords: plaintext?,
            cache_age: passthrough::cache_age(reader)?,
        }),
        AuthMethodWord::Scram => Some(AuthSettings::Scram {
            users: users::scram(reader, service.as_ref())?,
        }),
        AuthMethodWord::AuthQuery => auth_query::auth_query(reader, service.as_ref()),
        AuthMethodWord::Certificate => {
            if !tls.is_none_or(has_client_ca) {
                reader.note("client.auth.method", "cert needs client.tls.client_ca");
            }
            let entries = users::certificates(reader, service.as_ref())?;
            Some(AuthSettings::Certificate { entries })
        }
        AuthMethodWord::Oidc => oidc::oidc(reader, service.as_ref()),
        AuthMethodWord::Trust => Some(AuthSettings::Trust { upstream: service }),
    }
}

/// `client.report_as`.
pub fn report_as(reader: &mut KeyReader) -> Option<ReportAs> {
    let words = [
        ("upstream", ReportAs::Upstream),
        ("primary", ReportAs::Primary),
        ("standby", ReportAs::Standby),
    ];
    let chosen = reader.choice("client.report_as", &words);
    chosen.or(ReportAs::Upstream)
}

/// Who the URL logs in as.
fn identity(upstream: &UpstreamSettings) -> Option<UpstreamIdentity> {
    let user = upstream.user.clone()?;
    Some(UpstreamIdentity {
        user,
        secret: upstream.password.clone().map(LoginSecret::from),
    })
}

fn has_client_ca(tls: &ClientTlsSettings) -> bool {
    match tls {
        ClientTlsSettings::Off => false,
        ClientTlsSettings::Allow(files)
        | ClientTlsSettings::Require(files)
        | ClientTlsSettings::RequireCertificate(files) => files.client_ca.is_some(),
    }
}

fn only_for(reader: &mut KeyReader, path: &str, methods: &str) {
    if reader.has(path) {
        let place = reader.place_of(path);
        reader.note(&place, format!("is only for client.auth.method {methods}"));
    }
}
