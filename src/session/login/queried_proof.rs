//! The proof of a client whose verifier the upstream has: it is asked for first, and then held
//! against what the client says.

use std::sync::Arc;

use tokio::time::Instant;

use super::LoginContext;
use super::error::LoginError;
use super::pending_logins::PendingLogin;
use crate::auth::login_secret::LoginSecret;
use crate::auth::queried::QueriedUsers;
use crate::auth::{AdmittedIdentity, AuthError};
use crate::net::framed_stream::FramedStream;
use crate::telemetry::events::AuthQueryRefused;
use crate::upstream::login::UpstreamLoginError;
use crate::upstream::servers::UpstreamServers;
use crate::upstream::verifier_lookup::{FoundUser, LookupAnswer};

/// What the proof takes of a login.
pub(super) struct QueriedProof<'l> {
    /// What every login needs.
    pub(super) login_context: &'l LoginContext,
    /// The servers that are asked.
    pub(super) servers: &'l Arc<UpstreamServers>,
    /// Its standing while it is the client's turn.
    pub(super) pending: &'l PendingLogin,
    /// When the client has to be in.
    pub(super) deadline: Instant,
}

impl QueriedProof<'_> {
    /// Has a client prove that it is that user.
    ///
    /// Not to be cancelled and gone on with: an exchange may be half done.
    ///
    /// # Errors
    /// The upstream cannot be asked, or the proof is wrong or did not come in time.
    pub(super) async fn prove<'s>(
        &self,
        users: &'s QueriedUsers,
        client: &mut FramedStream,
        user: &str,
    ) -> Result<AdmittedIdentity<'s>, LoginError> {
        let lookups = &self.login_context.verifier_lookups;
        let found = lookups.of_user(self.servers, users.settings(), user, self.deadline);
        let found = found.await.map_err(LoginError::Lookup)?;
        if let LookupAnswer::Unusable(why) = &*found.answer {
            let telemetry = &self.login_context.telemetry;
            telemetry.emit(&AuthQueryRefused { user, why });
        }
        self.pending.await_client();
        let asked = (user, found.answer.verifier());
        let admitted = users.admit(client, asked, self.deadline).await;
        self.pending.stop_waiting();
        if let Err(AuthError::WrongPassword) = &admitted {
            lookups.doubt(self.servers, user, &found);
        }
        let admitted = admitted.map_err(LoginError::Auth)?;
        self.supersede_others(&admitted, &found);
        Ok(admitted)
    }

    /// What was proved here does not let that user in at the upstream: its password may be another
    /// one by now.
    pub(super) fn refused(&self, user: &str, why: &UpstreamLoginError) {
        let lookups = &self.login_context.verifier_lookups;
        lookups.forget(self.servers, user);
        let telemetry = &self.login_context.telemetry;
        telemetry.emit(&AuthQueryRefused { user, why });
    }

    /// Connections with keys of before are for nobody who comes from now on.
    fn supersede_others(&self, admitted: &AdmittedIdentity<'_>, found: &FoundUser) {
        let identity = match admitted {
            AdmittedIdentity::As(identity) | AdmittedIdentity::BoundAs(identity) => &**identity,
            AdmittedIdentity::AsItself
            | AdmittedIdentity::WithPassword(_)
            | AdmittedIdentity::Proved { .. } => return,
        };
        let (pools, secret) = (self.login_context.pools.as_ref(), identity.secret.as_ref());
        if let (true, Some(pools), Some(keys @ LoginSecret::Keys(_))) =
            (found.is_news, pools, secret)
        {
            pools.supersede(self.servers, &identity.user, keys.digest());
        }
    }
}
