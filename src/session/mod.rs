//! One client from accept to goodbye.
//!
//! * `login`: everything before the first statement; `login::pending_logins`: who is waited for
//!   there
//! * `io`: bytes between the two sockets, timeouts and jobs beside them
//! * `protocol`: what those bytes mean, without sockets; it has methods there, in `client` and in
//!   `server`, and its parts have theirs:
//!   * `client`: the client's frames; `statement`: the path of a statement, step by step
//!   * its steps: `arrival` (when it came), `text_judgement` (what the gate says of it), `send`
//!     (what may run goes upstream); `refuse`: a refusal's place among the answers;
//!     `statement_stage`: what one step gives to the next
//!   * `server`: the upstream's frames, with its errors, its readiness and the rewriting of its
//!     errors
//!   * `client_side`, `upstream_side`: what is known of the two; `session_end`: why it is over
//!   * `pending`: the queue of replies that are expected, and where the upstream stands
//!   * `context`: what names, settings and values mean now
//!   * `repair`: statements that fail; `plan`: statements whose plan is asked for first;
//!     `policy_limits`: the limits of the policy that act while a statement runs
//!   * `receipts`: what proves that a statement ran
//!   * `failure_hint`: what the HINT of a failure says besides its own words; `readable_objects`:
//!     what the session may read
//!   * `signal_calls`: calls that reach other sessions; `lowered_settings`: what was lowered in a
//!     text
//! * `pooling`: sessions that share connections to the upstream
//! * `console`: sessions that have no upstream, for whoever runs pgsieve
//! * `lapse`: sessions whose tokens expire; `membership`: the roles that a session's own is a
//!   member of
//! * `policy_store`: the policies that hold, and which one a session is under; `policy_reload`: a
//!   session takes over new ones
//! * `shared`: what all sessions share; `registry`: the sessions that are open; `drain`: the wish
//!   to stop
//! * `memory`: what a session takes of the memory of all; `scheduling`: what it takes of the thread
//! * `reply`: what pgsieve itself says; `close`: how a session ends; `tracing`: spans of its
//!   statements

pub mod arrival;
pub mod client;
pub mod client_side;
pub mod close;
pub mod console;
pub mod context;
pub mod drain;
mod failure_hint;
pub mod io;
pub mod lapse;
pub mod login;
mod lowered_settings;
pub mod membership;
pub mod memory;
pub mod pending;
pub mod plan;
pub mod policy_limits;
mod policy_reload;
pub mod policy_store;
mod pooling;
pub mod protocol;
pub mod readable_objects;
mod receipts;
mod refuse;
pub mod registry;
pub mod repair;
pub mod reply;
pub mod scheduling;
mod send;
pub mod server;
pub mod session_end;
pub mod shared;
pub mod signal_calls;
mod statement;
mod statement_stage;
#[cfg(test)]
mod tests;
mod text_judgement;
mod tracing;
pub mod upstream_side;

use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use bytes::BytesMut;
use jiff::Timestamp;

use self::context::client_settings::ClientSettings;
use self::context::model_values::LoginFacts;
use self::drain::DrainReceiver;
use self::io::Relay;
use self::io::worker_move::{RelayEnd, take_up};
use self::lapse::Lapse;
use self::login::console_login::OpenedConsole;
use self::login::login_server::kind_of;
use self::login::{AcceptedClient, LoginContext, LoginEnd, OpenedSession};
use self::policy_limits::SessionLimits;
use self::pooling::pool_side::PoolSide;
use self::pooling::pooled_relay::{PooledLogin, PooledRelay};
use self::pooling::server_place::ServerPlace;
use self::protocol::{SessionProtocol, UpstreamFacts};
use self::registry::{OwnConnection, RegisteredSession, SessionActivity, SessionRegistration};
use self::reply::CloseReason;
use self::session_end::SessionEnd;
use self::shared::ServerShared;
use self::upstream_side::SelfReport;
use crate::gate::STATEMENT_TIMEOUT;
use crate::net::framed_stream::FramedStream;
use crate::telemetry::counters::session_gauges::{SessionGauge, SessionStateHandle};
use crate::telemetry::labels::ClosedBecause;
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::backend_signals::SessionSignals;
use crate::upstream::cancel::CancelGuard;
use crate::upstream::lease::UpstreamLease;
use crate::upstream::servers::ServerLease;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;

/// Serves one client until it is gone, or goes on with another worker. May be cancelled: both
/// connections are closed then.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep what it is given twice"
)]
pub fn serve(
    accepted: Box<AcceptedClient>,
    server_shared: Arc<ServerShared>,
    mut draining: DrainReceiver,
) -> impl Future<Output = Option<DepartingSession>> {
    async move {
        let opened = {
            let since = Instant::now();
            let gauge = server_shared.login_context.telemetry.seat();
            // By itself: what a login needs is not kept for the session.
            let end = Box::pin(log_in(accepted, &server_shared, &mut draining)).await?;
            match end {
                LoggedIn::Session(opened) => begin_session(opened, &server_shared, (gauge, since)),
                LoggedIn::Without(login) => {
                    let seen = (&*server_shared, &draining);
                    Box::pin(serve_without_session(login, seen, (gauge, since))).await;
                    return None;
                }
            }
        };
        attend(opened, (&server_shared, &draining)).await
    }
}

/// Goes on with a session that comes from another worker, as [`serve`] does.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep what it is given twice"
)]
pub fn go_on(
    mut session: Box<ServedSession>,
    server_shared: Arc<ServerShared>,
    draining: DrainReceiver,
) -> impl Future<Output = Option<DepartingSession>> {
    async move {
        take_up(&mut session.relay, &server_shared);
        attend(session, (&server_shared, &draining)).await
    }
}

fn begin_session(
    opened: Box<OpenedSession>,
    server_shared: &ServerShared,
    (gauge, since): (SessionGauge, Instant),
) -> Box<ServedSession> {
    let (mut relay, enlisted) = begin(opened, server_shared, gauge.state_handle());
    let ahead = relay.take_ahead();
    if ahead.is_ok() {
        let reply = &mut relay.protocol.client.reply;
        encode::ready_for_query(reply, TransactionStatus::Idle);
    }
    Box::new(ServedSession {
        relay,
        enlisted,
        gauge,
        since,
        ended: ahead.err(),
    })
}

/// Sees a session through, to its end or until it goes on with another worker.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep what it is given twice"
)]
fn attend(
    mut session: Box<ServedSession>,
    (server_shared, draining): (&ServerShared, &DrainReceiver),
) -> impl Future<Output = Option<DepartingSession>> {
    async move {
        let ending = match session.ended {
            Some(ending) => ending,
            None => match converse(&mut session.relay, draining).await {
                RelayEnd::MovesTo(worker) => return Some(DepartingSession { session, worker }),
                RelayEnd::Ended(ending) => ending,
            },
        };
        close::part(session, ending, (server_shared, draining)).await;
        None
    }
}

/// A client that has got no session: it is served by the console, or there is an end to it.
async fn serve_without_session(
    login: SessionlessLogin,
    (server_shared, draining): (&ServerShared, &DrainReceiver),
    (gauge, since): (SessionGauge, Instant),
) {
    let counts = match login {
        SessionlessLogin::Nobody(info, reason) => (info, reason, 0, 0),
        SessionlessLogin::Console(opened) => {
            serve_console(opened, (server_shared, draining), gauge.state_handle()).await
        }
    };
    close::report_closed(counts, since, (server_shared, draining)).await;
}

/// A session with all that lasts as long as it does.
pub struct ServedSession {
    relay: Box<Relay>,
    enlisted: Box<Enlisted>,
    gauge: SessionGauge,
    since: Instant,
    /// Why there is an end to it before its client has sent anything.
    ended: Option<SessionEnd>,
}

/// A session that goes on with another worker.
pub struct DepartingSession {
    /// The session.
    pub session: Box<ServedSession>,
    /// The number of that worker.
    pub worker: usize,
}

/// What a login has led to, in little space.
enum LoggedIn {
    Session(Box<OpenedSession>),
    Without(SessionlessLogin),
}

/// A login that has not led to a session at an upstream.
enum SessionlessLogin {
    Console(Box<OpenedConsole>),
    Nobody(Arc<SessionInfo>, ClosedBecause),
}

/// Serves a client of the console; says whose it was, why it has ended, and which bytes passed.
async fn serve_console(
    opened: Box<OpenedConsole>,
    (server_shared, draining): (&ServerShared, &DrainReceiver),
    state_handle: SessionStateHandle,
) -> (Arc<SessionInfo>, ClosedBecause, u64, u64) {
    let info = Arc::new(opened.info.clone());
    let seen = (&*server_shared.login_context, draining);
    let end = console::serve(*opened, &info, seen, state_handle).await;
    close::report(end.ending, &info, server_shared);
    (info, close::reason(end.ending), end.bytes_in, end.bytes_out)
}

/// Sees it through its login; nothing, where the server stops meanwhile.
async fn log_in(
    accepted: Box<AcceptedClient>,
    server_shared: &ServerShared,
    draining: &mut DrainReceiver,
) -> Option<LoggedIn> {
    let hears = draining.clone();
    let (login_context, turns) = (&server_shared.login_context, &server_shared.turns);
    tokio::select! {
        end = login::open(*accepted, login_context, turns, hears) => Some(match end {
            LoginEnd::Opened(opened) => LoggedIn::Session(opened),
            LoginEnd::Console(opened) => LoggedIn::Without(SessionlessLogin::Console(opened)),
            LoginEnd::Closed { info, reason } => {
                LoggedIn::Without(SessionlessLogin::Nobody(Arc::new(info), reason))
            }
        }),
        () = draining.closing() => None,
    }
}

/// What knows of a session, for as long as it lasts.
struct Enlisted {
    _membership: SessionRegistration,
    _lapse: Option<Lapse>,
    /// Counts it at its server, where it stays there.
    server: Option<ServerLease>,
}

/// Sets the protocol up.
fn begin(
    opened: Box<OpenedSession>,
    server_shared: &ServerShared,
    state_handle: SessionStateHandle,
) -> (Box<Relay>, Box<Enlisted>) {
    let cancel = opened.cancel.as_ref();
    let signals = cancel.map_or_else(Arc::default, CancelGuard::wishes);
    let activity = Arc::new(SessionActivity::default());
    let seen = (state_handle.clone(), Arc::clone(&activity));
    let mut enlisted = register_session(&opened, &signals, seen, &server_shared.login_context);
    let OpenedSession {
        login_settings,
        admission: _,
        ends: _,
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
    } = *opened;
    let canceller = cancel.as_ref().map(CancelGuard::canceller);
    let facts = UpstreamFacts {
        user: String::from(upstream.parameter(AUTHORIZATION).unwrap_or_default()),
        server_major: upstream.major_version(),
        engine: upstream.engine,
        server: upstream.server,
        self_report: match upstream.parameter("default_transaction_read_only") {
            Some(_) => SelfReport::Reported,
            None => SelfReport::AskWhenTouched,
        },
        report_as: login_settings.report_as,
        search_path: verified.search_path,
        statement_timeout: asked_statement_timeout(&plan.parameters),
        known: LoginFacts {
            traits: Arc::clone(&assigned_policy.traits),
            application_name: plan.application_name,
            certificate: subject,
            settings: verified.settings,
        },
        catalog_cache,
        compile_pool: Some(compile_pool),
        signals: Some(signals),
        client_settings: ClientSettings::at_startup(&plan.parameters),
        session_limits: SessionLimits::new(counted_session, canceller),
    };
    let shared = server_shared.shared();
    let mut protocol = SessionProtocol::new(&shared, assigned_policy, Arc::clone(&info), facts);
    protocol.witness.activity = activity;
    protocol.client.reply = welcome;
    let kind = kind_of(&upstream, pooled.as_deref());
    protocol.upstream.place = ServerPlace::new(server.server(), kind);
    let pooled = share(&mut protocol, (pooled, server), &mut enlisted);
    let (lease, upstream) = UpstreamLease::of(upstream.framed, cancel);
    let read_buffer = Arc::clone(&server_shared.read_buffer);
    let worker = (read_buffer, server_shared.turns.clone());
    let mut relay = Relay::new(protocol, unread(client), unread(upstream), worker);
    relay.lease = lease;
    relay.pooled = pooled;
    let share = server_shared.login_context.memory.share();
    (Box::new(relay.shown_by(state_handle, share)), enlisted)
}

/// The session shares its connections from now on, where its login was on one of a pool. It counts
/// at its server for as long as it stays there.
fn share(
    protocol: &mut SessionProtocol,
    (login, server): (Option<Box<PooledLogin>>, ServerLease),
    enlisted: &mut Enlisted,
) -> Option<Box<PooledRelay>> {
    let Some(mut login) = login else {
        enlisted.server = Some(server);
        return None;
    };
    let info = &protocol.witness.info;
    let prepared = std::mem::take(&mut login.state.prepared);
    let targets = protocol.judge.gate.policy().targets();
    let pooled = PooledRelay::new((*login, server), (info.user(), info.id()), targets);
    let mut side = PoolSide::new(info.id(), pooled.values());
    side.connection_changed(prepared);
    protocol.upstream.pool = Some(Box::new(side));
    protocol.upstream.place.note_running(true);
    Some(Box::new(pooled))
}

/// The parameter that says as whom a session is logged in.
const AUTHORIZATION: &str = "session_authorization";

/// What the upstream was asked at startup to hold statements to.
fn asked_statement_timeout(parameters: &[(String, String)]) -> Option<String> {
    parameters
        .iter()
        .find(|(name, _)| name == STATEMENT_TIMEOUT)
        .map(|(_, value)| value.clone())
}

/// Registers a session. Should its user have gone while it logged in, it ends before its
/// first statement: whoever takes users away looks at the open sessions after that.
fn register_session(
    opened: &OpenedSession,
    signals: &Arc<SessionSignals>,
    (state_handle, activity): (SessionStateHandle, Arc<SessionActivity>),
    login_context: &LoginContext,
) -> Box<Enlisted> {
    let member = RegisteredSession {
        info: Arc::clone(&opened.info),
        since: Timestamp::now(),
        own_connection: match &opened.pooled {
            // Another one with each transaction.
            Some(_) => None,
            None => Some(OwnConnection {
                place: opened.server.server().to_string().into(),
                account: opened
                    .upstream
                    .parameter(AUTHORIZATION)
                    .unwrap_or_default()
                    .into(),
                pid: opened.upstream.key.as_ref().map(|key| key.pid),
            }),
        },
        state_handle,
        activity,
        user: opened.plan.user.as_str().into(),
        admission: opened.admission.clone(),
        signals: Arc::clone(signals),
    };
    let membership = login_context
        .session_registry
        .register(opened.info.id(), member);
    let now = login_context.login_settings.now();
    let is_same = Arc::ptr_eq(&now, &opened.login_settings);
    if !is_same && !now.still_admits(&opened.plan.user, &opened.admission) {
        signals.end();
    }
    let ends = opened.ends;
    Box::new(Enlisted {
        _membership: membership,
        server: None,
        _lapse: ends.map(|ends| Lapse::at(ends, Arc::clone(signals))),
    })
}

/// Runs the relay; when the server drains, it is asked to stop at the next rest.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep what it is given twice"
)]
fn converse(relay: &mut Relay, draining: &DrainReceiver) -> impl Future<Output = RelayEnd> {
    async move {
        relay.protocol.upstream.is_woken_to_end().await;
        if !draining.has_begun() {
            let mut begun = std::pin::pin!(draining.begun());
            let mut heard = None;
            // What the server tells wakes the session: that is asked for once for each stage, not
            // with each statement.
            let ending = std::future::poll_fn(|context| {
                if let Poll::Ready(ending) = relay.poll_run(context) {
                    return Poll::Ready(Some(ending));
                }
                let stage = Some(draining.stage());
                if heard != stage {
                    heard = stage;
                    return begun.as_mut().poll(context).map(|()| None);
                }
                Poll::Pending
            });
            if let Some(ending) = ending.await {
                return ending;
            }
        }
        relay.stop_at_rest();
        tokio::select! {
            biased;
            ending = relay.run() => ending,
            () = draining.closing() => RelayEnd::Ended(SessionEnd::Ended(CloseReason::Shutdown)),
        }
    }
}

/// A stream and what was read ahead from it, without the buffer that login needed.
fn unread<S>(framed: FramedStream<S>) -> (S, BytesMut) {
    let rest = if framed.inbox.is_empty() {
        BytesMut::new()
    } else {
        framed.inbox
    };
    (framed.stream, rest)
}
