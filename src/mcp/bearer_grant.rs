//! What a token lets its bearer do.

use blake3::Hash;
use jiff::Timestamp;

use crate::policy::set::matching::UserClaims;
use crate::telemetry::labels::LoginMethod;

/// What a token lets its bearer do.
#[derive(Clone, Debug)]
pub struct BearerGrant {
    /// Names what is served for it: who has the same one has the same sessions.
    pub key: Hash,
    /// The user that policies see.
    pub user: String,
    /// The role that its sessions log in as at the upstream; the URL's user without it.
    pub role: Option<String>,
    /// Its policy; without it the one that such a session gets.
    pub policy: Option<String>,
    /// Its database; the URL's without it.
    pub database: Option<String>,
    /// What else is proved of its user.
    pub claims: UserClaims,
    /// How it is proved.
    pub method: LoginMethod,
    /// When it ends, in seconds since 1970; never without it.
    pub expires: Option<i64>,
}

impl BearerGrant {
    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.expires
            .is_some_and(|ends| ends <= Timestamp::now().as_second())
    }

    /// When its sessions have to end; what an issuer gives is renewed, so that is not said by one
    /// token of it.
    pub fn sessions_end(&self) -> Option<i64> {
        match self.method {
            LoginMethod::McpOauth => None,
            _ => self.expires,
        }
    }
}
