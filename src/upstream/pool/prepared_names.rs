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
pub struct PreparedNames {
    places: HashMap<UpstreamName, Place>,
    /// How many there may be before one makes room.
    most: usize,
    uses: u64,
    track: Track,
}

/// A statement that may be there.
struct Place {
    /// When it was used last, counted in uses.
    last_use: u64,
    /// Whether it is there.
    certainty: Certainty,
    /// What it was described as.
    description: Description,
}

/// Whether a statement is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Certainty {
    There,
    /// It may be.
    Doubtful,
    /// Until its Close is answered.
    Closing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Track {
    Kept,
    Lost,
}

/// What is to be done before a statement is prepared.
#[derive(Debug, PartialEq, Eq)]
pub struct PlaceTaken {
    /// Whether one of the same name may be there, and is to be closed.
    pub closes_own: bool,
    /// Those that make room, and are to be closed.
    pub evicted: Vec<UpstreamName>,
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

    /// As it stands in messages.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(OWN_NAME_PREFIX.len() + 2 * NAME_BYTES);
        text.push_str(OWN_NAME_PREFIX);
        for byte in self.0 {
            for half in [byte >> 4, byte & 0xf] {
                let digit = if half < 10 {
                    b'0' + half
                } else {
                    b'a' + half - 10
                };
                text.push(char::from(digit));
            }
        }
        text
    }

    fn of_digest(hasher: &blake3::Hasher) -> Self {
        let mut name = [0; NAME_BYTES];
        hasher.finalize_xof().fill(&mut name);
        Self(name)
    }
}

impl Default for PreparedNames {
    /// Those of no connection.
    fn default() -> Self {
        Self::at_most(limits::pools::STATEMENTS_DEFAULT)
    }
}

impl PreparedNames {
    /// None yet; of so many the one that was used longest ago makes room.
    pub fn at_most(most: usize) -> Self {
        Self {
            places: HashMap::new(),
            most,
            uses: 0,
            track: Track::Kept,
        }
    }

    /// Whether it is there for certain; it is used now.
    pub fn uses(&mut self, name: UpstreamName) -> bool {
        self.uses += 1;
        match self.places.get_mut(&name) {
            Some(place) => {
                place.last_use = self.uses;
                place.certainty == Certainty::There
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
            certainty: Certainty::There,
            description: Description::default(),
        };
        let older = self.places.insert(name, place);
        let mut evicted = Vec::new();
        // Each round takes one out of a finite number.
        while self.staying() > self.most {
            match self.evict(name, kept) {
                Some(oldest) => evicted.push(oldest),
                None => break,
            }
        }
        PlaceTaken {
            closes_own: older.is_some() || self.track == Track::Lost,
            evicted,
        }
    }

    /// Whether the next one has others make room.
    pub fn is_full(&self) -> bool {
        self.places.len() >= self.most
    }

    /// How many may be there for long. Of few nothing has to be counted.
    fn staying(&self) -> usize {
        match self.places.len() {
            few if few <= self.most => few,
            _ => {
                let places = self.places.values();
                places.filter(|place| place.is_staying()).count()
            }
        }
    }

    /// The one that was used longest ago. It may be there until its Close is answered.
    fn evict(&mut self, own: UpstreamName, kept: &HashSet<UpstreamName>) -> Option<UpstreamName> {
        let may_go = |name: &UpstreamName| *name != own && !kept.contains(name);
        let places = self.places.iter_mut();
        let staying = places.filter(|(name, place)| may_go(name) && place.is_staying());
        let (name, place) = staying.min_by_key(|(_, place)| place.last_use)?;
        place.certainty = Certainty::Closing;
        Some(*name)
    }

    /// It was closed.
    pub fn closed(&mut self, name: UpstreamName) {
        let is_gone = self.places.get(&name);
        if is_gone.is_some_and(|place| place.certainty != Certainty::There) {
            self.places.remove(&name);
        }
    }

    /// What would have prepared or closed it has failed or was skipped.
    pub fn doubt(&mut self, name: UpstreamName) {
        if let Some(place) = self.places.get_mut(&name) {
            place.certainty = Certainty::Doubtful;
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

impl Place {
    /// Whether it may be there, and is not being closed.
    fn is_staying(&self) -> bool {
        self.certainty != Certainty::Closing
    }
}

impl fmt::Display for UpstreamName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
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
        for most in [1, 2, 200] {
            makes_room(most);
        }
    }

    #[test]
    fn each_of_a_batch_makes_room_for_itself_alone() {
        let mut names = PreparedNames::at_most(1);
        let all: Vec<_> = (0..4)
            .map(|number| UpstreamName::unique(1, number))
            .collect();
        let mut evict = |name| names.take_place(name, &HashSet::new()).evicted;
        // No Close is answered meanwhile.
        let evicted: Vec<_> = all.iter().map(|name| evict(*name)).collect();
        assert_eq!(evicted, [vec![], vec![all[0]], vec![all[1]], vec![all[2]]]);
        // One whose Close was skipped is closed once more.
        names.doubt(all[0]);
        names.closed(all[1]);
        names.closed(all[2]);
        let mut evict = |name| names.take_place(name, &HashSet::new()).evicted;
        let late = [UpstreamName::unique(2, 0), UpstreamName::unique(2, 1)];
        assert_eq!(evict(late[0]), [all[0], all[3]]);
        // Those that are kept make no room, until they may.
        let kept = HashSet::from([late[0]]);
        assert!(names.take_place(late[1], &kept).evicted.is_empty());
        let last = names.take_place(UpstreamName::unique(2, 2), &HashSet::new());
        assert_eq!(last.evicted, late);
    }

    fn makes_room(most: u32) {
        let mut names = PreparedNames::at_most(usize::try_from(most).unwrap());
        let all: Vec<_> = (0..u64::from(most))
            .map(|number| UpstreamName::unique(1, number))
            .collect();
        for name in &all {
            assert!(names.take_place(*name, &HashSet::new()).evicted.is_empty());
        }
        assert!(names.uses(all[0]));
        let evicted = names
            .take_place(UpstreamName::unique(2, 1), &HashSet::new())
            .evicted;
        let oldest = *all.get(1).unwrap_or(&all[0]);
        assert_eq!(evicted, [oldest]);
        assert!(!names.uses(oldest));
        // Until its Close is answered it may be there.
        names.closed(oldest);
        assert!(!names.take_place(oldest, &HashSet::new()).closes_own);
    }
}
