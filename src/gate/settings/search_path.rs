//! What a statement does to search_path, which decides what every unqualified name of the
//! statements behind it stands for.

use crate::basis::SearchPaths;
use crate::context::JudgeContext;
use crate::facts::{
    AssignedValue, Certainty, CustomSettings, PathChange, SessionEffect, SettingScope,
};
use crate::rules::{settings, several_statements};
use catalog::search_path;
use policy::settings::setting_value;
use sql::tree::{ConstValue, Node, SetOperation, VariableSetKind, nodes};

/// SET, SET LOCAL and RESET.
pub(crate) fn note_set(set: &nodes::VariableSetStmt, context: &mut JudgeContext<'_>) {
    let of_path = is_search_path(set.name().unwrap_or_default());
    let path = match set.kind {
        VariableSetKind::VAR_SET_VALUE if of_path => written(set),
        VariableSetKind::VAR_SET_DEFAULT | VariableSetKind::VAR_RESET if of_path => {
            PathChange::Default
        }
        VariableSetKind::VAR_RESET_ALL => PathChange::Default,
        _ => return,
    };
    context.calls_run = Certainty::Certain;
    context.move_paths(path, SettingScope::of(set));
}

/// DISCARD ALL.
pub(crate) fn note_reset(context: &mut JudgeContext<'_>) {
    context.calls_run = Certainty::Certain;
    context.move_paths(PathChange::Default, SettingScope::Session);
    context.set(
        CustomSettings::All,
        AssignedValue::Default,
        SettingScope::Session,
    );
}

/// A call of set_config whose value is this literal, or none.
pub(crate) fn note_set_config(
    name: &str,
    value: SetConfigValue<'_>,
    is_local: Option<Node<'_>>,
    context: &mut JudgeContext<'_>,
) {
    if !is_search_path(name) {
        return;
    }
    let path = match value {
        SetConfigValue::Null => PathChange::Default,
        SetConfigValue::Text(text) => match search_path::split(text) {
            Some(names) => PathChange::To(names.iter().map(|name| kept(name)).collect()),
            None => PathChange::Unknown,
        },
        SetConfigValue::Unseen => PathChange::Unknown,
    };
    context.within.push(path.clone());
    match is_local.and_then(truth) {
        Some(true) => context.move_paths(path, SettingScope::Transaction),
        Some(false) => context.move_paths(path, SettingScope::Session),
        None => context.move_paths(PathChange::Unknown, SettingScope::Session),
    }
}

/// The value of a set_config.
#[derive(Clone, Copy)]
pub(crate) enum SetConfigValue<'t> {
    Null,
    Text(&'t str),
    /// Only known while the statement runs.
    Unseen,
}

/// A call of something that may set anything.
pub(crate) fn note_unknown(context: &mut JudgeContext<'_>) {
    context.calls_run = Certainty::Possible;
    if context.has_lost_settings() {
        return;
    }
    context.touch_settings();
    context.move_paths(PathChange::Perhaps, SettingScope::Session);
    context.set(
        CustomSettings::All,
        AssignedValue::Unknown,
        SettingScope::Session,
    );
}

/// Finds out whether the calls of a SELECT run once, for certain and in order: where it is nothing
/// but calls of set_config and the like, with literals.
pub(crate) fn note_call_certainty(node: Node<'_>, context: &mut JudgeContext<'_>) {
    let certain = match node {
        Node::SelectStmt(select) => {
            several_statements::selects_housekeeping(select) && runs_once(select)
        }
        _ => false,
    };
    context.calls_run = if certain {
        Certainty::Certain
    } else {
        Certainty::Possible
    };
}

impl JudgeContext<'_> {
    /// Notes that names may be looked up elsewhere afterwards.
    pub(crate) fn move_paths(&mut self, path: PathChange, scope: SettingScope) {
        let surety = self.calls_run;
        let to = match (&path, surety) {
            (PathChange::To(names), Certainty::Certain) => {
                SearchPaths::Known(Box::new([names.clone()]))
            }
            (
                PathChange::To(_) | PathChange::Default | PathChange::Unknown | PathChange::Perhaps,
                _,
            ) => SearchPaths::Unknown,
        };
        self.note_path(&to, scope, surety);
        self.paths_afterwards = Some(to);
        let noted = matches!(
            self.effects.last(),
            Some(SessionEffect::SearchPathSet {
                path: PathChange::Unknown | PathChange::Perhaps,
                scope: SettingScope::Session,
                ..
            })
        );
        if !(noted && path == PathChange::Perhaps) {
            self.effects.push(SessionEffect::SearchPathSet {
                path,
                scope,
                surety,
            });
        }
    }
}

fn runs_once(select: &nodes::SelectStmt) -> bool {
    // The walk over a statement keeps no order between its calls.
    let targets = select.target_list();
    let set = targets.iter().filter_map(|target| match target.val() {
        Node::FuncCall(call) => call.args().get(0).and_then(setting_named),
        _ => None,
    });
    let mut names: Vec<String> = set.map(str::to_ascii_lowercase).collect();
    names.sort_unstable();
    if names
        .windows(2)
        .any(|pair| matches!(pair, [one, next] if one == next))
    {
        return false;
    }
    let one_row = select.op == SetOperation::SETOP_NONE
        && select.from_clause().is_empty()
        && matches!(select.where_clause(), Node::None)
        && matches!(select.having_clause(), Node::None)
        && matches!(select.limit_count(), Node::None)
        && matches!(select.limit_offset(), Node::None)
        && select.group_clause().is_empty();
    one_row
        && select
            .target_list()
            .iter()
            .all(|target| match target.val() {
                Node::FuncCall(call) => call.args().iter().all(is_plain),
                _ => false,
            })
}

fn setting_named(argument: Node<'_>) -> Option<&str> {
    let constant = match argument {
        Node::A_Const(constant) => constant,
        Node::TypeCast(cast) => match cast.arg() {
            Node::A_Const(constant) => constant,
            _ => return None,
        },
        _ => return None,
    };
    match constant.val()? {
        ConstValue::String(name) => Some(name),
        _ => None,
    }
}

fn is_plain(argument: Node<'_>) -> bool {
    match argument {
        Node::A_Const(_) | Node::ParamRef(_) => true,
        Node::TypeCast(cast) => matches!(cast.arg(), Node::A_Const(_) | Node::ParamRef(_)),
        _ => false,
    }
}

/// The names of a SET. Each part is one name, whatever is in it.
fn written(set: &nodes::VariableSetStmt) -> PathChange {
    let names: Option<Box<[Box<str>]>> = set
        .args()
        .iter()
        .map(|argument| settings::part(argument).map(|name| kept(&name)))
        .collect();
    names.map_or(PathChange::Unknown, PathChange::To)
}

/// A name as far as the server keeps it.
fn kept(name: &str) -> Box<str> {
    crate::prepared::truncated_name(name).into()
}

pub(crate) fn truth(node: Node<'_>) -> Option<bool> {
    match node {
        Node::A_Const(constant) if !constant.isnull => match constant.val()? {
            ConstValue::Boolean(value) => Some(value),
            ConstValue::String(text) => setting_value::boolean(text),
            _ => None,
        },
        _ => None,
    }
}

fn is_search_path(name: &str) -> bool {
    name.eq_ignore_ascii_case("search_path")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionNames;
    use crate::rules::check::gate;
    use policy::Policy;

    /// What a text does to search_path: names, `(default)` or `(unknown)`, and for how long and how
    /// surely where that is not the session and for certain.
    fn changes(sql: &str) -> Vec<String> {
        let names = SessionNames::of_no_database();
        let judgement = gate(Policy::bi()).judge(sql.into(), &names);
        let effects = judgement.facts.effects.iter();
        let changes = effects.filter_map(|effect| match effect {
            SessionEffect::SearchPathSet {
                path,
                scope,
                surety,
            } => {
                let path = match path {
                    PathChange::To(names) => names.join("|"),
                    PathChange::Default => "(default)".to_owned(),
                    PathChange::Unknown => "(unknown)".to_owned(),
                    PathChange::Perhaps => "(perhaps)".to_owned(),
                };
                let local = match scope {
                    SettingScope::Session => "",
                    SettingScope::Transaction => " local",
                };
                let possible = match surety {
                    Certainty::Certain => "",
                    Certainty::Possible => " possible",
                };
                Some(format!("{path}{local}{possible}"))
            }
            _ => None,
        });
        changes.collect()
    }

    #[test]
    fn every_way_to_set_it_is_followed() {
        for (sql, expected) in [
            ("SET search_path = a, \"B c\", \"$user\"", "a|B c|$user"),
            ("SET \"Search_Path\" TO 'a, b'", "a, b"),
            ("SET search_path = ''", ""),
            ("SET LOCAL search_path = a", "a local"),
            ("SET SCHEMA 'a'", "a"),
            ("SET search_path TO DEFAULT", "(default)"),
            ("SET LOCAL search_path TO DEFAULT", "(default) local"),
            ("RESET search_path", "(default)"),
            ("RESET ALL", "(default)"),
            ("DISCARD ALL", "(default)"),
            ("SELECT set_config('search_path', 'A, \"B\"', false)", "a|B"),
            ("SELECT set_config('SEARCH_PATH', '', true)", " local"),
            ("SELECT set_config('search_path', NULL, false)", "(default)"),
            ("SELECT set_config('search_path', 'a', $1)", "(unknown)"),
            (
                "SELECT set_config('search_path', 'a', false) FROM pg_class",
                "a possible",
            ),
            (
                "SELECT set_config('jit', 'off', false), set_config('search_path'::text, 'a', true)",
                "a local",
            ),
            (
                "SELECT set_config('search_path', 'a', false) LIMIT 0",
                "a possible",
            ),
            (
                "SELECT CASE WHEN true THEN set_config('search_path', 'a', false) END",
                "a possible",
            ),
        ] {
            assert_eq!(changes(sql), [expected], "{sql}");
        }
    }

    #[test]
    fn of_two_calls_nobody_says_which_is_the_last() {
        let mut both = changes(
            "SELECT set_config('search_path', 'a', false), set_config('search_path', 'b', false)",
        );
        both.sort_unstable();
        assert_eq!(both, ["a possible", "b possible"]);
    }

    #[test]
    fn other_settings_and_what_is_not_run_leave_it() {
        for sql in [
            "SET jit = off",
            "RESET work_mem",
            "SET TRANSACTION READ ONLY",
            "DISCARD PLANS",
            "EXPLAIN SELECT set_config('search_path', 'a', false)",
            "PREPARE p AS SELECT set_config('search_path', 'a', false)",
            "SHOW search_path",
        ] {
            assert!(changes(sql).is_empty(), "{sql}");
        }
    }
}
