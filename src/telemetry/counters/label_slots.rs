//! Places for names that are not known when the program is built, so few that each may be a label.
//!
//! The law: a name gets a place of its own when it comes and one is free. It keeps it until it has
//! not come for a while; then the place is free for another one. A name that finds none is one of
//! the rest, and tries again when a place has become free. Names that are [kept](LabelSlots::keep)
//! stay.
//!
//! Whoever counts often remembers the [`LabelSlot`] instead of the name. It says whose a place was
//! when it was given: once the place is another's, it is no longer [good](LabelSlots::confirm).

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The places, and who has them.
#[derive(Debug)]
pub struct LabelSlots<N> {
    by_name: HashMap<N, usize>,
    places: Vec<SlotEntry<N>>,
    idle: Duration,
    /// How often a place was given or became free.
    turns: u64,
    /// The turn since which whoever is of the rest has no reason to try again.
    rest_since: u64,
}

/// A place as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LabelSlot(u64);

/// Remembers the slot of something that is shared. A copy remembers none: it may be of another
/// name.
#[derive(Debug, Default)]
pub struct SlotMemory(AtomicU64);

/// What a name got.
#[derive(Debug, PartialEq, Eq)]
pub struct SlotGiven<N> {
    /// The place.
    pub slot: LabelSlot,
    /// Who had it before, until now.
    pub freed: Option<FreedSlot<N>>,
}

/// A name that has lost its place.
#[derive(Debug, PartialEq, Eq)]
pub struct FreedSlot<N> {
    /// The place.
    pub place: usize,
    /// The name.
    pub name: N,
}

#[derive(Debug)]
struct SlotEntry<N> {
    holder: Option<SlotHolder<N>>,
    given: LabelSlot,
}

#[derive(Debug)]
struct SlotHolder<N> {
    name: N,
    came: Instant,
    stays: SlotRetention,
}

/// Whether a name may lose its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotRetention {
    WhileItComes,
    Always,
}

impl<N: Clone + Eq + Hash> LabelSlots<N> {
    /// So many places, each of which is free again when its name has not come for so long.
    pub fn new(most: usize, idle: Duration) -> Self {
        let most = most.min(PLACES_MAX);
        let free = || SlotEntry {
            holder: None,
            given: LabelSlot::default(),
        };
        Self {
            by_name: HashMap::new(),
            places: std::iter::repeat_with(free).take(most).collect(),
            idle,
            turns: 1,
            rest_since: 1,
        }
    }

    /// A name has come: its place, a new one, or that of the rest.
    pub fn take(&mut self, name: &N, now: Instant) -> SlotGiven<N> {
        if let Some(place) = self.by_name.get(name).copied()
            && let Some(SlotEntry {
                holder: Some(holder),
                given,
            }) = self.places.get_mut(place)
        {
            holder.came = now;
            let slot = *given;
            return SlotGiven { slot, freed: None };
        }
        let idle = self.idle;
        let free = |place: &SlotEntry<N>| match &place.holder {
            None => true,
            Some(holder) => holder.is_idle(now, idle),
        };
        let Some(at) = self.places.iter().position(free) else {
            let slot = self.rest();
            return SlotGiven { slot, freed: None };
        };
        let freed = self.free(at);
        self.turns += 1;
        let given = LabelSlot::new(self.turns, at);
        if let Some(place) = self.places.get_mut(at) {
            place.given = given;
            place.holder = Some(SlotHolder {
                name: name.clone(),
                came: now,
                stays: SlotRetention::WhileItComes,
            });
            self.by_name.insert(name.clone(), at);
        }
        SlotGiven { slot: given, freed }
    }

    /// Whether a slot is still its name's, which has come, or is that of the rest and no place has
    /// become free since.
    pub fn confirm(&mut self, slot: LabelSlot, now: Instant) -> bool {
        if slot == self.rest() {
            return true;
        }
        match self.places.get_mut(slot.place()) {
            Some(SlotEntry {
                holder: Some(holder),
                given,
            }) if *given == slot => {
                holder.came = now;
                true
            }
            _ => false,
        }
    }

    /// From now on these names, and no others, keep their places without coming.
    pub fn keep(&mut self, names: &[N], now: Instant) -> Vec<FreedSlot<N>> {
        for holder in self
            .places
            .iter_mut()
            .filter_map(|place| place.holder.as_mut())
        {
            if holder.stays == SlotRetention::Always && !names.contains(&holder.name) {
                holder.stays = SlotRetention::WhileItComes;
                holder.came = now;
            }
        }
        let mut freed = Vec::new();
        for name in names {
            let taken = self.take(name, now);
            freed.extend(taken.freed);
            if let Some(place) = self.places.get_mut(taken.slot.place())
                && let Some(holder) = &mut place.holder
            {
                holder.stays = SlotRetention::Always;
            }
        }
        freed
    }

    /// Frees the places of names that have not come for too long.
    pub fn sweep(&mut self, now: Instant) -> Vec<FreedSlot<N>> {
        let idle = self.idle;
        let is_idle = |place: &SlotEntry<N>| {
            let holder = place.holder.as_ref();
            holder.is_some_and(|holder| holder.is_idle(now, idle))
        };
        let idle: Vec<usize> = (self.places.iter().enumerate())
            .filter(|(_, place)| is_idle(place))
            .map(|(at, _)| at)
            .collect();
        let freed = idle.into_iter().filter_map(|at| self.free(at));
        freed.collect()
    }

    /// How many places there are; the one of the rest has this number.
    pub fn most(&self) -> usize {
        self.places.len()
    }

    /// The slot of whoever has no place.
    pub fn rest(&self) -> LabelSlot {
        LabelSlot::new(self.rest_since, self.places.len())
    }

    fn free(&mut self, at: usize) -> Option<FreedSlot<N>> {
        let place = self.places.get_mut(at)?;
        let SlotHolder { name, .. } = place.holder.take()?;
        place.given = LabelSlot::default();
        self.by_name.remove(&name);
        self.turns += 1;
        self.rest_since = self.turns;
        Some(FreedSlot { place: at, name })
    }
}

impl<N> SlotHolder<N> {
    fn is_idle(&self, now: Instant, idle: Duration) -> bool {
        self.stays == SlotRetention::WhileItComes
            && now.saturating_duration_since(self.came) >= idle
    }
}

impl LabelSlot {
    fn new(turn: u64, place: usize) -> Self {
        let place = u64::try_from(place).unwrap_or(PLACE_MASK) & PLACE_MASK;
        Self(turn << PLACE_BITS | place)
    }

    /// Whether it is anybody's.
    pub fn is_given(self) -> bool {
        self != Self::default()
    }

    /// The number of the place.
    pub fn place(self) -> usize {
        usize::try_from(self.0 & PLACE_MASK).unwrap_or(usize::MAX)
    }
}

impl SlotMemory {
    /// What was remembered last; a slot that is nobody's at first.
    pub fn recall(&self) -> LabelSlot {
        LabelSlot(self.0.load(Ordering::Relaxed))
    }

    /// Remembers.
    pub fn note(&self, slot: LabelSlot) {
        self.0.store(slot.0, Ordering::Relaxed);
    }
}

impl Clone for SlotMemory {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Bits of a slot that say which place it is; the others say whose turn it was.
const PLACE_BITS: u32 = 12;

/// The same, all set.
const PLACE_MASK: u64 = (1 << PLACE_BITS) - 1;

/// The places that a slot can tell apart, without that of the rest.
const PLACES_MAX: usize = (1 << PLACE_BITS) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(3600);

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn the_first_names_get_places_and_the_others_are_the_rest() {
        let now = Instant::now();
        let mut slots = LabelSlots::new(2, IDLE);
        let a = slots.take(&"a", now).slot;
        let b = slots.take(&"b", now).slot;
        assert_eq!((a.place(), b.place()), (0, 1));
        assert_eq!(slots.take(&"a", now).slot, a);
        let c = slots.take(&"c", now).slot;
        assert_eq!(c, slots.rest());
        assert_eq!(c.place(), slots.most());
        assert!(slots.confirm(a, now) && slots.confirm(c, now));
        assert!(!slots.confirm(LabelSlot::default(), now));
    }

    #[test]
    fn ten_thousand_names_never_take_more_than_their_places() {
        let start = Instant::now();
        let mut slots = LabelSlots::new(100, IDLE);
        for second in 0..10_000 {
            let taken = slots.take(&second, after(start, second));
            assert!(taken.slot.place() <= 100);
            let held = slots.places.iter().filter(|place| place.holder.is_some());
            assert!(held.count() <= 100 && slots.by_name.len() <= 100);
        }
    }

    #[test]
    fn a_place_is_anothers_after_an_hour_and_its_slot_is_not_good_any_more() {
        let start = Instant::now();
        let mut slots = LabelSlots::new(1, IDLE);
        let a = slots.take(&"a", start).slot;
        let rest = slots.take(&"b", after(start, 3599)).slot;
        assert_eq!(rest, slots.rest());
        let taken = slots.take(&"b", after(start, 3600));
        let freed = FreedSlot {
            place: 0,
            name: "a",
        };
        assert_eq!(taken.freed, Some(freed));
        assert!(!slots.confirm(a, after(start, 3600)));
        assert!(
            !slots.confirm(rest, after(start, 3600)),
            "it is worth a try"
        );
        assert!(slots.confirm(taken.slot, after(start, 3600)));
        // It came with its slot: that counts.
        let later = after(start, 7200 + 3599);
        assert!(slots.confirm(taken.slot, after(start, 7200)));
        assert_eq!(slots.sweep(later), []);
        assert_eq!(slots.sweep(after(start, 7200 + 3600)).len(), 1);
        assert_eq!(slots.take(&"a", later).freed, None);
    }

    #[test]
    fn names_that_are_kept_stay() {
        let start = Instant::now();
        let mut slots = LabelSlots::new(2, IDLE);
        slots.take(&"x", start);
        slots.take(&"y", start);
        let later = after(start, 4000);
        assert_eq!(slots.keep(&["a", "b", "c"], later).len(), 2);
        let much_later = after(start, 100_000);
        assert_eq!(slots.sweep(much_later), []);
        assert_eq!(slots.take(&"x", much_later).slot, slots.rest());
        // An hour after it was let go.
        slots.keep(&["a"], much_later);
        assert_eq!(slots.sweep(after(start, 103_599)), []);
        assert_eq!(slots.sweep(after(start, 103_600)).len(), 1);
        assert!(slots.take(&"a", much_later).slot != slots.rest());
    }

    #[test]
    fn a_copy_remembers_nothing() {
        let memory = SlotMemory::default();
        assert_eq!(memory.recall(), LabelSlot::default());
        memory.note(LabelSlot::new(7, 3));
        assert_eq!(memory.recall().place(), 3);
        assert_eq!(memory.clone().recall(), LabelSlot::default());
    }
}
