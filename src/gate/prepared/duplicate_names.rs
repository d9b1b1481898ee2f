//! Names that were given anew while something may still have them.
//!
//! The upstream refuses to give a name twice, and then the older statement keeps it. Both were
//! judged, so either may run, as long as what they were judged on holds; judged again is only the
//! newer one, whose text is known. So a name of which the older bearer stands on another basis is
//! good for nothing until it is given up.

use crate::lazy_map::LazyMap;
use crate::{Facts, VerdictBasis};

/// The names, and what their older bearers stand on.
#[derive(Clone, Default)]
pub(crate) struct DuplicateNames {
    names: LazyMap<OlderBasis>,
}

/// What the older bearers of a name stand on.
#[derive(Clone, Copy, Debug)]
pub enum OlderBasis {
    /// All on this basis.
    Single(VerdictBasis),
    /// On different ones, or one of them changes what the session is afterwards.
    Several,
}

/// The same for what has no name: it is given anew all the time, and the upstream takes the older
/// one away by itself, unless it skips the message that brings the new one.
#[derive(Clone, Default)]
pub(crate) struct UnnamedDuplicates {
    /// What was replaced since the last rest. By itself, as the other one: a session at rest has
    /// neither.
    replaced: Option<Box<OlderBasis>>,
    /// The same, where a Sync was sent since: what follows runs also when the new one never came.
    synced: Option<Box<OlderBasis>>,
}

impl OlderBasis {
    fn of(facts: &Facts) -> Self {
        if facts.effects.is_empty() {
            Self::Single(facts.basis)
        } else {
            Self::Several
        }
    }

    fn merge(self, other: Option<Self>) -> Self {
        match (self, other) {
            (_, None) => self,
            (Self::Single(basis), Some(Self::Single(others))) if basis == others => self,
            (Self::Single(_) | Self::Several, Some(Self::Single(_) | Self::Several)) => {
                Self::Several
            }
        }
    }

    fn is_doubtful(self, basis: VerdictBasis) -> bool {
        match self {
            Self::Single(others) => others != basis,
            Self::Several => true,
        }
    }
}

impl UnnamedDuplicates {
    /// A new one is on its way; this is what the older one runs. What comes before the next Sync
    /// is skipped where the new one is.
    pub(crate) fn note(&mut self, older: Option<&Facts>) {
        if let Some(facts) = older {
            let before = self.replaced.take().map(|older| *older);
            self.replaced = Some(Box::new(OlderBasis::of(facts).merge(before)));
        }
        self.synced = None;
    }

    /// A Sync, or a Query, is on its way.
    pub(crate) fn sync(&mut self) {
        self.synced.clone_from(&self.replaced);
    }

    /// Everything was answered.
    pub(crate) fn rest(&mut self) {
        *self = Self::default();
    }

    /// Whether an older one may be there, now that the upstream has skipped something.
    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced.is_some()
    }

    /// Whether it may still be an older one, which is not good on this basis.
    pub(crate) fn is_doubtful(&self, basis: VerdictBasis) -> bool {
        (self.synced.as_ref()).is_some_and(|older| older.is_doubtful(basis))
    }
}

impl DuplicateNames {
    /// A name was given anew; this is what its older bearer runs.
    pub(crate) fn add(&mut self, name: &str, facts: &Facts) {
        let older = OlderBasis::of(facts).merge(self.names.get(name).copied());
        self.names.insert(name.into(), older);
    }

    /// Nobody knows any more what a name stands for.
    pub(crate) fn invalidate(&mut self, name: &str) {
        self.names.insert(name.into(), OlderBasis::Several);
    }

    /// The name was not given up after all.
    pub(crate) fn restore(&mut self, name: &str, older: OlderBasis) {
        let older = older.merge(self.names.get(name).copied());
        self.names.insert(name.into(), older);
    }

    /// Whether a name may stand for something that is not good on this basis.
    pub(crate) fn is_doubtful(&self, name: &str, basis: VerdictBasis) -> bool {
        self.names
            .get(name)
            .is_some_and(|older| older.is_doubtful(basis))
    }

    /// The name was given up. Hands out what was known of its older bearers.
    pub(crate) fn forget(&mut self, name: &str) -> Option<OlderBasis> {
        if self.names.is_empty() {
            None
        } else {
            self.names.remove(name)
        }
    }

    /// All names were given up.
    pub(crate) fn clear(&mut self) {
        self.names.clear();
    }

    /// Only some names are left.
    pub(crate) fn retain(&mut self, is_left: impl Fn(&str) -> bool) {
        if !self.names.is_empty() {
            self.names.retain(|name, _| is_left(name));
        }
    }
}
