//! `set_config`: set_config() with a name or value that is not a literal and so cannot be judged.
//!
//! # Sees
//! A call of set_config whose name is not a literal, or whose value is not one though the policy
//! restricts the setting's values. With literals it is judged like the SET that it is: by
//! `settings` and `roles`. current_setting of pgsieve's own settings, and of what is no literal
//! where the policy has a key for the mask `hash`.
//!
//! # Why
//! What is computed while the statement runs cannot be judged before.
//!
//! # Before
//! - `SELECT set_config(name, 'off', false) FROM pg_settings`
//! - `SELECT set_config('default_transaction_read_only', $1, false)`
//!
//! # After
//! - `SELECT set_config('TimeZone', 'UTC', false)`
//! - `SELECT set_config('search_path', '', false)`
//! - `SELECT set_config('jit', $1, false)`
//!
//! # When not
//! current_setting() of others only reads and passes. A setting that the policy lets take whatever
//! the server takes (`any`, or `on or off` where the server knows no other value) may be given a
//! parameter or an expression: drivers put a value back that way. The expression itself is judged
//! as any other.
//! `SELECT set_config(name, …) FROM pg_settings WHERE name = '…'` names its setting, which the
//! server may lack: pg_dump sends that.

use crate::context::JudgeContext;
use crate::rules::{CalledName, RuleResult, roles, setting_denied, settings};
use crate::settings as setting;
use crate::settings::AllowedSetting;
use crate::settings::search_path;
use crate::settings::search_path::SetConfigValue;
use crate::settings::{read_write, tracked};
use crate::{Refusal, Rule};
use policy::SettingValue;
use sql::tree::{ConstValue, Node, nodes};

pub(crate) fn check(call: &nodes::FuncCall, context: &mut JudgeContext<'_>) -> RuleResult {
    let arguments = call.args();
    let (Some(name), Some(value), 3) = (arguments.get(0), arguments.get(1), arguments.len()) else {
        return Err(refusal());
    };
    if call.func_variadic {
        return Err(refusal());
    }
    let of_setting = context.single_call.setting_of(name).map(str::to_owned);
    let name = match (literal(name), &of_setting) {
        (SettingLiteral::Text { text, .. }, _) => text,
        (_, Some(name)) => name,
        (SettingLiteral::Null { .. } | SettingLiteral::None, None) => return Err(refusal()),
    };
    // NULL would answer with what the session began with.
    setting::reserved(Rule::Settings, name)?;
    match literal(value) {
        // NULL resets, as RESET does.
        SettingLiteral::Null { location } => null(name, location, context)?,
        SettingLiteral::Text { text, location } => judge(name, text, location, context)?,
        SettingLiteral::None if is_named(value) => return Err(refusal()),
        SettingLiteral::None if setting::passes_unseen(context.policy, name) => {}
        SettingLiteral::None => return Err(refusal()),
    }
    setting_denied::check(name, context)?;
    context.touch_settings();
    let value = match literal(value) {
        SettingLiteral::Text { text, .. } => SetConfigValue::Text(text),
        SettingLiteral::Null { .. } => SetConfigValue::Null,
        SettingLiteral::None => SetConfigValue::Unseen,
    };
    search_path::note_set_config(name, value, arguments.get(2), context);
    tracked::note_set_config(name, value, arguments.get(2), context);
    Ok(())
}

/// current_setting() reads any setting but pgsieve's own. Where those hold a secret its name has to
/// be a literal. What pgsieve itself put into a text reads them.
pub(crate) fn look_at_read(
    called: CalledName<'_>,
    call: &nodes::FuncCall,
    context: &JudgeContext<'_>,
) -> RuleResult {
    let is_it = called.name == "current_setting"
        && called.schema.is_none_or(|schema| schema == "pg_catalog");
    if !is_it || context.trusts(usize::try_from(call.location).ok()) {
        return Ok(());
    }
    match call.args().get(0).map(literal) {
        Some(SettingLiteral::Text { text, .. }) if !call.func_variadic => {
            setting::reserved(Rule::SetConfig, text)
        }
        _ => any_setting(context),
    }
}

/// `(x).current_setting` and `x.current_setting` call it where `x` has no such column.
pub(crate) fn look_at_field(name: &str, context: &JudgeContext<'_>) -> RuleResult {
    match name {
        "current_setting" => any_setting(context),
        _ => Ok(()),
    }
}

/// A setting whose name is not known.
fn any_setting(context: &JudgeContext<'_>) -> RuleResult {
    if context.policy.mask_key().is_none() {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::SetConfig,
        "current_setting() of a name that is no literal is not allowed: the session holds a secret \
         of the policy",
        "Write the name as a literal, or SHOW the setting.",
    ))
}

fn judge(name: &str, text: &str, location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    if roles::is_role(name) {
        return match roles::stays(name, text, context.role()) {
            true => read_write::null(location, context),
            false => Err(roles::refusal()),
        };
    }
    match setting::judge(
        context.policy,
        Rule::Settings,
        name,
        SettingValue::Text(text),
    )? {
        AllowedSetting::Unchanged => Ok(()),
        AllowedSetting::Lowered { to } => settings::lower(name, to, location, context),
        AllowedSetting::ReadOnly => read_write::text(name, location, context),
    }
}

/// To the server's default, which of one setting is not the session's.
fn null(name: &str, location: i32, context: &mut JudgeContext<'_>) -> RuleResult {
    match name.eq_ignore_ascii_case("transaction_read_only") {
        true if read_write::is_lowered(context.policy) => read_write::text(name, location, context),
        true => Err(setting::stays_read_only(Rule::Settings)),
        false => Ok(()),
    }
}

/// Written as `name => value`: the place of an argument then says nothing about what it is.
fn is_named(argument: Node<'_>) -> bool {
    matches!(argument, Node::NamedArgExpr(_))
}

enum SettingLiteral<'t> {
    Text { text: &'t str, location: i32 },
    Null { location: i32 },
    None,
}

fn literal(node: Node<'_>) -> SettingLiteral<'_> {
    match node {
        Node::A_Const(constant) if constant.isnull => SettingLiteral::Null {
            location: constant.location,
        },
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::String(text)) => SettingLiteral::Text {
                text,
                location: constant.location,
            },
            _ => SettingLiteral::None,
        },
        // 'x'::text is how some drivers write a text; no other type is taken for one.
        Node::TypeCast(cast) if is_text(cast) => match cast.arg() {
            Node::A_Const(constant) if constant.isnull => SettingLiteral::Null {
                location: constant.location,
            },
            Node::A_Const(constant) => match constant.val() {
                Some(ConstValue::String(text)) => SettingLiteral::Text {
                    text,
                    location: constant.location,
                },
                _ => SettingLiteral::None,
            },
            _ => SettingLiteral::None,
        },
        _ => SettingLiteral::None,
    }
}

fn is_text(cast: &nodes::TypeCast) -> bool {
    cast.type_name().is_some_and(|name| {
        let names = name.names();
        let last = names.iter().next_back().and_then(|part| part.sval());
        let schema_known = match names.len() {
            1 => true,
            2 => names.get(0).and_then(|part| part.sval()) == Some("pg_catalog"),
            _ => false,
        };
        schema_known && last == Some("text") && name.array_bounds().is_empty()
    })
}

pub(crate) fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::SetConfig,
        "set_config is not allowed here: its name, and its value for this setting, must be literals",
        "Write SET name = value, or set_config with both as literals.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi, check_yaml};

    #[test]
    fn computed_settings_are_seen() {
        check(
            Rule::SetConfig,
            &[
                "SELECT set_config('default_' || 'transaction_read_only', 'off', false)",
                "SELECT set_config($1, 'off', false)",
                "SELECT set_config(lower('JIT'), $1, false)",
                "SELECT set_config($1, $2, false)",
                "SELECT set_config('search_path', $1, false)",
                "SELECT set_config('statement_timeout', $1, false)",
                "SELECT set_config('Statement_Timeout', lower('0'), true)",
                "SELECT set_config('default_transaction_read_only', $1, false)",
                "SELECT set_config('transaction_read_only', $1::text, false)",
                "SELECT set_config('client_encoding', $1, false)",
                "SELECT set_config('standard_conforming_strings', $1, false)",
                "SELECT set_config('bytea_output', $1, false)",
                "SELECT set_config('extra_float_digits', $1, false)",
                "SELECT set_config('session_replication_role', $1, false)",
                "SELECT set_config('role', $1, false)",
                "SELECT set_config('session_authorization', $1, false)",
                "SELECT set_config('row_security', $1, false)",
                "SELECT set_config('app.tenant', $1, false)",
                "SELECT set_config('no such setting', $1, false)",
                "SELECT set_config(name => 'jit', value => 'off', is_local => false)",
                "SELECT set_config('jit', is_local => $1, new_value => 'off')",
                "SELECT set_config('jit', 'off')",
                "SELECT pg_catalog.set_config(VARIADIC ARRAY['jit', 'off', 'f'])",
            ],
            &[
                "SELECT set_config('jit','off',false)",
                "SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new",
                "SELECT set_config('jit', $1, false)",
                "SELECT pg_catalog.set_config('JIT'::text, $1::text, true)",
                "SELECT set_config('jit', 'off'::varchar, false)",
                "SELECT set_config('jit', (SELECT 'off'), false)",
                "SELECT set_config('TimeZone', coalesce($1, 'UTC'), false)",
                "PREPARE back AS SELECT set_config('jit', $1, false)",
                "SELECT set_config('bytea_output','hex',false)",
                "SELECT pg_catalog.set_config('search_path', '', false)",
                "SELECT set_config('search_path', 'public'::text, false)",
                "SELECT set_config('work_mem', NULL, false)",
            ],
        );
    }

    #[test]
    fn another_policy_gives_other_settings_and_restricts_the_same() {
        check_bi(
            Rule::SetConfig,
            &[
                "SELECT set_config('search_path', $1, false)",
                "SELECT set_config('statement_timeout', $1, false)",
                "SELECT set_config('default_transaction_read_only', $1, false)",
                "SELECT set_config('role', $1, false)",
                "SELECT set_config($1, 'off', false)",
                "SELECT set_config('app.tenant', $1, false)",
            ],
            &[
                "SELECT set_config('jit', $1, false)",
                "SELECT set_config('row_security', $1, false)",
                "SELECT set_config('random_page_cost', $1, false)",
            ],
        );
        let narrower = include_str!("../../../policies/agent.yaml")
            .replace("    jit: on or off\n", "    jit: only off\n")
            .replace("synchronous_commit: any", "synchronous_commit: on or off")
            .replace("    timezone: any\n", "");
        check_yaml(
            &narrower,
            Rule::SetConfig,
            &[
                "SELECT set_config('jit', $1, false)",
                "SELECT set_config('synchronous_commit', $1, false)",
                "SELECT set_config('timezone', $1, false)",
            ],
            &["SELECT set_config('jit', 'off', false)"],
        );
    }

    #[test]
    fn what_a_value_is_computed_from_is_judged_as_well() {
        check(
            Rule::Settings,
            &["SELECT set_config('jit', set_config('client_encoding', 'SJIS', false), false)"],
            &[],
        );
        check(
            Rule::FunctionEffects,
            &["SELECT set_config('application_name', pg_read_file('x'), false)"],
            &[],
        );
    }

    #[test]
    fn literal_settings_are_judged_like_a_set() {
        check(
            Rule::Settings,
            &[
                "SELECT set_config('default_transaction_read_only', 'maybe', false)",
                "SELECT \"set_config\"('Default_Transaction_Read_Only', '', true)",
                "SELECT set_config('search_path', 'evil, pg_catalog', false)",
                "SELECT set_config('session_replication_role', 'replica', false)",
                "SELECT 1 WHERE set_config('standard_conforming_strings', 'off', false) = ''",
                "SELECT set_config('a secret in a name', 'x', false)",
            ],
            &["SELECT set_config('default_transaction_read_only', 'on', false)"],
        );
    }
}
