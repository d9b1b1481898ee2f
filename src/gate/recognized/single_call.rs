//! SELECTs of one row with a call that passes in no other place.
//!
//! Dump tools and parallel readers export a snapshot by one: pg_dump by that call alone, DuckDB's
//! extension together with what tells a standby. pg_dump sets what a server may lack by another,
//! whose name comes from `pg_settings`.

use crate::basis::SearchPaths;
use crate::context::JudgeContext;
use crate::models::from_names;
use crate::rules::CalledName;
use sql::tree::{A_Expr_Kind, ConstValue, Node, SetOperation, SubLinkType, list::NodeList, nodes};

/// What a SELECT is beside its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum SingleCall {
    /// No such SELECT.
    #[default]
    None,
    /// `SELECT pg_export_snapshot()`, perhaps with other single values.
    Export,
    /// `SELECT f(name, …) FROM pg_settings WHERE name = '…'`: the name of the setting, of which
    /// there is one or none.
    OfSetting(Box<str>),
}

impl SingleCall {
    /// That of a statement.
    pub(crate) fn of(node: Node<'_>, context: &JudgeContext<'_>) -> Self {
        match node {
            Node::SelectStmt(select) if is_plain(select) => {
                if exports_once(select, node) {
                    return Self::Export;
                }
                match setting(select) {
                    Some(name) if finds_built_ins_first(context) => Self::OfSetting(name.into()),
                    Some(_) | None => Self::None,
                }
            }
            _ => Self::None,
        }
    }

    /// The setting that an argument names.
    pub(crate) fn setting_of(&self, argument: Node<'_>) -> Option<&str> {
        match self {
            Self::OfSetting(name) if is_name(argument) => Some(name),
            Self::OfSetting(_) | Self::Export | Self::None => None,
        }
    }
}

/// Nothing but values, of which nothing is said but where their rows come from.
pub(crate) fn is_plain(select: &nodes::SelectStmt) -> bool {
    select.op == SetOperation::SETOP_NONE
        && select.with_clause().is_none()
        && select.into_clause().is_none()
        && select.distinct_clause().is_empty()
        && select.group_clause().is_empty()
        && matches!(select.having_clause(), Node::None)
        && select.window_clause().is_empty()
        && select.values_lists().is_empty()
        && select.sort_clause().is_empty()
        && matches!(select.limit_count(), Node::None)
        && matches!(select.limit_offset(), Node::None)
        && select.locking_clause().is_empty()
}

/// Whether it is one row in which a snapshot is exported once.
fn exports_once(select: &nodes::SelectStmt, node: Node<'_>) -> bool {
    let one_row = select.from_clause().is_empty() && matches!(select.where_clause(), Node::None);
    let mut targets = select.target_list().iter();
    let exports = |call: &nodes::FuncCall| is_built_in(call, EXPORT);
    if !one_row || !targets.any(|target| called(target).is_some_and(exports)) {
        return false;
    }
    let is_single = |target: &nodes::ResTarget| match target.val() {
        Node::SubLink(link) => link.sub_link_type == SubLinkType::EXPR_SUBLINK,
        Node::A_Const(_) => true,
        _ => called(target).is_some_and(|call| exports(call) || is_built_in(call, IN_RECOVERY)),
    };
    let Ok(named) = from_names::of(node) else {
        return false;
    };
    let of_name = |call: &&&nodes::FuncCall| CalledName::of(call.funcname()).name == EXPORT;
    select.target_list().iter().all(is_single) && named.calls.iter().filter(of_name).count() == 1
}

/// The call that a value is, and nothing beside it.
pub(crate) fn called(target: &nodes::ResTarget) -> Option<&nodes::FuncCall> {
    match target.val() {
        Node::FuncCall(call)
            if target.indirection().is_empty()
                && call.agg_order().is_empty()
                && matches!(call.agg_filter(), Node::None)
                && call.over().is_none()
                && !call.func_variadic =>
        {
            Some(call)
        }
        _ => None,
    }
}

/// Whether a call without arguments is of a built-in of this name.
fn is_built_in(call: &nodes::FuncCall, name: &str) -> bool {
    let called = CalledName::of(call.funcname());
    let of_server = matches!(called.schema, None | Some("pg_catalog"));
    of_server && called.name == name && call.args().is_empty() && !call.agg_star
}

fn is_constant_or_name(argument: Node<'_>) -> bool {
    matches!(argument, Node::A_Const(_)) || is_name(argument)
}

/// The literal that `name` is compared with in `FROM pg_settings WHERE name = '…'`.
fn setting(select: &nodes::SelectStmt) -> Option<&str> {
    let mut targets = select.target_list().iter();
    let call = match (targets.next(), targets.next()) {
        (Some(only), None) => called(only)?,
        _ => return None,
    };
    if !call.args().iter().all(is_constant_or_name) {
        return None;
    }
    let mut from = select.from_clause().iter();
    let (Some(Node::RangeVar(table)), None) = (from.next(), from.next()) else {
        return None;
    };
    let is_settings = table.relname() == Some("pg_settings")
        && matches!(table.schemaname(), None | Some("pg_catalog"))
        && table.catalogname().is_none()
        && table.alias().is_none();
    let Node::A_Expr(compared) = select.where_clause() else {
        return None;
    };
    let is_equal = compared.kind == A_Expr_Kind::AEXPR_OP && is_one(compared.name(), "=");
    let Node::A_Const(constant) = compared.rexpr() else {
        return None;
    };
    match constant.val() {
        Some(ConstValue::String(name))
            if is_settings && is_equal && is_name(compared.lexpr()) && !constant.isnull =>
        {
            Some(name)
        }
        _ => None,
    }
}

/// Whether it is the column `name`.
fn is_name(node: Node<'_>) -> bool {
    is_column(node, "name")
}

/// Whether it is a column of this name, with nothing before it.
pub(crate) fn is_column(node: Node<'_>, name: &str) -> bool {
    matches!(node, Node::ColumnRef(column) if is_one(column.fields(), name))
}

/// Whether a list is this one name.
pub(crate) fn is_one(names: &NodeList, name: &str) -> bool {
    names.len() == 1 && names.get(0).and_then(|own| own.as_str()) == Some(name)
}

/// Whether names that the server brings along mean what it brings along.
fn finds_built_ins_first(context: &JudgeContext<'_>) -> bool {
    let SearchPaths::Known(paths) = context.paths() else {
        return false;
    };
    let first = |path: &[Box<str>]| {
        let place = path.iter().position(|name| **name == *"pg_catalog");
        place.is_none_or(|place| place == 0)
    };
    paths.iter().all(|path| first(path))
}

/// What exports a snapshot.
const EXPORT: &str = "pg_export_snapshot";

/// What tells a standby.
const IN_RECOVERY: &str = "pg_is_in_recovery";

#[cfg(test)]
mod tests {
    use crate::rules::check::{check_bi, check_in, gate, path_of, session_of, shop};
    use crate::{Rule, SearchPaths};
    use policy::Policy;

    const OF_SETTINGS: &[&str] = &[
        "SELECT set_config(name, 'view, foreign-table', false) FROM pg_settings WHERE name = 'restrict_nonsystem_relation_kind'",
        "SELECT pg_catalog.set_config(name, 'off', true) FROM pg_catalog.pg_settings WHERE name = 'jit'",
    ];

    #[test]
    fn a_setting_may_be_named_by_what_pg_settings_is_searched_for() {
        let names = session_of(shop().build(), &Policy::bi());
        let refused = [
            "SELECT set_config(name, 'off', false) FROM pg_settings",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name <> 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name LIKE 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('jit')",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = $1",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE 'jit' = name",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE setting = 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name OPERATOR(shop.=) 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit' OR true",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE NOT name = 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = ANY ('{jit}')",
            "SELECT set_config(setting, 'off', false) FROM pg_settings WHERE name = 'jit'",
            "SELECT set_config(name, setting, false) FROM pg_settings WHERE name = 'search_path'",
            "SELECT set_config(name, 'off', false) FROM pg_settings p WHERE name = 'jit'",
            "SELECT set_config(name, 'off', false) FROM shop.pg_settings WHERE name = 'jit'",
            "SELECT set_config(name, 'off', false) FROM d.pg_catalog.pg_settings WHERE name = 'jit'",
            "SELECT set_config(name, 'off', false) FROM pg_settings, pg_class WHERE name = 'jit'",
            "SELECT set_config(name, 'off', false), 1 FROM pg_settings WHERE name = 'jit'",
            "WITH pg_settings AS (SELECT 'role' AS name) SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit'",
            "SELECT 1 FROM (SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit') x",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit' UNION SELECT ''",
            "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit'; SELECT set_config(name, 'off', false)",
        ];
        let bi = gate(Policy::bi());
        check_in(&bi, &names, Rule::SetConfig, &refused, OF_SETTINGS);
        let settings = [
            "SELECT set_config(name, 'maybe', false) FROM pg_settings WHERE name = 'default_transaction_read_only'",
            "SELECT set_config(name, '', false) FROM pg_settings WHERE name = 'Transaction_Read_Only'",
            "SELECT set_config(name, 'evil, pg_catalog', false) FROM pg_settings WHERE name = 'search_path'",
        ];
        check_in(&bi, &names, Rule::Settings, &settings, &[]);
        let roles = ["SELECT set_config(name, 'x', false) FROM pg_settings WHERE name = 'role'"];
        check_in(&bi, &names, Rule::Roles, &roles, &[]);
    }

    #[test]
    fn it_has_to_be_the_pg_settings_of_the_server() {
        let mut names = session_of(shop().build(), &Policy::bi());
        let bi = gate(Policy::bi());
        for path in [
            SearchPaths::Unknown,
            path_of(&["public", "pg_catalog"]),
            match path_of(&["public"]) {
                SearchPaths::Known(paths) => SearchPaths::Unsure(paths),
                other => other,
            },
        ] {
            names.set_paths(path);
            check_in(&bi, &names, Rule::SetConfig, OF_SETTINGS, &[]);
        }
        for path in [path_of(&[]), path_of(&["pg_catalog", "public"])] {
            names.set_paths(path);
            check_in(&bi, &names, Rule::SetConfig, &[], OF_SETTINGS);
        }
    }

    #[test]
    fn a_snapshot_is_exported_once_by_a_statement() {
        check_bi(
            Rule::FunctionEffects,
            &[
                "SELECT pg_export_snapshot() FROM generate_series(1, 1000000)",
                "SELECT pg_export_snapshot(), pg_export_snapshot()",
                "SELECT pg_export_snapshot() WHERE true",
                "SELECT * FROM pg_export_snapshot()",
                "SELECT (SELECT pg_export_snapshot())",
                "SELECT lower(pg_export_snapshot())",
                "VALUES (pg_export_snapshot())",
                "SELECT pg_export_snapshot() UNION SELECT ''",
                "SELECT pg_export_snapshot() LIMIT pg_export_snapshot()::int",
                "SELECT pg_export_snapshot() OVER ()",
                "SELECT pg_export_snapshot(), generate_series(1, 1000000)",
                "SELECT pg_export_snapshot(), (SELECT max(pg_export_snapshot()) FROM generate_series(1, 9))",
                "SELECT 1, (SELECT pg_export_snapshot())",
                "SELECT pg_is_in_recovery(), pg_export_snapshot() FROM pg_class",
                "SELECT DISTINCT pg_export_snapshot()",
                "SELECT pg_export_snapshot(*)",
                "WITH w AS (SELECT 1) SELECT pg_export_snapshot()",
                "SELECT * FROM (SELECT pg_export_snapshot()) s, generate_series(1, 9)",
            ],
            &[
                "SELECT pg_export_snapshot()",
                "SELECT pg_catalog.pg_export_snapshot() AS id",
                "SELECT pg_is_in_recovery(), pg_export_snapshot(), (select count(*) from pg_stat_wal_receiver)",
                "SELECT pg_is_in_recovery(), pg_export_snapshot()",
                "SELECT 1, pg_export_snapshot(), 'x'",
                "BEGIN; SELECT \"pg_export_snapshot\"(); COMMIT",
                "PREPARE e AS SELECT pg_export_snapshot()",
                "DECLARE c CURSOR FOR SELECT pg_export_snapshot()",
            ],
        );
        check_bi(
            Rule::UnknownFunction,
            &["SELECT shop.pg_export_snapshot()"],
            &[],
        );
    }
}
