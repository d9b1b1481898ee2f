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
//! * `connection`: one connection and its bounds; `connection_limit` and `stream_limit`: who gives
//!   way to whom
//! * `routes`: what can be asked for; `actions`: what can be done
//! * `credentials`: what opens it; `allowed_hosts`: which names it may be asked for by; `access`:
//!   who may see the live page
//! * `live_page`: the page itself; `grounding`: what a session may read; `receipt_keys`: what
//!   receipts are verified by
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
mod grounding;
mod live_page;
mod page_state;
mod receipt_keys;
mod routes;
mod stream_limit;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;

use self::access::AccessRule;
use self::connection::AdminConnection;
use self::connection_limit::ConnectionLimit;
pub use self::credentials::AdminCredentials;
use self::event_stream::EventStream;
use self::live_page::LivePage;
use self::stream_limit::StreamLimit;
use crate::limits::{
    ADMIN_CONNECTIONS_MAX, ADMIN_FOLLOW_TURN, ADMIN_FOLLOWERS_MAX, ADMIN_PAUSE_MS,
};
use crate::receipts::issuer::ReceiptIssuer;
use crate::server::grounding::service::GroundingService;
use crate::server::readiness::Readiness;
use crate::server::reload::ReloadHandle;
use crate::session::registry::SessionRegistry;
use crate::telemetry::Telemetry;
use crate::upstream::pool::ConnectionPools;

/// What the admin address shows, and to whom.
pub struct AdminServices {
    /// The numbers, and what happened lately.
    pub telemetry: Telemetry,
    /// How pgsieve stands.
    pub readiness: Arc<Readiness>,
    /// What opens it.
    pub keys: Arc<AdminCredentials>,
    /// Has everything read again.
    pub asker: ReloadHandle,
    /// Who is in.
    pub session_registry: SessionRegistry,
    /// What sessions may read.
    pub groundings: GroundingService,
    /// Who signs receipts, where there is a key.
    pub receipt_issuer: Option<Arc<ReceiptIssuer>>,
    /// The connections that sessions share, where they do.
    pub pools: Option<ConnectionPools>,
}

/// What the answers are made from.
struct AdminState {
    telemetry: Telemetry,
    readiness: Arc<Readiness>,
    keys: Arc<AdminCredentials>,
    asker: ReloadHandle,
    session_registry: SessionRegistry,
    groundings: GroundingService,
    receipt_issuer: Option<Arc<ReceiptIssuer>>,
    bound: Option<IpAddr>,
    page: LivePage,
    feed: EventStream,
    /// Room for pages that are being followed.
    followers: StreamLimit,
}

impl AdminState {
    /// Who may see the live page now.
    fn door(&self) -> AccessRule {
        AccessRule::new(self.keys.now().token.as_ref(), self.bound)
    }
}

/// Serves until it is dropped, which ends its connections as well.
pub async fn serve(listener: TcpListener, admin: AdminServices) {
    let followers = StreamLimit::new(ADMIN_FOLLOWERS_MAX, ADMIN_FOLLOW_TURN);
    serve_to(listener, admin, followers).await;
}

async fn serve_to(listener: TcpListener, admin: AdminServices, followers: StreamLimit) {
    let bound = listener.local_addr().ok().map(|address| address.ip());
    let shown = Arc::new(AdminState {
        telemetry: admin.telemetry,
        readiness: admin.readiness,
        keys: admin.keys,
        asker: admin.asker,
        session_registry: admin.session_registry,
        groundings: admin.groundings,
        receipt_issuer: admin.receipt_issuer,
        bound,
        page: LivePage::new(),
        feed: EventStream::new(admin.pools),
        followers,
    });
    tokio::select! {
        () = shown.feed.run(&shown.telemetry, &shown.readiness) => {}
        () = accept(listener, &shown) => {}
    }
}

async fn accept(listener: TcpListener, shown: &Arc<AdminState>) {
    let mut connection_limit = ConnectionLimit::new(ADMIN_CONNECTIONS_MAX);
    let mut connections = JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let Some(permit) = connection_limit.room().await else {
                    return;
                };
                let slot = Arc::new(AdminConnection::new(permit, peer));
                let conversation =
                    connection::converse(stream, Arc::clone(&slot), Arc::clone(shown));
                connection_limit.admit(slot, connections.spawn(conversation));
            }
            // Out of descriptors or memory: others may give some back.
            Err(_) => sleep(Duration::from_millis(ADMIN_PAUSE_MS)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

#[cfg(test)]
mod tests;
