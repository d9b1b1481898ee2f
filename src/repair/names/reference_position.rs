//! Where an expression stands: in which clause of which query, beside what.

use sql::tree::{Node, list, nodes};

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JoinSide {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A clause of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReferenceClause {
    /// The list of what is selected: this one of it.
    Target(usize),
    /// ON of a join, by its place in [`super::reference_scopes::ReferenceScope::joins`].
    On(usize),
    /// A function or an expression in FROM.
    From,
    /// WHERE.
    Where,
    /// GROUP BY.
    Group,
    /// HAVING.
    Having,
    /// ORDER BY.
    Order,
    /// Anything else: DISTINCT ON, WINDOW, VALUES, LIMIT.
    Other,
}

/// What an expression is in the one around it.
#[derive(Clone, Copy)]
pub(crate) enum ExpressionRole<'t> {
    /// The whole of its clause, or of its part of a list.
    Whole,
    /// A side of an operator of comparison.
    Compared {
        /// The other side.
        other: Node<'t>,
        /// Whether the operator is `=`.
        equal: bool,
    },
    /// The right side of LIKE, an element of IN or of BETWEEN, the second part of NULLIF.
    Listed {
        /// What is looked at.
        sought: Node<'t>,
    },
    /// An element of ARRAY.
    Element,
    /// An argument of a function.
    Argument {
        /// What is called.
        of: &'t str,
        /// All of them.
        all: &'t list::NodeList,
        /// Which one.
        place: usize,
    },
    /// A result of CASE.
    Branch,
    /// What the tested value of a CASE is compared with.
    Tested,
    /// An operand of `||`.
    Joined {
        /// The other.
        other: Node<'t>,
    },
    /// What is cast.
    Cast,
    /// IS NULL and the like.
    Test,
    /// Anything else.
    Part,
}

impl<'t> ExpressionRole<'t> {
    /// The column that the expression is compared with by `=`.
    pub(crate) fn equal_column(self) -> Option<&'t nodes::ColumnRef> {
        match self {
            Self::Compared {
                other: Node::ColumnRef(column),
                equal: true,
            } => Some(column),
            _ => None,
        }
    }
}

/// Something still to be looked at.
pub(super) enum ScopeStep<'t> {
    /// A query.
    Query(&'t nodes::SelectStmt, Option<usize>),
    /// A part of FROM, the joins that it is part of, and whether an alias hides its name.
    From(Node<'t>, usize, Vec<(usize, JoinSide)>, bool),
    /// An expression.
    Expression(Node<'t>, ExpressionContext<'t>),
}

/// What is around an expression.
#[derive(Clone, Copy)]
pub(super) struct ExpressionContext<'t> {
    /// Its query.
    pub scope: Option<usize>,
    /// Its clause.
    pub clause: ReferenceClause,
    /// What it is in what is around it.
    pub role: ExpressionRole<'t>,
}
