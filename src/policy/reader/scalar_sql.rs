//! One SQL expression of a policy: that it is one, and which columns it names.

use std::fmt;

use super::expression::only_value;
use super::model_sql::{self, ModelSqlError};
use sql::tree::{self, Node};

/// What is wrong with an expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ScalarSqlError {
    /// It holds what no text of a policy may.
    Text(ModelSqlError),
    /// It is no expression, or several.
    NotOne,
    /// It reads something else.
    Subquery,
}

/// The columns that an expression names, by the last part of each name, each once and in order.
pub(super) fn columns(sql: &str) -> Result<Vec<String>, ScalarSqlError> {
    model_sql::check_words(sql).map_err(ScalarSqlError::Text)?;
    // Neither of the two could be left in the middle by what can stand in the other.
    let alone = tree::parse(&format!("SELECT {sql}")).map_err(|_| ScalarSqlError::NotOne)?;
    let inside = tree::parse(&format!("SELECT ({sql})")).map_err(|_| ScalarSqlError::NotOne)?;
    let (Ok(value), Ok(_)) = (only_value(&alone), only_value(&inside)) else {
        return Err(ScalarSqlError::NotOne);
    };
    let mut columns = Vec::new();
    let mut waiting = vec![value];
    while let Some(node) = waiting.pop() {
        match node {
            Node::SubLink(_) | Node::SelectStmt(_) => return Err(ScalarSqlError::Subquery),
            Node::ColumnRef(column) => {
                let last = column.fields().iter().next_back();
                let name = last.and_then(Node::as_str).ok_or(ScalarSqlError::NotOne)?;
                columns.push(name.to_owned());
            }
            _ => {}
        }
        tree::children(node, &mut waiting).map_err(|_| ScalarSqlError::NotOne)?;
    }
    columns.sort();
    columns.dedup();
    Ok(columns)
}

impl fmt::Display for ScalarSqlError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(wrong) => wrong.fmt(formatter),
            Self::NotOne => formatter.write_str("one SQL expression is wanted"),
            Self::Subquery => formatter.write_str("an expression without a subquery is wanted"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_expression_is_read_with_its_columns() {
        for (sql, wanted) in [
            ("sum(total - refunded)", vec!["refunded", "total"]),
            ("count(*)", vec![]),
            (
                "count(DISTINCT o.customer_no) FILTER (WHERE total > 0)",
                vec!["customer_no", "total"],
            ),
            ("date_trunc('month', \"Ordered At\")", vec!["Ordered At"]),
            ("status <> 'x' AND NOT deleted", vec!["deleted", "status"]),
            ("')' || a", vec!["a"]),
            ("(SELECT 1)", vec!["!"]),
            ("EXISTS (SELECT FROM secrets)", vec!["!"]),
            ("a = ANY (SELECT 1)", vec!["!"]),
        ] {
            let found = columns(sql);
            match wanted.as_slice() {
                ["!"] => assert_eq!(found, Err(ScalarSqlError::Subquery), "{sql}"),
                wanted => assert_eq!(found.unwrap(), wanted, "{sql}"),
            }
        }
    }

    #[test]
    fn what_is_more_or_less_is_none() {
        for sql in [
            "",
            " ",
            "a, b",
            "a FROM t",
            "a) FROM t WHERE (b",
            "1) AS x, (2",
            "a AS b",
            "a b",
            "*",
            "t.*",
            "SELECT 1",
            "a -- b",
            "a /* b */",
            "$1",
            "a; SELECT 1",
            "a) UNION SELECT (b",
            "a INTO t",
            "DISTINCT a",
            "ALL a",
            "a WHERE b",
            "a ORDER BY b",
            "a)",
            "(a",
            "'open",
            "a LIMIT 1",
        ] {
            assert!(columns(sql).is_err(), "{sql}");
        }
    }
}
