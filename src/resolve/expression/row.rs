//! Rows: ROW(…), comparisons of rows; and BETWEEN.
//!
//! <https://www.postgresql.org/docs/current/functions-comparisons.html>

use crate::inferred::{InferredType, RowField};
use crate::operator::OperatorOperands;
use crate::type_name::QualifiedName;
use crate::{Analysis, ColumnCompleteness, Scope, TooDeep, UsedObject};
use catalog::type_oid;
use sql::tree::list::NodeList;
use sql::tree::{A_Expr_Kind, Node, SubLinkType, nodes};

impl<'a> Analysis<'a> {
    /// ROW(…): a record.
    pub(crate) fn row(
        &mut self,
        row: &'a nodes::RowExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let Some(values) = self.row_values(row, scope)? else {
            self.note_at(row.location, UsedObject::Unclear);
            return Ok(InferredType::Unclear);
        };
        let numbered = (1_usize..).zip(values);
        let fields = numbered.map(|(number, inferred)| RowField {
            name: format!("f{number}").into(),
            inferred,
        });
        Ok(InferredType::Row(fields.collect()))
    }

    /// The values of a row; none where they cannot be counted.
    pub(crate) fn row_values(
        &mut self,
        row: &'a nodes::RowExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<Option<Vec<InferredType>>, TooDeep> {
        let (values, completeness) = self.expression_list(row.args(), scope)?;
        Ok(Some(values).filter(|_| completeness == ColumnCompleteness::Complete))
    }

    /// An operator before its operand, or after a row.
    pub(crate) fn operation_of_rows(
        &mut self,
        operation: &'a nodes::A_Expr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let at = operation.location;
        let Node::RowExpr(left) = operation.lexpr() else {
            let right = self.expression(operation.rexpr(), scope)?;
            let sides = OperatorOperands::Prefix(&right);
            let operated = self.operator_written(operation.name(), &sides, at);
            return Ok(operated.result);
        };
        match (operation.kind, operation.rexpr()) {
            (A_Expr_Kind::AEXPR_OP, Node::RowExpr(right)) => {
                let left = self.row_values(left, scope)?;
                let right = self.row_values(right, scope)?;
                self.rows_compared(operation.name(), left, right, at);
                Ok(self.own(type_oid::BOOL))
            }
            (A_Expr_Kind::AEXPR_OP, Node::SubLink(link))
                if link.sub_link_type == SubLinkType::EXPR_SUBLINK =>
            {
                let left = self.row_values(left, scope)?;
                let right = self.sub_select_columns(link, scope)?;
                self.rows_compared(operation.name(), left, right, at);
                Ok(self.own(type_oid::BOOL))
            }
            (A_Expr_Kind::AEXPR_DISTINCT | A_Expr_Kind::AEXPR_NOT_DISTINCT, _) => {
                let left = self.term(Node::RowExpr(left), scope)?;
                self.distinct(operation, &left, scope)
            }
            (A_Expr_Kind::AEXPR_IN, _) => {
                let left = self.term(Node::RowExpr(left), scope)?;
                self.in_list(operation, left, scope)
            }
            (
                A_Expr_Kind::AEXPR_BETWEEN
                | A_Expr_Kind::AEXPR_NOT_BETWEEN
                | A_Expr_Kind::AEXPR_BETWEEN_SYM
                | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM,
                Node::NodeList(bounds),
            ) => self.row_between(operation, left, bounds, scope),
            _ => {
                let left = self.row(left, scope)?;
                self.operation(operation, left, scope)
            }
        }
    }

    /// Notes the operators between the values of two rows; all that the symbol may mean where they
    /// cannot be counted.
    pub(crate) fn rows_compared(
        &mut self,
        name: &'a NodeList,
        left: Option<Vec<InferredType>>,
        right: Option<Vec<InferredType>>,
        location: i32,
    ) {
        let (Some(left), Some(right)) = (left, right) else {
            let sides = OperatorOperands::Infix(&InferredType::Unclear, &InferredType::Unclear);
            self.operator_written(name, &sides, location);
            return;
        };
        for (left, right) in left.iter().zip(&right) {
            let sides = OperatorOperands::Infix(left, right);
            self.operator_written(name, &sides, location);
            self.note_compared(left, location);
            self.note_compared(right, location);
        }
    }

    /// `x BETWEEN a AND b`: `x >= a AND x <= b`, and what SYMMETRIC and NOT make of it.
    pub(crate) fn between(
        &mut self,
        operation: &'a nodes::A_Expr,
        left: InferredType,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let at = operation.location;
        let Node::NodeList(bounds) = operation.rexpr() else {
            return self.unknown(operation.rexpr(), scope);
        };
        let bounds = self.all(bounds, scope)?;
        let mut left = left;
        for (symbol, bound) in comparisons(operation.kind) {
            let Some(bound) = bounds.get(*bound) else {
                continue;
            };
            let sides = OperatorOperands::Infix(&left, bound);
            let operated = self.operated(QualifiedName::Path(symbol), &sides, at);
            self.coerced_to(&operated.result, type_oid::BOOL, at);
            // A parameter has the type that its first comparison gives it.
            if let InferredType::Parameter(_) = left {
                left = operated.left;
            }
        }
        Ok(self.own(type_oid::BOOL))
    }

    fn row_between(
        &mut self,
        operation: &'a nodes::A_Expr,
        left: &'a nodes::RowExpr,
        bounds: &'a NodeList,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let at = operation.location;
        let left = self.row_values(left, scope)?;
        let record = vec![self.own(type_oid::RECORD)];
        let mut sides = Vec::new();
        for bound in bounds {
            sides.push(match bound {
                Node::RowExpr(right) => (left.clone(), self.row_values(right, scope)?),
                Node::SubLink(link) if link.sub_link_type == SubLinkType::EXPR_SUBLINK => {
                    (left.clone(), self.sub_select_columns(link, scope)?)
                }
                other => {
                    let right = vec![self.expression(other, scope)?];
                    (Some(record.clone()), Some(right))
                }
            });
        }
        for (symbol, bound) in comparisons(operation.kind) {
            match sides.get(*bound) {
                Some((Some(left), Some(right))) => {
                    for (left, right) in left.iter().zip(right) {
                        self.implied_operator(symbol, left, right, at);
                    }
                }
                Some(_) => {
                    let unclear = InferredType::Unclear;
                    self.implied_operator(symbol, &unclear, &unclear, at);
                }
                None => {}
            }
        }
        Ok(self.own(type_oid::BOOL))
    }
}

/// The comparisons that a BETWEEN stands for, each with the place of its bound.
fn comparisons(kind: A_Expr_Kind::Type) -> &'static [(&'static str, usize)] {
    match kind {
        A_Expr_Kind::AEXPR_BETWEEN => &[(">=", 0), ("<=", 1)],
        A_Expr_Kind::AEXPR_NOT_BETWEEN => &[("<", 0), (">", 1)],
        A_Expr_Kind::AEXPR_BETWEEN_SYM => &[(">=", 0), ("<=", 1), (">=", 1), ("<=", 0)],
        _ => &[("<", 0), (">", 1), ("<", 1), (">", 0)],
    }
}
