//! What each rule says of itself: the head of its file, for whoever was refused by it. Rules that
//! are about no statement have no file, and a sentence here.

use crate::gate::Rule;

/// What a rule sees, why, an example before and after it, and when it does not apply; a heading
/// and a paragraph in turn.
pub fn lines(rule: Rule) -> Vec<&'static str> {
    match SOURCES.iter().find(|(known, _)| *known == rule) {
        Some((_, source)) => head(source),
        None => vec![in_short(rule)],
    }
}

fn head(source: &'static str) -> Vec<&'static str> {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let plain = |line: &'static str| {
        let line = line.strip_prefix(' ').unwrap_or(line);
        line.strip_prefix("# ").unwrap_or(line)
    };
    lines.map(plain).collect()
}

fn in_short(rule: Rule) -> &'static str {
    match rule {
        Rule::StartupParameter => {
            "`startup_parameter`: parameters and switches of the startup message that are not \
             passed on."
        }
        Rule::Replication => "`replication`: replication connections.",
        Rule::FunctionCall => {
            "`function_call`: the FunctionCall message, which calls a function by its oid, without \
             a text to judge."
        }
        Rule::Memory => {
            "`memory`: messages for which limits.memory, which all clients share, has \
                         no room."
        }
        Rule::ResultRows => "`result_rows`: results with more rows than limits.result_rows.",
        Rule::ResultBytes => "`result_bytes`: results with more bytes than limits.result_bytes.",
        Rule::PlanCost => "`plan_cost`: plans that cost more than limits.max_plan_cost.",
        Rule::PlanRows => "`plan_rows`: plans of more rows than limits.max_plan_rows.",
        Rule::Concurrency => {
            "`concurrency`: more statements of a user at a time than limits.concurrency_per_user."
        }
        Rule::StatementRate => {
            "`statement_rate`: more statements of a user than statements_per_second or \
             statements_per_day."
        }
        Rule::DailyBudget => {
            "`daily_budget`: more rows or bytes for a user in a day than rows_per_day or \
             bytes_per_day."
        }
        Rule::ConnectionsPerUser => {
            "`connections_per_user`: more connections of a user than limits.connections_per_user."
        }
        Rule::IdleTime => "`idle_time`: sessions that were idle for longer than limits.idle_time.",
        _ => "",
    }
}

/// The files, in the order of [`Rule::ALL`] or close to it.
pub(super) const SOURCES: &[(Rule, &str)] = &[
    (Rule::TooLong, include_str!("too_long.rs")),
    (Rule::TooComplex, include_str!("too_complex.rs")),
    (Rule::SyntaxError, include_str!("syntax_error.rs")),
    (
        Rule::SeveralStatements,
        include_str!("several_statements.rs"),
    ),
    (Rule::NodeUnknown, include_str!("node_unknown.rs")),
    (Rule::WriteStatement, include_str!("write_statement.rs")),
    (Rule::ModifyingCte, include_str!("modifying_cte.rs")),
    (Rule::SelectInto, include_str!("select_into.rs")),
    (Rule::LockingClause, include_str!("locking_clause.rs")),
    (Rule::Ddl, include_str!("ddl.rs")),
    (Rule::Maintenance, include_str!("maintenance.rs")),
    (Rule::Copy, include_str!("copy.rs")),
    (Rule::ExplainAnalyze, include_str!("explain_analyze.rs")),
    (Rule::DoAndCall, include_str!("do_and_call.rs")),
    (Rule::Settings, include_str!("settings.rs")),
    (Rule::SetConfig, include_str!("set_config.rs")),
    (Rule::Roles, include_str!("roles.rs")),
    (
        Rule::PreparedTransaction,
        include_str!("prepared_transaction.rs"),
    ),
    (Rule::PreparedName, include_str!("prepared_name.rs")),
    (Rule::CursorName, include_str!("cursor_name.rs")),
    (Rule::TooManyNames, include_str!("too_many_names.rs")),
    (Rule::WithHold, include_str!("with_hold.rs")),
    (Rule::ListenNotify, include_str!("listen_notify.rs")),
    (Rule::Lock, include_str!("lock.rs")),
    (Rule::Load, include_str!("load.rs")),
    (Rule::FunctionEffects, include_str!("function_effects.rs")),
    (Rule::SqlInString, include_str!("sql_in_string.rs")),
    (Rule::UnknownFunction, include_str!("unknown_function.rs")),
    (Rule::TempSchema, include_str!("temp_schema.rs")),
    (Rule::OperatorSchema, include_str!("operator_schema.rs")),
    (
        Rule::TablesampleMethod,
        include_str!("tablesample_method.rs"),
    ),
    (Rule::NewerSyntax, include_str!("newer_syntax.rs")),
    (Rule::HiddenFunction, include_str!("hidden_function.rs")),
    (Rule::FunctionPath, include_str!("function_path.rs")),
    (
        Rule::OverloadedBuiltin,
        include_str!("overloaded_builtin.rs"),
    ),
    (Rule::OperatorEffects, include_str!("operator_effects.rs")),
    (Rule::CastEffects, include_str!("cast_effects.rs")),
    (Rule::TypeEffects, include_str!("type_effects.rs")),
    (Rule::ViewEffects, include_str!("view_effects.rs")),
    (
        Rule::RowPolicyEffects,
        include_str!("row_policy_effects.rs"),
    ),
    (Rule::CatalogMissing, include_str!("catalog_missing.rs")),
    (Rule::ForeignTable, include_str!("foreign_table.rs")),
    (Rule::RelationDenied, include_str!("relation_denied.rs")),
    (Rule::ColumnDenied, include_str!("column_denied.rs")),
    (Rule::Model, include_str!("model.rs")),
    (Rule::NotResolved, include_str!("not_resolved.rs")),
    (Rule::FunctionDenied, include_str!("function_denied.rs")),
    (Rule::StatementDenied, include_str!("statement_denied.rs")),
    (Rule::SettingDenied, include_str!("setting_denied.rs")),
    (Rule::Nesting, include_str!("nesting.rs")),
];
