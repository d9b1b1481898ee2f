//! XMLTABLE and JSON_TABLE: the columns that they make of a document.
//!
//! <https://www.postgresql.org/docs/current/functions-json.html#FUNCTIONS-SQLJSON-TABLE>

use super::alias;
use crate::{
    Analysis, ColumnVisibility, InferredType, Scope, ScopeColumn, ScopeItem, SqlName, TooDeep,
};
use catalog::type_oid;
use sql::tree::{JsonTableColumnType, Node, nodes};

impl<'a> Analysis<'a> {
    /// What XMLTABLE brings into scope.
    pub(crate) fn xml_in_from(
        &mut self,
        range: &'a nodes::RangeTableFunc,
        scope: &Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        self.expression_as(range.rowexpr(), type_oid::TEXT, scope)?;
        self.expression_as(range.docexpr(), type_oid::XML, scope)?;
        for space in range.namespaces() {
            match space {
                Node::ResTarget(target) => {
                    self.expression_as(target.val(), type_oid::TEXT, scope)?
                }
                other => self.anything(other, scope)?,
            }
        }
        let mut columns = Vec::new();
        for column in range.columns() {
            let inferred = match column.type_name() {
                Some(name) if !column.for_ordinality => self.type_name(name),
                _ => self.built_in(type_oid::INT4),
            };
            if !matches!(column.colexpr(), Node::None) {
                self.expression_as(column.colexpr(), type_oid::TEXT, scope)?;
            }
            self.default_value(column.coldefexpr(), &inferred, scope)?;
            let name = SqlName::from(column.colname().unwrap_or_default());
            columns.push(ScopeColumn::computed(name, inferred));
        }
        Ok(document(range.alias(), "xmltable", columns))
    }

    /// What JSON_TABLE brings into scope.
    pub(crate) fn json_in_from(
        &mut self,
        table: &'a nodes::JsonTable,
        scope: &Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        if let Some(item) = table.context_item() {
            self.expression(Node::JsonValueExpr(item), scope)?;
        }
        self.path(table.pathspec(), scope)?;
        for argument in table.passing() {
            match argument {
                Node::JsonArgument(argument) => {
                    if let Some(value) = argument.val() {
                        self.expression(Node::JsonValueExpr(value), scope)?;
                    }
                }
                other => self.anything(other, scope)?,
            }
        }
        self.behavior(table.on_error(), None, scope)?;
        let mut columns = Vec::new();
        let mut level = table.columns().iter().map(Node::JsonTableColumn);
        self.json_columns(&mut level, scope, &mut columns)?;
        Ok(document(table.alias(), "json_table", columns))
    }

    /// The columns of one level, and after them those of the levels that are nested in it.
    fn json_columns(
        &mut self,
        level: &mut dyn Iterator<Item = Node<'a>>,
        scope: &Scope<'_, 'a>,
        columns: &mut Vec<ScopeColumn<'a>>,
    ) -> Result<(), TooDeep> {
        let mut nested = Vec::new();
        for column in level {
            match column {
                Node::JsonTableColumn(column)
                    if column.coltype == JsonTableColumnType::JTC_NESTED =>
                {
                    nested.push(column);
                }
                Node::JsonTableColumn(column) => self.json_column(column, scope, columns)?,
                other => self.anything(other, scope)?,
            }
        }
        for column in nested {
            self.path(column.pathspec(), scope)?;
            self.deeper(|inside| {
                inside.json_columns(&mut column.columns().iter(), scope, columns)
            })?;
        }
        Ok(())
    }

    fn json_column(
        &mut self,
        column: &'a nodes::JsonTableColumn,
        scope: &Scope<'_, 'a>,
        columns: &mut Vec<ScopeColumn<'a>>,
    ) -> Result<(), TooDeep> {
        self.path(column.pathspec(), scope)?;
        let inferred = match column.type_name() {
            Some(name) if column.coltype != JsonTableColumnType::JTC_FOR_ORDINALITY => {
                self.type_name(name)
            }
            _ => self.built_in(type_oid::INT4),
        };
        if let (JsonTableColumnType::JTC_EXISTS, InferredType::Known(target)) =
            (column.coltype, &inferred)
        {
            let exists = self.built_in(type_oid::BOOL);
            self.cast_to(&exists, *target, true, column.location);
        }
        self.behavior(column.on_empty(), Some(&inferred), scope)?;
        self.behavior(column.on_error(), Some(&inferred), scope)?;
        let name = SqlName::from(column.name().unwrap_or_default());
        columns.push(ScopeColumn::computed(name, inferred));
        Ok(())
    }

    fn path(
        &mut self,
        path: Option<&'a nodes::JsonTablePathSpec>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        match path.map(nodes::JsonTablePathSpec::string) {
            None | Some(Node::None) => Ok(()),
            Some(string) => self.expression(string, scope).map(drop),
        }
    }

    /// DEFAULT … ON EMPTY and the like.
    fn behavior(
        &mut self,
        behavior: Option<&'a nodes::JsonBehavior>,
        target: Option<&InferredType>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let Some(behavior) = behavior else {
            return Ok(());
        };
        let value = behavior.expr();
        if !matches!(value, Node::None) {
            let inferred = self.expression(value, scope)?;
            if let Some(InferredType::Known(target)) = target {
                self.cast_to(&inferred, *target, true, behavior.location);
            }
        }
        Ok(())
    }

    /// DEFAULT of a column of XMLTABLE.
    fn default_value(
        &mut self,
        value: Node<'a>,
        target: &InferredType,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        if matches!(value, Node::None) {
            return Ok(());
        }
        let inferred = self.expression(value, scope)?;
        if let InferredType::Known(target) = target {
            self.coerced(&inferred, *target, crate::query::NO_PLACE);
        }
        Ok(())
    }
}

fn document<'a>(
    given: Option<&'a nodes::Alias>,
    otherwise: &'static str,
    columns: Vec<ScopeColumn<'a>>,
) -> ScopeItem<'a> {
    let (name, aliases) = alias(given);
    let item = ScopeItem {
        visibility: ColumnVisibility::Both,
        ..ScopeItem::of_columns(Some(name.unwrap_or(otherwise.into())), columns.into())
    };
    item.renamed(&aliases)
}
