//! The questions by which clients tell a primary from a standby when they connect.
//!
//! Connection strings that name several hosts have a driver ask each of them, where the parameter
//! statuses of the login do not say it: libpq, pgx, lib/pq and tokio-postgres send `SHOW
//! transaction_read_only` or `SELECT pg_is_in_recovery()`, JDBC the first, asyncpg the second,
//! Npgsql the second and `SHOW default_transaction_read_only`. Only a statement that is nothing
//! else is such a question.
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-TARGET-SESSION-ATTRS>

use super::single_call::{called, is_plain};
use crate::rules::CalledName;
use sql::tree::{Node, SyntaxTree};

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleQuestion {
    /// SHOW of `transaction_read_only`.
    TransactionReadOnly,
    /// SHOW of `default_transaction_read_only`.
    DefaultReadOnly,
    /// SHOW of `in_hot_standby`.
    InHotStandby,
    /// SELECT of `pg_is_in_recovery()`.
    InRecovery,
}

impl RoleQuestion {
    /// The question that a text is.
    pub(crate) fn of(tree: &SyntaxTree) -> Option<Self> {
        let mut statements = tree.statements();
        let (Some(only), None) = (statements.next(), statements.next()) else {
            return None;
        };
        match only.node {
            Node::VariableShowStmt(show) => Self::of_setting(show.name().unwrap_or_default()),
            Node::SelectStmt(select) => {
                let mut targets = select.target_list().iter();
                let (Some(target), None) = (targets.next(), targets.next()) else {
                    return None;
                };
                let is_alone = is_plain(select)
                    && select.from_clause().is_empty()
                    && matches!(select.where_clause(), Node::None);
                let call = called(target).filter(|_| is_alone)?;
                let called = CalledName::of(call.funcname());
                let of_server = matches!(called.schema, None | Some("pg_catalog"));
                let asks = of_server
                    && called.name == "pg_is_in_recovery"
                    && call.args().is_empty()
                    && !call.agg_star;
                asks.then_some(Self::InRecovery)
            }
            _ => None,
        }
    }

    fn of_setting(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "transaction_read_only" => Some(Self::TransactionReadOnly),
            "default_transaction_read_only" => Some(Self::DefaultReadOnly),
            "in_hot_standby" => Some(Self::InHotStandby),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionNames;
    use crate::rules::check::gate;
    use policy::Policy;

    fn asked(text: &str) -> Option<RoleQuestion> {
        let judgement = gate(Policy::bi()).judge(text.into(), &SessionNames::of_no_database());
        judgement.facts.asks_role
    }

    #[test]
    fn questions_of_drivers_are_known() {
        for (text, question) in [
            (
                "SHOW transaction_read_only",
                RoleQuestion::TransactionReadOnly,
            ),
            (
                "show Transaction_Read_Only;",
                RoleQuestion::TransactionReadOnly,
            ),
            (
                "SHOW \"transaction_read_only\" -- x",
                RoleQuestion::TransactionReadOnly,
            ),
            (
                "SHOW default_transaction_read_only",
                RoleQuestion::DefaultReadOnly,
            ),
            ("SHOW in_hot_standby", RoleQuestion::InHotStandby),
            ("select pg_is_in_recovery()", RoleQuestion::InRecovery),
            (
                "SELECT pg_catalog.pg_is_in_recovery()",
                RoleQuestion::InRecovery,
            ),
            (
                "SELECT pg_is_in_recovery() AS standby;",
                RoleQuestion::InRecovery,
            ),
        ] {
            assert_eq!(asked(text), Some(question), "{text}");
        }
    }

    #[test]
    fn what_says_more_is_no_question() {
        for text in [
            "SHOW ALL",
            "SHOW jit",
            "SHOW transaction_isolation",
            "SELECT current_setting('transaction_read_only')",
            "SELECT pg_is_in_recovery(), 1",
            "SELECT pg_is_in_recovery() FROM pg_class",
            "SELECT pg_is_in_recovery() WHERE true",
            "SELECT NOT pg_is_in_recovery()",
            "SELECT pg_is_in_recovery()::text",
            "SELECT (SELECT pg_is_in_recovery())",
            "SELECT pg_is_in_recovery() UNION SELECT false",
            "SELECT DISTINCT pg_is_in_recovery()",
            "SHOW transaction_read_only; SHOW transaction_read_only",
            "EXPLAIN SELECT pg_is_in_recovery()",
            "PREPARE p AS SELECT pg_is_in_recovery()",
            "DECLARE c CURSOR FOR SELECT pg_is_in_recovery()",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
