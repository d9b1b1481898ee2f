//! Where NULL cannot be: which conditions do not hold for it.

use super::{ColumnAt, ConditionClause, ItemSource, QueryId, QueryTree};
use ground::limits::lints::LINT_QUERIES_DEEP_MAX;
use sql::node_access::last_name;
use sql::tree::{A_Expr_Kind, BoolExprType, Node, NullTestType, SetOperation, nodes};

/// What is taken for NULL.
#[derive(Clone, Copy)]
pub(crate) enum NullTarget<'a> {
    /// A column.
    Column(ColumnAt<'a>),
    /// All columns of an item of a query's FROM, as where an outer join found no partner.
    Item(QueryId, usize),
}

/// Where NULL can be in the queries of a statement.
#[derive(Clone, Copy)]
pub(crate) struct NullAnalysis<'s, 'a>(pub(crate) &'s QueryTree<'a>);

impl<'a> NullAnalysis<'_, 'a> {
    /// Whether a condition does not hold where something is NULL, whatever else is there. It calls
    /// itself no deeper than the statement nests, which is bounded.
    pub(crate) fn rejects_null(
        &self,
        id: QueryId,
        condition: Node<'a>,
        target: NullTarget<'a>,
    ) -> bool {
        match condition {
            Node::BoolExpr(parts) => {
                let mut each = parts.args().iter();
                match parts.boolop {
                    BoolExprType::AND_EXPR => each.any(|part| self.rejects_null(id, part, target)),
                    BoolExprType::OR_EXPR => each.all(|part| self.rejects_null(id, part, target)),
                    _ => each.all(|part| self.is_strict(id, part, target) || is_null_test(part)),
                }
            }
            Node::NullTest(test) => {
                test.nulltesttype == NullTestType::IS_NOT_NULL
                    && self.is_strict(id, test.arg(), target)
            }
            other => self.is_strict(id, other, target),
        }
    }

    /// Whether an expression is NULL where something is.
    fn is_strict(&self, id: QueryId, expression: Node<'a>, target: NullTarget<'a>) -> bool {
        let strict = |node: Node<'a>| self.is_strict(id, node, target);
        match expression {
            Node::ColumnRef(reference) => match (self.0.column(id, reference), target) {
                (Some(found), NullTarget::Column(wanted)) => found == wanted,
                (Some(found), NullTarget::Item(query, item)) => {
                    found.query == query && found.item == item
                }
                (None, _) => false,
            },
            Node::TypeCast(cast) => strict(cast.arg()),
            Node::CollateClause(collate) => strict(collate.arg()),
            Node::BoolExpr(not) if not.boolop == BoolExprType::NOT_EXPR => {
                not.args().iter().all(strict)
            }
            Node::A_Expr(operation) => match operation.kind {
                A_Expr_Kind::AEXPR_OP => {
                    last_name(operation.name()) != Some("||")
                        && (strict(operation.lexpr()) || strict(operation.rexpr()))
                }
                A_Expr_Kind::AEXPR_LIKE
                | A_Expr_Kind::AEXPR_ILIKE
                | A_Expr_Kind::AEXPR_SIMILAR
                | A_Expr_Kind::AEXPR_IN
                | A_Expr_Kind::AEXPR_BETWEEN
                | A_Expr_Kind::AEXPR_BETWEEN_SYM
                | A_Expr_Kind::AEXPR_OP_ANY => strict(operation.lexpr()),
                _ => false,
            },
            Node::FuncCall(call) => {
                let name = last_name(call.funcname()).unwrap_or_default();
                STRICT_FUNCTIONS.contains(&name) && call.args().iter().any(strict)
            }
            _ => false,
        }
    }

    /// Whether a column of what a query returns may be NULL. Where that is not known it is taken
    /// that it may not.
    pub(crate) fn may_return_null(
        &self,
        id: QueryId,
        place: usize,
        is_nullable: &dyn Fn(&ColumnAt<'a>) -> bool,
    ) -> bool {
        self.output_may_be_null(id, place, is_nullable, LINT_QUERIES_DEEP_MAX)
    }

    fn output_may_be_null(
        &self,
        id: QueryId,
        place: usize,
        is_nullable: &dyn Fn(&ColumnAt<'a>) -> bool,
        depth: usize,
    ) -> bool {
        let (Some(query), Some(depth)) = (self.0.query(id), depth.checked_sub(1)) else {
            return false;
        };
        let arm = |select: Option<&nodes::SelectStmt>| {
            let arm = select.and_then(|select| self.0.query_of(select));
            arm.is_some_and(|arm| self.output_may_be_null(arm, place, is_nullable, depth))
        };
        let select = query.select;
        match select.op {
            SetOperation::SETOP_UNION => return arm(select.larg()) || arm(select.rarg()),
            SetOperation::SETOP_INTERSECT => return arm(select.larg()) && arm(select.rarg()),
            SetOperation::SETOP_EXCEPT => return arm(select.larg()),
            _ => {}
        }
        let targets: Vec<Node<'a>> = select.target_list().iter().map(|one| one.val()).collect();
        if targets.iter().any(|target| is_star(*target)) {
            return false;
        }
        let Some(target) = targets.get(place) else {
            return false;
        };
        match crate::database_facts::uncast(*target) {
            Node::A_Const(constant) => constant.isnull,
            Node::ColumnRef(reference) => {
                let column = self
                    .0
                    .column(id, reference)
                    .filter(|column| column.query == id);
                column.is_some_and(|at| self.column_may_be_null(&at, is_nullable, depth))
            }
            _ => false,
        }
    }

    fn column_may_be_null(
        &self,
        at: &ColumnAt<'a>,
        is_nullable: &dyn Fn(&ColumnAt<'a>) -> bool,
        depth: usize,
    ) -> bool {
        let Some(query) = self.0.query(at.query) else {
            return false;
        };
        let holds_not = |target: NullTarget<'a>| {
            let filters = query.conditions.iter();
            let mut filters = filters.filter(|one| one.clause != ConditionClause::OuterOn);
            filters.any(|condition| self.rejects_null(at.query, condition.node, target))
        };
        if holds_not(NullTarget::Column(*at)) || self.is_joined_by(at) {
            return false;
        }
        let may_be_empty = query.may_be_empty().contains(&at.item);
        if may_be_empty && !holds_not(NullTarget::Item(at.query, at.item)) {
            return true;
        }
        let inner = self.0.item(at).map(|item| item.source);
        match inner {
            Some(ItemSource::Query(select)) => {
                let columns = self.0.item(at).and_then(|item| item.columns.as_ref());
                let place = columns.and_then(|columns| {
                    columns
                        .iter()
                        .position(|column| column.name.as_str() == at.name)
                });
                match (self.0.query_of(select), place) {
                    (Some(inner), Some(place)) => {
                        self.output_may_be_null(inner, place, is_nullable, depth)
                    }
                    _ => false,
                }
            }
            Some(ItemSource::Relation) => is_nullable(at),
            Some(ItemSource::Other) | None => false,
        }
    }

    /// Whether the USING of an inner join compares a column: NULL has no partner.
    fn is_joined_by(&self, at: &ColumnAt<'a>) -> bool {
        let joins = self.0.query(at.query).map(|query| query.joins.as_slice());
        joins.unwrap_or_default().iter().any(|join| {
            let own = join.left.0..join.right.1;
            !join.is_outer && own.contains(&at.item) && join.using.contains(&at.name)
        })
    }
}

impl super::Query<'_> {
    /// The items that an outer join may leave empty, before WHERE.
    pub(crate) fn may_be_empty(&self) -> &[usize] {
        &self.may_be_empty
    }
}

/// A star among what a query returns.
pub(crate) fn is_star(target: Node<'_>) -> bool {
    let last = match target {
        Node::ColumnRef(reference) => reference.fields().iter().next_back(),
        Node::A_Indirection(of) => of.indirection().iter().next_back(),
        _ => None,
    };
    matches!(last, Some(Node::A_Star(_)))
}

/// `x IS NULL`, whose NOT holds for nothing that is NULL.
fn is_null_test(node: Node<'_>) -> bool {
    matches!(node, Node::NullTest(test) if test.nulltesttype == NullTestType::IS_NULL)
}

/// Functions of the server that are NULL where an argument is.
const STRICT_FUNCTIONS: &[&str] = &[
    "lower",
    "upper",
    "initcap",
    "length",
    "char_length",
    "btrim",
    "ltrim",
    "rtrim",
    "substring",
    "substr",
    "left",
    "right",
    "replace",
    "split_part",
    "strpos",
    "position",
    "abs",
    "round",
    "ceil",
    "ceiling",
    "floor",
    "trunc",
    "sqrt",
    "power",
    "mod",
    "date_trunc",
    "date_part",
    "extract",
    "to_char",
    "to_date",
    "age",
    "date",
    "timezone",
];
