//! By which of its dimensions a statement reads a metric: those that it names, as the server would
//! look names up if the metric were a table with all of its dimensions and its figure.
//!
//! A dimension too many makes more groups, and one too few makes other figures: where a name may
//! mean something else the statement is refused.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use crate::Refusal;
use crate::models::from_names::FromName;
use crate::rules::model;
use policy::metric::KnownMetric;
use sql::node_access::{self, all};
use sql::tree::{self, Node, SetOperation, nodes};

/// The dimensions that are named.
pub(super) struct NamedDimensions<'t> {
    numbers: BTreeSet<usize>,
    with_schema: Vec<&'t nodes::ColumnRef>,
}

impl<'t> NamedDimensions<'t> {
    /// Those by which a statement reads the metric that stands at a name in FROM.
    ///
    /// # Errors
    /// A name may mean a dimension or something else, or is one that the metric does not have.
    pub(super) fn of(
        statement: &StatementWithMetrics<'t, '_>,
        table: &'t nodes::RangeVar,
        metric: &KnownMetric,
    ) -> Result<Self, Box<Refusal>> {
        let name = table.relname().unwrap_or_default();
        let every = all(statement.node).unwrap_or_default();
        let from = every.iter().find_map(|node| match node {
            Node::SelectStmt(select) if select.op == SetOperation::SETOP_NONE => {
                let from = FromShape::of(select);
                from.has(table).then_some((*select, from))
            }
            _ => None,
        });
        let (select, from) = from.ok_or_else(|| model::metric_not_placed(name))?;
        let alias = table.alias();
        if alias.is_some_and(|alias| !alias.colnames().is_empty()) || from.is_renamed(table) {
            return Err(model::form(
                &format!("columns of the metric {name} are renamed in FROM"),
                "Rename columns behind SELECT, with AS.",
            ));
        }
        let mut search = DimensionSearch {
            statement,
            metric,
            table,
            alias: alias.and_then(nodes::Alias::aliasname).unwrap_or(name),
            is_alone: from.leaves.len() == 1,
            found: Self {
                numbers: BTreeSet::new(),
                with_schema: Vec::new(),
            },
        };
        search.joins(&from)?;
        search.query(select, &from)?;
        Ok(search.found)
    }

    /// Whether the dimension of this number is named.
    pub(super) fn has(&self, number: usize) -> bool {
        self.numbers.contains(&number)
    }

    /// References that are written with the metric's schema.
    pub(super) fn with_schema(&self) -> impl Iterator<Item = &'t nodes::ColumnRef> {
        self.with_schema.iter().copied()
    }
}

/// A statement that reads metrics.
pub(super) struct StatementWithMetrics<'t, 'm> {
    /// It.
    pub(super) node: Node<'t>,
    /// The names in FROM that stand for metrics.
    pub(super) metrics: Vec<(FromName<'t>, &'m KnownMetric)>,
    /// Where columns are read that surely are those of relations, in bytes.
    pub(super) columns: HashSet<usize>,
}

impl StatementWithMetrics<'_, '_> {
    /// Whether a metric in a query's own FROM has a column of this name.
    fn has_column(&self, from: &FromShape<'_>, name: &str) -> bool {
        let mut own = self
            .metrics
            .iter()
            .filter(|(table, _)| from.has(table.node));
        own.any(|(_, metric)| {
            let mut dimensions = metric.dimensions.iter();
            metric.figure() == name || dimensions.any(|one| one.name == name)
        })
    }
}

/// What stands in FROM of one query.
#[derive(Default)]
struct FromShape<'t> {
    /// What is joined.
    leaves: Vec<Node<'t>>,
    joins: Vec<&'t nodes::JoinExpr>,
}

impl<'t> FromShape<'t> {
    fn of(select: &'t nodes::SelectStmt) -> Self {
        let mut shape = Self::default();
        let mut waiting: Vec<Node<'t>> = select.from_clause().iter().collect();
        while let Some(item) = waiting.pop() {
            match item {
                Node::JoinExpr(join) => {
                    shape.joins.push(join);
                    waiting.extend([join.larg(), join.rarg()]);
                }
                Node::RangeTableSample(sample) => waiting.push(sample.relation()),
                leaf => shape.leaves.push(leaf),
            }
        }
        shape
    }

    fn has(&self, table: &nodes::RangeVar) -> bool {
        self.leaves.iter().any(|leaf| is_table(*leaf, table))
    }

    /// Whether a join with a name of its own stands around a table.
    fn is_renamed(&self, table: &nodes::RangeVar) -> bool {
        let mut joins = self.joins.iter();
        joins.any(|join| join.alias().is_some() && stands_in(Node::JoinExpr(join), table))
    }

    /// Whether something in it has this name.
    fn has_name(&self, name: &str) -> bool {
        let aliases = self.leaves.iter().map(|leaf| match leaf {
            Node::RangeVar(table) => match table.alias() {
                Some(alias) => alias.aliasname(),
                None => table.relname(),
            },
            Node::RangeSubselect(range) => range.alias().and_then(nodes::Alias::aliasname),
            Node::RangeFunction(range) => range.alias().and_then(nodes::Alias::aliasname),
            // Of others nothing is known: they may have any name.
            _ => Some(name),
        });
        let joins = self.joins.iter().map(|join| join.alias());
        let joins = joins.map(|alias| alias.and_then(nodes::Alias::aliasname));
        aliases.chain(joins).flatten().any(|alias| alias == name)
    }
}

fn is_table(node: Node<'_>, table: &nodes::RangeVar) -> bool {
    matches!(node, Node::RangeVar(own) if std::ptr::eq(own, table))
}

/// Whether a table stands in an item of FROM, at any depth of joins.
fn stands_in(item: Node<'_>, table: &nodes::RangeVar) -> bool {
    let mut waiting = vec![item];
    while let Some(item) = waiting.pop() {
        match item {
            Node::JoinExpr(join) => waiting.extend([join.larg(), join.rarg()]),
            leaf if is_table(leaf, table) => return true,
            _ => {}
        }
    }
    false
}

/// Where a reference stands, seen from the query that reads the metric.
#[derive(Clone, Default)]
struct ReferencePlace<'t> {
    /// What stands in FROM of the queries within it that stand around the reference.
    within: Vec<Rc<FromShape<'t>>>,
}

impl ReferencePlace<'_> {
    /// Whether it stands in the query itself.
    fn is_own(&self) -> bool {
        self.within.is_empty()
    }
}

struct DimensionSearch<'s, 't, 'm> {
    statement: &'s StatementWithMetrics<'t, 'm>,
    metric: &'m KnownMetric,
    table: &'t nodes::RangeVar,
    /// The name that the metric has in the query.
    alias: &'t str,
    /// Whether nothing else stands in FROM.
    is_alone: bool,
    found: NamedDimensions<'t>,
}

impl<'t> DimensionSearch<'_, 't, '_> {
    /// The columns by which the metric is joined.
    fn joins(&mut self, from: &FromShape<'t>) -> Result<(), Box<Refusal>> {
        let table = self.table;
        let around = from.joins.iter();
        for join in around.filter(|join| stands_in(Node::JoinExpr(join), table)) {
            if join.is_natural {
                return Err(model::form(
                    &format!(
                        "NATURAL JOIN of the metric {} names no dimensions",
                        self.alias
                    ),
                    "Write JOIN … USING, or ON, with the dimensions that are meant.",
                ));
            }
            let is_side = is_table(join.larg(), table) || is_table(join.rarg(), table);
            let using = join.using_clause().iter();
            for name in using.filter_map(nodes::String::sval) {
                match self.number(name) {
                    Some(number) if is_side => {
                        self.found.numbers.insert(number);
                    }
                    Some(_) => return Err(self.ambiguous(name)),
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Everything in the query that can name columns of what stands in its FROM.
    fn query(
        &mut self,
        select: &'t nodes::SelectStmt,
        from: &FromShape<'t>,
    ) -> Result<(), Box<Refusal>> {
        let outputs = select
            .target_list()
            .iter()
            .filter_map(nodes::ResTarget::name);
        let outputs: Vec<&str> = outputs.collect();
        let is_output = |node: Node<'_>| match node {
            Node::ColumnRef(column) => match fields(column).as_slice() {
                [Some(name)] => outputs.contains(name),
                _ => false,
            },
            _ => false,
        };
        let mut own: Vec<Node<'t>> = Vec::new();
        // Here the name of an output column comes first.
        let sorted = select.sort_clause().iter().map(nodes::SortBy::node);
        let distinct = select.distinct_clause().iter();
        own.extend(sorted.chain(distinct).filter(|node| !is_output(*node)));
        own.extend(select.target_list().iter().map(nodes::ResTarget::val));
        own.extend(select.group_clause().iter());
        own.extend(select.window_clause().iter());
        own.extend([
            select.where_clause(),
            select.having_clause(),
            select.limit_count(),
            select.limit_offset(),
        ]);
        own.extend(from.joins.iter().map(|join| join.quals()));
        let others = from.leaves.iter().copied();
        own.extend(others.filter(|leaf| match leaf {
            Node::RangeVar(_) => false,
            Node::RangeSubselect(range) => range.lateral,
            _ => true,
        }));
        self.references(own)
    }

    fn references(&mut self, own: Vec<Node<'t>>) -> Result<(), Box<Refusal>> {
        let mut waiting: Vec<(Node<'t>, ReferencePlace<'t>)> = own
            .into_iter()
            .map(|node| (node, ReferencePlace::default()))
            .collect();
        let mut children = Vec::new();
        while let Some((node, mut place)) = waiting.pop() {
            match node {
                Node::ColumnRef(column) => self.reference(column, &place)?,
                Node::SelectStmt(select) => place.within.push(Rc::new(FromShape::of(select))),
                _ => {}
            }
            // What is of an unknown kind is refused by its own rule.
            if tree::children(node, &mut children).is_ok() {
                waiting.extend(children.drain(..).map(|child| (child, place.clone())));
            }
        }
        Ok(())
    }

    fn reference(
        &mut self,
        column: &'t nodes::ColumnRef,
        place: &ReferencePlace<'t>,
    ) -> Result<(), Box<Refusal>> {
        let is_shadowed = || place.within.iter().any(|from| from.has_name(self.alias));
        match fields(column).as_slice() {
            [None] if place.is_own() => self.name_all(),
            [Some(name)] => {
                let at = node_access::place(column.location);
                let is_of_relation = at.is_some_and(|at| self.statement.columns.contains(&at));
                let mut inner = place.within.iter();
                let is_of_metric = inner.any(|from| self.statement.has_column(from, name));
                if place.is_own() || !is_of_relation && !is_of_metric {
                    return self.bare(name, place);
                }
            }
            _ if is_shadowed() => {}
            [Some(table), last] if *table == self.alias => return self.qualified(*last),
            [Some(schema), Some(table), last] if self.is_spelled(schema, table) => {
                self.found.with_schema.push(column);
                return self.qualified(*last);
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether a schema and a table are what is written in FROM.
    fn is_spelled(&self, schema: &str, table: &str) -> bool {
        let own = self.metric.readable_as.as_ref();
        self.table.alias().is_none()
            && self.table.relname() == Some(table)
            && own.is_some_and(|own| own.schema == schema)
    }

    /// A name alone, that is not known to be that of something else.
    fn bare(&mut self, name: &str, place: &ReferencePlace<'_>) -> Result<(), Box<Refusal>> {
        match self.number(name) {
            Some(number) if place.is_own() && self.is_alone => {
                self.found.numbers.insert(number);
                Ok(())
            }
            Some(_) => Err(self.ambiguous(name)),
            None if name == self.metric.figure() => Ok(()),
            // The whole row.
            None if name == self.alias => {
                self.name_all();
                Ok(())
            }
            None if place.is_own() && self.is_alone => Err(self.unknown(name)),
            None => Ok(()),
        }
    }

    /// A name behind that of the metric; none for all.
    fn qualified(&mut self, name: Option<&str>) -> Result<(), Box<Refusal>> {
        let Some(name) = name else {
            self.name_all();
            return Ok(());
        };
        match self.number(name) {
            Some(number) => {
                self.found.numbers.insert(number);
                Ok(())
            }
            None if name == self.metric.figure() => Ok(()),
            None => Err(self.unknown(name)),
        }
    }

    fn name_all(&mut self) {
        self.found.numbers.extend(0..self.metric.dimensions.len());
    }

    fn number(&self, name: &str) -> Option<usize> {
        let mut all = self.metric.dimensions.iter();
        all.position(|dimension| dimension.name == name)
    }

    fn ambiguous(&self, name: &str) -> Box<Refusal> {
        model::metric_ambiguous(self.alias, name)
    }

    fn unknown(&self, name: &str) -> Box<Refusal> {
        let known = self.metric.dimensions.iter().map(|one| one.name.as_str());
        let known: Vec<&str> = known.chain([self.metric.figure()]).collect();
        model::no_metric_column((self.alias, self.metric.readable_as.as_ref()), name, &known)
    }
}

/// The parts of a reference; none for a star.
fn fields(column: &nodes::ColumnRef) -> Vec<Option<&str>> {
    column.fields().iter().map(Node::as_str).collect()
}
