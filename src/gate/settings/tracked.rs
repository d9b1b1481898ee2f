//! What a statement does to the settings that are followed: those that a policy's models may read,
//! with a dot in their names, which mean nothing to the server and are kept as they are written;
//! and the bound on a statement's time.

use super::search_path::{SetConfigValue, truth};
use crate::context::JudgeContext;
use crate::facts::{
    AssignedValue, Certainty, CustomSettings, SessionEffect, SettingChange, SettingScope,
};
use crate::rules::settings;
use ground::limits;
use sql::tree::{Node, VariableSetKind, nodes};

/// Whether the settings of a session are what it said of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrackedState {
    /// They are.
    AsStated,
    /// They are what it said that holds whatever becomes of its transaction.
    AfterTransaction,
    /// A statement before, in the same text, may have changed them.
    Changed,
}

/// SET, SET LOCAL and RESET.
pub(crate) fn note_set(set: &nodes::VariableSetStmt, context: &mut JudgeContext<'_>) {
    let name = set.name().unwrap_or_default();
    let (settings, value) = match set.kind {
        VariableSetKind::VAR_RESET_ALL => (CustomSettings::All, AssignedValue::Default),
        _ if !is_tracked(name) => return,
        VariableSetKind::VAR_SET_VALUE => (named(name), written(set)),
        VariableSetKind::VAR_SET_DEFAULT | VariableSetKind::VAR_RESET => {
            (named(name), AssignedValue::Default)
        }
        _ => (named(name), AssignedValue::Unknown),
    };
    context.calls_run = Certainty::Certain;
    context.set(settings, value, SettingScope::of(set));
}

/// A call of set_config.
pub(crate) fn note_set_config(
    name: &str,
    value: SetConfigValue<'_>,
    is_local: Option<Node<'_>>,
    context: &mut JudgeContext<'_>,
) {
    if !is_tracked(name) {
        return;
    }
    let value = match value {
        SetConfigValue::Null => AssignedValue::Default,
        SetConfigValue::Text(text) => kept(text),
        SetConfigValue::Unseen => AssignedValue::Unknown,
    };
    match is_local.and_then(truth) {
        Some(true) => context.set(named(name), value, SettingScope::Transaction),
        Some(false) => context.set(named(name), value, SettingScope::Session),
        None => context.set(named(name), AssignedValue::Unknown, SettingScope::Session),
    }
}

impl JudgeContext<'_> {
    /// Notes that settings may be others afterwards.
    pub(crate) fn set(
        &mut self,
        settings: CustomSettings,
        value: SettingChange,
        scope: SettingScope,
    ) {
        let surety = self.calls_run;
        // No model reads the other one.
        if !matches!(&settings, CustomSettings::One(name) if &**name == STATEMENT_TIMEOUT) {
            self.settings_afterwards = TrackedState::Changed;
        }
        self.effects.push(SessionEffect::SettingSet {
            settings,
            value,
            scope,
            surety,
        });
    }

    /// Whether what was noted last is that nothing is known of paths and settings any more.
    pub(crate) fn has_lost_settings(&self) -> bool {
        matches!(
            self.effects.last(),
            Some(SessionEffect::SettingSet {
                settings: CustomSettings::All,
                value: AssignedValue::Unknown,
                ..
            })
        )
    }
}

/// Whether a setting of this name is followed.
pub(crate) fn is_tracked(name: &str) -> bool {
    name.contains('.') || name.eq_ignore_ascii_case(STATEMENT_TIMEOUT)
}

fn named(name: &str) -> CustomSettings {
    CustomSettings::One(name.to_ascii_lowercase().into())
}

/// The value of a SET. With several the server takes it for a list, or not at all.
fn written(set: &nodes::VariableSetStmt) -> SettingChange {
    let arguments = set.args();
    match (arguments.len(), arguments.get(0).and_then(settings::part)) {
        (1, Some(value)) => kept(&value),
        _ => AssignedValue::Unknown,
    }
}

fn kept(value: &str) -> SettingChange {
    if value.len() > limits::SESSION_VALUE_BYTES_MAX {
        AssignedValue::Unknown
    } else {
        AssignedValue::To(Some(value.into()))
    }
}

/// The setting that bounds a statement's time.
pub const STATEMENT_TIMEOUT: &str = "statement_timeout";

#[cfg(test)]
mod tests {
    use crate::rules::check::gate;
    use crate::{
        AssignedValue, Certainty, CustomSettings, SessionEffect, SessionNames, SettingScope,
    };
    use policy::Policy;

    /// What a text does to settings with a dot in their names.
    fn check(sql: &str, expected: &[&str]) {
        let yaml = include_str!("../../../policies/bi.yaml").replace(
            "    application_name: any\n",
            "    application_name: any\n    app.tenant: any\n    app.b: any\n",
        );
        let names = SessionNames::of_no_database();
        let judgement = gate(Policy::from_yaml(&yaml).unwrap()).judge(sql.into(), &names);
        let effects = judgement.facts.effects.iter();
        let changes = effects.filter_map(|effect| match effect {
            SessionEffect::SettingSet {
                settings,
                value,
                scope,
                surety,
            } => {
                let name = match settings {
                    CustomSettings::One(name) => name,
                    CustomSettings::All => "*",
                };
                let value = match value {
                    AssignedValue::To(value) => value.as_deref().unwrap_or("(null)"),
                    AssignedValue::Default => "(default)",
                    AssignedValue::Unknown | AssignedValue::Perhaps => "(unknown)",
                };
                let local = match scope {
                    SettingScope::Session => "",
                    SettingScope::Transaction => " local",
                };
                let possible = match surety {
                    Certainty::Certain => "",
                    Certainty::Possible => " possible",
                };
                Some(format!("{name}={value}{local}{possible}"))
            }
            _ => None,
        });
        // The walk over a statement keeps no order between its calls.
        let mut changes: Vec<String> = changes.collect();
        changes.sort_unstable();
        assert_eq!(changes, expected, "{sql}");
    }

    #[test]
    fn every_way_to_set_one_is_followed() {
        for (sql, expected) in [
            ("SET app.tenant = 'A b'", "app.tenant=A b"),
            ("SET \"APP\".\"Tenant\" TO 'it''s \\'", "app.tenant=it's \\"),
            ("SET \"app.tenant\" = Acme", "app.tenant=acme"),
            ("SET app.tenant = 7", "app.tenant=7"),
            ("SET app.tenant = -7", "app.tenant=-7"),
            ("SET app.tenant = 1.50", "app.tenant=1.50"),
            ("SET app.tenant = on", "app.tenant=on"),
            ("SET app.tenant = true", "app.tenant=true"),
            ("SET app.tenant = ''", "app.tenant="),
            ("SET app.tenant = a, b", "app.tenant=(unknown)"),
            ("SET LOCAL app.tenant = a", "app.tenant=a local"),
            ("SET app.tenant TO DEFAULT", "app.tenant=(default)"),
            (
                "SET LOCAL app.tenant TO DEFAULT",
                "app.tenant=(default) local",
            ),
            ("RESET app.tenant", "app.tenant=(default)"),
            ("RESET ALL", "*=(default)"),
            ("DISCARD ALL", "*=(default)"),
            (
                "SELECT set_config('App.tenant', 'A', false)",
                "app.tenant=A",
            ),
            (
                "SELECT set_config('app.tenant'::text, 'A', true)",
                "app.tenant=A local",
            ),
            (
                "SELECT set_config('app.tenant', NULL, false)",
                "app.tenant=(default)",
            ),
            ("SET Statement_Timeout = '5s'", "statement_timeout=5s"),
            (
                "SET LOCAL statement_timeout TO 70",
                "statement_timeout=70 local",
            ),
            ("RESET statement_timeout", "statement_timeout=(default)"),
            (
                "SELECT set_config('statement_timeout', '5s', false)",
                "statement_timeout=5s",
            ),
            (
                "SELECT set_config('app.tenant', 'a', $1)",
                "app.tenant=(unknown)",
            ),
            (
                "SELECT set_config('app.tenant', $1, true)",
                "app.tenant=(unknown) local",
            ),
            (
                "SELECT set_config('app.tenant', 'a', false) FROM pg_class",
                "app.tenant=a possible",
            ),
        ] {
            check(sql, &[expected]);
        }
        check(
            &format!("SET app.tenant = '{}'", "x".repeat(5000)),
            &["app.tenant=(unknown)"],
        );
        check(
            "SELECT set_config('app.tenant', 'a', true), set_config('app.b', 'b', true)",
            &["app.b=b local", "app.tenant=a local"],
        );
    }

    #[test]
    fn of_two_calls_nobody_says_which_is_the_last() {
        check(
            "SELECT set_config('app.tenant', 'a', false), set_config('APP.tenant', 'b', false)",
            &["app.tenant=a possible", "app.tenant=b possible"],
        );
    }

    #[test]
    fn what_is_run_later_or_never_sets_nothing() {
        for sql in [
            "SET jit = off",
            "EXPLAIN SELECT set_config('app.tenant', 'a', false)",
            "PREPARE p AS SELECT set_config('app.tenant', 'a', false)",
            "SHOW app.tenant",
            "DISCARD PLANS",
        ] {
            check(sql, &[]);
        }
        check(
            "PREPARE p AS SELECT set_config('app.tenant', 'a', false); EXECUTE p",
            &["app.tenant=a possible"],
        );
    }
}
