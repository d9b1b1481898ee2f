//! `sql_in_string`: functions that run a string as SQL.
//!
//! # Sees
//! query_to_xml and its family, table_to_xml, schema_to_xml, database_to_xml, cursor_to_xml,
//! ts_stat, and ts_rewrite with a query.
//!
//! # Why
//! The statement that runs is in a literal, a parameter or a row, where no parser sees it.
//!
//! # Before
//! - `SELECT query_to_xml('DELETE FROM orders RETURNING 1', true, true, '')`
//! - `SELECT * FROM ts_stat('SELECT body FROM docs')`
//!
//! # After
//! - `SELECT xmlelement(name orders, count(*)) FROM orders`
//!
//! # When not
//! Functions of extensions that do the same are `hidden_function`, without a snapshot of the
//! database `unknown_function`. crosstab of tablefunc passes where each query that it is given is a
//! literal that would pass by itself.

use crate::rules::CalledName;
use crate::{Refusal, Rule};

/// `shown` is its name with the types of its arguments, as far as they are known.
pub(crate) fn refusal(called: CalledName<'_>, shown: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::SqlInString,
        &format!("function {shown} is not allowed: it runs SQL that it is given as a value"),
        "Write that SQL as a part of the statement, for example as a subquery.",
    )
    .about(format_args!("{called}"))
    .of(Some(format!("function {shown}")))
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::check;

    #[test]
    fn strings_that_run_are_seen() {
        check(
            Rule::SqlInString,
            &[
                "SELECT query_to_xml('SELECT 1', true, true, '')",
                "SELECT query_to_xmlschema($1, true, true, '')",
                "SELECT table_to_xml('t', true, true, '')",
                "SELECT schema_to_xml('public', true, true, '')",
                "SELECT database_to_xml(true, true, '')",
                "SELECT cursor_to_xml('c', 1, true, true, '')",
                "SELECT * FROM ts_stat('SELECT 1')",
                "SELECT ts_rewrite('a'::tsquery, 'SELECT 1')",
            ],
            &["SELECT ts_rewrite('a & b'::tsquery, 'a'::tsquery, 'c'::tsquery)"],
        );
    }
}
