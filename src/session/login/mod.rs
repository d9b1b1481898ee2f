//! From an accepted socket to a session on both sides, ready for the first statement: greeting,
//! settings, who the client is, the upstream's login, the proof that it is read-only, our answer.
//!
//! The client hears that it is in only after all of that; until then nothing of it has reached the
//! upstream but its name, its database, its password and settings that the gate let through.
//!
//! * `greeting`: TLS and the first packet; `startup`: the StartupMessage
//! * `attempt`: one login; `upstream_login`: the session that it leads to
//! * `login_settings`: certificates and proofs that logins are held to
//! * `pending_logins`: connections that have not logged in yet
//! * `error`, `upstream_error`: why a client is not let in

pub mod attempt;
pub mod error;
pub mod greeting;
pub mod login_settings;
pub mod pending_logins;
pub mod startup;
pub(super) mod unproven;
pub(super) mod upstream_error;
pub(super) mod upstream_login;

use std::sync::Arc;

use bytes::BytesMut;
use tokio::time::{Instant, timeout};

use super::drain::Draining;
use super::login::attempt::Attempt;
use super::login::error::Denial;
use super::login::greeting::{CancelWish, Greeting, Turned};
use super::login::login_settings::{CurrentEntrance, Entrance};
use super::login::pending_logins::PendingLogin;
use super::memory::budget::Budget;
use super::policy_limits::per_user::{Accounts, Presence};
use super::policy_store::{Placed, Regime};
use super::registry::Roster;
use super::scheduling::turn::TurnQueue;
use crate::auth::certificate::Subject;
use crate::gate::StartupPlan;
use crate::limits;
use crate::net::framed_stream::Link;
use crate::net::stream::{Peer, Stream};
use crate::telemetry::Telemetry;
use crate::telemetry::events::{
    CancelHandled, ConnectionOpened, ConnectionRefused, ProtocolViolation,
};
use crate::telemetry::labels::{ClosedBecause, RefusedBecause, Transport};
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::cancel::{CancelGuard, CancelRegistry};
use crate::upstream::catalog_cache::{Catalogs, Keeper};
use crate::upstream::compile_pool::{Side, Sides};
use crate::upstream::connect::Upstream;
use crate::upstream::login::UpstreamSession;
use crate::upstream::verify::Verified;

/// What every login needs. Built once, shared by all.
#[derive(Debug)]
pub struct LoginDesk {
    /// How clients come in.
    pub entrance: CurrentEntrance,
    /// Who is in.
    pub roster: Roster,
    /// The database.
    pub upstream: Arc<Upstream>,
    /// What its databases contain.
    pub catalogs: Catalogs,
    /// Where changed texts are compiled.
    pub sides: Sides,
    /// The policies that hold.
    pub regime: Arc<Regime>,
    /// Who can be cancelled.
    pub cancels: CancelRegistry,
    /// What users have done.
    pub accounts: Accounts,
    /// The memory of all clients together.
    pub memory: Budget,
    /// Where events go.
    pub telemetry: Telemetry,
}

/// A client's socket, just accepted.
#[derive(Debug)]
pub struct Accepted {
    /// The socket.
    pub stream: Stream,
    /// Where it comes from.
    pub peer: Peer,
    /// The number of the connection, unique while the process lives.
    pub id: u64,
    /// Its standing among those that have not logged in yet.
    pub pending: PendingLogin,
}

/// What became of a connection.
#[derive(Debug)]
pub enum LoginEnd {
    /// A session.
    Opened(Box<Opened>),
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
pub struct Opened {
    /// The way that it has come in.
    pub entrance: Arc<Entrance>,
    /// The name in its certificate that let it in, where that was its proof.
    pub certificate_name: Option<Box<str>>,
    /// When it has to end, in seconds since 1970, where its token says so.
    pub ends: Option<i64>,
    /// The client.
    pub client: Link,
    /// The upstream, logged in, proved read-only, idle.
    pub upstream: UpstreamSession,
    /// Who the client is.
    pub info: SessionInfo,
    /// What the upstream was asked for.
    pub plan: StartupPlan,
    /// The policy that it is under.
    pub placed: Placed,
    /// What the upstream has said of its settings.
    pub verified: Verified,
    /// What the certificate says that the client has shown, if it has.
    pub subject: Option<Box<Subject>>,
    /// What is known of its database; none where catalogs are off or there are too many.
    pub keeper: Option<Arc<Keeper>>,
    /// Where changed texts of this client are compiled.
    pub side: Side,
    /// Counts the session among those of its user.
    pub presence: Presence,
    /// Keeps the session cancellable; there is none where the upstream gave no key.
    pub cancel: Option<CancelGuard>,
}

/// Sees one connection through its login, unless the server is asked to stop meanwhile: whoever
/// is not in yet has nothing to lose, and must not be waited for.
///
/// May be cancelled: both connections are dropped.
pub async fn open(
    accepted: Accepted,
    desk: &LoginDesk,
    turns: &TurnQueue,
    draining: Draining,
) -> LoginEnd {
    let Accepted {
        stream,
        peer,
        id,
        pending,
    } = accepted;
    let since = Instant::now();
    let info = SessionInfo::accepted(id, &peer.to_string());
    let transport = match peer {
        Peer::Tcp(_) => Transport::Tcp,
        Peer::Unix => Transport::Unix,
    };
    desk.telemetry.emit(&ConnectionOpened {
        session: &info,
        transport,
    });
    let times = (since, &pending, draining);
    let login = greet_and_enter(stream, peer, times, (desk, turns), info.clone());
    tokio::select! {
        biased;
        end = login => end,
        () = pending.gives_way() => {
            desk.telemetry.emit(&ConnectionRefused {
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
    stream: Stream,
    peer: Peer,
    (since, pending, draining): (Instant, &PendingLogin, Draining),
    (desk, turns): (&LoginDesk, &TurnQueue),
    info: SessionInfo,
) -> LoginEnd {
    let deadline = since + limits::LOGIN_TIME_MAX;
    let entrance = desk.entrance.now();
    let greeting = tokio::select! {
        greeting = greeting::greet(stream, peer, (&entrance.tls, turns), deadline) => greeting,
        // It has not said what it speaks: no word of ours would be understood.
        () = draining.begun() => Err(Turned { link: None, denial: Denial::Shutdown }),
    };
    pending.heard();
    match greeting {
        Ok(Greeting::Startup(hello)) => {
            // A login must be on record, however it ends.
            let waiting = Instant::now();
            let denial = tokio::select! {
                room = timeout(limits::AUDIT_LOGIN_WAIT_MAX, desk.telemetry.room()) => match room {
                    Ok(()) => None,
                    Err(_elapsed) => Some(Denial::NotOnRecord),
                },
                () = draining.begun() => Some(Denial::Shutdown),
            };
            if let Some(denial) = denial {
                return turn_away(Some(hello.link), &denial, desk, info).await;
            }
            let deadline = deadline + waiting.elapsed();
            let info = if hello.link.stream.is_tls() {
                info.encrypted()
            } else {
                info
            };
            Attempt {
                desk,
                entrance,
                peer,
                since,
                deadline,
                info,
                pending,
                draining,
            }
            .run(hello)
            .await
        }
        Ok(Greeting::Cancel(wish)) => cancel(wish, desk, info).await,
        Err(Turned { link, denial }) => turn_away(link, &denial, desk, info).await,
    }
}

async fn cancel(wish: CancelWish, desk: &LoginDesk, info: SessionInfo) -> LoginEnd {
    let outcome = desk.cancels.forward(wish.pid, &wish.secret).await.into();
    desk.telemetry.emit(&CancelHandled {
        session: &info,
        outcome,
    });
    wish.link.part(b"").await;
    LoginEnd::Closed {
        info,
        reason: ClosedBecause::CancelRequest,
    }
}

async fn turn_away(
    link: Option<Link>,
    denial: &Denial,
    desk: &LoginDesk,
    info: SessionInfo,
) -> LoginEnd {
    if let Some(reason) = denial.refused() {
        desk.telemetry.emit(&ConnectionRefused {
            session: &info,
            reason,
            tls: denial.client_tls(),
        });
    }
    if let Some((peer, cause)) = denial.violation() {
        desk.telemetry.emit(&ProtocolViolation {
            session: &info,
            peer,
            cause,
        });
    }
    if let Some(link) = link {
        let mut last_words = BytesMut::new();
        denial.tell("", &mut last_words);
        link.part(&last_words).await;
    }
    LoginEnd::Closed {
        info,
        reason: denial.closed(),
    }
}
