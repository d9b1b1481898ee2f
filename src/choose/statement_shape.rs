//! What a statement does with its rows, as far as its outermost query shows.

use crate::sql::node_access::{self, constant_integer};
use crate::sql::tree::{self, Node};

/// What a statement does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StatementShape {
    /// It has GROUP BY.
    pub(super) groups: bool,
    /// It has ORDER BY.
    pub(super) orders: bool,
    /// The number of its LIMIT, if it has one that is written.
    pub(super) limit: Option<i64>,
    /// It has a LIMIT.
    pub(super) limits: bool,
    /// It leaves equal rows or values out: DISTINCT, or an aggregate of DISTINCT.
    pub(super) is_distinct: bool,
}

impl StatementShape {
    /// That of a single query.
    pub(super) fn of(text: &str) -> Option<Self> {
        let parsed = tree::parse(text).ok()?;
        let Node::SelectStmt(select) = parsed.statements().next()?.node else {
            return None;
        };
        let all = node_access::all(Node::SelectStmt(select))?;
        let is_set = !select.distinct_clause().is_empty();
        let aggregates = all
            .iter()
            .any(|node| matches!(node, Node::FuncCall(call) if call.agg_distinct));
        let groups = all
            .iter()
            .any(|node| matches!(node, Node::SelectStmt(one) if !one.group_clause().is_empty()));
        let limits = !matches!(select.limit_count(), Node::None);
        Some(Self {
            groups,
            orders: !select.sort_clause().is_empty(),
            limit: constant_integer(select.limit_count()),
            limits,
            is_distinct: is_set || aggregates,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_statement_does_is_seen() {
        let check = |text: &str, wanted: StatementShape| {
            assert_eq!(StatementShape::of(text), Some(wanted), "{text}");
        };
        let none = StatementShape::default();
        check("SELECT a FROM t", none);
        check(
            "SELECT a, count(*) FROM t GROUP BY a",
            StatementShape {
                groups: true,
                ..none
            },
        );
        check(
            "SELECT a FROM t ORDER BY b DESC LIMIT 5",
            StatementShape {
                orders: true,
                limits: true,
                limit: Some(5),
                ..none
            },
        );
        check(
            "SELECT a FROM t LIMIT $1",
            StatementShape {
                limits: true,
                ..none
            },
        );
        check(
            "SELECT DISTINCT a FROM t",
            StatementShape {
                is_distinct: true,
                ..none
            },
        );
        check(
            "SELECT count(DISTINCT a) FROM t",
            StatementShape {
                is_distinct: true,
                ..none
            },
        );
        assert_eq!(StatementShape::of("SHOW x"), None);
        assert_eq!(StatementShape::of("nonsense"), None);
    }
}
