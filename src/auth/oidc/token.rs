//! A token, taken apart and proved: who has signed it, for whom, until when, and whom it is of.
//!
//! Nothing of what a token says counts before its signature has been checked, but the name of the
//! key; and the key is only ever one of the issuer's own.
//! <https://www.rfc-editor.org/rfc/rfc7519#section-7.2> <https://www.rfc-editor.org/rfc/rfc8725>

use std::collections::BTreeMap;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::algorithm::{Algorithm, PublicKey};
use super::keyring::KeysFault;
use crate::limits;

/// A token whose signature has not been checked yet.
pub struct Unproved<'t> {
    /// The name of its key.
    pub key_name: String,
    /// How it says that it is signed.
    pub algorithm: Algorithm,
    signed: &'t str,
    payload: &'t str,
    signature: Vec<u8>,
}

/// What a token has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Who made it.
    pub issuer: String,
    /// Whom it is for.
    pub audience: String,
    /// The claim that names the user.
    pub user_claim: String,
    /// The attributes that are taken from it, each with its claim.
    pub attributes: BTreeMap<String, String>,
    /// By how many seconds the issuer's clock and ours may differ.
    pub clock_skew: i64,
}

/// What a token says whose signature is right, from the right issuer, for whom it was asked, in
/// its time.
pub struct ProvedClaims {
    claims: Map<String, Value>,
    expires: i64,
}

/// What a token proves of a user.
#[derive(Clone, PartialEq, Eq)]
pub struct Proved {
    /// Whose it is.
    pub user: String,
    /// What else it says of the user. What it does not say is not here.
    pub attributes: BTreeMap<String, Vec<Box<str>>>,
    /// When it expires, in seconds since 1970.
    pub expires: i64,
}

/// Why a token proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// It is no signed token at all: a password, say.
    NotToken,
    /// It is longer than a token may be.
    TooLong,
    /// It is signed in a way that is not taken, or not at all.
    Algorithm,
    /// It asks for something that is not understood.
    Critical,
    /// It is of another kind than those that let anybody in.
    Kind,
    /// It does not name its key.
    NoKeyName,
    /// The issuer has no such key.
    UnknownKey,
    /// There are no keys to check it with, and why.
    NoKeys(Option<KeysFault>),
    /// It was not signed with that key.
    Signature,
    /// Somebody else has made it.
    Issuer,
    /// It is for somebody else.
    Audience,
    /// It does not say when it expires, or not as a number.
    NoExpiry,
    /// It has expired.
    Expired,
    /// It holds from later on, or was made later on.
    NotYet,
    /// It has no claim of this name that could be used.
    Claim(String),
    /// Its address for mail was never checked.
    Unverified,
    /// It is another user's.
    OtherUser,
    /// Its user is not among those who may come.
    UnlistedUser,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<Value>,
    b64: Option<Value>,
}

impl<'t> Unproved<'t> {
    /// Takes a token apart.
    ///
    /// # Errors
    /// It is no token, or none whose signature could be checked here.
    pub fn read(token: &'t str) -> Result<Self, TokenError> {
        if token.len() > limits::LOGIN_TOKEN_BYTES_MAX {
            return Err(TokenError::TooLong);
        }
        let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::NotToken)?;
        let (header, payload) = signed.split_once('.').ok_or(TokenError::NotToken)?;
        if payload.contains('.') {
            return Err(TokenError::NotToken);
        }
        let header: Header = json(header).ok_or(TokenError::NotToken)?;
        if header.crit.is_some() || header.b64.is_some() {
            return Err(TokenError::Critical);
        }
        let algorithm = Algorithm::named(&header.alg).ok_or(TokenError::Algorithm)?;
        if !header.typ.as_deref().is_none_or(is_kind) {
            return Err(TokenError::Kind);
        }
        let key_name = header.kid.filter(|name| !name.is_empty());
        Ok(Self {
            key_name: key_name.ok_or(TokenError::NoKeyName)?,
            algorithm,
            signed,
            payload,
            signature: decoded(signature).ok_or(TokenError::NotToken)?,
        })
    }

    /// Checks it with the key that it names, and what every token has to say. `now` is in seconds
    /// since 1970.
    ///
    /// # Errors
    /// It proves nothing.
    pub fn prove(
        self,
        key: &PublicKey,
        expected: &Expected,
        now: i64,
    ) -> Result<ProvedClaims, TokenError> {
        let fits = key.algorithm() == self.algorithm;
        if !fits || !key.has_signed(self.signed.as_bytes(), &self.signature) {
            return Err(TokenError::Signature);
        }
        let claims: Map<String, Value> = json(self.payload).ok_or(TokenError::NotToken)?;
        if claims.get("iss").and_then(Value::as_str) != Some(&expected.issuer) {
            return Err(TokenError::Issuer);
        }
        if !is_for(claims.get("aud"), &expected.audience) {
            return Err(TokenError::Audience);
        }
        let expires = in_time(&claims, expected.clock_skew, now)?;
        Ok(ProvedClaims { claims, expires })
    }
}

impl ProvedClaims {
    /// When it expires, in seconds since 1970.
    pub fn expires(&self) -> i64 {
        self.expires
    }

    /// Whose it is, and what else of it is taken.
    ///
    /// # Errors
    /// A claim is missing, or has a value that nobody could use.
    pub fn of_user(&self, expected: &Expected) -> Result<Proved, TokenError> {
        Ok(Proved {
            user: user(&self.claims, &expected.user_claim)?,
            attributes: attributes(&self.claims, &expected.attributes)?,
            expires: self.expires,
        })
    }

    /// The text of a claim.
    ///
    /// # Errors
    /// It is missing, or no text that could be a name.
    pub fn text(&self, claim: &str) -> Result<String, TokenError> {
        let text = self.claims.get(claim).and_then(Value::as_str);
        let text = text.filter(|text| is_value(text));
        text.map(str::to_owned)
            .ok_or_else(|| TokenError::Claim(claim.to_owned()))
    }

    /// Whether it was given for a scope: `scope` has names with spaces between them, and `scp`,
    /// which some issuers have in its place, is such a text or a list.
    /// <https://www.rfc-editor.org/rfc/rfc9068#section-2.2.3>
    pub fn has_scope(&self, wanted: &str) -> bool {
        SCOPE_CLAIMS
            .iter()
            .any(|claim| match self.claims.get(*claim) {
                Some(Value::String(all)) => all.split(' ').any(|one| one == wanted),
                Some(Value::Array(all)) => all.iter().any(|one| one.as_str() == Some(wanted)),
                _ => false,
            })
    }
}

impl TokenError {
    /// Whether it may be told to whoever has shown the token: its signature was right, so it was
    /// theirs once.
    pub fn is_of_owner(&self) -> bool {
        matches!(self, Self::Expired | Self::NotYet)
    }
}

impl fmt::Debug for ProvedClaims {
    /// Without what it says.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ProvedClaims(until {})", self.expires)
    }
}

impl fmt::Debug for Proved {
    /// Without what it says of the user.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Proved(until {})", self.expires)
    }
}

impl fmt::Display for TokenError {
    /// For the log: nothing of the token itself.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::NoKeys(None) => "the issuer's keys are not known yet",
            Self::NoKeys(Some(fault)) => {
                return write!(formatter, "the issuer's keys cannot be fetched: {fault}");
            }
            Self::Claim(name) => {
                return write!(formatter, "it has no claim {name:?} that could be used");
            }
            Self::NotToken => "it is no signed token",
            Self::TooLong => "it is too long",
            Self::Algorithm => "it is not signed with RS256, ES256 or EdDSA",
            Self::Critical => "its header has crit or b64, which are not understood",
            Self::Kind => "its typ is not JWT or at+jwt",
            Self::NoKeyName => "its header has no kid",
            Self::UnknownKey => "the issuer's keys have none with its kid for its alg",
            Self::Signature => "its signature is wrong",
            Self::Issuer => "its iss is not the issuer of the settings",
            Self::Audience => "its aud does not have the audience of the settings",
            Self::NoExpiry => "it has no exp",
            Self::Expired => "it has expired",
            Self::NotYet => "its nbf or iat lies ahead, or is no number",
            Self::Unverified => "its email_verified is not true",
            Self::UnlistedUser => "its user is not in client.auth.users, or disabled",
            Self::OtherUser => "it is of another user than the one that logs in",
        };
        formatter.write_str(words)
    }
}

impl std::error::Error for TokenError {}

/// An ID token or an access token. Others are signed with the same keys, and are no proof.
fn is_kind(typ: &str) -> bool {
    let typ = typ.to_ascii_lowercase();
    let typ = typ.strip_prefix("application/").unwrap_or(&typ);
    ["jwt", "at+jwt"].contains(&typ)
}

/// Where issuers write scopes.
const SCOPE_CLAIMS: [&str; 2] = ["scope", "scp"];

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

fn json<T: for<'d> Deserialize<'d>>(part: &str) -> Option<T> {
    serde_json::from_slice(&decoded(part)?).ok()
}

fn is_for(given: Option<&Value>, audience: &str) -> bool {
    match given {
        Some(Value::String(one)) => one == audience,
        Some(Value::Array(list)) => {
            let are_texts = list.iter().all(Value::is_string);
            are_texts && list.iter().any(|one| one.as_str() == Some(audience))
        }
        _ => false,
    }
}

/// When it expires, which is not before now.
fn in_time(claims: &Map<String, Value>, skew: i64, now: i64) -> Result<i64, TokenError> {
    let expires = claims.get("exp").and_then(moment);
    let expires = expires.ok_or(TokenError::NoExpiry)?;
    let begins = |name: &str| match claims.get(name) {
        None => Ok(i64::MIN),
        Some(value) => moment(value).ok_or(TokenError::NotYet),
    };
    let begins = begins("nbf")?.max(begins("iat")?);
    if begins > now.saturating_add(skew) {
        return Err(TokenError::NotYet);
    }
    match expires.saturating_add(skew) > now {
        true => Ok(expires),
        false => Err(TokenError::Expired),
    }
}

/// Seconds since 1970; a part of one is left out.
fn moment(value: &Value) -> Option<i64> {
    let number = value.as_number()?;
    if let Some(whole) = number.as_i64() {
        return (whole >= 0).then_some(whole);
    }
    let text = number.to_string();
    let (whole, rest) = text.split_once('.')?;
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.parse().ok().filter(|_| is_plain)?;
    (0..=i64::MAX).contains(&whole).then_some(whole)
}

fn user(claims: &Map<String, Value>, claim: &str) -> Result<String, TokenError> {
    let missing = || TokenError::Claim(claim.to_owned());
    let verified = claims.get("email_verified");
    let is_refused = verified.is_some_and(|said| *said != Value::Bool(true));
    if claim == "email" && is_refused {
        return Err(TokenError::Unverified);
    }
    let user = claims.get(claim).and_then(Value::as_str);
    let user = user.filter(|user| is_value(user)).ok_or_else(missing)?;
    Ok(user.to_owned())
}

/// The attributes that it has. A claim that has no plain values is no attribute, and no login:
/// what a policy would make of it nobody can say.
fn attributes(
    claims: &Map<String, Value>,
    wanted: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Vec<Box<str>>>, TokenError> {
    let mut read = BTreeMap::new();
    for (attribute, claim) in wanted {
        let wrong = || TokenError::Claim(claim.clone());
        let values: Vec<&Value> = match claims.get(claim) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list.iter().collect(),
            Some(one) => vec![one],
        };
        if values.len() > limits::CLAIM_VALUES_MAX {
            return Err(wrong());
        }
        let values = values
            .into_iter()
            .map(|value| plain(value).ok_or_else(wrong));
        let values: Vec<Box<str>> = values.collect::<Result<_, _>>()?;
        if !values.is_empty() {
            read.insert(attribute.clone(), values);
        }
    }
    Ok(read)
}

/// A text, a whole number, or true or false.
fn plain(value: &Value) -> Option<Box<str>> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_i64() || number.is_u64() => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        _ => return None,
    };
    is_value(&text).then(|| text.into())
}

fn is_value(text: &str) -> bool {
    let is_short = text.len() <= limits::SESSION_VALUE_BYTES_MAX;
    is_short && !text.is_empty() && !text.contains('\0')
}
