//! `settings`: settings, or values of settings, that the policy does not allow.
//!
//! # Sees
//! SET, SET LOCAL, SET SESSION, SET TIME ZONE, SET NAMES, SET TRANSACTION, SET SESSION
//! CHARACTERISTICS, RESET, SET … TO DEFAULT and the modes of BEGIN and START TRANSACTION.
//! `set_config` is judged by the same list.
//!
//! # Why
//! A setting can make the session writable, change how a text is read, or take its bounds away. So
//! each has to be on the policy's list, with a value that the list accepts.
//!
//! # Before
//! - `SET default_transaction_read_only = maybe`
//! - `SET standard_conforming_strings = off`
//! - `SET client_encoding = 'SJIS'`
//! - `SET session_replication_role = replica`
//!
//! # After
//! - `SET default_transaction_read_only = on`
//! - `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`
//! - `SET application_name = 'report'`
//! - `SET statement_timeout = '5s'`
//! - `RESET ALL`
//!
//! # When not
//! A timeout or an amount beyond the policy's bound is lowered to it, and the client told, in place
//! of a refusal; so is READ WRITE to READ ONLY, unless the policy says `read_write: refuse`. RESET
//! and DEFAULT return to what the session started with, which was judged. SET ROLE is `roles`.

use std::borrow::Cow;

use crate::context::JudgeContext;
use crate::recognized::receipt_question;
use crate::rules::{RuleResult, engine_syntax, node_unknown, setting_denied};
use crate::settings;
use crate::settings::AllowedSetting;
use crate::settings::read_write;
use crate::{Refusal, Rule};
use policy::{PlainChoice, SettingAmount, SettingValue, ValueRule};
use sql::edit::TextEdit;
use sql::lexer;
use sql::tree::{ConstValue, Node, VariableSetKind, list::NodeList, nodes};

pub(crate) fn check(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    let Node::VariableSetStmt(set) = node else {
        return Err(node_unknown::refusal(node));
    };
    let name = set.name().unwrap_or_default();
    settings::reserved(Rule::Settings, name)?;
    match set.kind {
        VariableSetKind::VAR_SET_VALUE => {
            check_value(name, set, context)?;
            setting_denied::check(name, context)
        }
        VariableSetKind::VAR_SET_DEFAULT | VariableSetKind::VAR_RESET => {
            check_reset(name, set, context)?;
            setting_denied::note(name, context);
            Ok(())
        }
        VariableSetKind::VAR_RESET_ALL => engine_syntax::check_reset_all(context),
        VariableSetKind::VAR_SET_MULTI
            if matches!(name, "TRANSACTION" | "SESSION CHARACTERISTICS") =>
        {
            check_modes(set.args(), context)
        }
        VariableSetKind::VAR_SET_MULTI if name == "TRANSACTION SNAPSHOT" => {
            check_snapshot(set.args(), context)
        }
        // SET … FROM CURRENT and whatever a later grammar adds.
        _ => Err(not_readable()),
    }
}

/// SHOW reads any setting but pgsieve's own, of which it asks for one.
pub(crate) fn check_show(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    match node {
        Node::VariableShowStmt(show) => match show.name().unwrap_or_default() {
            name if receipt_question::is_asked_by(name) => receipt_question::put_in(context),
            name => {
                engine_syntax::check_show(name, context)?;
                settings::reserved(Rule::Settings, name)
            }
        },
        _ => Err(node_unknown::refusal(node)),
    }
}

pub(crate) fn check_begin(node: Node<'_>, context: &mut JudgeContext<'_>) -> RuleResult {
    match node {
        Node::TransactionStmt(transaction) => check_modes(transaction.options(), context),
        _ => Err(node_unknown::refusal(node)),
    }
}

/// RESET of one setting. `transaction_read_only` alone would fall back to a value that is not the
/// session's.
fn check_reset(
    name: &str,
    set: &nodes::VariableSetStmt,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    if name.eq_ignore_ascii_case("transaction_read_only") {
        return read_write::reset(set, context);
    }
    Ok(())
}

/// Notes that the literal at `location` is replaced by a lower value. The result is judged again.
pub(crate) fn lower(
    name: &str,
    to: SettingAmount,
    location: i32,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let start = usize::try_from(location).map_err(|_| not_lowerable())?;
    let rest = context.text.get(start..).ok_or_else(not_lowerable)?;
    let literal = lexer::tokens(rest).next().ok_or_else(not_lowerable)?;
    let end = start.saturating_add(literal.span.end);
    context.lower(
        name,
        to,
        TextEdit {
            span: start..end,
            replacement: format!("'{}'", to.written()),
        },
    );
    Ok(())
}

/// A value is beyond the policy's bound, and stands where it cannot be replaced.
pub(crate) fn not_lowerable() -> Box<Refusal> {
    Refusal::new(
        Rule::Settings,
        "the value is beyond the bound of the policy",
        "Set a lower value.",
    )
}

fn check_value(
    name: &str,
    set: &nodes::VariableSetStmt,
    context: &mut JudgeContext<'_>,
) -> RuleResult {
    let mut parts = Vec::new();
    for argument in set.args() {
        match part(argument) {
            Some(part) => parts.push(part),
            // SET TIME ZONE INTERVAL '…' carries a cast, and is the only form that does.
            None if matches!(argument, Node::TypeCast(_)) => return check_cast(name, context),
            None => return Err(not_readable()),
        }
    }
    let value = SettingValue::Parts(&parts);
    match settings::judge(context.policy, Rule::Settings, name, value)? {
        AllowedSetting::Unchanged => Ok(()),
        AllowedSetting::Lowered { to } => match set.args().get(0) {
            Some(Node::A_Const(constant)) => lower(name, to, constant.location, context),
            _ => Err(not_lowerable()),
        },
        AllowedSetting::ReadOnly => match set.args().get(0) {
            Some(Node::A_Const(constant)) => read_write::value(name, constant.location, context),
            _ => Err(not_lowerable()),
        },
    }
}

fn check_cast(name: &str, context: &JudgeContext<'_>) -> RuleResult {
    if name == "timezone" && context.policy.setting(name) == Some(&ValueRule::Any) {
        return Ok(());
    }
    Err(not_readable())
}

/// The snapshot of another transaction, by the name that its export has.
fn check_snapshot(name: &NodeList, context: &JudgeContext<'_>) -> RuleResult {
    match (context.policy.statements().snapshots, name.get(0)) {
        (PlainChoice::Allow, Some(only)) if name.len() == 1 && part(only).is_some() => Ok(()),
        (PlainChoice::Allow | PlainChoice::Refuse, _) => Err(not_readable()),
    }
}

/// The modes of a transaction, as BEGIN and SET TRANSACTION list them.
fn check_modes(modes: &NodeList, context: &mut JudgeContext<'_>) -> RuleResult {
    for mode in modes {
        let Node::DefElem(mode) = mode else {
            return Err(node_unknown::refusal(mode));
        };
        match mode.defname().unwrap_or_default() {
            "transaction_isolation" | "transaction_deferrable" => {}
            "transaction_read_only" if is_true(mode.arg()) => {}
            "transaction_read_only" => read_write::mode(mode.location, context)?,
            _ => return Err(not_readable()),
        }
    }
    Ok(())
}

fn is_true(value: Node<'_>) -> bool {
    match value {
        Node::A_Const(constant) => match constant.val() {
            Some(ConstValue::Integer(number)) => number != 0,
            Some(ConstValue::Boolean(value)) => value,
            _ => false,
        },
        _ => false,
    }
}

/// One value of a SET as the server would flatten it.
pub(crate) fn part(node: Node<'_>) -> Option<Cow<'_, str>> {
    let Node::A_Const(constant) = node else {
        return None;
    };
    match constant.val()? {
        ConstValue::String(text) | ConstValue::Float(text) => Some(Cow::Borrowed(text)),
        ConstValue::Integer(number) => Some(Cow::Owned(number.to_string())),
        ConstValue::Boolean(value) => Some(Cow::Borrowed(if value { "true" } else { "false" })),
        _ => None,
    }
}

fn not_readable() -> Box<Refusal> {
    Refusal::new(
        Rule::Settings,
        "this form of SET is not allowed",
        "SET name = value and RESET are accepted for the settings that the policy lists.",
    )
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{check, check_bi, clamped};

    #[test]
    fn a_session_stays_read_only() {
        check(
            Rule::Settings,
            &[
                "SET default_transaction_read_only = ' off'",
                "SET default_transaction_read_only = maybe",
                "SET default_transaction_read_only = o",
                "SET default_transaction_read_only = 2",
                "SET default_transaction_read_only = 0.0",
                "SET default_transaction_read_only = off, off",
                "SET transaction_read_only = ''",
                "SET default_transaction_read_only FROM CURRENT",
                "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'",
            ],
            &[
                "BEGIN READ ONLY",
                "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
                "SET TRANSACTION READ ONLY",
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "SET default_transaction_read_only = on",
                "SET default_transaction_read_only = true",
                "SET transaction_read_only = on",
                "RESET default_transaction_read_only",
                "SET default_transaction_read_only TO DEFAULT",
            ],
        );
    }

    #[test]
    fn another_snapshot_is_a_choice_of_the_policy() {
        check_bi(
            Rule::Settings,
            &["SET default_transaction_read_only FROM CURRENT"],
            &[
                "SET TRANSACTION SNAPSHOT '00000003-0000001B-1'",
                "SET LOCAL TRANSACTION SNAPSHOT 'no such'",
            ],
        );
    }

    #[test]
    fn a_text_is_read_as_it_was_judged() {
        check(
            Rule::Settings,
            &[
                "SET standard_conforming_strings = off",
                "SET client_encoding = 'SJIS'",
                "SET client_encoding TO latin1",
                "SET NAMES 'EUC_JP'",
                "SET search_path = evil, pg_catalog",
            ],
            &[
                "SET standard_conforming_strings = on",
                "SET client_encoding = 'utf-8'",
                "SET client_encoding TO UNICODE",
                "SET NAMES 'UTF8'",
                "SET NAMES",
                "SET search_path = public, \"$user\"",
                "SET SCHEMA 'public'",
                "SET search_path TO pg_catalog, public",
            ],
        );
    }

    #[test]
    fn only_what_the_policy_lists_is_set() {
        check(
            Rule::Settings,
            &[
                "SET row_security = off",
                "SET session_replication_role = replica",
                "SET temp_buffers = '100GB'",
                "SET work_mem = 'much'",
                "SET work_mem = -1",
                "SET hash_mem_multiplier = -1",
                "SET app.tenant = '2'",
                "SET local_preload_libraries = 'x'",
                "SET allow_system_table_mods = on",
                "SET log_statement = 'none'",
                "SET extra_float_digits = 99",
                "SET client_min_messages = 'fatal'",
                // The server would send its log along.
                "SET client_min_messages = log",
                "SET client_min_messages TO debug5",
                "SET LOCAL client_min_messages = 'DEBUG'",
                "SET SESSION client_min_messages = Debug1",
                "SET search_path FROM CURRENT",
            ],
            &[
                "SET extra_float_digits = 3",
                "SET extra_float_digits = -15",
                "SET application_name = 'x'",
                "SET SESSION search_path TO 'public'",
                "SET DateStyle = ISO, MDY",
                "SET TIME ZONE 'UTC'",
                "SET TIME ZONE LOCAL",
                "SET TIME ZONE -7",
                "SET TIME ZONE INTERVAL '+00:00' HOUR TO MINUTE",
                "SET client_min_messages TO warning",
                "SET jit = off",
                "SET work_mem = '64MB'",
                "SET work_mem TO 4096",
                "SET random_page_cost = 1.1",
                "SET hash_mem_multiplier = 1.5",
                "SET pg_trgm.similarity_threshold = 0.5",
                "SET hnsw.ef_search = 100",
                "SET LOCAL max_parallel_workers_per_gather = 0",
                "SET XML OPTION DOCUMENT",
                "SET transaction_isolation = 'repeatable read'",
                "RESET work_mem",
                "RESET TIME ZONE",
            ],
        );
        check_bi(
            Rule::Settings,
            &["SET row_security = 2"],
            &["SET row_security = off"],
        );
    }

    #[test]
    fn bounds_in_time_are_tightened_and_not_loosened() {
        check(
            Rule::Settings,
            &[
                "SET statement_timeout = 'soon'",
                "SET statement_timeout = -1",
                "SET lock_timeout = 1, 2",
            ],
            &["SET statement_timeout = 1000", "SET lock_timeout = '1s'"],
        );
        clamped(
            "SET statement_timeout = 0",
            "SET statement_timeout = '30000'",
        );
        clamped(
            "SET statement_timeout TO '1h' -- x",
            "SET statement_timeout TO '30000' -- x",
        );
        clamped(
            "SET LOCAL lock_timeout = 10000;",
            "SET LOCAL lock_timeout = '5000';",
        );
        clamped(
            "SET statement_timeout = $$2d$$",
            "SET statement_timeout = '30000'",
        );
        clamped(
            "SET statement_timeout = E'\\x30'",
            "SET statement_timeout = '30000'",
        );
        clamped(
            "SET statement_timeout = 0; SET lock_timeout = 0; RESET ALL",
            "SET statement_timeout = '30000'; SET lock_timeout = '5000'; RESET ALL",
        );
        clamped(
            "SET LOCAL work_mem = '100GB'",
            "SET LOCAL work_mem = '262144kB'",
        );
        clamped(
            "SET max_parallel_workers_per_gather = 64",
            "SET max_parallel_workers_per_gather = '4'",
        );
        clamped(
            "SELECT set_config('work_mem', '4TB', true)",
            "SELECT set_config('work_mem', '262144kB', true)",
        );
        clamped(
            "SELECT set_config('statement_timeout', '0', false)",
            "SELECT set_config('statement_timeout', '30000', false)",
        );
    }
}
