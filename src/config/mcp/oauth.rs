//! `mcp.oauth`: the issuer whose tokens let agents in.

use std::path::PathBuf;

use super::oauth_keys::{
    ATTRIBUTES, AUDIENCE, CLOCK_SKEW, ISSUER, KEYS_CA, KEYS_FROM, POLICY_CLAIM, RESOURCE,
    ROLE_CLAIM, ROLES, SCOPES, USER_CLAIM,
};
use super::texts;
use crate::auth::oidc::token::Expected;
use crate::auth::settings::KeysFrom;
use crate::config::oidc;
use crate::config::value_reader::{KeyReader, ReadValue};
use crate::mcp::http::oauth::OAuthSettings;
use crate::mcp::http::oauth::resource::ResourceAddress;
use crate::upstream::address::UpstreamSettings;

/// All of it; none where no issuer is named.
pub fn oauth(
    reader: &mut KeyReader,
    upstream: Option<&UpstreamSettings>,
) -> Option<Option<OAuthSettings>> {
    if !reader.has(ISSUER.path) {
        refuse(reader);
        return Some(None);
    }
    let by = ISSUER.path;
    let issuer = oidc::required(reader, ISSUER.path, by);
    let resource = resource(reader);
    let audience = claim(reader, AUDIENCE.path);
    let keys_file = reader
        .peek_words(KEYS_FROM.path)
        .and_then(|mut words| words.pop());
    let keys = oidc::keys(reader, (KEYS_FROM.path, KEYS_CA.path), by);
    let user_claim = claim(reader, USER_CLAIM.path);
    let policy_claim = claim(reader, POLICY_CLAIM.path);
    let role_claim = claim(reader, ROLE_CLAIM.path);
    let roles = texts(reader, ROLES.path);
    let scopes = scopes(reader);
    let attributes = oidc::attributes(reader, ATTRIBUTES.path);
    let clock_skew = oidc::clock_skew(reader, CLOCK_SKEW.path);
    let (role_claim, roles) = (role_claim?, roles?);
    let is_nobody = upstream.is_some_and(|upstream| upstream.user.is_none());
    if role_claim.is_none() && is_nobody {
        let place = reader.place_of(ISSUER.path);
        reader.note(&place, NOBODY);
    }
    if role_claim.is_some() == roles.is_empty() {
        let place = reader.place_of(if roles.is_empty() {
            ROLE_CLAIM.path
        } else {
            ROLES.path
        });
        reader.note(
            &place,
            "mcp.oauth.role_claim and mcp.oauth.roles need each other",
        );
    }
    let resource = resource?;
    Some(Some(OAuthSettings {
        expected: Expected {
            issuer: issuer?,
            audience: audience?.unwrap_or_else(|| resource.text().to_owned()),
            user_claim: user_claim?.unwrap_or_else(|| USER_CLAIM.default.to_owned()),
            attributes: attributes?,
            clock_skew: clock_skew?,
        },
        resource,
        keys_file: match &keys {
            Some(KeysFrom::File(_)) => keys_file.map(PathBuf::from),
            _ => None,
        },
        keys: keys?,
        policy_claim: policy_claim?,
        role_claim,
        roles,
        scopes: scopes?,
    }))
}

/// Says which of its keys are given in vain, where no issuer is named.
fn refuse(reader: &mut KeyReader) {
    for key in [
        RESOURCE,
        AUDIENCE,
        KEYS_FROM,
        KEYS_CA,
        USER_CLAIM,
        POLICY_CLAIM,
        ROLE_CLAIM,
        ROLES,
        SCOPES,
        ATTRIBUTES,
        CLOCK_SKEW,
    ] {
        if reader.has(key.path) {
            let place = reader.place_of(key.path);
            reader.note(&place, "is only for mcp.oauth.issuer");
        }
    }
}

fn resource(reader: &mut KeyReader) -> Option<ResourceAddress> {
    let place = reader.place_of(RESOURCE.path);
    let text = oidc::required(reader, RESOURCE.path, ISSUER.path)?;
    let read = ResourceAddress::parse(&text);
    read.map_err(|wanted| reader.note(&place, wanted)).ok()
}

fn scopes(reader: &mut KeyReader) -> Option<Vec<String>> {
    let place = reader.place_of(SCOPES.path);
    let scopes = texts(reader, SCOPES.path)?;
    let is_of_scope = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if scopes.iter().any(|scope| !scope.bytes().all(is_of_scope)) {
        reader.note(
            &place,
            "a scope is of plain letters, without spaces, \" and \\",
        );
        return None;
    }
    Some(scopes)
}

fn claim(reader: &mut KeyReader, path: &str) -> Option<Option<String>> {
    match reader.word(path) {
        ReadValue::Absent => Some(None),
        ReadValue::Wrong => None,
        ReadValue::Given(word) => Some(Some(word.text)),
    }
}

const NOBODY: &str = "mcp.oauth needs a user in upstream.url whom everybody is at the upstream, or \
    mcp.oauth.role_claim";
