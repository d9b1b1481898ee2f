//! Whether what a caller may read has changed since it was told: then its client hears of it.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::time::sleep;

use super::resources;
use super::services::McpCaller;
use super::session::McpSession;
use crate::grounding::GroundingVersion;
use crate::limits::mcp::DRIFT_PAUSE;
use crate::upstream::catalog_cache::groundings::GroundingBasis;

/// What was seen last of what a caller may read.
struct DriftWatch {
    session: Arc<McpSession>,
    caller: McpCaller,
    basis: Option<GroundingBasis>,
    version: Option<GroundingVersion>,
}

/// Tells a client that has greeted of changes, for as long as it is there.
///
/// May be cancelled.
pub async fn watch((session, caller): (Arc<McpSession>, McpCaller), peer: Peer<RoleServer>) {
    let mut watch = DriftWatch::new(session, caller);
    while !peer.is_transport_closed() {
        if watch.is_changed().await {
            // Who has gone hears nothing.
            let _ = peer.notify_resource_list_changed().await;
            let subscribed = watch.session.subscribed().clone();
            for address in subscribed {
                let address = ResourceUpdatedNotificationParam::new(address);
                let _ = peer.notify_resource_updated(address).await;
            }
        }
        sleep(DRIFT_PAUSE).await;
    }
}

/// Tells a client that listens of changes, until it does not any more.
///
/// May be cancelled.
pub async fn listen(
    (session, caller): (Arc<McpSession>, McpCaller),
    subscription: &SubscriptionContext,
) {
    let mut watch = DriftWatch::new(session, caller);
    loop {
        tokio::select! {
            () = subscription.cancelled() => return,
            is_changed = watch.is_changed_after_pause() => {
                if is_changed {
                    let sink = subscription.sink();
                    // What it did not ask for it is not told.
                    let _ = sink.notify_resource_list_changed().await;
                    let _ = sink.notify_resource_updated(resources::GROUNDING).await;
                }
            }
        }
    }
}

impl DriftWatch {
    fn new(session: Arc<McpSession>, caller: McpCaller) -> Self {
        Self {
            session,
            caller,
            basis: None,
            version: None,
        }
    }

    async fn is_changed_after_pause(&mut self) -> bool {
        let is_changed = self.is_changed().await;
        sleep(DRIFT_PAUSE).await;
        is_changed
    }

    /// Whether it is another version than the last time. The database is asked only where the
    /// catalog or the policy is another one.
    async fn is_changed(&mut self) -> bool {
        let services = self.session.services();
        let plan = services.session_plan_now(&self.caller);
        let Ok(basis) = plan.map(|plan| plan.basis()) else {
            return false;
        };
        if self.basis == Some(basis) {
            return false;
        }
        let Ok(whole) = services.grounding(&self.caller).await else {
            return false;
        };
        self.basis = Some(basis);
        let before = self.version.replace(whole.version);
        before.is_some_and(|before| before != whole.version)
    }
}
