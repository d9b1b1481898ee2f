//! Which columns of an aggregate query are neither grouped nor aggregated, by Postgres's own rule:
//! beside the keys of GROUP BY it accepts the other columns of a table whose primary key is
//! grouped.
//!
//! <https://www.postgresql.org/docs/current/sql-select.html#SQL-GROUPBY>

use std::collections::HashMap;

use super::equal_expressions::{Alike, alike};
use crate::catalog::{FunctionKind, KeyKind};
use crate::limits::GROUP_EXPRESSIONS_MAX;
use crate::repair::scopes::column_reference::{Meaning, own_name};
use crate::repair::scopes::query_scopes::{Level, Outline, Spot};
use crate::sql::tree::{self, ConstValue, Node, nodes};

/// An aggregate query.
pub(in crate::repair) struct Grouped<'a> {
    /// The place of the query in the outline.
    pub level: usize,
    /// The columns that are keys, of any grouping set.
    pub columns: Vec<Spot>,
    /// The keys that are anything else.
    pub expressions: Vec<Node<'a>>,
    /// How its rows are grouped.
    pub keys: Keys,
    /// The columns that are neither grouped nor aggregated.
    pub open: Vec<Open>,
    /// Where an aggregate stands that may not stand there.
    pub misplaced: Option<Misplaced>,
    /// Whether all of it was understood.
    pub certainty: Certainty,
}

/// How the rows of an aggregate query are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Keys {
    /// All rows are one group.
    Absent,
    /// By a list of keys.
    List,
    /// By several lists.
    Sets,
}

/// A column that is neither grouped nor aggregated.
#[derive(Clone, Copy, Debug)]
pub(in crate::repair) struct Open {
    /// The column.
    pub spot: Spot,
    /// Where it is named.
    pub at: usize,
    /// Whether a star brings it.
    pub by_star: bool,
}

/// An aggregate where there can be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Misplaced {
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
pub(in crate::repair) enum Certainty {
    /// It was.
    Sure,
    /// The server may see it in another way.
    Unsure,
}

/// Every aggregate query of a statement.
pub(in crate::repair) fn aggregates<'a>(outline: &Outline<'a>) -> Vec<Grouped<'a>> {
    let looking = Looking {
        outline,
        places: outline
            .levels
            .iter()
            .enumerate()
            .map(|(place, level)| (std::ptr::from_ref(level.select).addr(), place))
            .collect(),
    };
    let levels = 0..outline.levels.len();
    levels.filter_map(|place| looking.level(place)).collect()
}

struct Looking<'o, 'a> {
    outline: &'o Outline<'a>,
    places: HashMap<usize, usize>,
}

/// What was found below an expression.
#[derive(Default)]
struct Seen {
    open: Vec<Open>,
    aggregates: usize,
    nested: bool,
    unsure: bool,
}

impl<'a> Looking<'_, 'a> {
    fn level(&self, place: usize) -> Option<Grouped<'a>> {
        let level = self.outline.level(place)?;
        let select = level.select;
        let mut grouped = self.keys(place, level);
        let mut misplaced = None;
        for key in &grouped.expressions {
            if self
                .below(&grouped, *key, place, Keep::Aggregates)
                .aggregates
                > 0
            {
                misplaced = Some(Misplaced::Key);
            }
        }
        for join in &level.joins {
            if self
                .below(&grouped, join.quals, place, Keep::Aggregates)
                .aggregates
                > 0
            {
                misplaced = Some(Misplaced::On);
            }
        }
        let condition = select.where_clause();
        if self
            .below(&grouped, condition, place, Keep::Aggregates)
            .aggregates
            > 0
        {
            misplaced = Some(Misplaced::Where);
        }
        let mut seen = Seen::default();
        for node in shown(select) {
            let own = self.below(&grouped, node, place, Keep::Everything);
            seen.open.extend(own.open);
            seen.aggregates = seen.aggregates.saturating_add(own.aggregates);
            seen.nested |= own.nested;
            seen.unsure |= own.unsure;
        }
        if seen.nested {
            misplaced = misplaced.or(Some(Misplaced::Nested));
        }
        let having = !matches!(select.having_clause(), Node::None);
        let aggregated = grouped.keys != Keys::Absent || having || seen.aggregates > 0;
        if !aggregated && misplaced.is_none() {
            return None;
        }
        if aggregated {
            grouped.open = seen.open;
            grouped.open.sort_by_key(|open| open.at);
        }
        grouped.misplaced = misplaced;
        if seen.unsure {
            grouped.certainty = Certainty::Unsure;
        }
        Some(grouped)
    }

    fn keys(&self, place: usize, level: &Level<'a>) -> Grouped<'a> {
        let mut grouped = Grouped {
            level: place,
            columns: Vec::new(),
            expressions: Vec::new(),
            keys: Keys::Absent,
            open: Vec::new(),
            misplaced: None,
            certainty: Certainty::Sure,
        };
        let mut waiting: Vec<Node<'a>> = level.select.group_clause().iter().collect();
        while let Some(key) = waiting.pop() {
            if grouped.keys == Keys::Absent {
                grouped.keys = Keys::List;
            }
            match key {
                Node::GroupingSet(set) => {
                    grouped.keys = Keys::Sets;
                    waiting.extend(set.content());
                }
                Node::NodeList(list) => waiting.extend(list),
                Node::RowExpr(row) => waiting.extend(row.args()),
                key => match self.meant(key, level) {
                    Some(Node::ColumnRef(column)) => match self.outline.spot_at(column.location) {
                        Some(spot) => grouped.columns.push(spot),
                        None => grouped.certainty = Certainty::Unsure,
                    },
                    Some(other) => grouped.expressions.push(other),
                    None => grouped.certainty = Certainty::Unsure,
                },
            }
        }
        if grouped.expressions.len() > GROUP_EXPRESSIONS_MAX {
            grouped.expressions.clear();
            grouped.certainty = Certainty::Unsure;
        }
        grouped
    }

    /// The expression that a key of GROUP BY stands for.
    fn meant(&self, key: Node<'a>, level: &Level<'a>) -> Option<Node<'a>> {
        let targets = level.select.target_list();
        match key {
            Node::A_Const(constant) => {
                let Some(ConstValue::Integer(number)) = constant.val() else {
                    return None;
                };
                if level.has_any_star() {
                    return None;
                }
                let place = usize::try_from(number).ok()?.checked_sub(1)?;
                targets.iter().nth(place).map(|target| target.val())
            }
            Node::ColumnRef(column) => {
                let at = usize::try_from(column.location).ok()?;
                let reference = self.outline.reference_at(at)?;
                if reference.meaning != Meaning::Result {
                    return Some(key);
                }
                let mut named = targets.iter().filter(|target| {
                    target.name().or_else(|| own_name(target.val())) == reference.name
                });
                let target = named.next()?;
                named.next().is_none().then(|| target.val())
            }
            other => Some(other),
        }
    }

    /// Looks through an expression of a query, sub-selects in it among it.
    fn below(&self, grouped: &Grouped<'a>, node: Node<'a>, place: usize, keep: Keep) -> Seen {
        let mut seen = Seen::default();
        let mut waiting = vec![(node, place, false)];
        while let Some((node, level, aggregated)) = waiting.pop() {
            if keep == Keep::Everything && level == place && !aggregated {
                match self.is_key(grouped, node) {
                    Alike::Same => continue,
                    Alike::Unsure => seen.unsure = true,
                    Alike::Different => {}
                }
            }
            let (mut inner, mut within) = (level, aggregated);
            match node {
                Node::SelectStmt(select) => {
                    let own = self.places.get(&std::ptr::from_ref(select).addr());
                    inner = own.copied().unwrap_or(level);
                }
                Node::ColumnRef(column) => {
                    if keep == Keep::Everything && !aggregated {
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
                    } else if !self.outline.is_within(owner, grouped.level) {
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

    fn is_key(&self, grouped: &Grouped<'a>, node: Node<'a>) -> Alike {
        let mut result = Alike::Different;
        if matches!(node, Node::None | Node::ColumnRef(_) | Node::A_Const(_)) {
            return result;
        }
        for key in &grouped.expressions {
            match alike(self.outline, *key, node) {
                Alike::Same => return Alike::Same,
                Alike::Unsure => result = Alike::Unsure,
                Alike::Different => {}
            }
        }
        result
    }

    fn reference(&self, grouped: &Grouped<'a>, column: &nodes::ColumnRef, seen: &mut Seen) {
        let at = usize::try_from(column.location).ok();
        let Some(reference) = at.and_then(|at| self.outline.reference_at(at)) else {
            seen.unsure = true;
            return;
        };
        let open = |spot, by_star| Open {
            spot,
            at: reference.at,
            by_star,
        };
        match reference.meaning {
            Meaning::Column(spot) => {
                if spot.level == grouped.level && !self.is_grouped(grouped, spot) {
                    seen.open.push(open(spot, false));
                }
                // A primary key counts where it is in all of the sets.
                let a_key = grouped.columns.contains(&spot);
                seen.unsure |= grouped.keys == Keys::Sets && !a_key && spot.level == grouped.level;
            }
            Meaning::Result => {}
            Meaning::Other if reference.name.is_none() && reference.level == grouped.level => {
                for spot in self.starred(grouped.level, reference.qualifier) {
                    if !self.is_grouped(grouped, spot) {
                        seen.open.push(open(spot, true));
                    }
                }
            }
            Meaning::Other | Meaning::Several | Meaning::Nothing => seen.unsure = true,
        }
    }

    fn starred(&self, place: usize, qualifier: Option<&str>) -> Vec<Spot> {
        let Some(level) = self.outline.level(place) else {
            return Vec::new();
        };
        let only = qualifier.map(|name| level.leaf_named(name));
        let leaves = level.leaves.iter().enumerate();
        let leaves = leaves.filter(|(leaf, _)| only.is_none_or(|only| only == Some(*leaf)));
        let spots = leaves.flat_map(|(leaf, own)| {
            let shown = own.columns.iter().enumerate();
            let shown = shown.filter(|(_, column)| self.outline.shows(column));
            shown.map(move |(column, _)| Spot {
                level: place,
                leaf,
                column,
            })
        });
        spots.collect()
    }

    /// Whether a column is a key, or its table's primary key is grouped.
    fn is_grouped(&self, grouped: &Grouped<'a>, spot: Spot) -> bool {
        if grouped.columns.contains(&spot) {
            return true;
        }
        let Some((leaf, relation)) = self
            .outline
            .leaf(spot)
            .filter(|leaf| !leaf.covered)
            .and_then(|leaf| Some((leaf, leaf.relation?)))
        else {
            return false;
        };
        let keys = self.outline.catalog.keys_of(relation).iter();
        let mut primary = keys.filter(|key| key.kind == KeyKind::Primary);
        primary.any(|key| {
            key.columns.iter().all(|number| {
                leaf.place_of(relation, *number)
                    .is_some_and(|column| grouped.columns.contains(&Spot { column, ..spot }))
            })
        })
    }

    /// Whether a call is one of an aggregate.
    fn is_aggregate(&self, call: &nodes::FuncCall) -> bool {
        if call.over().is_some() {
            return false;
        }
        let catalog = self.outline.catalog;
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
                let Some(spot) = self.outline.spot_at(column.location) else {
                    return level;
                };
                if self.outline.is_within(level, spot.level) {
                    let nearer = nearest.is_none_or(|far| self.outline.is_within(spot.level, far));
                    nearest = if nearer { Some(spot.level) } else { nearest };
                }
                continue;
            }
            // What is not known is the server's to say.
            let _unknown = tree::children(node, &mut waiting);
        }
        nearest.unwrap_or(level)
    }
}

/// What is looked for in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Everything,
    Aggregates,
}

/// What a query computes of its groups.
fn shown<'a>(select: &'a nodes::SelectStmt) -> Vec<Node<'a>> {
    let mut nodes: Vec<Node<'a>> = Vec::new();
    nodes.extend(select.target_list().iter().map(|target| target.val()));
    nodes.push(select.having_clause());
    nodes.extend(select.sort_clause().iter().map(|key| key.node()));
    nodes.extend(select.distinct_clause());
    nodes.extend(select.window_clause());
    nodes
}

impl Level<'_> {
    /// Whether any star stands in its list.
    fn has_any_star(&self) -> bool {
        self.select
            .target_list()
            .iter()
            .any(|target| match target.val() {
                Node::ColumnRef(column) => {
                    matches!(column.fields().iter().next_back(), Some(Node::A_Star(_)))
                }
                Node::A_Indirection(_) => true,
                _ => false,
            })
    }
}
