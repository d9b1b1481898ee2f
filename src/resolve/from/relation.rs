//! Tables, views and common tables in FROM, and samples of tables.

use std::sync::Arc;

use super::alias;
use crate::missing_name::MissingObject;
use crate::query::COPY_COST;
use crate::query::with::CommonTableContent;
use crate::scope::{RowType, StarCoverage, SystemColumns};
use crate::{Analysis, CallForm, Scope, ScopeColumn, ScopeItem, SqlName, TooDeep, UsedObject};
use catalog::{FunctionId, RelationId, RelationKind, SchemaId, type_oid};
use sql::tree::{Node, nodes};

impl<'a> Analysis<'a> {
    /// A name in FROM: a common table if it is alone and there is one, else a relation.
    pub(crate) fn relation_in_from(
        &mut self,
        table: &'a nodes::RangeVar,
        scope: &Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let own = table.relname().unwrap_or_default();
        let (name, aliases) = alias(table.alias());
        let unaliased = name.is_none();
        let name = name.unwrap_or(own.into());
        if table.schemaname().is_none()
            && let Some((found, level)) = self.table_of_with(own, scope)?
        {
            let content = found.content.clone();
            self.note_at(table.location, UsedObject::CommonTable { name: own.into() });
            let item = self.of_common_table(name, content, level)?;
            return Ok(item.renamed(&aliases));
        }
        let id = match table.schemaname() {
            Some(schema) => self.relation_in(schema, own),
            None => self.relation_named(own),
        };
        let Some(id) = id else {
            let schema = table.schemaname().map(SqlName::from);
            if table.catalogname().is_none() {
                self.note_missing(table.location, || MissingObject::Relation {
                    schema: schema.clone(),
                    name: own.into(),
                });
            }
            let missing = UsedObject::MissingRelation {
                schema,
                name: own.into(),
            };
            self.note_at(table.location, missing);
            return Ok(ScopeItem::unknown(Some(name)).renamed(&aliases));
        };
        let only = !table.inh;
        self.note_at(table.location, UsedObject::Relation { id, only });
        if !aliases.is_empty() {
            self.charge_work(aliases.len().saturating_mul(COPY_COST))?;
        }
        let item = self.of_relation(name, id, unaliased);
        Ok(item.renamed(&aliases))
    }

    /// TABLESAMPLE: its method is a function of that name.
    pub(crate) fn sample_in_from(
        &mut self,
        sample: &'a nodes::RangeTableSample,
        scope: &Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let item = match sample.relation() {
            Node::RangeVar(table) => self.relation_in_from(table, scope)?,
            other => {
                self.anything(other, scope)?;
                ScopeItem::unknown(None)
            }
        };
        let candidates = match self.sample_method(sample) {
            Some(method) => vec![method],
            None => Vec::new(),
        };
        let what = match candidates.is_empty() {
            false => UsedObject::Functions {
                candidates,
                form: CallForm::Sample,
            },
            true => UsedObject::Unclear,
        };
        self.note_at(sample.location, what);
        for argument in sample.args() {
            self.expression_as(argument, type_oid::FLOAT4, scope)?;
        }
        if !matches!(sample.repeatable(), Node::None) {
            self.expression_as(sample.repeatable(), type_oid::FLOAT8, scope)?;
        }
        Ok(item)
    }

    /// The relation of a schema and a name.
    pub(crate) fn relation_in(&self, schema: &str, name: &str) -> Option<RelationId> {
        let catalog = self.catalog;
        let schema = catalog.index().schema(catalog.names().find(schema)?)?;
        self.relation_of(name, schema)
    }

    /// The relation of a name alone: the first along the search_path.
    pub(crate) fn relation_named(&self, name: &str) -> Option<RelationId> {
        let mut schemas = self.path.schemas().iter();
        schemas.find_map(|schema| self.relation_of(name, *schema))
    }

    fn relation_of(&self, name: &str, schema: SchemaId) -> Option<RelationId> {
        let catalog = self.catalog;
        let relations = catalog.index().relations(catalog.names().find(name)?);
        let mut of_name = relations.iter().copied();
        of_name.find(|id| catalog.relation(*id).schema == schema)
    }

    fn of_relation(&mut self, name: SqlName<'a>, id: RelationId, unaliased: bool) -> ScopeItem<'a> {
        let relation = self.catalog.relation(id);
        let system_columns = match relation.kind {
            RelationKind::View | RelationKind::CompositeType => SystemColumns::Absent,
            RelationKind::Table
            | RelationKind::PartitionedTable
            | RelationKind::MaterializedView
            | RelationKind::ForeignTable
            | RelationKind::Sequence => SystemColumns::Both,
        };
        ScopeItem {
            schema: unaliased.then_some(relation.schema),
            relation: Some(id),
            row: relation
                .row_type
                .map_or(RowType::Unclear, RowType::Composite),
            system_columns,
            ..ScopeItem::of_columns(Some(name), self.columns_of_relation(id))
        }
    }

    fn of_common_table(
        &mut self,
        name: SqlName<'a>,
        content: CommonTableContent<'a>,
        level: usize,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let CommonTableContent::Known(columns, completeness) = content else {
            return Ok(ScopeItem::unknown(Some(name)));
        };
        let adds = columns
            .iter()
            .any(|column| column.star == StarCoverage::Excluded);
        let columns = if adds && level == 0 {
            // In the query that has the WITH itself, a star stands for what SEARCH and CYCLE add.
            self.charge_work(columns.len().saturating_mul(COPY_COST))?;
            let covered = columns.iter().map(|column| ScopeColumn {
                star: StarCoverage::Included,
                ..column.clone()
            });
            covered.collect()
        } else {
            Arc::clone(&columns)
        };
        Ok(ScopeItem {
            completeness,
            ..ScopeItem::of_columns(Some(name), columns)
        })
    }

    /// The function of a sample's method: it takes one argument of type `internal`.
    fn sample_method(&self, sample: &'a nodes::RangeTableSample) -> Option<FunctionId> {
        let names = crate::analysis::strings(sample.method());
        let (name, schema) = match names.as_slice() {
            [name] => (name, None),
            [schema, name] => (name, Some(schema)),
            _ => return None,
        };
        let catalog = self.catalog;
        let internal = catalog.index().type_of_oid(type_oid::INTERNAL)?;
        let functions = catalog.index().functions(catalog.names().find(name)?);
        let in_schema = |schema: SchemaId| {
            functions.iter().copied().find(|id| {
                let function = catalog.function(*id);
                function.schema == schema && *function.arguments == [internal]
            })
        };
        match schema {
            Some(schema) => in_schema(catalog.index().schema(catalog.names().find(schema)?)?),
            None => self.path.schemas().iter().copied().find_map(in_schema),
        }
    }
}
