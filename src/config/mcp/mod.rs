//! `mcp`: the protocol for agents that have no driver, over HTTP. Its keys, and what they say.
//!
//! * [`oauth`]: the issuer whose tokens let agents in; [`oauth_keys`]: its keys

pub mod oauth;
pub mod oauth_keys;

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};

use super::oidc;
use super::settings_key::{KeyForm, SettingsKey};
use crate::auth::settings::UserAttributes;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::mcp::http::callers::AllowedNames;
use crate::mcp::http::oauth::OAuthSettings;
use crate::mcp::tokens::TokenFile;
use crate::net::client_tls::ClientTlsSettings;
use crate::net::stream::is_loopback;
use crate::upstream::address::UpstreamSettings;

/// Where it listens.
pub const LISTEN: SettingsKey = SettingsKey {
    path: "mcp.listen",
    form: KeyForm::Word,
    default: "off",
    doc: "The address for agents that speak the Model Context Protocol over HTTP, ip:port, or off; \
          the path is /mcp. With TLS wherever client.tls.certificate is set; without it only a \
          loopback address is taken, since tokens would cross a network in clear.",
};

/// Whom it lets in.
pub const TOKEN_FILE: SettingsKey = SettingsKey {
    path: "mcp.token_file",
    form: KeyForm::Word,
    default: "none",
    doc: "The file of the tokens that let agents in, as `pgsieve mcp-token` writes it: one JSON \
          object a line, with a token's hash, its user and, if you like, role, policy, database \
          and expires. It is looked at again when it changes.",
};

/// By which names it may be asked for.
pub const HOSTS: SettingsKey = SettingsKey {
    path: "mcp.hosts",
    form: KeyForm::Words,
    default: "none",
    doc: "The names by which agents may ask for mcp.listen, beside localhost and loopback \
          addresses: host or host:port.",
};

/// Which pages may ask.
pub const ORIGINS: SettingsKey = SettingsKey {
    path: "mcp.origins",
    form: KeyForm::Words,
    default: "none",
    doc: "The origins of web pages that may ask for mcp.listen, as https://agent.example.com:443; \
          a request of any other page is refused.",
};

/// How agents are served over HTTP.
#[derive(Debug)]
pub struct McpSettings {
    /// Where.
    pub listen: SocketAddr,
    /// Whom, by a file of tokens, with its path.
    pub tokens: Option<(TokenFile, PathBuf)>,
    /// Whom, by tokens of an issuer.
    pub oauth: Option<OAuthSettings>,
    /// By which names.
    pub names: AllowedNames,
}

/// `mcp.…`; none where nobody listens.
pub fn mcp(
    reader: &mut KeyReader,
    tls: Option<&ClientTlsSettings>,
    (upstream, attributes): (Option<&UpstreamSettings>, Option<&UserAttributes>),
) -> Option<Option<McpSettings>> {
    let listen = reader.parsed("mcp.listen", None, |text| match text {
        "off" => Ok(None),
        address => {
            let mut found = address.to_socket_addrs().ok().into_iter().flatten();
            let wanted = || "ip:port or off is wanted, as 127.0.0.1:8432".into();
            found.next().map(Some).ok_or_else(wanted)
        }
    });
    let hosts = texts(reader, "mcp.hosts");
    let origins = texts(reader, "mcp.origins");
    let tokens = match reader.word("mcp.token_file") {
        ReadValue::Absent => None,
        ReadValue::Wrong => return None,
        ReadValue::Given(word) => {
            // What stands there may be a token in the place of a path.
            reader.text_of(&word)?;
            let path = Path::new(&word.text);
            match TokenFile::open(path) {
                Ok(tokens) => {
                    reader.note_secret_file(path, &word.place);
                    Some((tokens, path.to_owned()))
                }
                Err(fault) => {
                    reader.note(&word.place, fault.to_string());
                    return None;
                }
            }
        }
    };
    let oauth = oauth::oauth(reader, upstream);
    if let (Some(Some(oauth)), Some(given)) = (&oauth, attributes) {
        oidc::apart_from(
            reader,
            (oauth_keys::ATTRIBUTES.path, &oauth.expected),
            given,
        );
    }
    let (listen, hosts, origins, oauth) = (listen?, hosts?, origins?, oauth?);
    let Some(listen) = listen else {
        return Some(None);
    };
    let place = reader.place_of("mcp.listen");
    if !is_loopback(listen.ip()) && matches!(tls, Some(ClientTlsSettings::Off)) {
        reader.note(&place, IN_CLEAR);
        return None;
    }
    if tokens.is_none() && oauth.is_none() {
        let what = "needs mcp.token_file or mcp.oauth.issuer: the tokens that let agents in";
        reader.note(&place, what);
        return None;
    }
    Some(Some(McpSettings {
        listen,
        tokens,
        oauth,
        names: AllowedNames { hosts, origins },
    }))
}

fn texts(reader: &mut KeyReader, path: &str) -> Option<Vec<String>> {
    match reader.words(path) {
        ReadValue::Absent => Some(Vec::new()),
        ReadValue::Wrong => None,
        ReadValue::Given(words) => Some(words.into_iter().map(|word| word.text).collect()),
    }
}

const IN_CLEAR: &str = "tokens would cross the network in clear: set client.tls.certificate and \
    client.tls.key, or take a loopback address behind a proxy that speaks TLS";
