//! Names of pgsieve's own for prepared statements on connections that sessions share, and which of
//! them a connection has.
//!
//! Statements of the same text, types and meaning have the same name, whoever has prepared them: so
//! what one session has had prepared is there for the next one. No name ever stands for two.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use super::description::{Description, DescriptionFit};
use crate::gate::OWN_NAME_PREFIX;
use crate::limits;

/// The name of a prepared statement at the upstream.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct UpstreamName([u8; NAME_BYTES]);

/// Which statements are prepared on a connection. What is not known here may be there after
/// [`lose_track`](Self::lose_track) alone.
#[derive(Default)]
pub struct PreparedNames {
    places: HashMap<UpstreamName, Place>,
    uses: u64,
    track: Track,
}

/// A statement that may be there.
struct Place {
    /// When it was used last, counted in uses.
    last_use: u64,
    /// Whether it is there for certain.
    is_certain: bool,
    /// What it was described as.
    description: Description,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Track {
    #[default]
    Kept,
    Lost,
}

/// What is to be done before a statement is prepared.
#[derive(Debug, PartialEq, Eq)]
pub struct PlaceTaken {
    /// Whether one of the same name may be there, and is to be closed.
    pub closes_own: bool,
    /// The one that makes room, and is to be closed.
    pub evicted: Option<UpstreamName>,
}

impl UpstreamName {
    /// That of a text with types of parameters, as they stand in a Parse, whose literals are read
    /// by settings of that digest.
    pub fn of(text: &str, types: &[u8], meaning: u64) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&NAMING_KEY);
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        hasher
            .update(&meaning.to_le_bytes())
            .update(&length.to_le_bytes())
            .update(text.as_bytes())
            .update(types);
        Self::of_digest(&hasher)
    }

    /// One that no other statement has: that of the session of this number with that number among
    /// its own.
    pub fn unique(session: u64, number: u64) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(&NAMING_KEY);
        hasher
            .update(&session.to_le_bytes())
            .update(&number.to_le_bytes());
        Self::of_digest(&hasher)
    }

    fn of_digest(hasher: &blake3::Hasher) -> Self {
        let mut name = [0; NAME_BYTES];
        hasher.finalize_xof().fill(&mut name);
        Self(name)
    }
}

impl PreparedNames {
    /// Whether it is there for certain; it is used now.
    pub fn uses(&mut self, name: UpstreamName) -> bool {
        self.uses += 1;
        match self.places.get_mut(&name) {
            Some(place) => {
                place.last_use = self.uses;
                place.is_certain
            }
            None => false,
        }
    }

    /// It was described so.
    pub fn described(&mut self, name: UpstreamName, description: Description) {
        if let Some(place) = self.places.get_mut(&name) {
            place.description = place.description.and(description);
        }
    }

    /// Whether it is described as a client was told.
    pub fn fit(&self, name: UpstreamName, told: Description) -> DescriptionFit {
        let place = self.places.get(&name);
        let description = place.map(|place| place.description);
        told.fit(description.unwrap_or_default())
    }

    /// It is about to be prepared; another one may have to make room, but for those.
    pub fn take_place(&mut self, name: UpstreamName, kept: &HashSet<UpstreamName>) -> PlaceTaken {
        self.uses += 1;
        let place = Place {
            last_use: self.uses,
            is_certain: true,
            description: Description::default(),
        };
        let older = self.places.insert(name, place);
        let evicted = match self.places.len() > limits::pools::STATEMENTS_MAX {
            true => self.evict(name, kept),
            false => None,
        };
        PlaceTaken {
            closes_own: older.is_some() || self.track == Track::Lost,
            evicted,
        }
    }

    /// The one that was used longest ago. It counts as there until it is closed.
    fn evict(&mut self, own: UpstreamName, kept: &HashSet<UpstreamName>) -> Option<UpstreamName> {
        let may_go = |name: &UpstreamName| *name != own && !kept.contains(name);
        let places = self.places.iter().filter(|(name, _)| may_go(name));
        let oldest = places.min_by_key(|(_, place)| place.last_use);
        let (name, _) = oldest?;
        let name = *name;
        self.doubt(name);
        Some(name)
    }

    /// It was closed.
    pub fn closed(&mut self, name: UpstreamName) {
        let is_gone = self.places.get(&name);
        if is_gone.is_some_and(|place| !place.is_certain) {
            self.places.remove(&name);
        }
    }

    /// What would have prepared or closed it has failed or was skipped.
    pub fn doubt(&mut self, name: UpstreamName) {
        if let Some(place) = self.places.get_mut(&name) {
            place.is_certain = false;
        }
    }

    /// Any of them may be gone, or none.
    pub fn lose_track(&mut self) {
        self.places.clear();
        self.track = Track::Lost;
    }

    /// All of them are gone.
    pub fn all_closed(&mut self) {
        self.places.clear();
        self.track = Track::Kept;
    }

    /// Whether it is known what is there.
    pub fn has_lost_track(&self) -> bool {
        self.track == Track::Lost
    }
}

impl fmt::Display for UpstreamName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{OWN_NAME_PREFIX}")?;
        let mut bytes = self.0.iter();
        bytes.try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for UpstreamName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "UpstreamName({self})")
    }
}

impl fmt::Debug for PreparedNames {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PreparedNames({})", self.places.len())
    }
}

/// Nobody can tell from a text what it is called. Where there is no random there is no secret
/// either: names are what they are for nonetheless.
static NAMING_KEY: LazyLock<[u8; 32]> = LazyLock::new(|| {
    let mut key = [0; 32];
    let _ = getrandom::fill(&mut key);
    key
});

/// So many that no two statements meet by chance.
const NAME_BYTES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_has_another_name() {
        let name = UpstreamName::of("SELECT 1", b"", 0);
        assert_eq!(name, UpstreamName::of("SELECT 1", b"", 0));
        assert_ne!(name, UpstreamName::of("SELECT 2", b"", 0));
        assert_ne!(name, UpstreamName::of("SELECT 1", b"\0\0\0\x17", 0));
        assert_ne!(name, UpstreamName::of("SELECT ", b"1", 0));
        assert_ne!(name, UpstreamName::of("SELECT 1", b"", 1));
        assert_ne!(UpstreamName::unique(1, 2), UpstreamName::unique(1, 3));
        assert_ne!(UpstreamName::unique(1, 2), UpstreamName::unique(2, 2));
        assert_eq!(name.to_string().len(), OWN_NAME_PREFIX.len() + 32);
    }

    #[test]
    fn what_may_be_there_is_closed_before_it_is_prepared() {
        let mut names = PreparedNames::default();
        let name = UpstreamName::unique(1, 1);
        assert!(!names.uses(name));
        assert!(!names.take_place(name, &HashSet::new()).closes_own);
        assert!(names.uses(name));
        names.doubt(name);
        assert!(!names.uses(name));
        assert!(names.take_place(name, &HashSet::new()).closes_own);
        // The answer to a Close before the Parse that has brought it anew.
        names.closed(name);
        assert!(names.uses(name));
        names.lose_track();
        assert!(!names.uses(name) && names.has_lost_track());
        assert!(
            names
                .take_place(UpstreamName::unique(2, 1), &HashSet::new())
                .closes_own
        );
        names.all_closed();
        assert!(!names.take_place(name, &HashSet::new()).closes_own && !names.has_lost_track());
    }

    #[test]
    fn who_was_used_longest_ago_makes_room() {
        let mut names = PreparedNames::default();
        let most = u64::try_from(limits::pools::STATEMENTS_MAX).unwrap();
        let all: Vec<_> = (0..most)
            .map(|number| UpstreamName::unique(1, number))
            .collect();
        for name in &all {
            assert_eq!(names.take_place(*name, &HashSet::new()).evicted, None);
        }
        assert!(names.uses(all[0]));
        let evicted = names
            .take_place(UpstreamName::unique(2, 1), &HashSet::new())
            .evicted;
        assert_eq!(evicted, Some(all[1]));
        assert!(!names.uses(all[1]));
        // Until its Close is answered it may be there.
        names.closed(all[1]);
        assert!(!names.take_place(all[1], &HashSet::new()).closes_own);
    }
}
