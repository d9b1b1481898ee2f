//! Common tables that read themselves: what a cast or a name decides in one is where it ends. A
//! repair that makes one run for the first time may make it run for ever.

use sql::lexer::{self, Token, TokenKind};
use sql::tree::{self, Node};

/// Whether a changed text has a common table that reads itself and does not stand in the text
/// before.
pub fn changes_recursive_cte(before: &str, after: &str) -> bool {
    if !mentions(after, "recursive") {
        return false;
    }
    let Ok(read) = tree::parse(after) else {
        return true;
    };
    let mut stack: Vec<Node<'_>> = read.statements().map(|statement| statement.node).collect();
    while let Some(node) = stack.pop() {
        if let Node::CommonTableExpr(table) = node {
            let written = usize::try_from(table.location)
                .ok()
                .and_then(|at| cte_text(after.get(at..)?));
            match written {
                Some(table) if !reads_itself(table) || before.contains(table) => {}
                Some(_) | None => return true,
            }
        }
        if tree::children(node, &mut stack).is_err() {
            return true;
        }
    }
    false
}

/// The text of the common table that a text begins with: its name, and all up to the end of its
/// query's parentheses.
fn cte_text(text: &str) -> Option<&str> {
    let (mut depth, mut query) = (0_usize, None);
    for token in lexer::tokens(text) {
        match text.get(token.span.clone())? {
            "(" => depth = depth.saturating_add(1),
            ")" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && query.is_some() {
                    return text.get(..token.span.end);
                }
            }
            word if depth == 0 && word.eq_ignore_ascii_case("as") => query = Some(token.span.end),
            _ => {}
        }
    }
    None
}

/// Whether the name of a common table stands in it once more.
fn reads_itself(table: &str) -> bool {
    let mut names = lexer::tokens(table)
        .filter(|token| !token.kind.is_blank())
        .map(|token| name_of(table, &token));
    let own = names.next();
    own.is_none_or(|own| names.any(|name| name.eq_ignore_ascii_case(own)))
}

fn name_of<'t>(text: &'t str, token: &Token) -> &'t str {
    let word = text.get(token.span.clone()).unwrap_or_default();
    match token.kind {
        TokenKind::String => "",
        _ => word.trim_matches('"'),
    }
}

fn mentions(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    (text.windows(word.len())).any(|window| window.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_itself_is_compared_word_for_word() {
        let of = |own: &str, behind: &str| {
            format!(
                "WITH RECURSIVE t (n) AS (SELECT 1 UNION ALL {own}), u AS (SELECT 2) SELECT {behind}"
            )
        };
        let before = of("SELECT n + 1 FROM t WHERE n < 9", "x FROM t");
        assert!(!changes_recursive_cte(
            &before,
            &of("SELECT n + 1 FROM t WHERE n < 9", "y FROM t")
        ));
        assert!(changes_recursive_cte(
            &before,
            &of("SELECT n + 1 FROM t WHERE n::text < '9'", "x FROM t")
        ));
        assert!(changes_recursive_cte(
            &before,
            &of("SELECT n + 1 FROM \"t\"", "x FROM t")
        ));
        // One that reads others may change.
        assert!(!changes_recursive_cte(
            &of("SELECT 3", "x FROM t"),
            &of("SELECT 4", "x FROM t")
        ));
        assert!(!changes_recursive_cte(
            "SELECT 1",
            "WITH t AS (SELECT 1) SELECT * FROM t"
        ));
        // In a query inside of the query.
        assert!(changes_recursive_cte(
            "SELECT 1",
            "SELECT (WITH RECURSIVE a AS (SELECT 1 UNION SELECT 2 FROM a) SELECT 1)"
        ));
    }
}
