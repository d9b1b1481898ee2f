//! WITH: which names mean a common table, and what its columns are.
//!
//! Without RECURSIVE a query of WITH sees those before it; with RECURSIVE it sees all, itself among
//! them, and they are analysed in the order in which they need each other.
//!
//! <https://www.postgresql.org/docs/current/queries-with.html>

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::analysis::{as_select, strings};
use crate::scope::StarCoverage;
use crate::{
    Analysis, ColumnCompleteness, QueryOutput, Scope, ScopeColumn, SqlName, TooDeep, UsedObject,
};
use catalog::type_oid;
use sql::tree::{self, Node, nodes};

/// A query of WITH, as those see it that read it.
#[derive(Clone, Debug)]
pub(crate) struct CommonTable<'a> {
    pub name: SqlName<'a>,
    pub content: CommonTableContent<'a>,
}

/// What is known of a common table.
#[derive(Clone, Debug)]
pub(crate) enum CommonTableContent<'a> {
    /// Its columns.
    Known(Arc<[ScopeColumn<'a>]>, ColumnCompleteness),
    /// It must not be read here: in its own first half, or by what it needs itself.
    Pending,
}

/// A common table that reads itself, while its query is analysed.
#[derive(Clone)]
pub(crate) struct RecursiveTable<'a> {
    table: &'a nodes::CommonTableExpr,
    added: Vec<ScopeColumn<'a>>,
}

impl<'a> Analysis<'a> {
    /// Analyses the queries of a WITH; `scope` is that of the query that has it.
    pub(crate) fn with_clause(
        &mut self,
        with: Option<&'a nodes::WithClause>,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let Some(with) = with else { return Ok(()) };
        let tables: Vec<_> = with.ctes().iter().collect();
        if !with.recursive {
            for table in tables {
                let known = self.common_table(table, scope, SelfReference::NotRead)?;
                scope.tables.push(known);
            }
            return Ok(());
        }
        for table in &tables {
            scope.tables.push(CommonTable {
                name: name_of(table).into(),
                content: CommonTableContent::Pending,
            });
        }
        let needs = self.needs(&tables)?;
        for place in in_order(&needs) {
            let (Some(table), Some(need)) = (tables.get(place).copied(), needs.get(place)) else {
                continue;
            };
            let reads_itself = match need.contains(&place) {
                true => SelfReference::Read,
                false => SelfReference::NotRead,
            };
            let known = self.common_table(table, scope, reads_itself)?;
            if let Some(awaited) = scope.tables.get_mut(place) {
                *awaited = known;
            }
        }
        Ok(())
    }

    /// The common table of a name, and how many queries further out its WITH stands.
    pub(crate) fn table_of_with<'s>(
        &mut self,
        name: &str,
        scope: &'s Scope<'_, 'a>,
    ) -> Result<Option<(&'s CommonTable<'a>, usize)>, TooDeep> {
        for (level, one) in scope.chain().enumerate() {
            self.charge_work(one.tables.len())?;
            if let Some(table) = one.tables.iter().find(|table| table.name.as_str() == name) {
                return Ok(Some((table, level)));
            }
        }
        Ok(None)
    }

    /// Lets the second half of a recursive query read what the first half makes.
    pub(crate) fn publish(
        &mut self,
        recursion: &RecursiveTable<'a>,
        first_half: &QueryOutput<'a>,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let known = self.known(recursion.table, first_half, &recursion.added)?;
        scope.tables.push(known);
        Ok(())
    }

    fn common_table(
        &mut self,
        table: &'a nodes::CommonTableExpr,
        scope: &Scope<'_, 'a>,
        itself: SelfReference,
    ) -> Result<CommonTable<'a>, TooDeep> {
        let added = self.added_columns(table, scope)?;
        let recursion = RecursiveTable { table, added };
        let shape = match as_select(table.ctequery()) {
            Some(select) => match itself {
                SelfReference::Read => self.recursive_query(select, scope, &recursion)?,
                SelfReference::NotRead => self.query(select, Some(scope))?,
            },
            None => {
                // A statement that writes: it is refused elsewhere.
                self.anything(table.ctequery(), scope)?;
                QueryOutput::open()
            }
        };
        if table.search_clause().is_some() || table.cycle_clause().is_some() {
            for column in &shape.columns {
                let inferred = column.inferred.clone();
                self.note_at(table.location, UsedObject::Compared { inferred });
            }
        }
        self.known(table, &shape, &recursion.added)
    }

    /// A common table with the columns of its query, as they are called outside.
    fn known(
        &mut self,
        table: &'a nodes::CommonTableExpr,
        shape: &QueryOutput<'a>,
        added: &[ScopeColumn<'a>],
    ) -> Result<CommonTable<'a>, TooDeep> {
        let aliases = strings(table.aliascolnames());
        let mut columns = self.columns_of_shape(shape, &aliases)?;
        columns.extend_from_slice(added);
        Ok(CommonTable {
            name: name_of(table).into(),
            content: CommonTableContent::Known(columns.into(), shape.completeness),
        })
    }

    /// The columns that SEARCH and CYCLE add.
    fn added_columns(
        &mut self,
        table: &'a nodes::CommonTableExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<Vec<ScopeColumn<'a>>, TooDeep> {
        let mut added = Vec::new();
        let mut add = |name: Option<&'a str>, inferred| {
            let name = name.unwrap_or_default().into();
            added.push(ScopeColumn {
                star: StarCoverage::Excluded,
                ..ScopeColumn::computed(name, inferred)
            });
        };
        if let Some(search) = table.search_clause() {
            let made = match search.search_breadth_first {
                true => type_oid::RECORD,
                false => type_oid::RECORD_ARRAY,
            };
            add(search.search_seq_column(), self.built_in(made));
        }
        if let Some(cycle) = table.cycle_clause() {
            let value = self.expression(cycle.cycle_mark_value(), scope)?;
            let other = self.expression(cycle.cycle_mark_default(), scope)?;
            let shared = self.common_type(&[value, other], cycle.location);
            let mark = self.text_if_untyped(shared, cycle.location);
            let inferred = mark.clone();
            self.note_at(cycle.location, UsedObject::Compared { inferred });
            add(cycle.cycle_mark_column(), mark);
            add(
                cycle.cycle_path_column(),
                self.built_in(type_oid::RECORD_ARRAY),
            );
        }
        Ok(added)
    }

    /// Which common tables of a WITH RECURSIVE each one reads, by place.
    fn needs(
        &mut self,
        tables: &[&'a nodes::CommonTableExpr],
    ) -> Result<Vec<HashSet<usize>>, TooDeep> {
        let named = tables.iter().enumerate();
        let places: HashMap<&str, usize> = named
            .map(|(place, table)| (name_of(table), place))
            .collect();
        let mut needs = Vec::with_capacity(tables.len());
        for table in tables {
            let read = self.tables_read(table.ctequery())?;
            let read = read.iter().filter_map(|name| places.get(name).copied());
            needs.push(read.collect());
        }
        Ok(needs)
    }

    /// The unqualified names of relations under a node that no WITH under it takes.
    fn tables_read(&mut self, node: Node<'a>) -> Result<HashSet<&'a str>, TooDeep> {
        let mut read = HashSet::new();
        let mut taken: Vec<Vec<&'a str>> = vec![Vec::new()];
        let mut waiting = vec![(node, 0)];
        let mut found = Vec::new();
        while let Some((node, level)) = waiting.pop() {
            self.charge_work(1)?;
            let mut own = taken.get(level).cloned().unwrap_or_default();
            match node {
                Node::RangeVar(table) if table.schemaname().is_none() => {
                    let name = table.relname().unwrap_or_default();
                    if !own.contains(&name) {
                        read.insert(name);
                    }
                }
                Node::SelectStmt(select) => {
                    if let Some(with) = select.with_clause() {
                        self.charge_work(with.ctes().len().saturating_add(own.len()))?;
                        for table in with.ctes() {
                            // What an earlier one of the same WITH hides is hidden from a later
                            // one; the table itself reads past it.
                            if !with.recursive {
                                taken.push(own.clone());
                                waiting.push((table.ctequery(), taken.len() - 1));
                            }
                            own.push(name_of(table));
                        }
                        taken.push(own);
                        let inside = taken.len() - 1;
                        if with.recursive {
                            let queries = with.ctes().iter().map(|table| table.ctequery());
                            waiting.extend(queries.map(|query| (query, inside)));
                        }
                        body(select, &mut found);
                        waiting.extend(found.drain(..).map(|child| (child, inside)));
                        continue;
                    }
                }
                _ => {}
            }
            if tree::children(node, &mut found).is_err() {
                self.note_at(UNKNOWN_PLACE, UsedObject::Unclear);
            }
            waiting.extend(found.drain(..).map(|child| (child, level)));
        }
        Ok(read)
    }
}

/// Whether a common table reads itself.
#[derive(Clone, Copy)]
enum SelfReference {
    Read,
    NotRead,
}

/// The children of a SELECT without its WITH.
fn body<'a>(select: &'a nodes::SelectStmt, into: &mut Vec<Node<'a>>) {
    // A SELECT is known in every field.
    let _known = tree::children(Node::SelectStmt(select), into);
    into.retain(|child| !matches!(child, Node::WithClause(_)));
}

/// The places of all, those first that others need. What needs each other in a circle is an error
/// of the statement, and comes last.
fn in_order(needs: &[HashSet<usize>]) -> Vec<usize> {
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); needs.len()];
    let mut open: Vec<usize> = Vec::with_capacity(needs.len());
    for (place, need) in needs.iter().enumerate() {
        let others = need.iter().filter(|other| **other != place);
        open.push(others.clone().count());
        for other in others {
            if let Some(list) = needed_by.get_mut(*other) {
                list.push(place);
            }
        }
    }
    let mut ready: Vec<usize> = (0..needs.len()).rev().collect();
    ready.retain(|place| open.get(*place) == Some(&0));
    let mut order = Vec::with_capacity(needs.len());
    while let Some(place) = ready.pop() {
        order.push(place);
        for next in needed_by.get(place).into_iter().flatten() {
            if let Some(count) = open.get_mut(*next) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    ready.push(*next);
                }
            }
        }
    }
    let circle = (0..needs.len()).filter(|place| open.get(*place).is_some_and(|count| *count > 0));
    order.extend(circle);
    order
}

fn name_of(table: &nodes::CommonTableExpr) -> &str {
    table.ctename().unwrap_or_default()
}

/// Where the tree does not say.
const UNKNOWN_PLACE: i32 = -1;
