//! ORDER BY, GROUP BY, DISTINCT and WINDOW.
//!
//! A name alone means a column of the result first in ORDER BY and DISTINCT ON, and a column of
//! FROM first in GROUP BY; a number alone is the place of a column of the result. In the ORDER BY
//! of a window or of an aggregate both are expressions like any other.

use super::NO_PLACE;
use crate::column::{ColumnLookup, ParsedReference};
use crate::{Analysis, ColumnCompleteness, InferredType, QueryOutput, Scope, TooDeep, UsedObject};
use catalog::{TypeId, type_oid};
use sql::tree::list::{CastNodeList, NodeList};
use sql::tree::{CoercionForm, ConstValue, Node, nodes};

/// What a name alone means first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamePriority {
    /// A column of the result: ORDER BY, DISTINCT ON.
    Result,
    /// A column of FROM: GROUP BY.
    From,
}

impl<'a> Analysis<'a> {
    /// The ORDER BY of a query.
    pub(crate) fn sort_clause(
        &mut self,
        keys: &'a CastNodeList<nodes::SortBy>,
        shape: &QueryOutput<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        for key in keys {
            let inferred = self.result_column(key.node(), NamePriority::Result, shape, scope)?;
            self.sorted_by(key, inferred);
        }
        Ok(())
    }

    /// The ORDER BY of an aggregate or of a window.
    pub(crate) fn sort_key(
        &mut self,
        key: &'a nodes::SortBy,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let inferred = self.expression(key.node(), scope)?;
        self.sorted_by(key, inferred.clone());
        Ok(inferred)
    }

    /// GROUP BY with its grouping sets.
    pub(crate) fn group_clause(
        &mut self,
        keys: &'a NodeList,
        shape: &QueryOutput<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        let mut waiting: Vec<Node<'a>> = keys.iter().collect();
        waiting.reverse();
        while let Some(key) = waiting.pop() {
            match key {
                Node::GroupingSet(set) => waiting.extend(set.content()),
                Node::NodeList(list) => waiting.extend(list),
                Node::RowExpr(row) if row.row_format == CoercionForm::COERCE_IMPLICIT_CAST => {
                    waiting.extend(row.args());
                }
                key => {
                    let inferred = self.result_column(key, NamePriority::From, shape, scope)?;
                    self.compared(inferred);
                }
            }
        }
        Ok(())
    }

    /// DISTINCT and DISTINCT ON.
    pub(crate) fn distinct_clause(
        &mut self,
        keys: &'a NodeList,
        shape: &QueryOutput<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        for key in keys {
            if matches!(key, Node::None) {
                // Without ON: the whole result.
                for column in &shape.columns {
                    self.compared(column.inferred.clone());
                }
                if shape.completeness == ColumnCompleteness::Open {
                    self.note_at(NO_PLACE, UsedObject::Unclear);
                }
                continue;
            }
            let inferred = self.result_column(key, NamePriority::Result, shape, scope)?;
            self.compared(inferred);
        }
        Ok(())
    }

    /// A window: what its partitions and its order are, and where its frame begins and ends.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn window(
        &mut self,
        window: &'a nodes::WindowDef,
        scope: &Scope<'_, 'a>,
    ) -> Result<(), TooDeep> {
        for key in window.partition_clause() {
            let inferred = self.expression(key, scope)?;
            self.compared(inferred);
        }
        let mut order = InferredType::Unclear;
        for key in window.order_clause() {
            order = self.sort_key(key, scope)?;
        }
        let by_value = window.frame_options & FRAME_RANGE != 0;
        for offset in [window.start_offset(), window.end_offset()] {
            match offset {
                Node::None => {}
                offset if by_value => {
                    let inferred = self.expression(offset, scope)?;
                    self.distance(&order, &inferred);
                }
                offset => self.expression_as(offset, type_oid::INT8, scope)?,
            }
        }
        Ok(())
    }

    /// Notes what RANGE makes of an offset: it is cast to a type that can be added to what the
    /// window is ordered by, as the server's own functions `in_range` say.
    fn distance(&mut self, order: &InferredType, offset: &InferredType) {
        let catalog = self.catalog;
        let InferredType::Known(order) = order else {
            self.note_at(NO_PLACE, UsedObject::Unclear);
            return;
        };
        let order = self.typing().base(*order);
        let named = catalog.names().find("in_range");
        let functions = named.map_or(&[][..], |name| catalog.index().functions(name));
        let functions = functions.iter().map(|id| catalog.function(*id));
        let added = functions.filter_map(|function| match *function.arguments {
            [value, _, added, ..] if value == order && function.oid.is_built_in() => Some(added),
            _ => None,
        });
        let added: Vec<TypeId> = added.collect();
        if added.is_empty() {
            self.note_at(NO_PLACE, UsedObject::Unclear);
        }
        if added
            .iter()
            .any(|added| *offset == InferredType::Known(*added))
        {
            return;
        }
        for added in added {
            self.coerced(offset, added, NO_PLACE);
        }
    }

    /// What a key of ORDER BY, GROUP BY or DISTINCT ON means.
    fn result_column(
        &mut self,
        key: Node<'a>,
        first: NamePriority,
        shape: &QueryOutput<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match key {
            Node::A_Const(constant) => Ok(match place(constant) {
                Some(place) => self.result_at(place, shape),
                // Any other constant is an error of the statement.
                None => InferredType::Unclear,
            }),
            Node::ColumnRef(reference) => {
                let ParsedReference::Bare(name) = ParsedReference::of(reference.fields()) else {
                    return self.column(reference, scope);
                };
                if first == NamePriority::From
                    && !matches!(self.find_bare(name, 1, scope)?, ColumnLookup::Nothing)
                {
                    return self.column(reference, scope);
                }
                match self.result_named(name, shape)? {
                    Some(inferred) => Ok(inferred),
                    None => self.column(reference, scope),
                }
            }
            other => self.expression(other, scope),
        }
    }

    /// The column of the result of a name.
    fn result_named(
        &mut self,
        name: &str,
        shape: &QueryOutput<'a>,
    ) -> Result<Option<InferredType>, TooDeep> {
        self.charge_work(shape.columns.len())?;
        let mut named = shape.columns.iter().filter(|own| own.name.as_str() == name);
        let Some(found) = named.next() else {
            if shape.completeness == ColumnCompleteness::Open {
                self.note_at(NO_PLACE, UsedObject::Unclear);
            }
            return Ok(None);
        };
        // Two of a name are an error, unless they are the same expression.
        let same = named.all(|other| other.inferred == found.inferred);
        Ok(Some(match same {
            true => found.inferred.clone(),
            false => InferredType::Unclear,
        }))
    }

    fn result_at(&self, place: usize, shape: &QueryOutput<'a>) -> InferredType {
        let column = place.checked_sub(1).and_then(|at| shape.columns.get(at));
        match (column, shape.completeness) {
            (Some(column), ColumnCompleteness::Complete) => column.inferred.clone(),
            _ => InferredType::Unclear,
        }
    }

    fn sorted_by(&mut self, key: &'a nodes::SortBy, inferred: InferredType) {
        if !key.use_op().is_empty() {
            self.sort_operator(key.use_op(), &inferred, key.location);
        }
        self.compared(inferred);
    }

    fn compared(&mut self, inferred: InferredType) {
        self.note_at(NO_PLACE, UsedObject::Compared { inferred });
    }
}

/// The place in the result that a constant says.
fn place(constant: &nodes::A_Const) -> Option<usize> {
    match constant.val() {
        Some(ConstValue::Integer(place)) if !constant.isnull => usize::try_from(place).ok(),
        _ => None,
    }
}

/// The bit of a window's frame options that says RANGE (FRAMEOPTION_RANGE in nodes/parsenodes.h).
const FRAME_RANGE: i32 = 2;
