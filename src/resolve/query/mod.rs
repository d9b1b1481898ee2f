//! SELECT, VALUES and set operations.
//!
//! <https://www.postgresql.org/docs/current/sql-select.html>

pub mod clauses;
pub mod output;
pub mod output_name;
pub mod set_operation;
pub mod with;

use super::query::with::RecursiveTable;
use super::scope::ScopeReach;
use super::{
    Analysis, ColumnCompleteness, InferredType, QueryOutput, ResultColumn, Scope, ScopeColumn,
    ScopeItem, SqlName,
};
use super::{TooDeep, UsedObject};
use catalog::{Oid, type_oid};
use sql::tree::{Node, SetOperation, list::NodeList, nodes};

impl<'a> Analysis<'a> {
    /// What a query names and returns. `outer` is the scope of the expression or of the FROM that
    /// it stands in.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn query(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: Option<&Scope<'_, 'a>>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut shape = self.operand(select, outer)?;
        self.resolve_untyped_columns(&mut shape);
        Ok(shape)
    }

    /// The query of a common table that reads itself.
    pub(crate) fn recursive_query(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: &Scope<'_, 'a>,
        recursion: &RecursiveTable<'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut shape = self.deeper(|inside| {
            inside.query_in(select, Some(outer), |inside, scope| {
                if select.op == SetOperation::SETOP_NONE {
                    return inside.one_query(select, scope);
                }
                inside.recursive_union(select, scope, recursion)
            })
        })?;
        self.resolve_untyped_columns(&mut shape);
        Ok(shape)
    }

    /// What a query names and returns, literals left without a type: as an operand of UNION.
    pub(crate) fn operand(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: Option<&Scope<'_, 'a>>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        self.deeper(|inside| {
            inside.query_in(select, outer, |inside, scope| {
                inside.one_query(select, scope)
            })
        })
    }

    /// The type of a column that stays in a result: what has no type is text there.
    pub(crate) fn text_if_untyped(&mut self, inferred: InferredType, at: i32) -> InferredType {
        match inferred {
            InferredType::Literal | InferredType::Parameter(_) => {
                let text = self.built_in(type_oid::TEXT);
                if let InferredType::Known(target) = text {
                    self.coerced(&inferred, target, at);
                }
                text
            }
            InferredType::Known(_) | InferredType::Row(_) | InferredType::Unclear => inferred,
        }
    }

    fn resolve_untyped_columns(&mut self, shape: &mut QueryOutput<'a>) {
        for column in &mut shape.columns {
            let inferred = std::mem::replace(&mut column.inferred, InferredType::Unclear);
            column.inferred = self.text_if_untyped(inferred, NO_PLACE);
        }
    }

    /// Does what is done for every query: its WITH, and its scope.
    fn query_in(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: Option<&Scope<'_, 'a>>,
        inside: impl FnOnce(&mut Self, &mut Scope<'_, 'a>) -> Result<QueryOutput<'a>, TooDeep>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let entered = self.enter(select, outer);
        let mut scope = Scope {
            outer,
            id: Some(entered.id),
            ..Scope::default()
        };
        self.with_clause(select.with_clause(), &mut scope)?;
        let shape = inside(self, &mut scope)?;
        self.leave(entered, scope);
        if let Some(first) = shape.columns.first() {
            self.remember_first_name(select, first.name.clone());
        }
        Ok(shape)
    }

    fn one_query(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        if select.op != SetOperation::SETOP_NONE {
            self.set_operation(select, scope)
        } else if !select.values_lists().is_empty() {
            self.values(select, scope)
        } else {
            self.plain_select(select, scope)
        }
    }

    fn plain_select(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        self.read_from(select.from_clause(), scope)?;
        let shape = self.targets(select, scope)?;
        self.condition(select.where_clause(), scope)?;
        self.condition(select.having_clause(), scope)?;
        self.group_clause(select.group_clause(), &shape, scope)?;
        self.distinct_clause(select.distinct_clause(), &shape, scope)?;
        for window in select.window_clause() {
            match window {
                Node::WindowDef(window) => self.window(window, scope)?,
                other => self.anything(other, scope)?,
            }
        }
        self.sort_and_limit(select, &shape, scope)?;
        Ok(shape)
    }

    /// VALUES: the columns are called column1, column2, …, and have the type that all rows share.
    fn values(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut columns: Vec<Vec<InferredType>> = Vec::new();
        let mut completeness = ColumnCompleteness::Complete;
        for row in select.values_lists() {
            let Node::NodeList(row) = row else {
                self.anything(row, scope)?;
                continue;
            };
            let (values, own) = self.expression_list(row, scope)?;
            completeness = completeness.and(own);
            for (place, value) in values.into_iter().enumerate() {
                match columns.get_mut(place) {
                    // Most rows have the same types: each is kept once.
                    Some(seen) if seen.contains(&value) => {}
                    Some(seen) => {
                        self.charge_work(seen.len())?;
                        seen.push(value);
                    }
                    None => columns.push(vec![value]),
                }
            }
        }
        let mut outputs = Vec::with_capacity(columns.len());
        for (place, seen) in columns.iter().enumerate() {
            let shared = self.common_type(seen, NO_PLACE);
            let name = SqlName::from(format!("column{}", place.saturating_add(1)));
            outputs.push(ResultColumn::computed(
                name,
                self.text_if_untyped(shared, NO_PLACE),
            ));
        }
        let shape = QueryOutput {
            columns: outputs,
            completeness,
        };
        let columns = self.columns_of_shape(&shape, &[])?;
        let item = ScopeItem::of_columns(Some(VALUES_NAME.into()), columns.into());
        scope.items.push(ScopeItem {
            completeness,
            ..item
        });
        self.sort_and_limit(select, &shape, scope)?;
        Ok(shape)
    }

    /// The values of a list of expressions, stars among them expanded: a row of VALUES, or the
    /// fields of ROW.
    pub(crate) fn expression_list(
        &mut self,
        nodes: &'a NodeList,
        scope: &Scope<'_, 'a>,
    ) -> Result<(Vec<InferredType>, ColumnCompleteness), TooDeep> {
        let mut values = Vec::with_capacity(nodes.len());
        let mut completeness = ColumnCompleteness::Complete;
        for node in nodes {
            match self.star(node, scope)? {
                None => values.push(self.expression(node, scope)?),
                Some(shape) => {
                    completeness = completeness.and(shape.completeness);
                    values.extend(shape.columns.into_iter().map(|column| column.inferred));
                }
            }
        }
        Ok((values, completeness))
    }

    /// What LIMIT and the like stand for, and what the rows are sorted by.
    pub(crate) fn sort_and_limit(
        &mut self,
        select: &'a nodes::SelectStmt,
        shape: &QueryOutput<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        self.sort_clause(select.sort_clause(), shape, scope)?;
        for count in [select.limit_offset(), select.limit_count()] {
            if !matches!(count, Node::None) {
                self.expression_as(count, type_oid::INT8, scope)?;
            }
        }
        Ok(())
    }

    /// WHERE, HAVING, ON.
    pub(crate) fn condition(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        if matches!(node, Node::None) {
            return Ok(());
        }
        let inferred = self.expression(node, scope)?;
        self.coerced_to(&inferred, type_oid::BOOL, NO_PLACE);
        Ok(())
    }

    /// An expression in a place that asks for a type.
    pub(crate) fn expression_as(
        &mut self,
        node: Node<'a>,
        target: Oid,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let inferred = self.expression(node, scope)?;
        match self.catalog.index().type_of_oid(target) {
            Some(target) => self.coerced(&inferred, target, NO_PLACE),
            None => self.note_at(NO_PLACE, UsedObject::Unclear),
        }
        Ok(())
    }

    /// The columns of a query under the names that are given to them from outside; those without
    /// one keep their own.
    pub(crate) fn columns_of_shape(
        &mut self,
        shape: &QueryOutput<'a>,
        aliases: &[&'a str],
    ) -> Result<Vec<ScopeColumn<'a>>, TooDeep> {
        self.charge_work(shape.columns.len().saturating_mul(COPY_COST))?;
        let mut aliases = aliases.iter();
        let columns = shape.columns.iter().map(|column| {
            let own = || column.name.clone();
            let name = aliases
                .next()
                .map_or_else(own, |alias| SqlName::from(*alias));
            ScopeColumn {
                origin: column.origin,
                ..ScopeColumn::computed(name, column.inferred.clone())
            }
        });
        Ok(columns.collect())
    }
}

impl<'s, 'a> Scope<'s, 'a> {
    /// The scope as what stands in FROM without LATERAL sees it.
    pub(crate) fn without_items(&mut self) -> &Self {
        self.reach = ScopeReach::OuterOnly;
        self
    }

    /// The scope as LATERAL, functions in FROM and conditions of joins see it.
    pub(crate) fn with_items(&mut self) -> &Self {
        self.reach = ScopeReach::ItemsSoFar;
        self
    }
}

impl ColumnCompleteness {
    /// Whether two things together are complete.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Complete, Self::Complete) => Self::Complete,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
        }
    }
}

/// Where the tree does not say.
pub(crate) const NO_PLACE: i32 = -1;

/// A column copied costs as much as so many looked at.
pub(crate) const COPY_COST: usize = 20;

/// What a VALUES can be called in its own ORDER BY.
const VALUES_NAME: &str = "*VALUES*";
