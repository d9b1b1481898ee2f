//! The queries of a statement: what stands in the FROM of each, how it is joined, and what every
//! reference to a column means there. Made from the tree beside its resolution: the resolution says
//! what a name means, the tree how rows come together.
//!
//! What is not understood in full (a join that is given an alias, what SEARCH and CYCLE add) has no
//! columns here: nothing is concluded from it.

use std::collections::HashMap;
use std::ops::Range;

use super::column_reference::{Clause, Meaning, Reference};
use super::from_clause::FromReader;
use crate::catalog::{Catalog, Mask, RelationId};
use crate::resolve::{Completeness, Resolution, ScopeColumn, ScopesOfQueries, View};
use crate::sql::tree::{self, JoinType, Node, nodes};

/// The queries of a statement.
pub(in crate::repair) struct Outline<'a> {
    /// The snapshot.
    pub catalog: &'a Catalog,
    /// What is kept from the client.
    mask: Option<&'a Mask>,
    /// Every query that has a scope of its own, outermost first.
    pub levels: Vec<Level<'a>>,
    /// Every reference to a column, stars among them.
    pub references: Vec<Reference<'a>>,
    places: HashMap<usize, usize>,
}

/// One query.
pub(in crate::repair) struct Level<'a> {
    /// Its tree.
    pub select: &'a nodes::SelectStmt,
    /// What is visible in it.
    pub view: &'a View<'a>,
    /// The query around it, and whether what stands in its FROM can be referred to.
    pub outer: Option<(usize, Reach)>,
    /// What has columns in its FROM, from the left.
    pub leaves: Vec<Leaf<'a>>,
    /// Its joins, inner ones before those around them.
    pub joins: Vec<Join<'a>>,
}

/// Whether a query sees the FROM of the query around it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::repair) enum Reach {
    /// It does.
    #[default]
    Items,
    /// It sees what is further out: it stands in that FROM itself, or in WITH.
    Beyond,
}

/// Something in FROM that has columns.
pub(in crate::repair) struct Leaf<'a> {
    /// What qualifies its columns.
    pub name: Option<&'a str>,
    /// Where it is named.
    pub at: Option<usize>,
    /// The relation that it is.
    pub relation: Option<RelationId>,
    /// Whether ONLY stands before it.
    pub only: bool,
    /// Whether a model of the policy stands for the relation.
    pub covered: bool,
    /// Its columns; none where they are hidden by the alias of a join.
    pub columns: &'a [ScopeColumn<'a>],
    /// Whether these are all.
    pub completeness: Completeness,
    /// Whether an outer join may put NULLs in the place of its rows.
    pub nullable: bool,
    /// Whether the alias of a join hides its name.
    pub hidden: bool,
}

/// A join.
pub(in crate::repair) struct Join<'a> {
    /// How rows without a partner are treated.
    pub kind: JoinType::Type,
    /// The leaves on its left side.
    pub left: Range<usize>,
    /// The leaves on its right side.
    pub right: Range<usize>,
    /// Its condition.
    pub quals: Node<'a>,
    /// The names of USING, or those that NATURAL finds.
    pub using: Vec<&'a str>,
}

/// A column of a leaf of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(in crate::repair) struct Spot {
    /// The place of the query in [`Outline::levels`].
    pub level: usize,
    /// The place in its leaves.
    pub leaf: usize,
    /// The place in the leaf's columns.
    pub column: usize,
}

impl<'a> Outline<'a> {
    /// The queries of a statement.
    pub fn of(
        statement: Node<'a>,
        resolution: &'a Resolution<'a>,
        catalog: &'a Catalog,
        mask: Option<&'a Mask>,
    ) -> Option<Self> {
        let mut reader = Reader {
            resolution,
            scopes: resolution.scopes_of_queries(),
            levels: Vec::new(),
            found: Vec::new(),
            waiting: Vec::new(),
        };
        reader.waiting.push((statement, Place::default()));
        while let Some((node, place)) = reader.waiting.pop() {
            reader.visit(node, place)?;
        }
        if let Some(mask) = mask {
            let leaves = reader.levels.iter_mut().flat_map(|level| &mut level.leaves);
            for leaf in leaves {
                leaf.covered = leaf.relation.is_some_and(|id| mask.covers(id));
            }
        }
        let mut outline = Self {
            catalog,
            mask,
            levels: reader.levels,
            references: Vec::new(),
            places: HashMap::new(),
        };
        for (node, place) in reader.found {
            let Some(level) = place.level else { continue };
            let reference = Reference::of(node, level, place.clause, place.join, &outline);
            if let Some(reference) = reference {
                outline
                    .places
                    .insert(reference.at, outline.references.len());
                outline.references.push(reference);
            }
        }
        Some(outline)
    }

    /// The reference at a place of the text.
    pub fn reference_at(&self, at: usize) -> Option<&Reference<'a>> {
        self.references.get(*self.places.get(&at)?)
    }

    /// A level.
    pub fn level(&self, place: usize) -> Option<&Level<'a>> {
        self.levels.get(place)
    }

    /// The leaf of a column.
    pub fn leaf(&self, spot: Spot) -> Option<&Leaf<'a>> {
        self.level(spot.level)?.leaves.get(spot.leaf)
    }

    /// A column.
    pub fn column(&self, spot: Spot) -> Option<&'a ScopeColumn<'a>> {
        self.leaf(spot)?.columns.get(spot.column)
    }

    /// Whether the client may hear of a column.
    pub fn shows(&self, column: &ScopeColumn<'_>) -> bool {
        match (self.mask, column.origin) {
            (Some(mask), Some((relation, number))) => !mask.hides_column(relation, number),
            _ => true,
        }
    }

    /// What a reference means, by the place of it.
    pub fn spot_at(&self, location: i32) -> Option<Spot> {
        let at = usize::try_from(location).ok()?;
        match self.reference_at(at)?.meaning {
            Meaning::Column(spot) => Some(spot),
            _ => None,
        }
    }

    /// A level and those around it that it sees, nearest first.
    pub fn seen_from(&self, level: usize) -> Vec<usize> {
        let mut seen = vec![level];
        let mut next = self.level(level).and_then(|level| level.outer);
        while let Some((outer, reach)) = next {
            if reach == Reach::Items {
                seen.push(outer);
            }
            next = self.level(outer).and_then(|level| level.outer);
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
            next = self.level(one).and_then(|one| Some(one.outer?.0));
        }
        false
    }
}

impl<'a> Level<'a> {
    /// The only leaf of a name.
    pub fn leaf_named(&self, name: &str) -> Option<usize> {
        let mut named = self
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| !leaf.hidden && leaf.name == Some(name));
        let (place, _) = named.next()?;
        named.next().is_none().then_some(place)
    }

    /// The leaves that have a column of a name which can be referred to, with the column's place.
    pub fn leaves_with(&self, name: &str) -> Vec<(usize, usize)> {
        let leaves = self
            .leaves
            .iter()
            .enumerate()
            .filter(|(_, leaf)| !leaf.hidden);
        let columns = leaves.flat_map(|(place, leaf)| {
            let columns = leaf.columns.iter().enumerate();
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

/// Where a node stands.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    pub level: Option<usize>,
    pub clause: Clause,
    pub join: Option<usize>,
    /// What a query that stands here sees of the one around it.
    pub reach: Reach,
}

/// Reads a tree.
struct Reader<'a> {
    resolution: &'a Resolution<'a>,
    scopes: ScopesOfQueries,
    levels: Vec<Level<'a>>,
    found: Vec<(&'a nodes::ColumnRef, Place)>,
    waiting: Vec<(Node<'a>, Place)>,
}

impl<'a> Reader<'a> {
    fn visit(&mut self, node: Node<'a>, place: Place) -> Option<()> {
        match node {
            Node::SelectStmt(select) => self.query(select, place)?,
            Node::ColumnRef(reference) => self.found.push((reference, place)),
            other => self.below(other, place)?,
        }
        Some(())
    }

    /// What stands below a node, in the same clause.
    fn below(&mut self, node: Node<'a>, place: Place) -> Option<()> {
        let mut children = Vec::new();
        tree::children(node, &mut children).ok()?;
        let inner = Place {
            clause: place.clause.inside(),
            reach: Reach::Items,
            ..place
        };
        let children = children.into_iter().map(|child| (child, inner));
        self.waiting.extend(children);
        Some(())
    }

    fn query(&mut self, select: &'a nodes::SelectStmt, place: Place) -> Option<()> {
        let sides = [select.larg(), select.rarg()].into_iter().flatten();
        let sides = sides.map(Node::SelectStmt);
        let Some(scope) = self.scopes.of(select) else {
            // The operand of a set operation: it has no names of its own.
            self.waiting.extend(sides.map(|side| (side, place)));
            return Some(());
        };
        let view = self.resolution.scope(scope)?;
        let level = self.levels.len();
        let outer = place.level.map(|outer| (outer, place.reach));
        self.levels.push(Level {
            select,
            view,
            outer,
            leaves: Vec::new(),
            joins: Vec::new(),
        });
        let here = |clause| Place {
            level: Some(level),
            clause,
            ..Place::default()
        };
        let mut reader = FromReader::new(view, here(Clause::From));
        for item in select.from_clause() {
            reader.item(item);
        }
        let read = reader.end();
        self.waiting.extend(read.inside);
        if let Some(own) = self.levels.get_mut(level) {
            own.leaves = read.leaves;
            own.joins = read.joins;
        }
        if let Some(with) = select.with_clause() {
            let place = Place {
                reach: Reach::Beyond,
                ..here(Clause::From)
            };
            let queries = with.ctes().iter().map(|table| (table.ctequery(), place));
            self.waiting.extend(queries);
        }
        self.waiting
            .extend(sides.map(|side| (side, here(Clause::From))));
        self.clauses(select, here);
        Some(())
    }

    fn clauses(&mut self, select: &'a nodes::SelectStmt, here: impl Fn(Clause) -> Place) {
        for target in select.target_list() {
            self.waiting.push((target.val(), here(Clause::Targets)));
        }
        let mut add = |node: Node<'a>, clause| self.waiting.push((node, here(clause)));
        add(select.where_clause(), Clause::Where);
        add(select.having_clause(), Clause::Having);
        let mut keys: Vec<Node<'a>> = select.group_clause().iter().collect();
        while let Some(key) = keys.pop() {
            match key {
                Node::GroupingSet(set) => keys.extend(set.content()),
                Node::NodeList(list) => keys.extend(list),
                Node::RowExpr(row) => keys.extend(row.args()),
                key => add(key, Clause::GroupKey),
            }
        }
        for key in select.distinct_clause() {
            add(key, Clause::ResultKey);
        }
        for key in select.sort_clause() {
            add(key.node(), Clause::ResultKey);
        }
        for window in select.window_clause() {
            add(window, Clause::Window);
        }
        for values in select.values_lists() {
            add(values, Clause::Targets);
        }
        add(select.limit_offset(), Clause::Limit);
        add(select.limit_count(), Clause::Limit);
    }
}
