//! The judgement of one setting and its value, whichever way a client asks for it.

pub(super) mod read_write;
pub(super) mod search_path;
pub(super) mod session_values;
pub(super) mod tracked;
pub(super) mod transaction_end;

use super::rules::roles;
use super::{Refusal, Rule};
use catalog::schema::is_of_another_session;
use ground::lsn::Lsn;
use ground::{hex, sqlstate};
use policy::mask_key::{
    GROUNDING, MIN_LSN, RECEIPT_NONCE, RECEIPTS, REPAIRS, SHOW_REPAIRED, is_grounding, is_min_lsn,
    is_receipt_nonce, is_receipts, is_repairs, is_reserved, is_show_repaired,
};
use policy::settings::receipt_nonce::ReceiptNonce;
use policy::{Policy, SettingAmount, SettingValue, ValueVerdict};

/// What a value that is not refused may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AllowedSetting {
    /// Be set.
    Unchanged,
    /// Be set to this instead.
    Lowered { to: SettingAmount },
    /// Be set to what keeps the session from writing instead.
    ReadOnly,
}

/// Judges setting `name` to `value`; a refusal is `rule`'s. Names are compared as the server
/// compares them: upper and lower case alike.
pub(super) fn judge(
    policy: &Policy,
    rule: Rule,
    name: &str,
    value: SettingValue<'_>,
) -> Result<AllowedSetting, Box<Refusal>> {
    if roles::is_role(name) {
        return Err(roles::refusal());
    }
    reserved(rule, name)?;
    if is_show_repaired(name) {
        return switch(rule, SHOW_REPAIRED, value);
    }
    if is_repairs(name) {
        return switch(rule, REPAIRS, value);
    }
    if is_receipts(name) {
        return switch(rule, RECEIPTS, value);
    }
    if is_receipt_nonce(name) {
        return receipt_nonce(rule, value);
    }
    if is_grounding(name) {
        return names_grounding(rule, value);
    }
    if is_min_lsn(name) {
        return names_lsn(rule, value);
    }
    let name = name.to_ascii_lowercase();
    let Some(values) = policy.setting(&name) else {
        return Err(not_given(rule, &name, value));
    };
    if name == "search_path" && leads_into_another_session(value) {
        return Err(another_session(rule));
    }
    match values.judge(value) {
        ValueVerdict::Passes => Ok(AllowedSetting::Unchanged),
        ValueVerdict::Lowered { to } => Ok(AllowedSetting::Lowered { to }),
        ValueVerdict::Refused if is_read_only(&name) => match value.truth() {
            Some(false) if read_write::is_lowered(policy) => Ok(AllowedSetting::ReadOnly),
            _ => Err(stays_read_only(rule)),
        },
        ValueVerdict::Refused => {
            let hint = format!("It accepts {values}.");
            let message = format!("{} does not accept that value here", named(&name, value));
            Err(Refusal::new(rule, &message, hint)
                .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
                .about(format_args!("{}", shown(&name)))
                .of(is_known(&name).then(|| format!("setting {name}"))))
        }
    }
}

/// Refuses pgsieve's own settings, which no client reads, sets or resets, whatever the policy says.
pub(super) fn reserved(rule: Rule, name: &str) -> Result<(), Box<Refusal>> {
    if !is_reserved(name) {
        return Ok(());
    }
    Err(Refusal::new(
        rule,
        "this setting is one of the proxy's own, and not for clients",
        "Settings whose names begin otherwise can be read by SHOW.",
    ))
}

/// Whether clients want repairs, see repaired statements, and get receipts, is theirs to say, under
/// every policy.
fn switch(rule: Rule, name: &str, value: SettingValue<'_>) -> Result<AllowedSetting, Box<Refusal>> {
    match value.truth() {
        Some(_) => Ok(AllowedSetting::Unchanged),
        None => Err(Refusal::new(
            rule,
            &format!("parameter \"{name}\" requires a Boolean value"),
            "Write on or off.",
        )
        .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
        .about(format_args!("{name}"))),
    }
}

/// What their receipts have in them as well: a word.
fn receipt_nonce(rule: Rule, value: SettingValue<'_>) -> Result<AllowedSetting, Box<Refusal>> {
    match only_text(&value).is_some_and(|text| ReceiptNonce::of(text).is_some()) {
        true => Ok(AllowedSetting::Unchanged),
        false => Err(Refusal::new(
            rule,
            "parameter \"pgsieve.receipt_nonce\" requires a word of at most 64 characters",
            "Write letters, digits, - and _ in quotes, or '' for none.",
        )
        .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
        .about(format_args!("{RECEIPT_NONCE}"))),
    }
}

/// The value where it is one text.
fn only_text<'v>(value: &'v SettingValue<'_>) -> Option<&'v str> {
    match value {
        SettingValue::Text(text) => Some(text),
        SettingValue::Parts([text]) => Some(text.as_ref()),
        SettingValue::Parts(_) => None,
    }
}

/// On which grounding they stand as well: a version, or none.
fn names_grounding(rule: Rule, value: SettingValue<'_>) -> Result<AllowedSetting, Box<Refusal>> {
    let is_version = |text: &str| text.is_empty() || hex::number(text).is_some();
    match only_text(&value).is_some_and(is_version) {
        true => Ok(AllowedSetting::Unchanged),
        false => Err(Refusal::new(
            rule,
            "parameter \"pgsieve.grounding\" requires the version of a grounding",
            "Write its sixteen digits in quotes, or '' for none.",
        )
        .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
        .about(format_args!("{GROUNDING}"))),
    }
}

/// What a server must have replayed for their reads: a position, or none.
fn names_lsn(rule: Rule, value: SettingValue<'_>) -> Result<AllowedSetting, Box<Refusal>> {
    let is_position = |text: &str| text.is_empty() || Lsn::of(text).is_some();
    match only_text(&value).is_some_and(is_position) {
        true => Ok(AllowedSetting::Unchanged),
        false => Err(Refusal::new(
            rule,
            "parameter \"pgsieve.min_lsn\" requires a position in the write-ahead log",
            "Write what pg_current_wal_flush_lsn() has said behind the write, such as \
             '16/B374D848', or '' for none.",
        )
        .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
        .about(format_args!("{MIN_LSN}"))),
    }
}

/// Whether setting `name` may be set to a value that is only known while the statement runs: where
/// no value that the server takes can hurt.
pub(super) fn passes_unseen(policy: &Policy, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let rule = policy.setting(&name);
    !roles::is_role(&name)
        && !is_reserved(&name)
        && !is_read_only(&name)
        && rule.is_some_and(|rule| rule.leaves_it_to_server(&name))
}

/// The refusal of whatever would make the session or a transaction writable.
pub(super) fn stays_read_only(rule: Rule) -> Box<Refusal> {
    Refusal::new(
        rule,
        "this connection only reads: it cannot be made writable",
        "Leave READ WRITE out; READ ONLY is accepted.",
    )
    .with_sqlstate(sqlstate::READ_ONLY_SQL_TRANSACTION)
}

/// Whether a setting decides if a transaction may write.
pub(super) fn is_read_only(name: &str) -> bool {
    name.eq_ignore_ascii_case("transaction_read_only")
        || name.eq_ignore_ascii_case("default_transaction_read_only")
}

/// Whether a search_path may name the temporary schema of another session. As a text it may be
/// split otherwise than one thinks: wherever such a name stands, it counts.
fn leads_into_another_session(value: SettingValue<'_>) -> bool {
    match value {
        SettingValue::Parts(parts) => parts.iter().any(|name| is_of_another_session(name)),
        SettingValue::Text(text) => {
            let folded = text.to_ascii_lowercase();
            folded.contains("pg_temp_") || folded.contains("pg_toast_temp")
        }
    }
}

fn another_session(rule: Rule) -> Box<Refusal> {
    Refusal::new(
        rule,
        "search_path may not name the temporary schema of another session",
        "Leave pg_temp_N out of search_path; pg_temp may stand in it behind pg_catalog.",
    )
    .with_sqlstate(sqlstate::INVALID_PARAMETER_VALUE)
    .about(format_args!("search_path"))
}

fn not_given(rule: Rule, name: &str, value: SettingValue<'_>) -> Box<Refusal> {
    Refusal::new(
        rule,
        &format!("{} may not be changed here", named(name, value)),
        "SHOW reads it. The policy lists what may be set under settings.allow.",
    )
    .about(format_args!("{}", shown(name)))
    .of(is_known(name).then(|| format!("setting {name}")))
}

/// The same with what it is. In set_config and in a startup packet the name is a value, and may be
/// anything: it is told where Postgres has a setting of this name.
fn named(name: &str, value: SettingValue<'_>) -> String {
    match (shown(name), value) {
        (A_SETTING, _) => A_SETTING.to_owned(),
        (_, SettingValue::Text(_)) if !is_known(name) => A_SETTING.to_owned(),
        (name, SettingValue::Text(_) | SettingValue::Parts(_)) => format!("setting \"{name}\""),
    }
}

/// Whether Postgres, in one of its versions 13 to 18, has a setting of this name.
pub(super) fn is_known(name: &str) -> bool {
    include_str!("setting_names.txt")
        .lines()
        .any(|known| known == name)
}

/// The name where it looks like one. In set_config it is a literal and may hold anything.
fn shown(name: &str) -> &str {
    let plain = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'_' || letter == b'.';
    if name.len() <= NAME_BYTES_SHOWN_MAX && name.bytes().all(plain) {
        name
    } else {
        A_SETTING
    }
}

/// What is said in the place of a name that cannot be one.
const A_SETTING: &str = "a setting";

/// Longer than any setting of Postgres.
const NAME_BYTES_SHOWN_MAX: usize = 63;
