//! One login: from a StartupMessage to a session on both sides.
//!
//! The client hears that it is in only at the very end; until then nothing of it has reached the
//! upstream but its name, its database, its password and settings that the gate let through.

use std::sync::Arc;

use bytes::BytesMut;
use tokio::time::Instant;

use super::error::Denial;
use super::greeting::Hello;
use super::login_settings::Entrance;
use super::pending_logins::PendingLogin;
use super::startup::{self, Settled, Welcome};
use super::{LoginDesk, LoginEnd, Opened};
use crate::auth::{Admitted, Auth, AuthError, certificate};
use crate::gate::{Introduction, StartupPlan};
use crate::net::framed_stream::Link;
use crate::net::stream::Peer;
use crate::policy::set::matching::Traits;
use crate::policy::{Policy, SessionValue};
use crate::session::drain::Draining;
use crate::session::membership::Membership;
use crate::session::policy_limits::per_user::Presence;
use crate::session::policy_reload::under;
use crate::session::policy_store::{Placed, Unplaced};
use crate::sqlstate;
use crate::telemetry::events::{
    LoginFinished, LoginSettingChanged, ProtocolViolation, TokenRefused, TripwireFired,
    UpstreamIdentityRefused, UpstreamTlsFailed, UpstreamUnreachable,
};
use crate::telemetry::labels::{LoginMethod, LoginOutcome, LoginSetting};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::Code;
use crate::upstream::backend_signals::Owner;
use crate::upstream::cancel::CancelGuard;
use crate::upstream::catalog_cache::Keeper;
use crate::upstream::compile_pool::Side;
use crate::upstream::login::UpstreamSession;
use crate::upstream::verify::{Verified, verify};
use crate::wire::encode::{self, ErrorFields, Severity};
use crate::wire::startup::ProtocolVersion;

/// One login under way.
pub struct Attempt<'d> {
    /// What every login needs.
    pub desk: &'d LoginDesk,
    /// The way that it comes in.
    pub entrance: Arc<Entrance>,
    /// Where the client comes from.
    pub peer: Peer,
    /// When it came.
    pub since: Instant,
    /// When it has to be in.
    pub deadline: Instant,
    /// What is known of it.
    pub info: SessionInfo,
    /// Its standing while it is the client's turn.
    pub pending: &'d PendingLogin,
    /// Hears when the server is asked to stop.
    pub draining: Draining,
}

/// The way to a session that was gone so far: what is there if it ends here.
struct Entered {
    upstream: UpstreamSession,
    plan: StartupPlan,
    placed: Placed,
    verified: Verified,
    keeper: Option<Arc<Keeper>>,
    side: Side,
    presence: Presence,
    cancel: Option<CancelGuard>,
    method: LoginMethod,
    ends: Option<i64>,
}

impl Attempt<'_> {
    /// Carries it out.
    ///
    /// May be cancelled: both connections are dropped.
    pub async fn run(mut self, hello: Hello) -> LoginEnd {
        let settled = hello.startup().and_then(|startup| {
            let introduction = Introduction::of(&startup.parameters);
            let Introduction {
                user,
                database,
                application_name,
            } = &introduction;
            self.info = self.info.clone().named(user, database, application_name);
            let way = (self.peer, &hello.link);
            let traits = startup::traits(introduction, way, &self.entrance.attributes);
            let traits = Arc::new(traits);
            let placed = self.place(&traits);
            if let Ok(placed) = &placed {
                self.info = under(&self.info, placed);
            }
            startup::settle(&startup, (traits, placed))
        });
        let mut client = hello.link;
        let entered = match settled {
            Ok(settled) => {
                let draining = self.draining.clone();
                tokio::select! {
                    entered = self.enter(&mut client, settled) => entered,
                    () = draining.begun() => Err(Denial::Shutdown),
                }
            }
            Err(denial) => Err(denial),
        };
        match entered {
            Ok(Entered {
                upstream,
                plan,
                placed,
                verified,
                keeper,
                side,
                presence,
                cancel,
                method,
                ends,
            }) => {
                self.info = under(&self.info, &placed).admitted();
                self.record(method, LoginOutcome::Accepted, None);
                let info = self.info;
                let certificate = client.stream.peer_certificate();
                let subject = certificate.map(|shown| Box::new(certificate::subject(shown)));
                let auth = &self.entrance.auth;
                let listed = certificate.and_then(|shown| auth.listed_name(&plan.user, shown));
                LoginEnd::Opened(Box::new(Opened {
                    certificate_name: listed.map(Box::from),
                    ends,
                    entrance: self.entrance,
                    client,
                    upstream,
                    info,
                    plan,
                    placed,
                    verified,
                    subject,
                    keeper,
                    side,
                    presence,
                    cancel,
                }))
            }
            Err(denial) => self.deny(client, &denial).await,
        }
    }

    /// The policy of a client, unless its proof decides about that.
    fn place(&self, traits: &Arc<Traits>) -> Result<Placed, Unplaced> {
        match self.entrance.auth.proves_attributes() {
            true => Err(Unplaced::Unproved),
            false => self.desk.regime.place(traits),
        }
    }

    async fn enter(&self, client: &mut Link, settled: Settled) -> Result<Entered, Denial> {
        let Settled {
            version,
            negotiation,
            bare,
            standing,
        } = settled;
        if !negotiation.is_empty() {
            client
                .send(&negotiation, self.deadline)
                .await
                .map_err(Denial::Link)?;
        }
        self.pending.await_client();
        let admitted = self
            .entrance
            .auth
            .admit(client, self.peer, &bare.user, self.deadline)
            .await;
        self.pending.heard();
        let mut admitted = admitted.map_err(Denial::Auth)?;
        let welcome = self
            .decide(client, standing, (&mut admitted, &bare))
            .await?;
        let method = match admitted {
            Admitted::BoundAs(_) => LoginMethod::ScramPlus,
            Admitted::AsItself | Admitted::As(_) | Admitted::Proved { .. } => self.method(),
        };
        let ends = admitted.ends();
        let reached = self.reach(client, admitted, &welcome).await?;
        let ((mut upstream, account), presence) = reached;
        let Welcome {
            plan,
            placed,
            asked,
        } = welcome;
        let wanted = settings_of(placed.gate.policy());
        let reticence = self.desk.upstream.reticence();
        let verified = verify(&mut upstream, &wanted, reticence, self.deadline).await;
        let verified = verified.map_err(Denial::NotReadOnly)?;
        let server = upstream.server.as_ref();
        let side = self.desk.sides.of(&plan.database, &account, server);
        // The first client of a database at a server waits for what the gate must know to judge
        // with it.
        let keeper = self.desk.catalogs.of(&plan.database, server, account);
        if let Some(keeper) = &keeper {
            keeper.first_load(self.deadline).await;
        }
        let membership = Membership::of(&upstream, keeper.as_deref());
        let regime = (&*self.desk.regime, &membership);
        let placed = startup::confirm(placed, (&asked, &plan), regime)?;
        let who = (&plan, &placed);
        let cancel = self.answer(client, version, who, &upstream).await?;
        Ok(Entered {
            upstream,
            plan,
            placed,
            verified,
            keeper,
            side,
            presence,
            cancel,
            method,
            ends,
        })
    }

    /// Tells the client that it is in: AuthenticationOk, the upstream's settings, its process id
    /// with a secret of our own, what notices the upstream had, and which settings it did not get.
    async fn answer(
        &self,
        client: &mut Link,
        version: ProtocolVersion,
        (plan, placed): (&StartupPlan, &Placed),
        upstream: &UpstreamSession,
    ) -> Result<Option<CancelGuard>, Denial> {
        let unsaid = |cause| Denial::Auth(AuthError::Unsaid(cause));
        let mut out = BytesMut::new();
        encode::authentication_ok(&mut out);
        for (name, value) in &upstream.parameters {
            let value = self.entrance.report_as.parameter(name).unwrap_or(value);
            encode::parameter_status(&mut out, name, value).map_err(unsaid)?;
        }
        let mut guard = None;
        if let Some(key) = &upstream.key {
            let target = self.desk.upstream.clone();
            let client = match self.peer {
                Peer::Tcp(address) => format!("{}@{}", plan.user, address.ip()),
                Peer::Unix => plan.user.clone(),
            };
            let owner = Owner::of(&plan.user, placed.gate.policy().name(), upstream);
            let (cancels, whose) = (&self.desk.cancels, (client.as_str(), owner));
            let issued = cancels.issue(version, whose, target, key.clone());
            let (own, kept) = issued.map_err(|_no_key| Denial::NoKey)?;
            encode::backend_key_data(&mut out, own.pid, &own.secret).map_err(unsaid)?;
            guard = Some(kept);
        }
        out.extend_from_slice(&upstream.notices);
        let changes = [
            (LoginSetting::Lowered, plan.lowered()),
            (LoginSetting::Ignored, plan.ignored()),
        ];
        for (change, count) in changes {
            for _ in 0..count {
                self.desk.telemetry.emit(&LoginSettingChanged { change });
            }
        }
        for message in plan.notices() {
            let code = sqlstate::SUCCESSFUL_COMPLETION;
            encode::notice(
                &mut out,
                &ErrorFields::new(Severity::Notice, code, &message),
            );
        }
        client
            .send(&out, self.deadline)
            .await
            .map_err(Denial::Link)?;
        Ok(guard)
    }

    async fn deny(self, client: Link, denial: &Denial) -> LoginEnd {
        let telemetry = &self.desk.telemetry;
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
        if let Denial::Auth(AuthError::Token(failure)) = denial {
            let user = self.info.user();
            telemetry.emit(&TokenRefused { user, failure });
        }
        if let Denial::IdentityRefused(failure) = denial {
            let user = self.info.user();
            telemetry.emit(&UpstreamIdentityRefused { user, failure });
        } else if let Some(failure) = denial.for_the_house() {
            telemetry.emit(&UpstreamUnreachable { failure });
        }
        if let Some(failure) = denial.upstream_tls() {
            telemetry.emit(&UpstreamTlsFailed { failure });
        }
        self.record(self.method(), denial.outcome(), denial.code());
        let mut last_words = BytesMut::new();
        denial.tell(self.info.user(), &mut last_words);
        client.part(&last_words).await;
        LoginEnd::Closed {
            info: self.info,
            reason: denial.closed(),
        }
    }

    /// The way of logging in that the settings name.
    fn method(&self) -> LoginMethod {
        match &self.entrance.auth {
            Auth::Passthrough { .. } => LoginMethod::Passthrough,
            Auth::Scram(_) => LoginMethod::Scram,
            Auth::Certificate(_) => LoginMethod::Certificate,
            Auth::Oidc(_) => LoginMethod::Oidc,
            Auth::Trust(_) => LoginMethod::Trust,
        }
    }

    fn record(&self, method: LoginMethod, outcome: LoginOutcome, sqlstate: Option<Code>) {
        let (session, duration) = (&self.info, self.since.elapsed());
        let event = LoginFinished {
            session,
            method,
            outcome,
            sqlstate,
            duration,
        };
        self.desk.telemetry.emit(&event);
    }
}

/// The settings that the policy's models read.
fn settings_of(policy: &Policy) -> Vec<&str> {
    let values = policy.session_values().into_iter();
    let names = values.filter_map(|value| match value {
        SessionValue::Setting(name) => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}
