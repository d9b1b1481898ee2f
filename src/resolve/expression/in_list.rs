//! IN with a list of values, and IS DISTINCT FROM.
//!
//! Postgres makes an array of the values that name no column of the query, if they have a type in
//! common, and compares with the others one by one.
//!
//! <https://www.postgresql.org/docs/current/functions-comparisons.html#FUNCTIONS-COMPARISONS-IN-SCALAR>

use crate::coerce::CoercionFit;
use crate::coerce::common_type::CommonType;
use crate::inferred::{ActualType, InferredType};
use crate::operator::OperatorOperands;
use crate::{Analysis, Scope, TooDeep};
use catalog::{TypeKind, type_oid};
use sql::tree::list::NodeList;
use sql::tree::{self, Node, nodes};

/// A side of a comparison.
pub(crate) struct ComparedSide {
    inferred: InferredType,
    fields: ComparedFields,
}

/// Whether Postgres sees a row of values in a side of a comparison, and which.
#[derive(Clone, PartialEq)]
enum ComparedFields {
    /// It does not.
    None,
    /// It does.
    Certain(Vec<InferredType>),
    /// It does if the value that is cast is a row of a sub-select.
    Possible(Vec<InferredType>),
    /// It does, and their number is not known.
    Uncounted,
}

/// Whether a value of the list names a column of its own query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListColumns {
    None,
    Own,
    /// It names a column that may be of a query around it, or inside it.
    Unclear,
}

impl<'a> Analysis<'a> {
    /// A side of a comparison.
    pub(crate) fn term(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<ComparedSide, TooDeep> {
        if let Node::RowExpr(row) = node {
            return Ok(match self.row_values(row, scope)? {
                Some(fields) => ComparedSide {
                    inferred: self.own(type_oid::RECORD),
                    fields: ComparedFields::Certain(fields),
                },
                None => ComparedSide {
                    inferred: self.own(type_oid::RECORD),
                    fields: ComparedFields::Uncounted,
                },
            });
        }
        let inferred = self.expression(node, scope)?;
        Ok(self.term_of(node, inferred))
    }

    /// A side that has been analysed: a row that is cast to a composite type is still one.
    pub(crate) fn term_of(&self, node: Node<'a>, inferred: InferredType) -> ComparedSide {
        let fields = match (node, &inferred) {
            (Node::TypeCast(cast), InferredType::Known(id)) => {
                match self.catalog.data_type(*id).kind {
                    TypeKind::Composite(Some(relation)) => {
                        let columns = self.catalog.columns_of(relation).iter();
                        let types = columns.map(|column| InferredType::Known(column.type_id));
                        match cast.arg() {
                            Node::RowExpr(_) => ComparedFields::Certain(types.collect()),
                            _ => ComparedFields::Possible(types.collect()),
                        }
                    }
                    _ => ComparedFields::None,
                }
            }
            _ => ComparedFields::None,
        };
        ComparedSide { inferred, fields }
    }

    /// `x IN (a, b)`, whose left side has been analysed.
    pub(crate) fn in_list(
        &mut self,
        operation: &'a nodes::A_Expr,
        left: ComparedSide,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let (name, at) = (operation.name(), operation.location);
        let Node::NodeList(list) = operation.rexpr() else {
            return self.unknown(operation.rexpr(), scope);
        };
        let (mut fixed, mut others) = (Vec::new(), Vec::new());
        let mut certain = true;
        for node in list {
            let term = self.term(node, scope)?;
            match columns_in(node, scope) {
                ListColumns::None => fixed.push(term),
                ListColumns::Own => others.push(term),
                ListColumns::Unclear => {
                    certain = false;
                    others.push(term);
                }
            }
        }
        let mut one_by_one = others;
        if certain && fixed.len() > 1 {
            one_by_one.extend(self.in_array(name, &left, fixed, at));
        } else {
            one_by_one.extend(fixed);
            if !certain && one_by_one.len() > 1 && !self.is_one_type(&left, &one_by_one) {
                let sides = OperatorOperands::Infix(&left.inferred, &InferredType::Unclear);
                self.operator_written(name, &sides, at);
            }
        }
        let mut seen: Vec<&ComparedSide> = Vec::new();
        for term in &one_by_one {
            let same = |other: &&ComparedSide| {
                other.inferred == term.inferred && other.fields == term.fields
            };
            if seen.len() < DISTINCT_MAX && !seen.iter().any(same) {
                seen.push(term);
                self.one_comparison(name, &left, term, at);
            } else if seen.len() >= DISTINCT_MAX {
                self.one_comparison(name, &left, term, at);
            }
        }
        Ok(self.own(type_oid::BOOL))
    }

    /// `x IS DISTINCT FROM y`, whose left side has been analysed. Next to NULL it needs no
    /// operator.
    pub(crate) fn distinct(
        &mut self,
        operation: &'a nodes::A_Expr,
        left: &ComparedSide,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let right = self.term(operation.rexpr(), scope)?;
        let is_null = |node| matches!(node, Node::A_Const(constant) if constant.isnull);
        if !is_null(operation.lexpr()) && !is_null(operation.rexpr()) {
            self.one_comparison(operation.name(), left, &right, operation.location);
        }
        Ok(self.own(type_oid::BOOL))
    }

    /// Whether it makes no difference which of the values are put into an array.
    fn is_one_type(&self, left: &ComparedSide, values: &[ComparedSide]) -> bool {
        let type_rules = self.typing();
        matches!(left.inferred, InferredType::Known(id) if type_rules.base(id) == id)
            && left.fields == ComparedFields::None
            && values.iter().all(|value| {
                let same =
                    value.inferred == left.inferred || value.inferred == InferredType::Literal;
                same && value.fields == ComparedFields::None
            })
    }

    /// `x IN (1, 2)` is `x = ANY (ARRAY[1, 2])`, where `x` has a say in the type of the array.
    /// Gives the values back where there is no such array.
    fn in_array(
        &mut self,
        name: &'a NodeList,
        left: &ComparedSide,
        values: Vec<ComparedSide>,
        at: i32,
    ) -> Vec<ComparedSide> {
        let type_rules = self.typing();
        let sides = std::iter::once(left).chain(&values);
        let actual: Vec<ActualType> = sides.map(|side| side.inferred.actual(type_rules)).collect();
        let shared = type_rules.common_type(&actual);
        if shared == CommonType::Unclear {
            let sides = OperatorOperands::Infix(&left.inferred, &InferredType::Unclear);
            self.operator_written(name, &sides, at);
        }
        let CommonType::Type(id) = shared else {
            return values;
        };
        let fits = type_rules.all_fit(&actual, id) == CoercionFit::Fits
            && !type_rules.is(id, type_oid::RECORD);
        let Some(array) = type_rules.array_of(id).filter(|_| fits) else {
            return values;
        };
        self.note_type(array, at);
        for value in values {
            self.coerced(&value.inferred, id, at);
        }
        let element = InferredType::Known(id);
        self.operator_written(name, &OperatorOperands::Infix(&left.inferred, &element), at);
        Vec::new()
    }

    fn one_comparison(
        &mut self,
        name: &'a NodeList,
        left: &ComparedSide,
        right: &ComparedSide,
        at: i32,
    ) {
        let plain = OperatorOperands::Infix(&left.inferred, &right.inferred);
        match (&left.fields, &right.fields) {
            (ComparedFields::None, _) | (_, ComparedFields::None) => {
                let operated = self.operator_written(name, &plain, at);
                self.coerced_to(&operated.result, type_oid::BOOL, at);
            }
            (ComparedFields::Certain(left), ComparedFields::Certain(right)) => {
                self.rows_compared(name, Some(left.clone()), Some(right.clone()), at);
            }
            (
                ComparedFields::Certain(left) | ComparedFields::Possible(left),
                ComparedFields::Certain(right) | ComparedFields::Possible(right),
            ) => {
                let operated = self.operator_written(name, &plain, at);
                self.coerced_to(&operated.result, type_oid::BOOL, at);
                self.rows_compared(name, Some(left.clone()), Some(right.clone()), at);
            }
            (ComparedFields::Uncounted, _) | (_, ComparedFields::Uncounted) => {
                self.rows_compared(name, None, None, at);
            }
        }
    }
}

/// Whether an expression names a column of its own query: such a value stays out of the array.
fn columns_in(node: Node<'_>, scope: &Scope<'_, '_>) -> ListColumns {
    let mut found = ListColumns::None;
    let mut waiting = vec![node];
    while let Some(next) = waiting.pop() {
        match next {
            Node::ColumnRef(_) => found = ListColumns::Own,
            Node::SelectStmt(_) => return ListColumns::Unclear,
            other if tree::children(other, &mut waiting).is_err() => return ListColumns::Unclear,
            _ => {}
        }
    }
    match scope.outer {
        Some(_) if found == ListColumns::Own => ListColumns::Unclear,
        _ => found,
    }
}

/// Values of so many different types are told apart; lists of real statements have one or two.
const DISTINCT_MAX: usize = 16;
