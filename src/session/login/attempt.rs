//! One login: from a StartupMessage to a session on both sides.
//!
//! The client hears that it is in only at the very end; until then nothing of it has reached the
//! upstream but its name, its database, its password and settings that the gate let through.

use std::sync::Arc;

use bytes::BytesMut;
use tokio::time::Instant;

use super::error::LoginError;
use super::login_server::LoginServer;
use super::login_settings::{AdmissionProof, LoginSettings};
use super::pending_logins::PendingLogin;
use super::proof::{ProofGiven, bar_disabled};
use super::reached::ReachedUpstream;
use super::startup::{self, AdmittedStartup, JudgedStartup};
use super::{AdmittedCaller, LoginContext, LoginEnd, OpenedSession};
use crate::auth::{AdmittedIdentity, AuthError, ClientAuth, certificate};
use crate::gate::StartupPlan;
use crate::net::framed_stream::FramedStream;
use crate::net::stream::PeerAddress;
use crate::policy::set::matching::SessionTraits;
use crate::session::drain::DrainReceiver;
use crate::session::membership::Membership;
use crate::session::policy_limits::per_user::CountedSession;
use crate::session::policy_reload::under;
use crate::session::policy_store::{AssignedPolicy, Unplaced};
use crate::session::pooling::pooled_relay::PooledLogin;
use crate::sqlstate;
use crate::telemetry::events::{
    AuthQueryFailed, LoginFinished, LoginSettingChanged, ProtocolViolation, TokenRefused,
    TripwireFired, UpstreamIdentityRefused, UpstreamTlsFailed, UpstreamUnreachable,
};
use crate::telemetry::labels::{LoginMethod, LoginOutcome, StartupSettingOutcome};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;
use crate::upstream::backend_signals::SessionOwner;
use crate::upstream::cancel::CancelGuard;
use crate::upstream::catalog_cache::CatalogCache;
use crate::upstream::compile_pool::CompilePool;
use crate::upstream::connect::Upstream;
use crate::upstream::login::UpstreamSession;
use crate::upstream::servers::ServerLease;
use crate::upstream::verify::VerifiedSession;
use crate::wire::encode::{self, ErrorFields, ErrorSeverity};
use crate::wire::startup::ProtocolVersion;

/// One login under way.
pub struct LoginAttempt<'d> {
    /// What every login needs.
    pub login_context: &'d LoginContext,
    /// The way that it comes in.
    pub login_settings: Arc<LoginSettings>,
    /// Where the client comes from.
    pub peer: PeerAddress,
    /// When it came.
    pub since: Instant,
    /// When it has to be in.
    pub deadline: Instant,
    /// What is known of it.
    pub info: SessionInfo,
    /// Its standing while it is the client's turn.
    pub pending: &'d PendingLogin,
    /// Hears when the server is asked to stop.
    pub draining: DrainReceiver,
    /// Who has been let in already, by the MCP server.
    pub caller: Option<Arc<AdmittedCaller>>,
    /// The server that it goes to.
    pub server: LoginServer,
}

/// The way to a session that was gone so far: what is there if it ends here.
struct LoginProgress {
    upstream: UpstreamSession,
    plan: StartupPlan,
    assigned_policy: AssignedPolicy,
    verified: VerifiedSession,
    catalog_cache: Option<Arc<CatalogCache>>,
    compile_pool: CompilePool,
    counted_session: CountedSession,
    server: ServerLease,
    cancel: Option<CancelGuard>,
    welcome: BytesMut,
    pooled: Option<Box<PooledLogin>>,
    method: LoginMethod,
    ends: Option<i64>,
}

impl LoginAttempt<'_> {
    /// Carries it out.
    ///
    /// May be cancelled: both connections are dropped.
    pub async fn run(
        mut self,
        mut client: FramedStream,
        settled: Result<JudgedStartup, LoginError>,
    ) -> LoginEnd {
        let entered = match settled {
            Ok(settled) => {
                let draining = self.draining.clone();
                tokio::select! {
                    entered = self.enter(&mut client, settled) => entered,
                    () = draining.begun() => Err(LoginError::Shutdown),
                }
            }
            Err(denial) => Err(denial),
        };
        match entered {
            Ok(LoginProgress {
                upstream,
                plan,
                assigned_policy,
                verified,
                catalog_cache,
                compile_pool,
                counted_session,
                server,
                cancel,
                welcome,
                pooled,
                method,
                ends,
            }) => {
                self.info = under(&self.info, &assigned_policy).admitted();
                self.record(method, LoginOutcome::Accepted, None);
                let info = Arc::new(self.info);
                let certificate = client.stream.peer_certificate();
                let subject = certificate.map(|shown| Box::new(certificate::subject(shown)));
                let auth = &self.login_settings.auth;
                let listed = certificate.and_then(|shown| auth.listed_name(&plan.user, shown));
                LoginEnd::Opened(Box::new(OpenedSession {
                    admission: AdmissionProof::of(self.caller.as_deref(), listed),
                    ends,
                    login_settings: self.login_settings,
                    client,
                    upstream,
                    info,
                    plan,
                    assigned_policy,
                    verified,
                    subject,
                    catalog_cache,
                    compile_pool,
                    counted_session,
                    server,
                    cancel,
                    welcome,
                    pooled,
                }))
            }
            Err(denial) => self.deny(client, &denial).await,
        }
    }

    /// The policy of a client, unless its proof decides about that.
    pub(super) fn place(&self, traits: &Arc<SessionTraits>) -> Result<AssignedPolicy, Unplaced> {
        match self.login_settings.auth.proves_attributes() && self.caller.is_none() {
            true => Err(Unplaced::Unproved),
            false => self.login_context.policy_store.assign(traits),
        }
    }

    /// Has a client prove who it is, as far as pgsieve asks that.
    pub(in crate::session) async fn prove(
        &self,
        client: &mut FramedStream,
        user: &str,
    ) -> Result<AdmittedIdentity<'_>, LoginError> {
        if let Some(caller) = &self.caller {
            let is_disabled = self.login_settings.disabled.has(user);
            return caller.admitted(is_disabled).ok_or(LoginError::Disabled);
        }
        if let Some(asked) = self.asked_for_password(client).await {
            return asked;
        }
        let auth = &self.login_settings.auth;
        let admitted = match auth.queried() {
            Some(users) => self.queried_proof().prove(users, client, user).await?,
            None => {
                self.pending.await_client();
                let admitted = auth.admit(client, self.peer, user, self.deadline).await;
                self.pending.stop_waiting();
                admitted.map_err(LoginError::Auth)?
            }
        };
        let places = (ProofGiven::of(&admitted), ProofGiven::Here);
        bar_disabled(&self.login_settings, places, user)?;
        Ok(admitted)
    }

    async fn enter(
        &self,
        client: &mut FramedStream,
        settled: JudgedStartup,
    ) -> Result<LoginProgress, LoginError> {
        let JudgedStartup {
            version,
            negotiation,
            bare,
            admission,
        } = settled;
        if !negotiation.is_empty() {
            client
                .send(&negotiation, self.deadline)
                .await
                .map_err(LoginError::Link)?;
        }
        let mut admitted = self.prove(client, &bare.user).await?;
        self.server.choose().await?;
        let proof = ProofGiven::of(&admitted);
        let welcome = self
            .decide(client, admission, (&mut admitted, &bare))
            .await?;
        let caller_ends = self.caller.as_ref().and_then(|caller| caller.ends);
        let ends = admitted.ends().or(caller_ends);
        let ReachedUpstream {
            session: upstream,
            verified,
            account,
            counted_session,
            method,
            pooled,
        } = self.reach(client, admitted, &welcome).await?;
        self.look_at_proved(proof, &bare.user, &upstream)?;
        let AdmittedStartup {
            plan,
            assigned_policy,
            asked,
        } = welcome;
        let server = upstream.server.as_ref();
        let compile_pools = &self.login_context.compile_pools;
        let (way, database) = (self.server.upstream()?, self.server.database());
        let compile_pool = compile_pools.of(database, &account, (server, &way));
        // The first client of a database at a server waits for what the gate must know to judge
        // with it.
        let catalogs = &self.login_context.catalogs;
        let catalog_cache = catalogs.of(database, (server, &way), account);
        if let Some(catalog_cache) = &catalog_cache {
            catalog_cache.first_load(self.deadline).await;
        }
        let membership = Membership::of(&upstream, catalog_cache.as_deref());
        let policy_store = (&*self.login_context.policy_store, &membership);
        let assigned_policy = startup::confirm(assigned_policy, (&asked, &plan), policy_store)?;
        (self.server).still_permits(&assigned_policy, (&upstream, pooled.as_deref()))?;
        let who = (&plan, &assigned_policy);
        let (welcome, cancel) = self.answer(version, who, (&upstream, way, pooled.is_some()))?;
        Ok(LoginProgress {
            upstream,
            plan,
            assigned_policy,
            verified,
            catalog_cache,
            compile_pool,
            counted_session,
            server: self.server.take()?,
            cancel,
            welcome,
            pooled,
            method,
            ends,
        })
    }

    /// Looks at a client that has proved to the upstream who it is: whether it may log in here, and
    /// whether it may do everything there, which is told.
    fn look_at_proved(
        &self,
        proof: ProofGiven,
        user: &str,
        upstream: &UpstreamSession,
    ) -> Result<(), LoginError> {
        bar_disabled(&self.login_settings, (proof, ProofGiven::Upstream), user)?;
        if proof == ProofGiven::Upstream || self.is_itself_upstream() {
            let (superusers, is_superuser) = (
                &self.login_context.superusers,
                upstream.parameter("is_superuser"),
            );
            superusers.note(user, is_superuser, &self.login_context.telemetry);
        }
        Ok(())
    }

    /// What tells the client that it is in, but for ReadyForQuery: AuthenticationOk, the upstream's
    /// settings, a process id with a secret of our own, what notices the upstream had, and which
    /// settings it did not get.
    fn answer(
        &self,
        version: ProtocolVersion,
        (plan, assigned_policy): (&StartupPlan, &AssignedPolicy),
        (upstream, target, is_shared): (&UpstreamSession, Arc<Upstream>, bool),
    ) -> Result<(BytesMut, Option<CancelGuard>), LoginError> {
        let unsaid = |cause| LoginError::Auth(AuthError::Unencodable(cause));
        let mut out = BytesMut::new();
        encode::authentication_ok(&mut out);
        for (name, value) in upstream.reported() {
            let value = self
                .login_settings
                .report_as
                .parameter(name)
                .unwrap_or(value);
            encode::parameter_status(&mut out, name, value).map_err(unsaid)?;
        }
        let mut guard = None;
        if let Some(key) = &upstream.key {
            let client = match self.peer {
                PeerAddress::Tcp(address) => format!("{}@{}", plan.user, address.ip()),
                PeerAddress::Unix | PeerAddress::Mcp(_) => plan.user.clone(),
            };
            let owner =
                SessionOwner::of(&plan.user, assigned_policy.gate.policy().name(), upstream);
            let (cancels, whose) = (&self.login_context.cancels, (client.as_str(), owner));
            let issued = if is_shared {
                cancels.issue_shared(version, whose, target, key.clone())
            } else {
                cancels.issue(version, whose, target, key.clone())
            };
            let (own, kept) = issued.map_err(|_no_key| LoginError::NoKey)?;
            encode::backend_key_data(&mut out, own.pid, &own.secret).map_err(unsaid)?;
            guard = Some(kept);
        }
        out.extend_from_slice(&upstream.notices);
        let changes = [
            (StartupSettingOutcome::Lowered, plan.lowered()),
            (StartupSettingOutcome::Ignored, plan.ignored()),
        ];
        for (change, count) in changes {
            for _ in 0..count {
                self.login_context
                    .telemetry
                    .emit(&LoginSettingChanged { change });
            }
        }
        for message in plan.notices() {
            let code = sqlstate::SUCCESSFUL_COMPLETION;
            encode::notice(
                &mut out,
                &ErrorFields::new(ErrorSeverity::Notice, code, &message),
            );
        }
        Ok((out, guard))
    }

    pub(in crate::session) async fn deny(
        self,
        client: FramedStream,
        denial: &LoginError,
    ) -> LoginEnd {
        let telemetry = &self.login_context.telemetry;
        if let Some(wire) = denial.tripwire() {
            telemetry.emit(&TripwireFired {
                session: &self.info,
                wire,
            });
        }
        if let Some((peer, cause)) = denial.violation() {
            telemetry.emit(&ProtocolViolation {
                session: &self.info,
                peer,
                cause,
            });
        }
        if let LoginError::Auth(AuthError::Token(failure)) = denial {
            let user = self.info.user();
            telemetry.emit(&TokenRefused { user, failure });
        }
        if let LoginError::Lookup(failure) = denial {
            telemetry.emit(&AuthQueryFailed { failure });
        }
        if let LoginError::IdentityRefused(failure) = denial {
            let user = self.info.user();
            match self.is_itself_upstream() {
                true => self.queried_proof().refused(user, failure),
                false => telemetry.emit(&UpstreamIdentityRefused { user, failure }),
            }
        } else if let Some(failure) = denial.operator_message() {
            telemetry.emit(&UpstreamUnreachable { failure });
        }
        if let Some(failure) = denial.upstream_tls() {
            telemetry.emit(&UpstreamTlsFailed { failure });
        }
        self.record(self.method(), denial.outcome(), denial.code());
        let mut last_words = BytesMut::new();
        denial.send(self.info.user(), &mut last_words);
        client.send_and_close(&last_words).await;
        LoginEnd::Closed {
            info: self.info,
            reason: denial.closed(),
        }
    }

    /// The way in which a client has proved who it is.
    pub(in crate::session) fn method_of(&self, admitted: &AdmittedIdentity<'_>) -> LoginMethod {
        match admitted {
            AdmittedIdentity::BoundAs(_) => LoginMethod::ScramPlus,
            AdmittedIdentity::AsItself
            | AdmittedIdentity::WithPassword(_)
            | AdmittedIdentity::As(_)
            | AdmittedIdentity::Proved { .. } => self.method(),
        }
    }

    /// The way of logging in that the settings name.
    fn method(&self) -> LoginMethod {
        if let Some(caller) = &self.caller {
            return caller.method;
        }
        match &self.login_settings.auth {
            ClientAuth::Passthrough { .. } => LoginMethod::Passthrough,
            ClientAuth::Scram(_) | ClientAuth::AuthQuery(_) => LoginMethod::Scram,
            ClientAuth::Certificate(_) => LoginMethod::Certificate,
            ClientAuth::Oidc(_) => LoginMethod::Oidc,
            ClientAuth::Trust(_) => LoginMethod::Trust,
        }
    }

    pub(in crate::session) fn record(
        &self,
        method: LoginMethod,
        outcome: LoginOutcome,
        sqlstate: Option<SqlstateCode>,
    ) {
        let (session, duration) = (&self.info, self.since.elapsed());
        let event = LoginFinished {
            session,
            method,
            outcome,
            sqlstate,
            duration,
        };
        self.login_context.telemetry.emit(&event);
    }
}
