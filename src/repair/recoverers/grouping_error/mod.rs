//! `grouping_error`, 42803: a column that is neither grouped nor aggregated, or an aggregate where
//! there can be none.
//!
//! # Sees
//! A column of an aggregate query that is no key of GROUP BY, but has one value only in each group:
//! the keys decide it, by a key of its table, by an equality of the query, or by both in turn. A
//! condition on an aggregate in the WHERE of a query that groups. HAVING without GROUP BY, beside
//! plain columns ([`having_without_keys`], likely).
//!
//! # Why
//! Postgres itself concludes that only from the primary key of the column's own table. Grouping by
//! such a column as well splits no group, so that the rows stay the same.
//!
//! # Before
//! ```sql
//! SELECT c.name, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id
//! GROUP BY o.customer_id
//! ```
//!
//! # After
//! ```sql
//! SELECT c.name, count(*) FROM orders o JOIN customers c ON c.id = o.customer_id
//! GROUP BY o.customer_id, c.name
//! ```
//!
//! # When not
//! Anything else: whether a row for each value is meant, or one value of many, is a choice, but in
//! texts of MySQL and SQLite, which have made it ([`one_row_of_group`], likely).
//! Grouping sets are left alone, too, and other queries without GROUP BY.

pub(crate) mod aggregate_in_where;
pub(crate) mod aggregate_query;
pub(crate) mod equal_expressions;
mod group_by_keys;
mod having_without_keys;
mod one_row_of_group;

use self::having_without_keys::grouped_by_columns;
use self::one_row_of_group::one_row_of_group;
use crate::dependencies::determined_columns::determined;
use crate::dependencies::equalities::{ColumnEqualities, ConditionExtent, ServerComparisons};
use crate::dependencies::keys;
use crate::recoverers::grouping_error::aggregate_query::{
    AggregateQuery, GroupingKeys, MisplacedAggregate, UngroupedColumn, aggregate_queries,
};
use crate::scopes::qualifier;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use crate::{RecovererAnswer, RepairContext};
use catalog::quote::quoted;
use catalog::{Catalog, Oid, TypeKind};
use resolve::{InferredType, Resolution};
use sql::edit::TextEdit;
use sql::extent::clause::end_of_group_by;
use sql::tree::{self, Node};

pub(crate) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let parts = (context.statement(), context.resolution, context.database);
    let (Some(statement), Some(resolution), Some(database)) = parts else {
        return RecovererAnswer::Silent;
    };
    let Some(query_scopes) =
        QueryScopes::of(statement, resolution, database.catalog, database.mask)
    else {
        return RecovererAnswer::Silent;
    };
    let mut edits = Vec::new();
    let (mut added, mut likely) = (Vec::new(), Vec::new());
    for grouped in aggregate_queries(&query_scopes) {
        if let Some(misplaced) = grouped.misplaced {
            let level = query_scopes.scope(grouped.level);
            let moved = level
                .filter(|_| misplaced == MisplacedAggregate::Where)
                .and_then(|level| aggregate_in_where::moved(context, level.select));
            if let Some(edits) = moved {
                return RecovererAnswer::exact(edits, MOVED.to_owned());
            }
            return RecovererAnswer::hint(advice_on_place(misplaced).to_owned());
        }
        if grouped.open.is_empty() {
            continue;
        }
        match group_by_edit(context, resolution, &query_scopes, &grouped) {
            Ok((edit, names)) => {
                edits.push(edit);
                added.extend(names);
            }
            Err(advice) => {
                let taken = one_row_of_group(context, &query_scopes, &grouped)
                    .or_else(|| grouped_by_columns(context, &query_scopes, &grouped));
                match taken {
                    Some(taken) => {
                        edits.extend(taken.edits);
                        likely.push(taken.change);
                    }
                    None => return RecovererAnswer::hint(advice),
                }
            }
        }
    }
    if edits.is_empty() {
        return RecovererAnswer::Silent;
    }
    let words = match added.as_slice() {
        [] => String::new(),
        [one] => format!("{one} is added to GROUP BY: the keys there decide it already"),
        several => format!(
            "{} are added to GROUP BY: the keys there decide them already",
            several.join(", ")
        ),
    };
    if likely.is_empty() {
        return RecovererAnswer::exact(edits, words);
    }
    likely.extend(Some(words).filter(|words| !words.is_empty()));
    RecovererAnswer::likely(edits, likely.join("; "))
}

/// The edit that groups by all that is missing, with the names of that.
fn group_by_edit(
    context: &RepairContext<'_>,
    resolution: &Resolution<'_>,
    query_scopes: &QueryScopes<'_>,
    grouped: &AggregateQuery<'_>,
) -> Result<(TextEdit, Vec<String>), String> {
    let undecided = || advice_on_columns(query_scopes, grouped);
    if grouped.keys != GroupingKeys::List {
        return Err(undecided());
    }
    let comparisons = ServerComparisons::of(resolution);
    let equalities = ColumnEqualities::of(
        query_scopes,
        &comparisons,
        grouped.level,
        ConditionExtent::Whole,
    );
    let known = determined(query_scopes, &equalities, grouped.level, &grouped.columns);
    if grouped
        .open
        .iter()
        .any(|open| !known.contains(&open.column_index))
    {
        return Err(undecided());
    }
    let mut column_indexes: Vec<ColumnIndex> = Vec::new();
    for open in &grouped.open {
        let plain = !open.by_star && can_be_grouped(query_scopes, open.column_index);
        let own = match plain {
            true => vec![open.column_index],
            // All of its table follow from the primary key.
            false => primary_key(query_scopes, open.column_index).ok_or_else(undecided)?,
        };
        column_indexes.extend(own);
    }
    let mut names: Vec<String> = Vec::new();
    for column_index in column_indexes {
        let column = query_scopes.column(column_index).ok_or_else(undecided)?;
        let relation =
            qualifier(query_scopes, grouped.level, column_index).ok_or_else(undecided)?;
        let name = format!("{}.{}", quoted(relation), quoted(column.name.as_str()));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let level = query_scopes.scope(grouped.level).ok_or_else(undecided)?;
    let keys = level.select.group_clause().iter();
    let at = keys.filter_map(beginning).min().ok_or_else(undecided)?;
    let end = end_of_group_by(context.text, context.tokens, at).ok_or_else(undecided)?;
    let edit = TextEdit {
        span: end..end,
        replacement: format!(", {}", names.join(", ")),
    };
    Ok((edit, names))
}

/// The first place that is known of what stands in an expression.
fn beginning(key: Node<'_>) -> Option<usize> {
    let mut waiting = vec![key];
    let mut first: Option<usize> = None;
    while let Some(node) = waiting.pop() {
        let location = match node {
            Node::ColumnRef(column) => column.location,
            Node::A_Const(constant) => constant.location,
            Node::FuncCall(call) => call.location,
            Node::SelectStmt(_) => continue,
            _ => -1,
        };
        if let Ok(at) = usize::try_from(location) {
            first = Some(first.map_or(at, |first| first.min(at)));
        }
        tree::children(node, &mut waiting).ok()?;
    }
    first
}

/// The columns of the primary key of a column's table.
fn primary_key(
    query_scopes: &QueryScopes<'_>,
    column_index: ColumnIndex,
) -> Option<Vec<ColumnIndex>> {
    let from_item = query_scopes.leaf(column_index)?;
    let columns = keys::primary_key(query_scopes.catalog, from_item)?;
    let column_indexes = columns.into_iter().map(|column| ColumnIndex {
        column,
        ..column_index
    });
    Some(column_indexes.collect())
}

/// Whether values of a column's type can be grouped at all.
fn can_be_grouped(query_scopes: &QueryScopes<'_>, column_index: ColumnIndex) -> bool {
    let column = query_scopes.column(column_index);
    matches!(column.map(|column| &column.inferred), Some(InferredType::Known(id))
        if is_comparable(query_scopes.catalog, *id))
}

fn is_comparable(catalog: &Catalog, id: catalog::TypeId) -> bool {
    let one = catalog.data_type(id);
    match one.kind {
        TypeKind::Enum => true,
        _ => one.oid.is_built_in() && !WITHOUT_EQUALITY.contains(&one.oid),
    }
}

fn advice_on_place(misplaced: MisplacedAggregate) -> &'static str {
    match misplaced {
        MisplacedAggregate::Where => {
            "WHERE chooses rows before they are grouped: write conditions on aggregates in HAVING, \
             after GROUP BY, or compare with a sub-select: x > (SELECT avg(x) FROM t)."
        }
        MisplacedAggregate::On => {
            "A join comes before rows are grouped: compute the aggregate in a sub-select and join \
             that, or write the condition in HAVING."
        }
        MisplacedAggregate::Key => {
            "GROUP BY takes what is known of single rows: compute the aggregate in a sub-select, and \
             group the rows of that."
        }
        MisplacedAggregate::Nested => {
            "An aggregate of an aggregate takes two steps: compute the inner one with GROUP BY in a \
             sub-select, and the outer one over the rows of that."
        }
    }
}

/// Both ways to write it.
fn advice_on_columns(query_scopes: &QueryScopes<'_>, grouped: &AggregateQuery<'_>) -> String {
    let mut names: Vec<String> = Vec::new();
    for open in &grouped.open {
        let name = name_of(query_scopes, open);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(NAMES_SHOWN);
    let first = names.first().cloned().unwrap_or_default();
    let list = names.join(", ");
    match grouped.keys {
        GroupingKeys::Absent => format!(
            "The query has an aggregate and no GROUP BY, so it has one row: add GROUP BY {list} for \
             a row per value, or write max({first}) for one of them."
        ),
        GroupingKeys::List => format!(
            "{list}: not grouped, and not decided by what is. Add it to GROUP BY for a row per \
             value, or write an aggregate such as max({first})."
        ),
        GroupingKeys::Sets => format!(
            "{list}: not in every grouping set. Add it to each of them for a row per value, or write \
             an aggregate such as max({first})."
        ),
    }
}

fn name_of(query_scopes: &QueryScopes<'_>, open: &UngroupedColumn) -> String {
    let column = query_scopes.column(open.column_index);
    let column = column.map_or("", |column| column.name.as_str());
    match qualifier(query_scopes, open.column_index.level, open.column_index) {
        Some(relation) => format!("{}.{}", quoted(relation), quoted(column)),
        None => quoted(column).into_owned(),
    }
}

const MOVED: &str = "conditions on aggregates stand in HAVING, which chooses groups";

/// Columns that a hint names.
const NAMES_SHOWN: usize = 5;

/// Types that have no `=`: json, xml, point, box, polygon, circle, path, line, lseg, refcursor.
const WITHOUT_EQUALITY: [Oid; 10] = [
    Oid(114),
    Oid(142),
    Oid(600),
    Oid(603),
    Oid(604),
    Oid(718),
    Oid(602),
    Oid(628),
    Oid(601),
    Oid(1790),
];

#[cfg(test)]
mod tests {
    use crate::laws::{OutputNameLaw, check_file, world};
    use policy::Recoverer;

    #[test]
    fn cases_come_to_what_they_should() {
        check_file(
            world(),
            Recoverer::GroupingError,
            "42803",
            OutputNameLaw::Kept,
            include_str!("../../../../tests/data/corpus/recoverers/grouping_error.txt"),
        );
    }
}
