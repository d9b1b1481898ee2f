//! FROM: what it brings into scope, item by item, from the left.
//!
//! The files: `relation` (tables, views, common tables, samples), `join`,
//! `function`, `xml_json_table` (XMLTABLE and JSON_TABLE).
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-FROM>

pub mod function;
pub mod join;
pub mod relation;
pub mod xml_json_table;

use super::analysis::{as_select, strings};
use super::scope::ScopeReach;
use super::{
    Analysis, ColumnCompleteness, QueryOutput, Scope, ScopeColumn, ScopeItem, SqlName, TooDeep,
};
use sql::tree::list::NodeList;
use sql::tree::{Node, nodes};

impl<'a> Analysis<'a> {
    /// Reads a FROM into its query's scope.
    pub(crate) fn read_from(
        &mut self,
        from: &'a NodeList,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        for node in from {
            let mut items = self.item_of_from(node, scope)?;
            scope.items.append(&mut items);
        }
        scope.reach = ScopeReach::AllItems;
        Ok(())
    }

    /// What one item of FROM brings. What is in `scope` already stands to its left.
    pub(crate) fn item_of_from(
        &mut self,
        node: Node<'a>,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<Vec<ScopeItem<'a>>, TooDeep> {
        let item = match node {
            Node::RangeVar(table) => self.relation_in_from(table, scope.without_items())?,
            Node::RangeSubselect(range) => self.subselect_in_from(range, scope)?,
            Node::RangeFunction(range) => self.function_in_from(range, scope.with_items())?,
            Node::RangeTableSample(sample) => self.sample_in_from(sample, scope.without_items())?,
            Node::RangeTableFunc(range) => self.xml_in_from(range, scope.with_items())?,
            Node::JsonTable(table) => self.json_in_from(table, scope.with_items())?,
            Node::JoinExpr(join) => {
                return self.deeper(|inside| inside.join_in_from(join, scope));
            }
            other => {
                self.anything(other, scope.with_items())?;
                ScopeItem::unknown(None)
            }
        };
        Ok(vec![item])
    }

    fn subselect_in_from(
        &mut self,
        range: &'a nodes::RangeSubselect,
        scope: &mut Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let scope = match range.lateral {
            true => scope.with_items(),
            false => scope.without_items(),
        };
        let shape = match as_select(range.subquery()) {
            Some(select) => self.query(select, Some(scope))?,
            None => {
                self.anything(range.subquery(), scope)?;
                QueryOutput::open()
            }
        };
        let (name, aliases) = alias(range.alias());
        let columns = self.columns_of_shape(&shape, &aliases)?;
        Ok(ScopeItem {
            completeness: shape.completeness,
            ..ScopeItem::of_columns(name, columns.into())
        })
    }
}

/// The name of an alias, and those of its columns.
pub(crate) fn alias(alias: Option<&nodes::Alias>) -> (Option<SqlName<'_>>, Vec<&str>) {
    match alias {
        None => (None, Vec::new()),
        Some(alias) => (
            alias.aliasname().map(SqlName::from),
            strings(alias.colnames()),
        ),
    }
}

impl<'a> ScopeItem<'a> {
    /// Gives other names to the first columns.
    pub(crate) fn renamed(mut self, aliases: &[&'a str]) -> Self {
        use super::scope::RowType;
        if aliases.is_empty() {
            return self;
        }
        let mut columns: Vec<ScopeColumn<'a>> = self.columns.to_vec();
        for (column, alias) in columns.iter_mut().zip(aliases) {
            column.name = (*alias).into();
        }
        if self.completeness == ColumnCompleteness::Open {
            // Which columns are renamed is not known: any of the names may be one.
            let extra = aliases.iter().skip(columns.len());
            let extra = extra
                .map(|name| ScopeColumn::computed((*name).into(), super::InferredType::Unclear));
            columns.extend(extra);
        }
        if matches!(self.row, RowType::Composite(_)) {
            // Fields of the row go by the new names here and by the old ones elsewhere.
            self.row = RowType::Unclear;
        }
        self.columns = columns.into();
        self
    }
}
