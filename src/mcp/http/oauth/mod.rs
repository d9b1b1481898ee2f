//! Tokens of an OAuth 2.1 issuer that others run: pgsieve is a resource server. What a token says
//! of its user is checked with the issuer's keys, and never sent anywhere.
//!
//! * [`resource`]: what clients are told, so that they find the issuer
//!
//! <https://modelcontextprotocol.io/specification/draft/basic/authorization>

pub mod resource;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use blake3::Hash;
use tokio::time::Instant;

use crate::auth::oidc::TokenIssuer;
use crate::auth::oidc::key_set::{KeySet, KeySetError};
use crate::auth::oidc::token::{Expected, ProvedClaims, TokenError};
use crate::auth::settings::KeysFrom;
use crate::limits;
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::limits::mcp::{PROVED_TOKEN_AGE_MAX, PROVED_TOKENS_MAX};
use crate::mcp::bearer_grant::BearerGrant;
use crate::mcp::tokens::hash_of;
use crate::mcp::watched_file::WatchedFile;
use crate::net::pem::TlsSetupError;
use crate::policy::set::matching::UserClaim;
use crate::telemetry::labels::LoginMethod;
use crate::text_file::{self, TextFault};
use resource::ResourceAddress;

/// Which tokens of which issuer let agents in, and as whom.
#[derive(Clone, Debug)]
pub struct OAuthSettings {
    /// What this server is called by its clients and by the issuer.
    pub resource: ResourceAddress,
    /// What a token has to say, and what of it is taken.
    pub expected: Expected,
    /// The issuer's keys.
    pub keys: KeysFrom,
    /// The file that they were read from, if they were.
    pub keys_file: Option<PathBuf>,
    /// The claim that names the policy; without it the one that such a session gets.
    pub policy_claim: Option<String>,
    /// The claim that names the role at the upstream; without it the URL's user.
    pub role_claim: Option<String>,
    /// The roles that it may name.
    pub roles: Vec<String>,
    /// The scopes that a token needs.
    pub scopes: Vec<String>,
}

/// The issuer's tokens.
pub struct OAuthBearers {
    settings: OAuthSettings,
    issuer: RwLock<Arc<TokenIssuer>>,
    keys_file: Option<Mutex<KeysFile>>,
    proved: Mutex<HashMap<Hash, ProvedBearer>>,
}

/// The file of the issuer's keys.
struct KeysFile {
    file: WatchedFile,
    /// Whether there were no keys in it when it was read last.
    is_unread: bool,
}

/// Why the issuer's keys are not those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeysFileFault {
    /// It cannot be read.
    Text(TextFault),
    /// It is no set of keys.
    Keys(KeySetError),
}

/// A token that was checked a moment ago.
struct ProvedBearer {
    grant: Arc<BearerGrant>,
    since: Instant,
}

/// Why a token lets nobody in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OAuthRefusal {
    /// It proves nothing.
    Unproved(TokenError),
    /// It was not given for this scope.
    Scope(String),
    /// It names a role that the settings do not.
    Role,
}

impl OAuthBearers {
    /// Makes ready to take tokens. Nothing is fetched yet.
    ///
    /// # Errors
    /// The authorities for the issuer's host cannot be read.
    pub fn new(settings: OAuthSettings) -> Result<Self, TlsSetupError> {
        let issuer = TokenIssuer::new(settings.expected.clone(), settings.keys.clone())?;
        let keys_file = settings.keys_file.as_deref().map(|path| {
            Mutex::new(KeysFile {
                file: WatchedFile::at(path),
                is_unread: false,
            })
        });
        Ok(Self {
            settings,
            issuer: RwLock::new(Arc::new(issuer)),
            keys_file,
            proved: Mutex::default(),
        })
    }

    /// What this server is called.
    pub fn resource(&self) -> &ResourceAddress {
        &self.settings.resource
    }

    /// The scopes that a token needs.
    pub fn scopes(&self) -> &[String] {
        &self.settings.scopes
    }

    /// What clients are told of this server.
    pub fn metadata(&self) -> String {
        let issuer = &self.settings.expected.issuer;
        self.settings.resource.metadata(issuer, self.scopes())
    }

    /// Whom a token lets in.
    ///
    /// May be cancelled: keys that are being fetched are fetched on for others.
    ///
    /// # Errors
    /// It lets nobody in.
    pub async fn grant(&self, said: &str) -> Result<Arc<BearerGrant>, OAuthRefusal> {
        let hash = hash_of(said);
        if let Some(grant) = self.proved_lately(&hash) {
            return Ok(grant);
        }
        let deadline = Instant::now() + limits::DOCUMENT_FETCH_TIME_MAX;
        let issuer = Arc::clone(&self.issuer.read().unwrap_or_else(PoisonError::into_inner));
        let claims = issuer.prove(said, deadline).await;
        let claims = claims.map_err(OAuthRefusal::Unproved)?;
        let grant = Arc::new(self.grant_of(&claims)?);
        self.remember(hash, &grant);
        Ok(grant)
    }

    /// Takes the keys of the file again where it has changed. Says once why they cannot be taken;
    /// those before hold on.
    pub fn look_at_keys(&self) -> Option<KeysFileFault> {
        let keys_file = self.keys_file.as_ref()?;
        let mut keys_file = keys_file.lock().unwrap_or_else(PoisonError::into_inner);
        if !keys_file.file.is_due() {
            return None;
        }
        let was_unread = keys_file.is_unread;
        let read = keys_in(keys_file.file.path());
        keys_file.is_unread = read.is_err();
        match read {
            Ok(keys) => {
                self.take_keys(keys);
                None
            }
            Err(fault) => (!was_unread).then_some(fault),
        }
    }

    fn take_keys(&self, keys: KeySet) {
        let keys = KeysFrom::File(Arc::new(keys));
        // Keys that are there need no authority that could be missing.
        let Ok(issuer) = TokenIssuer::new(self.settings.expected.clone(), keys) else {
            return;
        };
        let mut held = self.issuer.write().unwrap_or_else(PoisonError::into_inner);
        *held = Arc::new(issuer);
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        proved.clear();
    }

    fn grant_of(&self, claims: &ProvedClaims) -> Result<BearerGrant, OAuthRefusal> {
        let OAuthSettings {
            expected,
            policy_claim,
            role_claim,
            roles,
            scopes,
            ..
        } = &self.settings;
        if let Some(missing) = scopes.iter().find(|scope| !claims.has_scope(scope)) {
            return Err(OAuthRefusal::Scope(missing.clone()));
        }
        let proved = claims.of_user(expected).map_err(OAuthRefusal::Unproved)?;
        let named = |claim: &Option<String>| {
            let text = claim.as_ref().map(|claim| claims.text(claim));
            text.transpose().map_err(OAuthRefusal::Unproved)
        };
        let (policy, role) = (named(policy_claim)?, named(role_claim)?);
        if role.as_ref().is_some_and(|role| !roles.contains(role)) {
            return Err(OAuthRefusal::Role);
        }
        // A token that is renewed is another text; a session goes on for the same user with the
        // same rights in the same program, and for nobody else.
        let program = PROGRAM_CLAIMS.map(|claim| claims.text(claim).ok());
        let who = (&proved.user, &policy, &role, &proved.attributes, program);
        let who = serde_json::to_vec(&(&expected.issuer, who));
        let who = who.map_err(|_| OAuthRefusal::Unproved(TokenError::NotToken))?;
        let attributes = proved.attributes.into_iter();
        Ok(BearerGrant {
            key: blake3::keyed_hash(OAUTH_KEYS, &who),
            user: proved.user,
            role,
            policy,
            database: None,
            claims: attributes
                .map(|(name, values)| (UserClaim::Attribute(name.into()), values))
                .collect(),
            method: LoginMethod::McpOauth,
            expires: Some(claims.expires().saturating_add(expected.clock_skew)),
        })
    }

    fn proved_lately(&self, hash: &Hash) -> Option<Arc<BearerGrant>> {
        let proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        let found = proved.get(hash)?;
        let has_ended = found.grant.has_ended();
        let is_young = found.since.elapsed() < PROVED_TOKEN_AGE_MAX;
        (is_young && !has_ended).then(|| Arc::clone(&found.grant))
    }

    fn remember(&self, hash: Hash, grant: &Arc<BearerGrant>) {
        let mut proved = self.proved.lock().unwrap_or_else(PoisonError::into_inner);
        if proved.len() >= PROVED_TOKENS_MAX {
            proved.retain(|_, one| one.since.elapsed() < PROVED_TOKEN_AGE_MAX);
        }
        if proved.len() >= PROVED_TOKENS_MAX {
            proved.clear();
        }
        let bearer = ProvedBearer {
            grant: Arc::clone(grant),
            since: Instant::now(),
        };
        proved.insert(hash, bearer);
    }
}

fn keys_in(path: &Path) -> Result<KeySet, KeysFileFault> {
    let text = text_file::read(path, CONFIG_FILE_BYTES_MAX).map_err(KeysFileFault::Text)?;
    KeySet::parse(&text).map_err(KeysFileFault::Keys)
}

/// The program that a token was given to, as issuers name it.
const PROGRAM_CLAIMS: [&str; 2] = ["client_id", "azp"];

/// Sets the names of what is served for an issuer's tokens apart from those of a file's.
const OAUTH_KEYS: &[u8; 32] = b"pgsieve mcp callers by an issuer";

impl fmt::Display for OAuthRefusal {
    /// For the log: nothing of the token itself.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unproved(error) => error.fmt(formatter),
            Self::Scope(scope) => write!(formatter, "it was not given for the scope {scope:?}"),
            Self::Role => formatter.write_str("it names a role that is not in mcp.oauth.roles"),
        }
    }
}

impl fmt::Display for KeysFileFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(fault) => {
                let told = fault.describe(Path::new("it"));
                write!(formatter, "the file cannot be read: {told}")
            }
            Self::Keys(fault) => write!(formatter, "the file has {fault}"),
        }
    }
}

impl fmt::Debug for OAuthBearers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "OAuthBearers({})", self.settings.resource.text())
    }
}
