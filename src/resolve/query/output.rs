//! What a query returns: its list of expressions, with stars expanded.

use super::COPY_COST;
use crate::column::{ColumnLookup, ColumnValue, LastPart, ParsedReference};
use crate::scope::StarCoverage;
use crate::{
    Analysis, ColumnCompleteness, InferredType, Scope, ScopeItem, SqlName, TooDeep, UsedObject,
};
use catalog::RelationId;
use sql::tree::{Node, nodes};

/// What a query returns.
#[derive(Clone, Debug, Default)]
pub struct QueryOutput<'a> {
    /// Its columns.
    pub columns: Vec<ResultColumn<'a>>,
    /// Whether these are all.
    pub completeness: ColumnCompleteness,
}

/// A column of the result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultColumn<'a> {
    /// Its name.
    pub name: SqlName<'a>,
    /// Its type.
    pub inferred: InferredType,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
}

impl<'a> QueryOutput<'a> {
    /// Of something that is not known.
    pub(crate) fn open() -> Self {
        Self {
            columns: Vec::new(),
            completeness: ColumnCompleteness::Open,
        }
    }
}

impl<'a> ResultColumn<'a> {
    /// A column that passes nothing on unchanged.
    pub(crate) fn computed(name: SqlName<'a>, inferred: InferredType) -> Self {
        Self {
            name,
            inferred,
            origin: None,
        }
    }
}

impl<'a> Analysis<'a> {
    /// The list of what a SELECT returns.
    pub(crate) fn targets(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let mut shape = QueryOutput::default();
        for target in select.target_list() {
            let node = target.val();
            if let Some(star) = self.star(node, scope)? {
                shape.completeness = shape.completeness.and(star.completeness);
                shape.columns.extend(star.columns);
                continue;
            }
            let value = match node {
                Node::ColumnRef(reference) => {
                    let value = self.column_value(reference, scope)?;
                    self.remember_type(node, &value.inferred);
                    value
                }
                other => ColumnValue::computed(self.expression(other, scope)?),
            };
            let name = match target.name() {
                Some(name) => name.into(),
                None => self.output_name(node),
            };
            shape.columns.push(ResultColumn {
                name,
                inferred: value.inferred,
                origin: value.origin,
            });
        }
        Ok(shape)
    }

    /// What `*`, `t.*` and `(x).*` stand for; none for anything else.
    pub(crate) fn star(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<Option<QueryOutput<'a>>, TooDeep> {
        match node {
            Node::ColumnRef(reference) => match ParsedReference::of(reference.fields()) {
                ParsedReference::Star => {
                    let mut shape = QueryOutput::default();
                    self.charge_work(scope.items.len())?;
                    for item in scope.items.iter().skip(scope.first) {
                        if item.is_seen_unqualified() {
                            self.expand(item, reference.location, &mut shape)?;
                        }
                    }
                    Ok(Some(shape))
                }
                ParsedReference::Of(qualifier, LastPart::Star) => {
                    let mut shape = QueryOutput::default();
                    match self.item(qualifier, scope)? {
                        ColumnLookup::One(item) => {
                            self.expand(&item, reference.location, &mut shape)?;
                        }
                        found => {
                            self.note_no_entry(&found, qualifier, reference.location, scope);
                            self.no_item(&found, qualifier, "*", reference.location, scope);
                            shape = QueryOutput::open();
                        }
                    }
                    Ok(Some(shape))
                }
                ParsedReference::Bare(_) | ParsedReference::Of(..) | ParsedReference::Strange => {
                    Ok(None)
                }
            },
            Node::A_Indirection(of) => match of.indirection().iter().next_back() {
                Some(Node::A_Star(_)) => Ok(Some(self.star_of_value(of, scope)?)),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// `(x).*`: the fields of a composite value.
    fn star_of_value(
        &mut self,
        of: &'a nodes::A_Indirection,
        scope: &Scope<'_, 'a>,
    ) -> Result<QueryOutput<'a>, TooDeep> {
        let last = of.indirection().len().saturating_sub(1);
        let value = self.indirection(of, last, scope)?;
        let Some(fields) = self.fields(&value) else {
            self.note_at(super::NO_PLACE, UsedObject::Unclear);
            return Ok(QueryOutput::open());
        };
        self.charge_work(fields.len().saturating_mul(COPY_COST))?;
        let columns = fields.into_iter().map(|field| {
            let name = SqlName::from(String::from(field.name));
            ResultColumn::computed(name, field.inferred)
        });
        Ok(QueryOutput {
            columns: columns.collect(),
            completeness: ColumnCompleteness::Complete,
        })
    }

    fn expand(
        &mut self,
        item: &ScopeItem<'a>,
        at: i32,
        shape: &mut QueryOutput<'a>,
    ) -> Result<(), TooDeep> {
        self.charge_work(item.columns.len().saturating_mul(COPY_COST))?;
        shape.completeness = shape.completeness.and(item.completeness);
        if item.completeness == ColumnCompleteness::Open {
            self.note_at(at, UsedObject::Unclear);
        }
        for column in item.columns.iter() {
            if column.star == StarCoverage::Excluded {
                continue;
            }
            self.note_at(at, column.read());
            shape.columns.push(ResultColumn {
                name: column.name.clone(),
                inferred: column.inferred.clone(),
                origin: column.origin,
            });
        }
        Ok(())
    }
}
