//! What differs between two snapshots of one database, counted by kind. Names are not kept: this is
//! for logs and metrics.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Catalog, ObjectKind};

/// How many objects of each kind differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    counts: BTreeMap<ObjectKind, DriftCount>,
}

/// How many objects of one kind differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DriftCount {
    /// That only the newer snapshot has.
    pub added: usize,
    /// That both have, with other properties.
    pub changed: usize,
    /// That only the older one has.
    pub removed: usize,
}

impl Drift {
    /// How many of a kind differ.
    pub fn of(&self, kind: ObjectKind) -> DriftCount {
        self.counts.get(&kind).copied().unwrap_or_default()
    }

    /// The kinds of which any differ.
    pub fn kinds(&self) -> impl Iterator<Item = (ObjectKind, DriftCount)> {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// How many objects differ at all.
    pub fn total(&self) -> usize {
        self.counts.values().map(DriftCount::total).sum()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn count(&mut self, print: &ObjectPrint) -> &mut DriftCount {
        self.counts.entry(print.kind).or_default()
    }
}

impl DriftCount {
    /// How many differ in any way.
    pub fn total(&self) -> usize {
        self.added + self.changed + self.removed
    }
}

/// What the newer snapshot has, lacks or has otherwise.
pub fn between(older: &Catalog, newer: &Catalog) -> Drift {
    let mut drift = Drift::default();
    let (mut old, mut new) = (
        older.prints.iter().peekable(),
        newer.prints.iter().peekable(),
    );
    // Both lists are sorted: what is behind in one is missing in the other.
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return drift,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.called().cmp(&other.called()),
        };
        let one = old.next_if(|_| order.is_le());
        let other = new.next_if(|_| order.is_ge());
        match (one, other) {
            (Some(one), Some(other)) if one.content == other.content => {}
            (Some(one), Some(_)) => drift.count(one).changed += 1,
            (Some(one), None) => drift.count(one).removed += 1,
            (None, Some(other)) => drift.count(other).added += 1,
            (None, None) => return drift,
        }
    }
}

/// One object, short: a wrong match of two hashes costs a count, nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectPrint {
    pub kind: ObjectKind,
    /// The hash of what it is called.
    pub name: u64,
    /// The hash of all that it is.
    pub content: u64,
}

impl ObjectPrint {
    fn called(&self) -> (ObjectKind, u64) {
        (self.kind, self.name)
    }
}
