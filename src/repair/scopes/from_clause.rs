//! What stands in the FROM of a query, and how it is joined.

use std::collections::HashMap;
use std::ops::Range;

use super::column_reference::QueryClause;
use super::from_item::{FromItem, FromJoin, NodePosition};
use resolve::{ColumnCompleteness, ColumnVisibility, ScopeItem, ScopeView};
use sql::tree::{JoinType, Node, nodes};

/// Reads a FROM, item by item.
pub(super) struct FromReader<'a> {
    /// What the view knows of each name; nothing of one that it has twice.
    items: HashMap<&'a str, Option<&'a ScopeItem<'a>>>,
    place: NodePosition,
    read: FromContents<'a>,
}

/// What was read.
#[derive(Default)]
pub(super) struct FromContents<'a> {
    pub from_items: Vec<FromItem<'a>>,
    pub joins: Vec<FromJoin<'a>>,
    /// What stands there: queries, conditions, arguments.
    pub inside: Vec<(Node<'a>, NodePosition)>,
}

impl<'a> FromReader<'a> {
    pub fn new(view: &'a ScopeView<'a>, place: NodePosition) -> Self {
        let mut items = HashMap::new();
        for item in &view.items {
            if let (Some(name), ColumnVisibility::Both | ColumnVisibility::Qualified) =
                (&item.name, item.visibility)
            {
                let known = items.entry(name.as_str());
                known.and_modify(|one| *one = None).or_insert(Some(item));
            }
        }
        Self {
            items,
            place,
            read: FromContents::default(),
        }
    }

    /// Reads an item of the list. Joins nest as deep as the text; chains to either side are a loop.
    pub fn item(&mut self, node: Node<'a>) {
        let mut steps = vec![FromStep::Item(node)];
        let mut done: Vec<Range<usize>> = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                FromStep::Item(Node::JoinExpr(join)) => {
                    steps.push(FromStep::Join(join));
                    steps.push(FromStep::Item(join.rarg()));
                    steps.push(FromStep::Item(join.larg()));
                }
                FromStep::Item(other) => {
                    let at = self.read.from_items.len();
                    self.leaf(other);
                    done.push(at..self.read.from_items.len());
                }
                FromStep::Join(join) => {
                    let right = done.pop().unwrap_or_default();
                    let left = done.pop().unwrap_or_default();
                    done.push(left.start..right.end);
                    self.join(join, left, right);
                }
            }
        }
    }

    pub fn into_contents(self) -> FromContents<'a> {
        self.read
    }

    fn leaf(&mut self, node: Node<'a>) {
        let place = self.place;
        let (name, at, only) = match node {
            Node::RangeVar(table) => (
                name_of(table.alias()).or(table.relname()),
                usize::try_from(table.location).ok(),
                !table.inh,
            ),
            Node::RangeSubselect(range) => {
                self.read.inside.push((range.subquery(), place));
                (name_of(range.alias()), None, false)
            }
            other => {
                self.read.inside.push((other, place));
                let alias = match other {
                    Node::RangeFunction(range) => range.alias(),
                    Node::RangeTableFunc(range) => range.alias(),
                    Node::RangeTableSample(sample) => match sample.relation() {
                        Node::RangeVar(table) if table.alias().is_none() => {
                            let from_item = self.named(table.relname(), None, false);
                            self.read.from_items.push(from_item);
                            return;
                        }
                        Node::RangeVar(table) => table.alias(),
                        _ => None,
                    },
                    _ => None,
                };
                (name_of(alias), None, false)
            }
        };
        let from_item = self.named(name, at, only);
        self.read.from_items.push(from_item);
    }

    /// What the view knows of a name.
    fn named(&self, name: Option<&'a str>, at: Option<usize>, only: bool) -> FromItem<'a> {
        let item = name.and_then(|name| self.items.get(name).copied().flatten());
        FromItem {
            name,
            at,
            relation: item.and_then(|item| item.relation),
            only,
            covered: false,
            columns: item.map_or(&[], |item| &*item.columns),
            completeness: item.map_or(ColumnCompleteness::Open, |item| item.completeness),
            nullable: false,
            hidden: false,
        }
    }

    fn join(&mut self, join: &'a nodes::JoinExpr, left: Range<usize>, right: Range<usize>) {
        let nullable = match join.jointype {
            JoinType::JOIN_LEFT => right.clone(),
            JoinType::JOIN_RIGHT => left.clone(),
            JoinType::JOIN_FULL => left.start..right.end,
            _ => 0..0,
        };
        for from_item in self.read.from_items.get_mut(nullable).unwrap_or_default() {
            from_item.nullable = true;
        }
        let using = match join.is_natural {
            true => self.shared(&left, &right),
            false => {
                let names = join.using_clause().iter();
                names.filter_map(|name| name.sval()).collect()
            }
        };
        if join.alias().is_some() {
            let inside = left.start..right.end;
            for from_item in self.read.from_items.get_mut(inside).unwrap_or_default() {
                from_item.hidden = true;
                from_item.columns = &[];
                from_item.completeness = ColumnCompleteness::Open;
            }
        }
        let place = NodePosition {
            clause: QueryClause::From,
            join: Some(self.read.joins.len()),
            ..self.place
        };
        self.read.inside.push((join.quals(), place));
        self.read.joins.push(FromJoin {
            kind: join.jointype,
            left,
            right,
            quals: join.quals(),
            using,
        });
    }

    /// The names that both sides have.
    fn shared(&self, left: &Range<usize>, right: &Range<usize>) -> Vec<&'a str> {
        let columns = |side: &Range<usize>| -> Vec<&'a str> {
            let from_items = self.read.from_items.get(side.clone()).unwrap_or_default();
            let columns = from_items.iter().flat_map(|from_item| from_item.columns);
            columns.map(|column| column.name.as_str()).collect()
        };
        let on_the_right: std::collections::HashSet<&str> = columns(right).into_iter().collect();
        let mut shared = columns(left);
        shared.retain(|name| on_the_right.contains(name));
        shared
    }
}

enum FromStep<'a> {
    Item(Node<'a>),
    Join(&'a nodes::JoinExpr),
}

fn name_of(alias: Option<&nodes::Alias>) -> Option<&str> {
    alias.and_then(nodes::Alias::aliasname)
}
