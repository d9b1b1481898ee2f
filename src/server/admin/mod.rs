//! The admin address over HTTP/1.1: `/metrics`, `/healthz` and `/readyz` for scrapers and probes,
//! and the live page at `/` for people.
//!
//! GET and HEAD, and POST for what whoever has the token may have done; one request per connection,
//! everything bounded: the size of a request, the time it may take, the number of connections, and
//! apart from those the number of pages that are being followed, so that people who look keep no
//! scraper out.
//! What scrapers and probes get names no statement and no object of a database but what metrics are
//! labelled with; the page is for this host or for whoever has the token. It listens on loopback
//! unless told otherwise.
//!
//! * `connection`: one connection and its bounds; `connection_limit` and `stream_limit`: who gives way
//!   to whom
//! * `routes`: what can be asked for; `actions`: what can be done
//! * `credentials`: what opens it; `allowed_hosts`: which names it may be asked for by; `access`: who
//!   may see the live page
//! * `live_page`: the page itself
//! * `event_stream`: what follows on it, once a second; `page_state`: what that says
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>

mod access;
mod actions;
mod allowed_hosts;
mod connection;
mod connection_limit;
mod credentials;
mod event_stream;
mod live_page;
mod page_state;
mod routes;
mod stream_limit;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::access::Door;
use self::connection::Slot;
use self::connection_limit::Crowd;
pub use self::credentials::AdminKeys;
use self::event_stream::Feed;
use self::live_page::LivePage;
use self::stream_limit::Followers;
use crate::limits::{
    ADMIN_CONNECTIONS_MAX, ADMIN_FOLLOW_TURN, ADMIN_FOLLOWERS_MAX, ADMIN_PAUSE_MS,
};
use crate::server::readiness::Readiness;
use crate::server::reload::Asker;
use crate::session::registry::Roster;
use crate::telemetry::Telemetry;

/// What the admin address shows, and to whom.
pub struct Admin {
    /// The numbers, and what happened lately.
    pub telemetry: Telemetry,
    /// How pgsieve stands.
    pub readiness: Arc<Readiness>,
    /// What opens it.
    pub keys: Arc<AdminKeys>,
    /// Has everything read again.
    pub asker: Asker,
    /// Who is in.
    pub roster: Roster,
}

/// What the answers are made from.
struct Shown {
    telemetry: Telemetry,
    readiness: Arc<Readiness>,
    keys: Arc<AdminKeys>,
    asker: Asker,
    roster: Roster,
    bound: Option<IpAddr>,
    page: LivePage,
    feed: Feed,
    /// Room for pages that are being followed.
    followers: Followers,
}

impl Shown {
    /// Who may see the live page now.
    fn door(&self) -> Door {
        Door::new(self.keys.now().token.as_ref(), self.bound)
    }
}

/// Serves until it is dropped, which ends its connections as well.
pub async fn serve(listener: TcpListener, admin: Admin) {
    let followers = Followers::new(ADMIN_FOLLOWERS_MAX, ADMIN_FOLLOW_TURN);
    serve_to(listener, admin, followers).await;
}

async fn serve_to(listener: TcpListener, admin: Admin, followers: Followers) {
    let bound = listener.local_addr().ok().map(|address| address.ip());
    let shown = Arc::new(Shown {
        telemetry: admin.telemetry,
        readiness: admin.readiness,
        keys: admin.keys,
        asker: admin.asker,
        roster: admin.roster,
        bound,
        page: LivePage::new(),
        feed: Feed::new(),
        followers,
    });
    tokio::select! {
        () = shown.feed.run(&shown.telemetry, &shown.readiness) => {}
        () = accept(listener, &shown) => {}
    }
}

async fn accept(listener: TcpListener, shown: &Arc<Shown>) {
    let mut crowd = Crowd::new(ADMIN_CONNECTIONS_MAX);
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let Some(permit) = crowd.room().await else {
                    return;
                };
                let slot = Arc::new(Slot::new(permit, peer));
                let conversation =
                    connection::converse(stream, Arc::clone(&slot), Arc::clone(shown));
                crowd.enter(slot, connections.spawn(conversation));
            }
            // Out of descriptors or memory: others may give some back.
            Err(_) => sleep(Duration::from_millis(ADMIN_PAUSE_MS)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

#[cfg(test)]
mod tests;
