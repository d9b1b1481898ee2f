//! The hash of what a grounding shows.

use std::fmt;

use super::document::Grounding;
use super::facet::GroundingFacets;

/// The hash of what a grounding shows and of what it was asked: equal versions mean that a prompt
/// made of the one is as true as one made of the other. What changes with every write (estimates,
/// statistics, samples) does not count.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct GroundingVersion([u8; 32]);

impl GroundingVersion {
    /// That of a whole grounding, before anything is left out of it, with these facets under a
    /// policy of this version.
    pub fn of(grounding: &Grounding, facets: &GroundingFacets, policy: &str) -> Self {
        let mut lasting = grounding.clone();
        for relation in &mut lasting.relations {
            relation.rows = None;
            for column in &mut relation.columns {
                column.samples.clear();
                column.statistics = None;
            }
        }
        let mut hasher = blake3::Hasher::new();
        for part in [&*facets.to_string(), policy] {
            hasher.update(&part.len().to_be_bytes());
            hasher.update(part.as_bytes());
        }
        // A document of names and numbers is always JSON.
        let written = serde_json::to_vec(&lasting).unwrap_or_default();
        hasher.update(&written);
        Self(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for GroundingVersion {
    /// Sixteen hex digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([a, b, c, d, e, f, g, h, ..]) = self;
        let short = u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]);
        write!(formatter, "{short:016x}")
    }
}

impl fmt::Debug for GroundingVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GroundingVersion({self})")
    }
}
