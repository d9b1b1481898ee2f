//! The queries of a statement: what stands in the FROM of each, how it is joined, and what every
//! reference to a column means there. Made from the tree beside its resolution: the resolution says
//! what a name means and which names a query sees of those around it ([`ScopeView`]), the tree how
//! rows come together.
//!
//! What is not understood in full (a join that is given an alias, what SEARCH and CYCLE add) has no
//! columns here: nothing is concluded from it.

use std::collections::HashMap;

use super::column_reference::{ColumnReference, QueryClause, ReferenceMeaning};
use super::from_clause::FromReader;
use super::from_item::{FromItem, FromJoin, NodePosition};
use catalog::{Catalog, Mask};
use resolve::{Resolution, ScopeColumn, ScopeView, ScopesOfQueries, VisibleItems};
use sql::tree::{self, Node, nodes};

/// The queries of a statement.
pub(crate) struct QueryScopes<'a> {
    /// The snapshot.
    pub catalog: &'a Catalog,
    /// What is kept from the client.
    mask: Option<&'a Mask>,
    /// Every query that has a scope of its own, outermost first.
    pub scopes: Vec<QueryScope<'a>>,
    /// Every reference to a column, stars among them.
    pub references: Vec<ColumnReference<'a>>,
    places: HashMap<usize, usize>,
}

/// One query.
pub(crate) struct QueryScope<'a> {
    /// Its tree.
    pub select: &'a nodes::SelectStmt,
    /// What is visible in it.
    pub view: &'a ScopeView<'a>,
    /// The query around it.
    pub outer: Option<usize>,
    /// What has columns in its FROM, from the left.
    pub from_items: Vec<FromItem<'a>>,
    /// Its joins, inner ones before those around them.
    pub joins: Vec<FromJoin<'a>>,
}

/// A column of a leaf of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct ColumnIndex {
    /// The place of the query in [`QueryScopes::scopes`].
    pub level: usize,
    /// The place in its leaves.
    pub from_item: usize,
    /// The place in the leaf's columns.
    pub column: usize,
}

impl<'a> QueryScopes<'a> {
    /// The queries of a statement.
    pub fn of(
        statement: Node<'a>,
        resolution: &'a Resolution<'a>,
        catalog: &'a Catalog,
        mask: Option<&'a Mask>,
    ) -> Option<Self> {
        let mut reader = QueryScopesReader {
            resolution,
            scopes: resolution.scopes_of_queries(),
            levels: Vec::new(),
            found: Vec::new(),
            waiting: Vec::new(),
        };
        reader.waiting.push((statement, NodePosition::default()));
        while let Some((node, place)) = reader.waiting.pop() {
            reader.visit(node, place)?;
        }
        if let Some(mask) = mask {
            let from_items = reader
                .levels
                .iter_mut()
                .flat_map(|level| &mut level.from_items);
            for from_item in from_items {
                from_item.covered = from_item.relation.is_some_and(|id| mask.covers(id));
            }
        }
        let mut query_scopes = Self {
            catalog,
            mask,
            scopes: reader.levels,
            references: Vec::new(),
            places: HashMap::new(),
        };
        for (node, place) in reader.found {
            let Some(level) = place.level else { continue };
            let reference =
                ColumnReference::of(node, level, place.clause, place.join, &query_scopes);
            if let Some(reference) = reference {
                query_scopes
                    .places
                    .insert(reference.at, query_scopes.references.len());
                query_scopes.references.push(reference);
            }
        }
        Some(query_scopes)
    }

    /// The reference at a place of the text.
    pub fn reference_at(&self, at: usize) -> Option<&ColumnReference<'a>> {
        self.references.get(*self.places.get(&at)?)
    }

    /// A level.
    pub fn scope(&self, place: usize) -> Option<&QueryScope<'a>> {
        self.scopes.get(place)
    }

    /// The leaf of a column.
    pub fn leaf(&self, column_index: ColumnIndex) -> Option<&FromItem<'a>> {
        self.scope(column_index.level)?
            .from_items
            .get(column_index.from_item)
    }

    /// A column.
    pub fn column(&self, column_index: ColumnIndex) -> Option<&'a ScopeColumn<'a>> {
        self.leaf(column_index)?.columns.get(column_index.column)
    }

    /// Whether the client may hear of a column.
    pub fn may_show_column(&self, column: &ScopeColumn<'_>) -> bool {
        match (self.mask, column.origin) {
            (Some(mask), Some((relation, number))) => !mask.hides_column(relation, number),
            _ => true,
        }
    }

    /// What a reference means, by the place of it.
    pub fn column_at(&self, location: i32) -> Option<ColumnIndex> {
        let at = usize::try_from(location).ok()?;
        match self.reference_at(at)?.meaning {
            ReferenceMeaning::Column(column_index) => Some(column_index),
            _ => None,
        }
    }

    /// A level and those around it that it sees, nearest first.
    pub fn visible_from(&self, level: usize) -> Vec<usize> {
        let mut seen = vec![level];
        let mut inner = self.scope(level);
        while let Some((own, outer)) = inner.and_then(|inner| Some((inner, inner.outer?))) {
            if own.view.outer_items != VisibleItems::Nothing {
                seen.push(outer);
            }
            inner = self.scope(outer);
        }
        seen
    }

    /// Whether a query is another one or stands within it.
    pub fn is_within(&self, level: usize, around: usize) -> bool {
        let mut next = Some(level);
        while let Some(one) = next {
            if one == around {
                return true;
            }
            next = self.scope(one).and_then(|one| one.outer);
        }
        false
    }
}

impl<'a> QueryScope<'a> {
    /// The only leaf of a name.
    pub fn item_named(&self, name: &str) -> Option<usize> {
        let mut named = self
            .from_items
            .iter()
            .enumerate()
            .filter(|(_, from_item)| !from_item.hidden && from_item.name == Some(name));
        let (place, _) = named.next()?;
        named.next().is_none().then_some(place)
    }

    /// The leaves that have a column of a name which can be referred to, with the column's place.
    pub fn items_with(&self, name: &str) -> Vec<(usize, usize)> {
        let from_items = self
            .from_items
            .iter()
            .enumerate()
            .filter(|(_, from_item)| !from_item.hidden);
        let columns = from_items.flat_map(|(place, from_item)| {
            let columns = from_item.columns.iter().enumerate();
            columns
                .filter(|(_, column)| column.name.as_str() == name)
                .map(move |(column, _)| (place, column))
        });
        columns.collect()
    }

    /// Whether a star stands in its list that stands for everything in FROM.
    pub fn has_star(&self) -> bool {
        self.select.target_list().iter().any(|target| {
            matches!(target.val(), Node::ColumnRef(reference)
                if reference.fields().len() == 1
                    && matches!(reference.fields().first(), Some(Node::A_Star(_))))
        })
    }
}

/// Reads a tree.
struct QueryScopesReader<'a> {
    resolution: &'a Resolution<'a>,
    scopes: ScopesOfQueries,
    levels: Vec<QueryScope<'a>>,
    found: Vec<(&'a nodes::ColumnRef, NodePosition)>,
    waiting: Vec<(Node<'a>, NodePosition)>,
}

impl<'a> QueryScopesReader<'a> {
    fn visit(&mut self, node: Node<'a>, place: NodePosition) -> Option<()> {
        match node {
            Node::SelectStmt(select) => self.query(select, place)?,
            Node::ColumnRef(reference) => self.found.push((reference, place)),
            other => self.below(other, place)?,
        }
        Some(())
    }

    /// What stands below a node, in the same clause.
    fn below(&mut self, node: Node<'a>, place: NodePosition) -> Option<()> {
        let mut children = Vec::new();
        tree::children(node, &mut children).ok()?;
        let inner = NodePosition {
            clause: place.clause.inside(),
            ..place
        };
        let children = children.into_iter().map(|child| (child, inner));
        self.waiting.extend(children);
        Some(())
    }

    fn query(&mut self, select: &'a nodes::SelectStmt, place: NodePosition) -> Option<()> {
        let sides = [select.larg(), select.rarg()].into_iter().flatten();
        let sides = sides.map(Node::SelectStmt);
        let Some(scope) = self.scopes.of(select) else {
            // The operand of a set operation: it has no names of its own.
            self.waiting.extend(sides.map(|side| (side, place)));
            return Some(());
        };
        let view = self.resolution.scope(scope)?;
        let level = self.levels.len();
        self.levels.push(QueryScope {
            select,
            view,
            outer: place.level,
            from_items: Vec::new(),
            joins: Vec::new(),
        });
        let here = |clause| NodePosition {
            level: Some(level),
            clause,
            ..NodePosition::default()
        };
        let mut reader = FromReader::new(view, here(QueryClause::From));
        for item in select.from_clause() {
            reader.item(item);
        }
        let read = reader.into_contents();
        self.waiting.extend(read.inside);
        if let Some(own) = self.levels.get_mut(level) {
            own.from_items = read.from_items;
            own.joins = read.joins;
        }
        if let Some(with) = select.with_clause() {
            let place = here(QueryClause::From);
            let queries = with.ctes().iter().map(|table| (table.ctequery(), place));
            self.waiting.extend(queries);
        }
        self.waiting
            .extend(sides.map(|side| (side, here(QueryClause::From))));
        self.clauses(select, here);
        Some(())
    }

    fn clauses(
        &mut self,
        select: &'a nodes::SelectStmt,
        here: impl Fn(QueryClause) -> NodePosition,
    ) {
        for target in select.target_list() {
            self.waiting
                .push((target.val(), here(QueryClause::Targets)));
        }
        let mut add = |node: Node<'a>, clause| self.waiting.push((node, here(clause)));
        add(select.where_clause(), QueryClause::Where);
        add(select.having_clause(), QueryClause::Having);
        let mut keys: Vec<Node<'a>> = select.group_clause().iter().collect();
        while let Some(key) = keys.pop() {
            match key {
                Node::GroupingSet(set) => keys.extend(set.content()),
                Node::NodeList(list) => keys.extend(list),
                Node::RowExpr(row) => keys.extend(row.args()),
                key => add(key, QueryClause::GroupKey),
            }
        }
        for key in select.distinct_clause() {
            add(key, QueryClause::ResultKey);
        }
        for key in select.sort_clause() {
            add(key.node(), QueryClause::ResultKey);
        }
        for window in select.window_clause() {
            add(window, QueryClause::Window);
        }
        for values in select.values_lists() {
            add(values, QueryClause::Targets);
        }
        add(select.limit_offset(), QueryClause::Limit);
        add(select.limit_count(), QueryClause::Limit);
    }
}
