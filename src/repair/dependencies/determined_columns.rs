//! Which columns of a query are decided by others: all rows that have the same values there have
//! the same values here, so that grouping by these as well splits no group.
//!
//! The steps: what WHERE compares with one value; what the query equates; what an outer join finds
//! by one column alone; and from a key of a table, none of whose columns can be NULL, to all
//! columns of that table. On the side of an outer join that may have no partner a key like that is
//! NULL in just the rows that are NULL altogether.

use std::collections::{HashMap, HashSet};

use super::equalities::{ColumnEqualities, is_plain};
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};

/// Everything that these columns decide, themselves among it.
pub(crate) fn determined(
    query_scopes: &QueryScopes<'_>,
    equalities: &ColumnEqualities,
    place: usize,
    from: &[ColumnIndex],
) -> HashSet<ColumnIndex> {
    let mut known: HashSet<ColumnIndex> = HashSet::new();
    let mut keys: HashMap<usize, Vec<Vec<usize>>> = HashMap::new();
    let mut waiting: Vec<ColumnIndex> = from.iter().chain(equalities.fixed()).copied().collect();
    waiting.retain(|column_index| column_index.level == place);
    known.extend(&waiting);
    while let Some(column_index) = waiting.pop() {
        let mut found = Vec::new();
        let column = query_scopes.column(column_index);
        if column.is_some_and(|column| is_plain(query_scopes.catalog, &column.inferred)) {
            found.extend_from_slice(equalities.same_as(column_index));
            found.extend(equalities.decided_by(column_index));
        }
        let Some(from_item) = query_scopes.leaf(column_index) else {
            continue;
        };
        let of_leaf = keys.entry(column_index.from_item);
        let of_leaf = of_leaf.or_insert_with(|| query_scopes.keys_of_leaf(from_item));
        let neighbour = |column: usize| ColumnIndex {
            column,
            ..column_index
        };
        let decides = |key: &Vec<usize>| key.iter().all(|own| known.contains(&neighbour(*own)));
        if of_leaf.iter().any(decides) {
            // Once is enough.
            of_leaf.clear();
            found.extend((0..from_item.columns.len()).map(neighbour));
        }
        waiting.extend(
            found
                .into_iter()
                .filter(|column_index| known.insert(*column_index)),
        );
    }
    known
}
