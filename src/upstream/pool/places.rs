//! How many connections of pools there are, and how many sessions wait for one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::telemetry::Telemetry;
use crate::telemetry::events::{PoolMoved, PoolQueued};
use crate::telemetry::labels::PooledConnectionState;

/// The place of a connection among those of its pool, for as long as it is there.
pub(super) struct PoolPlace(Arc<AtomicUsize>, Telemetry);

impl PoolPlace {
    /// One more connection is there, or is being opened.
    pub(super) fn taken(open: &Arc<AtomicUsize>, telemetry: &Telemetry) -> Self {
        open.fetch_add(1, Ordering::AcqRel);
        telemetry.emit(&PoolMoved {
            from: None,
            to: Some(PooledConnectionState::Used),
        });
        Self(Arc::clone(open), telemetry.clone())
    }

    /// Who counts it.
    pub(super) fn telemetry(&self) -> &Telemetry {
        &self.1
    }
}

impl Drop for PoolPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
        self.1.emit(&PoolMoved {
            from: Some(PooledConnectionState::Used),
            to: None,
        });
    }
}

/// A session that waits for a connection, as it is counted.
pub(super) struct Waiting<'t>(&'t Telemetry);

impl<'t> Waiting<'t> {
    /// It waits from now on.
    pub(super) fn begin(telemetry: &'t Telemetry) -> Self {
        telemetry.emit(&PoolQueued { change: 1 });
        Self(telemetry)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.emit(&PoolQueued { change: -1 });
    }
}
