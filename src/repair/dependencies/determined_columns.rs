//! Which columns of a query are decided by others: all rows that have the same values there have
//! the same values here, so that grouping by these as well splits no group.
//!
//! The steps: what WHERE compares with one value; what the query equates; what an outer join finds
//! by one column alone; and from a key of a table, none of whose columns can be NULL, to all
//! columns of that table. On the side of an outer join that may have no partner a key like that is
//! NULL in just the rows that are NULL altogether.

use std::collections::{HashMap, HashSet};

use super::equalities::{Equalities, is_plain};
use crate::repair::scopes::query_scopes::{Outline, Spot};

/// Everything that these columns decide, themselves among it.
pub(in crate::repair) fn determined(
    outline: &Outline<'_>,
    equalities: &Equalities,
    place: usize,
    from: &[Spot],
) -> HashSet<Spot> {
    let mut known: HashSet<Spot> = HashSet::new();
    let mut keys: HashMap<usize, Vec<Vec<usize>>> = HashMap::new();
    let mut waiting: Vec<Spot> = from.iter().chain(equalities.fixed()).copied().collect();
    waiting.retain(|spot| spot.level == place);
    known.extend(&waiting);
    while let Some(spot) = waiting.pop() {
        let mut found = Vec::new();
        let column = outline.column(spot);
        if column.is_some_and(|column| is_plain(outline.catalog, &column.inferred)) {
            found.extend_from_slice(equalities.same_as(spot));
            found.extend(equalities.decided_by(spot));
        }
        let Some(leaf) = outline.leaf(spot) else {
            continue;
        };
        let of_leaf = keys.entry(spot.leaf);
        let of_leaf = of_leaf.or_insert_with(|| outline.keys_of_leaf(leaf));
        let neighbour = |column: usize| Spot { column, ..spot };
        let decides = |key: &Vec<usize>| key.iter().all(|own| known.contains(&neighbour(*own)));
        if of_leaf.iter().any(decides) {
            // Once is enough.
            of_leaf.clear();
            found.extend((0..leaf.columns.len()).map(neighbour));
        }
        waiting.extend(found.into_iter().filter(|spot| known.insert(*spot)));
    }
    known
}
