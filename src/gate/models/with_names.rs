//! Whether a name in FROM stands for a query of WITH or for a relation.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::from_names::Table;
use crate::resolve::{Resolution, What};

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::gate) enum IsCommon {
    /// A query of WITH.
    Common,
    /// A relation.
    Relation,
}

/// What stands at each place of a statement; none where both do.
pub(in crate::gate) struct Stands(HashMap<usize, Option<IsCommon>, RandomState>);

impl Stands {
    /// By what a statement names.
    pub(in crate::gate) fn of(resolution: &Resolution<'_>) -> Self {
        let mut seen: HashMap<usize, Option<IsCommon>, RandomState> = HashMap::default();
        for used in &resolution.uses {
            let common = match &used.what {
                What::CommonTable { .. } => IsCommon::Common,
                What::Relation { .. } | What::MissingRelation { .. } => IsCommon::Relation,
                _ => continue,
            };
            if let Some(at) = used.at {
                let kept = seen.entry(at).or_insert(Some(common));
                *kept = kept.filter(|kept| *kept == common);
            }
        }
        Self(seen)
    }

    /// What a name stands for; none where that is not certain.
    pub(in crate::gate) fn at(&self, table: &Table<'_>) -> Option<IsCommon> {
        let at = usize::try_from(table.node.location).ok()?;
        self.0.get(&at).copied().flatten()
    }
}
