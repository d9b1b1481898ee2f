//! Expressions and their types.
//!
//! What hangs on the left of an operator, a cast or a test is followed in a loop: chains of a
//! hundred thousand terms are no deeper than one. Everything else goes a level deeper.

pub(super) mod cast;
pub(super) mod in_list;
pub(super) mod json;
pub mod node_types;
pub(super) mod row;
pub(super) mod standard_form;
pub(super) mod subquery;
#[cfg(test)]
mod tests;
pub(super) mod value;

use super::inferred::InferredType;
use super::operator::OperatorOperands;
use super::query::NO_PLACE;
use super::{Analysis, CallForm, Scope, TooDeep, UsedObject};
use catalog::{TypeId, type_oid};
use sql::tree::{A_Expr_Kind, BoolExprType, Node, nodes};

impl<'a> Analysis<'a> {
    /// What an expression names, and its type.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn expression(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        self.deeper(|analysis| {
            let mut spine = Vec::new();
            let mut innermost = node;
            while let Some(left) = left_of(innermost) {
                spine.push(innermost);
                innermost = left;
            }
            let mut inferred = analysis.part(innermost, scope)?;
            analysis.remember_type(innermost, &inferred);
            for outer in spine.into_iter().rev() {
                inferred = analysis.around(outer, inferred, scope)?;
                analysis.remember_type(outer, &inferred);
            }
            Ok(inferred)
        })
    }

    /// Several expressions.
    pub(super) fn all(
        &mut self,
        nodes: impl IntoIterator<Item = Node<'a>>,
        scope: &Scope<'_, 'a>,
    ) -> Result<Vec<InferredType>, TooDeep> {
        let nodes = nodes.into_iter();
        nodes.map(|node| self.expression(node, scope)).collect()
    }

    /// Notes a type that came about in an expression, and gives it back.
    pub(super) fn note_inferred(&mut self, inferred: &InferredType, location: i32) {
        if let InferredType::Known(id) = inferred {
            self.note_type(*id, location);
        }
    }

    /// The type of the server's number.
    pub(super) fn own(&self, oid: catalog::Oid) -> InferredType {
        InferredType::builtin(self.typing(), oid)
    }

    /// An expression whose left part has been analysed.
    fn around(
        &mut self,
        node: Node<'a>,
        left: InferredType,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match node {
            Node::A_Expr(operation) => self.operation(operation, left, scope),
            Node::TypeCast(cast) => Ok(self.cast(cast, &left)),
            Node::CollateClause(_) => Ok(left),
            Node::NullTest(_) => Ok(self.own(type_oid::BOOL)),
            Node::BooleanTest(test) => {
                self.coerced_to(&left, type_oid::BOOL, test.location);
                Ok(self.own(type_oid::BOOL))
            }
            Node::A_Indirection(of) => self.indirection_of(of, of.indirection().len(), left, scope),
            other => self.unknown(other, scope),
        }
    }

    /// An expression that has no left part.
    fn part(&mut self, node: Node<'a>, scope: &Scope<'_, 'a>) -> Result<InferredType, TooDeep> {
        match node {
            Node::ColumnRef(reference) => self.column(reference, scope),
            Node::A_Const(constant) => Ok(self.constant(constant)),
            Node::ParamRef(parameter) => Ok(self.parameter_value(parameter)),
            Node::FuncCall(call) => Ok(self.call(call, CallForm::Call, scope)?.inferred),
            Node::A_Expr(operation) => self.operation_of_rows(operation, scope),
            Node::TypeCast(cast) => self.array_cast(cast, scope),
            Node::BoolExpr(operator) => self.truth(operator, scope),
            Node::SubLink(link) => self.sub_select(link, scope),
            Node::CaseExpr(case) => self.case(case, scope),
            Node::CoalesceExpr(coalesce) => {
                let branches = self.all(coalesce.args(), scope)?;
                Ok(self.common_type(&branches, coalesce.location))
            }
            Node::MinMaxExpr(extreme) => {
                let branches = self.all(extreme.args(), scope)?;
                let inferred = self.common_type(&branches, extreme.location);
                self.note_compared(&inferred, extreme.location);
                Ok(inferred)
            }
            Node::A_ArrayExpr(array) => self.array(array, None, scope),
            Node::RowExpr(row) => self.row(row, scope),
            Node::NamedArgExpr(argument) => self.expression(argument.arg(), scope),
            other => {
                let inferred = self.standard_form(other, scope)?;
                self.note_inferred(&inferred, NO_PLACE);
                Ok(inferred)
            }
        }
    }

    /// A form that is not known here.
    pub(super) fn unknown(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        self.anything(node, scope)?;
        Ok(InferredType::Unclear)
    }

    /// AND, OR, NOT.
    fn truth(
        &mut self,
        operator: &'a nodes::BoolExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let mut operator = operator;
        while operator.boolop == BoolExprType::NOT_EXPR
            && let Some(Node::BoolExpr(inner)) = operator.args().first()
        {
            operator = inner;
        }
        for side in operator.args() {
            let inferred = self.expression(side, scope)?;
            self.coerced_to(&inferred, type_oid::BOOL, operator.location);
        }
        Ok(self.own(type_oid::BOOL))
    }

    fn case(
        &mut self,
        case: &'a nodes::CaseExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let tested = match case.arg() {
            Node::None => None,
            arg => Some(match self.expression(arg, scope)? {
                InferredType::Literal | InferredType::Parameter(_) => self.own(type_oid::TEXT),
                other => other,
            }),
        };
        let mut branches = Vec::with_capacity(case.args().len());
        for when in case.args() {
            let Node::CaseWhen(when) = when else {
                branches.push(self.unknown(when, scope)?);
                continue;
            };
            let condition = self.expression(when.expr(), scope)?;
            let condition = match &tested {
                Some(tested) => self.implied_operator("=", tested, &condition, when.location),
                None => condition,
            };
            self.coerced_to(&condition, type_oid::BOOL, when.location);
            branches.push(self.expression(when.result(), scope)?);
        }
        // ELSE counts as the first, and is NULL where it is not written.
        let is_text = |branch: &InferredType| {
            matches!(branch, InferredType::Literal | InferredType::Parameter(_))
        };
        let has_texts = branches.iter().any(is_text);
        let otherwise = match case.defresult() {
            Node::None if !has_texts => {
                branches.insert(0, InferredType::Literal);
                let common = |analysis: &mut Self| analysis.common_type(&branches, case.location);
                return Ok(self.without_literals(common));
            }
            Node::None => InferredType::Literal,
            otherwise => self.expression(otherwise, scope)?,
        };
        branches.insert(0, otherwise);
        Ok(self.common_type(&branches, case.location))
    }

    /// ARRAY[…]. `wanted` is the type of array that a cast around it asks for.
    pub(super) fn array(
        &mut self,
        array: &'a nodes::A_ArrayExpr,
        wanted: Option<TypeId>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let type_rules = self.typing();
        let mut elements = Vec::with_capacity(array.elements().len());
        let mut nested = false;
        for element in array.elements() {
            let inferred = match element {
                Node::A_ArrayExpr(inner) => {
                    nested = true;
                    self.deeper(|analysis| analysis.array(inner, wanted, scope))?
                }
                other => self.expression(other, scope)?,
            };
            let is_array = |id| type_rules.element(id).is_some();
            nested |= matches!(inferred, InferredType::Known(id) if is_array(id));
            elements.push(inferred);
        }
        if let Some(wanted) = wanted {
            self.elements_cast(&elements, wanted, nested, array.location);
            return Ok(InferredType::Known(wanted));
        }
        let inferred = match self.common_type(&elements, array.location) {
            InferredType::Known(id) if nested => type_rules.element(id).map(|_| id).into(),
            InferredType::Known(id) => type_rules.array_of(id).into(),
            InferredType::Row(_) => self.own(type_oid::RECORD_ARRAY),
            InferredType::Literal | InferredType::Parameter(_) | InferredType::Unclear => {
                InferredType::Unclear
            }
        };
        self.note_inferred(&inferred, array.location);
        Ok(inferred)
    }

    /// A cast around an array goes for its elements, or for the arrays that are its elements.
    fn elements_cast(
        &mut self,
        elements: &[InferredType],
        wanted: TypeId,
        nested: bool,
        location: i32,
    ) {
        let unclear = elements.contains(&InferredType::Unclear);
        let of_elements = self.typing().element(wanted).filter(|_| !nested || unclear);
        let of_arrays = Some(wanted).filter(|_| nested || unclear);
        for inferred in elements {
            for target in [of_elements, of_arrays].into_iter().flatten() {
                self.cast_to(inferred, target, true, location);
            }
        }
    }

    /// Notes that values of a type are compared.
    pub(super) fn note_compared(&mut self, inferred: &InferredType, location: i32) {
        let inferred = inferred.clone();
        self.note_at(location, UsedObject::Compared { inferred });
    }

    /// `a op b` whose left side has been analysed, in all its forms.
    pub(super) fn operation(
        &mut self,
        operation: &'a nodes::A_Expr,
        left: InferredType,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let at = operation.location;
        match operation.kind {
            A_Expr_Kind::AEXPR_IN => {
                let left = self.term_of(operation.lexpr(), left);
                self.in_list(operation, left, scope)
            }
            A_Expr_Kind::AEXPR_DISTINCT | A_Expr_Kind::AEXPR_NOT_DISTINCT => {
                let left = self.term_of(operation.lexpr(), left);
                self.distinct(operation, &left, scope)
            }
            A_Expr_Kind::AEXPR_BETWEEN
            | A_Expr_Kind::AEXPR_NOT_BETWEEN
            | A_Expr_Kind::AEXPR_BETWEEN_SYM
            | A_Expr_Kind::AEXPR_NOT_BETWEEN_SYM => self.between(operation, left, scope),
            A_Expr_Kind::AEXPR_OP_ANY | A_Expr_Kind::AEXPR_OP_ALL => {
                let right = self.expression(operation.rexpr(), scope)?;
                let sides = OperatorOperands::Array(&left, &right);
                self.operator_written(operation.name(), &sides, at);
                Ok(self.own(type_oid::BOOL))
            }
            kind => {
                let right = self.expression(operation.rexpr(), scope)?;
                let sides = OperatorOperands::Infix(&left, &right);
                let operated = self.operator_written(operation.name(), &sides, at);
                Ok(match kind {
                    A_Expr_Kind::AEXPR_NULLIF => operated.taken_left(left, self.typing()),
                    _ => operated.result,
                })
            }
        }
    }
}

/// The left part of an expression that is followed in a loop.
fn left_of(node: Node<'_>) -> Option<Node<'_>> {
    let left = match node {
        Node::A_Expr(operation) => match operation.lexpr() {
            Node::None | Node::RowExpr(_) => return None,
            left => left,
        },
        Node::TypeCast(cast) => match cast.arg() {
            Node::A_ArrayExpr(_) => return None,
            arg => arg,
        },
        Node::CollateClause(collate) => collate.arg(),
        Node::NullTest(test) => test.arg(),
        Node::BooleanTest(test) => test.arg(),
        Node::A_Indirection(indirection) => indirection.arg(),
        _ => return None,
    };
    Some(left)
}
