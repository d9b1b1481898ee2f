//! What retrieval is compared with.

use std::collections::{BTreeMap, BTreeSet};

use pgsieve::grounding::{GroundedRelation, Grounding};

/// Plain BM25 over relations, each a bag of the words of its names, comments and labels, with one
/// step over foreign keys from each hit: whole relations until the budget is full.
pub fn bm25(
    grounding: &Grounding,
    question: &str,
    budget: usize,
    size: impl Fn(&Grounding) -> usize,
) -> Grounding {
    let bags: Vec<Vec<String>> = grounding.relations.iter().map(bag).collect();
    let count = bags.len() as f64;
    let mean = bags.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let mut scores = vec![0.0; bags.len()];
    for word in words(question).into_iter().collect::<BTreeSet<_>>() {
        let having = bags.iter().filter(|bag| bag.contains(&word)).count() as f64;
        let rarity = (1.0 + (count - having + 0.5) / (having + 0.5)).ln();
        for (score, bag) in scores.iter_mut().zip(&bags) {
            let often = bag.iter().filter(|own| **own == word).count() as f64;
            let length = 0.25 + 0.75 * bag.len() as f64 / mean;
            *score += rarity * often * 2.2 / (often + 1.2 * length);
        }
    }
    let mut order: Vec<usize> = (0..bags.len()).collect();
    order.sort_by(|one, two| scores[*two].total_cmp(&scores[*one]).then(one.cmp(two)));
    let mut with_neighbours = Vec::new();
    for hit in order {
        let neighbours = neighbours(grounding, hit);
        for place in std::iter::once(hit).chain(neighbours) {
            if !with_neighbours.contains(&place) {
                with_neighbours.push(place);
            }
        }
    }
    let with_first = |number: usize| {
        let kept: BTreeSet<usize> = with_neighbours[..number].iter().copied().collect();
        let mut less = grounding.clone();
        let mut place = 0;
        less.relations.retain(|_| {
            place += 1;
            kept.contains(&(place - 1))
        });
        less
    };
    let numbers: Vec<usize> = (0..=with_neighbours.len()).collect();
    let fitting = numbers.partition_point(|number| size(&with_first(*number)) <= budget);
    with_first(fitting.saturating_sub(1))
}

fn neighbours(grounding: &Grounding, of: usize) -> Vec<usize> {
    let places: BTreeMap<String, usize> = grounding
        .relations
        .iter()
        .enumerate()
        .map(|(place, relation)| (relation.qualified_name(), place))
        .collect();
    let mut found = BTreeSet::new();
    for (place, relation) in grounding.relations.iter().enumerate() {
        for key in &relation.foreign_keys {
            let to = places[&key.to];
            if place == of {
                found.insert(to);
            } else if to == of {
                found.insert(place);
            }
        }
    }
    found.into_iter().collect()
}

fn bag(relation: &GroundedRelation) -> Vec<String> {
    let mut texts = vec![relation.name.clone()];
    texts.extend(relation.comment.clone());
    for column in &relation.columns {
        texts.push(column.name.clone());
        texts.extend(column.comment.clone());
        texts.extend(column.labels.iter().cloned());
    }
    texts.iter().flat_map(|text| words(text)).collect()
}

/// Words in small letters, without the s of a plural.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in text.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if letter.is_alphanumeric() {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    let words = words
        .iter()
        .map(|word| word.strip_suffix('s').unwrap_or(word));
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}
