//! Whether a name in FROM stands for a query of WITH or for a relation.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::from_names::FromName;
use resolve::{Resolution, UsedObject};

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithOrRelation {
    /// A query of WITH.
    Common,
    /// A relation.
    Relation,
}

/// What stands at each place of a statement; none where both do.
pub(crate) struct FromNameKinds(HashMap<usize, Option<WithOrRelation>, RandomState>);

impl FromNameKinds {
    /// By what a statement names.
    pub(crate) fn of(resolution: &Resolution<'_>) -> Self {
        let mut seen: HashMap<usize, Option<WithOrRelation>, RandomState> = HashMap::default();
        for used in &resolution.uses {
            let common = match &used.what {
                UsedObject::CommonTable { .. } => WithOrRelation::Common,
                UsedObject::Relation { .. } | UsedObject::MissingRelation { .. } => {
                    WithOrRelation::Relation
                }
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
    pub(crate) fn kind_at(&self, table: &FromName<'_>) -> Option<WithOrRelation> {
        let at = usize::try_from(table.node.location).ok()?;
        self.0.get(&at).copied().flatten()
    }
}
