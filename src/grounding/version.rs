//! The hash of what a grounding shows.

use std::fmt;

use ground::hex;

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

    /// Its number, which is told as sixteen hex digits.
    pub fn number(self) -> u64 {
        let Self([a, b, c, d, e, f, g, h, ..]) = self;
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// The number of a version as it is told; none where it is none.
    pub fn read(text: &str) -> Option<u64> {
        hex::number(text)
    }
}

impl fmt::Display for GroundingVersion {
    /// Sixteen hex digits.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.number())
    }
}

impl fmt::Debug for GroundingVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "GroundingVersion({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_it_is_told() {
        let version = GroundingVersion::of(&Grounding::default(), &GroundingFacets::default(), "p");
        let told = version.to_string();
        assert_eq!(GroundingVersion::read(&told), Some(version.number()));
        let upper = told.to_uppercase();
        assert_eq!(GroundingVersion::read(&upper), Some(version.number()));
        for wrong in [
            "",
            "0",
            "+123456789abcdef",
            "0123456789abcdefg",
            "0123456789abcdeg",
        ] {
            assert_eq!(GroundingVersion::read(wrong), None, "{wrong}");
        }
    }
}
