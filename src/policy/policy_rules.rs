//! The rules that a policy makes beyond the gate's own, and whether they are enforced.
//!
//! Only these can be observed: a write is refused whatever a policy says.

use super::repair::words;

/// Whether a rule refuses, or only counts what it would have refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RuleMode {
    /// It refuses.
    #[default]
    Enforce,
    /// It changes no answer and counts what would have been.
    Observe,
}

words! {
    /// How much of what a policy says is enforced, in a word.
    Strictness {
        /// All of it.
        Enforce => "enforce",
        /// Single rules of it are only observed.
        Mixed => "mixed",
        /// It observes, but for single rules and models.
        Observe => "observe",
    }
}

words! {
    /// A rule that a policy makes. The name is that of the gate's rule that enforces it.
    PolicyRule {
        /// `relations`: a relation that may not be read.
        RelationDenied => "relation_denied",
        /// `columns`: a column that may not be read.
        ColumnDenied => "column_denied",
        /// What is read cannot be told, while something is hidden.
        NotResolved => "not_resolved",
        /// `models`: a model stands for what is read.
        Model => "model",
        /// `functions.deny`.
        FunctionDenied => "function_denied",
        /// `statements.allow` and `statements.deny`.
        StatementDenied => "statement_denied",
        /// `settings.deny`.
        SettingDenied => "setting_denied",
        /// `limits.nesting`.
        Nesting => "nesting",
        /// `limits.result_rows`.
        ResultRows => "result_rows",
        /// `limits.result_bytes`.
        ResultBytes => "result_bytes",
        /// `limits.max_plan_cost`.
        PlanCost => "plan_cost",
        /// `limits.max_plan_rows`.
        PlanRows => "plan_rows",
        /// `limits.concurrency_per_user`.
        Concurrency => "concurrency",
        /// `limits.statements_per_second` and `limits.statements_per_day`.
        StatementRate => "statement_rate",
        /// `limits.rows_per_day` and `limits.bytes_per_day`.
        DailyBudget => "daily_budget",
        /// `limits.connections_per_user`.
        ConnectionsPerUser => "connections_per_user",
        /// `limits.idle_time`.
        IdleTime => "idle_time",
    }
}

/// The gate's own rules, by their names. A test proves that these are all of them.
pub(super) const GATE_RULES: &[&str] = &[
    "too_long",
    "too_complex",
    "syntax_error",
    "several_statements",
    "node_unknown",
    "write_statement",
    "modifying_cte",
    "select_into",
    "locking_clause",
    "ddl",
    "maintenance",
    "copy",
    "explain_analyze",
    "do_and_call",
    "settings",
    "set_config",
    "roles",
    "prepared_transaction",
    "prepared_name",
    "cursor_name",
    "too_many_names",
    "with_hold",
    "listen_notify",
    "lock",
    "load",
    "function_effects",
    "sql_in_string",
    "unknown_function",
    "temp_schema",
    "operator_schema",
    "tablesample_method",
    "newer_syntax",
    "hidden_function",
    "function_path",
    "overloaded_builtin",
    "operator_effects",
    "cast_effects",
    "type_effects",
    "view_effects",
    "row_policy_effects",
    "foreign_table",
    "catalog_missing",
    "startup_parameter",
    "replication",
    "function_call",
    "memory",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::Rule;

    #[test]
    fn the_rules_are_those_of_the_gate() {
        let own = PolicyRule::ALL.iter().map(|rule| rule.name());
        let mut named: Vec<&str> = own.chain(GATE_RULES.iter().copied()).collect();
        let mut known: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        named.sort_unstable();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
