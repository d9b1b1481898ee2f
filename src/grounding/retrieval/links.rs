//! Which relations can be joined, and on which columns.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::words::{stem, words};
use crate::document::Grounding;

/// The joins of a document, by the places of its relations. Foreign keys count, and where a column
/// has none, that it is called like the key of another relation.
pub(super) struct KeyLinks {
    /// Of each relation what it can be joined with.
    of: Vec<Vec<KeyLink>>,
}

/// A join, seen from one of its sides.
#[derive(Clone)]
pub(super) struct KeyLink {
    /// The relation on the other side.
    pub(super) other: usize,
    /// The columns on this side, by their places in the relation.
    pub(super) columns: Vec<usize>,
    /// Whether this side refers to the other.
    pub(super) is_referring: bool,
}

impl KeyLinks {
    pub(super) fn of(grounding: &Grounding) -> Self {
        let mut links = Self {
            of: vec![Vec::new(); grounding.relations.len()],
        };
        let places: HashMap<String, usize> = grounding
            .relations
            .iter()
            .enumerate()
            .map(|(place, relation)| (relation.qualified_name(), place))
            .collect();
        for (place, relation) in grounding.relations.iter().enumerate() {
            for key in &relation.foreign_keys {
                if let Some(to) = places.get(&key.to) {
                    links.add(grounding, (place, &key.columns), (*to, &key.to_columns));
                }
            }
        }
        links.add_by_name(grounding);
        links
    }

    /// What a relation can be joined with.
    pub(super) fn of_relation(&self, place: usize) -> &[KeyLink] {
        self.of.get(place).map_or(&[], Vec::as_slice)
    }

    /// From one relation to others over the fewest and best of those between, for each of `to` that
    /// is near enough: the relations between, without both ends. A relation costs what `cost` says.
    pub(super) fn paths(
        &self,
        from: usize,
        to: &[usize],
        cost: impl Fn(usize) -> u32,
    ) -> Vec<(usize, Vec<usize>)> {
        let mut reached: HashMap<usize, (u32, usize)> = HashMap::from([(from, (0, from))]);
        let mut done = HashSet::new();
        let mut next = BinaryHeap::from([Reverse((0, from))]);
        while let Some(Reverse((so_far, place))) = next.pop() {
            if !done.insert(place) || so_far > PATH_COST_MAX {
                continue;
            }
            for link in self.of_relation(place) {
                let sum = so_far.saturating_add(cost(link.other));
                let known = reached.get(&link.other);
                if known.is_none_or(|(before, _)| sum < *before) {
                    reached.insert(link.other, (sum, place));
                    next.push(Reverse((sum, link.other)));
                }
            }
        }
        let found = to.iter().filter(|end| **end != from && done.contains(end));
        let found = found.map(|end| {
            let mut between = Vec::new();
            let mut place = *end;
            while let Some((_, before)) = reached.get(&place).filter(|(_, before)| *before != from)
            {
                between.push(*before);
                place = *before;
            }
            (*end, between)
        });
        found.collect()
    }

    fn add(&mut self, grounding: &Grounding, from: (usize, &[String]), to: (usize, &[String])) {
        let places = |(relation, columns): (usize, &[String])| {
            let all = grounding
                .relations
                .get(relation)
                .map(|relation| &relation.columns);
            let names = all.into_iter().flatten().enumerate();
            let named = names.filter(|(_, column)| columns.contains(&column.name));
            named.map(|(place, _)| place).collect::<Vec<_>>()
        };
        for (side, other, is_referring) in [(from, to, true), (to, from, false)] {
            if let Some(links) = self.of.get_mut(side.0) {
                links.push(KeyLink {
                    other: other.0,
                    columns: places(side),
                    is_referring,
                });
            }
        }
    }

    /// Joins of columns without a foreign key to the key of the same name: `cust_no` and
    /// `bill_cust_no` to the relation that has `cust_no` for its key, `customer_id` to `customers`
    /// where that has `id`.
    fn add_by_name(&mut self, grounding: &Grounding) {
        let mut keys: HashMap<Vec<String>, usize> = HashMap::new();
        for (place, relation) in grounding.relations.iter().enumerate() {
            let [key] = relation.primary_key.as_slice() else {
                continue;
            };
            let mut called = words(key);
            if called.len() == 1 {
                let own = words(&relation.name);
                let own: Vec<String> = own.iter().map(|word| stem(word)).collect();
                called = [own, called].concat();
            }
            let called: Vec<String> = called.iter().map(|word| stem(word)).collect();
            let refers = relation
                .foreign_keys
                .iter()
                .any(|link| link.columns.contains(key));
            if !refers {
                keys.entry(called).or_insert(place);
            }
        }
        let mut called: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut found = Vec::new();
        for (place, relation) in grounding.relations.iter().enumerate() {
            for column in &relation.columns {
                let is_own = relation.primary_key == [column.name.clone()];
                let mut linked = relation.foreign_keys.iter();
                if is_own || linked.any(|key| key.columns.contains(&column.name)) {
                    continue;
                }
                let name = column.name.as_str();
                let others = called
                    .entry(name)
                    .or_insert_with(|| called_like(name, &keys));
                if let Some(other) = others.iter().find(|other| **other != place) {
                    found.push((place, vec![column.name.clone()], *other));
                }
            }
        }
        for (place, columns, other) in found {
            let key = grounding
                .relations
                .get(other)
                .map(|other| other.primary_key.clone());
            self.add(
                grounding,
                (place, &columns),
                (other, &key.unwrap_or_default()),
            );
        }
    }
}

/// The relations with a key that is called like the end of a name, the longest end first.
fn called_like(name: &str, keys: &HashMap<Vec<String>, usize>) -> Vec<usize> {
    let name: Vec<String> = words(name).iter().map(|word| stem(word)).collect();
    let ends = (0..name.len().saturating_sub(1)).filter_map(|skipped| name.get(skipped..));
    ends.filter_map(|end| keys.get(end).copied()).collect()
}

/// What a path may cost: four relations of the usual cost.
const PATH_COST_MAX: u32 = 400;
