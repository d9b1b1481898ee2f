//! Queries within expressions: EXISTS, IN, ANY, ALL, ARRAY, and one value.
//!
//! <https://www.postgresql.org/docs/current/functions-subquery.html>

use crate::resolve::inferred::Inferred;
use crate::resolve::inferred::builtin;
use crate::resolve::{Analysis, Completeness, Scope, TooDeep};
use crate::sql::tree::list::NodeList;
use crate::sql::tree::{Node, SubLinkType, nodes};

impl<'a> Analysis<'a> {
    /// A query within an expression.
    pub(in crate::resolve) fn sub_select(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<Inferred, TooDeep> {
        match link.sub_link_type {
            SubLinkType::EXISTS_SUBLINK => {
                self.sub_select_columns(link, scope)?;
                Ok(self.own(builtin::BOOL))
            }
            SubLinkType::ANY_SUBLINK | SubLinkType::ALL_SUBLINK => self.quantified(link, scope),
            SubLinkType::EXPR_SUBLINK => self.one_column(link, scope),
            SubLinkType::ARRAY_SUBLINK => {
                let typing = self.typing();
                let inferred = match self.one_column(link, scope)? {
                    // The rows of a query that are arrays already make an array of more dimensions.
                    Inferred::Known(id) => typing
                        .array_of(id)
                        .or_else(|| typing.element(id).map(|_| id))
                        .into(),
                    Inferred::Row(_) => self.own(builtin::RECORD_ARRAY),
                    Inferred::Literal | Inferred::Parameter(_) | Inferred::Unclear => {
                        Inferred::Unclear
                    }
                };
                self.note_inferred(&inferred, link.location);
                Ok(inferred)
            }
            _ => self.unknown(Node::SubLink(link), scope),
        }
    }

    /// The types of the columns of a query; none where they cannot be counted.
    pub(in crate::resolve) fn sub_select_columns(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<Option<Vec<Inferred>>, TooDeep> {
        let Node::SelectStmt(select) = link.subselect() else {
            self.unknown(link.subselect(), scope)?;
            return Ok(None);
        };
        let shape = self.query(select, Some(scope))?;
        let columns = shape.columns.into_iter();
        let types = columns.map(|column| column.inferred).collect();
        Ok(Some(types).filter(|_| shape.completeness == Completeness::Complete))
    }

    fn one_column(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<Inferred, TooDeep> {
        let columns = self.sub_select_columns(link, scope)?;
        let mut columns = columns.unwrap_or_default().into_iter();
        match (columns.next(), columns.next()) {
            (Some(column), None) => Ok(column),
            _ => Ok(Inferred::Unclear),
        }
    }

    /// `x = ANY (SELECT …)`, `x IN (SELECT …)`, and the same with rows.
    fn quantified(
        &mut self,
        link: &'a nodes::SubLink,
        scope: &Scope<'_, 'a>,
    ) -> Result<Inferred, TooDeep> {
        let left = match link.testexpr() {
            Node::RowExpr(row) => self.row_values(row, scope)?,
            other => Some(vec![self.expression(other, scope)?]),
        };
        let right = self.sub_select_columns(link, scope)?;
        self.quantified_operators(link.oper_name(), left, right, link.location);
        Ok(self.own(builtin::BOOL))
    }

    fn quantified_operators(
        &mut self,
        name: &'a NodeList,
        left: Option<Vec<Inferred>>,
        right: Option<Vec<Inferred>>,
        location: i32,
    ) {
        if !name.is_empty() {
            self.rows_compared(name, left, right, location);
            return;
        }
        let (Some(left), Some(right)) = (left, right) else {
            let unclear = Inferred::Unclear;
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
