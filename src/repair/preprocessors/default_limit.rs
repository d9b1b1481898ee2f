//! `default_limit`: a SELECT without LIMIT gets one, where the policy asks for it.
//!
//! # Sees
//! A SELECT, VALUES or TABLE without LIMIT or FETCH, its WITH and set operations included.
//!
//! # Why
//! A model that forgets to ask for less than a whole table fills its own context with it.
//!
//! # Before
//! - `SELECT name FROM customers -- all`
//!
//! # After
//! - `SELECT name FROM customers LIMIT 1000 -- all`
//!
//! # When not
//! Aggregates without GROUP BY, which return one row; EXPLAIN and everything else that is no query.

use sql::edit::{self, TextEdit};
use sql::lexer::{self, TokenKind};
use sql::tree::{self, Node, ParsedStatement, SetOperation, SyntaxTree, nodes};

/// The edit that bounds the statement; none where it is bounded, or is no SELECT that returns many
/// rows.
pub fn limit_edit(text: &str, tree: &SyntaxTree, rows_max: u64) -> Option<TextEdit> {
    let statement = only(tree)?;
    let select = unbounded(statement.node)?;
    if !select.locking_clause().is_empty() || returns_one_row(select) {
        return None;
    }
    let span = statement.span();
    let last = lexer::tokens(text)
        .take_while(|token| token.span.end <= span.end)
        .filter(|token| token.span.start >= span.start && !token.kind.is_blank())
        .filter(|token| {
            token.kind != TokenKind::Punctuation || text.get(token.span.clone()) != Some(";")
        })
        .last()?;
    let edit = TextEdit {
        span: last.span.end..last.span.end,
        replacement: format!(" LIMIT {rows_max}"),
    };
    // The grammar has the last word: the statement is bounded now, and still one.
    let bounded = tree::parse(&edit::apply(text, vec![edit.clone()]).ok()?).ok()?;
    let after = only(&bounded)?;
    let is_bounded = matches!(after.node, Node::SelectStmt(_)) && unbounded(after.node).is_none();
    is_bounded.then_some(edit)
}

fn only(tree: &SyntaxTree) -> Option<ParsedStatement<'_>> {
    let mut statements = tree.statements();
    let first = statements.next()?;
    statements.next().is_none().then_some(first)
}

fn unbounded(node: Node<'_>) -> Option<&nodes::SelectStmt> {
    match node {
        Node::SelectStmt(select)
            if matches!(select.limit_count(), Node::None) && select.into_clause().is_none() =>
        {
            Some(select)
        }
        _ => None,
    }
}

/// Whether a query is an aggregate over all its rows.
fn returns_one_row(select: &nodes::SelectStmt) -> bool {
    if select.op != SetOperation::SETOP_NONE || !select.group_clause().is_empty() {
        return false;
    }
    if !matches!(select.having_clause(), Node::None) {
        return true;
    }
    let mut waiting: Vec<Node<'_>> = Vec::new();
    for target in select.target_list() {
        waiting.push(target.into());
    }
    let mut found = false;
    while let Some(node) = waiting.pop() {
        match node {
            // What a sub-query aggregates is its own.
            Node::SelectStmt(_) => continue,
            Node::FuncCall(call) if call.over().is_none() => {
                let name = call.funcname().iter().next_back().and_then(Node::as_str);
                let name = name.unwrap_or_default();
                if MANY_ROWS.contains(&name) {
                    return false;
                }
                let is_aggregate = call.agg_star
                    || call.agg_distinct
                    || call.agg_within_group
                    || !matches!(call.agg_filter(), Node::None)
                    || AGGREGATES.contains(&name);
                found |= is_aggregate;
            }
            _ => {}
        }
        // What the tree does not know is looked at no further.
        let _unknown = tree::children(node, &mut waiting);
    }
    found
}

/// Aggregates that come with Postgres.
#[rustfmt::skip]
const AGGREGATES: &[&str] = &[
    "array_agg", "avg", "bit_and", "bit_or", "bit_xor", "bool_and", "bool_or", "corr", "count",
    "covar_pop", "covar_samp", "every", "json_agg", "json_object_agg", "jsonb_agg",
    "jsonb_object_agg", "max", "min", "range_agg", "regr_slope", "stddev", "stddev_pop",
    "stddev_samp", "string_agg", "sum", "var_pop", "var_samp", "variance", "xmlagg", "any_value",
];

/// Functions that make many rows of one.
#[rustfmt::skip]
const MANY_ROWS: &[&str] = &[
    "generate_series", "generate_subscripts", "unnest", "json_array_elements",
    "jsonb_array_elements", "json_each", "jsonb_each", "regexp_split_to_table", "regexp_matches",
    "string_to_table", "json_array_elements_text", "jsonb_array_elements_text", "jsonb_object_keys",
    "json_object_keys", "jsonb_path_query",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bounded(text: &str) -> Option<String> {
        let tree = tree::parse(text).unwrap();
        let edit = limit_edit(text, &tree, 100)?;
        let after = edit::apply(text, vec![edit]).unwrap();
        let again = tree::parse(&after).unwrap();
        assert!(
            limit_edit(&after, &again, 100).is_none(),
            "{after}: not settled"
        );
        Some(after)
    }

    #[test]
    fn queries_without_an_end_get_one() {
        for (before, after) in [
            ("SELECT a FROM t", "SELECT a FROM t LIMIT 100"),
            ("SELECT a FROM t ;", "SELECT a FROM t LIMIT 100 ;"),
            ("SELECT a FROM t -- all", "SELECT a FROM t LIMIT 100 -- all"),
            (
                "SELECT a FROM t /* ; */ ; -- x",
                "SELECT a FROM t LIMIT 100 /* ; */ ; -- x",
            ),
            ("VALUES (1), (2)", "VALUES (1), (2) LIMIT 100"),
            ("TABLE t", "TABLE t LIMIT 100"),
            (
                "SELECT a FROM t OFFSET 5",
                "SELECT a FROM t OFFSET 5 LIMIT 100",
            ),
            (
                "SELECT a FROM t ORDER BY a",
                "SELECT a FROM t ORDER BY a LIMIT 100",
            ),
            (
                "SELECT a FROM t UNION SELECT b FROM u",
                "SELECT a FROM t UNION SELECT b FROM u LIMIT 100",
            ),
            (
                "SELECT a FROM t UNION (SELECT b FROM u LIMIT 5)",
                "SELECT a FROM t UNION (SELECT b FROM u LIMIT 5) LIMIT 100",
            ),
            ("(SELECT a FROM t)", "(SELECT a FROM t) LIMIT 100"),
            (
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT * FROM x",
                "WITH x AS (SELECT a FROM t LIMIT 1) SELECT * FROM x LIMIT 100",
            ),
            (
                "SELECT a, count(*) FROM t GROUP BY a",
                "SELECT a, count(*) FROM t GROUP BY a LIMIT 100",
            ),
            (
                "SELECT sum(a) OVER () FROM t",
                "SELECT sum(a) OVER () FROM t LIMIT 100",
            ),
            (
                "SELECT (SELECT count(*) FROM u) FROM t",
                "SELECT (SELECT count(*) FROM u) FROM t LIMIT 100",
            ),
            (
                "SELECT unnest(array_agg(a)) FROM t",
                "SELECT unnest(array_agg(a)) FROM t LIMIT 100",
            ),
            ("SELECT 'é' FROM t", "SELECT 'é' FROM t LIMIT 100"),
        ] {
            assert_eq!(bounded(before).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn others_stay_as_they_are() {
        for text in [
            "SELECT a FROM t LIMIT 5",
            "SELECT a FROM t LIMIT ALL",
            "SELECT a FROM t FETCH FIRST ROW ONLY",
            "(SELECT a FROM t LIMIT 5)",
            "SELECT count(*) FROM t",
            "SELECT max(a) + 1, 'x' FROM t",
            "SELECT 1 FROM t HAVING true",
            "SELECT a FROM t FOR UPDATE",
            "SELECT a INTO b FROM t",
            "EXPLAIN SELECT a FROM t",
            "SHOW all",
            "SELECT 1; SELECT 2",
            "DELETE FROM t",
            "",
        ] {
            assert_eq!(bounded(text), None, "{text}");
        }
    }
}
