//! Which columns of an aggregate query are neither grouped nor aggregated, by Postgres's own rule:
//! beside the keys of GROUP BY it accepts the other columns of a table whose primary key is
//! grouped.
//!
//! <https://www.postgresql.org/docs/current/sql-select.html#SQL-GROUPBY>

use std::collections::HashMap;

use super::equal_expressions::{ExpressionMatch, compare_expressions};
use crate::scopes::column_reference::ReferenceMeaning;
use crate::scopes::query_scopes::{ColumnIndex, QueryScopes};
use catalog::{FunctionKind, KeyKind};
use sql::tree::{self, Node, nodes};

/// An aggregate query.
pub(crate) struct AggregateQuery<'a> {
    /// The place of the query in the statement's scopes.
    pub level: usize,
    /// The columns that are keys, of any grouping set.
    pub columns: Vec<ColumnIndex>,
    /// The keys that are anything else.
    pub expressions: Vec<Node<'a>>,
    /// How its rows are grouped.
    pub keys: GroupingKeys,
    /// The columns that are neither grouped nor aggregated.
    pub open: Vec<UngroupedColumn>,
    /// Whether it computes an aggregate.
    pub has_aggregate: bool,
    /// Where an aggregate stands that may not stand there.
    pub misplaced: Option<MisplacedAggregate>,
    /// Whether all of it was understood.
    pub certainty: GroupingCertainty,
}

/// How the rows of an aggregate query are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupingKeys {
    /// All rows are one group.
    Absent,
    /// By a list of keys.
    List,
    /// By several lists.
    Sets,
}

/// A column that is neither grouped nor aggregated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UngroupedColumn {
    /// The column.
    pub column_index: ColumnIndex,
    /// Where it is named.
    pub at: usize,
    /// Whether a star brings it.
    pub by_star: bool,
}

/// An aggregate where there can be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MisplacedAggregate {
    /// In WHERE.
    Where,
    /// In the condition of a join.
    On,
    /// In a key of GROUP BY.
    Key,
    /// In another aggregate.
    Nested,
}

/// Whether something was understood in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupingCertainty {
    /// It was.
    Sure,
    /// The server may see it in another way.
    Unsure,
}

/// Every aggregate query of a statement.
pub(crate) fn aggregate_queries<'a>(query_scopes: &QueryScopes<'a>) -> Vec<AggregateQuery<'a>> {
    let looking = GroupingAnalysis {
        query_scopes,
        places: query_scopes
            .scopes
            .iter()
            .enumerate()
            .map(|(place, level)| (std::ptr::from_ref(level.select).addr(), place))
            .collect(),
    };
    let levels = 0..query_scopes.scopes.len();
    levels.filter_map(|place| looking.level(place)).collect()
}

/// The queries of a statement, and which of them each SELECT is.
pub(super) struct GroupingAnalysis<'o, 'a> {
    pub(super) query_scopes: &'o QueryScopes<'a>,
    places: HashMap<usize, usize>,
}

/// What was found below an expression.
#[derive(Default)]
struct ExpressionFindings {
    open: Vec<UngroupedColumn>,
    aggregates: usize,
    nested: bool,
    unsure: bool,
}

impl<'a> GroupingAnalysis<'_, 'a> {
    fn level(&self, place: usize) -> Option<AggregateQuery<'a>> {
        let level = self.query_scopes.scope(place)?;
        let select = level.select;
        let mut grouped = self.keys(place, level);
        let mut misplaced = None;
        for key in &grouped.expressions {
            if self
                .below(&grouped, *key, place, SearchTarget::Aggregates)
                .aggregates
                > 0
            {
                misplaced = Some(MisplacedAggregate::Key);
            }
        }
        for join in &level.joins {
            if self
                .below(&grouped, join.quals, place, SearchTarget::Aggregates)
                .aggregates
                > 0
            {
                misplaced = Some(MisplacedAggregate::On);
            }
        }
        let condition = select.where_clause();
        if self
            .below(&grouped, condition, place, SearchTarget::Aggregates)
            .aggregates
            > 0
        {
            misplaced = Some(MisplacedAggregate::Where);
        }
        let mut seen = ExpressionFindings::default();
        for node in shown(select) {
            let own = self.below(&grouped, node, place, SearchTarget::Everything);
            seen.open.extend(own.open);
            seen.aggregates = seen.aggregates.saturating_add(own.aggregates);
            seen.nested |= own.nested;
            seen.unsure |= own.unsure;
        }
        if seen.nested {
            misplaced = misplaced.or(Some(MisplacedAggregate::Nested));
        }
        let having = !matches!(select.having_clause(), Node::None);
        let aggregated = grouped.keys != GroupingKeys::Absent || having || seen.aggregates > 0;
        if !aggregated && misplaced.is_none() {
            return None;
        }
        grouped.has_aggregate = seen.aggregates > 0;
        if aggregated {
            grouped.open = seen.open;
            grouped.open.sort_by_key(|open| open.at);
        }
        grouped.misplaced = misplaced;
        if seen.unsure {
            grouped.certainty = GroupingCertainty::Unsure;
        }
        Some(grouped)
    }

    /// Looks through an expression of a query, sub-selects in it among it.
    fn below(
        &self,
        grouped: &AggregateQuery<'a>,
        node: Node<'a>,
        place: usize,
        keep: SearchTarget,
    ) -> ExpressionFindings {
        let mut seen = ExpressionFindings::default();
        let mut waiting = vec![(node, place, false)];
        while let Some((node, level, aggregated)) = waiting.pop() {
            if keep == SearchTarget::Everything && level == place && !aggregated {
                match self.is_key(grouped, node) {
                    ExpressionMatch::Same => continue,
                    ExpressionMatch::Unsure => seen.unsure = true,
                    ExpressionMatch::Different => {}
                }
            }
            let (mut inner, mut within) = (level, aggregated);
            match node {
                Node::SelectStmt(select) => {
                    let own = self.places.get(&std::ptr::from_ref(select).addr());
                    inner = own.copied().unwrap_or(level);
                }
                Node::ColumnRef(column) => {
                    if keep == SearchTarget::Everything && !aggregated {
                        self.reference(grouped, column, &mut seen);
                    }
                    continue;
                }
                Node::FuncCall(call) if self.is_aggregate(call) => {
                    let owner = self.owner(call, level);
                    if owner == grouped.level {
                        seen.aggregates = seen.aggregates.saturating_add(1);
                        seen.nested |= aggregated;
                        within = true;
                    } else if !self.query_scopes.is_within(owner, grouped.level) {
                        continue;
                    }
                }
                Node::GroupingFunc(_) => {
                    seen.aggregates = seen.aggregates.saturating_add(1);
                    continue;
                }
                _ => {}
            }
            let mut children = Vec::new();
            if tree::children(node, &mut children).is_err() {
                seen.unsure = true;
            }
            waiting.extend(children.into_iter().map(|child| (child, inner, within)));
        }
        seen
    }

    fn is_key(&self, grouped: &AggregateQuery<'a>, node: Node<'a>) -> ExpressionMatch {
        let mut result = ExpressionMatch::Different;
        if matches!(node, Node::None | Node::ColumnRef(_) | Node::A_Const(_)) {
            return result;
        }
        for key in &grouped.expressions {
            match compare_expressions(self.query_scopes, *key, node) {
                ExpressionMatch::Same => return ExpressionMatch::Same,
                ExpressionMatch::Unsure => result = ExpressionMatch::Unsure,
                ExpressionMatch::Different => {}
            }
        }
        result
    }

    fn reference(
        &self,
        grouped: &AggregateQuery<'a>,
        column: &nodes::ColumnRef,
        seen: &mut ExpressionFindings,
    ) {
        let at = usize::try_from(column.location).ok();
        let Some(reference) = at.and_then(|at| self.query_scopes.reference_at(at)) else {
            seen.unsure = true;
            return;
        };
        let open = |column_index, by_star| UngroupedColumn {
            column_index,
            at: reference.at,
            by_star,
        };
        match reference.meaning {
            ReferenceMeaning::Column(column_index) => {
                if column_index.level == grouped.level && !self.is_grouped(grouped, column_index) {
                    seen.open.push(open(column_index, false));
                }
                // A primary key counts where it is in all of the sets.
                let a_key = grouped.columns.contains(&column_index);
                seen.unsure |= grouped.keys == GroupingKeys::Sets
                    && !a_key
                    && column_index.level == grouped.level;
            }
            ReferenceMeaning::Result => {}
            ReferenceMeaning::Other
                if reference.name.is_none() && reference.level == grouped.level =>
            {
                let starred = starred(self.query_scopes, grouped.level, reference.qualifier);
                for column_index in starred {
                    if !self.is_grouped(grouped, column_index) {
                        seen.open.push(open(column_index, true));
                    }
                }
            }
            ReferenceMeaning::Other | ReferenceMeaning::Several | ReferenceMeaning::Nothing => {
                seen.unsure = true
            }
        }
    }

    /// Whether a column is a key, or its table's primary key is grouped.
    fn is_grouped(&self, grouped: &AggregateQuery<'a>, column_index: ColumnIndex) -> bool {
        if grouped.columns.contains(&column_index) {
            return true;
        }
        let Some((from_item, relation)) = self
            .query_scopes
            .leaf(column_index)
            .filter(|from_item| !from_item.covered)
            .and_then(|from_item| Some((from_item, from_item.relation?)))
        else {
            return false;
        };
        let keys = self.query_scopes.catalog.keys_of(relation).iter();
        let mut primary = keys.filter(|key| key.kind == KeyKind::Primary);
        primary.any(|key| {
            key.columns.iter().all(|number| {
                from_item.place_of(relation, *number).is_some_and(|column| {
                    grouped.columns.contains(&ColumnIndex {
                        column,
                        ..column_index
                    })
                })
            })
        })
    }

    /// Whether a call is one of an aggregate.
    fn is_aggregate(&self, call: &nodes::FuncCall) -> bool {
        if call.over().is_some() {
            return false;
        }
        let catalog = self.query_scopes.catalog;
        let name = call.funcname().iter().next_back().and_then(Node::as_str);
        let Some(name) = name.and_then(|name| catalog.names().find(name)) else {
            return false;
        };
        let functions = catalog.index().functions(name).iter();
        let mut kinds = functions.map(|id| &catalog.function(*id).kind);
        kinds.any(|kind| matches!(kind, FunctionKind::Aggregate { .. }))
    }

    /// The query that an aggregate belongs to: the nearest one that it names a column of.
    fn owner(&self, call: &'a nodes::FuncCall, level: usize) -> usize {
        let mut waiting = vec![Node::FuncCall(call)];
        let mut nearest: Option<usize> = None;
        while let Some(node) = waiting.pop() {
            if let Node::ColumnRef(column) = node {
                let Some(column_index) = self.query_scopes.column_at(column.location) else {
                    return level;
                };
                if self.query_scopes.is_within(level, column_index.level) {
                    let nearer = nearest
                        .is_none_or(|far| self.query_scopes.is_within(column_index.level, far));
                    nearest = if nearer {
                        Some(column_index.level)
                    } else {
                        nearest
                    };
                }
                continue;
            }
            // What is not known is the server's to say.
            let _unknown = tree::children(node, &mut waiting);
        }
        nearest.unwrap_or(level)
    }
}

/// The columns that a star of a query brings, where they may be shown.
pub(super) fn starred(
    query_scopes: &QueryScopes<'_>,
    place: usize,
    qualifier: Option<&str>,
) -> Vec<ColumnIndex> {
    let Some(level) = query_scopes.scope(place) else {
        return Vec::new();
    };
    let only = qualifier.map(|name| level.item_named(name));
    let from_items = level.from_items.iter().enumerate();
    let from_items =
        from_items.filter(|(from_item, _)| only.is_none_or(|only| only == Some(*from_item)));
    let column_indexes = from_items.flat_map(|(from_item, own)| {
        let shown = own.columns.iter().enumerate();
        let shown = shown.filter(|(_, column)| query_scopes.may_show_column(column));
        shown.map(move |(column, _)| ColumnIndex {
            level: place,
            from_item,
            column,
        })
    });
    column_indexes.collect()
}

/// What is looked for in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchTarget {
    Everything,
    Aggregates,
}

/// What a query computes of its groups.
pub(super) fn shown<'a>(select: &'a nodes::SelectStmt) -> Vec<Node<'a>> {
    let mut nodes: Vec<Node<'a>> = Vec::new();
    nodes.extend(select.target_list().iter().map(|target| target.val()));
    nodes.push(select.having_clause());
    nodes.extend(select.sort_clause().iter().map(|key| key.node()));
    nodes.extend(select.distinct_clause());
    nodes.extend(select.window_clause());
    nodes
}
