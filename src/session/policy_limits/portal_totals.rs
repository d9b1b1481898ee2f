//! What each portal and cursor of a session has given so far.
//!
//! A result may be taken in pieces: by Executes of one portal, by FETCH from one cursor, by both at
//! once, since a cursor is a portal. What was given under a name counts on until the server has
//! said that something else has it. So everything here happens when an answer comes, and not when
//! the message is sent: the server may skip that.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::gate::truncated_name;
use crate::limits;

/// The tallies of a session, by the names that the server keeps.
#[derive(Default)]
pub(super) struct PortalTotals {
    known: HashMap<Box<str>, Arc<PortalTotal>>,
    /// That of all names for which there was no room: they have one between them.
    crowd: Option<Arc<PortalTotal>>,
}

/// What a portal has given, over all its runs.
#[derive(Debug, Default)]
pub(super) struct PortalTotal {
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl PortalTotals {
    /// That of a name.
    pub(super) fn of(&mut self, name: &str) -> Arc<PortalTotal> {
        let name = truncated_name(name);
        if let Some(known) = self.known.get(name) {
            return Arc::clone(known);
        }
        if self.crowd.is_some() || self.known.len() >= limits::SESSION_NAMES_MAX {
            return Arc::clone(self.crowd.get_or_insert_default());
        }
        let tally = Arc::<PortalTotal>::default();
        self.known.insert(name.into(), Arc::clone(&tally));
        tally
    }

    /// What has the name now has given nothing, or nothing has it.
    pub(super) fn begin(&mut self, name: &str) {
        self.known.remove(truncated_name(name));
    }

    /// Portals are gone, and these cursors stay.
    pub(super) fn end_transaction(&mut self, stays: impl Fn(&str) -> bool) {
        self.known.retain(|name, _| stays(name));
        self.known.shrink_to_fit();
        self.crowd = None;
    }

    /// All are gone.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.crowd.is_none()
    }
}

impl PortalTotal {
    /// Rows and bytes so far.
    pub(super) fn so_far(&self) -> (u64, u64) {
        let (rows, bytes) = (&self.rows, &self.bytes);
        (rows.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
    }

    /// More was given.
    pub(super) fn add(&self, rows: u64, bytes: u64) {
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_the_server_keeps() {
        let mut portal_totals = PortalTotals::default();
        let long = "n".repeat(63);
        portal_totals.of(&format!("{long}x")).add(3, 30);
        assert_eq!(portal_totals.of(&format!("{long}y")).so_far(), (3, 30));
        assert_eq!(portal_totals.of("n").so_far(), (0, 0));
        portal_totals.begin(&long);
        assert_eq!(portal_totals.of(&long).so_far(), (0, 0));
    }

    #[test]
    fn what_finds_no_room_counts_together() {
        let mut portal_totals = PortalTotals::default();
        for number in 0..limits::SESSION_NAMES_MAX {
            portal_totals.of(&number.to_string());
        }
        portal_totals.of("one").add(1, 10);
        portal_totals.of("two").add(2, 20);
        portal_totals.begin("7");
        assert_eq!(
            portal_totals.of("one").so_far(),
            (3, 30),
            "room comes too late"
        );
        portal_totals.end_transaction(|name| name == "8");
        assert_eq!(portal_totals.of("one").so_far(), (0, 0));
        assert!(portal_totals.known.contains_key("8"));
        portal_totals.clear();
        assert!(portal_totals.is_empty());
    }
}
