//! From an accepted socket to a session on both sides, ready for the first statement: greeting,
//! settings, who the client is, the upstream's login, the proof that it is read-only, our answer.
//!
//! The client hears that it is in only after all of that; until then nothing of it has reached the
//! upstream but its name, its database, its password and settings that the gate let through.
//!
//! * `greeting`: TLS and the first packet; `startup`: the StartupMessage; `introduction`: who a
//!   client says that it is
//! * `attempt`: one login; `login_server`: where it goes; `upstream_login`, `reached`: the session
//!   that it leads to; `console_login`: one that leads to none
//! * `login_settings`: certificates and proofs that logins are held to; `disabled_users`: who may
//!   not come in; `superusers`: who may do everything
//! * `pending_logins`: connections that have not logged in yet
//! * `proof`: to whom a client proves who it is; `queried_proof`: by a verifier of the upstream's;
//!   `password_login`: by a password that the upstream has accepted a short while ago
//! * `error`, `upstream_error`: why a client is not let in

pub mod attempt;
pub mod console_login;
pub mod disabled_users;
pub mod error;
pub mod greeting;
mod introduction;
pub mod login_server;
pub mod login_settings;
mod password_login;
pub mod pending_logins;
mod proof;
mod queried_proof;
pub(super) mod reached;
pub mod startup;
pub mod superusers;
pub(super) mod unproven;
pub(super) mod upstream_error;
pub(super) mod upstream_login;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use bytes::BytesMut;
use tokio::time::{Instant, timeout};

use super::console::context::ConsoleContext;
use super::drain::DrainReceiver;
use super::login::attempt::LoginAttempt;
use super::login::console_login::OpenedConsole;
use super::login::error::LoginError;
use super::login::greeting::{ClientGreeting, ReceivedCancel, RejectedGreeting};
use super::login::introduction::{LoginDestination, introduce};
use super::login::login_server::LoginServer;
use super::login::login_settings::{AdmissionProof, CurrentLoginSettings, LoginSettings};
use super::login::pending_logins::PendingLogin;
use super::login::superusers::SuperuserNotices;
use super::memory::budget::MemoryBudget;
use super::policy_limits::per_user::{CountedSession, UserAccounts};
use super::policy_store::{AssignedPolicy, PolicyStore};
use super::pooling::pooled_relay::PooledLogin;
use super::registry::SessionRegistry;
use super::scheduling::turn::TurnQueue;
use crate::auth::AdmittedIdentity;
use crate::auth::certificate::CertificateSubject;
use crate::auth::settings::UpstreamIdentity;
use crate::gate::StartupPlan;
use crate::limits;
use crate::net::framed_stream::FramedStream;
use crate::net::stream::{PeerAddress, PeerStream};
use crate::policy::set::matching::UserClaims;
use crate::receipts::issuer::ReceiptIssuer;
use crate::telemetry::Telemetry;
use crate::telemetry::events::{
    CancelHandled, ConnectionOpened, ConnectionRefused, ProtocolViolation,
};
use crate::telemetry::labels::{ClientTransport, ClosedBecause, LoginMethod, RefusedBecause};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::cancel::{CancelGuard, CancelRegistry};
use crate::upstream::catalog_cache::{CatalogCache, CatalogCaches};
use crate::upstream::compile_pool::{CompilePool, CompilePools};
use crate::upstream::login::UpstreamSession;
use crate::upstream::pool::ConnectionPools;
use crate::upstream::servers::ServerLease;
use crate::upstream::servers::directory::UpstreamDirectory;
use crate::upstream::verifier_lookup::VerifierLookups;
use crate::upstream::verify::VerifiedSession;

/// What every login needs. Built once, shared by all.
#[derive(Debug)]
pub struct LoginContext {
    /// How clients come in.
    pub login_settings: CurrentLoginSettings,
    /// Who is in.
    pub session_registry: SessionRegistry,
    /// Where the databases are.
    pub directory: Arc<UpstreamDirectory>,
    /// What its databases contain.
    pub catalogs: CatalogCaches,
    /// Where changed texts are compiled.
    pub compile_pools: CompilePools,
    /// The connections that sessions share, where those of any database do.
    pub pools: Option<ConnectionPools>,
    /// The policies that hold.
    pub policy_store: Arc<PolicyStore>,
    /// Who asks the upstream for verifiers.
    pub verifier_lookups: VerifierLookups,
    /// Who can be cancelled.
    pub cancels: CancelRegistry,
    /// What users have done.
    pub accounts: UserAccounts,
    /// The superusers among clients that the log has told of.
    pub superusers: SuperuserNotices,
    /// The memory of all clients together.
    pub memory: MemoryBudget,
    /// What the console shows and does.
    pub console: ConsoleContext,
    /// Who signs receipts, where there is a key.
    pub receipt_issuer: Option<Arc<ReceiptIssuer>>,
    /// Where events go.
    pub telemetry: Telemetry,
}

impl LoginContext {
    /// The connections that sessions of a database share, where they do, by the name that clients
    /// have for it.
    pub fn pools_for(&self, database: &str) -> Option<&ConnectionPools> {
        self.pools.as_ref().filter(|pools| pools.are_for(database))
    }
}

/// A client's socket, just accepted.
#[derive(Debug)]
pub struct AcceptedClient {
    /// The socket.
    pub stream: PeerStream,
    /// Where it comes from.
    pub peer: PeerAddress,
    /// The number of the connection, unique while the process lives.
    pub id: u64,
    /// Its standing among those that have not logged in yet.
    pub pending: PendingLogin,
    /// Who has been let in already, by the MCP server.
    pub caller: Option<Arc<AdmittedCaller>>,
}

/// A caller of the MCP server who has proved there who it is: what a session of it is let in as.
pub struct AdmittedCaller {
    /// Who it is at the upstream.
    pub identity: UpstreamIdentity,
    /// The policy that it is under; the one that such a session gets where none is named.
    pub policy: Option<Box<str>>,
    /// What was proved of its user beside the name.
    pub claims: UserClaims,
    /// How it was proved.
    pub method: LoginMethod,
    /// When its sessions have to end, in seconds since 1970.
    pub ends: Option<i64>,
}

impl AdmittedCaller {
    /// Who it is at the upstream, unless it may not log in.
    fn admitted(&self, is_disabled: bool) -> Option<AdmittedIdentity<'static>> {
        let identity = || AdmittedIdentity::As(Cow::Owned(self.identity.clone()));
        (!is_disabled).then(identity)
    }
}

impl fmt::Debug for AdmittedCaller {
    /// Without what it logs in with.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AdmittedCaller")
    }
}

/// What became of a connection.
#[derive(Debug)]
pub enum LoginEnd {
    /// A session.
    Opened(Box<OpenedSession>),
    /// A session of the console.
    Console(Box<OpenedConsole>),
    /// Everything is said and recorded but the end of the connection (ConnectionClosed), which is
    /// the caller's to record.
    Closed {
        /// The connection.
        info: SessionInfo,
        /// Why it ended.
        reason: ClosedBecause,
    },
}

/// A session on both sides. The client has everything up to BackendKeyData; the first
/// ReadyForQuery is for the caller to send.
#[derive(Debug)]
pub struct OpenedSession {
    /// The way that it has come in.
    pub login_settings: Arc<LoginSettings>,
    /// What let it in.
    pub admission: AdmissionProof,
    /// When it has to end, in seconds since 1970, where its token says so.
    pub ends: Option<i64>,
    /// The client.
    pub client: FramedStream,
    /// The upstream, logged in, proved read-only, idle.
    pub upstream: UpstreamSession,
    /// Who the client is.
    pub info: Arc<SessionInfo>,
    /// What the upstream was asked for.
    pub plan: StartupPlan,
    /// The policy that it is under.
    pub assigned_policy: AssignedPolicy,
    /// What the upstream has said of its settings.
    pub verified: VerifiedSession,
    /// What the certificate says that the client has shown, if it has.
    pub subject: Option<Box<CertificateSubject>>,
    /// What is known of its database; none where catalogs are off or there are too many.
    pub catalog_cache: Option<Arc<CatalogCache>>,
    /// Where changed texts of this client are compiled.
    pub compile_pool: CompilePool,
    /// Counts the session among those of its user.
    pub counted_session: CountedSession,
    /// Counts it among those of its server.
    pub server: ServerLease,
    /// Keeps the session cancellable; there is none where the upstream gave no key.
    pub cancel: Option<CancelGuard>,
    /// What tells the client that it is in, but for ReadyForQuery.
    pub welcome: BytesMut,
    /// What it has of the pool that its connection is of, where it shares that.
    pub pooled: Option<Box<PooledLogin>>,
}

/// Sees one connection through its login, unless the server is asked to stop meanwhile: whoever
/// is not in yet has nothing to lose, and must not be waited for.
///
/// May be cancelled: both connections are dropped.
pub async fn open(
    accepted: AcceptedClient,
    login_context: &LoginContext,
    turns: &TurnQueue,
    draining: DrainReceiver,
) -> LoginEnd {
    let AcceptedClient {
        stream,
        peer,
        id,
        pending,
        caller,
    } = accepted;
    let since = Instant::now();
    let info = SessionInfo::accepted(id, &peer.to_string());
    let info = match peer {
        PeerAddress::Mcp(_) => info.over_mcp(),
        PeerAddress::Tcp(_) | PeerAddress::Unix => info,
    };
    let transport = match peer {
        PeerAddress::Tcp(_) => ClientTransport::Tcp,
        PeerAddress::Unix => ClientTransport::Unix,
        PeerAddress::Mcp(_) => ClientTransport::Mcp,
    };
    login_context.telemetry.emit(&ConnectionOpened {
        session: &info,
        transport,
    });
    let times = (since, &pending, draining);
    let from = (peer, caller);
    let login = greet_and_enter(stream, from, times, (login_context, turns), info.clone());
    tokio::select! {
        biased;
        end = login => end,
        () = pending.gives_way() => {
            login_context.telemetry.emit(&ConnectionRefused {
                session: &info,
                reason: RefusedBecause::GaveWay,
                tls: None,
            });
            let reason = ClosedBecause::LoginFailed;
            LoginEnd::Closed { info, reason }
        }
    }
}

/// The login, from the first byte on.
async fn greet_and_enter(
    stream: PeerStream,
    (peer, caller): (PeerAddress, Option<Arc<AdmittedCaller>>),
    (since, pending, draining): (Instant, &PendingLogin, DrainReceiver),
    (login_context, turns): (&LoginContext, &TurnQueue),
    info: SessionInfo,
) -> LoginEnd {
    let deadline = since + limits::LOGIN_TIME_MAX;
    let login_settings = login_context.login_settings.now();
    let greeting = tokio::select! {
        greeting = greeting::greet(stream, peer, (&login_settings.tls, turns), deadline) => {
            greeting
        }
        // It has not said what it speaks: no word of ours would be understood.
        () = draining.begun() => Err(RejectedGreeting {
            framed: None,
            denial: LoginError::Shutdown,
        }),
    };
    pending.stop_waiting();
    match greeting {
        Ok(ClientGreeting::Startup(hello)) if draining.refuses_logins() => {
            let denial = LoginError::Shutdown;
            turn_away(Some(hello.framed), &denial, login_context, info).await
        }
        Ok(ClientGreeting::Startup(hello)) => {
            // A login must be on record, however it ends.
            let waiting = Instant::now();
            let denial = tokio::select! {
                room = timeout(
                    limits::AUDIT_LOGIN_WAIT_MAX,
                    login_context.telemetry.room(),
                ) => match room {
                    Ok(()) => None,
                    Err(_elapsed) => Some(LoginError::NotOnRecord),
                },
                () = draining.begun() => Some(LoginError::Shutdown),
            };
            if let Some(denial) = denial {
                return turn_away(Some(hello.framed), &denial, login_context, info).await;
            }
            let deadline = deadline + waiting.elapsed();
            let info = match hello.framed.stream.is_tls() {
                true => info.encrypted(),
                false => info,
            };
            let mut attempt = LoginAttempt {
                login_context,
                login_settings,
                peer,
                since,
                deadline,
                info,
                pending,
                draining,
                caller,
                server: LoginServer::new(login_context.directory.home_of(&hello.database())),
            };
            let (destination, settled) = introduce(&mut attempt, &hello);
            match destination {
                LoginDestination::Upstream => attempt.run(hello.framed, settled).await,
                LoginDestination::Console => {
                    console_login::log_in(attempt, hello.framed, settled).await
                }
            }
        }
        Ok(ClientGreeting::Cancel(wish)) => cancel((wish, peer), login_context, info).await,
        Err(RejectedGreeting { framed, denial }) => {
            turn_away(framed, &denial, login_context, info).await
        }
    }
}

async fn cancel(
    (wish, peer): (ReceivedCancel, PeerAddress),
    login_context: &LoginContext,
    info: SessionInfo,
) -> LoginEnd {
    let address = match peer {
        PeerAddress::Tcp(address) => address.ip().to_string(),
        PeerAddress::Unix | PeerAddress::Mcp(_) => String::new(),
    };
    let key = (wish.pid, &*wish.secret);
    let outcome = login_context.cancels.forward_from(&address, key).await;
    login_context.telemetry.emit(&CancelHandled {
        session: &info,
        outcome,
    });
    wish.framed.send_and_close(b"").await;
    LoginEnd::Closed {
        info,
        reason: ClosedBecause::CancelRequest,
    }
}

async fn turn_away(
    framed: Option<FramedStream>,
    denial: &LoginError,
    login_context: &LoginContext,
    info: SessionInfo,
) -> LoginEnd {
    if let Some(reason) = denial.refused() {
        login_context.telemetry.emit(&ConnectionRefused {
            session: &info,
            reason,
            tls: denial.client_tls(),
        });
    }
    if let Some((peer, cause)) = denial.violation() {
        login_context.telemetry.emit(&ProtocolViolation {
            session: &info,
            peer,
            cause,
        });
    }
    if let Some(framed) = framed {
        let mut last_words = BytesMut::new();
        denial.send("", &mut last_words);
        framed.send_and_close(&last_words).await;
    }
    LoginEnd::Closed {
        info,
        reason: denial.closed(),
    }
}
