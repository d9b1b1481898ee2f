//! One client from accept to goodbye.
//!
//! * `login`: everything before the first statement; `login::pending_logins`: who is waited for there
//! * `io`: bytes between the two sockets, timeouts and jobs beside them
//! * `protocol`: what those bytes mean, without sockets; its parts:
//!   * `client`: the client's frames; `arrival`: when a statement came; `refuse`: a refusal's place
//!     among the answers; `send`: what may run goes upstream
//!   * `server`: the upstream's frames, with its errors, its readiness and the rewriting of its errors
//!   * `pending`: the queue of replies that are expected
//!   * `context`: what names, settings and values mean now
//!   * `repair`: statements that fail; `plan`: statements whose plan is asked for first;
//!     `policy_limits`: the limits of the policy that act while a statement runs
//!   * `signal_calls`: calls that reach other sessions; `lowered_settings`: what was lowered in a text
//! * `policy_store`: the policies that hold, and which one a session is under; `policy_reload`: a
//!   session takes over new ones
//! * `shared`: what all sessions share; `registry`: the sessions that are open; `drain`: the wish to
//!   stop
//! * `memory`: what a session takes of the memory of all; `scheduling`: what it takes of the thread
//! * `reply`: what pgsieve itself says; `close`: how a session ends; `tracing`: spans of its statements

pub mod arrival;
pub mod client;
pub mod close;
pub mod context;
pub mod drain;
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
pub mod protocol;
mod refuse;
pub mod registry;
pub mod repair;
pub mod reply;
pub mod scheduling;
mod send;
pub mod server;
pub mod shared;
pub mod signal_calls;
#[cfg(test)]
mod tests;
mod tracing;

use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
use jiff::Timestamp;

use self::context::client_min_messages::Loudness;
use self::context::model_values::Known;
use self::drain::Draining;
use self::io::Relay;
use self::lapse::Lapse;
use self::login::{Accepted, LoginDesk, LoginEnd, Opened};
use self::policy_limits::Quotas;
use self::protocol::{Conversation, Ending, SelfReport, UpstreamFacts};
use self::registry::{Glance, Member, Membership};
use self::reply::Farewell;
use self::shared::House;
use crate::gate::STATEMENT_TIMEOUT;
use crate::net::framed_stream::Link;
use crate::telemetry::counters::session_gauges::Sign;
use crate::telemetry::events::ConnectionClosed;
use crate::telemetry::labels::ClosedBecause;
use crate::telemetry::session_info::SessionInfo;
use crate::upstream::backend_signals::Wishes;
use crate::upstream::cancel::CancelGuard;
use crate::upstream::lease::Lease;
use crate::wire::backend::TransactionStatus;
use crate::wire::encode;

/// Serves one client until it is gone. May be cancelled: both connections are closed then.
///
/// An `async fn` would keep what it is given twice, for as long as the session lasts.
pub fn serve(
    accepted: Box<Accepted>,
    house: Arc<House>,
    mut draining: Draining,
) -> impl Future<Output = ()> {
    let since = Instant::now();
    async move {
        let seat = house.desk.telemetry.seat();
        // By itself: what a login needs is not kept for the session.
        let Some(end) = Box::pin(log_in(accepted, &house, &mut draining)).await else {
            return;
        };
        let (info, reason, bytes_in, bytes_out) = match end {
            Err((info, reason)) => (info, reason, 0, 0),
            Ok(opened) => {
                let (mut relay, _enlisted) = begin(opened, &house, seat.sign());
                let ending = converse(&mut relay, &draining).await;
                // Of the policy that it was under at the end.
                let info = Arc::clone(relay.conversation.info());
                let counted = relay.counted();
                // By itself as well: a session that does nothing has nothing to say goodbye with.
                let parting = Box::pin(close::part(relay, ending, &info, &house));
                let reason = parting.await;
                (info, reason, counted.from_client, counted.to_client)
            }
        };
        let duration = since.elapsed();
        let session: &SessionInfo = &info;
        house.desk.telemetry.emit(&ConnectionClosed {
            session,
            reason,
            duration,
            bytes_in,
            bytes_out,
        });
        // Its place goes to nobody else before its lines have one: whoever comes again and again
        // fills no memory.
        if session.has_debt() {
            let room = Box::pin(house.desk.telemetry.room());
            tokio::select! {
                () = room => {}
                () = draining.begun() => {}
            }
        }
    }
}

/// Sees it through its login; nothing, where the server stops meanwhile.
async fn log_in(
    accepted: Box<Accepted>,
    house: &House,
    draining: &mut Draining,
) -> Option<Result<Box<Opened>, (Arc<SessionInfo>, ClosedBecause)>> {
    let hears = draining.clone();
    tokio::select! {
        end = login::open(*accepted, &house.desk, &house.turns, hears) => Some(match end {
            LoginEnd::Opened(opened) => Ok(opened),
            LoginEnd::Closed { info, reason } => Err((Arc::new(info), reason)),
        }),
        () = draining.closing() => None,
    }
}

/// What knows of a session, for as long as it lasts.
struct Enlisted {
    _membership: Membership,
    _lapse: Option<Lapse>,
}

/// Sets the conversation up.
fn begin(opened: Box<Opened>, house: &House, sign: Sign) -> (Box<Relay>, Box<Enlisted>) {
    let wishes = opened
        .cancel
        .as_ref()
        .map_or_else(Arc::default, CancelGuard::wishes);
    let glance = Arc::new(Glance::default());
    let seen = (sign.clone(), Arc::clone(&glance));
    let enlisted = enlist(&opened, &wishes, seen, &house.desk);
    let Opened {
        entrance,
        certificate_name: _,
        ends: _,
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
    } = *opened;
    let info = Arc::new(info);
    let facts = UpstreamFacts {
        user: upstream
            .parameter("session_authorization")
            .unwrap_or_default()
            .to_owned(),
        server_major: upstream.major_version(),
        server: upstream.server,
        self_report: match upstream.parameter("default_transaction_read_only") {
            Some(_) => SelfReport::Reported,
            None => SelfReport::AskWhenTouched,
        },
        report_as: entrance.report_as,
        search_path: verified.search_path,
        statement_timeout: plan
            .parameters
            .iter()
            .find(|(name, _)| name == STATEMENT_TIMEOUT)
            .map(|(_, value)| value.clone()),
        known: Known {
            traits: Arc::clone(&placed.traits),
            application_name: plan.application_name,
            certificate: subject,
            settings: verified.settings,
        },
        keeper,
        side: Some(side),
        wishes: Some(wishes),
        loudness: Loudness::at_startup(&plan.parameters),
        quotas: Quotas::new(presence, cancel.as_ref().map(CancelGuard::canceller)),
    };
    let mut conversation = Conversation::new(&house.shared(), placed, Arc::clone(&info), facts);
    conversation.glance = glance;
    let (lease, upstream) = Lease::of(upstream.link, cancel);
    let scratch = Arc::clone(&house.scratch);
    let worker = (scratch, house.turns.clone());
    let mut relay = Relay::new(conversation, unread(client), unread(upstream), worker);
    relay.lease = lease;
    let share = house.desk.memory.share();
    (Box::new(relay.shown_by(sign, share)), enlisted)
}

/// Puts a session on the roster. Should its user have gone while it logged in, it ends before its
/// first statement: whoever takes users away looks at the roster after that.
fn enlist(
    opened: &Opened,
    wishes: &Arc<Wishes>,
    (sign, glance): (Sign, Arc<Glance>),
    desk: &LoginDesk,
) -> Box<Enlisted> {
    let member = Member {
        info: Arc::new(opened.info.clone()),
        since: Timestamp::now(),
        upstream_pid: opened.upstream.key.as_ref().map(|key| key.pid),
        sign,
        glance,
        user: opened.plan.user.as_str().into(),
        certificate_name: opened.certificate_name.clone(),
        wishes: Arc::clone(wishes),
    };
    let membership = desk.roster.enter(opened.info.id(), member);
    let now = desk.entrance.now();
    let certificate_name = opened.certificate_name.as_deref();
    let is_same = Arc::ptr_eq(&now, &opened.entrance);
    if !is_same && !now.auth.still_lists(&opened.plan.user, certificate_name) {
        wishes.end();
    }
    let ends = opened.ends;
    Box::new(Enlisted {
        _membership: membership,
        _lapse: ends.map(|ends| Lapse::at(ends, Arc::clone(wishes))),
    })
}

/// Lets the client begin and runs the relay; when the server drains, it is asked to stop at the
/// next rest.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep what it is given twice"
)]
fn converse(relay: &mut Relay, draining: &Draining) -> impl Future<Output = Ending> {
    async move {
        if let Err(ending) = relay.take_ahead() {
            return ending;
        }
        encode::ready_for_query(&mut relay.conversation.reply, TransactionStatus::Idle);
        relay.is_woken_to_end().await;
        if !draining.has_begun() {
            tokio::select! {
                biased;
                ending = relay.run() => return ending,
                () = draining.begun() => relay.stop_at_rest(),
            }
        }
        tokio::select! {
            biased;
            ending = relay.run() => ending,
            () = draining.closing() => Ending::Ended(Farewell::Shutdown),
        }
    }
}

/// A stream and what was read ahead from it, without the buffer that login needed.
fn unread(link: Link) -> (crate::net::stream::Stream, BytesMut) {
    let rest = if link.inbox.is_empty() {
        BytesMut::new()
    } else {
        link.inbox
    };
    (link.stream, rest)
}
