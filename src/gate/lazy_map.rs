//! A map that takes nothing while it is empty: most sessions never give a name to anything, and a
//! session keeps several of these for as long as it lasts.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A hash map by name.
#[derive(Debug, Clone)]
pub struct LazyMap<V> {
    #[expect(clippy::box_collection, reason = "a map by itself takes five words")]
    entries: Option<Box<HashMap<Box<str>, V, RandomState>>>,
}

impl<V> Default for LazyMap<V> {
    fn default() -> Self {
        Self { entries: None }
    }
}

impl<V> LazyMap<V> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.as_ref().map_or(0, |entries| entries.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What has this name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.entries.as_ref()?.get(name)
    }

    /// The same, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.entries.as_mut()?.get_mut(name)
    }

    /// Whether anything has this name.
    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives something a name. Hands out what had it before.
    pub fn insert(&mut self, name: Box<str>, value: V) -> Option<V> {
        self.entries.get_or_insert_default().insert(name, value)
    }

    /// Takes away what has this name.
    pub fn remove(&mut self, name: &str) -> Option<V> {
        self.entries.as_mut()?.remove(name)
    }

    /// Takes everything away.
    pub fn clear(&mut self) {
        self.entries = None;
    }

    /// Takes away what is not to be kept.
    pub fn retain(&mut self, is_kept: impl FnMut(&Box<str>, &mut V) -> bool) {
        let Some(entries) = &mut self.entries else {
            return;
        };
        entries.retain(is_kept);
        if entries.is_empty() {
            self.entries = None;
        }
    }

    /// All of them, in no order.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.iter().flat_map(|entries| entries.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one_word_and_a_map() {
        assert_eq!(size_of::<LazyMap<[u64; 9]>>(), size_of::<usize>());
        let mut map = LazyMap::default();
        assert!(map.is_empty() && map.get("a").is_none() && map.remove("a").is_none());
        map.retain(|_, _| true);
        assert_eq!(map.insert("a".into(), 1), None);
        assert_eq!(map.insert("a".into(), 2), Some(1));
        assert_eq!(map.insert("b".into(), 3), None);
        *map.get_mut("b").unwrap() += 1;
        assert_eq!((map.len(), map.get("b")), (2, Some(&4)));
        assert_eq!(map.values().sum::<i32>(), 6);
        map.retain(|name, _| **name == *"b");
        assert!(map.contains_key("b") && !map.contains_key("a"));
        assert_eq!(map.remove("b"), Some(4));
        assert!(map.is_empty());
        map.insert("c".into(), 1);
        map.clear();
        assert_eq!(map.values().count(), 0);
    }
}
