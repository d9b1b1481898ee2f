//! Columns that a list of names has and its query has not, where each stands in its place: between
//! names that are the query's own stands one that a column of its FROM has, and one of it alone.
//! Of a function that gives one column, a second name that speaks of a number is that of
//! `WITH ORDINALITY`.

use super::{NameCounts, NameList, name_of};
use crate::RepairContext;
use crate::recoverers::grouping_error::aggregate_in_where::groups_well;
use crate::recoverers::shapes::query_clauses::{ClauseKind, queries};
use crate::recoverers::syntax_error::edited_text::EditedText;
use crate::scopes;
use crate::scopes::column_reference::{QueryClause, ReferenceMeaning};
use crate::scopes::from_item::FromItem;
use crate::scopes::query_scopes::{ColumnIndex, QueryScope, QueryScopes};
use catalog::quote::quoted;
use resolve::ColumnCompleteness;
use sql::edit::{self, TextEdit};
use sql::node_access;
use sql::tree::{Node, SetOperation, nodes};

/// The query whose columns have too many names.
struct NamedQuery<'q, 'a> {
    scopes: &'q QueryScopes<'a>,
    level: usize,
    scope: &'q QueryScope<'a>,
    names: Vec<String>,
    own: Vec<Option<&'q str>>,
}

/// The columns put where they are missing.
pub(super) fn added_columns(
    context: &RepairContext<'_>,
    counts: &NameCounts,
    list: &NameList,
) -> Option<Vec<TextEdit>> {
    with_query(context, counts, list, |query| query.added(context))
}

/// Whether a name that is kept stands for something computed, and is that of another column which
/// the query could have returned.
pub(super) fn names_another_column(
    context: &RepairContext<'_>,
    counts: &NameCounts,
    list: &NameList,
) -> bool {
    let is_another = |query: &NamedQuery<'_, '_>| {
        let mut pairs = query.names.iter().zip(&query.own);
        Some(pairs.any(|(name, own)| {
            let found = query.scope.items_with(name);
            own.is_none() && found.iter().any(|found| !query.is_used(*found))
        }))
    };
    with_query(context, counts, list, is_another).unwrap_or(false)
}

fn with_query<T>(
    context: &RepairContext<'_>,
    counts: &NameCounts,
    list: &NameList,
    look: impl FnOnce(&NamedQuery<'_, '_>) -> Option<T>,
) -> Option<T> {
    let (database, resolution) = (context.database?, context.resolution?);
    let (catalog, mask) = (database.catalog, database.mask);
    let scopes = QueryScopes::of(context.statement()?, resolution, catalog, mask)?;
    let select = named_query(context, counts)?;
    let (level, scope) =
        (scopes.scopes.iter().enumerate()).find(|(_, scope)| std::ptr::eq(scope.select, select))?;
    let edited = EditedText::new(context.text);
    let query = NamedQuery {
        scopes: &scopes,
        level,
        scope,
        names: list.names.iter().map(|at| name_of(&edited, *at)).collect(),
        own: super::names_of_query(Node::SelectStmt(select))?,
    };
    look(&query)
}

impl NamedQuery<'_, '_> {
    fn added(&self, context: &RepairContext<'_>) -> Option<Vec<TextEdit>> {
        let columns_of = |places: &Vec<usize>| {
            let columns = places.iter().map(|place| {
                let column = self.only_column(self.names.get(*place)?)?;
                Some((*place, column))
            });
            columns.collect::<Option<Vec<(usize, String)>>>()
        };
        let ways = ways_to_miss(&self.names, &self.own)?;
        let mut known = ways.iter().filter_map(columns_of);
        let missing = known.next().filter(|_| known.next().is_none())?;
        let starts: Vec<usize> = (self.scope.select.target_list().iter())
            .filter_map(|target| node_access::place(target.location))
            .collect();
        let edited = EditedText::new(context.text);
        let end = end_of_list(&edited, starts.first().copied()?)?;
        let mut edits: Vec<TextEdit> = Vec::new();
        for (number, (place, column)) in missing.into_iter().enumerate() {
            // So many of the query's own columns stand before it.
            let (at, replacement) = match starts.get(place.checked_sub(number)?) {
                Some(start) => (*start, format!("{column}, ")),
                None => (end, format!(", {column}")),
            };
            match edits.last_mut().filter(|last| last.span.start == at) {
                Some(last) => last.replacement.push_str(&replacement),
                None => edits.push(TextEdit {
                    span: at..at,
                    replacement,
                }),
            }
        }
        let text = edit::apply(context.text, edits.clone()).ok()?;
        groups_well(&text, context.database?).then_some(edits)
    }

    /// A column of this name as it is written in the query: the only one of its FROM, of which
    /// nothing is computed that may be called so.
    fn only_column(&self, name: &str) -> Option<String> {
        let is_known =
            |item: &FromItem<'_>| item.completeness == ColumnCompleteness::Complete && !item.hidden;
        let found = self.scope.items_with(name);
        let [only] = found.as_slice() else {
            return None;
        };
        let index = self.index(*only);
        let is_shown =
            (self.scopes.column(index)).is_some_and(|column| self.scopes.may_show_column(column));
        if !is_shown || self.is_used(*only) || !self.scope.from_items.iter().all(is_known) {
            return None;
        }
        let qualifier = match self.scope.from_items.len() {
            1 => String::new(),
            _ => {
                let name = scopes::qualifier(self.scopes, self.level, index)?;
                format!("{}.", quoted(name))
            }
        };
        Some(format!("{qualifier}{}", quoted(name)))
    }

    fn index(&self, (from_item, column): (usize, usize)) -> ColumnIndex {
        ColumnIndex {
            level: self.level,
            from_item,
            column,
        }
    }

    /// Whether a column is part of what the query returns.
    fn is_used(&self, found: (usize, usize)) -> bool {
        let meaning = ReferenceMeaning::Column(self.index(found));
        self.scopes.references.iter().any(|reference| {
            reference.clause == QueryClause::Targets && reference.meaning == meaning
        })
    }
}

/// `unnest(tags) WITH ORDINALITY AS t(tag, number)`
pub(super) fn numbered_rows(
    context: &RepairContext<'_>,
    counts: &NameCounts,
    list: &NameList,
) -> Option<Vec<TextEdit>> {
    let all = node_access::all(context.statement()?)?;
    let is_it = |range: &nodes::RangeFunction| {
        let name = range.alias().and_then(nodes::Alias::aliasname);
        !range.ordinality && name == Some(counts.named.as_str())
    };
    let is_function =
        (all.iter()).any(|node| matches!(node, Node::RangeFunction(range) if is_it(range)));
    let edited = EditedText::new(context.text);
    let (_, number) = match list.names.as_slice() {
        [value, number] if is_function && counts.columns == 1 => (value, number),
        _ => return None,
    };
    if !NUMBERS.contains(&name_of(&edited, *number).as_str()) {
        return None;
    }
    let alias = list.at.checked_sub(1)?;
    let last = match edited.is(alias, "as") {
        true => alias.checked_sub(1)?,
        false => alias,
    };
    let at = edited.span(last).end;
    edited.is_sign(last, ")").then(|| {
        vec![TextEdit {
            span: at..at,
            replacement: " WITH ORDINALITY".to_owned(),
        }]
    })
}

/// The query that the list names, where it is one SELECT without DISTINCT.
fn named_query<'s>(
    context: &RepairContext<'s>,
    counts: &NameCounts,
) -> Option<&'s nodes::SelectStmt> {
    let all = node_access::all(context.statement()?)?;
    let is_it = |alias: Option<&nodes::Alias>| {
        let name = alias.and_then(nodes::Alias::aliasname);
        name == Some(counts.named.as_str())
    };
    let mut named = all.iter().filter_map(|node| match node {
        Node::CommonTableExpr(table) if table.ctename() == Some(counts.named.as_str()) => {
            Some(table.ctequery())
        }
        Node::RangeSubselect(range) if is_it(range.alias()) => Some(range.subquery()),
        _ => None,
    });
    let query = named.next().filter(|_| named.next().is_none())?;
    match query {
        Node::SelectStmt(select)
            if select.op == SetOperation::SETOP_NONE && select.distinct_clause().is_empty() =>
        {
            Some(select)
        }
        _ => None,
    }
}

/// The places of names that no column of the query is for, in each way in which the other names
/// stand for its columns: its own names for themselves, any name for what has none. None where it
/// has a name that the list has not.
fn ways_to_miss(names: &[String], own: &[Option<&str>]) -> Option<Vec<Vec<usize>>> {
    let is_own = |name: &String| own.contains(&Some(name.as_str()));
    let is_listed = |own: &&str| names.iter().any(|name| name == own);
    let count = names.len().checked_sub(own.len())?;
    if !own.iter().flatten().all(is_listed) || !names.iter().any(is_own) {
        return None;
    }
    let mut ways = Vec::new();
    let mut open = vec![(0_usize, Vec::new())];
    while let Some((place, missing)) = open.pop() {
        let Some(name) = names.get(place) else {
            if missing.len() == count {
                ways.push(missing);
            }
            continue;
        };
        let column = own.get(place.checked_sub(missing.len())?).copied();
        let fits = match column {
            None => false,
            Some(Some(own)) => own == name.as_str(),
            Some(None) => !is_own(name),
        };
        if !is_own(name) && missing.len() < count {
            open.push((place + 1, [missing.clone(), vec![place]].concat()));
        }
        if fits {
            open.push((place + 1, missing));
        }
        if open.len() > WAYS_MAX || ways.len() > WAYS_MAX {
            return None;
        }
    }
    Some(ways)
}

/// Where the select list ends that begins at a place.
fn end_of_list(edited: &EditedText, start: usize) -> Option<usize> {
    let all = queries(edited);
    let query = all.iter().find(|query| {
        let first = query.first.checked_add(1);
        first.is_some_and(|first| edited.span(first).start == start)
    })?;
    let from = query
        .clauses
        .iter()
        .find(|clause| clause.kind == ClauseKind::From)?;
    Some(edited.span(from.first.checked_sub(1)?).end)
}

/// How many ways are looked at.
const WAYS_MAX: usize = 64;

/// What the number of a row is called.
const NUMBERS: &[&str] = &[
    "i",
    "idx",
    "index",
    "n",
    "nr",
    "num",
    "number",
    "ord",
    "ordinal",
    "ordinality",
    "pos",
    "position",
    "rank",
    "rn",
    "row_number",
    "seq",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_missing_between_the_querys_own() {
        let missing = |names: &[&str], own: &[Option<&str>]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            ways_to_miss(&names, own)
        };
        for (names, own, wanted) in [
            (
                &["a", "b", "c"][..],
                &[Some("a"), Some("c")][..],
                Some(vec![vec![1]]),
            ),
            (&["a", "b"], &[Some("a")], Some(vec![vec![1]])),
            (
                &["a", "b", "c"],
                &[Some("a"), None],
                Some(vec![vec![2], vec![1]]),
            ),
            (&["a", "b", "c"], &[Some("b")], Some(vec![vec![0, 2]])),
            (&["a", "b", "c"], &[Some("c"), Some("a")], Some(vec![])),
            (&["a", "b", "c"], &[Some("a"), Some("x")], None),
            (&["x", "y"], &[None], None),
        ] {
            assert_eq!(missing(names, own), wanted, "{names:?} {own:?}");
        }
    }
}
