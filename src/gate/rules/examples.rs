//! The examples in the rules' own docs, run.

use crate::gate::Rule;
use crate::gate::rules::check::{
    check, check_bi, check_blind, check_denies, check_hides, check_models, check_shop,
};

#[test]
fn every_rule_explains_itself_and_its_examples_hold() {
    for (rule, source) in SOURCES {
        let name = rule.name();
        assert!(source.starts_with(&format!("//! `{name}`: ")), "{name}");
        let mut section = "";
        let mut found = Vec::new();
        for line in source.lines().map_while(|line| line.strip_prefix("//!")) {
            let line = line.trim();
            if let Some(heading) = line.strip_prefix("# ") {
                section = heading;
                found.push(heading);
            } else if let Some(example) = line.strip_prefix("- `") {
                run(*rule, section, example);
            }
        }
        assert_eq!(
            found,
            ["Sees", "Why", "Before", "After", "When not"],
            "{name}"
        );
    }
}

#[test]
fn every_rule_that_sees_statements_has_a_file() {
    for rule in Rule::ALL {
        let has_file = SOURCES.iter().any(|(known, _)| *known == rule);
        let outside_sql = matches!(
            rule,
            Rule::StartupParameter
                | Rule::Replication
                | Rule::FunctionCall
                | Rule::Memory
                | Rule::ResultRows
                | Rule::ResultBytes
                | Rule::PlanCost
                | Rule::PlanRows
                | Rule::Concurrency
                | Rule::StatementRate
                | Rule::ConnectionsPerUser
                | Rule::IdleTime
        );
        assert!(has_file != outside_sql, "{}", rule.name());
    }
}

/// One example: `sql` in backticks, with the policy behind it where it is not `agent`.
fn run(rule: Rule, section: &str, example: &str) {
    let (sql, policy) = example.rsplit_once('`').expect("closing backtick");
    let check = match policy.trim() {
        "" => check,
        "(bi)" => check_bi,
        "(shop)" => check_shop,
        "(blind)" => check_blind,
        "(hides)" => check_hides,
        "(denies)" => check_denies,
        "(models)" => check_models,
        other => panic!("unknown policy {other}"),
    };
    match section {
        "Before" => check(rule, &[sql], &[]),
        "After" => check(rule, &[], &[sql]),
        _ => panic!("{}: an example under {section}", rule.name()),
    }
}

const SOURCES: &[(Rule, &str)] = &[
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
