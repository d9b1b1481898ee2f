//! Queries within expressions: EXISTS, IN, ANY, ALL, ARRAY, and one value.
//!
//! <https://www.postgresql.org/docs/current/functions-subquery.html>

use crate::inferred::InferredType;
use crate::{Analysis, ColumnCompleteness, Scope, TooDeep};
use catalog::type_oid;
use sql::tree::list::NodeList;
use sql::tree::{Node, SubLinkType, nodes};

impl<'a> Analysis<'a> {
    /// A query within an expression.
    pub(crate) fn sub_select(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match link.sub_link_type {
            SubLinkType::EXISTS_SUBLINK => {
                self.sub_select_columns(link, scope)?;
                Ok(self.own(type_oid::BOOL))
            }
            SubLinkType::ANY_SUBLINK | SubLinkType::ALL_SUBLINK => self.quantified(link, scope),
            SubLinkType::EXPR_SUBLINK => self.one_column(link, scope),
            SubLinkType::ARRAY_SUBLINK => {
                let type_rules = self.typing();
                let inferred = match self.one_column(link, scope)? {
                    // The rows of a query that are arrays already make an array of more dimensions.
                    InferredType::Known(id) => type_rules
                        .array_of(id)
                        .or_else(|| type_rules.element(id).map(|_| id))
                        .into(),
                    InferredType::Row(_) => self.own(type_oid::RECORD_ARRAY),
                    InferredType::Literal | InferredType::Parameter(_) | InferredType::Unclear => {
                        InferredType::Unclear
                    }
                };
                self.note_inferred(&inferred, link.location);
                Ok(inferred)
            }
            _ => self.unknown(Node::SubLink(link), scope),
        }
    }

    /// The types of the columns of a query; none where they cannot be counted.
    pub(crate) fn sub_select_columns(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<Option<Vec<InferredType>>, TooDeep> {
        let Node::SelectStmt(select) = link.subselect() else {
            self.unknown(link.subselect(), scope)?;
            return Ok(None);
        };
        let shape = self.query(select, Some(scope))?;
        let columns = shape.columns.into_iter();
        let types = columns.map(|column| column.inferred).collect();
        Ok(Some(types).filter(|_| shape.completeness == ColumnCompleteness::Complete))
    }

    fn one_column(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let columns = self.sub_select_columns(link, scope)?;
        let mut columns = columns.unwrap_or_default().into_iter();
        match (columns.next(), columns.next()) {
            (Some(column), None) => Ok(column),
            _ => Ok(InferredType::Unclear),
        }
    }

    /// `x = ANY (SELECT …)`, `x IN (SELECT …)`, and the same with rows.
    fn quantified(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let left = match link.testexpr() {
            Node::RowExpr(row) => self.row_values(row, scope)?,
            other => Some(vec![self.expression(other, scope)?]),
        };
        let right = self.sub_select_columns(link, scope)?;
        self.quantified_operators(link.oper_name(), left, right, link.location);
        Ok(self.own(type_oid::BOOL))
    }

    fn quantified_operators(
        &mut self,
        name: &'a NodeList,
        left: Option<Vec<InferredType>>,
        right: Option<Vec<InferredType>>,
        location: i32,
    ) {
        if !name.is_empty() {
            self.rows_compared(name, left, right, location);
            return;
        }
        let (Some(left), Some(right)) = (left, right) else {
            let unclear = InferredType::Unclear;
            self.implied_operator("=", &unclear, &unclear, location);
            return;
        };
        for (left, right) in left.iter().zip(&right) {
            self.implied_operator("=", left, right, location);
            self.note_compared(left, location);
            self.note_compared(right, location);
        }
    }
}
